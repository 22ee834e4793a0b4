//go:build extension

// What functions do that look at no elements, or at no arrays at all: np.ndim, np.iterable, np.errstate.
#include "shim.h"
#include "few.h"
#include "handover.h"
#include <string.h>

static PyObject *truth(int is) { return Py_NewRef(is ? Py_True : Py_False); }

// weft_cut_extent is np.ndim, np.iterable and their like of an array. about says which one, and the number of its row of the table, or -1.
PyObject *weft_cut_extent(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	enum { SHAPE, NDIM, SIZE, ITERABLE, IS_COMPLEX, IS_REAL, IS_SCALAR };
	enum { FIRST_COMPLEX = 13 }; // a tile.DType
	if (n != 1 || names)
		return NULL;
	int is_array = Py_TYPE(args[0]) == weft_array_type;
	long which = PyLong_AsLong(PyTuple_GetItem(about, 0)), row = PyLong_AsLong(PyTuple_GetItem(about, 1));
	if (which == IS_SCALAR && !is_array)
		return PyFloat_CheckExact(args[0]) || PyLong_CheckExact(args[0]) || PyUnicode_CheckExact(args[0]) || weft_scalar_code(args[0]) ? truth(1) : NULL;
	if (!is_array && (PyFloat_CheckExact(args[0]) || PyLong_CheckExact(args[0]))) {
		switch (which) {
		case SHAPE: return PyTuple_New(0);
		case NDIM: return PyLong_FromLong(0);
		case SIZE: return PyLong_FromLong(1);
		case ITERABLE: case IS_COMPLEX: return truth(0);
		case IS_REAL: return truth(1);
		default: return NULL;
		}
	}
	if (!is_array)
		return NULL;
	ENTER(NULL)
	const weft_layout *l = weft_layout_of((weft_array *)args[0]);
	if (!l)
		return NULL;
	if (row >= 0)
		weft_count_made((int)row);
	switch (which) {
	case SHAPE: return weft_int_tuple(l->shape, l->ndim);
	case NDIM: return PyLong_FromLong(l->ndim);
	case SIZE: return PyLong_FromLongLong(l->size);
	case ITERABLE: return truth(l->ndim > 0);
	case IS_COMPLEX: return truth(l->dtype >= FIRST_COMPLEX);
	case IS_REAL: return truth(l->dtype < FIRST_COMPLEX);
	case IS_SCALAR: return truth(0);
	default: return NULL;
	}
}

// asks says whether an argument is none of weft's arrays, nor may have one in it.
static int asks(PyObject *o, int depth)
{
	if (PyUnicode_CheckExact(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || o == Py_None)
		return 1;
	if (PyTuple_CheckExact(o) && depth == 0) {
		Py_ssize_t i = 0, n = PyTuple_Size(o);
		while (i < n && asks(PyTuple_GetItem(o, i), 1))
			i++;
		return i == n;
	}
	if (PyType_Check(o))
		return o != (PyObject *)weft_array_type;
	PyTypeObject *type = Py_TYPE(o);
	return type == weft_np_type || weft_is_plain(type) || PyType_IsSubtype(type, weft_np_descr) || (PyType_IsSubtype(type, weft_np_type) && weft_np_passes(type));
}

// weft_cut_asked calls NumPy's function, which about is, of types, words, numbers and NumPy's own arrays. What it gives is what the program gets: a word, a number, or a mask.
PyObject *weft_cut_asked(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	Py_ssize_t all = n + (names ? PyTuple_Size(names) : 0);
	for (Py_ssize_t i = 0; i < all; i++)
		if (!asks(args[i], 0))
			return NULL;
	return PyObject_Vectorcall(about, args, (size_t)n, names);
}

// weft_cut_settings calls NumPy's function, or method, with settings of floating-point errors that ask for nothing, so that there is nothing that weft
// need look for. about is the function, and how many arguments stand before the settings.
PyObject *weft_cut_settings(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	Py_ssize_t is_method = PyLong_AsSsize_t(PyTuple_GetItem(about, 1));
	for (Py_ssize_t k = 0; k < n + (names ? PyTuple_Size(names) : 0); k++) {
		PyObject *wanted = args[k];
		if (k >= is_method && wanted != Py_None && !(PyUnicode_CheckExact(wanted) && PyUnicode_CompareWithASCIIString(wanted, "ignore") == 0))
			return NULL;
	}
	return n >= is_method ? PyObject_Vectorcall(PyTuple_GetItem(about, 0), args, (size_t)n, names) : NULL;
}
