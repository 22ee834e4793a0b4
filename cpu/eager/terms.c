#include "cloned.h"
#include "eager.h"

// Terms of sums, block by block; each operation is rounded as a ufunc's is.

CLONED void eager_trapezoids(int64_t n, const double *y, const double *x, double step, double *restrict to)
{
	if (x)
		for (int64_t i = 0; i < n; i++)
			to[i] = (x[i + 1] - x[i]) * (y[i + 1] + y[i]) / 2.0;
	else
		for (int64_t i = 0; i < n; i++)
			to[i] = step * (y[i + 1] + y[i]) / 2.0;
}

CLONED int64_t eager_numbers(int64_t n, const double *x, double *restrict to)
{
	int64_t none = 0;
	for (int64_t i = 0; i < n; i++) {
		none += x[i] != x[i];
		to[i] = x[i] != x[i] ? 0.0 : x[i];
	}
	return none;
}
