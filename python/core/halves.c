//go:build extension

// Integers of PCG64, many at a time, with NumPy's bits: each is the upper half of a product with 32 bits (Lemire, 2019), which are thrown away where
// its lower half is one of a few. The words are drawn together, and each gives two integers, its lower half first. What NumPy keeps of a
// word that is half used stays NumPy's: its own function reads it, and leaves it.
#include "shim.h"
#include "few.h"
#include <string.h>

enum { BLOCK = 1024 };

// bounds are what integers are made with.
typedef struct {
	uint64_t low;
	uint32_t count, few; // count numbers, from low on; lower halves that are thrown away
} bounds;

// one_by_one takes halves until there are n integers or no more halves: how many it used; *made is how many integers it made.
static int64_t one_by_one(const bounds *b, int64_t halves, const uint32_t *half, int64_t n, uint64_t *to, int64_t *made)
{
	int64_t k = 0;
	for (*made = 0; k < halves && *made < n; k++)
		*made += eager_bounded(1, half + k, b->count, b->few, b->low, to + *made);
	return k;
}

int weft_pcg_integers(weft_pcg *pcg, void *state, uint32_t (*next)(void *state), int64_t low, uint32_t most, int64_t n, int64_t *out)
{
	_Alignas(64) uint32_t halves[2 * BLOCK];
	uint64_t *words = (uint64_t *)halves, *to = (uint64_t *)out;
	weft_pcg start = *pcg;
	int64_t i = 0, made;
	if (most == UINT32_MAX || !weft_pcg_words(pcg, 1, words)) // whether there is code for it
		return 0;
	*pcg = start;
	const bounds b = {(uint64_t)low, most + 1, (UINT32_MAX - most) % (most + 1)};
	halves[0] = next(state);
	int kept = memcmp(&start, pcg, sizeof start) == 0; // it was left of a word before
	if (!kept)
		halves[1] = next(state);
	one_by_one(&b, 2 - kept, halves, n, to, &i);
	while (i < n) {
		int64_t pairs = (n - i - 1) / 2, m = pairs < 1 ? 1 : pairs < BLOCK ? pairs : BLOCK;
		start = *pcg;
		weft_pcg_words(pcg, m, words);
		if (pairs > 0 && eager_bounded(2 * m, halves, b.count, b.few, b.low, to + i)) {
			i += 2 * m;
			continue;
		}
		int64_t used = one_by_one(&b, 2 * m, halves, n - i, to + i, &made);
		i += made;
		weft_pcg_step(&start, (uint64_t)(used - 1) / 2);
		*pcg = start;
		next(state); // of the last word, which NumPy remembers
		if (used % 2 == 0)
			next(state);
	}
	return 1;
}
