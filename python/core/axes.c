//go:build extension

// Reductions of few elements along several axes. Where the last one is among them, each result is of elements that follow each other once those that are kept
// stand first; where the first ones are reduced, rows are added up.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

// named_axes reads a tuple of axes, each once: as bits, or 0.
static uint32_t named_axes(PyObject *axes, int ndim)
{
	Py_ssize_t n = PyTuple_Size(axes);
	uint32_t named = 0;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *o = PyTuple_GetItem(axes, i);
		int overflow;
		long long at = PyLong_CheckExact(o) ? PyLong_AsLongLongAndOverflow(o, &overflow) : INT64_MAX;
		if (at < -ndim || at >= ndim)
			return 0;
		uint32_t bit = 1u << (at < 0 ? at + ndim : at);
		if (named & bit)
			return 0;
		named |= bit;
	}
	return named;
}

PyObject *weft_few_fold(int kind, PyObject *array, PyObject *axes, int keeps)
{
	weft_few x;
	if (!PyTuple_CheckExact(axes) || !weft_fits_of(array, 0, &x))
		return NULL;
	int ndim = x.l->ndim, left = 0, at = 0;
	uint32_t named = named_axes(axes, ndim), all = (1u << ndim) - 1;
	if (named && named == all)
		return weft_eager_fold(kind, array, Py_None, keeps);
	const weft_folding *f = named ? weft_folding_of(kind, x.l->dtype) : NULL;
	int inner = named >> (ndim - 1), first = (named & (named + 1)) == 0;
	if (!f || !(inner || first))
		return NULL;
	weft_layout turned = *x.l, made; // those that are kept first, where elements of one result shall follow each other
	int64_t shape[WEFT_NEAR], n = 1;
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < ndim; i++) {
			int reduced = named >> i & 1;
			if (reduced != pass)
				continue;
			turned.shape[at] = x.l->shape[i];
			turned.strides[at++] = x.l->strides[i];
			n *= reduced ? x.l->shape[i] : 1;
			left += !reduced;
		}
	int exact = kind == WEFT_ANY || kind == WEFT_ALL || f->dtype < WEFT_FIRST_INEXACT;
	if ((inner && n > EAGER_INNER) || (!inner && n > EAGER_ROWS && !exact) || (left > 1 && !weft_falls(x.l, 0))) // the result may lie in another order
		return NULL;
	for (int i = 0, k = 0; i < ndim; i++)
		if (keeps || !(named >> i & 1))
			shape[k++] = named >> i & 1 ? 1 : x.l->shape[i];
	weft_lay(&made, f->dtype, keeps ? ndim : left, shape);
	weft_order_reduced(&made, x.l);
	turned.contiguous = weft_is_contiguous(&turned);
	if (inner)
		x.l = &turned;
	char *data = weft_many_packed(&x, f->dtype, WEFT_ROOM_ELEMENTS);
	weft_array *result = data ? weft_new_small(&made) : NULL;
	if (!result)
		return NULL;
	int64_t size = weft_sizes[f->dtype];
	if (!inner)
		eager_outer(f->fold, n, made.size, data, result->bytes);
	if (inner && n <= VM_LANES)
		eager_short(f->fold, made.size, n, data, result->bytes);
	for (int64_t i = 0; inner && n > VM_LANES && i < made.size; i++)
		eager_inner(f->fold, n, data + i * n * size, result->bytes + i * size);
	if (kind == WEFT_MEAN && !weft_divide_sums(f->dtype, made.size, result->bytes, n)) {
		Py_DECREF(result);
		return NULL;
	}
	weft_note(WEFT_NOTE_FOLD + kind, x.l, result->place.memory, x.array->place.memory, 0);
	return (PyObject *)result;
}
