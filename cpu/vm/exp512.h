// exp in vectors of 512 bits: the steps of w_exp_f64 and w_exp_f32, but for the last. Multiplying
// by a power of two is one instruction there, for every power, that rounds once; and the limits
// keep NaN when they come first. The bits are the same, which TestAccuracy compares.

static inline __m512d exp_doubles(__m512d x) {
	__m512d b = _mm512_max_pd(_mm512_set1_pd(-746.0), _mm512_min_pd(_mm512_set1_pd(710.0), x));
	__m512d t = _mm512_fmadd_pd(b, _mm512_set1_pd(1.4426950408889634), _mm512_set1_pd(W_MAGIC_F64));
	__m512d n = _mm512_sub_pd(t, _mm512_set1_pd(W_MAGIC_F64));
	__m512d r = _mm512_fnmadd_pd(n, _mm512_set1_pd(W_LN2LO_F64), _mm512_fnmadd_pd(n, _mm512_set1_pd(W_LN2HI_F64), b));
	__m512d r2 = _mm512_mul_pd(r, r), r4 = _mm512_mul_pd(r2, r2), r8 = _mm512_mul_pd(r4, r4);
#define P(high, low) _mm512_fmadd_pd(r, _mm512_set1_pd(high), _mm512_set1_pd(low))
	__m512d p0 = P(1.6666666666666666e-1, 0.5), p2 = P(8.333333333333333e-3, 4.1666666666666664e-2);
	__m512d p4 = P(1.984126984126984e-4, 1.3888888888888889e-3), p6 = P(2.7557319223985893e-6, 2.48015873015873e-5);
	__m512d p8 = P(2.505210838544172e-8, 2.755731922398589e-7), p10 = P(1.6059043836821613e-10, 2.08767569878681e-9);
#undef P
	__m512d p = _mm512_fmadd_pd(r4, _mm512_fmadd_pd(r2, p6, p4), _mm512_fmadd_pd(r2, p2, p0));
	__m512d tail = _mm512_fmadd_pd(r8, _mm512_fmadd_pd(r2, p10, p8), p);
	return _mm512_scalef_pd(_mm512_add_pd(_mm512_fmadd_pd(r2, tail, r), _mm512_set1_pd(1.0)), n);
}

static inline __m512 exp_singles(__m512 x) {
	__m512 b = _mm512_max_ps(_mm512_set1_ps(-104.0f), _mm512_min_ps(_mm512_set1_ps(89.0f), x));
	__m512 t = _mm512_fmadd_ps(b, _mm512_set1_ps(0x1.715476p+0f), _mm512_set1_ps(W_MAGIC_F32));
	__m512 n = _mm512_sub_ps(t, _mm512_set1_ps(W_MAGIC_F32));
	__m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-0x1.05c61p-29f), _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e43p-1f), b));
#define P(x, low) _mm512_fmadd_ps(r, x, _mm512_set1_ps(low))
	__m512 p = P(P(P(_mm512_set1_ps(1.98412698e-4f), 1.38888889e-3f), 8.33333333e-3f), 4.16666667e-2f);
	__m512 tail = P(P(p, 1.66666667e-1f), 0.5f);
#undef P
	return _mm512_scalef_ps(_mm512_add_ps(_mm512_fmadd_ps(_mm512_mul_ps(r, r), tail, r), _mm512_set1_ps(1.0f)), n);
}

#define EXP_LOOP(name, T, W, M, suffix, function) \
	static void name##_v(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1]; \
		for (; n >= W; n -= W, d += W, a += W) _mm512_storeu_##suffix(d, function(_mm512_loadu_##suffix(a))); \
		if (n > 0) { \
			M m = (M)((1u << n) - 1); \
			_mm512_mask_storeu_##suffix(d, m, function(_mm512_maskz_loadu_##suffix(m, a))); \
		} \
	} \
	PRIMITIVE(name, 1, {sizeof(T), sizeof(T)}, {{0, name##_v, 0}}, 0)

EXP_LOOP(exp_f32, float, 16, __mmask16, ps, exp_singles)
EXP_LOOP(exp_f64, double, 8, __mmask8, pd, exp_doubles)
