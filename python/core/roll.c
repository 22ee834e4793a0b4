//go:build extension

// Elements of few moved along an axis, those behind the end to its front: roll.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

// roll(a, shift, axis=None) of a vector, or of what lies in the order of C
PyObject *weft_few_roll(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int overflow;
	int64_t outer, n, inner;
	if (!PyLong_CheckExact(args[1]) || !weft_fits_of(args[0], 0, &x) || x.l->ndim == 0 || !weft_along(x.l, args[2], &outer, &n, &inner))
		return NULL;
	if (x.l->ndim > 1 && !x.l->contiguous) // of all elements, too: they are those of a view where there is one
		return NULL;
	long long shift = PyLong_AsLongLongAndOverflow(args[1], &overflow);
	const char *from = overflow ? NULL : weft_few_packed(&x, x.l->dtype, weft_scratch[1]);
	weft_array *made = from ? weft_new_packed(x.l->dtype, x.l->ndim, x.l->shape) : NULL;
	if (!made)
		return NULL;
	size_t unit = (size_t)(inner * weft_sizes[x.l->dtype]), behind = (size_t)((shift % n + n) % n) * unit, row = (size_t)n * unit;
	for (int64_t o = 0; o < outer; o++, from += row) {
		char *to = made->bytes + (size_t)o * row;
		vm_copy(to + behind, from, row - behind);
		vm_copy(to, from + row - behind, behind);
	}
	weft_note_made(WEFT_NOTE_ROLL, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
