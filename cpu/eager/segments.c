#include "eager.h"
#include "hands.h"

// Reductions of segments: ufunc.reduceat. NumPy hands each segment to the loop of its ufunc: the first element, and then all that follow, which
// are combined one by one, but sums of floats in pairs (its numpy/_core/src/umath/loops_utils.h.src). Segments are mostly short, so that this order costs no
// more than the canonical one, and the results are NumPy's, bit for bit.

enum { PAIRED = 128 }; // elements that NumPy adds up in eight lanes

#define INLINE static inline __attribute__((always_inline))

// ROW is element i of n that are step bytes apart.
#define ROW(T, i) (*(const T *)(x + (i) * step))

#define PAIRS(T) \
	static T paired_##T(const char *x, int64_t n, int64_t step) \
	{ \
		int64_t half = n / 2; \
		T lane[8], sum = -(T)0; \
		if (n > PAIRED) { \
			half -= half % 8; \
			T first = paired_##T(x, half, step); \
			return first + paired_##T(x + half * step, n - half, step); \
		} \
		int64_t i = 0; \
		if (n >= 8) { \
			for (int k = 0; k < 8; k++) \
				lane[k] = ROW(T, k); \
			for (i = 8; i < n - n % 8; i += 8) \
				for (int k = 0; k < 8; k++) \
					lane[k] += ROW(T, i + k); \
			sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7])); \
		} \
		for (; i < n; i++) \
			sum += ROW(T, i); \
		return sum; \
	}
PAIRS(float)
PAIRS(double)

// rows calls one for each segment of each line along the axis, with the elements' step as a constant where they lie side by side.
typedef int one_segment(const char *x, int64_t n, int64_t step, char *to);

INLINE int rows(one_segment *one, const eager_segments *s, int64_t size, int64_t made, const char *data, char *to)
{
	for (int64_t o = 0; o < s->outer; o++, data += s->n * s->inner * size)
		for (int64_t k = 0; k < s->count; k++) {
			int64_t from = s->start[k], end = k + 1 < s->count ? s->start[k + 1] : s->n, n = end > from ? end - from : 1;
			const char *x = data + from * s->inner * size;
			for (int64_t j = 0; j < s->inner; j++, x += size, to += made)
				if (!(s->inner == 1 ? one(x, n, size, to) : one(x, n, s->inner * size, to)))
					return 0;
		}
	return 1;
}

// Loops over all dtypes are written once for each operation. A is what the elements are accumulated as; CHANGES combines a and e.
#define SEGMENT(name, T, A, combined) \
	INLINE int one_##name##_##T(const char *x, int64_t n, int64_t step, char *to) \
	{ \
		A a = (A)ROW(T, 0); \
		for (int64_t i = 1; i < n; i++) { \
			A e = (A)ROW(T, i); \
			a = (A)(combined); \
		} \
		*(A *)to = a; \
		return 1; \
	} \
	static int name##_##T(const eager_segments *s, const char *data, char *to) { return rows(one_##name##_##T, s, sizeof(T), sizeof(A), data, to); }

#define SUM(T) \
	INLINE int one_add_##T(const char *x, int64_t n, int64_t step, char *to) \
	{ \
		*(T *)to = n > 1 ? ROW(T, 0) + paired_##T(x + step, n - 1, step) : ROW(T, 0); \
		return 1; \
	} \
	static int add_##T(const eager_segments *s, const char *data, char *to) { return rows(one_add_##T, s, sizeof(T), sizeof(T), data, to); }

// Extremes of floats are as they are in any order, but for NaNs, which have different bits, and zeros of both signs: NumPy decides.
#define EXTREME(name, T, better) \
	INLINE int one_##name##_##T(const char *x, int64_t n, int64_t step, char *to) \
	{ \
		T a = ROW(T, 0); \
		int odd = a != a, below = __builtin_signbit(a) != 0, above = !below; \
		for (int64_t i = 1; i < n; i++) { \
			T e = ROW(T, i); \
			odd |= e != e; \
			below |= (e == 0) & (__builtin_signbit(e) != 0); \
			above |= (e == 0) & (__builtin_signbit(e) == 0); \
			a = e better a ? e : a; \
		} \
		*(T *)to = a; \
		return !odd && !(a == 0 && below && above); \
	} \
	static int name##_##T(const eager_segments *s, const char *data, char *to) { return rows(one_##name##_##T, s, sizeof(T), sizeof(T), data, to); }

// A is the type of as many bits as a sum has in NumPy, without overflow.
#define INTEGERS(T, A) \
	SEGMENT(add, T, A, a + e) \
	SEGMENT(multiply, T, A, a * e) \
	SEGMENT(minimum, T, T, e < a ? e : a) \
	SEGMENT(maximum, T, T, e > a ? e : a) \
	SEGMENT(and, T, T, a & e) \
	SEGMENT(or, T, T, a | e) \
	SEGMENT(xor, T, T, a ^ e)
INTEGERS(int8_t, uint64_t)
INTEGERS(int16_t, uint64_t)
INTEGERS(int32_t, uint64_t)
INTEGERS(int64_t, uint64_t)
INTEGERS(uint8_t, uint64_t)
INTEGERS(uint16_t, uint64_t)
INTEGERS(uint32_t, uint64_t)
INTEGERS(uint64_t, uint64_t)

#define FLOATS(T) \
	SUM(T) \
	SEGMENT(multiply, T, T, a * e) \
	EXTREME(minimum, T, <) \
	EXTREME(maximum, T, >)
FLOATS(float)
FLOATS(double)

typedef int segments(const eager_segments *s, const char *data, char *to);

enum { FIRST = 1, FLOAT32 = 11, FLOAT64, TYPES }; // tile.DTypes: bool, int8 and so on; float16 stays NumPy's

#define OF_INTEGERS(name) \
	name##_uint8_t, name##_int8_t, name##_int16_t, name##_int32_t, name##_int64_t, name##_uint8_t, name##_uint16_t, name##_uint32_t, name##_uint64_t
#define OF_ALL(name) {OF_INTEGERS(name), NULL, name##_float, name##_double}
static segments *const loops[EAGER_OPERATIONS][TYPES - FIRST] = {
	[EAGER_ADD] = OF_ALL(add), [EAGER_MULTIPLY] = OF_ALL(multiply), [EAGER_MINIMUM] = OF_ALL(minimum), [EAGER_MAXIMUM] = OF_ALL(maximum),
	[EAGER_AND] = {OF_INTEGERS(and)}, [EAGER_OR] = {OF_INTEGERS(or)}, [EAGER_XOR] = {OF_INTEGERS(xor)},
};

// segmented are the segments of one line, of which hands reduce some; row is how many bytes each makes.
typedef struct {
	segments *loop;
	const eager_segments *s;
	const char *data;
	char *to;
	int64_t row, some;
	_Atomic int left; // whether NumPy has to decide
} segmented;

static void reduce_some(void *of, int64_t part)
{
	segmented *g = of;
	int64_t from = part * g->some, end = from + g->some < g->s->count ? from + g->some : g->s->count;
	eager_segments some = *g->s;
	some.start += from;
	some.count = end - from;
	if (end < g->s->count) // where the last of these ends
		some.n = g->s->start[end];
	if (!g->loop(&some, g->data, g->to + from * g->row))
		g->left = 1;
}

int eager_reduce_segments(int op, int dtype, const eager_segments *s, const char *data, char *to)
{
	static const uint8_t sizes[TYPES] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
	segments *loop = dtype >= FIRST && dtype < TYPES ? loops[op][dtype - FIRST] : NULL;
	if (!loop || s->outer != 1 || s->count < 1)
		return loop && loop(s, data, to);
	int wide = (op == EAGER_ADD || op == EAGER_MULTIPLY) && dtype < FLOAT32;
	segmented g = {loop, s, data, to, s->inner * (wide ? 8 : sizes[dtype]), 0, 0};
	int64_t bytes = s->inner * s->n / s->count * sizes[dtype] + g.row;
	eager_share(eager_parts(s->count, bytes, &g.some), s->count * bytes, reduce_some, &g);
	return !g.left;
}
