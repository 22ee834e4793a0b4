#include "cloned.h"
#include "eager.h"

void eager_line(int64_t n, double start, double step, double *out)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = start + (double)i * step; // each rounded: the compiler fuses nothing here
}

typedef double aliasing __attribute__((may_alias));

CLONED void eager_floats(int64_t n, char *words)
{
	const uint64_t *from = (const uint64_t *)words;
	aliasing *to = (aliasing *)words;
	for (int64_t i = 0; i < n; i++) {
		uint64_t w = from[i] >> 11;
		union {
			uint64_t bits;
			double value;
		} high = {0x4530000000000000u | w >> 32}, low = {0x4330000000000000u | (w & UINT32_MAX)};
		// 2^84 + high*2^32 and 2^52 + low: all of it is exact, and vectors have it, as they have no conversion of so many bits.
		to[i] = ((high.value - 0x1.00000001p84) + low.value) * 0x1p-53;
	}
}

CLONED void eager_slopes(int64_t n, const double *restrict x, double step, double *restrict to)
{
	const double both = 2 * step;
	to[0] = (x[1] - x[0]) / step;
	for (int64_t i = 1; i < n - 1; i++)
		to[i] = (x[i + 1] - x[i - 1]) / both;
	to[n - 1] = (x[n - 1] - x[n - 2]) / step;
}

CLONED void eager_slopes_beside(int64_t n, int64_t inner, const double *restrict x, double step, double *restrict to)
{
	const double both = 2 * step;
	for (int64_t j = 0; j < inner; j++)
		to[j] = (x[inner + j] - x[j]) / step;
	for (int64_t i = 1; i < n - 1; i++)
		for (int64_t j = 0; j < inner; j++)
			to[i * inner + j] = (x[(i + 1) * inner + j] - x[(i - 1) * inner + j]) / both;
	for (int64_t j = (n - 1) * inner; j < n * inner; j++)
		to[j] = (x[j] - x[j - inner]) / step;
}

CLONED int eager_bounded(int64_t n, const uint32_t *half, uint32_t count, uint32_t few, uint64_t low, uint64_t *to)
{
	uint32_t thrown = 0;
	for (int64_t i = 0; i < n; i++) {
		uint64_t m = (uint64_t)half[i] * count;
		to[i] = low + (m >> 32);
		thrown |= (uint32_t)m < few;
	}
	return !thrown;
}
