#include "cloned.h"
#include "eager.h"

#include <float.h>
#include <math.h>

// Terms of sums, and polynomials, block by block; each operation is rounded as a ufunc's is.

CLONED void eager_trapezoids(int64_t n, const double *y, const double *x, double step, double *restrict to)
{
	if (x)
		for (int64_t i = 0; i < n; i++)
			to[i] = (x[i + 1] - x[i]) * (y[i + 1] + y[i]) / 2.0;
	else
		for (int64_t i = 0; i < n; i++)
			to[i] = step * (y[i + 1] + y[i]) / 2.0;
}

#define FINITE(name, T, most) \
	CLONED static void name(int64_t n, const T *x, T *restrict to) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			const T v = x[i], bounded = v == (T)INFINITY ? most : v == -(T)INFINITY ? -most : v; /* comparisons that raise no flag */ \
			to[i] = v != v ? 0 : bounded; \
		} \
	}

FINITE(finite_f32, float, FLT_MAX)
FINITE(finite_f64, double, DBL_MAX)

void eager_finite(int dtype, int64_t n, const char *from, char *to)
{
	if (dtype == 11)
		finite_f32(n, (const float *)from, (float *)to);
	else
		finite_f64(n, (const double *)from, (double *)to);
}

CLONED void eager_horner(int64_t n, int64_t terms, const double *term, const double *x, double *restrict to)
{
	enum { BLOCK = 1024 };
	for (int64_t at = 0; at < n; at += BLOCK) {
		const int64_t some = n - at < BLOCK ? n - at : BLOCK;
		const double *by = x + at;
		double *sum = to + at;
		int64_t k = 1;
		for (int64_t i = 0; i < some; i++)
			sum[i] = 0 * by[i] + term[0];
		for (; k + 4 <= terms; k += 4) { // so that a sum is read and written once for four
			const double a = term[k], b = term[k + 1], c = term[k + 2], d = term[k + 3];
			for (int64_t i = 0; i < some; i++)
				sum[i] = (((sum[i] * by[i] + a) * by[i] + b) * by[i] + c) * by[i] + d;
		}
		for (; k < terms; k++)
			for (int64_t i = 0; i < some; i++)
				sum[i] = sum[i] * by[i] + term[k];
	}
}
