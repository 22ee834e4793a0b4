//go:build extension

// The powers of a vector's elements side by side: vander. Each is the product of the one before and the element, as NumPy's text multiplies.
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"

enum { INT64 = 5, FLOAT64 = 12 }; // tile.DTypes

#define POWERS(T) \
	for (int64_t i = 0; i < rows; i++, from += step, to += columns * sizeof(T)) { \
		const T x = *(const T *)from; \
		T *row = (T *)to, power = 1; \
		for (int64_t k = 0; k < columns; k++) { \
			power = k < 2 ? (k ? x : 1) : power * x; \
			row[columns - 1 - k] = power; \
		} \
	}

// vander(x, N=None)
PyObject *weft_cut_powers(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few x;
	int overflow = 0;
	if (!weft_eager || n < 1 || n > 2 || names || (n == 2 && !PyLong_CheckExact(args[1])) || !weft_fits_of(args[0], 0, &x) || x.l->ndim != 1 ||
		(x.l->dtype != INT64 && x.l->dtype != FLOAT64))
		return NULL;
	const int64_t rows = x.l->size, columns = n == 2 ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : rows, step = x.l->strides[0];
	if (overflow || columns < 1 || columns > WEFT_MOST || rows == 0)
		return NULL;
	weft_array *made = weft_new_packed(x.l->dtype, 2, (int64_t[]){rows, columns});
	if (!made)
		return NULL;
	const char *from = x.data;
	char *to = made->bytes;
	eager_lower();
	if (x.l->dtype == INT64)
		POWERS(uint64_t)
	else
		POWERS(double)
	if (eager_raised() & weft_floating_watched) { // the general function tells of it
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_OUTER, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
