//go:build extension

// Arrays of Python's floats and ints, and of lists of them, which are most of what programs write down. All else NumPy takes apart.
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>

enum { MOST_AXES = 4, INT64 = 5, FLOAT64 = 12 }; // the last two are tile.DTypes

typedef struct {
	int axes, floats; // floats says whether the elements become these; otherwise they are integers
	int64_t shape[MOST_AXES];
	union {
		int64_t i;
		double d;
	} *to; // the next element
} numbers;

// What a look at a list came to.
enum { DONE, NUMPYS, HAS_FLOATS };

static Py_ssize_t length(PyObject *o) { return PyList_CheckExact(o) ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1; }

static PyObject *item(PyObject *o, Py_ssize_t i) { return PyList_CheckExact(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i); }

// number writes one element.
static int number(numbers *x, PyObject *o)
{
	if (PyFloat_CheckExact(o)) {
		if (!x->floats)
			return HAS_FLOATS;
		x->to++->d = PyFloat_AsDouble(o);
		return DONE;
	}
	int beyond = 0;
	int64_t i = 0;
	if (PyLong_CheckExact(o)) {
		i = PyLong_AsLongLongAndOverflow(o, &beyond);
	} else { // a scalar of NumPy's
		weft_value v;
		int code = weft_scalar_code(o);
		if ((code != INT64 && code != FLOAT64) || !weft_read_scalar(o, &v))
			return NUMPYS;
		if (code == FLOAT64 && !x->floats)
			return HAS_FLOATS;
		if (code == FLOAT64) {
			x->to++->d = v.re;
			return DONE;
		}
		i = v.i;
	}
	if (x->floats)
		x->to++->d = (double)i;
	else
		x->to++->i = i;
	return beyond ? NUMPYS : DONE; // which makes unsigned integers of it, or objects
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

// of_numbers(object, floats): the array that NumPy makes of a float, an int, a scalar of one, or nested lists or tuples of them, as floats or
// as it finds them; None for anything else.
PyObject *weft_of_numbers(PyObject *self, PyObject *const *args, Py_ssize_t given)
{
	(void)self;
	ENTER(NULL)
	if (given != 2)
		return PyErr_Format(PyExc_TypeError, "of_numbers takes an object and whether it becomes floats, not %zd arguments", given);
	PyObject *object = args[0];
	numbers x = {.axes = 0, .floats = args[1] == Py_True};
	if (weft_ensure_started() < 0)
		return NULL;
	int64_t n = 1;
	Py_ssize_t along;
	for (PyObject *o = object; (along = length(o)) >= 0; o = item(o, 0)) {
		if (along == 0 || x.axes == MOST_AXES || along > INT32_MAX / n)
			Py_RETURN_NONE;
		x.shape[x.axes++] = along;
		n *= along;
	}
	int64_t few[WEFT_FEW];
	void *data = n <= WEFT_FEW ? (void *)few : malloc(n * sizeof *x.to);
	if (!data)
		return PyErr_NoMemory();
	x.to = data;
	int rc = fill(&x, object, 0);
	if (rc == HAS_FLOATS) {
		x.floats = 1;
		x.to = data;
		rc = fill(&x, object, 0);
	}
	PyObject *result = NULL;
	int dtype = x.floats ? FLOAT64 : INT64;
	if (rc == DONE)
		result = weft_small_of(dtype, x.axes, x.shape, data, n * sizeof *x.to);
	if (rc == DONE && !result) {
		uint64_t out;
		weft_error e = {NULL, NULL};
		if (goFromHost(data, n * sizeof *x.to, dtype, x.shape, x.axes, 0, &out, &e) == WEFT_OK)
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

// weft_cut_numbers is array(object) and asarray(object) without a word on anything else; a true about says that the latter gives an array back.
PyObject *weft_cut_numbers(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	if (n == 0) {
		const char *wanted = about == Py_True ? "a" : "object";
		int found = 0;
		for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++)
			found |= PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, k), wanted) == 0;
		return found ? NULL : PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s' (pos 0)", about == Py_True ? "asarray" : "array", wanted);
	}
	if (n == 1 && !names && about == Py_True && Py_TYPE(args[0]) == weft_array_type)
		return Py_NewRef(args[0]);
	if (n != 1 || names || (length(args[0]) < 0 && !PyFloat_CheckExact(args[0]) && !PyLong_CheckExact(args[0])))
		return NULL;
	PyObject *made = weft_of_numbers(NULL, (PyObject *[]){args[0], Py_False}, 2);
	if (made == Py_None)
		Py_CLEAR(made);
	return made;
}
