// Counting sorts of narrow elements: how often each occurs, and the runs of equal ones written down.
// Neither is vectors' work, so that there is one machine for all.
#include "sorting.h"
#include <string.h>

// Neighbours count in different tables: they are often equal, and an addition would wait for the one before.
void sorting_tally_8(const uint8_t *x, int64_t n, uint32_t *counts) {
	uint32_t tables[4][256] = {{0}};
	int64_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t word;
		memcpy(&word, x + i, 8);
		for (int k = 0; k < 8; k += 4) {
			tables[0][word & 255]++;
			tables[1][word >> 8 & 255]++;
			tables[2][word >> 16 & 255]++;
			tables[3][word >> 24 & 255]++;
			word >>= 32;
		}
	}
	for (; i < n; i++) tables[0][x[i]]++;
	for (int v = 0; v < 256; v++) counts[v] += tables[0][v] + tables[1][v] + tables[2][v] + tables[3][v];
}

void sorting_tally_16(const uint16_t *x, int64_t n, uint32_t *counts, uint32_t *more) {
	int64_t i = 0;
	for (; i + 4 <= n; i += 4) {
		uint64_t word;
		memcpy(&word, x + i, 8);
		counts[word & 65535]++;
		more[word >> 16 & 65535]++;
		counts[word >> 32 & 65535]++;
		more[word >> 48]++;
	}
	for (; i < n; i++) counts[x[i]]++;
}

// The runs are written in stretches that may reach into the next run, which comes later, but not behind hi.
enum { STRETCH = 32 };

#define RUNS(bits) \
	void sorting_runs_##bits(const int64_t *ends, const uint##bits##_t *values, int64_t run, int64_t lo, int64_t hi, uint##bits##_t *out) { \
		for (; lo < hi; run++) { \
			int64_t end = ends[run] < hi ? ends[run] : hi; \
			uint##bits##_t v = values[run]; \
			for (; lo < end && lo + STRETCH <= hi; lo += STRETCH) \
				for (int k = 0; k < STRETCH; k++) out[lo + k] = v; \
			for (; lo < end; lo++) out[lo] = v; \
			lo = end; \
		} \
	}
RUNS(8)
RUNS(16)
