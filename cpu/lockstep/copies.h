// Copies of elements from memory to memory: of tiles to shared arrays, most often.
//
//	s[ty, tx] = x[row, tx + at]     add, ELEMENT, PUT    a COPY before them, which goes behind them
//
// Where elements are in both memories is found once for a row, but for what is the same in all lanes: each time it is added, and
// the least and the largest index are looked at. So a copy takes no row of indices, and none of elements. Where the elements of
// lanes that stand together are not side by side in both memories, where lanes are missing, or where an index may be out of bounds,
// the steps that follow do it, as if there had been no copy.

typedef char copied_32 __attribute__((vector_size(32), aligned(1), may_alias));

// known finds where the elements of one side are of each group of lanes that stand together. It returns 0 where those of a group
// are not side by side.
static int known(lockstep_row *r, lockstep_side *side) {
	const lockstep_memory *m = &r->memory[r->step[side->step].n];
	int64_t w = r->width, groups = r->lanes / w, rising = -1;
	__builtin_memset(side->offset, 0, (size_t)groups * sizeof *side->offset);
	for (int64_t axis = 0; axis < m->axes; axis++) {
		side->low[axis] = side->high[axis] = 0;
		if (!side->row[axis]) continue;
		int shape = shape_of(r, side->row[axis]);
		if (shape == LOCKSTEP_OTHERS || (shape == LOCKSTEP_RISING && rising >= 0)) return 0;
		if (shape == LOCKSTEP_RISING) rising = axis;
		const int64_t *x = (const int64_t *)r->operand[side->row[axis]].p;
		int64_t low = *x, high = *x;
		for (int64_t g = 0; g < groups; g++, x += w) {
			low = *x < low ? *x : low;
			high = *x > high ? *x : high;
			side->offset[g] += (int64_t)((uint64_t)*x * (uint64_t)m->stride[axis]);
		}
		side->low[axis] = low;
		if (__builtin_add_overflow(high, rising == axis ? w - 1 : 0, &side->high[axis])) return 0;
	}
	return rising >= 0 && m->stride[rising] == m->size;
}

// within adds what is the same in all lanes to where the elements of one side are. It returns 0 where one may be out of bounds.
static int within(const lockstep_row *r, const lockstep_side *side, int64_t *from) {
	const lockstep_memory *m = &r->memory[r->step[side->step].n];
	*from = 0;
	for (int64_t axis = 0; axis < m->axes; axis++) {
		int64_t by = side->by[axis] ? *(const int64_t *)r->operand[side->by[axis]].p : 0, low, high;
		if (__builtin_add_overflow(side->low[axis], by, &low) || __builtin_add_overflow(side->high[axis], by, &high)) return 0;
		if (low < 0 || high >= m->extent[axis]) return 0;
		*from += (int64_t)((uint64_t)by * (uint64_t)m->stride[axis]);
	}
	return 1;
}

// copied copies the elements of all lanes. It returns 0 where they do not lie so: nothing was touched there.
static int copied(lockstep_row *r, lockstep_copy *c) {
	if (r->width < LOCKSTEP_LEAST) return 0;
	if (c->row != r->first + 1) {
		c->row = r->first + 1;
		c->lies = known(r, &c->from) && known(r, &c->to);
		c->last = 0;
	}
	int64_t from, to, groups = r->lanes / r->width;
	if (!c->lies || !within(r, &c->from, &from) || !within(r, &c->to, &to)) return 0;
	const lockstep_memory *m = &r->memory[r->step[c->from.step].n];
	int64_t bytes = r->width * m->size;
	const char *p = m->p + from;
	char *q = r->memory[r->step[c->to.step].n].p + to;
	const int64_t *x = c->from.offset, *y = c->to.offset;
	if (bytes == 64) {
		for (int64_t g = 0; g < groups; g++) {
			const copied_32 *a = (const copied_32 *)(p + x[g]);
			copied_32 *b = (copied_32 *)(q + y[g]), low = a[0], high = a[1];
			b[0] = low;
			b[1] = high;
		}
	} else for (int64_t g = 0; g < groups; g++) __builtin_memcpy(q + y[g], p + x[g], (size_t)bytes);
	// The next tile is as far away as this one was from the last, most often; those of a matrix's column no prefetcher foresees.
	uintptr_t next = (uintptr_t)p + (uint64_t)(from - c->last);
	if (next != (uintptr_t)p) for (int64_t g = 0; g < groups; g++) __builtin_prefetch((const void *)(next + (uint64_t)x[g]));
	c->last = from;
	return 1;
}
