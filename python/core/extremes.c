//go:build extension

// The places of extremes along an axis of arrays whose elements are there: argmin and argmax.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

enum { INT64 = 5 }; // a tile.DType

PyObject *weft_few_extremes(int most, PyObject *array, PyObject *axis)
{
	weft_few x;
	int overflow;
	// They are found in one pass here and in two of the scheduler's, so that as many are looked at as for one place.
	if (!PyLong_CheckExact(axis) || !weft_many_of(array, WEFT_FOLD_MOST, 0, &x) || x.l->ndim < 2)
		return NULL;
	long long at = PyLong_AsLongLongAndOverflow(axis, &overflow);
	if (overflow || at < -x.l->ndim || at >= x.l->ndim)
		return NULL;
	at += at < 0 ? x.l->ndim : 0;
	int64_t shape[WEFT_NEAR], outer = 1, inner = 1;
	for (int i = 0, k = 0; i < x.l->ndim; i++) {
		if (i == at)
			continue;
		shape[k++] = x.l->shape[i];
		*(i < at ? &outer : &inner) *= x.l->shape[i];
	}
	const char *data = weft_many_packed(&x, x.l->dtype, WEFT_ROOM_ELEMENTS);
	char *best = weft_room(WEFT_ROOM_VALUES, inner * weft_sizes[x.l->dtype]);
	weft_array *made = data && best ? weft_many_made(INT64, x.l->ndim - 1, shape) : NULL;
	if (made && (weft_data(x.array) != x.data || !eager_extremes(most, x.l->dtype, outer, x.l->shape[at], inner, data, best, (int64_t *)weft_data(made))))
		Py_CLEAR(made); // shut meanwhile: see opening.c; or no such elements
	if (made)
		weft_note(WEFT_NOTE_POSITION, x.l, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}
