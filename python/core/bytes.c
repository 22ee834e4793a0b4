//go:build extension

// The order of the bytes in elements.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { FIRST_COMPLEX = 13 }; // tile.DTypes

#define TURNED(bits) \
	case bits / 8: { \
		uint##bits##_t v; \
		memcpy(&v, from, sizeof v); \
		v = __builtin_bswap##bits(v); \
		memcpy(to, &v, sizeof v); \
		break; \
	}

static void turn(int64_t n, int size, const char *from, char *to)
{
	for (int64_t i = 0; i < n; i++, from += size, to += size)
		switch (size) {
		TURNED(16)
		TURNED(32)
		TURNED(64)
		}
}

// weft_cut_byteswap is a.byteswap() of few elements. Both parts of a complex one are turned for themselves.
PyObject *weft_cut_byteswap(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	const weft_layout *l = n == 1 && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	weft_array *made = l && l->ndim > 0 && l->size > 0 && (l->contiguous || l->ndim == 1) ? (weft_array *)weft_eager_copy(args[0]) : NULL;
	if (!made)
		return NULL;
	int parts = made->at.dtype >= FIRST_COMPLEX ? 2 : 1, size = weft_sizes[made->at.dtype] / parts;
	turn(made->at.size * parts, size, made->bytes, made->bytes);
	return (PyObject *)made;
}
