//go:build extension

// An index of arrays, taken apart: a[integers], a[mask], a[rows, columns]. What is wrong with one is for the general functions to say.
#include "choice.h"
#include "_cgo_export.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9 }; // tile.DTypes

// How many elements an index may have, and how many it may choose: with more, both a second processor and what the copy is computed
// together with gain more than it costs to plan it. The elements that a mask chooses have to be counted anyway.
enum { MOST_INTEGERS = 1 << 20, MOST_OF_MASK = 1 << 22 };

// shaped says whether an index has the shape of those before it, or one that has a shape together with theirs.
static int shaped(weft_choice *p, int ndim, const int64_t *shape, int64_t n)
{
	if (p->n < 0) {
		p->n = n;
		p->ndim = ndim;
		memcpy(p->shape, shape, ndim * sizeof *shape);
		return 1;
	}
	if (p->ndim == ndim && memcmp(p->shape, shape, ndim * sizeof *shape) == 0)
		return 1;
	int64_t both[WEFT_NEAR], all = 1;
	const int most = ndim > p->ndim ? ndim : p->ndim;
	for (int i = most - 1; i >= 0; i--) {
		const int64_t a = i < most - p->ndim ? 1 : p->shape[i - (most - p->ndim)], b = i < most - ndim ? 1 : shape[i - (most - ndim)];
		if ((a != b && a != 1 && b != 1) || (all *= both[i] = a == 1 ? b : a) > MOST_INTEGERS)
			return 0;
	}
	p->spreads = 1;
	p->n = all;
	p->ndim = most;
	memcpy(p->shape, both, most * sizeof *both);
	return all > 0;
}

// spread repeats the integers along one axis for all of an index's shape: 0 where they are many, or without memory.
//
//	rows of shape (2, 1)    3       with columns of shape (1, 3) become    3 3 3
//	                        5                                              5 5 5
static int spread(weft_integers *to, int room, const weft_choice *p)
{
	int64_t few[WEFT_PART], step[WEFT_NEAR] = {0}, at[WEFT_NEAR] = {0}, own = 1, from = 0;
	const int ndim = to->is_array ? to->x.l->ndim : 1, before = p->ndim - ndim;
	const int64_t *shape = to->is_array ? to->x.l->shape : &to->listed;
	for (int i = ndim - 1; i >= 0; own *= shape[i--])
		step[before + i] = shape[i] == 1 ? 0 : own;
	if (own == p->n) // one after the other already
		return 1;
	if (own > WEFT_PART)
		return 0;
	memcpy(few, to->at, (size_t)own * sizeof *few);
	int64_t *all = (int64_t *)weft_room(room, p->n * (int64_t)sizeof *all);
	for (int64_t k = 0; all && k < p->n; k++) {
		all[k] = few[from];
		for (int i = p->ndim - 1; i >= 0; i--) {
			from += step[i];
			if (++at[i] < p->shape[i])
				break;
			from -= step[i] * p->shape[i];
			at[i] = 0;
		}
	}
	to->at = all;
	return all != NULL;
}

// whole reads an integer, of Python's or NumPy's.
static int whole(PyObject *o, int64_t *to)
{
	weft_value v;
	if (!weft_number(o, &v) || v.kind != WEFT_INT)
		return 0;
	*to = v.i;
	return 1;
}

static int listed(PyObject *index, int room, weft_integers *to, weft_choice *p)
{
	int64_t n = PyList_Size(index), *at;
	if (n > WEFT_SMALL_MOST || !(at = (int64_t *)weft_room(room, n * (int64_t)sizeof *at)))
		return 0;
	for (int64_t i = 0; i < n; i++) {
		if (!whole(PyList_GetItem(index, i), &at[i]))
			return 0;
	}
	to->at = at;
	to->listed = n;
	return shaped(p, 1, &n, n);
}

int weft_read_integers(PyObject *o, int axis, weft_choice *p)
{
	weft_integers *to = &p->part[axis];
	to->is_array = to->is_number = 0;
	if (PyList_CheckExact(o))
		return listed(o, WEFT_ROOM_INDEX + axis, to, p);
	if (Py_TYPE(o) != weft_array_type) {
		to->is_number = whole(o, &to->number);
		to->at = &to->number;
		return to->is_number;
	}
	const weft_layout *l = weft_layout_of((weft_array *)o);
	if (l && l->size == 0 && l->ndim && l->dtype > WEFT_BOOL_DTYPE && l->dtype < UINT64) { // none
		static const int64_t nowhere[1];
		to->at = nowhere;
		return shaped(p, l->ndim, l->shape, 0);
	}
	if (!weft_many_of(o, MOST_INTEGERS, 1, &to->x) || to->x.l->ndim == 0 || to->x.l->dtype <= WEFT_BOOL_DTYPE || to->x.l->dtype >= UINT64)
		return 0;
	to->is_array = 1;
	return shaped(p, to->x.l->ndim, to->x.l->shape, to->x.l->size);
}

int weft_read_choice(PyObject *index, const weft_layout *l, weft_choice *p)
{
	p->parts = p->heads = 1;
	p->bounds = WEFT_RAISES;
	p->spreads = 0;
	p->n = -1;
	if (l->ndim == 0)
		return 0;
	if (PyTuple_CheckExact(index)) {
		Py_ssize_t n = PyTuple_Size(index);
		if (n > l->ndim || n > WEFT_NEAR)
			return 0;
		for (int i = 0; i < n; i++)
			if (!weft_read_integers(PyTuple_GetItem(index, i), i, p))
				return 0;
		p->parts = p->heads = (int)n;
		return p->n > 0 || (p->n == 0 && n == 1); // numbers alone make a view; where nothing is chosen, others may be wrong all the same
	}
	if (PyList_CheckExact(index))
		return weft_read_integers(index, 0, p);
	const weft_layout *m = Py_TYPE(index) == weft_array_type ? weft_layout_of((weft_array *)index) : NULL;
	if (!m || m->dtype != WEFT_BOOL_DTYPE)
		return m && weft_read_integers(index, 0, p);
	p->parts = 0;
	p->heads = m->ndim;
	return m->ndim > 0 && m->ndim <= l->ndim && memcmp(m->shape, l->shape, m->ndim * sizeof *m->shape) == 0 &&
		weft_many_of(index, MOST_OF_MASK, 1, &p->mask);
}

const void *weft_still(weft_few *x, int dtype, int room, const weft_array *written)
{
	if (!(x->data = weft_data(x->array))) // shut meanwhile: see opening.c
		return NULL;
	char *data = weft_many_packed(x, dtype, room);
	if (!data || data != x->data || !written || x->array->place.memory != written->place.memory)
		return data;
	int64_t bytes = x->l->size * weft_sizes[dtype];
	return (data = weft_room(room, bytes)) ? memcpy(data, x->data, (size_t)bytes) : NULL;
}

int weft_locate(weft_choice *p, const weft_layout *l, const weft_array *written)
{
	for (int i = 0; i < p->parts; i++) {
		weft_integers *to = &p->part[i];
		if (to->is_array && !(to->at = weft_still(&to->x, INT64, WEFT_ROOM_INDEX + i, written)))
			return 0;
		if (p->spreads && !to->is_number && !spread(to, WEFT_ROOM_INDEX + i, p))
			return 0;
		if (written && !eager_inside(to->is_number ? 1 : p->n, to->at, l->shape[i]))
			return 0; // before anything is written
	}
	if (p->parts == 0) {
		if (!(p->holds = weft_still(&p->mask, WEFT_BOOL_DTYPE, WEFT_ROOM_INDEX, written)))
			return 0;
		p->n = eager_count(p->mask.l->size, p->holds);
		p->ndim = 1;
		p->shape[0] = p->n;
	}
	p->unit = weft_sizes[l->dtype];
	if (p->ndim + l->ndim - p->heads > WEFT_NEAR)
		return 0;
	for (int i = p->heads; i < l->ndim; i++) {
		p->shape[p->ndim++] = l->shape[i];
		p->unit *= l->shape[i];
	}
	return p->n * p->unit <= WEFT_MOST_CHOSEN * weft_sizes[l->dtype];
}

int weft_units_beside(const weft_choice *p, const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = l->ndim - 1; i >= p->heads; i--) {
		if (l->shape[i] != 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

weft_layout weft_unit_apart(const weft_choice *p, const weft_layout *l)
{
	weft_layout unit = {.dtype = l->dtype, .size = 1};
	for (int i = p->heads; i < l->ndim; i++) {
		unit.shape[unit.ndim] = l->shape[i];
		unit.strides[unit.ndim++] = l->strides[i];
		unit.size *= l->shape[i];
	}
	for (int i = 0; unit.ndim > 1 && i < unit.ndim; i++)
		if (unit.strides[i] <= 0 || !weft_falls(&unit, 0))
			unit.ndim = 0;
	return unit;
}

int weft_next_row(weft_rows *r, const weft_choice *p, const weft_layout *l)
{
	for (int i = l->contiguous ? -1 : p->heads - 2; i >= 0; i--) {
		r->away += l->strides[i];
		if (++r->at[i] < l->shape[i])
			return 1;
		r->away -= l->shape[i] * l->strides[i];
		r->at[i] = 0;
	}
	return 0;
}

// All units, where the array has no gaps.
int64_t weft_row_of(const weft_choice *p, const weft_layout *l)
{
	return l->contiguous ? p->mask.l->size : l->shape[p->heads - 1];
}

int64_t weft_step_of(const weft_choice *p, const weft_layout *l) { return l->contiguous ? p->unit : l->strides[p->heads - 1]; }

int weft_offsets(const weft_choice *p, const weft_layout *l, int64_t from, int64_t n, int64_t *to)
{
	int64_t base = 0;
	int add = 0, inside = 1;
	for (int i = 0; i < p->parts; i++) {
		const weft_integers *x = &p->part[i];
		int64_t one;
		inside = inside && eager_offsets(x->is_number ? 1 : n, x->at + (x->is_number ? 0 : from), l->shape[i], l->strides[i], !x->is_number && add, x->is_number ? &one : to);
		if (x->is_number)
			base += one;
		else
			add = 1;
	}
	for (int64_t k = 0; base && k < n; k++)
		to[k] += base;
	return inside;
}
