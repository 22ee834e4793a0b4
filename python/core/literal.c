//go:build extension

// The constructors of arrays of few elements that the program wrote down: np.zeros(3), np.full(3, 7), np.arange(10), np.eye(3).
// The values are the Python object's own; see small.c.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INT64 = 5, FLOAT16 = 10, FLOAT32 = 11, FLOAT64 = 12, ITEM = 8 }; // tile.DTypes, and the bytes of two of them

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
		if (overflow || shape[i] < 0 || shape[i] > WEFT_FOLD_MOST || (*size *= shape[i]) > WEFT_FOLD_MOST)
			return -1;
	}
	return n;
}

// dtype_of reads a dtype; otherwise is what None stands for. 0 where the general functions have to look, -1 with an exception.
static int dtype_of(PyObject *o, int otherwise)
{
	if (o == Py_None)
		return otherwise;
	return weft_dtype_of_few(o);
}

// filled makes an array of one number; NULL without exception where there is more to it.
static PyObject *filled(int dtype, int ndim, const int64_t *shape, const weft_value *number)
{
	char one[EAGER_WIDEST];
	int integers = number->kind == WEFT_FLOAT && dtype > WEFT_BOOL_DTYPE && dtype < WEFT_FIRST_INEXACT, some = 1;
	for (int i = 0; i < ndim; i++)
		some = some && shape[i] > 0;
	if (integers && some && eager_beyond(FLOAT64, dtype, 1, (const char *)&number->re))
		weft_floating_note("cast", EAGER_INVALID);
	if (dtype <= 0 || !weft_write(number, dtype, one))
		return NULL;
	weft_array *a = weft_new_packed(dtype, ndim, shape);
	if (!a && ndim <= WEFT_NEAR) {
		weft_layout l;
		weft_lay(&l, dtype, ndim, shape);
		a = weft_new_alone(&l);
	}
	if (!a)
		return NULL;
	int size = weft_sizes[dtype];
	weft_note(WEFT_NOTE_FILL, &a->at, a->place.memory, 0, 0);
	if (a->at.size == 0)
		return (PyObject *)a;
	if (!integers)
		weft_floating_number(number, dtype);
	if (number->kind == WEFT_INT && number->i == 0) {
		memset(a->bytes, 0, (size_t)(a->at.size * size));
		return (PyObject *)a;
	}
	int64_t beside = size;
	eager_fill(size, &(eager_layout){1, a->at.size, &a->at.size, &beside}, one, a->bytes);
	return (PyObject *)a;
}

static PyObject *constant(int makes, PyObject *const *args)
{
	int64_t shape[WEFT_NEAR], size;
	weft_value number = {.kind = WEFT_INT, .i = makes == WEFT_MAKES_ONES};
	int dtype = FLOAT64;
	if (makes == WEFT_MAKES_FULL) {
		if (!weft_number(args[1], &number))
			return NULL;
		dtype = number.dtype ? number.dtype : number.kind == WEFT_FLOAT ? FLOAT64 : number.kind == WEFT_INT ? INT64 : WEFT_BOOL_DTYPE;
	}
	dtype = dtype_of(args[makes == WEFT_MAKES_FULL ? 2 : 1], dtype);
	if (dtype < 0)
		return NULL;
	int ndim = shape_of(args[0], shape, &size);
	return ndim < 0 ? NULL : filled(dtype, ndim, shape, &number);
}

// even makes a range that has floats among its ends, or of ints as floats: NumPy stores the first two elements and goes on with
// their difference.
static PyObject *even(const weft_value v[3], int floats)
{
	double d[3], second;
	for (int k = 0; k < 3; k++)
		d[k] = v[k].kind == WEFT_FLOAT ? v[k].re : (double)v[k].i;
	double count = ceil((d[1] - d[0]) / d[2]);
	if (!(count >= 1 && count <= WEFT_MOST))
		return NULL;
	second = floats ? d[0] + d[2] : (double)(v[0].i + v[2].i);
	int64_t n = (int64_t)count;
	weft_array *a = weft_new_packed(FLOAT64, 1, &n);
	if (a && n > 1)
		eager_line(n, d[0], second - d[0], (double *)a->bytes);
	else if (a)
		memcpy(a->bytes, &d[0], ITEM);
	if (a)
		weft_note(WEFT_NOTE_RANGE, &a->at, a->place.memory, 0, 0);
	return (PyObject *)a;
}

#define STEPS(T) \
	for (int64_t i = 0; i < n; i++, x += by) \
		((T *)to)[i] = (T)x; \
	break;

// steps writes n numbers that are so far apart, which all fit their dtype.
static void steps(int dtype, int64_t n, int64_t x, int64_t by, char *to)
{
	switch (dtype == FLOAT32 ? 0 : weft_sizes[dtype]) {
	case 0: STEPS(float)
	case 1: STEPS(int8_t)
	case 2: STEPS(int16_t)
	case 4: STEPS(int32_t)
	default: STEPS(int64_t)
	}
}

static PyObject *range(PyObject *const *args)
{
	weft_value v[3] = {{.kind = WEFT_INT}, {.kind = WEFT_INT}, {.kind = WEFT_INT, .i = 1}};
	int floats = 0, dtype = dtype_of(args[3], INT64);
	if (dtype < 0)
		return NULL;
	for (int k = 0; k < 3; k++) {
		if (k == 1 && args[k] == Py_None) { // one argument is the end
			v[1] = v[0];
			v[0] = (weft_value){.kind = WEFT_INT};
			continue;
		}
		if (!weft_number(args[k], &v[k]) || v[k].kind == WEFT_BOOL || (v[k].dtype && v[k].dtype != INT64 && v[k].dtype != FLOAT64))
			return NULL;
		if (v[k].kind == WEFT_INT && (v[k].i > INT32_MAX || v[k].i < INT32_MIN))
			return NULL;
		floats |= v[k].kind == WEFT_FLOAT;
	}
	if (floats ? args[3] != Py_None && dtype != FLOAT64 : v[2].i == 0)
		return NULL;
	if (floats || dtype == FLOAT64)
		return even(v, floats);
	int64_t n = (v[1].i - v[0].i + v[2].i + (v[2].i > 0 ? -1 : 1)) / v[2].i, last = v[0].i + (n - 1) * v[2].i;
	char end[EAGER_WIDEST];
	if (n < 1 || n > WEFT_MOST || dtype <= WEFT_BOOL_DTYPE || dtype > FLOAT32 || dtype == FLOAT16)
		return NULL;
	weft_value ends[3] = {v[0], {.kind = WEFT_INT, .i = last}, {.kind = WEFT_INT, .i = v[0].i + v[2].i}};
	for (int k = 0; k < 3; k++)
		if (!weft_write(&(weft_value){.kind = WEFT_INT, .i = ends[k].i}, dtype, end) || (dtype == FLOAT32 && llabs(ends[k].i) >= 1 << 24))
			return NULL;
	weft_array *a = weft_new_packed(dtype, 1, &n);
	if (a)
		weft_note(WEFT_NOTE_RANGE, &a->at, a->place.memory, 0, 0);
	if (a)
		steps(dtype, n, v[0].i, v[2].i, a->bytes);
	return (PyObject *)a;
}

PyObject *weft_make_literal(int makes, PyObject *const *args, Py_ssize_t n)
{
	// What is behind the dtype is usual where nothing was given; the order comes first, unless it is a range.
	Py_ssize_t first = makes == WEFT_MAKES_RANGE ? 4 : makes == WEFT_MAKES_FULL ? 3 : 2;
	int fortran = 0;
	for (Py_ssize_t i = first; i < n; i++) {
		int is_order = i == first && makes != WEFT_MAKES_RANGE && PyUnicode_CheckExact(args[i]);
		if (is_order && PyUnicode_CompareWithASCIIString(args[i], "F") == 0)
			fortran = 1;
		else if (args[i] != weft_no_value && !(is_order && PyUnicode_CompareWithASCIIString(args[i], "C") == 0))
			return NULL;
	}
	PyObject *made = makes == WEFT_MAKES_RANGE ? range(args) : constant(makes, args);
	weft_layout *l = made && fortran && ((weft_array *)made)->at.size ? &((weft_array *)made)->at : NULL; // else it has no steps
	int64_t step = l ? weft_sizes[l->dtype] : 0;
	for (int i = 0; l && i < l->ndim; step *= l->shape[i] ? l->shape[i] : 1, i++) // the elements are all the same, wherever they are
		l->strides[i] = step;
	if (l)
		l->contiguous = weft_is_contiguous(l);
	return made;
}

// zeros_like(a, dtype=None, ...) and ones_like; kind is the number. full_like(a, fill_value, dtype=None, ...) is WEFT_LIKE_FULL.
PyObject *weft_few_like(int kind, PyObject *const *args)
{
	weft_value number = {.kind = WEFT_INT, .i = kind};
	if (Py_TYPE(args[0]) != weft_array_type || (kind == WEFT_LIKE_FULL && !weft_number(args[1], &number)) || args[kind == WEFT_LIKE_FULL ? 4 : 3] == Py_None)
		return NULL; // subok=None is an error
	const weft_layout *l = weft_layout_of((weft_array *)args[0]);
	if (!l || l->size == 0 || l->size > WEFT_FOLD_MOST || (!l->contiguous && l->ndim != 1))
		return NULL;
	int dtype = l->dtype, ndim = l->ndim;
	int64_t shape[WEFT_NEAR];
	memcpy(shape, l->shape, sizeof shape); // a dtype may run Python code
	return filled(dtype_of(args[kind == WEFT_LIKE_FULL ? 2 : 1], dtype), ndim, shape, &number);
}

// eye(N, M=None, k=0, dtype=float, ...); identity(n, dtype=None, ...) where kind is 1.
PyObject *weft_few_eye(int kind, PyObject *const *args)
{
	int64_t shape[2], size, k = 0;
	char one[EAGER_WIDEST];
	int overflow, dtype = dtype_of(args[kind ? 1 : 3], FLOAT64);
	if (dtype < 0)
		return NULL;
	if (shape_of(args[0], shape, &size) != 1 || PyTuple_CheckExact(args[0]))
		return NULL;
	shape[1] = shape[0];
	if (kind == 0) {
		if (args[1] != Py_None && (shape_of(args[1], shape + 1, &size) != 1 || PyTuple_CheckExact(args[1])))
			return NULL;
		if (!PyLong_CheckExact(args[2]))
			return NULL;
		k = PyLong_AsLongLongAndOverflow(args[2], &overflow);
		if (overflow || k > WEFT_MOST || k < -WEFT_MOST)
			return NULL;
	}
	if (dtype == 0 || shape[0] * shape[1] > WEFT_MOST || !weft_write(&(weft_value){.kind = WEFT_INT, .i = 1}, dtype, one))
		return NULL;
	weft_array *a = (weft_array *)filled(dtype, 2, shape, &(weft_value){.kind = WEFT_INT});
	for (int64_t i = 0; a && i < shape[0]; i++)
		if (i + k >= 0 && i + k < shape[1])
			memcpy(a->bytes + (i * shape[1] + i + k) * weft_sizes[dtype], one, weft_sizes[dtype]);
	return (PyObject *)a;
}
