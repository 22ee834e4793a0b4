// Magnitudes of float64 in vectors of 256 bits, with the bits of w_hypot_f64, which TestAccuracy and TestMagnitudes compare. The compiler's own
// reading of that scales every pair. Here pairs that lie where squares stay in range, as those of most programs do, go without, and a vector
// in which one does not is w_hypot_f64's.

static inline __m256d size_of(__m256d x) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x); }

// moderate_hypot is w_hypot_f64 where large is neither huge nor tiny, so that its scales are 1.
static inline __m256d moderate_hypot(__m256d large, __m256d small) {
	__m256d first = _mm256_mul_pd(large, large);
	__m256d root = _mm256_sqrt_pd(_mm256_fmadd_pd(large, large, _mm256_mul_pd(small, small))), square = _mm256_mul_pd(root, root);
	__m256d excess = _mm256_sub_pd(_mm256_add_pd(_mm256_fnmadd_pd(small, small, _mm256_sub_pd(square, first)), _mm256_fmsub_pd(root, root, square)),
		_mm256_fmsub_pd(large, large, first));
	return _mm256_sub_pd(root, _mm256_div_pd(excess, _mm256_add_pd(root, root)));
}

static __attribute__((noinline)) void hypot_rare(double *d, __m256d x, __m256d y) {
	double p[4], q[4];
	_mm256_storeu_pd(p, x);
	_mm256_storeu_pd(q, y);
	for (int i = 0; i < 4; i++) d[i] = w_hypot_f64(p[i], q[i]);
}

static inline void hypot_four(double *d, __m256d x, __m256d y) {
	__m256d ax = size_of(x), ay = size_of(y), large = _mm256_max_pd(ax, ay), small = _mm256_min_pd(ax, ay);
	__m256d moderate = _mm256_and_pd(_mm256_cmp_pd(large, _mm256_set1_pd(0x1p500), _CMP_LE_OQ), _mm256_cmp_pd(large, _mm256_set1_pd(0x1p-400), _CMP_GE_OQ));
	moderate = _mm256_and_pd(moderate, _mm256_cmp_pd(x, y, _CMP_ORD_Q));
	if (__builtin_expect(_mm256_movemask_pd(moderate) == 0xf, 1))
		_mm256_storeu_pd(d, moderate_hypot(large, small));
	else
		hypot_rare(d, x, y);
}

static void hypot_f64_vv(int64_t n, char *const *p) {
	double *d = (double *)p[0];
	const double *a = (const double *)p[1], *b = (const double *)p[2];
	for (; n >= 4; n -= 4, d += 4, a += 4, b += 4) hypot_four(d, _mm256_loadu_pd(a), _mm256_loadu_pd(b));
	for (int64_t i = 0; i < n; i++) d[i] = w_hypot_f64(a[i], b[i]);
}
PRIMITIVE(hypot_f64, 2, {sizeof(double), sizeof(double), sizeof(double)}, {{0, hypot_f64_vv, 0}}, 0)

static void abs_c128_v(int64_t n, char *const *p) {
	double *d = (double *)p[0];
	const double *a = (const double *)p[1];
	for (; n >= 4; n -= 4, d += 4, a += 8) {
		__m256d low = _mm256_loadu_pd(a), high = _mm256_loadu_pd(a + 4); // 0r 0i 1r 1i, 2r 2i 3r 3i
		__m256d even = _mm256_permute2f128_pd(low, high, 0x20), odd = _mm256_permute2f128_pd(low, high, 0x31);
		hypot_four(d, _mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd));
	}
	for (int64_t i = 0; i < n; i++) d[i] = w_hypot_f64(a[2 * i], a[2 * i + 1]);
}
PRIMITIVE(abs_c128, 1, {sizeof(double), sizeof(c128)}, {{0, abs_c128_v, 0}}, 0)
