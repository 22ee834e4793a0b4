// Lanes of reductions: 32 accumulators in vectors, which the compiler keeps in processor
// registers. Each lane takes its elements in order, so that the width of a vector does not show
// in the result.

//
// The other function folds the 32 lanes: vector by vector as long as there are several, then
// within one. A lane takes the lane that far behind it, as the canonical order says.
//
// The third one takes rows into as many accumulators as a row has elements, four rows at each turn: an accumulator is loaded and
// stored once for the four.

#define COUNT {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}
static const _Alignas(64) int8_t count_int8_t[] = COUNT;
static const _Alignas(64) int16_t count_int16_t[] = COUNT;
static const _Alignas(64) int32_t count_int32_t[] = COUNT;
static const _Alignas(64) int64_t count_int64_t[] = COUNT;

#define LANES(name, T, M, ...) \
	typedef T name##_t __attribute__((vector_size((VECTOR < VM_LANES * sizeof(T) ? VECTOR : VM_LANES * sizeof(T))), aligned(1), may_alias)); \
	typedef M name##_m __attribute__((vector_size((VECTOR < VM_LANES * sizeof(T) ? VECTOR : VM_LANES * sizeof(T))), may_alias)); \
	static void name(int64_t rounds, char *acc, const char *from) { \
		enum { N = VM_LANES * sizeof(T) / sizeof(name##_t) }; \
		name##_t s[N]; \
		for (int k = 0; k < N; k++) s[k] = ((name##_t *)acc)[k]; \
		for (; rounds > 0; rounds--) { \
			const name##_t *v = (const name##_t *)from; \
			_Pragma("GCC unroll 32") for (int k = 0; k < N; k++) { \
				name##_t x = s[k], y = v[k]; \
				s[k] = (name##_t)(__VA_ARGS__); \
			} \
			from += VM_LANES * sizeof(T); \
		} \
		for (int k = 0; k < N; k++) ((name##_t *)acc)[k] = s[k]; \
	} \
	static void name##_fold(char *acc) { \
		enum { N = VM_LANES * sizeof(T) / sizeof(name##_t), W = sizeof(name##_t) / sizeof(T) }; \
		name##_t s[N]; \
		for (int k = 0; k < N; k++) s[k] = ((name##_t *)acc)[k]; \
		_Pragma("GCC unroll 8") for (int h = N / 2; h > 0; h /= 2) \
			_Pragma("GCC unroll 32") for (int k = 0; k < h; k++) { \
				name##_t x = s[k], y = s[k + h]; \
				s[k] = (name##_t)(__VA_ARGS__); \
			} \
		_Pragma("GCC unroll 8") for (int h = W / 2; h > 0; h /= 2) { \
			name##_m behind = (*(const name##_m *)count_##M + (M)h) & (M)(W - 1); \
			name##_t x = s[0], y = __builtin_shuffle(x, behind); \
			s[0] = (name##_t)(__VA_ARGS__); \
		} \
		*(T *)acc = s[0][0]; \
	} \
	ROWS(name, T, __VA_ARGS__)

// SOME loads fewer bytes than a vector has, and zeros behind them.
#if VECTOR == 64
#define SOME(to, from, bytes) { \
	const __m512i some = _mm512_maskz_loadu_epi8((1ull << (bytes)) - 1, from); \
	__builtin_memcpy(&(to), &some, sizeof(to)); \
}
#else
#define SOME(to, from, bytes) { \
	__builtin_memset(&(to), 0, sizeof(to)); \
	__builtin_memcpy(&(to), from, (size_t)(bytes)); \
}
#endif

// ROWS makes the function for rows of a vector's type and an expression of vectors x and y. The sums of rows that are shorter than a
// vector, as the channels of pictures, stay in a register.
#define ROWS(name, T, ...) \
	static inline __attribute__((always_inline)) void name##_turn(const int rows, int64_t apart, int64_t n, char *acc, const char *from) { \
		enum { W = sizeof(name##_t) }; \
		int64_t bytes = n * (int64_t)sizeof(T), at = 0; \
		for (; at + W <= bytes; at += W) { \
			name##_t x = *(name##_t *)(acc + at); \
			for (int k = 0; k < rows; k++) { \
				name##_t y = *(const name##_t *)(from + k * apart + at); \
				x = (name##_t)(__VA_ARGS__); \
			} \
			*(name##_t *)(acc + at) = x; \
		} \
		if (at == bytes) return; \
		name##_t x, y; \
		SOME(x, acc + at, bytes - at) \
		for (int k = 0; k < rows; k++) { \
			SOME(y, from + k * apart + at, bytes - at) \
			x = (name##_t)(__VA_ARGS__); \
		} \
		__builtin_memcpy(acc + at, &x, (size_t)(bytes - at)); \
	} \
	static void name##_rows(int64_t rows, int64_t apart, int64_t n, char *acc, const char *from) { \
		const int64_t bytes = n * (int64_t)sizeof(T); \
		if (bytes < (int64_t)sizeof(name##_t)) { \
			name##_t x, y; \
			SOME(x, acc, bytes) \
			for (; rows > 0; rows--, from += apart) { \
				SOME(y, from, bytes) \
				x = (name##_t)(__VA_ARGS__); \
			} \
			__builtin_memcpy(acc, &x, (size_t)bytes); \
			return; \
		} \
		for (; rows >= 4; rows -= 4, from += 4 * apart) name##_turn(4, apart, n, acc, from); \
		for (; rows > 0; rows--, from += apart) name##_turn(1, apart, n, acc, from); \
	}

// PICK is x where the mask holds and y elsewhere.
#define PICK(name, mask) (((name##_m)(mask) & (name##_m)x) | (~(name##_m)(mask) & (name##_m)y))

#define WHOLE_LANES(T, t, S, s) \
	LANES(lanes_add_##t, T, S, x + y) \
	LANES(lanes_mul_##t, T, S, x * y) \
	LANES(lanes_min_##t, T, S, PICK(lanes_min_##t, x < y)) \
	LANES(lanes_max_##t, T, S, PICK(lanes_max_##t, x > y)) \
	LANES(lanes_min_##s, S, S, PICK(lanes_min_##s, x < y)) \
	LANES(lanes_max_##s, S, S, PICK(lanes_max_##s, x > y))

WHOLE_LANES(uint8_t, u8, int8_t, i8)
WHOLE_LANES(uint16_t, u16, int16_t, i16)
WHOLE_LANES(uint32_t, u32, int32_t, i32)
WHOLE_LANES(uint64_t, u64, int64_t, i64)

LANES(lanes_and_u8, uint8_t, int8_t, x & y)
LANES(lanes_or_u8, uint8_t, int8_t, x | y)

// The lesser of two floats is x where it is less or no number, as in floats.h. A processor's own instruction has y wherever one is no number, so that lanes which
// are none are kept from it: the chain of each accumulator is half as long.
#if VECTOR == 64
#define LEAST_f32(name) _mm512_mask_min_ps((__m512)x, _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_ORD_Q), (__m512)x, (__m512)y)
#define LEAST_f64(name) _mm512_mask_min_pd((__m512d)x, _mm512_cmp_pd_mask((__m512d)x, (__m512d)x, _CMP_ORD_Q), (__m512d)x, (__m512d)y)
#define MOST_f32(name) _mm512_mask_max_ps((__m512)x, _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_ORD_Q), (__m512)x, (__m512)y)
#define MOST_f64(name) _mm512_mask_max_pd((__m512d)x, _mm512_cmp_pd_mask((__m512d)x, (__m512d)x, _CMP_ORD_Q), (__m512d)x, (__m512d)y)
#elif VECTOR == 32
#define KEEP_NAN_ps(v) _mm256_blendv_ps(v, (__m256)x, _mm256_cmp_ps((__m256)x, (__m256)x, _CMP_UNORD_Q))
#define KEEP_NAN_pd(v) _mm256_blendv_pd(v, (__m256d)x, _mm256_cmp_pd((__m256d)x, (__m256d)x, _CMP_UNORD_Q))
#define LEAST_f32(name) KEEP_NAN_ps(_mm256_min_ps((__m256)x, (__m256)y))
#define LEAST_f64(name) KEEP_NAN_pd(_mm256_min_pd((__m256d)x, (__m256d)y))
#define MOST_f32(name) KEEP_NAN_ps(_mm256_max_ps((__m256)x, (__m256)y))
#define MOST_f64(name) KEEP_NAN_pd(_mm256_max_pd((__m256d)x, (__m256d)y))
#else
#define LEAST_f32(name) PICK(name, (x < y) | (x != x))
#define LEAST_f64(name) PICK(name, (x < y) | (x != x))
#define MOST_f32(name) PICK(name, (x > y) | (x != x))
#define MOST_f64(name) PICK(name, (x > y) | (x != x))
#endif

#define FLOAT_LANES(T, t, S) \
	LANES(lanes_add_##t, T, S, x + y) \
	LANES(lanes_mul_##t, T, S, x * y) \
	LANES(lanes_min_##t, T, S, LEAST_##t(lanes_min_##t)) \
	LANES(lanes_max_##t, T, S, MOST_##t(lanes_max_##t))

FLOAT_LANES(float, f32, int32_t)
FLOAT_LANES(double, f64, int64_t)

// A sum of complex numbers is one of their parts.
#define PAIR_LANES(name, T) \
	enum { name##_fold = 0 }; \
	typedef T name##_t __attribute__((vector_size(VECTOR), aligned(1), may_alias)); \
	static void name(int64_t rounds, char *acc, const char *from) { \
		enum { N = 2 * VM_LANES * sizeof(T) / VECTOR }; \
		name##_t s[N]; \
		for (int k = 0; k < N; k++) s[k] = ((name##_t *)acc)[k]; \
		for (; rounds > 0; rounds--, from += 2 * VM_LANES * sizeof(T)) \
			_Pragma("GCC unroll 64") for (int k = 0; k < N; k++) s[k] += ((const name##_t *)from)[k]; \
		for (int k = 0; k < N; k++) ((name##_t *)acc)[k] = s[k]; \
	} \
	ROWS(name, T[2], x + y)

PAIR_LANES(lanes_add_c64, float)
PAIR_LANES(lanes_add_c128, double)

// What no reduction steps with.
#define no_lanes 0
#define no_lanes_fold 0
#define no_lanes_rows 0
