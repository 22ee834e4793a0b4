#include "cloned.h"
#include "eager.h"

// The best of a row of elements that lie side by side is the first of those that are equal to it; a NaN wins over everything.

// from_front goes on from element i, where the best so far is found.
#define FROM_FRONT(name, T, better) \
	static int64_t name##_from(const T *x, int64_t n, int64_t i, int64_t found) \
	{ \
		T best = x[found]; \
		for (; i < n && best == best; i++) \
			if (x[i] better best || x[i] != x[i]) { \
				best = x[i]; \
				found = i; \
			} \
		return found; \
	}

// BY_LANES has each lane keep its first best element and where that is, I being an integer of the elements' size; of lanes that are as good the one that
// comes first in the row counts. A NaN stays in its lane; its row is looked at again from the front.
#define BY_LANES(name, T, I, better) \
	FROM_FRONT(name, T, better) \
	CLONED static int64_t name##_lanes(const T *x, int64_t n) \
	{ \
		enum { LANES = 32 }; \
		T best[LANES]; \
		I at[LANES]; \
		int64_t i = LANES; \
		if (n < 2 * LANES) \
			return name##_from(x, n, 1, 0); \
		for (int k = 0; k < LANES; k++) { \
			best[k] = x[k]; \
			at[k] = 0; \
		} \
		for (; i + LANES <= n; i += LANES) \
			for (int k = 0; k < LANES; k++) { \
				const T v = x[i + k], b = best[k]; \
				const I place = at[k], now = (I)i; \
				at[k] = (v better b) | (v != v) ? now : place; \
				best[k] = (v better b) | (v != v) ? v : b; \
			} \
		I any = 0, first = (I)i; \
		T top[LANES]; \
		for (int k = 0; k < LANES; k++) { \
			any |= best[k] != best[k]; \
			top[k] = best[k]; \
		} \
		for (int half = LANES / 2; half > 0; half /= 2) \
			for (int k = 0; k < half; k++) \
				top[k] = top[k + half] better top[k] ? top[k + half] : top[k]; \
		if (any) \
			return name##_from(x, n, 1, 0); \
		for (int k = 0; k < LANES; k++) { \
			const I place = best[k] == top[0] ? at[k] + (I)k : (I)i; \
			first = place < first ? place : first; \
		} \
		return name##_from(x, n, i, (int64_t)first); \
	}

// BY_BLOCKS is for AVX-512. Each lane keeps its best element, and in which four vectors that first came; of a block where it is better than all before, the
// best element is then looked for in the first of these. In a row of FEW elements it is looked for from the front, which costs less than to keep places
// (100 doubles: 18 ns and 24). Rows may be as short as they like: the lanes of a vector that are behind the last element stay what they were. What is no
// number is seen by comparing, which says of two elements whether either is none.
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define V512 __attribute__((target("avx512f,avx512dq")))
#define EQUAL_pd(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define EQUAL_ps(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define NONE_pd(a, b) _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q)
#define NONE_ps(a, b) _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)
#define EQUAL_epi64(a, b) _mm512_cmpeq_epi64_mask(a, b)
#define EQUAL_epi32(a, b) _mm512_cmpeq_epi32_mask(a, b)
#define NONE_epi64(a, b) 0
#define NONE_epi32(a, b) 0

// BY_TWICE is for AVX2. In which block of two kilobytes the best element comes first is found with no place for any lane, and then where it is in that
// block. The last vector ends where the row does, and may have some elements of the one before, which makes no difference to either. What is no number is
// seen by comparing.
#define V256 __attribute__((target("avx2")))
#define INLINE256 V256 static inline __attribute__((always_inline))
#define BEST256(name, order) INLINE256 __m256i name(__m256i a, __m256i b) { return order; }
#define WIDER(more, a, b) _mm256_blendv_epi8(b, a, more)
#define UNSIGNED64(v) _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN))
#define FLOATS(best_of, a, b) _mm256_castps_si256(_mm256_##best_of##_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)))
#define DOUBLES(best_of, a, b) _mm256_castpd_si256(_mm256_##best_of##_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)))
BEST256(min_int32_t, _mm256_min_epi32(a, b))
BEST256(max_int32_t, _mm256_max_epi32(a, b))
BEST256(min_uint32_t, _mm256_min_epu32(a, b))
BEST256(max_uint32_t, _mm256_max_epu32(a, b))
BEST256(min_int64_t, WIDER(_mm256_cmpgt_epi64(b, a), a, b))
BEST256(max_int64_t, WIDER(_mm256_cmpgt_epi64(a, b), a, b))
BEST256(min_uint64_t, WIDER(_mm256_cmpgt_epi64(UNSIGNED64(b), UNSIGNED64(a)), a, b))
BEST256(max_uint64_t, WIDER(_mm256_cmpgt_epi64(UNSIGNED64(a), UNSIGNED64(b)), a, b))
BEST256(min_float, FLOATS(min, a, b))
BEST256(max_float, FLOATS(max, a, b))
BEST256(min_double, DOUBLES(min, a, b))
BEST256(max_double, DOUBLES(max, a, b))
BEST256(equal_int32_t, _mm256_cmpeq_epi32(a, b))
BEST256(equal_uint32_t, _mm256_cmpeq_epi32(a, b))
BEST256(equal_int64_t, _mm256_cmpeq_epi64(a, b))
BEST256(equal_uint64_t, _mm256_cmpeq_epi64(a, b))
BEST256(equal_float, _mm256_castps_si256(_mm256_cmp_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _CMP_EQ_OQ)))
BEST256(equal_double, _mm256_castpd_si256(_mm256_cmp_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _CMP_EQ_OQ)))
#define NO_NUMBER(name, a, b, ...) INLINE256 __m256i none_##name(__m256i a, __m256i b) { return __VA_ARGS__; }
#define ALL_NUMBERS(name) NO_NUMBER(name, a, b, ((void)a, (void)b, _mm256_setzero_si256()))
ALL_NUMBERS(int32_t)
ALL_NUMBERS(uint32_t)
ALL_NUMBERS(int64_t)
ALL_NUMBERS(uint64_t)
NO_NUMBER(float, a, b, _mm256_castps_si256(_mm256_cmp_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _CMP_UNORD_Q)))
NO_NUMBER(double, a, b, _mm256_castpd_si256(_mm256_cmp_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _CMP_UNORD_Q)))
INLINE256 __m256i at256(const void *x) { return _mm256_loadu_si256((const __m256i *)x); }
INLINE256 uint64_t lanes256(__m256i v, int size) { return (uint64_t)(size == 8 ? _mm256_movemask_pd(_mm256_castsi256_pd(v)) : _mm256_movemask_ps(_mm256_castsi256_ps(v))); }
INLINE256 int any256(__m256i v) { return !_mm256_testz_si256(v, v); }

#define BY_TWICE(name, T, best_of) \
	/* the place of the first of n elements, a vector's at least, that is equal to one that there is; the last one's where another process \
	   has written over it meanwhile */ \
	INLINE256 int64_t name##_first(const T *x, int64_t n, __m256i wanted) \
	{ \
		enum { W = 32 / sizeof(T), FOUR = 4 * W, FEW = 64 }; \
		int64_t i = 0; \
		if (n <= FEW) { /* without a branch that depends on where it is */ \
			uint64_t those = lanes256(equal_##T(at256(x + n - W), wanted), sizeof(T)) << (n - W); \
			for (; i + W < n; i += W) \
				those |= lanes256(equal_##T(at256(x + i), wanted), sizeof(T)) << i; \
			return __builtin_ctzll(those | UINT64_C(1) << (n - 1)); \
		} \
		for (; i + FOUR <= n; i += FOUR) { \
			const __m256i a = equal_##T(at256(x + i), wanted), b = equal_##T(at256(x + i + W), wanted); \
			const __m256i c = equal_##T(at256(x + i + 2 * W), wanted), d = equal_##T(at256(x + i + 3 * W), wanted); \
			if (any256(_mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)))) \
				break; \
		} \
		for (;; i += W) { \
			i = i + W <= n ? i : n - W; \
			const uint32_t found = (uint32_t)_mm256_movemask_epi8(equal_##T(at256(x + i), wanted)); \
			if (found || i == n - W) \
				return found ? i + __builtin_ctz(found) / (int)sizeof(T) : n - 1; \
		} \
	} \
	/* the best of as many, of each lane; *none if there is one that is no number */ \
	INLINE256 __m256i name##_lanes256(const T *x, int64_t n, int *none) \
	{ \
		enum { W = 32 / sizeof(T), FOUR = 4 * W }; \
		const __m256i last = at256(x + n - W); \
		__m256i a = last, b = last, c = last, d = last, nan = none_##T(last, last); \
		int64_t i = 0; \
		for (; i + FOUR <= n; i += FOUR) { \
			const __m256i v = at256(x + i), w = at256(x + i + W), y = at256(x + i + 2 * W), z = at256(x + i + 3 * W); \
			a = best_of##_##T(a, v); \
			b = best_of##_##T(b, w); \
			c = best_of##_##T(c, y); \
			d = best_of##_##T(d, z); \
			nan = _mm256_or_si256(nan, _mm256_or_si256(none_##T(v, w), none_##T(y, z))); \
		} \
		for (; i + W <= n; i += W) { \
			const __m256i v = at256(x + i); \
			a = best_of##_##T(a, v); \
			nan = _mm256_or_si256(nan, none_##T(v, v)); \
		} \
		*none = any256(nan); \
		return best_of##_##T(best_of##_##T(a, b), best_of##_##T(c, d)); \
	} \
	V256 static int64_t name##_twice(const T *x, int64_t n) \
	{ \
		enum { W = 32 / sizeof(T), BLOCK = (2 << 10) / sizeof(T) }; \
		int64_t block = 0, length = 0; \
		if (n < W) \
			return name##_from(x, n, 1, 0); \
		__m256i top = at256(x); \
		for (int64_t start = 0; start < n; start += BLOCK) { \
			start = start + W <= n ? start : n - W; \
			const int64_t some = n - start < BLOCK ? n - start : BLOCK; \
			int none; \
			__m256i best = name##_lanes256(x + start, some, &none); \
			if (none) \
				return name##_from(x, n, start + 1, start); \
			if (start > 0 && _mm256_movemask_epi8(equal_##T(best_of##_##T(best, top), top)) == -1) \
				continue; \
			best = best_of##_##T(best, _mm256_permute4x64_epi64(best, 0x4e)); \
			best = best_of##_##T(best, _mm256_shuffle_epi32(best, 0x4e)); \
			top = W == 4 ? best : best_of##_##T(best, _mm256_shuffle_epi32(best, 0xb1)); \
			block = start; \
			length = some; \
		} \
		return block + name##_first(x + block, length, top); \
	}

#define BY_BLOCKS(name, T, better, vector, kind, order, best_of) \
	V512 static int64_t name##_equal(const T *x, int64_t n, T best, int none) \
	{ \
		enum { W = 64 / sizeof(T), FOUR = 4 * W }; \
		const vector wanted = _mm512_set1_##kind(best); \
		int64_t i = 0; \
		for (; i + FOUR <= n && !none; i += FOUR) { \
			const uint64_t a = EQUAL_##kind(_mm512_loadu_##kind(x + i), wanted), b = EQUAL_##kind(_mm512_loadu_##kind(x + i + W), wanted); \
			const uint64_t c = EQUAL_##kind(_mm512_loadu_##kind(x + i + 2 * W), wanted), d = EQUAL_##kind(_mm512_loadu_##kind(x + i + 3 * W), wanted); \
			const uint64_t found = a | b << W | c << 2 * W | d << 3 * W; \
			if (found) \
				return i + __builtin_ctzll(found); \
		} \
		for (;; i += W) { \
			const uint32_t there = n - i < W ? (1u << (n - i)) - 1 : (uint32_t)((1ull << W) - 1); \
			const vector v = _mm512_maskz_loadu_##kind(there, x + i); \
			const uint32_t found = there & (none ? NONE_##kind(v, v) : EQUAL_##kind(v, wanted)); \
			if (found) \
				return i + __builtin_ctz(found); \
		} \
	} \
	V512 static int64_t name##_blocks(const T *x, int64_t n) \
	{ \
		enum { W = 64 / sizeof(T), FOUR = 4 * W, BLOCK = 1 << 14, FEW = 16 * W }; \
		int64_t found = 0; \
		T top = x[0]; \
		if (n <= W) { \
			const vector v = _mm512_mask_loadu_##kind(_mm512_set1_##kind(top), (1u << n) - 1, x); \
			const uint32_t none = NONE_##kind(v, v); \
			return __builtin_ctz(none ? none : EQUAL_##kind(v, _mm512_set1_##kind((T)_mm512_reduce_##best_of##_##order(v)))); \
		} \
		if (n <= FEW) { \
			vector a = _mm512_set1_##kind(top), b = a; \
			uint32_t none = 0; \
			int64_t i = 0; \
			for (; i + 2 * W <= n; i += 2 * W) { \
				const vector v = _mm512_loadu_##kind(x + i), w = _mm512_loadu_##kind(x + i + W); \
				none |= NONE_##kind(v, w); \
				a = _mm512_##best_of##_##order(a, v); \
				b = _mm512_##best_of##_##order(b, w); \
			} \
			for (; i < n; i += W) { \
				const vector v = _mm512_mask_loadu_##kind(a, n - i < W ? (1u << (n - i)) - 1 : (uint32_t)((1ull << W) - 1), x + i); \
				none |= NONE_##kind(v, v); \
				a = _mm512_##best_of##_##order(a, v); \
			} \
			return name##_equal(x, n, (T)_mm512_reduce_##best_of##_##order(_mm512_##best_of##_##order(a, b)), none != 0); \
		} \
		for (int64_t start = 0; start < n; start += BLOCK) { \
			const T *block = x + start; \
			const int64_t some = n - start < BLOCK ? n - start : BLOCK; \
			vector best = _mm512_set1_##kind(block[0]); \
			__m512i at = _mm512_setzero_si512(), now = at; \
			uint32_t none = 0; \
			int64_t i = 0; \
			for (; i + FOUR <= some; i += FOUR) { \
				const vector v = _mm512_loadu_##kind(block + i), w = _mm512_loadu_##kind(block + i + W); \
				const vector y = _mm512_loadu_##kind(block + i + 2 * W), z = _mm512_loadu_##kind(block + i + 3 * W); \
				const vector four = _mm512_##best_of##_##order(_mm512_##best_of##_##order(v, w), _mm512_##best_of##_##order(y, z)); \
				const vector next = _mm512_##best_of##_##order(best, four); \
				none |= NONE_##kind(v, w) | NONE_##kind(y, z); \
				at = W == 8 ? _mm512_mask_mov_epi64(now, EQUAL_##kind(next, best), at) : _mm512_mask_mov_epi32(now, EQUAL_##kind(next, best), at); \
				now = W == 8 ? _mm512_add_epi64(now, _mm512_set1_epi64(1)) : _mm512_add_epi32(now, _mm512_set1_epi32(1)); \
				best = next; \
			} \
			for (; i < some; i += W) { \
				const uint32_t there = some - i < W ? (1u << (some - i)) - 1 : (uint32_t)((1ull << W) - 1); \
				const vector v = _mm512_mask_loadu_##kind(best, there, block + i), next = _mm512_##best_of##_##order(best, v); \
				none |= NONE_##kind(v, v); \
				at = W == 8 ? _mm512_mask_mov_epi64(now, EQUAL_##kind(next, best), at) : _mm512_mask_mov_epi32(now, EQUAL_##kind(next, best), at); \
				best = next; \
			} \
			if (none) \
				return start + name##_equal(block, some, top, 1); \
			const T value = (T)_mm512_reduce_##best_of##_##order(best); \
			if (start == 0 || value better top) { \
				const uint32_t those = EQUAL_##kind(best, _mm512_set1_##kind(value)); \
				i = some <= FOUR ? 0 : FOUR * (int64_t)(W == 8 ? _mm512_mask_reduce_min_epu64(those, at) : _mm512_mask_reduce_min_epu32(those, at)); \
				top = value; \
				found = start + i + name##_equal(block + i, some - i, value, 0); \
			} \
		} \
		return found; \
	} \
	static int64_t name(const T *x, int64_t n) { return vectors512() ? name##_blocks(x, n) : vectors256() ? name##_twice(x, n) : name##_lanes(x, n); }

static int vectors512(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }
static int vectors256(void) { return __builtin_cpu_supports("avx2"); }
#define TWICE(T) BY_TWICE(least_##T, T, min) BY_TWICE(most_##T, T, max)
#else
#define TWICE(T)
#define BY_BLOCKS(name, T, better, vector, kind, order, best_of) \
	static int64_t name(const T *x, int64_t n) { return name##_lanes(x, n); }
#endif

// BY_VALUE is for elements that are narrower than a place: the best one is found, and then where it is.
#define BY_VALUE(name, T, better) \
	CLONED static int64_t name(const T *x, int64_t n) \
	{ \
		enum { BLOCK = 64 }; \
		T best = x[0]; \
		int64_t i = 0; \
		for (int64_t k = 1; k < n; k++) \
			best = x[k] better best ? x[k] : best; \
		for (; i + BLOCK <= n; i += BLOCK) { \
			uint8_t any = 0; \
			for (int k = 0; k < BLOCK; k++) \
				any |= x[i + k] == best; \
			if (any) \
				break; \
		} \
		while (x[i] != best) \
			i++; \
		return i; \
	}

// ALONG finds the best along an axis: of rows where it is the last one, and else row after row, with the best so far in each place beside it.
#define ALONG(name, T) \
	{ \
		const T *x = (const T *)data; \
		if (inner == 1) \
			for (int64_t o = 0; o < outer; o++, x += n) \
				to[o] = name(x, n); \
		else \
			for (int64_t o = 0; o < outer; o++, x += n * inner, to += inner) \
				name##_columns(x, n, inner, (T *)room, to); \
		return 1; \
	}

#define COLUMNS(name, T, better) \
	CLONED static void name##_columns(const T *x, int64_t n, int64_t inner, T *best, int64_t *to) \
	{ \
		for (int64_t j = 0; j < inner; j++) { \
			best[j] = x[j]; \
			to[j] = 0; \
		} \
		for (int64_t i = 1; i < n; i++) { \
			x += inner; \
			for (int64_t j = 0; j < inner; j++) { \
				int wins = (x[j] better best[j]) | ((x[j] != x[j]) & (best[j] == best[j])); \
				best[j] = wins ? x[j] : best[j]; \
				to[j] = wins ? i : to[j]; \
			} \
		} \
	}

#define BOTH(M, name, ...) M(least_##name, __VA_ARGS__, <) M(most_##name, __VA_ARGS__, >)
#define ROWS(T, I, ...) BOTH(BY_LANES, T, T, I) TWICE(T) BY_BLOCKS(least_##T, T, <, __VA_ARGS__, min) BY_BLOCKS(most_##T, T, >, __VA_ARGS__, max) BOTH(COLUMNS, T, T)
#define NARROW(T) BOTH(BY_VALUE, T, T) BOTH(COLUMNS, T, T)
NARROW(int8_t)
NARROW(uint8_t)
NARROW(int16_t)
NARROW(uint16_t)
ROWS(int32_t, int32_t, __m512i, epi32, epi32)
ROWS(uint32_t, int32_t, __m512i, epi32, epu32)
ROWS(int64_t, int64_t, __m512i, epi64, epi64)
ROWS(uint64_t, int64_t, __m512i, epi64, epu64)
ROWS(float, int32_t, __m512, ps, ps)
ROWS(double, int64_t, __m512d, pd, pd)

#define ALONGS(which) \
	switch (dtype) { \
	case 1: case 6: ALONG(which##_uint8_t, uint8_t) \
	case 2: ALONG(which##_int8_t, int8_t) \
	case 3: ALONG(which##_int16_t, int16_t) \
	case 4: ALONG(which##_int32_t, int32_t) \
	case 5: ALONG(which##_int64_t, int64_t) \
	case 7: ALONG(which##_uint16_t, uint16_t) \
	case 8: ALONG(which##_uint32_t, uint32_t) \
	case 9: ALONG(which##_uint64_t, uint64_t) \
	case 11: ALONG(which##_float, float) \
	case 12: ALONG(which##_double, double) \
	} \
	return 0;

static int least(int dtype, int64_t outer, int64_t n, int64_t inner, const char *data, char *room, int64_t *to) { ALONGS(least) }

static int most(int dtype, int64_t outer, int64_t n, int64_t inner, const char *data, char *room, int64_t *to) { ALONGS(most) }

int eager_extremes(int which, int dtype, int64_t outer, int64_t n, int64_t inner, const char *data, char *room, int64_t *to)
{
	return (which ? most : least)(dtype, outer, n, inner, data, room, to);
}
