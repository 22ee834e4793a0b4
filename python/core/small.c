//go:build extension

// Arrays of few elements whose memory is the Python object's own (weft_array.bytes). Operations on them are computed at once, by
// eager.c, so that Go never hears of most of them. An array becomes one of Go's when something else than that wants its
// handle (weft_settle); the views of it that have no handle see Go's memory from then on.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

void weft_lay(weft_layout *l, int dtype, int ndim, const int64_t *shape)
{
	l->dtype = dtype;
	l->ndim = ndim;
	l->known = 1;
	l->contiguous = 1;
	l->size = 1;
	int64_t step = weft_sizes[dtype];
	for (int i = ndim - 1; i >= 0; i--) {
		l->shape[i] = shape[i];
		l->strides[i] = step;
		l->size *= shape[i];
		step *= shape[i] ? shape[i] : 1; // as NumPy counts them for views of no elements
	}
}

int weft_is_contiguous(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	if (l->size == 0)
		return 1;
	for (int i = l->ndim - 1; i >= 0; i--) {
		if (l->shape[i] != 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

int64_t weft_smalls;

weft_array *weft_new_small(const weft_layout *l)
{
	int64_t bytes = l->size * weft_sizes[l->dtype];
	char *memory = weft_take_block(bytes);
	weft_array *a = memory ? (weft_array *)weft_wrap(0) : NULL;
	if (!a) {
		weft_give_block(memory, bytes);
		PyErr_Clear(); // the general function finds that out as well
		return NULL;
	}
	a->bytes = memory;
	weft_smalls++;
	a->at = *l;
	if (l->size == 0)
		memset(a->at.strides, 0, sizeof a->at.strides); // as NumPy has memory of no elements
	a->place.memory = ++weft_layouts.memories;
	return a;
}

weft_array *weft_new_packed(int dtype, int ndim, const int64_t *shape)
{
	weft_layout l;
	if (!weft_eager || ndim > WEFT_NEAR)
		return NULL;
	weft_lay(&l, dtype, ndim, shape);
	return l.size > WEFT_MOST || l.size * weft_sizes[dtype] > weft_limit ? NULL : weft_new_small(&l);
}

PyObject *weft_small_of(int dtype, int ndim, const int64_t *shape, const void *data, int64_t bytes)
{
	weft_array *a = bytes > weft_limit ? NULL : weft_new_packed(dtype, ndim, shape);
	if (a)
		memcpy(a->bytes, data, bytes);
	return (PyObject *)a;
}

char *weft_opened_data(const weft_array *a, const weft_array *owner)
{
	if (!owner->opened)
		return NULL;
	if (__builtin_expect(weft_checks, 0))
		goUsed(owner->opened, owner->opens);
	return owner->opens + a->place.offset;
}

const weft_layout *weft_layout_of(weft_array *a)
{
	if (!a->at.known) {
		weft_info info;
		goInfo(a->handle, &info); // which it has, as its layout would be known otherwise
		if (info.ndim > WEFT_NEAR)
			return NULL;
		a->at.dtype = info.dtype;
		a->at.ndim = info.ndim;
		a->at.contiguous = info.contiguous;
		a->at.size = info.size;
		memcpy(a->at.shape, info.shape, sizeof a->at.shape);
		memcpy(a->at.strides, info.strides, sizeof a->at.strides);
		a->at.known = 1;
	}
	return &a->at;
}
