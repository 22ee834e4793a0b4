//go:build extension

// What NumPy made becomes weft's: arrays of few elements, numbers, and views of arguments, by where their elements are.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include <stdlib.h>
#include <string.h>

int64_t weft_np_shape(const np_array *a, int64_t shape[WEFT_NEAR])
{
	int64_t n = 1;
	for (int i = 0; i < a->nd; i++) {
		shape[i] = a->dimensions[i];
		n = shape[i] && n > WEFT_MOST / shape[i] ? WEFT_MOST + 1 : n * shape[i];
	}
	return n;
}

void weft_np_bounds(const np_array *a, int64_t size, const char **first, const char **end)
{
	*first = *end = a->data;
	for (int i = 0; i < a->nd; i++) {
		if (a->dimensions[i] == 0)
			size = 0;
		*(a->strides[i] < 0 ? first : end) += (a->dimensions[i] - 1) * a->strides[i];
	}
	if (size == 0)
		*first = *end = a->data;
	*end += size;
}

int weft_np_is_new(const np_array *a)
{
	int writable = a->flags & WRITABLE;
	for (; Py_REFCNT((PyObject *)a) == 1; a = (np_array *)a->base)
		if (!a->base || Py_TYPE(a->base) != weft_np_type)
			return writable && !a->base && a->flags & OWNED;
	return 0;
}

// meets_itself says whether different indices might name the same byte; it errs on the side of yes, as Go's meetsItself does.
static int meets_itself(const weft_layout *l)
{
	int64_t span = weft_sizes[l->dtype];
	for (int seen = 0, axes = l->ndim; axes > 0; axes--) {
		int least = -1;
		for (int i = 0; i < l->ndim; i++)
			if (!(seen >> i & 1) && (least < 0 || llabs(l->strides[i]) < llabs(l->strides[least])))
				least = i;
		seen |= 1 << least;
		if (l->shape[least] == 1)
			continue;
		if (llabs(l->strides[least]) < span)
			return l->size > 0;
		span += llabs(l->strides[least]) * (l->shape[least] - 1);
	}
	return 0;
}

// weft_np_view makes of a view that NumPy made of an argument one of weft's array, whose elements are to NumPy where the argument says; NULL, maybe with an exception, where the
// general function has to.
PyObject *weft_np_view(const argument *as, const np_array *a)
{
	weft_array *of = as->of;
	int dtype = weft_np_dtype(a);
	int is_bool = dtype == WEFT_BOOL_DTYPE, was_bool = as->was.dtype == WEFT_BOOL_DTYPE;
	if (dtype == WEFT_DTYPES || a->nd > WEFT_NEAR || is_bool != was_bool) // what views of bytes write may be no bools
		return NULL;
	weft_layout to = {.dtype = dtype, .ndim = a->nd, .size = 1, .known = 1};
	for (int d = 0; d < a->nd; d++) {
		to.shape[d] = a->dimensions[d];
		to.strides[d] = a->strides[d];
		to.size *= to.shape[d];
	}
	to.contiguous = weft_is_contiguous(&to);
	char *first = a->data, *last = a->data;
	for (int d = 0; d < a->nd; d++)
		*(a->strides[d] < 0 ? &first : &last) += (a->dimensions[d] - 1) * a->strides[d];
	int64_t offset = of->place.offset + (a->data - as->made->data), align = weft_sizes[dtype] / (dtype >= COMPLEX64 && dtype <= COMPLEX128 ? 2 : 1), off = offset;
	for (int d = 0; d < a->nd; d++)
		off |= a->strides[d];
	if (off & (align - 1))
		return NULL;
	if (to.size == 0 || first < as->first || last + weft_sizes[dtype] > as->end) // as_strided may reach farther
		return NULL;
	PyObject *made = weft_view_of(of, &to, offset);
	if (made && !(a->flags & WRITABLE))
		((weft_array *)made)->place.readonly = WEFT_WRITES_NOT;
	else if (made && meets_itself(&to))
		((weft_array *)made)->place.readonly = WEFT_WRITES_APART;
	if (made && a->flags & WARNS)
		weft_some_warn = ((weft_array *)made)->warns = 1;
	return made;
}

PyObject *weft_np_seen(weft_array *of, const np_array *a)
{
	const weft_layout *l = weft_layout_of(of);
	char *data = weft_data(of);
	if (!l || !data)
		return NULL;
	np_array at = {.data = data};
	argument as = {.made = &at, .of = of, .was = *l, .first = data, .end = data + weft_sizes[l->dtype]};
	for (int i = 0; i < l->ndim; i++)
		*(l->strides[i] < 0 ? &as.first : &as.end) += (l->shape[i] - 1) * l->strides[i];
	return l->size ? weft_np_view(&as, a) : NULL;
}

int weft_is_unknown(PyObject *o) { return Py_TYPE(o) == weft_np_type && weft_np_unknown((np_array *)o); }

// gathered copies elements of so many bytes that lie in a line, step bytes from one to the next.
static void gathered(char *to, const char *from, int64_t n, int64_t step, int64_t size)
{
	switch (size) { // of which the compiler knows how each is copied
	case 4:
		for (int64_t i = 0; i < n; i++)
			memcpy(to + 4 * i, from + i * step, 4);
		break;
	case 8:
		for (int64_t i = 0; i < n; i++)
			memcpy(to + 8 * i, from + i * step, 8);
		break;
	default:
		for (int64_t i = 0; i < n; i++)
			memcpy(to + i * size, from + i * step, (size_t)size);
	}
}

PyObject *weft_few_of_host(PyObject *o)
{
	np_array *a = (np_array *)o;
	if (!weft_eager || Py_TYPE(o) != weft_np_type || a->nd < 1 || a->nd > WEFT_NEAR || !((a->flags & C_ORDER) || a->nd == 1))
		return NULL;
	int dtype = weft_np_dtype(a);
	int64_t shape[WEFT_NEAR], n = weft_np_shape(a, shape);
	weft_array *made = n && n <= WEFT_MOST && dtype < WEFT_DTYPES ? weft_new_packed(dtype, a->nd, shape) : NULL;
	if (!made)
		return NULL;
	if (a->flags & C_ORDER)
		memcpy(made->bytes, a->data, (size_t)(n * weft_sizes[dtype]));
	else
		gathered(made->bytes, a->data, n, a->strides[0], weft_sizes[dtype]);
	if (dtype == WEFT_BOOL_DTYPE)
		weft_np_truths(made->bytes, n);
	return (PyObject *)made;
}

PyObject *weft_operand_of_host(PyObject *o)
{
	np_array *a = (np_array *)o;
	int dtype = weft_eager && Py_TYPE(o) == weft_np_type && a->nd == 0 ? weft_np_dtype(a) : WEFT_DTYPES;
	return dtype < WEFT_DTYPES ? weft_scalar_at(a->data, dtype) : weft_few_of_host(o);
}

enum { LARGER = 4 }; // how many times as long as a view the array may be that it is of
enum { SHARED = -1 }; // references that no array has

static PyObject *taken(np_array *a, int references);

// taken_view makes of a view of an array that nothing else has a view of weft's: of that array's memory, where the view has so many references, or of a copy of the array, if it
// is not much larger. NULL, maybe with an exception, where it is no such view.
static PyObject *taken_view(const np_array *a, int references)
{
	np_array *of = (np_array *)a->base;
	int64_t shape[WEFT_NEAR];
	if (Py_TYPE(a->base) != weft_np_type || !(of->flags & OWNED) || !(of->flags & (C_ORDER | F_ORDER)) || of->nd > WEFT_NEAR || a->nd > WEFT_NEAR)
		return NULL;
	int dtype = weft_np_dtype(of);
	int64_t n = weft_np_shape(of, shape), seen = weft_np_shape(a, shape);
	if (dtype == WEFT_DTYPES || !seen) // a view of no elements is over no memory
		return NULL;
	PyObject *own = Py_REFCNT((PyObject *)a) == references && Py_REFCNT((PyObject *)of) == 1 ? weft_np_adopted(of) : NULL, *made = NULL;
	if (!own && (PyErr_Occurred() || n > WEFT_MOST || n > LARGER * seen + FEW / 64))
		return NULL;
	if (!own)
		own = taken((np_array *)Py_NewRef((PyObject *)of), SHARED);
	if (own && Py_TYPE(own) == weft_array_type) {
		argument as = {.made = of, .of = (weft_array *)own, .was = {.dtype = dtype}, .first = of->data, .end = of->data + n * weft_sizes[dtype]};
		made = weft_np_view(&as, a);
	}
	Py_XDECREF(own);
	return made;
}

// is_dense says whether the elements of an array that nothing overlaps are all that is between its first and its last, which come first and last.
static int is_dense(const np_array *a, int dtype)
{
	const char *first, *end;
	int64_t n = weft_sizes[dtype];
	for (int i = 0; i < a->nd; i++) {
		if (a->dimensions[i] > 1 && a->strides[i] < weft_sizes[dtype])
			return 0;
		n *= a->dimensions[i];
	}
	weft_np_bounds(a, weft_sizes[dtype], &first, &end);
	return end - first == n;
}

// taken makes of an array of NumPy's, which is given up, one of weft's; of one that weft has no dtype for, itself. Its memory is adopted where it has so many references.
static PyObject *taken(np_array *a, int references)
{
	int dtype = weft_np_dtype(a), writable = a->flags & WRITABLE;
	PyObject *made = NULL;
	if (a->base && dtype < WEFT_DTYPES) {
		made = taken_view(a, references);
		if (made || PyErr_Occurred()) {
			Py_DECREF((PyObject *)a);
			return made;
		}
	}
	if (dtype < WEFT_DTYPES && a->nd <= WEFT_NEAR) {
		if (!(a->flags & (C_ORDER | F_ORDER)) && !is_dense(a, dtype)) { // without the gaps, in the order that its axes have
			PyObject *dense = weft_np_copy((PyObject *)a, KEEP);
			Py_DECREF((PyObject *)a);
			if (!dense)
				return NULL;
			a = (np_array *)dense;
		}
		weft_layout l = {.ndim = 0};
		int64_t shape[WEFT_NEAR];
		for (int i = 0; i < a->nd; i++)
			shape[i] = a->dimensions[i];
		weft_lay(&l, dtype, a->nd, shape);
		for (int i = 0; i < a->nd; i++) // of axes of one element as well, which its flags do not tell
			l.strides[i] = a->strides[i];
		l.contiguous = weft_is_contiguous(&l);
		made = weft_fits(l.size, dtype) ? (PyObject *)weft_new_small(&l) : NULL;
		if (made)
			memcpy(((weft_array *)made)->bytes, a->data, (size_t)(l.size * weft_sizes[dtype]));
		PyObject *done = made && !writable ? PyObject_CallMethod(made, "setflags", "i", 0) : NULL;
		if (made && !writable && !done)
			Py_CLEAR(made);
		Py_XDECREF(done);
		if (PyErr_Occurred()) {
			Py_DECREF((PyObject *)a);
			return NULL;
		}
	}
	if (!made && dtype == WEFT_DTYPES && weft_np_unknown(a))
		return (PyObject *)a;
	if (!made && Py_REFCNT((PyObject *)a) == references)
		made = weft_np_adopted(a);
	if (!made && !PyErr_Occurred()) {
		PyObject *hook = weft_hook("from_numpy");
		made = hook ? PyObject_CallFunctionObjArgs(hook, (PyObject *)a, NULL) : NULL;
	}
	Py_DECREF((PyObject *)a);
	return made;
}

PyObject *weft_taken(PyObject *o) { return Py_TYPE(o) == weft_np_type ? taken((np_array *)o, 1) : o; }

PyObject *weft_taken_from(PyObject *o, PyObject *in) { return Py_TYPE(o) == weft_np_type ? taken((np_array *)o, Py_REFCNT(in) == 1 ? 2 : SHARED) : o; }
