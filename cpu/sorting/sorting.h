// The sorting machine: see doc.go. Elements are signed integers of 1, 2, 4 or 8 bytes, whose
// width here is 0 to 3.
#ifndef SORTING_H
#define SORTING_H
#include <stdint.h>

// sorting_order makes an element's bits into its rank, a signed integer that compares as the
// elements do: the bits of flip are inverted, then, in what is negative now, those of fold; less is
// subtracted, and wraps. Ranks above top become top, and the rank zero - 1 becomes zero if
// merge is 1. Where top is INT64_MAX and merge 0 the rank can be turned back into the element.
typedef struct {
	int64_t flip, fold, less;
	int64_t top, zero, merge;
} sorting_order;

// BUCKETS is how many there are at most: more would be more lines on their way to memory than a core has room for.
enum { BUCKETS = 32 };

// A partition of at most SELECTABLE elements is a sort, which costs less than splitting, a sort of 256 included. One of more has room for three times
// its elements and SELECT_MORE.
enum { SELECTABLE = 512, SELECT_MORE = 32 };

// Rows of COUNTED integers and more, which are less than CLOSE apart, are counted.
enum { COUNTED = 1024, CLOSE = 2048 };

// sorting_buckets cuts ranks into 1<<levels buckets: tree[1] splits all, tree[2] and tree[3] its parts,
// and so on; ranks from the splitter on go to the right. Positions that are sorted have a rank above
// the lowest bits: less the bucket's low, shifted to the right.
typedef struct {
	int64_t tree[BUCKETS];
	int64_t low[BUCKETS];
	uint8_t shift[BUCKETS];
	int32_t levels;
	int32_t bits; // of a position
} sorting_buckets;

typedef struct {
	const char *name;
	// By width. Rows of narrow elements have at most 4096.
	void (*rows[4])(const sorting_order *o, const void *x, void *out, int64_t rows, int64_t n);
	void (*sample[4])(const sorting_order *o, const void *x, int64_t n, int64_t *out, int64_t m);
	void (*count[4])(const sorting_order *o, const void *x, int64_t n, const sorting_buckets *b, int64_t *counts, int64_t *range);
	void (*place_positions[4])(const sorting_order *o, const void *x, int64_t first, int64_t n, const sorting_buckets *b, int64_t *next, int64_t *out);
	void (*position_rows[4])(const sorting_order *o, const void *x, int64_t *out, int64_t rows, int64_t n);
	void (*position_bucket[4])(const sorting_order *o, const void *x, int64_t *out, int64_t n, int bits, int cut);
	void (*count_below[4])(const sorting_order *o, const void *x, int64_t n, int64_t low, int64_t high, int64_t *counts);
	void (*split_positions[4])(const sorting_order *o, const void *x, int64_t first, int64_t n, int64_t low, int64_t high, int64_t *next, int64_t *out);
	int64_t (*distinct[4])(const sorting_order *o, void *x, int64_t n, int first, int apart);
	int64_t (*starts[4])(const sorting_order *o, const void *x, int64_t n, int first, int apart, int64_t from, int64_t *out);
	void (*select_places[4])(const sorting_order *o, const void *x, int64_t *out, int64_t n, int64_t kth, int64_t *room);
	// Of 4 and 8 bytes only.
	void (*place[4])(const sorting_order *o, const void *x, int64_t n, const sorting_buckets *b, int64_t *next, void *out);
	void (*bucket[4])(const sorting_order *o, void *x, int64_t n);
	int (*prepare[4])(const sorting_order *o, const void *x, void *out, int64_t n);
	int64_t (*cut[4])(const sorting_order *o, void *x, int64_t n);
	void (*finish[4])(const sorting_order *o, void *x, int64_t n);
	void (*span[4])(const sorting_order *o, const void *x, int64_t n, int64_t *range);
	void (*split[4])(const sorting_order *o, const void *x, int64_t n, int64_t low, int64_t high, int64_t *next, void *out);
	int64_t (*best_end[4])(const sorting_order *o, const void *x, int64_t n, int greatest);
	void (*select_row[4])(const sorting_order *o, const void *x, void *out, int64_t n, int64_t kth, int64_t *room);
} sorting_machine;

extern const sorting_machine sorting_base;
#if defined(__x86_64__)
extern const sorting_machine sorting_v3, sorting_v4;
#endif

// sorting_machines returns the i-th machine, or 0 if this processor has not got its instructions.
const sorting_machine *sorting_machines(int i);

// One call for each function of a machine m.
void sorting_rows(uintptr_t m, const sorting_order *o, int width, const void *x, void *out, int64_t rows, int64_t n);
void sorting_sample(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t *out, int64_t samples);
void sorting_count(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, const sorting_buckets *b, int64_t *counts, int64_t *range);
void sorting_place(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, const sorting_buckets *b, int64_t *next, void *out);
void sorting_bucket(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n);
int sorting_prepare(uintptr_t m, const sorting_order *o, int width, const void *x, void *out, int64_t n);
int64_t sorting_cut(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n);
void sorting_finish(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n);
void sorting_span(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t *range);
void sorting_position_rows(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t *out, int64_t rows, int64_t n);
void sorting_place_positions(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t first, int64_t n, const sorting_buckets *b,
	int64_t *next, int64_t *out);
void sorting_position_bucket(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t *out, int64_t n, int bits, int cut);
void sorting_count_below(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t low, int64_t high, int64_t *counts);
void sorting_split(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int64_t low, int64_t high, int64_t *next, void *out);
void sorting_split_positions(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t first, int64_t n, int64_t low, int64_t high,
	int64_t *next, int64_t *out);
int64_t sorting_best_end(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int greatest);
void sorting_select_row(uintptr_t m, const sorting_order *o, int width, const void *x, void *out, int64_t n, int64_t kth, int64_t *room);
void sorting_select_places(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t *out, int64_t n, int64_t kth, int64_t *room);
int64_t sorting_distinct(uintptr_t m, const sorting_order *o, int width, void *x, int64_t n, int first, int apart);
int64_t sorting_starts(uintptr_t m, const sorting_order *o, int width, const void *x, int64_t n, int first, int apart, int64_t from, int64_t *out);

// On every machine: tallies.c. sorting_tally is for elements of 4 and 8 bytes.
void sorting_tally_8(const uint8_t *x, int64_t n, uint32_t *counts);
void sorting_tally_16(const uint16_t *x, int64_t n, uint32_t *counts, uint32_t *more);
void sorting_tally(int width, const void *x, int64_t n, int64_t least, uint32_t *counts, uint32_t *more);
void sorting_runs(int width, const int64_t *ends, const void *values, int64_t run, int64_t lo, int64_t hi, void *out);
#endif
