//go:build extension

// Bools and bytes as bits: packbits of everything, or along the last axis.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

enum { INT8 = 2, UINT8 = 6 }; // tile.DTypes
enum { MOST = 1 << 22 };      // elements, as of masks in choice.c

// options reads axis=None and bitorder='big' behind the array; 0 of others.
static int options(PyObject *const *args, Py_ssize_t n, PyObject *names, PyObject **axis, int *little)
{
	PyObject *order = n == 3 ? args[2] : NULL;
	*axis = n >= 2 ? args[1] : Py_None;
	for (Py_ssize_t i = 0, count = names ? PyTuple_Size(names) : 0; i < count; i++) {
		PyObject *name = PyTuple_GetItem(names, i);
		if (PyUnicode_CompareWithASCIIString(name, "axis") == 0 && n == 1)
			*axis = args[n + i];
		else if (PyUnicode_CompareWithASCIIString(name, "bitorder") == 0 && !order)
			order = args[n + i];
		else
			return 0;
	}
	*little = order && PyUnicode_CheckExact(order) && PyUnicode_CompareWithASCIIString(order, "little") == 0;
	return !order || *little || (PyUnicode_CheckExact(order) && PyUnicode_CompareWithASCIIString(order, "big") == 0);
}

// packbits(a, /, axis=None, bitorder='big')
PyObject *weft_cut_packbits(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few x;
	PyObject *axis;
	int little, overflow = 0;
	if (n < 1 || n > 3 || Py_TYPE(args[0]) != weft_array_type || !options(args, n, names, &axis, &little))
		return NULL;
	const weft_layout *l = weft_layout_of((weft_array *)args[0]);
	if (!l || l->ndim == 0 || (l->dtype != WEFT_BOOL_DTYPE && l->dtype != INT8 && l->dtype != UINT8))
		return NULL;
	long long at = axis == Py_None ? -1 : PyLong_CheckExact(axis) ? PyLong_AsLongLongAndOverflow(axis, &overflow) : INT64_MAX;
	if (overflow || (at != -1 && at != l->ndim - 1) || (l->ndim > 1 && axis != Py_None && !weft_falls(l, 0)) || !weft_many_of(args[0], MOST, 0, &x))
		return NULL;
	const int all = axis == Py_None, last = x.l->ndim - 1;
	const int64_t row = all ? x.l->size : x.l->shape[last], bytes = (row + 7) / 8, rows = x.l->size / row;
	int64_t shape[WEFT_NEAR];
	for (int i = 0; i < last; i++)
		shape[i] = x.l->shape[i];
	shape[all ? 0 : last] = bytes;
	weft_array *made = weft_many_made(UINT8, all ? 1 : last + 1, shape);
	if (!made)
		return NULL;
	char *to = weft_data(made);
	x.data = weft_data(x.array); // unless it was shut meanwhile: see opening.c
	const uint8_t *holds = to && x.data ? (const uint8_t *)weft_many_packed(&x, x.l->dtype, WEFT_ROOM_ELEMENTS) : NULL;
	if (!holds) {
		Py_DECREF(made);
		return NULL;
	}
	for (int64_t i = 0; i < rows; i++)
		eager_pack_bits(row, holds + i * row, little, (uint8_t *)to + i * bytes);
	weft_note_made(WEFT_NOTE_BITS, (PyObject *)made, UINT8, x.array, NULL);
	return (PyObject *)made;
}
