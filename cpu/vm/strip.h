// Strips: a tree of cheap operations that is computed in the processor's registers, a few vectors
// at a time, and not block by block through the L1 cache. A strip is a program of micro
// operations on three accumulators, r0 to r2, of several vectors each:
//
//	r0 = load p1        r0 = add r0 p2        r1 = load p3        r1 = mul r1 u0
//	r0 = sub r0 r1      store r0 p4
//
// striprun.h runs it; one jump leads from one operation to the next, and each operation does all
// vectors of its accumulator. An operand is memory that moves along with the elements (a window, a
// register of the block machine), a slot, which holds one such run of vectors, or a scalar;
// plan_strip sees which when it knows a launch's strides.
//
// The last elements of a row, which do not fill the accumulators, have loops with fewer vectors, whose last
// one is read and written in part. So nothing is read or written beyond a row. Memory that does not
// lie side by side is staged: copied to room of its own and back.

// Bytes that fetch is ahead of the elements. Between 512 and 4096 a stencil of 4000^2 takes the same,
// an eighth to a quarter less than without.
enum { STRIP_AHEAD = 1024 };

// Vectors of an accumulator: three of them fit the registers.
#if VECTOR == 64
#define STRIP_VECTORS 8
#else
#define STRIP_VECTORS 4
#endif

// What a micro operation does to its accumulator x: y is the operand. In reversed ones, y comes first.
#define STRIP_BINARY(X) \
	X(add, x + y) X(sub, x - y) X(rsub, y - x) X(mul, x * y) X(div, x / y) X(rdiv, y / x) \
	X(min, STRIP_PICK(STRIP_LT(x, y) | STRIP_NE(x, x), x, y)) X(rmin, STRIP_PICK(STRIP_LT(y, x) | STRIP_NE(y, y), y, x)) \
	X(max, STRIP_PICK(STRIP_LT(y, x) | STRIP_NE(x, x), x, y)) X(rmax, STRIP_PICK(STRIP_LT(x, y) | STRIP_NE(y, y), y, x)) \
	X(lt, (VEC)STRIP_LT(x, y)) X(rlt, (VEC)STRIP_LT(y, x)) X(le, (VEC)STRIP_LE(x, y)) X(rle, (VEC)STRIP_LE(y, x)) \
	X(eq, (VEC)STRIP_EQ(x, y)) X(ne, (VEC)STRIP_NE(x, y)) \
	X(and, (VEC)((MASK)x & (MASK)y)) X(or, (VEC)((MASK)x | (MASK)y)) X(xor, (VEC)((MASK)x ^ (MASK)y))

#define STRIP_UNARY(X) \
	X(neg, -x) X(abs, (VEC)((MASK)x & STRIP_MAGNITUDE)) X(sqrt, STRIP_SQRT(x)) X(not, (VEC)(~(MASK)x))

#define STRIP_PICK(mask, x, y) ((VEC)(((MASK)(mask) & (MASK)(x)) | (~(MASK)(mask) & (MASK)(y))))

// The numbers of the operations: three accumulators, times forms where there is an operand.
enum strip_form { STRIP_MOVING, STRIP_SCALAR, STRIP_NEXT, STRIP_FORMS };
enum {
	STRIP_end, STRIP_load, STRIP_store, STRIP_stream, STRIP_keep, STRIP_select, STRIP_rselect, STRIP_fetch,
#define X(name, expression) STRIP_##name,
	STRIP_BINARY(X) STRIP_UNARY(X)
#undef X
	STRIP_OPS
};

// strip_cell is a micro operation made ready.
typedef struct {
	int64_t label;
	char *p;
	int64_t moves; // -1 where p goes along with the elements, else 0
	char *const *from; // where p is when a block begins
} strip_cell;

_Static_assert(sizeof(strip_cell) == sizeof(vm_cell), "room for strips");

// GCC 12 fails on comparisons of vectors of doubles for SSE2.
#if VECTOR == 16 && defined(__x86_64__)
#define STRIP_LT(x, y) STRIP_COMPARE(lt, x, y)
#define STRIP_LE(x, y) STRIP_COMPARE(le, x, y)
#define STRIP_EQ(x, y) STRIP_COMPARE(eq, x, y)
#define STRIP_NE(x, y) STRIP_COMPARE(neq, x, y)
#else
#define STRIP_LT(x, y) ((x) < (y))
#define STRIP_LE(x, y) ((x) <= (y))
#define STRIP_EQ(x, y) ((x) == (y))
#define STRIP_NE(x, y) ((x) != (y))
#endif

#define STRIP_JOIN3(a, b, c) a##b##c
#define STRIP_NAME(a, b, c) STRIP_JOIN3(a, b, c)

// X of each of so many vectors.
#define STRIP_EACH_1(X, ...) X(__VA_ARGS__, 0, LAST)
#define STRIP_EACH_2(X, ...) X(__VA_ARGS__, 0, WHOLE) X(__VA_ARGS__, 1, LAST)
#define STRIP_EACH_3(X, ...) STRIP_WHOLE_2(X, __VA_ARGS__) X(__VA_ARGS__, 2, LAST)
#define STRIP_EACH_4(X, ...) STRIP_WHOLE_3(X, __VA_ARGS__) X(__VA_ARGS__, 3, LAST)
#define STRIP_EACH_5(X, ...) STRIP_WHOLE_4(X, __VA_ARGS__) X(__VA_ARGS__, 4, LAST)
#define STRIP_EACH_6(X, ...) STRIP_WHOLE_5(X, __VA_ARGS__) X(__VA_ARGS__, 5, LAST)
#define STRIP_EACH_7(X, ...) STRIP_WHOLE_6(X, __VA_ARGS__) X(__VA_ARGS__, 6, LAST)
#define STRIP_EACH_8(X, ...) STRIP_WHOLE_6(X, __VA_ARGS__) X(__VA_ARGS__, 6, WHOLE) X(__VA_ARGS__, 7, LAST)
#define STRIP_WHOLE_2(X, ...) X(__VA_ARGS__, 0, WHOLE) X(__VA_ARGS__, 1, WHOLE)
#define STRIP_WHOLE_3(X, ...) STRIP_WHOLE_2(X, __VA_ARGS__) X(__VA_ARGS__, 2, WHOLE)
#define STRIP_WHOLE_4(X, ...) STRIP_WHOLE_3(X, __VA_ARGS__) X(__VA_ARGS__, 3, WHOLE)
#define STRIP_WHOLE_5(X, ...) STRIP_WHOLE_4(X, __VA_ARGS__) X(__VA_ARGS__, 4, WHOLE)
#define STRIP_WHOLE_6(X, ...) STRIP_WHOLE_5(X, __VA_ARGS__) X(__VA_ARGS__, 5, WHOLE)

// Which elements of a vector of 32 bytes are the first so many: those from there on.
#if VECTOR == 32
static const int32_t strip_first_f32[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t strip_first_f64[8] = {-1, -1, -1, -1};
#define STRIP_PART_OF(table, n) __m256i first = _mm256_loadu_si256((const __m256i *)(table + n - part));
#endif

#define T float
#define INT int32_t
#define t f32
#if VECTOR == 64
#define STRIP_SQRT(x) ((VEC)_mm512_sqrt_ps((__m512)(x)))
#define STRIP_PART __mmask16 first = (__mmask16)((1u << part) - 1);
#define STRIP_READ(q) ((VEC)_mm512_mask_loadu_ps(_mm512_set1_ps(*(const T *)(q)), first, q))
#define STRIP_WRITE(q, x) _mm512_mask_storeu_ps(q, first, (__m512)(x))
#elif VECTOR == 32
#define STRIP_SQRT(x) ((VEC)_mm256_sqrt_ps((__m256)(x)))
#define STRIP_PART STRIP_PART_OF(strip_first_f32, 8)
#define STRIP_READ(q) ((VEC)_mm256_blendv_ps(_mm256_set1_ps(*(const T *)(q)), _mm256_maskload_ps((const T *)(q), first), _mm256_castsi256_ps(first)))
#define STRIP_WRITE(q, x) _mm256_maskstore_ps((T *)(q), first, (__m256)(x))
#elif defined(__x86_64__)
#define STRIP_SQRT(x) ((VEC)_mm_sqrt_ps((__m128)(x)))
#define STRIP_COMPARE(how, x, y) ((MASK)_mm_cmp##how##_ps((__m128)(x), (__m128)(y)))
#else
#define STRIP_SQRT(x) strip_sqrt_f32(x)
#endif
#if VECTOR == 16
#define STRIP_PART
#define STRIP_READ(q) strip_read_f32(q, part)
#define STRIP_WRITE(q, x) strip_write_f32(q, part, x)
#endif
#include "striptype.h"
#undef T
#undef INT
#undef t
#undef STRIP_SQRT
#undef STRIP_PART
#undef STRIP_READ
#undef STRIP_WRITE
#undef STRIP_COMPARE

#define T double
#define INT int64_t
#define t f64
#if VECTOR == 64
#define STRIP_SQRT(x) ((VEC)_mm512_sqrt_pd((__m512d)(x)))
#define STRIP_PART __mmask8 first = (__mmask8)((1u << part) - 1);
#define STRIP_READ(q) ((VEC)_mm512_mask_loadu_pd(_mm512_set1_pd(*(const T *)(q)), first, q))
#define STRIP_WRITE(q, x) _mm512_mask_storeu_pd(q, first, (__m512d)(x))
#elif VECTOR == 32
#define STRIP_SQRT(x) ((VEC)_mm256_sqrt_pd((__m256d)(x)))
#define STRIP_PART STRIP_PART_OF(strip_first_f64, 4)
#define STRIP_READ(q) ((VEC)_mm256_blendv_pd(_mm256_set1_pd(*(const T *)(q)), _mm256_maskload_pd((const T *)(q), first), _mm256_castsi256_pd(first)))
#define STRIP_WRITE(q, x) _mm256_maskstore_pd((T *)(q), first, (__m256d)(x))
#elif defined(__x86_64__)
#define STRIP_SQRT(x) ((VEC)_mm_sqrt_pd((__m128d)(x)))
#define STRIP_COMPARE(how, x, y) ((MASK)_mm_cmp##how##_pd((__m128d)(x), (__m128d)(y)))
#else
#define STRIP_SQRT(x) strip_sqrt_f64(x)
#endif
#if VECTOR == 16
#define STRIP_PART
#define STRIP_READ(q) strip_read_f64(q, part)
#define STRIP_WRITE(q, x) strip_write_f64(q, part, x)
#endif
#include "striptype.h"
#undef T
#undef INT
#undef t
#undef STRIP_SQRT
#undef STRIP_PART
#undef STRIP_READ
#undef STRIP_WRITE
#undef STRIP_COMPARE

// Names, as package cpu looks them up.
static const char *const strip_names[] = {
	"end", "load", "store", "stream", "keep", "select", "rselect", "fetch",
#define X(name, expression) #name,
	STRIP_BINARY(X) STRIP_UNARY(X)
#undef X
};

// strip_runner runs code on the elements from from to to: those with parts once, up to part elements of the last vector.
typedef void strip_runner(const strip_cell *code, int64_t from, int64_t to, int64_t part);

// By element size: first the loop of STRIP_VECTORS vectors, then those for the end of a row, by how many.
static strip_runner *const strip_runners[2][1 + STRIP_VECTORS] = {
#define X(t, which) STRIP_NAME(STRIP_NAME(strip_, t, _), STRIP_VECTORS, ), STRIP_NAME(strip_part_, t, _1), STRIP_NAME(strip_part_, t, _2), STRIP_NAME(strip_part_, t, _3), STRIP_NAME(strip_part_, t, _4) which(t)
#if STRIP_VECTORS == 8
#define MORE(t) , STRIP_NAME(strip_part_, t, _5), STRIP_NAME(strip_part_, t, _6), STRIP_NAME(strip_part_, t, _7), STRIP_NAME(strip_part_, t, _8)
#else
#define MORE(t)
#endif
	{X(f32, MORE)},
	{X(f64, MORE)},
#undef MORE
#undef X
};
