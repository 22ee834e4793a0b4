// Stockham's transform over eight sequences at once, WIDTH of them in a vector: fourier.c includes this for each width that some instruction set
// has. Memory is a row of points, each the real parts of the eight sequences and then the imaginary ones, whatever the width is; what
// happens to one sequence does not depend on it either, so that all widths give the same bits.
//
// Vectors wider than a register would live on the stack between any two operations, and what the compiler inlines or clones for another
// set was taken apart for the first one before: so each width is compiled for its set.

#define OF(name) FOR_WIDTH(name, WIDTH)
#define vec OF(vec)
#define points OF(points)

typedef double vec __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef int64_t OF(picks) __attribute__((vector_size(8 * WIDTH)));
typedef struct {
	vec re, im;
} points; // one point of as many sequences

INLINE points OF(get)(const double *at)
{
	return (points){*(const vec *)at, *(const vec *)(at + WEFT_LANES)};
}

INLINE void OF(put)(double *at, points x)
{
	*(vec *)at = x.re;
	*(vec *)(at + WEFT_LANES) = x.im;
}

INLINE points OF(plus)(points a, points b) { return (points){a.re + b.re, a.im + b.im}; }
INLINE points OF(minus)(points a, points b) { return (points){a.re - b.re, a.im - b.im}; }
INLINE points OF(times)(points a, double re, double im) { return (points){a.re * re - a.im * im, a.re * im + a.im * re}; }
INLINE points OF(product)(points a, points b) { return (points){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
INLINE points OF(scaled)(points a, double f) { return (points){a.re * f, a.im * f}; }
INLINE points OF(turned)(points a) { return (points){a.im, -a.re}; } // times -i

INLINE void OF(dft2)(const points *a, points *b)
{
	b[0] = OF(plus)(a[0], a[1]);
	b[1] = OF(minus)(a[0], a[1]);
}

INLINE void OF(dft3)(const points *a, points *b)
{
	points sum = OF(plus)(a[1], a[2]), half = OF(minus)(a[0], OF(scaled)(sum, 0.5));
	points side = OF(scaled)(OF(turned)(OF(minus)(a[1], a[2])), 0.86602540378443864676);
	b[0] = OF(plus)(a[0], sum);
	b[1] = OF(plus)(half, side);
	b[2] = OF(minus)(half, side);
}

INLINE void OF(dft4)(const points *a, points *b)
{
	points ac = OF(plus)(a[0], a[2]), bd = OF(plus)(a[1], a[3]), e = OF(minus)(a[0], a[2]), f = OF(turned)(OF(minus)(a[1], a[3]));
	b[0] = OF(plus)(ac, bd);
	b[1] = OF(plus)(e, f);
	b[2] = OF(minus)(ac, bd);
	b[3] = OF(minus)(e, f);
}

INLINE void OF(dft5)(const points *a, points *b)
{
	const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410, s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
	points p = OF(plus)(a[1], a[4]), q = OF(plus)(a[2], a[3]), d = OF(turned)(OF(minus)(a[1], a[4])), e = OF(turned)(OF(minus)(a[2], a[3]));
	points u = OF(plus)(a[0], OF(plus)(OF(scaled)(p, c1), OF(scaled)(q, c2))), v = OF(plus)(a[0], OF(plus)(OF(scaled)(p, c2), OF(scaled)(q, c1)));
	points f = OF(plus)(OF(scaled)(d, s1), OF(scaled)(e, s2)), g = OF(minus)(OF(scaled)(d, s2), OF(scaled)(e, s1));
	b[0] = OF(plus)(a[0], OF(plus)(p, q));
	b[1] = OF(plus)(u, f);
	b[2] = OF(plus)(v, g);
	b[3] = OF(minus)(v, g);
	b[4] = OF(minus)(u, f);
}

INLINE void OF(dft8)(const points *a, points *b)
{
	const double h = 0.70710678118654752440;
	const points even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
	points e[4], o[4];
	OF(dft4)(even, e);
	OF(dft4)(odd, o);
	points eighth = {(o[1].re + o[1].im) * h, (o[1].im - o[1].re) * h}, third = {(o[3].im - o[3].re) * h, -(o[3].re + o[3].im) * h};
	o[1] = eighth;
	o[2] = OF(turned)(o[2]);
	o[3] = third;
	for (int k = 0; k < 4; k++) {
		b[k] = OF(plus)(e[k], o[k]);
		b[k + 4] = OF(minus)(e[k], o[k]);
	}
}

// dftr is the definition, for an odd prime r; roots are the r-th ones, so many apart. Points j and r-j, which have conjugate roots, are
// taken together: that is half of the products and half of the roundings.
INLINE void OF(dftr)(int64_t r, const points *a, points *b, const double *roots, int64_t apart)
{
	int64_t half = r / 2;
	points sums[WEFT_MAX_PRIME / 2 + 1], turns[WEFT_MAX_PRIME / 2 + 1], all = a[0];
	for (int64_t j = 1; j <= half; j++) {
		sums[j] = OF(plus)(a[j], a[r - j]);
		turns[j] = OF(turned)(OF(minus)(a[j], a[r - j]));
		all = OF(plus)(all, sums[j]);
	}
	b[0] = all;
	for (int64_t k = 1; k <= half; k++) {
		points u = a[0], v = {{0}, {0}};
		for (int64_t j = 1; j <= half; j++) {
			int64_t e = j * k % r * apart;
			u = OF(plus)(u, OF(scaled)(sums[j], roots[2 * e]));
			v = OF(plus)(v, OF(scaled)(turns[j], -roots[2 * e + 1]));
		}
		b[k] = OF(plus)(u, v);
		b[r - k] = OF(minus)(u, v);
	}
}

INLINE void OF(dft)(int64_t r, const points *a, points *b, const double *roots, int64_t apart)
{
	if (r == 2)
		OF(dft2)(a, b);
	else if (r == 3)
		OF(dft3)(a, b);
	else if (r == 4)
		OF(dft4)(a, b);
	else if (r == 5)
		OF(dft5)(a, b);
	else if (r == 8)
		OF(dft8)(a, b);
	else
		OF(dftr)(r, a, b, roots, apart);
}

// pass takes n points at distance s apart into r sequences of n/r points at distance r*s. room is r of the most that there may be.
INLINE void OF(pass)(int64_t n, int64_t s, int64_t r, points *room, const double *x, double *y, const double *roots)
{
	int64_t m = n / r;
	points *a = room, *b = room + r;
	for (int64_t p = 0; p < m; p++)
		for (int64_t q = 0; q < s; q++)
			for (int h = 0; h < WEFT_LANES; h += WIDTH) {
				const double *from = x + POINT * (q + s * p) + h;
				for (int64_t k = 0; k < r; k++)
					a[k] = OF(get)(from + POINT * s * m * k);
				OF(dft)(r, a, b, roots, s * m);
				double *to = y + POINT * (q + s * r * p) + h;
				OF(put)(to, b[0]);
				for (int64_t k = 1; k < r; k++)
					OF(put)(to + POINT * s * k, OF(times)(b[k], roots[2 * k * p * s], roots[2 * k * p * s + 1]));
			}
}

#define PASS(r) \
	case r: { \
		points room[2 * r]; \
		OF(pass)(n, s, r, room, x, y, roots); \
		break; \
	}

INLINE double *OF(run)(const weft_fourier_plan *plan, const double *roots, double *x, double *y)
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
			points room[2 * WEFT_MAX_PRIME];
			OF(pass)(n, s, r, room, x, y, roots);
		}
		}
		n /= r;
		s *= r;
		double *t = x;
		x = y;
		y = t;
	}
	return x;
}
#undef PASS

// load reads as many complex numbers as a vector has elements, which lie side by side.
INLINE points OF(load)(const double *at, int swap)
{
	vec low = *(const vec *)at, high = *(const vec *)(at + WIDTH);
	vec even = PICK(low, high, OF(EVEN)), odd = PICK(low, high, OF(ODD));
	return swap ? (points){odd, even} : (points){even, odd};
}

INLINE void OF(store)(double *at, points x, int swap)
{
	vec even = swap ? x.im : x.re, odd = swap ? x.re : x.im;
	*(vec *)at = PICK(even, odd, OF(LOW));
	*(vec *)(at + WIDTH) = PICK(even, odd, OF(HIGH));
}

// load_some makes a point of fewer than eight numbers; the others are zero.
INLINE void OF(load_some)(double *to, const double *at, int64_t apart, int lanes, int swap)
{
	for (int l = 0; l < WEFT_LANES; l++, at += 2 * apart) {
		to[l] = l < lanes ? at[swap] : 0;
		to[WEFT_LANES + l] = l < lanes ? at[1 - swap] : 0;
	}
}

// transpose exchanges vectors and their elements.
INLINE void OF(transpose)(vec *v)
{
#if WIDTH == 2
	vec a = v[0], b = v[1];
	v[0] = PICK(a, b, 0, 2);
	v[1] = PICK(a, b, 1, 3);
#elif WIDTH == 4
	vec a = PICK(v[0], v[1], 0, 4, 2, 6), b = PICK(v[0], v[1], 1, 5, 3, 7), c = PICK(v[2], v[3], 0, 4, 2, 6), d = PICK(v[2], v[3], 1, 5, 3, 7);
	v[0] = PICK(a, c, 0, 1, 4, 5);
	v[1] = PICK(b, d, 0, 1, 4, 5);
	v[2] = PICK(a, c, 2, 3, 6, 7);
	v[3] = PICK(b, d, 2, 3, 6, 7);
#else
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
#endif
}

INLINE void OF(transpose_points)(const points *x, points *y)
{
	vec re[WIDTH], im[WIDTH];
	for (int i = 0; i < WIDTH; i++) {
		re[i] = x[i].re;
		im[i] = x[i].im;
	}
	OF(transpose)(re);
	OF(transpose)(im);
	for (int i = 0; i < WIDTH; i++)
		y[i] = (points){re[i], im[i]};
}

// result is point i, at sequences from h on, of what run made, ready for the caller.
INLINE points OF(result)(const double *x, int64_t i, int h, const batch *b)
{
	points v = OF(scaled)(OF(get)(x + POINT * i + h), b->scale);
	if (!b->turns)
		return v;
	int64_t e = b->first * i;
	const double *c = b->high + 2 * (e >> b->shift), *d = b->low + 2 * (e & (((int64_t)1 << b->shift) - 1));
	points w = OF(get)(b->turns + POINT * i + h);
	return OF(product)(v, OF(times)(w, c[0] * d[0] - c[1] * d[1], c[0] * d[1] + c[1] * d[0]));
}

static void OF(columns)(const weft_fourier_plan *p, const double *roots, double *work, const batch *b)
{
	int64_t n = p->n, i = 0;
	double *x = work, *y = work + POINT * n;
	int swap = b->swap, all = b->lanes == WEFT_LANES;
	if (all && b->from.lane == 1)
		for (; i < n; i++)
			for (int h = 0; h < WEFT_LANES; h += WIDTH)
				OF(put)(x + POINT * i + h, OF(load)(b->src + 2 * (i * b->from.point + h), swap));
	if (all && b->from.point == 1)
		for (; i + WIDTH <= n; i += WIDTH)
			for (int h = 0; h < WEFT_LANES; h += WIDTH) {
				points rows[WIDTH];
				for (int l = 0; l < WIDTH; l++)
					rows[l] = OF(load)(b->src + 2 * (i + (h + l) * b->from.lane), swap);
				OF(transpose_points)(rows, rows);
				for (int k = 0; k < WIDTH; k++)
					OF(put)(x + POINT * (i + k) + h, rows[k]);
			}
	for (; i < n; i++)
		OF(load_some)(x + POINT * i, b->src + 2 * i * b->from.point, b->from.lane, b->lanes, swap);
	x = OF(run)(p, roots, x, y);
	i = 0;
	if (all && b->to.lane == 1)
		for (; i < n; i++)
			for (int h = 0; h < WEFT_LANES; h += WIDTH)
				OF(store)(b->dst + 2 * (i * b->to.point + h), OF(result)(x, i, h, b), swap);
	if (all && b->to.point == 1)
		for (; i + WIDTH <= n; i += WIDTH)
			for (int h = 0; h < WEFT_LANES; h += WIDTH) {
				points rows[WIDTH];
				for (int k = 0; k < WIDTH; k++)
					rows[k] = OF(result)(x, i + k, h, b);
				OF(transpose_points)(rows, rows);
				for (int l = 0; l < WIDTH; l++)
					OF(store)(b->dst + 2 * (i + (h + l) * b->to.lane), rows[l], swap);
			}
	for (; i < n; i++)
		for (int h = 0; h < b->lanes; h += WIDTH) {
			points v = OF(result)(x, i, h, b);
			for (int l = 0; l < WIDTH && h + l < b->lanes; l++) {
				double *to = b->dst + 2 * (i * b->to.point + (h + l) * b->to.lane);
				to[swap] = v.re[l];
				to[1 - swap] = v.im[l];
			}
		}
}

// across makes the last step of one sequence that was taken as r, of m points each.
INLINE void OF(across)(int r, int64_t m, const double *x, const double *turns, const double *roots, double *dst, int swap, double scale)
{
	for (int64_t at = 0; at < m; at += WIDTH) {
		int64_t k = at + WIDTH <= m || m < WIDTH ? at : m - WIDTH; // the last ones once more where they do not fill a vector
		points a[WEFT_LANES], b[WEFT_LANES];
		for (int h = 0; h < r; h += WIDTH) {
			for (int i = 0; i < WIDTH; i++)
				a[i] = OF(product)(OF(get)(x + POINT * (k + i) + h), OF(get)(turns + POINT * (k + i) + h));
			OF(transpose_points)(a, b + h);
		}
		OF(dft)(r, b, a, roots, 1);
		for (int j = 0; j < r; j++) {
			points v = OF(scaled)(a[j], scale);
			double *to = dst + 2 * (k + j * m);
			if (m >= WIDTH)
				OF(store)(to, v, swap);
			else
				for (int l = 0; l < m; l++, to += 2) {
					to[swap] = v.re[l];
					to[1 - swap] = v.im[l];
				}
		}
	}
}

#define ACROSS(r) \
	case r: \
		for (int64_t i = 0; i < m; i++) \
			if (r == WEFT_LANES) \
				for (int h = 0; h < WEFT_LANES; h += WIDTH) \
					OF(put)(x + POINT * i + h, OF(load)(src + 2 * (r * i + h), swap)); \
			else \
				OF(load_some)(x + POINT * i, src + 2 * r * i, 1, r, swap); \
		x = OF(run)(p, roots, x, y); \
		for (int64_t i = m; i < WIDTH; i++) \
			memset(x + POINT * i, 0, POINT * sizeof *x); \
		OF(across)(r, m, x, turns, small, dst, swap, scale); \
		break;

static void OF(row)(const weft_fourier_plan *p, const double *roots, const double *turns, const double *small, int lanes, double *work,
	const double *src, double *dst, int swap, double scale)
{
	int64_t m = p->n;
	double *x = work, *y = work + POINT * (m + WEFT_LANES);
	switch (lanes) {
		ACROSS(2)
		ACROSS(3)
		ACROSS(4)
		ACROSS(5)
		ACROSS(7)
		ACROSS(8)
	}
}
#undef ACROSS

#undef OF
#undef vec
#undef points
