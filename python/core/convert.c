//go:build extension

// Python objects to values and back.
//
// A parameter has a role, told by one letter in define() (see table.c):
//
//	a  array_like: arrays, numbers (weak), NumPy arrays and scalars, nested lists
//	s  array_like of which the result may be a view: the memory of NumPy's arrays and of buffers is shared
//	l  a sequence of array_likes
//	t  a text, an array_like, or a tuple of these
//	L  a sequence of those that are shared
//	d  a dtype
//	i  an index: like v, but lists are arrays, and NumPy's arrays of no axes stay arrays
//	v  any plain value: numbers, None, strings, tuples, lists, slices, dtypes, arrays
//	o  like v, but an array must be one of ours: NumPy writes into its own arrays itself
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void weft_values_init(weft_values *b)
{
	b->v = b->fixed;
	b->n = 0;
	b->cap = sizeof b->fixed / sizeof *b->fixed;
	b->temporaries = NULL;
}

void weft_values_free(weft_values *b)
{
	if (b->v != b->fixed)
		free(b->v);
	Py_CLEAR(b->temporaries);
}

// next returns the index of a new value; addresses change when the buffer grows.
static int next(weft_values *b, int kind)
{
	if (b->n == b->cap) {
		weft_value *v = malloc(2 * b->cap * sizeof *v);
		if (!v) {
			PyErr_NoMemory();
			return -1;
		}
		memcpy(v, b->v, b->n * sizeof *v);
		if (b->v != b->fixed)
			free(b->v);
		b->v = v;
		b->cap *= 2;
	}
	memset(&b->v[b->n], 0, sizeof *b->v);
	b->v[b->n].kind = kind;
	return b->n++;
}

static int keep(weft_values *b, PyObject *o)
{
	if (!b->temporaries && !(b->temporaries = PyList_New(0))) {
		Py_DECREF(o);
		return -1;
	}
	int rc = PyList_Append(b->temporaries, o);
	Py_DECREF(o);
	return rc;
}

// number fills in a Python int: 1 done, 0 too large for us.
static int number(PyObject *o, weft_value *v)
{
	int overflow;
	long long i = PyLong_AsLongLongAndOverflow(o, &overflow);
	v->kind = WEFT_INT;
	v->i = i;
	if (overflow == 0)
		return i == -1 && PyErr_Occurred() ? -1 : 1;
	if (overflow < 0)
		return 0;
	unsigned long long u = PyLong_AsUnsignedLongLong(o);
	if (u == (unsigned long long)-1 && PyErr_Occurred()) {
		PyErr_Clear();
		return 0;
	}
	v->kind = WEFT_UINT;
	v->i = (int64_t)u;
	return 1;
}

// scalar fills in an exact Python number, which is weak: 1 done, 0 something else.
static int scalar(PyObject *o, weft_value *v)
{
	v->dtype = 0;
	if (PyFloat_CheckExact(o)) {
		v->kind = WEFT_FLOAT;
		v->re = PyFloat_AsDouble(o);
		return 1;
	}
	if (PyLong_CheckExact(o))
		return number(o, v);
	if (o == Py_True || o == Py_False) {
		v->kind = WEFT_BOOL;
		v->i = o == Py_True;
		return 1;
	}
	if (PyComplex_CheckExact(o)) {
		v->kind = WEFT_COMPLEX;
		v->re = PyComplex_RealAsDouble(o);
		v->im = PyComplex_ImagAsDouble(o);
		return 1;
	}
	return 0;
}

// as_array is weft_operand without the numbers that have a dtype: an array is made of NumPy's scalars.
static int as_array(PyObject *o, weft_value *v, PyObject **temporary)
{
	*temporary = NULL;
	if (Py_TYPE(o) == weft_array_type) {
		v->kind = WEFT_ARRAY;
		v->handle = weft_handle(o);
		v->s = (const char *)o;
		return 1;
	}
	int rc = scalar(o, v);
	if (rc)
		return rc;
	if ((PyObject *)Py_TYPE(o) != weft_np_ndarray && PyObject_IsInstance(o, weft_np_generic) != 1) {
		PyErr_Clear();
		return 0;
	}
	PyObject *a = weft_from_host(o);
	if (!a)
		return PyErr_Occurred() ? -1 : 0;
	*temporary = a;
	v->kind = WEFT_ARRAY;
	v->handle = weft_handle(a);
	v->s = (const char *)a;
	return 1;
}

int weft_operand(PyObject *o, weft_value *v, PyObject **temporary)
{
	*temporary = NULL;
	return weft_read_scalar(o, v) ? 1 : as_array(o, v, temporary);
}

int weft_read_again(weft_value *v, int n)
{
	for (; n > 0; v++, n--)
		if (v->kind == WEFT_ARRAY)
			v->handle = weft_handle((PyObject *)v->s);
	return 1;
}

// array_like converts what NumPy would: 0 done, 1 NumPy has to answer. shared is for functions whose results may be
// views: memory that others own is not copied.
static int array_like(weft_values *b, PyObject *o, int shared)
{
	int at = next(b, WEFT_MISSING);
	if (at < 0)
		return -1;
	PyObject *made = NULL;
	int rc = shared && (PyObject *)Py_TYPE(o) == weft_np_ndarray ? 0 : as_array(o, &b->v[at], &made);
	if (rc < 0)
		return -1;
	if (made && keep(b, made) < 0)
		return -1;
	if (rc) // an array of a number past int64 is one of unsigned long longs, which weft has not
		return b->v[at].kind == WEFT_UINT && PyLong_CheckExact(o);
	if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
		if (!(made = weft_of_numbers(o)))
			return -1;
		if (made == Py_None)
			Py_CLEAR(made);
	}
	if (!made && shared && !(made = weft_borrow(o)) && PyErr_Occurred())
		return -1;
	if (!made) {
		PyObject *hook = weft_hook(shared ? "shared" : "asweft");
		if (!hook || !(made = PyObject_CallFunctionObjArgs(hook, o, NULL)))
			return -1;
	}
	if (Py_TYPE(made) != weft_array_type) {
		Py_DECREF(made);
		return 1;
	}
	b->v[at].kind = WEFT_ARRAY;
	b->v[at].handle = weft_handle(made);
	b->v[at].s = (const char *)made;
	return keep(b, made);
}

static int sequence(weft_values *b, PyObject *o, char role)
{
	int at = next(b, WEFT_TUPLE);
	if (at < 0)
		return -1;
	PyObject *items = PySequence_Tuple(o);
	if (!items)
		return -1;
	Py_ssize_t n = PyTuple_Size(items);
	b->v[at].n = (int32_t)n;
	b->v[at].i = PyList_Check(o);
	// Borrowed strings stay valid: the caller holds what it gave, and the copy is kept.
	if (keep(b, items) < 0)
		return -1;
	for (Py_ssize_t i = 0; i < n; i++) {
		int rc = weft_push(b, PyTuple_GetItem(items, i), role);
		if (rc)
			return rc;
	}
	return 0;
}

static int slice(weft_values *b, PyObject *o)
{
	static const char *parts[] = {"start", "stop", "step"};
	int at = next(b, WEFT_SLICE);
	if (at < 0)
		return -1;
	b->v[at].n = 3;
	for (int i = 0; i < 3; i++) {
		PyObject *part = PyObject_GetAttrString(o, parts[i]);
		if (!part || keep(b, part) < 0)
			return -1;
		if (part != Py_None && !PyLong_CheckExact(part) && Py_TYPE(part) != weft_array_type) {
			// Anything with __index__; NumPy's words when there is none.
			PyObject *whole = PyIndex_Check(part) ? PyNumber_Index(part) : NULL;
			if (!whole) {
				if (!PyErr_Occurred())
					PyErr_SetString(PyExc_TypeError, "slice indices must be integers or None or have an __index__ method");
				return -1;
			}
			if (keep(b, whole) < 0)
				return -1;
			part = whole;
		}
		int rc = weft_push(b, part, 'v');
		if (rc)
			return rc;
	}
	return 0;
}

int weft_push(weft_values *b, PyObject *o, char role)
{
	if (o == weft_no_value)
		return next(b, WEFT_MISSING) < 0 ? -1 : 0;
	if (o == Py_None)
		return next(b, WEFT_NONE) < 0 ? -1 : 0;
	int at;
	if (role == 'd') {
		int code = weft_dtype_code(o);
		if (code <= 0)
			return code < 0 ? -1 : 1;
		if ((at = next(b, WEFT_DTYPE)) < 0)
			return -1;
		b->v[at].dtype = (uint8_t)code;
		return 0;
	}
	if (role == 'a' || role == 's' || (role == 't' && !PyUnicode_Check(o) && !PyTuple_Check(o)))
		return array_like(b, o, role == 's');
	if ((role == 'l' || role == 'L') && (PyTuple_Check(o) || PyList_Check(o)))
		return sequence(b, o, role == 'l' ? 'a' : 's');
	if (role == 'l' || role == 'L')
		return array_like(b, o, role == 'L');
	if (Py_TYPE(o) == weft_array_type) {
		if ((at = next(b, WEFT_ARRAY)) < 0)
			return -1;
		b->v[at].handle = weft_handle(o);
		b->v[at].s = (const char *)o;
		return 0;
	}
	if ((at = next(b, WEFT_MISSING)) < 0)
		return -1;
	int rc = scalar(o, &b->v[at]);
	if (rc)
		return rc < 0 ? -1 : 0;
	b->n = at; // not a number: take the place back
	if (PySlice_Check(o))
		return slice(b, o);
	if (o == Py_Ellipsis)
		return next(b, WEFT_ELLIPSIS) < 0 ? -1 : 0;
	if (PyTuple_Check(o))
		return sequence(b, o, role);
	if (role == 'i' && PyList_Check(o) && PyList_Size(o) == 0)
		return 1; // integers, as an index, but floats as an array
	if (PyList_Check(o) && role == 'o')
		return 1; // a tuple may be an out, a list is none
	if (PyList_Check(o))
		return role == 'i' ? array_like(b, o, 0) : sequence(b, o, role);
	if (PyUnicode_Check(o)) {
		Py_ssize_t n;
		const char *text = PyUnicode_AsUTF8AndSize(o, &n);
		if (!text) {
			PyErr_Clear();
			return 1;
		}
		if ((at = next(b, WEFT_STRING)) < 0)
			return -1;
		b->v[at].s = text;
		b->v[at].n = (int32_t)n;
		return 0;
	}
	if (role == 'o')
		return 1;
	if (role == 'i' && weft_scalar_code(o) >= WEFT_FIRST_INEXACT) // a number that is no index, as Python's floats are
		return next(b, WEFT_FLOAT) < 0 ? -1 : 0;
	const int hosts = PyType_IsSubtype(Py_TYPE(o), weft_np_type); // of classes derived from ndarray as well: an index is its elements
	if (hosts || PyObject_IsInstance(o, weft_np_generic) == 1) {
		// NumPy integers stand for shapes, axes and counts. As an index they select views, and arrays of no axes copies.
		if ((role == 'v' || (role == 'i' && !hosts)) && PyIndex_Check(o)) {
			PyObject *whole = PyNumber_Index(o);
			if (whole) {
				if ((at = next(b, WEFT_MISSING)) < 0)
					return -1;
				rc = number(whole, &b->v[at]);
				Py_DECREF(whole);
				return rc < 0 ? -1 : rc == 0;
			}
			PyErr_Clear();
		}
		return array_like(b, o, 0);
	}
	PyErr_Clear();
	if (PyIndex_Check(o)) {
		PyObject *whole = PyNumber_Index(o);
		if (!whole)
			return -1;
		if ((at = next(b, WEFT_MISSING)) < 0)
			return -1;
		rc = number(whole, &b->v[at]);
		Py_DECREF(whole);
		return rc < 0 ? -1 : rc == 0;
	}
	return 1;
}

PyObject *weft_scalar(const weft_value *v)
{
	switch (v->kind) {
	case WEFT_BOOL:
		return PyBool_FromLong(v->i != 0);
	case WEFT_INT:
		return PyLong_FromLongLong(v->i);
	case WEFT_UINT:
		return PyLong_FromUnsignedLongLong((uint64_t)v->i);
	case WEFT_FLOAT:
		return PyFloat_FromDouble(v->re);
	case WEFT_COMPLEX:
		return PyComplex_FromDoubles(v->re, v->im);
	}
	PyErr_Format(PyExc_SystemError, "weft._core: value of kind %d is not a number", v->kind);
	return NULL;
}

PyObject *weft_pop(const weft_value **p)
{
	const weft_value *v = (*p)++;
	switch (v->kind) {
	case WEFT_MISSING:
	case WEFT_NONE:
		Py_RETURN_NONE;
	case WEFT_STRING: {
		PyObject *text = PyUnicode_FromStringAndSize(v->s, v->n);
		free((char *)v->s);
		return text;
	}
	case WEFT_DTYPE:
		return Py_XNewRef(weft_dtype_object(v->dtype));
	case WEFT_ARRAY: // a new one, a view of an argument, or one of the arguments
		if (!v->s || v->handle & WEFT_SCALAR) // of a view a scalar is a copy
			return weft_result(v->handle);
		return v->handle ? weft_wrap_view(v->handle, (PyObject *)v->s) : Py_NewRef((PyObject *)v->s);
	case WEFT_ELLIPSIS:
		return Py_NewRef(Py_Ellipsis);
	case WEFT_TUPLE: {
		PyObject *items = PyTuple_New(v->n);
		for (int i = 0; i < v->n; i++) {
			// Every item is taken even after a failure: arrays have to be freed.
			PyObject *item = weft_pop(p);
			if (!item)
				Py_CLEAR(items);
			else if (!items)
				Py_DECREF(item);
			else
				PyTuple_SetItem(items, i, item);
		}
		return items;
	}
	}
	return weft_scalar(v);
}

int weft_push_operand(weft_values *b, PyObject *o)
{
	weft_value v = {0};
	if (!weft_read_scalar(o, &v))
		return weft_push(b, o, 'a');
	int at = next(b, v.kind);
	if (at < 0)
		return -1;
	b->v[at] = v;
	return 0;
}
