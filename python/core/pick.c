//go:build extension

// Copies of parts of arrays that arrays choose: a[integers], a[mask], a[rows, columns]. The array may be of any size: what is chosen
// is looked for and copied where it lies.
#include "choice.h"
#include "_cgo_export.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9 }; // tile.DTypes

// gathering is a copy of what integers choose; some units are a part.
typedef struct {
	const weft_choice *p;
	const weft_layout *l;
	const char *data;
	char *to;
	int64_t some;
	_Atomic int outside;
} gathering;

const int64_t *weft_bounded(int how, int64_t n, const int64_t *at, int64_t extent, int64_t *to)
{
	if (how == WEFT_RAISES || (how == WEFT_WRAPS && eager_inside(n, at, extent)))
		return at;
	if (how == WEFT_CLIPS)
		eager_clip(n, at, extent, to);
	for (int64_t i = 0; i < n && how == WEFT_WRAPS; i++)
		to[i] = at[i] % extent;
	return to;
}

static void gather_part(void *of, int64_t part)
{
	gathering *g = of;
	const weft_choice *p = g->p;
	int64_t at[WEFT_PART], end = (part + 1) * g->some < p->n ? (part + 1) * g->some : p->n;
	for (int64_t i = part * g->some; i < end; i += WEFT_PART) {
		int64_t n = end - i < WEFT_PART ? end - i : WEFT_PART;
		char *to = g->to + i * p->unit;
		int inside;
		if (p->parts == 1 && g->l->strides[0] == p->unit)
			inside = eager_take(p->unit, n, weft_bounded(p->bounds, n, p->part[0].at + i, g->l->shape[0], at), g->l->shape[0], g->data, to);
		else if ((inside = weft_offsets(p, g->l, i, n, at)))
			eager_gather(p->unit, n, at, g->data, to);
		if (!inside) {
			g->outside = 1;
			return;
		}
	}
}

enum { FAR = 24 }; // what a unit costs that lies anywhere, in bytes that lie side by side

// gather copies what is chosen: 0 where an integer is outside.
static int gather(const weft_choice *p, const weft_layout *l, const char *data, char *to)
{
	if (p->parts) {
		gathering g = {p, l, data, to, 0, 0};
		eager_share(eager_parts(p->n, FAR + p->unit, &g.some), p->n * (FAR + p->unit), gather_part, &g);
		return !g.outside;
	}
	weft_rows r = {{0}, 0};
	const uint8_t *holds = p->holds;
	int64_t row = weft_row_of(p, l), left = p->n;
	do {
		int64_t found = eager_compress(p->unit, row, holds, data + r.away, weft_step_of(p, l), to, left);
		to += found * p->unit;
		left -= found;
		holds += row;
	} while (left > 0 && weft_next_row(&r, p, l));
	return 1;
}

// gather_apart does so with units of integers whose elements lie apart.
static int gather_apart(const weft_choice *p, const weft_layout *l, const weft_layout *unit, const char *data, char *to)
{
	int64_t at[WEFT_PART];
	eager_layout each = {unit->ndim, unit->size, unit->shape, unit->strides};
	for (int64_t i = 0; i < p->n; i += WEFT_PART) {
		int64_t n = p->n - i < WEFT_PART ? p->n - i : WEFT_PART;
		if (!weft_offsets(p, l, i, n, at))
			return 0;
		for (int64_t k = 0; k < n; k++, to += p->unit)
			eager_pack(weft_sizes[l->dtype], &each, data + at[k], to);
	}
	return 1;
}

enum { FEW_OF = 4 }; // of the units of a small array, one in so many is copied from where it lies

PyObject *weft_chosen_of(weft_few *x, weft_choice *p)
{
	weft_layout flat;
	if (!weft_locate(p, x->l, NULL))
		return NULL;
	weft_array *made = NULL;
	const weft_layout *l = x->l;
	weft_layout unit = {.ndim = 0};
	for (int i = p->heads + 1; i < l->ndim; i++) // the axes of the units are sorted by their steps, those of one element as well
		if (weft_magnitude(l->strides[i]) > weft_magnitude(l->strides[i - 1]))
			return NULL;
	if (p->bounds && (l->shape[0] == 0 || l->strides[0] != p->unit || !weft_units_beside(p, l))) // whose integers are not bounded where they are read
		return NULL;
	if (!weft_units_beside(p, l)) {
		unit = weft_unit_apart(p, l);
		if (!unit.ndim) // Several axes of units would keep the order in which they lie.
			return NULL;
		if (!p->parts || (l->size <= WEFT_SMALL_MOST && p->n * FEW_OF > l->shape[0])) { // all of it side by side first
			if (l->size > WEFT_SMALL_MOST)
				return NULL;
			unit.ndim = 0;
			weft_lay(&flat, l->dtype, l->ndim, l->shape);
			l = &flat;
		}
	}
	if (!(made = weft_many_made(l->dtype, p->ndim, p->shape)))
		return NULL;
	char *to = weft_data(made), *data = (x->data = weft_data(x->array)) ? (l == &flat ? weft_many_packed(x, l->dtype, WEFT_ROOM_ELEMENTS) : x->data) : NULL;
	if (!data || (p->n > 0 && !(unit.ndim ? gather_apart(p, l, &unit, data, to) : gather(p, l, data, to)))) { // shut meanwhile: see opening.c; or outside
		Py_DECREF(made);
		return NULL;
	}
	weft_note(WEFT_NOTE_PICK, &made->at, made->place.memory, x->array->place.memory, 0);
	return (PyObject *)made;
}

// keeps_order says that what integers along all axes choose lies as one of their arrays, which has another order than that of C.
static int keeps_order(const weft_choice *p, const weft_layout *l)
{
	int keeps = 0;
	for (int i = 0; p->parts == l->ndim && i < p->parts; i++) {
		const weft_layout *at = p->part[i].is_array ? p->part[i].x.l : NULL;
		keeps |= at && at->ndim > 1 && !at->contiguous;
	}
	return keeps;
}

// pick_vector copies elements of a vector that few integers choose: what most programs do, and the half of the time is spent on what else an index may be. It is NULL,
// without an exception, of all else, and where an integer is outside.
static PyObject *pick_vector(PyObject *array, PyObject *index)
{
	weft_array *a = (weft_array *)array, *i = (weft_array *)index;
	const weft_layout *l = weft_layout_of(a), *at = Py_TYPE(index) == weft_array_type ? weft_layout_of(i) : NULL;
	if (!l || !at || l->ndim != 1 || at->ndim != 1 || at->dtype != INT64 || at->size == 0 || at->size > WEFT_SMALL_MOST || !l->contiguous || !at->contiguous)
		return NULL;
	const char *data = weft_data(a), *places = weft_data(i);
	const int64_t n = at->size, extent = l->shape[0];
	const int dtype = l->dtype;
	weft_array *made = data && places ? weft_new_packed(dtype, 1, &n) : NULL;
	if (!made)
		return NULL;
	if (!eager_take(weft_sizes[dtype], n, (const int64_t *)places, extent, data, made->bytes)) {
		Py_DECREF(made);
		return NULL;
	}
	weft_note(WEFT_NOTE_PICK, &made->at, made->place.memory, a->place.memory, 0);
	return (PyObject *)made;
}

PyObject *weft_few_pick(PyObject *array, PyObject *index)
{
	PyObject *few = weft_eager ? pick_vector(array, index) : NULL;
	if (few)
		return few;
	weft_few x;
	weft_choice p;
	const weft_layout *l = weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	return l && weft_read_choice(index, l, &p) && !keeps_order(&p, l) && weft_many_of(array, INT64_MAX, p.parts == 0 ? 1 : WEFT_WAITS_AGAIN, &x) ? weft_chosen_of(&x, &p) : NULL;
}
