//go:build extension

// Arrays of Python's floats, ints and bools, and of lists of them, which are most of what programs write down. All else NumPy takes apart.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 4, INT64 = 5, FLOAT64 = 12 }; // the last two are tile.DTypes

enum { ITEM = 8 }; // bytes of the last two

typedef struct {
	int axes, dtype; // what the elements become
	int64_t shape[MOST_AXES];
	char *to; // the next element
} numbers;

// What a look at a list came to.
enum { DONE, NUMPYS, HAS_FLOATS };

static Py_ssize_t length(PyObject *o) { return PyList_CheckExact(o) ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1; }

static PyObject *item(PyObject *o, Py_ssize_t i) { return PyList_CheckExact(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i); }

static int bool_of(PyObject *o, int *is)
{
	weft_value v;
	if (PyBool_Check(o))
		*is = o == Py_True;
	else if (weft_scalar_code(o) == WEFT_BOOL_DTYPE && weft_read_scalar(o, &v))
		*is = v.i != 0;
	else
		return 0;
	return 1;
}

// put writes an element that is a float, or an int.
static int put(numbers *x, int is_float, double d, int64_t i)
{
	if (is_float && x->dtype != FLOAT64)
		return HAS_FLOATS;
	d = is_float ? d : (double)i;
	memcpy(x->to, x->dtype == FLOAT64 ? (const void *)&d : &i, ITEM);
	x->to += ITEM;
	return DONE;
}

// number writes one element.
static int number(numbers *x, PyObject *o)
{
	int beyond = 0, is = 0;
	if (x->dtype == WEFT_BOOL_DTYPE) { // all of them, or NumPy has to look
		int known = bool_of(o, &is);
		*x->to++ = (char)is;
		return known ? DONE : NUMPYS;
	}
	if (PyFloat_CheckExact(o))
		return put(x, 1, PyFloat_AsDouble(o), 0);
	if (PyLong_CheckExact(o)) {
		int64_t i = PyLong_AsLongLongAndOverflow(o, &beyond);
		return beyond ? NUMPYS : put(x, 0, 0, i); // NumPy makes unsigned integers of it, or objects
	}
	weft_value v;
	int code = weft_scalar_code(o); // of a scalar of NumPy's
	if ((code != INT64 && code != FLOAT64) || !weft_read_scalar(o, &v))
		return NUMPYS;
	return put(x, code == FLOAT64, v.re, v.i);
}

// fill writes the elements of a list that stands along an axis. Nothing of the program's runs meanwhile.
static int fill(numbers *x, PyObject *list, int axis)
{
	if (axis == x->axes)
		return number(x, list);
	if (length(list) != x->shape[axis])
		return NUMPYS;
	for (Py_ssize_t i = 0; i < x->shape[axis]; i++) {
		int rc = fill(x, item(list, i), axis + 1);
		if (rc != DONE)
			return rc;
	}
	return DONE;
}

// of is the array that NumPy makes of a float, an int, a scalar of one, or nested lists or tuples of them, as floats, as integers or, where the
// dtype is 0, as it finds them; None for anything else.
static PyObject *of(PyObject *object, int wanted)
{
	numbers x = {.axes = 0};
	int64_t n = 1, few[WEFT_FEW];
	int is;
	Py_ssize_t along;
	PyObject *first = object;
	for (; (along = length(first)) >= 0; first = item(first, 0)) {
		if (along == 0 || x.axes == MOST_AXES || along > INT32_MAX / n)
			Py_RETURN_NONE;
		x.shape[x.axes++] = along;
		n *= along;
	}
	void *data = n <= WEFT_FEW ? (void *)few : malloc((size_t)(n * ITEM));
	if (!data)
		return PyErr_NoMemory();
	x.to = data;
	x.dtype = wanted ? wanted : bool_of(first, &is) ? WEFT_BOOL_DTYPE : INT64;
	int rc = fill(&x, object, 0);
	if (rc == HAS_FLOATS && wanted == 0) {
		x.dtype = FLOAT64;
		x.to = data;
		rc = fill(&x, object, 0);
	}
	PyObject *result = NULL;
	int64_t bytes = n * weft_sizes[x.dtype];
	if (rc == DONE)
		result = weft_small_of(x.dtype, x.axes, x.shape, data, bytes);
	if (rc == DONE && !result) {
		uint64_t out;
		weft_error e = {NULL, NULL};
		if (goFromHost(data, bytes, x.dtype, x.shape, x.axes, 0, &out, &e) == WEFT_OK)
			result = weft_wrap(out);
		else
			weft_raise(&e);
	}
	if (rc != DONE)
		result = Py_NewRef(Py_None);
	if (data != few)
		free(data);
	return result;
}

PyObject *weft_of_numbers(PyObject *object) { return of(object, 0); }

// of_arrays is the array that NumPy makes of an array of few elements, a copy, or of a list of such of one shape; dtype is 0 for theirs.
// NULL where the general function has to look.
static PyObject *of_arrays(PyObject *o, int is_given, int dtype)
{
	if (Py_TYPE(o) == weft_array_type) {
		const weft_layout *l = weft_layout_of((weft_array *)o);
		if (!l || (!l->contiguous && l->ndim != 1)) // which keep the order of their axes
			return NULL;
		if (is_given && (!dtype || dtype == l->dtype))
			return Py_NewRef(o);
		return dtype && dtype != l->dtype ? weft_few_astype(0, (PyObject *[]){o, weft_dtype_object(dtype)}) : weft_eager_copy(o);
	}
	const weft_layout *first = NULL;
	for (Py_ssize_t i = 0; i < length(o); i++) {
		PyObject *row = item(o, i);
		const weft_layout *l = Py_TYPE(row) == weft_array_type ? weft_layout_of((weft_array *)row) : NULL;
		if (!l || l->ndim == 0 || (first && l->ndim != first->ndim) || (first && memcmp(l->shape, first->shape, (size_t)l->ndim * sizeof *l->shape)))
			return NULL;
		first = first ? first : l;
	}
	PyObject *zero = first && !dtype ? PyLong_FromLong(0) : NULL, *made = zero ? weft_few_join(WEFT_STACK, (PyObject *[]){o, zero}) : NULL;
	Py_XDECREF(zero);
	return made;
}

PyObject *weft_of_list(PyObject *list)
{
	PyObject *made = length(list) > 0 && Py_TYPE(item(list, 0)) == weft_array_type ? of_arrays(list, 1, 0) : NULL;
	return made || PyErr_Occurred() ? made : of(list, 0);
}

// weft_cut_numbers is array(object, dtype) and asarray(object, dtype) without a word on anything else, other than that array is to copy; a true about
// says that the latter gives an array back.
PyObject *weft_cut_numbers(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	PyObject *wanted = n > 1 ? args[1] : Py_None;
	int is_given = about == Py_True, dtype = 0;
	if (n == 0) {
		const char *missing = is_given ? "a" : "object";
		int found = 0;
		for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++)
			found |= PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, k), missing) == 0;
		return found ? NULL : PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos 0)", is_given ? "asarray" : "array", missing);
	}
	if (n > 2)
		return NULL;
	for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++) {
		PyObject *name = PyTuple_GetItem(names, k);
		if (n == 1 && PyUnicode_CompareWithASCIIString(name, "dtype") == 0)
			wanted = args[n + k];
		else if (is_given || PyUnicode_CompareWithASCIIString(name, "copy") != 0 || args[n + k] != Py_True)
			return NULL;
	}
	if (wanted != Py_None) {
		dtype = weft_dtype_code(wanted);
		if (dtype <= 0) {
			PyErr_Clear(); // the general function finds that out as well
			return NULL;
		}
		if (dtype != INT64 && dtype != FLOAT64 && Py_TYPE(args[0]) != weft_array_type)
			return NULL;
	}
	if (weft_ensure_started() < 0)
		return NULL;
	const int64_t none = 0;
	if (length(args[0]) == 0)
		return (PyObject *)weft_new_packed(dtype ? dtype : FLOAT64, 1, &none);
	PyObject *made = Py_TYPE(args[0]) == weft_array_type || length(args[0]) > 0 ? of_arrays(args[0], is_given, dtype) : NULL;
	if (made || PyErr_Occurred() || (length(args[0]) < 0 && !PyFloat_CheckExact(args[0]) && !PyLong_CheckExact(args[0])))
		return made;
	made = of(args[0], dtype);
	if (made == Py_None)
		Py_CLEAR(made);
	return made;
}
