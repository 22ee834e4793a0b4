//go:build extension

// Functions that give an array back where it is already as they want it: ascontiguousarray, asfortranarray, atleast_1d and its like.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

static const weft_layout *only(PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return n == 1 && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
}

// weft_cut_order is ascontiguousarray(a), and asfortranarray(a) where about is true.
PyObject *weft_cut_order(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	int fortran = about == Py_True;
	if (n == 1 && !names && (PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0]))) {
		if (weft_ensure_started() < 0)
			return NULL;
		PyObject *read = weft_of_numbers(args[0]), *made = read && read != Py_None ? weft_cut_order(about, &read, 1, NULL) : NULL;
		Py_XDECREF(read);
		return made;
	}
	const weft_layout *l = only(args, n, names);
	if (!l || l->ndim == 0 || l->size == 0)
		return NULL;
	if (fortran ? weft_is_fortran(l) : l->contiguous)
		return Py_NewRef(args[0]);
	return fortran ? weft_fortran_copy(args[0]) : weft_eager_copy(args[0]);
}

// weft_cut_axes is atleast_1d(a) and its like of an array that has as many axes as about says.
PyObject *weft_cut_axes(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	const weft_layout *l = only(args, n, names);
	long wanted = l ? PyLong_AsLong(about) : 0;
	if (l && l->ndim == 1 && wanted == 2)
		return weft_slice(args[0], Py_None); // a row
	return l && l->ndim >= wanted ? Py_NewRef(args[0]) : NULL;
}
