/* Tangent and the inverse functions of angles of float64; see functions64.h. */
#ifndef WEFT_TRIGONOMETRY64_H
#define WEFT_TRIGONOMETRY64_H

#include "functions64.h"

/* The tangent of the angle r + tail in the quadrant q: sine over cosine, both in two parts,
 * the quotient put right by its remainder. */
W_BODY double w_tan_quadrant_f64(int64_t q, double r, double tail) {
    double drop = w_sin_drop_f64(r, tail);
    double sine = r - drop;
    double sineLo = r - sine - drop;
    w_pair_f64 c = w_cos_pair_f64(r, tail);
    double cosine = c.hi + c.lo;
    double cosineLo = c.lo - (cosine - c.hi);
    int odd = (q & 1) != 0;
    double n = w_pick_f64(odd, -cosine, sine);
    double nLo = w_pick_f64(odd, -cosineLo, sineLo);
    double d = w_pick_f64(odd, sine, cosine);
    double dLo = w_pick_f64(odd, sineLo, cosineLo);
    double inverse = 1.0 / d;
    double y = n * inverse;
    double left = W_FMA(-y, dLo, W_FMA(-y, d, n) + nLo);
    return W_FMA(left, inverse, y);
}

/* For |x| < W_ANGLE_F64; angles64.h has the rest. */
W_BODY double w_tan_f64(double x) {
    w_turn_f64 a = w_reduce_f64(x);
    return w_pick_f64(x == 0.0, x, w_tan_quadrant_f64(a.q, a.r, a.tail));
}

/* asin(s)/s - 1 as a function of z = s^2 for z <= 1/4; the quotient is fdlibm's. */
W_BODY double w_asin_series_f64(double z) {
    double p = W_FMA(z, 3.47933107596021167570e-05, 7.91534994289814532176e-04);
    p = W_FMA(z, W_FMA(z, p, -4.00555345006794114027e-02), 2.01212532134862925881e-01);
    p = W_FMA(z, W_FMA(z, p, -3.25565818622400915405e-01), 1.66666666666666657415e-01);
    double q = W_FMA(z, 7.70381505559019352791e-02, -6.88283971605453293030e-01);
    q = W_FMA(z, W_FMA(z, W_FMA(z, q, 2.02094576023350569471e+00), -2.40339491173441421878e+00), 1.0);
    return z * p / q;
}

/* Up to 1/2 the series; beyond, asin(x) = pi/2 - 2*asin(s) with s^2 = (1-|x|)/2, s in two
 * parts. Outside [-1, 1] the root is NaN. */
W_BODY double w_asin_f64(double x) {
    double size = __builtin_fabs(x);
    int near = size < 0.5;
    double z = w_pick_f64(near, size * size, 0.5 * (1.0 - size));
    double root = W_SQRT(z);
    double s = w_pick_f64(near, size, root);
    double r = w_asin_series_f64(z);
    double rootLo = W_FMA(-root, root, z) / w_pick_f64(root > 0.0, root + root, 1.0);
    double far = W_FMA(root, r, rootLo);
    double y = 0x1.921fb54442d18p+0 - root * 2.0;
    double yLo = 0x1.921fb54442d18p+0 - y - root * 2.0 + W_FMA(-2.0, far, 0x1.1a62633145c07p-54);
    return __builtin_copysign(w_pick_f64(near, W_FMA(s, r, s), y + yLo), x);
}

/* pi/2 - asin(x) for |x| < 1/2, 2*asin(s) near 1, pi - 2*asin(s) near -1. */
W_BODY double w_acos_f64(double x) {
    double size = __builtin_fabs(x);
    double z = w_pick_f64(size < 0.5, x * x, 0.5 * (1.0 - size));
    double root = W_SQRT(z);
    double r = w_asin_series_f64(z);
    double rootLo = W_FMA(-root, root, z) / w_pick_f64(root > 0.0, root + root, 1.0);
    double far = W_FMA(root, r, rootLo);
    double rest = 0x1.921fb54442d18p+0 - x;
    double restLo = 0x1.921fb54442d18p+0 - rest - x;
    double middle = rest + (restLo + W_FMA(-x, r, 0x1.1a62633145c07p-54));
    double right = 2.0 * (root + far);
    double twice = 2.0 * root;
    double most = 0x1.921fb54442d18p+1 - twice;
    double mostLo = 0x1.921fb54442d18p+1 - most - twice;
    double left = most + (mostLo + W_FMA(-2.0, far, 0x1.1a62633145c07p-53));
    return w_pick_f64(size < 0.5, middle, w_pick_f64(x > 0.0, right, left));
}

/* The arc tangent of n/d for 0 <= n <= d, both finite and d not 0, as hi + lo; in one of three
 * ranges of the quotient, with fdlibm's polynomial. */
W_BODY w_pair_f64 w_atan_pair_f64(double n, double d) {
    int middle = n > d * 0.4375; /* around 1/2 */
    int upper = n > d * 0.6875;  /* around 1 */
    double above = w_pick_f64(upper, n - d, w_pick_f64(middle, n + n - d, n));
    double below = w_pick_f64(upper, n + d, w_pick_f64(middle, d + d + n, d));
    double t = above / below;
    double hi = w_pick_f64(upper, 7.85398163397448278999e-01, w_pick_f64(middle, 4.63647609000806093515e-01, 0.0));
    double lo = w_pick_f64(upper, 3.06161699786838301793e-17, w_pick_f64(middle, 2.26987774529616870924e-17, 0.0));
    double z = t * t;
    double w = z * z;
    double even = W_FMA(w, 1.62858201153657823623e-02, 4.97687799461593236017e-02);
    even = W_FMA(w, W_FMA(w, even, 6.66107313738753120669e-02), 9.09088713343650656196e-02);
    even = W_FMA(w, W_FMA(w, even, 1.42857142725034663711e-01), 3.33333333333329318027e-01);
    double odd = W_FMA(w, -3.65315727442169155270e-02, -5.83357013379057348645e-02);
    odd = W_FMA(w, W_FMA(w, odd, -7.69187620504482999495e-02), -1.11111104054623557880e-01);
    odd = W_FMA(w, odd, -1.99999999998764832476e-01);
    double p = W_FMA(z, odd, even);
    double rest = W_FMA(-(t * z), p, lo);
    w_pair_f64 y;
    y.hi = hi + t;
    y.lo = t - (y.hi - hi) + rest;
    return y;
}

/* From the octant to the half-plane. */
W_BODY w_pair_f64 w_less_f64(double a, double aLo, w_pair_f64 b) {
    w_pair_f64 y;
    y.hi = a - b.hi;
    y.lo = a - y.hi - b.hi + (aLo - b.lo);
    return y;
}

W_BODY double w_atan_f64(double x) {
    double size = __builtin_fabs(x);
    int swap = size > 1.0;
    double finite = w_pick_f64(size > 0x1p60, 0x1p60, size); /* NaN passes through */
    w_pair_f64 a = w_atan_pair_f64(w_pick_f64(swap, 1.0, finite), w_pick_f64(swap, finite, 1.0));
    w_pair_f64 b = w_less_f64(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, a);
    double y = w_pick_f64(swap, b.hi + b.lo, a.hi + a.lo);
    return __builtin_copysign(y, x);
}

/* The angle of the point (x, y). Two infinities count as equal; huge and tiny numbers are
 * scaled, so that sums stay finite and quotients keep their digits. */
W_BODY double w_atan2_f64(double y, double x) {
    double ax = __builtin_fabs(x);
    double ay = __builtin_fabs(y);
    int swap = ay > ax;
    double large = w_pick_f64(swap, ay, ax);
    double small = w_pick_f64(swap, ax, ay);
    double scale = w_pick_f64(large > 0x1p1000, 0x1p-4, w_pick_f64(large < 0x1p-900, 0x1p100, 1.0));
    double n = w_pick_f64(small == W_INF, 1.0, small * scale);
    double d = w_pick_f64(small == W_INF, 1.0, w_pick_f64(large == 0.0, 1.0, large * scale));
    w_pair_f64 a = w_atan_pair_f64(n, d);
    w_pair_f64 b = w_less_f64(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, a);
    a.hi = w_pick_f64(swap, b.hi, a.hi);
    a.lo = w_pick_f64(swap, b.lo, a.lo);
    int left = w_bits_f64(x) < 0; /* -0, too */
    w_pair_f64 c = w_less_f64(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, a);
    double angle = w_pick_f64(left, c.hi + c.lo, a.hi + a.lo);
    angle = w_pick_f64(x != x, x, w_pick_f64(y != y, y, angle));
    return __builtin_copysign(angle, y);
}

#endif
