// INNER_TURNS is what a strip of lanes does in an inner loop: included by inner.h. Values lie at p, by number; how many
// lanes there are the compiler knows, where INNER_LANES is a constant, so that a step is a few vectors without a loop's
// price. What it finds is the row's, of a number, or 0: that of these turns alone. INNER_NOTED notes what is read, where that
// is to be.
static int INNER_TURNS(lockstep_row *r, const lockstep_inner *l, int64_t from, int64_t row, char *at) {
	INNER_LANES
	static const void *const labels[] = {
		&&again, &&leave, &&copy, &&spread_, &&one, &&find_, &&found, &&anywhere, &&call_, &&call_one, &&count_, &&dots,
#define S(t) &&sum_##t##_vv, &&sum_##t##_vs, &&sum_##t##_sv, &&add_##t##_to_vv, &&add_##t##_to_vs, &&add_##t##_to_sv,
		S(f32) S(f64)
#undef S
#define X(name, opcode, dtype, T, expression) &&name##_vv, &&name##_vs, &&name##_sv,
		LOCKSTEP_ROWS(X)
#undef X
#define X(name, ...) &&one_##name,
		LOCKSTEP_SINGLES(X)
#undef X
	};
	char *p[LOCKSTEP_VALUES];
	uint8_t rows[LOCKSTEP_VALUES];
	for (int32_t v = 0; v < l->values; v++) {
		const lockstep_value *x = &l->value[v];
		rows[v] = (uint8_t)x->row;
		if (x->slot >= 0) p[v] = l->room + x->slot * INNER_SLOT;
		else p[v] = r->operand[x->place].p + (x->row ? from * x->size : 0);
	}
	const lockstep_code *c = l->code;
#define GO goto *labels[c->code];
#define NEXT { c++; GO }
	GO
again:
	if (r->stop && __atomic_load_n(r->stop, __ATOMIC_RELAXED)) return INNER_STOPPED;
	c = l->code + l->again;
	GO
count_: {
	uint64_t *counter = (uint64_t *)p[c->d];
	*counter += *(const uint64_t *)p[c->in[0]];
	if (r->stop && __atomic_load_n(r->stop, __ATOMIC_RELAXED)) return INNER_STOPPED;
	if ((int64_t)*counter >= *(const int64_t *)p[c->in[1]]) goto left;
	c = l->code + l->again;
	GO
}
leave:
	if (*(const uint8_t *)p[c->in[0]]) NEXT
left:
	for (int32_t v = 0; v < l->values; v++) {
		const lockstep_value *x = &l->value[v];
		if (x->result && x->row && p[v] == r->operand[x->place].p + from * x->size) continue; // dots have put it there
		if (x->result && x->row) move(r->operand[x->place].p + from * x->size, p[v], n * x->size);
		else if (x->result) __builtin_memcpy(r->operand[x->place].p, p[v], (size_t)x->size);
	}
	return INNER_DONE;
copy: {
	int64_t size = l->value[c->d].size;
	if (c->stays) p[c->d] = p[c->in[0]]; // until sums of products need it
	else if (!rows[c->d]) __builtin_memcpy(p[c->d], p[c->in[0]], (size_t)size);
	else move(p[c->d], p[c->in[0]], n * size);
	NEXT
}
spread_:
	spread(l->value[c->d].size, n, p[c->d], p[c->in[0]]);
	NEXT
one: {
	lockstep_memory *m = &r->memory[r->step[c->step].n];
	const char *x = origin(m, c, p, rows);
	if (!x) return INNER_FAILED;
	INNER_NOTED(x, 0, SPOTS_EQUAL)
	if (m->size == 8) __builtin_memcpy(p[c->d], x, 8);
	else __builtin_memcpy(p[c->d], x, (size_t)m->size);
	NEXT
}
find_: {
	spots *to = (spots *)(at + c->spots * INNER_SPOTS);
	if (c->stays && to->row == r->first + 1) NEXT
	if (!find(n, r, c, p, rows, from, row, to)) return INNER_FAILED;
	NEXT
}
anywhere:
	INNER_MOVES
	if (!find(n, r, c, p, rows, from, 0, (spots *)(at + c->spots * INNER_SPOTS))) return INNER_FAILED;
found: {
	lockstep_memory *m = &r->memory[r->step[c->step].n];
	const char *x = origin(m, c, p, rows);
	const spots *is = (const spots *)(at + c->spots * INNER_SPOTS);
	if (!x) return INNER_FAILED;
	INNER_NOTED(x, is->offset, is->how)
	fetch(n, m->size, x, is, p[c->d]);
	NEXT
}
dots: {
	const lockstep_code *x = c + 1, *y = c + 2, *sum = c + 3, *counts = c + 4;
	int64_t by = *(const int64_t *)p[counts->in[0]], limit = *(const int64_t *)p[counts->in[1]], now = *(const int64_t *)p[counts->d], span, end;
	const lockstep_value *value = &l->value[sum->d];
	char *own = l->room + value->slot * INNER_SLOT, *result = value->result ? r->operand[value->place].p + from * value->size : own;
#define NO_DOTS { \
		if (p[sum->d] != own) move(own, p[sum->d], n * value->size); \
		p[sum->d] = own; \
		NEXT \
	}
	if (by <= 0 || __builtin_sub_overflow(limit, now, &span) || span <= 0) NO_DOTS
	int64_t turns = (span - 1) / by + 1;
	if (__builtin_mul_overflow(turns, by, &end) || __builtin_add_overflow(now, end, &end)) NO_DOTS // the counter goes on from below
	const spots *xs = (const spots *)(at + x->spots * INNER_SPOTS), *ys = (const spots *)(at + y->spots * INNER_SPOTS);
	const char *xat = origin(&r->memory[r->step[x->step].n], x, p, rows), *yat = origin(&r->memory[r->step[y->step].n], y, p, rows);
	dot_operand a, b;
	if (!dot_of(r, x, p, rows, xat, counts->d, by, turns, xs, &a) || !dot_of(r, y, p, rows, yat, counts->d, by, turns, ys, &b) || !(a.side | b.side)) NO_DOTS
#undef NO_DOTS
	INNER_DOTS(&a, &b, turns)
	for (int64_t done = 0; done < turns;) {
		int64_t some = turns - done < DOT_TURNS ? turns - done : DOT_TURNS;
		if (r->stop && __atomic_load_n(r->stop, __ATOMIC_RELAXED)) return INNER_STOPPED;
		const dot_operand *one = a.side ? &b : &a, *side = a.side ? &a : &b; // or both are side by side
		if (value->size == 4) dots_float(n, some, one, side, (const float *)p[sum->d], (float *)result);
		else dots_double(n, some, one, side, (const double *)p[sum->d], (double *)result);
		p[sum->d] = result;
		a.p += some * a.step, b.p += some * b.step;
		done += some;
	}
	*(int64_t *)p[counts->d] = end;
	goto left;
}
call_: {
	char *q[1 + VM_INPUTS] = {p[c->d], p[c->in[0]], p[c->in[1]], p[c->in[2]], p[c->in[3]], p[c->in[4]]};
	uint32_t scalars = 0;
	const vm_primitive *primitive = r->machine->rows[r->step[c->step].kind].primitive;
	for (int k = 0; k < primitive->inputs; k++)
		if (!rows[c->in[k]]) scalars |= 1u << k;
	call(r, primitive, scalars, n, q);
	NEXT
}
call_one: {
	char *q[1 + VM_INPUTS] = {p[c->d], p[c->in[0]], p[c->in[1]], p[c->in[2]], p[c->in[3]], p[c->in[4]]};
	r->machine->rows[r->step[c->step].kind].primitive->form[0].loop(1, q);
	NEXT
}
#define ROWS_LOOP(label, T, I, J, expression) \
	label: { \
		T *d = (T *)p[c->d]; \
		const T *a = (const T *)p[c->in[0]], *b = (const T *)p[c->in[1]]; \
		EACH_LANE { T x = a[I], y = b[J]; d[i] = (T)(expression); } \
		NEXT \
	}
#define X(name, opcode, dtype, T, expression) \
	ROWS_LOOP(name##_vv, T, i, i, expression) ROWS_LOOP(name##_vs, T, i, 0, expression) ROWS_LOOP(name##_sv, T, 0, i, expression)
	LOCKSTEP_ROWS(X)
#undef X
#define SUMS_LOOP(label, T, I, J, expression) \
	label: { \
		T *d = (T *)p[c->d]; \
		const T *a = (const T *)p[c->in[0]], *b = (const T *)p[c->in[1]], *s = (const T *)p[c->in[2]]; \
		EACH_LANE { T x = a[I] * b[J], y = s[i]; d[i] = expression; } \
		NEXT \
	}
#define S(t, T) \
	SUMS_LOOP(sum_##t##_vv, T, i, i, x + y) SUMS_LOOP(sum_##t##_vs, T, i, 0, x + y) SUMS_LOOP(sum_##t##_sv, T, 0, i, x + y) \
	SUMS_LOOP(add_##t##_to_vv, T, i, i, y + x) SUMS_LOOP(add_##t##_to_vs, T, i, 0, y + x) SUMS_LOOP(add_##t##_to_sv, T, 0, i, y + x)
	S(f32, float) S(f64, double)
#undef S
#undef SUMS_LOOP
#define INNER_BINARY(name, T, R, ...) \
	one_##name: { T x = *(const T *)p[c->in[0]], y = *(const T *)p[c->in[1]]; *(R *)p[c->d] = (R)(__VA_ARGS__); NEXT }
#define INNER_UNARY(name, T, R, ...) \
	one_##name: { \
		T x = *(const T *)p[c->in[0]]; \
		struct { const char *b, *c; } of = {p[c->in[1]], p[c->in[2]]}, *o = &of; \
		(void)o; \
		*(R *)p[c->d] = (R)(__VA_ARGS__); \
		NEXT \
	}
#define X(name, kind, opcode, dtype, ...) INNER_##kind(name, __VA_ARGS__)
	LOCKSTEP_SINGLES(X)
#undef X
#undef INNER_BINARY
#undef INNER_UNARY
#undef ROWS_LOOP
#undef NEXT
#undef GO
}
#undef INNER_TURNS
#undef INNER_LANES
