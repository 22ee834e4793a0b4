/* The cube root, the magnitude and the error functions of float32, in float32; see functions64.h, whose rules these follow. */
#ifndef WEFT_ROOTS32_H
#define WEFT_ROOTS32_H

#include "functions32.h"

/* |x| = m * 2^(3q+j) with j = -1, 0 or 1. A polynomial gives the root of m to 16 bits. One step of Newton's method puts
 * it right, for which another gives the inverse of the derivative to 11. */
W_BODY float w_cbrt_f32(float x) {
    float size = __builtin_fabsf(x);
    float v = w_normal_f32(size);
    float k = w_exponent_f32(size, v);
    float m = w_fraction_f32(v);
    float third = W_FMAF(k, 0x1.555556p-2f, W_MAGIC_F32);
    float q = third - W_MAGIC_F32;
    float j = W_FMAF(-3.0f, q, k);
    float p = W_FMAF(m, W_FMAF(m, -0x1.3112f6p-5f, 0x1.b78cbep-3f), -0x1.1066c6p-1f);
    p = W_FMAF(m, W_FMAF(m, p, 0x1.ce051ap-1f), 0x1.cf20b0p-2f);
    float inverse = W_FMAF(m, W_FMAF(m, W_FMAF(m, -0x1.3ba88cp-3f, 0x1.5438a0p-1f), -0x1.170594p+0f), 0x1.d3468ep-1f);
    int below = j < 0.0f;
    int above = j > 0.0f;
    float t = p * w_pick_f32(below, 0x1.965feap-1f, w_pick_f32(above, 0x1.428a3p+0f, 1.0f));
    float a = m * w_pick_f32(below, 0.5f, w_pick_f32(above, 2.0f, 1.0f));
    float u = inverse * w_pick_f32(below, 0x1.965feap+0f, w_pick_f32(above, 0x1.428a3p-1f, 1.0f));
    float y = W_FMAF(W_FMAF(-t, t * t, a), u, t) * w_two_f32(w_bits_f32(third) - 0x4b400000);
    y = w_pick_f32(size > 0.0f, y, size);
    return __builtin_copysignf(w_pick_f32(size < W_INF_F32, y, size), x);
}

/* Scaled so that squares stay in range. An infinity beats a NaN. */
W_BODY float w_hypot_f32(float x, float y) {
    float ax = __builtin_fabsf(x);
    float ay = __builtin_fabsf(y);
    int swap = ax < ay;
    float large = w_pick_f32(swap, ay, ax);
    int huge = large > 0x1p60f;
    int tiny = large < 0x1p-40f;
    float scale = w_pick_f32(huge, 0x1p-100f, w_pick_f32(tiny, 0x1p100f, 1.0f));
    float back = w_pick_f32(huge, 0x1p100f, w_pick_f32(tiny, 0x1p-100f, 1.0f));
    float a = large * scale;
    float b = w_pick_f32(swap, ax, ay) * scale;
    float size = __builtin_sqrtf(W_FMAF(a, a, b * b)) * back;
    return w_pick_f32(ax == W_INF_F32, W_INF_F32, w_pick_f32(ay == W_INF_F32, W_INF_F32, size));
}

/* erf(t)/t - 1 over z = t^2 <= 0.87. */
W_BODY float w_erf_series_f32(float z) {
    float p = W_FMAF(z, W_FMAF(z, -0x1.398912p-11f, 0x1.4723dep-8f), -0x1.b689b6p-6f);
    return W_FMAF(z, W_FMAF(z, W_FMAF(z, p, 0x1.ce1a88p-4f), -0x1.8126e8p-2f), 0x1.06eba6p-3f);
}

/* An odd polynomial up to 0.93. From there 1 - exp(g), where a polynomial gives g, the logarithm of erfc; from 4 on it
 * is 1. */
W_BODY float w_erf_f32(float x) {
    float size = __builtin_fabsf(x);
    float t = w_pick_f32(size > 4.0f, 4.0f, size);
    float near = W_FMAF(w_erf_series_f32(t * t), t, t);
    float q = W_FMAF(t, W_FMAF(t, 0x1.bf7294p-13f, -0x1.a4b9f4p-9f), 0x1.76c494p-6f);
    q = W_FMAF(t, W_FMAF(t, W_FMAF(t, q, -0x1.af0d7ep-4f), -0x1.457f3ep-1f), -0x1.072fccp-3f);
    float g = W_FMAF(t, q, -t);
    float s = W_FMAF(g, 0x1.715476p+0f, W_MAGIC_F32);
    float n = s - W_MAGIC_F32;
    float r = W_FMAF(-n, 0x1.62e43p-1f, g);
    float e = W_FMAF(r * r, w_exp_tail_f32(r), r) + 1.0f;
    float far = W_FMAF(-e, w_two_f32(w_bits_f32(s) - 0x4b400000), 1.0f);
    return __builtin_copysignf(w_pick_f32(size < 0.93f, near, far), x);
}

/* erfc(x) for 0.8 <= x <= 10.1: exp(-x^2)/(x+2.5) times a polynomial in q = (x-2.5)/(x+2.5). What the quotients are off is put
 * right to first order, the square is taken in two parts, and the power of two comes last, so that small results round once. */
W_BODY float w_erfc_far_f32(float x) {
    float d = x + 2.5f;
    float dLo = w_pick_f32(x > 2.5f, 2.5f - (d - x), x - (d - 2.5f));
    float inverse = 1.0f / d;
    float above = x - 2.5f;
    float q = above * inverse;
    float qLo = W_FMAF(-q, dLo, W_FMAF(-q, d, above)) * inverse;
    float p = W_FMAF(q, W_FMAF(q, 0x1.4a2fcep-11f, -0x1.ab4dccp-12f), -0x1.3aad8ep-8f);
    p = W_FMAF(q, W_FMAF(q, W_FMAF(q, p, 0x1.12d274p-7f), 0x1.d0a624p-6f), -0x1.5eb8b2p-3f);
    p = q * W_FMAF(q, W_FMAF(q, p, 0x1.d0cee0p-2f), -0x1.9bfb54p-1f);
    float sum = 0x1.0dd508p+0f + p;
    float sumLo = W_FMAF(qLo, W_FMAF(q, 0.75f, -0.8f), p - (sum - 0x1.0dd508p+0f) - 0x1.eb5fd6p-26f);
    float f = sum * inverse;
    float fLo = W_FMAF(-f, dLo, W_FMAF(-f, d, sum) + sumLo) * inverse;

    float a = x * x;
    float aLo = W_FMAF(x, x, -a);
    float t = W_FMAF(-a, 0x1.715476p+0f, W_MAGIC_F32);
    float n = t - W_MAGIC_F32;
    float r0 = W_FMAF(-n, 0x1.62e43p-1f, -a);
    float r = W_FMAF(-n, -0x1.05c61p-29f, r0);
    float rLo = W_FMAF(-n, -0x1.05c61p-29f, r0 - r) - aLo;
    float square = r * r;
    float tail = w_exp_tail_f32(r);
    float e = W_FMAF(square, tail, r);
    float rest = W_FMAF(f, rLo + W_FMAF(square, tail, r - e), fLo);
    return w_scale_f32(f + W_FMAF(f, e, W_FMAF(rest, e, rest)), w_bits_f32(t) - 0x4b400000);
}

/* Up to 0.8, 1 less the error function, whose series is added to the rest of 1-x. */
W_BODY float w_erfc_f32(float x) {
    float size = __builtin_fabsf(x);
    float far = w_erfc_far_f32(w_pick_f32(size > 10.1f, 10.1f, size));
    float rest = 1.0f - x;
    float near = rest + W_FMAF(-x, w_erf_series_f32(x * x), 1.0f - rest - x);
    return w_pick_f32(size < 0.8f, near, w_pick_f32(x > 0.0f, far, 2.0f - far));
}

#endif
