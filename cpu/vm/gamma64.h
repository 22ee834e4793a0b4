/* The gamma function of float64 and its logarithm; see functions64.h.
 *
 * Stirling's series holds from 10 on; below, gamma(a) = gamma(a+10) / (a(a+1)...(a+9)). For
 * negative numbers gamma(-a) = -pi / (a*sin(pi*a)*gamma(a)). The large summands are kept in
 * two parts, so that the logarithm is right to about 1e-17 near its zeros as well. */
#ifndef WEFT_GAMMA64_H
#define WEFT_GAMMA64_H

#include "functions64.h"

W_BODY w_pair_f64 w_plus_f64(w_pair_f64 a, double b, double bLo) {
    double sum = a.hi + b;
    double back = sum - a.hi;
    double lo = a.hi - (sum - back) + (b - back) + (a.lo + bLo);
    w_pair_f64 y;
    y.hi = sum + lo;
    y.lo = lo - (y.hi - sum);
    return y;
}

/* p * (a+i) */
W_BODY w_pair_f64 w_rising_f64(w_pair_f64 p, double a, double i) {
    double u = a + i;
    double back = u - a;
    double lost = a - (u - back) + (i - back);
    double t = p.hi * u;
    double lo = W_FMA(p.hi, lost, W_FMA(p.lo, u, W_FMA(p.hi, u, -t)));
    w_pair_f64 y;
    y.hi = t + lo;
    y.lo = lo - (y.hi - t);
    return y;
}

/* a(a+1)...(a+9) for a < 10, else 1. */
W_BODY w_pair_f64 w_product_f64(double a) {
    w_pair_f64 p;
    p.hi = a;
    p.lo = 0.0;
    p = w_rising_f64(p, a, 1.0);
    p = w_rising_f64(p, a, 2.0);
    p = w_rising_f64(p, a, 3.0);
    p = w_rising_f64(p, a, 4.0);
    p = w_rising_f64(p, a, 5.0);
    p = w_rising_f64(p, a, 6.0);
    p = w_rising_f64(p, a, 7.0);
    p = w_rising_f64(p, a, 8.0);
    p = w_rising_f64(p, a, 9.0);
    int shift = a < 10.0;
    p.hi = w_pick_f64(shift, p.hi, 1.0);
    p.lo = w_pick_f64(shift, p.lo, 0.0);
    return p;
}

/* log2(gamma(z)) for z = a, or z = a+10 below 10; a finite and not negative. From 2^900 on it
 * is the 256th part, because it may be infinite where the natural logarithm is not. */
W_BODY w_pair_f64 w_stirling_f64(double a) {
    double more = w_pick_f64(a < 10.0, 10.0, 0.0);
    double z = a + more;
    double back = z - a;
    double lost = a - (z - back) + (more - back);
    w_pair_f64 l = w_log2_pair_f64(z);
    double v = w_pick_f64(z > 0x1p900, z * 0x1p-8, z);
    w_pair_f64 e;
    e.hi = v * l.hi;
    e.lo = W_FMA(v, l.lo, W_FMA(v, l.hi, -e.hi));
    double b = v * 0x1.71547652b82fep+0;
    double bLo = W_FMA(v, 0x1.777d0ffda0d24p-56, W_FMA(v, 0x1.71547652b82fep+0, -b));
    e = w_plus_f64(e, -b, -bLo);
    e = w_plus_f64(e, -0.5 * l.hi, -0.5 * l.lo);
    e = w_plus_f64(e, 0x1.536439a4c6efcp+0, -0x1.49e49a361efebp-54);
    double inverse = 1.0 / z;
    double w = inverse * inverse;
    double s = W_FMA(w, -0x1.6476701181f3ap+0, 0x1.6fe96381e0680p-3);
    s = W_FMA(w, W_FMA(w, s, -0x1.e4286cb0f5398p-6), 0x1.a41a41a41a41ap-8);
    s = W_FMA(w, W_FMA(w, s, -0x1.f6ab0d9993c7dp-10), 0x1.b951e2b18ff23p-11);
    s = W_FMA(w, W_FMA(w, s, -0x1.3813813813814p-11), 0x1.a01a01a01a01ap-11);
    s = W_FMA(w, W_FMA(w, s, -0x1.6c16c16c16c17p-9), 0x1.5555555555555p-4);
    double slope = W_FMA(inverse, -0.72134752044448169, l.hi);
    return w_plus_f64(e, s * inverse * 0x1.71547652b82fep+0, lost * slope);
}

/* sin(pi*a) for a >= 0; 2^51 is even, and from 2^52 on all numbers are whole. */
W_BODY w_pair_f64 w_sin_pi_f64(double a) {
    double b = w_pick_f64(a < 0x1p51, a, w_pick_f64(a < 0x1p52, a - 0x1p51, 0.0));
    double t = b + W_MAGIC_F64;
    double f = b - (t - W_MAGIC_F64);
    double size = __builtin_fabs(f);
    int far = size > 0.25;
    double g = w_pick_f64(far, 0.5 - size, size);
    double r = g * 0x1.921fb54442d18p+1;
    double tail = W_FMA(g, 0x1.1a62633145c07p-53, W_FMA(g, 0x1.921fb54442d18p+1, -r));
    double drop = w_sin_drop_f64(r, tail);
    double sine = r - drop;
    w_pair_f64 c = w_cos_pair_f64(r, tail);
    double cosine = c.hi + c.lo;
    double flip = w_from_f64((w_bits_f64(f) & INT64_MIN) ^ (int64_t)((uint64_t)(w_bits_f64(t) & 1) << 63) ^ 0x3ff0000000000000);
    w_pair_f64 y;
    y.hi = flip * w_pick_f64(far, cosine, sine);
    y.lo = flip * w_pick_f64(far, c.lo - (cosine - c.hi), r - sine - drop);
    return y;
}

/* n / d */
W_BODY w_pair_f64 w_ratio_f64(w_pair_f64 n, w_pair_f64 d) {
    w_pair_f64 y;
    y.hi = n.hi / d.hi;
    y.lo = (W_FMA(-y.hi, d.lo, W_FMA(-y.hi, d.hi, n.hi) + n.lo)) / d.hi;
    return y;
}

/* pi*product / (a*sin(pi*a)) / 2^64, of which s is the sine. */
W_BODY w_pair_f64 w_reflected_f64(double a, w_pair_f64 s, w_pair_f64 product) {
    w_pair_f64 n, d;
    n.hi = product.hi * 0x1.921fb54442d18p+1;
    n.lo = W_FMA(product.lo, 0x1.921fb54442d18p+1, W_FMA(product.hi, 0x1.1a62633145c07p-53, W_FMA(product.hi, 0x1.921fb54442d18p+1, -n.hi)));
    double scaled = a * 0x1p64;
    d.hi = scaled * s.hi;
    d.lo = W_FMA(scaled, s.lo, W_FMA(scaled, s.hi, -d.hi));
    return w_ratio_f64(n, d);
}

W_BODY double w_gamma_f64(double x) {
    double a = __builtin_fabs(x);
    double capped = w_pick_f64(a > 200.0, 200.0, a);
    w_pair_f64 e = w_stirling_f64(capped);
    w_pair_f64 p = w_product_f64(capped);
    int negative = x < 0.0;
    double up = w_pick_f64(negative, -e.hi, e.hi);
    double upLo = w_pick_f64(negative, -e.lo, e.lo);
    w_pair_f64 s = w_sin_pi_f64(a);
    w_pair_f64 one = {1.0, 0.0};
    w_pair_f64 f = w_ratio_f64(one, p);
    w_pair_f64 g = w_reflected_f64(a, s, p);
    f.hi = w_pick_f64(negative, -g.hi, f.hi);
    f.lo = w_pick_f64(negative, -g.lo, f.lo);
    double high = w_pick_f64(up > 1030.0, 1030.0, w_pick_f64(up < -1500.0, -1500.0, up));
    w_power_f64 y = w_exp2_split_f64(high, upLo);
    double z = W_FMA(y.m, f.hi, y.m * f.lo);
    z = w_pick_f64(negative, w_scale_f64(z, y.k + 64), w_scale_f64(z, y.k));
    z = w_pick_f64(negative, w_pick_f64(s.hi == 0.0, W_NAN, z), z);
    z = w_pick_f64(a < 0x1p-60, 1.0 / x, z);
    return w_pick_f64(a < W_INF, z, w_pick_f64(x > 0.0, W_INF, W_NAN));
}

/* log|gamma(x)| */
W_BODY double w_lgamma_f64(double x) {
    double a = __builtin_fabs(x);
    w_pair_f64 e = w_stirling_f64(a);
    w_pair_f64 p = w_product_f64(a);
    w_pair_f64 s = w_sin_pi_f64(a);
    int negative = x < -0x1p-60; /* from there on both signs give -log(a) */
    w_pair_f64 g = w_reflected_f64(a, s, p);
    double f = w_pick_f64(negative, g.hi, p.hi);
    w_pair_f64 l = w_log2_pair_f64(__builtin_fabs(f));
    double lost = w_pick_f64(negative, g.lo, p.lo) / f * 0x1.71547652b82fep+0;
    l = w_plus_f64(l, w_pick_f64(negative, 64.0, 0.0), lost);
    e = w_plus_f64(e, -l.hi, -l.lo);
    double y = W_FMA(e.hi, W_LN2HI_F64, W_FMA(e.lo, W_LN2HI_F64, e.hi * W_LN2LO_F64));
    y = w_pick_f64(negative, -y, y);
    y = y * w_pick_f64(a > 0x1p900, 256.0, 1.0);
    y = w_pick_f64(x == 1.0, 0.0, w_pick_f64(x == 2.0, 0.0, y));
    y = w_pick_f64(x == 0.0, W_INF, w_pick_f64(negative, w_pick_f64(s.hi == 0.0, W_INF, y), y));
    return w_pick_f64(a < 0x1.754d9278b51a8p+1014, y, w_pick_f64(x != x, x, W_INF));
}

#endif
