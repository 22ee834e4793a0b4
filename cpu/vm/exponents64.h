/* More exponentials and logarithms of float64; see functions64.h, whose rules these follow. */
#ifndef WEFT_EXPONENTS64_H
#define WEFT_EXPONENTS64_H

#include "functions64.h"

W_BODY double w_exp2_f64(double x) {
    double a = w_pick_f64(x > 1030.0, 1030.0, x); /* NaN passes through */
    double b = w_pick_f64(a < -1080.0, -1080.0, a);
    return w_exp2_pair_f64(b, 0.0);
}

/* (exp(x) - 1) / 4 = hi + lo for -40 <= x <= 710.5: a quarter, so that the power of two stays
 * in range where a hyperbolic function still is. */
W_BODY w_pair_f64 w_expm1_quarter_f64(double x) {
    double t = W_FMA(x, 1.4426950408889634, W_MAGIC_F64);
    double n = t - W_MAGIC_F64;
    double power = w_two_f64(w_bits_f64(t) - 0x4338000000000002);
    double r0 = W_FMA(-n, W_LN2HI_F64, x); /* exact */
    double r = W_FMA(-n, W_LN2LO_F64, r0);
    double rLo = W_FMA(-n, W_LN2LO_F64, r0 - r);
    double p = W_FMA(r * r, w_exp_tail_f64(r), W_FMA(r, rLo, rLo));
    double base = power - 0.25; /* 0 or larger than what follows */
    double step = power * r;
    double sum = base + step;
    double rest = W_FMA(power, p, step - (sum - base));
    w_pair_f64 y;
    y.hi = sum + rest;
    y.lo = rest - (y.hi - sum);
    return y;
}

W_BODY double w_expm1_f64(double x) {
    double a = w_pick_f64(x > 710.5, 710.5, x);
    double b = w_pick_f64(a < -40.0, -40.0, a);
    double y = w_expm1_quarter_f64(b).hi * 4.0;
    return w_pick_f64(__builtin_fabs(x) < 0x1p-54, x, y); /* and -0 */
}

/* With h = (exp|x|-1)/4, sinh|x| = 2h + 2h/(4h+1). */
W_BODY double w_sinh_f64(double x) {
    double size = __builtin_fabs(x);
    w_pair_f64 h = w_expm1_quarter_f64(w_pick_f64(size > 710.5, 710.5, size));
    double t = h.hi / W_FMA(4.0, h.hi, 1.0);
    double slope = W_FMA(-4.0, t, 1.0); /* 1/(4h+1) */
    double y = (h.hi + W_FMA(h.lo, W_FMA(slope, slope, 1.0), t)) * 2.0;
    return __builtin_copysign(w_pick_f64(size < 0x1p-28, size, y), x);
}

/* cosh|x| = 2h + 1/2 + 1/2/(4h+1). */
W_BODY double w_cosh_f64(double x) {
    double size = __builtin_fabs(x);
    w_pair_f64 h = w_expm1_quarter_f64(w_pick_f64(size > 710.5, 710.5, size));
    double c = W_FMA(0.25, 1.0 / W_FMA(4.0, h.hi, 1.0), 0.25);
    return (h.hi + (c + h.lo)) * 2.0;
}

/* Logarithms to another base: log(m) in two parts times 1/log(base) in two parts, plus
 * k*log(2)/log(base). */
W_BODY double w_log2_f64(double x) {
    double v = w_normal_f64(x);
    double k = w_exponent_f64(x, v);
    w_pair_f64 l = w_log_pair_f64(w_fraction_f64(v));
    double b = l.hi * 0x1.71547652b82fep+0;
    double bLo = W_FMA(l.lo, 0x1.71547652b82fep+0, W_FMA(l.hi, 0x1.777d0ffda0d24p-56, W_FMA(l.hi, 0x1.71547652b82fep+0, -b)));
    double sum = k + b;
    return w_log_special_f64(x, sum + (b - (sum - k) + bLo));
}

W_BODY double w_log10_f64(double x) {
    double v = w_normal_f64(x);
    double k = w_exponent_f64(x, v);
    w_pair_f64 l = w_log_pair_f64(w_fraction_f64(v));
    double b = l.hi * 0x1.bcb7b1526e50ep-2;
    double bLo = W_FMA(l.lo, 0x1.bcb7b1526e50ep-2, W_FMA(l.hi, 0x1.95355baaafad3p-57, W_FMA(l.hi, 0x1.bcb7b1526e50ep-2, -b)));
    double c = k * 0x1.34413509f6p-2; /* exact */
    double cLo = W_FMA(k, 0x1.9fef311f12b36p-42, bLo);
    double sum = c + b;
    return w_log_special_f64(x, sum + (b - (sum - c) + cLo));
}

/* log(1 + hi + lo) + extra*log(2) for a finite 1+hi > 0 and a small lo: the logarithm of the
 * rounded sum with what the rounding lost, to first order. */
W_BODY double w_log1p_pair_f64(double hi, double lo, double extra) {
    double u = 1.0 + hi;
    double back = u - 1.0;
    double lost = 1.0 - (u - back) + (hi - back) + lo;
    double k = w_exponent_f64(1.0, u) + extra;
    double n = w_fraction_f64(u) - 1.0;
    double s = n / (n + 2.0);
    double square = 0.5 * n * n;
    double rest = W_FMA(s, w_log_series_f64(s, square), W_FMA(k, 1.90821492927058770002e-10, lost / u));
    return W_FMA(k, 0x1.62e42feep-1, n - (square - rest));
}

W_BODY double w_log1p_f64(double x) {
    double y = w_log1p_pair_f64(x, 0.0, 0.0);
    y = w_pick_f64(x < -1.0, W_NAN, y);
    y = w_pick_f64(x == -1.0, -W_INF, y);
    y = w_pick_f64(__builtin_fabs(x) < 0x1p-54, x, y); /* and -0 */
    return w_pick_f64(x < W_INF, y, x);
}

/* asinh|x| = log1p(|x| + x^2/(1+sqrt(1+x^2))); log(2|x|) where the square may be infinite. */
W_BODY double w_asinh_f64(double x) {
    double size = __builtin_fabs(x);
    double z = size * size;
    double t = z / (1.0 + W_SQRT(1.0 + z));
    double hi = size + t;
    double lo = t - (hi - size);
    int large = size > 0x1p28;
    double y = w_log1p_pair_f64(w_pick_f64(large, size - 1.0, hi), w_pick_f64(large, 0.0, lo), w_pick_f64(large, 1.0, 0.0));
    y = w_pick_f64(size < 0x1p-28, size, y);
    return __builtin_copysign(w_pick_f64(size < W_INF, y, size), x);
}

/* acosh(x) = log1p(t + sqrt(t^2+2t)) with t = x-1, and the root in two parts. */
W_BODY double w_acosh_f64(double x) {
    double t = x - 1.0;
    double v = W_FMA(t, t, t + t);
    double vLo = W_FMA(t, t, t + t - v);
    double root = W_SQRT(v);
    double rootLo = w_pick_f64(t > 0.0, (W_FMA(-root, root, v) + vLo) / (root + root), 0.0);
    double hi = root + t;
    double lo = t - (hi - root) + rootLo;
    int large = x > 0x1p28;
    double y = w_log1p_pair_f64(w_pick_f64(large, t, hi), w_pick_f64(large, 0.0, lo), w_pick_f64(large, 1.0, 0.0));
    y = w_pick_f64(x < 1.0, W_NAN, y);
    return w_pick_f64(x < W_INF, y, x);
}

/* atanh|x| = log1p(2|x|/(1-|x|)) / 2, with the quotient in two parts. */
W_BODY double w_atanh_f64(double x) {
    double size = __builtin_fabs(x);
    double n = size + size;
    double d = 1.0 - size;
    double dLo = 1.0 - d - size;
    double q = n / d;
    double qLo = W_FMA(-q, dLo, W_FMA(-q, d, n)) / d;
    double y = 0.5 * w_log1p_pair_f64(q, qLo, 0.0);
    y = w_pick_f64(size < 0x1p-28, size, y);
    y = w_pick_f64(size == 1.0, W_INF, y);
    return __builtin_copysign(w_pick_f64(size > 1.0, W_NAN, y), x);
}

#endif
