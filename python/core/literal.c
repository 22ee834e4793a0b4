//go:build extension

// Arrays of a few int64 or float64 that the program wrote down: np.array([1, 2, 3]), np.zeros(3), np.arange(10). Most are looked at,
// unpacked or dropped, so that the values stay in the Python object until an operation wants them (weft_settle): then they
// become an array of Go's. No view without a handle has one as base, so that nothing else sees the bytes.
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>
#include <string.h>

enum { INT64 = 5, FLOAT64 = 12, ITEM = 8 }; // the dtypes of literals, and the bytes of their elements

// The forms of literals. One that was forgotten is below weft_tape.base.
#define FORMS 256 // a power of two
static struct {
	uint64_t form;
	int dtype, ndim;
	int64_t shape[WEFT_NEAR];
} forms[FORMS];

static uint64_t form_of(int dtype, int ndim, const int64_t *shape)
{
	uint64_t h = (uint64_t)dtype << 8 | (uint64_t)ndim;
	for (int i = 0; i < ndim; i++)
		h = (h ^ (uint64_t)shape[i]) * 0x9E3779B97F4A7C15u;
	typeof(&forms[0]) f = &forms[(h ^ h >> 29) & (FORMS - 1)];
	if (f->form >= weft_tape.base && f->dtype == dtype && f->ndim == ndim && memcmp(f->shape, shape, ndim * sizeof *shape) == 0)
		return f->form;
	f->form = goFormOf(dtype, (int64_t *)shape, ndim);
	f->dtype = dtype;
	f->ndim = ndim;
	memcpy(f->shape, shape, ndim * sizeof *shape);
	return f->form;
}

weft_array *weft_new_literal(int dtype, int ndim, const int64_t *shape, int64_t size)
{
	if (weft_tape.plain || size > WEFT_FEW || size == 0 || ndim > WEFT_NEAR)
		return NULL;
	uint64_t form = form_of(dtype, ndim, shape);
	if (form == WEFT_NO_FORM)
		return NULL;
	int64_t bytes = size * ITEM;
	weft_literal *l = PyMem_Malloc(sizeof *l + bytes);
	weft_array *a = l ? (weft_array *)weft_wrap(0) : NULL;
	if (!a) {
		PyMem_Free(l);
		PyErr_Clear(); // the general function finds that out as well
		return NULL;
	}
	l->dtype = dtype;
	l->ndim = ndim;
	l->bytes = bytes;
	memcpy(l->shape, shape, ndim * sizeof *shape);
	a->literal = l;
	a->place.memory = ++weft_tape.memories;
	a->place.form = form;
	return a;
}

PyObject *weft_literal_of(int dtype, int ndim, const int64_t *shape, const void *data, int64_t bytes)
{
	if (dtype != INT64 && dtype != FLOAT64)
		return NULL;
	weft_array *a = weft_new_literal(dtype, ndim, shape, bytes / ITEM);
	if (a)
		memcpy(a->literal->data, data, bytes);
	return (PyObject *)a;
}

int weft_settle(weft_array *a)
{
	weft_literal *l = a->literal;
	uint64_t out;
	weft_error e = {NULL, NULL};
	if (goFromHost(l->data, l->bytes, l->dtype, l->shape, l->ndim, a->place.memory, &out, &e) != WEFT_OK) {
		free(e.type);
		free(e.text);
		return 0; // whoever wanted a handle raises: 0 names no array
	}
	a->handle = out;
	weft_forget_literal(a);
	return 1;
}

void weft_forget_literal(weft_array *a)
{
	PyMem_Free(a->literal);
	a->literal = NULL;
}

int weft_literal_set(weft_array *a, int64_t at, int dtype, PyObject *value)
{
	double d;
	int64_t i;
	int overflow = 0;
	if (dtype == FLOAT64 && PyFloat_CheckExact(value)) {
		d = PyFloat_AsDouble(value);
		memcpy(a->literal->data + at, &d, sizeof d);
		return 1;
	}
	if ((dtype != INT64 && dtype != FLOAT64) || !PyLong_CheckExact(value))
		return 0;
	i = PyLong_AsLongLongAndOverflow(value, &overflow);
	if (overflow)
		return 0;
	d = (double)i;
	memcpy(a->literal->data + at, dtype == INT64 ? (void *)&i : (void *)&d, ITEM);
	return 1;
}

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
		if (overflow || shape[i] < 1 || shape[i] > WEFT_FEW || (*size *= shape[i]) > WEFT_FEW)
			return -1;
	}
	return n;
}

// fill writes a number to each element.
static void fill(weft_array *a, int64_t size, const void *number)
{
	for (int64_t i = 0; i < size; i++)
		memcpy(a->literal->data + ITEM * i, number, ITEM);
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
	weft_array *a = overflow ? NULL : weft_new_literal(type, ndim, shape, size);
	if (a)
		fill(a, size, type == INT64 ? (void *)&i : (void *)&d);
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
	weft_array *a = n > 0 ? weft_new_literal(INT64, 1, &n, n) : NULL;
	for (int64_t i = 0, x = v[0]; a && i < n; i++, x += v[2])
		memcpy(a->literal->data + ITEM * i, &x, ITEM);
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

// _few(): tolist() of few int64 or float64, or None.
PyObject *weft_few(PyObject *self, PyObject *unused)
{
	(void)unused;
	ENTER(NULL)
	weft_array *a = (weft_array *)self;
	char data[WEFT_FEW * ITEM];
	const char *at = data;
	weft_info info;
	weft_get_info(self, &info);
	if ((info.dtype != INT64 && info.dtype != FLOAT64) || info.size > WEFT_FEW || info.size == 0)
		Py_RETURN_NONE;
	if (a->literal)
		at = a->literal->data;
	else if (weft_read(self, data) < 0)
		return NULL;
	return nested(&info, 0, &at);
}
