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

// lexsort(keys, axis=-1) of a list or tuple of vectors: one stable sort after the other, from the first.
PyObject *weft_few_lexsort(int kind, PyObject *const *args)
{
	(void)kind;
	enum { KEYS = 8, WORTH = 256 }; // elements below which NumPy's comparisons cost less than a call of the sorter for each key
	weft_few x[KEYS];
	PyObject *keys = args[0];
	int is_list = PyList_CheckExact(keys), overflow = 0;
	Py_ssize_t count = is_list ? PyList_Size(keys) : PyTuple_CheckExact(keys) ? PyTuple_Size(keys) : 0;
	long axis = PyLong_CheckExact(args[1]) ? PyLong_AsLongAndOverflow(args[1], &overflow) : 1;
	if (overflow || count < 1 || count > KEYS || axis < -1 || axis > 0)
		return NULL;
	for (Py_ssize_t k = 0; k < count; k++) {
		PyObject *key = is_list ? PyList_GetItem(keys, k) : PyTuple_GetItem(keys, k);
		if (!weft_fits_of(key, 0, &x[k]) || x[k].l->ndim != 1 || x[k].l->size != x[0].l->size || x[k].l->dtype <= WEFT_BOOL_DTYPE ||
			x[k].l->dtype == FLOAT16 || x[k].l->dtype > FLOAT64)
			return NULL;
	}
	int64_t n = x[0].l->size, *order, *next = (int64_t *)weft_scratch[2];
	weft_array *made = n < WORTH ? NULL : weft_new_packed(INT64, 1, &n);
	if (!made)
		return NULL;
	order = (int64_t *)made->bytes;
	for (Py_ssize_t k = 0; k < count; k++) {
		char *key = (x[k].data = weft_data(x[k].array)) ? weft_few_packed(&x[k], x[k].l->dtype, weft_scratch[1]) : NULL;
		if (!key) { // shut meanwhile: see opening.c
			Py_DECREF(made);
			return NULL;
		}
		if (k == 0) {
			goOrder(1, x[k].l->dtype, 1, n, key, order);
			continue;
		}
		eager_take(weft_sizes[x[k].l->dtype], n, order, n, key, weft_scratch[3]);
		goOrder(1, x[k].l->dtype, 1, n, weft_scratch[3], next);
		eager_take(sizeof *next, n, next, n, (char *)order, weft_scratch[4]);
		memcpy(order, weft_scratch[4], (size_t)n * sizeof *order);
	}
	weft_note_made(WEFT_NOTE_ARGSORT, (PyObject *)made, INT64, x[0].array, count > 1 ? x[1].array : NULL);
	return (PyObject *)made;
}
