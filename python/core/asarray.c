//go:build extension

// array(object) and asarray(object) of what weft answers itself: numbers, lists of them, arrays, lists of arrays of one shape.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { FLOAT64 = 12 }; // a tile.DType

// of_arrays is the array that NumPy makes of an array of few elements, a copy, or of a list of such of one shape; dtype is 0 for theirs.
// NULL where the general function has to look.
static PyObject *of_arrays(PyObject *o, int is_given, int dtype)
{
	if (Py_TYPE(o) == weft_array_type) {
		const weft_layout *l = weft_layout_of((weft_array *)o);
		if (!l)
			return NULL;
		if (is_given && (!dtype || dtype == l->dtype))
			return Py_NewRef(o);
		return dtype && dtype != l->dtype ? weft_few_astype(0, (PyObject *[]){o, weft_dtype_object(dtype)}) : weft_keeping_copy(o);
	}
	const weft_layout *first = NULL;
	for (Py_ssize_t i = 0; i < weft_items(o); i++) {
		PyObject *row = weft_item_of(o, i);
		const weft_layout *l = Py_TYPE(row) == weft_array_type ? weft_layout_of((weft_array *)row) : NULL;
		if (!l || l->ndim == 0 || (first && l->ndim != first->ndim) || (first && memcmp(l->shape, first->shape, (size_t)l->ndim * sizeof *l->shape)))
			return NULL;
		first = first ? first : l;
	}
	PyObject *zero = first && !dtype ? PyLong_FromLong(0) : NULL, *made = zero ? weft_few_join(WEFT_STACK, (PyObject *[]){o, zero}) : NULL;
	Py_XDECREF(zero);
	return made;
}

PyObject *weft_of_list(PyObject *list)
{
	PyObject *made = weft_items(list) > 0 && Py_TYPE(weft_item_of(list, 0)) == weft_array_type ? of_arrays(list, 1, 0) : NULL;
	return made || PyErr_Occurred() ? made : weft_numbers_as(list, 0);
}

// in_order returns an array that nothing else has where the elements lie in an order: of those of o, or of what a cast made of them, which is given up.
static PyObject *in_order(char order, PyObject *o, PyObject *cast)
{
	const weft_layout *l = cast ? weft_layout_of((weft_array *)cast) : NULL;
	if (l && (order == 'K' || (order == 'C' ? l->contiguous : weft_is_fortran(l))))
		return cast;
	PyObject *of = cast ? cast : o, *made = order == 'K' ? weft_keeping_copy(of) : order == 'C' ? weft_eager_copy(of) : weft_fortran_copy(of);
	Py_XDECREF(cast);
	return made;
}

static int letter(PyObject *o)
{
	static const char *const orders[] = {"K", "A", "C", "F"};
	for (int i = 0; PyUnicode_CheckExact(o) && i < 4; i++)
		if (PyUnicode_CompareWithASCIIString(o, orders[i]) == 0)
			return *orders[i];
	return o == Py_None ? 'K' : 0;
}

// with_more_axes is a view with axes of one element before those of an array. NumPy has their steps be as long as all of the array, or as one element where the order of
// Fortran is asked for, or is all that the array has.
static PyObject *with_more_axes(weft_array *a, int axes, PyObject *order)
{
	const weft_layout *l = weft_layout_of(a);
	if (!l)
		return NULL;
	weft_layout to = *l;
	const int more = axes - l->ndim, fortran = letter(order) == 'F' || (!l->contiguous && weft_is_fortran(l));
	for (int i = 0; i < axes; i++) {
		to.shape[i] = i < more ? 1 : l->shape[i - more];
		to.strides[i] = i >= more ? l->strides[i - more] : fortran ? weft_sizes[l->dtype] : l->strides[0] * l->shape[0];
	}
	to.ndim = axes;
	return weft_view_of(a, &to, a->place.offset);
}

PyObject *weft_laid(int is_given, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *o = args[0], *wanted = n > 1 ? args[1] : Py_None, *order = n > 2 ? args[2] : Py_None, *copy = is_given ? Py_None : Py_True, *least = NULL;
	const weft_layout *l = weft_layout_of((weft_array *)o);
	if (!l || n > (is_given ? 3 : 2))
		return NULL;
	for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++) {
		PyObject *name = PyTuple_GetItem(names, k), **to = NULL;
		if (n < 2 && PyUnicode_CompareWithASCIIString(name, "dtype") == 0)
			to = &wanted;
		else if (n < 3 && PyUnicode_CompareWithASCIIString(name, "order") == 0)
			to = &order;
		else if (PyUnicode_CompareWithASCIIString(name, "copy") == 0)
			to = &copy;
		else if (!is_given && PyUnicode_CompareWithASCIIString(name, "ndmin") == 0)
			to = &least;
		if (!to)
			return NULL;
		*to = args[n + k];
	}
	int dtype = wanted == Py_None ? l->dtype : weft_dtype_of_few(wanted), lies = letter(order);
	if (dtype < 0)
		return NULL;
	long axes = least && PyLong_CheckExact(least) ? PyLong_AsLong(least) : least ? -1 : 0;
	if (axes == -1 && PyErr_Occurred())
		PyErr_Clear(); // an int that is no long
	if (dtype == 0 || !lies || axes < 0 || axes > WEFT_NEAR || l->ndim == 0 || l->size == 0 || (copy != Py_True && copy != Py_None && copy != Py_False))
		return NULL;
	if (axes > l->ndim && !l->contiguous && l->ndim != 1)
		return NULL;
	int fits = lies == 'K' || lies == 'A' || (lies == 'C' ? l->contiguous : weft_is_fortran(l));
	PyObject *made = NULL;
	if (dtype == l->dtype && fits && copy != Py_True) {
		made = Py_NewRef(o);
	} else if (copy != Py_False) {
		lies = lies != 'A' ? lies : dtype != l->dtype ? 'K' : weft_is_fortran(l) && !l->contiguous ? 'F' : 'C'; // as NumPy has it
		PyObject *cast = dtype != l->dtype ? weft_few_astype(0, (PyObject *[]){o, weft_dtype_object(dtype)}) : NULL;
		made = cast || dtype == l->dtype ? in_order((char)lies, o, cast) : NULL;
	}
	if (made && axes > l->ndim)
		weft_set(&made, with_more_axes((weft_array *)made, (int)axes, order));
	return made;
}

static int is_plain(PyObject *o) { return PyUnicode_CheckExact(o) || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || o == Py_None; }

// is_text says whether a list has words of text and numbers alone, a word first, or anything of these where they become objects or others that weft has not, such as records,
// each of which is a tuple. NumPy makes such arrays.
static int is_text(PyObject *o, int others)
{
	Py_ssize_t n = PyList_CheckExact(o) || PyTuple_CheckExact(o) ? weft_items(o) : 0, i = 0;
	if (n == 0 || !(others || PyUnicode_CheckExact(weft_item_of(o, 0))))
		return 0;
	for (PyObject *each; i < n && (each = weft_item_of(o, i)); i++) {
		Py_ssize_t fields = others && PyTuple_CheckExact(each) ? PyTuple_Size(each) : -1;
		for (Py_ssize_t k = 0; k < fields; k++)
			if (!is_plain(PyTuple_GetItem(each, k)))
				return 0;
		if (fields < 0 && !is_plain(each))
			return 0;
	}
	return i == n;
}

// of_range is the array of a range of Python's, as arange makes it of the same numbers. NULL where the general function has to look.
static PyObject *of_range(PyObject *range, int dtype)
{
	static const char *const names[] = {"start", "stop", "step"};
	enum { INT64 = 5, EXACT = 1 << 30 }; // a tile.DType; floats count up to far more without rounding
	PyObject *args[4] = {NULL, NULL, NULL, Py_None}, *made = NULL;
	int overflow = 0, known = PyObject_Length(range) > 0 && (!dtype || dtype == INT64 || dtype == FLOAT64);
	for (int i = 0; i < 3 && known; i++) {
		args[i] = PyObject_GetAttrString(range, names[i]);
		const int64_t v = args[i] ? PyLong_AsLongLongAndOverflow(args[i], &overflow) : EXACT;
		known = args[i] && !overflow && v < EXACT && v > -EXACT;
	}
	args[3] = dtype ? weft_dtype_object(dtype) : Py_None;
	if (known)
		made = weft_make_literal(WEFT_MAKES_RANGE, args, 4);
	for (int i = 0; i < 3; i++)
		Py_XDECREF(args[i]);
	if (!made)
		PyErr_Clear(); // a range as long as no int64 counts, among others: the general function finds that out as well
	return made;
}

// weft_cut_numbers is array(object, dtype) and asarray(object, dtype) without a word on anything else, other than that array is to copy, and of an array how it is to lie; a true
// about says that the latter gives an array back.
PyObject *weft_cut_numbers(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	if (n == 1 && !names && about == Py_True && (Py_TYPE(args[0]) == weft_array_type || weft_is_unknown(args[0]))) // asarray(x), which is NumPy's where weft has no such dtype
		return Py_NewRef(args[0]);
	ENTER(NULL)
	PyObject *wanted = n > 1 ? args[1] : Py_None, *laid = n > 0 && Py_TYPE(args[0]) == weft_array_type ? weft_laid(about == Py_True, args, n, names) : NULL;
	if (laid || PyErr_Occurred())
		return laid;
	int is_given = about == Py_True, dtype = 0;
	if (n == 0 || n > 2)
		return NULL;
	for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++) {
		PyObject *name = PyTuple_GetItem(names, k);
		if (n == 1 && PyUnicode_CompareWithASCIIString(name, "dtype") == 0)
			wanted = args[n + k];
		else if (is_given || PyUnicode_CompareWithASCIIString(name, "copy") != 0 || args[n + k] != Py_True)
			return NULL;
	}
	if (wanted == Py_None && weft_is_unknown(args[0])) // which is NumPy's in any case
		return is_given ? Py_NewRef(args[0]) : weft_copy_of_unknown(args[0]);
	if (is_text(args[0], wanted == (PyObject *)&PyBaseObject_Type || weft_is_unknown_dtype(wanted))) {
		PyObject *makes = weft_hook(is_given ? "numpy_asarray" : "numpy_array"), *text = makes ? PyObject_Vectorcall(makes, args, (size_t)n, names) : NULL;
		return text ? weft_taken(text) : NULL;
	}
	if (wanted != Py_None) {
		dtype = weft_dtype_of_few(wanted);
		if (dtype <= 0)
			return NULL;
	}
	if (weft_ensure_started() < 0)
		return NULL;
	PyObject *copy = is_given ? NULL : weft_few_of_host(args[0]);
	if (copy && dtype && dtype != ((weft_array *)copy)->at.dtype) {
		PyObject *cast = weft_few_astype(0, (PyObject *[]){copy, weft_dtype_object(dtype)});
		Py_DECREF(copy);
		copy = cast;
	}
	if (copy || PyErr_Occurred())
		return copy;
	if (is_given && (PyObject *)Py_TYPE(args[0]) == weft_np_ndarray) {
		PyObject *shared = weft_borrow(args[0]);
		if (shared && dtype && dtype != ((weft_array *)shared)->at.dtype) {
			PyObject *cast = weft_few_astype(0, (PyObject *[]){shared, weft_dtype_object(dtype)});
			Py_DECREF(shared);
			shared = cast;
		}
		return shared;
	}
	if (Py_TYPE(args[0]) == &PyRange_Type)
		return of_range(args[0], dtype);
	const int64_t none = 0;
	if (weft_items(args[0]) == 0)
		return (PyObject *)weft_new_packed(dtype ? dtype : FLOAT64, 1, &none);
	PyObject *made = Py_TYPE(args[0]) == weft_array_type || weft_items(args[0]) > 0 ? of_arrays(args[0], is_given, dtype) : NULL;
	if (made || PyErr_Occurred() || (weft_items(args[0]) < 0 && !PyFloat_CheckExact(args[0]) && !PyLong_CheckExact(args[0]) && !PyComplex_CheckExact(args[0])))
		return made;
	made = weft_numbers_as(args[0], dtype);
	if (made == Py_None)
		Py_CLEAR(made);
	return made;
}
