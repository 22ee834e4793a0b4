//go:build extension

// Views that are no index: other shapes and orders of axes. They are made without Go, of arrays of any size; what has to be
// copied for them is copied here where the elements are few.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <string.h>

enum { FLOAT32 = 11, FLOAT64 = 12, COMPLEX64 = 13 }; // tile.DTypes

// whole reads an int of the general size.
static int whole(PyObject *o, int64_t *to)
{
	int overflow;
	if (!PyLong_CheckExact(o))
		return 0;
	*to = PyLong_AsLongLongAndOverflow(o, &overflow);
	return overflow == 0;
}

// wholes reads an int or a tuple or list of ints, how many; -1 for what the general functions have to read. A tuple of one tuple,
// as a method gets it, is the inner one.
static int wholes(PyObject *o, int64_t *to)
{
	if (PyTuple_CheckExact(o) && PyTuple_Size(o) == 1 && PyTuple_CheckExact(PyTuple_GetItem(o, 0)))
		o = PyTuple_GetItem(o, 0);
	int list = PyList_CheckExact(o);
	if (!list && !PyTuple_CheckExact(o))
		return whole(o, to) ? 1 : -1;
	Py_ssize_t n = list ? PyList_Size(o) : PyTuple_Size(o);
	if (n > WEFT_NEAR)
		return -1;
	for (Py_ssize_t i = 0; i < n; i++)
		if (!whole(list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), &to[i]))
			return -1;
	return (int)n;
}

static int axis_of(int64_t axis, int ndim) { return axis < -ndim || axis >= ndim ? -1 : (int)(axis < 0 ? axis + ndim : axis); }

static PyObject *seen(weft_array *a, weft_layout *to)
{
	to->known = 1;
	to->contiguous = weft_is_contiguous(to);
	return weft_view_of(a, to, a->place.offset);
}

// packed copies few elements to a new array without gaps.
static PyObject *packed(PyObject *o, int ndim, const int64_t *shape)
{
	weft_few x;
	if (!weft_fits_of(o, 0, &x))
		return NULL;
	weft_array *made = weft_new_packed(x.l->dtype, ndim, shape);
	if (!made)
		return NULL;
	eager_layout e = {x.l->ndim, x.l->size, x.l->shape, x.l->strides};
	if (x.l->contiguous)
		memcpy(made->bytes, x.data, (size_t)(x.l->size * weft_sizes[x.l->dtype]));
	else
		eager_pack(weft_sizes[x.l->dtype], &e, x.data, made->bytes);
	weft_note(WEFT_NOTE_COPY, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}

// regrouped gives a new shape the strides of a view of elements that do not lie side by side. Axes that together have as many elements as some of
// the new ones are cut into these, where they are evenly apart. Axes of one element go with those after them, or, from the last axis to the first, with those
// before them, as NumPy counts their strides. 0 where there is no such view.
//
//	old shape    4      3  2        of strides 60, 16, 8
//	new shape    2  2   6           gets 120, 60, 8 where 16 is 2 * 8, and is no view otherwise
static int regrouped(const weft_layout *l, weft_layout *to, int backwards)
{
	int64_t shape[WEFT_NEAR], strides[WEFT_NEAR];
	int low = 0, high = 0, to_low = 0, to_high = to->ndim; // what is left of both
	for (int i = 0; i < l->ndim; i++)
		if (l->shape[i] != 1) {
			shape[high] = l->shape[i];
			strides[high++] = l->strides[i];
		}
	while (low < high && to_low < to_high) {
		int first = backwards ? high - 1 : low, last = first, to_first = backwards ? to_high - 1 : to_low, to_last = to_first;
		int64_t have = shape[first], want = to->shape[to_first];
		while (have != want)
			if (want < have)
				want *= to->shape[backwards ? --to_first : ++to_last];
			else
				have *= shape[backwards ? --first : ++last];
		for (int i = first; i < last; i++)
			if (strides[i] != shape[i + 1] * strides[i + 1])
				return 0;
		int64_t step = strides[last];
		for (int i = to_last; i >= to_first; step *= to->shape[i--])
			to->strides[i] = step;
		if (backwards) {
			high = first;
			to_high = to_first;
		} else {
			low = last + 1;
			to_low = to_last + 1;
		}
	}
	const int64_t size = weft_sizes[l->dtype];
	for (; !backwards && to_low < to_high; to_low++) // axes of one element that are left
		to->strides[to_low] = to_low > 0 ? to->strides[to_low - 1] : size;
	for (; backwards && to_high > 0; to_high--)
		to->strides[to_high - 1] = to_high < to->ndim ? to->strides[to_high] * to->shape[to_high] : size;
	return 1;
}

// reshape lays n axes over the elements in the order of C; backwards says that the axes of both stand the other way than the program's.
static PyObject *reshape(weft_array *a, const weft_layout *l, int n, int64_t *shape, int backwards)
{
	int64_t known = 1;
	int unknown = -1;
	if (n < 0 || l->size == 0)
		return NULL;
	for (int i = 0; i < n; i++) {
		if (shape[i] < 0 ? unknown >= 0 : shape[i] == 0 || shape[i] > l->size)
			return NULL;
		if (shape[i] < 0)
			unknown = i;
		else if (shape[i] > l->size / known) // also a product that no int64 has
			return NULL;
		else
			known *= shape[i];
	}
	if (l->size % known)
		return NULL;
	if (unknown >= 0)
		shape[unknown] = l->size / known;
	else if (known != l->size)
		return NULL;
	weft_layout to = *l;
	if (unknown < 0 && n == l->ndim && memcmp(shape, l->shape, (size_t)n * sizeof *shape) == 0)
		return seen(a, &to); // as it is, also along axes of one element
	weft_lay(&to, l->dtype, n, shape);
	if (l->contiguous || regrouped(l, &to, backwards))
		return seen(a, &to);
	PyObject *made = packed((PyObject *)a, n, shape);
	weft_layout base; // the copy, of the old shape
	weft_lay(&base, l->dtype, l->ndim, l->shape);
	if (made && backwards) {
		for (int i = 0; i < l->ndim; i++)
			base.shape[i] = l->shape[l->ndim - 1 - i];
		weft_fortran(&base);
	}
	return made ? weft_seen_in(made, &base) : NULL;
}

static PyObject *permuted(weft_array *a, const weft_layout *l, const int *order)
{
	weft_layout to = *l;
	for (int i = 0; i < l->ndim; i++) {
		to.shape[i] = l->shape[order[i]];
		to.strides[i] = l->strides[order[i]];
	}
	return seen(a, &to);
}

static PyObject *as_it_is(weft_array *a, weft_layout l) { return seen(a, &l); }

// as_dtype is view(dtype): the same bytes as elements of another size, where the last axis has them side by side. The general function knows what NumPy
// refuses, and what sees bools as bytes.
static PyObject *as_dtype(weft_array *a, PyObject *wanted)
{
	const int dtype = weft_dtype_of_few(wanted); // first, as it may run Python code
	const weft_layout *l = dtype > WEFT_BOOL_DTYPE ? weft_viewed(a) : NULL;
	if (!l || l->dtype == WEFT_BOOL_DTYPE)
		return NULL;
	const int last = l->ndim - 1;
	weft_layout to = *l;
	const int64_t had = weft_sizes[l->dtype], has = weft_sizes[dtype];
	to.dtype = dtype;
	if (had != has) {
		if (last < 0 || l->size == 0 || l->strides[last] != had || l->shape[last] * had % has || a->place.offset % has)
			return NULL;
		for (int i = 0; i < last; i++)
			if (l->strides[i] % has)
				return NULL;
		to.shape[last] = l->shape[last] * had / has;
		to.strides[last] = has;
		to.size = l->size / l->shape[last] * to.shape[last];
	}
	return seen(a, &to);
}

static PyObject *reversed(weft_array *a, const weft_layout *l)
{
	int order[WEFT_NEAR];
	for (int i = 0; i < l->ndim; i++)
		order[i] = l->ndim - 1 - i;
	return permuted(a, l, order);
}

PyObject *weft_transposed(PyObject *self)
{
	const weft_layout *l = weft_viewed((weft_array *)self);
	return l ? reversed((weft_array *)self, l) : NULL;
}

static PyObject *transpose(weft_array *a, const weft_layout *l, PyObject *axes)
{
	int64_t given[WEFT_NEAR];
	int order[WEFT_NEAR], seen_axes = 0;
	if (axes == Py_None || axes == weft_no_value)
		return reversed(a, l);
	int n = wholes(axes, given);
	if (n != l->ndim || n == 0)
		return NULL;
	for (int i = 0; i < n; i++) {
		order[i] = axis_of(given[i], n);
		if (order[i] < 0 || seen_axes >> order[i] & 1)
			return NULL;
		seen_axes |= 1 << order[i];
	}
	return permuted(a, l, order);
}

static PyObject *swapped(weft_array *a, const weft_layout *l, PyObject *one, PyObject *other)
{
	int64_t x, y;
	int order[WEFT_NEAR];
	if (!whole(one, &x) || !whole(other, &y) || (x = axis_of(x, l->ndim)) < 0 || (y = axis_of(y, l->ndim)) < 0)
		return NULL;
	for (int i = 0; i < l->ndim; i++)
		order[i] = i == x ? (int)y : i == y ? (int)x : i;
	return permuted(a, l, order);
}

static PyObject *squeezed(weft_array *a, const weft_layout *l, PyObject *axis)
{
	weft_layout to = *l;
	int64_t given;
	int only = -1;
	if (axis != Py_None && (!whole(axis, &given) || (only = axis_of(given, l->ndim)) < 0 || l->shape[only] != 1))
		return NULL;
	to.ndim = 0;
	for (int i = 0; i < l->ndim; i++) {
		if (only < 0 ? l->shape[i] == 1 : i == only)
			continue;
		to.shape[to.ndim] = l->shape[i];
		to.strides[to.ndim++] = l->strides[i];
	}
	return to.ndim == l->ndim ? Py_NewRef((PyObject *)a) : seen(a, &to);
}

static PyObject *expanded(weft_array *a, const weft_layout *l, PyObject *axis)
{
	int64_t given, shape[WEFT_NEAR];
	int at;
	if (l->ndim == WEFT_NEAR || !whole(axis, &given) || (at = axis_of(given, l->ndim + 1)) < 0)
		return NULL;
	for (int i = 0; i <= l->ndim; i++)
		shape[i] = i == at ? 1 : l->shape[i - (i > at)];
	return reshape(a, l, l->ndim + 1, shape, 0);
}

// diagonal is that of a matrix; it is read-only.
static PyObject *diagonal(weft_array *a, const weft_layout *l, int64_t k)
{
	if (l->ndim != 2 || k >= l->shape[1] || k <= -l->shape[0])
		return NULL;
	int64_t rows = l->shape[0] + (k < 0 ? k : 0), columns = l->shape[1] - (k > 0 ? k : 0);
	weft_layout to = *l;
	to.ndim = 1;
	to.shape[0] = to.size = rows < columns ? rows : columns;
	to.strides[0] = l->strides[0] + l->strides[1];
	to.known = 1;
	to.contiguous = weft_is_contiguous(&to);
	PyObject *made = weft_view_of(a, &to, a->place.offset + (k > 0 ? k * l->strides[1] : -k * l->strides[0]));
	if (made)
		((weft_array *)made)->place.readonly = 1;
	return made;
}

static PyObject *flipped(weft_array *a, const weft_layout *l, PyObject *axis)
{
	weft_layout to = *l;
	int64_t given, offset = a->place.offset;
	int only = -1;
	if (l->size == 0 || l->ndim == 0 || (axis != Py_None && (!whole(axis, &given) || (only = axis_of(given, l->ndim)) < 0)))
		return NULL;
	for (int i = 0; i < l->ndim; i++)
		if (only < 0 || i == only) {
			offset += (l->shape[i] - 1) * l->strides[i];
			to.strides[i] = -l->strides[i];
		}
	to.known = 1;
	to.contiguous = weft_is_contiguous(&to);
	return weft_view_of(a, &to, offset);
}

// no_part is the imaginary part of reals: read-only zeros.
static PyObject *no_part(weft_array *a, const weft_layout *l)
{
	PyObject *zeros = weft_fits(l->size, l->dtype) ? weft_few_like(WEFT_LIKE_ZEROS, (PyObject *[]){(PyObject *)a, Py_None}) : NULL;
	PyObject *done = zeros ? PyObject_CallMethod(zeros, "setflags", "i", 0) : NULL;
	if (!done)
		Py_CLEAR(zeros);
	Py_XDECREF(done);
	return zeros;
}

// part is the real or imaginary part of complex elements, or an array of reals itself.
static PyObject *part(weft_array *a, const weft_layout *l, int imaginary)
{
	weft_layout to = *l;
	if (l->dtype < COMPLEX64)
		return imaginary ? no_part(a, l) : Py_NewRef((PyObject *)a);
	to.dtype = l->dtype == COMPLEX64 ? FLOAT32 : FLOAT64;
	to.known = 1;
	to.contiguous = weft_is_contiguous(&to);
	return weft_view_of(a, &to, a->place.offset + (imaginary ? weft_sizes[to.dtype] : 0));
}

// reshaped is reshape in the order of C, or of Fortran: that is C's of the array whose axes stand the other way.
static PyObject *reshaped(weft_array *a, const weft_layout *l, PyObject *dims, int fortran)
{
	int64_t shape[WEFT_NEAR];
	int n = wholes(dims, shape);
	if (!fortran)
		return reshape(a, l, n, shape, 0);
	for (int i = 0; i < n / 2; i++) {
		int64_t other = shape[n - 1 - i];
		shape[n - 1 - i] = shape[i];
		shape[i] = other;
	}
	weft_array *turned = (weft_array *)reversed(a, l);
	PyObject *laid = turned ? reshape(turned, &turned->at, n, shape, 1) : NULL, *made = laid ? weft_transposed(laid) : NULL;
	Py_XDECREF((PyObject *)turned);
	Py_XDECREF(laid);
	return made;
}

PyObject *weft_few_view(int kind, PyObject *const *args)
{
	weft_array *a = (weft_array *)args[0];
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_viewed(a) : NULL;
	if (!l)
		return NULL;
	switch (kind) {
	case WEFT_RESHAPE: return reshaped(a, l, args[1], 0);
	case WEFT_RESHAPE_FORTRAN: return reshaped(a, l, args[1], 1);
	case WEFT_TRANSPOSE: return transpose(a, l, args[1]);
	case WEFT_SWAPAXES: return swapped(a, l, args[1], args[2]);
	case WEFT_SQUEEZE: return squeezed(a, l, args[1]);
	case WEFT_EXPAND_DIMS: return expanded(a, l, args[1]);
	case WEFT_DIAGONAL: return diagonal(a, l, PyLong_AsLongLong(args[1])); // of a number that fits
	case WEFT_FLIP: return flipped(a, l, args[1]);
	case WEFT_REAL: return part(a, l, 0);
	case WEFT_IMAG: return part(a, l, 1);
	case WEFT_FLATTEN: return packed(args[0], 1, &l->size);
	case WEFT_VIEW: return args[1] ? as_dtype(a, args[1]) : as_it_is(a, *l);
	}
	if (!l->contiguous) // ravel
		return packed(args[0], 1, &l->size);
	weft_layout flat;
	weft_lay(&flat, l->dtype, 1, &l->size);
	return seen(a, &flat);
}

// astype_alone is weft_few_astype of many elements side by side.
static PyObject *astype_alone(PyObject *array, int dtype)
{
	weft_few x;
	weft_layout as;
	if (!weft_alone_of(array, &x))
		return NULL;
	weft_lay(&as, dtype, x.l->ndim, x.l->shape);
	const void *code = weft_conversion_code(x.l->dtype, dtype);
	weft_array *made = code ? weft_new_alone(&as) : NULL;
	if (!made)
		return NULL;
	char *in[EAGER_INPUTS] = {x.data};
	eager_lower();
	eager_lets_sleep = 1;
	eager_map(code, x.l->size, made->bytes, in, 0, NULL);
	eager_lets_sleep = 0;
	weft_floating_cast(x.l, x.data, dtype, made->bytes);
	weft_note(WEFT_NOTE_COPY, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}

PyObject *weft_few_astype(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int dtype = weft_dtype_of_few(args[1]); // first, as it may run Python code
	if (dtype <= 0)
		return NULL;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (l && l->size == 0 && l->ndim == 1 && !(l->dtype >= COMPLEX64 && dtype < COMPLEX64 && dtype != WEFT_BOOL_DTYPE))
		return (PyObject *)weft_new_packed(dtype, 1, l->shape);
	if (l && l->contiguous && l->dtype != dtype && !weft_fits(l->size, l->dtype))
		return astype_alone(args[0], dtype);
	if (!weft_fits_of(args[0], 0, &x))
		return NULL;
	int order[WEFT_NEAR], moves = weft_order_of_copy(x.l, order);
	if (x.l->dtype == dtype)
		return weft_keeping_copy(args[0]);
	weft_layout turned;
	if (moves) {
		weft_permute(&turned, x.l, x.l->ndim, order);
		x.l = &turned;
	}
	const void *code = weft_fits(x.l->size, dtype) ? weft_conversion_code(x.l->dtype, dtype) : NULL;
	char *from = code ? weft_few_packed(&x, x.l->dtype, weft_scratch[1]) : NULL, *in[EAGER_INPUTS] = {from};
	weft_array *made = from ? weft_new_packed(dtype, x.l->ndim, x.l->shape) : NULL;
	if (!made)
		return NULL;
	eager_lower();
	eager_map(code, x.l->size, made->bytes, in, 0, NULL);
	weft_layout packed; // as the elements lie by now
	weft_lay(&packed, x.l->dtype, x.l->ndim, x.l->shape);
	weft_floating_cast(&packed, from, dtype, made->bytes);
	if (moves)
		weft_put_back(&made->at, &made->at, order);
	weft_note_made(WEFT_NOTE_COPY, (PyObject *)made, dtype, x.array, NULL);
	return (PyObject *)made;
}

PyObject *weft_few_reals(PyObject *a, PyObject *wanted)
{
	int dtype = weft_dtype_of_few(wanted), before = weft_wrongs;
	if (dtype < 0)
		return NULL;
	const weft_layout *l = Py_TYPE(a) == weft_array_type ? weft_viewed((weft_array *)a) : NULL;
	if (!l || l->dtype < COMPLEX64 || dtype <= WEFT_BOOL_DTYPE || dtype >= COMPLEX64 || !weft_fits(l->size, l->dtype))
		return NULL;
	PyObject *reals = part((weft_array *)a, l, 0), *made = reals ? weft_few_astype(0, (PyObject *[]){reals, wanted}) : NULL;
	Py_XDECREF(reals);
	int order[WEFT_NEAR];
	if (made && Py_TYPE(made) == weft_array_type && !((weft_array *)made)->handle && l->ndim > 1) { // it lies as a copy of the complex elements would, also along axes of one
		if (!weft_order_of_copy(l, order))
			for (int i = 0; i < l->ndim; i++)
				order[i] = i;
		weft_lay_in(&((weft_array *)made)->at, order);
	}
	if (made && weft_warn_discards(1) < 0) {
		Py_CLEAR(made);
		weft_wrongs = before;
	}
	return made;
}
