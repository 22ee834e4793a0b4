//go:build extension

// Elements of few so many times: repeat.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

// repeat(a, repeats, axis=None) of what lies in the order of C, by one number
PyObject *weft_few_repeat(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int overflow;
	int64_t outer, n, inner, shape[WEFT_NEAR];
	long long times = PyLong_CheckExact(args[1]) ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : 0;
	if (times < 1 || overflow || times > WEFT_MOST || !weft_fits_of(args[0], 0, &x) || !x.l->contiguous || x.l->ndim == 0 ||
		!weft_along(x.l, args[2], &outer, &n, &inner) || !weft_fits(x.l->size * times, x.l->dtype))
		return NULL;
	int flat = args[2] == Py_None, dtype = x.l->dtype, size = weft_sizes[dtype];
	long at = flat ? 0 : PyLong_AsLong(args[2]); // which weft_along has looked at
	memcpy(shape, x.l->shape, sizeof shape);
	shape[at < 0 ? at + x.l->ndim : at] = n * times;
	weft_array *made = weft_new_packed(dtype, flat ? 1 : x.l->ndim, shape);
	if (!made)
		return NULL;
	char *to = made->bytes;
	int64_t unit = inner * size, rows = outer * n;
	if (inner == 1)
		for (int64_t k = 0; k < times; k++) // strided copies of all, one for each time
			eager_copy(size, rows, to + k * size, times * size, x.data, size);
	else
		for (int64_t i = 0; i < rows; i++)
			for (int64_t k = 0; k < times; k++, to += unit)
				memcpy(to, x.data + i * unit, (size_t)unit);
	weft_note_made(WEFT_NOTE_REPEAT, (PyObject *)made, dtype, x.array, NULL);
	return (PyObject *)made;
}
