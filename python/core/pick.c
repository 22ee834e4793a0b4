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

// bounded brings integers between the ends of an axis; from -extent on they may be less than 0.
static const int64_t *bounded(int how, int64_t n, const int64_t *at, int64_t extent, int64_t *to)
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
			inside = eager_take(p->unit, n, bounded(p->bounds, n, p->part[0].at + i, g->l->shape[0], at), g->l->shape[0], g->data, to);
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

// copied returns a copy of what an index chooses.
static PyObject *copied(weft_few *x, weft_choice *p)
{
	weft_layout flat;
	if (!weft_locate(p, x->l, NULL))
		return NULL;
	weft_array *made = NULL;
	const weft_layout *l = x->l;
	weft_layout unit = {.ndim = 0};
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

PyObject *weft_few_pick(PyObject *array, PyObject *index)
{
	weft_few x;
	weft_choice p;
	const weft_layout *l = weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	return l && weft_read_choice(index, l, &p) && !keeps_order(&p, l) && weft_many_of(array, INT64_MAX, p.parts == 0, &x) ? copied(&x, &p) : NULL;
}

// take_along is take along another axis than the first, which lies in the order of C.
static PyObject *take_along(PyObject *array, PyObject *indices, int axis)
{
	PyObject *index = PyTuple_New(axis + 1), *chosen = NULL, *made = NULL;
	for (int i = 0; index && i <= axis; i++) {
		PyObject *part = i < axis ? PySlice_New(NULL, NULL, NULL) : Py_NewRef(indices);
		if (!part)
			Py_CLEAR(index);
		else
			PyTuple_SetItem(index, i, part);
	}
	chosen = index ? weft_pick_along(array, index) : NULL;
	made = chosen && !((weft_array *)chosen)->at.contiguous ? weft_eager_copy(chosen) : Py_XNewRef(chosen);
	Py_XDECREF(index);
	Py_XDECREF(chosen);
	return made;
}

// take_bounded is take by integers that are brought between the ends first, where that is not done while they are read.
static PyObject *take_bounded(PyObject *const *args, const weft_choice *p, int64_t extent)
{
	weft_few x = p->part[0].x;
	weft_array *made = p->part[0].is_array && extent > 0 && weft_fits(x.l->size, INT64) ? weft_new_packed(INT64, x.l->ndim, x.l->shape) : NULL;
	const int64_t *at = made && (x.data = weft_data(x.array)) ? (const int64_t *)weft_few_packed(&x, INT64, weft_scratch[1]) : NULL;
	int64_t *to = made ? (int64_t *)made->bytes : NULL;
	PyObject *chosen = NULL;
	if (at) {
		const int64_t *inside = bounded(p->bounds, x.l->size, at, extent, to);
		if (inside != to)
			memcpy(to, inside, (size_t)x.l->size * sizeof *to);
		chosen = weft_few_take(0, (PyObject *[]){args[0], (PyObject *)made, args[2], args[3], weft_no_value});
	}
	Py_XDECREF((PyObject *)made);
	return chosen;
}

// bounds_of reads take's mode; -1 where it is another.
static int bounds_of(PyObject *mode)
{
	static const char *const modes[] = {[WEFT_RAISES] = "raise", [WEFT_CLIPS] = "clip", [WEFT_WRAPS] = "wrap"};
	if (mode == weft_no_value)
		return WEFT_RAISES;
	for (int i = WEFT_RAISES; i <= WEFT_WRAPS && PyUnicode_CheckExact(mode); i++)
		if (PyUnicode_CompareWithASCIIString(mode, modes[i]) == 0)
			return i;
	return -1;
}

// take(a, indices, axis=None, out=None, mode='raise')
PyObject *weft_few_take(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	weft_choice p = {.n = -1, .parts = 1, .heads = 1, .bounds = bounds_of(args[4])};
	weft_layout flat;
	if (!weft_eager || Py_TYPE(args[0]) != weft_array_type || args[3] != Py_None || p.bounds < 0)
		return NULL;
	if (!weft_read_integers(args[1], 0, &p) || p.part[0].is_number || !weft_many_of(args[0], INT64_MAX, 0, &x) || x.l->ndim == 0)
		return NULL;
	if (args[2] != Py_None) {
		int overflow;
		long axis = PyLong_CheckExact(args[2]) ? PyLong_AsLongAndOverflow(args[2], &overflow) : x.l->ndim;
		axis += axis < 0 ? x.l->ndim : 0;
		if (axis > 0 && axis < x.l->ndim)
			return p.bounds ? take_bounded(args, &p, x.l->shape[axis]) : take_along(args[0], args[1], (int)axis);
		if (axis == 0 && p.bounds && !x.l->contiguous)
			return take_bounded(args, &p, x.l->shape[0]);
		if (axis != 0)
			return NULL;
		if (x.l->ndim > 1 && !x.l->contiguous) {
			PyObject *chosen = weft_few_pick(args[0], args[1]), *dense = chosen && !((weft_array *)chosen)->at.contiguous ? weft_eager_copy(chosen) : Py_XNewRef(chosen);
			Py_XDECREF(chosen);
			return dense;
		}
	} else if (x.l->ndim == 1 && p.bounds && !x.l->contiguous) {
		return take_bounded(args, &p, x.l->size);
	} else if (x.l->ndim > 1) {
		if (!x.l->contiguous)
			return NULL;
		weft_lay(&flat, x.l->dtype, 1, &x.l->size);
		x.l = &flat;
	}
	return copied(&x, &p);
}

// take_along_axis(arr, indices, axis=-1) of few elements that lie in the order of C, by as many indices along the other axes
PyObject *weft_few_take_along(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x, y;
	int overflow;
	if (!PyLong_CheckExact(args[2]) || !weft_fits_both(args[0], &x, args[1], &y, 0) || x.l->ndim == 0 || x.l->ndim != y.l->ndim || !x.l->contiguous ||
		!y.l->contiguous || y.l->dtype <= WEFT_BOOL_DTYPE || y.l->dtype >= UINT64 || !weft_fits(y.l->size, x.l->dtype))
		return NULL;
	long axis = PyLong_AsLongAndOverflow(args[2], &overflow);
	if (overflow || axis < -x.l->ndim || axis >= x.l->ndim)
		return NULL;
	axis = axis < 0 ? axis + x.l->ndim : axis;
	int64_t outer = 1, n = x.l->shape[axis], inner = 1, m = y.l->shape[axis], size = weft_sizes[x.l->dtype];
	for (int i = 0; i < x.l->ndim; i++) {
		if (i != axis && x.l->shape[i] != y.l->shape[i])
			return NULL;
		if (i != axis)
			*(i < axis ? &outer : &inner) *= x.l->shape[i];
	}
	const int64_t *at = (const int64_t *)weft_few_packed(&y, INT64, weft_scratch[1]);
	if (!at || !eager_inside(y.l->size, at, n))
		return NULL;
	weft_array *made = weft_new_packed(x.l->dtype, y.l->ndim, y.l->shape);
	if (!made)
		return NULL;
	char *to = made->bytes;
	const char *from = x.data;
	for (int64_t o = 0; o < outer; o++, from += n * inner * size) {
		if (inner == 1) {
			eager_take(size, m, at, n, from, to);
			at += m;
			to += m * size;
			continue;
		}
		for (int64_t k = 0; k < m; k++)
			for (int64_t j = 0; j < inner; j++, at++, to += size)
				memcpy(to, from + ((*at < 0 ? *at + n : *at) * inner + j) * size, (size_t)size);
	}
	weft_note(WEFT_NOTE_PICK, &made->at, made->place.memory, x.array->place.memory, y.array->place.memory);
	return (PyObject *)made;
}
