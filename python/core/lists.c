//go:build extension

// Lists of Python's numbers of an array's elements: tolist().
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

enum { INT64 = 5, FLOAT64 = 12, ITEM = 8 }; // tile.DTypes, and the bytes of both

static PyObject *number(const char *at, int dtype)
{
	double d;
	int64_t i;
	if (dtype == FLOAT64) {
		memcpy(&d, at, ITEM);
		return PyFloat_FromDouble(d);
	}
	if (dtype == INT64) {
		memcpy(&i, at, ITEM);
		return PyLong_FromLongLong(i);
	}
	return PyBool_FromLong(*at);
}

// nested makes the list of an axis.
static PyObject *nested(const weft_layout *l, int axis, const char *at)
{
	PyObject *list = PyList_New(l->shape[axis]);
	for (int64_t i = 0; list && i < l->shape[axis]; i++, at += l->strides[axis]) {
		PyObject *item = axis == l->ndim - 1 ? number(at, l->dtype) : nested(l, axis + 1, at);
		if (!item)
			Py_CLEAR(list);
		else
			PyList_SetItem(list, i, item);
	}
	return list;
}

enum { MOST = 1 << 20 }; // elements of which a copy is made

// weft_few_list waits for few elements that are not there yet; of more that are, it makes a copy first: making numbers may run the garbage collector,
// and whatever the program has there. NULL without exception: the general function has to do it.
PyObject *weft_few_list(PyObject *self)
{
	weft_few x;
	weft_layout packed;
	int64_t few[WEFT_FEW];
	char *data = (char *)few;
	const weft_layout *l = weft_layout_of((weft_array *)self);
	if (l && l->ndim == 1 && l->size == 0)
		return PyList_New(0);
	if (!l || l->ndim == 0 || l->size == 0 || l->size > MOST || (l->dtype != INT64 && l->dtype != FLOAT64 && l->dtype != WEFT_BOOL_DTYPE))
		return NULL;
	int64_t size = weft_sizes[l->dtype];
	weft_lay(&packed, l->dtype, l->ndim, l->shape);
	if (!weft_any_of(self, &x)) {
		if (packed.size > WEFT_FEW)
			return NULL;
		return weft_read(self, data) < 0 ? NULL : nested(&packed, 0, data);
	}
	if (packed.size > WEFT_FEW && !(data = malloc((size_t)(packed.size * size))))
		return NULL;
	if (x.l->contiguous)
		memcpy(data, x.data, (size_t)(packed.size * size));
	else
		eager_pack((int)size, &(eager_layout){x.l->ndim, x.l->size, x.l->shape, x.l->strides}, x.data, data);
	PyObject *list = nested(&packed, 0, data);
	if (data != (char *)few)
		free(data);
	return list;
}
