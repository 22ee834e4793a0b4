//go:build extension

// tensordot of few elements: a product of two matrices, whose rows and columns are axes of the operands.
//
//	a  20 x 30 x 5    axes ([0, 2], [1, 0])    30 x (20 5)
//	b  5 x 20 x 8                              (20 5) x 8      30 x 8
//
// A matrix is a view where one step goes through its rows, and one through its columns, and a copy otherwise.
#include "shim.h"
#include "few.h"
#include <string.h>

// A product of fewer elements than NumPy's functions answer for (_delegates.py) has NumPy's bits: from so many multiplications on it is the library's in
// both, gemmVolume of package cpu.
enum { FEW = 4096, LIBRARY = 1000 };

// side is one operand: its axes in the order of the matrix, of which the first kept ones stay.
typedef struct {
	const weft_layout *l;
	int n, order[WEFT_NEAR]; // of the axes that are summed over, as they were given; see arranged
	int kept;
} side;

// read_axes reads which axes are summed over: an int, or a tuple or list of them. It is 0 of what the general function has to look at.
static int read_axes(PyObject *o, side *x)
{
	int list = PyList_CheckExact(o), many = list || PyTuple_CheckExact(o);
	Py_ssize_t n = list ? PyList_Size(o) : many ? PyTuple_Size(o) : 1;
	if (n > x->l->ndim)
		return 0;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *one = list ? PyList_GetItem(o, i) : many ? PyTuple_GetItem(o, i) : o;
		int overflow = 0;
		long axis = PyLong_CheckExact(one) ? PyLong_AsLongAndOverflow(one, &overflow) : x->l->ndim;
		if (overflow || axis < -x->l->ndim || axis >= x->l->ndim)
			return 0;
		x->order[i] = (int)(axis < 0 ? axis + x->l->ndim : axis);
	}
	x->n = (int)n;
	return 1;
}

// axes_of reads the argument axes: how many of the last ones of a and of the first ones of b, or those of both.
static int axes_of(PyObject *o, side *a, side *b)
{
	if (PyLong_CheckExact(o)) {
		int overflow;
		long n = PyLong_AsLongAndOverflow(o, &overflow);
		if (overflow || n < 0 || n > a->l->ndim || n > b->l->ndim)
			return 0;
		a->n = b->n = (int)n;
		for (int i = 0; i < n; i++) {
			a->order[i] = a->l->ndim - (int)n + i;
			b->order[i] = i;
		}
		return 1;
	}
	int list = PyList_CheckExact(o);
	if ((!list && !PyTuple_CheckExact(o)) || (list ? PyList_Size(o) : PyTuple_Size(o)) != 2)
		return 0;
	return read_axes(list ? PyList_GetItem(o, 0) : PyTuple_GetItem(o, 0), a) && read_axes(list ? PyList_GetItem(o, 1) : PyTuple_GetItem(o, 1), b) && a->n == b->n;
}

// arranged puts the axes that stay beside those that are summed over, before them or behind; it is 0 where one is named twice.
static int arranged(side *x, int before)
{
	int summed[WEFT_NEAR], stays[WEFT_NEAR], seen = 0, n = x->n;
	memcpy(summed, x->order, (size_t)n * sizeof *summed);
	for (int i = 0; i < n; i++) {
		if (seen >> summed[i] & 1)
			return 0;
		seen |= 1 << summed[i];
	}
	x->kept = 0;
	for (int i = 0; i < x->l->ndim; i++)
		if (!(seen >> i & 1))
			stays[x->kept++] = i;
	memcpy(x->order + (before ? 0 : n), stays, (size_t)x->kept * sizeof *stays);
	memcpy(x->order + (before ? x->kept : 0), summed, (size_t)n * sizeof *summed);
	return 1;
}

// joined is how many elements some axes have together, and the step through them; 0 where it takes several.
static int joined(const weft_layout *l, const int *axes, int n, int64_t *extent, int64_t *step)
{
	int one = 1;
	*extent = 1;
	*step = weft_sizes[l->dtype];
	for (int i = n - 1; i >= 0; i--) {
		int64_t have = l->shape[axes[i]], by = l->strides[axes[i]];
		if (have == 1)
			continue;
		if (*extent == 1)
			*step = by;
		else
			one = one && by == *step * *extent;
		*extent *= have;
	}
	return one;
}

// matrix_of makes a matrix of an operand: first axes are its rows. NULL also where a copy is not for the eager tier. few says that the product has NumPy's bits.
static PyObject *matrix_of(PyObject *array, const side *x, int first, int few)
{
	const weft_layout *l = x->l;
	int64_t shape[2], step[2];
	int view = joined(l, x->order, first, &shape[0], &step[0]) & joined(l, x->order + first, l->ndim - first, &shape[1], &step[1]);
	weft_layout to;
	if (view) {
		weft_lay(&to, l->dtype, 2, shape);
		memcpy(to.strides, step, sizeof step);
		to.contiguous = weft_is_contiguous(&to);
		// NumPy copies a matrix neither whose rows nor whose columns lie side by side without gaps before it multiplies it.
		if (!few || to.contiguous || (step[0] == weft_sizes[l->dtype] && step[1] == step[0] * shape[0]))
			return weft_view_of((weft_array *)array, &to, ((weft_array *)array)->place.offset);
	}
	weft_few of;
	if (!weft_fits_of(array, 0, &of))
		return NULL;
	weft_layout turned = *of.l;
	for (int i = 0; i < l->ndim; i++) {
		turned.shape[i] = of.l->shape[x->order[i]];
		turned.strides[i] = of.l->strides[x->order[i]];
	}
	weft_array *made = weft_new_packed(turned.dtype, 2, shape);
	if (!made)
		return NULL;
	eager_layout from = weft_plain(&turned);
	eager_pack(weft_sizes[turned.dtype], &from, of.data, made->bytes);
	weft_note(WEFT_NOTE_COPY, &made->at, made->place.memory, of.array->place.memory, 0);
	return (PyObject *)made;
}

static PyObject *contracted(PyObject *x, PyObject *y, PyObject *axes)
{
	side a = {.l = Py_TYPE(x) == weft_array_type ? weft_viewed((weft_array *)x) : NULL}, b = {.l = Py_TYPE(y) == weft_array_type ? weft_viewed((weft_array *)y) : NULL};
	if (!a.l || !b.l || a.l->ndim < 1 || b.l->ndim < 1 || a.l->size == 0 || b.l->size == 0 || !axes_of(axes, &a, &b) || a.n == 0)
		return NULL;
	for (int i = 0; i < a.n; i++)
		if (a.l->shape[a.order[i]] != b.l->shape[b.order[i]])
			return NULL; // an error
	if (!arranged(&a, 1) || !arranged(&b, 0) || a.kept + b.kept > WEFT_NEAR || a.kept + b.kept == 0)
		return NULL;
	int64_t shape[WEFT_NEAR];
	for (int i = 0; i < a.kept; i++)
		shape[i] = a.l->shape[a.order[i]];
	for (int i = 0; i < b.kept; i++)
		shape[a.kept + i] = b.l->shape[b.order[b.n + i]];
	int n = a.kept + b.kept;
	int64_t summed = 1;
	for (int i = 0; i < a.n; i++)
		summed *= a.l->shape[a.order[a.kept + i]];
	const int few = a.l->size < FEW && b.l->size < FEW;
	if (few && ((a.l->size / summed) * b.l->size < LIBRARY || a.l->size * b.l->size == summed * summed)) // one sum is the canonical order's here
		return NULL;
	PyObject *left = matrix_of(x, &a, a.kept, few), *right = left ? matrix_of(y, &b, b.n, few) : NULL, *made = right ? weft_few_product(WEFT_DOT, left, right) : NULL;
	Py_XDECREF(left);
	Py_XDECREF(right);
	if (made) { // which nothing else knows yet
		weft_layout *to = &((weft_array *)made)->at;
		weft_lay(to, to->dtype, n, shape);
	}
	return made;
}

// weft_cut_tensordot is tensordot(a, b, axes). What it leaves, NumPy's function answers, or has the general functions do.
PyObject *weft_cut_tensordot(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	int named = n == 2 && names && PyTuple_Size(names) == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "axes") == 0;
	return weft_eager && (named || (n == 3 && !names)) ? contracted(args[0], args[1], args[2]) : NULL;
}
