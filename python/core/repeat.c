//go:build extension

// Elements of few so many times: repeat.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

// SPREAD writes each of n elements so many times. Twice and three times have loops of their own, which compilers make vectors of.
#define SPREAD(type) \
	{ \
		const type *from = (const type *)data; \
		type *to = (type *)made; \
		if (times == 2) \
			for (int64_t i = 0; i < n; i++) \
				to[2 * i] = to[2 * i + 1] = from[i]; \
		else if (times == 3) \
			for (int64_t i = 0; i < n; i++) \
				to[3 * i] = to[3 * i + 1] = to[3 * i + 2] = from[i]; \
		else \
			for (int64_t i = 0; i < n; i++, to += times) \
				for (int64_t k = 0; k < times; k++) \
					to[k] = from[i]; \
		break; \
	}

static void spread(int size, int64_t n, int64_t times, const char *restrict data, char *restrict made)
{
	typedef struct { uint64_t low, high; } pair;
	switch (size) {
	case 1: SPREAD(uint8_t)
	case 2: SPREAD(uint16_t)
	case 4: SPREAD(uint32_t)
	case 8: SPREAD(uint64_t)
	case 16: SPREAD(pair)
	}
}

// repeat(a, repeats, axis=None) of what lies in the order of C, by one number
PyObject *weft_few_repeat(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int overflow;
	int64_t outer, n, inner, shape[WEFT_NEAR];
	long long times = PyLong_CheckExact(args[1]) ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : 0;
	if (times < 1 || overflow || times > WEFT_MOST || !weft_fits_of(args[0], 0, &x) || !x.l->contiguous || x.l->ndim == 0 ||
		!weft_along(x.l, args[2], &outer, &n, &inner) || x.l->size * weft_sizes[x.l->dtype] * times > WEFT_BLOCK)
		return NULL;
	int flat = args[2] == Py_None, dtype = x.l->dtype, size = weft_sizes[dtype];
	long at = flat ? 0 : PyLong_AsLong(args[2]); // which weft_along has looked at
	memcpy(shape, x.l->shape, sizeof shape);
	shape[at < 0 ? at + x.l->ndim : at] = n * times;
	weft_array *made = weft_many_made(dtype, flat ? 1 : x.l->ndim, shape);
	if (!made)
		return NULL;
	char *to = made->bytes;
	int64_t unit = inner * size, rows = outer * n;
	if (inner == 1)
		spread(size, rows, times, x.data, to);
	else
		for (int64_t i = 0; i < rows; i++)
			for (int64_t k = 0; k < times; k++, to += unit)
				memcpy(to, x.data + i * unit, (size_t)unit);
	weft_note_made(WEFT_NOTE_REPEAT, (PyObject *)made, dtype, x.array, NULL);
	return (PyObject *)made;
}

// tile(A, reps) of a vector or matrix in the order of C, so many times along its axes, or of a vector along one more before it
PyObject *weft_few_tile(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int64_t times[2] = {1, 1};
	const int pair = PyTuple_CheckExact(args[1]) && PyTuple_Size(args[1]) == 2;
	if (!weft_fits_of(args[0], 0, &x) || !x.l->contiguous || x.l->size == 0 || x.l->ndim < 1 || x.l->ndim > 2)
		return NULL;
	for (int i = 1 - pair; i < 2; i++) {
		PyObject *given = pair ? PyTuple_GetItem(args[1], i) : args[1];
		int overflow = 0;
		times[i] = PyLong_CheckExact(given) ? PyLong_AsLongLongAndOverflow(given, &overflow) : 0;
		if (overflow || times[i] < 1 || times[i] > WEFT_MOST)
			return NULL;
	}
	if (times[0] * times[1] > WEFT_MOST || x.l->size * weft_sizes[x.l->dtype] * times[0] * times[1] > WEFT_BLOCK)
		return NULL;
	const int64_t rows = x.l->ndim == 2 ? x.l->shape[0] : 1, columns = x.l->shape[x.l->ndim - 1], row = columns * weft_sizes[x.l->dtype];
	const int axes = x.l->ndim == 2 || pair ? 2 : 1;
	weft_array *made = weft_many_made(x.l->dtype, axes, &(int64_t[]){rows * times[0], columns * times[1]}[2 - axes]);
	if (!made)
		return NULL;
	char *to = made->bytes;
	for (int64_t i = 0; i < rows; i++)
		for (int64_t k = 0; k < times[1]; k++, to += row)
			vm_copy(to, x.data + i * row, (size_t)row);
	for (int64_t k = 1; k < times[0]; k++, to += rows * times[1] * row)
		vm_copy(to, made->bytes, (size_t)(rows * times[1] * row));
	weft_note_made(WEFT_NOTE_REPEAT, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
