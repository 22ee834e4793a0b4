//go:build extension

// take(a, indices) and take_along_axis(a, indices, axis): what integers choose along one axis.
#include "choice.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9 }; // tile.DTypes

// laid_anew gives a result that was chosen as an index would have it the layout that take's has: C's, also along axes of one element.
static PyObject *laid_anew(PyObject *chosen)
{
	const weft_layout *l = chosen && Py_TYPE(chosen) == weft_array_type ? weft_layout_of((weft_array *)chosen) : NULL;
	int64_t step = l ? weft_sizes[l->dtype] : 0;
	int falls = 1;
	for (int i = l ? l->ndim - 1 : -1; i >= 0; step *= l->shape[i--])
		falls = falls && l->strides[i] == step;
	if (falls)
		return chosen;
	PyObject *copy = weft_eager_copy(chosen);
	Py_DECREF(chosen);
	return copy;
}

// take_along is take along another axis than the first, which lies in the order of C.
static PyObject *take_along(PyObject *array, PyObject *indices, int axis)
{
	PyObject *index = PyTuple_New(axis + 1), *chosen = NULL;
	for (int i = 0; index && i <= axis; i++) {
		PyObject *part = i < axis ? PySlice_New(NULL, NULL, NULL) : Py_NewRef(indices);
		if (!part)
			Py_CLEAR(index);
		else
			PyTuple_SetItem(index, i, part);
	}
	chosen = index ? weft_pick_along(array, index) : NULL;
	Py_XDECREF(index);
	return laid_anew(chosen);
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
		const int64_t *inside = weft_bounded(p->bounds, x.l->size, at, extent, to);
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
	if (!weft_read_integers(args[1], 0, &p) || p.part[0].is_number || !weft_many_of(args[0], INT64_MAX, WEFT_WAITS_AGAIN, &x) || x.l->ndim == 0)
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
		if (x.l->ndim > 1 && !x.l->contiguous)
			return laid_anew(weft_few_pick(args[0], args[1]));
	} else if (x.l->ndim == 1 && p.bounds && !x.l->contiguous) {
		return take_bounded(args, &p, x.l->size);
	} else if (x.l->ndim > 1) {
		if (!x.l->contiguous)
			return NULL;
		weft_lay(&flat, x.l->dtype, 1, &x.l->size);
		x.l = &flat;
	}
	return weft_chosen_of(&x, &p);
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
