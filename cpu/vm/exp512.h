// exp in vectors of 512 bits: the steps of w_exp_f64 and w_exp_f32, but for the last. Multiplying
// by a power of two is one instruction there, for every power, that rounds once; its exponent may have a
// fraction, which does not count. The table is one register, and the limits keep NaN when they come
// first. The bits are the same, which TestAccuracy compares.

static inline __m512d exp_doubles(__m512d x) {
	__m512d b = _mm512_max_pd(_mm512_set1_pd(-746.0), _mm512_min_pd(_mm512_set1_pd(710.0), x));
	__m512d t = _mm512_fmadd_pd(b, _mm512_set1_pd(0x1.71547652b82fep+3), _mm512_set1_pd(W_MAGIC_F64));
	__m512d n = _mm512_sub_pd(t, _mm512_set1_pd(W_MAGIC_F64));
	__m512d ln2Lo = _mm512_set1_pd(0x1.abc9e3b39803fp-59);
	__m512d r0 = _mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.62e42fefa39efp-4), b);
	__m512d r = _mm512_fnmadd_pd(n, ln2Lo, r0), rLo = _mm512_fnmadd_pd(n, ln2Lo, _mm512_sub_pd(r0, r));
	__m512d r2 = _mm512_mul_pd(r, r);
#define P(high, low) _mm512_fmadd_pd(r, _mm512_set1_pd(high), _mm512_set1_pd(low))
	__m512d p0 = P(0x1.5555555555555p-3, 0.5), p2 = P(0x1.1111110da9105p-7, 0x1.55555555555a9p-5);
	__m512d p4 = P(0x1.a01e85458528ap-13, 0x1.6c16c165b7912p-10);
#undef P
	__m512d p = _mm512_fmadd_pd(r2, _mm512_fmadd_pd(r2, _mm512_fmadd_pd(r2, _mm512_set1_pd(0x1.a01ed2f77ffbap-16), p4), p2), p0);
	__m512d q = _mm512_fmadd_pd(r2, p, rLo);
	__m512i at = _mm512_castpd_si512(t); // three bits of it count
	__m512d hi = _mm512_permutexvar_pd(at, _mm512_loadu_pd(w_exp_hi_f64)), lo = _mm512_permutexvar_pd(at, _mm512_loadu_pd(w_exp_lo_f64));
	__m512d step = _mm512_mul_pd(hi, r), sum = _mm512_add_pd(hi, step);
	__m512d rest = _mm512_add_pd(_mm512_fmadd_pd(hi, q, _mm512_fmadd_pd(lo, r, _mm512_fmsub_pd(hi, r, step))), lo);
	__m512d y = _mm512_add_pd(sum, _mm512_add_pd(_mm512_sub_pd(step, _mm512_sub_pd(sum, hi)), rest));
	return _mm512_scalef_pd(y, _mm512_mul_pd(n, _mm512_set1_pd(0.125)));
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

// The rest of a vector at the end is ones, of which no function raises a flag.
#define FUNCTION_LOOP(name, T, W, M, suffix, function) \
	static void name##_v(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1]; \
		for (; n >= W; n -= W, d += W, a += W) _mm512_storeu_##suffix(d, function(_mm512_loadu_##suffix(a))); \
		if (n > 0) { \
			M m = (M)((1u << n) - 1); \
			_mm512_mask_storeu_##suffix(d, m, function(_mm512_mask_loadu_##suffix(_mm512_set1_##suffix(1), m, a))); \
		} \
	} \
	PRIMITIVE(name, 1, {sizeof(T), sizeof(T)}, {{0, name##_v, 0}}, 0)

FUNCTION_LOOP(exp_f32, float, 16, __mmask16, ps, exp_singles)
FUNCTION_LOOP(exp_f64, double, 8, __mmask8, pd, exp_doubles)
