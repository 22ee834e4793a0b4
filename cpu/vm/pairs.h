// Primitives on complex64 and complex128. Functions of complex64 but for the absolute value are computed on complex128.

#include <complex.h>

#define PAIR_LOOP(name, D, A, I, B, J, ...) \
	static void name(int64_t n, char *const *p) { \
		D *d = (D *)p[0]; \
		const A *a = (const A *)p[1]; \
		const B *b = (const B *)p[2]; \
		EACH { A x = a[I]; B y = b[J]; d[i] = (D){__VA_ARGS__}; } \
	}

#define PAIR_SCALARS(name, lanes, T, ...) \
	PAIR_LOOP(name##_vv, T, T, i, T, i, __VA_ARGS__) \
	PAIR_LOOP(name##_vs, T, T, i, T, 0, __VA_ARGS__) \
	PAIR_LOOP(name##_sv, T, T, 0, T, i, __VA_ARGS__) \
	PRIMITIVE(name, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, name##_vv, 0}, {2, name##_vs, 0}, {1, name##_sv, 0}}, lanes, lanes##_fold, lanes##_rows)

// Complex numbers are ordered by the real part, then by the imaginary part; isnan looks at both.
#define LESS(x, y, less) (((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im less y.im)))
#define FINITE(x) ((x.re - x.re == 0) & (x.im - x.im == 0))
#define UNORDERED(x) ((x.re != x.re) | (x.im != x.im))

#define PAIRS(T, t, R, r, fabs) \
	PAIR_SCALARS(add_##t, lanes_add_##t, T, x.re + y.re, x.im + y.im) \
	PAIR_SCALARS(sub_##t, no_lanes, T, x.re - y.re, x.im - y.im) \
	PAIR_SCALARS(mul_##t, no_lanes, T, x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re) \
	BINARY(div_##t, T, T, T, quotient_##t(x, y)) \
	RESULT_PAIR(neg_##t, T, T, -x.re, -x.im) \
	RESULT_PAIR(conj_##t, T, T, x.re, -x.im) \
	UNARY(real_##t, R, T, x.re) \
	UNARY(imag_##t, R, T, x.im) \
	BINARY(min_##t, T, T, T, UNORDERED(x) | LESS(x, y, <=) ? x : y) \
	BINARY(max_##t, T, T, T, UNORDERED(x) | LESS(y, x, <=) ? x : y) \
	BINARY(eq_##t, uint8_t, T, T, (x.re == y.re) & (x.im == y.im)) \
	BINARY(ne_##t, uint8_t, T, T, (x.re != y.re) | (x.im != y.im)) \
	BINARY(lt_##t, uint8_t, T, T, LESS(x, y, <)) \
	BINARY(le_##t, uint8_t, T, T, LESS(x, y, <=)) \
	UNARY(isnan_##t, uint8_t, T, UNORDERED(x)) \
	UNARY(isinf_##t, uint8_t, T, (fabs(x.re) == (R)__builtin_inf()) | (fabs(x.im) == (R)__builtin_inf())) \
	UNARY(isfinite_##t, uint8_t, T, FINITE(x)) \
	PAIR_LOOP(complex_##r##_vv, T, R, i, R, i, x, y) \
	PRIMITIVE(complex_##r, 2, {sizeof(T), sizeof(R), sizeof(R)}, {{0, complex_##r##_vv, 0}}, 0) \
	UNARY(sqrt_##t, T, T, narrow_##t(csqrt(library(x.re, x.im)))) \
	UNARY(exp_##t, T, T, narrow_##t(cexp(library(x.re, x.im)))) \
	UNARY(log_##t, T, T, narrow_##t(clog(library(x.re, x.im)))) \
	UNARY(sin_##t, T, T, narrow_##t(csin(library(x.re, x.im)))) \
	UNARY(cos_##t, T, T, narrow_##t(ccos(library(x.re, x.im)))) \
	BINARY(pow_##t, T, T, T, power_##t(x, y))

// quotient is Smith's algorithm, which scales by the larger part of the divisor. power follows
// npy_cpow: small whole exponents by multiplication, so that squares are exact where they
// can be, the rest by exp(y*log(x)), for which what is not finite is the library's, as in NumPy.
#define PAIR_FUNCTIONS(T, t, R, fabs) \
	static inline T quotient_##t(T x, T y) { \
		R r = fabs(y.re), i = fabs(y.im); \
		if (r >= i) { \
			if (r == 0 && i == 0) return (T){x.re / r, x.im / r}; \
			R ratio = y.im / y.re, scale = 1 / (y.re + y.im * ratio); \
			return (T){(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale}; \
		} \
		R ratio = y.re / y.im, scale = 1 / (y.im + y.re * ratio); \
		return (T){(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale}; \
	} \
	static inline T product_##t(T x, T y) { return (T){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; } \
	static inline T narrow_##t(double complex z) { return (T){(R)creal(z), (R)cimag(z)}; } \
	static T power_##t(T x, T y) { \
		if (y.re == 0 && y.im == 0) return (T){1, 0}; \
		if (x.re == 0 && x.im == 0) { \
			if (y.re > 0) return (T){0, 0}; \
			return (T){(R)__builtin_nan(""), (R)__builtin_nan("")}; \
		} \
		if (y.im == 0 && y.re > -100 && y.re < 100 && y.re == (R)(int)y.re) { \
			int n = (int)y.re; \
			if (n == 1) return x; \
			if (n == 2) return product_##t(x, x); \
			if (n == 3) return product_##t(x, product_##t(x, x)); \
			T p = {1, 0}, square = x; \
			for (int m = n < 0 ? -n : n;;) { \
				if (m & 1) p = product_##t(p, square); \
				if ((m >>= 1) == 0) break; \
				square = product_##t(square, square); \
			} \
			return n < 0 ? quotient_##t((T){1, 0}, p) : p; \
		} \
		if (!FINITE(x) || !FINITE(y)) return narrow_##t(cpow(library(x.re, x.im), library(y.re, y.im))); \
		double angle = atan2(x.im, x.re), size = pow(hypot(x.re, x.im), y.re), turn = y.re * angle; \
		if (y.im != 0) { \
			size *= exp(-y.im * angle); \
			turn += y.im * creal(clog(library(x.re, x.im))); \
		} \
		double re = cos(turn), im = sin(turn); /* a part that is none stays none of an infinite size */ \
		return (T){(R)(re == 0 ? re : size * re), (R)(im == 0 ? im : size * im)}; \
	}

// library puts two numbers side by side as they are: re + im*I would spoil infinities and signs.
static inline double complex library(double re, double im) {
	union { double part[2]; double complex z; } u = {{re, im}};
	return u.z;
}

PAIR_FUNCTIONS(c64, c64, float, __builtin_fabsf)
PAIR_FUNCTIONS(c128, c128, double, __builtin_fabs)
PAIRS(c64, c64, float, f32, __builtin_fabsf)
PAIRS(c128, c128, double, f64, __builtin_fabs)
