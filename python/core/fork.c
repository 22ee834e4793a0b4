//go:build extension

// Forks. The child of a fork has one thread and no Go runtime, so it must never enter Go. Before the fork Go writes down where the values of all
// arrays lie in host memory, and waits for them; the child has a copy of that memory, by the system's pages. There weft's names mean
// NumPy's (python/weft/_forked.py), and an array is what NumPy sees of its memory:
//
//	x = np.arange(1_000_000) * 2       pending
//	os.fork()                          waited for
//	x + 1                              in the child: NumPy's sum of the same bytes
//
// Arrays of few elements, and the views of them, are C's alone, and need no preparation.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

static weft_settled *settled;
static int64_t *extents, slots;
static int interrupted; // while it was waited for: raised when the fork is over, since Python goes on with it whatever happens before

static int ask_fork(void *about, int on_main, weft_error *e)
{
	(void)about;
	return goForkWait(on_main, e);
}

// before_fork(): makes arrays ready to be read in a child.
PyObject *weft_before_fork(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (weft_forked || !weft_started() || settled)
		Py_RETURN_NONE;
	weft_shut_all();
	weft_look_back();
	if (PyErr_Occurred())
		return NULL;
	goForkBegin();
	weft_ask(weft_where());
	if (weft_wait(ask_fork, NULL) < 0) {
		goForkEnd();
		if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
			return NULL;
		PyErr_Clear();
		interrupted = 1;
		Py_RETURN_NONE;
	}
	goForkTable(&settled, &extents, &slots);
	Py_RETURN_NONE;
}

// after_fork(): undoes that, in the parent, and raises there an interrupt that came meanwhile. The child has none: Python forgets signals that
// are pending at a fork in the child, too, since they were sent to the parent.
PyObject *weft_after_fork(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (interrupted && !weft_forked)
		PyErr_SetInterrupt(); // which the program's next line sees
	interrupted = 0;
	if (weft_forked || !weft_started())
		Py_RETURN_NONE;
	goForkEnd();
	for (int64_t i = 0; i < slots; i++)
		free(settled[i].why);
	free(settled);
	free(extents);
	settled = NULL;
	extents = NULL;
	slots = 0;
	Py_RETURN_NONE;
}

// has reports whether the child may read what a row is about; otherwise there is an exception.
static int has(const weft_settled *row)
{
	if (row && row->known && (row->start || row->size == 0))
		return 1;
	PyErr_Format(PyExc_RuntimeError, "this process was forked, and the array has no value here: %s",
		row && row->why ? row->why : "it was not ready at the fork (a fork that Python does not know of, or another thread made it meanwhile)");
	return 0;
}

int weft_settled_of(weft_array *a, weft_mapping *m)
{
	static char nothing[16];
	weft_array *owner = weft_owner(a);
	uint64_t slot = owner->handle >> WEFT_SLOT;
	const weft_settled *row = owner->handle && (int64_t)slot < slots ? &settled[slot] : NULL;
	weft_info *info = &m->info;
	if (!owner->bytes && !has(row))
		return -1;
	char *start = owner->bytes ? owner->bytes : (char *)(uintptr_t)row->start;
	if (a == owner && !owner->bytes) {
		info->dtype = row->dtype;
		info->ndim = row->ndim;
		info->writable = row->writable;
		info->contiguous = row->contiguous;
		info->size = row->size;
		for (int i = 0; i < row->ndim; i++) {
			info->shape[i] = row->extents[i];
			info->strides[i] = row->extents[row->ndim + i];
		}
		m->data = start + row->offset;
	} else { // a layout that C knows
		info->dtype = a->at.dtype;
		info->ndim = a->at.ndim;
		info->writable = !a->place.readonly;
		info->contiguous = a->at.contiguous;
		info->size = a->at.size;
		memcpy(info->shape, a->at.shape, sizeof a->at.shape);
		memcpy(info->strides, a->at.strides, sizeof a->at.strides);
		m->data = start + a->place.offset;
	}
	if (info->size == 0)
		m->data = nothing;
	m->id = 0;
	return 0;
}

// seen(array): in a forked child, the array of NumPy's over an array's memory, always the same one.
PyObject *weft_seen(PyObject *self, PyObject *array)
{
	(void)self;
	if (Py_TYPE(array) != weft_array_type || !weft_forked)
		return PyErr_Format(PyExc_TypeError, "seen takes an ndarray of weft's in a forked process, not %R", (PyObject *)Py_TYPE(array));
	weft_array *a = (weft_array *)array;
	if (a->pinned && PyObject_TypeCheck(a->pinned, (PyTypeObject *)weft_np_ndarray))
		return Py_NewRef(a->pinned);
	PyObject *asarray = weft_hook("numpy_asarray"), *memory = asarray ? PyMemoryView_FromObject(array) : NULL;
	PyObject *view = memory ? PyObject_CallFunctionObjArgs(asarray, memory, NULL) : NULL;
	Py_XDECREF(memory);
	if (view)
		weft_set(&a->pinned, Py_NewRef(view)); // it may be given another shape
	return view;
}
