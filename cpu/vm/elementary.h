// The elementary functions on float32 and float64 whose bodies are in exponents64.h and its
// neighbours.

#include "singles32.h"

#define ELEMENTARY(T, t, U) \
	UNARY(exp2_##t, T, T, w_exp2_##t(x)) \
	UNARY(expm1_##t, T, T, w_expm1_##t(x)) \
	POLES(log2_##t, T, U, BAD(BAD_LOG, BITS_##t), w_log2_##t(x)) \
	POLES(log10_##t, T, U, BAD(BAD_LOG, BITS_##t), w_log10_##t(x)) \
	POLES(log1p_##t, T, U, BAD(BAD_LOG1P, BITS_##t), w_log1p_##t(x)) \
	UNARY(asin_##t, T, T, w_asin_##t(x)) \
	UNARY(acos_##t, T, T, w_acos_##t(x)) \
	UNARY(atan_##t, T, T, w_atan_##t(x)) \
	UNARY(sinh_##t, T, T, w_sinh_##t(x)) \
	UNARY(cosh_##t, T, T, w_cosh_##t(x)) \
	UNARY(asinh_##t, T, T, w_asinh_##t(x)) \
	POLES(acosh_##t, T, U, BAD(BAD_ACOSH, BITS_##t), w_acosh_##t(x)) \
	POLES(atanh_##t, T, U, BAD(BAD_ATANH, BITS_##t), w_atanh_##t(x)) \
	UNARY(cbrt_##t, T, T, w_cbrt_##t(x)) \
	UNARY(erf_##t, T, T, w_erf_##t(x)) \
	UNARY(erfc_##t, T, T, w_erfc_##t(x)) \
	UNARY(gamma_##t, T, T, w_gamma_##t(x)) \
	UNARY(lgamma_##t, T, T, w_lgamma_##t(x)) \
	ANGLES(tan_##t, T, t, w_tan_##t, w_tan_wide_##t) \
	BINARY(atan2_##t, T, T, T, w_atan2_##t(x, y))

ELEMENTARY(float, f32, uint32_t)
ELEMENTARY(double, f64, uint64_t)

// The magnitude of a complex number is here and not in pairs.h, whose products and sums must not be fused.
BINARY(hypot_f32, float, float, float, w_hypot_f32(x, y))
UNARY(abs_c64, float, c64, w_hypot_f32(x.re, x.im))
#if VECTOR == 64
#include "hypot512.h"
#elif VECTOR == 32
#include "hypot256.h"
#else
BINARY(hypot_f64, double, double, double, w_hypot_f64(x, y))
UNARY(abs_c128, double, c128, w_hypot_f64(x.re, x.im))
#endif
