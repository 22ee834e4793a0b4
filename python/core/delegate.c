//go:build extension

// Calls with few elements that NumPy's own function answers: all that has no loop of the eager tier, from bincount to polyfit. The arrays among
// the arguments become NumPy's, with a copy of their elements, so that nothing that NumPy keeps or does, on whatever thread, reaches
// memory of weft's; what NumPy makes is copied into arrays of weft's. Both copies together take 0.2 us.
//
// Functions that make views get arrays of NumPy's over the memory itself, or over none at all where they look at shapes only. What they return is read
// for its place and layout, and given up:
//
//	weft's x        at 96 of memory m7, 4 x 3, steps 24, 8
//	NumPy's x       at 1 << 60, 4 x 3, steps 24, 8
//	NumPy's result  at (1 << 60) + 16, 3 x 4, steps -8, 24     np.rot90(x)
//	weft's result   at 112 of memory m7, 3 x 4, steps -8, 24
//
// Which functions are called so stands in python/weft/_delegates.py. Where another one returns what has memory of an argument, that is thrown
// away, and the general function makes the view.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stddef.h>
#include <string.h>

// The head of numpy/ndarraytypes.h's PyArrayObject, which is part of NumPy's stable ABI.
typedef struct {
	PyObject_HEAD
	char *data;
	int nd;
	intptr_t *dimensions, *strides;
	PyObject *base, *descr;
	int flags;
	PyObject *weak; // references
} np_array;

typedef struct { // and of its PyArray_Descr
	PyObject_HEAD
	PyTypeObject *of;
	char kind;
} np_dtype;

enum { C_ORDER = 1, F_ORDER = 2, OWNED = 4, ALIGNED = 0x100, WRITABLE = 0x400 }; // of numpy/ndarraytypes.h
enum { COMPLEX64 = 13, COMPLEX128 = 14 }; // tile.DTypes
enum { AS_C, AS_F, KEEP }; // the order of a copy's axes: NPY_CORDER, NPY_FORTRANORDER, NPY_KEEPORDER
enum { API_ARRAY = 2, API_DESCR = 3, API_COPY_INTO = 50, API_NEW_COPY = 85, API_NEW = 94 }; // places in NumPy's table: see scalar.c

static PyTypeObject *np_type, *np_descr;
static PyObject *descrs[WEFT_DTYPES]; // NumPy's dtypes, by weft's
static int (*copy_into)(PyObject *to, PyObject *from);
static PyObject *(*new_copy)(PyObject *of, int order);
static PyObject *(*new_array)(PyTypeObject *type, PyObject *descr, int nd, const intptr_t *dims, const intptr_t *strides, void *data, int flags, PyObject *of);

// As for function.c, the limited API has the name from 3.12 on; the function has been there since 3.9.
extern PyObject *PyObject_Vectorcall(PyObject *function, PyObject *const *args, size_t n, PyObject *names);

enum { GIVEN = 16, ARRAYS = 8, DEEP = 8 }; // arguments, arrays among them, lists in lists

enum { FEW = 4096 };         // as in _delegates.py
static int64_t most = FEW; // elements of an array of a call that is NumPy's, less one; of some functions more in proportion

// What NumPy's arrays do for an index. Notes name them as they name the operations that weft has.
static weft_delegate gets = {.number = WEFT_NOTE_PICK - WEFT_NOTE_NUMPY, .few = FEW}, sets = {.number = WEFT_NOTE_PUT - WEFT_NOTE_NUMPY, .few = FEW, .writes = 1};

enum { PARTS = 1, SHAPES }; // kinds of functions that make views: by the elements, or of their first argument whatever the elements are

typedef struct {
	int n, writes, views;
	int grids;     // the result is as long as the product of integers and ranges among the arguments
	double result; // how long that is so far
	int is_first; // the argument that is looked at is the first one
	int makes; // the function is array, or the like
	int whole; // no array has gaps
	int plain, numpys; // no array is weft's; so many are NumPy's
	int64_t most; // elements of an array, less one; all together are four times as many
	int64_t elements, greatest; // so far, and the greatest integer among the arguments
	struct {
		np_array *made;
		weft_array *of;
		weft_layout was; // of it, when it was copied
		char *first, *end; // of views: the bytes between which the elements are, in memory or not
	} array[ARRAYS];
} handover;

int weft_init_delegates(PyObject *api)
{
	void **table = PyCapsule_GetPointer(api, NULL);
	if (!table)
		return -1;
	for (int i = 1; i < WEFT_DTYPES; i++)
		descrs[i] = weft_dtype_object(i);
	np_type = table[API_ARRAY];
	np_descr = table[API_DESCR];
	copy_into = (int (*)(PyObject *, PyObject *))table[API_COPY_INTO];
	new_copy = (PyObject * (*)(PyObject *, int)) table[API_NEW_COPY];
	gets.function = PyObject_GetAttrString((PyObject *)np_type, "__getitem__");
	sets.function = PyObject_GetAttrString((PyObject *)np_type, "__setitem__");
	if (!gets.function || !sets.function)
		return -1;
	new_array = (PyObject * (*)(PyTypeObject *, PyObject *, int, const intptr_t *, const intptr_t *, void *, int, PyObject *)) table[API_NEW];
	return 0;
}

// over returns an array of NumPy's over elements, or, where data is NULL, with room for as many.
static PyObject *over(const weft_layout *l, char *data)
{
	intptr_t shape[WEFT_NEAR], strides[WEFT_NEAR];
	for (int i = 0; i < l->ndim; i++) {
		shape[i] = (intptr_t)l->shape[i];
		strides[i] = (intptr_t)l->strides[i];
	}
	return new_array(np_type, Py_NewRef(descrs[l->dtype]), l->ndim, shape, data ? strides : NULL, data, data ? ALIGNED | WRITABLE : 0, NULL);
}

// Arrays of NumPy's that were given up: to make one takes a third of what a call takes besides the function. One that NumPy may have kept, or turned into another, is
// not used again.
enum { KEPT = 8 };
static np_array *kept[KEPT];

static unsigned slot(const weft_layout *l) { return ((unsigned)l->dtype * 5 + (unsigned)l->size + (unsigned)l->ndim * 3) % KEPT; }

// used_again returns one that lies in the order of C as a layout says, or NULL.
static np_array *used_again(const weft_layout *l)
{
	np_array *a = kept[slot(l)];
	if (!a || a->nd != l->ndim || a->descr != descrs[l->dtype])
		return NULL;
	for (int i = 0; i < l->ndim; i++)
		if (a->dimensions[i] != l->shape[i])
			return NULL;
	kept[slot(l)] = NULL;
	return a;
}

static void give_up(np_array *a, const weft_layout *l)
{
	int same = Py_REFCNT((PyObject *)a) == 1 && a->nd == l->ndim && a->descr == descrs[l->dtype] && a->flags & C_ORDER && a->flags & WRITABLE && a->flags & OWNED && !a->base && !a->weak;
	for (int i = 0; same && i < l->ndim; i++)
		same = a->dimensions[i] == l->shape[i];
	if (same) {
		np_array *before = kept[slot(l)];
		kept[slot(l)] = a;
		a = before;
	}
	Py_XDECREF((PyObject *)a);
}

// order says how the axes of a copy are to lie, so that NumPy finds the order that it would find in the array; -1 where no copy has it.
static int order(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	int is_f = 1;
	for (int i = 0; i < l->ndim; i++) {
		if (l->strides[i] <= 0 && l->ndim > 1)
			return -1;
		is_f = is_f && l->strides[i] == step;
		step *= l->shape[i];
	}
	return weft_falls(l, 0) ? AS_C : is_f || weft_falls(l, 1) ? AS_F : -1;
}

// NOWHERE is where an array is whose shape alone is looked at. No process has memory there.
#define NOWHERE ((uintptr_t)1 << 60)

// lent makes NumPy's array of one of weft's for a function that makes views of it; NULL, maybe with an exception, where it cannot be had.
static PyObject *lent(handover *h, PyObject *o)
{
	weft_array *a = (weft_array *)o;
	const weft_layout *l = NULL;
	char *data = (char *)NOWHERE;
	weft_few x;
	if (h->n == ARRAYS)
		return NULL;
	if (h->views == SHAPES)
		l = h->most > 0 && h->is_first ? weft_viewed(a) : NULL; // others are indices and the like, which are read
	else if (weft_most_of(o, h->most - 1, 0, &x) && (l = weft_viewed(a)) != NULL)
		data = weft_data(a);
	if (!l || !data || l->size == 0)
		return NULL;
	PyObject *made = over(l, data);
	if (!made)
		return NULL;
	if (a->place.readonly)
		((np_array *)made)->flags &= ~WRITABLE;
	char *first = data, *last = data;
	for (int i = 0; i < l->ndim; i++)
		*(l->strides[i] < 0 ? &first : &last) += (l->shape[i] - 1) * l->strides[i];
	h->array[h->n].made = (np_array *)made;
	h->array[h->n].was = *l;
	h->array[h->n].first = first;
	h->array[h->n].end = last + weft_sizes[l->dtype];
	h->array[h->n++].of = a;
	return Py_NewRef(made); // one is the handover's
}

// copied makes NumPy's array of one of weft's; NULL, maybe with an exception, where it is none of few elements.
static PyObject *copied(handover *h, PyObject *o)
{
	weft_few x;
	if (h->n == ARRAYS || !weft_most_of(o, h->most - 1, 0, &x) || (h->elements += x.l->size) > 4 * h->most || (h->writes && h->n == 0 && x.array->place.readonly))
		return NULL;
	for (int i = 0; h->writes && i < h->n; i++)
		if (h->array[i].of->place.memory == x.array->place.memory)
			return NULL; // which NumPy would read while it writes
	int as = x.l->contiguous ? AS_C : h->whole ? -1 : order(x.l);
	PyObject *made = x.l->contiguous ? (PyObject *)used_again(x.l) : NULL;
	if (!made)
		made = as < 0 ? NULL : over(x.l, x.l->contiguous ? NULL : x.data);
	if (made && x.l->contiguous) {
		memcpy(((np_array *)made)->data, x.data, (size_t)(x.l->size * weft_sizes[x.l->dtype]));
	} else if (made) {
		PyObject *view = made;
		made = new_copy(view, as);
		if (made && as == AS_F && !(((np_array *)view)->flags & F_ORDER)) // a part of a matrix, say, which is of neither order to NumPy
			((np_array *)made)->flags &= ~F_ORDER;
		Py_DECREF(view);
	}
	if (made && x.l->dtype == WEFT_BOOL_DTYPE) { // of foreign memory: to NumPy each byte but 0 is true, and weft has 0 and 1
		uint8_t *bytes = (uint8_t *)((np_array *)made)->data;
		for (int64_t i = 0; i < x.l->size; i++)
			bytes[i] = bytes[i] != 0;
	}
	if (made) {
		h->array[h->n].made = (np_array *)made;
		h->array[h->n].was = *x.l;
		h->array[h->n++].of = x.array;
		Py_INCREF(made); // the handover's
	}
	return made;
}

static PyObject *given(handover *h, PyObject *o, int depth);

static int has_no_dtype(const np_array *a) { return strchr("SUOVMmT", ((np_dtype *)a->descr)->kind) != NULL; }

// plain says whether NumPy may have an object: an array of its own, a dtype, or what Python makes files, dates and paths of. Functions that weft has
// for many elements get few of arrays that it has dtypes for.
static int plain(handover *h, PyObject *o)
{
	if (h->views || h->writes)
		return 0;
	if (h->makes && (Py_TYPE(o) == np_type || PyBytes_CheckExact(o))) // whose memory the result may have
		return 0;
	if (Py_TYPE(o) != np_type)
		return (h->plain && PyType_IsSubtype(Py_TYPE(o), np_descr)) || weft_is_plain(Py_TYPE(o));
	const np_array *a = (np_array *)o;
	int64_t n = 1;
	for (int i = 0; i < a->nd; i++)
		n *= a->dimensions[i];
	h->numpys++;
	return h->plain || has_no_dtype(a) || (n < h->most && (h->elements += n) <= 4 * h->most);
}

// named_plain says so of a dict whose values are all such.
static int named_plain(handover *h, PyObject *dict, int depth)
{
	Py_ssize_t at = 0;
	PyObject *key, *value, *same = Py_NewRef(Py_None);
	while (same && depth < DEEP && PyDict_Next(dict, &at, &key, &value)) {
		Py_DECREF(same);
		same = given(h, value, depth + 1);
		if (same && same != value)
			Py_CLEAR(same);
	}
	Py_XDECREF(same);
	return same && depth < DEEP;
}

// grows counts that a result may become so many times as long; 0 where it is too long for NumPy then.
static int grows(handover *h, double times)
{
	h->result *= times > 1 ? times : 1;
	return !h->grids || h->result < (double)h->most;
}

// ranged says whether a slice may be handed over: one that stands for a range of numbers, where it is short.
static int ranged(handover *h, PyObject *slice)
{
	static const char *const names[] = {"start", "stop", "step"};
	double ends[3] = {0, 0, 1};
	for (int i = 0; h->grids && i < 3; i++) {
		PyObject *end = PyObject_GetAttrString(slice, names[i]);
		weft_value v;
		int is_count = end && i == 2 && PyComplex_CheckExact(end), known = end && (end == Py_None ? i != 1 : is_count || weft_number(end, &v));
		if (is_count)
			ends[2] = -PyComplex_ImagAsDouble(end);
		else if (known && end != Py_None)
			ends[i] = v.kind == WEFT_FLOAT ? v.re : (double)v.i;
		Py_XDECREF(end);
		if (!known)
			return 0;
		if (is_count)
			return grows(h, ends[2] < 0 ? -ends[2] : ends[2]);
	}
	double count = (ends[1] - ends[0]) / ends[2];
	return !h->grids || (count == count && grows(h, count));
}

// listed hands a list or tuple over: itself, if nothing in it has to be another.
static PyObject *listed(handover *h, PyObject *o, int depth)
{
	h->is_first = 0;
	int is_list = PyList_CheckExact(o);
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Size(o);
	if (depth == DEEP || n >= h->most)
		return NULL;
	PyObject *made = NULL; // from the first item on that is another
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *item = is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), *other = given(h, item, depth + 1);
		if (other && other != item && !made) {
			made = is_list ? PyList_New(n) : PyTuple_New(n);
			for (Py_ssize_t k = 0; made && k < i; k++) {
				PyObject *same = Py_NewRef(is_list ? PyList_GetItem(o, k) : PyTuple_GetItem(o, k));
				is_list ? PyList_SetItem(made, k, same) : PyTuple_SetItem(made, k, same);
			}
		}
		if (!other || (other != item && !made)) {
			Py_XDECREF(other);
			Py_XDECREF(made);
			return NULL;
		}
		if (made)
			is_list ? PyList_SetItem(made, i, other) : PyTuple_SetItem(made, i, other);
		else
			Py_DECREF(other);
	}
	return made ? made : Py_NewRef(o);
}

// given is what NumPy gets for an argument: NULL, maybe with an exception, where it is neither a number, a word of NumPy's, an array of few elements, nor a list of such.
static PyObject *given(handover *h, PyObject *o, int depth)
{
	if (Py_TYPE(o) == weft_array_type)
		return h->plain ? NULL : h->views ? lent(h, o) : copied(h, o);
	if (!h->plain && PyUnicode_CheckExact(o) && (PyUnicode_CompareWithASCIIString(o, "O") == 0 || PyUnicode_CompareWithASCIIString(o, "object") == 0))
		return NULL; // arrays among the arguments are objects then
	if (PyFloat_CheckExact(o) || o == Py_None || PyBool_Check(o) || PyUnicode_CheckExact(o) || PyComplex_CheckExact(o)) {
		h->elements++;
		return h->elements > 4 * h->most ? NULL : Py_NewRef(o);
	}
	weft_value v = {.kind = WEFT_MISSING};
	if (PyLong_CheckExact(o) || weft_read_scalar(o, &v)) {
		int beyond = 0;
		int64_t i = PyLong_CheckExact(o) ? PyLong_AsLongLongAndOverflow(o, &beyond) : v.kind == WEFT_INT ? v.i : 0;
		if (i > h->greatest)
			h->greatest = i;
		if (!grows(h, (double)i))
			return NULL;
		h->elements++;
		return beyond || h->elements > 4 * h->most ? NULL : Py_NewRef(o);
	}
	if (PyList_CheckExact(o) || PyTuple_CheckExact(o))
		return listed(h, o, depth);
	if (PySlice_Check(o))
		return ranged(h, o) ? Py_NewRef(o) : NULL;
	if (o == Py_Ellipsis)
		return Py_NewRef(o);
	if (PyType_Check(o) && o != (PyObject *)weft_array_type && o != (PyObject *)&PyBaseObject_Type && !PyType_IsSubtype((PyTypeObject *)o, np_type))
		return Py_NewRef(o);
	for (int i = 1; i < WEFT_DTYPES && PyType_IsSubtype(Py_TYPE(o), np_descr); i++)
		if (o == descrs[i])
			return Py_NewRef(o);
	return (PyDict_CheckExact(o) ? h->plain && named_plain(h, o, depth) : plain(h, o)) ? Py_NewRef(o) : NULL;
}

// shares says whether an array has memory of an argument.
static int shares(const handover *h, const np_array *a)
{
	for (int i = 0; i < h->n; i++) {
		const np_array *of = h->array[i].made;
		if (h->views ? a->data >= h->array[i].first && a->data < h->array[i].end : a == of || (a->data >= of->data && a->data < of->data + h->array[i].was.size * weft_sizes[h->array[i].was.dtype]))
			return 1;
	}
	return 0;
}

static int dtype_of(const np_array *a) // or WEFT_DTYPES, where weft has none
{
	int dtype = 1;
	while (dtype < WEFT_DTYPES && a->descr != descrs[dtype])
		dtype++;
	return dtype;
}

// seen makes of a view that NumPy made of an argument one of weft's array; NULL, maybe with an exception, where the general function has to.
static PyObject *seen(const handover *h, const np_array *a)
{
	int i = 0, dtype = dtype_of(a);
	while (a->data < h->array[i].first || a->data >= h->array[i].end)
		i++;
	weft_array *of = h->array[i].of;
	if (a == h->array[i].made)
		return Py_NewRef((PyObject *)of);
	int is_bool = dtype == WEFT_BOOL_DTYPE, was_bool = h->array[i].was.dtype == WEFT_BOOL_DTYPE;
	if (dtype == WEFT_DTYPES || a->nd > WEFT_NEAR || is_bool != was_bool) // what views of bytes write may be no bools
		return NULL;
	weft_layout to = {.dtype = dtype, .ndim = a->nd, .size = 1, .known = 1};
	for (int d = 0; d < a->nd; d++) {
		to.shape[d] = a->dimensions[d];
		to.strides[d] = a->strides[d];
		to.size *= to.shape[d];
	}
	to.contiguous = weft_is_contiguous(&to);
	char *first = a->data, *last = a->data;
	for (int d = 0; d < a->nd; d++)
		*(a->strides[d] < 0 ? &first : &last) += (a->dimensions[d] - 1) * a->strides[d];
	int64_t offset = of->place.offset + (a->data - h->array[i].made->data), align = weft_sizes[dtype] / (dtype >= COMPLEX64 && dtype <= COMPLEX128 ? 2 : 1), off = offset;
	for (int d = 0; d < a->nd; d++)
		off |= a->strides[d];
	if (off & (align - 1))
		return NULL;
	if (to.size == 0 || first < h->array[i].first || last + weft_sizes[dtype] > h->array[i].end) // as_strided may reach farther
		return NULL;
	PyObject *made = weft_view_of(of, &to, offset);
	if (made && !(a->flags & WRITABLE))
		((weft_array *)made)->place.readonly = 1;
	return made;
}

// taken makes of an array of NumPy's, which is given up, one of weft's; of one that weft has no dtype for, itself.
static PyObject *taken(np_array *a)
{
	int dtype = dtype_of(a);
	PyObject *made = NULL;
	if (dtype < WEFT_DTYPES && a->nd <= WEFT_NEAR) {
		if (!(a->flags & (C_ORDER | F_ORDER))) { // without the gaps, in the order that its axes have
			PyObject *dense = new_copy((PyObject *)a, KEEP);
			Py_DECREF((PyObject *)a);
			if (!dense)
				return NULL;
			a = (np_array *)dense;
		}
		weft_layout l = {.ndim = 0};
		int64_t shape[WEFT_NEAR];
		for (int i = 0; i < a->nd; i++)
			shape[i] = a->dimensions[i];
		weft_lay(&l, dtype, a->nd, shape);
		for (int i = 0; !(a->flags & C_ORDER) && i < a->nd; i++)
			l.strides[i] = a->strides[i];
		l.contiguous = weft_is_contiguous(&l);
		made = weft_fits(l.size, dtype) ? (PyObject *)weft_new_small(&l) : NULL;
		if (made)
			memcpy(((weft_array *)made)->bytes, a->data, (size_t)(l.size * weft_sizes[dtype]));
	}
	if (!made && dtype == WEFT_DTYPES && has_no_dtype(a))
		return (PyObject *)a;
	if (!made) {
		PyObject *hook = weft_hook("from_numpy");
		made = hook ? PyObject_CallFunctionObjArgs(hook, (PyObject *)a, NULL) : NULL;
	}
	Py_DECREF((PyObject *)a);
	return made;
}

// may_be_given says whether an array, or one of several, may be an argument or a view of one.
static int may_be_given(PyObject *o)
{
	if (Py_TYPE(o) == np_type)
		return !(((np_array *)o)->flags & OWNED) || Py_REFCNT(o) > 1;
	int is_list = PyList_CheckExact(o), may = 0;
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Check(o) ? PyTuple_Size(o) : 0;
	for (Py_ssize_t i = 0; i < n && !may; i++)
		may = may_be_given(is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i));
	return may;
}

// found_out has Python find out whether what a function gave is one of its arguments, or a view of one.
static PyObject *found_out(PyObject *made, PyObject *const *args, Py_ssize_t n)
{
	PyObject *hook = weft_hook("returned"), *given = hook ? PyTuple_New(n) : NULL, *result = NULL;
	for (Py_ssize_t i = 0; given && i < n; i++)
		PyTuple_SetItem(given, i, Py_NewRef(args[i]));
	if (given)
		result = PyObject_CallFunctionObjArgs(hook, made, given, NULL);
	Py_XDECREF(given);
	Py_DECREF(made);
	return result;
}

PyObject *weft_taken(PyObject *o) { return Py_TYPE(o) == np_type ? taken((np_array *)o) : o; }

// answered makes weft's of what NumPy gave, which is given up: NULL without an exception where it shares memory with an argument.
static PyObject *answered(const handover *h, PyObject *o)
{
	if (Py_TYPE(o) == np_type) {
		for (int i = 0; i < h->n && !h->views && !h->writes; i++)
			if ((np_array *)o == h->array[i].made) { // such as edges that are given back
				Py_DECREF(o);
				return Py_NewRef((PyObject *)h->array[i].of);
			}
		if (!shares(h, (np_array *)o))
			return taken((np_array *)o);
		PyObject *view = h->views ? seen(h, (np_array *)o) : NULL;
		Py_DECREF(o);
		return view;
	}
	int is_list = PyList_CheckExact(o);
	if (!is_list && !PyTuple_Check(o))
		return o;
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Size(o);
	PyObject *items = PyTuple_New(n), *made = items;
	for (Py_ssize_t i = 0; made && i < n; i++) {
		PyObject *item = answered(h, Py_NewRef(is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i)));
		if (item)
			PyTuple_SetItem(items, i, item);
		else
			Py_CLEAR(made);
	}
	if (made && is_list)
		made = PySequence_List(items);
	else if (made && !PyTuple_CheckExact(o))
		made = PyObject_CallObject((PyObject *)Py_TYPE(o), items); // a named tuple of NumPy's
	if (made != items)
		Py_XDECREF(items);
	Py_DECREF(o);
	return made;
}

// write_back writes what NumPy wrote into its copy of the first argument, also before an error. 0, or -1 where the array's memory cannot be had any more.
static int write_back(const handover *h)
{
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	weft_array *to = h->array[0].of;
	const weft_layout *l = weft_layout_of(to);
	char *data = weft_data(to);
	PyObject *view = l && data ? over(l, data) : NULL;
	int rc = view ? copy_into(view, (PyObject *)h->array[0].made) : -1;
	Py_XDECREF(view);
	if (rc == 0) {
		PyErr_Restore(type, value, trace);
		return 0;
	}
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	return -1;
}

static void note(const weft_delegate *d, const handover *h, PyObject *made)
{
	weft_array *out = Py_TYPE(made) == weft_array_type ? (weft_array *)made : d->writes ? h->array[0].of : NULL;
	weft_layout one;
	if (!out || out->at.ndim == 0)
		weft_lay(&one, out ? out->at.dtype : h->n ? h->array[0].of->at.dtype : WEFT_BOOL_DTYPE, 0, NULL);
	weft_note(WEFT_NOTE_NUMPY + d->number, out && out->at.ndim ? &out->at : &one, out ? out->place.memory : 0,
		h->n > 0 ? h->array[0].of->place.memory : 0, h->n > 1 ? h->array[1].of->place.memory : 0);
}

PyObject *weft_delegated(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	handover h; // of whose arrays nothing is read before it is written
	memset(&h, 0, offsetof(handover, array));
	h.writes = d->writes;
	h.views = d->views;
	h.grids = d->grids;
	h.plain = d->plain;
	h.makes = d->makes;
	h.whole = d->whole;
	h.result = 1;
	h.most = d->few * most / FEW;
	Py_ssize_t all = n + (names ? PyTuple_Size(names) : 0), ready = 0;
	PyObject *made = NULL, *with[GIVEN];
	if (!weft_eager || all > GIVEN || (d->inputs && n > d->inputs) || (d->writes && (n < 1 || Py_TYPE(args[0]) != weft_array_type)))
		return NULL;
	while (ready < all) {
		int is_out = ready >= n && args[ready] != Py_None && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, ready - n), "out") == 0;
		h.is_first = ready == 0 && n > 0;
		with[ready] = is_out ? NULL : given(&h, args[ready], 0);
		if (!with[ready])
			break;
		ready++;
	}
	if (ready == all && !(d->grows && h.greatest > WEFT_FOLD_MOST / (h.elements + 1))) {
		made = PyObject_Vectorcall(d->method && Py_TYPE(args[0]) == weft_array_type ? d->method : d->function, with, (size_t)n, names);
		if (d->writes && write_back(&h) < 0)
			Py_CLEAR(made);
		if (made)
			made = !h.numpys || !may_be_given(made) ? answered(&h, made) : h.n ? (Py_DECREF(made), NULL) : found_out(made, args, all);
		if (made && !d->views && d->number != WEFT_UNNOTED && (h.n + h.numpys > 0 || Py_TYPE(made) == weft_array_type)) // a question about dtypes is none about arrays
			note(d, &h, made);
	}
	while (ready > 0)
		Py_DECREF(with[--ready]);
	for (int i = 0; i < h.n; i++)
		give_up(h.array[i].made, &h.array[i].was);
	return made;
}

PyObject *weft_made_by(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	handover h = {.n = 0};
	PyObject *made = PyObject_Vectorcall(d->function, args, (size_t)n, names);
	made = made ? weft_taken(made) : NULL;
	if (made && Py_TYPE(made) == weft_array_type)
		note(d, &h, made);
	return made;
}

PyObject *weft_delegated_get(PyObject *array, PyObject *index) { return weft_delegated(&gets, (PyObject *[]){array, index}, 2, NULL); }

int weft_delegated_set(PyObject *array, PyObject *index, PyObject *value)
{
	PyObject *made = weft_delegated(&sets, (PyObject *[]){array, index, value}, 3, NULL);
	Py_XDECREF(made);
	return made ? 1 : PyErr_Occurred() ? -1 : 0;
}

// weft_read_delegate reads what Python tells of one: (function, method or None, name, what it does, elements, arguments without names or 0). 0, or
// -1 with an exception.
int weft_read_delegate(PyObject *told, weft_delegate *to)
{
	const char *name, *does;
	PyObject *function, *method;
	long long few;
	if (!PyArg_ParseTuple(told, "OOssLi", &function, &method, &name, &does, &few, &to->inputs))
		return -1;
	to->number = goDelegate((char *)name);
	to->few = few;
	to->writes = strcmp(does, "writes") == 0;
	to->grows = strcmp(does, "grows") == 0;
	to->grids = strcmp(does, "grids") == 0;
	to->whole = 0;
	to->falls = strcmp(does, "falls") == 0;
	to->numbers = strcmp(does, "numbers") == 0;
	to->plain = strcmp(does, "plain") == 0 || to->falls || to->numbers;
	to->makes = strcmp(does, "makes") == 0;
	to->views = strcmp(does, "views") == 0 ? PARTS : strcmp(does, "shapes") == 0 ? SHAPES : 0;
	weft_set(&to->function, Py_NewRef(function));
	weft_set(&to->method, method == Py_None ? NULL : Py_NewRef(method));
	return 0;
}

// with_few(function, arguments...): a call of a function of NumPy's with few elements, which may call the program back; NotImplemented where there are more, or others.
PyObject *weft_with_few(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)self;
	ENTER(NULL)
	if (n < 1)
		return PyErr_Format(PyExc_TypeError, "with_few takes a function and its arguments");
	if (weft_ensure_started() < 0)
		return NULL;
	weft_inside = weft_was_inside; // most of the time is the program's
	PyObject *made = weft_delegated(&(weft_delegate){.function = args[0], .number = WEFT_UNNOTED, .few = FEW}, args + 1, n - 1, names);
	return made || PyErr_Occurred() ? made : Py_NewRef(Py_NotImplemented);
}

// copy_of(array): an array of NumPy's with the elements of one that has few; None of others.
PyObject *weft_copy_of(PyObject *self, PyObject *array)
{
	(void)self;
	ENTER(NULL)
	handover h;
	memset(&h, 0, offsetof(handover, array));
	h.most = most;
	PyObject *made = Py_TYPE(array) == weft_array_type ? copied(&h, array) : NULL;
	if (!made)
		return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
	Py_DECREF(made); // the handover's
	return made;
}

// few(most): calls with arrays of fewer elements are NumPy's from now on; returns how many they were.
PyObject *weft_set_few(PyObject *self, PyObject *number)
{
	(void)self;
	long before = (long)most, now = PyLong_AsLong(number);
	if (now == -1 && PyErr_Occurred())
		return NULL;
	most = now;
	return PyLong_FromLong(before);
}
