// Partition in place by vectors. T is the element and F(name) the name for its width.

enum { F(UNROLL) = 4, F(BLOCK) = F(UNROLL) * F(LANES) };

// partition moves the elements that are less than p to the front, and returns how many there are.
// There are at least two blocks.
//
// The first and the last block are held in registers, so that there is room for two blocks at the
// ends, and what is read next comes from the end that has less room: both then have room for what a
// block writes. A block is read before the one in hand is written: its address waits for nothing.
static int64_t F(partition)(T *a, int64_t n, T pivot) {
	const V p = F(fill)(pivot);
	const int64_t tail = n % F(LANES);
	T *left = a, *right = a + n, *lo = a + F(BLOCK), *hi = right - tail - F(BLOCK); // written up to; not yet read
	V in_hand[F(UNROLL)], kept[F(UNROLL)], rest = F(load_part)(right - tail, tail);
#pragma GCC unroll 8
	for (int i = 0; i < F(UNROLL); i++) {
		in_hand[i] = F(load)(a + i * F(LANES));
		kept[i] = F(load)(hi + i * F(LANES));
	}
	for (int64_t odd = (hi - lo) / F(LANES) % F(UNROLL); odd > 0; odd--) {
		int64_t k = F(part)(F(load)(lo), p, left, right);
		left += k;
		right -= F(LANES) - k;
		lo += F(LANES);
	}
	while (lo < hi) {
		const int64_t from_lo = -(int64_t)(lo - left <= right - hi);
		const T *from = (const T *)(((uintptr_t)lo & from_lo) | ((uintptr_t)(hi - F(BLOCK)) & ~from_lo));
		lo += F(BLOCK) & from_lo;
		hi -= F(BLOCK) & ~from_lo;
		for (int i = 1; i <= F(UNROLL); i++) { // which end is next shows late, and what lies beyond the cache must be on its way by then
			__builtin_prefetch(lo + F(BLOCK) + i * F(LANES));
			__builtin_prefetch(hi - 2 * F(BLOCK) - i * F(LANES));
		}
		V next[F(UNROLL)];
#pragma GCC unroll 8
		for (int i = 0; i < F(UNROLL); i++) next[i] = F(load)(from + i * F(LANES));
#pragma GCC unroll 8
		for (int i = 0; i < F(UNROLL); i++) {
			int64_t k = F(part)(in_hand[i], p, left, right);
			left += k;
			right -= F(LANES) - k;
			in_hand[i] = next[i];
		}
	}
#pragma GCC unroll 16
	for (int i = 0; i < 2 * F(UNROLL); i++) {
		V v = i < F(UNROLL) ? in_hand[i] : kept[i - F(UNROLL)];
		int64_t k = i < 2 * F(UNROLL) - 1 ? F(part)(v, p, left, right) : F(part_of)(v, p, F(LANES), left, right);
		left += k;
		right -= F(LANES) - k;
	}
	left += F(part_of)(rest, p, tail, left, right);
	return left - a;
}
