// What looks at elements, for one width: E is the signed integer, U the unsigned one, of BITS bits, and
// G(name) the name for them.

static inline int64_t G(rank)(const sorting_order *o, E x) {
	x ^= (E)o->flip;
	x ^= (E)((E)(x >> (BITS - 1)) & (E)o->fold);
	int64_t r = (E)((U)x - (U)o->less);
	r = r > o->top ? o->top : r;
	return r + (o->merge & (r == o->zero - 1));
}

static inline E G(element)(const sorting_order *o, E rank) {
	E x = (E)((U)rank + (U)o->less);
	x ^= (E)((E)(x >> (BITS - 1)) & (E)o->fold);
	return x ^ (E)o->flip;
}

// key is the rank where it can be turned back; in an element's own width, for vectors.
static inline E G(key)(const sorting_order *o, E x) {
	x ^= (E)o->flip;
	x ^= (E)((E)(x >> (BITS - 1)) & (E)o->fold);
	return (E)((U)x - (U)o->less);
}

static void G(ranks)(const sorting_order *order, const E *x, int64_t n, int64_t *ranks) {
	const sorting_order o = *order;
	for (int64_t i = 0; i < n; i++) ranks[i] = G(rank)(&o, x[i]);
}

static void G(sample)(const sorting_order *o, const void *data, int64_t n, int64_t *out, int64_t m) {
	const E *x = (const E *)data;
	uint32_t seed = (uint32_t)n;
	for (int64_t i = 0; i < m; i++) {
		int64_t from = i * n / m, part = n / m;
		seed = seed * 1664525u + 1013904223u;
		out[i] = x[from + (int64_t)((uint64_t)seed * (uint64_t)part >> 32)];
	}
#if BITS == 64
	if (floats_64(o) && copy_of_numbers(out, out, m)) { // whose ranks are in the same order
		sort_numbers(out, m);
		G(ranks)(o, out, m, out);
		return;
	}
#endif
	for (int64_t i = 0; i < m; i++) out[i] = G(rank)(o, (E)out[i]);
	sort_64(out, m);
}

static void G(count)(const sorting_order *o, const void *data, int64_t n, const sorting_buckets *b, int64_t *counts, int64_t *range) {
	const E *x = (const E *)data;
	int64_t ranks[BLOCK], more[BUCKETS] = {0}, low = INT64_MAX, high = INT64_MIN;
	uint8_t ids[BLOCK];
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t m = n - i < BLOCK ? n - i : BLOCK;
		G(ranks)(o, x + i, m, ranks);
		for (int64_t k = 0; k < m; k++) {
			low = ranks[k] < low ? ranks[k] : low;
			high = ranks[k] > high ? ranks[k] : high;
		}
		classify(b, ranks, m, ids);
		tally(ids, m, counts, more);
	}
	for (int k = 0; k < 1 << b->levels; k++) counts[k] += more[k];
	range[0] = low;
	range[1] = high;
}

static void G(place_positions)(const sorting_order *o, const void *data, int64_t first, int64_t n, const sorting_buckets *b, int64_t *next, int64_t *out) {
	const E *x = (const E *)data;
	int64_t ranks[BLOCK];
	uint8_t ids[BLOCK];
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t m = n - i < BLOCK ? n - i : BLOCK;
		G(ranks)(o, x + i, m, ranks);
		classify(b, ranks, m, ids);
		for (int64_t k = 0; k < m; k++) {
			int64_t id = ids[k];
			uint64_t rank = ((uint64_t)ranks[k] - (uint64_t)b->low[id]) >> b->shift[id];
			out[next[id]++] = (int64_t)(rank << b->bits | (uint64_t)(first + i + k));
		}
	}
}

static void G(count_below)(const sorting_order *o, const void *data, int64_t n, int64_t low, int64_t high, int64_t *counts) {
	const E *x = (const E *)data;
	int64_t ranks[BLOCK];
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t m = n - i < BLOCK ? n - i : BLOCK, below = 0, not = 0;
		G(ranks)(o, x + i, m, ranks);
		for (int64_t k = 0; k < m; k++) {
			below += ranks[k] < low;
			not += ranks[k] >= high;
		}
		counts[0] += below;
		counts[1] += m - below - not;
		counts[2] += not;
	}
}

static void G(split_positions)(const sorting_order *o, const void *data, int64_t first, int64_t n, int64_t low, int64_t high, int64_t *next, int64_t *out) {
	const E *x = (const E *)data;
	int64_t ranks[BLOCK], at[BLOCK], *to[3] = {out + next[0], out + next[1], out + next[2]};
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t m = n - i < BLOCK ? n - i : BLOCK;
		G(ranks)(o, x + i, m, ranks);
		for (int64_t k = 0; k < m; k++) at[k] = first + i + k;
		three_64(ranks, at, m, low, high, to);
	}
}

// settle makes positions of what was sorted by rank and position, where ranks were cut to fit: runs whose
// ranks look equal are sorted by their whole ranks.
static void G(settle)(const sorting_order *o, const E *x, int64_t *out, int64_t n, int bits, int cut);

// by_rank sorts positions, which ascend, by the ranks of their elements.
static void G(by_rank)(const sorting_order *o, const E *x, int64_t *out, int64_t n, int bits) {
	if (n <= 16) {
		int64_t ranks[16];
		for (int64_t i = 0; i < n; i++) {
			int64_t at = out[i], rank = G(rank)(o, x[at]), j = i;
			for (; j > 0 && rank < ranks[j - 1]; j--) {
				ranks[j] = ranks[j - 1];
				out[j] = out[j - 1];
			}
			ranks[j] = rank;
			out[j] = at;
		}
		return;
	}
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (int64_t i = 0; i < n; i++) {
		int64_t rank = G(rank)(o, x[out[i]]);
		low = rank < low ? rank : low;
		high = rank > high ? rank : high;
	}
	if (low == high) return;
	int width = 64 - __builtin_clzll((uint64_t)high - (uint64_t)low), shift = width > 63 - bits ? width - (63 - bits) : 0;
	for (int64_t i = 0; i < n; i++)
		out[i] = (int64_t)(((uint64_t)G(rank)(o, x[out[i]]) - (uint64_t)low) >> shift << bits | (uint64_t)out[i]);
	sort_64(out, n);
	G(settle)(o, x, out, n, bits, shift != 0);
}

static void G(settle)(const sorting_order *o, const E *x, int64_t *out, int64_t n, int bits, int cut) {
	const int64_t position = ((int64_t)1 << bits) - 1;
	int64_t start = 0;
	for (int64_t i = 1; cut && i <= n; i++) {
		if (i < n && (out[i] ^ out[i - 1]) >> bits == 0) continue;
		if (i - start > 1) {
			for (int64_t k = start; k < i; k++) out[k] &= position;
			G(by_rank)(o, x, out + start, i - start, bits);
		}
		start = i;
	}
	for (int64_t i = 0; i < n; i++) out[i] &= position;
}

static void G(position_bucket)(const sorting_order *o, const void *x, int64_t *out, int64_t n, int bits, int cut) {
	sort_64(out, n);
	G(settle)(o, (const E *)x, out, n, bits, cut);
}

static void G(position_rows)(const sorting_order *o, const void *data, int64_t *out, int64_t rows, int64_t n) {
	const E *x = (const E *)data;
	int bits = n > 1 ? 64 - __builtin_clzll((uint64_t)n - 1) : 1;
	for (; rows > 0; rows--, x += n, out += n) {
		int64_t low = INT64_MAX, high = INT64_MIN;
		G(ranks)(o, x, n, out);
		for (int64_t i = 0; i < n; i++) {
			low = out[i] < low ? out[i] : low;
			high = out[i] > high ? out[i] : high;
		}
		int width = low == high ? 0 : 64 - __builtin_clzll((uint64_t)high - (uint64_t)low), shift = width > 63 - bits ? width - (63 - bits) : 0;
		for (int64_t i = 0; i < n; i++) out[i] = (int64_t)(((uint64_t)out[i] - (uint64_t)low) >> shift << bits | (uint64_t)i);
		if (width > 0) sort_64(out, n);
		G(settle)(o, x, out, n, bits, shift > 0);
	}
}

// bracket_of a row; the sample is in room meanwhile.
static bracket G(bracket)(const sorting_order *o, const E *x, int64_t n, int64_t kth, int64_t *room) {
	const int bits = samples_of(n);
	G(sample)(o, x, n, room, (int64_t)1 << bits);
	return bracket_of(room, bits, kth, n);
}

// select_places writes the places of a row's elements, so that the wanted one stands where it does in the sorted row: see select.h.
static void G(select_places)(const sorting_order *order, const void *data, int64_t *out, int64_t n, int64_t kth, int64_t *room) {
	const sorting_order o = *order, plain = {.top = INT64_MAX};
	const E *x = (const E *)data;
	if (n <= SELECTABLE) {
		G(position_rows)(order, x, out, 1, n);
		return;
	}
	const bracket b = G(bracket)(order, x, n, kth, room);
	int64_t ranks[BLOCK], at[BLOCK], start;
	int64_t *parts[3] = {out, room, room + n + VECTOR / 8}, *to[3] = {parts[0], parts[1], parts[2]};
	for (int64_t i = BITS == 64 ? apart_first(order, (const int64_t *)x, n, b, 1, to) : 0; i < n; i += BLOCK) {
		int64_t some = n - i < BLOCK ? n - i : BLOCK;
		G(ranks)(&o, x + i, some, ranks);
		for (int64_t k = 0; k < some; k++) at[k] = i + k;
		(i + BLOCK < n ? apart_64 : three_64)(ranks, at, some, b.low, b.high, to); // out has no room behind its end
	}
	const int64_t lengths[3] = {to[0] - parts[0], to[1] - parts[1], to[2] - parts[2]};
	const int part = join((char *)out, parts[1], parts[2], lengths, sizeof *out, kth, &start);
	if (part == 1 && alike(b)) return;
	const int64_t m = lengths[part];
	int64_t *from = room, *keys = room + m, *sorted = room + 2 * m;
	out += start;
	memcpy(from, out, (size_t)m * sizeof *from);
	for (int64_t i = 0; i < m; i++) keys[i] = G(rank)(&o, x[from[i]]);
	if (m <= n / 2)
		select_places_64(&plain, keys, sorted, m, kth - start, room + 3 * m);
	else
		position_rows_64(&plain, keys, sorted, 1, m);
	for (int64_t i = 0; i < m; i++) out[i] = from[sorted[i]];
}

// others calls USE(i, m, at) for each block of sorted elements, from the i-th on, with the m places in it where one stands that is not the one before it;
// first says so of the first.
#define OTHERS(USE) \
	int64_t ranks[BLOCK + 8], at[BLOCK + 8], before = 0; \
	for (int64_t i = 0; i < n; i += BLOCK) { \
		const int64_t some = n - i < BLOCK ? n - i : BLOCK; \
		G(ranks)(o, x + i, some, ranks + 1); \
		ranks[0] = i > 0 ? before : first ? ~ranks[1] : ranks[1]; \
		before = ranks[some]; \
		int64_t m = begins(ranks, some, o->top, apart, at); \
		USE \
	}

static int64_t G(distinct)(const sorting_order *o, void *data, int64_t n, int first, int apart) {
	E *x = (E *)data;
	int64_t kept = 0;
	OTHERS(
		for (int64_t k = 0; (m < some || kept < i) && k < m; k++) x[kept + k] = x[i + at[k]];
		kept += m;
	)
	return kept;
}

static int64_t G(starts)(const sorting_order *o, const void *data, int64_t n, int first, int apart, int64_t from, int64_t *out) {
	const E *x = (const E *)data;
	int64_t found = 0;
	OTHERS(
		for (int64_t k = 0; k < m; k++) out[found + k] = from + i + at[k];
		found += m;
	)
	return found;
}
#undef OTHERS

// beside sorts BESIDE rows of few elements at once, which stand beside each other as the lanes of vectors, by Batcher's network for any length (Knuth,
// The Art of Computer Programming, vol. 3, 5.2.2, algorithm M). No row waits for another one's branches.
static void G(beside)(const sorting_order *order, const E *x, E *out, int64_t n) {
	const sorting_order o = *order;
	_Alignas(64) E lane[SHORT_ROW][BESIDE];
	for (int64_t k = 0; k < BESIDE; k++)
		for (int64_t i = 0; i < n; i++) lane[i][k] = x[k * n + i];
	for (int64_t i = 0; i < n; i++)
		for (int k = 0; k < BESIDE; k++) lane[i][k] = G(key)(&o, lane[i][k]);
	int64_t most = 1;
	while (2 * most < n) most *= 2;
	for (int64_t p = most; p > 0; p /= 2)
		for (int64_t q = most, r = 0, d = p;; d = q - p, q /= 2, r = p) {
			for (int64_t i = 0; i < n - d; i++) {
				if ((i & p) != r) continue;
				E *a = lane[i], *b = lane[i + d];
				for (int k = 0; k < BESIDE; k++) {
					E u = a[k], v = b[k];
					a[k] = u < v ? u : v;
					b[k] = u < v ? v : u;
				}
			}
			if (q == p) break;
		}
	for (int64_t i = 0; i < n; i++)
		for (int k = 0; k < BESIDE; k++) lane[i][k] = G(element)(&o, lane[i][k]);
	for (int64_t k = 0; k < BESIDE; k++)
		for (int64_t i = 0; i < n; i++) out[k * n + i] = lane[i][k];
}

// short_rows sorts as many rows as it has vectors for, and returns how many.
static int64_t G(short_rows)(const sorting_order *o, const E *x, E *out, int64_t rows, int64_t n) {
	int64_t done = 0;
	if (n > 1 && n <= SHORT_ROW && VECTOR > 16)
		for (; done + BESIDE <= rows; done += BESIDE) G(beside)(o, x + done * n, out + done * n, n);
	return done;
}

#if BITS >= 32
static void G(place)(const sorting_order *o, const void *data, int64_t n, const sorting_buckets *b, int64_t *next, void *out) {
	const E *x = (const E *)data;
	E *to = (E *)out;
	int64_t ranks[BLOCK];
	uint8_t ids[BLOCK];
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t m = n - i < BLOCK ? n - i : BLOCK;
		G(ranks)(o, x + i, m, ranks);
		classify(b, ranks, m, ids);
		for (int64_t k = 0; k < m; k++) to[next[ids[k]]++] = x[i + k];
	}
}

// prepare writes n elements to out as what cut and finish ask for, and says whether there is such a thing: of float64 numbers alone, of others their
// keys. out may be where they are.
static int G(prepare)(const sorting_order *order, const void *data, void *result, int64_t n) {
	const sorting_order o = *order;
	const E *x = (const E *)data;
	E *out = (E *)result;
#if BITS == 64
	if (floats_64(order)) return copy_of_numbers(x, out, n);
#endif
	for (int64_t i = 0; i < n; i++) out[i] = G(key)(&o, x[i]);
	return 1;
}

// cut moves the elements that are less than one of them to the front, and returns how many there are: n where none is less.
static int64_t G(cut_at)(const sorting_order *order, void *data, int64_t n) {
#if BITS == 64
	if (floats_64(order)) return cut_numbers((E *)data, n);
#endif
	(void)order;
	return G(cut)((E *)data, n);
}

// finish sorts what was prepared, and leaves elements.
static void G(finish)(const sorting_order *order, void *data, int64_t n) {
	const sorting_order o = *order;
	E *x = (E *)data;
#if BITS == 64
	if (floats_64(order)) {
		sort_numbers(x, n);
		return;
	}
#endif
	G(sort)(x, n);
	for (int64_t i = 0; i < n; i++) x[i] = G(element)(&o, x[i]);
}

// span finds the least and the greatest key of n elements.
static void G(span)(const sorting_order *order, const void *data, int64_t n, int64_t *range) {
	const sorting_order o = *order;
	const E *x = (const E *)data;
	E low = G(key)(&o, x[0]), high = low;
	for (int64_t i = 1; i < n; i++) {
		E k = G(key)(&o, x[i]);
		low = k < low ? k : low;
		high = k > high ? k : high;
	}
	range[0] = low;
	range[1] = high;
}

// counted writes n integers to out, sorted, if there are few different ones that lie close together: it counts each. It says whether it did.
static int G(counted)(const sorting_order *order, const E *x, E *out, int64_t n) {
	if (order->fold != 0 || n < COUNTED) return 0;
	int64_t range[2], at = 0;
	uint32_t counts[CLOSE] = {0}, more[CLOSE] = {0};
	G(span)(order, x, n, range);
	const uint64_t last = (uint64_t)range[1] - (uint64_t)range[0];
	if (last >= CLOSE || (int64_t)last >= n / 4) return 0;
	const uint64_t least = (uint64_t)(int64_t)G(element)(order, (E)range[0]);
	sorting_tally(BITS == 64 ? 3 : 2, x, n, (int64_t)least, counts, more);
	for (uint64_t k = 0; k <= last; k++) { // a run is written in stretches that may reach into the next one, which comes later
		const E v = (E)(least + k);
		const int64_t end = at + counts[k] + more[k];
		for (; at < end && at + 8 <= n; at += 8)
			for (int i = 0; i < 8; i++) out[at + i] = v;
		for (; at < end; at++) out[at] = v;
		at = end;
	}
	return 1;
}

// sorted writes n elements to out, sorted; it may be where they are.
static void G(sorted)(const sorting_order *order, const E *x, E *out, int64_t n) {
	const sorting_order o = *order;
	if (G(counted)(order, x, out, n)) return;
	if (G(prepare)(order, x, out, n)) {
		G(finish)(order, out, n);
		return;
	}
	for (int64_t i = 0; i < n; i++) out[i] = G(key)(&o, x[i]);
	G(sort)(out, n);
	for (int64_t i = 0; i < n; i++) out[i] = G(element)(&o, out[i]);
}

static void G(bucket)(const sorting_order *order, void *data, int64_t n) { G(sorted)(order, (const E *)data, (E *)data, n); }

static void G(rows)(const sorting_order *order, const void *data, void *result, int64_t rows, int64_t n) {
	const E *x = (const E *)data;
	E *out = (E *)result;
	int64_t done = G(short_rows)(order, x, out, rows, n);
	for (rows -= done, x += done * n, out += done * n; rows > 0; rows--, x += n, out += n) G(sorted)(order, x, out, n);
}

static void G(split)(const sorting_order *o, const void *data, int64_t n, int64_t low, int64_t high, int64_t *next, void *out) {
	const E *x = (const E *)data;
	E *to[3] = {(E *)out + next[0], (E *)out + next[1], (E *)out + next[2]};
	int64_t ranks[BLOCK], what[BLOCK];
	for (int64_t i = 0; i < n; i += BLOCK) {
		int64_t m = n - i < BLOCK ? n - i : BLOCK;
		G(ranks)(o, x + i, m, ranks);
		for (int64_t k = 0; k < m; k++) what[k] = x[i + k];
		G(three)(ranks, what, m, low, high, to);
	}
}

// best_end is the place of the first of the least elements, or of the greatest, by keys: what it is comes from vectors, and where it is then, too.
static int64_t G(best_end)(const sorting_order *order, const void *data, int64_t n, int greatest) {
	enum { TOGETHER = 64 };
	const sorting_order o = *order;
	const E *x = (const E *)data;
	int64_t range[2], i = 0;
	G(span)(order, x, n, range);
	const E best = (E)range[greatest];
	for (; i + TOGETHER <= n; i += TOGETHER) {
		E found = 0;
		for (int k = 0; k < TOGETHER; k++) found |= G(key)(&o, x[i + k]) == best;
		if (found) break;
	}
	while (i < n - 1 && G(key)(&o, x[i]) != best) i++; // within them, whatever another process writes meanwhile
	return i;
}

// select_row writes a row's elements, so that the wanted one stands where it does in the sorted row: see select.h.
static void G(select_row)(const sorting_order *order, const void *data, void *result, int64_t n, int64_t kth, int64_t *room) {
	const sorting_order o = *order;
	const E *x = (const E *)data;
	E *out = (E *)result;
	if (n <= SELECTABLE) {
		G(rows)(order, x, out, 1, n);
		return;
	}
	const bracket b = G(bracket)(order, x, n, kth, room);
	int64_t ranks[BLOCK], what[BLOCK], start;
	E *parts[3] = {out, (E *)room, (E *)(room + n + VECTOR / 8)}, *to[3] = {parts[0], parts[1], parts[2]};
	int64_t done = 0;
#if BITS == 64
	done = apart_first(order, x, n, b, 0, to);
#endif
	for (int64_t i = done; i < n; i += BLOCK) {
		int64_t some = n - i < BLOCK ? n - i : BLOCK;
		G(ranks)(&o, x + i, some, ranks);
		for (int64_t k = 0; k < some; k++) what[k] = x[i + k];
		(i + BLOCK < n ? G(apart) : G(three))(ranks, what, some, b.low, b.high, to); // out has no room behind its end
	}
	const int64_t lengths[3] = {to[0] - parts[0], to[1] - parts[1], to[2] - parts[2]};
	const int part = join((char *)out, parts[1], parts[2], lengths, sizeof *out, kth, &start);
	if (part == 1 && alike(b)) return;
	const int64_t m = lengths[part];
	out += start;
	kth -= start;
	if (kth == 0 || kth == m - 1) {
		int64_t at = G(best_end)(&o, out, m, kth > 0);
		E best = out[at];
		out[at] = out[kth];
		out[kth] = best;
		return;
	}
	memcpy(room, out, (size_t)m * sizeof *out);
	if (m <= n / 2)
		G(select_row)(order, room, out, m, kth, room + m);
	else
		G(rows)(order, room, out, 1, m);
}
#else
// Narrow elements are sorted as 32 bits, a row of at most NARROW at a time.
static void G(rows)(const sorting_order *order, const void *data, void *result, int64_t rows, int64_t n) {
	const sorting_order o = *order;
	const E *x = (const E *)data;
	E *out = (E *)result;
	int32_t wide[NARROW];
	int64_t done = G(short_rows)(order, x, out, rows, n);
	for (rows -= done, x += done * n, out += done * n; rows > 0; rows--, x += n, out += n) {
		for (int64_t i = 0; i < n; i++) wide[i] = G(key)(&o, x[i]);
		sort_32(wide, n);
		for (int64_t i = 0; i < n; i++) out[i] = G(element)(&o, (E)wide[i]);
	}
}
#endif
