/* Conversions (PTX ISA, "cvt"). A float beyond an integer's range becomes the nearest end of it; a NaN becomes 0, or the lowest bit
   pattern's top bit alone where the source is .f64 or the result has 64 bits. */
#include "pure.h"
#include <fenv.h>

double fake_half(uint16_t v) {
	int e = v >> 10 & 31;
	double m = (double)(v & 1023), r;
	if (e == 31)
		r = v & 1023 ? NAN : INFINITY;
	else
		r = e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
	return v >> 15 ? -r : r;
}

double fake_brain(uint16_t v) { return (double)f32_of((uint32_t)v << 16); }

/* fake_narrow rounds once to a format of 16 bits. */
uint16_t fake_narrow(double v, int round, bool brain) {
	int bits = brain ? 8 : 11, lowest = brain ? -133 : -24; /* of precision; exponent of the last place of subnormals */
	uint16_t sign = signbit(v) ? 0x8000 : 0, infinity = brain ? 0x7f80 : 0x7c00;
	if (v != v)
		return NAN16;
	double a = fabs(v);
	if (isinf(a))
		return sign | infinity;
	int e;
	frexp(a, &e);
	int place = a == 0 || e - bits < lowest ? lowest : e - bits;
	double scaled = ldexp(a, -place), low = floor(scaled), rest = scaled - low;
	bool up = round == NEAREST ? rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0) : round == UP ? rest > 0 && !sign : round == DOWN ? rest > 0 && sign : false;
	uint32_t n = (uint32_t)low + up + ((uint32_t)(place - lowest) << (bits - 1));
	if (n >= infinity) {
		bool over = round == NEAREST || (round == UP && !sign) || (round == DOWN && sign);
		n = over ? infinity : infinity - 1u;
	}
	return sign | (uint16_t)n;
}

/* Integers to integers: the source's value, cut to the result. */
#define WHOLE(s, S) PURE(from_##s, (uint64_t)(int64_t)(S)A[i] & type_mask((type)in->type))
WHOLE(u8, uint8_t)
WHOLE(s8, int8_t)
WHOLE(u16, uint16_t)
WHOLE(s16, int16_t)
WHOLE(u32, uint32_t)
WHOLE(s32, int32_t)
WHOLE(64, uint64_t)

PURE(f32_s32, raw32((float)(int32_t)A[i]))
PURE(f32_u32, raw32((float)(uint32_t)A[i]))
PURE(f64_s32, f64_bits((double)(int32_t)A[i]))
PURE(f64_u32, f64_bits((double)(uint32_t)A[i]))
PURE(f64_s64, f64_bits((double)(int64_t)A[i]))
PURE(f64_u64, f64_bits((double)A[i]))
PURE(f64_f32, f64_bits((double)f32_of(A[i])))
static inline uint64_t narrow_nan(uint64_t v) { return (v >> 32 & 0x80000000) | 0x7fc00000 | (v >> 29 & 0x3fffff); }
PURE(f32_f64, f64_of(A[i]) == f64_of(A[i]) ? raw32((float)f64_of(A[i])) : narrow_nan(A[i]))
PURE(f32_f32, A[i] & 0xffffffff)
PURE(f32_bf16, (A[i] & 0xffff) << 16)

static bool is_float(int t) { return t == T_F16 || t == T_BF16 || t == T_F32 || t == T_F64; }
static bool is_signed(int t) { return fake_types[t].class == 's'; }

static __int128 integer_of(uint64_t v, type t) {
	int w = 8 * fake_types[t].bytes;
	v &= type_mask(t);
	return is_signed(t) && v >> (w - 1) ? (__int128)v - ((__int128)1 << w) : (__int128)v;
}

static uint64_t clamped(__int128 v, type t) {
	int w = 8 * fake_types[t].bytes;
	__int128 low = is_signed(t) ? -((__int128)1 << (w - 1)) : 0, high = ((__int128)1 << (is_signed(t) ? w - 1 : w)) - 1;
	return (uint64_t)(v < low ? low : v > high ? high : v) & type_mask(t);
}

static double float_of(uint64_t v, type t, bool ftz) {
	switch (t) {
	case T_F16: return fake_half((uint16_t)v);
	case T_BF16: return fake_brain((uint16_t)v);
	case T_F32: return (double)f32_of(ftz && !(v & 0x7f800000) ? v & 0x80000000 : v);
	default: return f64_of(v);
	}
}

static double rounded(double v, int round) {
	if (v != v)
		return v + v;
	switch (round) {
	case ZERO: return trunc(v);
	case DOWN: return floor(v);
	case UP: return ceil(v);
	default: return rint(v);
	}
}

static uint64_t to_integer(double v, const inst *in) {
	type t = (type)in->type;
	int w = 8 * fake_types[t].bytes;
	if (v != v)
		return in->type2 == T_F64 || w == 64 ? 1ull << (w - 1) : 0;
	v = rounded(v, in->round);
	if (fabs(v) >= 0x1p100)
		return clamped(v < 0 ? -((__int128)1 << 100) : (__int128)1 << 100, t);
	return clamped((__int128)v, t);
}

static const int modes[] = {[NEAREST] = FE_TONEAREST, [ZERO] = FE_TOWARDZERO, [DOWN] = FE_DOWNWARD, [UP] = FE_UPWARD};

/* to_float gives v the float type; for an integer of 64 bits, whole has what v may have lost. */
static uint64_t to_float(double v, __int128 whole, const inst *in) {
	bool from_whole = !is_float(in->type2);
	uint64_t r;
	if (in->type == T_F32) {
		volatile double wide = v;
		volatile float f;
		fesetround(modes[in->round]);
		if (from_whole && whole < 0) {
			volatile int64_t n = (int64_t)whole;
			f = (float)n;
		} else if (from_whole) {
			volatile uint64_t n = (uint64_t)whole;
			f = (float)n;
		} else {
			f = (float)wide;
		}
		fesetround(FE_TONEAREST);
		r = f32_bits(f);
		if (in->ftz && !(r & 0x7f800000))
			r &= 0x80000000;
	} else if (in->type == T_F64) {
		volatile double f = v;
		if (from_whole) {
			fesetround(modes[in->round]);
			volatile int64_t n = (int64_t)whole;
			volatile uint64_t u = (uint64_t)whole;
			f = whole < 0 ? (double)n : (double)u;
			fesetround(FE_TONEAREST);
		}
		r = f64_bits(f);
	} else {
		if (from_whole) { /* 64 bits are cut to 53, the last one sticky */
			__int128 m = whole < 0 ? -whole : whole;
			if (m >> 53)
				m = (m & ~(__int128)0x1fff) | ((m & 0x1fff) != 0 ? 0x1000 : 0);
			v = whole < 0 ? -(double)m : (double)m;
		}
		r = fake_narrow(v, in->round, in->type == T_BF16);
	}
	return r;
}

/* through is a NaN that .f64 takes or gives: quiet, with its sign and what there is room for of its payload. */
static uint64_t through(uint64_t a, const inst *in) {
	if (in->type == T_F32)
		return narrow_nan(a);
	if (in->type == T_F16)
		return (a >> 48 & 0x8000) | 0x7e00 | (a >> 42 & 0x1ff);
	if (in->type2 == T_F32 && in->ftz)
		return 0x7fffffffe0000000;
	int payload = in->type2 == T_F32 ? 23 : 10;
	return (a >> (in->type2 == T_F32 ? 31 : 15) & 1) << 63 | 0x7ff8000000000000 | (a & ((1ull << payload) - 1)) << (52 - payload);
}

static uint64_t one(uint64_t a, const inst *in) {
	type to = (type)in->type, from = (type)in->type2;
	if (!is_float(from)) {
		__int128 n = integer_of(a, from);
		if (!is_float(to))
			return in->sat ? clamped(n, to) : (uint64_t)n & type_mask(to);
		if (in->sat)
			n = n <= 0 ? 0 : 1;
		return to_float(0, n, in);
	}
	double v = float_of(a, from, in->ftz);
	if (!is_float(to))
		return to_integer(v, in);
	if (v != v && !in->sat && to != from && (to == T_F64 || from == T_F64))
		return through(a, in);
	if (in->wide) /* rni and its kin; without them it is exact */
		v = rounded(v, in->round);
	if (in->sat)
		v = !(v > 0) ? 0 : v > 1 ? 1 : v;
	if (in->negate)
		v = v < 0 || v == 0 ? 0 : v;
	return to_float(v, 0, in);
}

static void general(uint64_t *d, const uint64_t *const *s, const inst *in) {
	for (int i = 0; i < LANES; i++)
		d[i] = one(s[0][i], in);
}

/* pair is cvt.f16x2.f32 d, a, b: a goes to the upper half. */
static void pair(uint64_t *d, const uint64_t *const *s, const inst *in) {
	bool brain = in->type == T_BF16X2;
	for (int i = 0; i < LANES; i++) {
		double a = (double)f32_of(s[0][i]), b = (double)f32_of(s[1][i]);
		if (in->negate) {
			a = a <= 0 ? 0 : a;
			b = b <= 0 ? 0 : b;
		}
		d[i] = (uint64_t)fake_narrow(a, in->round, brain) << 16 | fake_narrow(b, in->round, brain);
	}
}

static pure *const wholes[TYPES] = {
	[T_U8] = from_u8, [T_S8] = from_s8, [T_U16] = from_u16, [T_S16] = from_s16, [T_U32] = from_u32, [T_S32] = from_s32, [T_U64] = from_64, [T_S64] = from_64,
};

static pure *const plain[TYPES][TYPES] = {
	[T_F32] = {[T_S32] = f32_s32, [T_U32] = f32_u32, [T_F64] = f32_f64, [T_F32] = f32_f32, [T_BF16] = f32_bf16},
	[T_F64] = {[T_S32] = f64_s32, [T_U32] = f64_u32, [T_S64] = f64_s64, [T_U64] = f64_u64, [T_F32] = f64_f32},
};

pure *fake_convert_pure(const inst *in) {
	if (in->op == O_CVT2)
		return pair;
	if (in->op != O_CVT)
		return NULL;
	if (!in->sat && !in->ftz && in->round == NEAREST) {
		if (!is_float(in->type) && !is_float(in->type2))
			return wholes[in->type2];
		if (plain[in->type][in->type2] && !in->wide)
			return plain[in->type][in->type2];
	}
	return general;
}
