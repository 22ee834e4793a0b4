// What network.h and partition.h do, in plain C.

enum { F(SHORT) = 24 };

static void F(short_sort)(T *a, int64_t n) {
	for (int64_t i = 1; i < n; i++) {
		T x = a[i];
		int64_t j = i;
		for (; j > 0 && x < a[j - 1]; j--) a[j] = a[j - 1];
		a[j] = x;
	}
}

// partition has no branch that depends on the data: half of them would be guessed wrong.
static int64_t F(partition)(T *a, int64_t n, T pivot) {
	int64_t less = 0;
	for (int64_t i = 0; i < n; i++) {
		T x = a[i];
		a[i] = a[less];
		a[less] = x;
		less += x < pivot;
	}
	return less;
}
