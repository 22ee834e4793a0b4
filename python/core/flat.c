//go:build extension

// What a program asks of an array's elements in a row, or of its memory: x.flat and x.data. The iterator is NumPy's, over the array's own memory.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include <stddef.h>

static PyTypeObject *held_type, *flat_type;

// held is the base of an array of NumPy's over the memory of one of weft's. It keeps a buffer of that memory, or another object that does (keeper), and
// may know the array of weft's.
typedef struct {
	PyObject_HEAD
	Py_buffer b;
	PyObject *keeper, *array;
} held;

static void held_dealloc(PyObject *self)
{
	PyBuffer_Release(&((held *)self)->b);
	Py_XDECREF(((held *)self)->keeper);
	Py_XDECREF(((held *)self)->array);
	weft_release(self);
}

// over_memory is an array of NumPy's over an array's memory; NULL without an exception where Python has to make it.
static PyObject *over_memory(PyObject *self)
{
	const weft_layout *l = weft_layout_of((weft_array *)self);
	if (!l || l->size == 0)
		return NULL;
	held *h = weft_alloc(held_type);
	if (!h || PyObject_GetBuffer(self, &h->b, PyBUF_FULL_RO) < 0) {
		Py_XDECREF((PyObject *)h);
		return NULL;
	}
	np_array *made = (np_array *)weft_np_over(l, h->b.buf);
	if (!made) {
		Py_DECREF((PyObject *)h);
		return NULL;
	}
	made->base = (PyObject *)h;
	if (h->b.readonly)
		made->flags &= ~WRITABLE;
	return (PyObject *)made;
}

// by_hook calls a function of the package.
static PyObject *by_hook(const char *name, PyObject *o)
{
	PyObject *hook = weft_hook(name);
	return hook ? PyObject_CallFunctionObjArgs(hook, o, NULL) : NULL;
}

static PyObject *shared(PyObject *self)
{
	ENTER(NULL)
	PyObject *made = over_memory(self);
	return made || PyErr_Occurred() ? made : by_hook("to_numpy", self);
}

// hold(array): an array of NumPy's over the memory of one of weft's, which held_array finds by its base.
PyObject *weft_hold(PyObject *self, PyObject *array)
{
	(void)self;
	if (Py_TYPE(array) != weft_array_type)
		return PyErr_Format(PyExc_TypeError, "hold takes an ndarray, not %R", (PyObject *)Py_TYPE(array));
	np_array *made = (np_array *)shared(array);
	held *h = made && (!made->base || Py_TYPE(made->base) != held_type) ? weft_alloc(held_type) : NULL;
	if (h) {
		h->keeper = made->base;
		made->base = (PyObject *)h;
	}
	if (made && made->base && Py_TYPE(made->base) == held_type)
		weft_set(&((held *)made->base)->array, Py_NewRef(array));
	return (PyObject *)made;
}

// held_array(array): the array of weft's whose memory an array of NumPy's is over, or that array itself.
PyObject *weft_held_array(PyObject *self, PyObject *o)
{
	(void)self;
	PyObject *base = PyObject_TypeCheck(o, weft_np_type) ? ((np_array *)o)->base : NULL;
	return Py_NewRef(base && Py_TYPE(base) == held_type && ((held *)base)->array ? ((held *)base)->array : o);
}

// flat is what x.flat is: NumPy's iterator, to which weft's arrays are indices and values, too, and of which new arrays
// are weft's. It is made when it is first wanted, as x.flat[3] is without it: numpys is NULL until then. dtype and
// writable are what the array was when the iterator was made.
typedef struct {
	PyObject_HEAD
	PyObject *array, *numpys;
	int dtype, writable;
} flat;

// begin makes NumPy's iterator over the array as it is now: 0, or -1 with an exception. In a forked
// child that is the array's flat itself.
static int begin(flat *f)
{
	if (weft_forked) {
		weft_set(&f->numpys, PyObject_GetAttrString(f->array, "flat"));
		return f->numpys ? 0 : -1;
	}
	weft_info now;
	weft_get_info(f->array, &now);
	PyObject *over = shared(f->array), *numpys = over ? PyObject_GetAttrString(over, "flat") : NULL;
	Py_XDECREF(over);
	if (!numpys)
		return -1;
	weft_set(&f->numpys, numpys);
	f->dtype = now.dtype;
	f->writable = now.writable;
	return 0;
}

// numpys_of is NumPy's iterator; borrowed, or NULL with an exception.
static PyObject *numpys_of(flat *f) { return f->numpys || begin(f) == 0 ? f->numpys : NULL; }

// current makes sure before an element is read or written that the iterator is over the elements that the array has now. NumPy's begins anew then, too.
static PyObject *current(flat *f)
{
	weft_info now;
	weft_get_info(f->array, &now);
	return (f->numpys && f->dtype == now.dtype && f->writable == now.writable) || begin(f) == 0 ? f->numpys : NULL;
}

// packed is where the elements of an array are that lie in the order of its indices, and can be read at once; or NULL.
static char *packed(weft_array *a) { return a->at.known && a->at.contiguous && a->at.size > 0 ? weft_data(a) : NULL; }

// element_at is where an element is that an integer selects, of an array whose iterator is not made yet; or NULL, where
// that has to look. The iterator would begin anew afterwards, and has not begun.
static char *element_at(const flat *f, PyObject *index)
{
	weft_array *a = (weft_array *)f->array;
	int overflow = 1;
	int64_t i = !f->numpys && PyLong_CheckExact(index) ? PyLong_AsLongLongAndOverflow(index, &overflow) : 0;
	char *data = overflow ? NULL : packed(a);
	i += i < 0 ? a->at.size : 0;
	return data && i >= 0 && i < a->at.size ? data + i * weft_sizes[a->at.dtype] : NULL;
}

// part_of is the view of what a slice selects of an array's elements as one axis, where the iterator is not made yet and they lie so; NULL, maybe with an
// exception, otherwise.
static PyObject *part_of(const flat *f, PyObject *index)
{
	if (f->numpys || !PySlice_Check(index) || !packed((weft_array *)f->array))
		return NULL;
	PyObject *row = weft_few_view(WEFT_RAVEL, &f->array), *part = row ? weft_slice(row, index) : NULL;
	Py_XDECREF(row);
	return part;
}

// fill_part gives all elements of a view one value, if that is one of Python's numbers; 0 where NumPy's iterator has to, maybe with an exception. It takes the view over.
static int fill_part(PyObject *part, PyObject *value)
{
	const int before = weft_wrongs;
	PyObject *done = part && (PyLong_CheckExact(value) || PyFloat_CheckExact(value)) ? weft_few_fill(0, (PyObject *[]){part, value}) : NULL;
	if (!done)
		weft_wrongs = before; // of what the iterator does once more
	Py_XDECREF(part);
	Py_XDECREF(done);
	return done != NULL;
}

PyObject *weft_get_flat(PyObject *self, void *unused)
{
	(void)unused;
	ENTER(NULL)
	flat *f = weft_alloc(flat_type);
	if (!f)
		return NULL;
	f->array = Py_NewRef(self);
	if (!packed((weft_array *)self) && begin(f) < 0) {
		Py_DECREF((PyObject *)f);
		return NULL;
	}
	return (PyObject *)f;
}

PyObject *weft_get_data(PyObject *self, void *unused)
{
	(void)unused;
	return PyMemoryView_FromObject(self);
}

int weft_set_flat(PyObject *self, PyObject *value, void *unused)
{
	(void)unused;
	ENTER(-1)
	if (!value) {
		PyErr_SetString(PyExc_AttributeError, "Cannot delete array flat iterator");
		return -1;
	}
	if (weft_warn_of_writing(self) < 0)
		return -1;
	if (fill_part(Py_NewRef(self), value)) {
		PyObject *fine = weft_told(Py_NewRef(Py_None));
		Py_XDECREF(fine);
		return fine ? 0 : -1;
	}
	if (PyErr_Occurred())
		return -1;
	PyObject *over = shared(self), *given = over ? by_hook("to_numpy", value) : NULL;
	int rc = given ? PyObject_SetAttrString(over, "flat", given) : -1;
	Py_XDECREF(given);
	Py_XDECREF(over);
	return rc;
}

static void flat_dealloc(PyObject *self)
{
	Py_XDECREF(((flat *)self)->numpys);
	Py_XDECREF(((flat *)self)->array);
	weft_release(self);
}

// new_array makes weft's of a new array of NumPy's; it takes it over.
static PyObject *new_array(PyObject *made)
{
	if (!made || Py_TYPE(made) != weft_np_type)
		return made;
	PyObject *own = by_hook("from_numpy", made);
	Py_DECREF(made);
	return own;
}

// known is an argument as NumPy knows it: most are numbers and slices.
static PyObject *known(PyObject *o)
{
	return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PySlice_Check(o) || o == Py_Ellipsis ? Py_NewRef(o) : by_hook("to_numpy", o);
}

// In a forked child, where arrays are what NumPy sees of them, all is the iterator's that NumPy has.
static PyObject *item(PyObject *self, PyObject *index)
{
	if (weft_forked) {
		PyObject *of = numpys_of((flat *)self);
		return of ? PyObject_GetItem(of, index) : NULL;
	}
	ENTER(NULL)
	const char *element = element_at((flat *)self, index);
	if (element) {
		const weft_layout *l = &((weft_array *)((flat *)self)->array)->at;
		weft_count_here(WEFT_ELEMENTS_READ);
		weft_chain_end(l);
		return weft_scalar_at(element, l->dtype);
	}
	PyObject *part = part_of((flat *)self, index), *few = part ? weft_eager_copy(part) : NULL;
	Py_XDECREF(part);
	if (few || PyErr_Occurred())
		return few;
	PyObject *at = known(index); // the program's __array__ may have the iterator begin anew
	PyObject *of = at ? Py_XNewRef(current((flat *)self)) : NULL;
	PyObject *made = of ? PyObject_GetItem(of, at) : NULL;
	Py_XDECREF(of);
	Py_XDECREF(at);
	return new_array(made);
}

static int assigned(PyObject *self, PyObject *index, PyObject *value)
{
	if (weft_forked) {
		PyObject *of = numpys_of((flat *)self);
		return !of ? -1 : value ? PyObject_SetItem(of, index, value) : PyObject_DelItem(of, index);
	}
	ENTER(-1)
	if (!value) {
		PyErr_SetString(PyExc_TypeError, "Cannot delete iterator elements");
		return -1;
	}
	if (weft_warn_of_writing(((flat *)self)->array) < 0)
		return -1;
	weft_array *a = (weft_array *)((flat *)self)->array;
	char *element = a->place.readonly ? NULL : element_at((flat *)self, index);
	weft_value number;
	if (element && weft_number(value, &number) && weft_write(&number, a->at.dtype, element)) { // as x[i] = value
		weft_count_here(WEFT_ELEMENTS_WRITTEN);
		if (a->at.dtype >= WEFT_FIRST_INEXACT)
			weft_floating_number(&number, a->at.dtype);
		return 0;
	}
	if (fill_part(part_of((flat *)self, index), value))
		return 0;
	if (PyErr_Occurred())
		return -1;
	PyObject *at = known(index), *to = at ? known(value) : NULL, *of = to ? Py_XNewRef(current((flat *)self)) : NULL;
	int rc = of ? PyObject_SetItem(of, at, to) : -1;
	Py_XDECREF(of);
	Py_XDECREF(at);
	Py_XDECREF(to);
	return rc;
}

static int set_item(PyObject *self, PyObject *index, PyObject *value)
{
	int rc = assigned(self, index, value);
	PyObject *fine = rc == 0 ? weft_told(Py_NewRef(Py_None)) : NULL;
	Py_XDECREF(fine);
	return fine ? 0 : -1;
}

static PyObject *itself(PyObject *self) { return Py_NewRef(self); }

static PyObject *next(PyObject *self)
{
	PyObject *of = numpys_of((flat *)self);
	return of ? PyIter_Next(of) : NULL;
}

static Py_ssize_t length(PyObject *self)
{
	PyObject *of = numpys_of((flat *)self);
	return of ? PyObject_Length(of) : -1;
}

static PyObject *compare(PyObject *self, PyObject *other, int op)
{
	int both = Py_TYPE(other) == flat_type;
	PyObject *with = Py_XNewRef(both ? numpys_of((flat *)other) : weft_forked ? other : NULL);
	if (both && !with)
		return NULL;
	if (weft_forked) {
		PyObject *of = numpys_of((flat *)self), *made = of ? PyObject_RichCompare(of, with, op) : NULL;
		Py_DECREF(with);
		return made;
	}
	ENTER(NULL)
	if (!with)
		with = known(other);
	PyObject *of = with ? Py_XNewRef(numpys_of((flat *)self)) : NULL;
	PyObject *made = of ? PyObject_RichCompare(of, with, op) : NULL;
	Py_XDECREF(of);
	Py_XDECREF(with);
	return new_array(made);
}

static PyObject *get_base(PyObject *self, void *unused)
{
	(void)unused;
	return Py_NewRef(((flat *)self)->array);
}

static PyObject *get_of_numpys(PyObject *self, void *name)
{
	PyObject *of = numpys_of((flat *)self);
	return of ? PyObject_GetAttrString(of, name) : NULL;
}

static PyObject *copy(PyObject *self, PyObject *unused)
{
	(void)unused;
	PyObject *of = numpys_of((flat *)self);
	if (weft_forked || !of)
		return of ? PyObject_CallMethod(of, "copy", NULL) : NULL;
	ENTER(NULL)
	return new_array(PyObject_CallMethod(of, "copy", NULL));
}

static PyObject *as_array(PyObject *self, PyObject *args, PyObject *named)
{
	(void)named; // as NumPy's does, which knows no names
	if (!weft_forked && weft_attend() < 0)
		return NULL;
	PyObject *of = numpys_of((flat *)self), *method = of ? PyObject_GetAttrString(of, "__array__") : NULL;
	PyObject *made = method ? PyObject_CallObject(method, args) : NULL;
	Py_XDECREF(method);
	return made;
}

static PyMethodDef methods[] = {
	{"copy", copy, METH_NOARGS, "copy()\n\nGet a copy of the iterator as a 1-D array."},
	{"__array__", (PyCFunction)(void (*)(void))as_array, METH_VARARGS | METH_KEYWORDS, "__array__(type=None) Get array from iterator"},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef getset[] = {
	{"base", get_base, NULL, "A reference to the array that is iterated over.", NULL},
	{"index", get_of_numpys, NULL, "Current flat index into the array.", "index"},
	{"coords", get_of_numpys, NULL, "An N-dimensional tuple of current coordinates.", "coords"},
	{"__class__", get_of_numpys, NULL, "NumPy's, for isinstance.", "__class__"},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot held_slots[] = {
	{Py_tp_dealloc, (void *)held_dealloc},
	{0, NULL},
};

static PyType_Slot flat_slots[] = {
	{Py_tp_dealloc, (void *)flat_dealloc},
	{Py_tp_getset, getset},
	{Py_tp_methods, methods},
	{Py_tp_iter, (void *)itself},
	{Py_tp_iternext, (void *)next},
	{Py_tp_richcompare, (void *)compare},
	{Py_tp_hash, (void *)PyObject_HashNotImplemented},
	{Py_mp_length, (void *)length},
	{Py_mp_subscript, (void *)item},
	{Py_mp_ass_subscript, (void *)set_item},
	{0, NULL},
};

static PyType_Spec held_spec = {
	.name = "weft._core.held",
	.basicsize = sizeof(held),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = held_slots,
};

static PyType_Spec flat_spec = {
	.name = "numpy.flatiter",
	.basicsize = sizeof(flat),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = flat_slots,
};

int weft_init_flat(void) { return weft_make_type(&held_spec, &held_type) < 0 ? -1 : weft_make_type(&flat_spec, &flat_type); }
