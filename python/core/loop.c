//go:build extension

// Ufuncs of numbers alone: np.exp(x) of a float, np.maximum(a, b) of two. NumPy's own loop computes the one element, so that the bits
// are NumPy's; what NumPy does around it, which takes several times as long, is left out. A loop that sets a flag of the processor for which
// NumPy may have a warning is run again by NumPy, and so is all that takes a look at more than two types.
#include "shim.h"
#include "_cgo_export.h"
#include "ufunc.h"
#include <string.h>

enum { BOOL = 1, INT64 = 5, FLOAT64 = 12 };                     // tile.DTypes
enum { NUMPY_BOOL = 0, NUMPY_LONG = 7, NUMPY_DOUBLE = 12 };     // enum NPY_TYPES

static int result_of(char type) { return type == NUMPY_DOUBLE ? FLOAT64 : type == NUMPY_LONG ? INT64 : type == NUMPY_BOOL ? BOOL : 0; }

// find looks for the loop of operands of one type.
static void find(const ufunc *u, char type, weft_loop *to)
{
	for (int i = 0; i < u->ntypes; i++) {
		const char *types = u->types + i * u->nargs;
		int same = 1;
		for (int k = 0; k < u->nin; k++)
			same = same && types[k] == type;
		if (same && u->functions[i]) {
			*to = (weft_loop){(void (*)(void))u->functions[i], u->data ? u->data[i] : NULL, result_of(types[u->nin])};
			return;
		}
	}
}

int weft_read_loops(PyObject *of, weft_loops *to)
{
	const ufunc *u = (const ufunc *)of;
	*to = (weft_loops){.operands = 0};
	PyObject *types = PyObject_GetAttrString(of, "types"); // as the object tells them, to know that its parts lie as above
	PyObject *signature = types ? PyObject_GetAttrString(of, "signature") : NULL;
	Py_ssize_t n = signature ? PyList_Size(types) : -1;
	int single = signature == Py_None; // one element at a time, unlike matmul
	Py_XDECREF(types);
	Py_XDECREF(signature);
	if (n < 0)
		return -1;
	if (!single || n != u->ntypes || u->nargs != u->nin + u->nout || u->nout != 1 || u->nin < 1 || u->nin > 2)
		return 0;
	find(u, NUMPY_DOUBLE, &to->of_floats);
	find(u, NUMPY_LONG, &to->of_ints);
	to->operands = u->nin;
	return 0;
}

int weft_read_core_loop(const char *module, const char *name, const char *signature, weft_loop *to)
{
	PyObject *from = PyImport_ImportModule(module), *of = from ? PyObject_GetAttrString(from, name) : NULL;
	PyObject *said = of ? PyObject_GetAttrString(of, "signature") : NULL, *told = said ? PyObject_CallMethod(said, "replace", "ss", " ", "") : NULL, *types = told ? PyObject_GetAttrString(of, "types") : NULL;
	const ufunc *u = (const ufunc *)of;
	int rc = types ? 0 : -1;
	if (types && PyUnicode_Check(told) && PyUnicode_CompareWithASCIIString(told, signature) == 0 && PyList_Size(types) == u->ntypes)
		find(u, NUMPY_DOUBLE, to);
	Py_XDECREF(from);
	Py_XDECREF(of); // which its module keeps
	Py_XDECREF(said);
	Py_XDECREF(told);
	Py_XDECREF(types);
	return rc;
}

int weft_run_core_loop(const weft_loop *loop, char **at, const int64_t *sizes, const int64_t *steps)
{
	return weft_run_core_loops(loop, 1, at, 0, sizes, 0, steps);
}

int weft_run_core_loops(const weft_loop *loop, int n, char **at, int operands, const int64_t *sizes, int axes, const int64_t *steps)
{
	feclearexcept(FE_ALL_EXCEPT);
	for (int i = 0; i < n; i++)
		((ufunc_loop *)loop->run)(at + i * operands, (const intptr_t *)sizes + i * axes, (const intptr_t *)steps, loop->data);
	int fine = !fetestexcept(FLAGS) && !PyErr_Occurred(); // it may lack memory
	feclearexcept(FE_ALL_EXCEPT);
	if (!fine)
		PyErr_Clear();
	return fine;
}

// read_one reads a number that is a float64 or an int64 in NumPy. A float or an int of Python's is weak, which matters for none of these.
static int read_one(PyObject *o, weft_value *v)
{
	return weft_number(o, v) && v->kind != WEFT_BOOL && (!v->dtype || v->dtype == INT64 || v->dtype == FLOAT64);
}

PyObject *weft_run_loop(const weft_loops *l, PyObject *const *args)
{
	weft_value v[2];
	union {
		double d;
		int64_t i;
		uint8_t b;
	} in[2], out = {.i = 0};
	int floats = 0;
	for (int k = 0; k < l->operands; k++) {
		if (!read_one(args[k], &v[k]))
			return NULL;
		floats |= v[k].kind == WEFT_FLOAT;
	}
	const weft_loop *loop = floats || !l->of_ints.run ? &l->of_floats : &l->of_ints;
	if (l->operands == 0 || !loop->run || !loop->result)
		return NULL;
	for (int k = 0; k < l->operands; k++) {
		if (loop == &l->of_ints)
			in[k].i = v[k].i;
		else
			in[k].d = v[k].kind == WEFT_FLOAT ? v[k].re : (double)v[k].i;
	}
	char *at[3] = {(char *)&in[0], l->operands == 2 ? (char *)&in[1] : (char *)&out, (char *)&out};
	static const intptr_t one = 1, strides[3] = {0, 0, 0};
	if (fetestexcept(FLAGS))
		feclearexcept(FE_ALL_EXCEPT);
	((ufunc_loop *)loop->run)(at, &one, strides, loop->data);
	if (fetestexcept(FLAGS) || PyErr_Occurred()) { // NumPy does it again, and says what there is to say
		feclearexcept(FE_ALL_EXCEPT);
		PyErr_Clear();
		return NULL;
	}
	return weft_scalar_at(&out, loop->result);
}
