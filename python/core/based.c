//go:build extension

// What is a view in NumPy of an array that the function made: flags.owndata is False of it, .base is that array, and resize refuses it. Here the function makes the
// view's elements; the array that they are in is given the base's shape, and the program a view of it.
//
//	np.tile(v, 3)           v of 4 elements: a view of 3 x 4, which were repeated
//	np.roll(a, 1)           a of 2 x 3: a view of 6, which were rolled
//	a.T.reshape(-1)         a view of a.T's copy, of 3 x 2
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "table.h"
#include <string.h>

enum { FLOAT64 = 12 }; // a tile.DType

// argument is that of a name; NULL where the function has no such.
static PyObject *argument(const weft_row *f, PyObject *const *args, const char *name)
{
	for (Py_ssize_t i = 0; i < f->parameters; i++) {
		const char *own = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(f->names, i), NULL);
		if (own && strcmp(own + (*own == '/'), name) == 0)
			return args[1 + i];
	}
	return NULL;
}

static int is_said(PyObject *o) { return o && o != Py_None && o != weft_no_value; }

// shape_of is the shape of an array, of a number or of nested lists: how many axes, or -1.
static int shape_of(PyObject *o, int64_t *shape)
{
	if (Py_TYPE(o) == weft_array_type) {
		const weft_layout *l = weft_layout_of((weft_array *)o);
		if (l)
			memcpy(shape, l->shape, sizeof l->shape);
		return l ? l->ndim : -1;
	}
	int axes = 0;
	for (Py_ssize_t n; (n = weft_items(o)) >= 0; o = weft_item_of(o, 0)) {
		if (n == 0 || axes == WEFT_NEAR)
			return -1;
		shape[axes++] = n;
	}
	return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) || weft_scalar_code(o) ? axes : -1;
}

// Each says how the array lies that a result is a view of; 0 where it is none.
typedef int base_of(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base);

// isclose gives back its result[()].
static int alike(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	(void)f, (void)args;
	*base = *made;
	return made->ndim > 0;
}

// linspace(start, stop, ...) scales a column of numbers in place, where neither end is an array and the result is cast to no other dtype.
static int spaced(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	PyObject *endpoint = argument(f, args, "endpoint");
	*base = *made;
	return made->ndim == 1 && made->dtype == FLOAT64 && PyBool_Check(endpoint) && made->size > (endpoint == Py_True);
}

// roll(a, shift) rolls a.ravel().
static int rolled(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	weft_lay(base, made->dtype, 1, &made->size);
	return !is_said(argument(f, args, "axis"));
}

// tile(A, reps) repeats rows along one axis after the other.
static int tiled(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	(void)f;
	int64_t shape[WEFT_NEAR], row = 1, rows = made->size;
	const int axes = shape_of(args[1], shape);
	const Py_ssize_t given = weft_items(args[2]), pad = made->ndim - (given < 0 ? 1 : given);
	if (axes < 0 || made->size == 0 || pad < 0)
		return 0;
	for (int i = made->ndim - 1; i >= 0; i--) {
		const int own = i - (made->ndim - axes);
		row *= own < 0 ? 1 : shape[own];
		if (made->shape[i] != (own < 0 ? 1 : shape[own])) { // the last one that is repeated
			rows /= row;
			weft_lay(base, made->dtype, 2, (int64_t[]){rows, row});
			return 1;
		}
	}
	return 0; // a copy, or the last axis alone is that long in any case
}

// reshape copies what cannot be seen in another shape, and sees the copy.
static int reshaped(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	int64_t shape[WEFT_NEAR];
	PyObject *order = argument(f, args, "order");
	const int axes = shape_of(args[1], shape);
	if (axes < 0)
		return 0;
	weft_lay(base, made->dtype, axes, shape);
	const weft_layout *l = Py_TYPE(args[1]) == weft_array_type ? weft_layout_of((weft_array *)args[1]) : NULL;
	const int columns = order && PyUnicode_CheckExact(order) && (PyUnicode_CompareWithASCIIString(order, "F") == 0 || (PyUnicode_CompareWithASCIIString(order, "A") == 0 && l && !l->contiguous && weft_is_fortran(l)));
	if (columns)
		weft_fortran(base);
	return 1;
}

// of_number is a reshape of a number, which becomes an array first.
static int of_number(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	(void)f;
	int64_t shape[WEFT_NEAR];
	if (Py_TYPE(args[1]) == weft_array_type || shape_of(args[1], shape) != 0)
		return 0;
	weft_lay(base, made->dtype, 0, shape);
	return 1;
}

// normed is norm(x, ord, axis, keepdims): the axes that are kept are put back into what was reduced, other than by the sums along an axis.
static int normed(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	PyObject *order = argument(f, args, "ord"), *axis = argument(f, args, "axis");
	int64_t shape[WEFT_NEAR];
	int left = 0;
	if (argument(f, args, "keepdims") != Py_True || made->ndim == 0)
		return 0;
	const int all = !is_said(axis), text = order && PyUnicode_CheckExact(order), two = order && PyLong_CheckExact(order) && PyLong_AsLong(order) == 2;
	const int by_dot = all && (!is_said(order) || (text && PyUnicode_CompareWithASCIIString(order, "nuc") && made->ndim == 2) || (two && made->ndim == 1));
	const int of_matrices = is_said(order) && (all ? made->ndim == 2 : PyTuple_CheckExact(axis) && PyTuple_Size(axis) == 2);
	for (int i = 0; i < made->ndim; i++)
		if (made->shape[i] != 1)
			shape[left++] = made->shape[i];
	if ((!by_dot && !of_matrices) || (!all && made->ndim - 2 != left)) // where an axis that is left has one element, which is which is not told
		return 0;
	weft_lay(base, made->dtype, left, shape);
	return 1;
}

// found is flatnonzero, or nonzero of a vector: a column of places.
static int found(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	(void)f, (void)args;
	weft_lay(base, made->dtype, 2, (int64_t[]){made->shape[0], 1});
	return made->ndim == 1 && base->dtype == WEFT_LAST_SIGNED;
}

// argwhere turns an array that has a row of places along each axis.
static int turned(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	(void)f, (void)args;
	weft_lay(base, made->dtype, 2, (int64_t[]){made->shape[1], made->shape[0]});
	return made->ndim == 2;
}

// edges are those of a histogram of so many bins, which linspace makes.
static int edges(const weft_row *f, PyObject *const *args, const weft_layout *made, weft_layout *base)
{
	PyObject *bins = argument(f, args, "bins");
	*base = *made;
	return !is_said(bins) || PyLong_Check(bins);
}

static const struct {
	const char *name;
	base_of *of;
	int items; // of a tuple that the result is, if it is one; 0 where it may be an array
	int item;  // which of them
} bases[] = {
	{NULL, NULL, 0, 0}, {"isclose", alike, 0, 0}, {"linspace", spaced, 0, 0}, {"roll", rolled, 0, 0}, {"tile", tiled, 0, 0}, {"reshape", reshaped, 0, 0}, {"ndarray.reshape", reshaped, 0, 0}, {"ravel", of_number, 0, 0},
	{"expand_dims", of_number, 0, 0}, {"linalg.norm", normed, 0, 0}, {"flatnonzero", found, 0, 0}, {"nonzero", found, 1, 0}, {"ndarray.nonzero", found, 1, 0}, {"where", found, 1, 0}, {"argwhere", turned, 0, 0},
	{"histogram", edges, 2, 1},
};

int weft_bases_of(const char *name)
{
	for (size_t i = 1; i < sizeof bases / sizeof *bases; i++)
		if (strcmp(bases[i].name, name) == 0)
			return (int)i;
	return 0;
}

PyObject *weft_seen_in(PyObject *made, const weft_layout *base)
{
	weft_array *a = (weft_array *)made;
	const weft_layout *l = weft_viewed(a);
	if (!l || Py_REFCNT(made) != 1)
		return made;
	weft_layout was = *l;
	if (was.size == 0) { // which is in no memory
		PyObject *of = (PyObject *)weft_new_packed(base->dtype, base->ndim, base->shape);
		if (!of)
			PyErr_Clear(); // then it is an array of its own
		else
			weft_set(&a->lender, of);
		return made;
	}
	if (a->handle) {
		uint64_t laid = goView(a->handle, (weft_layout *)base, a->place.offset, a->place.readonly);
		goFree(a->handle);
		a->handle = laid;
		weft_place at = {a->place.memory, WEFT_NO_LAYOUT, a->place.offset, a->place.readonly};
		a->place = at;
	}
	a->at = *base;
	a->at.known = 1;
	PyObject *view = weft_view_of(a, &was, a->place.offset);
	if (!view)
		return NULL;
	Py_DECREF(made);
	return view;
}

PyObject *weft_based_result(const weft_row *f, PyObject *const *args, PyObject *made)
{
	const int items = bases[f->based].items, at = bases[f->based].item;
	const Py_ssize_t n = made && PyTuple_CheckExact(made) ? PyTuple_Size(made) : 0;
	if (!made || (items && n != items))
		return made;
	PyObject *one = n > at ? PyTuple_GetItem(made, at) : made;
	if (Py_TYPE(one) != weft_array_type || ((weft_array *)one)->base || ((weft_array *)one)->lender)
		return made;
	const weft_layout *l = weft_layout_of((weft_array *)one);
	weft_layout base;
	if (!l || !bases[f->based].of(f, args, l, &base))
		return made;
	if (one == made)
		return weft_seen_in(made, &base);
	Py_INCREF(one);
	if (PyTuple_SetItem(made, at, Py_NewRef(Py_None)) < 0 || !(one = weft_seen_in(one, &base)) || PyTuple_SetItem(made, at, one) < 0)
		Py_CLEAR(made);
	return made;
}
