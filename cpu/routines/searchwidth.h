// The search of search.c for elements of one width: the includer defines ELEMENT, their bits as an integer, UNSIGNED, the same without
// a sign, and NAME(x), which names a function of this width.

// rank is that of package sorting, in the elements' own width.
static inline ELEMENT NAME(rank)(const weft_ranks *o, ELEMENT x)
{
	x ^= (ELEMENT)o->flip;
	x ^= x < 0 ? (ELEMENT)o->fold : 0;
	x = (ELEMENT)((UNSIGNED)x - (UNSIGNED)o->less);
	ELEMENT top = o->top > NAME(greatest) ? NAME(greatest) : (ELEMENT)o->top;
	x = x > top ? top : x;
	return x + (o->merge && x == (ELEMENT)(o->zero - 1));
}

static inline int NAME(before)(const weft_ranks *o, ELEMENT x, ELEMENT r, int right)
{
	x = NAME(rank)(o, x);
	return (x < r) | ((x == r) & right);
}

// search is without a branch that depends on a key, so that the searches of a block wait for memory together. It is no loop of vectors: where they gather
// at all they do so element by element.
static void NAME(search)(const weft_ranks *o, const ELEMENT *restrict sorted, int64_t n, int right, const ELEMENT *restrict r, int some, int64_t *restrict found)
{
	for (int k = 0; k < some; k++)
		found[k] = 0;
	while (n > 0) {
		int64_t half = (n + 1) / 2;
		const ELEMENT *middle = sorted + half - 1;
		for (int k = 0; k < some; k++)
			found[k] += NAME(before)(o, middle[found[k]], r[k], right) ? half : 0;
		n -= half;
	}
}

// search_ranks is search in ranks.
static void NAME(search_ranks)(const ELEMENT *restrict ranks, int64_t n, int right, const ELEMENT *restrict r, int64_t *restrict found)
{
	for (int k = 0; k < BLOCK; k++)
		found[k] = 0;
	if (right)
		while (n > 0) {
			int64_t half = (n + 1) / 2;
			const ELEMENT *middle = ranks + half - 1;
			for (int k = 0; k < BLOCK; k++)
				found[k] += middle[found[k]] <= r[k] ? half : 0;
			n -= half;
		}
	while (n > 0) {
		int64_t half = (n + 1) / 2;
		const ELEMENT *middle = ranks + half - 1;
		for (int k = 0; k < BLOCK; k++)
			found[k] += middle[found[k]] < r[k] ? half : 0;
		n -= half;
	}
}

EACH_ISA static void NAME(rank_all)(const weft_ranks *o, const ELEMENT *restrict x, int64_t n, ELEMENT *restrict to)
{
	for (int64_t i = 0; i < n; i++)
		to[i] = NAME(rank)(o, x[i]);
}

// count_all has keys go by the sorted ranks one after the other, where there are few of them: a loop of vectors, which counts those that come before.
EACH_ISA static void NAME(count_all)(const weft_ranks *o, const ELEMENT *restrict ranks, int64_t n, int right, int64_t count, const ELEMENT *restrict keys, int64_t *restrict out)
{
	for (int64_t i = 0; i < count; i += BLOCK) {
		const int some = count - i < BLOCK ? (int)(count - i) : BLOCK;
		ELEMENT r[BLOCK];
		UNSIGNED before[BLOCK] = {0};
		if (some == BLOCK)
			for (int k = 0; k < BLOCK; k++)
				r[k] = NAME(rank)(o, keys[i + k]);
		else
			for (int k = 0; k < BLOCK; k++)
				r[k] = NAME(rank)(o, keys[i + (k < some ? k : 0)]);
		if (right)
			for (int64_t j = 0; j < n; j++)
				for (int k = 0; k < BLOCK; k++)
					before[k] += ranks[j] <= r[k];
		else
			for (int64_t j = 0; j < n; j++)
				for (int k = 0; k < BLOCK; k++)
					before[k] += ranks[j] < r[k];
		for (int k = 0; k < some; k++)
			out[i + k] = before[k];
	}
}

// walk does the same for ranks in ascending order, from hint on. It returns 0 where one of them is far from the last one.
static int NAME(walk)(const weft_ranks *o, const ELEMENT *sorted, int64_t n, int right, const ELEMENT *r, int64_t hint, int64_t *found)
{
	if (hint > 0 && !NAME(before)(o, sorted[hint - 1], r[0], right))
		return 0;
	if (hint == n || !NAME(before)(o, sorted[hint], r[BLOCK - 1], right)) {
		for (int k = 0; k < BLOCK; k++)
			found[k] = hint;
		return 1;
	}
	for (int k = 0; k < BLOCK; k++) {
		int left = WALK;
		while (hint < n && NAME(before)(o, sorted[hint], r[k], right)) {
			hint++;
			if (--left == 0)
				return 0;
		}
		found[k] = hint;
	}
	return 1;
}

static void NAME(all)(const weft_ranks *o, const ELEMENT *sorted, int64_t n, int right, int64_t count, const ELEMENT *keys, int64_t *out)
{
	int64_t hint = 0, found[BLOCK];
	ELEMENT r[BLOCK], table[TABLE];
	int ranked = n <= TABLE && n <= 8 * count; // a rank costs more than a comparison, and each search has some
	if (ranked)
		NAME(rank_all)(o, sorted, n, table);
	if (n <= COUNTED && ranked) {
		NAME(count_all)(o, table, n, right, count, keys, out);
		return;
	}
	for (int64_t i = 0; i < count; i += BLOCK) {
		int64_t some = count - i < BLOCK ? count - i : BLOCK;
		int ascending = 1;
		for (int k = 0; k < BLOCK; k++)
			r[k] = NAME(rank)(o, keys[i + (k < some ? k : some - 1)]);
		for (int k = 1; k < BLOCK; k++)
			ascending &= r[k - 1] <= r[k];
		if (!ascending || !NAME(walk)(o, sorted, n, right, r, hint, found)) {
			if (ranked)
				NAME(search_ranks)(table, n, right, r, found);
			else
				NAME(search)(o, sorted, n, right, r, (int)some, found);
		}
		hint = found[some - 1];
		memcpy(out + i, found, some * sizeof *out);
	}
}

#undef ELEMENT
#undef UNSIGNED
#undef NAME
