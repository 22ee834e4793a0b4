/* Measures the elementary functions against libquadmath, whose 113 bits are enough, and prints
 * ACCURACY.md's rows. make accuracy compiles it once per instruction set; the results go through
 * loops, so that it is the vector code that is measured.
 *
 *     accuracy SAMPLES          per function and kind of argument
 *     accuracy SAMPLES digest   one number per function instead, of all its results' bits
 *     accuracy STEP every NAME  a function of one float32, of every argument (STEP 1) or every so many, beside that of float64 */
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../angles64.h"
#include "../powers64.h"
#include "../singles32.h"

enum { BLOCK = 1024 };

typedef struct {
    const char *name;
    void (*f64)(double *d, const double *a, const double *b);
    void (*f32)(float *d, const float *a, const float *b);
    __float128 (*unary)(__float128);
    __float128 (*binary)(__float128, __float128);
    double low, high;   /* where it is of use */
    double least64, least32; /* results below this count the units of this */
} function;

#define LOOPS(name, value64, value32) \
    static void name##_loop_f64(double *restrict d, const double *restrict a, const double *restrict b) { \
        (void)b; \
        for (int i = 0; i < BLOCK; i++) { double x = a[i], y = b[i]; (void)y; d[i] = value64; } \
    } \
    static void name##_loop_f32(float *restrict d, const float *restrict a, const float *restrict b) { \
        (void)b; \
        for (int i = 0; i < BLOCK; i++) { float x = a[i], y = b[i]; (void)y; d[i] = value32; } \
    }
#define UNARY(name) LOOPS(name, w_##name##_f64(x), w_##name##_f32(x))
#define BINARY(name) LOOPS(name, w_##name##_f64(x, y), w_##name##_f32(x, y))
#define ANGLE(name) \
    LOOPS(name, w_wide_f64(x) ? w_##name##_wide_f64(x) : w_##name##_f64(x), w_wide_f32(x) ? w_##name##_wide_f32(x) : w_##name##_f32(x))

UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log) UNARY(log2) UNARY(log10) UNARY(log1p)
ANGLE(sin) ANGLE(cos) ANGLE(tan) UNARY(asin) UNARY(acos) UNARY(atan) BINARY(atan2)
UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(asinh) UNARY(acosh) UNARY(atanh)
LOOPS(pow, w_pow_any_f64(x, y), w_pow_any_f32(x, y)) UNARY(cbrt) BINARY(hypot) UNARY(erf) UNARY(erfc) UNARY(gamma) UNARY(lgamma)

/* Exponents that are multiples of 1/2. */
LOOPS(halves, w_pow_any_f64(x, __builtin_rint(y + y) / 2), w_pow_any_f32(x, __builtin_rintf(y + y) / 2))
static __float128 halvesq(__float128 x, __float128 y) { return powq(x, rintq(y + y) / 2); }

#define ROW1(name, quad, low, high) {#name, name##_loop_f64, name##_loop_f32, quad, 0, low, high, 0, 0},
#define ROW2(name, quad, low, high) {#name, name##_loop_f64, name##_loop_f32, 0, quad, low, high, 0, 0},
static const function functions[] = {
    ROW1(exp, expq, -750, 715) ROW1(exp2, exp2q, -1080, 1030) ROW1(expm1, expm1q, -45, 715)
    ROW1(log, logq, 0, 10) ROW1(log2, log2q, 0, 10) ROW1(log10, log10q, 0, 10) ROW1(log1p, log1pq, -1, 10)
    ROW1(sin, sinq, -1e6, 1e6) ROW1(cos, cosq, -1e6, 1e6) ROW1(tan, tanq, -1e6, 1e6)
    ROW1(asin, asinq, -1, 1) ROW1(acos, acosq, -1, 1) ROW1(atan, atanq, -10, 10) ROW2(atan2, atan2q, -10, 10)
    ROW1(sinh, sinhq, -715, 715) ROW1(cosh, coshq, -715, 715) ROW1(tanh, tanhq, -25, 25)
    ROW1(asinh, asinhq, -10, 10) ROW1(acosh, acoshq, 1, 10) ROW1(atanh, atanhq, -1, 1)
    ROW2(pow, powq, -20, 20) {"pow by halves", halves_loop_f64, halves_loop_f32, 0, halvesq, -20, 20, 0, 0}, ROW1(cbrt, cbrtq, -100, 100) ROW2(hypot, hypotq, -10, 10)
    ROW1(erf, erfq, -6, 6) ROW1(erfc, erfcq, -7, 28) ROW1(gamma, tgammaq, -185, 172)
    {"lgamma", lgamma_loop_f64, lgamma_loop_f32, lgammaq, 0, -30, 300, 0.5, 0.5},
};

static uint64_t state = 88172645463325252u;

static uint64_t bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Du;
}

static double uniform(double low, double high) { return low + (high - low) * (double)(bits() >> 11) * 0x1p-53; }

/* Arguments of a kind: any bits, the useful range, any size, around 1, beside special points. */
enum { KINDS = 5 };

static double argument(int kind, const function *f, int single) {
    static const double points[] = {0, 1, 0.5, 2, 1.5, 0.25, 0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 0.34657359027997264,
                                    0.41421356237309505, 709.78, 88.72, 104, 745, 3, 10, 0x1p20, 1e5, 28, 27.2, 171.6, 35, 0.8, 0.9, 1.1};
    double x;
    switch (kind) {
    case 0:
        return single ? (double)w_from_f32((int32_t)(bits() >> 32)) : w_from_f64((int64_t)bits());
    case 1:
        return uniform(f->low, f->high);
    case 2:
        x = (1 + uniform(0, 1)) * w_two_f64((int64_t)uniform(-40, 30));
        return bits() & 1 ? x : -x;
    case 3:
        return uniform(-2, 2);
    }
    x = points[bits() % (sizeof points / sizeof *points)];
    x = bits() & 1 ? x : -x;
    return x + uniform(-1, 1) * w_two_f64((int64_t)uniform(-54, -3));
}

/* How far got is from want in units in the last place; least is the exponent of the smallest
 * number, over that of the first that is too large. */
static double units(double got, __float128 want, double rounded, int digits, int least, double floor) {
    if (got != got && rounded != rounded) return 0;
    if (got == rounded && (got == 0 || got - got != 0)) return 0;
    if (got != got || rounded != rounded || got - got != 0) return W_INF;
    int e;
    __float128 size = fabsq(want);
    frexpq(size < floor ? (__float128)floor : size, &e);
    e = e - digits < least ? least : e - digits;
    int most = digits == 53 ? 971 : 104;
    return (double)(fabsq(got - want) / ldexpq(1, e > most ? most : e));
}

/* The largest distance of a function of float32 from that of float64, whose digits are enough, for every argument. */
static int every(const char *name, uint64_t step) {
    static double a[BLOCK], d[BLOCK];
    static float as[BLOCK], ds[BLOCK];
    for (const function *f = functions; f < functions + sizeof functions / sizeof *functions; f++) {
        if (!f->unary || strcmp(f->name, name)) continue;
        double worst = 0, x = 0;
        for (uint64_t first = 0; first < (uint64_t)1 << 32; first += BLOCK * step) {
            for (uint64_t i = 0; i < BLOCK; i++) a[i] = as[i] = w_from_f32((int32_t)(first + i * step));
            f->f32(ds, as, as);
            f->f64(d, a, a);
            for (int i = 0; i < BLOCK; i++) {
                double u = units(ds[i], d[i], (float)d[i], 24, -149, f->least32);
                if (u > worst) worst = u, x = a[i];
            }
        }
        printf("%s: %.3f units at %.17g\n", name, worst, x);
        return 0;
    }
    fprintf(stderr, "accuracy: no function of one number is called %s\n", name);
    return 1;
}

int main(int count, char **args) {
    if (count > 3) return every(args[3], strtoull(args[1], 0, 10));
    long samples = count > 1 ? atol(args[1]) : 100000;
    int digest = count > 2;
    static double a[BLOCK], b[BLOCK], d[BLOCK];
    static float as[BLOCK], bs[BLOCK], ds[BLOCK];
    for (const function *f = functions; f < functions + sizeof functions / sizeof *functions; f++)
        for (int single = 0; single < 2; single++) {
            double worst = 0, x = 0, y = 0;
            long other = 0, useful = 0; /* results that are not the exact one rounded, in the range of use */
            uint64_t sum = 0;
            for (int kind = 0; kind < KINDS; kind++)
                for (long n = 0; n < samples; n += BLOCK) {
                    for (int i = 0; i < BLOCK; i++) {
                        as[i] = (float)(a[i] = argument(kind, f, single));
                        bs[i] = (float)(b[i] = argument(kind, f, single));
                    }
                    if (single) f->f32(ds, as, bs);
                    else f->f64(d, a, b);
                    for (int i = 0; i < BLOCK; i++) {
                        double got = single ? (double)ds[i] : d[i];
                        sum = (sum ^ (got != got ? 0 : (uint64_t)w_bits_f64(got))) * 0x100000001b3u;
                        if (digest) continue;
                        __float128 p = single ? (__float128)as[i] : (__float128)a[i], q = single ? (__float128)bs[i] : (__float128)b[i];
                        __float128 want = f->unary ? f->unary(p) : f->binary(p, q);
                        double rounded = single ? (double)(float)want : (double)want;
                        if (kind == 1) useful++, other += !(got == rounded || (got != got && rounded != rounded));
                        double u = single ? units(got, want, rounded, 24, -149, f->least32)
                                          : units(got, want, rounded, 53, -1074, f->least64);
                        if (u > worst) worst = u, x = (double)p, y = (double)q;
                    }
                }
            if (digest) {
                printf("%s %d %016llx\n", f->name, single ? 32 : 64, (unsigned long long)sum);
                continue;
            }
            printf("| %s | float%d | %.3f | %.2f | ", f->name, single ? 32 : 64, worst, 100.0 * (double)other / (double)useful);
            if (f->unary) printf("%.17g |\n", x);
            else printf("%.17g, %.17g |\n", x, y);
            fflush(stdout);
        }
    return 0;
}
