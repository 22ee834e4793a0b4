//go:build extension

// Whether two arrays have the same elements: array_equal, of arrays of any size, which are read until one differs.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { FLOAT16 = 10 }; // a tile.DType

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
	if (l->dtype != m->dtype || l->dtype == FLOAT16 || l->dtype == WEFT_BOOL_DTYPE || !l->contiguous || !m->contiguous ||
		!weft_many_of(args[0], WEFT_FOLD_MOST, 1, &x) || !weft_many_of(args[1], WEFT_FOLD_MOST, 1, &y) || !(x.data = weft_data(x.array)))
		return NULL;
	PyObject *made = PyBool_FromLong(eager_same(x.l->dtype, weft_sizes[x.l->dtype], x.l->size, x.data, y.data));
	weft_note(WEFT_NOTE_SAME, x.l, 0, x.array->place.memory, y.array->place.memory);
	return made;
}
