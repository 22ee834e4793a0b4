//go:build extension

// Basic indexing: what integers, slices, None and an ellipsis select of a layout, and the views of it. A view that is made here is only a place in its base's
// memory. It gets an array of Go's when anything else asks for its handle (handle.c).
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

// A part of an index, as Python gave it: what it does with an axis.
enum { DROPPED, ADDED, SLICED };
typedef struct {
	int kind;
	int rest; // an ellipsis
	Py_ssize_t start, stop, step;
} part;

static int read_part(PyObject *o, part *p)
{
	weft_value v;
	p->rest = 0;
	if (PySlice_Check(o)) {
		p->kind = SLICED;
		if (PySlice_Unpack(o, &p->start, &p->stop, &p->step) < 0)
			return -1;
	} else if (PyLong_CheckExact(o)) {
		int overflow;
		p->kind = DROPPED;
		p->start = (Py_ssize_t)PyLong_AsLongLongAndOverflow(o, &overflow);
		return overflow == 0;
	} else if (weft_read_scalar(o, &v)) {
		p->kind = DROPPED;
		p->start = (Py_ssize_t)v.i;
		return v.kind == WEFT_INT;
	} else if (o == Py_None) {
		p->kind = ADDED;
	} else if (o == Py_Ellipsis) {
		p->rest = 1;
	} else {
		return 0;
	}
	return 1;
}

int weft_select(weft_array *self, PyObject *index, weft_layout *at, int64_t *offset, int *element)
{
	if (weft_layouts.plain)
		return 0;
	part parts[2 * WEFT_NEAR];
	int n = 1, taken = 0, rests = 0, added = 0, tuple = PyTuple_CheckExact(index);
	if (tuple) {
		Py_ssize_t all = PyTuple_Size(index);
		if (all > 2 * WEFT_NEAR)
			return 0;
		n = (int)all;
	}
	// All of Python's code runs before the first look at the array.
	for (int i = 0; i < n; i++) {
		int rc = read_part(tuple ? PyTuple_GetItem(index, i) : index, &parts[i]);
		if (rc <= 0)
			return rc;
		if (parts[i].rest)
			rests++;
		else if (parts[i].kind == ADDED)
			added++;
		else
			taken++;
	}
	if (self->handle && !weft_look(self)) // which has Go's word on what is read only, and where it is
		return 0;
	const weft_layout *l = weft_layout_of(self);
	if (!l || taken > l->ndim || rests > 1 || l->ndim + added > WEFT_NEAR)
		return 0;
	int axis = 0;
	at->dtype = l->dtype;
	at->known = 1;
	at->ndim = 0;
	at->size = 1;
	*offset = self->place.offset;
	for (int i = 0; i <= n; i++) {
		int whole = i == n ? l->ndim - axis : parts[i].rest ? l->ndim - taken : 0;
		for (int k = 0; k < whole; k++, axis++) {
			at->shape[at->ndim] = l->shape[axis];
			at->strides[at->ndim++] = l->strides[axis];
			at->size *= l->shape[axis];
		}
		if (i == n || parts[i].rest)
			continue;
		part *p = &parts[i];
		switch (p->kind) {
		case DROPPED: {
			Py_ssize_t extent = l->shape[axis], at_index = p->start;
			if (at_index < -extent || at_index >= extent)
				return 0; // an error
			*offset += (at_index < 0 ? at_index + extent : at_index) * l->strides[axis++];
			break;
		}
		case ADDED:
			at->shape[at->ndim] = 1;
			at->strides[at->ndim++] = 0;
			break;
		default: {
			Py_ssize_t start = p->start, stop = p->stop;
			int64_t size = PySlice_AdjustIndices(l->shape[axis], &start, &stop, p->step), step = p->step;
			if (step > (int64_t)1 << 60 || step < -((int64_t)1 << 60))
				step = step > 0 ? (int64_t)1 << 60 : -((int64_t)1 << 60);
			if (size > 0)
				*offset += start * l->strides[axis];
			else
				step = 1; // as in NumPy's strides
			at->shape[at->ndim] = size;
			at->strides[at->ndim++] = l->strides[axis++] * step;
			at->size *= size;
		}
		}
	}
	at->contiguous = weft_is_contiguous(at);
	*element = at->ndim == 0 && !rests;
	return 1;
}

// base_of returns the array that views of self are views of, when it has self's memory: it may have
// been resized.
static weft_array *base_of(weft_array *self)
{
	weft_array *base = self->base ? (weft_array *)self->base : self;
	if (base == self || !self->handle)
		return base;
	return weft_look(base) && base->place.memory == self->place.memory && self->place.layout >= weft_layouts.base ? base : NULL;
}

const weft_layout *weft_viewed(weft_array *self)
{
	if (weft_layouts.plain || (self->handle && !weft_look(self))) // which has Go's word on what is read only, and where it is
		return NULL;
	return weft_layout_of(self);
}

PyObject *weft_view_of(weft_array *self, const weft_layout *at, int64_t offset)
{
	weft_array *base = base_of(self);
	weft_array *view = base ? (weft_array *)weft_wrap(0) : NULL;
	if (!view)
		return NULL;
	view->at = *at;
	view->place = (weft_place){self->place.memory, WEFT_NO_LAYOUT, offset, self->place.readonly};
	view->base = Py_NewRef((PyObject *)base);
	view->warns = self->warns;
	weft_link_view(view);
	return (PyObject *)view;
}

PyObject *weft_slice(PyObject *array, PyObject *index)
{
	weft_layout at;
	int64_t offset;
	int element;
	weft_array *self = (weft_array *)array;
	if (weft_select(self, index, &at, &offset, &element) <= 0 || (element && weft_defer_scalars))
		return NULL;
	if (element) {
		weft_chain_end(&self->at);
		char *data = weft_data(self);
		if (!data && weft_open_now(self, 1))
			data = weft_data(self);
		if (data)
			weft_count_here(WEFT_ELEMENTS_READ);
		if (data)
			return weft_told(weft_scalar_at(data + (offset - self->place.offset), at.dtype));
		weft_place place = {.offset = offset};
		uint64_t handle = self->handle || !self->base ? self->handle : ((weft_array *)self->base)->handle;
		return weft_devices && !goNear(handle) ? NULL : weft_element(array, handle, &place, at.dtype);
	}
	return weft_view_of(self, &at, offset);
}
