//go:build extension

// NumPy's scalars. What NumPy returns as a scalar is a real one here too: weft_result (wait.c) waits for the value and
// makes it, unless the flag --defer-scalars asks for arrays of no dimensions that need no wait.
// As an operand, a scalar is a number with a dtype, so that no array is made of it.
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>
#include <string.h>

#define DTYPES 15 // tile.DType from 1 on
enum { INT64 = 5, UINT64 = 9, FLOAT64 = 12 };

static PyObject *types[DTYPES]; // NumPy's scalar types by tile.DType
static allocfunc allocs[DTYPES]; // what makes their objects
static size_t plain; // bytes of a float64 object, where there is nothing but the number behind its head

// NumPy's C functions stand at fixed places of a table, which are part of its stable ABI (numpy/__multiarray_api.h).
enum { API_SCALAR = 60 };
static PyObject *(*make_scalar)(void *data, PyObject *descr, PyObject *base); // PyArray_Scalar

// weft_init_scalars takes the dtype objects by tile.DType, and NumPy's table of functions.
int weft_init_scalars(PyObject *api, PyObject *dtypes)
{
	void **table = PyCapsule_GetPointer(api, NULL);
	if (!table)
		return -1;
	make_scalar = (PyObject * (*)(void *, PyObject *, PyObject *)) table[API_SCALAR];
	if (PyList_Size(dtypes) != DTYPES) {
		PyErr_Format(PyExc_SystemError, "weft._core.setup: %zd dtypes, want %d", PyList_Size(dtypes), DTYPES);
		return -1;
	}
	for (int i = 1; i < DTYPES; i++) {
		PyObject *type = PyObject_GetAttrString(PyList_GetItem(dtypes, i), "type");
		if (!type)
			return -1;
		weft_set(&types[i], type);
		allocs[i] = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
	}
	PyObject *bytes = PyObject_GetAttrString(types[FLOAT64], "__basicsize__");
	plain = bytes ? PyLong_AsSize_t(bytes) : 0;
	Py_XDECREF(bytes);
	if (PyErr_Occurred())
		return -1;
	if (plain != sizeof(PyObject) + sizeof(double))
		plain = 0;
	return 0;
}

PyObject *weft_scalar_type(int dtype) { return types[dtype]; }

int weft_scalar_code(PyObject *o)
{
	PyObject *type = (PyObject *)Py_TYPE(o);
	if (type == types[FLOAT64]) // the most frequent ones first
		return FLOAT64;
	if (type == types[INT64])
		return INT64;
	if (type == (PyObject *)&PyFloat_Type || type == (PyObject *)&PyLong_Type || type == (PyObject *)weft_array_type)
		return 0;
	for (int i = 1; i < DTYPES; i++)
		if (types[i] == type)
			return i;
	return 0;
}

int weft_read_scalar(PyObject *o, weft_value *v)
{
	int code = weft_scalar_code(o);
	if (!code)
		return 0;
	union {
		uint8_t b;
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		float f[2];
		double d[2];
	} c;
	v->dtype = (uint8_t)code;
	v->kind = WEFT_INT;
	weft_copy_element(&c, o + 1, weft_sizes[code]); // see weft_scalar_at
	switch (code) {
	case 1:
		v->kind = WEFT_BOOL;
		v->i = c.b != 0;
		break;
	case 2: v->i = c.i8; break;
	case 3: v->i = c.i16; break;
	case 4: v->i = c.i32; break;
	case 5: v->i = c.i64; break;
	case 6: v->i = c.b; break;
	case 7: v->i = c.u16; break;
	case 8: v->i = c.u32; break;
	case 9:
		v->i = c.i64;
		if (c.u64 > INT64_MAX)
			v->kind = WEFT_UINT;
		break;
	case 10: { // a half: by way of Python's float
		PyObject *wide = PyNumber_Float(o);
		if (!wide) {
			PyErr_Clear();
			return 0;
		}
		v->kind = WEFT_FLOAT;
		v->re = PyFloat_AsDouble(wide);
		Py_DECREF(wide);
		break;
	}
	case 11:
		v->kind = WEFT_FLOAT;
		v->re = c.f[0];
		break;
	case 12:
		v->kind = WEFT_FLOAT;
		v->re = c.d[0];
		break;
	case 13:
		v->kind = WEFT_COMPLEX;
		v->re = c.f[0];
		v->im = c.f[1];
		break;
	case 14:
		v->kind = WEFT_COMPLEX;
		v->re = c.d[0];
		v->im = c.d[1];
		break;
	}
	return 1;
}

// A scalar's number stands behind the head of its object (numpy/arrayscalars.h), so that it is made here in half of the time that
// NumPy's function takes, which looks at all there is in a dtype. The two bools are objects that NumPy has.
PyObject *weft_scalar_at(const void *data, int dtype)
{
	static PyObject *truths[2];
	if (dtype == WEFT_BOOL_DTYPE) {
		PyObject **truth = &truths[*(const char *)data != 0];
		return Py_XNewRef(*truth ? *truth : (*truth = make_scalar((void *)data, weft_dtype_object(dtype), NULL)));
	}
	if (dtype == FLOAT64 && plain) { // the most frequent one, which is not cleared first
		PyObject *number = PyObject_Malloc(plain);
		if (!number)
			return PyErr_NoMemory();
		memcpy(number + 1, data, sizeof(double));
		return PyObject_Init(number, (PyTypeObject *)types[dtype]);
	}
	PyObject *made = allocs[dtype]((PyTypeObject *)types[dtype], 0);
	if (made)
		weft_copy_element(made + 1, data, weft_sizes[dtype]);
	return made;
}

int weft_number(PyObject *o, weft_value *v)
{
	v->dtype = 0;
	if (PyFloat_CheckExact(o)) {
		v->kind = WEFT_FLOAT;
		v->re = PyFloat_AsDouble(o);
		return 1;
	}
	if (PyLong_CheckExact(o)) {
		int overflow;
		v->kind = WEFT_INT;
		v->i = PyLong_AsLongLongAndOverflow(o, &overflow);
		return overflow == 0;
	}
	if (o == Py_True || o == Py_False) {
		v->kind = WEFT_BOOL;
		v->i = o == Py_True;
		return 1;
	}
	return weft_read_scalar(o, v) && v->kind != WEFT_UINT && v->kind != WEFT_COMPLEX;
}
