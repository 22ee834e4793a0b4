// Quicksort, of T; F(name) is the name for its width. MOST is the greatest T, and above the next greater one.

static void F(sift)(T *a, int64_t n, int64_t i) {
	T x = a[i];
	for (int64_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && a[child] < a[child + 1];
		if (a[child] <= x) break;
		a[i] = a[child];
	}
	a[i] = x;
}

static void F(heapsort)(T *a, int64_t n) {
	for (int64_t i = n / 2; i-- > 0;) F(sift)(a, n, i);
	for (int64_t end = n - 1; end > 0; end--) {
		T x = a[end];
		a[end] = a[0];
		a[0] = x;
		F(sift)(a, end, 0);
	}
}

// pivot is the median of a sample: one element out of each of 16 to 64 parts, at a place that looks random.
static T F(pivot)(const T *a, int64_t n) {
	T some[64];
	const int64_t parts = n < 4096 ? 16 : F(SHORT) < 64 ? F(SHORT) : 64, part = n / parts;
	uint32_t seed = (uint32_t)n;
	for (int64_t i = 0; i < parts; i++) {
		seed = seed * 1664525u + 1013904223u;
		some[i] = a[i * part + (int64_t)((uint64_t)seed * (uint64_t)(uint32_t)(part < 1 << 30 ? part : 1 << 30) >> 32)];
	}
	F(short_sort)(some, parts);
	return some[parts / 2];
}

static int F(ascending)(const T *a, int64_t n) {
	for (int64_t i = 1; i < n;) {
		int64_t end = i + 64 < n ? i + 64 : n;
		int wrong = 0;
		for (; i < end; i++) wrong |= a[i] < a[i - 1];
		if (wrong) return 0;
	}
	return 1;
}

// quicksort sorts; after so many bad pivots it is a heapsort.
static void F(quicksort)(T *a, int64_t n, int bad) {
	while (n > F(SHORT)) {
		T p = F(pivot)(a, n);
		int64_t less = F(partition)(a, n, p);
		if (less == 0) { // p is the least: those that equal it come first
			if (p == F(MOST)) return;
			less = F(partition)(a, n, F(above)(p));
		} else {
			F(quicksort)(a, less, bad);
		}
		if ((less < n / 16 || n - less < n / 16) && --bad < 0) {
			F(heapsort)(a + less, n - less);
			return;
		}
		a += less;
		n -= less;
	}
	F(short_sort)(a, n);
}

// cut moves the elements that are less than one of them to the front, and returns how many there are: n where none is less, or there are few.
static int64_t F(cut)(T *a, int64_t n) {
	if (n <= F(SHORT)) return n;
	T p = F(pivot)(a, n);
	int64_t less = F(partition)(a, n, p);
	return less > 0 ? less : p == F(MOST) ? n : F(partition)(a, n, F(above)(p));
}

static void F(sort)(T *a, int64_t n) {
	if (n > F(SHORT) && F(ascending)(a, n)) return;
	int bad = 8;
	for (int64_t m = n; m > 1; m /= 2) bad++;
	F(quicksort)(a, n, bad);
}
