/* The cube root and the error function of float32, in float32; see functions64.h, whose rules these follow. */
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

/* An odd polynomial up to 0.93. From there 1 - exp(g), where a polynomial gives g, the logarithm of erfc; from 4 on it
 * is 1. */
W_BODY float w_erf_f32(float x) {
    float size = __builtin_fabsf(x);
    float t = w_pick_f32(size > 4.0f, 4.0f, size);
    float z = t * t;
    float p = W_FMAF(z, W_FMAF(z, -0x1.398912p-11f, 0x1.4723dep-8f), -0x1.b689b6p-6f);
    p = W_FMAF(z, W_FMAF(z, W_FMAF(z, p, 0x1.ce1a88p-4f), -0x1.8126e8p-2f), 0x1.06eba6p-3f);
    float near = W_FMAF(p, t, t);
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

#endif
