// log of float64 in vectors of 512 bits: the steps of w_log_f64, but for how a number is taken apart and what becomes of those that have no
// logarithm. These are one instruction each there, for every exponent. The bits are the same, which TestAccuracy compares.

static inline __m512d log_doubles(__m512d x) {
	__m512d k = _mm512_getexp_pd(x), m = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
	__m512d one = _mm512_set1_pd(1.0), half = _mm512_set1_pd(0.5);
	__mmask8 large = _mm512_cmp_pd_mask(m, _mm512_set1_pd(0x1.6a09ep+0), _CMP_GE_OQ);
	m = _mm512_mask_mul_pd(m, large, m, half);
	k = _mm512_mask_add_pd(k, large, k, one);

	__m512d n = _mm512_sub_pd(m, one), s = _mm512_div_pd(n, _mm512_add_pd(n, _mm512_set1_pd(2.0)));
	__m512d halved = _mm512_mul_pd(half, n), square = _mm512_mul_pd(halved, n);
	__m512d z = _mm512_mul_pd(s, s), w = _mm512_mul_pd(z, z);
#define P(high, low) _mm512_fmadd_pd(w, high, _mm512_set1_pd(low))
	__m512d even = P(P(_mm512_set1_pd(0x1.39a09d078c69fp-3), 0x1.c71c51d8e78afp-3), 0x1.999999997fa04p-2);
	__m512d odd = P(P(P(_mm512_set1_pd(0x1.2f112df3e5244p-3), 0x1.7466496cb03dep-3), 0x1.2492494229359p-2), 0x1.5555555555593p-1);
#undef P
	__m512d series = _mm512_add_pd(square, _mm512_fmadd_pd(z, odd, _mm512_mul_pd(w, even)));
	__m512d hi = _mm512_sub_pd(n, square);
	__m512d lost = _mm512_sub_pd(_mm512_sub_pd(_mm512_sub_pd(n, hi), square), _mm512_fmsub_pd(halved, n, square));
	__m512d lo = _mm512_fmadd_pd(s, series, lost);

	__m512d c = _mm512_mul_pd(k, _mm512_set1_pd(0x1.62e42feep-1));
	__m512d cLo = _mm512_fmadd_pd(k, _mm512_set1_pd(1.90821492927058770002e-10), lo);
	__m512d sum = _mm512_add_pd(c, hi);
	__m512d y = _mm512_add_pd(sum, _mm512_add_pd(_mm512_sub_pd(hi, _mm512_sub_pd(sum, c)), cLo));

	// By kinds of x, from the lowest bits: NaN of either sort stays, zero gives -inf, positive infinity itself; others have y.
	enum { KINDS = 2 | 2 << 4 | 4 << 8 | 5 << 20 };
	enum { ZERO = 1, MINUS_INFINITY = 32, BELOW_ZERO = 64 }; // which raise flags
	y = _mm512_fixupimm_pd(y, x, _mm512_set1_epi64(KINDS), ZERO | MINUS_INFINITY | BELOW_ZERO);
	return _mm512_mask_mov_pd(y, _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_LT_OQ), _mm512_set1_pd(W_NAN));
}

FUNCTION_LOOP(log_f64, double, 8, __mmask8, pd, log_doubles)
