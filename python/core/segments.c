//go:build extension

// ufunc.reduceat of arrays on the host, whose elements are read where they lie: results with NumPy's bits. What is wrong with a call is for NumPy to say.
#include "choice.h"
#include "../../cpu/eager/floating.h"
#include "_cgo_export.h"
#include <string.h>

enum { BOOL = WEFT_BOOL_DTYPE, INT64 = 5, UINT8 = 6, UINT64 = 9 }; // tile.DTypes
enum { MOST = 1 << 22 };                                           // elements, as of masks in choice.c

// accumulated is the dtype of the results: sums and products of integers and bools have 64 bits.
static int accumulated(int op, int dtype)
{
	if ((op != EAGER_ADD && op != EAGER_MULTIPLY) || dtype > UINT64)
		return dtype;
	return dtype >= UINT8 ? UINT64 : INT64;
}

// axis_of reads the axis, which may stand behind the indices: 0 where it is none of the array's, or more is said.
static int axis_of(PyObject *const *args, Py_ssize_t n, PyObject *names, int ndim, int *axis)
{
	Py_ssize_t said = names ? PyTuple_Size(names) : 0;
	int overflow = 0;
	*axis = 0;
	if (n + said == 2)
		return !said && ndim > 0;
	if (n < 2 || n + said != 3 || (said && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "axis")) || !PyLong_CheckExact(args[2]))
		return 0;
	long given = PyLong_AsLongAndOverflow(args[2], &overflow);
	*axis = (int)(given < 0 ? given + ndim : given);
	return !overflow && given >= -ndim && given < ndim;
}

// reduceat(array, indices, axis=0) of the ufunc whose number among those that have at is about.
PyObject *weft_cut_segments(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	weft_few x;
	weft_choice p = {.n = -1};
	weft_integers *at = &p.part[0];
	int axis, op = (int)PyLong_AsLong(about);
	const weft_layout *l = weft_eager && n > 0 && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || !axis_of(args, n, names, l->ndim, &axis) || !weft_read_integers(args[1], 0, &p) || p.ndim != 1 || !weft_many_of(args[0], MOST, 1, &x))
		return NULL;
	if (at->is_array && !(at->at = weft_still(&at->x, INT64, WEFT_ROOM_INDEX, NULL)))
		return NULL;
	l = x.l;
	eager_segments s = {.outer = 1, .n = l->shape[axis], .inner = 1, .count = p.n, .start = at->at};
	for (int64_t i = 0; i < s.count; i++)
		if (s.start[i] < 0 || s.start[i] >= s.n)
			return NULL;
	for (int i = 0; i < l->ndim; i++)
		*(i < axis ? &s.outer : i > axis ? &s.inner : &(int64_t){1}) *= l->shape[i];
	int64_t shape[WEFT_NEAR];
	memcpy(shape, l->shape, sizeof shape);
	shape[axis] = s.count;
	int dtype = l->dtype;
	weft_array *made = l->ndim == 1 || l->contiguous ? weft_many_made(accumulated(op, dtype), l->ndim, shape) : NULL; // others may lie in another order
	if (!made)
		return NULL;
	x.data = weft_data(x.array); // unless it was shut meanwhile: see opening.c
	const char *data = x.data ? weft_many_packed(&x, dtype, WEFT_ROOM_ELEMENTS) : NULL;
	char *to = weft_data(made);
	eager_lower();
	if (!data || !to || !eager_reduce_segments(op, dtype, &s, data, to)) {
		Py_DECREF(made);
		return NULL;
	}
	if (dtype > UINT64 && (op == EAGER_ADD || op == EAGER_MULTIPLY))
		weft_floating_note("reduceat", eager_raised());
	weft_note(WEFT_NOTE_SEGMENTS, x.l, made->place.memory, x.array->place.memory, at->is_array ? at->x.array->place.memory : 0);
	return weft_told((PyObject *)made);
}
