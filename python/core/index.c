//go:build extension

// Indexing, length and items.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include "table.h"
#include <stdlib.h>
#include <string.h>

enum { INT64 = 5, FLOAT16 = 10, FLOAT64 = 12 }; // tile.DTypes, beside those of handover.h

static PyObject *slow(const char *name, PyObject *self, PyObject *index, PyObject *value)
{
	PyObject *hook = weft_hook(name);
	return hook ? PyObject_CallFunctionObjArgs(hook, self, index, value, NULL) : NULL;
}

static PyObject *get(PyObject *self, weft_values *b, PyObject *index)
{
	uint64_t out = 0, where = weft_where(), handle = weft_handle(self);
	weft_error e = {NULL, NULL};
	for (;;) {
		int own;
		WEFT_CALL
		int rc = goGetItem(handle, b->v, b->n, where, weft_on_main_thread(), &out, &own, &e);
		WEFT_CALLED
		switch (rc) {
		case WEFT_OK: // an element or others that are copied, or a view
			weft_count(out & WEFT_SCALAR ? WEFT_ELEMENTS_READ : WEFT_OPERATIONS, where);
			return own ? weft_result(out) : weft_wrap_view(out, self);
		case WEFT_ERROR:
			return weft_raise(&e);
		case WEFT_FALLBACK:
			free(e.type);
			free(e.text);
			return slow("get_item", self, index, NULL);
		}
		if (PyErr_CheckSignals() < 0) {
			return NULL;
		}
		handle = weft_handle(self);
		weft_read_again(b->v, b->n);
	}
}

// whole reads an integer of Python's or NumPy's.
static int whole(PyObject *o, int64_t *i)
{
	if (PyLong_CheckExact(o)) {
		int overflow;
		*i = PyLong_AsLongLongAndOverflow(o, &overflow);
		return overflow == 0;
	}
	weft_value v;
	int code = weft_scalar_code(o);
	if (code <= WEFT_BOOL_DTYPE || !weft_dtype_is_integer(code) || !weft_read_scalar(o, &v) || v.kind != WEFT_INT)
		return 0;
	*i = v.i;
	return 1;
}

// element_at returns where an element is that integers select, in memory that can be read and written at once; or NULL where it
// takes more of a look. Programs that go through arrays by elements come here for each.
static char *element_at(weft_array *a, PyObject *index)
{
	char *data = a->at.known ? weft_data(a) : NULL;
	if (!data)
		return NULL;
	int single = !PyTuple_CheckExact(index);
	if (single ? a->at.ndim != 1 : PyTuple_Size(index) != a->at.ndim)
		return NULL;
	for (int axis = 0; axis < a->at.ndim; axis++) {
		int64_t i, extent = a->at.shape[axis];
		if (!whole(single ? index : PyTuple_GetItem(index, axis), &i))
			return NULL;
		if (i < 0)
			i += extent;
		if (i < 0 || i >= extent)
			return NULL; // an error
		data += i * a->at.strides[axis];
	}
	return a->at.ndim ? data : NULL;
}

// basic says whether an index has no arrays: integers, slices, Ellipsis and None only.
static int basic(PyObject *index)
{
	if (!PyTuple_Check(index)) {
		int code = weft_scalar_code(index);
		return PyLong_CheckExact(index) || PySlice_Check(index) || index == Py_Ellipsis || index == Py_None || code > WEFT_BOOL_DTYPE;
	}
	for (Py_ssize_t i = 0; i < PyTuple_Size(index); i++)
		if (PyTuple_Check(PyTuple_GetItem(index, i)) || !basic(PyTuple_GetItem(index, i)))
			return 0;
	return 1;
}

PyObject *weft_mp_subscript(PyObject *self, PyObject *index)
{
	ENTER(NULL)
	char *element = element_at((weft_array *)self, index);
	if (element) {
		weft_count_here(WEFT_ELEMENTS_READ);
		weft_chain_end(&((weft_array *)self)->at);
		return weft_scalar_at(element, ((weft_array *)self)->at.dtype);
	}
	PyObject *result = weft_slice(self, index);
	if (result || PyErr_Occurred() || (result = weft_few_pick(self, index)) || PyErr_Occurred() ||
		(result = weft_pick_along(self, index)) || PyErr_Occurred())
		return result;
	PyObject *few = weft_few_of_host(index); // of NumPy's bools or integers
	if (few) {
		if (!(result = weft_few_pick(self, few)) && !PyErr_Occurred())
			result = weft_pick_along(self, few);
		Py_DECREF(few);
		if (result || PyErr_Occurred())
			return result;
	}
	if (!basic(index) && ((result = weft_delegated_get(self, index)) || PyErr_Occurred()))
		return result;
	weft_values b;
	weft_values_init(&b);
	int rc = weft_push(&b, index, 'i');
	if (rc == 0)
		result = get(self, &b, index);
	else if (rc > 0)
		result = slow("get_item", self, index, NULL);
	weft_values_free(&b);
	return result;
}

PyObject *weft_sq_item(PyObject *self, Py_ssize_t i)
{
	ENTER(NULL)
	weft_values b;
	weft_values_init(&b);
	memset(&b.v[0], 0, sizeof b.v[0]);
	b.v[0].kind = WEFT_INT;
	b.v[0].i = i;
	b.n = 1;
	PyObject *result = get(self, &b, Py_None);
	weft_values_free(&b);
	return result;
}

// as_number makes a Python number of a NumPy scalar that is assigned to elements of signed integers of another dtype: NumPy
// asks the scalar for its int() there, which has to fit. NULL, without an exception, for all other values.
static PyObject *as_number(PyObject *self, PyObject *index, PyObject *value)
{
	int code = weft_scalar_code(value);
	if (!code)
		return NULL;
	weft_info info;
	weft_get_info(self, &info);
	weft_value v;
	if (code == info.dtype || info.dtype < WEFT_FIRST_SIGNED || info.dtype > WEFT_LAST_SIGNED || !weft_read_scalar(value, &v) ||
		v.kind == WEFT_COMPLEX || !basic(index))
		return NULL;
	return weft_scalar(&v);
}

// real_of makes a real number of a complex scalar of NumPy's that is assigned to reals, and warns of that. NULL, without an exception, for all other values.
static PyObject *real_of(PyObject *self, PyObject *index, PyObject *value)
{
	weft_value v;
	if (weft_scalar_code(value) < COMPLEX64 || !basic(index) || !weft_read_scalar(value, &v))
		return NULL;
	weft_info info;
	weft_get_info(self, &info);
	if (info.dtype <= WEFT_BOOL_DTYPE || info.dtype >= COMPLEX64 || weft_warn_discards(1) < 0)
		return NULL;
	return info.dtype <= WEFT_LAST_SIGNED ? PyFloat_FromDouble(v.re) : weft_scalar_at(&v.re, FLOAT64);
}

// is_too_deep says whether a list has more axes than what an index selects, which NumPy refuses even where they have one element each.
static int is_too_deep(PyObject *index, int ndim, PyObject *list)
{
	Py_ssize_t n = PyTuple_Check(index) ? PyTuple_Size(index) : 1;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *item = PyTuple_Check(index) ? PyTuple_GetItem(index, i) : index;
		if (item == Py_None)
			ndim++;
		else if (PyIndex_Check(item) && !PyBool_Check(item) && Py_TYPE(item) != weft_array_type && (PyObject *)Py_TYPE(item) != weft_np_ndarray)
			ndim--;
		else if (!PySlice_Check(item) && item != Py_Ellipsis)
			return 0; // arrays and what stands for them: lists become arrays as they are
	}
	while ((PyList_Check(list) || PyTuple_Check(list)) && ndim >= 0) {
		ndim--;
		if (PySequence_Size(list) == 0)
			break;
		list = PyList_Check(list) ? PyList_GetItem(list, 0) : PyTuple_GetItem(list, 0);
	}
	return ndim < 0;
}

// assign_numbers assigns a list of numbers, where each becomes an element in the same way whatever the others are: 1 done, 0 the general function has
// to look, -1 an exception.
static int assign_numbers(PyObject *self, PyObject *index, PyObject *list)
{
	const weft_layout *l = weft_layout_of((weft_array *)self);
	if (!l || (l->dtype != INT64 && l->dtype != FLOAT64 && l->dtype != COMPLEX128) || is_too_deep(index, l->ndim, list))
		return 0;
	PyObject *made = weft_of_numbers(list);
	if (!made)
		return -1;
	int is = made == Py_None ? 0 : ((weft_array *)made)->at.dtype, to = ((weft_array *)self)->at.dtype;
	int fits = is && (to == INT64 ? is == INT64 : to == COMPLEX128 || is != COMPLEX128), done = fits ? weft_assign(self, index, made) : 0;
	if (fits && !done && (weft_few_put(self, index, made) || (!PyErr_Occurred() && weft_put_along(self, index, made))))
		done = 1;
	done = !done && PyErr_Occurred() ? -1 : done;
	Py_DECREF(made);
	return done;
}

int weft_assigned(PyObject *self, PyObject *index, PyObject *value)
{
	ENTER(-1)
	if (!value) {
		PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
		return -1;
	}
	if (weft_vanishes(self)) {
		PyObject *by_numpy = slow("set_item", self, index, value);
		Py_XDECREF(by_numpy);
		return by_numpy ? 0 : -1;
	}
	char *element = ((weft_array *)self)->place.readonly ? NULL : element_at((weft_array *)self, index);
	weft_value number_of;
	if (element && !weft_floating_asked && weft_number(value, &number_of) && weft_write(&number_of, ((weft_array *)self)->at.dtype, element)) {
		weft_count_here(WEFT_ELEMENTS_WRITTEN);
		if (((weft_array *)self)->at.dtype >= FLOAT16)
			weft_floating_number(&number_of, ((weft_array *)self)->at.dtype);
		return 0;
	}
	PyObject *real = real_of(self, index, value);
	if (real || PyErr_Occurred()) {
		int rc = real ? weft_assigned(self, index, real) : -1;
		Py_XDECREF(real);
		return rc;
	}
	const weft_layout *l = weft_layout_of((weft_array *)self);
	int before = weft_wrongs, is_list = PyList_CheckExact(value) || PyTuple_CheckExact(value), done = 0;
	if (l)
		weft_floating_object(value, l->dtype);
	if (weft_wrongs > before && weft_asks() > 0) { // an error keeps the elements as they are
		PyObject *fine = weft_told(Py_NewRef(Py_None));
		if (!fine)
			return -1;
		Py_DECREF(fine);
	}
	PyObject *few = weft_few_of_host(value);
	if (!few)
		done = is_list ? assign_numbers(self, index, value) : weft_assign(self, index, value);
	if (done)
		return done > 0 ? 0 : -1;
	if (few) {
		done = weft_assign(self, index, few);
		if (!done && (weft_few_put(self, index, few) || (!PyErr_Occurred() && weft_put_along(self, index, few))))
			done = 1;
		Py_DECREF(few);
		if (done)
			return done > 0 ? 0 : -1;
	}
	if (!is_list && (weft_few_put(self, index, value) || (!PyErr_Occurred() && weft_put_along(self, index, value))))
		return 0;
	if (PyErr_Occurred())
		return -1;
	if (is_list || !basic(index)) {
		int noted = weft_wrongs;
		weft_wrongs = before; // of what NumPy does, it tells itself
		done = weft_delegated_set(self, index, value);
		if (done)
			return done > 0 ? 0 : -1;
		weft_wrongs = noted;
		if (is_list && l && is_too_deep(index, l->ndim, value)) {
			PyObject *by_numpy = slow("set_item", self, index, value);
			Py_XDECREF(by_numpy);
			return by_numpy ? 0 : -1;
		}
	}
	int asks = Py_TYPE(value) == weft_array_type && weft_asks() && !(l && weft_holds(l->dtype, weft_dtype_of_array((weft_array *)value)));
	PyObject *asked = asks > 0 ? Py_True : NULL;
	if (!asks && l && l->dtype < COMPLEX64 && l->dtype != WEFT_BOOL_DTYPE && l->size <= WEFT_MOST) { // NumPy warns of what is lost only where the shapes fit
		const weft_layout *m = Py_TYPE(value) == weft_array_type ? weft_layout_of((weft_array *)value) : NULL;
		int of = m ? m->dtype : Py_TYPE(value) == weft_np_type ? weft_np_dtype((np_array *)value) : 0;
		asks = of == COMPLEX64 || of == COMPLEX128;
	}
	if (asks) { // what is cast may be an error
		weft_wrongs = before;
		PyObject *hook = asks > 0 ? weft_hook("set_item") : NULL;
		PyObject *by_numpy = hook ? PyObject_CallFunctionObjArgs(hook, self, index, value, asked, NULL) : NULL;
		Py_XDECREF(by_numpy);
		return by_numpy ? 0 : -1;
	}
	PyObject *number = as_number(self, index, value);
	if (number)
		value = number;
	weft_values b;
	weft_values_init(&b);
	int result = -1, rc = weft_push(&b, index, 'i'), wrong = 0;
	int n = b.n;
	if (rc == 0) {
		rc = weft_push(&b, value, 'a');
		wrong = rc < 0;
	}
	if (rc == 0) {
		weft_error e = {NULL, NULL};
		uint64_t where = weft_where(), handle = weft_handle(self);
		uint8_t wanted = weft_floating_wanted();
		int told = 0;
		for (;;) {
			WEFT_CALL
			weft_floating_tells(wanted);
			rc = goSetItem(handle, b.v, n, b.v + n, where, weft_on_main_thread(), told, &e);
			WEFT_CALLED
			if (rc == WEFT_ERROR && weft_warns(&e)) {
				told = 1;
				rc = weft_warn(&e, 1) < 0 ? WEFT_INTERRUPTED : WEFT_OK; // an exception is set
				if (rc == WEFT_OK)
					continue;
				break;
			}
			if (rc != WEFT_INTERRUPTED)
				break;
			if (PyErr_CheckSignals() < 0) {
				break;
			}
			handle = weft_handle(self);
			weft_read_again(b.v, b.n);
		}
		if (rc == WEFT_OK) {
			weft_count(WEFT_OPERATIONS, where);
			result = 0;
		} else if (rc == WEFT_ERROR) {
			weft_raise(&e);
			wrong = 1;
		} else if (rc == WEFT_FALLBACK) {
			free(e.type);
			free(e.text);
		}
	} else if (rc > 0) {
		rc = WEFT_FALLBACK;
	}
	if (wrong && !is_list && weft_says_numpy(self, value))
		rc = WEFT_FALLBACK;
	if (wrong && is_list && weft_is_about_arguments()) { // of its numbers NumPy says what is wrong
		PyErr_Clear();
		rc = WEFT_FALLBACK;
	}
	if (rc == WEFT_FALLBACK) {
		weft_wrongs = before;
		PyObject *done = slow("set_item", self, index, value);
		if (done)
			result = 0;
		Py_XDECREF(done);
	}
	weft_values_free(&b);
	Py_XDECREF(number);
	return result;
}

int weft_mp_ass_subscript(PyObject *self, PyObject *index, PyObject *value)
{
	int rc = weft_assigned(self, index, value);
	if (__builtin_expect(weft_wrongs, 0)) {
		PyObject *fine = weft_told(Py_NewRef(Py_None));
		if (!fine)
			return -1;
		Py_DECREF(fine);
	}
	return rc;
}

int weft_sq_ass_item(PyObject *self, Py_ssize_t i, PyObject *value)
{
	PyObject *index = PyLong_FromSsize_t(i);
	if (!index)
		return -1;
	int rc = weft_mp_ass_subscript(self, index, value);
	Py_DECREF(index);
	return rc;
}

Py_ssize_t weft_length(PyObject *self)
{
	ENTER(-1)
	const weft_layout *l = &((weft_array *)self)->at;
	if (l->known && l->ndim)
		return (Py_ssize_t)l->shape[0];
	weft_info info;
	weft_get_info(self, &info);
	if (info.ndim == 0) {
		PyErr_SetString(PyExc_TypeError, "len() of unsized object");
		return -1;
	}
	return (Py_ssize_t)info.shape[0];
}
