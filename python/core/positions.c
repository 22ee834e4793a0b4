//go:build extension

// Which elements are not zero: nonzero and its like, and how many.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, FLOAT64 = 12 }; // tile.DTypes
enum { MOST = 1 << 22 };           // elements, as of masks in choice.c

// truths reads an array as a mask that lies side by side, and counts it: -1 where the general functions have to.
static int64_t truths(PyObject *o, weft_few *x, const uint8_t **holds)
{
	if (!weft_many_of(o, MOST, 1, x))
		return -1;
	*holds = (const uint8_t *)weft_many_packed(x, WEFT_BOOL_DTYPE, WEFT_ROOM_INDEX);
	return *holds ? eager_count(x->l->size, *holds) : -1;
}

// coordinates writes where n elements are that hold: a row of places along each axis, each so many apart.
static void coordinates(const weft_layout *l, const uint8_t *holds, int64_t n, int64_t *const *to)
{
	int last = l->ndim - 1;
	int64_t row = l->shape[last], at[WEFT_NEAR] = {0};
	for (int64_t done = 0; done < n; holds += row) {
		int64_t found = eager_positions(row, holds, 0, to[last] + done, to[last] + n);
		for (int axis = 0; axis < last; axis++)
			for (int64_t k = 0; k < found; k++)
				to[axis][done + k] = at[axis];
		done += found;
		for (int axis = last - 1; axis >= 0 && ++at[axis] == l->shape[axis]; axis--)
			at[axis] = 0;
	}
}

// flatnonzero(a)
static PyObject *flat_positions(PyObject *o)
{
	weft_few x;
	const uint8_t *holds;
	int64_t n = truths(o, &x, &holds);
	weft_array *made = n < 0 ? NULL : weft_many_made(INT64, 1, &n);
	if (!made)
		return NULL;
	if (!(x.data = weft_data(x.array))) { // shut meanwhile: see opening.c
		Py_DECREF(made);
		return NULL;
	}
	int64_t *to = (int64_t *)weft_data(made);
	eager_positions(x.l->size, holds, 0, to, to + n);
	weft_note_made(WEFT_NOTE_NONZERO, (PyObject *)made, INT64, x.array, NULL);
	return (PyObject *)made;
}

// argwhere(a) is a row of places along each axis, turned: NumPy's lie so.
static PyObject *places(PyObject *o)
{
	weft_few x;
	const uint8_t *holds;
	int64_t n = truths(o, &x, &holds), *to[WEFT_NEAR];
	weft_array *rows = n < 0 || x.l->ndim == 0 ? NULL : weft_many_made(INT64, 2, (int64_t[]){x.l->ndim, n});
	if (!rows)
		return NULL;
	PyObject *made = NULL;
	char *data = weft_data(rows);
	if (data && (x.data = weft_data(x.array))) { // else shut meanwhile: see opening.c
		for (int i = 0; i < x.l->ndim; i++)
			to[i] = (int64_t *)data + i * n;
		coordinates(x.l, holds, n, to);
		weft_note_made(WEFT_NOTE_NONZERO, (PyObject *)rows, INT64, x.array, NULL);
		made = weft_transposed((PyObject *)rows);
	}
	Py_DECREF(rows);
	return made;
}

// nonzero(a)
static PyObject *positions(PyObject *o)
{
	weft_few x;
	const uint8_t *holds;
	int64_t n = truths(o, &x, &holds), *to[WEFT_NEAR];
	PyObject *all = n < 0 || x.l->ndim == 0 ? NULL : PyTuple_New(x.l->ndim);
	for (int i = 0; all && i < x.l->ndim; i++) {
		PyObject *made = (PyObject *)weft_many_made(INT64, 1, &n);
		if (!made || PyTuple_SetItem(all, i, made) < 0)
			Py_CLEAR(all);
	}
	for (int i = 0; all && i < x.l->ndim; i++)
		if (!(to[i] = (int64_t *)weft_data((weft_array *)PyTuple_GetItem(all, i))))
			Py_CLEAR(all);
	if (!all || !(x.data = weft_data(x.array))) {
		Py_XDECREF(all);
		return NULL;
	}
	coordinates(x.l, holds, n, to);
	weft_note_made(WEFT_NOTE_NONZERO, PyTuple_GetItem(all, 0), INT64, x.array, NULL);
	return all;
}

PyObject *weft_few_nonzero(int what, PyObject *const *args)
{
	static PyObject *(*const all[])(PyObject *) = {[WEFT_NONZERO] = positions, [WEFT_FLATNONZERO] = flat_positions, [WEFT_ARGWHERE] = places};
	return Py_TYPE(args[0]) != weft_array_type ? NULL : all[what](args[0]);
}

// extract(condition, arr), and compress(condition, a, axis=None) of vectors: what a mask of the array's shape chooses
PyObject *weft_few_extract(int kind, PyObject *const *args)
{
	(void)kind;
	if (!weft_eager || Py_TYPE(args[0]) != weft_array_type || Py_TYPE(args[1]) != weft_array_type)
		return NULL;
	const weft_layout *mask = weft_layout_of((weft_array *)args[0]), *of = mask ? weft_layout_of((weft_array *)args[1]) : NULL;
	if (!of || mask->dtype != WEFT_BOOL_DTYPE || mask->ndim != 1 || of->ndim != 1 || mask->size != of->size)
		return NULL;
	return weft_few_pick(args[1], args[0]);
}

// weft_cut_chosen is a.compress(condition).
PyObject *weft_cut_chosen(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	return n == 2 && !names ? weft_few_extract(0, (PyObject *[]){args[1], args[0]}) : NULL;
}

// counted_along counts a mask along one axis.
static PyObject *counted_along(PyObject *o, PyObject *axis)
{
	weft_few x;
	int64_t outer, n, inner, shape[WEFT_NEAR];
	const weft_layout *l = Py_TYPE(o) == weft_array_type && weft_eager ? weft_layout_of((weft_array *)o) : NULL;
	if (!l || l->ndim < 2 || l->size > WEFT_ALONG_MOST || !weft_many_of(o, WEFT_ALONG_MOST, 0, &x) || !weft_along(x.l, axis, &outer, &n, &inner))
		return NULL;
	const uint8_t *holds = (const uint8_t *)weft_many_packed(&x, WEFT_BOOL_DTYPE, WEFT_ROOM_INDEX);
	long at = PyLong_AsLong(axis); // which weft_along has looked at
	at += at < 0 ? x.l->ndim : 0;
	for (int i = 0, k = 0; i < x.l->ndim; i++)
		if (i != at)
			shape[k++] = x.l->shape[i];
	weft_array *made = holds ? weft_new_packed(INT64, x.l->ndim - 1, shape) : NULL;
	if (!made)
		return NULL;
	int64_t *to = (int64_t *)made->bytes;
	for (int64_t i = 0; i < outer; i++, to += inner, holds += n * inner)
		if (inner == 1)
			*to = eager_count(n, holds);
		else
			eager_count_columns(n, inner, holds, to);
	weft_note_made(WEFT_NOTE_NONZERO, (PyObject *)made, INT64, x.array, NULL);
	return (PyObject *)made;
}

// count_nonzero(a, axis=None)
PyObject *weft_few_count(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	if (PyLong_CheckExact(args[1]))
		return counted_along(args[0], args[1]);
	const uint8_t *holds;
	int64_t n = args[1] != Py_None ? -1 : truths(args[0], &x, &holds);
	PyObject *made = n < 0 ? NULL : weft_scalar_at(&n, INT64);
	if (made)
		weft_note_made(WEFT_NOTE_NONZERO, made, INT64, x.array, NULL);
	return made;
}

// A mask's sum, mean, any and all, which are known when it is counted: in parts, where one may decide.
PyObject *weft_many_fold(int kind, PyObject *o)
{
	enum { PART = 1 << 15 };
	weft_few x;
	const weft_layout *l = Py_TYPE(o) == weft_array_type && weft_eager ? weft_layout_of((weft_array *)o) : NULL;
	if (!l || l->dtype != WEFT_BOOL_DTYPE || (kind != WEFT_SUM && kind != WEFT_MEAN && kind != WEFT_ANY && kind != WEFT_ALL) ||
		!weft_many_of(o, kind == WEFT_ANY || kind == WEFT_ALL ? WEFT_FOLD_MOST : MOST, 1, &x))
		return NULL;
	const uint8_t *holds = (const uint8_t *)weft_many_packed(&x, WEFT_BOOL_DTYPE, WEFT_ROOM_INDEX);
	if (!holds)
		return NULL;
	int64_t n = 0;
	for (int64_t i = 0, part; i < x.l->size; i += part) {
		part = x.l->size - i < PART ? x.l->size - i : PART;
		int64_t found = eager_count(part, holds + i);
		n += found;
		if ((kind == WEFT_ANY && found > 0) || (kind == WEFT_ALL && found < part))
			break;
	}
	double mean = (double)n / (double)x.l->size;
	uint8_t truth = kind == WEFT_ANY ? n > 0 : n == x.l->size;
	int dtype = kind == WEFT_SUM ? INT64 : kind == WEFT_MEAN ? FLOAT64 : WEFT_BOOL_DTYPE;
	PyObject *made = weft_scalar_at(kind == WEFT_SUM ? (void *)&n : kind == WEFT_MEAN ? (void *)&mean : (void *)&truth, dtype);
	if (made) {
		weft_count_here(WEFT_NUMBERS);
		weft_note(WEFT_NOTE_FOLD + kind, x.l, 0, x.array->place.memory, 0);
	}
	return made;
}

// unravel_index(index, shape) of one number
PyObject *weft_cut_unravel(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_value v;
	Py_ssize_t axes = n == 2 && !names && PyTuple_CheckExact(args[1]) ? PyTuple_Size(args[1]) : 0;
	int64_t shape[WEFT_NEAR], size = 1;
	int overflow;
	if (axes < 1 || axes > WEFT_NEAR || Py_TYPE(args[0]) == weft_array_type || !weft_number(args[0], &v) || v.kind != WEFT_INT)
		return NULL;
	for (Py_ssize_t i = 0; i < axes; i++) {
		PyObject *extent = PyTuple_GetItem(args[1], i);
		shape[i] = PyLong_CheckExact(extent) ? PyLong_AsLongLongAndOverflow(extent, &overflow) : 0;
		if (shape[i] < 1 || shape[i] > INT32_MAX || (size *= shape[i]) > INT32_MAX)
			return NULL;
	}
	PyObject *made = v.i >= 0 && v.i < size ? PyTuple_New(axes) : NULL;
	for (Py_ssize_t i = axes - 1; made && i >= 0; v.i /= shape[i--]) {
		int64_t at = v.i % shape[i];
		PyObject *one = weft_scalar_at(&at, INT64);
		if (!one || PyTuple_SetItem(made, i, one) < 0)
			Py_CLEAR(made);
	}
	return made;
}
