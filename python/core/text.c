//go:build extension

// sys.stdout.write of a notebook. A loop that prints calls it for every word and every line
// end, so that text is collected here, without a call into Go:
//
//	write("1")   write("\n")   ...   write("2")     collected, in one piece for each cell and stream
//	64 KiB, another cell or stream, output of another kind, or 50 ms later: to Go
//
// What the process writes to descriptors 1 and 2 comes to Go through pipes. So that it stays in its place among
// what is printed, each write looks whether there is something in them.

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "_cgo_export.h"
#include "kernelmod.h"

enum { FULL = 64 << 10 }; // bytes that go out at once, as in kernel/stream.go

// Guarded by lock: Python's threads write, Go's take.
static struct {
	pthread_mutex_t lock;
	char *data;
	size_t n, room;
	uint64_t handle;
	int error; // stderr and not stdout
	int leaving; // Go has taken text that it has not published
} text = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int reading; // pipes that Go reads now: what was in them is on its way
static int pipes = -1; // an epoll of both: asking it costs two thirds of asking them
static int forked; // a child has no Go runtime

static void in_child(void) { forked = 1; }

int weft_text_pipes(int out, int err) {
	struct epoll_event readable = {.events = EPOLLIN};
	int both = epoll_create1(EPOLL_CLOEXEC);
	if (both < 0) return -1;
	if (epoll_ctl(both, EPOLL_CTL_ADD, out, &readable) || epoll_ctl(both, EPOLL_CTL_ADD, err, &readable)) {
		close(both);
		return -1;
	}
	pipes = both;
	return 0;
}

void weft_text_no_pipes(void) {
	if (pipes >= 0) close(pipes);
	pipes = -1;
}

void weft_text_reading(int more) { atomic_fetch_add(&reading, more); }

// captured reports whether something was written to the descriptors that has not been shown. The pipes come first: if
// one is empty because Go has just read it, Go has said so before.
static int captured(void) {
	struct epoll_event any;
	return pipes >= 0 && (epoll_wait(pipes, &any, 1, 0) > 0 || atomic_load(&reading));
}

int weft_text_take(weft_bytes *taken, uint64_t *handle) {
	pthread_mutex_lock(&text.lock);
	taken->data = text.data;
	taken->size = text.n;
	*handle = text.handle;
	int error = text.error;
	text.data = NULL;
	text.n = text.room = 0;
	text.leaving = 1;
	pthread_mutex_unlock(&text.lock);
	return error;
}

void weft_text_left(void) {
	pthread_mutex_lock(&text.lock);
	text.leaving = 0;
	pthread_mutex_unlock(&text.lock);
}

// drain hands what is collected to Go, which may wait for clients. Called with the interpreter's lock.
static void drain(void) {
	Py_BEGIN_ALLOW_THREADS
	goKernelText();
	Py_END_ALLOW_THREADS
}

// weft_text_drain returns when all that was written is published, what the timer's goroutine has in hand included: what
// comes after it, such as the end of the cell, must not overtake it.
void weft_text_drain(void) {
	if (forked) return;
	pthread_mutex_lock(&text.lock);
	int pending = text.n > 0 || text.leaving;
	pthread_mutex_unlock(&text.lock);
	if (pending) drain();
}

// What append did: it began to collect, it added, it added and that is enough, it did nothing since what is collected is
// of another cell or stream, or since memory is short.
enum { BEGUN, ADDED, ENOUGH, OTHER, NO_MEMORY };

static int append(uint64_t handle, int error, const char *data, size_t n) {
	pthread_mutex_lock(&text.lock);
	if (text.n && (text.handle != handle || text.error != error)) {
		pthread_mutex_unlock(&text.lock);
		return OTHER;
	}
	int first = text.n == 0;
	if (text.n + n > text.room) {
		size_t room = text.n + n > FULL ? text.n + n : FULL;
		char *more = realloc(text.data, room);
		if (!more) {
			pthread_mutex_unlock(&text.lock);
			return NO_MEMORY;
		}
		text.data = more;
		text.room = room;
	}
	memcpy(text.data + text.n, data, n);
	text.n += n;
	text.handle = handle;
	text.error = error;
	int enough = text.n >= FULL;
	pthread_mutex_unlock(&text.lock);
	return enough ? ENOUGH : first ? BEGUN : ADDED;
}

// writer is what a write function has: which stream it is, how to get the request of the calling code, and the
// stream's own write for what is not simple.
typedef struct {
	int error;
	PyObject *current, *slow;
	PyObject *request; // the one that handle is of
	uint64_t handle;
} writer;

static void free_writer(PyObject *capsule) {
	writer *w = PyCapsule_GetPointer(capsule, NULL);
	Py_XDECREF(w->current);
	Py_XDECREF(w->slow);
	Py_XDECREF(w->request);
	free(w);
}

static PyObject *text_write(PyObject *self, PyObject *o) {
	writer *w = PyCapsule_GetPointer(self, NULL);
	if (!w) return NULL;
	if (forked || !PyUnicode_Check(o)) return PyObject_CallFunctionObjArgs(w->slow, o, NULL);
	Py_ssize_t n;
	const char *data = PyUnicode_AsUTF8AndSize(o, &n);
	if (!data) { // half a surrogate pair
		PyErr_Clear();
		return PyObject_CallFunctionObjArgs(w->slow, o, NULL);
	}
	PyObject *request = PyObject_CallNoArgs(w->current);
	if (!request) return NULL;
	if (request == Py_None) { // of a thread, or of no request
		Py_DECREF(request);
		return PyObject_CallFunctionObjArgs(w->slow, o, NULL);
	}
	if (request != w->request) {
		PyObject *handle = PyObject_GetAttrString(request, "handle");
		if (handle) w->handle = PyLong_AsUnsignedLongLong(handle);
		Py_XDECREF(handle);
		if (PyErr_Occurred()) {
			Py_DECREF(request);
			return NULL;
		}
		PyObject *old = w->request;
		w->request = request;
		Py_XDECREF(old);
	} else {
		Py_DECREF(request);
	}
	uint64_t handle = w->handle; // other threads write while this one drains
	if (captured()) {
		drain();
		Py_BEGIN_ALLOW_THREADS
		goKernelCaptured();
		Py_END_ALLOW_THREADS
	}
	if (n > 0) {
		int done;
		while ((done = append(handle, w->error, data, (size_t)n)) == OTHER) drain();
		if (done == NO_MEMORY) return PyErr_NoMemory();
		if (done == ENOUGH) drain();
		if (done == BEGUN) goKernelTextPending();
	}
	return PyLong_FromSsize_t(PyUnicode_GetLength(o));
}

PyObject *weft_kernel_writer(PyObject *self, PyObject *args) {
	static PyMethodDef write = {"write", text_write, METH_O, "write(text): show text below the cell that writes it."};
	int error;
	PyObject *current, *slow;
	if (!PyArg_ParseTuple(args, "pOO:kernel_writer", &error, &current, &slow)) return NULL;
	if (pthread_atfork(NULL, NULL, in_child)) return PyErr_NoMemory();
	writer *w = calloc(1, sizeof *w);
	if (!w) return PyErr_NoMemory();
	w->error = error;
	w->current = Py_NewRef(current);
	w->slow = Py_NewRef(slow);
	PyObject *capsule = PyCapsule_New(w, NULL, free_writer);
	if (!capsule) return NULL;
	PyObject *f = PyCFunction_NewEx(&write, capsule, NULL);
	Py_DECREF(capsule);
	return f;
}
