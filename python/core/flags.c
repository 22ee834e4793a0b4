//go:build extension

// What a program asks of an array's memory: x.flags, x.flat, x.__array__(), of which the answers lie in the object itself. Python has the rest.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include <stddef.h>
#include <string.h>
#include <structmember.h>

// flags is what x.flags is made of; the package derives the class from it that programs see.
typedef struct {
	PyObject_HEAD
	PyObject *array;
} flags;

static PyTypeObject *flags_type, *shown_type; // and the package's class
static PyTypeObject *held_type;

static PyObject *truth(int is) { return Py_NewRef(is ? Py_True : Py_False); }

static int is_fortran(const weft_info *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; l->size && i < l->ndim; i++) {
		if (l->shape[i] != 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

#define INFO(self) \
	ENTER(NULL) \
	weft_info info; \
	weft_get_info(((flags *)self)->array, &info);

static PyObject *c_contiguous(PyObject *self, void *unused)
{
	(void)unused;
	INFO(self)
	return truth(info.contiguous);
}

static PyObject *f_contiguous(PyObject *self, void *unused)
{
	(void)unused;
	INFO(self)
	return truth(is_fortran(&info));
}

static PyObject *writeable(PyObject *self, void *unused)
{
	(void)unused;
	INFO(self)
	return truth(info.writable);
}

static int set_writeable(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	return PyObject_SetAttrString(((flags *)self)->array, "_writable", value ? value : Py_True);
}

static PyObject *owndata(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	weft_array *a = (weft_array *)((flags *)self)->array;
	return truth(!a->base && !a->lender && (a->bytes || !goLent(weft_handle((PyObject *)a))));
}

static PyGetSetDef getset[] = {
	{"c_contiguous", c_contiguous, NULL, NULL, NULL},
	{"contiguous", c_contiguous, NULL, NULL, NULL},
	{"f_contiguous", f_contiguous, NULL, NULL, NULL},
	{"owndata", owndata, NULL, NULL, NULL},
	{"writeable", writeable, set_writeable, NULL, NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef members[] = {
	{"_array", T_OBJECT, offsetof(flags, array), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

static void flags_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	Py_XDECREF(((flags *)self)->array);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

PyObject *weft_get_flags(PyObject *self, void *unused)
{
	(void)unused;
	if (!shown_type)
		weft_set((PyObject **)&shown_type, Py_XNewRef(weft_hook("flags")));
	flags *f = shown_type ? (flags *)((allocfunc)PyType_GetSlot(shown_type, Py_tp_alloc))(shown_type, 0) : NULL;
	if (f)
		f->array = Py_NewRef(self);
	return (PyObject *)f;
}

// held keeps a buffer of an array for an array of NumPy's over it.
typedef struct {
	PyObject_HEAD
	Py_buffer b;
} held;

static void held_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	PyBuffer_Release(&((held *)self)->b);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

// over_memory is an array of NumPy's over an array's memory; NULL without an exception where Python has to make it.
static PyObject *over_memory(PyObject *self)
{
	const weft_layout *l = weft_layout_of((weft_array *)self);
	if (!l || l->size == 0)
		return NULL;
	held *h = (held *)((allocfunc)PyType_GetSlot(held_type, Py_tp_alloc))(held_type, 0);
	if (!h || PyObject_GetBuffer(self, &h->b, PyBUF_FULL_RO) < 0) {
		Py_XDECREF((PyObject *)h);
		return NULL;
	}
	np_array *made = (np_array *)weft_np_over(l, h->b.buf);
	if (!made) {
		Py_DECREF((PyObject *)h);
		return NULL;
	}
	made->base = (PyObject *)h;
	if (h->b.readonly)
		made->flags &= ~WRITABLE;
	return (PyObject *)made;
}

static PyObject *shared(PyObject *self)
{
	ENTER(NULL)
	PyObject *made = over_memory(self);
	PyObject *hook = made || PyErr_Occurred() ? NULL : weft_hook("to_numpy");
	return hook ? PyObject_CallFunctionObjArgs(hook, self, NULL) : made;
}

PyObject *weft_get_flat(PyObject *self, void *unused)
{
	(void)unused;
	PyObject *over = shared(self), *made = over ? PyObject_GetAttrString(over, "flat") : NULL;
	Py_XDECREF(over);
	return made;
}

PyObject *weft_get_data(PyObject *self, void *unused)
{
	(void)unused;
	return PyMemoryView_FromObject(self);
}

int weft_set_flat(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	PyObject *over = value ? shared(self) : NULL;
	int rc = over ? PyObject_SetAttrString(over, "flat", value) : -1;
	if (!value)
		PyErr_SetString(PyExc_AttributeError, "Cannot delete flat iterator");
	Py_XDECREF(over);
	return rc;
}

static PyType_Slot flags_slots[] = {
	{Py_tp_dealloc, (void *)flags_dealloc},
	{Py_tp_getset, getset},
	{Py_tp_members, members},
	{0, NULL},
};

static PyType_Slot held_slots[] = {
	{Py_tp_dealloc, (void *)held_dealloc},
	{0, NULL},
};

static PyType_Spec flags_spec = {
	.name = "weft._core.flags",
	.basicsize = sizeof(flags),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = flags_slots,
};

static PyType_Spec held_spec = {
	.name = "weft._core.held",
	.basicsize = sizeof(held),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = held_slots,
};

int weft_init_flags(PyObject *module)
{
	flags_type = (PyTypeObject *)PyType_FromSpec(&flags_spec);
	held_type = flags_type ? (PyTypeObject *)PyType_FromSpec(&held_spec) : NULL;
	return held_type ? PyModule_AddObjectRef(module, "flags", (PyObject *)flags_type) : -1;
}
