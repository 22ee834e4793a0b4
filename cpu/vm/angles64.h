/* Sine and cosine of large angles, one at a time: what a loop over w_sin_f64 and its kin
 * puts in where w_wide_f64 or w_wide_f32 holds. The angle is multiplied by 2/pi in integers
 * (Payne and Hanek, 1983), as in tile/trig.go. */
#ifndef WEFT_ANGLES64_H
#define WEFT_ANGLES64_H

#include "functions32.h"
#include "trigonometry64.h"

/* The bits of 2/pi after a word of zeros before the point. */
static const uint64_t w_two_over_pi[21] = {
    0,
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

static inline uint64_t w_high_product(uint64_t a, uint64_t b) {
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

/* For 2^20 <= |x| < infinity. Of the digits of 2/pi those are skipped whose product with x is
 * a multiple of 4; 256 bits from there on are enough for the quadrant and for more than 128
 * bits of the angle. */
static inline w_turn_f64 w_reduce_wide_f64(double x) {
    uint64_t bits = (uint64_t)w_bits_f64(x);
    uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;
    unsigned at = (unsigned)((bits >> 52) & 2047) - 1075 - 2 + 64;
    unsigned shift = at & 63;
    const uint64_t *table = w_two_over_pi + (at >> 6);
    uint64_t p[4];
    uint64_t carry = 0;
    for (int i = 3; i >= 0; i--) {
        uint64_t w = table[i] << shift | table[i + 1] >> 1 >> (63 - shift);
        uint64_t low = w * m;
        p[i] = low + carry;
        carry = w_high_product(w, m) + (p[i] < low);
    }
    w_turn_f64 y;
    y.q = (int64_t)(p[0] >> 62);
    for (int i = 0; i < 3; i++)
        p[i] = p[i] << 2 | p[i + 1] >> 62;
    p[3] <<= 2;
    int over = p[0] >> 63 != 0; /* nearer to the next quadrant: count from there */
    y.q += over;
    carry = (uint64_t)over;
    for (int i = 3; i >= 0; i--) {
        uint64_t flipped = over ? ~p[i] : p[i];
        p[i] = flipped + carry;
        carry = p[i] < flipped;
    }
    unsigned zeros = (unsigned)__builtin_clzll(p[0] | 1); /* no float64 is nearer than 2^-62 to a multiple of pi/2 */
    uint64_t first = p[0] << zeros | p[1] >> 1 >> (63 - zeros);
    uint64_t second = p[1] << zeros | p[2] >> 1 >> (63 - zeros);
    double hi = (double)(first >> 11) * w_two_f64(-53 - (int64_t)zeros);
    double lo = (double)(first << 53 | second >> 11) * w_two_f64(-117 - (int64_t)zeros);
    double r = hi * 0x1.921fb54442d18p+0;
    double tail = W_FMA(lo, 0x1.921fb54442d18p+0, W_FMA(hi, 0x1.1a62633145c07p-54, W_FMA(hi, 0x1.921fb54442d18p+0, -r)));
    int negative = x < 0;
    int flip = over ^ negative;
    y.r = flip ? -r : r;
    y.tail = flip ? -tail : tail;
    y.q = negative ? -y.q : y.q;
    return y;
}

static inline double w_sin_wide_f64(double x) {
    w_turn_f64 a = w_reduce_wide_f64(x);
    return w_quadrant_f64(a.q, a.r, a.tail);
}

static inline double w_cos_wide_f64(double x) {
    w_turn_f64 a = w_reduce_wide_f64(x);
    return w_quadrant_f64(a.q + 1, a.r, a.tail);
}

static inline double w_tan_wide_f64(double x) {
    w_turn_f64 a = w_reduce_wide_f64(x);
    return w_tan_quadrant_f64(a.q, a.r, a.tail);
}

static inline float w_sin_wide_f32(float x) {
    double v = (double)x;
    return (float)(w_wide_f64(v) ? w_sin_wide_f64(v) : w_sin_f64(v));
}

static inline float w_cos_wide_f32(float x) {
    double v = (double)x;
    return (float)(w_wide_f64(v) ? w_cos_wide_f64(v) : w_cos_f64(v));
}

static inline float w_tan_wide_f32(float x) {
    double v = (double)x;
    return (float)(w_wide_f64(v) ? w_tan_wide_f64(v) : w_tan_f64(v));
}

#endif
