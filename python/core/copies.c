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

// turning is a copy of the transpose of a matrix; some rows of the copy are a part.
typedef struct {
	int size; // bytes of an element
	int64_t rows, columns, step, next, some;
	const char *from;
	char *to;
} turning;

static void turn_part(void *of, int64_t part)
{
	const turning *t = of;
	const int64_t at = part * t->some, rows = t->rows - at < t->some ? t->rows - at : t->some;
	eager_turn(t->size, rows, t->columns, t->from + at * t->size, t->step, t->to + at * t->next, t->next);
}

// turned_copy is weft_eager_copy of the transpose of a matrix that is there, flipped or not, of more elements than others: by blocks it takes a fraction of the time that an operation
// takes which is planned, and computed row by row.
static PyObject *turned_copy(PyObject *array)
{
	enum { MOST = 1 << 18 }; // elements: of more, with what the operation is planned together counts
	weft_few x;
	const weft_layout *l = weft_layout_of((weft_array *)array);
	const int64_t size = weft_sizes[l->dtype];
	if (l->ndim != 2 || weft_magnitude(l->strides[0]) != size || weft_magnitude(l->strides[1]) < 2 * size || !weft_many_of(array, MOST, 0, &x))
		return NULL;
	weft_array *made = weft_many_made(x.l->dtype, 2, x.l->shape);
	char *to = made ? weft_data(made) : NULL;
	if (!to || !(x.data = weft_data(x.array))) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		PyErr_Clear(); // without memory: the general function finds that out as well
		return NULL;
	}
	turning t = {(int)size, x.l->shape[0], x.l->shape[1], x.l->strides[1], x.l->shape[1] * size, 0, x.data, to};
	if (x.l->strides[0] < 0) { // the last row of the copy first
		t.from += (t.rows - 1) * x.l->strides[0];
		t.to += (t.rows - 1) * t.next;
		t.next = -t.next;
	}
	eager_share(eager_parts(t.rows, 2 * t.columns * size, &t.some), 2 * x.l->size * size, turn_part, &t);
	weft_note_made(WEFT_NOTE_COPY, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}

PyObject *weft_eager_copy(PyObject *array)
{
	const weft_layout *l = weft_eager && Py_TYPE(array) == weft_array_type ? weft_layout_of((weft_array *)array) : NULL;
	PyObject *turned = l && !weft_fits(l->size, l->dtype) ? turned_copy(array) : NULL;
	if (turned)
		return turned;
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

// ordered_copy copies few elements to where the axes have an order.
static PyObject *ordered_copy(PyObject *array, const int *order)
{
	weft_few x;
	weft_layout turned, to;
	if (!weft_fits_of(array, 0, &x) || x.l->ndim == 0)
		return NULL;
	weft_permute(&turned, x.l, x.l->ndim, order);
	weft_lay(&to, turned.dtype, turned.ndim, turned.shape);
	weft_put_back(&to, &to, order);
	weft_array *made = weft_new_small(&to);
	if (!made)
		return NULL;
	eager_pack(weft_sizes[to.dtype], &(eager_layout){turned.ndim, turned.size, turned.shape, turned.strides}, x.data, made->bytes);
	weft_note(WEFT_NOTE_COPY, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}

PyObject *weft_fortran_copy(PyObject *array)
{
	static const int back[WEFT_NEAR][WEFT_NEAR] = {{0}, {1, 0}, {2, 1, 0}, {3, 2, 1, 0}}; // by the number of axes
	const weft_layout *l = weft_layout_of((weft_array *)array);
	return l && l->ndim ? ordered_copy(array, back[l->ndim - 1]) : NULL;
}

PyObject *weft_keeping_copy(PyObject *array)
{
	const weft_layout *l = weft_layout_of((weft_array *)array);
	int order[WEFT_NEAR];
	return !l ? NULL : weft_order_of_copy(l, order) ? ordered_copy(array, order) : weft_eager_copy(array);
}
