#include "eager.h"

// ALONG keeps for each place beside the axis the best element so far; a NaN wins over everything, and the first of equals.
#define ALONG(T, better) { \
	const T *x = (const T *)data; \
	T *best = (T *)room; \
	for (int64_t o = 0; inner == 1 && o < outer; o++, x += n) { /* the last axis: mostly nothing wins */ \
		T first = x[0]; \
		to[o] = 0; \
		for (int64_t i = 1; i < n && first == first; i++) \
			if (x[i] better first || x[i] != x[i]) { \
				first = x[i]; \
				to[o] = i; \
			} \
	} \
	if (inner == 1) \
		return 1; \
	for (int64_t o = 0; o < outer; o++, to += inner) { \
		for (int64_t j = 0; j < inner; j++) { \
			best[j] = x[j]; \
			to[j] = 0; \
		} \
		x += inner; \
		for (int64_t i = 1; i < n; i++, x += inner) \
			for (int64_t j = 0; j < inner; j++) { \
				int wins = (x[j] better best[j]) | ((x[j] != x[j]) & (best[j] == best[j])); \
				best[j] = wins ? x[j] : best[j]; \
				to[j] = wins ? i : to[j]; \
			} \
	} \
	return 1; \
}
#define ALONGS(better) \
	switch (dtype) { \
	case 1: case 6: ALONG(uint8_t, better) \
	case 2: ALONG(int8_t, better) \
	case 3: ALONG(int16_t, better) \
	case 4: ALONG(int32_t, better) \
	case 5: ALONG(int64_t, better) \
	case 7: ALONG(uint16_t, better) \
	case 8: ALONG(uint32_t, better) \
	case 9: ALONG(uint64_t, better) \
	case 11: ALONG(float, better) \
	case 12: ALONG(double, better) \
	} \
	return 0;

static int least(int dtype, int64_t outer, int64_t n, int64_t inner, const char *data, char *room, int64_t *to) { ALONGS(<) }

static int most(int dtype, int64_t outer, int64_t n, int64_t inner, const char *data, char *room, int64_t *to) { ALONGS(>) }

int eager_extremes(int which, int dtype, int64_t outer, int64_t n, int64_t inner, const char *data, char *room, int64_t *to)
{
	return (which ? most : least)(dtype, outer, n, inner, data, room, to);
}
