//go:build extension

// The ndarray type: its attributes, and the table of its slots. Shape and dtype are asked for when they are wanted. Most
// methods are set on the type by the Python package.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stddef.h>
#include <string.h>
#include <structmember.h>

static PyObject *new_array(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	(void)type;
	PyObject *hook = weft_hook("new");
	return hook ? PyObject_Call(hook, args, keywords) : NULL;
}

static PyObject *by_hook(const char *name, PyObject *self)
{
	ENTER(NULL)
	PyObject *hook = weft_hook(name);
	return hook ? PyObject_CallFunctionObjArgs(hook, self, NULL) : NULL;
}

// shown has NumPy print few elements, and Python see to all others. told is the name of what the package tells of NumPy's function.
static PyObject *shown(PyObject *self, weft_delegate *numpys, const char *told, const char *hook)
{
	ENTER(NULL)
	PyObject *about = numpys->function ? NULL : weft_hook(told);
	if (!numpys->function && (!about || weft_read_delegate(about, numpys) < 0))
		return NULL;
	numpys->number = WEFT_UNNOTED; // it is no operation of the program's
	PyObject *text = weft_delegated(numpys, &self, 1, NULL);
	return weft_told(text || PyErr_Occurred() ? text : by_hook(hook, self)); // of what was computed so that it could be shown
}

static PyObject *repr(PyObject *self)
{
	static weft_delegate numpys;
	return shown(self, &numpys, "few_repr", "repr");
}

static PyObject *str(PyObject *self)
{
	static weft_delegate numpys;
	return shown(self, &numpys, "few_str", "str");
}

static int contains(PyObject *self, PyObject *item)
{
	ENTER(-1)
	PyObject *hook = weft_hook("contains");
	PyObject *answer = hook ? PyObject_CallFunctionObjArgs(hook, self, item, NULL) : NULL;
	if (!answer)
		return -1;
	int yes = PyObject_IsTrue(answer);
	Py_DECREF(answer);
	return yes;
}

#define INFO(self) \
	ENTER(NULL) \
	weft_info info; \
	weft_get_info(self, &info);

// laid returns the layout of an array, without a look at Go where it is known; of one with more axes than those have, what info was filled with.
static const weft_layout *laid(PyObject *self, weft_layout *more, weft_info *info)
{
	const weft_layout *l = weft_layout_of((weft_array *)self);
	if (l)
		return l;
	weft_get_info(self, info);
	more->dtype = info->dtype;
	more->ndim = info->ndim;
	more->size = info->size;
	return more;
}

// LAID is for what programs ask for so often that to look for signals would be a third of it.
#define LAID(self) \
	weft_layout more; \
	weft_info info; \
	const weft_layout *l = &((weft_array *)self)->at; \
	if (!l->known || weft_forked) { \
		ENTER(NULL) \
		l = laid(self, &more, &info); \
	}

static PyObject *get_shape(PyObject *self, void *unused)
{
	(void)unused;
	LAID(self)
	return weft_int_tuple(l == &more ? info.shape : l->shape, l->ndim);
}

// cannot_delete says that an attribute was to be deleted.
static int cannot_delete(const char *what)
{
	PyErr_Format(PyExc_AttributeError, "Cannot delete array %s", what);
	return -1;
}

// set_by_hook has the package make the object another view of its memory.
static int set_by_hook(const char *name, PyObject *self, PyObject *value)
{
	ENTER(-1)
	PyObject *hook = weft_hook(name), *done = hook ? PyObject_CallFunctionObjArgs(hook, self, value, NULL) : NULL;
	Py_XDECREF(done);
	return done ? 0 : -1;
}

static int set_dtype(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	return value ? set_by_hook("set_dtype", self, value) : cannot_delete("dtype");
}

static int set_strides(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	return value ? set_by_hook("set_strides", self, value) : cannot_delete("strides");
}

// reshaped makes the object the view of itself in another shape: 0 done, 1 the shape is none of integers, -1 an exception.
static int reshaped(PyObject *self, PyObject *shape)
{
	weft_values b;
	weft_values_init(&b);
	int rc = shape == Py_None ? 1 : weft_push(&b, shape, 'v');
	if (rc == 0) {
		uint64_t *handle = &((weft_array *)self)->handle, out;
		weft_handle(self);
		weft_error e = {NULL, NULL};
		int answer;
		do {
			WEFT_MEET
			answer = goReshape(*handle, b.v, b.n, &out, &e);
			WEFT_MET
		} while (answer == WEFT_INTERRUPTED && PyErr_CheckSignals() == 0);
		if (answer == WEFT_OK) {
			uint64_t before = *handle;
			*handle = out;
			weft_moved((weft_array *)self);
			weft_free_named(before);
		} else if (answer == WEFT_FALLBACK) {
			rc = 1;
		} else {
			if (answer == WEFT_ERROR)
				weft_raise(&e);
			rc = -1;
		}
	}
	weft_values_free(&b);
	return rc;
}

static int set_shape(PyObject *self, PyObject *shape, void *unused)
{
	(void)unused;
	ENTER(-1)
	if (!shape)
		return cannot_delete("shape");
	int rc = reshaped(self, shape);
	if (rc <= 0)
		return rc;
	PyObject *hook = weft_hook("read_shape"), *read = hook ? PyObject_CallFunctionObjArgs(hook, self, shape, NULL) : NULL;
	rc = read ? reshaped(self, read) : -1;
	Py_XDECREF(read);
	if (rc > 0)
		PyErr_SetString(PyExc_TypeError, "expected a sequence of integers or a single integer");
	return rc ? -1 : 0;
}

static PyObject *get_strides(PyObject *self, void *unused)
{
	(void)unused;
	LAID(self)
	return weft_int_tuple(l == &more ? info.strides : l->strides, l->ndim);
}

static PyObject *get_dtype(PyObject *self, void *unused)
{
	(void)unused;
	LAID(self)
	return Py_XNewRef(weft_dtype_object(l->dtype));
}

static PyObject *get_ndim(PyObject *self, void *unused)
{
	(void)unused;
	LAID(self)
	return PyLong_FromLong(l->ndim);
}

static PyObject *get_size(PyObject *self, void *unused)
{
	(void)unused;
	LAID(self)
	return PyLong_FromLongLong(l->size);
}

static PyObject *get_itemsize(PyObject *self, void *unused)
{
	(void)unused;
	LAID(self)
	return PyLong_FromLongLong(weft_sizes[l->dtype]);
}

static PyObject *get_nbytes(PyObject *self, void *unused)
{
	(void)unused;
	LAID(self)
	return PyLong_FromLongLong(l->size * weft_sizes[l->dtype]);
}

static PyObject *get_writable(PyObject *self, void *unused)
{
	(void)unused;
	INFO(self)
	return PyBool_FromLong(info.writable);
}

static int set_writable(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	ENTER(-1)
	int on = value ? PyObject_IsTrue(value) : 1;
	if (on < 0)
		return -1;
	weft_array *a = (weft_array *)self;
	weft_info of = {.writable = 1};
	// An array may be written where its memory is its own, and a view where the array that it is a view of may be.
	if (on && a->base && !a->lender) {
		weft_get_info(a->base, &of);
		if (!of.writable && weft_owns((weft_array *)a->base)) {
			PyErr_SetString(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
			return -1;
		}
	}
	a->warns = 0;
	if (on && !a->handle && !a->place.readonly) // which it is
		return 0;
	if (on && of.writable && a->place.readonly != WEFT_WRITES_APART && (a->base ? !a->lender : weft_owns(a)))
		on = WEFT_ALLOWED;
	weft_error e = {NULL, NULL};
	if (goSetWritable(weft_handle(self), on, &e) == WEFT_OK) {
		weft_moved((weft_array *)self);
		return 0;
	}
	weft_raise(&e);
	return -1;
}

static PyObject *get_owner(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	return PyLong_FromLong(goOwner(weft_handle(self), ((weft_array *)self)->views > 0));
}

static PyObject *get_lent(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	return PyBool_FromLong(goLent(weft_handle(self)));
}

static PyObject *get_contiguous(PyObject *self, void *unused)
{
	(void)unused;
	INFO(self)
	return PyBool_FromLong(info.contiguous);
}

static PyObject *get_placed(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	char *held = goPlaced(weft_handle(self));
	PyObject *text = PyUnicode_FromString(held);
	free(held);
	return text;
}

static PyObject *get_store(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	weft_array *owner = weft_owner((weft_array *)self);
	if (owner->bytes) // Go has none of it
		return PyLong_FromUnsignedLong(WEFT_OWN | (uint32_t)owner->place.memory);
	return PyLong_FromUnsignedLong(goStore(weft_handle(self)));
}

static PyObject *get_base(PyObject *self, void *unused)
{
	(void)unused;
	weft_array *a = (weft_array *)self;
	return Py_NewRef(a->lender ? a->lender : a->base ? a->base : Py_None);
}

static PyObject *get_misaligned(PyObject *self, void *unused)
{
	(void)unused;
	return PyBool_FromLong(((weft_array *)self)->misaligned);
}

static int set_misaligned(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	int on = value ? PyObject_IsTrue(value) : 0;
	((weft_array *)self)->misaligned = on > 0;
	return on < 0 ? -1 : 0;
}

static PyObject *get_warns(PyObject *self, void *unused)
{
	(void)unused;
	return PyBool_FromLong(((weft_array *)self)->warns);
}

static int set_warns(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	weft_some_warn |= ((weft_array *)self)->warns = value == Py_True;
	return 0;
}

static PyGetSetDef getset[] = {
	{"shape", get_shape, set_shape, "Extents along each axis.", NULL},
	{"strides", get_strides, set_strides, "Bytes between neighbours along each axis.", NULL},
	{"dtype", get_dtype, set_dtype, "Type of the elements.", NULL},
	{"ndim", get_ndim, NULL, "Number of axes.", NULL},
	{"size", get_size, NULL, "Number of elements.", NULL},
	{"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
	{"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
	{"__array_interface__", weft_array_interface, NULL, "NumPy's description of the memory, which stays where it is from now on.", NULL},
	{"T", weft_get_transposed, NULL, "The transposed array: a view.", NULL},
	{"real", weft_get_real, weft_set_real, "The real part: a view.", NULL},
	{"imag", weft_get_imag, weft_set_imag, "The imaginary part: a view where the array is complex, else zeros.", NULL},
	{"base", get_base, NULL, "The array that this one is a view of, or the object whose memory it has; None where the memory is its own.", NULL},
	{"flags", weft_get_flags, NULL, "The memory layout.", NULL},
	{"flat", weft_get_flat, weft_set_flat, "A 1-D iterator over the array, which can be indexed and assigned to.", NULL},
	{"data", weft_get_data, NULL, "The memory, as a memoryview.", NULL},
	{"_writable", get_writable, set_writable, NULL, NULL},
	{"_misaligned", get_misaligned, set_misaligned, "Whether the program said that the flag of alignment is off.", NULL},
	{"_warns", get_warns, set_warns, "Whether the program is warned when it writes the array.", NULL},
	{"_owner", get_owner, NULL, "2 when nothing else refers to the memory, 1 when views do, 0 for a part of another array.", NULL},
	{"_lent", get_lent, NULL, "Whether the memory is not weft's own.", NULL},
	{"_contiguous", get_contiguous, NULL, NULL, NULL},
	{"_placed", get_placed, NULL, "Which memories hold how many bytes of the array and what it is a part of, as JSON.", NULL},
	{"_store", get_store, NULL, "The number of the memory that the array is in or a part of, 0 where it has none yet.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

// _become(other): the two objects exchange their arrays.
static PyObject *become(PyObject *self, PyObject *other)
{
	ENTER(NULL)
	if (Py_TYPE(other) != weft_array_type) {
		PyErr_SetString(PyExc_TypeError, "_become takes an ndarray");
		return NULL;
	}
	weft_array *a = (weft_array *)self, *b = (weft_array *)other;
	if (weft_keep_named(other) < 0) // it has the array that others know as that of self
		return NULL;
	weft_make_views(self); // which keep the memory
	weft_make_views(other);
	weft_handle(self);
	weft_handle(other);
	weft_moved(a);
	weft_moved(b);
	a->place.memory = b->place.memory = 0; // Go is asked: see weft_shut_memory
	uint64_t handle = a->handle;
	a->handle = b->handle;
	b->handle = handle;
	PyObject *pinned = a->pinned;
	a->pinned = b->pinned;
	b->pinned = pinned;
	Py_RETURN_NONE;
}

// _own(): the memory that the array has by now is its own, whatever it was a view of before.
static PyObject *own(PyObject *self, PyObject *unused)
{
	(void)unused;
	ENTER(NULL)
	weft_array *a = (weft_array *)self;
	if (weft_handle(self)) { // a view without one has its base's memory
		Py_CLEAR(a->lender);
		Py_CLEAR(a->base);
		a->misaligned = a->warns = 0;
	}
	Py_RETURN_NONE;
}

// resize(*new_shape, refcheck=True) finds, as NumPy does, that nothing but the caller has the array: the method call itself counts for one.
static PyObject *resize(PyObject *self, PyObject *args, PyObject *named)
{
	ENTER(NULL)
	int held = Py_REFCNT(self) > 2, watched = ((weft_array *)self)->weakrefs != NULL;
	PyObject *hook = weft_hook("resize"), *options = named ? PyDict_Copy(named) : PyDict_New(), *done = NULL;
	if (hook && options)
		done = PyObject_CallFunction(hook, "OOOii", self, args, options, held, watched);
	Py_XDECREF(options);
	return done;
}

#define BOUND(name, signature, text) \
	{#name, (PyCFunction)(void (*)(void))weft_method_##name, METH_FASTCALL | METH_KEYWORDS, #name "($self" signature ")\n--\n\n" text}

static PyMethodDef methods[] = {
	{"__new__", (PyCFunction)(void (*)(void))weft_new_of, METH_VARARGS | METH_KEYWORDS | METH_STATIC | METH_COEXIST, "An object of a class that is ndarray or derives from it."},
	{"__array_ufunc__", (PyCFunction)(void (*)(void))weft_array_ufunc, METH_FASTCALL | METH_KEYWORDS,
		"__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\nNumPy's ufuncs, called with weft arrays."},
	{"__complex__", weft_complex, METH_NOARGS, NULL},
	{"_become", become, METH_O, "Exchange the arrays of two objects."},
	{"_own", own, METH_NOARGS, "Forget whose memory it was, of an object that has become an array with memory of its own."},
	{"resize", (PyCFunction)(void (*)(void))resize, METH_VARARGS | METH_KEYWORDS, "resize($self, /, *new_shape, refcheck=True)\n--\n\nChange shape and size of the array in place."},
	BOUND(reshape, ", /, *shape, order='C', copy=None", "The elements in another shape: a view where the strides allow it, else a copy."),
	BOUND(ravel, ", /, order='C'", "A contiguous flattened array: a view where it can be."),
	BOUND(flatten, ", /, order='C'", "A copy of the array collapsed into one dimension."),
	BOUND(transpose, ", /, *axes", "The array with axes transposed: a view."),
	BOUND(swapaxes, ", axis1, axis2, /", "The array with two axes interchanged: a view."),
	BOUND(copy, ", /, order='C'", "A copy of the array."),
	BOUND(astype, ", /, dtype, order='K', casting='unsafe', subok=True, copy=True", "A copy of the array, as elements of a dtype."),
	BOUND(dot, ", other, /, out=None", "The dot product of two arrays: over the last axis of this and the second to last of the other."),
	BOUND(tolist, ", /", "The elements as nested lists of Python numbers."),
	BOUND(tobytes, ", /, order='C'", "The elements as bytes."),
	BOUND(item, ", *args", "Copy one element to a Python number."),
	BOUND(argmin, ", /, axis=None, out=None, *, keepdims=False", "The indices of the minimum values along an axis."),
	BOUND(argmax, ", /, axis=None, out=None, *, keepdims=False", "The indices of the maximum values along an axis."),
	BOUND(fill, ", /, value", "Fill the array with a scalar value."),
	BOUND(view, ", /, *args, **kwargs", "The same memory, seen as another dtype."),
	{"_item", weft_item, METH_NOARGS, "The only element as a Python number."},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
	{"__weaklistoffset__", T_PYSSIZET, offsetof(weft_array, weakrefs), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

#define NB(slot, f) {Py_nb_##slot, (void *)weft_nb_##f}
#define NB2(slot) NB(slot, slot), NB(inplace_##slot, inplace_##slot)

static PyType_Slot slots[] = {
	{Py_tp_new, (void *)new_array},
	{Py_tp_dealloc, (void *)weft_dealloc},
	{Py_tp_repr, (void *)repr},
	{Py_tp_str, (void *)str},
	{Py_tp_hash, (void *)PyObject_HashNotImplemented},
	{Py_tp_iter, (void *)weft_iterate},
	{Py_tp_richcompare, (void *)weft_richcompare},
	{Py_tp_getset, getset},
	{Py_tp_methods, methods},
	{Py_tp_members, members},
	{Py_tp_doc, "An array whose values weft computes when they are needed; in all else NumPy's ndarray."},
	NB2(add), NB2(subtract), NB2(multiply), NB2(true_divide), NB2(floor_divide), NB2(remainder), NB2(power),
	NB2(lshift), NB2(rshift), NB2(and), NB2(or), NB2(xor), NB2(matrix_multiply), NB(divmod, divmod),
	NB(negative, negative), NB(positive, positive), NB(absolute, absolute), NB(invert, invert),
	NB(bool, bool), NB(int, int), NB(float, float), NB(index, index),
	{Py_mp_length, (void *)weft_length},
	{Py_mp_subscript, (void *)weft_mp_subscript},
	{Py_mp_ass_subscript, (void *)weft_mp_ass_subscript},
	{Py_sq_length, (void *)weft_length},
	{Py_sq_item, (void *)weft_sq_item},
	{Py_sq_ass_item, (void *)weft_sq_ass_item},
	{Py_sq_contains, (void *)contains},
	{Py_bf_getbuffer, (void *)weft_getbuffer},
	{Py_bf_releasebuffer, (void *)weft_releasebuffer},
	{0, NULL},
};

static PyType_Spec spec = {
	.name = "numpy.ndarray",
	.basicsize = sizeof(weft_array),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};

int weft_init_array(PyObject *module)
{
	if (weft_make_type(&spec, &weft_array_type) < 0)
		return -1;
	weft_know_array_type();
	return weft_init_array_type() < 0 ? -1 : PyModule_AddObjectRef(module, "ndarray", (PyObject *)weft_array_type);
}
