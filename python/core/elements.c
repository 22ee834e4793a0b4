//go:build extension

// Ufuncs that weft has no loop of its own for, such as gcd and frexp, of few elements: NumPy's own loop runs over memory of weft's. The bits are NumPy's; what NumPy does
// around a loop takes three times as long as ten elements. A loop that sets a flag of the processor is run again by NumPy, which may have something to say of that.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "ufunc.h"

enum { MOST_OPERANDS = 4 };
enum { INT32 = 4, INT64 = 5, FLOAT64 = 12 }; // tile.DTypes

// NumPy's numbers of weft's dtypes (enum NPY_TYPES).
static const signed char numpys[WEFT_DTYPES] = {-1, 0, 1, 3, 5, 7, 2, 4, 6, 8, 23, 11, 12, 14, 15};

static int ours(char type)
{
	int dtype = 1;
	while (dtype < WEFT_DTYPES && numpys[dtype] != type)
		dtype++;
	return dtype;
}

// read_number reads the second operand, where it is a number that is like elements of the first one without doubt: an int, or beside floats of 64 bits a float.
static int read_number(PyObject *o, int first, const ufunc *u, void *to, char *type)
{
	weft_value v;
	if (!weft_number(o, &v) || v.dtype || v.kind == WEFT_BOOL)
		return 0;
	int mixes = u->ntypes > 0 && u->types[0] != u->types[1]; // as in ldexp, of a float and an int
	if (v.kind == WEFT_INT && mixes && v.i == (int32_t)v.i) {
		*(int32_t *)to = (int32_t)v.i;
		*type = numpys[INT32];
		return 1;
	}
	if (v.kind == WEFT_INT && first == INT64 && !mixes) {
		*(int64_t *)to = v.i;
		*type = numpys[INT64];
		return 1;
	}
	if (first != FLOAT64 || mixes || (v.kind != WEFT_INT && v.kind != WEFT_FLOAT))
		return 0;
	*(double *)to = v.kind == WEFT_FLOAT ? v.re : (double)v.i;
	*type = numpys[FLOAT64];
	return 1;
}

static int same_shape(const weft_layout *a, const weft_layout *b)
{
	int same = a->ndim == b->ndim;
	for (int i = 0; same && i < a->ndim; i++)
		same = a->shape[i] == b->shape[i];
	return same;
}

// find returns which loop has operands of certain types, or -1.
static int find(const ufunc *u, const char *types)
{
	for (int i = 0; i < u->ntypes; i++) {
		int same = u->functions[i] != NULL;
		for (int k = 0; same && k < u->nin; k++)
			same = u->types[i * u->nargs + k] == types[k];
		if (same)
			return i;
	}
	return -1;
}

PyObject *weft_cut_elements(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	if (names || n < 1 || (Py_TYPE(args[0]) != weft_array_type && !weft_is_unknown(args[0])))
		return NULL;
	ENTER(NULL)
	const ufunc *u = (const ufunc *)PyTuple_GetItem(about, 0);
	if (Py_TYPE(args[0]) != weft_array_type)
		return weft_ensure_started() < 0 ? NULL : weft_loop_of_others((PyObject *)u, (int)PyLong_AsLong(PyTuple_GetItem(about, 1)), args, n);
	if (n != u->nin || u->nargs > MOST_OPERANDS)
		return NULL;
	weft_few x[2];
	int64_t number;
	char types[2], *at[MOST_OPERANDS];
	intptr_t steps[MOST_OPERANDS];
	int arrays = u->nin == 2 && Py_TYPE(args[1]) == weft_array_type ? 2 : 1;
	if (!(arrays == 2 ? weft_fits_both(args[0], &x[0], args[1], &x[1], 0) && same_shape(x[0].l, x[1].l) : weft_fits_of(args[0], 0, &x[0])))
		return NULL;
	for (int k = 0; k < arrays; k++) {
		if (x[k].l->size > weft_most_of_numpys() || x[k].l->ndim == 0 || (!x[k].l->contiguous && x[k].l->ndim > 1))
			return NULL;
		at[k] = x[k].data;
		types[k] = numpys[x[k].l->dtype];
		steps[k] = x[k].l->contiguous ? weft_sizes[x[k].l->dtype] : (intptr_t)x[k].l->strides[0];
	}
	if (arrays < u->nin) {
		if (!read_number(args[1], x[0].l->dtype, u, &number, &types[1]))
			return NULL;
		at[1] = (char *)&number;
		steps[1] = 0;
	}
	int which = find(u, types);
	if (which < 0)
		return NULL;
	const weft_layout l = *x[0].l;
	weft_array *made[2] = {NULL, NULL};
	int fine = 1;
	for (int k = 0; fine && k < u->nout; k++) {
		int dtype = ours(u->types[which * u->nargs + u->nin + k]);
		made[k] = dtype < WEFT_DTYPES ? weft_new_packed(dtype, l.ndim, l.shape) : NULL;
		fine = made[k] != NULL;
		if (fine) {
			at[u->nin + k] = made[k]->bytes;
			steps[u->nin + k] = weft_sizes[dtype];
		}
	}
	if (fine) {
		intptr_t size = (intptr_t)l.size;
		if (fetestexcept(FLAGS))
			feclearexcept(FE_ALL_EXCEPT);
		u->functions[which](at, &size, steps, u->data ? u->data[which] : NULL);
		int raised = fetestexcept(FLAGS);
		if (raised)
			feclearexcept(FE_ALL_EXCEPT);
		fine = !raised && !PyErr_Occurred();
		PyErr_Clear();
	}
	PyObject *result = NULL;
	if (fine) {
		weft_note(WEFT_NOTE_NUMPY + (int)PyLong_AsLong(PyTuple_GetItem(about, 1)), &made[0]->at, made[0]->place.memory, x[0].array->place.memory,
			arrays == 2 ? x[1].array->place.memory : 0);
		result = u->nout == 1 ? Py_NewRef((PyObject *)made[0]) : PyTuple_Pack(2, made[0], made[1]);
	}
	Py_XDECREF((PyObject *)made[0]);
	Py_XDECREF((PyObject *)made[1]);
	return result;
}

// elements(ufunc, name) is what the shortcut of a ufunc is told, or None where NumPy's object is not made of the parts that it is read by.
PyObject *weft_elements(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *of;
	const char *name;
	if (!PyArg_ParseTuple(args, "Os", &of, &name))
		return NULL;
	const ufunc *u = (const ufunc *)of;
	PyObject *types = PyObject_GetAttrString(of, "types"), *signature = types ? PyObject_GetAttrString(of, "signature") : NULL;
	Py_ssize_t n = signature ? PyList_Size(types) : -1;
	int known = signature == Py_None && n == u->ntypes && u->nargs == u->nin + u->nout && u->nin >= 1 && u->nin <= 2 && u->nout >= 1 && u->nout <= 2;
	Py_XDECREF(types);
	Py_XDECREF(signature);
	return n < 0 ? NULL : known ? Py_BuildValue("Oi", of, goDelegate((char *)name)) : Py_NewRef(Py_None);
}
