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
	static int64_t name(const T *x, int64_t n) { return vectors() ? name##_blocks(x, n) : name##_lanes(x, n); }

static int vectors(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"); }
#else
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
#define ROWS(T, I, ...) BOTH(BY_LANES, T, T, I) BY_BLOCKS(least_##T, T, <, __VA_ARGS__, min) BY_BLOCKS(most_##T, T, >, __VA_ARGS__, max) BOTH(COLUMNS, T, T)
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
