//go:build extension

// The types of the objects that Python calls (function.c): how they are shown, bound, pickled, collected, and what a ufunc has of
// NumPy's.
#include "shim.h"
#include "function.h"
#include <stddef.h>
#include <structmember.h>

PyTypeObject *weft_function_type, *weft_ufunc_type, *weft_binding_type, *weft_builtin_type;
static PyObject *method;             // types.MethodType

// The vectorcall protocol has been the same since Python 3.8; the limited API has names for it from 3.12 on.
#define VECTORCALL (1UL << 11)         // of a type's flags
#define METHOD_DESCRIPTOR (1UL << 17)  // of a type whose objects are called with the instance in front, without a bound method

// traverse is for the collector: np.frompyfunc(self.method, 1, 1), kept in self, is a cycle. It is broken where a dict or a cell is part of it.
static int traverse(PyObject *self, visitproc visit, void *arg)
{
	weft_function_object *f = (weft_function_object *)self;
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(f->python);
	Py_VISIT(f->dict);
	Py_VISIT(f->about);
	Py_VISIT(f->numpys.function);
	Py_VISIT(f->numpys.method);
	for (int i = 0; i < WEFT_PARAMETERS; i++)
		Py_VISIT(f->usual[i]);
	return 0;
}

static void dealloc(PyObject *self)
{
	weft_function_object *f = (weft_function_object *)self;
	PyObject_GC_UnTrack(self);
	if (f->weakrefs)
		PyObject_ClearWeakRefs(self);
	for (int i = 0; i < WEFT_PARAMETERS; i++) {
		Py_XDECREF(f->name[i]);
		Py_XDECREF(f->usual[i]);
	}
	Py_XDECREF(f->python);
	Py_XDECREF(f->index);
	Py_XDECREF(f->about);
	Py_XDECREF(f->numpys.function);
	Py_XDECREF(f->numpys.method);
	Py_XDECREF(f->dict);
	weft_release(self);
}

static PyObject *repr(PyObject *self)
{
	weft_function_object *f = (weft_function_object *)self;
	PyObject *name = PyDict_GetItemString(f->dict, "__name__"), *original = PyDict_GetItemString(f->dict, "_numpy");
	if (!name) // of what the collector has taken apart
		return PyUnicode_FromString("<function>");
	if (Py_TYPE(self) == weft_binding_type)
		return PyUnicode_FromFormat("<function %U at %p>", name, self);
	if (Py_TYPE(self) == weft_ufunc_type || (original && PyObject_HasAttrString(original, "nin")))
		return PyUnicode_FromFormat("<ufunc '%U'>", name);
	return PyUnicode_FromFormat("<built-in function %U>", name);
}

static PyObject *bind(PyObject *self, PyObject *instance, PyObject *of)
{
	(void)of;
	if (!instance || instance == Py_None)
		return Py_NewRef(self);
	return PyObject_CallFunctionObjArgs(method, self, instance, NULL);
}

// itself is what a built-in function is in a class. That there is a __get__ tells inspect that it is a routine, as NumPy's are.
static PyObject *itself(PyObject *self, PyObject *instance, PyObject *of)
{
	(void)instance, (void)of;
	return Py_NewRef(self);
}

// Functions are pickled by name, as Python's are: by the one that they are told to have in a module of weft's (_mirror.py), or by their own.
static PyObject *reduce(PyObject *self, PyObject *unused)
{
	(void)unused;
	PyObject *dict = ((weft_function_object *)self)->dict, *told = PyDict_GetItemString(dict, "_pickled");
	return Py_XNewRef(told ? told : PyDict_GetItemString(dict, "__qualname__"));
}

static PyObject *get_python(PyObject *self, void *unused)
{
	(void)unused;
	while (PyType_IsSubtype(Py_TYPE(self), weft_function_type)) // a shortcut may be of another one
		self = ((weft_function_object *)self)->python;
	return Py_NewRef(self);
}

static PyObject *generic_call(PyObject *self, PyObject *args, PyObject *keywords)
{
	return PyObject_Call(((weft_function_object *)self)->python, args, keywords);
}

static PyMethodDef methods[] = {
	{"__reduce__", reduce, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

// of_numpys is an attribute that NumPy's ufunc has; it cannot be set.
static PyObject *of_numpys(PyObject *self, void *name)
{
	PyObject *original = PyDict_GetItemString(((weft_function_object *)self)->dict, "_numpy");
	return original ? PyObject_GetAttrString(original, name) : PyErr_Format(PyExc_AttributeError, "%R has no %s", self, name);
}

static PyObject *get_doc(PyObject *self, void *unused)
{
	(void)unused;
	PyObject *own = PyDict_GetItemString(((weft_function_object *)self)->dict, "__doc__");
	return own ? Py_NewRef(own) : of_numpys(self, "__doc__");
}

static int set_doc(PyObject *self, PyObject *text, void *unused)
{
	(void)unused;
	PyObject *dict = ((weft_function_object *)self)->dict;
	return text ? PyDict_SetItemString(dict, "__doc__", text) : PyDict_DelItemString(dict, "__doc__");
}

static PyGetSetDef weft_ufunc_type_getset[] = {
	{"nin", of_numpys, NULL, NULL, "nin"}, {"nout", of_numpys, NULL, NULL, "nout"}, {"nargs", of_numpys, NULL, NULL, "nargs"}, {"ntypes", of_numpys, NULL, NULL, "ntypes"},
	{"types", of_numpys, NULL, NULL, "types"}, {"identity", of_numpys, NULL, NULL, "identity"}, {"signature", of_numpys, NULL, NULL, "signature"},
	{"__doc__", get_doc, set_doc, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef getset[] = {
	{"_python", get_python, NULL, "The Python function with the same parameters.", NULL},
	{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef members[] = {
	{"__vectorcalloffset__", T_PYSSIZET, offsetof(weft_function_object, call), READONLY, NULL},
	{"__dictoffset__", T_PYSSIZET, offsetof(weft_function_object, dict), READONLY, NULL},
	{"__weaklistoffset__", T_PYSSIZET, offsetof(weft_function_object, weakrefs), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_dealloc, (void *)dealloc},
	{Py_tp_traverse, (void *)traverse},
	{Py_tp_repr, (void *)repr},
	{Py_tp_call, (void *)generic_call},
	{Py_tp_methods, methods},
	{Py_tp_getset, getset},
	{Py_tp_members, members},
	{0, NULL},
};

static PyType_Slot weft_ufunc_type_slots[] = {
	{Py_tp_getset, weft_ufunc_type_getset},
	{0, NULL},
};

static PyType_Slot binding_slots[] = {
	{Py_tp_descr_get, (void *)bind},
	{0, NULL},
};

static PyType_Slot builtin_slots[] = {
	{Py_tp_descr_get, (void *)itself},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "weft._core.function_type",
	.basicsize = sizeof(weft_function_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION | VECTORCALL,
	.slots = slots,
};

static PyType_Spec weft_ufunc_type_spec = {
	.name = "numpy.ufunc",
	.basicsize = sizeof(weft_function_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | VECTORCALL,
	.slots = weft_ufunc_type_slots,
};

static PyType_Spec binding_spec = {
	.name = "weft._core.method_function_type",
	.basicsize = sizeof(weft_function_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | VECTORCALL | METHOD_DESCRIPTOR,
	.slots = binding_slots,
};

static PyType_Spec builtin_spec = {
	.name = "weft._core.builtin_function_type",
	.basicsize = sizeof(weft_function_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | VECTORCALL,
	.slots = builtin_slots,
};

// set_ufuncs_class(metaclass): of the type of ufuncs, for which the limited API has no function before Python 3.12.
PyObject *weft_set_ufuncs_class(PyObject *self, PyObject *metaclass)
{
	(void)self;
	if (!PyType_Check(metaclass) || !PyType_IsSubtype((PyTypeObject *)metaclass, &PyType_Type))
		return PyErr_Format(PyExc_TypeError, "weft._core.set_ufuncs_class: %R is no metaclass", metaclass);
	((PyObject *)weft_ufunc_type)->ob_type = (PyTypeObject *)Py_NewRef(metaclass);
	Py_RETURN_NONE;
}

int weft_init_function_types(PyObject *module)
{
	PyObject *weft_function_types = PyImport_ImportModule("types");
	method = weft_function_types ? PyObject_GetAttrString(weft_function_types, "MethodType") : NULL;
	Py_XDECREF(weft_function_types);
	PyObject *bases = method && weft_make_type(&spec, &weft_function_type) == 0 ? PyTuple_Pack(1, weft_function_type) : NULL;
	weft_ufunc_type = bases ? (PyTypeObject *)PyType_FromSpecWithBases(&weft_ufunc_type_spec, bases) : NULL;
	weft_binding_type = weft_ufunc_type ? (PyTypeObject *)PyType_FromSpecWithBases(&binding_spec, bases) : NULL;
	weft_builtin_type = weft_binding_type ? (PyTypeObject *)PyType_FromSpecWithBases(&builtin_spec, bases) : NULL;
	Py_XDECREF(bases);
	return weft_builtin_type && PyModule_AddObjectRef(module, "ufunc", (PyObject *)weft_ufunc_type) == 0 && PyModule_AddObjectRef(module, "builtin_function_type", (PyObject *)weft_builtin_type) == 0 && PyModule_AddObjectRef(module, "function_type", (PyObject *)weft_function_type) == 0 ?
		PyModule_AddObjectRef(module, "method_function_type", (PyObject *)weft_binding_type) : -1;
}
