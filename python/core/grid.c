//go:build extension

// np.mgrid[a:b, c:d:e] of integers: what stands at a place along each axis, for all places. NumPy adds up products of indices; integers are the same in any order.
#include "shim.h"
#include "few.h"
#include <string.h>

enum { MOST = 1 << 18, RANGE = 1 << 30, INT64 = 5 }; // elements; of numbers, whose quotients are right in doubles, as NumPy's are; a tile.DType

// bound reads a part of a slice, which may be left out where there is a usual one.
static int bound(PyObject *slice, const char *name, int64_t usual, int64_t *to)
{
	PyObject *o = PyObject_GetAttrString(slice, name);
	int overflow = 0, ok = o && (PyLong_CheckExact(o) || (o == Py_None && usual >= 0));
	if (ok)
		*to = o == Py_None ? usual : PyLong_AsLongLongAndOverflow(o, &overflow);
	Py_XDECREF(o);
	return ok && !overflow && weft_magnitude(*to) < RANGE;
}

PyObject *weft_cut_grid(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	PyObject *key = n == 1 && !names && PyTuple_CheckExact(args[0]) ? args[0] : NULL;
	int axes = key ? (int)PyTuple_Size(key) : 0;
	int64_t start[WEFT_NEAR], step[WEFT_NEAR], shape[WEFT_NEAR], each = 1;
	if (!weft_eager || axes < 1 || axes >= WEFT_NEAR)
		return NULL;
	for (int i = 0; i < axes; i++) {
		PyObject *slice = PyTuple_GetItem(key, i);
		int64_t stop;
		if (Py_TYPE(slice) != &PySlice_Type || !bound(slice, "start", 0, &start[i]) || !bound(slice, "stop", -1, &stop) || !bound(slice, "step", 1, &step[i]) || step[i] == 0)
			return NULL;
		int64_t to = step[i] > 0 ? stop - start[i] : start[i] - stop, by = weft_magnitude(step[i]);
		if (to <= 0 || (each *= (shape[i + 1] = (to + by - 1) / by)) > MOST) // also where there is nothing
			return NULL;
	}
	shape[0] = axes;
	weft_array *made = axes * each <= MOST ? weft_many_made(INT64, axes + 1, shape) : NULL;
	int64_t *to = made ? (int64_t *)weft_data(made) : NULL;
	if (!to) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	int64_t inner = each;
	for (int i = 0; i < axes; i++, to += each) {
		const int64_t count = shape[i + 1], block = inner;
		inner /= count;
		for (int64_t k = 0; k < count; k++)
			for (int64_t j = 0; j < inner; j++)
				to[k * inner + j] = start[i] + k * step[i];
		for (int64_t done = block; done < each; done += block)
			memcpy(to + done, to, (size_t)block * sizeof *to);
	}
	weft_note(WEFT_NOTE_RANGE, &made->at, made->place.memory, 0, 0);
	return (PyObject *)made;
}
