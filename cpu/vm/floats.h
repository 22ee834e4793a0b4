// Primitives on float32 and float64. Products are never fused into sums: -std=c11 says so.

#include "functions.h"

#define FLOATS(T, t, U, bits, from) \
	UNARY(neg_##t, T, T, -x) \
	UNARY(abs_##t, T, T, from(bits(x) & ~((U)1 << (8 * sizeof(T) - 1)))) \
	UNARY(sign_##t, T, T, x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x) \
	LANED(min_##t, T, lanes_min_##t, (x < y) | (x != x) ? x : y) \
	LANED(max_##t, T, lanes_max_##t, (x > y) | (x != x) ? x : y) \
	SCALARS(eq_##t, uint8_t, T, T, x == y) \
	SCALARS(ne_##t, uint8_t, T, T, x != y) \
	SCALARS(lt_##t, uint8_t, T, T, x < y) \
	SCALARS(le_##t, uint8_t, T, T, x <= y) \
	UNARY(bool_##t, uint8_t, T, x != 0) \
	UNARY(isnan_##t, uint8_t, T, x != x) \
	UNARY(isinf_##t, uint8_t, T, (x == (T)__builtin_inf()) | (x == -(T)__builtin_inf())) \
	UNARY(isfinite_##t, uint8_t, T, x - x == 0) \
	BINARY(floordiv_##t, T, T, T, floor_quotient_##t(x, y)) \
	BINARY(rem_##t, T, T, T, remainder_##t(x, y)) \
	BINARY(pow_##t, T, T, T, w_pow_##t(x, y)) \
	UNARY(exp_##t, T, T, w_exp_##t(x)) \
	UNARY(log_##t, T, T, w_log_##t(x)) \
	UNARY(sin_##t, T, T, w_sin_##t(x)) \
	UNARY(cos_##t, T, T, w_cos_##t(x)) \
	UNARY(tanh_##t, T, T, w_tanh_##t(x))

// floor_quotient and remainder follow npy_divmod: the remainder is exact, then moved to the
// divisor's sign; the quotient is (x-remainder)/y, snapped to an integer.
#define DIVISION(T, t, f) \
	static inline T floor_quotient_##t(T x, T y) { \
		if (y == 0) return x / y; \
		T m = fmod##f(x, y); \
		T q = (x - m) / y; \
		if (m != 0 && (y < 0) != (m < 0)) q -= 1; \
		if (q == 0) return copysign##f(0, x / y); \
		T whole = floor##f(q); \
		return q - whole > (T)0.5 ? whole + 1 : whole; \
	} \
	static inline T remainder_##t(T x, T y) { \
		T m = fmod##f(x, y); \
		if (y == 0) return m; \
		if (m == 0) return copysign##f(0, y); \
		return (y < 0) != (m < 0) ? m + y : m; \
	}

DIVISION(float, f32, f)
DIVISION(double, f64, )
FLOATS(float, f32, uint32_t, bits32, from32)
FLOATS(double, f64, uint64_t, bits64, from64)

UNARY(floor_f32, float, float, __builtin_floorf(x))
UNARY(floor_f64, double, double, __builtin_floor(x))
UNARY(ceil_f32, float, float, __builtin_ceilf(x))
UNARY(ceil_f64, double, double, __builtin_ceil(x))
UNARY(trunc_f32, float, float, __builtin_truncf(x))
UNARY(trunc_f64, double, double, __builtin_trunc(x))
UNARY(rint_f32, float, float, __builtin_rintf(x))
UNARY(rint_f64, double, double, __builtin_rint(x))

// The compiler gives a square root a call for negative numbers, to set errno, and so makes no
// vectors of it.
#define SQRT_LOOP(name, T, W, load, root, store, last) \
	static void name(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1]; \
		for (; n >= W; n -= W, d += W, a += W) store(d, root(load(a))); \
		for (; n > 0; n--, d++, a++) *d = last(*a); \
	}

#if VECTOR == 64
SQRT_LOOP(sqrt_f32_v, float, 16, _mm512_loadu_ps, _mm512_sqrt_ps, _mm512_storeu_ps, sqrtf)
SQRT_LOOP(sqrt_f64_v, double, 8, _mm512_loadu_pd, _mm512_sqrt_pd, _mm512_storeu_pd, sqrt)
#elif VECTOR == 32
SQRT_LOOP(sqrt_f32_v, float, 8, _mm256_loadu_ps, _mm256_sqrt_ps, _mm256_storeu_ps, sqrtf)
SQRT_LOOP(sqrt_f64_v, double, 4, _mm256_loadu_pd, _mm256_sqrt_pd, _mm256_storeu_pd, sqrt)
#elif defined(__x86_64__)
SQRT_LOOP(sqrt_f32_v, float, 4, _mm_loadu_ps, _mm_sqrt_ps, _mm_storeu_ps, sqrtf)
SQRT_LOOP(sqrt_f64_v, double, 2, _mm_loadu_pd, _mm_sqrt_pd, _mm_storeu_pd, sqrt)
#else
UNARY_LOOP(sqrt_f32_v, float, float, sqrtf(x))
UNARY_LOOP(sqrt_f64_v, double, double, sqrt(x))
#endif
PRIMITIVE(sqrt_f32, 1, {4, 4}, {{0, sqrt_f32_v, 0}}, 0)
PRIMITIVE(sqrt_f64, 1, {8, 8}, {{0, sqrt_f64_v, 0}}, 0)
