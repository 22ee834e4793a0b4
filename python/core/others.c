//go:build extension

// Calls of NumPy's functions with arrays of NumPy's of dtypes that weft has not: strings, dates, records, objects, long doubles. Nothing is handed over, so that all that such a
// call adds to NumPy's time is a look at the arguments, and at what NumPy gives: np.strings.str_len(words) is an array of weft's.
//
//	np.strings.add(words, more) -> as they are -> NumPy's ufunc -> words, which are NumPy's
//	np.strings.strip(words)     -> as they are -> NumPy's text, without the look at other types of arrays that stands before it
//	np.sqrt(longs), np.isnat(dates)            -> NumPy's loop: what stands around it takes as long as some hundred elements
//
// What is wrong with a call NumPy's public function says: it is called again where the text raised, unless that called methods of elements, which may be the program's.
#include "shim.h"
#include "table.h"
#include "handover.h"
#include "ufunc.h"

enum { ITEMS = 64 }; // of a list, such as that of arrays to concatenate
enum { OTHERS = 1, RUNS = 2 }; // what was seen among the arguments: an array of an unknown dtype, or such a dtype; and an array of objects

// as_it_is adds to seen what an argument is, or returns 0 where NumPy may not have it as it is.
static int as_it_is(PyObject *o, int depth, int *seen)
{
	PyTypeObject *type = Py_TYPE(o);
	if (type == weft_np_type) {
		const np_dtype *of = (const np_dtype *)((const np_array *)o)->descr;
		*seen |= OTHERS | (of->kind == 'O' ? RUNS : 0);
		return weft_np_unknown((const np_array *)o);
	}
	if (type == weft_array_type)
		return 0;
	if (PyLong_CheckExact(o) || PyUnicode_CheckExact(o) || PyFloat_CheckExact(o) || o == Py_None || PyBool_Check(o) || PyBytes_CheckExact(o))
		return 1;
	if (depth == 0 && (PyList_CheckExact(o) || PyTuple_CheckExact(o))) {
		const int is_list = PyList_CheckExact(o);
		Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Size(o), i = 0;
		while (i < n && n <= ITEMS && as_it_is(is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), 1, seen))
			i++;
		return i == n;
	}
	if (PyType_IsSubtype(type, weft_np_descr)) {
		*seen |= weft_np_unknown_dtype(o) ? OTHERS : 0;
		return 1;
	}
	return PyType_Check(o) && o != (PyObject *)weft_array_type && !PyType_IsSubtype((PyTypeObject *)o, weft_np_type);
}

// note notes a call of the function of a number, by what it gave.
static void note(int number, PyObject *made)
{
	const weft_layout one = {.dtype = WEFT_BOOL_DTYPE, .size = 1};
	const weft_array *out = Py_TYPE(made) == weft_array_type ? (const weft_array *)made : NULL;
	weft_note(WEFT_NOTE_NUMPY + number, out && out->at.ndim ? &out->at : &one, out ? out->place.memory : 0, 0, 0);
}

PyObject *weft_of_others(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names, int known)
{
	const Py_ssize_t all = n + (names ? PyTuple_Size(names) : 0);
	int seen = known ? OTHERS : 0;
	if (d->self || d->views || d->writes || d->method || d->kept)
		return NULL;
	for (Py_ssize_t i = 0; i < all; i++)
		if (!as_it_is(args[i], 0, &seen))
			return NULL;
	if (!(seen & OTHERS))
		return NULL;
	const int once = seen & RUNS && (d->traceless || d->text); // what elements' methods do must not be done again for NumPy's words
	PyObject *public = d->says ? d->says : d->function, *computes = once ? public : d->text ? d->text : d->function;
	PyObject *made = PyObject_Vectorcall(computes, args, (size_t)n, names);
	if (!made && computes != public && !(seen & RUNS) && weft_is_about_arguments()) {
		PyErr_Clear();
		made = PyObject_Vectorcall(public, args, (size_t)n, names);
	}
	made = made ? weft_np_result(made, args, all) : NULL;
	if (made && d->number != WEFT_UNNOTED)
		note(d->number, made);
	return made;
}

// result_of makes the array for a result, weft's or NumPy's; NULL where the loop's results are of a dtype that says more than its number does.
static PyObject *result_of(int number, const np_array *like, const intptr_t *shape, char **data)
{
	enum { LONGDOUBLE = 13, CLONGDOUBLE = 15 }; // of enum NPY_TYPES
	int dtype = 1;
	int64_t extents[WEFT_NEAR];
	if (number == LONGDOUBLE || number == CLONGDOUBLE) {
		if (((const np_dtype *)like->descr)->number != number)
			return NULL;
		PyObject *made = weft_np_new(weft_np_type, Py_NewRef(like->descr), like->nd, shape, NULL, NULL, 0, NULL);
		*data = made ? ((np_array *)made)->data : NULL;
		return made;
	}
	while (dtype < WEFT_DTYPES && ((const np_dtype *)weft_np_dtypes[dtype])->number != number)
		dtype++;
	for (int i = 0; i < like->nd; i++)
		extents[i] = shape[i];
	weft_array *made = dtype < WEFT_DTYPES ? weft_new_packed(dtype, like->nd, extents) : NULL;
	*data = made ? made->bytes : NULL;
	return (PyObject *)made;
}

PyObject *weft_loop_of_others(PyObject *of, int number, PyObject *const *args, Py_ssize_t n)
{
	const ufunc *u = (const ufunc *)of;
	char *at[3];
	intptr_t steps[3] = {0}, size = 1;
	char types[2];
	if (n != u->nin || n < 1 || n > 2 || u->nout != 1)
		return NULL;
	const np_array *x = (const np_array *)args[0];
	for (Py_ssize_t k = 0; k < n; k++) {
		const np_array *a = (const np_array *)args[k];
		if (Py_TYPE(args[k]) != weft_np_type || a->nd < 1 || a->nd > WEFT_NEAR || a->nd != x->nd || (a->flags & (C_ORDER | ALIGNED)) != (C_ORDER | ALIGNED))
			return NULL;
		const np_dtype *its = (const np_dtype *)a->descr;
		const int fits = its->type == 'g' || its->type == 'G' || (n == 1 && (its->kind == 'M' || its->kind == 'm')); // units of two may be others
		if (!fits || (its->order != '=' && its->order != '|'))
			return NULL;
		for (int i = 0; i < a->nd; i++)
			if (a->dimensions[i] != x->dimensions[i])
				return NULL;
		at[k] = a->data;
		types[k] = (char)its->number;
	}
	for (int i = 0; i < x->nd; i++)
		size *= x->dimensions[i];
	int which = 0;
	while (which < u->ntypes && !(u->functions[which] && u->types[which * u->nargs] == types[0] && (n == 1 || u->types[which * u->nargs + 1] == types[1])))
		which++;
	if (which == u->ntypes || size == 0 || size > weft_most_of_numpys())
		return NULL;
	PyObject *made = result_of(u->types[which * u->nargs + n], x, x->dimensions, &at[n]);
	if (!made)
		return NULL;
	for (Py_ssize_t k = 0; k < n; k++)
		steps[k] = ((const np_array *)args[k])->strides[x->nd - 1];
	steps[n] = Py_TYPE(made) == weft_array_type ? weft_sizes[((weft_array *)made)->at.dtype] : ((np_array *)made)->strides[x->nd - 1];
	if (fetestexcept(FLAGS))
		feclearexcept(FE_ALL_EXCEPT);
	u->functions[which](at, &size, steps, u->data ? u->data[which] : NULL);
	const int raised = fetestexcept(FLAGS);
	if (raised) { // which NumPy may have something to say of
		feclearexcept(FE_ALL_EXCEPT);
		Py_CLEAR(made);
	}
	if (made)
		note(number, made);
	return made;
}
