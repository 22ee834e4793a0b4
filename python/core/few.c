//go:build extension

// The elements of few: where they are, and side by side.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

int weft_most_of(PyObject *o, int64_t most, int reads, weft_few *x)
{
	if (!weft_eager || Py_TYPE(o) != weft_array_type)
		return 0;
	x->array = (weft_array *)o;
	x->data = weft_data(x->array);
	x->l = weft_layout_of(x->array);
	if (!x->l || x->l->size == 0 || x->l->size > most)
		return 0;
	if (!x->data && weft_open_now(x->array, reads)) {
		x->l = weft_layout_of(x->array);
		x->data = weft_data(x->array);
	}
	return x->data && x->l;
}

int weft_few_of(PyObject *o, int reads, weft_few *x) { return weft_most_of(o, WEFT_SMALL_MOST, reads, x); }

int weft_any_of(PyObject *o, weft_few *x) { return weft_most_of(o, INT64_MAX, WEFT_READS, x); }

int weft_fits_of(PyObject *o, int reads, weft_few *x) { return weft_most_of(o, WEFT_MOST, reads, x) && weft_fits(x->l->size, x->l->dtype); }

int weft_fits_both(PyObject *o, weft_few *x, PyObject *p, weft_few *y, int reads)
{
	if (weft_opens_later(o, p))
		return weft_fits_both(p, y, o, x, reads);
	return weft_fits_of(o, reads, x) && weft_fits_of(p, reads, y) && (x->data = weft_data(x->array)) != NULL;
}

int weft_most_both(PyObject *o, weft_few *x, PyObject *p, weft_few *y, int64_t most)
{
	if (weft_opens_later(o, p))
		return weft_most_both(p, y, o, x, most);
	return weft_most_of(o, most, 0, x) && weft_most_of(p, most, 0, y) && (x->data = weft_data(x->array)) != NULL;
}

char *weft_few_packed(const weft_few *x, int dtype, char *room)
{
	int from = x->l->dtype;
	const void *code = from == dtype ? NULL : weft_conversion_code(from, dtype);
	if (from != dtype && !code)
		return NULL;
	if ((code || !x->l->contiguous) && (!weft_fits(x->l->size, from) || !weft_fits(x->l->size, dtype)))
		return NULL;
	char *data = x->data;
	if (!x->l->contiguous) {
		eager_layout e = {x->l->ndim, x->l->size, x->l->shape, x->l->strides};
		data = code ? weft_scratch[0] : room; // side by side, to be converted
		eager_pack(weft_sizes[from], &e, x->data, data);
	}
	if (!code)
		return data;
	char *in[EAGER_INPUTS] = {data};
	eager_map(code, x->l->size, room, in, 0, NULL);
	return room;
}

char *weft_turned(int dtype, int64_t outer, int64_t rows, int64_t columns, char *from, char *to)
{
	int64_t size = weft_sizes[dtype], shape[3] = {outer, columns, rows}, strides[3] = {rows * columns * size, size, columns * size};
	eager_pack((int)size, &(eager_layout){3, outer * rows * columns, shape, strides}, from, to);
	return to;
}

PyObject *weft_few_result(int dtype, int ndim, const int64_t *shape, const char *data)
{
	if (ndim == 0)
		return weft_scalar_at(data, dtype);
	weft_array *a = weft_new_packed(dtype, ndim, shape);
	if (a)
		memcpy(a->bytes, data, (size_t)(a->at.size * weft_sizes[dtype]));
	return (PyObject *)a;
}

int weft_promoted(int a, int b)
{
	if (a == b)
		return a;
	const weft_recipe *r = weft_recipe_of(weft_operators[OP_ADD], a, b);
	return r ? r->result : 0;
}

int weft_promoted_number(int a, int kind)
{
	const weft_recipe *r = weft_recipe_of_number(weft_operators[OP_ADD], a, kind);
	return r ? r->result : 0;
}
