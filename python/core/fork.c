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
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A fork that has begun and is not over.
typedef struct {
	weft_settled *settled; // what the child may read, by slot
	int64_t *extents, slots;
	PyObject *raised, *caller; // an exception that came meanwhile, and the frame that forks
	int begun;                 // in Go
} forking;

// A signal handler that runs while a fork waits may fork as well: so many forks have records. The children of deeper ones have no values.
enum { NESTED = 8 };

static forking forks[NESTED];
static int depth; // of the thread that has the turn: of forks in other threads one comes after the other
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_t owner;

static int ask_fork(void *about, int on_main, weft_error *e)
{
	(void)about;
	return goForkWait(on_main, e);
}

static void take_turn(void)
{
	if (depth && pthread_equal(owner, pthread_self()))
		return; // in a signal handler, while this thread waits
	if (pthread_mutex_trylock(&turn)) {
		Py_BEGIN_ALLOW_THREADS
		pthread_mutex_lock(&turn);
		Py_END_ALLOW_THREADS
	}
	owner = pthread_self();
}

static int prepare(forking *f)
{
	// The one module that the child may not take from NumPy instead, once and not in each child.
	PyObject *random = PyImport_ImportModule("weft.random");
	Py_XDECREF(random);
	if (!random || !weft_started())
		return random ? 0 : -1;
	weft_shut_all();
	weft_look_back();
	if (PyErr_Occurred())
		return -1;
	goForkBegin();
	f->begun = 1;
	weft_ask(weft_where());
	if (weft_wait(ask_fork, NULL) < 0)
		return -1;
	goForkTable(&f->settled, &f->extents, &f->slots);
	return 0;
}

// before_fork(): makes arrays ready to be read in a child. Python forks whatever is raised here, so that an exception is kept, for the parent.
PyObject *weft_before_fork(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (weft_forked)
		Py_RETURN_NONE;
	take_turn();
	if (depth++ >= NESTED)
		Py_RETURN_NONE;
	forking *f = &forks[depth - 1];
	f->caller = Py_XNewRef((PyObject *)PyEval_GetFrame());
	if (prepare(f) < 0) {
		if (weft_forked && PyErr_ExceptionMatches(PyExc_RuntimeError)) { // a signal handler has returned in the child that it made
			PyErr_Clear();
			Py_RETURN_NONE;
		}
		if (weft_forked || !weft_on_main_thread()) // where nothing can be raised later
			return NULL;
		PyObject *type, *value, *trace;
		PyErr_Fetch(&type, &value, &trace);
		PyErr_NormalizeException(&type, &value, &trace);
		if (trace)
			PyException_SetTraceback(value, trace);
		f->raised = value;
		Py_XDECREF(type);
		Py_XDECREF(trace);
	}
	Py_RETURN_NONE;
}

typedef struct {
	PyObject *raised, *caller;
} kept;

// raise_kept raises an exception where the frame that forked goes on; what other packages have Python call after a fork would swallow it.
static int raise_kept(void *about)
{
	kept *k = about;
	PyObject *frame = (PyObject *)PyEval_GetFrame(), *back = frame ? PyObject_GetAttrString(frame, "f_back") : NULL;
	int early = back && back == k->caller;
	Py_XDECREF(back);
	PyErr_Clear();
	if (early && Py_AddPendingCall(raise_kept, k) == 0)
		return 0;
	PyErr_SetObject((PyObject *)Py_TYPE(k->raised), k->raised);
	Py_DECREF(k->raised);
	Py_XDECREF(k->caller);
	free(k);
	return -1;
}

static void raise_later(PyObject *raised, PyObject *caller)
{
	kept *k = malloc(sizeof *k);
	if (k)
		*k = (kept){Py_NewRef(raised), Py_XNewRef(caller)};
	if (!k || Py_AddPendingCall(raise_kept, k) < 0)
		PyErr_SetInterrupt(); // there is no room for it
}

// after_fork(): undoes that, in the parent, and raises there what came meanwhile. The child goes on without: Python forgets signals that
// are pending at a fork in the child, too, since they were sent to the parent.
PyObject *weft_after_fork(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (weft_forked || !depth)
		Py_RETURN_NONE;
	if (depth <= NESTED) {
		forking *f = &forks[depth - 1], over = *f;
		memset(f, 0, sizeof *f);
		if (over.begun)
			goForkEnd();
		for (int64_t i = 0; i < over.slots; i++)
			free(over.settled[i].why);
		free(over.settled);
		free(over.extents);
		if (over.raised)
			raise_later(over.raised, over.caller);
		Py_XDECREF(over.raised);
		Py_XDECREF(over.caller);
	}
	if (--depth == 0)
		pthread_mutex_unlock(&turn);
	Py_RETURN_NONE;
}

// has reports whether the child may read what a row is about; otherwise there is an exception.
static int has(const weft_settled *row)
{
	if (row && row->known && (row->start || row->size == 0))
		return 1;
	PyErr_Format(PyExc_RuntimeError, "this process was forked, and the array has no value here: %s",
		row && row->why ? row->why : "it was not ready at the fork (what a signal's handler raised broke off the wait for it, or Python does not know of the fork, or another thread made it meanwhile)");
	return 0;
}

int weft_settled_of(weft_array *a, weft_mapping *m)
{
	static char nothing[16];
	weft_array *owner = weft_owner(a);
	uint64_t slot = owner->handle >> WEFT_SLOT;
	const forking *f = depth > 0 && depth <= NESTED ? &forks[depth - 1] : NULL;
	const weft_settled *row = f && owner->handle && (int64_t)slot < f->slots ? &f->settled[slot] : NULL;
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
