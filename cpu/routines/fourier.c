// Stockham's transform over eight sequences at once: each vector has one point of several of them, so that every step is the same plain
// arithmetic, whatever the factors of n are (fourierlanes.h).
//
// A single sequence is taken as several, of every eighth point (or fourth, or seventh ...), which lie side by side in memory: their
// transforms times powers of the root are what a last step across the lanes needs.
//
// Nothing is fused (-std=c11), so that every instruction set gives the same bits.
#include "fourier.h"
#include <stddef.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MANY_ISAS 1
#define EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MANY_ISAS 0
#define EACH_ISA
#endif
#define INLINE static inline __attribute__((always_inline))

enum { POINT = 2 * WEFT_LANES }; // doubles of a point of eight sequences

// batch is the call of weft_fourier.
typedef struct {
	const double *src;
	double *dst;
	weft_fourier_side from, to;
	int lanes, swap;
	double scale;
	const double *turns, *high, *low;
	int64_t first;
	int shift;
} batch;

#define JOINED(name, width) name##_##width
#define FOR_WIDTH(name, width) JOINED(name, width)
#define PICK(a, b, ...) __builtin_shuffle(a, b, (OF(picks)){__VA_ARGS__})
// What interleaved numbers, and numbers that are to be, have in their vectors.
#define EVEN_2 0, 2
#define ODD_2 1, 3
#define LOW_2 0, 2
#define HIGH_2 1, 3
#define EVEN_4 0, 2, 4, 6
#define ODD_4 1, 3, 5, 7
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15

#define WIDTH 2
#include "fourierlanes.h"
#undef WIDTH

#if MANY_ISAS
#pragma GCC push_options
#pragma GCC target("avx2")
#define WIDTH 4
#include "fourierlanes.h"
#undef WIDTH
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f")
#define WIDTH 8
#include "fourierlanes.h"
#undef WIDTH
#pragma GCC pop_options
#endif

int weft_fourier_width(void)
{
#if MANY_ISAS
	return __builtin_cpu_supports("avx512f") ? 8 : __builtin_cpu_supports("avx2") ? 4 : 2;
#else
	return 2;
#endif
}

void weft_fourier(int width, const weft_fourier_plan *p, const double *roots, double *work, const double *src, weft_fourier_side from,
	double *dst, weft_fourier_side to, int lanes, int swap, double scale,
	const double *turns, int64_t first, const double *high, const double *low, int shift)
{
	batch b = {src, dst, from, to, lanes, swap, scale, turns, high, low, first, shift};
	switch (width) {
#if MANY_ISAS
	case 8:
		columns_8(p, roots, work, &b);
		break;
	case 4:
		columns_4(p, roots, work, &b);
		break;
#endif
	default:
		columns_2(p, roots, work, &b);
	}
}

void weft_fourier_row(int width, const weft_fourier_plan *p, const double *roots, const double *turns, const double *small, int lanes,
	double *work, const double *src, double *dst, int swap, double scale)
{
	switch (width) {
#if MANY_ISAS
	case 8:
		row_8(p, roots, turns, small, lanes, work, src, dst, swap, scale);
		break;
	case 4:
		row_4(p, roots, turns, small, lanes, work, src, dst, swap, scale);
		break;
#endif
	default:
		row_2(p, roots, turns, small, lanes, work, src, dst, swap, scale);
	}
}

INLINE void unfold(int64_t m, int64_t from, int64_t to, const double *half, double *whole, const double *roots, double re, double im)
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

EACH_ISA void weft_fourier_unfold(int64_t rows, int64_t m, int64_t from, int64_t to, const double *half, int64_t half_step, double *whole, int64_t whole_step,
	const double *roots, double re, double im)
{
	for (int64_t r = 0; r < rows; r++)
		unfold(m, from, to, half + 2 * r * half_step, whole + 2 * r * whole_step, roots, re, im);
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

EACH_ISA void weft_fourier_mirror(int64_t rows, int64_t n, double *x)
{
	for (; rows > 0; rows--, x += 2 * n)
		for (int64_t k = 1; k <= (n - 1) / 2; k++) {
			x[2 * (n - k)] = x[2 * k];
			x[2 * (n - k) + 1] = -x[2 * k + 1];
		}
}
