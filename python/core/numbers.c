//go:build extension

// Arrays of Python's floats, ints and bools, and of lists of them, which are most of what programs write down. All else NumPy takes apart.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 4, INT64 = 5, UINT8 = 6, UINT64 = 9, FLOAT16 = 10, FLOAT32 = 11, FLOAT64 = 12, COMPLEX64 = 13, COMPLEX128 = 14 }; // from the second on tile.DTypes

typedef struct {
	int axes, dtype; // what the elements become
	int64_t shape[MOST_AXES];
	char *to; // the next element
} numbers;

// What a look at a list came to: what it has that is none of the dtype is of the kind that its name says, or NumPy's to read.
enum { DONE, NUMPYS, HAS_INTS, HAS_FLOATS, HAS_COMPLEX };

// As for function.c, the limited API has the name from 3.12 on.
extern PyObject *PyObject_Vectorcall(PyObject *function, PyObject *const *args, size_t n, PyObject *names);

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
	if (is_float && x->dtype == INT64)
		return HAS_FLOATS;
	double parts[2] = {is_float ? d : (double)i, 0};
	weft_copy_element(x->to, x->dtype == INT64 ? (const void *)&i : parts, weft_sizes[x->dtype]);
	x->to += weft_sizes[x->dtype];
	return DONE;
}

static int put_complex(numbers *x, double re, double im)
{
	double parts[2] = {re, im};
	if (x->dtype != COMPLEX128)
		return HAS_COMPLEX;
	memcpy(x->to, parts, sizeof parts);
	x->to += sizeof parts;
	return DONE;
}

// number writes one element.
static int number(numbers *x, PyObject *o)
{
	int beyond = 0, is = 0;
	if (x->dtype == WEFT_BOOL_DTYPE) { // all of them, or they are numbers
		int known = bool_of(o, &is);
		*x->to++ = (char)is;
		return known ? DONE : HAS_INTS;
	}
	if (PyFloat_CheckExact(o))
		return put(x, 1, PyFloat_AsDouble(o), 0);
	if (PyLong_CheckExact(o)) {
		int64_t i = PyLong_AsLongLongAndOverflow(o, &beyond);
		return beyond ? NUMPYS : put(x, 0, 0, i); // NumPy makes unsigned integers of it, or objects
	}
	if (PyComplex_CheckExact(o))
		return put_complex(x, PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
	if (bool_of(o, &is))
		return put(x, 0, 0, is);
	weft_value v;
	int code = weft_scalar_code(o); // of a scalar of NumPy's
	if ((code != INT64 && code != FLOAT64 && code != COMPLEX128) || !weft_read_scalar(o, &v))
		return NUMPYS;
	return code == COMPLEX128 ? put_complex(x, v.re, v.im) : put(x, code == FLOAT64, v.re, v.i);
}

// fill writes the elements of a list that stands along an axis. Nothing of the program's runs meanwhile.
static int fill(numbers *x, PyObject *list, int axis)
{
	if (axis == x->axes)
		return number(x, list);
	if (weft_items(list) != x->shape[axis])
		return NUMPYS;
	for (Py_ssize_t i = 0; i < x->shape[axis]; i++) {
		int rc = fill(x, weft_item_of(list, i), axis + 1);
		if (rc != DONE)
			return rc;
	}
	return DONE;
}

// widest is the dtype that elements of one are read as; 0 where NumPy reads them.
static int widest(int dtype)
{
	return dtype > WEFT_BOOL_DTYPE && dtype <= UINT64 ? INT64 : dtype == FLOAT32 ? FLOAT64 : dtype == COMPLEX64 ? COMPLEX128 : dtype == FLOAT16 ? 0 : dtype;
}

// narrow makes an array of a dtype of numbers that were read as wider ones. None where one is out of its range, which NumPy tells of.
static PyObject *narrow(const numbers *x, int dtype, int64_t n, char *data)
{
	int parts = x->dtype == COMPLEX128 ? 2 : 1, fits = 1;
	int64_t bits = 8 * weft_sizes[dtype], least = dtype >= UINT8 ? 0 : -((int64_t)1 << (bits - 1)), most = dtype == UINT64 ? INT64_MAX : ((int64_t)1 << (dtype >= UINT8 ? bits : bits - 1)) - 1;
	for (int64_t i = 0; i < n * parts; i++) {
		const double d = ((const double *)data)[i];
		const int64_t whole = ((const int64_t *)data)[i];
		fits = fits && (x->dtype == INT64 ? whole >= least && whole <= most : !isfinite(d) || isfinite((float)d));
	}
	const void *code = fits ? weft_conversion_code(x->dtype, dtype) : NULL;
	weft_array *made = code ? weft_new_packed(dtype, x->axes, x->shape) : NULL;
	char *in[EAGER_INPUTS] = {data};
	if (made)
		eager_map(code, n, made->bytes, in, 0, NULL);
	return made || PyErr_Occurred() ? (PyObject *)made : Py_NewRef(Py_None);
}

// of is the array that NumPy makes of a float, an int, a scalar of one, or nested lists or tuples of them, as numbers of a dtype or, where that
// is 0, as it finds them; None for anything else.
PyObject *weft_numbers_as(PyObject *object, int wanted)
{
	static const int next[] = {[HAS_INTS] = INT64, [HAS_FLOATS] = FLOAT64, [HAS_COMPLEX] = COMPLEX128};
	numbers x = {.axes = 0};
	int64_t n = 1, few[2 * WEFT_FEW];
	int is;
	Py_ssize_t along;
	PyObject *first = object;
	for (; (along = weft_items(first)) >= 0; first = weft_item_of(first, 0)) {
		if (along == 0 || x.axes == MOST_AXES || along > INT32_MAX / n)
			Py_RETURN_NONE;
		x.shape[x.axes++] = along;
		n *= along;
	}
	x.dtype = wanted ? widest(wanted) : bool_of(first, &is) ? WEFT_BOOL_DTYPE : INT64;
	if (!x.dtype)
		Py_RETURN_NONE;
	void *data = n <= WEFT_FEW ? (void *)few : malloc((size_t)n * sizeof(double[2]));
	if (!data)
		return PyErr_NoMemory();
	x.to = data;
	int rc = fill(&x, object, 0);
	while (rc > NUMPYS && wanted == 0) {
		x.dtype = next[rc];
		x.to = data;
		rc = fill(&x, object, 0);
	}
	PyObject *result = NULL;
	int64_t bytes = n * weft_sizes[x.dtype];
	if (rc != DONE)
		result = Py_NewRef(Py_None);
	else if (wanted && wanted != x.dtype)
		result = narrow(&x, wanted, n, data);
	else
		result = weft_small_of(x.dtype, x.axes, x.shape, data, bytes);
	if (rc == DONE && !result && !PyErr_Occurred())
		result = weft_copied(data, bytes, x.dtype, x.shape, x.axes);
	if (data != few)
		free(data);
	return result;
}

PyObject *weft_of_numbers(PyObject *object) { return weft_numbers_as(object, 0); }
