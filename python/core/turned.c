//go:build extension

// Views that functions of NumPy's text give of an array with its axes elsewhere: moveaxis(a, from, to), rollaxis(a, axis, start), rot90(m, k), of one axis
// that is moved, or of the first two that are turned.
#include "shim.h"
#include "few.h"

enum { ROLLED, TURNED };

// read_whole reads one of Python's integers.
static int read_whole(PyObject *o, int64_t *x)
{
	int overflow = 0;
	*x = PyLong_CheckExact(o) ? PyLong_AsLongLongAndOverflow(o, &overflow) : 0;
	return PyLong_CheckExact(o) && !overflow;
}

// permuted is a view whose axes are those of the array in an order, of which n are.
static PyObject *permuted(PyObject *array, int n, const int *order)
{
	PyObject *axes = PyTuple_New(n), *made = NULL;
	for (int i = 0; axes && i < n; i++) {
		PyObject *axis = PyLong_FromLong(order[i]);
		if (!axis || PyTuple_SetItem(axes, i, axis) < 0) {
			Py_DECREF(axes);
			return NULL;
		}
	}
	if (axes)
		made = weft_few_view(WEFT_TRANSPOSE, (PyObject *[]){array, axes});
	Py_XDECREF(axes);
	return made;
}

// moved is a view with an axis where another one was, and the others in their order.
static PyObject *moved(PyObject *array, int n, int64_t from, int64_t to)
{
	int order[WEFT_NEAR];
	for (int i = 0, k = 0; i < n; i++) {
		k += k == from;
		order[i] = i == to ? (int)from : k++;
	}
	return permuted(array, n, order);
}

static PyObject *flipped(PyObject *array, long axis)
{
	PyObject *given = PyLong_FromLong(axis), *made = given ? weft_few_view(WEFT_FLIP, (PyObject *[]){array, given}) : NULL;
	Py_XDECREF(given);
	return made;
}

// turned is a matrix, or an array of them along the first two axes, turned by k right angles against the clock.
static PyObject *turned(PyObject *m, int n, int64_t k)
{
	int order[WEFT_NEAR];
	for (int i = 0; i < n; i++)
		order[i] = i < 2 ? 1 - i : i;
	PyObject *first, *made = NULL;
	switch (k & 3) {
	case 0: return weft_few_view(WEFT_VIEW, (PyObject *[]){m, NULL});
	case 1:
		if ((first = flipped(m, 1)))
			made = permuted(first, n, order);
		break;
	case 2:
		if ((first = flipped(m, 0)))
			made = flipped(first, 1);
		break;
	default:
		if ((first = permuted(m, n, order)))
			made = flipped(first, 1);
	}
	Py_XDECREF(first);
	return made;
}

// among says whether an axis is one of n, and counts it from the first.
static int among(int64_t *axis, int n)
{
	*axis += *axis < 0 ? n : 0;
	return *axis >= 0 && *axis < n;
}

// moveaxis(a, source, destination)
PyObject *weft_few_moveaxis(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = weft_eager && Py_TYPE(args[0]) == weft_array_type ? weft_viewed((weft_array *)args[0]) : NULL;
	int64_t from, to;
	if (!l || !read_whole(args[1], &from) || !read_whole(args[2], &to) || !among(&from, l->ndim) || !among(&to, l->ndim))
		return NULL;
	return moved(args[0], l->ndim, from, to);
}

// rollaxis(a, axis, start=0) and rot90(m, k=1), by what about is.
PyObject *weft_cut_turned(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	const long kind = PyLong_AsLong(about);
	const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
	const weft_layout *l = n > 0 && weft_eager && Py_TYPE(args[0]) == weft_array_type ? weft_viewed((weft_array *)args[0]) : NULL;
	int64_t x = 1, before = 0;
	if (!l || (named && (kind != TURNED || named > 1 || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "k"))))
		return NULL;
	if (kind == TURNED)
		return l->ndim >= 2 && n + named <= 2 && (n + named < 2 || read_whole(args[1], &x)) ? turned(args[0], l->ndim, x) : NULL;
	if (n > 3 || n < 2 || !read_whole(args[1], &x) || (n == 3 && !read_whole(args[2], &before)) || !among(&x, l->ndim) ||
		(before != l->ndim && !among(&before, l->ndim)))
		return NULL;
	before -= x < before;
	return x == before ? weft_few_view(WEFT_VIEW, (PyObject *[]){args[0], NULL}) : moved(args[0], l->ndim, x, before);
}
