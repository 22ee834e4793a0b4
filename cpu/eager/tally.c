#include "cloned.h"
#include "eager.h"

#include <string.h>

CLONED int64_t eager_bins(int64_t n, const int64_t *at)
{
	int64_t most = -1, any = 0;
	for (int64_t i = 0; i < n; i++) {
		any |= at[i];
		most = at[i] > most ? at[i] : most;
	}
	return any < 0 || most == INT64_MAX ? -1 : most + 1;
}

// Neighbours are counted in tables of their own, since a bin that was written just now is read only some cycles later.
enum { TABLES = 4, NARROW = 2048 };

void eager_tally(int64_t n, const int64_t *at, const double *weights, int64_t bins, void *to)
{
	static uint32_t table[TABLES][NARROW];
	int64_t i = 0, *counts = to;
	memset(to, 0, (size_t)bins * 8); // of either kind
	if (weights) {
		for (double *sums = to; i < n; i++)
			sums[at[i]] += weights[i];
		return;
	}
	if (bins <= NARROW && n >= 2 * bins && n <= UINT32_MAX) {
		for (int k = 0; k < TABLES; k++)
			memset(table[k], 0, (size_t)bins * sizeof **table);
		for (; i + TABLES <= n; i += TABLES)
			for (int k = 0; k < TABLES; k++)
				table[k][at[i + k]]++;
		for (int64_t b = 0; b < bins; b++)
			for (int k = 0; k < TABLES; k++)
				counts[b] += table[k][b];
	}
	for (; i < n; i++)
		counts[at[i]]++;
}
