// A partition of a row around the element of one place, on one processor: elements.h has it for each width. Its steps are those of
// cpu/routines/partition.go, which shares longer rows among processors: everything stands in the same place.
//
//	x    b a a m b a m a a     b: below low, m: not less than low and below high, a: the others
//	out  b b m m a a a a a     each in x's order; the part that has the wanted place goes on by itself
//
// Where a part goes on, it has been copied out of the way, and the parts' room is free again: a part of more than half a row is sorted, so that
// 3 * n + SELECT_MORE elements of 8 bytes are enough for a row of n.

// starts_of are where parts of these lengths begin; the wanted place is in the one that is returned.
static inline int starts_of(const int64_t lengths[3], int64_t kth, int64_t starts[3]) {
	starts[0] = 0;
	for (int k = 1; k < 3; k++) starts[k] = starts[k - 1] + lengths[k - 1];
	return (kth >= starts[1]) + (kth >= starts[2]);
}

// samples_of is the base 2 logarithm of how many elements a sample has, of a row that is not short.
static inline int samples_of(int64_t n) {
	int bits = 8;
	while (bits < 12 && (int64_t)1 << bits < n / 64) bits++;
	return bits;
}

// bracket_of are ranks around that of the wanted element, from a sorted sample of 1 << bits: it is most likely not less than low, and less than
// high. The number of a sample's elements below it has a deviation of half the sample's root at most, of which these are three and more.
static void bracket_of(const int64_t *sample, int bits, int64_t kth, int64_t n, int64_t *low, int64_t *high) {
	static const int64_t deviations[] = {25, 34, 49, 68, 97};
	const int64_t samples = (int64_t)1 << bits, at = (int64_t)((double)kth / (double)n * (double)samples), off = deviations[bits - 8];
	*low = at - off >= 0 ? sample[at - off] : INT64_MIN;
	*high = at + off < samples ? sample[at + off] : INT64_MAX;
	if (*high <= *low && *low < INT64_MAX) *high = *low + 1;
}

// Of ranks, by which a part of places goes on.
static void position_rows_64(const sorting_order *o, const void *data, int64_t *out, int64_t rows, int64_t n);
static void select_places_64(const sorting_order *o, const void *data, int64_t *out, int64_t n, int64_t kth, int64_t *room);
