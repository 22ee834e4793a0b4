//go:build extension

// Between arrays and host memory: the buffer protocol both ways.
//
// An exported buffer belongs to a mapping object, which pins the array's memory until the
// last view of it dies, even if the array is gone before.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
	PyObject_HEAD
	weft_mapping m;
	Py_ssize_t shape[WEFT_MAXDIMS], strides[WEFT_MAXDIMS];
} mapping;

static PyTypeObject *mapping_type;

typedef struct {
	uint64_t handle;
	int shared;
	weft_mapping *m;
} map_asked;

static int ask_map(void *about, int on_main, weft_error *e)
{
	map_asked *a = about;
	return goMap(a->handle, a->shared, on_main, a->m, e);
}

// lay_out has a mapping's extents as the buffer protocol wants them.
static void lay_out(mapping *m)
{
	for (int i = 0; i < m->m.info.ndim; i++) {
		m->shape[i] = (Py_ssize_t)m->m.info.shape[i];
		m->strides[i] = (Py_ssize_t)m->m.info.strides[i];
	}
}

// make_mapping pins an array's memory. shared says that what operations and the holder write from now on is seen by
// both; a holder that does not say so has the values of now.
static PyObject *make_mapping(PyObject *array, int writable, int shared)
{
	weft_look_back();
	if (PyErr_Occurred())
		return NULL;
	mapping *m = weft_alloc(mapping_type);
	if (!m)
		return NULL;
	m->m.id = 0;
	map_asked asked = {.shared = shared, .m = &m->m};
	weft_ask(weft_where());
	if (weft_wait_of(array, &asked.handle, ask_map, &asked) < 0) {
		Py_DECREF(m);
		return NULL;
	}
	goMapped(weft_handle(array), m->m.id, m->m.data);
	m->m.info.writable = writable && m->m.info.writable;
	lay_out(m);
	return (PyObject *)m;
}

static void mapping_dealloc(PyObject *self)
{
	mapping *m = (mapping *)self;
	if (m->m.id && !weft_forked)
		weft_unmap(m->m.id);
	weft_release(self);
}

// fill fills a buffer of a mapping, as that of an object.
static int fill(const mapping *m, Py_buffer *view, PyObject *of, int flags)
{
	const weft_info *info = &m->m.info;
	return weft_fill_buffer(view, of, flags, &(weft_exported){.data = m->m.data, .dtype = info->dtype, .ndim = info->ndim, .writable = info->writable,
		.contiguous = info->contiguous, .size = info->size, .shape = (Py_ssize_t *)m->shape, .strides = (Py_ssize_t *)m->strides});
}

static int mapping_getbuffer(PyObject *self, Py_buffer *view, int flags) { return fill((mapping *)self, view, self, flags); }

// settled_buffer is the buffer of an array in a forked child, which Go has made ready. What is Go's stays where it is as long as the child lives.
static int settled_buffer(PyObject *self, Py_buffer *view, int flags)
{
	weft_array *a = (weft_array *)self;
	int own = weft_owner(a)->bytes ? weft_export(self, view, flags) : 0;
	if (own)
		return own > 0 ? 0 : -1;
	mapping *m = weft_alloc(mapping_type);
	if (!m || weft_settled_of(a, &m->m) < 0) {
		Py_XDECREF((PyObject *)m);
		return -1;
	}
	lay_out(m);
	int rc = mapping_getbuffer((PyObject *)m, view, flags);
	Py_DECREF((PyObject *)m);
	return rc;
}

// NumPy clears the errors of buffer requests, interrupts and failures of what the array is computed from as well, and asks for
// __array_interface__ next, which raises them again: a failure is told once only. refused is the array, for comparison only; the exception is
// made anew of its type and arguments, since itself it would keep the frames that it came through.
static const PyObject *refused;
static PyObject *refusal, *refusal_args;

// refuse keeps the exception at hand for an array, or forgets an earlier one where there is none, or one about how the buffer was asked for.
static void refuse(const PyObject *self)
{
	refused = NULL;
	weft_set(&refusal, NULL);
	weft_set(&refusal_args, NULL);
	if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_BufferError))
		return;
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	PyObject *args = value ? PyObject_GetAttrString(value, "args") : NULL;
	PyErr_Clear();
	if (args) {
		refused = self;
		refusal = Py_NewRef(type);
		refusal_args = args;
	}
	PyErr_Restore(type, value, trace);
}

// An array exports its own bytes (export.c), or a mapping of itself. It is writable whenever the array is, as NumPy's is. Others may write
// the memory through other views, and some of NumPy's functions do although they may not (ufunc.at).
// Whatever raises in here must leave it to refuse.
int weft_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	view->obj = NULL;
	if (weft_forked)
		return settled_buffer(self, view, flags);
	if (weft_attend() < 0) {
		refuse(self);
		return -1;
	}
	// NumPy's ndarray(buffer=) asks like this, gives the buffer back and goes on using the memory.
	int lasts = (flags & ~PyBUF_WRITABLE) == PyBUF_ANY_CONTIGUOUS, own = lasts ? 0 : weft_export(self, view, flags);
	if (own)
		return own > 0 ? 0 : -1;
	weft_info info;
	weft_get_info(self, &info);
	PyObject *m = make_mapping(self, info.writable, 1);
	refuse(self);
	if (!m)
		return -1;
	int rc = fill((mapping *)m, view, self, flags);
	if (rc == 0 && weft_keep_mapping(view, m) < 0) {
		Py_CLEAR(view->obj);
		rc = -1;
	}
	if (rc == 0 && lasts && weft_given_away((weft_array *)self, m, 0) < 0) {
		PyBuffer_Release(view);
		rc = -1;
	}
	Py_DECREF(m);
	return rc;
}

// The address in __array_interface__ has no owner, so that the array keeps the mapping. A new
// one is made where the array was given another shape.
PyObject *weft_array_interface(PyObject *self, void *unused)
{
	(void)unused;
	weft_array *a = (weft_array *)self;
	if (refused == self) {
		PyErr_SetObject(refusal, refusal_args);
		refused = NULL;
		return NULL;
	}
	ENTER(NULL)
	weft_info now;
	weft_get_info(self, &now);
	PyObject *m = make_mapping(self, now.writable, 1);
	if (!m)
		return NULL;
	int kept = weft_given_away(a, m, 0);
	Py_DECREF(m); // which the array keeps
	if (kept < 0)
		return NULL;
	weft_info *info = &((mapping *)m)->m.info;
	PyObject *type = PyObject_GetAttrString(weft_dtype_object(info->dtype), "str");
	PyObject *shape = weft_int_tuple(info->shape, info->ndim);
	PyObject *strides = info->contiguous ? Py_NewRef(Py_None) : weft_int_tuple(info->strides, info->ndim);
	PyObject *result = NULL;
	if (type && shape && strides)
		result = Py_BuildValue("{s:O,s:O,s:O,s:(KO),s:[(sO)],s:i}", "typestr", type, "shape", shape, "strides", strides,
			"data", (unsigned long long)(uintptr_t)((mapping *)m)->m.data, info->writable ? Py_False : Py_True,
			"descr", "", type, "version", 3);
	Py_XDECREF(type);
	Py_XDECREF(shape);
	Py_XDECREF(strides);
	return result;
}

// pin(array, writable) is an object with the buffer protocol. One that is not writable has the values of now.
PyObject *weft_pin(PyObject *self, PyObject *args)
{
	(void)self;
	ENTER(NULL)
	PyObject *array;
	int writable;
	if (!PyArg_ParseTuple(args, "O!p", weft_array_type, &array, &writable))
		return NULL;
	weft_info info;
	weft_get_info(array, &info);
	if (writable && !info.writable) {
		PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
		return NULL;
	}
	return make_mapping(array, writable, writable);
}

// dtype_of reads a buffer's format: the code, or 0 for what is not native.
static int dtype_of(const Py_buffer *b)
{
	const char *f = b->format ? b->format : "B";
	const int standard = *f == '=' || *f == '<';
	if (*f == '@' || *f == '=' || *f == '<')
		f++;
	char last = f[0];
	int complex = last == 'Z';
	if (complex)
		last = f[1];
	if (last == 0 || f[1 + complex] != 0)
		return 0;
	int size = (int)b->itemsize;
	switch (last) {
	case 'q': case 'Q':
		if (!standard)
			return 0; // long longs, which NumPy tells from longs of as many bits
		return last == 'q' ? 5 : 9;
	case '?':
		return 1;
	case 'b': case 'h': case 'i': case 'l':
		return size == 1 ? 2 : size == 2 ? 3 : size == 4 ? 4 : size == 8 ? 5 : 0;
	case 'B': case 'H': case 'I': case 'L':
		return size == 1 ? 6 : size == 2 ? 7 : size == 4 ? 8 : size == 8 ? 9 : 0;
	case 'e':
		return complex ? 0 : 10;
	case 'f':
		return complex ? 13 : 11;
	case 'd':
		return complex ? 14 : 12;
	}
	return 0;
}

// by_steps puts the axes of a buffer in the order of memory, as NumPy's order "K" has it, those of the longest steps first. It returns
// whether that is another order than theirs.
static int by_steps(const Py_buffer *b, int *axes)
{
	int moved = 0;
	for (int i = 0; i < b->ndim; i++) {
		Py_ssize_t step = Py_ABS(b->strides[i]);
		int at = i;
		for (; at > 0 && step > Py_ABS(b->strides[axes[at - 1]]); at--)
			axes[at] = axes[at - 1];
		axes[at] = i;
		moved |= at != i;
	}
	return moved;
}

// turned returns a view of an array whose axis i is the one that was axes[i]; it takes the array over.
static PyObject *turned(PyObject *array, const int *axes, int ndim)
{
	int back[32];
	for (int i = 0; i < ndim; i++)
		back[axes[i]] = i;
	PyObject *order = PyTuple_New(ndim), *view = NULL;
	for (int i = 0; order && i < ndim; i++) {
		PyObject *axis = PyLong_FromLong(back[i]);
		if (!axis)
			Py_CLEAR(order);
		else
			PyTuple_SetItem(order, i, axis);
	}
	if (order)
		view = PyObject_CallMethod(array, "transpose", "(O)", order);
	Py_XDECREF(order);
	Py_DECREF(array);
	return view;
}

PyObject *weft_from_host(PyObject *o)
{
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	Py_buffer b;
	if (PyObject_GetBuffer(o, &b, PyBUF_FULL_RO) < 0) {
		// No buffer, or a dtype that has none, such as datetime64. An interrupt is no such news.
		if (PyErr_ExceptionMatches(PyExc_Exception))
			PyErr_Clear();
		return NULL;
	}
	PyObject *result = NULL;
	int dtype = dtype_of(&b), scalar = PyObject_IsInstance(o, weft_np_generic) == 1;
	// Scalars of other types, such as datetime64, show their bytes: not the scalar's value.
	if (dtype && b.ndim <= 32 && !(scalar && b.ndim > 0)) {
		void *packed = NULL;
		const void *data = b.buf;
		int64_t shape[32];
		for (int i = 0; i < b.ndim; i++)
			shape[i] = b.shape[i];
		int axes[32], moved = 0;
		if (!PyBuffer_IsContiguous(&b, 'C')) {
			Py_buffer lies = b;
			Py_ssize_t extents[32], steps[32];
			if (b.strides && !b.suboffsets && (moved = by_steps(&b, axes))) {
				for (int i = 0; i < b.ndim; i++) {
					shape[i] = extents[i] = b.shape[axes[i]];
					steps[i] = b.strides[axes[i]];
				}
				lies.shape = extents;
				lies.strides = steps;
			}
			packed = malloc(b.len ? b.len : 1);
			if (!packed) {
				PyErr_NoMemory();
			} else if (PyBuffer_ToContiguous(packed, &lies, b.len, 'C') < 0) {
				free(packed);
				packed = NULL;
			}
			data = packed;
		}
		if (data) {
			if (!(result = weft_small_of(dtype, b.ndim, shape, data, b.len))) // of many elements
				result = weft_copied(data, b.len, dtype, shape, b.ndim);
			if (result && moved)
				result = turned(result, axes, b.ndim);
		}
		free(packed);
	}
	PyBuffer_Release(&b);
	return result;
}

// from_host(object with a buffer): an array with a copy of it, or None when its dtype is not native.
PyObject *weft_from_host_method(PyObject *self, PyObject *o)
{
	(void)self;
	PyObject *a = weft_from_host(o);
	if (a || PyErr_Occurred())
		return a;
	Py_RETURN_NONE;
}

static PyType_Slot slots[] = {
	{Py_tp_dealloc, (void *)mapping_dealloc},
	{Py_bf_getbuffer, (void *)mapping_getbuffer},
	{Py_tp_doc, "The pinned host memory of an array."},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "weft._core.mapping",
	.basicsize = sizeof(mapping),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};

int weft_init_mapping(void) { return weft_make_type(&spec, &mapping_type); }
