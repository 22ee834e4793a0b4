// A partition of a row around the element of one place, on one processor: elements.h has it for each width. Its steps are those of
// cpu/routines/partition.go, which shares longer rows among processors: everything stands in the same place.
//
//	x    b a a m b a m a a     b: below low, m: not less than low and below high, a: the others
//	out  b b m m a a a a a     each in x's order; the part that has the wanted place goes on by itself
//
// Where a part goes on, it has been copied out of the way, and the parts' room is free again: a part of more than half a row is sorted, so that
// 3 * n + SELECT_MORE elements of 8 bytes are enough for a row of n.

// join puts the middle part and the rest behind the first one, which is in out already; lengths are in elements of unit bytes. It returns the part
// that has the wanted place, and where that starts.
static inline int join(char *out, const void *middle, const void *rest, const int64_t lengths[3], int64_t unit, int64_t kth, int64_t *start) {
	const int64_t starts[3] = {0, lengths[0], lengths[0] + lengths[1]};
	memcpy(out + starts[1] * unit, middle, (size_t)(lengths[1] * unit));
	memcpy(out + starts[2] * unit, rest, (size_t)(lengths[2] * unit));
	int part = (kth >= starts[1]) + (kth >= starts[2]);
	*start = starts[part];
	return part;
}

// samples_of is the base 2 logarithm of how many elements a sample has, of a row that is not short.
static inline int samples_of(int64_t n) {
	int bits = 8;
	while (bits < 12 && (int64_t)1 << bits < n / 64) bits++;
	return bits;
}

// bracket_of are ranks around that of the wanted element, from a sorted sample of 1 << bits: it is most likely not less than low, and less than
// high. The number of a sample's elements below it has a deviation of half the sample's root at most, of which these are three and more.
typedef struct {
	int64_t low, high;
} bracket;

static bracket bracket_of(const int64_t *sample, int bits, int64_t kth, int64_t n) {
	static const int64_t deviations[] = {25, 34, 49, 68, 97};
	const int64_t samples = (int64_t)1 << bits, at = (int64_t)((double)kth / (double)n * (double)samples), off = deviations[bits - 8];
	bracket b = {at - off >= 0 ? sample[at - off] : INT64_MIN, at + off < samples ? sample[at + off] : INT64_MAX};
	if (b.high <= b.low && b.low < INT64_MAX) b.high = b.low + 1;
	return b;
}

// alike says of the middle part that all of its elements are.
static inline int alike(bracket b) { return (uint64_t)b.high - (uint64_t)b.low == 1; }

// apart_first moves a row's elements of 8 bytes, or their places, to three parts as apart does, whose ranks it makes on the way, up to the row's last block,
// and returns how many these are.
#if VECTOR == 64
static inline __attribute__((always_inline)) int64_t apart_first(const sorting_order *o, const int64_t *x, int64_t n, bracket b, const int places, int64_t **to) {
	const V low = fill_64(b.low), high = fill_64(b.high), flip = fill_64(o->flip), fold = fill_64(o->fold), less = fill_64(o->less);
	const V top = fill_64(o->top), before_zero = fill_64(o->zero - 1);
	const __mmask8 merge = o->merge ? 0xff : 0;
	const int64_t end = (n - 1) / BLOCK * BLOCK;
	int64_t *below = to[0], *middle = to[1], *rest = to[2];
	V at = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	for (int64_t i = 0; i < end; i += 8) {
		V v = load_64(x + i), rank = _mm512_xor_si512(v, flip);
		rank = _mm512_sub_epi64(_mm512_xor_si512(rank, _mm512_and_si512(_mm512_srai_epi64(rank, 63), fold)), less);
		if (places) { // whose order sees no difference between NaNs, nor between zeros
			rank = _mm512_min_epi64(rank, top);
			rank = _mm512_mask_add_epi64(rank, merge & _mm512_cmpeq_epi64_mask(rank, before_zero), rank, fill_64(1));
			v = at;
			at = _mm512_add_epi64(at, fill_64(8));
		}
		const __mmask8 is_below = _mm512_cmplt_epi64_mask(rank, low), is_rest = _mm512_cmpge_epi64_mask(rank, high) & (__mmask8)~is_below;
		const __mmask8 is_middle = (__mmask8)~(is_below | is_rest);
		store_64(below, _mm512_maskz_compress_epi64(is_below, v));
		store_64(middle, _mm512_maskz_compress_epi64(is_middle, v));
		store_64(rest, _mm512_maskz_compress_epi64(is_rest, v));
		below += _mm_popcnt_u32(is_below);
		middle += _mm_popcnt_u32(is_middle);
		rest += _mm_popcnt_u32(is_rest);
	}
	to[0] = below, to[1] = middle, to[2] = rest;
	return end;
}
#elif VECTOR == 32
static inline __attribute__((always_inline)) int64_t apart_first(const sorting_order *o, const int64_t *x, int64_t n, bracket b, const int places, int64_t **to) {
	const V low = fill_64(b.low), high = fill_64(b.high), flip = fill_64(o->flip), fold = fill_64(o->fold), less = fill_64(o->less);
	const V top = fill_64(o->top), before_zero = fill_64(o->zero - 1), merge = fill_64(-o->merge), none = _mm256_setzero_si256();
	const int64_t end = (n - 1) / BLOCK * BLOCK;
	int64_t *below = to[0], *middle = to[1], *rest = to[2];
	V at = _mm256_setr_epi64x(0, 1, 2, 3);
	for (int64_t i = 0; i < end; i += 4) {
		V v = load_64(x + i), rank = _mm256_xor_si256(v, flip);
		rank = _mm256_sub_epi64(_mm256_xor_si256(rank, _mm256_and_si256(_mm256_cmpgt_epi64(none, rank), fold)), less);
		if (places) {
			rank = _mm256_blendv_epi8(rank, top, _mm256_cmpgt_epi64(rank, top));
			rank = _mm256_sub_epi64(rank, _mm256_and_si256(merge, _mm256_cmpeq_epi64(rank, before_zero)));
			v = at;
			at = _mm256_add_epi64(at, fill_64(4));
		}
		const unsigned is_below = mask_64(_mm256_cmpgt_epi64(low, rank)), is_rest = mask_64(_mm256_cmpgt_epi64(high, rank)) ^ 15;
		put_64(&below, v, is_below);
		put_64(&middle, v, 15 & ~(is_below | is_rest));
		put_64(&rest, v, is_rest & ~is_below);
	}
	to[0] = below, to[1] = middle, to[2] = rest;
	return end;
}
#else
static inline int64_t apart_first(const sorting_order *o, const int64_t *x, int64_t n, bracket b, const int places, int64_t **to) {
	(void)o, (void)x, (void)n, (void)b, (void)places, (void)to;
	return 0;
}
#endif

// Of ranks, by which a part of places goes on.
static void position_rows_64(const sorting_order *o, const void *data, int64_t *out, int64_t rows, int64_t n);
static void select_places_64(const sorting_order *o, const void *data, int64_t *out, int64_t n, int64_t kth, int64_t *room);
