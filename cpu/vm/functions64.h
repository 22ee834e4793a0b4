/* Elementary functions of float64, as bodies for the loops of the engine.
 *
 * Every function here is inlined, takes its operands by value and has no branch, so that a
 * loop around a call vectorises. Each operation is one IEEE operation rounded to
 * nearest and W_FMA is a fused multiply-add, so that every instruction set, and the PTX of
 * package cuda/ptx, which has the same steps, gives the same bits. The compiler must not
 * contract a*b+c by itself: -std=c11 for gcc, the pragma below for clang.
 *
 * Special values are NumPy's, which are C99's. Errors are in cpu/ACCURACY.md, which make
 * accuracy writes (testdata/accuracy.c).
 *
 * Functions of large angles: w_sin_f64 and w_cos_f64 hold for |x| < W_ANGLE_F64 and for
 * what is not finite. Where w_wide_f64(x) holds, the loop that follows has to put
 * w_sin_wide_f64(x) in their place (see angles64.h). */
#ifndef WEFT_FUNCTIONS64_H
#define WEFT_FUNCTIONS64_H

#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Inlined whatever their size: a loop around a call does not vectorise. */
#define W_BODY static inline __attribute__((always_inline, unused))

#define W_FMA(a, b, c) __builtin_fma(a, b, c)
#define W_SQRT(a) __builtin_sqrt(a) /* vectorises with -fno-math-errno */
#define W_INF __builtin_inf()
#define W_NAN __builtin_nan("")

W_BODY int64_t w_bits_f64(double x) {
    int64_t i;
    memcpy(&i, &x, 8);
    return i;
}

W_BODY double w_from_f64(int64_t i) {
    double x;
    memcpy(&x, &i, 8);
    return x;
}

/* c ? a : b with both computed. Masks keep the compiler from moving the work for one of them
 * behind a branch, where it would not vectorise. */
W_BODY double w_pick_f64(int c, double a, double b) {
    int64_t m = c ? -1 : 0;
    return w_from_f64((w_bits_f64(a) & m) | (w_bits_f64(b) & ~m));
}

/* 2^k for -1022 <= k <= 1023. */
W_BODY double w_two_f64(int64_t k) { return w_from_f64((int64_t)((uint64_t)(k + 1023) << 52)); }

/* y * 2^k in two steps, so that results below the normal range round once and the factors
 * stay in range. The shift of a negative number is written as that of a positive one, which
 * AVX2 has. */
W_BODY double w_scale_f64(double y, int64_t k) {
    int64_t half = (int64_t)((uint64_t)(k + 4096) >> 1) - 2048;
    return y * w_two_f64(half) * w_two_f64(k - half);
}

/* The magic number 1.5 * 2^52: adding it rounds to an integer, which is then in the low
 * bits. */
#define W_MAGIC_F64 0x1.8p52

#define W_LN2HI_F64 0x1.62e42fefa39efp-1
#define W_LN2LO_F64 0x1.abc9e3b39803fp-56

/* (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2: the Taylor series, by Estrin's scheme. */
W_BODY double w_exp_tail_f64(double r) {
    double r2 = r * r;
    double r4 = r2 * r2;
    double r8 = r4 * r4;
    double p0 = W_FMA(r, 1.6666666666666666e-1, 0.5);
    double p2 = W_FMA(r, 8.333333333333333e-3, 4.1666666666666664e-2);
    double p4 = W_FMA(r, 1.984126984126984e-4, 1.3888888888888889e-3);
    double p6 = W_FMA(r, 2.7557319223985893e-6, 2.48015873015873e-5);
    double p8 = W_FMA(r, 2.505210838544172e-8, 2.755731922398589e-7);
    double p10 = W_FMA(r, 1.6059043836821613e-10, 2.08767569878681e-9);
    double p = W_FMA(r4, W_FMA(r2, p6, p4), W_FMA(r2, p2, p0));
    return W_FMA(r8, W_FMA(r2, p10, p8), p);
}

/* 2^(j/8) = hi + lo. */
static const double w_exp_hi_f64[8] = {
    0x1p+0, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0, 0x1.4bfdad5362a27p+0,
    0x1.6a09e667f3bcdp+0, 0x1.8ace5422aa0dbp+0, 0x1.ae89f995ad3adp+0, 0x1.d5818dcfba487p+0,
};
static const double w_exp_lo_f64[8] = {
    0.0, -0x1.19041b9d78a76p-55, 0x1.6f46ad23182e4p-55, 0x1.d4397afec42e2p-56,
    -0x1.bdd3413b26456p-54, 0x1.6e9f156864b27p-54, 0x1.7a1cd345dcc81p-54, 0x1.2ed02d75b3707p-55,
};

/* exp(x) = 2^k * 2^(j/8) * exp(r) with |r| <= ln(2)/16. What the table, the reduction and the product
 * lose is kept beside them and comes in before the one rounding that counts, so that the error is
 * at most 0.502 units where the result is normal, 0.749 below, where it is rounded twice: exp(1) is the
 * float64 next to e. The polynomial is (exp(r) - 1 - r) / r^2 to 2^-65. */
W_BODY double w_exp_f64(double x) {
    double a = w_pick_f64(x > 710.0, 710.0, x); /* NaN passes through */
    double b = w_pick_f64(a < -746.0, -746.0, a);
    double t = W_FMA(b, 0x1.71547652b82fep+3, W_MAGIC_F64);
    double n = t - W_MAGIC_F64;
    int64_t bits = w_bits_f64(t);
    double r0 = W_FMA(-n, 0x1.62e42fefa39efp-4, b); /* exact */
    double r = W_FMA(-n, 0x1.abc9e3b39803fp-59, r0);
    double rLo = W_FMA(-n, 0x1.abc9e3b39803fp-59, r0 - r);
    double r2 = r * r;
    double p0 = W_FMA(r, 0x1.5555555555555p-3, 0.5);
    double p2 = W_FMA(r, 0x1.1111110da9105p-7, 0x1.55555555555a9p-5);
    double p4 = W_FMA(r, 0x1.a01e85458528ap-13, 0x1.6c16c165b7912p-10);
    double p = W_FMA(r2, W_FMA(r2, W_FMA(r2, 0x1.a01ed2f77ffbap-16, p4), p2), p0);
    double q = W_FMA(r2, p, rLo);
    double hi = w_exp_hi_f64[bits & 7];
    double lo = w_exp_lo_f64[bits & 7];
    double step = hi * r;
    double sum = hi + step;
    double rest = W_FMA(hi, q, W_FMA(lo, r, W_FMA(hi, r, -step))) + lo;
    double y = sum + (step - (sum - hi) + rest);
    /* The shift is that of a positive number. */
    return w_scale_f64(y, (int64_t)((uint64_t)(bits - 0x4338000000000000 + 32768) >> 3) - 4096);
}

/* A positive finite number is m * 2^k with m between sqrt(1/2) and sqrt(2), subnormals
 * included: w_fraction_f64 is m, and w_exponent_f64 is k. Both want w_normal_f64(x). */
W_BODY double w_normal_f64(double x) { return x * w_pick_f64(x < 0x1p-1022, 0x1p54, 1.0); }

/* The exponent plus 1024, which keeps the shift that of a positive number. */
W_BODY int64_t w_biased_f64(double normal) {
    return (int64_t)((uint64_t)(w_bits_f64(normal) - 0x3fe6a09e00000000 + 0x4000000000000000) >> 52);
}

W_BODY double w_fraction_f64(double normal) {
    return w_from_f64(w_bits_f64(normal) - (int64_t)((uint64_t)(w_biased_f64(normal) - 1024) << 52));
}

W_BODY double w_exponent_f64(double x, double normal) {
    double k = w_from_f64(w_biased_f64(normal) + 0x4330000000000000) - 0x1.00000000004p52;
    return k - w_pick_f64(x < 0x1p-1022, 54.0, 0.0);
}

/* What a logarithm's series does not give, added to the finite y that it gives instead: of 0,
 * negative numbers, infinity, NaN. */
W_BODY double w_log_special_f64(double x, double y) {
    double a = w_pick_f64(x < 0.0, W_NAN, 0.0);
    double b = w_pick_f64(x == 0.0, -W_INF, a);
    return y + w_pick_f64(x < W_INF, b, x);
}

/* What times s is log(1+n) - n + square, for 1+n between sqrt(1/2) and sqrt(2), with
 * s = n/(2+n) and square = n*n/2; the polynomial is fdlibm's. */
W_BODY double w_log_series_f64(double s, double square) {
    double z = s * s;
    double w = z * z;
    double even = W_FMA(w, W_FMA(w, 0x1.39a09d078c69fp-3, 0x1.c71c51d8e78afp-3), 0x1.999999997fa04p-2);
    double odd = W_FMA(w, W_FMA(w, W_FMA(w, 0x1.2f112df3e5244p-3, 0x1.7466496cb03dep-3), 0x1.2492494229359p-2), 0x1.5555555555593p-1);
    double series = W_FMA(z, odd, w * even);
    return square + series;
}

/* A number of twice the precision, an unevaluated sum. */
typedef struct {
    double hi, lo;
} w_pair_f64;

/* log(m), with what the square's rounding and the difference lose in lo. */
W_BODY w_pair_f64 w_log_pair_f64(double m) {
    double n = m - 1.0;
    double s = n / (n + 2.0);
    double half = 0.5 * n;
    double square = half * n;
    w_pair_f64 y;
    y.hi = n - square;
    y.lo = W_FMA(s, w_log_series_f64(s, square), n - y.hi - square - W_FMA(half, n, -square));
    return y;
}

/* log(m) + k*log(2), of which the first part is exact. */
W_BODY double w_log_f64(double x) {
    double v = w_normal_f64(x);
    double k = w_exponent_f64(x, v);
    w_pair_f64 l = w_log_pair_f64(w_fraction_f64(v));
    double c = k * 0x1.62e42feep-1;
    double cLo = W_FMA(k, 1.90821492927058770002e-10, l.lo);
    double sum = c + l.hi; /* c is 0 or larger */
    return w_log_special_f64(x, sum + (l.hi - (sum - c) + cLo));
}

/* tanh(x) = (exp(2x)-1) / (exp(2x)+1), with the difference in two parts and the quotient put
 * right by its remainder. */
W_BODY double w_tanh_f64(double x) {
    double size = __builtin_fabs(x);
    double a = size + size;
    double b = w_pick_f64(a > 44.0, 44.0, a);
    double t = W_FMA(b, 1.4426950408889634, W_MAGIC_F64);
    double n = t - W_MAGIC_F64;
    double power = w_two_f64(w_bits_f64(t) - 0x4338000000000000);
    double r0 = W_FMA(-n, W_LN2HI_F64, b); /* exact */
    double r = W_FMA(-n, W_LN2LO_F64, r0);
    double rLo = W_FMA(-n, W_LN2LO_F64, r0 - r);
    double p = W_FMA(r * r, w_exp_tail_f64(r), W_FMA(r, rLo, rLo));
    double base = power - 1.0;
    double step = power * r;
    double sum = base + step;
    double rest = W_FMA(power, p, step - (sum - base));
    double hi = sum + rest;
    double lo = rest - (hi - sum);
    double d = hi + 2.0;
    double big = w_pick_f64(hi > 2.0, hi, 2.0);
    double small = w_pick_f64(hi > 2.0, 2.0, hi);
    double dLo = small - (d - big) + lo;
    double inverse = 1.0 / d;
    double q = hi * inverse;
    double left = W_FMA(-q, dLo, W_FMA(-q, d, hi) + lo);
    return __builtin_copysign(W_FMA(left, inverse, q), x);
}

/* The binary logarithm of m * 2^k as hi + lo, to about 2^-66 of its size:
 * with s = (m-1)/(m+1), log(m) = 2*(s + s^3/3 + s^5/5 + ...). Each step up to the last has
 * its rounding error beside it. */
W_BODY w_pair_f64 w_log2_parts_f64(double m, double k) {
    double n = m - 1.0; /* exact */
    double d = m + 1.0;
    double dLo = m - (d - 1.0);
    double inverse = 1.0 / d;
    double s = n * inverse;
    double sLo = W_FMA(-s, dLo, W_FMA(-s, d, n)) * inverse;
    double z = s * s;
    double zLo = W_FMA(s + s, sLo, W_FMA(s, s, -z));
    double t = z * 0x1.5555555555555p-2; /* z/3, in two parts */
    double tLo = W_FMA(z, 0x1.5555555555555p-56, W_FMA(zLo, 0x1.5555555555555p-2, W_FMA(z, 0x1.5555555555555p-2, -t)));
    double w = z * z;
    double w2 = w * w;
    double w3 = w2 * w;
    double c0 = W_FMA(z, 1.0 / 7, 1.0 / 5);
    double c2 = W_FMA(z, 1.0 / 11, 1.0 / 9);
    double c4 = W_FMA(z, 1.0 / 15, 1.0 / 13);
    double c6 = W_FMA(z, 1.0 / 19, 1.0 / 17);
    double c8 = W_FMA(z, 1.0 / 23, 1.0 / 21);
    double c10 = W_FMA(z, 1.0 / 27, 1.0 / 25);
    double rest = W_FMA(w3, W_FMA(w2, c10, W_FMA(w, c8, c6)), W_FMA(w2, c4, W_FMA(w, c2, c0))) * w;
    double p = t + rest;
    double pLo = rest - (p - t) + tLo;
    double sp = s * p;
    double spLo = W_FMA(sLo, p, W_FMA(s, pLo, W_FMA(s, p, -sp)));
    double l = s + sp;
    double lLo = sp - (l - s) + (spLo + sLo);
    /* Times 2/ln 2, plus k. */
    double b = l * 0x1.71547652b82fep+1;
    double bLo = W_FMA(lLo, 0x1.71547652b82fep+1, W_FMA(l, 0x1.777d0ffda0d24p-55, W_FMA(l, 0x1.71547652b82fep+1, -b)));
    double sum = k + b; /* k is 0 or larger than b */
    double sumLo = b - (sum - k) + bLo;
    w_pair_f64 y;
    y.hi = sum + sumLo;
    y.lo = sumLo - (y.hi - sum);
    return y;
}

/* The same of a positive finite number. */
W_BODY w_pair_f64 w_log2_pair_f64(double x) {
    double v = w_normal_f64(x);
    return w_log2_parts_f64(w_fraction_f64(v), w_exponent_f64(x, v));
}

/* 2^(hi + lo) = m * 2^k for |hi| <= 1500 and a small lo. */
typedef struct {
    double m;
    int64_t k;
} w_power_f64;

W_BODY w_power_f64 w_exp2_split_f64(double hi, double lo) {
    double t = hi + W_MAGIC_F64;
    double n = t - W_MAGIC_F64;
    double f = hi - n; /* exact */
    double r = f * W_LN2HI_F64;
    double tail = W_FMA(lo, W_LN2HI_F64, W_FMA(f, W_LN2LO_F64, W_FMA(f, W_LN2HI_F64, -r)));
    double p = r * r * w_exp_tail_f64(r);
    double rest = W_FMA(tail, r + p, tail) + p; /* tail*exp(r): it can be 2^-43 */
    double sum = 1.0 + r;
    w_power_f64 y;
    y.m = sum + (r - (sum - 1.0) + rest);
    y.k = w_bits_f64(t) - 0x4338000000000000;
    return y;
}

W_BODY double w_exp2_pair_f64(double hi, double lo) {
    w_power_f64 y = w_exp2_split_f64(hi, lo);
    return w_scale_f64(y.m, y.k);
}

/* Powers of positive normal numbers by finite exponents, for which the rules below change nothing. */
W_BODY int w_plain_power_f64(double x, double y) {
    return (x >= 0x1p-1022) & (x < W_INF) & (__builtin_fabs(y) < W_INF);
}

/* 2^(y*l) with the product in two parts. */
W_BODY double w_raise_f64(w_pair_f64 l, double y) {
    double p = y * l.hi;
    double e = W_FMA(y, l.hi, -p) + y * l.lo;
    double high = w_pick_f64(p > 1030.0, 1030.0, p);
    double low = w_pick_f64(high < -1080.0, -1080.0, high);
    return w_exp2_pair_f64(low, w_pick_f64(p == low, e, 0.0));
}

W_BODY double w_plain_pow_f64(double x, double y) {
    double k = w_from_f64(w_biased_f64(x) + 0x4330000000000000) - 0x1.00000000004p52;
    return w_raise_f64(w_log2_parts_f64(w_fraction_f64(x), k), y);
}

/* x^y = 2^(y*log2|x|), then C99's rules. */
W_BODY double w_pow_f64(double x, double y) {
    double ax = __builtin_fabs(x);
    double size = w_raise_f64(w_log2_pair_f64(ax), y);

    double grown = w_pick_f64(y > 0.0, W_INF, 0.0);
    double shrunk = w_pick_f64(y > 0.0, 0.0, W_INF);
    size = w_pick_f64(ax == 0.0, shrunk, size);
    size = w_pick_f64(ax == W_INF, grown, size);
    size = w_pick_f64(__builtin_fabs(y) == W_INF, w_pick_f64(ax > 1.0, grown, shrunk), size);
    size = w_pick_f64(ax == 1.0, 1.0, size);

    /* An odd number is whole and its half is not. From 2^52 on every number is whole, from
     * 2^53 on every one is even. A negative finite base has powers at whole numbers only. */
    double ay = __builtin_fabs(y);
    double whole = w_pick_f64(ay >= 0x1p52, ay, ay + 0x1p52 - 0x1p52);
    double halved = ay * 0.5;
    double half = w_pick_f64(halved >= 0x1p52, halved, halved + 0x1p52 - 0x1p52);
    double z = w_pick_f64(halved == half, size, w_pick_f64(whole == ay, __builtin_copysign(size, x), size));
    double defined = w_pick_f64(whole == ay, z, w_pick_f64(ax < W_INF, W_NAN, z));
    z = w_pick_f64(x < 0.0, defined, z);
    z = w_pick_f64(x != x, x, w_pick_f64(y != y, y, z));
    return w_pick_f64(y == 0.0, 1.0, w_pick_f64(x == 1.0, 1.0, z));
}

/* Sine and cosine of |x| < 2^20, by a reduction to a quadrant in three parts of pi/2 whose
 * low part goes into the polynomials (fdlibm's). */
#define W_ANGLE_F64 0x1p20

W_BODY int w_wide_f64(double x) {
    double size = __builtin_fabs(x);
    return (size >= W_ANGLE_F64) & (size < W_INF);
}

/* sin(r + tail) = r - drop. */
W_BODY double w_sin_drop_f64(double r, double tail) {
    double z = r * r;
    double v = -(z * r);
    double p = W_FMA(z, 0x1.5d93a5acfd57cp-33, -0x1.ae5e68a2b9cebp-26);
    p = W_FMA(z, W_FMA(z, W_FMA(z, p, 0x1.71de357b1fe7dp-19), -0x1.a01a019c161d5p-13), 0x1.111111110f8a6p-7);
    double t = W_FMA(v, p, 0.5 * tail);
    return W_FMA(v, -0x1.5555555555549p-3, W_FMA(z, t, -tail));
}

/* cos(r + tail) = hi + lo. */
W_BODY w_pair_f64 w_cos_pair_f64(double r, double tail) {
    double z = r * r;
    double p = W_FMA(z, -0x1.8fae9be8838d4p-37, 0x1.1ee9ebdb4b1c4p-29);
    p = W_FMA(z, W_FMA(z, W_FMA(z, W_FMA(z, p, -0x1.27e4f809c52adp-22), 0x1.a01a019cb159p-16), -0x1.6c16c16c15177p-10), 0x1.555555555554cp-5);
    double half = 0.5 * z;
    w_pair_f64 y;
    y.hi = 1.0 - half;
    y.lo = 1.0 - y.hi - half + W_FMA(z, z * p, -(r * tail));
    return y;
}

/* Sine of the angle r + tail in a quadrant; bits 0 and 1 of q count. */
W_BODY double w_quadrant_f64(int64_t q, double r, double tail) {
    double sine = r - w_sin_drop_f64(r, tail);
    w_pair_f64 c = w_cos_pair_f64(r, tail);
    double y = w_pick_f64((q & 1) != 0, c.hi + c.lo, sine);
    return w_from_f64(w_bits_f64(y) ^ (int64_t)((uint64_t)(q & 2) << 62));
}

/* x = q*pi/2 + r + tail; of q the two low bits count. -0 keeps its sign, and infinities
 * become NaN on the way. */
typedef struct {
    int64_t q;
    double r, tail;
} w_turn_f64;

W_BODY w_turn_f64 w_reduce_f64(double x) {
    double t = x * 0x1.45f306dc9c883p-1 + W_MAGIC_F64;
    double n = t - W_MAGIC_F64;
    double r0 = W_FMA(-n, 0x1.921fb54442d18p+0, x); /* exact: the digits cancel */
    double p = n * 0x1.1a62633145c07p-54;
    double pLo = W_FMA(n, -0x1.f1976b7ed8fbcp-110, W_FMA(n, 0x1.1a62633145c07p-54, -p));
    double r = r0 - p;
    double back = r - r0;
    w_turn_f64 y;
    y.q = w_bits_f64(t);
    y.r = r;
    y.tail = r0 - (r - back) - (p + back) - pLo;
    return y;
}

W_BODY double w_sin_f64(double x) {
    w_turn_f64 a = w_reduce_f64(x);
    return w_quadrant_f64(a.q, a.r, a.tail);
}

W_BODY double w_cos_f64(double x) {
    w_turn_f64 a = w_reduce_f64(x);
    return w_quadrant_f64(a.q + 1, a.r, a.tail);
}

#endif
