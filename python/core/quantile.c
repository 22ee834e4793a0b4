//go:build extension

// Quantiles of all elements: median(a), quantile(a, q), percentile(a, q) of one q or a list of them, as NumPy's text finds and interpolates them.
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

// both_zeros says whether there are zeros of both signs, of which a sort may have any in a place.
static int both_zeros(const weft_few *x)
{
	const double *data = (const double *)weft_many_packed(x, FLOAT64, WEFT_ROOM_ELEMENTS);
	int seen = 0;
	for (int64_t i = 0; data && i < x->l->size; i++)
		seen |= data[i] == 0 ? 1 + !!signbit(data[i]) : 0;
	return !data || seen == 3;
}

// looked_up finds elements at places, in the order of the places; 0 where the general function has to. The places of quantiles mostly rise by themselves.
static int looked_up(const weft_few *x, const int64_t *places, int count, element *found)
{
	int64_t sorted[WEFT_PLACES];
	element at[WEFT_PLACES];
	int n = count + 1, kept = 0;
	memcpy(sorted, places, (size_t)count * sizeof *places);
	sorted[count] = x->l->size - 1; // where a NaN would be
	qsort(sorted, (size_t)n, sizeof *sorted, rising);
	for (int i = 0; i < n; i++)
		if (!kept || sorted[i] != sorted[kept - 1])
			sorted[kept++] = sorted[i];
	if (weft_statistics(x, sorted, kept, (char *)at) != 1 || (x->l->dtype == FLOAT64 && isnan(at[kept - 1].f)))
		return 0;
	for (int i = 0; i < count; i++) {
		const int64_t *place = bsearch(&places[i], sorted, (size_t)kept, sizeof *sorted, rising);
		found[i] = at[place - sorted];
		if (x->l->dtype == FLOAT64 && found[i].f == 0 && both_zeros(x))
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

static int median(const weft_few *x, double *result)
{
	const int64_t n = x->l->size, places[2] = {(n - 1) / 2, n / 2};
	element e[2];
	if (!looked_up(x, places, 2, e))
		return 0;
	const double a = x->l->dtype == FLOAT64 ? e[0].f : (double)e[0].i, b = x->l->dtype == FLOAT64 ? e[1].f : (double)e[1].i;
	eager_lower();
	*result = n % 2 ? 0 + a : (0 + a + b) / 2; // a mean's sum begins with zero, so that none is -0.0
	return 1;
}

static int interpolated(const weft_few *x, const quantiles *q, double *results)
{
	int64_t places[2 * MOST];
	element e[2 * MOST];
	memcpy(places, q->before, (size_t)q->count * sizeof *places);
	memcpy(places + q->count, q->behind, (size_t)q->count * sizeof *places);
	if (!looked_up(x, places, 2 * q->count, e))
		return 0;
	eager_lower();
	for (int i = 0; i < q->count; i++) {
		// NumPy's text says -1 for the last place, of which it takes the part as well.
		const double part = q->at[i] - (double)(q->before[i] == q->behind[i] ? -1 : q->before[i]);
		const element a = e[i], b = e[q->count + i];
		int64_t apart;
		if (x->l->dtype == FLOAT64)
			results[i] = between(a.f, b.f, b.f - a.f, part);
		else if (__builtin_sub_overflow(b.i, a.i, &apart))
			return 0; // it is warned of
		else
			results[i] = between((double)a.i, (double)b.i, (double)apart, part);
	}
	return 1;
}

// median(a) where about is 0; quantile(a, q) and percentile(a, q), of which about says what is all elements.
PyObject *weft_cut_quantile(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	const long whole = PyLong_AsLong(about);
	const weft_layout *l = n > 0 && weft_eager && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || names || n != (whole ? 2 : 1) || l->ndim == 0 || (l->dtype != INT64 && l->dtype != FLOAT64) || l->size == 0 || l->size > WEFT_STATISTICS_MOST)
		return NULL;
	quantiles q = {1, 0, {0}, {0}, {0}};
	double results[MOST];
	weft_few x;
	if ((whole && !read_q(args[1], (double)whole, l->size, &q)) || !weft_many_of(args[0], WEFT_STATISTICS_MOST, 1, &x))
		return NULL;
	if (!(whole ? interpolated(&x, &q, results) : median(&x, results)) || eager_raised() & weft_floating_watched)
		return NULL;
	const int64_t count = q.count;
	PyObject *made = q.list ? weft_small_of(FLOAT64, 1, &count, results, count * (int64_t)sizeof(double)) : weft_scalar_at(results, FLOAT64);
	if (made)
		weft_note_made(WEFT_NOTE_QUANTILE, made, FLOAT64, x.array, NULL);
	return made;
}
