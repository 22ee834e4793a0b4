// Reductions in the canonical order of package tile.

// take combines the n elements at x into 32 lanes; the first of them is element number seen of its
// block.
static void take(const vm_primitive *q, const vm_primitive *move, char *lanes, int64_t seen, int64_t n, char *x) {
	int64_t size = q->size[0];
	while (n > 0) {
		int64_t lane = seen % VM_LANES, k = least(VM_LANES - lane, n);
		char *acc = lanes + lane * size;
		if (seen < VM_LANES) {
			call(move, k, acc, x, x);
		} else if (q->lanes && lane == 0 && n >= VM_LANES) {
			q->lanes(n / VM_LANES, lanes, x);
			k = n - n % VM_LANES;
		} else {
			call(q, k, acc, acc, x);
		}
		x += k * size;
		seen += k;
		n -= k;
	}
}

// accumulate takes n elements of a reducer's operand. row counts the rows of a block.
static void accumulate(const vm_launch *l, const vm_reducer *r, int64_t seen, int64_t row, int64_t n) {
	_Alignas(64) char room[PACKED * 16];
	const vm_primitive *q = rows[r->combine].primitive, *move = rows[r->move].primitive;
	const vm_operand *v = &l->operand[r->value];
	int64_t size = q->size[0];
	int beside = v->step == size || n == 1;
	if (beside && l->form == VM_INNER) {
		take(q, move, r->acc, seen, n, v->p);
		return;
	}
	if (beside) {
		if (l->form == VM_WIDE) call(move, n, r->acc + row * l->kept, v->p, v->p);
		else if (row == 0) call(move, n, r->acc, v->p, v->p);
		else call(q, n, r->acc, r->acc, v->p);
		return;
	}
	for (int64_t at = 0; at < n; at += PACKED) {
		int64_t m = least(PACKED, n - at);
		if (v->step != 0 || at == 0) copy((int)size, m, room, size, v->p + at * v->step, v->step);
		if (l->form == VM_INNER) take(q, move, r->acc, seen + at, m, room);
		else if (l->form == VM_WIDE) call(move, m, r->acc + row * l->kept + at * size, room, room);
		else if (row == 0) call(move, m, r->acc + at * size, room, room);
		else call(q, m, r->acc + at * size, r->acc + at * size, room);
	}
}

// settle lets points results take the neutral element.
static void settle(const vm_reducer *r, int64_t points) {
	_Alignas(64) char room[PACKED * 16];
	const vm_primitive *q = rows[r->combine].primitive;
	int64_t size = q->size[0];
	copy((int)size, least(PACKED, points), room, size, (const char *)r->neutral, 0);
	for (int64_t at = 0; at < points; at += PACKED) {
		char *acc = r->acc + at * size;
		call(q, least(PACKED, points - at), acc, acc, room);
	}
}

// finish folds the accumulators of a reducer, which have seen that many elements for each kept
// point, and writes the results; points is how many.
static void finish(const vm_launch *l, const vm_reducer *r, const int64_t *grid, int64_t elements, int64_t points) {
	const vm_primitive *q = rows[r->combine].primitive;
	int64_t size = q->size[0], last = l->axes - 1;
	if (l->form == VM_INNER) {
		points = 1;
		elements = least(elements, VM_LANES);
		if (elements == VM_LANES && q->fold) q->fold(r->acc);
		else for (int64_t s = VM_LANES / 2; s > 0; s /= 2) {
			int64_t k = least(s, elements - s);
			if (k > 0) call(q, k, r->acc, r->acc, r->acc + s * size);
		}
	} else if (l->form == VM_WIDE) {
		for (int64_t s = VM_LANES / 2; s > 0; s /= 2)
			for (int64_t lane = 0; lane < s && lane + s < elements; lane++)
				call(q, points, r->acc + lane * l->kept, r->acc + lane * l->kept, r->acc + (lane + s) * l->kept);
	}
	if (r->settles) settle(r, points);
	char *out = r->out;
	for (int64_t k = 0; k < l->axes; k++)
		out += r->strides[k] * grid[k] * (l->axis[k].reduced ? 1 : l->axis[k].block);
	copy((int)size, points, out, r->strides[last], r->acc, size);
}

// pending are the elements of short rows, copied to lie side by side: rounds of all lanes are taken several
// times faster than rows that begin at any lane.
enum { SHORT = 256, PENDING = 1024 };

typedef struct {
	const vm_primitive *q, *move;
	int64_t count, seen;
	_Alignas(64) char room[PENDING * 16];
} pending;

// add_pending takes the n elements of a reducer's operand.
static void add_pending(const vm_launch *l, const vm_reducer *r, pending *p, int64_t n) {
	const vm_operand *v = &l->operand[r->value];
	int64_t size = p->q->size[0];
	char *to = p->room + p->count * size;
	if (v->step == size) __builtin_memcpy(to, v->p, (size_t)(n * size));
	else copy((int)size, n, to, size, v->p, v->step);
	p->count += n;
	if (p->count + SHORT <= PENDING) return;
	int64_t k = p->count / VM_LANES * VM_LANES;
	take(p->q, p->move, r->acc, p->seen, k, p->room);
	p->seen += k;
	p->count -= k;
	__builtin_memcpy(p->room, p->room + k * size, (size_t)(p->count * size));
}

// stack_apart returns how far apart the rows of an outer reduction are that is of rows as they lie in memory,
// or 0: short ones cost more to walk to than to add.
static int64_t stack_apart(const vm_launch *l) {
	int64_t last = l->axes - 1;
	const vm_reducer *r = &l->reducer[0];
	if (l->form != VM_OUTER || l->steps > 0 || l->reducers != 1 || last == 0 || !l->axis[last - 1].reduced) return 0;
	if (l->operand[r->value].step != rows[r->combine].primitive->size[0]) return 0;
	for (int64_t w = 0; w < l->windows; w++)
		if (l->window[w].operand == r->value) return l->stride[w * l->axes + last - 1];
	return 0;
}

// stack takes count rows of n elements; row is the number of the first one in its block.
static void stack(const vm_launch *l, const vm_reducer *r, int64_t row, int64_t n, int64_t count, int64_t apart) {
	const vm_primitive *q = rows[r->combine].primitive;
	char *x = l->operand[r->value].p;
	if (row == 0) {
		call(rows[r->move].primitive, n, r->acc, x, x);
		x += apart;
		count--;
	}
	if (q->rows) {
		q->rows(count, apart, n, r->acc, x);
		return;
	}
	char *p[1 + VM_INPUTS] = {r->acc, r->acc, x, x, x, x};
	for (; count > 0; count--, p[2] += apart) q->form[0].loop(n, p);
}

// reduce runs the steps and combines their results, block after block.
static void reduce(vm_launch *l) {
	int64_t last = l->axes - 1, grid[VM_AXES], blocks[VM_AXES], first[VM_AXES], extent[VM_AXES], at[VM_AXES];
	if (!l->planned)
		for (int64_t k = 0; k < l->steps; k++) plan(l, k, least(l->axis[last].extent, l->axis[last].block) == 1);
	l->planned = 1;
	const int64_t apart = stack_apart(l);
	for (int64_t k = 0; k < l->axes; k++) {
		grid[k] = 0;
		blocks[k] = (l->axis[k].extent + l->axis[k].block - 1) / l->axis[k].block;
	}
	do {
		int64_t elements = 1, seen = 0, row = 0;
		for (int64_t k = 0; k < l->axes; k++) {
			first[k] = grid[k] * l->axis[k].block;
			extent[k] = least(l->axis[k].block, l->axis[k].extent - first[k]);
			if (l->axis[k].reduced) elements *= extent[k];
			at[k] = first[k];
		}
		int whole = extent[last] <= l->block; // a row is one block
		int stacked = apart != 0 && whole;
		int gather = whole && l->form == VM_INNER && l->reducers == 1 && extent[last] <= SHORT && extent[last] < elements;
		pending short_rows;
		if (gather) {
			short_rows.q = rows[l->reducer[0].combine].primitive;
			short_rows.move = rows[l->reducer[0].move].primitive;
			short_rows.count = short_rows.seen = 0;
		}
		for (int64_t axis = last; axis >= 0; row++) {
			if (stacked) {
				seek(l, at);
				stack(l, &l->reducer[0], row, extent[last], extent[last - 1], apart);
				row += extent[last - 1] - 1;
				at[last - 1] += extent[last - 1] - 1;
			}
			for (int64_t i = 0; i < extent[last] && !stacked; i += l->block) {
				int64_t n = least(l->block, extent[last] - i);
				at[last] = first[last] + i;
				if (whole && axis == last - 1) nudge(l, axis);
				else seek(l, at);
				if (!advance(l, n)) return;
				if (gather) {
					add_pending(l, &l->reducer[0], &short_rows, n);
					continue;
				}
				for (int64_t r = 0; r < l->reducers; r++) accumulate(l, &l->reducer[r], seen, row, n);
				seen += n;
			}
			for (axis = last - 1; axis >= 0; axis--) {
				if (++at[axis] < first[axis] + extent[axis]) break;
				at[axis] = first[axis];
			}
		}
		if (gather) take(short_rows.q, short_rows.move, l->reducer[0].acc, short_rows.seen, short_rows.count, short_rows.room);
		for (int64_t r = 0; r < l->reducers; r++) finish(l, &l->reducer[r], grid, elements, extent[last]);
	} while (next(l->axes, grid, blocks) >= 0);
}
