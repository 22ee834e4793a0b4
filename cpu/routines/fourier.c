// Stockham's transform over eight sequences at once: each vector has one point of all of
// them, so that every step is the same plain arithmetic, whatever the factors of n are.
//
// Nothing is fused (-std=c11), so that every instruction set gives the same bits.
#include "fourier.h"
#include <stddef.h>

#pragma GCC diagnostic ignored "-Wpsabi"

typedef double vec __attribute__((vector_size(8 * WEFT_LANES), aligned(8)));
typedef struct {
	vec re, im;
} point;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_ISA
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE point plus(point a, point b) { return (point){a.re + b.re, a.im + b.im}; }
INLINE point minus(point a, point b) { return (point){a.re - b.re, a.im - b.im}; }
INLINE point times(point a, double re, double im) { return (point){a.re * re - a.im * im, a.re * im + a.im * re}; }
INLINE point scaled(point a, double f) { return (point){a.re * f, a.im * f}; }
INLINE point turned(point a) { return (point){a.im, -a.re}; } // times -i

// A pass takes n points at distance s apart into r sequences of n/r points at distance r*s.
// root is the power of the n*s-th root for the product of two small numbers.
#define ROOT(k) roots[2 * (k)*s], roots[2 * (k)*s + 1]

INLINE void pass2(int64_t n, int64_t s, const point *x, point *y, const double *roots)
{
	int64_t m = n / 2;
	for (int64_t p = 0; p < m; p++)
		for (int64_t q = 0; q < s; q++) {
			point a = x[q + s * p], b = x[q + s * (p + m)];
			y[q + s * 2 * p] = plus(a, b);
			y[q + s * (2 * p + 1)] = times(minus(a, b), ROOT(p));
		}
}

INLINE void pass4(int64_t n, int64_t s, const point *x, point *y, const double *roots)
{
	int64_t m = n / 4;
	for (int64_t p = 0; p < m; p++)
		for (int64_t q = 0; q < s; q++) {
			const point *at = x + q + s * p;
			point a = at[0], b = at[s * m], c = at[2 * s * m], d = at[3 * s * m];
			point ac = plus(a, c), bd = plus(b, d), e = minus(a, c), f = turned(minus(b, d));
			point *to = y + q + s * 4 * p;
			to[0] = plus(ac, bd);
			to[s] = times(plus(e, f), ROOT(p));
			to[2 * s] = times(minus(ac, bd), ROOT(2 * p));
			to[3 * s] = times(minus(e, f), ROOT(3 * p));
		}
}

INLINE void pass3(int64_t n, int64_t s, const point *x, point *y, const double *roots)
{
	int64_t m = n / 3;
	for (int64_t p = 0; p < m; p++)
		for (int64_t q = 0; q < s; q++) {
			point a = x[q + s * p], b = x[q + s * (p + m)], c = x[q + s * (p + 2 * m)];
			point sum = plus(b, c), half = minus(a, scaled(sum, 0.5)), side = scaled(turned(minus(b, c)), 0.86602540378443864676);
			point *to = y + q + s * 3 * p;
			to[0] = plus(a, sum);
			to[s] = times(plus(half, side), ROOT(p));
			to[2 * s] = times(minus(half, side), ROOT(2 * p));
		}
}

INLINE void pass5(int64_t n, int64_t s, const point *x, point *y, const double *roots)
{
	const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410, s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
	int64_t m = n / 5;
	for (int64_t p = 0; p < m; p++)
		for (int64_t q = 0; q < s; q++) {
			const point *at = x + q + s * p;
			point a = at[0], b = plus(at[s * m], at[4 * s * m]), c = plus(at[2 * s * m], at[3 * s * m]);
			point d = turned(minus(at[s * m], at[4 * s * m])), e = turned(minus(at[2 * s * m], at[3 * s * m]));
			point u = plus(a, plus(scaled(b, c1), scaled(c, c2))), v = plus(a, plus(scaled(b, c2), scaled(c, c1)));
			point f = plus(scaled(d, s1), scaled(e, s2)), g = minus(scaled(d, s2), scaled(e, s1));
			point *to = y + q + s * 5 * p;
			to[0] = plus(a, plus(b, c));
			to[s] = times(plus(u, f), ROOT(p));
			to[2 * s] = times(plus(v, g), ROOT(2 * p));
			to[3 * s] = times(minus(v, g), ROOT(3 * p));
			to[4 * s] = times(minus(u, f), ROOT(4 * p));
		}
}

// passr is the definition, for an odd prime r. Points j and r-j, which have conjugate roots, are taken together:
// that is half of the products and half of the roundings.
INLINE void passr(int64_t n, int64_t s, int64_t r, const point *x, point *y, const double *roots)
{
	int64_t m = n / r, half = r / 2, step = s * m; // step: from one r-th root to the next
	point sums[WEFT_MAX_PRIME / 2 + 1], turns[WEFT_MAX_PRIME / 2 + 1];
	for (int64_t p = 0; p < m; p++)
		for (int64_t q = 0; q < s; q++) {
			point a = x[q + s * p], all = a, *to = y + q + s * r * p;
			for (int64_t j = 1; j <= half; j++) {
				point b = x[q + s * (p + j * m)], c = x[q + s * (p + (r - j) * m)];
				sums[j] = plus(b, c);
				turns[j] = turned(minus(b, c));
				all = plus(all, sums[j]);
			}
			to[0] = all;
			for (int64_t k = 1; k <= half; k++) {
				point u = a, v = {{0}, {0}};
				for (int64_t j = 1; j <= half; j++) {
					int64_t e = j * k % r * step;
					u = plus(u, scaled(sums[j], roots[2 * e]));
					v = plus(v, scaled(turns[j], -roots[2 * e + 1]));
				}
				to[s * k] = times(plus(u, v), ROOT(p * k));
				to[s * (r - k)] = times(minus(u, v), ROOT(p * (r - k)));
			}
		}
}

EACH_ISA static point *run(int64_t n, const int32_t *factors, int count, const double *roots, point *x, point *y)
{
	int64_t s = 1;
	for (int i = 0; i < count; i++) {
		int r = factors[i];
		if (r == 4)
			pass4(n, s, x, y, roots);
		else if (r == 2)
			pass2(n, s, x, y, roots);
		else if (r == 3)
			pass3(n, s, x, y, roots);
		else if (r == 5)
			pass5(n, s, x, y, roots);
		else
			passr(n, s, r, x, y, roots);
		n /= r;
		s *= r;
		point *t = x;
		x = y;
		y = t;
	}
	return x;
}

void weft_fourier(int64_t n, const int32_t *factors, int count, const double *roots, double *work,
	const double *src, int64_t src_point, int64_t src_lane, double *dst, int64_t dst_point, int64_t dst_lane,
	int lanes, int swap, double scale, const double *coarse, const double *fine, int64_t low, int64_t first)
{
	point *x = (point *)work, *y = x + n;
	for (int64_t i = 0; i < n; i++) {
		point v = {{0}, {0}};
		for (int l = 0; l < lanes; l++) {
			const double *at = src + 2 * (i * src_point + l * src_lane);
			v.re[l] = at[swap];
			v.im[l] = at[1 - swap];
		}
		x[i] = v;
	}
	x = run(n, factors, count, roots, x, y);
	for (int64_t i = 0; i < n; i++) {
		for (int l = 0; l < lanes; l++) {
			double re = x[i].re[l] * scale, im = x[i].im[l] * scale;
			if (coarse) {
				int64_t e = (first + l) * i;
				const double *a = coarse + 2 * (e / low), *b = fine + 2 * (e % low);
				double wr = a[0] * b[0] - a[1] * b[1], wi = a[0] * b[1] + a[1] * b[0];
				double t = re * wr - im * wi;
				im = re * wi + im * wr;
				re = t;
			}
			double *to = dst + 2 * (i * dst_point + l * dst_lane);
			to[swap] = re;
			to[1 - swap] = im;
		}
	}
}
