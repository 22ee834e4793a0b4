//go:build extension

// Waiting for values: without the interpreter's lock, and again after each interrupt that raises nothing. What is waited for is
// an element, a value of one element, or all of an array.
//
//	x[3, 4]      weft_element: a scalar
//	x.sum()      weft_result: a scalar, where NumPy gives one, or the array
//	float(x)     weft_wait_item: a number
//	x.tolist()   weft_read: all of the elements
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <stdlib.h>

int weft_wait(weft_blocking ask, void *about) { return weft_wait_of(NULL, NULL, ask, about); }

static int wait_of(PyObject *array, uint64_t *handle, weft_blocking ask, void *about);

int weft_wait_of(PyObject *array, uint64_t *handle, weft_blocking ask, void *about)
{
	const int begun = weft_begin_naming();
	int rc = wait_of(array, handle, ask, about);
	weft_end_naming(begun);
	return rc;
}

static int wait_of(PyObject *array, uint64_t *handle, weft_blocking ask, void *about)
{
	weft_chain_wait();
	int on_main = weft_on_main_thread();
	weft_error e = {NULL, NULL};
	for (;;) {
		int rc;
		if (array)
			*handle = weft_handle(array);
		weft_out++;
		Py_BEGIN_ALLOW_THREADS
		rc = ask(about, on_main, &e);
		Py_END_ALLOW_THREADS
		weft_back();
		weft_answered();
		eager_lower(); // what ran on this thread meanwhile is none of what its caller computes next
		if (rc == WEFT_OK)
			return __builtin_expect(weft_floating_late, 0) && !weft_forked ? weft_floating_later() : 0;
		if (rc == WEFT_ERROR && on_main && Py_MakePendingCalls() < 0) { // what a handler raised where nothing could be: why the work was cancelled, maybe
			free(e.type);
			free(e.text);
			return -1;
		}
		if (rc == WEFT_ERROR)
			weft_raise(&e);
		if (rc == WEFT_ERROR || PyErr_CheckSignals() < 0)
			return -1;
		if (weft_forked) // by a signal handler that has returned in the child
			return weft_attend();
	}
}

typedef struct {
	uint64_t handle;
	weft_value *v;
} item_asked;

static int ask_item(void *about, int on_main, weft_error *e)
{
	item_asked *a = about;
	return goItem(a->handle, on_main, a->v, e);
}

int weft_wait_item(uint64_t handle, weft_value *v)
{
	weft_look_back();
	if (PyErr_Occurred())
		return -1;
	uint64_t where = weft_where();
	weft_count(WEFT_NUMBERS, where);
	weft_ask(where);
	return weft_wait(ask_item, &(item_asked){handle, v});
}

// An element that is waited for; without a place it is the only one of the array.
typedef struct {
	uint64_t handle;
	const weft_place *place;
	int dtype;
	char bytes[16];
} element_asked;

static int ask_element(void *about, int on_main, weft_error *e)
{
	element_asked *a = about;
	if (a->place)
		return goElement(a->handle, a->place->offset, a->dtype, on_main, a->bytes, e);
	return goOnly(a->handle, on_main, a->bytes, &a->dtype, e);
}

// wait_for waits for an element's bytes and makes the scalar.
static PyObject *wait_for(uint64_t handle, const weft_place *place, int dtype)
{
	weft_look_back();
	if (PyErr_Occurred())
		return NULL;
	uint64_t where = weft_where();
	weft_count(place ? WEFT_ELEMENTS_READ : WEFT_NUMBERS, where);
	weft_ask(where);
	element_asked a = {handle, place, dtype, {0}};
	return weft_wait(ask_element, &a) < 0 ? NULL : weft_scalar_at(a.bytes, a.dtype);
}

PyObject *weft_element(PyObject *of, uint64_t handle, const weft_place *place, int dtype)
{
	Py_INCREF(of); // other threads run during the wait
	PyObject *made = wait_for(handle, place, dtype);
	Py_DECREF(of);
	return made;
}

PyObject *weft_result(uint64_t handle)
{
	if (!(handle & WEFT_SCALAR))
		return weft_wrap(handle);
	PyObject *made = wait_for(handle, NULL, 0);
	goFree(handle);
	return made;
}

typedef struct {
	uint64_t handle;
	void *to;
} read_asked;

static int ask_read(void *about, int on_main, weft_error *e)
{
	read_asked *a = about;
	return goRead(a->handle, on_main, a->to, e);
}

int weft_read(PyObject *array, void *to)
{
	weft_look_back();
	if (PyErr_Occurred())
		return -1;
	uint64_t where = weft_where();
	weft_count(WEFT_NUMBERS, where);
	weft_ask(where);
	read_asked asked = {.to = to};
	return weft_wait_of(array, &asked.handle, ask_read, &asked);
}
