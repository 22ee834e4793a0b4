/* More functions of float32 that stay in float32, where a vector has twice as many elements; see
 * functions64.h, whose rules these follow. Polynomials are least squares on Chebyshev's points, rounded. */
#ifndef WEFT_NARROW32_H
#define WEFT_NARROW32_H

#include "functions32.h"

#define W_SQRTF(a) __builtin_sqrtf(a)
#define W_RIGHT_F32 0x1.921fb6p+0f   /* pi/2 in two parts */
#define W_RIGHTLO_F32 -0x1.777a5cp-25f
#define W_INVERSE_LN2_F32 0x1.715476p+0f
#define W_INVERSE_LN2LO_F32 0x1.4ae0cp-26f

/* 2^x = 2^n * 2^f, whose polynomial is in f itself, |f| <= 1/2. */
W_BODY float w_exp2_f32(float x) {
    float a = w_pick_f32(x > 129.0f, 129.0f, x); /* NaN passes through */
    float b = w_pick_f32(a < -151.0f, -151.0f, a);
    float t = b + W_MAGIC_F32;
    float f = b - (t - W_MAGIC_F32); /* exact */
    float p = W_FMAF(f, 0.00015461447765119374f, 0.0013390866806730628f);
    p = W_FMAF(f, W_FMAF(f, p, 0.009618056938052177f), 0.055503569543361664f);
    p = W_FMAF(f, W_FMAF(f, p, 0.24022650718688965f), 0.6931471824645996f);
    return w_scale_f32(W_FMAF(f, p, 1.0f), w_bits_f32(t) - 0x4b400000);
}

/* (exp(x) - 1) / 4 for -18 <= x <= 89.5, as in exponents64.h. */
W_BODY float w_expm1_quarter_f32(float x) {
    float t = W_FMAF(x, W_INVERSE_LN2_F32, W_MAGIC_F32);
    float n = t - W_MAGIC_F32;
    float power = w_two_f32(w_bits_f32(t) - 0x4b400002);
    float r0 = W_FMAF(-n, 0x1.62e43p-1f, x);
    float r = W_FMAF(-n, -0x1.05c61p-29f, r0);
    float rLo = W_FMAF(-n, -0x1.05c61p-29f, r0 - r);
    float p = W_FMAF(r * r, w_exp_tail_f32(r), W_FMAF(r, rLo, rLo));
    float base = power - 0.25f;
    float step = power * r;
    float sum = base + step;
    return sum + W_FMAF(power, p, step - (sum - base));
}

W_BODY float w_expm1_f32(float x) {
    float a = w_pick_f32(x > 89.5f, 89.5f, x);
    float b = w_pick_f32(a < -18.0f, -18.0f, a);
    float y = w_expm1_quarter_f32(b) * 4.0f;
    return w_pick_f32(__builtin_fabsf(x) < 0x1p-25f, x, y); /* and -0 */
}

/* log(m) = hi + lo. */
typedef struct {
    float hi, lo;
} w_pair_f32;

W_BODY w_pair_f32 w_log_pair_f32(float m) {
    float n = m - 1.0f;
    float s = n / (n + 2.0f);
    float square = 0.5f * n * n;
    w_pair_f32 y;
    y.hi = n - square;
    y.lo = W_FMAF(s, w_log_series_f32(s, square), n - y.hi - square);
    return y;
}

W_BODY float w_log2_f32(float x) {
    float v = w_normal_f32(x);
    float k = w_exponent_f32(x, v);
    w_pair_f32 l = w_log_pair_f32(w_fraction_f32(v));
    float b = l.hi * W_INVERSE_LN2_F32;
    float bLo = W_FMAF(l.lo, W_INVERSE_LN2_F32, W_FMAF(l.hi, W_INVERSE_LN2LO_F32, W_FMAF(l.hi, W_INVERSE_LN2_F32, -b)));
    float sum = k + b;
    return w_log_special_f32(x, sum + (b - (sum - k) + bLo));
}

W_BODY float w_log10_f32(float x) {
    float v = w_normal_f32(x);
    float k = w_exponent_f32(x, v);
    w_pair_f32 l = w_log_pair_f32(w_fraction_f32(v));
    float b = l.hi * 0x1.bcb7b2p-2f;
    float bLo = W_FMAF(l.lo, 0x1.bcb7b2p-2f, W_FMAF(l.hi, -0x1.5b235ep-27f, W_FMAF(l.hi, 0x1.bcb7b2p-2f, -b)));
    float c = k * 0x1.344p-2f; /* exact */
    float cLo = W_FMAF(k, 0x1.3509f8p-18f, bLo);
    float sum = c + b;
    return w_log_special_f32(x, sum + (b - (sum - c) + cLo));
}

W_BODY float w_log1p_f32(float x) {
    float u = 1.0f + x;
    float back = u - 1.0f;
    float lost = 1.0f - (u - back) + (x - back);
    float k = w_exponent_f32(1.0f, u);
    float n = w_fraction_f32(u) - 1.0f;
    float s = n / (n + 2.0f);
    float square = 0.5f * n * n;
    float rest = W_FMAF(s, w_log_series_f32(s, square), W_FMAF(k, 9.0580006145e-06f, lost / u));
    float y = W_FMAF(k, 6.9313812256e-01f, n - (square - rest));
    y = w_pick_f32(x < -1.0f, W_NAN_F32, y);
    y = w_pick_f32(x == -1.0f, -W_INF_F32, y);
    y = w_pick_f32(__builtin_fabsf(x) < 0x1p-25f, x, y); /* and -0 */
    return w_pick_f32(x < W_INF_F32, y, x);
}

/* asin(s)/s - 1 over z = s^2 <= 1/4. */
W_BODY float w_asin_series_f32(float z) {
    float p = W_FMAF(z, 0.03380575031042099f, 0.017077859491109848f);
    p = W_FMAF(z, W_FMAF(z, p, 0.03111615590751171f), 0.04459803178906441f);
    return W_FMAF(z, W_FMAF(z, p, 0.07500098645687103f), 0.1666666567325592f);
}

/* Up to 1/2 the series; beyond, asin(x) = pi/2 - 2*asin(s) with s^2 = (1-|x|)/2. Outside [-1, 1] the
 * root is NaN. */
W_BODY float w_asin_f32(float x) {
    float size = __builtin_fabsf(x);
    int near = size < 0.5f;
    float z = w_pick_f32(near, size * size, 0.5f * (1.0f - size));
    float root = W_SQRTF(z);
    float r = z * w_asin_series_f32(z);
    float y = W_RIGHT_F32 - root * 2.0f;
    float yLo = W_RIGHT_F32 - y - root * 2.0f + W_FMAF(-2.0f * root, r, W_RIGHTLO_F32);
    return __builtin_copysignf(w_pick_f32(near, W_FMAF(size, r, size), y + yLo), x);
}

W_BODY float w_acos_f32(float x) {
    float size = __builtin_fabsf(x);
    int near = size < 0.5f;
    float z = w_pick_f32(near, x * x, 0.5f * (1.0f - size));
    float r = z * w_asin_series_f32(z);
    float root = W_SQRTF(z);
    float a = W_FMAF(root, r, root);
    float middle = W_RIGHT_F32 - (x - W_FMAF(-x, r, W_RIGHTLO_F32));
    float left = 2.0f * W_RIGHT_F32 + W_FMAF(-2.0f, a, 2.0f * W_RIGHTLO_F32);
    return w_pick_f32(near, middle, w_pick_f32(x > 0.0f, 2.0f * a, left));
}

/* atan(t)/t - 1 over z = t^2 <= 1. Of the series with errors as small, this one has pi/4, rounded, for the angle of 1. */
W_BODY float w_atan_series_f32(float z) {
    float p = W_FMAF(z, -0x1.40bc12p-9f, 0x1.c29592p-7f);
    p = W_FMAF(z, W_FMAF(z, p, -0x1.29211ep-5f), 0x1.016828p-4f);
    p = W_FMAF(z, W_FMAF(z, p, -0x1.634098p-4f), 0x1.c41da4p-4f);
    p = W_FMAF(z, W_FMAF(z, p, -0x1.246f96p-3f), 0x1.999858p-3f);
    return W_FMAF(z, p, -0x1.555554p-2f) * z;
}

/* Up to 1 the series; beyond, pi/2 - atan(1/|x|). */
W_BODY float w_atan_f32(float x) {
    float size = __builtin_fabsf(x);
    int swap = size > 1.0f;
    float t = w_pick_f32(swap, 1.0f / size, size);
    float p = w_atan_series_f32(t * t);
    float far = W_RIGHT_F32 - (t - W_FMAF(-t, p, W_RIGHTLO_F32));
    return __builtin_copysignf(w_pick_f32(swap, far, W_FMAF(t, p, t)), x);
}

/* With h = (exp|x|-1)/4, sinh|x| = 2h + 2h/(4h+1) and cosh|x| = 2h + 1/2 + 1/2/(4h+1); up to 1 the series
 * of the hyperbolic sine. */
W_BODY float w_sinh_f32(float x) {
    float size = __builtin_fabsf(x);
    float h = w_expm1_quarter_f32(w_pick_f32(size > 89.5f, 89.5f, size));
    float y = (h + h / W_FMAF(4.0f, h, 1.0f)) * 2.0f;
    float z = x * x;
    float p = W_FMAF(z, W_FMAF(z, 2.50521084e-8f, 2.75573192e-6f), 1.98412698e-4f);
    p = W_FMAF(z, W_FMAF(z, p, 8.33333333e-3f), 1.66666667e-1f);
    return __builtin_copysignf(w_pick_f32(size < 1.0f, W_FMAF(size * z, p, size), y), x);
}

W_BODY float w_cosh_f32(float x) {
    float size = __builtin_fabsf(x);
    float h = w_expm1_quarter_f32(w_pick_f32(size > 89.5f, 89.5f, size));
    return (h + W_FMAF(0.25f, 1.0f / W_FMAF(4.0f, h, 1.0f), 0.25f)) * 2.0f;
}

#endif
