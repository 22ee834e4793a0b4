//go:build extension

// What a call of a function of NumPy's hands over (delegate.c): arrays of NumPy's with copies of elements, or over elements that are looked at, and all else
// among the arguments that NumPy may have as it is.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"
#include <string.h>

PyObject *weft_np_dtypes[WEFT_DTYPES];
PyObject *(*weft_np_copy)(PyObject *of, int order);
PyObject *(*weft_np_new)(PyTypeObject *type, PyObject *descr, int nd, const intptr_t *dims, const intptr_t *strides, void *data, int flags, PyObject *of);

int (*weft_np_set_base)(np_array *of, PyObject *base);
PyObject *(*weft_np_from_any)(PyObject *of, PyObject *descr, int least, int most, int flags, PyObject *context);

int weft_np_dtype(const np_array *a)
{
	int dtype = 1;
	while (dtype < WEFT_DTYPES && a->descr != weft_np_dtypes[dtype])
		dtype++;
	return dtype;
}

PyObject *weft_np_over(const weft_layout *l, char *data)
{
	intptr_t shape[WEFT_NEAR], strides[WEFT_NEAR];
	for (int i = 0; i < l->ndim; i++) {
		shape[i] = (intptr_t)l->shape[i];
		strides[i] = (intptr_t)l->strides[i];
	}
	return weft_np_new(weft_np_type, Py_NewRef(weft_np_dtypes[l->dtype]), l->ndim, shape, data ? strides : NULL, data, data ? ALIGNED | WRITABLE : 0, NULL);
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
	if (!a || a->nd != l->ndim || a->descr != weft_np_dtypes[l->dtype])
		return NULL;
	for (int i = 0; i < l->ndim; i++)
		if (a->dimensions[i] != l->shape[i])
			return NULL;
	kept[slot(l)] = NULL;
	return a;
}

void weft_np_give_up(np_array *a, const weft_layout *l)
{
	int same = Py_REFCNT((PyObject *)a) == 1 && a->nd == l->ndim && a->descr == weft_np_dtypes[l->dtype] && a->flags & C_ORDER && a->flags & WRITABLE && a->flags & OWNED && !a->base && !a->weak;
	for (int i = 0; same && i < l->ndim; i++)
		same = a->dimensions[i] == l->shape[i];
	if (same) {
		np_array *before = kept[slot(l)];
		kept[slot(l)] = a;
		a = before;
	}
	Py_XDECREF((PyObject *)a);
}

// sorts_alike says whether the axes of a copy, sorted by their steps as NumPy's own copies have them, stand as those of the array do: axes of one element count there.
static int sorts_alike(const weft_layout *l, int as)
{
	int64_t step = weft_sizes[l->dtype], steps[WEFT_NEAR];
	int alike = 1;
	for (int i = 0; i < l->ndim; i++) {
		const int axis = as == AS_F ? i : l->ndim - 1 - i;
		steps[axis] = step;
		step *= l->shape[axis];
	}
	for (int i = 0; i < l->ndim; i++)
		for (int k = 0; k < i; k++)
			alike = alike && (steps[i] > steps[k]) == (weft_magnitude(l->strides[i]) > weft_magnitude(l->strides[k]));
	return alike;
}

// order says how the axes of a copy are to lie, so that NumPy finds the order that it would find in the array; -1 where no copy has it. NumPy finds it by the sizes
// of the strides: results of an array that is read from its end lie forwards.
static int order(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	int is_f = 1;
	for (int i = 0; i < l->ndim; i++) {
		is_f = is_f && l->strides[i] == step;
		step *= l->shape[i];
	}
	const int as = weft_falls(l, 0) ? AS_C : is_f || weft_falls(l, 1) ? AS_F : -1;
	return is_f || as < 0 || sorts_alike(l, as) ? as : -1;
}

// NOWHERE is where an array is whose shape alone is looked at, and the next one is so many bytes behind it. No process has memory there.
#define NOWHERE ((uintptr_t)1 << 60)
#define APART ((uintptr_t)1 << 52)

// lent makes NumPy's array of one of weft's for a function that makes views of it; NULL, maybe with an exception, where it cannot be had.
static PyObject *lent(handover *h, PyObject *o)
{
	weft_array *a = (weft_array *)o;
	const weft_layout *l = NULL;
	char *data = (char *)NOWHERE;
	weft_few x;
	if (h->n == ARRAYS)
		return NULL;
	data += h->n * APART;
	if (h->views != PARTS)
		l = h->most > 0 && (h->is_first || h->views == FRAMES) ? weft_viewed(a) : NULL; // others are indices and the like, which are read
	else if (weft_most_of(o, h->most - 1, 0, &x) && (l = weft_viewed(a)) != NULL)
		data = weft_data(a);
	if (!l || !data || l->size == 0)
		return NULL;
	PyObject *made = weft_np_over(l, data);
	if (!made)
		return NULL;
	if (a->place.readonly == WEFT_WRITES_NOT)
		((np_array *)made)->flags &= ~WRITABLE;
	if (a->warns)
		((np_array *)made)->flags |= WARNS;
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

void weft_np_truths(char *bytes, int64_t n)
{
	enum { WORDS = 8 }; // that are looked at together: most often all their bytes are 0 and 1
	const uint64_t beyond = 0xfefefefefefefefe; // in bytes that are neither
	uint64_t word[WORDS];
	for (int64_t i = 0; i < n; i += (int64_t)sizeof word) {
		const int64_t some = n - i < (int64_t)sizeof word ? n - i : (int64_t)sizeof word;
		uint64_t any = beyond;
		if (some == sizeof word) {
			memcpy(word, bytes + i, sizeof word);
			any = (word[0] | word[1] | word[2] | word[3]) | (word[4] | word[5] | word[6] | word[7]);
		}
		for (int64_t k = i; any & beyond && k < i + some; k++)
			bytes[k] = bytes[k] != 0;
	}
}

// Bytes of an array from which on NumPy gets it over the memory itself, which a buffer holds meanwhile: a copy takes longer then.
enum { LENT = 1 << 15 };

// over_memory is NumPy's array over the memory of one of weft's; NULL, maybe with an exception, where that cannot be.
static PyObject *over_memory(handover *h, const weft_few *x)
{
	PyObject *memory = PyMemoryView_FromObject((PyObject *)x->array), *made = NULL;
	char *data = memory ? weft_data(x->array) : NULL; // which a buffer may have moved
	if (data)
		made = weft_np_over(x->l, data);
	if (made && weft_np_set_base((np_array *)made, Py_NewRef(memory)) < 0)
		Py_CLEAR(made);
	Py_XDECREF(memory);
	if (!made)
		return NULL;
	if (x->array->place.readonly == WEFT_WRITES_NOT)
		((np_array *)made)->flags &= ~WRITABLE;
	h->array[h->n].made = (np_array *)made;
	h->array[h->n].was = *x->l;
	h->array[h->n++].of = x->array;
	return Py_NewRef(made); // one is the handover's
}

PyObject *weft_hand_copy(handover *h, PyObject *o)
{
	weft_few x;
	if (h->n == ARRAYS || !weft_most_of(o, h->most - 1, 0, &x) || (h->elements += x.l->size) > 4 * h->most || (h->writes && h->n == 0 && x.array->place.readonly))
		return NULL;
	for (int i = 0; h->writes && i < h->n; i++)
		if (h->array[i].of->place.memory == x.array->place.memory)
			return NULL; // which NumPy would read while it writes
	int as = x.l->contiguous ? AS_C : h->whole ? -1 : order(x.l);
	weft_array *owner = weft_owner(x.array);
	if (h->lends && x.l->contiguous && x.l->size * weft_sizes[x.l->dtype] >= LENT && owner->bytes && !(x.l->dtype == WEFT_BOOL_DTYPE && owner->borrowed))
		return over_memory(h, &x);
	PyObject *made = x.l->contiguous ? (PyObject *)used_again(x.l) : NULL;
	if (!made)
		made = as < 0 ? NULL : weft_np_over(x.l, x.l->contiguous ? NULL : x.data);
	if (made && x.l->contiguous) {
		memcpy(((np_array *)made)->data, x.data, (size_t)(x.l->size * weft_sizes[x.l->dtype]));
		for (int i = 0; i < x.l->ndim; i++) // which are others along axes of one element alone
			((np_array *)made)->strides[i] = x.l->strides[i];
	} else if (made) {
		PyObject *view = made;
		made = weft_np_copy(view, as);
		if (made && as == AS_F && !(((np_array *)view)->flags & F_ORDER)) // a part of a matrix, say, which is of neither order to NumPy
			((np_array *)made)->flags &= ~F_ORDER;
		Py_DECREF(view);
	}
	if (made && x.l->dtype == WEFT_BOOL_DTYPE) // of foreign memory
		weft_np_truths(((np_array *)made)->data, x.l->size);
	if (made) {
		if (x.array->place.readonly == WEFT_WRITES_NOT) // with copy=False, say, NumPy writes to what it is given
			((np_array *)made)->flags &= ~WRITABLE;
		h->array[h->n].made = (np_array *)made;
		h->array[h->n].was = *x.l;
		h->array[h->n++].of = x.array;
		Py_INCREF(made); // the handover's
	}
	return made;
}

// stand_in returns an array of NumPy's of one element, for one of weft's of which nothing but the dtype is looked at; NULL, maybe with an exception, of one that
// has no axes, since NumPy may look at a number.
static PyObject *stand_in(PyObject *o)
{
	static PyObject *of[WEFT_DTYPES];
	const weft_layout *l = weft_layout_of((weft_array *)o);
	if (!l || l->ndim == 0)
		return NULL;
	if (!of[l->dtype])
		of[l->dtype] = weft_np_over(&(weft_layout){.dtype = l->dtype, .ndim = 1, .shape = {1}}, NULL);
	return Py_XNewRef(of[l->dtype]);
}

// plain says whether NumPy may have an object: an array of its own, a dtype, or what Python makes files, dates and paths of. Functions that weft has
// for many elements get few of arrays that it has dtypes for.
static int plain(handover *h, PyObject *o)
{
	if (h->views || h->writes)
		return 0;
	if (h->makes && Py_TYPE(o) == weft_np_type) // whose memory the result may have
		return 0;
	if (Py_TYPE(o) != weft_np_type)
		return (h->plain && PyType_IsSubtype(Py_TYPE(o), weft_np_descr)) || weft_is_plain(Py_TYPE(o));
	const np_array *a = (np_array *)o;
	h->runs |= ((const np_dtype *)a->descr)->kind == 'O';
	int64_t n = 1;
	for (int i = 0; i < a->nd; i++)
		n *= a->dimensions[i];
	if (h->numpys < ARRAYS)
		h->given[h->numpys] = a;
	h->numpys++;
	return h->plain || weft_np_unknown(a) || (n < h->most && (h->elements += n) <= 4 * h->most);
}

// named_plain says so of a dict whose values are all such.
static int named_plain(handover *h, PyObject *dict, int depth)
{
	Py_ssize_t at = 0;
	PyObject *key, *value, *same = Py_NewRef(Py_None);
	while (same && depth < DEEP && PyDict_Next(dict, &at, &key, &value)) {
		Py_DECREF(same);
		same = weft_hand(h, value, depth + 1);
		if (same && same != value)
			Py_CLEAR(same);
	}
	Py_XDECREF(same);
	return same && depth < DEEP;
}

int weft_hand_grows(handover *h, double times)
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
			return weft_hand_grows(h, ends[2] < 0 ? -ends[2] : ends[2]);
	}
	double count = (ends[1] - ends[0]) / ends[2];
	return !h->grids || (count == count && weft_hand_grows(h, count));
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
		PyObject *item = is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), *other = weft_hand(h, item, depth + 1);
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

PyObject *weft_hand(handover *h, PyObject *o, int depth)
{
	if (Py_TYPE(o) == weft_np_type)
		return plain(h, o) ? Py_NewRef(o) : NULL;
	if (Py_TYPE(o) == weft_array_type && h->makes && depth == 0) { // a copy has no gaps, so that it may be in order where the array is not
		const weft_layout *l = weft_layout_of((weft_array *)o);
		if (!l || !l->contiguous)
			return NULL;
	}
	PyObject *same = h->dtypes && Py_TYPE(o) == weft_array_type ? stand_in(o) : NULL;
	if (same || PyErr_Occurred())
		return same;
	if (Py_TYPE(o) == weft_array_type)
		return h->plain ? NULL : h->views ? lent(h, o) : weft_hand_copy(h, o);
	if (!h->plain && PyUnicode_CheckExact(o) && (PyUnicode_CompareWithASCIIString(o, "O") == 0 || PyUnicode_CompareWithASCIIString(o, "object") == 0))
		h->objects = 1;
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
		if (!weft_hand_grows(h, (double)i))
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
	h->objects |= o == (PyObject *)&PyBaseObject_Type;
	if (PyType_Check(o) && o != (PyObject *)weft_array_type && !PyType_IsSubtype((PyTypeObject *)o, weft_np_type))
		return Py_NewRef(o);
	for (int i = 1; i < WEFT_DTYPES && PyType_IsSubtype(Py_TYPE(o), weft_np_descr); i++)
		if (o == weft_np_dtypes[i])
			return Py_NewRef(o);
	return (PyDict_CheckExact(o) ? h->plain && named_plain(h, o, depth) : plain(h, o)) ? Py_NewRef(o) : NULL;
}

enum { KNOWN = 64 };

// weft_is_plain asks Python once, and remembers types for as long as no other has their place.
int weft_is_plain(PyTypeObject *type)
{
	static struct {
		PyTypeObject *type;
		int plain;
	} known[KNOWN];
	unsigned slot = (unsigned)((uintptr_t)type >> 4) % KNOWN;
	if (known[slot].type == type)
		return known[slot].plain;
	PyObject *hook = weft_hook("plain"), *told = hook ? PyObject_CallFunctionObjArgs(hook, (PyObject *)type, NULL) : NULL;
	if (!told) {
		weft_interrupted();
		return 0;
	}
	PyObject *before = (PyObject *)known[slot].type;
	known[slot].type = (PyTypeObject *)Py_NewRef((PyObject *)type);
	int plain = known[slot].plain = told == Py_True;
	Py_XDECREF(before);
	Py_DECREF(told);
	return plain;
}
