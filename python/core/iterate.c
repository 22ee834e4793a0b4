//go:build extension

// The iterator over an array's first axis: views of rows, and NumPy's scalars. Each is taken when its turn comes, so that
// what is written during the iteration is seen.
#include "shim.h"

typedef struct {
	PyObject_HEAD
	PyObject *array; // NULL when the end has been reached
	Py_ssize_t at;
	int dtype;        // of the elements; 0 where there are rows
	Py_buffer memory; // of the array, from the element FEW on; obj is NULL before. What is written to lent memory is there at once
} iteration;

// FEW elements are read one at a time: they may be all, and an array whose memory is lent is slower to compute with.
enum { FEW = 8 };

static PyTypeObject *iteration_type;

PyObject *weft_iterate(PyObject *self)
{
	ENTER(NULL)
	weft_info info;
	weft_get_info(self, &info);
	if (info.ndim == 0) {
		PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
		return NULL;
	}
	iteration *it = PyObject_New(iteration, iteration_type);
	if (!it)
		return NULL;
	it->array = Py_NewRef(self);
	it->at = 0;
	it->dtype = info.ndim == 1 ? info.dtype : 0;
	it->memory.obj = NULL;
	return (PyObject *)it;
}

static void finish(iteration *it)
{
	if (it->memory.obj)
		PyBuffer_Release(&it->memory);
	Py_CLEAR(it->array);
}

// following_in_child goes on, in a forked child, with what an iteration began before: the array's elements and rows are NumPy's there.
static PyObject *following_in_child(iteration *it)
{
	Py_ssize_t length = PyObject_Size(it->array);
	if (it->at >= length) {
		if (length >= 0)
			finish(it);
		return NULL;
	}
	PyObject *index = PyLong_FromSsize_t(it->at), *item = index ? PyObject_GetItem(it->array, index) : NULL;
	Py_XDECREF(index);
	if (item)
		it->at++;
	return item;
}

static PyObject *following(PyObject *self)
{
	iteration *it = (iteration *)self;
	if (!it->array)
		return NULL;
	if (__builtin_expect(weft_forked, 0))
		return following_in_child(it);
	// Elements that are at hand come so often that to look for signals would be a quarter of it; the loop that gets them does.
	const weft_array *a = (const weft_array *)it->array;
	const char *own = it->dtype && !it->memory.obj && !weft_defer_scalars ? weft_data((weft_array *)it->array) : NULL;
	if (own && a->at.known && it->at < a->at.shape[0])
		return weft_scalar_at(own + it->at++ * a->at.strides[0], it->dtype);
	ENTER(NULL)
	Py_ssize_t length = it->memory.obj ? it->memory.shape[0] : weft_length(it->array);
	if (it->at >= length) {
		if (length >= 0)
			finish(it);
		return NULL;
	}
	if (it->dtype && it->at >= FEW && !weft_defer_scalars) {
		if (!it->memory.obj && PyObject_GetBuffer(it->array, &it->memory, PyBUF_FULL_RO) < 0)
			return NULL;
		return weft_scalar_at((char *)it->memory.buf + it->at++ * it->memory.strides[0], it->dtype);
	}
	PyObject *index = PyLong_FromSsize_t(it->at);
	if (!index)
		return NULL;
	PyObject *item = weft_mp_subscript(it->array, index);
	Py_DECREF(index);
	if (item)
		it->at++;
	return item;
}

static PyObject *length_hint(PyObject *self, PyObject *unused)
{
	(void)unused;
	iteration *it = (iteration *)self;
	Py_ssize_t length = !it->array ? 0 : weft_forked ? PyObject_Size(it->array) : weft_length(it->array);
	return length < 0 ? NULL : PyLong_FromSsize_t(length > it->at ? length - it->at : 0);
}

static void dealloc(PyObject *self)
{
	finish((iteration *)self);
	weft_release(self);
}

static PyMethodDef methods[] = {
	{"__length_hint__", length_hint, METH_NOARGS, "How many are left."},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_dealloc, (void *)dealloc},
	{Py_tp_iter, (void *)PyObject_SelfIter},
	{Py_tp_iternext, (void *)following},
	{Py_tp_methods, methods},
	{Py_tp_doc, "The rows or the elements of an array, one after the other."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "weft._core.iteration",
	.basicsize = sizeof(iteration),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};

int weft_init_iteration(void) { return weft_make_type(&spec, &iteration_type); }
