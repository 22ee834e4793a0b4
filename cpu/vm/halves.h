// float16 elements are uint16_t. Only what float32 would get wrong, or what is trivial, is here;
// the compiler of programs lowers everything else to float32.

static inline float single_of_half(uint16_t h) {
	uint32_t b = (uint32_t)(h & 0x7fff) << 13, exponent = b & 0x0f800000;
	uint32_t normal = b + ((uint32_t)(127 - 15) << 23);
	uint32_t special = normal + ((uint32_t)(128 - 16) << 23); // infinity and NaN
	uint32_t small = bits32(from32(normal + (1 << 23)) - 0x1p-14f); // a float without the leading 1
	b = exponent == 0x0f800000 ? special : exponent == 0 ? small : normal;
	return from32(b | (uint32_t)(h & 0x8000) << 16);
}

// half_of_single rounds to nearest even.
static inline uint16_t half_of_single(float x) {
	uint32_t b = bits32(x), sign = b >> 16 & 0x8000;
	b &= 0x7fffffff;
	uint32_t nan = b > 0x7f800000;
	uint32_t clamped = b > 0x47800000 ? 0x47800000 : b; // 2^16, which becomes infinity
	uint32_t normal = (clamped + 0xfff + (clamped >> 13 & 1) - 0x38000000) >> 13;
	uint32_t small = bits32(from32(clamped < 0x38800000 ? clamped : 0) + 0.5f) - 0x3f000000; // the sum rounds to 2^-24
	uint32_t r = clamped < 0x38800000 ? small : normal;
	return (uint16_t)(sign | (nan ? 0x7e00 : r));
}

// odd_single rounds a double to a float whose last bit says that it is not exact, so that
// rounding it again rounds once.
static inline float odd_single(double x) {
	float f = (float)x;
	uint32_t b = bits32(f);
	uint32_t beyond = __builtin_fabs((double)f) > __builtin_fabs(x);
	uint32_t inexact = ((double)f < x) | ((double)f > x);
	return from32((b - beyond) | inexact);
}

#if VECTOR == 64
#define SINGLE_OF_HALVES(d, a) _mm512_storeu_ps(d, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i_u *)(a))))
#define HALF_OF_SINGLES(d, a) _mm256_storeu_si256((__m256i_u *)(d), _mm512_cvtps_ph(_mm512_loadu_ps(a), 0))
#elif VECTOR == 32
#define SINGLE_OF_HALVES(d, a) _mm256_storeu_ps(d, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *)(a))))
#define HALF_OF_SINGLES(d, a) _mm_storeu_si128((__m128i_u *)(d), _mm256_cvtps_ph(_mm256_loadu_ps(a), 0))
#endif

static void f32_f16_v(int64_t n, char *const *p) {
	float *d = (float *)p[0];
	const uint16_t *a = (const uint16_t *)p[1];
#ifdef SINGLE_OF_HALVES
	for (; n >= VECTOR / 4; n -= VECTOR / 4, d += VECTOR / 4, a += VECTOR / 4) SINGLE_OF_HALVES(d, a);
#endif
	EACH d[i] = single_of_half(a[i]);
}
PRIMITIVE(f32_f16, 1, {4, 2}, {{0, f32_f16_v, 0}}, 0)

static void f16_f32_v(int64_t n, char *const *p) {
	uint16_t *d = (uint16_t *)p[0];
	const float *a = (const float *)p[1];
#ifdef HALF_OF_SINGLES
	for (; n >= VECTOR / 4; n -= VECTOR / 4, d += VECTOR / 4, a += VECTOR / 4) HALF_OF_SINGLES(d, a);
#endif
	EACH d[i] = half_of_single(a[i]);
}
PRIMITIVE(f16_f32, 1, {2, 4}, {{0, f16_f32_v, 0}}, 0)

UNARY(f16_f64, uint16_t, double, half_of_single(odd_single(x)))
UNARY(neg_f16, uint16_t, uint16_t, x ^ 0x8000)
UNARY(abs_f16, uint16_t, uint16_t, x & 0x7fff)

// Of equal operands these take the first, unlike the other floats.
static inline int half_first(uint16_t x, uint16_t y, int less) {
	float a = single_of_half(x), b = single_of_half(y);
	return (less ? a <= b : a >= b) | (a != a);
}
BINARY(min_f16, uint16_t, uint16_t, uint16_t, half_first(x, y, 1) ? x : y)
BINARY(max_f16, uint16_t, uint16_t, uint16_t, half_first(x, y, 0) ? x : y)

// The steps of sums and products.
BINARY(add_f16, uint16_t, uint16_t, uint16_t, half_of_single(single_of_half(x) + single_of_half(y)))
BINARY(mul_f16, uint16_t, uint16_t, uint16_t, half_of_single(single_of_half(x) * single_of_half(y)))
