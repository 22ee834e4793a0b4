// A strip's loop for accumulators of VECTORS vectors: included by striptype.h. NAMED(X, ...) is X of
// every vector; its number comes last but one, then LAST for the last vector and WHOLE for others.
//
// The accumulators are variables, so that the compiler keeps them in processor registers across all
// jumps: 3 * VECTORS of them and what an operation needs itself. The code runs once for every
// stretch of elements in [from, to).
//
// With PART, of the last vector only that many elements are read and written. Elsewhere it is its first element again, so that no operation there
// raises a flag of the processor that this one does not raise; slots and registers have room for all of it.

static void STRIP_NAME(STRIP_NAME(STRIP_PREFIX, t, _), VECTORS, )(const strip_cell *code, int64_t from, int64_t to, int64_t part) {
#define LABELS(name) &&name##_00, &&name##_01, &&name##_02, &&name##_10, &&name##_11, &&name##_12, &&name##_20, &&name##_21, &&name##_21
#define X(name, expression) LABELS(name),
#define U(name, expression) LABELS1(name),
#define LABELS1(name) &&name##_0, &&name##_1, &&name##_2, &&name##_0, &&name##_1, &&name##_2, &&name##_0, &&name##_1, &&name##_2
	static const void *const labels[STRIP_OPS * STRIP_FORMS * 3] = {
		&&end, &&end, &&end, &&end, &&end, &&end, &&end, &&end, &&end,
		&&load_0, &&load_1, &&load_2, &&fill_0, &&fill_1, &&fill_2, &&load_0, &&load_1, &&load_2,
		LABELS1(store), LABELS1(stream), LABELS1(keep), LABELS1(select), LABELS1(rselect), LABELS1(fetch),
		STRIP_BINARY(X) STRIP_UNARY(U)
	};
#undef X
#undef U
#define VARIABLES(r, j, which) VEC r##_##j = {};
#define READ_WHOLE(j) (*(const AT *)(q + j * VECTOR))
#define WRITE_WHOLE(j, x) *(AT *)(q + j * VECTOR) = x;
#ifdef PART
#define READ_LAST(j) STRIP_READ(q + j * VECTOR)
#define WRITE_LAST(j, x) STRIP_WRITE(q + j * VECTOR, x);
#define STREAM_LAST WRITE_LAST
	STRIP_PART
#else
#define READ_LAST READ_WHOLE
#define WRITE_LAST WRITE_WHOLE
#define STREAM_LAST STREAM_WHOLE
	(void)part;
#endif
#if defined(__x86_64__)
#define STREAM_WHOLE(j, x) STREAM_STORE(q + j * VECTOR, x);
#else
#define STREAM_WHOLE WRITE_WHOLE
#endif
	NAMED(VARIABLES, r0)
	NAMED(VARIABLES, r1)
	NAMED(VARIABLES, r2)
	for (int64_t at = from * (int64_t)sizeof(T); at < to * (int64_t)sizeof(T); at += VECTORS * VECTOR) {
		const strip_cell *c = code;
		char *q;
#define GO { q = c->p + (at & c->moves); goto *labels[(c++)->label]; }
#define SCALAR (*(const T *)q - (VEC){})
		GO

#define LOAD_(r, j, which) r##_##j = READ_##which(j);
#define LOAD(k) load_##k: { NAMED(LOAD_, r##k) } GO
		LOAD(0) LOAD(1) LOAD(2)
#define FILL_(r, j, which) r##_##j = y;
#define FILL(k) fill_##k: { VEC y = SCALAR; NAMED(FILL_, r##k) } GO
		FILL(0) FILL(1) FILL(2)
#define STORE_(r, j, which) WRITE_##which(j, r##_##j)
#define STORE(k) store_##k: { NAMED(STORE_, r##k) } GO
		STORE(0) STORE(1) STORE(2)
#define STREAM_(r, j, which) STREAM_##which(j, r##_##j)
#define STREAMED(k) stream_##k: { NAMED(STREAM_, r##k) } GO
		STREAMED(0) STREAMED(1) STREAMED(2)
#define KEEP_(r, j, which) WRITE_WHOLE(j, r##_##j)
#define KEEP(k) keep_##k: { NAMED(KEEP_, r##k) } GO
		KEEP(0) KEEP(1) KEEP(2)

		// Where the mask in memory is set, the accumulator stays; elsewhere it is the next one. Reversed,
		// the other way round.
#define SELECT_(r, s, j, which) r##_##j = STRIP_PICK(READ_##which(j), r##_##j, s##_##j);
		select_0: { NAMED(SELECT_, r0, r1) } GO
		select_1: { NAMED(SELECT_, r1, r2) } GO
		select_2: __builtin_unreachable();
#define RSELECT_(r, s, j, which) r##_##j = STRIP_PICK(READ_##which(j), s##_##j, r##_##j);
		rselect_0: { NAMED(RSELECT_, r0, r1) } GO
		rselect_1: { NAMED(RSELECT_, r1, r2) } GO
		rselect_2: __builtin_unreachable();

		// Ask for memory that will be read.
		fetch_0: fetch_1: fetch_2:
		for (int64_t b = 0; b < VECTORS * VECTOR; b += 64) __builtin_prefetch(q + STRIP_AHEAD + b);
		GO

#define MOVING_(expression, r, j, which) { VEC x = r##_##j, y = READ_##which(j); r##_##j = (expression); }
#define SCALAR_(expression, r, j, which) { VEC x = r##_##j; r##_##j = (expression); }
#define NEXT_(expression, r, s, j, which) { VEC x = r##_##j, y = s##_##j; r##_##j = (expression); }
#define BINARY_1(name, k, expression) \
		name##_0##k: { NAMED(MOVING_, expression, r##k) } GO \
		name##_1##k: { VEC y = SCALAR; NAMED(SCALAR_, expression, r##k) } GO
#define X(name, expression) \
		BINARY_1(name, 0, expression) BINARY_1(name, 1, expression) BINARY_1(name, 2, expression) \
		name##_20: { NAMED(NEXT_, expression, r0, r1) } GO \
		name##_21: { NAMED(NEXT_, expression, r1, r2) } GO
		STRIP_BINARY(X)
#undef X

#define UNARY_(expression, r, j, which) { VEC x = r##_##j; r##_##j = (expression); }
#define UNARY_1(name, k, expression) name##_##k: { NAMED(UNARY_, expression, r##k) } GO
#define X(name, expression) UNARY_1(name, 0, expression) UNARY_1(name, 1, expression) UNARY_1(name, 2, expression)
		STRIP_UNARY(X)
#undef X

	end:;
	}
#undef LABELS
#undef LABELS1
#undef VARIABLES
#undef READ_WHOLE
#undef READ_LAST
#undef WRITE_WHOLE
#undef WRITE_LAST
#undef STREAM_WHOLE
#undef STREAM_LAST
#undef GO
#undef SCALAR
#undef LOAD_
#undef LOAD
#undef FILL_
#undef FILL
#undef STORE_
#undef STORE
#undef STREAM_
#undef STREAMED
#undef KEEP_
#undef KEEP
#undef SELECT_
#undef RSELECT_
#undef MOVING_
#undef SCALAR_
#undef NEXT_
#undef BINARY_1
#undef UNARY_
#undef UNARY_1
}
