//go:build extension

// Numbers in the place of what is none: nan_to_num. As NumPy's text it is a dozen passes, of which the last three write to their operand.
#include "shim.h"
#include "few.h"

enum { FLOAT32 = 11, FLOAT64 = 12 }; // tile.DTypes

// nan_to_num(x) of floats that lie side by side
PyObject *weft_cut_finite(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few x;
	const weft_layout *l = weft_eager && n == 1 && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim == 0 || !l->contiguous || (l->dtype != FLOAT32 && l->dtype != FLOAT64) || !weft_many_of(args[0], WEFT_FOLD_MOST, 0, &x))
		return NULL;
	weft_array *made = weft_many_made(x.l->dtype, x.l->ndim, x.l->shape);
	char *to = made ? weft_data(made) : NULL;
	if (!to || !(x.data = weft_data(x.array))) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	eager_finite(x.l->dtype, x.l->size, x.data, to);
	weft_note_made(WEFT_NOTE_COPY, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
