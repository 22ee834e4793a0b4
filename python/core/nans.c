//go:build extension

// Sums, means, variances and extremes without what is no number, of everything and along an axis. NumPy has them in Python, as some passes over arrays of their own. Here a sum is
// one of zeros in the place of those elements, in weft's order as nansum of _composed.py has it, and extremes take one pass, in which such an element is never chosen.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <math.h>

enum { LONGER = 4 * 4096, FLOAT16 = 10, FLOAT32, FLOAT64 }; // elements that NumPy's functions do not answer (_delegates.py); tile.DTypes

// reading is what a call has: an array, and an axis of it, -1 for all elements.
typedef struct {
	weft_few x;
	int at, keeps;
	int64_t ddof;
} reading;

enum { IS_NARROW = 1, HAS_DDOF = 2 }; // what else a call may have: float32, and ddof=

static int is_named(PyObject *name, const char *as) { return PyUnicode_CompareWithASCIIString(name, as) == 0; }

// is_few reads 0 or 1.
static int is_few(PyObject *o, int64_t *to)
{
	weft_value v;
	if (!PyLong_CheckExact(o) || !weft_number(o, &v) || v.kind != WEFT_INT || (v.i != 0 && v.i != 1))
		return 0;
	*to = v.i;
	return 1;
}

// read_call reads (a, axis=None, keepdims=False) of floats; 0 of all else.
static int read_call(PyObject *const *args, Py_ssize_t n, PyObject *names, int more, reading *r)
{
	PyObject *axis = n == 2 ? args[1] : Py_None;
	if (!weft_eager || n < 1 || n > 2 || Py_TYPE(args[0]) != weft_array_type)
		return 0;
	r->keeps = 0;
	r->ddof = 0;
	r->at = -1;
	for (Py_ssize_t i = 0, count = names ? PyTuple_Size(names) : 0; i < count; i++) {
		PyObject *name = PyTuple_GetItem(names, i), *value = args[n + i];
		if (is_named(name, "axis") && n == 1)
			axis = value;
		else if (is_named(name, "keepdims") && PyBool_Check(value))
			r->keeps = value == Py_True;
		else if (more & HAS_DDOF && is_named(name, "ddof") && is_few(value, &r->ddof))
			continue;
		else
			return 0;
	}
	const weft_layout *l = weft_layout_of((weft_array *)args[0]);
	if (!l || l->ndim == 0 || (l->dtype != FLOAT64 && !(more & IS_NARROW && l->dtype == FLOAT32)))
		return 0;
	if (axis != Py_None) {
		int overflow = 0;
		long long at = PyLong_CheckExact(axis) ? PyLong_AsLongLongAndOverflow(axis, &overflow) : INT64_MAX;
		if (overflow || at < -l->ndim || at >= l->ndim)
			return 0;
		r->at = l->ndim == 1 && !r->keeps ? -1 : (int)(at < 0 ? at + l->ndim : at);
	}
	if (l->ndim > 2 && !weft_falls(l, 0)) // the result may lie in another order
		return 0;
	return weft_most_of(args[0], WEFT_FOLD_MOST, r->at < 0 ? WEFT_READS_ALL : WEFT_READS_SETTLED, &r->x);
}

// around splits the axes at the one that is reduced.
static void around(const reading *r, int64_t *outer, int64_t *n, int64_t *inner)
{
	const weft_layout *l = r->x.l;
	*outer = *inner = 1;
	*n = r->at < 0 ? l->size : l->shape[r->at];
	for (int i = 0; r->at >= 0 && i < l->ndim; i++)
		*(i < r->at ? outer : inner) *= i == r->at ? 1 : l->shape[i];
}

typedef struct {
	const double *x;
	_Atomic int64_t none; // elements so far that are no number
} terms;

// numbers sums those elements that are numbers, zeros in the place of the others.
static void numbers(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	terms *t = of;
	double block[EAGER_INNER];
	t->none += eager_numbers(n, t->x + at, block);
	eager_inner(f, n, (const char *)block, to);
}

static PyObject *sum_of_all(int means, const reading *r)
{
	const weft_few *x = &r->x;
	const char *data = weft_many_packed(x, FLOAT64, WEFT_ROOM_ELEMENTS);
	terms of = {.x = (const double *)data};
	double total;
	if (!data || r->keeps)
		return NULL;
	eager_lower();
	eager_total(weft_folding_of(WEFT_SUM, FLOAT64)->fold, x->l->ndim, x->l->shape, sizeof(double), numbers, &of, NULL, (char *)&total);
	if (means && of.none == x->l->size)
		return NULL; // which warns
	weft_floating_note("reduce", eager_raised());
	weft_note(WEFT_NOTE_FOLD + WEFT_SUM, x->l, 0, x->array->place.memory, 0);
	total = means ? total / (double)(x->l->size - of.none) : total;
	return weft_scalar_at(&total, FLOAT64);
}

// counted counts numbers along an axis; NULL where there is a result of none, which warns.
static const int64_t *counted(const reading *r, const char *data)
{
	int64_t outer, n, inner;
	around(r, &outer, &n, &inner);
	uint8_t *are = (uint8_t *)weft_room(WEFT_ROOM_BEFORE, r->x.l->size);
	int64_t *counts = (int64_t *)weft_room(WEFT_ROOM_INDEX, outer * inner * (int64_t)sizeof *counts);
	if (!are || !counts)
		return NULL;
	eager_are_numbers(r->x.l->size, (const double *)data, are);
	for (int64_t o = 0; o < outer; o++)
		if (inner == 1)
			counts[o] = eager_count(n, are + o * n);
		else
			eager_count_columns(n, inner, are + o * n * inner, counts + o * inner);
	for (int64_t i = 0; i < outer * inner; i++)
		if (counts[i] == 0)
			return NULL;
	return counts;
}

// sums_along are those of each result, or their means; how many numbers each is of is at *of, or NULL where all are.
static PyObject *sums_along(int means, const reading *r, const int64_t **of)
{
	const weft_few *x = &r->x;
	const int64_t size = x->l->size;
	const char *data = weft_many_packed(x, FLOAT64, WEFT_ROOM_ELEMENTS);
	char *terms = data ? weft_room(WEFT_ROOM_VALUES, size * (int64_t)sizeof(double)) : NULL;
	const int64_t *counts = *of = NULL;
	if (!terms)
		return NULL;
	const int64_t none = eager_numbers(size, (const double *)data, (double *)terms);
	if (means && none > 0 && !(counts = counted(r, data)))
		return NULL;
	*of = counts;
	eager_lower();
	PyObject *made = weft_fold_packed(WEFT_SUM, x, r->at, r->keeps, terms);
	weft_array *sums = (weft_array *)made;
	if (made && means) {
		double *to = (double *)sums->bytes, all = (double)x->l->shape[r->at];
		for (int64_t i = 0; i < sums->at.size; i++)
			to[i] /= counts ? (double)counts[i] : all;
	}
	if (made)
		weft_floating_note("reduce", eager_raised());
	return made;
}

// nansum(a, axis=None, keepdims=False), and nanmean where means is True
PyObject *weft_cut_nansum(PyObject *means, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	reading r;
	if (!read_call(args, n, names, 0, &r))
		return NULL;
	const int64_t *counts;
	return r.at < 0 ? sum_of_all(means == Py_True, &r) : sums_along(means == Py_True, &r, &counts);
}

// The squares of how far numbers are from their mean.
typedef struct {
	const double *x;
	double mean;
} distances;

static void distant(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const distances *d = of;
	double block[EAGER_INNER];
	eager_squares_of_numbers(n, d->x + at, &d->mean, 0, block);
	eager_inner(f, n, (const char *)block, to);
}

static PyObject *spread_of_all(int rooted, const reading *r)
{
	const weft_few *x = &r->x;
	const eager_fold *f = weft_folding_of(WEFT_SUM, FLOAT64)->fold;
	const char *data = weft_many_packed(x, FLOAT64, WEFT_ROOM_ELEMENTS);
	terms of = {.x = (const double *)data};
	double total;
	if (!data || r->keeps)
		return NULL;
	eager_lower();
	eager_total(f, x->l->ndim, x->l->shape, sizeof(double), numbers, &of, NULL, (char *)&total);
	const int64_t count = x->l->size - of.none;
	if (count <= r->ddof) // which warns
		return NULL;
	distances from = {of.x, total / (double)count};
	eager_total(f, x->l->ndim, x->l->shape, sizeof(double), distant, &from, NULL, (char *)&total);
	volatile double spread = total / (double)(count - r->ddof); // before the processor's flags are read
	if (eager_raised() & weft_floating_watched)
		return NULL; // each operation tells that under its own name
	spread = rooted ? sqrt(spread) : spread;
	weft_note(WEFT_NOTE_FOLD + WEFT_SUM, x->l, 0, x->array->place.memory, 0);
	return weft_scalar_at((const void *)&spread, FLOAT64);
}

static PyObject *spreads_along(int rooted, const reading *r)
{
	const weft_few *x = &r->x;
	const int64_t *counts;
	PyObject *means = sums_along(1, r, &counts);
	if (!means)
		return NULL;
	int64_t outer, n, inner;
	around(r, &outer, &n, &inner);
	const double *data = (const double *)weft_many_packed(x, FLOAT64, WEFT_ROOM_ELEMENTS), *mean = (const double *)((weft_array *)means)->bytes;
	double *squares = data ? (double *)weft_room(WEFT_ROOM_VALUES, x->l->size * (int64_t)sizeof *squares) : NULL;
	for (int64_t i = 0; squares && i < outer * n; i += inner == 1 ? n : 1)
		if (inner == 1)
			eager_squares_of_numbers(n, data + i, mean + i / n, 0, squares + i);
		else
			eager_squares_of_numbers(inner, data + i * inner, mean + i / n * inner, 1, squares + i * inner);
	PyObject *made = squares ? weft_fold_packed(WEFT_SUM, x, r->at, r->keeps, (char *)squares) : NULL;
	Py_DECREF(means);
	double *to = made ? (double *)((weft_array *)made)->bytes : NULL;
	int known = made != NULL;
	for (int64_t i = 0; known && i < outer * inner; i++) {
		const int64_t left = (counts ? counts[i] : n) - r->ddof;
		known = left > 0; // else it warns
		to[i] = rooted ? sqrt(to[i] / (double)left) : to[i] / (double)left;
	}
	if (known && !(eager_raised() & weft_floating_watched))
		return made;
	Py_XDECREF(made);
	return NULL;
}

// nanvar(a, axis=None, ddof=0, keepdims=False), and nanstd where rooted is True. NumPy's functions answer fewer elements.
PyObject *weft_cut_nanspread(PyObject *rooted, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	reading r;
	const int before = weft_wrongs;
	const weft_layout *l = weft_eager && n > 0 && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->size < LONGER || !read_call(args, n, names, HAS_DDOF, &r))
		return NULL;
	PyObject *made = (r.at < 0 ? spread_of_all : spreads_along)(rooted == Py_True, &r);
	if (!made)
		weft_wrongs = before; // of what is computed otherwise
	return made;
}

// settles says whether n extremes that lie side by side are those of fmax and fmin: no infinity where there may be no number, no zeros, of which
// each may have found one of the other sign: that is looked at where NumPy's functions answer otherwise.
#define SETTLES(T) \
	for (int64_t i = 0; i < n && known; i++) { \
		const T v = ((const T *)data)[i]; \
		known = (v < 0 || v > 0 || (zeros && v == 0)) && v != (T)(most ? -INFINITY : INFINITY); \
	}

static int settles(int most, int dtype, int64_t n, const char *data, int zeros)
{
	int known = 1;
	if (dtype == FLOAT64)
		SETTLES(double)
	else
		SETTLES(float)
	return known;
}

// extremes are of everything, as parts that hands find; each is one of a row.
typedef struct {
	const char *data;
	int most, dtype, size;
} extremes;

static void best(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const extremes *e = of;
	(void)f;
	eager_best_numbers(e->most, e->dtype, 1, n, 1, e->data + at * e->size, to);
}

static PyObject *extreme_of_all(int most, const reading *r, const char *data)
{
	const weft_few *x = &r->x;
	const int dtype = x->l->dtype;
	const weft_folding *f = weft_folding_of(most ? WEFT_MAX : WEFT_MIN, dtype);
	extremes of = {data, most, dtype, weft_sizes[dtype]};
	_Alignas(16) char one[EAGER_WIDEST];
	if (!f || f->dtype != dtype || r->keeps)
		return NULL;
	eager_total(f->fold, x->l->ndim, x->l->shape, of.size, best, &of, NULL, one);
	if (!settles(most, dtype, 1, one, x->l->size >= LONGER))
		return NULL;
	weft_count_here(WEFT_NUMBERS);
	weft_note(WEFT_NOTE_FOLD + (most ? WEFT_MAX : WEFT_MIN), x->l, 0, x->array->place.memory, 0);
	return weft_scalar_at(one, dtype);
}

static PyObject *extremes_along(int most, const reading *r, const char *data)
{
	const weft_few *x = &r->x;
	const int dtype = x->l->dtype;
	int64_t outer, n, inner, shape[WEFT_NEAR];
	int left = 0;
	around(r, &outer, &n, &inner);
	for (int i = 0; i < x->l->ndim; i++)
		if (r->keeps || i != r->at)
			shape[left++] = i == r->at ? 1 : x->l->shape[i];
	weft_array *made = weft_fits(outer * inner, dtype) ? weft_new_packed(dtype, left, shape) : NULL;
	if (!made)
		return NULL;
	weft_order_reduced(&made->at, x->l);
	eager_best_numbers(most, dtype, outer, n, inner, data, made->bytes);
	if (!settles(most, dtype, outer * inner, made->bytes, x->l->size >= LONGER)) {
		Py_DECREF(made);
		return NULL;
	}
	weft_note(WEFT_NOTE_FOLD + (most ? WEFT_MAX : WEFT_MIN), x->l, made->place.memory, x->array->place.memory, 0);
	return (PyObject *)made;
}

// integers are all numbers.
static PyObject *of_integers(int most, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
	if (n < 1 || n + named > 2 || (named && !is_named(PyTuple_GetItem(names, 0), "axis")) || !weft_eager || Py_TYPE(args[0]) != weft_array_type)
		return NULL;
	const weft_layout *l = weft_layout_of((weft_array *)args[0]);
	if (!l || l->dtype <= WEFT_BOOL_DTYPE || l->dtype >= FLOAT16)
		return NULL;
	return weft_eager_fold(most ? WEFT_MAX : WEFT_MIN, args[0], n + named == 2 ? args[1] : Py_None, 0);
}

// nanmax(a, axis=None, keepdims=False) where greatest is True, and nanmin. Where a result is of no number, or may be, the general function looks on.
PyObject *weft_cut_nanextreme(PyObject *greatest, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	const int most = greatest == Py_True;
	reading r;
	if (!read_call(args, n, names, IS_NARROW, &r))
		return of_integers(most, args, n, names);
	const char *data = weft_many_packed(&r.x, r.x.l->dtype, WEFT_ROOM_ELEMENTS);
	PyObject *made = data ? (r.at < 0 ? extreme_of_all : extremes_along)(most, &r, data) : NULL;
	eager_lower(); // comparisons with what is no number raise a flag, of which NumPy does not tell
	return made;
}
