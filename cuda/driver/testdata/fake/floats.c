/* Arithmetic of float32 and float64 (PTX ISA, "Floating Point Instructions"). What rounds to nearest, without .ftz and .sat, has loops of
   its own; everything else goes through one function, lane by lane. */
#include "pure.h"
#include <fenv.h>

PURE(add_f32, f32_bits(f32_of(A[i]) + f32_of(B[i])))
PURE(sub_f32, f32_bits(f32_of(A[i]) - f32_of(B[i])))
PURE(mul_f32, f32_bits(f32_of(A[i]) * f32_of(B[i])))
PURE(div_f32, f32_bits(f32_of(A[i]) / f32_of(B[i])))
PURE(fma_f32, f32_bits(fmaf(f32_of(A[i]), f32_of(B[i]), f32_of(C[i]))))
PURE(sqrt_f32, f32_bits(sqrtf(f32_of(A[i]))))
PURE(rcp_f32, f32_bits(1 / f32_of(A[i])))
PURE(neg_f32, f32_bits(-f32_of(A[i])))
PURE(abs_f32, f32_bits(fabsf(f32_of(A[i]))))
PURE(copysign_f32, (A[i] & 0x80000000) | (B[i] & 0x7fffffff))

/* last64 is a result of which a NaN operand comes through, quiet, the last of several; its sign stays. */
static inline uint64_t quiet64(uint64_t v) { return v | 1ull << 51; }
static inline bool is_nan64(uint64_t v) { return (v & ~(1ull << 63)) > 0x7ff0000000000000; }
static inline uint64_t last64(double r, uint64_t a, uint64_t b) {
	return r == r ? f64_bits(r) : is_nan64(b) ? quiet64(b) : is_nan64(a) ? quiet64(a) : NAN64;
}

PURE(add_f64, last64(f64_of(A[i]) + f64_of(B[i]), A[i], B[i]))
PURE(mul_f64, last64(f64_of(A[i]) * f64_of(B[i]), A[i], B[i]))
PURE(sub_f64, last64(f64_of(A[i]) - f64_of(B[i]), A[i], B[i]))
PURE(div_f64, last64(f64_of(A[i]) / f64_of(B[i]), B[i], A[i])) /* of two NaNs the first: a division is a program */
PURE(sqrt_f64, last64(sqrt(f64_of(A[i])), A[i], A[i]))
PURE(rcp_f64, last64(1 / f64_of(A[i]), A[i], A[i]))
PURE(neg_f64, is_nan64(A[i]) ? quiet64(A[i]) : A[i] ^ 1ull << 63)
PURE(abs_f64, is_nan64(A[i]) ? quiet64(A[i]) : A[i] & ~(1ull << 63))
PURE(copysign_f64, (A[i] & 1ull << 63) | (B[i] & ~(1ull << 63)))

/* fused has the NaN of b before that of c, and that before that of a. */
static inline uint64_t fused(uint64_t a, uint64_t b, uint64_t c) {
	double r = fma(f64_of(a), f64_of(b), f64_of(c));
	return last64(r, is_nan64(c) ? c : a, b);
}
PURE(fma_f64, fused(A[i], B[i], C[i]))

/* The smaller or larger; a number wins over a NaN unless nan; -0 is less than +0. */
static inline uint64_t pick32(uint64_t a, uint64_t b, bool larger, bool nan) {
	float x = f32_of(a), y = f32_of(b);
	if (x != x || y != y)
		return (x != x && y != y) || nan ? NAN32 : (x != x ? b : a) & 0xffffffff;
	if (x == y)
		return larger ? a & b : a | b;
	return ((x < y) != larger ? a : b) & 0xffffffff;
}
static inline uint64_t pick64(uint64_t a, uint64_t b, bool larger) {
	double x = f64_of(a), y = f64_of(b);
	if (x != x || y != y)
		return x != x && y != y ? quiet64(b) : x != x ? b : a;
	if (x == y)
		return larger ? a & b : a | b;
	return (x < y) != larger ? a : b;
}
PURE(min_f32, pick32(A[i], B[i], false, in->nan))
PURE(max_f32, pick32(A[i], B[i], true, in->nan))
PURE(min_f64, pick64(A[i], B[i], false))
PURE(max_f64, pick64(A[i], B[i], true))

static inline uint64_t flush32(uint64_t v) { return v & 0x7f800000 ? v & 0xffffffff : v & 0x80000000; }

static double divided(double x, double y, bool approx) {
	double b = fabs(y);
	if (approx && b > 0x1p126 && b < INFINITY) /* div.approx has no results for these divisors */
		return isinf(x) ? NAN : copysign(0, x * copysign(1, y));
	return x / y;
}

/* one32 computes one lane; volatile keeps the operations between the changes of the rounding mode. */
static uint64_t one32(const inst *in, uint64_t va, uint64_t vb, uint64_t vc) {
	if (in->ftz) {
		va = flush32(va);
		vb = flush32(vb);
		vc = flush32(vc);
	}
	volatile float a = f32_of(va), b = f32_of(vb), c = f32_of(vc), r;
	switch (in->op) {
	case O_ADD: r = a + b; break;
	case O_SUB: r = a - b; break;
	case O_MUL: r = a * b; break;
	case O_DIV: r = in->approx ? (float)divided((double)a, (double)b, !in->wide) : a / b; break;
	case O_FMA: r = fmaf(a, b, c); break;
	case O_SQRT: r = sqrtf(a); break;
	case O_RCP: r = 1 / a; break;
	case O_RSQRT: r = (float)(1 / sqrt((double)a)); break;
	case O_SIN: r = isinf(a) ? NAN : (float)sin((double)a); break;
	case O_COS: r = isinf(a) ? NAN : (float)cos((double)a); break;
	case O_LG2: r = (float)log2((double)a); break;
	case O_EX2: r = (float)exp2((double)a); break;
	case O_TANH: r = (float)tanh((double)a); break;
	case O_ABS: return f32_bits(fabsf(a));
	case O_NEG: return f32_bits(-a);
	case O_MIN: return pick32(va, vb, false, in->nan);
	case O_MAX: return pick32(va, vb, true, in->nan);
	default: r = 0;
	}
	uint64_t v = f32_bits(r);
	if (in->ftz)
		v = flush32(v);
	if (in->sat)
		v = !(r > 0) ? 0 : r > 1 ? 0x3f800000 : v; /* a NaN becomes 0 */
	return v;
}

static uint64_t one64(const inst *in, uint64_t va, uint64_t vb, uint64_t vc) {
	if (in->ftz && !(va & 0x7ff0000000000000))
		va &= 1ull << 63;
	volatile double a = f64_of(va), b = f64_of(vb), c = f64_of(vc), r;
	switch (in->op) {
	case O_ADD: r = a + b; break;
	case O_SUB: r = a - b; break;
	case O_MUL: r = a * b; break;
	case O_DIV: r = a / b; break;
	case O_FMA: r = fma(a, b, c); break;
	case O_SQRT: r = sqrt(a); vb = va; break;
	case O_RCP: r = 1 / a; vb = va; break;
	case O_RSQRT: r = 1 / sqrt(a); vb = va; break;
	default: r = 0;
	}
	uint64_t v = in->op == O_DIV ? last64(r, vb, va) : last64(r, in->op == O_FMA && is_nan64(vc) ? vc : va, vb);
	if (in->ftz && in->approx) /* the low word is zero, a subnormal is flushed, a NaN is canonical */
		v = r != r ? 0x7fffffff00000000 : v & 0x7ff0000000000000 ? v & 0xffffffff00000000 : v & 1ull << 63;
	return v;
}

static const int modes[] = {[NEAREST] = FE_TONEAREST, [ZERO] = FE_TOWARDZERO, [DOWN] = FE_DOWNWARD, [UP] = FE_UPWARD};

static void slow(uint64_t *d, const uint64_t *const *s, const inst *in) {
	const uint64_t *a = s[0], *b = s[1], *c = s[2];
	fesetround(modes[in->round]);
	for (int i = 0; i < LANES; i++)
		d[i] = in->type == T_F32 ? one32(in, a[i], b[i], c[i]) : one64(in, a[i], b[i], c[i]);
	fesetround(FE_TONEAREST);
}

static pure *const fast[OPS][2] = {
	[O_ADD] = {add_f32, add_f64}, [O_SUB] = {sub_f32, sub_f64}, [O_MUL] = {mul_f32, mul_f64}, [O_DIV] = {div_f32, div_f64},
	[O_FMA] = {fma_f32, fma_f64}, [O_SQRT] = {sqrt_f32, sqrt_f64}, [O_RCP] = {rcp_f32, rcp_f64}, [O_NEG] = {neg_f32, neg_f64},
	[O_ABS] = {abs_f32, abs_f64}, [O_COPYSIGN] = {copysign_f32, copysign_f64}, [O_MIN] = {min_f32, min_f64}, [O_MAX] = {max_f32, max_f64},
	[O_RSQRT] = {slow, slow}, [O_SIN] = {slow, NULL}, [O_COS] = {slow, NULL}, [O_LG2] = {slow, NULL}, [O_EX2] = {slow, NULL}, [O_TANH] = {slow, NULL},
};

pure *fake_float_pure(const inst *in) {
	if (in->type != T_F32 && in->type != T_F64)
		return NULL;
	pure *f = fast[in->op][in->type == T_F64];
	return f && (in->round != NEAREST || in->ftz || in->sat || in->approx) ? slow : f;
}
