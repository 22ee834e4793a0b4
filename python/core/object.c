//go:build extension

// The objects of arrays: how one is made around an array of Go's, and what its end gives back. A Python object owns one
// slot of Go's table of arrays, and nothing else. What its type can do is in ndarray.c.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stddef.h>
#include <string.h>

static allocfunc alloc;
static freefunc release;

// Objects whose arrays are gone and that are used again, which takes a third of the time of a new one.
enum { SPARE = 64 };
static PyObject *spare[SPARE];
static int spares;

// fresh returns an object of which all is zero; NULL with an exception.
static weft_array *fresh(void)
{
	if (spares == 0)
		return (weft_array *)alloc(weft_array_type, 0);
	PyObject *o = spare[--spares];
	weft_array *a = (weft_array *)o;
	const size_t before = offsetof(weft_array, at), behind = before + sizeof a->at, half = offsetof(weft_array, pinned);
	memset((char *)o + sizeof *o, 0, before - sizeof *o);
	a->at.known = 0;
	a->at.ndim = 0; // what is noted of an array whose layout is not known yet is a number
	a->at.dtype = 0;
	memset((char *)o + behind, 0, half - behind); // in two parts, each of which takes a few stores; the processor's own loop takes 10 ns to begin
	memset((char *)o + half, 0, sizeof *a - half);
	Py_SET_REFCNT(o, 1);
	Py_INCREF((PyObject *)weft_array_type);
	return (weft_array *)o;
}

void weft_end_object(PyObject *o)
{
	PyTypeObject *type = Py_TYPE(o);
	if (spares < SPARE && type == weft_array_type)
		spare[spares++] = o;
	else
		release(o);
	Py_DECREF((PyObject *)type);
}

PyObject *weft_copied(const char *data, int64_t bytes, int dtype, const int64_t *shape, int ndim)
{
	uint64_t out;
	weft_error e = {NULL, NULL};
	int rc;
	do {
		WEFT_MEET
		rc = goFromHost((void *)data, bytes, dtype, (int64_t *)shape, ndim, 0, &out, &e);
		WEFT_MET
	} while (rc == WEFT_INTERRUPTED && PyErr_CheckSignals() == 0);
	if (rc == WEFT_OK)
		return weft_wrap(out);
	return rc == WEFT_INTERRUPTED ? NULL : weft_raise(&e);
}

PyObject *weft_wrap(uint64_t handle)
{
	weft_array *a = fresh();
	if (!a) {
		if (handle)
			goFree(handle);
		return NULL;
	}
	a->handle = handle; // the rest is zero
	return (PyObject *)a;
}

PyObject *weft_wrap_view(uint64_t handle, PyObject *of)
{
	PyObject *view = weft_wrap(handle);
	if (view) {
		PyObject *base = ((weft_array *)of)->base;
		((weft_array *)view)->base = Py_NewRef(base ? base : of);
		((weft_array *)view)->warns = ((weft_array *)of)->warns;
	}
	return view;
}

PyObject *weft_int_tuple(const int64_t *v, int n)
{
	PyObject *t = PyTuple_New(n);
	for (int i = 0; t && i < n; i++) {
		PyObject *item = PyLong_FromLongLong(v[i]);
		if (!item)
			Py_CLEAR(t);
		else
			PyTuple_SetItem(t, i, item);
	}
	return t;
}

int weft_some_warn;

int weft_warn_of_writing(PyObject *o)
{
	if (Py_TYPE(o) != weft_array_type || !((weft_array *)o)->warns)
		return 0;
	PyObject *hook = weft_hook("warn_of_writing"), *done = hook ? PyObject_CallFunction(hook, "Oi", o, 2) : NULL;
	Py_XDECREF(done);
	return done ? 0 : -1;
}

void weft_know_array_type(void)
{
	alloc = (allocfunc)PyType_GetSlot(weft_array_type, Py_tp_alloc);
	release = (freefunc)PyType_GetSlot(weft_array_type, Py_tp_free);
}

void weft_moved(weft_array *a)
{
	a->place.layout = WEFT_NO_LAYOUT;
	a->at.known = 0;
}
