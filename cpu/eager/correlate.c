#include "cloned.h"
#include "eager.h"

// Sums of products of a few taps with the elements from each place on, tap by tap as one expression after the other has it: each product and each sum is
// rounded. Four taps are taken at a time, so that a sum is read and written once for them; a block's sums stay in the first-level cache.
#define CORRELATE(name, T) \
	CLONED static void name(int64_t n, int64_t taps, const T *restrict x, const T *restrict tap, T *restrict to) \
	{ \
		enum { BLOCK = 1024 }; \
		for (int64_t at = 0; at < n; at += BLOCK) { \
			const int64_t some = n - at < BLOCK ? n - at : BLOCK; \
			const T *from = x + at; \
			T *sum = to + at; \
			for (int64_t i = 0; i < some; i++) \
				sum[i] = 0 + from[i] * tap[0]; /* no negative zero, as in NumPy */ \
			int64_t k = 1; \
			for (; k + 4 <= taps; k += 4) { \
				const T a = tap[k], b = tap[k + 1], c = tap[k + 2], d = tap[k + 3]; \
				for (int64_t i = 0; i < some; i++) \
					sum[i] = (((sum[i] + from[i + k] * a) + from[i + k + 1] * b) + from[i + k + 2] * c) + from[i + k + 3] * d; \
			} \
			for (; k < taps; k++) \
				for (int64_t i = 0; i < some; i++) \
					sum[i] = sum[i] + from[i + k] * tap[k]; \
		} \
	}

CORRELATE(doubles, double)
CORRELATE(floats, float)
CORRELATE(words, uint64_t)

int eager_correlate(int dtype, int64_t n, int64_t taps, const char *x, const char *tap, char *to)
{
	switch (dtype) {
	case 5: case 9: words(n, taps, (const uint64_t *)x, (const uint64_t *)tap, (uint64_t *)to); return 1;
	case 11: floats(n, taps, (const float *)x, (const float *)tap, (float *)to); return 1;
	case 12: doubles(n, taps, (const double *)x, (const double *)tap, (double *)to); return 1;
	}
	return 0;
}
