//go:build extension

// How often integers occur: bincount, of arrays whose elements are there. Weights are added one after the other, as the routine of package
// cpu/routines does it for as many.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9, FLOAT64 = 12, FIRST_COMPLEX = 13 }; // tile.DTypes
enum { MOST = 1 << 20 };       // elements: two processors gain less on as many than it costs to plan for them
enum { BLOCK = 1 << 18 };      // elements whose weights are added one after the other, at least
enum { BINS_MOST = 1 << 18 };

// weigh adds weights block by block, in blocks that follow from how many there are and from the bins (tally in package cpu/routines): 0 where there is no room.
static int weigh(int64_t n, const int64_t *at, const double *weights, int64_t bins, double *to)
{
	int64_t block = BLOCK > 4 * bins ? BLOCK : 4 * bins;
	if (n <= block) {
		eager_tally(n, at, weights, bins, to);
		return 1;
	}
	double *sums = (double *)weft_room(WEFT_ROOM_BEFORE, bins * (int64_t)sizeof *sums);
	memset(to, 0, (size_t)bins * sizeof *to);
	for (int64_t i = 0; sums && i < n; i += block) {
		eager_tally(n - i < block ? n - i : block, at + i, weights + i, bins, sums);
		for (int64_t b = 0; b < bins; b++)
			to[b] += sums[b];
	}
	return sums != NULL;
}

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
	if (!weft_many_of(args[0], MOST, 1, &x) || x.l->ndim != 1 || (weighs && x.l->size == 0) || x.l->dtype >= WEFT_FIRST_INEXACT || x.l->dtype == UINT64)
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
	if (!weighs)
		eager_tally(x.l->size, at, NULL, bins, to);
	else if (!weigh(x.l->size, at, weights, bins, (double *)to)) {
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_BINCOUNT, (PyObject *)made, made->at.dtype, x.array, weighs ? w.array : NULL);
	return (PyObject *)made;
}
