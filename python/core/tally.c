//go:build extension

// How often integers occur: bincount, of arrays whose elements are there. Weights are added one after the other, as the routine of package
// cpu/routines does it for as many.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9, FLOAT64 = 12, FIRST_COMPLEX = 13 }; // tile.DTypes
enum { MOST = 1 << 18 };       // elements: more weights are added block by block
enum { BINS_MOST = 1 << 18 };

// bincount(x, weights=None, minlength=0)
PyObject *weft_few_bincount(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x, w;
	int weighs = args[1] != Py_None && args[1] != weft_no_value;
	int64_t least = 0, bins;
	if (args[2] != weft_no_value && (!PyLong_CheckExact(args[2]) || (least = PyLong_AsLong(args[2])) < 0 || least > BINS_MOST)) {
		PyErr_Clear(); // an int that is no long
		return NULL;
	}
	if (!weft_many_of(args[0], MOST, 1, &x) || x.l->ndim != 1 || x.l->dtype >= WEFT_FIRST_INEXACT || x.l->dtype == UINT64)
		return NULL;
	if (weighs && (!weft_many_of(args[1], MOST, 1, &w) || w.l->ndim != 1 || w.l->size != x.l->size || w.l->dtype >= FIRST_COMPLEX))
		return NULL;
	if (!(x.data = weft_data(x.array))) // which looking at the weights has shut
		return NULL;
	const int64_t *at = (const int64_t *)weft_many_packed(&x, INT64, WEFT_ROOM_ELEMENTS);
	const double *weights = at && weighs ? (const double *)weft_many_packed(&w, FLOAT64, WEFT_ROOM_VALUES) : NULL;
	if (!at || (weighs && !weights) || (bins = eager_bins(x.l->size, at)) < 0 || bins > BINS_MOST)
		return NULL;
	bins = bins < least ? least : bins;
	weft_array *made = weft_many_made(weighs ? FLOAT64 : INT64, 1, &bins);
	char *to = made ? weft_data(made) : NULL;
	if (!to || weft_data(x.array) != x.data || (weighs && weft_data(w.array) != w.data)) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	eager_tally(x.l->size, at, weights, bins, to);
	weft_note_made(WEFT_NOTE_BINCOUNT, (PyObject *)made, made->at.dtype, x.array, weighs ? w.array : NULL);
	return (PyObject *)made;
}
