//go:build extension

// The powers of a vector's elements side by side: vander. Each is the product of the one before and the element, as NumPy's text multiplies.
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <stdatomic.h>

enum { INT64 = 5, FLOAT64 = 12 }; // tile.DTypes

// powers is what the rows are computed of; some of them are a part.
typedef struct {
	int dtype;
	int64_t rows, columns, step, some;
	const char *from;
	char *to;
	atomic_int raised;
} powers;

#define POWERS(T) \
	for (int64_t i = at; i < end; i++) { \
		const T x = *(const T *)(p->from + i * p->step); \
		T *row = (T *)p->to + i * columns, power = 1; \
		for (int64_t k = 0; k < columns; k++) { \
			power = k < 2 ? (k ? x : 1) : power * x; \
			row[columns - 1 - k] = power; \
		} \
	}

static void powers_part(void *of, int64_t part)
{
	powers *p = of;
	const int64_t at = part * p->some, end = p->rows - at < p->some ? p->rows : at + p->some, columns = p->columns;
	eager_lower();
	if (p->dtype == INT64)
		POWERS(uint64_t)
	else
		POWERS(double)
	atomic_fetch_or(&p->raised, eager_raised());
}

// vander(x, N=None)
PyObject *weft_cut_powers(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	enum { MOST = 1 << 18 }; // elements: of more, with what the operation is planned together counts
	weft_few x;
	int overflow = 0;
	const weft_layout *l = n > 0 && weft_eager && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || n > 2 || names || (n == 2 && !PyLong_CheckExact(args[1])) || l->ndim != 1 || (l->dtype != INT64 && l->dtype != FLOAT64))
		return NULL;
	const int64_t rows = l->size, columns = n == 2 ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : rows;
	if (overflow || columns < 1 || columns > WEFT_MOST || rows == 0 || rows > MOST / columns)
		return NULL;
	const int few = weft_fits(rows * columns, l->dtype);
	if (!(few ? weft_fits_of(args[0], 0, &x) : weft_many_of(args[0], MOST, 0, &x)))
		return NULL;
	const int64_t shape[2] = {rows, columns};
	weft_array *made = few ? weft_new_packed(x.l->dtype, 2, shape) : weft_many_made(x.l->dtype, 2, shape);
	char *to = made ? weft_data(made) : NULL;
	if (!to || !(x.data = weft_data(x.array))) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		PyErr_Clear(); // without memory: the general function finds that out as well
		return NULL;
	}
	powers p = {x.l->dtype, rows, columns, x.l->strides[0], rows, x.data, to, 0};
	if (few)
		powers_part(&p, 0);
	else
		eager_share(eager_parts(rows, (1 + columns) * (int64_t)sizeof(double), &p.some), rows * (1 + columns) * (int64_t)sizeof(double), powers_part, &p);
	eager_lower();
	if (p.dtype == FLOAT64 && p.raised & weft_floating_watched) { // the general function tells of it
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_OUTER, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
