//go:build extension

// Whether two arrays have the same elements, or nearly: array_equal and allclose, of arrays of any size, which are read until one differs, and isclose.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <string.h>

enum { FLOAT16 = 10, FLOAT64 = 12 }; // tile.DTypes

// array_equal(a1, a2, equal_nan=False)
PyObject *weft_few_same(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x, y;
	const weft_layout *l, *m;
	if (!weft_eager || Py_TYPE(args[0]) != weft_array_type || Py_TYPE(args[1]) != weft_array_type || !(l = weft_layout_of((weft_array *)args[0])) ||
		!(m = weft_layout_of((weft_array *)args[1])) || l->size == 0 || m->size == 0)
		return NULL;
	if (l->ndim != m->ndim || memcmp(l->shape, m->shape, l->ndim * sizeof *l->shape))
		return Py_NewRef(Py_False);
	// A byte of a bool of foreign memory may be any but 0 where it is true.
	if (l->dtype != m->dtype || l->dtype == FLOAT16 || l->dtype == WEFT_BOOL_DTYPE ||
		!weft_many_of(args[0], WEFT_FOLD_MOST, 1, &x) || !weft_many_of(args[1], WEFT_FOLD_MOST, 1, &y) || !(x.data = weft_data(x.array)))
		return NULL;
	const char *one = weft_many_packed(&x, x.l->dtype, WEFT_ROOM_ELEMENTS), *other = weft_many_packed(&y, y.l->dtype, WEFT_ROOM_VALUES);
	if (!one || !other)
		return NULL;
	PyObject *made = PyBool_FromLong(eager_same(x.l->dtype, weft_sizes[x.l->dtype], x.l->size, one, other));
	weft_note(WEFT_NOTE_SAME, x.l, 0, x.array->place.memory, y.array->place.memory);
	return made;
}

// doubles returns the elements of float64 or of integers as float64, side by side, which is what NumPy's subtraction and comparisons make of them; or NULL.
static const double *doubles(const weft_few *x, int room)
{
	return x->l->dtype < FLOAT16 || x->l->dtype == FLOAT64 ? (const double *)weft_many_packed(x, FLOAT64, room) : NULL;
}

// allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False) of float64 and integers, beside a number or as many others
PyObject *weft_few_close(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x, y;
	weft_value number, r, a;
	double one = 0;
	int single = Py_TYPE(args[1]) != weft_array_type;
	if (!weft_number(args[2], &r) || !weft_number(args[3], &a) || r.dtype || a.dtype || !PyBool_Check(args[4]) || !weft_many_of(args[0], WEFT_FOLD_MOST, 0, &x))
		return NULL;
	if (single && (!weft_number(args[1], &number) || number.dtype || !weft_write(&number, FLOAT64, &one)))
		return NULL;
	if (!single && (!weft_many_of(args[1], WEFT_FOLD_MOST, 0, &y) || y.l->ndim != x.l->ndim ||
		memcmp(y.l->shape, x.l->shape, x.l->ndim * sizeof *x.l->shape) || !(x.data = weft_data(x.array))))
		return NULL;
	eager_closeness how = {.equal_nan = args[4] == Py_True};
	if (!weft_write(&r, FLOAT64, &how.rtol) || !weft_write(&a, FLOAT64, &how.atol) || how.rtol - how.rtol != 0 || how.atol - how.atol != 0) // NumPy warns of those
		return NULL;
	const double *a64 = doubles(&x, WEFT_ROOM_ELEMENTS), *b64 = single ? &one : doubles(&y, WEFT_ROOM_VALUES);
	if (!a64 || !b64)
		return NULL;
	PyObject *made = PyBool_FromLong(eager_close(&how, x.l->size, a64, b64, !single));
	weft_note(WEFT_NOTE_SAME, x.l, 0, x.array->place.memory, single ? 0 : y.array->place.memory);
	return made;
}

// isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False) of the same, and of two numbers
PyObject *weft_few_isclose(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x[2];
	weft_value number, r, a;
	double one[2];
	const double *in[2];
	uint8_t close;
	if (!weft_eager || !weft_number(args[2], &r) || !weft_number(args[3], &a) || r.dtype || a.dtype || !PyBool_Check(args[4]))
		return NULL;
	const int is_array[2] = {Py_TYPE(args[0]) == weft_array_type, Py_TYPE(args[1]) == weft_array_type};
	if (!is_array[0] && is_array[1]) // the tolerance is one of each element of b
		return NULL;
	for (int i = 0; i < 2; i++)
		if (is_array[i] && (!weft_fits_of(args[i], 0, &x[i]) || !weft_falls(x[i].l, 0)))
			return NULL;
		else if (!is_array[i] && (!weft_number(args[i], &number) || (number.dtype && number.dtype != FLOAT64) || !weft_write(&number, FLOAT64, &one[i])))
			return NULL;
	if (is_array[1] && (x[1].l->ndim != x[0].l->ndim || memcmp(x[1].l->shape, x[0].l->shape, x[0].l->ndim * sizeof *x[0].l->shape)))
		return NULL;
	eager_closeness how = {.equal_nan = args[4] == Py_True};
	if (!weft_write(&r, FLOAT64, &how.rtol) || !weft_write(&a, FLOAT64, &how.atol) || how.rtol - how.rtol != 0 || how.atol - how.atol != 0) // NumPy warns of those
		return NULL;
	weft_array *made = is_array[0] && x[0].l->ndim ? weft_new_packed(WEFT_BOOL_DTYPE, x[0].l->ndim, x[0].l->shape) : NULL;
	if (is_array[0] && !made)
		return NULL; // of no axes, too
	for (int i = 0; i < 2; i++) {
		in[i] = &one[i];
		if (is_array[i])
			in[i] = weft_data(x[i].array) ? doubles(&x[i], i ? WEFT_ROOM_VALUES : WEFT_ROOM_ELEMENTS) : NULL;
	}
	eager_lower();
	if (in[0] && in[1])
		eager_near(&how, made ? x[0].l->size : 1, in[0], in[1], is_array[1], made ? (uint8_t *)made->bytes : &close);
	if (!in[0] || !in[1] || eager_raised() & weft_floating_watched & ~EAGER_INVALID) { // shut meanwhile, see opening.c; or the general function tells of it
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	if (!made)
		return weft_scalar_at(&close, WEFT_BOOL_DTYPE);
	weft_note_made(WEFT_NOTE_SAME, (PyObject *)made, WEFT_BOOL_DTYPE, x[0].array, is_array[1] ? x[1].array : NULL);
	return (PyObject *)made;
}
