// Piecewise linear interpolation, a block of places at a time: first which two points each of them lies between, then the values.
// Places in ascending order are walked to from the last one. For others the searches of a block are made side by side, without
// a branch that depends on a place, so that they wait for memory together.
//
// A value is slope*(x - x0) + y0, each operation rounded (-std=c11), as in NumPy: where it is NaN because a point is infinite,
// the other point may do.
#include "interpolate.h"
#include <math.h>

typedef struct {
	const double *x, *y;
	int64_t n;
	double left, right;
} points;

enum {
	BLOCK = 16,
	WALK = 8, // steps from one place to the next before they are searched for
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_ISA
#endif

// search finds for each place how many points are not right of it, less one: at least 0.
EACH_ISA static void search(const double *restrict x, int64_t n, const double *restrict at, int64_t *restrict found)
{
	for (int k = 0; k < BLOCK; k++)
		found[k] = 0;
	while (n > 1) {
		int64_t half = n / 2;
		for (int k = 0; k < BLOCK; k++)
			found[k] += x[found[k] + half] <= at[k] ? half : 0;
		n -= half;
	}
}

// walk does the same for places in ascending order, from hint on. It returns 0 where one of them is far from the last one.
static int walk(const double *x, int64_t n, const double *at, int64_t hint, int64_t *found)
{
	if (!(x[hint] <= at[0]))
		return 0;
	for (int k = 0; k < BLOCK; k++) {
		int left = WALK;
		while (hint + 1 < n && x[hint + 1] <= at[k]) {
			hint++;
			if (--left == 0)
				return 0;
		}
		found[k] = hint;
	}
	return 1;
}

static int ascends(const double *at)
{
	int ok = 1;
	for (int k = 1; k < BLOCK; k++)
		ok &= at[k - 1] <= at[k];
	return ok;
}

static double value(const points *p, double x, int64_t j)
{
	int64_t last = p->n - 1;
	if (x < p->x[0])
		return p->left;
	if (x > p->x[last])
		return p->right;
	if (last == 0)
		return p->y[0];
	if (x != x)
		return x;
	double x0 = p->x[j], y0 = p->y[j];
	if (j == last || x0 == x)
		return y0;
	double x1 = p->x[j + 1], y1 = p->y[j + 1], slope = (y1 - y0) / (x1 - x0), v = slope * (x - x0) + y0;
	if (__builtin_expect(v != v, 0)) {
		v = slope * (x - x1) + y1;
		if (v != v && y0 == y1)
			v = y0;
	}
	return v;
}

// between computes places of a block that lie between the same two points; 0 where the points are not finite, the place is an end, or a value is
// NaN, for which there is the other point.
EACH_ISA static int between(const points *p, int64_t j, const double *at, int64_t some, double *out)
{
	if (j + 1 >= p->n || at[0] < p->x[0])
		return 0;
	double x0 = p->x[j], y0 = p->y[j], slope = (p->y[j + 1] - y0) / (p->x[j + 1] - x0);
	if (!isfinite(slope) || !isfinite(y0))
		return 0;
	int numbers = 1;
	for (int64_t k = 0; k < some; k++) {
		double v = slope * (at[k] - x0) + y0;
		out[k] = at[k] == x0 ? y0 : v;
		numbers &= out[k] == out[k];
	}
	return numbers;
}

void weft_interpolate(const double *x, const double *y, int64_t n, double left, double right, int64_t count, const double *at, double *out)
{
	const points p = {x, y, n, left, right};
	int64_t hint = 0, found[BLOCK];
	double rest[BLOCK];
	for (int64_t i = 0; i < count; i += BLOCK) {
		int64_t some = count - i < BLOCK ? count - i : BLOCK;
		const double *here = at + i;
		if (some < BLOCK) {
			for (int k = 0; k < BLOCK; k++)
				rest[k] = here[k < some ? k : some - 1];
			here = rest;
		}
		int ascending = ascends(here);
		if (!ascending || !walk(x, n, here, hint, found))
			search(x, n, here, found);
		hint = found[BLOCK - 1];
		if (ascending && found[0] == hint && between(&p, hint, here, some, out + i))
			continue;
		for (int64_t k = 0; k < some; k++)
			out[i + k] = value(&p, here[k], found[k]);
	}
}
