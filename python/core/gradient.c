//go:build extension

// gradient of doubles: of a vector, or of a matrix along one axis or all, with one step for all axes or one for each. It is one pass for each, with NumPy's bits: the
// difference of both neighbours over twice the step.
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"

enum { FLOAT64 = 12, MOST = 1 << 20 }; // a tile.DType; elements

// along is the gradient along one axis; NULL where the general function has to look.
static PyObject *along(PyObject *array, int axis, double step)
{
	weft_few x;
	if (!weft_many_of(array, MOST, 0, &x))
		return NULL;
	int64_t outer = 1, inner = 1, n = x.l->shape[axis];
	for (int i = 0; i < x.l->ndim; i++)
		if (i != axis)
			*(i < axis ? &outer : &inner) *= x.l->shape[i];
	weft_array *made = weft_many_made(FLOAT64, x.l->ndim, x.l->shape);
	double *to = made ? (double *)weft_data(made) : NULL;
	const double *from = to ? (const double *)weft_data(x.array) : NULL;
	eager_lower();
	for (int64_t o = 0; from && o < outer; o++)
		if (inner == 1)
			eager_slopes(n, from + o * n, step, to + o * n);
		else
			eager_slopes_beside(n, inner, from + o * n * inner, step, to + o * n * inner);
	if (!from || eager_raised()) { // shut meanwhile, see opening.c; or the general function says what went wrong
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_DIFF, (PyObject *)made, FLOAT64, x.array, NULL);
	return (PyObject *)made;
}

// gradient(f, *steps, axis=None)
PyObject *weft_cut_gradient(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	const weft_layout *l = weft_eager && n >= 1 && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim < 1 || l->ndim > 2 || l->dtype != FLOAT64 || l->size > MOST || !l->contiguous)
		return NULL;
	int axes = l->ndim, first = 0, overflow = 0;
	const int ndim = l->ndim;
	if (names) {
		PyObject *axis = args[n];
		if (PyTuple_Size(names) != 1 || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "axis") || !PyLong_CheckExact(axis))
			return NULL;
		const long at = PyLong_AsLongAndOverflow(axis, &overflow);
		if (overflow || at < -ndim || at >= ndim)
			return NULL;
		first = (int)(at < 0 ? at + ndim : at);
		axes = 1;
	}
	if (n != 1 && n != 2 && n != 1 + axes)
		return NULL;
	double step[2] = {1, 1};
	for (int i = 0; i < axes; i++) {
		PyObject *given = n == 1 ? NULL : args[n == 2 ? 1 : 1 + i];
		if (l->shape[first + i] < 2 || (given && !PyFloat_CheckExact(given)))
			return NULL;
		step[i] = given ? PyFloat_AsDouble(given) : 1;
	}
	if (axes == 1)
		return along(args[0], first, step[0]);
	PyObject *rows = along(args[0], 0, step[0]), *columns = rows ? along(args[0], 1, step[1]) : NULL, *both = columns ? PyTuple_Pack(2, rows, columns) : NULL;
	Py_XDECREF(rows);
	Py_XDECREF(columns);
	return both;
}
