//go:build extension

// Quantiles of all elements, of those that are numbers, or along an axis of a matrix: median(a), quantile(a, q), percentile(a, q) of one q or a list of them, as NumPy's text finds
// and interpolates them.
//
//	q = .3 of 8 elements    at 2.1 of those in order: between places 2 and 3, a tenth of the way
//
// The general function has what is left: arrays with a NaN, whatever is to be warned of, other methods.
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INT64 = 5, FLOAT64 = 12, MOST = WEFT_PLACES / 2 - 1 }; // tile.DTypes; quantiles, of two places each, beside the last one

// element is one of what is asked.
typedef union {
	double f;
	int64_t i;
} element;

// quantiles are those that are asked for: where each is among the elements in order.
typedef struct {
	int count, list; // list: the result is an array
	double at[MOST];
	int64_t before[MOST], behind[MOST];
} quantiles;

// read_number reads one of Python's numbers.
static int read_number(PyObject *o, double *x)
{
	if (!PyFloat_CheckExact(o) && !PyLong_CheckExact(o))
		return 0;
	*x = PyFloat_AsDouble(o);
	if (*x == -1 && PyErr_Occurred())
		PyErr_Clear(); // of a large int; -1 is none of a quantile's numbers
	return 1;
}

// read_q reads one number or some, of which whole are all elements. It is 0 where NumPy would raise, too, and of integers that are not to be divided: there it
// does not interpolate.
static int read_q(PyObject *q, double whole, int64_t n, quantiles *of)
{
	of->list = PyList_CheckExact(q) || PyTuple_CheckExact(q);
	of->count = of->list ? (int)PySequence_Size(q) : 1;
	if (of->count < 1 || of->count > MOST)
		return 0;
	int whole_ones = 0;
	for (int i = 0; i < of->count; i++) {
		PyObject *one = of->list ? PySequence_GetItem(q, i) : Py_NewRef(q);
		double x = -1;
		const int is = one && read_number(one, &x);
		whole_ones += one && PyLong_Check(one);
		Py_XDECREF(one);
		x = whole == 1 ? x : x / whole;
		if (!is || !(x >= 0 && x <= 1))
			return 0;
		const double at = (double)(n - 1) * x;
		const int last = at >= (double)(n - 1);
		of->at[i] = at;
		of->before[i] = last ? n - 1 : (int64_t)floor(at);
		of->behind[i] = last ? n - 1 : of->before[i] + 1;
	}
	return whole != 1 || whole_ones < of->count;
}

static int rising(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

// vector is n elements side by side.
typedef struct {
	int dtype;
	int64_t n;
	const char *data;
} vector;

// both_zeros says whether there are zeros of both signs, of which a sort may have any in a place.
static int both_zeros(const vector *v)
{
	const double *data = (const double *)v->data;
	int seen = 0;
	for (int64_t i = 0; i < v->n; i++)
		seen |= data[i] == 0 ? 1 + !!signbit(data[i]) : 0;
	return seen == 3;
}

// looked_up finds elements at places, in the order of the places; 0 where the general function has to. The places of quantiles mostly rise by themselves.
static int looked_up(const vector *v, const int64_t *places, int count, element *found)
{
	int64_t sorted[WEFT_PLACES];
	element at[WEFT_PLACES];
	int n = count + 1, kept = 0;
	memcpy(sorted, places, (size_t)count * sizeof *places);
	sorted[count] = v->n - 1; // where a NaN would be
	qsort(sorted, (size_t)n, sizeof *sorted, rising);
	for (int i = 0; i < n; i++)
		if (!kept || sorted[i] != sorted[kept - 1])
			sorted[kept++] = sorted[i];
	if (weft_statistics(v->dtype, v->data, v->n, sorted, kept, (char *)at) != 1 || (v->dtype == FLOAT64 && isnan(at[kept - 1].f)))
		return 0;
	for (int i = 0; i < count; i++) {
		const int64_t *place = bsearch(&places[i], sorted, (size_t)kept, sizeof *sorted, rising);
		found[i] = at[place - sorted];
		if (v->dtype == FLOAT64 && found[i].f == 0 && both_zeros(v))
			return 0;
	}
	return 1;
}

// between is the number a part of the way from a to b, computed from the nearer one.
static double between(double a, double b, double apart, double part)
{
	volatile double near = a + apart * part; // its flags are raised in any case
	return part >= 0.5 ? b - apart * (1 - part) : near;
}

static int median(const vector *v, double *result)
{
	const int64_t places[2] = {(v->n - 1) / 2, v->n / 2};
	element e[2];
	if (!looked_up(v, places, 2, e))
		return 0;
	const double a = v->dtype == FLOAT64 ? e[0].f : (double)e[0].i, b = v->dtype == FLOAT64 ? e[1].f : (double)e[1].i;
	*result = v->n % 2 ? 0 + a : (0 + a + b) / 2; // a mean's sum begins with zero, so that none is -0.0
	return 1;
}

// interpolated writes the quantiles to results that are next elements apart.
static int interpolated(const vector *v, const quantiles *q, double *results, int64_t next)
{
	int64_t places[2 * MOST];
	element e[2 * MOST];
	memcpy(places, q->before, (size_t)q->count * sizeof *places);
	memcpy(places + q->count, q->behind, (size_t)q->count * sizeof *places);
	if (!looked_up(v, places, 2 * q->count, e))
		return 0;
	for (int i = 0; i < q->count; i++) {
		// NumPy's text says -1 for the last place, of which it takes the part as well.
		const double part = q->at[i] - (double)(q->before[i] == q->behind[i] ? -1 : q->before[i]);
		const element a = e[i], b = e[q->count + i];
		int64_t apart;
		if (v->dtype == FLOAT64)
			results[i * next] = between(a.f, b.f, b.f - a.f, part);
		else if (__builtin_sub_overflow(b.i, a.i, &apart))
			return 0; // it is warned of
		else
			results[i * next] = between((double)a.i, (double)b.i, (double)apart, part);
	}
	return 1;
}

// vectors are the rows of a matrix or its columns, or all elements as one.
typedef struct {
	int64_t count, n, apart, step; // elements from one to the next, and along one
	int axes;                      // of the result of one quantile
} vectors;

// read_axis reads the axis after the arguments that are needed, by its place or by name; 0 where the general function has to.
static int read_axis(PyObject *const *args, Py_ssize_t n, Py_ssize_t needed, PyObject *names, const weft_layout *l, vectors *v)
{
	const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
	if (n < needed || n + named > needed + 1 || (named && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "axis")))
		return 0;
	PyObject *axis = n + named > needed ? args[needed] : Py_None;
	*v = (vectors){1, l->size, l->size, 1, 0};
	if (axis == Py_None)
		return 1;
	int overflow = 0;
	const int64_t given = PyLong_CheckExact(axis) ? PyLong_AsLongLongAndOverflow(axis, &overflow) : l->ndim, at = given < 0 ? given + l->ndim : given;
	if (overflow || l->ndim > 2 || at < 0 || at >= l->ndim)
		return 0;
	if (l->ndim == 2) {
		const int64_t rows = l->shape[0], columns = l->shape[1];
		*v = at == 0 ? (vectors){columns, rows, 1, columns, 1} : (vectors){rows, columns, columns, 1, 1};
	}
	return 1;
}

// found writes the quantiles of all vectors of data, or their medians where q is NULL: those of one q side by side.
static int found(int dtype, const char *data, const vectors *v, const quantiles *q, double *results)
{
	int64_t *lane = v->step > 1 ? (int64_t *)weft_room(WEFT_ROOM_BEFORE, v->n * 8) : NULL;
	if (v->step > 1 && !lane)
		return 0;
	eager_lower();
	for (int64_t k = 0; k < v->count; k++) {
		const int64_t *from = (const int64_t *)data + k * v->apart;
		for (int64_t i = 0; lane && i < v->n; i++)
			lane[i] = from[i * v->step];
		const vector one = {dtype, v->n, (const char *)(lane ? lane : from)};
		if (!(q ? interpolated(&one, q, results + k, v->count) : median(&one, results + k)))
			return 0;
	}
	return !(eager_raised() & weft_floating_watched);
}

// numbers_of are the elements that are numbers, side by side; *n says how many there are. NULL where there are none.
static const char *numbers_of(const char *data, int64_t *n)
{
	const double *from = (const double *)data;
	double *to = (double *)weft_room(WEFT_ROOM_BEFORE, *n * (int64_t)sizeof *to);
	int64_t kept = 0;
	for (int64_t i = 0; to && i < *n; i++) {
		to[kept] = from[i];
		kept += from[i] == from[i];
	}
	*n = kept;
	return kept ? (const char *)to : NULL;
}

// How a call differs from that of all elements of an array.
enum { NUMBERS_ONLY = 1, SCALARS_ONLY = 2 };

// quantiles_of has an array in the place of the first argument.
static PyObject *quantiles_of(PyObject *array, int how, double whole, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	const weft_layout *l = weft_eager && Py_TYPE(array) == weft_array_type ? weft_layout_of((weft_array *)array) : NULL;
	quantiles q = {1, 0, {0}, {0}, {0}};
	vectors v;
	weft_few x;
	if (!l || l->ndim == 0 || (l->dtype != INT64 && l->dtype != FLOAT64) || l->size == 0 || l->size > WEFT_STATISTICS_MOST ||
		!read_axis(args, n, whole ? 2 : 1, names, l, &v) || (how & NUMBERS_ONLY && v.axes) || (whole && !read_q(args[1], whole, v.n, &q)) ||
		!weft_many_of(array, WEFT_STATISTICS_MOST, 1, &x))
		return NULL;
	const int axes = (q.list != 0) + v.axes;
	const int64_t both[2] = {q.count, v.count}, size = q.count * v.count;
	const char *data = how & SCALARS_ONLY && axes ? NULL : weft_many_packed(&x, x.l->dtype, WEFT_ROOM_ELEMENTS);
	if (data && how & NUMBERS_ONLY && x.l->dtype == FLOAT64 && (!(data = numbers_of(data, &v.n)) || (whole && !read_q(args[1], whole, v.n, &q))))
		return NULL;
	double *results = data ? (double *)weft_room(WEFT_ROOM_INDEX, size * (int64_t)sizeof(double)) : NULL;
	if (!results || !found(x.l->dtype, data, &v, whole ? &q : NULL, results))
		return NULL;
	PyObject *made = axes ? weft_small_of(FLOAT64, axes, q.list ? both : both + 1, results, size * (int64_t)sizeof(double)) : weft_scalar_at(results, FLOAT64);
	if (made)
		weft_note_made(WEFT_NOTE_QUANTILE, made, FLOAT64, x.array, NULL);
	return made;
}

// Of a list of numbers there is a scalar, too; arrays that come of one are NumPy's.
static PyObject *quantiles_or_none(int how, PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	const double whole = PyFloat_AsDouble(about);
	if (n == 0 || !PyList_CheckExact(args[0]))
		return n == 0 ? NULL : quantiles_of(args[0], how, whole, args, n, names);
	PyObject *given = weft_eager && weft_started() ? weft_of_numbers(args[0]) : NULL, *made = given ? quantiles_of(given, how | SCALARS_ONLY, whole, args, n, names) : NULL;
	Py_XDECREF(given);
	return made;
}

// median(a, axis=None) where about is 0; quantile(a, q, axis=None) and percentile(a, q, axis=None), of which about says what is all elements.
PyObject *weft_cut_quantile(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	return quantiles_or_none(0, about, args, n, names);
}

// nanmedian, nanquantile and nanpercentile are the same of those elements that are numbers.
PyObject *weft_cut_nanquantile(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	return quantiles_or_none(NUMBERS_ONLY, about, args, n, names);
}
