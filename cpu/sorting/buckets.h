// Ranks, cut into many buckets or into three parts. What has a block of ranks has at most BLOCK.

enum { BLOCK = 512 };

// bucket_of is the descent through the tree, without branches.
static inline int64_t bucket_of(const sorting_buckets *b, int64_t rank) {
	int64_t at = 1;
	for (int level = 0; level < b->levels; level++) at = 2 * at + (rank >= b->tree[at]);
	return at - ((int64_t)1 << b->levels);
}

#if VECTOR == 64
// Each level of the tree is one or two vectors, and looking up eight places in them is a
// permutation; the descent does not touch memory.
static inline V splitters_at(const int64_t *t, int level, V at) {
	switch (level) {
	case 0:
	case 1:
	case 2: return _mm512_permutexvar_epi64(at, load_64(t));
	case 3: return _mm512_permutexvar_epi64(at, load_64(t + 8));
	default: return _mm512_permutex2var_epi64(load_64(t + 16), at, load_64(t + 24));
	}
}

static inline __attribute__((always_inline)) void descend(const sorting_buckets *b, const int64_t *ranks, int64_t n, uint8_t *ids, const int levels) {
	for (int64_t i = 0; i < n; i += 32) { // what is behind n is read, and its bucket never used
		V at[4];
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++) at[k] = fill_64(1);
#pragma GCC unroll 5
		for (int level = 0; level < levels; level++)
#pragma GCC unroll 4
			for (int k = 0; k < 4; k++) {
				__mmask8 right = _mm512_cmpge_epi64_mask(load_64(ranks + i + 8 * k), splitters_at(b->tree, level, at[k]));
				at[k] = _mm512_add_epi64(at[k], at[k]);
				at[k] = _mm512_mask_add_epi64(at[k], right, at[k], fill_64(1));
			}
#pragma GCC unroll 4
		for (int k = 0; k < 4; k++)
			_mm_storel_epi64((__m128i *)(ids + i + 8 * k), _mm512_cvtepi64_epi8(_mm512_sub_epi64(at[k], fill_64(1 << levels))));
	}
}

static void classify(const sorting_buckets *b, const int64_t *ranks, int64_t n, uint8_t *ids) {
	switch (b->levels) {
	case 3: descend(b, ranks, n, ids, 3); return;
	case 4: descend(b, ranks, n, ids, 4); return;
	case 5: descend(b, ranks, n, ids, 5); return;
	}
	for (int64_t i = 0; i < n; i++) ids[i] = (uint8_t)bucket_of(b, ranks[i]);
}
#else
static void classify(const sorting_buckets *b, const int64_t *ranks, int64_t n, uint8_t *ids) {
	int64_t i = 0;
	for (; i + 8 <= n; i += 8) { // side by side, since each descent waits for memory at every level
		int64_t at[8] = {1, 1, 1, 1, 1, 1, 1, 1};
		for (int level = 0; level < b->levels; level++)
			for (int k = 0; k < 8; k++) at[k] = 2 * at[k] + (ranks[i + k] >= b->tree[at[k]]);
		for (int k = 0; k < 8; k++) ids[i + k] = (uint8_t)(at[k] - ((int64_t)1 << b->levels));
	}
	for (; i < n; i++) ids[i] = (uint8_t)bucket_of(b, ranks[i]);
}
#endif

// tally counts each bucket. Two tables, since neighbours are often in the same one.
static void tally(const uint8_t *ids, int64_t n, int64_t *counts, int64_t *more) {
	int64_t i = 0;
	for (; i + 2 <= n; i += 2) {
		counts[ids[i]]++;
		more[ids[i + 1]]++;
	}
	if (i < n) counts[ids[i]]++;
}

// three moves what each rank belongs to into one of three parts: ranks below low, below high, others.
#if VECTOR == 64
// The parts that the next 8 ranks belong to, or the n that are left.
static inline void parts_of(const int64_t *ranks, int64_t n, V low, V high, __mmask8 *part) {
	__mmask8 all = first_64(n < 8 ? n : 8);
	V rank = load_64(ranks);
	part[0] = _mm512_mask_cmplt_epi64_mask(all, rank, low);
	part[2] = _mm512_mask_cmpge_epi64_mask(all, rank, high);
	part[1] = all ^ part[0] ^ part[2];
}

// CUT is one way to move: STORE(to, m, x) puts the first m lanes of x to an address, and whatever it likes behind them.
#define CUT(name, bits, STORE) \
	static inline void name##_##bits(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int##bits##_t **to) { \
		const V l = fill_64(low), h = fill_64(high); \
		for (int64_t i = 0; i < n; i += 8) { \
			V x = load_64(what + i); \
			__mmask8 part[3]; \
			parts_of(ranks + i, n - i, l, h, part); \
			_Pragma("GCC unroll 3") for (int k = 0; k < 3; k++) { \
				int64_t m = _mm_popcnt_u32(part[k]); \
				STORE(to[k], m, _mm512_maskz_compress_epi64(part[k], x)); \
				to[k] += m; \
			} \
		} \
	}
#define FIRST_64(to, m, x) _mm512_mask_storeu_epi64(to, first_64(m), x)
#define FIRST_32(to, m, x) _mm256_mask_storeu_epi32(to, first_64(m), _mm512_cvtepi64_epi32(x))
CUT(three, 64, FIRST_64)
CUT(three, 32, FIRST_32)

// apart does what three does where each part has room for eight elements more than it gets: so whole vectors are stored, of which the next one overwrites
// what is too much. A part never gets more than were read, so that there is room in a row's result too, up to the block before the last.
_Static_assert(BLOCK % 8 == 0, "a block is whole vectors");
#define WHOLE_64(to, m, x) store_64(to, x)
#define WHOLE_32(to, m, x) _mm256_storeu_si256((__m256i *)(to), _mm512_cvtepi64_epi32(x))
CUT(apart, 64, WHOLE_64)
CUT(apart, 32, WHOLE_32)
#undef CUT
#undef FIRST_64
#undef FIRST_32
#undef WHOLE_64
#undef WHOLE_32
#else
static inline void each_64(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int64_t **to) {
	for (int64_t i = 0; i < n; i++) *to[(ranks[i] >= low) + (ranks[i] >= high)]++ = what[i];
}

static inline void each_32(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int32_t **to) {
	for (int64_t i = 0; i < n; i++) *to[(ranks[i] >= low) + (ranks[i] >= high)]++ = (int32_t)what[i];
}

#if VECTOR == 32
// apart is what it is above. Four ranks become two masks, from which those of the parts follow. Of the eight places of 32 bits that a vector has,
// the first four are what matters.
#define APART(bits, laid_out) \
	static inline void apart_##bits(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int##bits##_t **to) { \
		const V l = fill_64(low), h = fill_64(high); \
		int64_t i = 0; \
		int##bits##_t *below = to[0], *middle = to[1], *rest = to[2]; \
		for (; i + 4 <= n; i += 4) { \
			const V rank = load_64(ranks + i), x = laid_out(load_64(what + i)); \
			const unsigned is_below = mask_64(_mm256_cmpgt_epi64(l, rank)), is_rest = mask_64(_mm256_cmpgt_epi64(h, rank)) ^ 15; \
			put_##bits(&below, x, is_below); \
			put_##bits(&middle, x, 15 & ~(is_below | is_rest)); \
			put_##bits(&rest, x, is_rest & ~is_below); \
		} \
		to[0] = below, to[1] = middle, to[2] = rest; \
		each_##bits(ranks + i, what + i, n - i, low, high, to); \
	}
#define WHOLE(x) (x)
#define NARROWED(x) _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7))
APART(64, WHOLE)
APART(32, NARROWED)
#undef NARROWED
#undef WHOLE
#undef APART
_Static_assert(BLOCK % 4 == 0, "a block is whole vectors of ranks");

// three has no room behind a part, and goes by way of some that has: a store of some lanes of a vector takes as long as a dozen whole ones.
#define THREE(bits) \
	static inline void three_##bits(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int##bits##_t **to) { \
		int##bits##_t some[3][BLOCK + 8], *ends[3] = {some[0], some[1], some[2]}; \
		apart_##bits(ranks, what, n, low, high, ends); \
		for (int k = 0; k < 3; k++) { \
			memcpy(to[k], some[k], (size_t)(ends[k] - some[k]) * sizeof **some); \
			to[k] += ends[k] - some[k]; \
		} \
	}
THREE(64)
THREE(32)
#undef THREE
#else
static inline void three_64(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int64_t **to) { each_64(ranks, what, n, low, high, to); }
static inline void three_32(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int32_t **to) { each_32(ranks, what, n, low, high, to); }
static inline void apart_64(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int64_t **to) { each_64(ranks, what, n, low, high, to); }
static inline void apart_32(const int64_t *ranks, const int64_t *what, int64_t n, int64_t low, int64_t high, int32_t **to) { each_32(ranks, what, n, low, high, to); }
#endif
#endif

// begins writes where among n ranks, before the first of which stands another one, there is one that differs from the one before it, or, if apart says
// so, that is top; out has room for eight places more. It returns how many there are.
#if VECTOR == 64
static inline int64_t begins(const int64_t *ranks, int64_t n, int64_t top, int apart, int64_t *out) {
	const V last = fill_64(top);
	const __mmask8 alone = apart ? 0xff : 0;
	V at = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	int64_t found = 0;
	for (int64_t i = 0; i < n; i += 8) {
		V rank = load_64(ranks + i + 1);
		__mmask8 m = first_64(n - i < 8 ? n - i : 8) & (_mm512_cmpneq_epi64_mask(rank, load_64(ranks + i)) | (alone & _mm512_cmpeq_epi64_mask(rank, last)));
		store_64(out + found, _mm512_maskz_compress_epi64(m, at));
		found += _mm_popcnt_u32(m);
		at = _mm512_add_epi64(at, fill_64(8));
	}
	return found;
}
#else
static inline int64_t begins(const int64_t *ranks, int64_t n, int64_t top, int apart, int64_t *out) {
	int64_t found = 0;
	for (int64_t i = 0; i < n; i++) {
		out[found] = i;
		found += (ranks[i + 1] != ranks[i]) | (apart & (ranks[i + 1] == top));
	}
	return found;
}
#endif
