//go:build extension

// Copies of parts of arrays that arrays choose: a[integers], a[mask], a[rows, columns]. The array may be of any size: what is chosen
// is looked for and copied where it lies.
#include "choice.h"
#include "_cgo_export.h"

// gather copies what is chosen: 0 where an integer is outside.
static int gather(const weft_choice *p, const weft_layout *l, const char *data, char *to)
{
	if (p->parts) {
		int64_t at[WEFT_PART];
		for (int64_t i = 0; i < p->n; i += WEFT_PART) {
			int64_t n = p->n - i < WEFT_PART ? p->n - i : WEFT_PART;
			if (p->parts == 1 && l->strides[0] == p->unit) {
				if (!eager_take(p->unit, n, p->part[0].at + i, l->shape[0], data, to + i * p->unit))
					return 0;
				continue;
			}
			if (!weft_offsets(p, l, i, n, at))
				return 0;
			eager_gather(p->unit, n, at, data, to + i * p->unit);
		}
		return 1;
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

// copied returns a copy of what an index chooses.
static PyObject *copied(weft_few *x, weft_choice *p)
{
	weft_layout flat;
	if (!weft_locate(p, x->l, NULL))
		return NULL;
	weft_array *made = NULL;
	const weft_layout *l = x->l;
	if (!weft_units_beside(p, l)) {
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
	weft_choice p;
	const weft_layout *l = weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	return l && weft_read_choice(index, l, &p) && weft_many_of(array, INT64_MAX, p.parts == 0, &x) ? copied(&x, &p) : NULL;
}

// take(a, indices, axis=None, ...)
PyObject *weft_few_take(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	weft_choice p = {.n = -1, .parts = 1, .heads = 1};
	weft_layout flat;
	if (!weft_eager || Py_TYPE(args[0]) != weft_array_type || PyLong_CheckExact(args[1]))
		return NULL;
	if (!weft_read_integers(args[1], 0, &p) || !weft_many_of(args[0], INT64_MAX, 0, &x) || x.l->ndim == 0)
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
