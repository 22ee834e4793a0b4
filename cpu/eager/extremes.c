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
	CLONED static int64_t name(const T *x, int64_t n) \
	{ \
		enum { LANES = 32 }; \
		T best[LANES]; \
		I at[LANES]; \
		int64_t i = LANES, found = 0; \
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
#define ROWS(T, I) BOTH(BY_LANES, T, T, I) BOTH(COLUMNS, T, T)
#define NARROW(T) BOTH(BY_VALUE, T, T) BOTH(COLUMNS, T, T)
NARROW(int8_t)
NARROW(uint8_t)
NARROW(int16_t)
NARROW(uint16_t)
ROWS(int32_t, int32_t)
ROWS(uint32_t, int32_t)
ROWS(int64_t, int64_t)
ROWS(uint64_t, int64_t)
ROWS(float, int32_t)
ROWS(double, int64_t)

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
