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

// let_go ends a deallocation.
static void let_go(PyObject *o)
{
	PyTypeObject *type = Py_TYPE(o);
	if (spares < SPARE && type == weft_array_type)
		spare[spares++] = o;
	else
		release(o);
	Py_DECREF((PyObject *)type);
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

// give_up gives the object's array back. What is left is an object without one.
static void give_up(weft_array *a)
{
	if (!a->handle && a->base)
		weft_forget_view(a);
	if (a->opened)
		weft_shut(a);
	uint64_t handle = a->handle;
	a->handle = 0;
	weft_moved(a);
	Py_CLEAR(a->base);
	if (a->bytes)
		weft_forget_small(a);
	if (handle && !weft_forked)
		goFree(handle);
}

void weft_dealloc(PyObject *self)
{
	weft_array *a = (weft_array *)self;
	if (a->weakrefs)
		PyObject_ClearWeakRefs(self);
	Py_XDECREF(a->pinned);
	Py_XDECREF(a->lender);
	give_up(a);
	if (!weft_forked)
		weft_let_owners_go();
	let_go(self);
}

// How many references an argument of weft._core.call has that dies with the call: the local variable of the function that
// calls it, and its stack. 0 is unknown.
static Py_ssize_t dying;

// references(object): how many there are, counted as call counts them.
PyObject *weft_references(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return n == 1 ? PyLong_FromSsize_t(Py_REFCNT(args[0])) : PyErr_Format(PyExc_TypeError, "references takes one object, not %zd", n);
}

// set_dying(references): see above.
PyObject *weft_set_dying(PyObject *self, PyObject *references)
{
	(void)self;
	dying = PyLong_AsSsize_t(references);
	if (dying == -1 && PyErr_Occurred())
		return NULL;
	Py_RETURN_NONE;
}

static void give_up_all(PyObject *const *args, Py_ssize_t n, Py_ssize_t references)
{
	for (Py_ssize_t i = 0; i < n; i++) {
		weft_array *a = (weft_array *)args[i];
		if (Py_TYPE(args[i]) == weft_array_type && Py_REFCNT(args[i]) == references && !a->weakrefs && !a->pinned)
			give_up(a);
	}
}

void weft_give_up_dying(PyObject *const *args, Py_ssize_t n)
{
	if (dying)
		give_up_all(args, n, dying);
}

void weft_give_up_owned(PyObject *const *args, Py_ssize_t n) { give_up_all(args, n, 1); }

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
