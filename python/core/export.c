//go:build extension

// Buffers of arrays whose memory is the Python object's own (small.c): what NumPy, memoryview and others read and write is that memory, without a
// mapping of Go's. An operation of the eager tier on it is complete when it returns, so that both see each other's values.
//
//	x = np.arange(10)        bytes
//	a = numpy.asarray(x)     moved to a block that Go may take as it is, and exported
//	large + x                taken over: a mapping holds the memory from now on
//	del a                    released, with the mapping
//
// Where the memory is, Go does not know meanwhile. So a search for arrays over an address makes the arrays Go's first that may be there.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "loans.h"
#include <stdlib.h>
#include <string.h>

// outlasts moves an array's bytes to a block that stays where it is when Go takes it over; 0 where there is none.
static int outlasts(weft_array *a)
{
	int64_t bytes = a->at.size * weft_sizes[a->at.dtype];
	char *memory = a->lasting ? a->bytes : weft_lasting_block(a->bytes, bytes);
	if (memory && memory != a->bytes)
		weft_give_block(a->bytes, bytes);
	if (memory)
		a->bytes = memory;
	return a->lasting = memory != NULL;
}

// lent is what a buffer has besides: its shape and strides, and the array whose bytes it is of, which may become another one meanwhile; or the mapping that it is of.
typedef struct {
	Py_ssize_t extents[2 * WEFT_NEAR];
	weft_array *owner;
	PyObject *mapping;
} lent;

int weft_keep_mapping(Py_buffer *view, PyObject *mapping)
{
	lent *l = PyMem_Malloc(sizeof *l);
	if (!l) {
		PyErr_NoMemory();
		return -1;
	}
	l->owner = NULL;
	l->mapping = Py_NewRef(mapping);
	view->internal = l;
	return 0;
}

int weft_export(PyObject *array, Py_buffer *view, int flags)
{
	weft_array *a = (weft_array *)array, *owner = weft_owner(a);
	const weft_layout *l = owner->bytes ? weft_layout_of(a) : NULL;
	if (!l || l->size == 0 || owner->at.size == 0 || (!owner->borrowed && !outlasts(owner)))
		return 0;
	Py_ssize_t *extents = PyMem_Malloc(sizeof(lent));
	if (!extents) {
		PyErr_NoMemory();
		return -1;
	}
	for (int i = 0; i < l->ndim; i++) {
		extents[i] = (Py_ssize_t)l->shape[i];
		extents[WEFT_NEAR + i] = (Py_ssize_t)l->strides[i];
	}
	if (l->size > WEFT_LEAST / 16) // as weft_chain_end has it; who gets a buffer looks at all of it
		weft_chain_wait();
	if (weft_fill_buffer(view, array, flags, &(weft_exported){.data = weft_data(a), .dtype = l->dtype, .ndim = l->ndim, .writable = a->place.readonly != WEFT_WRITES_NOT,
			.contiguous = l->contiguous, .size = l->size, .shape = extents, .strides = extents + WEFT_NEAR}) < 0) {
		PyMem_Free(extents);
		return -1;
	}
	((lent *)extents)->mapping = NULL;
	((lent *)extents)->owner = (weft_array *)Py_NewRef((PyObject *)owner);
	view->internal = extents;
	if (owner->exports++ == 0)
		weft_enter_exported(owner);
	return 1;
}

void weft_releasebuffer(PyObject *array, Py_buffer *view)
{
	(void)array;
	weft_array *a = ((lent *)view->internal)->owner;
	Py_XDECREF(((lent *)view->internal)->mapping);
	PyMem_Free(view->internal);
	if (!a)
		return;
	if (--a->exports == 0) {
		weft_leave_exported(a);
		uint64_t mapped = a->mapped;
		a->mapped = 0; // first, as another thread may export the array during the wait
		if (mapped && !weft_forked)
			weft_unmap(mapped);
	}
	Py_DECREF((PyObject *)a);
}

// The buffer formats by tile.DType.
static const char *const formats[] = {
	"", "?", "b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d", "Zf", "Zd",
};

// Errors are ValueErrors, as NumPy's.
int weft_fill_buffer(Py_buffer *view, PyObject *of, int flags, const weft_exported *e)
{
	view->obj = NULL;
	if ((flags & PyBUF_WRITABLE) && !e->writable) {
		PyErr_SetString(PyExc_ValueError, "buffer source array is read-only");
		return -1;
	}
	if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && e->ndim > 1) {
		PyErr_SetString(PyExc_ValueError, "ndarray is not Fortran contiguous");
		return -1;
	}
	if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !e->contiguous) {
		PyErr_SetString(PyExc_ValueError, "ndarray is not contiguous");
		return -1;
	}
	int strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES && (flags & PyBUF_C_CONTIGUOUS) != PyBUF_C_CONTIGUOUS;
	if (!strided && !e->contiguous) {
		PyErr_SetString(PyExc_ValueError, "ndarray is not C-contiguous");
		return -1;
	}
	view->buf = e->data;
	view->itemsize = weft_sizes[e->dtype];
	view->len = e->size * view->itemsize;
	view->readonly = !e->writable;
	view->ndim = flags & PyBUF_ND ? e->ndim : 1; // without a shape: bytes, as hashlib wants them
	view->format = flags & PyBUF_FORMAT ? (char *)formats[e->dtype] : NULL;
	view->shape = flags & PyBUF_ND ? e->shape : NULL;
	view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? e->strides : NULL;
	view->suboffsets = NULL;
	view->internal = NULL;
	view->obj = Py_NewRef(of);
	return 0;
}
