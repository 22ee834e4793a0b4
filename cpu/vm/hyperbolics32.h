/* The inverse hyperbolic functions of float32, in float32; see functions64.h, whose rules these follow. Near their zeros they
 * are polynomials, elsewhere the logarithm of a number in two parts, u + lo, of which the second counts as lo/u. */
#ifndef WEFT_HYPERBOLICS32_H
#define WEFT_HYPERBOLICS32_H

#include "narrow32.h"

/* log(u) + more*log(2) + rest for a normal number u. */
W_BODY float w_log_about_f32(float u, float more, float rest) {
    float k = (float)w_exponent_bits_f32(u) + more;
    return w_log_rest_f32(u, k, W_FMAF(k, 9.0580006145e-06f, rest));
}

/* u = |x| + sqrt(x^2+1), and 1/u is the difference of the two. From 2^12 on u is 2*|x|. */
W_BODY float w_asinh_f32(float x) {
    float size = __builtin_fabsf(x);
    int large = size > 0x1p12f;
    float t = w_pick_f32(large, 0x1p12f, size);
    float z = t * t;
    float p = W_FMAF(z, W_FMAF(z, 0x1.108f62p-10f, -0x1.4aea10p-8f), 0x1.8ae710p-7f);
    p = W_FMAF(z, W_FMAF(z, p, -0x1.4ca438p-6f), 0x1.e98f6ap-6f);
    p = W_FMAF(z, W_FMAF(z, W_FMAF(z, p, -0x1.6d24b2p-5f), 0x1.332e2ep-4f), -0x1.555546p-3f);
    float near = W_FMAF(t * z, p, t);
    float root = W_SQRTF(W_FMAF(t, t, 1.0f));
    float u = root + t;
    float lo = (t - (u - root)) * (root - t);
    float y = w_log_about_f32(w_pick_f32(large, size, u), w_pick_f32(large, 1.0f, 0.0f), lo);
    y = w_pick_f32(t < 0.9f, near, y);
    return __builtin_copysignf(w_pick_f32(size < W_INF_F32, y, size), x);
}

/* Up to 1.5 the root of 2t - t^2/3 + ..., a polynomial in t = x-1; beyond, u = x + sqrt(t^2+2t), and 1/u is the difference.
 * From 2^12 on u is 2x, since the difference has no digits left there. */
W_BODY float w_acosh_f32(float x) {
    int large = x > 0x1p12f;
    float c = w_pick_f32(large, 0x1p12f, x);
    float t = c - 1.0f;
    int close = t < 0.5f;
    float p = W_FMAF(t, W_FMAF(t, -0x1.2723cep-9f, 0x1.339034p-7f), -0x1.d12872p-6f);
    p = W_FMAF(t, W_FMAF(t, p, 0x1.6c0300p-4f), -0x1.55552ap-2f);
    float root = W_SQRTF(W_FMAF(t * t, w_pick_f32(close, p, 1.0f), t + t));
    float u = c + root;
    float lo = (root - (u - c)) * (c - root);
    float y = w_log_about_f32(w_pick_f32(large, x, u), w_pick_f32(large, 1.0f, 0.0f), lo);
    y = w_pick_f32(close, root, y);
    y = w_pick_f32(x < 1.0f, W_NAN_F32, y);
    return w_pick_f32(x < W_INF_F32, y, x);
}

/* Up to 1/2 a polynomial; beyond, half of the logarithm of u = (1+|x|)/(1-|x|), where a line is near enough to 1/(1+|x|), of
 * which what the quotient is off takes the part. */
W_BODY float w_atanh_f32(float x) {
    float size = __builtin_fabsf(x);
    float z = size * size;
    float p = W_FMAF(z, W_FMAF(z, 0x1.6924c6p-3f, 0x1.a6f82ap-5f), 0x1.e3f856p-4f);
    p = W_FMAF(z, W_FMAF(z, W_FMAF(z, p, 0x1.234e02p-3f), 0x1.99a672p-3f), 0x1.555540p-2f);
    float near = W_FMAF(size * z, p, size);
    float n = 1.0f + size;
    float nLo = size - (n - 1.0f);
    float d = 1.0f - size;
    float u = n / d;
    float lo = (W_FMAF(-u, d, n) + nLo) * W_FMAF(n, -0.33333333f, 1.1607f);
    float y = 0.5f * w_log_about_f32(u, 0.0f, lo);
    y = w_pick_f32(size < 0.5f, near, w_pick_f32(size == 1.0f, W_INF_F32, y));
    return __builtin_copysignf(w_pick_f32(size > 1.0f, W_NAN_F32, w_pick_f32(x != x, x, y)), x);
}

#endif
