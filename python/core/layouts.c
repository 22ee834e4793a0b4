//go:build extension

// Functions that give an array back where it is already as they want it: ascontiguousarray, asfortranarray, atleast_1d and its like.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

static const weft_layout *only(PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return n == 1 && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
}

// is_fortran says whether elements lie in the order of Fortran without gaps.
static int is_fortran(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; i < l->ndim; i++) {
		if (l->shape[i] > 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

PyObject *weft_fortran_copy(PyObject *array)
{
	weft_few x;
	weft_layout to, turned;
	if (!weft_fits_of(array, 0, &x) || x.l->ndim == 0)
		return NULL;
	const weft_layout *l = x.l;
	turned = *l;
	for (int i = 0; i < l->ndim; i++) {
		turned.shape[i] = l->shape[l->ndim - 1 - i];
		turned.strides[i] = l->strides[l->ndim - 1 - i];
	}
	weft_lay(&to, l->dtype, l->ndim, l->shape);
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; i < l->ndim; step *= l->shape[i++])
		to.strides[i] = step;
	to.contiguous = weft_is_contiguous(&to);
	weft_array *made = weft_new_small(&to);
	if (!made)
		return NULL;
	eager_pack(weft_sizes[l->dtype], &(eager_layout){l->ndim, l->size, turned.shape, turned.strides}, x.data, made->bytes);
	weft_note(WEFT_NOTE_COPY, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}

PyObject *weft_keeping_copy(PyObject *array)
{
	const weft_layout *l = weft_layout_of((weft_array *)array);
	return !l ? NULL : l->contiguous || l->ndim == 1 || weft_falls(l, 0) ? weft_eager_copy(array) : weft_falls(l, 1) ? weft_fortran_copy(array) : NULL;
}

// in_order returns an array that nothing else has where the elements lie in an order: of those of o, or of what a cast made of them, which is given up.
static PyObject *in_order(char order, PyObject *o, PyObject *cast)
{
	const weft_layout *l = cast ? weft_layout_of((weft_array *)cast) : NULL;
	if (l && (order == 'K' || (order == 'C' ? l->contiguous : is_fortran(l))))
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
	int dtype = wanted == Py_None ? l->dtype : weft_dtype_code(wanted), lies = letter(order);
	long axes = least && PyLong_CheckExact(least) ? PyLong_AsLong(least) : least ? -1 : 0;
	PyErr_Clear(); // the general function finds out what is wrong as well
	if (dtype <= 0 || !lies || axes < 0 || axes > WEFT_NEAR || l->ndim == 0 || l->size == 0 || (copy != Py_True && copy != Py_None && copy != Py_False))
		return NULL;
	if (axes > l->ndim && !l->contiguous && l->ndim != 1)
		return NULL;
	int fits = lies == 'K' || lies == 'A' || (lies == 'C' ? l->contiguous : is_fortran(l));
	PyObject *made = NULL;
	if (dtype == l->dtype && fits && copy != Py_True) {
		made = Py_NewRef(o);
	} else if (copy != Py_False) {
		lies = lies != 'A' ? lies : dtype != l->dtype ? 'K' : is_fortran(l) && !l->contiguous ? 'F' : 'C'; // as NumPy has it
		PyObject *cast = dtype != l->dtype ? weft_few_astype(0, (PyObject *[]){o, weft_dtype_object(dtype)}) : NULL;
		made = cast || dtype == l->dtype ? in_order((char)lies, o, cast) : NULL;
	}
	for (long have = l->ndim; made && have < axes; have++)
		weft_set(&made, weft_slice(made, Py_None));
	return made;
}

// weft_cut_order is ascontiguousarray(a), and asfortranarray(a) where about is true.
PyObject *weft_cut_order(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	int fortran = about == Py_True;
	if (n == 1 && !names && (PyList_CheckExact(args[0]) || PyTuple_CheckExact(args[0]))) {
		if (weft_ensure_started() < 0)
			return NULL;
		PyObject *read = weft_of_numbers(args[0]), *made = read && read != Py_None ? weft_cut_order(about, &read, 1, NULL) : NULL;
		Py_XDECREF(read);
		return made;
	}
	const weft_layout *l = only(args, n, names);
	if (!l || l->ndim == 0 || l->size == 0)
		return NULL;
	if (fortran ? is_fortran(l) : l->contiguous)
		return Py_NewRef(args[0]);
	return fortran ? weft_fortran_copy(args[0]) : weft_eager_copy(args[0]);
}

// weft_cut_axes is atleast_1d(a) and its like of an array that has as many axes as about says.
PyObject *weft_cut_axes(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	const weft_layout *l = only(args, n, names);
	long wanted = l ? PyLong_AsLong(about) : 0;
	if (l && l->ndim == 1 && wanted == 2)
		return weft_slice(args[0], Py_None); // a row
	return l && l->ndim >= wanted ? Py_NewRef(args[0]) : NULL;
}
