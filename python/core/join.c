//go:build extension

// Arrays of few elements put together: concatenate and its like. There may be many of them.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdlib.h>
#include <string.h>

enum {
	USUAL = 64,     // arrays without a block for them
	MOST = 1 << 22, // elements of the result, which are copied once, whatever puts them together
	WOVEN = 8,      // columns, of many elements, that are put side by side,
	ROWS = 256,     // so many rows at a time, and
	WIDE = 1 << 19, // elements of the result
};

// part is an array as it takes part: how it is seen, with as many axes as the result.
typedef struct {
	PyObject *o;
	int made; // of a list
	int64_t along; // points along the axis
	int64_t shape[WEFT_NEAR]; // the others'
} part;

static PyObject *item(PyObject *list, Py_ssize_t i) { return PyList_CheckExact(list) ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i); }

static int take(PyObject *o, part *p)
{
	p->o = o;
	p->made = 0;
	if (!PyList_CheckExact(o))
		return 1;
	PyObject *made = weft_of_numbers(o);
	if (!made || made == Py_None) {
		Py_XDECREF(made);
		PyErr_Clear();
		return 0;
	}
	p->o = made;
	p->made = 1;
	return 1;
}

// seen says how an array takes part in a join: its axes, and along which one. 0 where the general function has to look.
static int seen(int kind, const weft_layout *l, int axis, part *p, int *ndim, int *at)
{
	*ndim = l->ndim;
	memcpy(p->shape, l->shape, sizeof p->shape);
	switch (kind) {
	case WEFT_STACK:
		if (l->ndim == WEFT_NEAR || axis < -l->ndim - 1 || axis > l->ndim)
			return 0;
		*at = axis < 0 ? axis + l->ndim + 1 : axis;
		memmove(p->shape + *at + 1, p->shape + *at, (l->ndim - *at) * sizeof *p->shape);
		p->shape[*at] = 1;
		*ndim = l->ndim + 1;
		break;
	case WEFT_VSTACK:
		if (l->ndim == 1) {
			p->shape[0] = 1;
			p->shape[1] = l->shape[0];
			*ndim = 2;
		}
		*at = 0;
		break;
	case WEFT_COLUMN_STACK:
		if (l->ndim == 1) {
			p->shape[1] = 1;
			*ndim = 2;
		}
		*at = 1;
		break;
	case WEFT_HSTACK:
		*at = l->ndim > 1;
		break;
	default:
		if (axis < -l->ndim || axis >= l->ndim)
			return 0;
		*at = axis < 0 ? axis + l->ndim : axis;
	}
	p->along = p->shape[*at];
	return l->ndim > 0;
}

// is_empty says whether an object is an array without elements, which loops that append begin with.
static int is_empty(PyObject *o, weft_few *x)
{
	x->array = (weft_array *)o;
	x->l = Py_TYPE(o) == weft_array_type ? weft_layout_of(x->array) : NULL;
	return x->l && x->l->ndim > 0 && x->l->ndim <= WEFT_NEAR && x->l->size == 0;
}

// evenly returns how far apart the elements of a column lie, each of which is a run of its own, where they lie evenly; else 0.
static int64_t evenly(const weft_few *x, int dtype, int64_t run)
{
	int64_t shape[WEFT_MAXDIMS], strides[WEFT_MAXDIMS];
	if (x->l->dtype != dtype || run != weft_sizes[dtype] || x->l->size < 2 || x->l->ndim > EAGER_AXES)
		return 0;
	const eager_layout l = weft_plain(x->l);
	return eager_joined(&l, shape, strides) == 1 ? strides[0] : 0;
}

// is_column says whether an array takes part as a column that may have more elements than what is done at once has otherwise: it is copied as it is.
static int is_column(int kind, PyObject *o, weft_few *x)
{
	return kind == WEFT_COLUMN_STACK && weft_many_of(o, WIDE, 0, x) && (x->l->ndim == 1 || (x->l->ndim == 2 && x->l->shape[1] == 1));
}

// woven puts columns of one dtype side by side, some rows of all of them before the next: each line of the result is written while it is in a
// cache. Planned, they would be a pass over the result each. NULL without exception where they are not all at hand.
static PyObject *woven(part *parts, Py_ssize_t n, int dtype, const int64_t *shape)
{
	const int64_t size = weft_sizes[dtype], width = n * size;
	weft_array *made = n <= WOVEN && shape[1] == n && shape[0] * n <= WIDE ? weft_many_made(dtype, 2, shape) : NULL;
	weft_few x[WOVEN];
	int fits = made != NULL;
	for (Py_ssize_t k = 0; fits && k < n; k++)
		fits = is_column(WEFT_COLUMN_STACK, parts[k].o, &x[k]) && x[k].l->dtype == dtype;
	for (Py_ssize_t k = 0; fits && k < n; k++) // opening one may have shut another
		fits = (x[k].data = weft_data(x[k].array)) != NULL;
	char *to = fits ? weft_data(made) : NULL;
	for (int64_t at = 0; to && at < shape[0]; at += ROWS)
		for (Py_ssize_t k = 0; k < n; k++) {
			const int64_t step = x[k].l->strides[0], rows = shape[0] - at < ROWS ? shape[0] - at : ROWS;
			eager_copy((int)size, rows, to + at * width + k * size, width, x[k].data + at * step, step);
		}
	if (!to) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_JOIN, (PyObject *)made, dtype, x[0].array, n > 1 ? x[1].array : NULL);
	return (PyObject *)made;
}

// joined puts n arrays together; they have been looked at.
static PyObject *joined(part *parts, Py_ssize_t n, int dtype, int ndim, int at, const int64_t *shape)
{
	weft_array *made = weft_many_made(dtype, ndim, shape);
	int64_t outer = 1, inner = weft_sizes[dtype], done = 0;
	for (int i = 0; i < at; i++)
		outer *= shape[i];
	for (int i = at + 1; i < ndim; i++)
		inner *= shape[i];
	for (Py_ssize_t k = 0; made && k < n; k++) {
		weft_few x;
		if (parts[k].along == 0)
			continue;
		int fits = weft_fits_of(parts[k].o, 0, &x);
		int64_t run = parts[k].along * inner, step = run, even = fits ? evenly(&x, dtype, run) : 0;
		if (even)
			step = even;
		char *from = even ? x.data : fits ? weft_few_packed(&x, dtype, weft_scratch[1]) : NULL;
		char *to = weft_data(made); // opening a part may have shut it
		if (from && to && outer > 1 && (run == 1 || run == 2 || run == 4 || run == 8 || run == 16)) // a column, as of elements of so many bytes
			eager_copy((int)run, outer, to + done, shape[at] * inner, from, step);
		else
			for (int64_t i = 0; from && to && i < outer; i++)
				vm_copy(to + i * shape[at] * inner + done, from + i * run, (size_t)run);
		done += run;
		if (!from || !to)
			Py_CLEAR(made);
	}
	if (made)
		weft_note_made(WEFT_NOTE_JOIN, (PyObject *)made, dtype, (weft_array *)parts[0].o, n > 1 ? (weft_array *)parts[1].o : NULL);
	return (PyObject *)made;
}

// promoted is the dtype that arrays of some dtypes have together, 0 where that is not known. Floats and complex numbers come first, as NumPy has it: int8, uint16
// and float16 are float32 then, and not the float64 that the first two of them and the last one are.
static int promoted(uint32_t dtypes)
{
	int dtype = 0;
	for (int i = 0, all = 32; i < all; i++) {
		const int each = (i + WEFT_FIRST_INEXACT) % all;
		if (dtypes >> each & 1 && (dtype = dtype ? weft_promoted(dtype, each) : each) == 0)
			return 0;
	}
	return dtype;
}

PyObject *weft_few_join(int kind, PyObject *const *args)
{
	PyObject *list = args[0], *made = NULL;
	if (!weft_eager || (!PyList_CheckExact(list) && !PyTuple_CheckExact(list)))
		return NULL;
	Py_ssize_t n = PyList_CheckExact(list) ? PyList_Size(list) : PyTuple_Size(list), taken = 0;
	int axis = 0, at = 0, ndim = 0, dtype = 0;
	if (kind == WEFT_CONCATENATE || kind == WEFT_STACK) {
		if (!PyLong_CheckExact(args[1]))
			return NULL;
		int overflow;
		long long given = PyLong_AsLongLongAndOverflow(args[1], &overflow);
		if (overflow || given < -WEFT_NEAR || given > WEFT_NEAR)
			return NULL;
		axis = (int)given;
	}
	uint32_t dtypes = 0; // a bit for each of the parts'
	part usual[USUAL], *parts = n <= USUAL ? usual : malloc((size_t)n * sizeof *parts);
	if (n == 0 || !parts)
		return NULL; // the general function finds that out as well
	int64_t shape[WEFT_NEAR], size = 1;
	int many = 0; // whether one has more elements than what is done at once has otherwise
	for (; taken < n; taken++) {
		part *p = &parts[taken];
		weft_few x;
		int axes, along;
		if (!take(item(list, taken), p))
			break;
		int empty = kind != WEFT_STACK && kind != WEFT_COLUMN_STACK && is_empty(p->o, &x);
		int few = empty || weft_fits_of(p->o, 0, &x), fits = (few || is_column(kind, p->o, &x)) && (x.l->contiguous || x.l->ndim == 1 || weft_falls(x.l, 0)) && seen(kind, x.l, axis, p, &axes, &along);
		if (fits)
			dtypes |= 1u << x.l->dtype;
		if (fits && taken == 0) {
			ndim = axes;
			at = along;
			memcpy(shape, p->shape, sizeof shape);
		} else if (fits) {
			fits = axes == ndim && along == at;
			for (int i = 0; fits && i < ndim; i++)
				fits = i == at || shape[i] == p->shape[i];
			shape[at] += p->along;
		}
		many |= !few;
		if (!fits) {
			taken++;
			goto done;
		}
	}
	for (int i = 0; i < ndim; i++)
		size *= shape[i];
	dtype = promoted(dtypes);
	if (taken == n && many && dtype)
		made = woven(parts, n, dtype, shape);
	else if (taken == n && size <= MOST && dtype)
		made = joined(parts, n, dtype, ndim, at, shape);
done:
	for (Py_ssize_t i = 0; i < taken; i++)
		if (parts[i].made)
			Py_DECREF(parts[i].o);
	if (parts != usual)
		free(parts);
	return made;
}

// append_alone is append of a Python number to many elements, where that stands alone: see chain.c.
static PyObject *append_alone(PyObject *array, const weft_value *v)
{
	enum { INT64 = 5, FLOAT64 = 12 }; // tile.DTypes
	weft_few x;
	weft_layout all;
	char one[EAGER_WIDEST];
	if (v->dtype || !weft_alone_of(array, &x) || !x.l->contiguous || (x.l->dtype != FLOAT64 && (x.l->dtype != INT64 || v->kind != WEFT_INT)) || !weft_write(v, x.l->dtype, one))
		return NULL;
	weft_lay(&all, x.l->dtype, 1, &(int64_t){x.l->size + 1});
	weft_array *made = weft_new_alone(&all);
	if (!made)
		return NULL;
	const int64_t size = weft_sizes[x.l->dtype], bytes = x.l->size * size;
	vm_copy(made->bytes, x.data, (size_t)bytes);
	memcpy(made->bytes + bytes, one, (size_t)size);
	weft_note_made(WEFT_NOTE_JOIN, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}

// append_along is append(arr, values, axis): both are put together.
static PyObject *append_along(PyObject *const *args, PyObject *axis)
{
	PyObject *both = PyTuple_Pack(2, args[0], args[1]), *made = both ? weft_few_join(WEFT_CONCATENATE, (PyObject *[]){both, axis}) : NULL;
	Py_XDECREF(both);
	return made;
}

// append(arr, values) of a vector: one more, or some.
PyObject *weft_cut_append(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_value v;
	if (n == 2 && names && PyTuple_Size(names) == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "axis") == 0 && Py_TYPE(args[0]) == weft_array_type)
		return append_along(args, args[2]);
	const weft_layout *l = weft_eager && n == 2 && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim != 1)
		return NULL;
	if (!weft_fits(l->size, l->dtype))
		return weft_number(args[1], &v) ? append_alone(args[0], &v) : NULL;
	PyObject *more = NULL, *both = NULL, *made = NULL, *axis = PyLong_FromLong(0);
	if (Py_TYPE(args[1]) == weft_array_type) {
		const weft_layout *m = weft_layout_of((weft_array *)args[1]);
		more = m && m->ndim == 1 ? Py_NewRef(args[1]) : NULL;
	} else if (PyList_CheckExact(args[1])) {
		more = Py_NewRef(args[1]);
	} else if (weft_number(args[1], &v) && !v.dtype && (more = PyList_New(1)) != NULL) {
		PyList_SetItem(more, 0, Py_NewRef(args[1]));
	}
	if (more && axis && (both = PyTuple_Pack(2, args[0], more)) != NULL)
		made = weft_few_join(WEFT_CONCATENATE, (PyObject *[]){both, axis});
	Py_XDECREF(axis);
	Py_XDECREF(more);
	Py_XDECREF(both);
	return made;
}

// lined_number makes an array of one number for r_, of the dtype that the arrays beside it have; NULL, without an exception, where NumPy has to find the dtype.
static PyObject *lined_number(PyObject *o, int dtype)
{
	enum { INT64 = 5, FLOAT64 = 12 }; // tile.DTypes
	weft_value v;
	const int64_t one = 1;
	char data[16];
	if (!weft_number(o, &v) || v.dtype || v.kind == WEFT_BOOL || (dtype != FLOAT64 && (dtype != INT64 || v.kind != WEFT_INT)) || !weft_write(&v, dtype, data))
		return NULL;
	return weft_small_of(dtype, 1, &one, data, weft_sizes[dtype]);
}

// np.r_[...] of some arrays, and numbers beside those of the usual dtypes, and np.c_[...] of arrays, where columns is True
PyObject *weft_cut_lined(PyObject *columns, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	PyObject *key = n == 1 && !names && PyTuple_CheckExact(args[0]) ? args[0] : NULL, *made = NULL, *axis = NULL;
	const Py_ssize_t parts = key ? PyTuple_Size(key) : 0;
	int dtype = 0, alike = 1, arrays = 0;
	for (Py_ssize_t i = 0; i < parts; i++) {
		PyObject *o = PyTuple_GetItem(key, i);
		const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
		if (l && (l->ndim < 1 || (columns == Py_True && l->ndim > 2)))
			return NULL;
		alike = alike && (!l || !dtype || dtype == l->dtype);
		dtype = l ? l->dtype : dtype;
		arrays += l != NULL;
	}
	if (arrays == 0 || (arrays < parts && (!alike || columns == Py_True)))
		return NULL;
	PyObject *list = PyTuple_New(parts);
	for (Py_ssize_t i = 0; list && i < parts; i++) {
		PyObject *o = PyTuple_GetItem(key, i), *item = Py_TYPE(o) == weft_array_type ? Py_NewRef(o) : lined_number(o, dtype);
		if (item)
			PyTuple_SetItem(list, i, item);
		else
			Py_CLEAR(list);
	}
	if (list && (axis = PyLong_FromLong(0)))
		made = weft_few_join(columns == Py_True ? WEFT_COLUMN_STACK : WEFT_CONCATENATE, (PyObject *[]){list, axis});
	Py_XDECREF(axis);
	Py_XDECREF(list);
	return made;
}
