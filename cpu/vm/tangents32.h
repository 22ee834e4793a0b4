/* The tangent and the angle of a point in float32; see functions64.h, whose rules these follow. */
#ifndef WEFT_TANGENTS32_H
#define WEFT_TANGENTS32_H

#include "narrow32.h"

/* For |x| <= W_ANGLE_F32: an odd polynomial of what is left of the angle, hi + lo, in odd quadrants -1/(hi + lo), put right by
 * what the quotient is off. */
W_BODY float w_tan_f32(float x) {
    w_turn_f32 a = w_reduce_f32(x);
    float z = a.r * a.r;
    float p = W_FMAF(z, W_FMAF(z, 0x1.1f7668p-8f, 0x1.329f28p-14f), 0x1.635e5cp-7f);
    p = W_FMAF(z, W_FMAF(z, W_FMAF(z, W_FMAF(z, p, 0x1.5ca8e0p-6f), 0x1.badb8ap-5f), 0x1.110d98p-3f), 0x1.555560p-2f);
    float cubic = a.r * z;
    float near = W_FMAF(cubic, p, a.r);
    float rest = W_FMAF(cubic, p, W_FMAF(near * near, a.tail, a.tail));
    float hi = a.r + rest;
    float lo = rest - (hi - a.r);
    int odd = (a.q & 1) != 0;
    float d = w_pick_f32(odd, hi, 1.0f);
    float inverse = -1.0f / d;
    float turned = W_FMAF(inverse, W_FMAF(inverse, lo, W_FMAF(inverse, d, 1.0f)), inverse);
    return w_pick_f32(x == 0.0f, x, w_pick_f32(odd, turned, hi));
}

/* The angle of the point (x, y): of 0, pi/2 or pi, in two parts, the arc tangent of the smaller coordinate over the larger is
 * taken away or added. Two infinities count as equal; huge and small numbers are scaled, so that the inverse and
 * what the quotient is off keep their digits. */
W_BODY float w_atan2_f32(float y, float x) {
    float ax = __builtin_fabsf(x);
    float ay = __builtin_fabsf(y);
    int swap = ay > ax;
    float large = w_pick_f32(swap, ay, ax);
    float small = w_pick_f32(swap, ax, ay);
    float scale = w_pick_f32(large > 0x1p100f, 0x1p-20f, w_pick_f32(large < 1.0f, 0x1p60f, 1.0f));
    float infinite = w_pick_f32(small == W_INF_F32, 1.0f, 0.0f);
    float n = w_pick_f32(large == W_INF_F32, infinite, small * scale);
    float d = w_pick_f32((large == W_INF_F32) | (large == 0.0f), 1.0f, large * scale);
    float inverse = 1.0f / d;
    float t = n * inverse;
    float z = t * t;
    float lost = W_FMAF(-t, d, n) * inverse;
    float rest = W_FMAF(t, w_atan_series_f32(z), W_FMAF(lost * -0.5f, z, lost));
    int left = w_bits_f32(x) < 0; /* -0, too */
    int32_t back = swap != left ? (int32_t)0x80000000 : 0;
    float from = w_pick_f32(swap, W_RIGHT_F32, w_pick_f32(left, 2.0f * W_RIGHT_F32, 0.0f));
    float fromLo = w_pick_f32(swap, W_RIGHTLO_F32, w_pick_f32(left, 2.0f * W_RIGHTLO_F32, 0.0f));
    float step = w_from_f32(w_bits_f32(t) ^ back);
    float angle = from + step;
    angle = angle + (from - angle + step + (w_from_f32(w_bits_f32(rest) ^ back) + fromLo));
    angle = w_pick_f32(x != x, x, w_pick_f32(y != y, y, angle));
    return __builtin_copysignf(angle, y);
}

#endif
