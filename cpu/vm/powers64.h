/* Powers by the exponents that formulas have: multiples of 1/2 up to 15, of either sign. They are products, roots
 * and quotients, computed in two parts, h + l with |l| at most half a unit of h, so that they round once. PTX's are
 * the same operations (cuda/ptx/powers.go). */
#ifndef WEFT_POWERS64_H
#define WEFT_POWERS64_H

#include "functions32.h"

/* The product of two numbers of two parts each. A factor of 1 changes nothing. */
W_BODY w_pair_f64 w_times_f64(w_pair_f64 a, w_pair_f64 b) {
    double p = a.hi * b.hi;
    double e = W_FMA(a.hi, b.hi, -p) + W_FMA(a.hi, b.lo, a.lo * b.hi);
    w_pair_f64 y;
    y.hi = p + e;
    y.lo = e - (y.hi - p);
    return y;
}

W_BODY double w_whole_f64(double size) {
    double n = size + 0x1p52 - 0x1p52;
    return w_pick_f64(n > size, n - 1.0, n);
}

/* Whether x^y is one of them, and no part of it over- or underflows. */
W_BODY int w_short_power_f64(double x, double y) {
    double ax = __builtin_fabs(x), size = __builtin_fabs(y), whole = w_whole_f64(size), rest = size - whole;
    double most = w_pick_f64(size <= 4.0, 0x1p120, w_pick_f64(size <= 8.0, 0x1p60, 0x1p32));
    double least = w_pick_f64(size <= 4.0, 0x1p-120, w_pick_f64(size <= 8.0, 0x1p-60, 0x1p-32));
    return (size < 15.5) & (ax >= least) & (ax <= most) & ((rest == 0.0) | ((rest == 0.5) & (x > 0.0)));
}

/* |x|^(1/2) in two parts. */
W_BODY w_pair_f64 w_root_pair_f64(double x) {
    w_pair_f64 y;
    y.hi = W_SQRT(x);
    y.lo = W_FMA(-y.hi, y.hi, x) * 0.5 / y.hi;
    return y;
}

/* 1/a, rounded once. */
W_BODY double w_inverse_f64(w_pair_f64 a) {
    double q = 1.0 / a.hi;
    return W_FMA(q, W_FMA(-q, a.lo, W_FMA(-q, a.hi, 1.0)), q);
}

/* x^y where w_short_power_f64 holds. */
W_BODY double w_shortly_f64(double x, double y) {
    double size = __builtin_fabs(y), whole = w_whole_f64(size);
    int64_t bits = w_bits_f64(whole + 0x1p52);
    w_pair_f64 root = w_root_pair_f64(__builtin_fabs(x)), base = {x, 0.0}, made;
    made.hi = w_pick_f64(whole == size, 1.0, root.hi);
    made.lo = w_pick_f64(whole == size, 0.0, root.lo);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        w_pair_f64 more = w_times_f64(made, base);
        int has = (bits >> k & 1) != 0;
        made.hi = w_pick_f64(has, more.hi, made.hi);
        made.lo = w_pick_f64(has, more.lo, made.lo);
        base = w_times_f64(base, base);
    }
    return w_pick_f64(y < 0.0, w_inverse_f64(made), made.hi);
}

/* The same where the exponent is known to the compiler: |y| = twice / 2. */
W_BODY double w_short_known_f64(double x, int twice, int inverse) {
    w_pair_f64 base = {x, 0.0}, made = {1.0, 0.0};
    int started = twice & 1;
    if (started)
        made = w_root_pair_f64(__builtin_fabs(x));
#pragma GCC unroll 4
    for (int k = 1; k < 5; k++) {
        if (twice >> k & 1) {
            made = started ? w_times_f64(made, base) : base;
            started = 1;
        }
        base = w_times_f64(base, base);
    }
    return inverse ? w_inverse_f64(made) : made.hi;
}

/* x^y of any numbers. */
W_BODY double w_pow_any_f64(double x, double y) { return w_pick_f64(w_short_power_f64(x, y), w_shortly_f64(x, y), w_pow_f64(x, y)); }

/* Of float32, in float64, whose digits are enough without a second part. */
W_BODY int w_short_power_f32(float x, float y) {
    float ax = __builtin_fabsf(x), size = __builtin_fabsf(y);
    float n = size + 0x1p23f - 0x1p23f;
    float rest = size - w_pick_f32(n > size, n - 1.0f, n);
    return (size < 15.5f) & (ax >= 0x1p-60f) & (ax <= 0x1p60f) & ((rest == 0.0f) | ((rest == 0.5f) & (x > 0.0f)));
}

W_BODY float w_shortly_f32(float x, float y) {
    double size = (double)__builtin_fabsf(y), whole = w_whole_f64(size), base = (double)x;
    int64_t bits = w_bits_f64(whole + 0x1p52);
    double made = w_pick_f64(whole == size, 1.0, W_SQRT(__builtin_fabs(base)));
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        made = w_pick_f64((bits >> k & 1) != 0, made * base, made);
        base = base * base;
    }
    return (float)w_pick_f64(y < 0.0f, 1.0 / made, made);
}

W_BODY float w_short_known_f32(float x, int twice, int inverse) {
    double base = (double)x, made = twice & 1 ? W_SQRT(__builtin_fabs(base)) : 1.0;
#pragma GCC unroll 4
    for (int k = 1; k < 5; k++) {
        if (twice >> k & 1)
            made = made * base;
        base = base * base;
    }
    return (float)(inverse ? 1.0 / made : made);
}

W_BODY float w_pow_any_f32(float x, float y) { return w_pick_f32(w_short_power_f32(x, y), w_shortly_f32(x, y), w_pow_f32(x, y)); }

#endif
