//go:build extension

// The end of an array: what it gives back. An array that dies in a call of the table is given back before the call, so that its
// value is not kept for a wait:
//
//	abs(x - y).max()    the argument of max is what abs gave, and nothing but the call holds it
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "loans.h"

// forget_small gives back the bytes that are the object's own, or borrowed.
static void forget_small(weft_array *a)
{
	if (a->borrowed) {
		weft_give_borrowed(a);
		return;
	}
	int64_t bytes = a->at.size * weft_sizes[a->at.dtype];
	if (a->lasting)
		weft_return_block(a->bytes, bytes);
	else
		weft_give_block(a->bytes, bytes);
	a->lasting = 0;
	a->bytes = NULL;
	weft_smalls--;
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
		forget_small(a);
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
	weft_end_object(self);
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

// watched says whether a tool of sys.monitoring may be told of the call, after it, with its first argument: it would find an
// array that was given back. Python is asked, which takes a part of a microsecond, where a value is waited for anyway.
static int watched(void)
{
	enum { TOOLS = 6 }; // that sys.monitoring has room for
	PyObject *monitoring = PySys_GetObject("monitoring"); // from Python 3.12 on
	int found = 0;
	for (int i = 0; monitoring && !found && i < TOOLS; i++) {
		PyObject *tool = PyObject_CallMethod(monitoring, "get_tool", "i", i);
		found = tool != Py_None; // an error as well
		PyErr_Clear();
		Py_XDECREF(tool);
	}
	return found;
}

void weft_give_up_owned(PyObject *const *args, Py_ssize_t n)
{
	if (!watched())
		give_up_all(args, n, 1);
}
