//go:build extension

// Parts of arrays that arrays choose: a[integers], a[mask], a[rows, columns], and assignments to them. The array may be of any size:
// what is chosen is looked for and copied where it lies. What is wrong with an index is for the general functions to say.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9 }; // tile.DTypes

// How many elements an index may have, and how many it may choose: with more, both a second processor and what the copy is computed
// together with gain more than it costs to plan it. The elements that a mask chooses have to be counted anyway.
enum { MOST_INTEGERS = 1 << 16, MOST_OF_MASK = 1 << 19, MOST_CHOSEN = 1 << 20 };

enum { PART = 512 }; // indices that are taken at a time

// integers are an index along one axis: an array, a list, or one number.
typedef struct {
	weft_few x;
	int is_array, is_number;
	int64_t number;
	const int64_t *at;
} integers;

// picked is what an index chooses: units, which are all elements along the last axes.
typedef struct {
	int64_t n, unit; // units, and bytes of each
	int heads;       // the first axes, which the index is over
	int parts;       // integers along these, or
	weft_few mask;   // a mask over all of them
	const uint8_t *holds;
	integers part[WEFT_NEAR];
	int ndim;
	int64_t shape[WEFT_NEAR]; // of the choice
} picked;

// shaped says whether an index has the shape of those before it.
static int shaped(picked *p, int ndim, const int64_t *shape, int64_t n)
{
	if (p->n >= 0)
		return p->ndim == ndim && memcmp(p->shape, shape, ndim * sizeof *shape) == 0;
	p->n = n;
	p->ndim = ndim;
	memcpy(p->shape, shape, ndim * sizeof *shape);
	return 1;
}

static int listed(PyObject *index, int room, integers *to, picked *p)
{
	int64_t n = PyList_Size(index), *at;
	if (n == 0 || n > WEFT_SMALL_MOST || !(at = (int64_t *)weft_room(room, n * (int64_t)sizeof *at)))
		return 0;
	for (int64_t i = 0; i < n; i++) {
		PyObject *o = PyList_GetItem(index, i);
		int overflow;
		if (!PyLong_CheckExact(o))
			return 0;
		at[i] = PyLong_AsLongLongAndOverflow(o, &overflow);
		if (overflow)
			return 0;
	}
	to->at = at;
	return shaped(p, 1, &n, n);
}

// read_part reads the index along one axis. An array of integers is waited for; its elements are looked at when nothing is any more.
static int read_part(PyObject *o, int axis, picked *p)
{
	integers *to = &p->part[axis];
	to->is_array = to->is_number = 0;
	if (PyLong_CheckExact(o)) {
		int overflow;
		to->is_number = 1;
		to->number = PyLong_AsLongLongAndOverflow(o, &overflow);
		to->at = &to->number;
		return !overflow;
	}
	if (PyList_CheckExact(o))
		return listed(o, WEFT_ROOM_INDEX + axis, to, p);
	if (!weft_many_of(o, MOST_INTEGERS, 1, &to->x) || to->x.l->ndim == 0 || to->x.l->dtype <= WEFT_BOOL_DTYPE || to->x.l->dtype >= UINT64)
		return 0;
	to->is_array = 1;
	return shaped(p, to->x.l->ndim, to->x.l->shape, to->x.l->size);
}

// read_index takes an index apart.
static int read_index(PyObject *index, const weft_layout *l, picked *p)
{
	p->parts = p->heads = 1;
	p->n = -1;
	if (l->ndim == 0)
		return 0;
	if (PyTuple_CheckExact(index)) {
		Py_ssize_t n = PyTuple_Size(index);
		if (n > l->ndim || n > WEFT_NEAR)
			return 0;
		for (int i = 0; i < n; i++)
			if (!read_part(PyTuple_GetItem(index, i), i, p))
				return 0;
		p->parts = p->heads = (int)n;
		return p->n >= 0; // numbers alone make a view
	}
	if (PyList_CheckExact(index))
		return read_part(index, 0, p);
	const weft_layout *m = Py_TYPE(index) == weft_array_type ? weft_layout_of((weft_array *)index) : NULL;
	if (!m || m->dtype != WEFT_BOOL_DTYPE)
		return m && read_part(index, 0, p);
	p->parts = 0;
	p->heads = m->ndim;
	return m->ndim > 0 && m->ndim <= l->ndim && memcmp(m->shape, l->shape, m->ndim * sizeof *m->shape) == 0 &&
		weft_many_of(index, MOST_OF_MASK, 1, &p->mask);
}

// still returns the elements of an array as those of a dtype, side by side: a copy where its memory is going to be written.
static const void *still(weft_few *x, int dtype, int room, const weft_array *written)
{
	if (!(x->data = weft_data(x->array))) // shut meanwhile: see opening.c
		return NULL;
	char *data = weft_many_packed(x, dtype, room);
	if (!data || data != x->data || !written || x->array->place.memory != written->place.memory)
		return data;
	int64_t bytes = x->l->size * weft_sizes[dtype];
	return (data = weft_room(room, bytes)) ? memcpy(data, x->data, (size_t)bytes) : NULL;
}

// locate looks at the elements of an index into an array, which may be going to be written. Nothing is waited for any more.
static int locate(picked *p, const weft_layout *l, const weft_array *written)
{
	for (int i = 0; i < p->parts; i++) {
		integers *to = &p->part[i];
		if (to->is_array && !(to->at = still(&to->x, INT64, WEFT_ROOM_INDEX + i, written)))
			return 0;
		if (written && !eager_inside(to->is_number ? 1 : p->n, to->at, l->shape[i]))
			return 0; // before anything is written
	}
	if (p->parts == 0) {
		if (!(p->holds = still(&p->mask, WEFT_BOOL_DTYPE, WEFT_ROOM_INDEX, written)))
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
	return p->n * p->unit <= MOST_CHOSEN * weft_sizes[l->dtype];
}

// beside says whether the elements of each unit lie side by side.
static int beside(const picked *p, const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = l->ndim - 1; i >= p->heads; i--) {
		if (l->shape[i] != 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

// rows goes through the rows of a mask: where the current one is, and how far from the first element.
typedef struct {
	int64_t at[WEFT_NEAR], away;
} rows;

static int next_row(rows *r, const picked *p, const weft_layout *l)
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

// row_of is how many units are as far apart as the neighbours along the last axis of a mask: all, where the array has no gaps.
static int64_t row_of(const picked *p, const weft_layout *l)
{
	return l->contiguous ? p->mask.l->size : l->shape[p->heads - 1];
}

static int64_t step_of(const picked *p, const weft_layout *l) { return l->contiguous ? p->unit : l->strides[p->heads - 1]; }

// offsets finds out where some of the units are, from the array's first element: 0 where one is outside.
static int offsets(const picked *p, const weft_layout *l, int64_t from, int64_t n, int64_t *to)
{
	int64_t base = 0;
	int add = 0, inside = 1;
	for (int i = 0; i < p->parts; i++) {
		const integers *x = &p->part[i];
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

// gather copies what is chosen: 0 where an integer is outside.
static int gather(const picked *p, const weft_layout *l, const char *data, char *to)
{
	if (p->parts) {
		int64_t at[PART];
		for (int64_t i = 0; i < p->n; i += PART) {
			int64_t n = p->n - i < PART ? p->n - i : PART;
			if (p->parts == 1 && l->strides[0] == p->unit) {
				if (!eager_take(p->unit, n, p->part[0].at + i, l->shape[0], data, to + i * p->unit))
					return 0;
				continue;
			}
			if (!offsets(p, l, i, n, at))
				return 0;
			eager_gather(p->unit, n, at, data, to + i * p->unit);
		}
		return 1;
	}
	rows r = {{0}, 0};
	const uint8_t *holds = p->holds;
	int64_t row = row_of(p, l), left = p->n;
	do {
		int64_t found = eager_compress(p->unit, row, holds, data + r.away, step_of(p, l), to, left);
		to += found * p->unit;
		left -= found;
		holds += row;
	} while (left > 0 && next_row(&r, p, l));
	return 1;
}

// copied returns a copy of what an index chooses.
static PyObject *copied(weft_few *x, picked *p)
{
	weft_layout flat;
	if (!locate(p, x->l, NULL))
		return NULL;
	weft_array *made = NULL;
	const weft_layout *l = x->l;
	if (!beside(p, l)) {
		// Several axes of units would keep the order in which they lie.
		if (l->ndim - p->heads > 1 || l->size > WEFT_SMALL_MOST)
			return NULL;
		weft_lay(&flat, l->dtype, l->ndim, l->shape);
		l = &flat;
	}
	if (!(made = weft_many_made(l->dtype, p->ndim, p->shape)))
		return NULL;
	char *to = weft_data(made), *data = (x->data = weft_data(x->array)) ? (l == &flat ? weft_many_packed(x, l->dtype, WEFT_ROOM_ELEMENTS) : x->data) : NULL;
	if (!data || (p->n > 0 && !gather(p, l, data, to))) { // shut meanwhile: see opening.c; or outside
		Py_DECREF(made);
		return NULL;
	}
	weft_note(WEFT_NOTE_PICK, &made->at, made->place.memory, x->array->place.memory, 0);
	return (PyObject *)made;
}

PyObject *weft_few_pick(PyObject *array, PyObject *index)
{
	weft_few x;
	picked p;
	const weft_layout *l = weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	return l && read_index(index, l, &p) && weft_many_of(array, INT64_MAX, p.parts == 0, &x) ? copied(&x, &p) : NULL;
}

// assigned is a value that is assigned: an array, or an element of the array's dtype.
typedef struct {
	int is_array;
	weft_few x;
	char element[EAGER_WIDEST];
} assigned;

static int read_value(PyObject *value, int dtype, assigned *v)
{
	weft_value number;
	v->is_array = Py_TYPE(value) == weft_array_type;
	return v->is_array ? weft_many_of(value, MOST_CHOSEN, 0, &v->x) : weft_number(value, &number) && weft_write(&number, dtype, v->element);
}

// valued returns the elements of a value side by side as they are assigned to what is chosen, or NULL. *next is from unit to unit.
static const char *valued(assigned *v, const weft_array *to, int dtype, const picked *p, int64_t *next)
{
	int64_t size = weft_sizes[dtype];
	if (v->is_array) {
		const weft_layout *l = v->x.l;
		int same = l->ndim == p->ndim && memcmp(l->shape, p->shape, p->ndim * sizeof *p->shape) == 0;
		if (!same && (l->size > 1 || l->ndim > p->ndim))
			return NULL;
		const char *data = still(&v->x, dtype, WEFT_ROOM_VALUES, to);
		if (same || !data) {
			*next = p->unit;
			return data;
		}
		memcpy(v->element, data, (size_t)size);
	}
	char *unit = weft_room(WEFT_ROOM_VALUES, p->unit);
	for (int64_t k = 0; unit && k < p->unit; k += size)
		memcpy(unit + k, v->element, (size_t)size);
	*next = 0;
	return unit;
}

static void scatter(const picked *p, const weft_layout *l, const char *from, int64_t next, char *data)
{
	if (p->parts) {
		int64_t at[PART];
		for (int64_t i = 0; i < p->n; i += PART) {
			int64_t n = p->n - i < PART ? p->n - i : PART;
			offsets(p, l, i, n, at);
			eager_scatter(p->unit, n, at, from + i * next, next, data);
		}
		return;
	}
	rows r = {{0}, 0};
	const uint8_t *holds = p->holds;
	const char *end = from + (next ? p->n * next : p->unit);
	int64_t row = row_of(p, l);
	do {
		from = eager_expand(p->unit, row, holds, from, end, next, data + r.away, step_of(p, l));
		holds += row;
	} while (next_row(&r, p, l));
}

// blends says whether an assignment is a selection in place, for which nothing is waited for and which is computed together with the
// mask: that of one number to what a mask chooses, where one of them is not at hand.
static int blends(weft_array *a, PyObject *index, PyObject *value)
{
	if (Py_TYPE(index) != weft_array_type)
		return 0;
	weft_array *mask = (weft_array *)index;
	const weft_layout *l = weft_layout_of(mask), *many = Py_TYPE(value) == weft_array_type ? weft_layout_of((weft_array *)value) : NULL;
	return l && l->dtype == WEFT_BOOL_DTYPE && l->size > WEFT_SMALL_MOST && (!many || many->size == 1) && !(weft_data(a) && weft_data(mask));
}

int weft_few_put(PyObject *array, PyObject *index, PyObject *value)
{
	weft_few x;
	picked p;
	assigned v;
	int64_t next;
	const weft_layout *l = weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	if (!l || blends((weft_array *)array, index, value) || !read_index(index, l, &p) || !read_value(value, l->dtype, &v))
		return 0;
	if (!weft_many_of(array, INT64_MAX, 0, &x) || x.array->place.readonly || !locate(&p, x.l, x.array) || !beside(&p, x.l))
		return 0;
	const char *from = valued(&v, x.array, x.l->dtype, &p, &next);
	if (!from)
		return 0;
	if (p.n > 0)
		scatter(&p, x.l, from, next, x.data);
	weft_note(WEFT_NOTE_PUT, x.l, x.array->place.memory, v.is_array ? v.x.array->place.memory : 0, 0);
	return 1;
}

// take(a, indices, axis=None, ...)
PyObject *weft_few_take(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	picked p = {.n = -1, .parts = 1, .heads = 1};
	weft_layout flat;
	if (!weft_eager || Py_TYPE(args[0]) != weft_array_type || PyLong_CheckExact(args[1]))
		return NULL;
	if (!read_part(args[1], 0, &p) || !weft_many_of(args[0], INT64_MAX, 0, &x) || x.l->ndim == 0)
		return NULL;
	if (args[2] != Py_None) {
		if (!PyLong_CheckExact(args[2]) || PyLong_AsLong(args[2]) != 0) {
			PyErr_Clear(); // an int too large
			return NULL;
		}
		if (x.l->ndim > 1 && !x.l->contiguous)
			return NULL;
	} else if (x.l->ndim > 1) {
		if (!x.l->contiguous)
			return NULL;
		weft_lay(&flat, x.l->dtype, 1, &x.l->size);
		x.l = &flat;
	}
	return copied(&x, &p);
}
