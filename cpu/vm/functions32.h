/* Elementary functions of float32; see functions64.h, whose rules these follow. Most stay in
 * float32; those that would need more digits go through float64. */
#ifndef WEFT_FUNCTIONS32_H
#define WEFT_FUNCTIONS32_H

#include "functions64.h"

#define W_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#define W_INF_F32 __builtin_inff()
#define W_NAN_F32 __builtin_nanf("")
#define W_MAGIC_F32 0x1.8p23f

W_BODY int32_t w_bits_f32(float x) {
    int32_t i;
    memcpy(&i, &x, 4);
    return i;
}

W_BODY float w_from_f32(int32_t i) {
    float x;
    memcpy(&x, &i, 4);
    return x;
}

W_BODY float w_pick_f32(int c, float a, float b) {
    int32_t m = c ? -1 : 0;
    return w_from_f32((w_bits_f32(a) & m) | (w_bits_f32(b) & ~m));
}

/* 2^k for -126 <= k <= 127. */
W_BODY float w_two_f32(int32_t k) { return w_from_f32((int32_t)((uint32_t)(k + 127) << 23)); }

W_BODY float w_scale_f32(float y, int32_t k) {
    int32_t half = (int32_t)((uint32_t)(k + 4096) >> 1) - 2048;
    return y * w_two_f32(half) * w_two_f32(k - half);
}

/* (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2. */
W_BODY float w_exp_tail_f32(float r) {
    float p = W_FMAF(r, 1.98412698e-4f, 1.38888889e-3f);
    p = W_FMAF(r, W_FMAF(r, p, 8.33333333e-3f), 4.16666667e-2f);
    return W_FMAF(r, W_FMAF(r, p, 1.66666667e-1f), 0.5f);
}

W_BODY float w_exp_f32(float x) {
    float a = w_pick_f32(x > 89.0f, 89.0f, x);
    float b = w_pick_f32(a < -104.0f, -104.0f, a);
    float t = W_FMAF(b, 0x1.715476p+0f, W_MAGIC_F32);
    float n = t - W_MAGIC_F32;
    int32_t k = w_bits_f32(t) - 0x4b400000;
    float r0 = W_FMAF(-n, 0x1.62e43p-1f, b);
    float r = W_FMAF(-n, -0x1.05c61p-29f, r0);
    float y = W_FMAF(r * r, w_exp_tail_f32(r), r) + 1.0f;
    return w_scale_f32(y, k);
}

W_BODY float w_normal_f32(float x) { return x * w_pick_f32(x < 0x1p-126f, 0x1p25f, 1.0f); }

W_BODY int32_t w_exponent_bits_f32(float normal) { return (w_bits_f32(normal) - 0x3f3504f3) >> 23; }

W_BODY float w_fraction_f32(float normal) {
    return w_from_f32(w_bits_f32(normal) - (int32_t)((uint32_t)w_exponent_bits_f32(normal) << 23));
}

W_BODY float w_exponent_f32(float x, float normal) {
    float k = (float)w_exponent_bits_f32(normal);
    return k - w_pick_f32(x < 0x1p-126f, 25.0f, 0.0f);
}

W_BODY float w_log_special_f32(float x, float y) {
    float a = w_pick_f32(x < 0.0f, W_NAN_F32, 0.0f);
    float b = w_pick_f32(x == 0.0f, -W_INF_F32, a);
    return y + w_pick_f32(x < W_INF_F32, b, x);
}

/* n*n/2 + the rest of log(1+n)'s series, as in functions64.h. */
W_BODY float w_log_series_f32(float s, float square) {
    float z = s * s;
    float w = z * z;
    float even = W_FMAF(w, 0xf89e26p-26f, 0xccce13p-25f);
    float odd = W_FMAF(w, 0x91e9eep-25f, 0xaaaaaap-24f);
    float series = W_FMAF(z, odd, w * even);
    return square + series;
}

/* log(v) + k*log(2) + rest for v's fraction 1+n, as n - n^2/2 + n^3 times a polynomial, for which there is no division as
 * in log1p; rest has the low part of k*log(2). */
W_BODY float w_log_rest_f32(float v, float k, float rest) {
    float n = w_fraction_f32(v) - 1.0f;
    float z = n * n;
    float p = W_FMAF(n, W_FMAF(n, 0x1.1484e8p-4f, -0x1.de1004p-4f), 0x1.e6c03ep-4f);
    p = W_FMAF(n, W_FMAF(n, W_FMAF(n, p, -0x1.fc26acp-4f), 0x1.233b78p-3f), -0x1.555c4ep-3f);
    p = W_FMAF(n, W_FMAF(n, W_FMAF(n, p, 0x1.99a478p-3f), -0x1.000006p-2f), 0x1.555548p-2f);
    return W_FMAF(k, 6.9313812256e-01f, n - W_FMAF(0.5f, z, -W_FMAF(z * n, p, rest)));
}

W_BODY float w_log_f32(float x) {
    float v = w_normal_f32(x);
    float k = w_exponent_f32(x, v);
    return w_log_special_f32(x, w_log_rest_f32(v, k, k * 9.0580006145e-06f));
}

/* An odd polynomial up to 0.625 (Cephes), 1 - 2/(exp(2x)+1) from there. */
W_BODY float w_tanh_f32(float x) {
    float size = __builtin_fabsf(x);
    float z = x * x;
    float p = W_FMAF(z, -5.70498872745e-3f, 2.06390887954e-2f);
    p = W_FMAF(z, W_FMAF(z, W_FMAF(z, p, -5.37397155531e-2f), 1.33314422036e-1f), -3.33332819422e-1f);
    float near = W_FMAF(z * p, x, x);
    float far = 1.0f - 2.0f / (w_exp_f32(size + size) + 1.0f);
    return __builtin_copysignf(w_pick_f32(size < 0.625f, near, far), x);
}

/* 2^x for |x| <= 1000, to 2^-34 of its size. */
W_BODY double w_exp2_single_f64(double x) {
    double t = x + W_MAGIC_F64;
    double r = (x - (t - W_MAGIC_F64)) * W_LN2HI_F64;
    double r2 = r * r;
    double p0 = W_FMA(r, 1.6666666666666666e-1, 0.5);
    double p2 = W_FMA(r, 8.333333333333333e-3, 4.1666666666666664e-2);
    double p4 = W_FMA(r, 1.984126984126984e-4, 1.3888888888888889e-3);
    double p6 = W_FMA(r, 2.7557319223985893e-6, 2.48015873015873e-5);
    double p = W_FMA(r2 * r2, W_FMA(r2, p6, p4), W_FMA(r2, p2, p0));
    return W_FMA(r2, p, r + 1.0) * w_two_f64(w_bits_f64(t) - 0x4338000000000000);
}

/* Powers of positive numbers by finite exponents, for which C99's rules change nothing. */
W_BODY int w_plain_power_f32(float x, float y) {
    return (x > 0.0f) & (x < W_INF_F32) & (__builtin_fabsf(y) < W_INF_F32);
}

/* 2^(y*log2(x)) in float64, whose digits are enough without a second part. */
W_BODY float w_plain_pow_f32(float x, float y) {
    double v = (double)x; /* normal, if x is not 0 */
    double k = w_from_f64(w_biased_f64(v) + 0x4330000000000000) - 0x1.00000000004p52;
    double n = w_fraction_f64(v) - 1.0;
    double s = n / (n + 2.0);
    double z2 = s * s;
    double z4 = z2 * z2;
    double l = W_FMA(z4, W_FMA(z2, 1.0 / 15, 1.0 / 13), W_FMA(z2, 1.0 / 11, 1.0 / 9));
    l = W_FMA(z4 * z2, l, W_FMA(z4, 1.0 / 7, W_FMA(z2, 1.0 / 5, 1.0 / 3)));
    l = W_FMA(s * z2, l, s) * 0x1.71547652b82fep+1;
    double p = (double)y * (l + k);
    double high = w_pick_f64(p > 200.0, 200.0, p);
    double low = w_pick_f64(high < -200.0, -200.0, high);
    return (float)w_exp2_single_f64(low);
}

/* x^y = 2^(y*log2|x|), then C99's rules. */
W_BODY float w_pow_f32(float x, float y) {
    float ax = __builtin_fabsf(x);
    float size = w_plain_pow_f32(ax, y);

    float grown = w_pick_f32(y > 0.0f, W_INF_F32, 0.0f);
    float shrunk = w_pick_f32(y > 0.0f, 0.0f, W_INF_F32);
    size = w_pick_f32(ax == 0.0f, shrunk, size);
    size = w_pick_f32(ax == W_INF_F32, grown, size);
    size = w_pick_f32(__builtin_fabsf(y) == W_INF_F32, w_pick_f32(ax > 1.0f, grown, shrunk), size);
    size = w_pick_f32(ax == 1.0f, 1.0f, size);

    float ay = __builtin_fabsf(y);
    float whole = w_pick_f32(ay >= 0x1p23f, ay, ay + 0x1p23f - 0x1p23f);
    float halved = ay * 0.5f;
    float half = w_pick_f32(halved >= 0x1p23f, halved, halved + 0x1p23f - 0x1p23f);
    float z = w_pick_f32(halved == half, size, w_pick_f32(whole == ay, __builtin_copysignf(size, x), size));
    float defined = w_pick_f32(whole == ay, z, w_pick_f32(ax < W_INF_F32, W_NAN_F32, z));
    z = w_pick_f32(x < 0.0f, defined, z);
    z = w_pick_f32(x != x, x, w_pick_f32(y != y, y, z));
    return w_pick_f32(y == 0.0f, 1.0f, w_pick_f32(x == 1.0f, 1.0f, z));
}

/* Sine and cosine of |x| <= 10^5, by a reduction to a quadrant with pi/2 in three parts; the
 * polynomials are Cephes'. */
#define W_ANGLE_F32 1e5f

W_BODY int w_wide_f32(float x) {
    float size = __builtin_fabsf(x);
    return (size > W_ANGLE_F32) & (size < W_INF_F32);
}

/* x = q*pi/2 + r + tail; of q the two low bits count. */
typedef struct {
    int32_t q;
    float r, tail;
} w_turn_f32;

W_BODY w_turn_f32 w_reduce_f32(float x) {
    float t = x * 0x1.45f306p-1f + W_MAGIC_F32;
    float n = t - W_MAGIC_F32;
    float r0 = W_FMAF(-n, 0x1.921fb6p+0f, x);
    float p = n * -0x1.777a5cp-25f;
    float pLo = W_FMAF(n, -0x1.ee59dap-50f, W_FMAF(n, -0x1.777a5cp-25f, -p));
    w_turn_f32 y;
    y.q = w_bits_f32(t);
    y.r = r0 - p;
    float back = y.r - r0;
    y.tail = r0 - (y.r - back) - (p + back) - pLo;
    return y;
}

/* sin(x + turn*pi/2), with the bits of sign flipping its sign. */
W_BODY float w_turned_f32(float x, int32_t turn, int32_t sign) {
    w_turn_f32 a = w_reduce_f32(x);
    float z = a.r * a.r;
    float s = W_FMAF(z, W_FMAF(z, -1.9515295891e-4f, 8.3321608736e-3f), -1.6666654611e-1f);
    float sine = a.r + W_FMAF(s * z, a.r, a.tail);
    float c = W_FMAF(z, W_FMAF(z, 2.443315711809948e-5f, -1.388731625493765e-3f), 4.166664568298827e-2f);
    float half = 0.5f * z;
    float w = 1.0f - half;
    float cosine = w + (W_FMAF(z * z, c, -(a.r * a.tail)) + (1.0f - w - half));
    int32_t q = a.q + turn;
    float y = w_pick_f32((q & 1) != 0, cosine, sine);
    return w_from_f32(w_bits_f32(y) ^ (int32_t)((uint32_t)(q & 2) << 30) ^ sign);
}

/* The sine of -0 is -0, because it has the sign of x. */
W_BODY float w_sin_f32(float x) {
    return w_turned_f32(__builtin_fabsf(x), 0, w_bits_f32(x) & (int32_t)0x80000000);
}

W_BODY float w_cos_f32(float x) { return w_turned_f32(x, 1, 0); }

#endif
