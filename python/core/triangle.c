//go:build extension

// The triangles of matrices: triu and tril. Rows are copied up to the diagonal, or from there on, and zeros stand for the rest.
#include "shim.h"
#include "few.h"
#include <string.h>

// triu(m, k=0) of a matrix, and tril where upper is 0
PyObject *weft_few_triangle(int upper, PyObject *const *args)
{
	weft_few x;
	int overflow = 0;
	const int64_t k = PyLong_CheckExact(args[1]) ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : INT64_MAX;
	if (overflow || k > WEFT_MOST || k < -WEFT_MOST || !weft_fits_of(args[0], 0, &x) || x.l->ndim != 2 || !x.l->contiguous)
		return NULL;
	weft_array *made = weft_new_packed(x.l->dtype, 2, x.l->shape);
	if (!made)
		return NULL;
	const int64_t rows = x.l->shape[0], columns = x.l->shape[1], size = weft_sizes[x.l->dtype];
	for (int64_t i = 0; i < rows; i++) {
		int64_t before = i + k + !upper; // columns that stand on the left side
		before = before < 0 ? 0 : before > columns ? columns : before;
		char *to = made->bytes + i * columns * size;
		const char *from = x.data + i * columns * size;
		const int64_t left = before * size, right = (columns - before) * size;
		if (upper) {
			memset(to, 0, (size_t)left);
			memcpy(to + left, from + left, (size_t)right);
		} else {
			memcpy(to, from, (size_t)left);
			memset(to + left, 0, (size_t)right);
		}
	}
	weft_note_made(WEFT_NOTE_COPY, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
