//go:build extension

// Operators whose left operand is a scalar of NumPy's: dt * v, s - x, a[i, k] * a[k]. Python asks the left operand's type first, and NumPy finds out by way of its ufunc and
// __array_ufunc__ that the array has to answer, which takes it 500 ns: four times as long as the operation on few elements. So the slots of those types have functions of this
// file, which look at the right operand, and ask an array of weft's at once. Whatever else it is, and what the array does not take, goes to the function that NumPy had there.
//
//	Python -> numpy.float64's nb_multiply = left_12_2 -> right operand is a weft array? -> weft_nb_multiply
//	                                                  -> otherwise                      -> NumPy's double_multiply
//
// Each type has functions of its own, because Python asks the right operand's type only where its function is another one.
//
// The limited API reads slots and cannot set them. Where they lie in a type is known from Python's headers, and is compared with what it reads: a Python whose types are laid out otherwise keeps NumPy's functions.
//
// Numbers of float64 are computed here, too, where the result is of the usual size: NumPy looks at the processor's flags before and after each operation, which takes longer than all else. A result that is
// no finite normal number is NumPy's, with its warnings.
#include "shim.h"
#include "_cgo_export.h"
#include <float.h>
#include <math.h>

enum { KINDS = 14, SLOTS = 11 }; // scalar types, which are tile.DTypes from 1 on; binary operators

// Of PyTypeObject and PyNumberMethods, in words.
enum { REPR = 11, NUMBER = 12, HASH = 15, COMPARE = 25, POWER = 5 };

static const struct {
	int at, id; // in PyNumberMethods; for PyType_GetSlot
	binaryfunc asks;
} slots[SLOTS] = {
	{0, Py_nb_add, weft_nb_add},
	{1, Py_nb_subtract, weft_nb_subtract},
	{2, Py_nb_multiply, weft_nb_multiply},
	{3, Py_nb_remainder, weft_nb_remainder},
	{11, Py_nb_lshift, weft_nb_lshift},
	{12, Py_nb_rshift, weft_nb_rshift},
	{13, Py_nb_and, weft_nb_and},
	{14, Py_nb_xor, weft_nb_xor},
	{15, Py_nb_or, weft_nb_or},
	{29, Py_nb_floor_divide, weft_nb_floor_divide},
	{30, Py_nb_true_divide, weft_nb_true_divide},
};

// What NumPy has.
static struct {
	PyObject *type;
	binaryfunc binary[SLOTS];
	ternaryfunc power;
	richcmpfunc compare;
} numpys[KINDS];

static int asks(int kind, PyObject *x, PyObject *y) { return Py_TYPE(y) == weft_array_type && (PyObject *)Py_TYPE(x) == numpys[kind].type; }

enum { FLOAT64 = 12, ADD = 0, SUBTRACT = 1, MULTIPLY = 2, DIVIDE = 10, EXACT = 53 }; // tile.DType; slots; bits of whole numbers that are floats

// read_number is the value of a float64, a float of Python's or a small int; 0 of others. What is behind the head of the first two is the number.
static inline int read_number(PyObject *o, double *to)
{
	if ((PyObject *)Py_TYPE(o) == numpys[FLOAT64 - 1].type || PyFloat_CheckExact(o)) {
		*to = *(const double *)(o + 1);
		return 1;
	}
	if (!PyLong_CheckExact(o))
		return 0;
	int overflow;
	long long whole = PyLong_AsLongLongAndOverflow(o, &overflow);
	*to = (double)whole;
	return !overflow && whole < 1ll << EXACT && whole > -(1ll << EXACT);
}

// of_numbers computes an operation of two numbers; NULL without exception: NumPy has to.
static PyObject *of_numbers(int slot, PyObject *x, PyObject *y)
{
	double a, b, made;
	if (!read_number(y, &b) || !read_number(x, &a))
		return NULL;
	int zero = 0; // whether a result of zero is exact
	switch (slot) {
	case ADD: made = a + b; zero = 1; break;
	case SUBTRACT: made = a - b; zero = 1; break;
	case MULTIPLY: made = a * b; zero = a == 0 || b == 0; break;
	case DIVIDE: made = a / b; zero = a == 0; break;
	default: return NULL;
	}
	double size = fabs(made);
	return size <= DBL_MAX && (size >= DBL_MIN || (size == 0 && zero)) ? weft_scalar_at(&made, FLOAT64) : NULL;
}

static PyObject *operate(int kind, int slot, PyObject *x, PyObject *y)
{
	PyObject *made = kind == FLOAT64 - 1 ? of_numbers(slot, x, y) : NULL;
	if (made)
		return made;
	made = asks(kind, x, y) ? slots[slot].asks(x, y) : NULL;
	if (made != Py_NotImplemented && (made || PyErr_Occurred()))
		return made;
	Py_XDECREF(made);
	return numpys[kind].binary[slot](x, y);
}

static PyObject *power(int kind, PyObject *x, PyObject *y, PyObject *modulus)
{
	PyObject *made = asks(kind, x, y) ? weft_nb_power(x, y, modulus) : NULL;
	if (made != Py_NotImplemented && (made || PyErr_Occurred()))
		return made;
	Py_XDECREF(made);
	return numpys[kind].power(x, y, modulus);
}

static PyObject *compare(int kind, PyObject *x, PyObject *y, int op)
{
	PyObject *made = asks(kind, x, y) ? weft_richcompare(x, y, op) : NULL;
	if (made != Py_NotImplemented && (made || PyErr_Occurred()))
		return made;
	Py_XDECREF(made);
	return numpys[kind].compare(x, y, op);
}

#define BINARY(kind, slot) \
	static PyObject *left_##kind##_##slot(PyObject *x, PyObject *y) { return operate(kind, slot, x, y); }
#define KIND(k) \
	BINARY(k, 0) BINARY(k, 1) BINARY(k, 2) BINARY(k, 3) BINARY(k, 4) BINARY(k, 5) BINARY(k, 6) BINARY(k, 7) BINARY(k, 8) BINARY(k, 9) BINARY(k, 10) \
	static PyObject *left_##k##_power(PyObject *x, PyObject *y, PyObject *modulus) { return power(k, x, y, modulus); } \
	static PyObject *left_##k##_compare(PyObject *x, PyObject *y, int op) { return compare(k, x, y, op); }
KIND(0) KIND(1) KIND(2) KIND(3) KIND(4) KIND(5) KIND(6) KIND(7) KIND(8) KIND(9) KIND(10) KIND(11) KIND(12) KIND(13)

#define OURS(k) \
	{{left_##k##_0, left_##k##_1, left_##k##_2, left_##k##_3, left_##k##_4, left_##k##_5, left_##k##_6, left_##k##_7, left_##k##_8, left_##k##_9, left_##k##_10}, \
		left_##k##_power, left_##k##_compare}
static const struct {
	binaryfunc binary[SLOTS];
	ternaryfunc power;
	richcmpfunc compare;
} ours[KINDS] = {OURS(0), OURS(1), OURS(2), OURS(3), OURS(4), OURS(5), OURS(6), OURS(7), OURS(8), OURS(9), OURS(10), OURS(11), OURS(12), OURS(13)};

// is_known says whether a type's slots lie where this file has them.
static int is_known(PyTypeObject *type)
{
	void **words = (void **)type;
	if (words[REPR] != PyType_GetSlot(type, Py_tp_repr) || words[HASH] != PyType_GetSlot(type, Py_tp_hash) || words[COMPARE] != PyType_GetSlot(type, Py_tp_richcompare))
		return 0;
	void **number = words[NUMBER];
	if (!number || !words[COMPARE] || number[POWER] != PyType_GetSlot(type, Py_nb_power) || !number[POWER])
		return 0;
	for (int s = 0; s < SLOTS; s++)
		if (number[slots[s].at] != PyType_GetSlot(type, slots[s].id))
			return 0;
	return 1;
}

// put gives a scalar type its functions, or NumPy's back.
static void put(int kind, int own)
{
	void **words = (void **)numpys[kind].type, **number = words[NUMBER];
	number[POWER] = own ? (void *)ours[kind].power : (void *)numpys[kind].power;
	words[COMPARE] = own ? (void *)ours[kind].compare : (void *)numpys[kind].compare;
	for (int s = 0; s < SLOTS; s++)
		if (numpys[kind].binary[s])
			number[slots[s].at] = own ? (void *)ours[kind].binary[s] : (void *)numpys[kind].binary[s];
}

// watch gives a scalar type its functions.
static void watch(int kind, PyObject *object)
{
	PyTypeObject *type = (PyTypeObject *)object;
	if (numpys[kind].type || !is_known(type))
		return;
	void **words = (void **)type, **number = words[NUMBER];
	numpys[kind].type = object; // which the module keeps
	numpys[kind].power = (ternaryfunc)number[POWER];
	numpys[kind].compare = (richcmpfunc)words[COMPARE];
	for (int s = 0; s < SLOTS; s++)
		numpys[kind].binary[s] = (binaryfunc)number[slots[s].at];
	put(kind, 1);
}

void weft_watch_left(void)
{
	for (int kind = 0; kind < KINDS; kind++)
		watch(kind, weft_scalar_type(kind + 1));
}

// weft_set_left is the module's function left(on): off, NumPy's scalars and arrays are as NumPy has them, to compare with and to time.
PyObject *weft_set_left(PyObject *module, PyObject *on)
{
	(void)module;
	int own = PyObject_IsTrue(on);
	if (own < 0)
		return NULL;
	for (int kind = 0; kind < KINDS; kind++)
		if (numpys[kind].type)
			put(kind, own);
	weft_set_left_index(own);
	Py_RETURN_NONE;
}
