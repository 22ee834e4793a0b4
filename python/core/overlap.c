//go:build extension

// Whether arrays have bytes in common: may_share_memory and shares_memory of two arrays of weft's, of any size, whose memory can be had now.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

typedef struct {
	const char *low, *high; // the first byte, and the one behind the last
} extent;

static extent extent_of(const weft_few *x)
{
	extent e = {x->data, x->data + weft_sizes[x->l->dtype]};
	for (int i = 0; i < x->l->ndim; i++) {
		int64_t reach = (x->l->shape[i] - 1) * x->l->strides[i];
		*(reach < 0 ? &e.low : &e.high) += reach;
	}
	return e;
}

// may_share_memory(a, b), and, where about is true, shares_memory(a, b): what lies with gaps in one another the general function searches.
PyObject *weft_cut_overlap(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	weft_few x, y;
	if (n != 2 || names)
		return NULL;
	int turned = weft_opens_later(args[0], args[1]); // to look at one may shut the other: see opening.c
	if (!weft_most_of(args[turned], INT64_MAX, 0, &x) || !weft_most_of(args[!turned], INT64_MAX, 0, &y) || !(x.data = weft_data(x.array)))
		return NULL;
	extent a = extent_of(&x), b = extent_of(&y);
	if (a.high <= b.low || b.high <= a.low)
		return Py_NewRef(Py_False);
	if (x.array->place.memory != y.array->place.memory || (about == Py_True && !(x.l->contiguous && y.l->contiguous)))
		return NULL;
	return Py_NewRef(Py_True);
}
