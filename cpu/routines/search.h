// The search for many keys; see search.c.
#include <stdint.h>

// weft_ranks is sorting.Order.
typedef struct {
	int64_t flip, fold, less;
	int64_t top, zero, merge;
} weft_ranks;

// weft_search writes to out where each of count keys would be inserted into n sorted elements of size bytes: before those of its rank, or
// behind them where right says so.
void weft_search(const weft_ranks *o, int size, const void *sorted, int64_t n, int right, int64_t count, const void *keys, int64_t *out);
