// Counting sorts of narrow elements, and of integers that lie close together: how often each occurs, and the runs of equal ones written down.
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

// sorting_tally counts integers of 4 or 8 bytes that lie close together, by how much they are more than the least; every second one in more.
#define TALLY(bits) \
	static void tally_##bits(const uint##bits##_t *x, int64_t n, uint##bits##_t least, uint32_t *counts, uint32_t *more) { \
		int64_t i = 0; \
		for (; i + 2 <= n; i += 2) { \
			counts[(uint##bits##_t)(x[i] - least)]++; \
			more[(uint##bits##_t)(x[i + 1] - least)]++; \
		} \
		if (i < n) counts[(uint##bits##_t)(x[i] - least)]++; \
	}
TALLY(32)
TALLY(64)

void sorting_tally(int width, const void *x, int64_t n, int64_t least, uint32_t *counts, uint32_t *more) {
	if (width == 3) tally_64((const uint64_t *)x, n, (uint64_t)least, counts, more);
	else tally_32((const uint32_t *)x, n, (uint32_t)least, counts, more);
}

// The runs are written in stretches that may reach into the next run, which comes later, but not behind hi.
// RUNS is for one width of elements.
#define RUNS(bits) \
	enum { STRETCH_##bits = bits == 8 ? 32 : bits == 16 ? 16 : 8 }; \
	static void runs_##bits(const int64_t *ends, const uint##bits##_t *values, int64_t run, int64_t lo, int64_t hi, uint##bits##_t *out) { \
		for (; lo < hi; run++) { \
			int64_t end = ends[run] < hi ? ends[run] : hi, at = lo; \
			uint##bits##_t v = values[run]; \
			for (; at < end && at + STRETCH_##bits <= hi; at += STRETCH_##bits) \
				for (int k = 0; k < STRETCH_##bits; k++) out[at + k] = v; \
			for (; at < end; at++) out[at] = v; \
			lo = end; \
		} \
	}
RUNS(8)
RUNS(16)
RUNS(32)
RUNS(64)

void sorting_runs(int width, const int64_t *ends, const void *values, int64_t run, int64_t lo, int64_t hi, void *out) {
	switch (width) {
	case 0: runs_8(ends, (const uint8_t *)values, run, lo, hi, (uint8_t *)out); return;
	case 1: runs_16(ends, (const uint16_t *)values, run, lo, hi, (uint16_t *)out); return;
	case 2: runs_32(ends, (const uint32_t *)values, run, lo, hi, (uint32_t *)out); return;
	default: runs_64(ends, (const uint64_t *)values, run, lo, hi, (uint64_t *)out);
	}
}
