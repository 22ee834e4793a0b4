//go:build extension

// DLPack's capsules: tensors of other libraries as Python sees them, and weft's arrays as other libraries do. The structures are those of
// DLPack 1.0, and of what came before. A producer makes one and says how it goes; its consumer calls that once, on any thread.
//
//	capsule "dltensor"              {tensor, context, deleter}
//	capsule "dltensor_versioned"    {version, context, deleter, flags, tensor}
//
// What is taken out of a capsule names it "used_...", so that it is taken once.
#include "shim.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
	void *data;
	int32_t device_type, device_id, ndim;
	uint8_t code, bits;
	uint16_t lanes;
	int64_t *shape, *strides;
	uint64_t byte_offset;
} tensor;

typedef struct plain {
	tensor t;
	void *context;
	void (*deleter)(struct plain *);
} plain;

typedef struct versioned {
	uint32_t major, minor;
	void *context;
	void (*deleter)(struct versioned *);
	uint64_t flags;
	tensor t;
} versioned;

enum { IS_READ_ONLY = 1, IS_COPIED = 2, NEWEST = 1 };

static void drop_plain(PyObject *held)
{
	plain *p = PyCapsule_GetPointer(held, "weft plain tensor");
	if (p && p->deleter)
		p->deleter(p);
}

static void drop_versioned(PyObject *held)
{
	versioned *v = PyCapsule_GetPointer(held, "weft tensor");
	if (v && v->deleter)
		v->deleter(v);
}

// tensor_of(capsule): (what holds the tensor, device type, device, code, bits, lanes, address, shape, strides or None, whether it is read-only).
PyObject *weft_tensor_of(PyObject *self, PyObject *capsule)
{
	(void)self;
	PyObject *held = NULL;
	tensor *t = NULL;
	uint64_t flags = 0;
	if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
		versioned *v = PyCapsule_GetPointer(capsule, "dltensor_versioned");
		if (v->major > NEWEST) // its owner keeps it
			return PyErr_Format(PyExc_BufferError, "the tensor is of version %u.%u of DLPack; weft knows 1", v->major, v->minor);
		if (PyCapsule_SetName(capsule, "used_dltensor_versioned") < 0)
			return NULL;
		held = PyCapsule_New(v, "weft tensor", drop_versioned);
		if (!held && v->deleter) // the owner of a capsule of that name leaves the tensor to its consumer
			v->deleter(v);
		if (!held)
			return NULL;
		t = &v->t;
		flags = v->flags;
	} else if (PyCapsule_IsValid(capsule, "dltensor")) {
		plain *p = PyCapsule_GetPointer(capsule, "dltensor");
		if (PyCapsule_SetName(capsule, "used_dltensor") < 0)
			return NULL;
		held = PyCapsule_New(p, "weft plain tensor", drop_plain);
		if (!held && p->deleter)
			p->deleter(p);
		if (!held)
			return NULL;
		t = &p->t;
	} else
		return PyErr_Format(PyExc_BufferError, "__dlpack__ gave no capsule with a tensor, or one that was taken already");
	PyObject *shape = weft_int_tuple(t->shape, t->ndim), *strides = t->strides ? weft_int_tuple(t->strides, t->ndim) : Py_NewRef(Py_None);
	if (!shape || !strides) {
		Py_XDECREF(shape);
		Py_XDECREF(strides);
		Py_DECREF(held);
		return NULL;
	}
	return Py_BuildValue("(NiiiiiKNNO)", held, t->device_type, t->device_id, t->code, t->bits, t->lanes, (unsigned long long)(uintptr_t)t->data + t->byte_offset, shape, strides,
		flags & IS_READ_ONLY ? Py_True : Py_False);
}

// A tensor that is given out: the structure as the consumer has it, and what keeps its memory.
typedef struct {
	union {
		plain p;
		versioned v;
	} as;
	PyObject *keeper;
	int64_t extents[];
} given;

static void end(given *g)
{
	if (Py_IsInitialized()) { // what is left when the interpreter has ended, the process takes with it
		PyGILState_STATE state = PyGILState_Ensure();
		PyObject *type, *value, *trace;
		PyErr_Fetch(&type, &value, &trace); // a consumer may be on its way out of an error
		Py_DECREF(g->keeper);
		PyErr_Restore(type, value, trace);
		PyGILState_Release(state);
	}
	free(g);
}

static void end_plain(plain *p) { end(p->context); }
static void end_versioned(versioned *v) { end(v->context); }

// unused ends a tensor that no consumer has taken.
static void unused(PyObject *capsule)
{
	if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
		end(((versioned *)PyCapsule_GetPointer(capsule, "dltensor_versioned"))->context);
	else if (PyCapsule_IsValid(capsule, "dltensor"))
		end(((plain *)PyCapsule_GetPointer(capsule, "dltensor"))->context);
}

// tensor(keeper, device type, device, code, bits, address, shape, strides, flags): a capsule with a tensor; strides are in elements. flags of
// None make it one of before version 1.
PyObject *weft_tensor(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *keeper, *shape, *strides, *flags;
	unsigned long long address;
	int type, device, code, bits;
	if (!PyArg_ParseTuple(args, "OiiiiKO!O!O", &keeper, &type, &device, &code, &bits, &address, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &flags))
		return NULL;
	Py_ssize_t n = PyTuple_Size(shape);
	unsigned long long said = flags == Py_None ? 0 : PyLong_AsUnsignedLongLong(flags);
	if (PyTuple_Size(strides) != n)
		return PyErr_Format(PyExc_ValueError, "strides is not compatible with shape");
	given *g = calloc(1, sizeof *g + (size_t)(2 * n) * sizeof(int64_t));
	if (!g)
		return PyErr_NoMemory();
	for (Py_ssize_t i = 0; i < n; i++) {
		g->extents[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
		g->extents[n + i] = PyLong_AsLongLong(PyTuple_GetItem(strides, i));
	}
	if (PyErr_Occurred()) {
		free(g);
		return NULL;
	}
	tensor t = {.data = (void *)(uintptr_t)address, .device_type = type, .device_id = device, .ndim = (int32_t)n, .code = (uint8_t)code, .bits = (uint8_t)bits, .lanes = 1,
		.shape = g->extents, .strides = g->extents + n};
	if (flags == Py_None)
		g->as.p = (plain){.t = t, .context = g, .deleter = end_plain};
	else
		g->as.v = (versioned){.major = NEWEST, .context = g, .deleter = end_versioned, .flags = said, .t = t};
	g->keeper = Py_NewRef(keeper);
	PyObject *capsule = PyCapsule_New(&g->as, flags == Py_None ? "dltensor" : "dltensor_versioned", unused);
	if (!capsule)
		end(g);
	return capsule;
}
