//go:build extension

// arange(stop), arange(start, stop) and arange(start, stop, step) by the object that stands in Python, which knows the row of the
// table that answers what this file does not.
#include "shim.h"
#include "few.h"

// lacks_stop says whether a call names parameters of arange, and no stop, without which start is none either.
static int lacks_stop(Py_ssize_t n, PyObject *names)
{
	static const char *const others[] = {"start", "step", "dtype", "device", "like"};
	for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++) {
		size_t i = 0;
		while (i < sizeof others / sizeof *others && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, k), others[i]))
			i++;
		if (i == sizeof others / sizeof *others)
			return 0; // stop, or what is not known
	}
	return n == 0;
}

// weft_cut_range is arange(stop), arange(start, stop) and arange(start, stop, step), perhaps with a dtype; about is the number of its row of the table.
PyObject *weft_cut_range(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	if (lacks_stop(n, names)) {
		PyErr_SetString(PyExc_TypeError, "arange() requires stop to be specified.");
		return NULL;
	}
	int typed = names && PyTuple_Size(names) == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "dtype") == 0;
	if (n < 1 || n > 3 || (names && !typed) || weft_ensure_started() < 0)
		return NULL;
	if (PyUnicode_CheckExact(args[0]) || (!weft_scalar_code(args[0]) && PyObject_IsInstance(args[0], weft_np_generic) == 1)) // dates
		return weft_row_plainly((int)PyLong_AsLong(about), args, n, names);
	PyObject *zero = PyLong_FromLong(0), *one = PyLong_FromLong(1);
	PyObject *made = zero && one ? weft_make_literal(WEFT_MAKES_RANGE, (PyObject *[]){n > 1 ? args[0] : zero, args[n > 1], n > 2 ? args[2] : one, typed ? args[n] : Py_None}, 4) : NULL;
	Py_XDECREF(zero);
	Py_XDECREF(one);
	if (made)
		weft_count_made((int)PyLong_AsLong(about));
	return made;
}
