//go:build extension

// Memory of an array of NumPy's that nothing else has, such as what a function has just returned, becomes that of an array of
// weft's, without a copy. Go holds the array of NumPy's for as long as anything uses the memory.
//
//	a = numpy.packbits(...)    1 MB, which only this call refers to
//	x                          Go's, over the memory of a
//	del x                      a dies, and NumPy's allocator gets the memory back
//
// What weft lends (borrow.c) its owner may read and write meanwhile, so that operations on it are complete when they return. What
// it adopts no program reaches but through weft, so that they may wait. Few elements are copied: that takes less
// time than to tell Go of them. Where the host's memory is limited, all are: the plan keeps account only of what it allocates.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include <stdlib.h>

// adoptable says whether an array has memory of its own that weft can have: packed, aligned and to be written to.
static int adoptable(const np_array *a, int dtype)
{
	const int whole = ALIGNED | WRITABLE | OWNED;
	return dtype < WEFT_DTYPES && a->nd >= 1 && a->nd <= WEFT_NEAR && !a->base && !a->weak && (a->flags & whole) == whole && a->flags & (C_ORDER | F_ORDER);
}

PyObject *weft_np_adopted(np_array *a)
{
	const int dtype = weft_np_dtype(a);
	if (weft_blocks_most != INT64_MAX || weft_forked || !adoptable(a, dtype))
		return NULL;
	weft_layout l;
	int64_t shape[WEFT_NEAR], n = 1;
	for (int i = 0; i < a->nd; i++)
		n *= shape[i] = a->dimensions[i];
	if (n == 0 || weft_fits(n, dtype))
		return NULL;
	weft_lay(&l, dtype, a->nd, shape);
	int falls = 1; // as those of C do, also along axes of one element
	for (int i = 0; i < a->nd; i++)
		falls = falls && a->strides[i] == l.strides[i];
	uint64_t out;
	weft_error e = {NULL, NULL};
	if (goAdopt(a->data, n * weft_sizes[dtype], a, dtype, falls ? shape : &n, falls ? a->nd : 1, &out, &e) != WEFT_OK) {
		free(e.type);
		free(e.text);
		return NULL; // the copy that is made instead raises the reason
	}
	Py_INCREF((PyObject *)a); // Go's, until weft_give_back
	if (!falls) {
		for (int i = 0; i < a->nd; i++)
			l.strides[i] = a->strides[i];
		uint64_t flat = out;
		out = goView(flat, &l, 0, 0);
		goFree(flat);
	}
	return weft_wrap(out);
}

// adopted(array): an array over the memory of one of NumPy's of which only frames that are about to return have references; None
// where its elements are to be copied.
PyObject *weft_adopted_method(PyObject *self, PyObject *o)
{
	(void)self;
	ENTER(NULL)
	if (Py_TYPE(o) != weft_np_type)
		Py_RETURN_NONE;
	if (weft_ensure_started() < 0)
		return NULL;
	PyObject *made = weft_np_adopted((np_array *)o);
	return made || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}
