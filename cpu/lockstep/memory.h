// Elements of memories, wherever lanes want them. All indices of all lanes are checked before anything is touched.

// places computes where each lane's element is, from the memory's, and ends the lanes with an index that the memory
// does not have.
static void places(lockstep_row *r, const lockstep_step *s, int lead, int64_t *restrict offset) {
	const lockstep_memory *m = &r->memory[s->n];
	int64_t n = r->lanes;
	int64_t base = 0; // of the axes whose index is the same in all lanes
	int rows = 0;
	uint64_t bad = 0;
	for (int64_t axis = 0; axis < m->axes; axis++) {
		const vm_operand *x = &r->operand[s->in[lead + axis]];
		int64_t size = m->extent[axis], stride = m->stride[axis];
		const int64_t *index = (const int64_t *)x->p;
		if (x->step == 0) {
			int64_t v = *index, k = v < 0 ? v + size : v;
			bad |= (uint64_t)k >= (uint64_t)size;
			base += (int64_t)((uint64_t)k * (uint64_t)stride);
			continue;
		}
		const uint8_t *mask = r->scope[s->scope].mask;
		uint64_t wrong = 0;
		if (rows++ == 0) EACH_LANE {
			int64_t v = index[i], k = v < 0 ? v + size : v;
			wrong |= ((uint64_t)k >= (uint64_t)size) & mask[i];
			offset[i] = (int64_t)((uint64_t)k * (uint64_t)stride);
		} else EACH_LANE {
			int64_t v = index[i], k = v < 0 ? v + size : v;
			wrong |= ((uint64_t)k >= (uint64_t)size) & mask[i];
			offset[i] += (int64_t)((uint64_t)k * (uint64_t)stride);
		}
		bad |= wrong;
	}
	if (m->lane) {
		if (rows++ == 0) EACH_LANE offset[i] = base + i * m->lane;
		else EACH_LANE offset[i] += base + i * m->lane;
	} else if (rows && base) EACH_LANE offset[i] += base;
	else if (!rows) EACH_LANE offset[i] = base;
	if (!bad) return;
	// Each lane fails for the first of its indices that is wrong.
	for (int64_t axis = 0; axis < m->axes; axis++) {
		uint8_t lanes[LOCKSTEP_LANES];
		int64_t size = m->extent[axis], any = 0;
		for (int64_t i = 0; i < n; i++) {
			int64_t v = *(const int64_t *)at(r, s->in[lead + axis], i);
			any |= lanes[i] = r->scope[s->scope].mask[i] & (v < -size || v >= size);
		}
		if (!any) continue;
		int64_t v = *(const int64_t *)at(r, s->in[lead + axis], first(lanes));
		fail(r, s, lanes, (lockstep_fault){.kind = LOCKSTEP_INDEX, .axis = axis, .index = v, .size = size});
	}
}

#define ELEMENT_LOOP(T) { \
	T *d = (T *)r->operand[s->d].p; \
	if (all) for (int64_t i = 0; i < n; i++) d[i] = *(const T *)(p + offset[i]); \
	else for (int64_t i = 0; i < n; i++) if (mask[i]) d[i] = *(const T *)(p + offset[i]); \
	break; \
}

#define PUT_LOOP(T) { \
	const char *v = r->operand[s->in[0]].p; \
	int64_t step = r->operand[s->in[0]].step; \
	if (all) for (int64_t i = 0; i < n; i++) *(T *)(p + offset[i]) = *(const T *)(v + i * step); \
	else for (int64_t i = 0; i < n; i++) if (mask[i]) *(T *)(p + offset[i]) = *(const T *)(v + i * step); \
	break; \
}

#define BY_SIZE(LOOP) \
	switch (m->size) { \
	case 1: LOOP(uint8_t) \
	case 2: LOOP(uint16_t) \
	case 4: LOOP(uint32_t) \
	case 8: LOOP(uint64_t) \
	default: LOOP(wide) \
	}

// shape_of looks how integers that are indices are to each other: the same, or rising by 1, in lanes that stand together.
static int shape_of(lockstep_row *r, int32_t v) {
	if (r->shape[v] == LOCKSTEP_UNKNOWN) {
		const int64_t *x = (const int64_t *)r->operand[v].p, *inner = r->inner;
		uint64_t differ = 0, leap = 0;
		int64_t n = r->lanes;
		for (int64_t i = 1; i < n; i++) {
			uint64_t d = (uint64_t)x[i] - (uint64_t)x[i - 1];
			differ |= d & (uint64_t)inner[i];
			leap |= (d ^ 1) & (uint64_t)inner[i];
		}
		r->shape[v] = !differ ? LOCKSTEP_EQUAL : !leap ? LOCKSTEP_RISING : LOCKSTEP_OTHERS;
	}
	return r->shape[v];
}

// SPREAD_GROUPS and COPY_GROUPS are for groups of one length, which the compiler knows for those that are common. Groups
// that are read are asked for ahead: those of a matrix's column are a row apart, which no prefetcher of the processor's
// foresees.
#define SPREAD_GROUPS(T, w) \
	for (int64_t g = 0; g < groups; g++, d += w) { \
		T v = *(const T *)(m->p + offset[g]); \
		for (int64_t i = 0; i < w; i++) d[i] = v; \
	}
#define COPY_GROUPS(bytes) \
	if (!put) for (int64_t g = 0; g < groups; g++) __builtin_prefetch(m->p + offset[g]); \
	for (int64_t g = 0; g < groups; g++, row += bytes) { \
		if (put) __builtin_memcpy(m->p + offset[g], row, (size_t)(bytes)); \
		else __builtin_memcpy(row, m->p + offset[g], (size_t)(bytes)); \
	}

#define SPREAD_LOOP(T) { \
	T *d = (T *)row; \
	if (w == 16) { SPREAD_GROUPS(T, 16) } \
	else if (w == 32) { SPREAD_GROUPS(T, 32) } \
	else { SPREAD_GROUPS(T, w) } \
	break; \
}
#define APART_LOOP(T) { \
	T *d = (T *)row; \
	int64_t step = m->stride[rising]; \
	for (int64_t g = 0; g < groups; g++, d += w) \
		for (int64_t i = 0; i < w; i++) d[i] = *(const T *)(m->p + offset[g] + i * step); \
	break; \
}

// groups_of adds what some axes tell to where elements are of each group of lanes that stand together. It returns 0 where
// an index is out of bounds.
static int groups_of(const lockstep_row *r, const lockstep_step *s, int lead, int64_t axes, int64_t rising, int64_t *offset) {
	const lockstep_memory *m = &r->memory[s->n];
	int64_t w = r->width, n = r->lanes;
	uint64_t bad = 0;
	for (int64_t axis = 0; axis < m->axes; axis++) {
		if (!(axes >> axis & 1)) continue;
		const vm_operand *x = &r->operand[s->in[lead + axis]];
		int64_t size = m->extent[axis], stride = m->stride[axis], last = axis == rising ? w - 1 : 0;
		for (int64_t g = 0, i = 0; i < n; g++, i += w) {
			int64_t v = *(const int64_t *)(x->p + i * x->step), k = v < 0 ? v + size : v;
			bad |= (uint64_t)k >= (uint64_t)size || (uint64_t)(k + last) >= (uint64_t)size;
			offset[g] += (int64_t)((uint64_t)k * (uint64_t)stride);
		}
	}
	return !bad;
}

// Lanes that stand together are those of a block's row of threads, `width` of them, which differ in x alone:
//
//	s[y, x]     groups of rising indices, one behind the other in memory: a copy for each group
//	s[k, x]     the same, whatever k is, if it is equal within each group
//	s[y, k]     equal indices: one element, spread over the group
//	s[x, y]     rising, at the distance of a row: a loop with a step
//
// So the inner step of a product of matrices in shared memory takes no gather.
//
// together reads or writes the elements of all lanes, where those that stand together want elements at one distance. It
// returns 0 where they do not, or where an index may be wrong, or a put is to be noted and cannot be: nothing was touched
// there.
static int together(lockstep_row *r, const lockstep_step *s, int lead, int notes) {
	const lockstep_memory *m = &r->memory[s->n];
	int64_t w = r->width, n = r->lanes, rising = -1;
	int64_t made[LOCKSTEP_GROUPS], groups = n / w;
	if (w < LOCKSTEP_LEAST || m->lane || !m->axes) return 0;
	for (int64_t axis = 0; axis < m->axes; axis++) {
		if (r->operand[s->in[lead + axis]].step == 0) continue;
		int shape = shape_of(r, s->in[lead + axis]);
		if (shape == LOCKSTEP_OTHERS || (shape == LOCKSTEP_RISING && rising >= 0)) return 0;
		if (shape == LOCKSTEP_RISING) rising = axis;
	}
	int put = s->kind == LOCKSTEP_PUT;
	if (put && (rising < 0 || m->stride[rising] != m->size || r->operand[s->in[0]].step == 0)) return 0;
	lockstep_kept *kept = s->type ? &r->kept[s->type - 1] : 0;
	int64_t all = (1 << m->axes) - 1, keeps = kept ? kept->axes : 0;
	const int64_t *offset = made;
	if (kept) {
		if (kept->row != r->first + 1) {
			kept->row = 0;
			__builtin_memset(kept->offset, 0, (size_t)groups * sizeof *offset);
			if (!groups_of(r, s, lead, keeps, rising, kept->offset)) return 0;
			kept->row = r->first + 1;
		}
		if (keeps == all) offset = kept->offset;
		else __builtin_memcpy(made, kept->offset, (size_t)groups * sizeof *offset);
	} else __builtin_memset(made, 0, (size_t)groups * sizeof *offset);
	if (keeps != all && !groups_of(r, s, lead, all & ~keeps, rising, made)) return 0;
	if (notes && !put_noted(r, s, offset)) return 0;
	int64_t bytes = w * m->size;
	char *row = r->operand[put ? s->in[0] : s->d].p;
	if (rising >= 0 && m->stride[rising] == m->size) {
		if (bytes == 64) { COPY_GROUPS(64) }
		else if (bytes == 128) { COPY_GROUPS(128) }
		else { COPY_GROUPS(bytes) }
	} else if (rising < 0) {
		BY_SIZE(SPREAD_LOOP)
	} else {
		BY_SIZE(APART_LOOP)
	}
	return 1;
}

// The steps of atomics: old is what is there, v comes; the result is what stays. See EvalAtomic of package tile.
enum { A_ADD, A_SUB, A_MIN, A_MAX, A_NANMIN, A_NANMAX, A_AND, A_OR, A_XOR, A_EXCH, A_INC, A_DEC };

#define ATOMIC_STEP(T, U, BITS) \
	static T step_##T(int form, T old, T v) { \
		switch (form) { \
		case A_ADD: return (T)((U)old + (U)v); \
		case A_SUB: return (T)((U)old - (U)v); \
		case A_MIN: return v < old ? v : old; \
		case A_MAX: return old < v ? v : old; \
		case A_NANMIN: return v == v && (old != old || v < old) ? v : old; \
		case A_NANMAX: return v == v && (old != old || old < v) ? v : old; \
		BITS(T) \
		} \
		return v; \
	}
#define WHOLE_BITS(T) \
	case A_AND: return old & v; \
	case A_OR: return old | v; \
	case A_XOR: return old ^ v; \
	case A_INC: return old >= v ? 0 : old + 1; \
	case A_DEC: return old == 0 || old > v ? v : old - 1;
#define NO_BITS(T)
ATOMIC_STEP(int32_t, uint32_t, WHOLE_BITS)
ATOMIC_STEP(uint32_t, uint32_t, WHOLE_BITS)
ATOMIC_STEP(int64_t, uint64_t, WHOLE_BITS)
ATOMIC_STEP(uint64_t, uint64_t, WHOLE_BITS)
ATOMIC_STEP(float, float, NO_BITS)
ATOMIC_STEP(double, double, NO_BITS)

// Lanes take turns. Where other rows change the memory at the same time, which is only so for what commutes, each turn
// is an exchange of the processor's.
#define ATOMIC_LOOP(T, B) \
	for (int64_t i = 0; i < n; i++) { \
		if (!mask[i]) continue; \
		T *x = (T *)(p + offset[i]), v = *(const T *)at(r, s->in[0], i), old = *x; \
		if (!m->crowded) *x = step_##T(s->form, old, v); \
		else for (;;) { \
			T now; \
			B was; \
			was = __atomic_load_n((B *)x, __ATOMIC_RELAXED); \
			__builtin_memcpy(&old, &was, sizeof old); \
			now = step_##T(s->form, old, v); \
			B to; \
			__builtin_memcpy(&to, &now, sizeof to); \
			if (__atomic_compare_exchange_n((B *)x, &was, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break; \
		} \
		*(T *)at(r, s->d, i) = old; \
	} \
	break;

#define CAS_LOOP(T) \
	for (int64_t i = 0; i < n; i++) { \
		if (!mask[i]) continue; \
		T *x = (T *)(p + offset[i]), old = *x; \
		if (old == *(const T *)at(r, s->in[0], i)) *x = *(const T *)at(r, s->in[1], i); \
		*(T *)at(r, s->d, i) = old; \
	}

// access takes a step that reads or writes elements.
static void access(lockstep_row *r, const lockstep_step *s) {
	const lockstep_memory *m = &r->memory[s->n];
	int64_t n = r->lanes, *offset = (int64_t *)(r->room + 16 * VM_INPUTS * n);
	char *p = m->p;
	int lead = s->kind == LOCKSTEP_ELEMENT ? 0 : s->kind == LOCKSTEP_CAS ? 2 : 1;
	const lockstep_scope *scope = &r->scope[s->scope];
	int looks = m->shade || m->written;
	if (looks) {
		int notes = s->kind == LOCKSTEP_PUT && m->calm && r->note && scope->count == n && marks_calmly(r, m->calm->marked);
		if (notes && together(r, s, lead, 1)) return;
		places(r, s, lead, offset);
		guard(r, s, offset, lead);
		if (s->kind == LOCKSTEP_PUT || !scope->count) return;
		if (s->kind == LOCKSTEP_ELEMENT && r->operand[s->d].step == 0) {
			__builtin_memcpy(r->operand[s->d].p, p + offset[first(scope->mask)], (size_t)m->size);
			return;
		}
	} else if (s->kind == LOCKSTEP_ELEMENT && r->operand[s->d].step == 0) { // all indices are the same in all lanes
		int64_t from = 0;
		for (int64_t axis = 0; axis < m->axes; axis++) {
			int64_t v = *(const int64_t *)r->operand[s->in[axis]].p, size = m->extent[axis];
			if (v < -size || v >= size) {
				places(r, s, 0, offset);
				return;
			}
			from += (v < 0 ? v + size : v) * m->stride[axis];
		}
		__builtin_memcpy(r->operand[s->d].p, p + from, (size_t)m->size);
		return;
	}
	if (!looks) {
		if (scope->count == n && s->kind <= LOCKSTEP_PUT && together(r, s, lead, 0)) return;
		places(r, s, lead, offset);
	}
	const uint8_t *mask = scope->mask;
	int all = scope->count == n;
	switch (s->kind) {
	case LOCKSTEP_ELEMENT:
		BY_SIZE(ELEMENT_LOOP)
		break;
	case LOCKSTEP_PUT:
		BY_SIZE(PUT_LOOP)
		break;
	case LOCKSTEP_ATOMIC:
		switch (s->type) {
		case LOCKSTEP_I32: ATOMIC_LOOP(int32_t, uint32_t)
		case LOCKSTEP_U32: ATOMIC_LOOP(uint32_t, uint32_t)
		case LOCKSTEP_I64: ATOMIC_LOOP(int64_t, uint64_t)
		case LOCKSTEP_U64: ATOMIC_LOOP(uint64_t, uint64_t)
		case LOCKSTEP_F32: ATOMIC_LOOP(float, uint32_t)
		case LOCKSTEP_F64: ATOMIC_LOOP(double, uint64_t)
		}
		break;
	case LOCKSTEP_CAS:
		if (m->size == 4) {
			CAS_LOOP(uint32_t)
		} else {
			CAS_LOOP(uint64_t)
		}
	}
}
