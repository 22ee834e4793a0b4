//go:build extension

// gradient(f) and gradient(f, step) of a vector of doubles, in one pass, with NumPy's bits: the difference of both neighbours over twice the step.
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"

enum { FLOAT64 = 12, MOST = 1 << 20 }; // a tile.DType; elements

PyObject *weft_cut_gradient(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few x;
	const weft_layout *l = weft_eager && (n == 1 || n == 2) && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim != 1 || l->dtype != FLOAT64 || l->size < 2 || l->size > MOST || !l->contiguous || (n == 2 && !PyFloat_CheckExact(args[1])))
		return NULL;
	const double step = n == 2 ? PyFloat_AsDouble(args[1]) : 1;
	if (!weft_many_of(args[0], MOST, 0, &x))
		return NULL;
	weft_array *made = weft_many_made(FLOAT64, 1, x.l->shape);
	char *to = made ? weft_data(made) : NULL, *from = to ? weft_data(x.array) : NULL;
	eager_lower();
	if (from)
		eager_slopes(x.l->size, (const double *)from, step, (double *)to);
	if (!from || eager_raised()) { // shut meanwhile, see opening.c; or the general function says what went wrong
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_DIFF, (PyObject *)made, FLOAT64, x.array, NULL);
	return (PyObject *)made;
}
