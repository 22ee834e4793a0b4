// Stockham's transform over eight sequences at once: each vector has one point of all of them, so that every step is the same plain
// arithmetic, whatever the factors of n are.
//
// A single sequence is taken as several, of every eighth point (or fourth, or seventh ...), which lie side by side in memory: their
// transforms times powers of the root are what a last step across the lanes needs.
//
// Nothing is fused (-std=c11), so that every instruction set gives the same bits.
#include "fourier.h"
#include <stddef.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

typedef double vec __attribute__((vector_size(8 * WEFT_LANES), aligned(8)));
typedef int64_t picks __attribute__((vector_size(8 * WEFT_LANES)));
typedef struct {
	vec re, im;
} point;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_ISA
#endif
#define INLINE static inline __attribute__((always_inline))
#define PICK(a, b, ...) __builtin_shuffle(a, b, (picks){__VA_ARGS__})

INLINE point plus(point a, point b) { return (point){a.re + b.re, a.im + b.im}; }
INLINE point minus(point a, point b) { return (point){a.re - b.re, a.im - b.im}; }
INLINE point times(point a, double re, double im) { return (point){a.re * re - a.im * im, a.re * im + a.im * re}; }
INLINE point product(point a, point b) { return (point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
INLINE point scaled(point a, double f) { return (point){a.re * f, a.im * f}; }
INLINE point turned(point a) { return (point){a.im, -a.re}; } // times -i

INLINE void dft2(const point *a, point *b)
{
	b[0] = plus(a[0], a[1]);
	b[1] = minus(a[0], a[1]);
}

INLINE void dft3(const point *a, point *b)
{
	point sum = plus(a[1], a[2]), half = minus(a[0], scaled(sum, 0.5)), side = scaled(turned(minus(a[1], a[2])), 0.86602540378443864676);
	b[0] = plus(a[0], sum);
	b[1] = plus(half, side);
	b[2] = minus(half, side);
}

INLINE void dft4(const point *a, point *b)
{
	point ac = plus(a[0], a[2]), bd = plus(a[1], a[3]), e = minus(a[0], a[2]), f = turned(minus(a[1], a[3]));
	b[0] = plus(ac, bd);
	b[1] = plus(e, f);
	b[2] = minus(ac, bd);
	b[3] = minus(e, f);
}

INLINE void dft5(const point *a, point *b)
{
	const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410, s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
	point p = plus(a[1], a[4]), q = plus(a[2], a[3]), d = turned(minus(a[1], a[4])), e = turned(minus(a[2], a[3]));
	point u = plus(a[0], plus(scaled(p, c1), scaled(q, c2))), v = plus(a[0], plus(scaled(p, c2), scaled(q, c1)));
	point f = plus(scaled(d, s1), scaled(e, s2)), g = minus(scaled(d, s2), scaled(e, s1));
	b[0] = plus(a[0], plus(p, q));
	b[1] = plus(u, f);
	b[2] = plus(v, g);
	b[3] = minus(v, g);
	b[4] = minus(u, f);
}

INLINE void dft8(const point *a, point *b)
{
	const double h = 0.70710678118654752440;
	const point even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
	point e[4], o[4];
	dft4(even, e);
	dft4(odd, o);
	point eighth = {(o[1].re + o[1].im) * h, (o[1].im - o[1].re) * h}, third = {(o[3].im - o[3].re) * h, -(o[3].re + o[3].im) * h};
	o[1] = eighth;
	o[2] = turned(o[2]);
	o[3] = third;
	for (int k = 0; k < 4; k++) {
		b[k] = plus(e[k], o[k]);
		b[k + 4] = minus(e[k], o[k]);
	}
}

// dftr is the definition, for an odd prime r; roots are the r-th ones, so many apart. Points j and r-j, which have conjugate roots, are
// taken together: that is half of the products and half of the roundings.
INLINE void dftr(int64_t r, const point *a, point *b, const double *roots, int64_t apart)
{
	int64_t half = r / 2;
	point sums[WEFT_MAX_PRIME / 2 + 1], turns[WEFT_MAX_PRIME / 2 + 1], all = a[0];
	for (int64_t j = 1; j <= half; j++) {
		sums[j] = plus(a[j], a[r - j]);
		turns[j] = turned(minus(a[j], a[r - j]));
		all = plus(all, sums[j]);
	}
	b[0] = all;
	for (int64_t k = 1; k <= half; k++) {
		point u = a[0], v = {{0}, {0}};
		for (int64_t j = 1; j <= half; j++) {
			int64_t e = j * k % r * apart;
			u = plus(u, scaled(sums[j], roots[2 * e]));
			v = plus(v, scaled(turns[j], -roots[2 * e + 1]));
		}
		b[k] = plus(u, v);
		b[r - k] = minus(u, v);
	}
}

INLINE void dft(int64_t r, const point *a, point *b, const double *roots, int64_t apart)
{
	if (r == 2)
		dft2(a, b);
	else if (r == 3)
		dft3(a, b);
	else if (r == 4)
		dft4(a, b);
	else if (r == 5)
		dft5(a, b);
	else if (r == 8)
		dft8(a, b);
	else
		dftr(r, a, b, roots, apart);
}

// pass takes n points at distance s apart into r sequences of n/r points at distance r*s. room is r of the most that there may be.
INLINE void pass(int64_t n, int64_t s, int64_t r, point *room, const point *x, point *y, const double *roots)
{
	int64_t m = n / r;
	point *a = room, *b = room + r;
	for (int64_t p = 0; p < m; p++)
		for (int64_t q = 0; q < s; q++) {
			for (int64_t k = 0; k < r; k++)
				a[k] = x[q + s * (p + k * m)];
			dft(r, a, b, roots, s * m);
			point *to = y + q + s * r * p;
			to[0] = b[0];
			for (int64_t k = 1; k < r; k++)
				to[s * k] = times(b[k], roots[2 * k * p * s], roots[2 * k * p * s + 1]);
		}
}

#define PASS(r) \
	case r: { \
		point room[2 * r]; \
		pass(n, s, r, room, x, y, roots); \
		break; \
	}

INLINE point *run(const weft_fourier_plan *plan, const double *roots, point *x, point *y)
{
	int64_t s = 1, n = plan->n;
	for (int i = 0; i < plan->count; i++) {
		int r = plan->factor[i];
		switch (r) {
			PASS(2)
			PASS(3)
			PASS(4)
			PASS(5)
			PASS(8)
		default: {
			point room[2 * WEFT_MAX_PRIME];
			pass(n, s, r, room, x, y, roots);
		}
		}
		n /= r;
		s *= r;
		point *t = x;
		x = y;
		y = t;
	}
	return x;
}

// load reads eight complex numbers that lie side by side.
INLINE point load(const double *at, int swap)
{
	vec low, high;
	memcpy(&low, at, sizeof low);
	memcpy(&high, at + WEFT_LANES, sizeof high);
	vec even = PICK(low, high, 0, 2, 4, 6, 8, 10, 12, 14), odd = PICK(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
	return swap ? (point){odd, even} : (point){even, odd};
}

INLINE void store(double *at, point x, int swap)
{
	vec even = swap ? x.im : x.re, odd = swap ? x.re : x.im;
	vec low = PICK(even, odd, 0, 8, 1, 9, 2, 10, 3, 11), high = PICK(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
	memcpy(at, &low, sizeof low);
	memcpy(at + WEFT_LANES, &high, sizeof high);
}

// load_some reads fewer than eight; the others are zero.
INLINE point load_some(const double *at, int64_t apart, int lanes, int swap)
{
	point v = {{0}, {0}};
	for (int l = 0; l < lanes; l++, at += 2 * apart) {
		v.re[l] = at[swap];
		v.im[l] = at[1 - swap];
	}
	return v;
}

INLINE void store_some(double *at, int64_t apart, int lanes, point x, int swap)
{
	for (int l = 0; l < lanes; l++, at += 2 * apart) {
		at[swap] = x.re[l];
		at[1 - swap] = x.im[l];
	}
}

// transpose exchanges vectors and lanes.
INLINE void transpose(vec *v)
{
	vec a[8], b[8];
	for (int i = 0; i < 8; i += 2) {
		a[i] = PICK(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
		a[i + 1] = PICK(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
	}
	for (int i = 0; i < 8; i += 4)
		for (int k = i; k < i + 2; k++) {
			b[k] = PICK(a[k], a[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
			b[k + 2] = PICK(a[k], a[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
		}
	for (int k = 0; k < 4; k++) {
		v[k] = PICK(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
		v[k + 4] = PICK(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
	}
}

INLINE void transpose_points(const point *x, point *y)
{
	vec re[8], im[8];
	for (int i = 0; i < 8; i++) {
		re[i] = x[i].re;
		im[i] = x[i].im;
	}
	transpose(re);
	transpose(im);
	for (int i = 0; i < 8; i++)
		y[i] = (point){re[i], im[i]};
}

EACH_ISA void weft_fourier(const weft_fourier_plan *p, const double *roots, double *work, const double *src, weft_fourier_side from,
	double *dst, weft_fourier_side to, int lanes, int swap, double scale,
	const double *turns, int64_t first, const double *high, const double *low, int shift)
{
	int64_t n = p->n, i = 0;
	point *x = (point *)work, *y = x + n;
	if (lanes == WEFT_LANES && from.lane == 1)
		for (; i < n; i++)
			x[i] = load(src + 2 * i * from.point, swap);
	if (lanes == WEFT_LANES && from.point == 1)
		for (; i + WEFT_LANES <= n; i += WEFT_LANES) {
			point rows[WEFT_LANES];
			for (int l = 0; l < WEFT_LANES; l++)
				rows[l] = load(src + 2 * (i + l * from.lane), swap);
			transpose_points(rows, x + i);
		}
	for (; i < n; i++)
		x[i] = load_some(src + 2 * i * from.point, from.lane, lanes, swap);
	x = run(p, roots, x, y);
	for (i = 0; i < n; i++)
		x[i] = scaled(x[i], scale);
	for (i = 0; turns && i < n; i++) {
		int64_t e = first * i;
		const double *a = high + 2 * (e >> shift), *b = low + 2 * (e & (((int64_t)1 << shift) - 1));
		point w = ((const point *)turns)[i];
		x[i] = product(x[i], times(w, a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]));
	}
	i = 0;
	if (lanes == WEFT_LANES && to.lane == 1)
		for (; i < n; i++)
			store(dst + 2 * i * to.point, x[i], swap);
	if (lanes == WEFT_LANES && to.point == 1)
		for (; i + WEFT_LANES <= n; i += WEFT_LANES) {
			point rows[WEFT_LANES];
			transpose_points(x + i, rows);
			for (int l = 0; l < WEFT_LANES; l++)
				store(dst + 2 * (i + l * to.lane), rows[l], swap);
		}
	for (; i < n; i++)
		store_some(dst + 2 * i * to.point, to.lane, lanes, x[i], swap);
}

// across makes the last step: sequences r*n/lanes apart of eight points each.
INLINE void across(int r, int64_t m, const point *x, const point *turns, const double *roots, double *dst, int swap, double scale)
{
	for (int64_t at = 0; at < m; at += WEFT_LANES) {
		int64_t k = at + WEFT_LANES <= m || m < WEFT_LANES ? at : m - WEFT_LANES; // the last eight once more where they are not eight
		point a[WEFT_LANES], b[WEFT_LANES];
		for (int i = 0; i < WEFT_LANES; i++)
			a[i] = product(x[k + i], turns[k + i]);
		transpose_points(a, b);
		dft(r, b, a, roots, 1);
		for (int j = 0; j < r; j++)
			if (m < WEFT_LANES)
				store_some(dst + 2 * j * m, 1, (int)m, scaled(a[j], scale), swap);
			else
				store(dst + 2 * (k + j * m), scaled(a[j], scale), swap);
	}
}

#define ACROSS(r) \
	case r: \
		for (int64_t i = 0; i < m; i++) \
			x[i] = r == WEFT_LANES ? load(src + 2 * r * i, swap) : load_some(src + 2 * r * i, 1, r, swap); \
		x = run(p, roots, x, y); \
		for (int64_t i = m; i < WEFT_LANES; i++) \
			x[i] = (point){{0}, {0}}; \
		across(r, m, x, (const point *)turns, small, dst, swap, scale); \
		break;

EACH_ISA void weft_fourier_row(const weft_fourier_plan *p, const double *roots, const double *turns, const double *small, int lanes, double *work,
	const double *src, double *dst, int swap, double scale)
{
	int64_t m = p->n;
	point *x = (point *)work, *y = x + m + WEFT_LANES;
	switch (lanes) {
		ACROSS(2)
		ACROSS(3)
		ACROSS(4)
		ACROSS(5)
		ACROSS(7)
		ACROSS(8)
	}
}

EACH_ISA void weft_fourier_unfold(int64_t m, int64_t from, int64_t to, const double *half, double *whole, const double *roots, double re, double im)
{
	for (int64_t k = from; k < to; k++) {
		const double *a = half + 2 * k, *b = half + 2 * (m - k), *r = roots + 2 * (k - from);
		double wr = r[0] * re - r[1] * im, wi = r[0] * im + r[1] * re;
		double sr = a[0] + b[0], si = a[1] - b[1], dr = a[0] - b[0], di = a[1] + b[1]; // of a and b's conjugate
		double tr = dr * wi + di * wr, ti = dr * wr - di * wi;                         // the difference times w, times -i, is tr - i*ti
		double *low = whole + 2 * k, *high = whole + 2 * (m - k);
		low[0] = sr + tr;
		low[1] = si - ti;
		high[0] = sr - tr;
		high[1] = -(si + ti);
	}
}

EACH_ISA void weft_fourier_fold(int64_t m, int64_t from, int64_t to, const double *whole, double *half, const double *roots, double re, double im)
{
	for (int64_t k = from; k < to; k++) {
		const double *a = whole + 2 * k, *b = whole + 2 * (m - k), *r = roots + 2 * (k - from);
		double wr = r[0] * re - r[1] * im, wi = r[0] * im + r[1] * re;
		double sr = a[0] + b[0], si = a[1] - b[1], dr = a[0] - b[0], di = a[1] + b[1];
		double tr = dr * wi - di * wr, ti = dr * wr + di * wi; // the difference times w's conjugate, times i, is tr + i*ti
		double *low = half + 2 * k, *high = half + 2 * (m - k);
		low[0] = sr + tr;
		low[1] = si + ti;
		high[0] = sr - tr;
		high[1] = -(si - ti);
	}
}

EACH_ISA void weft_fourier_mirror(int64_t n, double *x)
{
	for (int64_t k = 1; k <= (n - 1) / 2; k++) {
		x[2 * (n - k)] = x[2 * k];
		x[2 * (n - k) + 1] = -x[2 * k + 1];
	}
}
