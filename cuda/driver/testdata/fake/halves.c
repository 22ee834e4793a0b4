/* Arithmetic of float16 and bfloat16, alone and in pairs. A product of two is exact in a double; a sum is rounded to odd there, so that
   the second rounding is the only one. */
#include "pure.h"

/* to_odd adds; where the sum is inexact its last bit is set. */
static double to_odd(double a, double b) {
	volatile double s = a + b, t = s - a, e1 = a - (s - t), e2 = b - t;
	double rest = e1 + e2;
	if (s - s != 0 || rest == 0)
		return s;
	uint64_t v = f64_bits(s);
	if (!(v & 1))
		v += (rest > 0) == (s > 0) ? 1 : (uint64_t)-1;
	return f64_of(v);
}

static double flushed(double v, bool ftz) { return ftz && fabs(v) < 0x1p-14 ? copysign(0, v) : v; }

static uint16_t picked(double a, double b, uint16_t va, uint16_t vb, bool larger, bool nan) {
	if (a != a || b != b)
		return (a != a && b != b) || nan ? NAN16 : a != a ? vb : va;
	if (a == b)
		return larger ? va & vb : va | vb;
	return (a < b) != larger ? va : vb;
}

static uint16_t one(const inst *in, bool brain, uint16_t va, uint16_t vb, uint16_t vc) {
	double a = brain ? fake_brain(va) : fake_half(va), b = brain ? fake_brain(vb) : fake_half(vb), c = brain ? fake_brain(vc) : fake_half(vc), r;
	if (in->ftz) {
		va = va & 0x7c00 ? va : va & 0x8000;
		vb = vb & 0x7c00 ? vb : vb & 0x8000;
		a = flushed(a, true);
		b = flushed(b, true);
		c = flushed(c, true);
	}
	switch (in->op) {
	case O_ADD: r = to_odd(a, b); break;
	case O_SUB: r = to_odd(a, -b); break;
	case O_MUL: r = a * b; break;
	case O_FMA: r = to_odd(a * b, c); break;
	case O_NEG: return a != a ? NAN16 : va ^ 0x8000;
	case O_ABS: return a != a ? NAN16 : va & 0x7fff;
	case O_MIN: return picked(a, b, va, vb, false, in->nan);
	case O_MAX: return picked(a, b, va, vb, true, in->nan);
	case O_EX2: r = exp2(a); break;
	default: r = 0;
	}
	if (in->sat)
		r = !(r > 0) ? 0 : r > 1 ? 1 : r;
	if (in->negate) /* .relu: what is negative becomes +0, a NaN stays */
		r = r < 0 || r == 0 ? 0 : r;
	return fake_narrow(flushed(r, in->ftz), NEAREST, brain);
}

static void half(uint64_t *d, const uint64_t *const *s, const inst *in) {
	bool brain = in->type == T_BF16 || in->type == T_BF16X2;
	int parts = in->type == T_F16X2 || in->type == T_BF16X2 ? 2 : 1;
	for (int i = 0; i < LANES; i++) {
		uint64_t r = 0;
		for (int k = 0; k < parts; k++)
			r |= (uint64_t)one(in, brain, (uint16_t)(s[0][i] >> 16 * k), (uint16_t)(s[1][i] >> 16 * k), (uint16_t)(s[2][i] >> 16 * k)) << 16 * k;
		d[i] = r;
	}
}

pure *fake_half_pure(const inst *in) {
	switch (in->op) {
	case O_ADD: case O_SUB: case O_MUL: case O_FMA: case O_NEG: case O_ABS: case O_MIN: case O_MAX: case O_EX2:
		return in->type == T_F16 || in->type == T_F16X2 || in->type == T_BF16 || in->type == T_BF16X2 ? half : NULL;
	default:
		return NULL;
	}
}
