//go:build extension

// Arrays of few elements over memory that others own, such as NumPy's arrays and buffers. As of arrays whose memory is the object's own (small.c), Go
// does not hear of them before something else than the eager tier wants a handle: then the memory is lent to it (goShare). An operation of the eager tier is
// complete when it returns, so that the owner sees it, and finds what the owner wrote.
//
//	A = numpy.zeros(10)
//	x = weft.asarray(A[2:])    bytes are A's, from its first element on; x is at 16
//	x += 1                     A has it
//	large + x                  lent to Go, all of A
//
// No two such memories overlap: what is borrowed twice is a view of the first, and where that cannot be, Go has to know of both.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include "loans.h"
#include <stdlib.h>
#include <string.h>

enum { READ_ONLY, LOCKABLE, READ_WRITE }; // arrays.Access

// whole widens a range to all of the memory that other arrays may be made of: that of the array whose view an array is, or of the object whose buffer it has.
static void whole(const np_array *a, char **low, char **high)
{
	while (a->base && PyType_IsSubtype(Py_TYPE(a->base), weft_np_type))
		a = (const np_array *)a->base;
	const char *first, *end;
	int dtype = weft_np_dtype(a);
	weft_np_bounds(a, dtype < WEFT_DTYPES ? weft_sizes[dtype] : 1, &first, &end);
	*low = first < *low ? (char *)first : *low;
	*high = end > *high ? (char *)end : *high;
	PyObject *of = a->base && PyMemoryView_Check(a->base) ? PyObject_GetAttrString(a->base, "obj") : Py_XNewRef(a->base);
	Py_buffer b;
	if (of && PyObject_CheckBuffer(of) && Py_TYPE(of) != weft_array_type && PyObject_GetBuffer(of, &b, PyBUF_SIMPLE) == 0) {
		if ((char *)b.buf <= *low && *high <= (char *)b.buf + b.len) {
			*low = b.buf;
			*high = (char *)b.buf + b.len;
		}
		PyBuffer_Release(&b);
	}
	PyErr_Clear();
	Py_XDECREF(of);
}

// again is a view of what is borrowed already, or NULL.
static PyObject *again(const weft_layout *l, const char *data, const char *low, const char *high, int access)
{
	for (weft_loan *of = weft_loans; of; of = of->next)
		if (of->low <= low && high <= of->high)
			return access == of->access && (access == READ_ONLY || (access == READ_WRITE && !of->to->place.readonly)) ? weft_view_of(of->to, l, data - of->low) : NULL;
	return NULL;
}

PyObject *weft_borrow(PyObject *o)
{
	const np_array *a = (const np_array *)o, *owner = a;
	if (!weft_eager || Py_TYPE(o) != weft_np_type || a->nd > WEFT_NEAR || !(a->flags & C_ORDER) || !(a->flags & ALIGNED))
		return NULL;
	int dtype = weft_np_dtype(a);
	int64_t shape[WEFT_NEAR], n = weft_np_shape(a, shape);
	if (dtype == WEFT_DTYPES || n == 0 || n > WEFT_MOST || n * weft_sizes[dtype] > weft_limit)
		return NULL;
	for (int64_t i = 0; dtype == WEFT_BOOL_DTYPE && i < n; i++) // of which weft knows 0 and 1
		if ((uint8_t)a->data[i] > 1)
			return NULL;
	char *low = a->data, *high = a->data + n * weft_sizes[dtype];
	whole(a, &low, &high);
	while (owner->base && PyType_IsSubtype(Py_TYPE(owner->base), weft_np_type))
		owner = (const np_array *)owner->base;
	int access = a->flags & WRITABLE ? READ_WRITE : owner->flags & WRITABLE ? LOCKABLE : READ_ONLY;
	weft_layout l;
	weft_lay(&l, dtype, a->nd, shape);
	for (int i = 0; i < a->nd; i++) // of axes of one element
		l.strides[i] = a->strides[i];
	PyObject *lender = a->base ? a->base : o, *view = again(&l, a->data, low, high, access);
	if (view) {
		((weft_array *)view)->lender = Py_NewRef(lender);
		return view;
	}
	weft_settle_exported((uint64_t)(uintptr_t)low, (uint64_t)(high - low));
	if (goKnown(low, (uint64_t)(high - low)))
		return NULL;
	weft_loan *made = PyMem_Malloc(sizeof *made);
	weft_array *x = made ? (weft_array *)weft_wrap(0) : NULL;
	if (!x) {
		PyMem_Free(made);
		PyErr_Clear(); // the general function finds that out as well
		return NULL;
	}
	*made = (weft_loan){.to = x, .owner = Py_NewRef(o), .low = low, .high = high, .access = access, .next = weft_loans};
	weft_loans = made;
	x->at = l;
	x->bytes = low;
	x->borrowed = 1;
	x->place = (weft_place){.memory = ++weft_layouts.memories | WEFT_LENT, .layout = WEFT_NO_LAYOUT, .offset = a->data - low, .readonly = access != READ_WRITE};
	x->lender = Py_NewRef(lender);
	weft_smalls++;
	return (PyObject *)x;
}

// borrow(array): an array over the memory of one of NumPy's, or None where Python has to look.
PyObject *weft_borrow_method(PyObject *self, PyObject *o)
{
	(void)self;
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	PyObject *made = weft_borrow(o);
	return made || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}

// is_known(array): whether an array of weft's may be over memory of one of NumPy's.
PyObject *weft_is_known(PyObject *self, PyObject *o)
{
	(void)self;
	ENTER(NULL)
	const np_array *a = (const np_array *)o;
	int dtype = Py_TYPE(o) == weft_np_type ? weft_np_dtype(a) : WEFT_DTYPES;
	if (dtype == WEFT_DTYPES)
		Py_RETURN_TRUE; // the caller has to find out
	if (weft_ensure_started() < 0)
		return NULL;
	const char *low, *end;
	weft_np_bounds(a, weft_sizes[dtype], &low, &end);
	weft_settle_exported((uint64_t)(uintptr_t)low, (uint64_t)(end - low));
	return Py_NewRef(goKnown((char *)low, (uint64_t)(end - low)) ? Py_True : Py_False);
}

// weft_cut_buffer is frombuffer(buffer, ...) of what is no array of weft's: NumPy's, whose memory is borrowed. about is NumPy's function.
PyObject *weft_cut_buffer(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	if (n < 1 || !(PyBytes_CheckExact(args[0]) || PyByteArray_CheckExact(args[0]) || PyMemoryView_Check(args[0])) || weft_ensure_started() < 0)
		return NULL;
	Py_ssize_t named = names ? PyTuple_Size(names) : 0;
	for (Py_ssize_t k = 1; k < n + named; k++)
		if (Py_TYPE(args[k]) == weft_array_type || (k >= n && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, k - n), "like") == 0))
			return NULL;
	PyObject *of = PyObject_Vectorcall(about, args, (size_t)n, names), *made = of ? weft_borrow(of) : NULL;
	Py_XDECREF(of);
	return made;
}
