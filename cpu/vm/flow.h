// Control flow among the steps, and gathers. A block of lanes takes a step if one of its lanes does:
// masks, which are operands like others, say which lanes mean it. The lowering selects the
// results of those, so that the steps between compute all lanes and need no masks.

// any reports whether a mask holds for one of n lanes.
static int any(const vm_operand *m, int64_t n) {
	const char *p = m->p;
	if (m->step == 0) return *p != 0;
	if (m->step != 1) {
		for (int64_t i = 0; i < n; i++)
			if (p[i * m->step]) return 1;
		return 0;
	}
	for (; n >= 8; n -= 8, p += 8) {
		uint64_t b;
		__builtin_memcpy(&b, p, 8);
		if (b) return 1;
	}
	for (; n > 0; n--, p++)
		if (*p) return 1;
	return 0;
}

#define GATHER_LOOP(T) \
	if (live) for (int64_t i = 0; i < m; i++) ((T *)d)[i] = live[i] ? *(const T *)(g->p + offset[i]) : (T){0}; \
	else for (int64_t i = 0; i < m; i++) ((T *)d)[i] = *(const T *)(g->p + offset[i]); \
	break;

// gather_one reads the element of a gather whose indices are the same in all lanes: where it stands one of them means it.
static int gather_one(const vm_launch *l, const vm_gather *g) {
	const char *p = g->p;
	for (int64_t axis = 0; axis < g->axes; axis++) {
		int64_t v = *(const int64_t *)l->operand[g->index[axis]].p, size = g->extent[axis];
		if (v < -size || v >= size) {
			*l->fault = (vm_fault){VM_BOUNDS, v, axis, size};
			return 0;
		}
		p += (v < 0 ? v + size : v) * g->stride[axis];
	}
	__builtin_memcpy(l->operand[g->d].p, p, (size_t)g->size);
	return 1;
}

// gather reads an element for each lane that means it. It returns 0, with the launch's fault filled in,
// where an index is out of bounds; nothing is read there.
static int gather(const vm_launch *l, const vm_gather *g, int64_t n) {
	if (l->operand[g->d].step == 0) return gather_one(l, g);
	uint64_t offset[PACKED];
	uint8_t mask[PACKED], *live = g->mask < 0 ? 0 : mask;
	char *d = l->operand[g->d].p;
	for (int64_t at = 0; at < n; at += PACKED, d += PACKED * g->size) {
		int64_t m = least(PACKED, n - at);
		if (live) {
			const vm_operand *q = &l->operand[g->mask];
			for (int64_t i = 0; i < m; i++) mask[i] = (uint8_t)q->p[(at + i) * q->step];
		}
		for (int64_t i = 0; i < m; i++) offset[i] = 0;
		for (int64_t axis = 0; axis < g->axes; axis++) {
			const vm_operand *x = &l->operand[g->index[axis]];
			const char *p = x->p + at * x->step;
			int64_t size = g->extent[axis];
			uint64_t bad = 0, stride = (uint64_t)g->stride[axis];
			for (int64_t i = 0; i < m; i++) {
				int64_t v = *(const int64_t *)(p + i * x->step);
				uint64_t k = (uint64_t)(v < 0 ? v + size : v);
				bad |= k >= (uint64_t)size && (!live || live[i]);
				offset[i] += k * stride;
			}
			for (int64_t i = 0; bad; i++) {
				int64_t v = *(const int64_t *)(p + i * x->step);
				if ((live && !live[i]) || (v >= -size && v < size)) continue;
				*l->fault = (vm_fault){VM_BOUNDS, v, axis, size};
				return 0;
			}
		}
		switch (g->size) {
		case 1: GATHER_LOOP(uint8_t)
		case 2: GATHER_LOOP(uint16_t)
		case 4: GATHER_LOOP(uint32_t)
		case 8: GATHER_LOOP(uint64_t)
		default: GATHER_LOOP(wide16)
		}
	}
	return 1;
}

// advance runs all steps on a block of n elements. It returns 0 where the launch is at its end before
// its time: l->fault says why.
static int advance(vm_launch *l, int64_t n) {
	if (!l->fault) {
		run(l, n);
		return 1;
	}
	for (int64_t k = 0; k < l->steps;) {
		const vm_step *s = &l->step[k];
		switch (s->op) {
		case VM_SKIP:
			k = any(&l->operand[l->jump[s->d].mask], n) ? k + 1 : l->jump[s->d].to;
			break;
		case VM_AGAIN:
			if (l->stop && __atomic_load_n(l->stop, __ATOMIC_RELAXED)) {
				l->fault->kind = VM_STOPPED;
				return 0;
			}
			k = l->jump[s->d].to;
			break;
		case VM_GATHER:
			if (!gather(l, &l->gather[s->d], n)) return 0;
			k++;
			break;
		default:
			step(l, k, n);
			k++;
		}
	}
	return 1;
}
