//go:build extension

// NumPy's arrays, such as those of what weft has no dtype for, indexed by arrays of weft's: words[k], records[mask], objects[k] = values. NumPy finds out by way of __index__, which raises, and
// of a buffer what such an index is, which takes it 2 us: three times as long as to choose few elements. So ndarray's slots have functions of this file, which hand few elements
// over as delegate.c does. All else goes to the functions that NumPy had there, as does what a class asks
// that is derived from ndarray: one of Python's, recarrays among them, has slots of its own. There x[np.array([])] = 5 does nothing, where NumPy raises.
//
//	Python -> numpy.ndarray's mp_subscript = subscript -> the index has an array of weft's? -> NumPy's array_subscript, with an array of NumPy's in its place
//	                                                   -> otherwise                         -> NumPy's array_subscript
//
// Where slots lie in a type is known as in leftscalar.c, and compared with what Python reads.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include <stddef.h>
#include <string.h>

enum { MAPPING = 14, SUBSCRIPT = 1, ASSIGN = 2 }; // of PyTypeObject and PyMappingMethods, in words
enum { MOST = 1 << 16 };                          // elements of an index, less one

static void **slots; // NumPy's, NULL where they are not known
static binaryfunc numpys_subscript;
static objobjargproc numpys_assign;

static int is_index(PyObject *o)
{
	const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
	return l && l->ndim > 0; // a number is an index by itself
}

// handed_array is NumPy's array of one of weft's, which is a list to NumPy where it is empty: one of floats is no index, and a list is.
static PyObject *handed_array(handover *h, PyObject *o)
{
	const weft_layout *l = weft_layout_of((weft_array *)o);
	return l->size ? weft_hand_copy(h, o) : weft_np_over(l, NULL);
}

static int has_index(PyObject *index)
{
	if (!PyTuple_CheckExact(index))
		return is_index(index);
	for (Py_ssize_t i = 0; i < PyTuple_Size(index); i++)
		if (is_index(PyTuple_GetItem(index, i)))
			return 1;
	return 0;
}

// begin makes room for arrays that are handed over.
static void begin(handover *h)
{
	memset(h, 0, offsetof(handover, given));
	h->lends = 1;
	h->most = MOST;
}

static void end(handover *h)
{
	for (int i = 0; i < h->n; i++)
		weft_np_give_up(h->array[i].made, &h->array[i].was);
}

// handed is the index with NumPy's arrays in it; NULL, maybe with an exception, where NumPy has to look at it as it is.
static PyObject *handed(handover *h, PyObject *index)
{
	if (!PyTuple_CheckExact(index))
		return handed_array(h, index);
	Py_ssize_t n = PyTuple_Size(index);
	PyObject *made = PyTuple_New(n);
	for (Py_ssize_t i = 0; made && i < n; i++) {
		PyObject *item = PyTuple_GetItem(index, i), *other = is_index(item) ? handed_array(h, item) : Py_NewRef(item);
		if (other)
			PyTuple_SetItem(made, i, other);
		else
			Py_CLEAR(made);
	}
	return made;
}

static PyObject *by_ours(PyObject *array, PyObject *index)
{
	ENTER(NULL)
	handover h;
	begin(&h);
	PyObject *with = handed(&h, index), *made = with || PyErr_Occurred() ? NULL : Py_NewRef(index);
	if (made)
		weft_set(&with, made);
	weft_inside = weft_was_inside;
	made = with ? numpys_subscript(array, with) : NULL;
	Py_XDECREF(with);
	end(&h);
	return made;
}

static PyObject *subscript(PyObject *array, PyObject *index)
{
	const int is_ours = (Py_TYPE(index) == weft_array_type || PyTuple_CheckExact(index)) && !weft_forked && has_index(index);
	return is_ours ? by_ours(array, index) : numpys_subscript(array, index);
}

// may_be_copied says whether the elements of a value are what is assigned. One element of objects may be the array itself.
static int may_be_copied(PyObject *array, PyObject *index, PyObject *value)
{
	return Py_TYPE(value) == weft_array_type && weft_layout_of((weft_array *)value) && (((const np_dtype *)((const np_array *)array)->descr)->kind != 'O' || has_index(index));
}

static int assign_by_ours(PyObject *array, PyObject *index, PyObject *value)
{
	ENTER(-1)
	handover h;
	begin(&h);
	PyObject *with = has_index(index) ? handed(&h, index) : Py_NewRef(index), *values = PyErr_Occurred() ? NULL : may_be_copied(array, index, value) ? handed_array(&h, value) : Py_NewRef(value);
	int rc = -1;
	weft_inside = weft_was_inside;
	if (!PyErr_Occurred())
		rc = numpys_assign(array, with ? with : index, values ? values : value);
	Py_XDECREF(with);
	Py_XDECREF(values);
	end(&h);
	return rc;
}

static int assign(PyObject *array, PyObject *index, PyObject *value)
{
	const int is_ours = value && !weft_forked && (has_index(index) || may_be_copied(array, index, value));
	return is_ours ? assign_by_ours(array, index, value) : numpys_assign(array, index, value);
}

static void put(int own)
{
	slots[SUBSCRIPT] = own ? (void *)subscript : (void *)numpys_subscript;
	slots[ASSIGN] = own ? (void *)assign : (void *)numpys_assign;
}

void weft_watch_index(void)
{
	PyTypeObject *type = (PyTypeObject *)weft_np_ndarray;
	void **found = slots ? NULL : ((void **)type)[MAPPING];
	if (!found || found[SUBSCRIPT] != PyType_GetSlot(type, Py_mp_subscript) || found[ASSIGN] != PyType_GetSlot(type, Py_mp_ass_subscript) || !found[SUBSCRIPT] || !found[ASSIGN])
		return;
	slots = found;
	numpys_subscript = (binaryfunc)found[SUBSCRIPT];
	numpys_assign = (objobjargproc)found[ASSIGN];
	put(1);
}

void weft_set_left_index(int own)
{
	if (slots)
		put(own);
}
