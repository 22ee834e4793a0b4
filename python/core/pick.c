//go:build extension

// Parts of arrays of few elements that arrays choose: a[integers], a[mask], a[rows, columns], and assignments to them. What is
// wrong with an index is for the general functions to say.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9 }; // tile.DTypes

static int64_t places[2][WEFT_SMALL_MOST];
static _Alignas(64) char integers[WEFT_ROOM], elements[WEFT_ROOM], values[WEFT_ROOM];

// picked is what an index chooses: units of elements that follow each other in the order of C.
typedef struct {
	const int64_t *at; // of the units
	int64_t n;
	int unit_axes;           // the last axes of the array, which make a unit
	int ndim;
	int64_t shape[WEFT_NEAR]; // of the choice, without the unit's
} picked;

// bounded reads the integers of an index along an axis of so many points.
static int bounded(PyObject *index, int64_t extent, int64_t *to, picked *p)
{
	weft_few x;
	const int64_t *given = (const int64_t *)integers;
	if (PyList_CheckExact(index)) {
		p->n = PyList_Size(index);
		p->ndim = 1;
		p->shape[0] = p->n;
		if (p->n == 0 || p->n > WEFT_SMALL_MOST)
			return 0;
		for (int64_t i = 0; i < p->n; i++) {
			PyObject *o = PyList_GetItem(index, i);
			int overflow;
			if (!PyLong_CheckExact(o))
				return 0;
			((int64_t *)integers)[i] = PyLong_AsLongLongAndOverflow(o, &overflow);
			if (overflow)
				return 0;
		}
	} else {
		if (!weft_few_of(index, 1, &x) || x.l->ndim == 0 || x.l->dtype <= WEFT_BOOL_DTYPE || x.l->dtype >= UINT64)
			return 0;
		p->n = x.l->size;
		p->ndim = x.l->ndim;
		memcpy(p->shape, x.l->shape, sizeof p->shape);
		if (!(given = (const int64_t *)weft_few_packed(&x, INT64, integers)))
			return 0;
	}
	for (int64_t i = 0; i < p->n; i++) {
		int64_t v = given[i];
		if (v < -extent || v >= extent)
			return 0;
		to[i] = v < 0 ? v + extent : v;
	}
	p->at = to;
	return 1;
}

// chosen reads a mask over the first axes of an array.
static int chosen(const weft_few *m, const weft_layout *l, int64_t *to, picked *p)
{
	if (m->l->ndim == 0 || m->l->ndim > l->ndim || memcmp(m->l->shape, l->shape, m->l->ndim * sizeof *l->shape))
		return 0;
	const char *holds = weft_few_packed(m, WEFT_BOOL_DTYPE, integers);
	p->n = 0;
	for (int64_t i = 0; i < m->l->size; i++) {
		to[p->n] = i;
		p->n += holds[i] != 0;
	}
	p->at = to;
	p->unit_axes = l->ndim - m->l->ndim;
	p->ndim = 1;
	p->shape[0] = p->n;
	return 1;
}

// pair reads an index of a row and a column each, of which one at least is an array or a list.
static int pair(PyObject *index, const weft_layout *l, picked *p)
{
	picked part[2] = {{.n = -1}, {.n = -1}};
	int64_t fixed[2] = {0, 0};
	for (int i = 0; i < 2; i++) {
		PyObject *o = PyTuple_GetItem(index, i);
		if (PyLong_CheckExact(o)) {
			int overflow;
			int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
			if (overflow || v < -l->shape[i] || v >= l->shape[i])
				return 0;
			fixed[i] = v < 0 ? v + l->shape[i] : v;
		} else if (!bounded(o, l->shape[i], places[i], &part[i])) {
			return 0;
		}
	}
	int k = part[0].n < 0;
	if (part[k].n < 0)
		return 0;
	if (k == 0 && part[1].n >= 0 && (part[0].ndim != part[1].ndim || memcmp(part[0].shape, part[1].shape, part[0].ndim * sizeof *part[0].shape)))
		return 0;
	*p = part[k];
	for (int64_t i = 0; i < p->n; i++)
		places[0][i] = (part[0].n < 0 ? fixed[0] : places[0][i]) * l->shape[1] + (part[1].n < 0 ? fixed[1] : places[1][i]);
	p->at = places[0];
	p->unit_axes = 0;
	return 1;
}

static int read_index(PyObject *index, const weft_layout *l, picked *p)
{
	weft_few m;
	if (l->ndim == 0)
		return 0;
	if (PyTuple_CheckExact(index))
		return l->ndim == 2 && PyTuple_Size(index) == 2 && pair(index, l, p);
	if (weft_few_of(index, 1, &m) && m.l->dtype == WEFT_BOOL_DTYPE)
		return chosen(&m, l, places[0], p);
	p->unit_axes = l->ndim - 1;
	return bounded(index, l->shape[0], places[0], p);
}

// whole is the shape of what an index chooses, units included; the number of elements of a unit, or 0.
static int64_t whole(const weft_layout *l, picked *p)
{
	int64_t unit = 1;
	if (p->ndim + p->unit_axes > WEFT_NEAR)
		return 0;
	for (int i = l->ndim - p->unit_axes; i < l->ndim; i++) {
		p->shape[p->ndim++] = l->shape[i];
		unit *= l->shape[i];
	}
	return p->n * unit > WEFT_SMALL_MOST ? 0 : unit;
}

#define EACH(T) \
	for (int64_t i = 0; i < n; i++) \
		((T *)to)[i] = ((const T *)from)[at[i]]; \
	return;

// gather copies units of so many bytes.
static void gather(int64_t unit, int64_t n, const int64_t *at, char *to, const char *from)
{
	switch (unit) {
	case 1: EACH(uint8_t)
	case 2: EACH(uint16_t)
	case 4: EACH(uint32_t)
	case 8: EACH(uint64_t)
	}
	for (int64_t i = 0; i < n; i++)
		memcpy(to + i * unit, from + at[i] * unit, (size_t)unit);
}

static PyObject *gathered(weft_few *x, picked *p)
{
	// Several axes of units would keep the order in which they lie.
	if (p->unit_axes > 1 && !x->l->contiguous)
		return NULL;
	int64_t unit = whole(x->l, p);
	weft_array *made = unit ? weft_new_packed(x->l->dtype, p->ndim, p->shape) : NULL;
	if (!made)
		return NULL;
	const char *from = weft_few_packed(x, x->l->dtype, elements);
	gather(unit * weft_sizes[x->l->dtype], p->n, p->at, made->bytes, from);
	weft_note(WEFT_NOTE_PICK, &made->at, made->place.memory, x->array->place.memory, 0);
	return (PyObject *)made;
}

PyObject *weft_few_pick(PyObject *array, PyObject *index)
{
	weft_few x;
	picked p;
	return weft_few_of(array, 0, &x) && read_index(index, x.l, &p) && (x.data = weft_data(x.array)) ? gathered(&x, &p) : NULL;
}

// valued returns the elements of a value side by side as they are assigned to a shape, or NULL; *one says that it is one for all.
static char *valued(PyObject *value, int dtype, const picked *p, int *one)
{
	weft_value v;
	weft_few x;
	*one = 1;
	if (Py_TYPE(value) != weft_array_type)
		return weft_number(value, &v) && weft_write(&v, dtype, values) ? values : NULL;
	if (!weft_few_of(value, 0, &x))
		return NULL;
	*one = x.l->size == 1;
	if (!*one && (x.l->ndim != p->ndim || memcmp(x.l->shape, p->shape, p->ndim * sizeof *p->shape)))
		return NULL;
	if (*one && x.l->ndim > p->ndim)
		return NULL;
	char *data = weft_few_packed(&x, dtype, values);
	return data == x.data ? memcpy(values, data, (size_t)(x.l->size * weft_sizes[dtype])) : data; // it may be of the array itself
}

int weft_few_put(PyObject *array, PyObject *index, PyObject *value)
{
	weft_few x;
	picked p;
	int one;
	if (!weft_few_of(array, 0, &x) || x.array->place.readonly || !read_index(index, x.l, &p))
		return 0;
	int size = weft_sizes[x.l->dtype];
	int64_t n = whole(x.l, &p);
	const char *from = n ? valued(value, x.l->dtype, &p, &one) : NULL;
	if (!from || !(x.data = weft_data(x.array)))
		return 0;
	weft_note(WEFT_NOTE_PUT, x.l, x.array->place.memory, Py_TYPE(value) == weft_array_type ? ((weft_array *)value)->place.memory : 0, 0);
	int64_t rows = 1;
	int head = x.l->ndim - p.unit_axes;
	for (int i = 0; i < p.unit_axes; i++)
		rows *= x.l->shape[head + i];
	if (!x.l->contiguous && p.unit_axes > 0)
		return 0;
	for (int64_t i = 0; i < p.n; i++) {
		int64_t away = p.at[i] * rows * size;
		if (!x.l->contiguous) { // single elements
			int64_t at = p.at[i];
			away = 0;
			for (int k = head - 1; k >= 0; at /= x.l->shape[k--])
				away += at % x.l->shape[k] * x.l->strides[k];
		}
		if (!one)
			memcpy(x.data + away, from + i * rows * size, (size_t)(rows * size));
		else
			for (int64_t k = 0; k < rows; k++)
				memcpy(x.data + away + k * size, from, (size_t)size);
	}
	return 1;
}

// take(a, indices, axis=None, ...)
PyObject *weft_few_take(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	picked p = {.unit_axes = 0};
	if (!weft_few_of(args[0], 0, &x) || x.l->ndim == 0)
		return NULL;
	int64_t extent = x.l->size;
	if (args[2] != Py_None) {
		if (!PyLong_CheckExact(args[2]) || PyLong_AsLong(args[2]) != 0 || (x.l->ndim > 1 && !x.l->contiguous)) {
			PyErr_Clear(); // an int too large
			return NULL;
		}
		p.unit_axes = x.l->ndim - 1;
		extent = x.l->shape[0];
	}
	return bounded(args[1], extent, places[0], &p) && (x.data = weft_data(x.array)) ? gathered(&x, &p) : NULL;
}

// truths finds the elements that are true, in the order of C: how many, or -1.
static int64_t truths(weft_few *x, int64_t *at)
{
	const char *holds = weft_few_packed(x, WEFT_BOOL_DTYPE, integers);
	int64_t n = 0;
	if (!holds)
		return -1;
	for (int64_t i = 0; i < x->l->size; i++) {
		at[n] = i;
		n += holds[i] != 0;
	}
	return n;
}

// nonzero(a) of one axis, and flatnonzero(a).
PyObject *weft_few_nonzero(int flat, PyObject *const *args)
{
	weft_few x;
	if (!weft_few_of(args[0], 1, &x) || (flat ? x.l->ndim == 0 : x.l->ndim != 1))
		return NULL;
	int64_t n = truths(&x, places[0]);
	PyObject *made = n < 0 ? NULL : weft_few_result(INT64, 1, &n, (const char *)places[0]);
	if (made)
		weft_note_made(WEFT_NOTE_NONZERO, made, INT64, x.array, NULL);
	if (!made || flat)
		return made;
	PyObject *all = PyTuple_Pack(1, made);
	Py_DECREF(made);
	return all;
}

// count_nonzero(a)
PyObject *weft_few_count(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	if (args[1] != Py_None || !weft_few_of(args[0], 1, &x))
		return NULL;
	int64_t n = truths(&x, places[0]);
	PyObject *made = n < 0 ? NULL : weft_scalar_at(&n, INT64);
	if (made)
		weft_note_made(WEFT_NOTE_NONZERO, made, INT64, x.array, NULL);
	return made;
}
