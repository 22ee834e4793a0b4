//go:build extension

// Sums over all elements of something that is computed of each: weighted means and trapezoids. NumPy has them in Python,
// as some passes over arrays of their own; here a block's terms stay in the first-level cache. Their roundings and their order are those of that text over weft's functions, which computes them
// again where something went wrong: each of its operations tells that under its own name.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <string.h>

enum { FEW = 4096, FLOAT64 = 12 }; // elements of other dtypes that NumPy's functions do not answer (_delegates.py); a tile.DType

typedef struct {
	const double *x, *y, *at;          // at: where y is known, or NULL
	double step;                       // from place to place, where at is NULL
} terms;

static const weft_folding *sums(void) { return weft_folding_of(WEFT_SUM, FLOAT64); }

// vector reads one of float64 of so many elements at least, which lie side by side.
static int vector(PyObject *o, int64_t least, weft_few *x)
{
	const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
	return l && l->ndim <= 1 && l->size >= least && l->dtype == FLOAT64 && l->contiguous && weft_most_of(o, WEFT_FOLD_MOST, WEFT_READS_ALL, x);
}

static PyObject *scalar(double d) { return weft_scalar_at(&d, FLOAT64); }

static void multiplied(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const terms *t = of;
	eager_dot(f, n, (const char *)(t->x + at), (const char *)(t->y + at), to);
}

// weighted is average(a, weights=w) of vectors.
static PyObject *weighted(PyObject *a, PyObject *w)
{
	weft_few x, y;
	double total, scale;
	if (!vector(a, 1, &x) || !vector(w, 1, &y) || x.l->size != y.l->size || !(x.data = weft_data(x.array)))
		return NULL;
	eager_lower();
	PyObject *sum = weft_eager_fold(WEFT_SUM, w, Py_None, 0);
	weft_value v;
	int known = sum && weft_read_scalar(sum, &v);
	Py_XDECREF(sum);
	if (!known || (scale = v.re) == 0 || !(x.data = weft_data(x.array)) || !(y.data = weft_data(y.array)))
		return NULL; // which raises
	terms of = {.x = (const double *)x.data, .y = (const double *)y.data};
	eager_total(sums()->fold, 1, x.l->shape, 2 * sizeof(double), multiplied, &of, NULL, (char *)&total);
	volatile double made = total / scale; // before the processor's flags are read
	if (eager_raised() & weft_floating_watched)
		return NULL;
	weft_note(WEFT_NOTE_FOLD + WEFT_SUM, x.l, 0, x.array->place.memory, y.array->place.memory);
	return scalar(made);
}

// options are the names of arguments that follow the array: an axis, weights that are None, and returned. It is 0 of others.
static int options(PyObject *const *values, PyObject *names, PyObject **axis, int *returned)
{
	*axis = NULL;
	*returned = 0;
	for (Py_ssize_t i = 0, n = PyTuple_Size(names); i < n; i++) {
		PyObject *name = PyTuple_GetItem(names, i);
		if (PyUnicode_CompareWithASCIIString(name, "axis") == 0 && PyLong_CheckExact(values[i]))
			*axis = values[i];
		else if (PyUnicode_CompareWithASCIIString(name, "returned") == 0 && PyBool_Check(values[i]))
			*returned = values[i] == Py_True;
		else if (PyUnicode_CompareWithASCIIString(name, "weights") || values[i] != Py_None)
			return 0;
	}
	return *axis != NULL;
}

// along_axis is average(a, axis=axis) without weights, of so many elements that NumPy's function does not answer: a mean, and where that is asked for how
// many elements each result is of. What makes the elements need not have run.
static PyObject *along_axis(PyObject *a, const weft_layout *l, PyObject *const *values, PyObject *names)
{
	PyObject *axis;
	int returned, overflow, ndim = 0;
	if (l->dtype != FLOAT64 || l->size < FEW || l->ndim < 2 || l->ndim > WEFT_NEAR || !options(values, names, &axis, &returned))
		return NULL;
	long at = PyLong_AsLongAndOverflow(axis, &overflow);
	at += at < 0 ? l->ndim : 0;
	if (overflow || at < 0 || at >= l->ndim) // an error
		return NULL;
	int64_t shape[WEFT_NEAR], size = 1;
	for (int i = 0; i < l->ndim; i++)
		if (i != at)
			size *= shape[ndim++] = l->shape[i];
	weft_array *counts = returned ? weft_new_packed(FLOAT64, ndim, shape) : NULL;
	if (returned && !counts)
		return NULL;
	for (int64_t i = 0; returned && i < size; i++)
		((double *)counts->bytes)[i] = (double)l->shape[at];
	PyObject *mean = PyObject_CallMethod(a, "mean", "l", at), *both = mean && returned ? PyTuple_Pack(2, mean, counts) : NULL;
	if (both)
		weft_note(WEFT_NOTE_FILL, &counts->at, counts->place.memory, 0, 0);
	Py_XDECREF((PyObject *)counts);
	if (!returned)
		return mean;
	Py_XDECREF(mean);
	return both;
}

// average(a, axis=None, weights=None, ...)
PyObject *weft_cut_average(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	const weft_layout *l = weft_eager && n == 1 && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (l && !names && l->size > 0 && (l->dtype == FLOAT64 || l->size >= FEW))
		return weft_watched_fold(WEFT_MEAN, args[0], Py_None, 0);
	if (!l || !names)
		return NULL;
	if (PyTuple_Size(names) != 1 || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "weights"))
		return along_axis(args[0], l, args + 1, names);
	return weighted(args[0], args[1]);
}

// between computes the terms of trapezoids: the product of a step and the sum of the values at its ends, halved.
static void between(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const terms *t = of;
	double block[EAGER_INNER];
	eager_trapezoids(n, t->x + at, t->at ? t->at + at : NULL, t->step, block);
	eager_inner(f, n, (const char *)block, to);
}

// trapezoid(y, x=None, dx=1.0, axis=-1)
PyObject *weft_cut_trapezoid(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few y, x;
	weft_value v;
	double total, step = 1;
	int has = n == 2, says = n == 1 && names && PyTuple_Size(names) == 1;
	if (!weft_eager || (n != 1 && n != 2) || (names && !says))
		return NULL;
	if (says && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "x") == 0)
		has = 1;
	else if (says && (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "dx") || !PyFloat_CheckExact(args[1]) || !weft_number(args[1], &v)))
		return NULL;
	else if (says)
		step = v.re;
	if (!vector(args[0], 2, &y) || (has && (!vector(args[1], 2, &x) || x.l->size != y.l->size || !(y.data = weft_data(y.array)))))
		return NULL;
	terms of = {.x = (const double *)y.data, .at = has ? (const double *)x.data : NULL, .step = step};
	int64_t left = y.l->size - 1;
	eager_lower();
	eager_total(sums()->fold, 1, &left, (1 + has) * (int64_t)sizeof(double), between, &of, NULL, (char *)&total);
	if (eager_raised() & weft_floating_watched)
		return NULL;
	weft_note(WEFT_NOTE_FOLD + WEFT_SUM, y.l, 0, y.array->place.memory, has ? x.array->place.memory : 0);
	return scalar(total);
}
