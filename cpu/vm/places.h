// Generators draw numbers by their places in a stream. Places mostly lie side by side, once each,
// or twice where elements take halves of numbers: then a whole run is drawn at once.

// places_side returns how many of the n places at p lie side by side from the first on, each of them 1 << times
// times in a row, looking at sixteen at a time. None lie behind the largest integer.
static inline int64_t places_side(const uint64_t *p, int64_t n, int times) {
	uint64_t first = p[0];
	if (~first < (uint64_t)n) n = 1;
	int64_t side = 0;
	for (; side + 16 <= n; side += 16) {
		uint64_t off = 0;
		for (int k = 0; k < 16; k++) off |= p[side + k] ^ (first + (uint64_t)((side + k) >> times));
		if (off) break;
	}
	while (side < n && p[side] == first + (uint64_t)(side >> times)) side++;
	return side;
}
