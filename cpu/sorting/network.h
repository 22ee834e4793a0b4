// Sorting networks: up to NETWORK vectors in registers. T is the element and F(name) the name for its width.
//
// The vectors are the rows of a matrix. Its columns are sorted by a network across registers; then
// columns, and groups of them, are merged in pairs, which is bitonic: the second of two is read
// backwards, so that no step but the few between columns moves anything. Last, the matrix is turned.

// columns sorts by odd-even merging (Batcher).
static inline __attribute__((always_inline)) void F(columns)(V *v, const int runs) {
#define X(i, j) F(exchange)(&v[i], &v[j]);
	if (runs >= 2) { X(0, 1) }
	if (runs >= 4) { X(2, 3) X(0, 2) X(1, 3) X(1, 2) }
	if (runs >= 8) {
		X(4, 5) X(6, 7) X(4, 6) X(5, 7) X(5, 6)
		X(0, 4) X(1, 5) X(2, 6) X(3, 7) X(2, 4) X(3, 5) X(1, 2) X(3, 4) X(5, 6)
	}
	if (runs >= 16) {
		X(8, 9) X(10, 11) X(8, 10) X(9, 11) X(9, 10)
		X(12, 13) X(14, 15) X(12, 14) X(13, 15) X(13, 14)
		X(8, 12) X(9, 13) X(10, 14) X(11, 15) X(10, 12) X(11, 13) X(9, 10) X(11, 12) X(13, 14)
		X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15)
		X(4, 8) X(5, 9) X(6, 10) X(7, 11)
		X(2, 4) X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(11, 13)
		X(1, 2) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(13, 14)
	}
#undef X
}

// merge merges groups of so many columns in pairs.
static inline __attribute__((always_inline)) void F(merge)(V *v, const int runs, const int columns) {
	const int turn = 2 * columns - 1;
#pragma GCC unroll 8
	for (int i = 0; i < runs / 2; i++) {
		V *x = &v[i], *y = &v[runs - 1 - i], rest;
		*x = F(halves)(*x, F(across)(*y, turn), columns, &rest);
		*y = F(across)(rest, turn);
	}
#pragma GCC unroll 4
	for (int d = columns / 2; d > 0; d /= 2)
#pragma GCC unroll 16
		for (int i = 0; i < runs; i++) {
			V rest;
			v[i] = F(halves)(v[i], F(across)(v[i], d), d, &rest);
		}
#pragma GCC unroll 4
	for (int d = runs / 2; d > 0; d /= 2)
#pragma GCC unroll 16
		for (int i = 0; i < runs; i++)
			if (!(i & d)) F(exchange)(&v[i], &v[i + d]);
}

// turn makes rows of columns: each pass rotates the bits of (row, column) by one.
static inline __attribute__((always_inline)) void F(turn)(V *v, const int runs) {
#pragma GCC unroll 4
	for (int pass = 1; pass < runs; pass *= 2) {
		V w[16];
#pragma GCC unroll 8
		for (int i = 0; i < runs / 2; i++) {
			w[2 * i] = v[i];
			w[2 * i + 1] = v[i + runs / 2];
			F(weave)(&w[2 * i], &w[2 * i + 1]);
		}
#pragma GCC unroll 16
		for (int i = 0; i < runs; i++) v[i] = w[i];
	}
}

static inline __attribute__((always_inline)) void F(network)(T *a, int64_t n, const int runs) {
	V v[16];
#pragma GCC unroll 16
	for (int i = 0; i < runs; i++) {
		int64_t left = n - i * F(LANES);
		v[i] = i < runs / 2 ? F(load)(a + i * F(LANES)) : F(load_part)(a + i * F(LANES), left < 0 ? 0 : left > F(LANES) ? F(LANES) : left);
	}
	F(columns)(v, runs);
#pragma GCC unroll 4
	for (int columns = 1; columns < F(LANES); columns *= 2) F(merge)(v, runs, columns);
	F(turn)(v, runs);
#pragma GCC unroll 16
	for (int i = 0; i < runs; i++) {
		int64_t left = n - i * F(LANES);
		if (i < runs / 2) F(store)(a + i * F(LANES), v[i]);
		else F(store_part)(a + i * F(LANES), left < 0 ? 0 : left > F(LANES) ? F(LANES) : left, v[i]);
	}
}

// One function for each size, so that each has the registers for itself.
static __attribute__((noinline)) void F(network2)(T *a, int64_t n) { F(network)(a, n, 2); }
static __attribute__((noinline)) void F(network4)(T *a, int64_t n) { F(network)(a, n, 4); }
static __attribute__((noinline)) void F(network8)(T *a, int64_t n) { F(network)(a, n, 8); }
#if NETWORK >= 16
static __attribute__((noinline)) void F(network16)(T *a, int64_t n) { F(network)(a, n, 16); }
#endif

enum { F(FULL) = NETWORK * F(LANES), F(SHORT) = 2 * F(FULL) };

// network_sort sorts up to FULL elements.
static inline void F(network_sort)(T *a, int64_t n) {
	if (n <= F(LANES)) {
		T some[2 * F(LANES)];
		F(store)(some, F(load_part)(a, n));
		F(store)(some + F(LANES), F(fill)(F(MOST)));
		F(network2)(some, 2 * F(LANES));
		F(store_part)(a, n, F(load)(some));
	} else if (n <= 2 * F(LANES)) F(network2)(a, n);
	else if (n <= 4 * F(LANES)) F(network4)(a, n);
	else if (NETWORK == 8 || n <= 8 * F(LANES)) F(network8)(a, n);
#if NETWORK >= 16
	else F(network16)(a, n);
#endif
}

// merged sorts vectors that first ascend and then descend, or the other way around.
static inline __attribute__((always_inline)) void F(merged)(V *v, const int runs) {
#pragma GCC unroll 4
	for (int d = runs / 2; d > 0; d /= 2)
#pragma GCC unroll 16
		for (int i = 0; i < runs; i++)
			if (!(i & d)) F(exchange)(&v[i], &v[i + d]);
#pragma GCC unroll 4
	for (int d = F(LANES) / 2; d > 0; d /= 2)
#pragma GCC unroll 16
		for (int i = 0; i < runs; i++) {
			V rest;
			v[i] = F(halves)(v[i], F(across)(v[i], d), d, &rest);
		}
}

// merge_two merges the first FULL of n elements, which are sorted, with the others, which are, too. That takes less than a partition of so many.
static __attribute__((noinline)) void F(merge_two)(T *a, int64_t n) {
	T high[F(FULL)];
	V v[NETWORK];
#pragma GCC unroll 16
	for (int i = 0; i < NETWORK; i++) {
		const int64_t at = 2 * F(FULL) - (i + 1) * F(LANES), left = n - at;
		V other = F(across)(left >= F(LANES) ? F(load)(a + at) : F(load_part)(a + at, left < 0 ? 0 : left), F(LANES) - 1);
		v[i] = F(load)(a + i * F(LANES));
		F(exchange)(&v[i], &other);
		F(store)(high + i * F(LANES), other);
	}
	F(merged)(v, NETWORK);
#pragma GCC unroll 16
	for (int i = 0; i < NETWORK; i++) F(store)(a + i * F(LANES), v[i]);
#pragma GCC unroll 16
	for (int i = 0; i < NETWORK; i++) v[i] = F(load)(high + i * F(LANES));
	F(merged)(v, NETWORK);
#pragma GCC unroll 16
	for (int i = 0; i < NETWORK; i++) {
		const int64_t at = F(FULL) + i * F(LANES), left = n - at;
		if (left >= F(LANES)) F(store)(a + at, v[i]);
		else if (left > 0) F(store_part)(a + at, left, v[i]);
	}
}

// short_sort sorts up to SHORT elements.
static inline void F(short_sort)(T *a, int64_t n) {
	F(network_sort)(a, n < F(FULL) ? n : F(FULL));
	if (n <= F(FULL)) return;
	F(network_sort)(a + F(FULL), n - F(FULL));
	F(merge_two)(a, n);
}
