//go:build extension

// Arrays in GPUs' memory that other libraries of the process share, *guests*: theirs as ones of weft's, and weft's for them, by address.
// What the addresses are in, the protocols by which Python hands arrays on, is Python's to say (_guests.py), and DLPack's structures dlpack.c's.
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>

// shares(): whether the machine has GPUs whose memory other libraries can share.
PyObject *weft_shares(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	ENTER(NULL)
	if (weft_forked || weft_ensure_started() < 0)
		return PyErr_Occurred() ? NULL : Py_NewRef(Py_False);
	return Py_NewRef(goShares() ? Py_True : Py_False);
}

// host_most(): how many bytes arrays may take of the host's memory; 0 where that is not limited.
PyObject *weft_host_most(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyLong_FromLongLong(goHostMost());
}

// on_device(array, say): the GPU that an array is on for other libraries, or None. say says that it is to be on one.
PyObject *weft_on_device(PyObject *self, PyObject *args)
{
	(void)self;
	ENTER(NULL)
	PyObject *array;
	int say;
	if (!PyArg_ParseTuple(args, "O!p", weft_array_type, &array, &say))
		return NULL;
	uint64_t handle = weft_handle(array);
	if (!handle)
		return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
	int ordinal = goOnDevice(handle, say);
	return ordinal < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(ordinal);
}

static void let_go(PyObject *hold)
{
	uint64_t id = (uint64_t)(uintptr_t)PyCapsule_GetPointer(hold, "weft hold");
	if (id && !weft_forked)
		weft_unmap(id);
}

typedef struct {
	uint64_t handle;
	weft_mapping m;
	int ordinal;
} exposure;

static int ask_expose(void *about, int on_main, weft_error *e)
{
	exposure *x = about;
	return goExpose(x->handle, on_main, &x->m, &x->ordinal, e);
}

// expose(array): the address of its first element in a GPU's memory, the GPU, and what keeps the memory there for as long as it lives.
PyObject *weft_expose(PyObject *self, PyObject *array)
{
	(void)self;
	ENTER(NULL)
	if (Py_TYPE(array) != weft_array_type)
		return PyErr_Format(PyExc_TypeError, "expose takes an array of weft's");
	weft_look_back();
	if (PyErr_Occurred())
		return NULL;
	exposure x = {0};
	weft_ask(weft_where());
	if (weft_wait_of(array, &x.handle, ask_expose, &x) < 0)
		return NULL;
	goMapped(weft_handle(array), x.m.id, x.m.data);
	PyObject *hold = PyCapsule_New((void *)(uintptr_t)x.m.id, "weft hold", let_go);
	if (!hold) {
		weft_unmap(x.m.id);
		return NULL;
	}
	return Py_BuildValue("(KiN)", (unsigned long long)(uintptr_t)x.m.data, x.ordinal, hold);
}

static int ask_stream(void *about, int on_main, weft_error *e)
{
	return goAwaitStream(*(uint64_t *)about, on_main, e);
}

// await_stream(stream): waits until another library's stream has run empty.
PyObject *weft_await_stream(PyObject *self, PyObject *number)
{
	(void)self;
	ENTER(NULL)
	uint64_t stream = PyLong_AsUnsignedLongLong(number);
	if (PyErr_Occurred() || weft_ensure_started() < 0)
		return NULL;
	weft_ask(weft_where());
	if (weft_wait(ask_stream, &stream) < 0)
		return NULL;
	Py_RETURN_NONE;
}

int weft_given_away(weft_array *a, PyObject *keeps, int on_gpu)
{
	PyObject *old = a->pinned, *other = NULL; // what keeps the address in the other memory
	if (old && PyTuple_CheckExact(old))
		other = PyTuple_GetItem(old, on_gpu);
	else if (old && PyCapsule_IsValid(old, "weft hold") != on_gpu)
		other = old;
	PyObject *all = other ? PyTuple_Pack(2, on_gpu ? keeps : other, on_gpu ? other : keeps) : Py_NewRef(keeps);
	if (!all)
		return -1;
	weft_set(&a->pinned, all);
	return 0;
}

// keep(array, hold): has an array keep what it was exposed with.
PyObject *weft_keep(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *array, *hold;
	if (!PyArg_ParseTuple(args, "O!O", weft_array_type, &array, &hold) || weft_given_away((weft_array *)array, hold, 1) < 0)
		return NULL;
	Py_RETURN_NONE;
}

// adopt_guest(owner, address, bytes, dtype, offset, shape, strides, writable, apart, stream): an array over memory of a GPU's that the owner holds,
// or None where there can be none; apart makes one to read once, whatever other arrays there are over that memory. A stream of None is not waited
// for, and 0 stands for all.
PyObject *weft_adopt_guest(PyObject *self, PyObject *args)
{
	(void)self;
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	PyObject *owner, *dtype, *shape, *strides, *stream;
	unsigned long long address, bytes;
	long long offset;
	int writable, apart;
	if (!PyArg_ParseTuple(args, "OKKOLO!O!ppO", &owner, &address, &bytes, &dtype, &offset, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &writable, &apart, &stream))
		return NULL;
	weft_described at;
	int rc = weft_read_described(dtype, shape, strides, &at);
	if (rc < 0)
		return NULL;
	if (rc == 0)
		Py_RETURN_NONE;
	unsigned long long named = stream == Py_None ? 0 : PyLong_AsUnsignedLongLong(stream);
	if (PyErr_Occurred())
		return NULL;
	uint64_t out = 0;
	weft_error e = {NULL, NULL};
	do {
		Py_INCREF(owner); // before anything may give it back
		int kept = 0;
		WEFT_MEET
		rc = goAdoptGuest(address, bytes, owner, at.dtype, offset, at.shape, at.strides, at.ndim, writable, apart, named, stream == Py_None, &kept, &out, &e);
		WEFT_MET
		if (!kept)
			Py_DECREF(owner);
	} while (rc == WEFT_INTERRUPTED && PyErr_CheckSignals() == 0);
	if (rc == WEFT_ERROR)
		return weft_raise(&e);
	if (rc != WEFT_OK)
		return NULL;
	return out ? weft_wrap(out) : Py_NewRef(Py_None);
}
