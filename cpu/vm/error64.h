/* Error functions of float64; see functions64.h. */
#ifndef WEFT_ERROR64_H
#define WEFT_ERROR64_H

#include "functions64.h"

/* erf(x) for |x| <= 1. */
W_BODY double w_erf_near_f64(double x) {
    double z = x * x;
    double w = z * z;
    double even = W_FMA(w, 0x1.05ffd737fb32ep-34, 0x1.f7b4bf3b13964p-27);
    even = W_FMA(w, W_FMA(w, even, 0x1.b9df224ca4b97p-20), 0x1.f9a321d5b8e1ep-14);
    even = W_FMA(w, W_FMA(w, even, 0x1.565bcd0dbaa38p-8), 0x1.ce2f21a042b30p-4);
    double odd = W_FMA(w, -0x1.389d4f2641625p-30, -0x1.5f1ecb6f0764cp-23);
    odd = W_FMA(w, W_FMA(w, odd, -0x1.f4d1e3183f7aep-17), -0x1.c02db3dac435fp-11);
    odd = W_FMA(w, W_FMA(w, odd, -0x1.b82ce31284e00p-6), -0x1.812746b0379e6p-2);
    double rest = W_FMA(z, W_FMA(z, even, odd), 0x1.187bfcbbd6b70p-56);
    return W_FMA(x, 0x1.20dd750429b6dp+0, x * rest);
}

/* erfc(x) for 0.45 <= x <= 27.3: exp(-x^2)/(1+2x) times a polynomial in (x-4)/(x+4). The square
 * and the quotient are taken in two parts, and the power of two comes last, so that small results round once. */
W_BODY double w_erfc_far_f64(double x) {
    double q = (x - 4.0) / (x + 4.0);
    double w = q * q;
    double w2 = w * w;
    double even = W_FMA(w, -0x1.aa6df8e25d08dp-27, 0x1.22050eb88c7abp-24);
    even = W_FMA(w, W_FMA(w, even, 0x1.410932e1a0651p-22), -0x1.78a0a42c0fefep-17);
    even = W_FMA(w, W_FMA(w, even, 0x1.3be0c37d1c6f6p-13), -0x1.8d4aa05a7429ep-11);
    even = W_FMA(w, W_FMA(w, even, -0x1.0962387ee6f46p-6), -0x1.0fb06dfe64cb4p-4);
    even = W_FMA(w, even, -0x1.9ddb23c3e811bp-4);
    double odd = W_FMA(w, -0x1.75345d246a2d7p-27, 0x1.caa45b8e38a8dp-24);
    odd = W_FMA(w, W_FMA(w, odd, -0x1.ba56f5fd8564ap-21), 0x1.7f29e4e781dcdp-18);
    odd = W_FMA(w, W_FMA(w, odd, -0x1.995a8ca92fcecp-16), -0x1.a1df137ccb1bfp-13);
    odd = W_FMA(w, W_FMA(w, odd, 0x1.49c672670bc75p-8), 0x1.3079edf6f927ap-5);
    odd = W_FMA(w, odd, 0x1.7fee004e0ea22p-4);
    double c2 = W_FMA(q, 0x1.16ecefcfa553bp-4, 0x1.f7f5df66fd5fap-7);
    double rest = W_FMA(q, -0x1.1df1ad154a290p-3, W_FMA(w2, W_FMA(q, odd, even), w * c2));
    double p = 0x1.3ba5916e9fd7fp+0 + rest;
    double pLo = rest - (p - 0x1.3ba5916e9fd7fp+0);
    double d = x + x + 1.0;
    double dLo = 1.0 - (d - (x + x));
    double inverse = 1.0 / d;
    double f = p * inverse;
    double fLo = W_FMA(-f, dLo, W_FMA(-f, d, p) + pLo) * inverse;

    double a = x * x;
    double aLo = W_FMA(x, x, -a);
    double t = W_FMA(-a, 1.4426950408889634, W_MAGIC_F64);
    double n = t - W_MAGIC_F64;
    double r0 = W_FMA(-n, W_LN2HI_F64, -a);
    double r = W_FMA(-n, W_LN2LO_F64, r0);
    double rLo = W_FMA(-n, W_LN2LO_F64, r0 - r) - aLo;
    double e = W_FMA(r * r, w_exp_tail_f64(r), r);
    e = e + W_FMA(rLo, e, rLo); /* rLo can be 2^-44 */
    return w_scale_f64(f + W_FMA(f, e, W_FMA(fLo, e, fLo)), w_bits_f64(t) - 0x4338000000000000);
}

W_BODY double w_erf_f64(double x) {
    double size = __builtin_fabs(x);
    double capped = w_pick_f64(size > 7.0, 7.0, size);
    double far = 1.0 - w_erfc_far_f64(capped);
    return __builtin_copysign(w_pick_f64(size < 1.0, w_erf_near_f64(size), far), x);
}

W_BODY double w_erfc_f64(double x) {
    double size = __builtin_fabs(x);
    double capped = w_pick_f64(size > 27.3, 27.3, size);
    double far = w_erfc_far_f64(capped);
    double y = w_pick_f64(x > 0.0, far, 2.0 - far);
    return w_pick_f64(size < 0.5, 1.0 - w_erf_near_f64(x), y);
}

#endif
