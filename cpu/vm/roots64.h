/* Cube root and magnitude of float64; see functions64.h. */
#ifndef WEFT_ROOTS64_H
#define WEFT_ROOTS64_H

#include "functions32.h"

/* |x| = m * 2^(3q+j) with j = -1, 0 or 1. A polynomial gives the root of m to 16 bits, one step
 * of Halley's method 48, and the last step is put right by its remainder. */
W_BODY double w_cbrt_f64(double x) {
    double size = __builtin_fabs(x);
    double v = w_normal_f64(size);
    double k = w_exponent_f64(size, v);
    double m = w_fraction_f64(v);
    double third = W_FMA(k, 0x1.5555555555555p-2, W_MAGIC_F64);
    double q = third - W_MAGIC_F64;
    double j = W_FMA(-3.0, q, k);
    double p = W_FMA(m, -0x1.26e9dff4b8569p-5, 0x1.acbd9f5c005f9p-3);
    p = W_FMA(m, W_FMA(m, W_FMA(m, p, -0x1.0c2b25ead282dp-1), 0x1.cb216702c91b8p-1), 0x1.d093b879adecep-2);
    int below = j < 0.0;
    int above = j > 0.0;
    double t = p * w_pick_f64(below, 0x1.965fea53d6e3dp-1, w_pick_f64(above, 0x1.428a2f98d728bp+0, 1.0));
    double a = m * w_pick_f64(below, 0.5, w_pick_f64(above, 2.0, 1.0));
    double cube = t * t * t;
    double inverse = 1.0 / W_FMA(2.0, cube, a); /* of about 3a */
    t = W_FMA(t * (a - cube), inverse, t);
    double square = t * t;
    double squareLo = W_FMA(t, t, -square);
    double left = W_FMA(-t, squareLo, W_FMA(-t, square, a));
    double y = W_FMA(left, t * inverse, t) * w_two_f64(w_bits_f64(third) - 0x4338000000000000);
    y = w_pick_f64(size > 0.0, y, size);
    return __builtin_copysign(w_pick_f64(size < W_INF, y, size), x);
}

/* Scaled so that squares stay in range. The root of the rounded sum is put right by what its square
 * is too large, to first order (Borges, 2019). An infinity beats a NaN. */
W_BODY double w_hypot_f64(double x, double y) {
    double ax = __builtin_fabs(x);
    double ay = __builtin_fabs(y);
    int swap = ax < ay;
    double large = w_pick_f64(swap, ay, ax);
    double small = w_pick_f64(swap, ax, ay);
    int huge = large > 0x1p500;
    int tiny = large < 0x1p-400;
    double scale = w_pick_f64(huge, 0x1p-600, w_pick_f64(tiny, 0x1p600, 1.0));
    double back = w_pick_f64(huge, 0x1p600, w_pick_f64(tiny, 0x1p-600, 1.0));
    double a = large * scale;
    double b = small * scale;
    double root = W_SQRT(W_FMA(a, a, b * b));
    double square = root * root;
    double first = a * a;
    double excess = W_FMA(-b, b, square - first) + W_FMA(root, root, -square) - W_FMA(a, a, -first);
    double size = (root - excess / w_pick_f64(root > 0.0, root + root, 1.0)) * back;
    return w_pick_f64(ax == W_INF, W_INF, w_pick_f64(ay == W_INF, W_INF, size));
}

#endif
