// Magnitudes of float64 in vectors of 512 bits, with the bits of w_hypot_f64, which TestAccuracy compares. Vectors of which no element has to be
// scaled are those of most programs. What the root is put right by is less than its last place, so that it decides between the root and a
// neighbour: where a quotient that is a little too large and one that is a little too small decide alike, so does the exact one, which takes
// as long as the root to compute.

static inline __m512d moderate_hypot(__m512d a, __m512d b, __mmask8 *doubtful) {
	__m512d first = _mm512_mul_pd(a, a), root = _mm512_sqrt_pd(_mm512_fmadd_pd(a, a, _mm512_mul_pd(b, b))), square = _mm512_mul_pd(root, root);
	__m512d excess = _mm512_sub_pd(_mm512_add_pd(_mm512_fnmadd_pd(b, b, _mm512_sub_pd(square, first)), _mm512_fmsub_pd(root, root, square)),
		_mm512_fmsub_pd(a, a, first));
	__m512d q = _mm512_mul_pd(excess, _mm512_rcp14_pd(_mm512_add_pd(root, root)));
	__m512d least = _mm512_fnmadd_pd(q, _mm512_set1_pd(1 - 0x1p-12), root), most = _mm512_fnmadd_pd(q, _mm512_set1_pd(1 + 0x1p-12), root);
	*doubtful = _mm512_cmp_pd_mask(least, most, _CMP_NEQ_UQ);
	return least;
}

// hypot_rare is w_hypot_f64 of the pairs that mask names, with its quotient: where a root is doubtful, and of what has to be scaled or is no finite number. NaNs
// are told apart by their bits, which follow from the order of operands: those that come of infinities are the same in any order.
static __attribute__((noinline)) void hypot_rare(double *d, __mmask8 mask, __m512d x, __m512d y) {
	const __m512i nan = _mm512_set1_epi64(0x7ff8000000000000);
	__m512d ax = _mm512_abs_pd(x), ay = _mm512_abs_pd(y), one = _mm512_set1_pd(1), infinity = _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff0000000000000));
	__m512d large = _mm512_max_pd(ax, ay), small = _mm512_min_pd(ax, ay);
	__mmask8 huge = _mm512_cmp_pd_mask(large, _mm512_set1_pd(0x1p500), _CMP_GT_OQ), tiny = _mm512_cmp_pd_mask(large, _mm512_set1_pd(0x1p-400), _CMP_LT_OQ);
	__m512d scale = _mm512_mask_mov_pd(_mm512_mask_mov_pd(one, huge, _mm512_set1_pd(0x1p-600)), tiny, _mm512_set1_pd(0x1p600));
	__m512d back = _mm512_mask_mov_pd(_mm512_mask_mov_pd(one, huge, _mm512_set1_pd(0x1p600)), tiny, _mm512_set1_pd(0x1p-600));
	__m512d a = _mm512_mul_pd(large, scale), b = _mm512_mul_pd(small, scale);
	__m512d first = _mm512_mul_pd(a, a), root = _mm512_sqrt_pd(_mm512_fmadd_pd(a, a, _mm512_mul_pd(b, b))), square = _mm512_mul_pd(root, root);
	__m512d excess = _mm512_sub_pd(_mm512_add_pd(_mm512_fnmadd_pd(b, b, _mm512_sub_pd(square, first)), _mm512_fmsub_pd(root, root, square)),
		_mm512_fmsub_pd(a, a, first));
	__m512d twice = _mm512_mask_add_pd(one, _mm512_cmp_pd_mask(root, _mm512_setzero_pd(), _CMP_GT_OQ), root, root);
	__m512d size = _mm512_mul_pd(_mm512_sub_pd(root, _mm512_div_pd(excess, twice)), back);
	__mmask8 infinite = _mm512_cmp_pd_mask(ax, infinity, _CMP_EQ_OQ) | _mm512_cmp_pd_mask(ay, infinity, _CMP_EQ_OQ);
	__mmask8 xnan = _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q), ynan = _mm512_cmp_pd_mask(y, y, _CMP_UNORD_Q);
	__mmask8 odd = ((xnan & _mm512_cmpneq_epi64_mask(_mm512_castpd_si512(ax), nan)) | (ynan & _mm512_cmpneq_epi64_mask(_mm512_castpd_si512(ay), nan))) & ~infinite;
	size = _mm512_mask_mov_pd(_mm512_mask_mov_pd(size, xnan | ynan, _mm512_castsi512_pd(nan)), infinite, infinity);
	_mm512_mask_storeu_pd(d, mask & ~odd, size);
	if (odd & mask) {
		double p[8], q[8];
		_mm512_storeu_pd(p, x);
		_mm512_storeu_pd(q, y);
		for (int i = 0; i < 8; i++)
			if (odd & mask & 1 << i)
				d[i] = w_hypot_f64(p[i], q[i]);
	}
}

// hypot_some puts the magnitudes of eight pairs or fewer, of which mask says which they are.
static inline void hypot_some(double *d, __mmask8 mask, __m512d x, __m512d y) {
	__m512d ax = _mm512_abs_pd(x), ay = _mm512_abs_pd(y), large = _mm512_max_pd(ax, ay);
	__mmask8 wild = _mm512_cmp_pd_mask(large, _mm512_set1_pd(0x1p500), _CMP_NLE_UQ) | _mm512_cmp_pd_mask(large, _mm512_set1_pd(0x1p-400), _CMP_NGE_UQ) |
		_mm512_cmp_pd_mask(x, y, _CMP_UNORD_Q);
	__mmask8 doubtful;
	_mm512_mask_storeu_pd(d, mask, moderate_hypot(large, _mm512_min_pd(ax, ay), &doubtful));
	if (__builtin_expect((wild | doubtful) & mask, 0))
		hypot_rare(d, (wild | doubtful) & mask, x, y);
}

static void hypot_f64_vv(int64_t n, char *const *p) {
	double *d = (double *)p[0];
	const double *a = (const double *)p[1], *b = (const double *)p[2];
	const __m512d ones = _mm512_set1_pd(1);
	for (int64_t i = 0; i < n; i += 8) {
		__mmask8 m = n - i < 8 ? (__mmask8)((1u << (n - i)) - 1) : 0xff;
		hypot_some(d + i, m, _mm512_mask_loadu_pd(ones, m, a + i), _mm512_mask_loadu_pd(ones, m, b + i)); // 1 raises no flag
	}
}
PRIMITIVE(hypot_f64, 2, {sizeof(double), sizeof(double), sizeof(double)}, {{0, hypot_f64_vv, 0}}, 0)

static void abs_c128_v(int64_t n, char *const *p) {
	double *d = (double *)p[0];
	const double *a = (const double *)p[1];
	const __m512d ones = _mm512_set1_pd(1);
	const __m512i evens = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), odds = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
	for (int64_t i = 0; i < n; i += 8) {
		uint32_t m = n - i < 8 ? (1u << (n - i)) - 1 : 0xff, twice = n - i < 8 ? (1u << 2 * (n - i)) - 1 : 0xffff;
		__m512d low = _mm512_mask_loadu_pd(ones, (__mmask8)twice, a + 2 * i), high = _mm512_mask_loadu_pd(ones, (__mmask8)(twice >> 8), a + 2 * i + 8);
		hypot_some(d + i, (__mmask8)m, _mm512_permutex2var_pd(low, evens, high), _mm512_permutex2var_pd(low, odds, high));
	}
}
PRIMITIVE(abs_c128, 1, {sizeof(double), sizeof(c128)}, {{0, abs_c128_v, 0}}, 0)
