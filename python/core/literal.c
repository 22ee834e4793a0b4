//go:build extension

// The constructors of arrays of a few int64 or float64 that the program wrote down: np.zeros(3), np.full(3, 7), np.arange(10).
// The values are the Python object's own; see small.c.
#include "shim.h"
#include "_cgo_export.h"
#include "../../cpu/eager/eager.h"
#include <stdlib.h>
#include <string.h>

enum { INT64 = 5, FLOAT64 = 12, ITEM = 8 }; // the dtypes of literals, and the bytes of their elements

// shape_of reads a shape of ints: the number of axes, or -1 for what the general functions have to read.
static int shape_of(PyObject *o, int64_t *shape, int64_t *size)
{
	int n = PyTuple_CheckExact(o) ? (int)PyTuple_Size(o) : 1;
	*size = 1;
	if (n > WEFT_NEAR)
		return -1;
	for (int i = 0; i < n; i++) {
		PyObject *extent = PyTuple_CheckExact(o) ? PyTuple_GetItem(o, i) : o;
		int overflow;
		if (!PyLong_CheckExact(extent))
			return -1;
		shape[i] = PyLong_AsLongLongAndOverflow(extent, &overflow);
		if (overflow || shape[i] < 1 || shape[i] > WEFT_SMALL_MOST || (*size *= shape[i]) > WEFT_SMALL_MOST)
			return -1;
	}
	return n;
}

// fill writes a number to each element.
static void fill(weft_array *a, int64_t size, const void *number)
{
	for (int64_t i = 0; i < size; i++)
		memcpy(a->bytes + ITEM * i, number, ITEM);
}

static weft_array *filled(int makes, PyObject *const *args)
{
	int64_t shape[WEFT_NEAR], size;
	PyObject *dtype = args[makes == WEFT_MAKES_FULL ? 2 : 1];
	int ndim = shape_of(args[0], shape, &size), type = FLOAT64;
	if (ndim < 0)
		return NULL;
	double d = makes == WEFT_MAKES_ONES;
	int64_t i = (int64_t)d;
	int overflow = 0;
	if (makes == WEFT_MAKES_FULL) {
		if (dtype != Py_None)
			return NULL;
		if (PyFloat_CheckExact(args[1])) {
			d = PyFloat_AsDouble(args[1]);
		} else if (PyLong_CheckExact(args[1])) {
			type = INT64;
			i = PyLong_AsLongLongAndOverflow(args[1], &overflow);
		} else {
			return NULL;
		}
	} else if (dtype == (PyObject *)&PyLong_Type) {
		type = INT64;
	} else if (dtype != Py_None && dtype != (PyObject *)&PyFloat_Type) {
		return NULL;
	}
	weft_array *a = overflow ? NULL : weft_new_packed(type, ndim, shape);
	if (a) {
		fill(a, size, type == INT64 ? (void *)&i : (void *)&d);
		weft_note(WEFT_NOTE_FILL, &a->at, a->place.memory, 0, 0);
	}
	return a;
}

static weft_array *range(PyObject *const *args)
{
	int64_t v[3] = {0, 0, 1};
	if (args[3] != Py_None)
		return NULL;
	for (int k = 0; k < 3; k++) {
		int overflow;
		PyObject *o = args[k];
		if (k == 1 && o == Py_None) { // one argument is the end
			v[1] = v[0];
			v[0] = 0;
			continue;
		}
		if (!PyLong_CheckExact(o))
			return NULL;
		v[k] = PyLong_AsLongLongAndOverflow(o, &overflow);
		if (overflow || v[k] > INT32_MAX || v[k] < INT32_MIN)
			return NULL;
	}
	if (v[2] == 0)
		return NULL;
	int64_t n = (v[1] - v[0] + v[2] + (v[2] > 0 ? -1 : 1)) / v[2];
	weft_array *a = n > 0 && n <= WEFT_SMALL_MOST ? weft_new_packed(INT64, 1, &n) : NULL;
	for (int64_t i = 0, x = v[0]; a && i < n; i++, x += v[2])
		memcpy(a->bytes + ITEM * i, &x, ITEM);
	if (a)
		weft_note(WEFT_NOTE_RANGE, &a->at, a->place.memory, 0, 0);
	return a;
}

PyObject *weft_make_literal(int makes, PyObject *const *args, Py_ssize_t n)
{
	// What is behind the dtype is usual where nobody said anything.
	for (Py_ssize_t i = makes == WEFT_MAKES_RANGE ? 4 : makes == WEFT_MAKES_FULL ? 3 : 2; i < n; i++)
		if (args[i] != weft_no_value)
			return NULL;
	return (PyObject *)(makes == WEFT_MAKES_RANGE ? range(args) : filled(makes, args));
}

// nested makes the list of an axis; *at is the next element.
static PyObject *nested(const weft_info *of, int axis, const char **at)
{
	if (axis == of->ndim) {
		double d;
		int64_t i;
		memcpy(&d, *at, ITEM);
		memcpy(&i, *at, ITEM);
		*at += ITEM;
		return of->dtype == INT64 ? PyLong_FromLongLong(i) : PyFloat_FromDouble(d);
	}
	PyObject *list = PyList_New(of->shape[axis]);
	for (int64_t i = 0; list && i < of->shape[axis]; i++) {
		PyObject *item = nested(of, axis + 1, at);
		if (!item)
			Py_CLEAR(list);
		else
			PyList_SetItem(list, i, item);
	}
	return list;
}

PyObject *weft_few_list(PyObject *self)
{
	weft_array *a = (weft_array *)self;
	char data[WEFT_FEW * ITEM];
	const char *at = data;
	weft_info info;
	weft_get_info(self, &info);
	if ((info.dtype != INT64 && info.dtype != FLOAT64) || info.size > WEFT_FEW || info.size == 0)
		return NULL;
	const weft_layout *l;
	char *own = weft_data(a);
	if (own && (l = weft_layout_of(a)))
		eager_pack(ITEM, &(eager_layout){l->ndim, l->size, l->shape, l->strides}, own, data);
	else if (weft_read(self, data) < 0)
		return NULL;
	return nested(&info, 0, &at);
}
