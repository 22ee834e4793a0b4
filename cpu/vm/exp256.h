// exp of float64 in vectors of 256 bits: the steps of w_exp_f64, whose table the compiler would read
// element by element. Here a choice of four numbers is one instruction. The bits are the same,
// which TestAccuracy compares.

// The three low bits of at tell which of eight.
static inline __m256d of_eight(const double *table, __m256i at) {
	// Halves of float64 are chosen, 2j and 2j+1 of the eight in a register.
	__m256i pair = _mm256_shuffle_epi32(_mm256_slli_epi64(at, 1), 0xa0);
	__m256i halves = _mm256_or_si256(pair, _mm256_set1_epi64x((int64_t)1 << 32));
	__m256i low = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)table), halves);
	__m256i high = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(table + 4)), halves);
	return _mm256_blendv_pd(_mm256_castsi256_pd(low), _mm256_castsi256_pd(high), _mm256_castsi256_pd(_mm256_slli_epi64(at, 61)));
}

static inline __m256d exp_doubles(__m256d x) {
	__m256d b = _mm256_max_pd(_mm256_set1_pd(-746.0), _mm256_min_pd(_mm256_set1_pd(710.0), x)); // NaN passes through
	__m256d t = _mm256_fmadd_pd(b, _mm256_set1_pd(0x1.71547652b82fep+3), _mm256_set1_pd(W_MAGIC_F64));
	__m256d n = _mm256_sub_pd(t, _mm256_set1_pd(W_MAGIC_F64));
	__m256d ln2Lo = _mm256_set1_pd(0x1.abc9e3b39803fp-59);
	__m256d r0 = _mm256_fnmadd_pd(n, _mm256_set1_pd(0x1.62e42fefa39efp-4), b);
	__m256d r = _mm256_fnmadd_pd(n, ln2Lo, r0), rLo = _mm256_fnmadd_pd(n, ln2Lo, _mm256_sub_pd(r0, r));
	__m256d r2 = _mm256_mul_pd(r, r);
#define P(high, low) _mm256_fmadd_pd(r, _mm256_set1_pd(high), _mm256_set1_pd(low))
	__m256d p0 = P(0x1.5555555555555p-3, 0.5), p2 = P(0x1.1111110da9105p-7, 0x1.55555555555a9p-5);
	__m256d p4 = P(0x1.a01e85458528ap-13, 0x1.6c16c165b7912p-10);
#undef P
	__m256d p = _mm256_fmadd_pd(r2, _mm256_fmadd_pd(r2, _mm256_fmadd_pd(r2, _mm256_set1_pd(0x1.a01ed2f77ffbap-16), p4), p2), p0);
	__m256d q = _mm256_fmadd_pd(r2, p, rLo);
	__m256i bits = _mm256_castpd_si256(t);
	__m256d hi = of_eight(w_exp_hi_f64, bits), lo = of_eight(w_exp_lo_f64, bits);
	__m256d step = _mm256_mul_pd(hi, r), sum = _mm256_add_pd(hi, step);
	__m256d rest = _mm256_add_pd(_mm256_fmadd_pd(hi, q, _mm256_fmadd_pd(lo, r, _mm256_fmsub_pd(hi, r, step))), lo);
	__m256d y = _mm256_add_pd(sum, _mm256_add_pd(_mm256_sub_pd(step, _mm256_sub_pd(sum, hi)), rest));
	// 2^k in two factors, as w_scale_f64 has them: k + 4096, half of it, and the rest.
	__m256i k = _mm256_srli_epi64(_mm256_sub_epi64(bits, _mm256_set1_epi64x(0x4338000000000000 - 32768)), 3);
	__m256i half = _mm256_srli_epi64(k, 1), bias = _mm256_set1_epi64x(1023 - 2048);
	__m256i first = _mm256_slli_epi64(_mm256_add_epi64(half, bias), 52);
	__m256i second = _mm256_slli_epi64(_mm256_add_epi64(_mm256_sub_epi64(k, half), bias), 52);
	return _mm256_mul_pd(_mm256_mul_pd(y, _mm256_castsi256_pd(first)), _mm256_castsi256_pd(second));
}

// The last few go through a whole vector as well.
static void exp_f64_v(int64_t n, char *const *p) {
	double *d = (double *)p[0];
	const double *a = (const double *)p[1];
	for (; n >= 4; n -= 4, d += 4, a += 4) _mm256_storeu_pd(d, exp_doubles(_mm256_loadu_pd(a)));
	if (n > 0) {
		__m256i some = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_set_epi64x(3, 2, 1, 0));
		_mm256_maskstore_pd(d, some, exp_doubles(_mm256_maskload_pd(a, some)));
	}
}
PRIMITIVE(exp_f64, 1, {sizeof(double), sizeof(double)}, {{0, exp_f64_v, 0}}, 0)
