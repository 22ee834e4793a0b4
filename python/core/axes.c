//go:build extension

// Reductions of few elements along several axes, where these are the last ones: each result is of elements that follow each other.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

// last_axes says whether a tuple names the last axes, each once: how many, or 0.
static int last_axes(PyObject *axes, int ndim)
{
	Py_ssize_t n = PyTuple_Size(axes);
	uint32_t named = 0;
	if (n < 1 || n > ndim)
		return 0;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *o = PyTuple_GetItem(axes, i);
		int overflow;
		long long at = PyLong_CheckExact(o) ? PyLong_AsLongLongAndOverflow(o, &overflow) : INT64_MAX;
		if (at < -ndim || at >= ndim)
			return 0;
		named |= 1u << (at < 0 ? at + ndim : at);
	}
	return named == ((1u << n) - 1) << (ndim - n) ? (int)n : 0;
}

PyObject *weft_few_fold(int kind, PyObject *array, PyObject *axes, int keeps)
{
	weft_few x;
	if (!PyTuple_CheckExact(axes) || !weft_fits_of(array, 0, &x))
		return NULL;
	int reduced = last_axes(axes, x.l->ndim), left = x.l->ndim - reduced;
	if (reduced && left == 0)
		return weft_eager_fold(kind, array, Py_None, keeps);
	const weft_folding *f = reduced ? weft_folding_of(kind, x.l->dtype) : NULL;
	int64_t n = 1;
	for (int i = left; i < x.l->ndim; i++)
		n *= x.l->shape[i];
	if (!f || n > EAGER_INNER || (left > 1 && !weft_falls(x.l, 0))) // the result may lie in another order
		return NULL;
	weft_layout made;
	int64_t shape[WEFT_NEAR];
	for (int i = 0; i < x.l->ndim; i++)
		shape[i] = i < left ? x.l->shape[i] : 1;
	weft_lay(&made, f->dtype, keeps ? x.l->ndim : left, shape);
	char *data = weft_many_packed(&x, f->dtype, WEFT_ROOM_ELEMENTS);
	weft_array *result = data ? weft_new_small(&made) : NULL;
	if (!result)
		return NULL;
	int64_t size = weft_sizes[f->dtype];
	for (int64_t i = 0; i < made.size; i++)
		eager_inner(f->fold, n, data + i * n * size, result->bytes + i * size);
	if (kind == WEFT_MEAN && !weft_divide_sums(f->dtype, made.size, result->bytes, n)) {
		Py_DECREF(result);
		return NULL;
	}
	weft_note(WEFT_NOTE_FOLD + kind, x.l, result->place.memory, x.array->place.memory, 0);
	return (PyObject *)result;
}
