//go:build extension

// Few elements in order, along the last axis: sort and argsort, by the sorter of package routines, which has one result for all ways there.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, FLOAT16 = 10, FLOAT64 = 12 }; // tile.DTypes

// sort(a, axis=-1, kind=None, order=None, *, stable=None), argsort, and the method that sorts in place
PyObject *weft_few_sort(int kind, PyObject *const *args)
{
	weft_few x;
	int overflow;
	if (!PyLong_CheckExact(args[1]) || !weft_fits_of(args[0], 0, &x) || x.l->ndim == 0 || !x.l->contiguous)
		return NULL;
	long long at = PyLong_AsLongLongAndOverflow(args[1], &overflow);
	if (overflow || (at != -1 && at != x.l->ndim - 1) || x.l->dtype <= WEFT_BOOL_DTYPE || x.l->dtype == FLOAT16 || x.l->dtype > FLOAT64)
		return NULL;
	int64_t row = x.l->shape[x.l->ndim - 1];
	if (kind == WEFT_SORT_IN_PLACE) {
		if (x.array->place.readonly)
			return NULL;
		goOrder(0, x.l->dtype, x.l->size / row, row, x.data, weft_scratch[1]);
		memcpy(x.data, weft_scratch[1], (size_t)(x.l->size * weft_sizes[x.l->dtype]));
		weft_note(WEFT_NOTE_SORT, x.l, x.array->place.memory, x.array->place.memory, 0);
		return Py_NewRef(Py_None);
	}
	weft_array *made = weft_new_packed(kind == WEFT_ARGSORT ? INT64 : x.l->dtype, x.l->ndim, x.l->shape);
	if (!made)
		return NULL;
	goOrder(kind == WEFT_ARGSORT, x.l->dtype, x.l->size / row, row, x.data, made->bytes);
	weft_note(kind == WEFT_ARGSORT ? WEFT_NOTE_ARGSORT : WEFT_NOTE_SORT, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}
