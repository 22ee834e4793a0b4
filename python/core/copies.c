//go:build extension

// Copies of few elements in an order: that of C, that of Fortran, or the one that the axes have.
//
//	a 2 x 3, of C: strides 24, 8    a[:, :2], of C as well: 24, 8
//	of Fortran     strides 8, 16    a.T, of Fortran: 8, 24
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

// copy_alone is weft_eager_copy of many elements, side by side or along one axis.
static PyObject *copy_alone(PyObject *array)
{
	weft_few x;
	if (!weft_alone_of(array, &x) || (!x.l->contiguous && x.l->ndim != 1))
		return NULL;
	weft_layout made;
	weft_lay(&made, x.l->dtype, x.l->ndim, x.l->shape);
	weft_array *result = weft_new_alone(&made);
	if (!result)
		return NULL;
	int size = weft_sizes[x.l->dtype];
	eager_copy(size, x.l->size, result->bytes, size, x.data, x.l->contiguous ? size : x.l->strides[0]);
	weft_note(WEFT_NOTE_COPY, &made, result->place.memory, x.array->place.memory, 0);
	return (PyObject *)result;
}

PyObject *weft_eager_copy(PyObject *array)
{
	const weft_layout *l = weft_eager && Py_TYPE(array) == weft_array_type ? weft_layout_of((weft_array *)array) : NULL;
	if (l && l->size > WEFT_MOST && weft_alone())
		return copy_alone(array);
	if (!l || l->ndim == 0 || !weft_fits(l->size, l->dtype) || (l->size == 0 && l->ndim > 1))
		return NULL;
	weft_few x = {(weft_array *)array, l, NULL};
	if (l->size > 0 && !weft_fits_of(array, 0, &x))
		return NULL;
	weft_layout made;
	weft_lay(&made, x.l->dtype, x.l->ndim, x.l->shape);
	weft_array *result = weft_new_small(&made);
	if (!result)
		return NULL;
	eager_layout e = weft_plain(x.l);
	if (x.l->size > 0 && x.l->contiguous)
		memcpy(result->bytes, x.data, (size_t)(x.l->size * weft_sizes[x.l->dtype]));
	else if (x.l->size > 0)
		eager_pack(weft_sizes[x.l->dtype], &e, x.data, result->bytes);
	weft_note(WEFT_NOTE_COPY, &made, result->place.memory, x.array->place.memory, 0);
	return (PyObject *)result;
}

int weft_is_fortran(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; i < l->ndim; i++) {
		if (l->shape[i] > 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

PyObject *weft_fortran_copy(PyObject *array)
{
	weft_few x;
	weft_layout to, turned;
	if (!weft_fits_of(array, 0, &x) || x.l->ndim == 0)
		return NULL;
	const weft_layout *l = x.l;
	turned = *l;
	for (int i = 0; i < l->ndim; i++) {
		turned.shape[i] = l->shape[l->ndim - 1 - i];
		turned.strides[i] = l->strides[l->ndim - 1 - i];
	}
	weft_lay(&to, l->dtype, l->ndim, l->shape);
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; i < l->ndim; step *= l->shape[i++])
		to.strides[i] = step;
	to.contiguous = weft_is_contiguous(&to);
	weft_array *made = weft_new_small(&to);
	if (!made)
		return NULL;
	eager_pack(weft_sizes[l->dtype], &(eager_layout){l->ndim, l->size, turned.shape, turned.strides}, x.data, made->bytes);
	weft_note(WEFT_NOTE_COPY, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}

PyObject *weft_keeping_copy(PyObject *array)
{
	const weft_layout *l = weft_layout_of((weft_array *)array);
	return !l ? NULL : l->contiguous || l->ndim == 1 || weft_falls(l, 0) ? weft_eager_copy(array) : weft_falls(l, 1) ? weft_fortran_copy(array) : NULL;
}
