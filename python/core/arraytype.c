//go:build extension

// The metaclass of ndarray.
//
// What weft has no dtype for is an array of NumPy's, as are masked arrays and matrices, and a program asks
// isinstance(x, np.ndarray) of all of them. A class that derives from ndarray derives from NumPy's: weft's
// arrays have no room for what a subclass adds.

#include "shim.h"

static int is_array_type(PyTypeObject *type)
{
	return PyType_IsSubtype(type, weft_array_type) || (weft_np_ndarray && PyType_IsSubtype(type, (PyTypeObject *)weft_np_ndarray));
}

// weft_new_of is ndarray.__new__(class, ...), which the __new__ of a derived class calls by this name.
PyObject *weft_new_of(PyObject *unused, PyObject *args, PyObject *keywords)
{
	(void)unused;
	PyObject *class = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : NULL;
	if (!class || !PyType_Check(class) || !is_array_type((PyTypeObject *)class)) {
		PyErr_SetString(PyExc_TypeError, "ndarray.__new__(X): X is not a subtype of ndarray");
		return NULL;
	}
	PyTypeObject *own = class == (PyObject *)weft_array_type ? weft_array_type : (PyTypeObject *)weft_np_ndarray;
	newfunc make = (newfunc)PyType_GetSlot(own, Py_tp_new);
	PyObject *rest = PyTuple_GetSlice(args, 1, PyTuple_Size(args));
	PyObject *made = rest ? make((PyTypeObject *)class, rest, keywords) : NULL;
	Py_XDECREF(rest);
	return made;
}

static PyObject *instancecheck(PyObject *self, PyObject *o)
{
	(void)self;
	if (is_array_type(Py_TYPE(o)))
		Py_RETURN_TRUE;
	static PyObject *name;
	if (!name && !(name = PyUnicode_InternFromString("__class__")))
		return NULL;
	PyObject *class = PyObject_GetAttr(o, name); // a proxy says what it stands for
	if (!class) {
		if (!PyErr_ExceptionMatches(PyExc_AttributeError))
			return NULL;
		PyErr_Clear();
		Py_RETURN_FALSE;
	}
	int is = PyType_Check(class) && is_array_type((PyTypeObject *)class);
	Py_DECREF(class);
	return PyBool_FromLong(is);
}

static PyObject *subclasscheck(PyObject *self, PyObject *o)
{
	(void)self;
	if (!PyType_Check(o)) {
		PyErr_SetString(PyExc_TypeError, "issubclass() arg 1 must be a class");
		return NULL;
	}
	return PyBool_FromLong(is_array_type((PyTypeObject *)o));
}

// of_numpys is a class statement's tuple of bases, with NumPy's ndarray in place of weft's: the class derived from it whose
// view(np.ndarray) gives weft's arrays.
static PyObject *of_numpys(PyObject *bases)
{
	Py_ssize_t n = PyTuple_Size(bases);
	PyObject *derived = weft_hook("derived"), *made = derived ? PyTuple_New(n) : NULL;
	for (Py_ssize_t i = 0; made && i < n; i++) {
		PyObject *base = PyTuple_GetItem(bases, i);
		if (base == (PyObject *)weft_array_type)
			base = derived;
		PyTuple_SetItem(made, i, Py_NewRef(base));
	}
	return made;
}

static PyObject *new_class(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	(void)type;
	PyObject *name, *bases, *space;
	if (!PyArg_ParseTuple(args, "UO!O!", &name, &PyTuple_Type, &bases, &PyDict_Type, &space))
		return NULL;
	bases = of_numpys(bases);
	if (!bases)
		return NULL;
	PyObject *given = PyTuple_Pack(3, name, bases, space);
	Py_DECREF(bases);
	if (!given)
		return NULL;
	PyObject *made = PyObject_Call((PyObject *)&PyType_Type, given, keywords);
	Py_DECREF(given);
	return made;
}

// The methods that a program gets of the class: those of objects, weft's and NumPy's. An array's own do not come here.
static PyObject *of_class;
static getattrofunc type_attribute;

static PyObject *attribute(PyObject *self, PyObject *name)
{
	PyObject *found = self == (PyObject *)weft_array_type && of_class ? PyDict_GetItemWithError(of_class, name) : NULL;
	return found ? Py_NewRef(found) : PyErr_Occurred() ? NULL : type_attribute(self, name);
}

// of_class(methods): a dict of them.
PyObject *weft_of_class(PyObject *self, PyObject *methods)
{
	(void)self;
	weft_set(&of_class, Py_NewRef(methods));
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"__instancecheck__", instancecheck, METH_O, NULL},
	{"__subclasscheck__", subclasscheck, METH_O, NULL},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_base, NULL}, // type, which is no constant where a library loads it
	{Py_tp_new, (void *)new_class},
	{Py_tp_getattro, (void *)attribute},
	{Py_tp_methods, methods},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "weft.ArrayType",
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

// weft_init_array_type gives ndarray its metaclass, instead of type, whose objects are as large.
int weft_init_array_type(void)
{
	slots[0].pfunc = &PyType_Type;
	type_attribute = (getattrofunc)PyType_GetSlot(&PyType_Type, Py_tp_getattro);
	PyTypeObject *meta;
	if (weft_make_type(&spec, &meta) < 0)
		return -1;
	Py_SET_TYPE((PyObject *)weft_array_type, meta);
	return 0;
}
