//go:build extension

// The operators. Each is one call into Go; operands that are neither arrays nor plain
// numbers go to Python functions (_hooks.py), which know NumPy's manners.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

static const char *const operators[OP_COUNT] = {
	"add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power",
	"left_shift", "right_shift", "bitwise_and", "bitwise_or", "bitwise_xor", "matmul",
	"less", "less_equal", "equal", "not_equal", "greater", "greater_equal",
	"negative", "positive", "absolute", "invert",
};

// said is what Python says of an operation that weft leaves to it: an error begins at the program's line, as that of an operator does, or in what else of the program's it happened.
static PyObject *said(PyObject *result)
{
	PyObject *type, *value, *trace;
	if (result)
		return result;
	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	PyObject *hook = trace ? weft_hook("outside") : NULL, *left = hook ? PyObject_CallFunctionObjArgs(hook, trace, NULL) : NULL;
	int rc = trace && !left ? -1 : left ? PyException_SetTraceback(value, left) : 0;
	if (rc < 0) { // interrupted, may be
		Py_XDECREF(type);
		Py_XDECREF(value);
		Py_XDECREF(left);
		Py_XDECREF(trace);
		return NULL;
	}
	if (left)
		weft_set(&trace, left == Py_None ? NULL : Py_NewRef(left));
	Py_XDECREF(left);
	PyErr_Restore(type, value, trace);
	return NULL;
}

// ask_python has Python's function of a name do the operator. asked is Py_True where np.errstate is why, or NULL.
static PyObject *ask_python(const char *hook_name, int op, PyObject *x, PyObject *y, PyObject *asked)
{
	PyObject *hook = weft_hook(hook_name);
	PyObject *name = hook ? PyUnicode_FromString(operators[op]) : NULL;
	if (!name)
		return NULL;
	PyObject *result = PyObject_CallFunctionObjArgs(hook, name, x, y, asked, NULL);
	Py_DECREF(name);
	return said(result);
}

static PyObject *slow(const char *hook_name, int op, PyObject *x, PyObject *y) { return ask_python(hook_name, op, x, y, NULL); }

static PyObject *finish(int rc, uint64_t handle, weft_error *e, int op, PyObject *x, PyObject *y)
{
	if (rc == WEFT_OK)
		return weft_result(handle);
	if (rc == WEFT_ERROR)
		return weft_raise(e);
	free(e->type);
	free(e->text);
	return y ? slow("binary", op, x, y) : slow("unary", op, x, Py_None);
}

// operated is an operator of arrays, numbers and what others own.
static PyObject *operated(int op, PyObject *x, PyObject *y)
{
	weft_value vx, vy;
	PyObject *tx, *ty = NULL, *result = weft_of_unknown(op, operators[op], x, y);
	if (result || PyErr_Occurred())
		return result;
	int way = weft_asks() ? weft_floating_way(operators[op], (PyObject *[]){x, y}, 2) : WEFT_AS_USUAL;
	if (way < 0 || way == WEFT_BY_NUMPY)
		return way < 0 ? NULL : ask_python("binary", op, x, y, Py_True);
	int rc = weft_operand(x, &vx, &tx);
	if (rc > 0)
		rc = weft_operand(y, &vy, &ty);
	if (rc > 0) {
		uint64_t out = 0, where = weft_where();
		const uint32_t call = way == WEFT_WAITED_FOR ? weft_floating_begin() : 0;
		uint8_t wanted = weft_floating_minded(call);
		weft_count(WEFT_OPERATIONS, where);
		weft_error e = {NULL, NULL};
		do {
			WEFT_MEET
			weft_floating_tells_of(wanted, call);
			rc = goBinary(op, &vx, &vy, where, &out, &e);
			WEFT_MET
		} while (rc == WEFT_INTERRUPTED && PyErr_CheckSignals() == 0 && weft_read_again(&vx, 1) && weft_read_again(&vy, 1));
		if (rc != WEFT_INTERRUPTED)
			result = finish(rc, out, &e, op, x, y);
		if (rc == WEFT_ERROR && (weft_says_numpy(x, y) || weft_says_numpy(y, x)))
			result = slow("binary", op, x, y);
		result = said(weft_floating_end(call, result, result));
	} else if (rc == 0) {
		result = slow("binary", op, x, y);
	}
	Py_XDECREF(tx);
	Py_XDECREF(ty);
	return result;
}

// of_others is what stands for an operand that is none of weft's: a copy of an array of NumPy's with few elements, or the array that NumPy makes of a list or tuple of numbers.
// It is NULL of all else, or with an exception.
static inline PyObject *of_others(PyObject *o)
{
	PyTypeObject *type = Py_TYPE(o);
	if (__builtin_expect((PyObject *)type == weft_np_ndarray, 0))
		return weft_operand_of_host(o);
	if (__builtin_expect(type != &PyList_Type && type != &PyTuple_Type, 1))
		return NULL;
	PyObject *made = weft_of_numbers(o);
	if (made == Py_None)
		Py_CLEAR(made);
	return made;
}

// operate is the same, without a word on what went wrong.
static PyObject *operate(int op, PyObject *x, PyObject *y)
{
	ENTER(NULL)
	if (weft_vanishes(x) || weft_vanishes(y))
		return slow("binary", op, x, y);
	if (__builtin_expect((PyObject *)Py_TYPE(x) == weft_np_ndarray || (PyObject *)Py_TYPE(y) == weft_np_ndarray, 0) && (weft_is_unknown(x) || weft_is_unknown(y))) {
		PyObject *others = weft_of_unknown(op, operators[op], x, y);
		if (others || PyErr_Occurred())
			return others;
	}
	PyObject *few_x = of_others(x), *few_y = of_others(y);
	PyObject *result = PyErr_Occurred() ? NULL : weft_operate(op, few_x ? few_x : x, few_y ? few_y : y);
	if (!result && !PyErr_Occurred()) // NumPy's arrays may come back as themselves, lists do not
		result = operated(op, few_x && (PyObject *)Py_TYPE(x) != weft_np_ndarray ? few_x : x, few_y && (PyObject *)Py_TYPE(y) != weft_np_ndarray ? few_y : y);
	Py_XDECREF(few_x);
	Py_XDECREF(few_y);
	return result;
}

static PyObject *binary(int op, PyObject *x, PyObject *y) { return weft_told(operate(op, x, y)); }

static PyObject *in_place(int op, PyObject *x, PyObject *y)
{
	ENTER(NULL)
	if (Py_TYPE(x) != weft_array_type)
		Py_RETURN_NOTIMPLEMENTED;
	if (weft_vanishes(x))
		return slow("in_place", op, x, y);
	PyObject *few = of_others(y);
	if (PyErr_Occurred())
		return NULL;
	int done = weft_operate_in_place(op, x, few ? few : y);
	Py_XDECREF(few);
	if (done)
		return done > 0 ? weft_told(Py_NewRef(x)) : NULL;
	int way = weft_asks() ? weft_floating_way(operators[op], (PyObject *[]){x, y, x}, 3) : WEFT_AS_USUAL;
	if (way < 0 || way == WEFT_BY_NUMPY)
		return way < 0 ? NULL : ask_python("in_place", op, x, y, Py_True);
	weft_value vy;
	PyObject *ty, *result = NULL;
	int rc = weft_operand(y, &vy, &ty);
	if (rc > 0) {
		uint64_t where = weft_where();
		const uint32_t call = way == WEFT_WAITED_FOR ? weft_floating_begin() : 0;
		uint8_t wanted = weft_floating_minded(call);
		weft_count(WEFT_OPERATIONS, where);
		weft_error e = {NULL, NULL};
		do {
			uint64_t handle = weft_handle(x);
			WEFT_MEET
			weft_floating_tells_of(wanted, call);
			rc = goInPlace(op, handle, &vy, where, &e);
			WEFT_MET
		} while (rc == WEFT_INTERRUPTED && PyErr_CheckSignals() == 0 && weft_read_again(&vy, 1));
		if (rc == WEFT_OK) {
			result = Py_NewRef(x);
		} else if (rc == WEFT_FALLBACK) {
			free(e.type);
			free(e.text);
			result = slow("in_place", op, x, y);
		} else if (rc == WEFT_ERROR) {
			weft_raise(&e);
			if (weft_says_numpy(x, y))
				result = slow("in_place", op, x, y);
		}
		result = said(weft_floating_end(call, x, result));
	} else if (rc == 0) {
		result = slow("in_place", op, x, y);
	}
	Py_XDECREF(ty);
	return result;
}

// asked_unary is an operator of one operand that Go is asked for.
static __attribute__((noinline)) PyObject *asked_unary(int op, PyObject *x)
{
	if (PyErr_Occurred())
		return NULL;
	uint64_t out = 0, where = weft_where();
	weft_count(WEFT_OPERATIONS, where);
	uint8_t wanted = weft_floating_wanted();
	weft_error e = {NULL, NULL};
	int rc;
	do {
		uint64_t handle = weft_handle(x);
		WEFT_MEET
		weft_floating_tells(wanted);
		rc = goUnary(op, handle, where, &out, &e);
		WEFT_MET
	} while (rc == WEFT_INTERRUPTED && PyErr_CheckSignals() == 0);
	return rc == WEFT_INTERRUPTED ? NULL : finish(rc, out, &e, op, x, NULL);
}

static PyObject *unary(int op, PyObject *x)
{
	ENTER(NULL)
	if (weft_vanishes(x))
		return slow("unary", op, x, Py_None);
	PyObject *fast = weft_operate(op, x, NULL);
	return fast ? weft_told(fast) : asked_unary(op, x);
}

#define OPERATOR(slot, op) \
	PyObject *weft_nb_##slot(PyObject *x, PyObject *y) { return binary(op, x, y); } \
	PyObject *weft_nb_inplace_##slot(PyObject *x, PyObject *y) { return in_place(op, x, y); }

OPERATOR(add, OP_ADD)
OPERATOR(subtract, OP_SUBTRACT)
OPERATOR(multiply, OP_MULTIPLY)
OPERATOR(true_divide, OP_DIVIDE)
OPERATOR(floor_divide, OP_FLOOR_DIVIDE)
OPERATOR(remainder, OP_REMAINDER)
OPERATOR(lshift, OP_LSHIFT)
OPERATOR(rshift, OP_RSHIFT)
OPERATOR(and, OP_AND)
OPERATOR(or, OP_OR)
OPERATOR(xor, OP_XOR)
OPERATOR(matrix_multiply, OP_MATMUL)

PyObject *weft_nb_power(PyObject *x, PyObject *y, PyObject *modulus)
{
	if (modulus != Py_None)
		Py_RETURN_NOTIMPLEMENTED;
	return binary(OP_POWER, x, y);
}

PyObject *weft_nb_inplace_power(PyObject *x, PyObject *y, PyObject *modulus)
{
	if (modulus != Py_None)
		Py_RETURN_NOTIMPLEMENTED;
	return in_place(OP_POWER, x, y);
}

// both_parts is divmod by the function of that name, by which parts that are computed later, or by NumPy, or refused, are told of.
static PyObject *both_parts(PyObject *x, PyObject *y)
{
	ENTER(NULL)
	PyObject *hook = weft_hook("binary");
	return hook ? weft_told(said(PyObject_CallFunction(hook, "sOO", "divmod", x, y))) : NULL;
}

PyObject *weft_nb_divmod(PyObject *x, PyObject *y)
{
	ENTER(NULL)
	PyObject *few_x = of_others(x), *few_y = PyErr_Occurred() ? NULL : of_others(y);
	PyObject *both = PyErr_Occurred() || weft_vanishes(x) || weft_vanishes(y) ? NULL : weft_few_divmod(0, (PyObject *[]){few_x ? few_x : x, few_y ? few_y : y});
	Py_XDECREF(few_x);
	Py_XDECREF(few_y);
	if (both || PyErr_Occurred())
		return weft_told(both);
	return both_parts(x, y);
}

PyObject *weft_nb_negative(PyObject *x) { return unary(OP_NEGATIVE, x); }
PyObject *weft_nb_positive(PyObject *x) { return unary(OP_POSITIVE, x); }
PyObject *weft_nb_absolute(PyObject *x) { return unary(OP_ABSOLUTE, x); }
PyObject *weft_nb_invert(PyObject *x) { return unary(OP_INVERT, x); }

PyObject *weft_richcompare(PyObject *x, PyObject *y, int op)
{
	static const int ops[] = {OP_LT, OP_LE, OP_EQ, OP_NE, OP_GT, OP_GE}; // Py_LT .. Py_GE
	return binary(ops[op], x, y);
}

// __array_ufunc__(ufunc, method, *inputs, **options): NumPy's ufuncs, called with weft arrays. What NumPy's scalars and
// arrays make of their operators comes here as well; all else goes to Python.
PyObject *weft_array_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	PyObject *ufuncs = weft_hook("operators"); // by operator
	if (!ufuncs)
		return NULL;
	int plain = !names || PyTuple_Size(names) == 0;
	for (int op = 0; plain && n == 4 && op < OP_NEGATIVE; op++) {
		PyObject *x = args[2], *y = args[3];
		if (PyTuple_GetItem(ufuncs, op) != args[0] || PyUnicode_CompareWithASCIIString(args[1], "__call__") != 0)
			continue;
		weft_value v;
		PyObject *other = Py_TYPE(x) == weft_array_type ? y : x;
		if (Py_TYPE(other) == weft_array_type || weft_read_scalar(other, &v))
			return binary(op, x, y);
		PyObject *unknown = weft_of_unknown(op, operators[op], x, y);
		if (unknown || PyErr_Occurred())
			return unknown;
		PyObject *few = weft_operand_of_host(other), *made = few ? weft_operate(op, other == x ? few : x, other == x ? y : few) : NULL;
		Py_XDECREF(few);
		if (made || PyErr_Occurred())
			return weft_told(made);
		break;
	}
	PyObject *method = PyObject_GetAttrString(self, "_array_ufunc"), *result = NULL;
	PyObject *positional = method ? PyTuple_New(n) : NULL, *options = positional ? PyDict_New() : NULL;
	if (!options)
		goto done;
	for (Py_ssize_t i = 0; i < n; i++)
		PyTuple_SetItem(positional, i, Py_NewRef(args[i]));
	for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++)
		if (PyDict_SetItem(options, PyTuple_GetItem(names, i), args[n + i]) < 0)
			goto done;
	result = said(PyObject_Call(method, positional, options));
done:
	Py_XDECREF(method);
	Py_XDECREF(positional);
	Py_XDECREF(options);
	return result;
}

// one_element waits for the value of an array that stands for a number.
static int one_element(PyObject *x, weft_value *v)
{
	ENTER(-1)
	const weft_layout *l;
	char *data = weft_open_now((weft_array *)x, 1) ? weft_data((weft_array *)x) : NULL;
	if (data && (l = weft_layout_of((weft_array *)x)) && l->size == 1 && weft_value_at(data, l->dtype, v)) {
		weft_count_here(WEFT_NUMBERS);
		return weft_floating_late && !weft_forked ? weft_floating_later() : 0;
	}
	return weft_wait_item(weft_handle(x), v);
}

int weft_nb_bool(PyObject *x)
{
	ENTER(-1)
	weft_info info;
	weft_get_info(x, &info);
	if (info.size != 1) {
		PyErr_SetString(PyExc_ValueError, info.size == 0
			? "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
			: "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
		return -1;
	}
	weft_value v;
	if (one_element(x, &v) < 0)
		return -1;
	return v.kind == WEFT_FLOAT || v.kind == WEFT_COMPLEX ? v.re != 0 || v.im != 0 : v.i != 0;
}

// as_number converts by way of the Python number, and leaves arrays with dimensions to
// NumPy, whose opinion of them changes from release to release.
static PyObject *as_number(PyObject *x, PyObject *(*convert)(PyObject *), const char *hook_name)
{
	ENTER(NULL)
	weft_info info;
	weft_get_info(x, &info);
	weft_value v;
	if (info.ndim == 0 && one_element(x, &v) < 0)
		return NULL;
	if (info.ndim > 0 || v.kind == WEFT_COMPLEX) {
		PyObject *hook = weft_hook(hook_name);
		return hook ? PyObject_CallFunctionObjArgs(hook, x, NULL) : NULL;
	}
	PyObject *number = weft_scalar(&v);
	PyObject *result = number ? convert(number) : NULL;
	Py_XDECREF(number);
	return result;
}

PyObject *weft_nb_int(PyObject *x) { return as_number(x, PyNumber_Long, "as_int"); }
PyObject *weft_nb_float(PyObject *x) { return as_number(x, PyNumber_Float, "as_float"); }

PyObject *weft_nb_index(PyObject *x)
{
	ENTER(NULL)
	weft_info info;
	weft_get_info(x, &info);
	weft_value v = {.kind = WEFT_FLOAT};
	// The dtype decides, so that a wrong index is an error without a wait.
	if (info.ndim == 0 && weft_dtype_is_integer(info.dtype) && one_element(x, &v) < 0)
		return NULL;
	if (v.kind != WEFT_INT && v.kind != WEFT_UINT) {
		PyErr_SetString(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
		return NULL;
	}
	return weft_scalar(&v);
}

PyObject *weft_complex(PyObject *x, PyObject *unused)
{
	(void)unused;
	ENTER(NULL)
	weft_info info;
	weft_get_info(x, &info);
	weft_value v;
	if (info.ndim > 0) { // NumPy's to refuse
		PyObject *hook = weft_hook("as_complex");
		return hook ? PyObject_CallFunctionObjArgs(hook, x, NULL) : NULL;
	}
	if (one_element(x, &v) < 0)
		return NULL;
	if (v.kind == WEFT_COMPLEX)
		return PyComplex_FromDoubles(v.re, v.im);
	PyObject *number = weft_scalar(&v), *real = number ? PyNumber_Float(number) : NULL;
	PyObject *result = real ? PyComplex_FromDoubles(PyFloat_AsDouble(real), 0) : NULL;
	Py_XDECREF(number);
	Py_XDECREF(real);
	return result;
}

// _item is the value of an array of one element as a Python number.
PyObject *weft_item(PyObject *x, PyObject *unused)
{
	(void)unused;
	weft_value v;
	return one_element(x, &v) < 0 ? NULL : weft_scalar(&v);
}
