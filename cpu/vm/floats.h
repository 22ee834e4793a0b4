// Primitives on float32 and float64. Products are never fused into sums: -std=c11 says so.

#include <math.h>

#include "angles64.h"
#include "functions32.h"
#include "powers64.h"

#define FLOATS(T, t, U, bits, from) \
	UNARY(neg_##t, T, T, -x) \
	UNARY(abs_##t, T, T, from(bits(x) & ~((U)1 << (8 * sizeof(T) - 1)))) \
	SCALARS(copysign_##t, T, T, T, from((bits(x) & ~((U)1 << (8 * sizeof(T) - 1))) | (bits(y) & (U)1 << (8 * sizeof(T) - 1)))) \
	UNARY(sign_##t, T, T, x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x) \
	LANED(min_##t, T, lanes_min_##t, (x < y) | (x != x) ? x : y) \
	LANED(max_##t, T, lanes_max_##t, (x > y) | (x != x) ? x : y) \
	TRUTHS(eq_##t, T, x == y) \
	TRUTHS(ne_##t, T, x != y) \
	TRUTHS(lt_##t, T, x < y) \
	TRUTHS(le_##t, T, x <= y) \
	TRUTH(bool_##t, T, x != 0) \
	TRUTH(isnan_##t, T, x != x) \
	TRUTH(isinf_##t, T, (x == (T)__builtin_inf()) | (x == -(T)__builtin_inf())) \
	TRUTH(isfinite_##t, T, x - x == 0) \
	GUARDED(floordiv_##t, T, moderate_##t, moderate_quotient_##t, floor_quotient_##t) \
	GUARDED(rem_##t, T, moderate_##t, moderate_remainder_##t, remainder_##t) \
	ANGLES(sin_##t, T, t, w_sin_##t, w_sin_wide_##t) \
	ANGLES(cos_##t, T, t, w_cos_##t, w_cos_wide_##t) \
	UNARY(tanh_##t, T, T, w_tanh_##t(x))

// Large angles need more digits of pi, one at a time. A result may be its operand's memory, so that
// they are looked for first.
#define ANGLES(name, T, t, function, wide) \
	static void name##_v(int64_t n, char *const *p) { \
		enum { SOME = 128 }; \
		for (int64_t at = 0; at < n; at += SOME) { \
			T *d = (T *)p[0] + at; \
			const T *a = (const T *)p[1] + at; \
			int64_t some = n - at < SOME ? n - at : SOME; \
			int large = 0; \
			for (int64_t i = 0; i < some; i++) large |= w_wide_##t(a[i]); \
			if (large) { \
				for (int64_t i = 0; i < some; i++) d[i] = w_wide_##t(a[i]) ? wide(a[i]) : function(a[i]); \
			} else { \
				_Pragma("GCC ivdep") for (int64_t i = 0; i < some; i++) d[i] = function(a[i]); \
			} \
		} \
	} \
	PRIMITIVE(name, 1, {sizeof(T), sizeof(T)}, {{0, name##_v, 0}}, 0)

// floor_quotient and remainder follow npy_divmod: the remainder is exact, then moved to the
// divisor's sign; the quotient is (x-remainder)/y, snapped to an integer.
//
// A moderate quotient is one whose whole part is exact, LIMIT being 2^52 or 2^23. Rounded, it is
// never too small for its whole part, and at most 1 too large: then the remainder, which one
// fused operation gives without a rounding, is small and negative, and the divisor puts it right.
#define DIVISION(T, t, f, LIMIT, FMA) \
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
	} \
	W_BODY int moderate_##t(T x, T y) { return __builtin_fabs##f(x / y) < LIMIT; } \
	W_BODY T whole_##t(T size) { \
		T n = size + LIMIT - LIMIT; \
		return n - w_pick_##t(n > size, 1, 0); \
	} \
	W_BODY T moderate_fmod_##t(T x, T y) { \
		T ax = __builtin_fabs##f(x), ay = __builtin_fabs##f(y); \
		T n = whole_##t(ax / ay); \
		T m = FMA(-n, ay, ax); \
		m = m + w_pick_##t(m < 0, ay, 0); \
		return __builtin_copysign##f(w_pick_##t(n == 0, ax, m), x); /* y may be infinite */ \
	} \
	W_BODY T moderate_remainder_##t(T x, T y) { \
		T m = moderate_fmod_##t(x, y); \
		T moved = w_pick_##t((y < 0) != (m < 0), m + y, m); \
		return w_pick_##t(m == 0, __builtin_copysign##f(0, y), moved); \
	} \
	W_BODY T moderate_quotient_##t(T x, T y) { \
		T m = moderate_fmod_##t(x, y); \
		T q = (x - m) / y; \
		q = q - w_pick_##t((m != 0) & ((y < 0) != (m < 0)), 1, 0); \
		T size = __builtin_fabs##f(q); /* at most LIMIT */ \
		T down = whole_##t(size); \
		T whole = w_pick_##t(q < 0, -down - w_pick_##t(down < size, 1, 0), down); \
		T snapped = w_pick_##t(q - whole > (T)0.5, whole + 1, whole); \
		return w_pick_##t(q == 0, __builtin_copysign##f(0, x / y), snapped); \
	}

DIVISION(float, f32, f, 0x1p23f, W_FMAF)
DIVISION(double, f64, , 0x1p52, W_FMA)
#if VECTOR == 64
#include "exp512.h"
#include "log512.h"
#elif VECTOR == 32
#include "exp256.h"
UNARY(exp_f32, float, float, w_exp_f32(x))
#else
UNARY(exp_f32, float, float, w_exp_f32(x))
UNARY(exp_f64, double, double, w_exp_f64(x))
#endif
#if VECTOR != 64
POLES(log_f64, double, uint64_t, BAD(BAD_LOG, BITS_f64), w_log_f64(x))
#endif
POLES(log_f32, float, uint32_t, BAD(BAD_LOG, BITS_f32), w_log_f32(x))

#include "powers.h"
FLOATS(float, f32, uint32_t, bits32, from32)
FLOATS(double, f64, uint64_t, bits64, from64)

// The compiler makes no vectors of these: a square root has a call for negative numbers, to set
// errno, and roundings could trap.
#define VECTOR_LOOP(name, T, W, load, function, store, last) \
	static void name##_v(int64_t n, char *const *p) { \
		T *d = (T *)p[0]; \
		const T *a = (const T *)p[1]; \
		for (; n >= W; n -= W, d += W, a += W) store(d, function(load(a))); \
		for (; n > 0; n--, d++, a++) *d = last(*a); \
	} \
	PRIMITIVE(name, 1, {sizeof(T), sizeof(T)}, {{0, name##_v, 0}}, 0)

#if VECTOR == 64
#define SINGLES(name, function, last) VECTOR_LOOP(name, float, 16, _mm512_loadu_ps, function, _mm512_storeu_ps, last)
#define DOUBLES(name, function, last) VECTOR_LOOP(name, double, 8, _mm512_loadu_pd, function, _mm512_storeu_pd, last)
#define ROUNDING(name, mode, last) \
	static inline __m512 mode##_singles(__m512 x) { return _mm512_roundscale_ps(x, mode); } \
	static inline __m512d mode##_doubles(__m512d x) { return _mm512_roundscale_pd(x, mode); } \
	SINGLES(name##_f32, mode##_singles, last##f) \
	DOUBLES(name##_f64, mode##_doubles, last)
SINGLES(sqrt_f32, _mm512_sqrt_ps, sqrtf)
DOUBLES(sqrt_f64, _mm512_sqrt_pd, sqrt)
#elif VECTOR == 32
#define SINGLES(name, function, last) VECTOR_LOOP(name, float, 8, _mm256_loadu_ps, function, _mm256_storeu_ps, last)
#define DOUBLES(name, function, last) VECTOR_LOOP(name, double, 4, _mm256_loadu_pd, function, _mm256_storeu_pd, last)
#define ROUNDING(name, mode, last) \
	static inline __m256 mode##_singles(__m256 x) { return _mm256_round_ps(x, mode); } \
	static inline __m256d mode##_doubles(__m256d x) { return _mm256_round_pd(x, mode); } \
	SINGLES(name##_f32, mode##_singles, last##f) \
	DOUBLES(name##_f64, mode##_doubles, last)
SINGLES(sqrt_f32, _mm256_sqrt_ps, sqrtf)
DOUBLES(sqrt_f64, _mm256_sqrt_pd, sqrt)
#else
#define ROUNDING(name, mode, last) \
	UNARY(name##_f32, float, float, last##f(x)) \
	UNARY(name##_f64, double, double, last(x))
#if defined(__x86_64__)
VECTOR_LOOP(sqrt_f32, float, 4, _mm_loadu_ps, _mm_sqrt_ps, _mm_storeu_ps, sqrtf)
VECTOR_LOOP(sqrt_f64, double, 2, _mm_loadu_pd, _mm_sqrt_pd, _mm_storeu_pd, sqrt)
#else
UNARY(sqrt_f32, float, float, sqrtf(x))
UNARY(sqrt_f64, double, double, sqrt(x))
#endif
#endif

// Round without raising "inexact": 1 is down, 2 up, 3 to zero, 0 to the nearest even.
enum { down = 9, up = 10, to_zero = 11, to_even = 8 };
ROUNDING(floor, down, floor)
ROUNDING(ceil, up, ceil)
ROUNDING(trunc, to_zero, trunc)
ROUNDING(rint, to_even, rint)
