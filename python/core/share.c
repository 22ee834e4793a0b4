//go:build extension

// Views by address: of an array's own memory, and of memory that others own, which is not copied.
//
// The owner of memory that is lent to the runtime is a Python object, of which Go holds a reference
// until nothing uses the memory any more. It may find that out on any thread, so that the reference
// goes back through a list that the interpreter empties: at once, when it was the last array that has died.
#include "shim.h"
#include "_cgo_export.h"
#include <stdatomic.h>
#include <stdlib.h>

typedef struct returned {
	struct returned *next;
	PyObject *owner;
} returned;

// The list has no lock, which a fork could find taken by another thread, and which its child would wait for without end.
static _Atomic(returned *) given_back;
static _Atomic int called; // for: the interpreter is going to empty the list

// empty drops the owners, under the interpreter's lock.
static int empty(void *unused)
{
	(void)unused;
	atomic_store(&called, 0); // before it looks: for an owner that comes behind that there is another call
	returned *list = atomic_exchange(&given_back, NULL);
	while (list) {
		returned *next = list->next;
		Py_DECREF(list->owner);
		free(list);
		list = next;
	}
	return 0;
}

void weft_let_owners_go(void)
{
	if (__builtin_expect(atomic_load_explicit(&given_back, memory_order_relaxed) != NULL, 0))
		empty(NULL);
}

void weft_give_back(void *owner)
{
	returned *r = malloc(sizeof *r);
	if (!r)
		return; // what little memory this is keeps its owner
	r->owner = owner;
	r->next = atomic_load(&given_back);
	while (!atomic_compare_exchange_weak(&given_back, &r->next, r)) {
	}
	// Where the interpreter has too many calls to make, the next owner tries again.
	if (!atomic_exchange(&called, 1) && (!Py_IsInitialized() || Py_AddPendingCall(empty, NULL) < 0))
		atomic_store(&called, 0);
}

// dims reads a tuple of ints. It returns how many there are, or -1 with an exception.
static int dims(PyObject *tuple, int64_t *to)
{
	Py_ssize_t n = PyTuple_Size(tuple);
	if (n > WEFT_MAXDIMS) {
		PyErr_SetString(PyExc_ValueError, "too many dimensions");
		return -1;
	}
	for (Py_ssize_t i = 0; i < n; i++)
		to[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
	return PyErr_Occurred() ? -1 : (int)n;
}

int weft_read_described(PyObject *dtype, PyObject *shape, PyObject *strides, weft_described *l)
{
	l->dtype = weft_dtype_code(dtype);
	if (l->dtype <= 0)
		return l->dtype;
	l->ndim = dims(shape, l->shape);
	int steps = l->ndim < 0 ? -1 : dims(strides, l->strides);
	if (steps >= 0 && steps != l->ndim)
		PyErr_SetString(PyExc_ValueError, "strides is not compatible with shape");
	return PyErr_Occurred() ? -1 : 1;
}

// view_at(array, dtype, away, shape, strides, writable): the view of the array's memory whose first element is so many
// bytes behind the array's, or None where there can be none.
PyObject *weft_view_at(PyObject *self, PyObject *args)
{
	(void)self;
	ENTER(NULL)
	PyObject *array, *dtype, *shape, *strides;
	long long away;
	int writable;
	if (!PyArg_ParseTuple(args, "O!OLO!O!p", weft_array_type, &array, &dtype, &away, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &writable))
		return NULL;
	weft_described l;
	int rc = weft_read_described(dtype, shape, strides, &l);
	if (rc < 0)
		return NULL;
	uint64_t out = rc ? goViewAt(weft_handle(array), l.dtype, away, l.shape, l.strides, l.ndim, writable) : 0;
	if (!out)
		Py_RETURN_NONE;
	return weft_wrap_view(out, array);
}

// share(owner, address, bytes, dtype, offset, shape, strides, access, base): an array over memory that the owner holds, or None
// where there can be none. The numbers of access are arrays.Access. An owner of None says that there is an array over
// the memory already, or none is wanted. base is what the array's base shall be.
PyObject *weft_share(PyObject *self, PyObject *args)
{
	(void)self;
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	PyObject *owner, *dtype, *shape, *strides, *base;
	unsigned long long address, bytes;
	long long offset;
	int access;
	if (!PyArg_ParseTuple(args, "OKKOLO!O!iO", &owner, &address, &bytes, &dtype, &offset, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &access, &base))
		return NULL;
	weft_described l;
	int rc = weft_read_described(dtype, shape, strides, &l);
	if (rc < 0)
		return NULL;
	if (rc == 0)
		Py_RETURN_NONE;
	weft_settle_exported(address, bytes);
	Py_INCREF(owner); // before anything may give it back
	int kept = 0;
	uint64_t out = 0;
	weft_error e = {NULL, NULL};
	rc = goShare((void *)(uintptr_t)address, bytes, owner == Py_None ? NULL : owner, l.dtype, offset, l.shape, l.strides, l.ndim, access, 0, &kept, &out, &e);
	if (!kept)
		Py_DECREF(owner);
	if (rc != WEFT_OK)
		return weft_raise(&e);
	if (!out)
		Py_RETURN_NONE;
	PyObject *made = weft_wrap(out);
	if (made)
		((weft_array *)made)->lender = Py_NewRef(base);
	return made;
}

// based(array, base): says what the array's base is, of an array without elements, which is over no memory and may be a view all the same.
PyObject *weft_based(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *array, *base;
	if (!PyArg_ParseTuple(args, "O!O", weft_array_type, &array, &base))
		return NULL;
	weft_set(&((weft_array *)array)->lender, Py_NewRef(base));
	return Py_NewRef(array);
}
