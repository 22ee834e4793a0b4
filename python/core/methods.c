//go:build extension

// Methods of ndarray that are asked for so often that a call of a function of Python's would be most of what they cost. Each
// answers the usual calls here, and hands all others to the function that the Python package has for it (bind).
#include "shim.h"
#include "_cgo_export.h"
#include "function.h"
#include "handover.h"
#include "table.h"
#include <string.h>

// quick answers a call without keywords; NULL without an exception where the function has to.
typedef PyObject *quick(PyObject *self, PyObject *const *args, Py_ssize_t n);

// reshaped is reshape with the shape as one argument, or several.
static PyObject *reshaped(int kind, PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	if (n == 1)
		return weft_few_view(kind, (PyObject *[]){self, args[0]});
	PyObject *shape = n > 1 && n <= WEFT_NEAR ? PyTuple_New(n) : NULL;
	if (!shape)
		return NULL;
	for (Py_ssize_t i = 0; i < n; i++)
		PyTuple_SetItem(shape, i, Py_NewRef(args[i]));
	PyObject *made = weft_few_view(kind, (PyObject *[]){self, shape});
	Py_DECREF(shape);
	return made;
}

static PyObject *reshape(PyObject *self, PyObject *const *args, Py_ssize_t n) { return reshaped(WEFT_RESHAPE, self, args, n); }

static PyObject *ravel(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	return n == 0 ? weft_few_view(WEFT_RAVEL, &self) : NULL;
}

static PyObject *flatten(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	return n == 0 ? weft_few_view(WEFT_FLATTEN, &self) : NULL;
}

static PyObject *transpose(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	if (n < 2)
		return n == 0 ? weft_transposed(self) : weft_few_view(WEFT_TRANSPOSE, (PyObject *[]){self, args[0]});
	PyObject *axes = n <= WEFT_NEAR ? PyTuple_New(n) : NULL;
	for (Py_ssize_t i = 0; axes && i < n; i++)
		PyTuple_SetItem(axes, i, Py_NewRef(args[i]));
	PyObject *made = axes ? weft_few_view(WEFT_TRANSPOSE, (PyObject *[]){self, axes}) : NULL;
	Py_XDECREF(axes);
	return made;
}

static PyObject *swapaxes(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	return n == 2 ? weft_few_view(WEFT_SWAPAXES, (PyObject *[]){self, args[0], args[1]}) : NULL;
}

static PyObject *copy(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	return n == 0 ? weft_operate(WEFT_COPY, self, NULL) : NULL;
}

static PyObject *astype(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	static weft_delegate numpys; // for what weft has no dtype for
	if (n == 1 && args[0] == (PyObject *)&PyBaseObject_Type) { // which nothing but the elements becomes
		PyObject *copy = weft_copy_of(NULL, self), *objects = copy && copy != Py_None ? PyObject_CallMethod(copy, "astype", "O", args[0]) : NULL;
		Py_XDECREF(copy);
		return objects;
	}
	PyObject *made = n == 1 ? weft_few_astype(0, (PyObject *[]){self, args[0]}) : NULL;
	if (!made && n == 1 && !PyErr_Occurred())
		made = weft_few_reals(self, args[0]);
	if (made || n != 1 || PyErr_Occurred())
		return made;
	int dtype = weft_dtype_code(args[0]);
	if (dtype != 0) {
		if (dtype < 0)
			weft_overlook(); // the general function finds that out as well
		return NULL;
	}
	PyObject *told = numpys.function ? NULL : weft_hook("few_astype");
	if (!numpys.function && (!told || weft_read_delegate(told, &numpys) < 0))
		return NULL;
	return weft_delegated(&numpys, (PyObject *[]){self, args[0]}, 2, NULL);
}

static PyObject *dot(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	return n == 1 ? weft_few_product(WEFT_DOT, self, args[0]) : NULL;
}

// tobytes() of few elements in the order of C
static PyObject *tobytes(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	weft_few x;
	if (n > 0 || !weft_fits_of(self, WEFT_READS, &x) || !x.l->contiguous || x.l->dtype == WEFT_BOOL_DTYPE) // of foreign memory, which has other bytes than 0 and 1
		return NULL;
	return PyBytes_FromStringAndSize(x.data, (Py_ssize_t)(x.l->size * weft_sizes[x.l->dtype]));
}

static PyObject *tolist(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	return n == 0 ? weft_few_list(self) : NULL;
}

// item of the only element, or of one that a number for each axis chooses, or one for all
static PyObject *item(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	weft_few x;
	weft_value v;
	if (!weft_any_of(self, &x) || (n == 0 ? x.l->size != 1 : n != x.l->ndim && n != 1))
		return NULL;
	int64_t places[WEFT_NEAR];
	for (Py_ssize_t i = 0; i < n; i++) {
		int overflow = 0;
		int64_t extent = n == x.l->ndim ? x.l->shape[i] : x.l->size, at = PyLong_CheckExact(args[i]) ? PyLong_AsLongLongAndOverflow(args[i], &overflow) : extent;
		at += at < 0 ? extent : 0;
		if (overflow || at < 0 || at >= extent)
			return NULL;
		places[i] = at;
	}
	const char *data = x.data;
	for (int i = x.l->ndim - 1; n > 0 && i >= 0; i--) {
		int64_t at = n == x.l->ndim ? places[i] : places[0] % x.l->shape[i];
		data += at * x.l->strides[i];
		if (n != x.l->ndim)
			places[0] /= x.l->shape[i];
	}
	if (!weft_value_at(data, x.l->dtype, &v))
		return NULL;
	weft_count_here(WEFT_ELEMENTS_READ);
	return weft_scalar(&v);
}

// argmin and argmax of all elements: their place is waited for in any case, so that it does not matter whether the array is used again.
static PyObject *argmin(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	return n == 0 ? weft_eager_position(0, self, Py_None) : NULL;
}

static PyObject *argmax(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)args;
	return n == 0 ? weft_eager_position(1, self, Py_None) : NULL;
}

// fill(value) of few elements, where no array is there of whose writes the program is warned
static PyObject *fill(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	const int before = weft_wrongs;
	PyObject *made = n == 1 && !weft_some_warn ? weft_few_fill(0, (PyObject *[]){self, args[0]}) : NULL;
	if (!made)
		weft_wrongs = before; // of what the function does once more
	return made;
}

// view() and view(dtype). What has a dtype that weft has not is NumPy's array over the same memory.
static PyObject *view(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	if (n > 1)
		return NULL;
	PyObject *made = weft_few_view(WEFT_VIEW, (PyObject *[]){self, n == 1 ? args[0] : NULL});
	if (made || n == 0 || PyErr_Occurred() || Py_TYPE(args[0]) == weft_array_type || (PyType_Check(args[0]) && (args[0] == (PyObject *)weft_array_type || PyType_IsSubtype((PyTypeObject *)args[0], weft_np_type))))
		return made;
	int dtype = weft_dtype_of_few(args[0]);
	PyObject *held = dtype == 0 ? weft_hold(NULL, self) : NULL;
	made = held ? PyObject_CallMethod(held, "view", "(O)", args[0]) : NULL;
	Py_XDECREF(held);
	return made;
}

enum { RESHAPE, RAVEL, FLATTEN, TRANSPOSE, SWAPAXES, COPY, ASTYPE, DOT, TOLIST, TOBYTES, ITEM, ARGMIN, ARGMAX, FILL, VIEW, REAL, IMAG, METHODS };

static struct {
	const char *name;
	quick *answer;
	PyObject *function;
	int index; // of the function of the table that it is, -1 for none
} methods[METHODS] = {
	[RESHAPE] = {"reshape", reshape, NULL, -1}, [RAVEL] = {"ravel", ravel, NULL, -1}, [FLATTEN] = {"flatten", flatten, NULL, -1},
	[TRANSPOSE] = {"transpose", transpose, NULL, -1}, [SWAPAXES] = {"swapaxes", swapaxes, NULL, -1}, [COPY] = {"copy", copy, NULL, -1},
	[ASTYPE] = {"astype", astype, NULL, -1}, [DOT] = {"dot", dot, NULL, -1}, [TOLIST] = {"tolist", tolist, NULL, -1}, [TOBYTES] = {"tobytes", tobytes, NULL, -1},
	[ITEM] = {"item", item, NULL, -1}, [ARGMIN] = {"argmin", argmin, NULL, -1}, [ARGMAX] = {"argmax", argmax, NULL, -1}, [FILL] = {"fill", fill, NULL, -1},
	[VIEW] = {"view", view, NULL, -1},
	[REAL] = {"real", NULL, NULL, -1}, [IMAG] = {"imag", NULL, NULL, -1}, // properties: see below
};

// general calls the function of the Python package.
static PyObject *general(int method, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *function = methods[method].function, *given = PyTuple_New(n + 1), *named = names ? PyDict_New() : NULL, *made = NULL;
	if (!function)
		PyErr_Format(PyExc_SystemError, "weft._core: ndarray.%s is not bound", methods[method].name);
	if (!function || !given || (names && !named))
		goto done;
	PyTuple_SetItem(given, 0, Py_NewRef(self));
	for (Py_ssize_t i = 0; i < n; i++)
		PyTuple_SetItem(given, i + 1, Py_NewRef(args[i]));
	for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++)
		if (PyDict_SetItem(named, PyTuple_GetItem(names, i), args[n + i]) < 0)
			goto done;
	made = weft_call_fitting(function, NULL, given, named);
done:
	Py_XDECREF(given);
	Py_XDECREF(named);
	return made;
}

// in_order is reshape, ravel, flatten or copy with order="F", or "C", of few elements: that of Fortran is C's of the array whose axes stand the other way.
static PyObject *in_order(int method, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	int named = names && PyTuple_Size(names) == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "order") == 0;
	PyObject *order = named ? args[n] : !names && n == 1 && method != RESHAPE ? args[0] : NULL;
	if (!order || !PyUnicode_CheckExact(order) || (method == RESHAPE && n == 0) || (named && method != RESHAPE && n > 0))
		return NULL;
	int is_c = PyUnicode_CompareWithASCIIString(order, "C") == 0;
	if (is_c)
		return methods[method].answer(self, args, method == RESHAPE ? n : 0);
	if (PyUnicode_CompareWithASCIIString(order, "F"))
		return NULL;
	if (method == COPY)
		return weft_fortran_copy(self);
	if (method == RESHAPE)
		return reshaped(WEFT_RESHAPE_FORTRAN, self, args, n);
	if (method == FLATTEN && ((weft_array *)self)->at.size == 0 && weft_layout_of((weft_array *)self))
		return methods[method].answer(self, args, 0);
	PyObject *turned = weft_transposed(self), *made = turned ? methods[method].answer(turned, NULL, 0) : NULL;
	Py_XDECREF(turned);
	return made;
}

// cast is astype(dtype, casting="unsafe", copy=True), both of which are usual; copy=False gives the array itself where it has the dtype.
static PyObject *cast(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	const weft_layout *l = weft_layout_of((weft_array *)self);
	int copies = 1;
	for (Py_ssize_t i = 0; i < PyTuple_Size(names); i++) {
		PyObject *name = PyTuple_GetItem(names, i), *value = n == 1 ? args[1 + i] : NULL;
		if (PyUnicode_CompareWithASCIIString(name, "copy") == 0 && (value == Py_True || value == Py_False))
			copies = value == Py_True;
		else if (!value || PyUnicode_CompareWithASCIIString(name, "casting") || !PyUnicode_CheckExact(value) || PyUnicode_CompareWithASCIIString(value, "unsafe"))
			return NULL;
	}
	if (n != 1 || !l)
		return NULL;
	int dtype = weft_dtype_of_few(args[0]);
	if (dtype <= 0 || (dtype == l->dtype && !copies))
		return dtype <= 0 ? NULL : Py_NewRef(self);
	PyObject *made = weft_few_astype(0, (PyObject *[]){self, args[0]});
	return made || PyErr_Occurred() ? made : weft_few_reals(self, args[0]);
}

// makes_halves says whether astype casts to halves while the program is told of underflows; -1 with an exception.
static int makes_halves(PyObject *const *args, Py_ssize_t n)
{
	enum { FLOAT16 = 10 }; // a tile.DType
	int dtype = n > 0 && weft_floating_vanishing() ? weft_dtype_of_few(args[0]) : 0;
	return dtype < 0 ? -1 : dtype == FLOAT16;
}

static PyObject *call(int method, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	int halves = method == ASTYPE && __builtin_expect(weft_floating_watched & 4, 0) ? makes_halves(args, n) : 0;
	if (halves)
		return halves > 0 ? general(method, self, args, n, names) : NULL;
	PyObject *same = names && method == ASTYPE ? cast(self, args, n, names) : method == RESHAPE || method == RAVEL || method == FLATTEN || method == COPY ? in_order(method, self, args, n, names) : NULL;
	if (same) {
		if (methods[method].index >= 0)
			weft_count_made(methods[method].index);
		return weft_told(same);
	}
	if (PyErr_Occurred())
		return NULL;
	if (!names) {
		PyObject *made = methods[method].answer(self, args, n);
		if (made && methods[method].index >= 0)
			weft_count_made(methods[method].index);
		if (made || PyErr_Occurred())
			return weft_told(made);
	}
	return general(method, self, args, n, names);
}

#define METHOD(name, method) \
	PyObject *weft_method_##name(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) { return call(method, self, args, n, names); }
METHOD(reshape, RESHAPE)
METHOD(ravel, RAVEL)
METHOD(flatten, FLATTEN)
METHOD(transpose, TRANSPOSE)
METHOD(swapaxes, SWAPAXES)
METHOD(copy, COPY)
METHOD(astype, ASTYPE)
METHOD(dot, DOT)
METHOD(tolist, TOLIST)
METHOD(tobytes, TOBYTES)
METHOD(item, ITEM)
METHOD(argmin, ARGMIN)
METHOD(argmax, ARGMAX)
METHOD(fill, FILL)
METHOD(view, VIEW)

PyObject *weft_get_transposed(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	PyObject *made = weft_transposed(self);
	if (made && methods[TRANSPOSE].index >= 0)
		weft_count_made(methods[TRANSPOSE].index);
	return made || PyErr_Occurred() ? made : general(TRANSPOSE, self, NULL, 0, NULL);
}

// Real and imaginary parts are views; the Python package's properties have what is not one, and what is assigned.
static PyObject *get_part(int part, PyObject *self)
{
	ENTER(NULL)
	PyObject *made = weft_few_view(part == REAL ? WEFT_REAL : WEFT_IMAG, &self);
	if (made && methods[part].index >= 0)
		weft_count_made(methods[part].index);
	return made || PyErr_Occurred() ? made : PyObject_CallMethod(methods[part].function, "__get__", "OO", self, Py_TYPE(self));
}

static int set_part(int part, PyObject *self, PyObject *value)
{
	PyObject *done = value ? PyObject_CallMethod(methods[part].function, "__set__", "OO", self, value) : PyObject_CallMethod(methods[part].function, "__delete__", "O", self);
	Py_XDECREF(done);
	return done ? 0 : -1;
}

#define PART(name, part) \
	PyObject *weft_get_##name(PyObject *self, void *unused) { return (void)unused, get_part(part, self); } \
	int weft_set_##name(PyObject *self, PyObject *value, void *unused) { return (void)unused, set_part(part, self, value); }
PART(real, REAL)
PART(imag, IMAG)

// bind(name, function, index): whether the method or property of this name is one of those here. Then the function, or the property, answers what is not
// usual; index is that of its row of the table, or -1.
PyObject *weft_bind(PyObject *self, PyObject *args)
{
	(void)self;
	const char *name;
	PyObject *function;
	int index;
	if (!PyArg_ParseTuple(args, "sOi", &name, &function, &index))
		return NULL;
	for (int i = 0; i < METHODS; i++)
		if (strcmp(methods[i].name, name) == 0) {
			weft_set(&methods[i].function, Py_NewRef(function));
			methods[i].index = index;
			Py_RETURN_TRUE;
		}
	Py_RETURN_FALSE;
}
