#include "eager.h"

void eager_line(int64_t n, double start, double step, double *out)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = start + (double)i * step; // each rounded: the compiler fuses nothing here
}
