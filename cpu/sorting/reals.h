// Rows of float64 that are all numbers are sorted as what they are: processors find the smaller of two floats in one step, and of two integers of
// 64 bits in two or three, and no element becomes a rank and is turned back. What a comparison does not tell apart, -0.0 and 0.0, is put in order
// afterwards. So the row is the one that its ranks give; rows with NaNs are sorted by these.

#if VECTOR > 16
// usual_floats has the thread compare small floats as they are, which a library may have turned off, and returns what sort_numbers puts back: with it
// go the flags that comparisons raise.
static inline unsigned usual_floats(void) {
	enum { USUAL = 0x1f80 };
	unsigned before = _mm_getcsr();
	_mm_setcsr(USUAL);
	return before;
}

// copy_of_numbers copies n elements, and says whether all are numbers.
static int copy_of_numbers(const int64_t *x, int64_t *out, int64_t n) {
	const int64_t infinity = 0x7ff0000000000000;
	int64_t beyond = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t v = x[i];
		beyond |= infinity - (v & INT64_MAX); // negative for a NaN
		out[i] = v;
	}
	return beyond >= 0;
}

// first_from is the place of the first of n sorted numbers that is not less than zero, or, if greater says so, that is greater.
static int64_t first_from(const real *x, int64_t n, int greater) {
	int64_t low = 0;
	while (low < n) {
		int64_t at = low + (n - low) / 2;
		if (x[at] < 0 || (greater && x[at] == 0)) low = at + 1;
		else n = at;
	}
	return low;
}

// sort_numbers sorts n elements that are numbers.
static void sort_numbers(int64_t *x, int64_t n) {
	real *numbers = (real *)x;
	const unsigned before = usual_floats();
	sort_real(numbers, n);
	const int64_t start = first_from(numbers, n, 0), end = start < n && numbers[start] == 0 ? start + first_from(numbers + start, n - start, 1) : start;
	int64_t negative = 0;
	for (int64_t i = start; i < end; i++) negative += x[i] < 0;
	for (int64_t i = start; i < end; i++) x[i] = i - start < negative ? INT64_MIN : 0;
	_mm_setcsr(before);
}

static int64_t cut_numbers(int64_t *x, int64_t n) {
	const unsigned before = usual_floats();
	int64_t less = cut_real((real *)x, n);
	_mm_setcsr(before);
	return less;
}
#else
static int copy_of_numbers(const int64_t *x, int64_t *out, int64_t n) {
	(void)x, (void)out;
	return n == 0;
}
static void sort_numbers(int64_t *x, int64_t n) { (void)x, (void)n; }
static int64_t cut_numbers(int64_t *x, int64_t n) {
	(void)x;
	return n;
}
#endif

// floats_64 says of an order of 64 bits that it is that of floats.
static inline int floats_64(const sorting_order *o) { return o->fold == INT64_MAX; }
