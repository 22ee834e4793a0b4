//go:build extension

// A vector with one element more or less: insert and delete at a place.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { MOST = 1 << 22 }; // elements, as of what pad.c puts together

// insert(arr, obj, values) of one number, and delete(arr, obj); inserts is True for the former.
PyObject *weft_cut_splice(PyObject *inserts, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	weft_few x;
	weft_value v;
	int more = inserts == Py_True, overflow;
	char one[EAGER_WIDEST];
	const weft_layout *l = weft_eager && n == 2 + more && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim != 1 || l->size == 0 || l->size >= MOST || !PyLong_CheckExact(args[1]))
		return NULL;
	long long at = PyLong_AsLongLongAndOverflow(args[1], &overflow);
	at += at < 0 ? l->size : 0;
	if (overflow || at < 0 || at >= l->size + more || (more && (!weft_number(args[2], &v) || !weft_write(&v, l->dtype, one))))
		return NULL;
	int64_t size = weft_sizes[l->dtype], count = l->size + (more ? 1 : -1);
	if (count == 0 || !weft_many_of(args[0], MOST, 1, &x))
		return NULL;
	weft_array *made = weft_many_made(x.l->dtype, 1, &count);
	char *to = made ? weft_data(made) : NULL, *from = to ? weft_data(x.array) : NULL;
	if (!from) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	const int64_t step = x.l->strides[0];
	eager_copy((int)size, at, to, size, from, step);
	if (more)
		memcpy(to + at * size, one, (size_t)size);
	eager_copy((int)size, x.l->size - at - !more, to + (at + more) * size, size, from + (at + !more) * step, step);
	weft_note_made(WEFT_NOTE_SPLICE, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
