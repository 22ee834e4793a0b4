#include "cloned.h"
#include "eager.h"

#include <string.h>

enum { PART = 4096 }; // elements between two looks at whether the answer is known

#define SAME(T) \
	CLONED static int same_##T(int64_t n, const T *a, const T *b) \
	{ \
		for (int64_t i = 0; i < n; i += PART) { \
			int64_t part = n - i < PART ? n - i : PART, differ = 0; \
			for (int64_t k = 0; k < part; k++) \
				differ += !(a[i + k] == b[i + k]); /* a NaN equals nothing */ \
			if (differ) \
				return 0; \
		} \
		return 1; \
	}
SAME(float)
SAME(double)

int eager_same(int dtype, int size, int64_t n, const char *a, const char *b)
{
	switch (dtype) {
	case 11: return same_float(n, (const float *)a, (const float *)b);
	case 12: return same_double(n, (const double *)a, (const double *)b);
	case 13: return same_float(2 * n, (const float *)a, (const float *)b); // complex64
	case 14: return same_double(2 * n, (const double *)a, (const double *)b);
	}
	return memcmp(a, b, (size_t)(n * size)) == 0;
}

// near says whether an element is close: the tolerance is rounded twice, as two operations round it.
static inline __attribute__((always_inline)) int64_t near(const eager_closeness *how, double a, double b)
{
	const double most = how->rtol * __builtin_fabs(b);
	const int64_t within = (__builtin_fabs(a - b) <= how->atol + most) & (__builtin_fabs(b) < __builtin_inf()), nans = (a != a) & (b != b);
	return within | (a == b) | (nans & how->equal_nan);
}

// far counts elements that are not close.
static inline __attribute__((always_inline)) int64_t far(const eager_closeness *given, int64_t n, const double *x, const double *y, int step)
{
	const eager_closeness how = *given;
	int64_t all = 0;
	for (int64_t i = 0; i < n; i++)
		all += !near(&how, x[i], step ? y[i] : y[0]);
	return all;
}

CLONED static void near_each(const eager_closeness *given, int64_t n, const double *x, const double *y, uint8_t *to)
{
	const eager_closeness how = *given;
	for (int64_t i = 0; i < n; i++)
		to[i] = (uint8_t)near(&how, x[i], y[i]);
}

CLONED static void near_one(const eager_closeness *given, int64_t n, const double *x, double y, uint8_t *to)
{
	const eager_closeness how = *given;
	for (int64_t i = 0; i < n; i++)
		to[i] = (uint8_t)near(&how, x[i], y);
}

void eager_near(const eager_closeness *how, int64_t n, const double *x, const double *y, int step, uint8_t *to)
{
	if (step)
		near_each(how, n, x, y, to);
	else
		near_one(how, n, x, *y, to);
}

CLONED static int64_t far_from_each(const eager_closeness *how, int64_t n, const double *x, const double *y) { return far(how, n, x, y, 1); }

CLONED static int64_t far_from_one(const eager_closeness *how, int64_t n, const double *x, const double *y) { return far(how, n, x, y, 0); }

int eager_close(const eager_closeness *how, int64_t n, const double *x, const double *y, int step)
{
	for (int64_t i = 0; i < n; i += PART) {
		int64_t part = n - i < PART ? n - i : PART;
		if (step ? far_from_each(how, part, x + i, y + i) : far_from_one(how, part, x + i, y))
			return 0;
	}
	return 1;
}
