//go:build extension

// Calls with few elements of functions of NumPy's that may keep what they are given, or write to it: masked arrays, records, apply_along_axis. Each array of weft's
// becomes one of NumPy's over its memory, which stays where it is for as long as that is there (export.c). It is what _fallback.run does, in less time than such a
// function takes itself; whatever is not usual among the arguments, and among results, Python looks at.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "handover.h"

// wrapped is what a call hands over: arrays of NumPy's over those of weft's, and the program's own.
typedef struct {
	int n, given;
	PyObject *view[ARRAYS], *of[ARRAYS], *own[ARRAYS]; // of and own are the caller's
	int64_t most, elements, bytes;
} wrapped;

// over returns the array of NumPy's over one of weft's; NULL, maybe with an exception, where that has more elements, or none.
static PyObject *over(wrapped *w, PyObject *o)
{
	weft_array *a = (weft_array *)o;
	for (int i = 0; i < w->n; i++)
		if (w->of[i] == o)
			return Py_NewRef(w->view[i]);
	const weft_layout *l = weft_layout_of(a);
	if (w->n == ARRAYS || !l || l->size == 0 || l->size >= w->most || (w->most != WEFT_UNBOUNDED && (w->elements += l->size) > 4 * w->most))
		return NULL;
	PyObject *memory = PyMemoryView_FromObject(o), *made = NULL; // which waits for the values; NumPy alone would drop the exception of an interrupt
	if (memory && weft_owner(a)->bytes) {
		made = weft_np_over(l, weft_data(a));
		if (made && a->place.readonly == WEFT_WRITES_NOT)
			((np_array *)made)->flags &= ~WRITABLE;
		if (made && weft_np_set_base((np_array *)made, Py_NewRef(memory)) < 0)
			Py_CLEAR(made);
	} else if (memory) {
		made = weft_np_from_any(memory, NULL, 0, 0, 0, NULL);
	}
	Py_XDECREF(memory);
	if (!made)
		return NULL;
	w->bytes += l->size * weft_sizes[l->dtype];
	w->of[w->n] = o;
	w->view[w->n++] = made;
	return Py_NewRef(made); // one is the call's
}

// weft_np_passes asks Python once for each type.
int weft_np_passes(PyTypeObject *type)
{
	enum { KNOWN = 64 };
	static PyTypeObject *known[KNOWN];
	static int pass[KNOWN];
	unsigned slot = (unsigned)((uintptr_t)type >> 4) % KNOWN;
	if (known[slot] == type)
		return pass[slot];
	PyObject *hook = weft_hook("passes"), *told = hook ? PyObject_CallFunctionObjArgs(hook, (PyObject *)type, NULL) : NULL, *before = (PyObject *)known[slot];
	if (!told) {
		weft_interrupted();
		return 0;
	}
	known[slot] = (PyTypeObject *)Py_NewRef((PyObject *)type);
	pass[slot] = told == Py_True;
	Py_XDECREF(before);
	Py_DECREF(told);
	return pass[slot];
}

static PyObject *handed(wrapped *w, PyObject *o, int depth);

// listed hands a list or tuple over: itself, if nothing in it has to be another.
static PyObject *listed(wrapped *w, PyObject *o, int depth)
{
	int is_list = PyList_CheckExact(o), same = 1;
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Size(o), ready = 0;
	PyObject *made = depth < DEEP && n < (w->most == WEFT_UNBOUNDED ? FEW : w->most) ? PyTuple_New(n) : NULL;
	for (; made && ready < n; ready++) {
		PyObject *item = is_list ? PyList_GetItem(o, ready) : PyTuple_GetItem(o, ready), *other = handed(w, item, depth + 1);
		same = same && other == item;
		if (other)
			PyTuple_SetItem(made, ready, other);
		else
			Py_CLEAR(made);
	}
	if (made && (same || is_list))
		weft_set(&made, same ? Py_NewRef(o) : PySequence_List(made));
	return made;
}

// handed is what NumPy gets for an argument; NULL, maybe with an exception, where Python has to look.
static PyObject *handed(wrapped *w, PyObject *o, int depth)
{
	PyTypeObject *type = Py_TYPE(o);
	if (type == weft_array_type)
		return over(w, o);
	if (PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o) || o == Py_None)
		return Py_NewRef(o);
	if (PyList_CheckExact(o) || PyTuple_CheckExact(o))
		return listed(w, o, depth);
	if (type == weft_np_type || PyType_IsSubtype(type, weft_np_type)) {
		if (w->given == ARRAYS || !weft_np_passes(type))
			return NULL;
		w->own[w->given++] = o;
		return Py_NewRef(o);
	}
	if (PyCallable_Check(o) && !PyType_Check(o)) { // weft's functions mean NumPy's there
		PyObject *its = PyObject_GetAttrString(o, "_numpy");
		PyErr_Clear();
		return its ? its : weft_np_passes(type) ? Py_NewRef(o) : NULL;
	}
	return weft_np_passes(type) ? Py_NewRef(o) : NULL;
}

// list_of is a list of the first n of some objects.
static PyObject *list_of(PyObject *const *of, int n)
{
	PyObject *made = PyList_New(n);
	for (int i = 0; made && i < n; i++)
		PyList_SetItem(made, i, Py_NewRef(of[i]));
	return made;
}

// of_weft is the array of weft's whose own memory an array of NumPy's is over, by the buffer that it is made of; NULL, without an exception, where there is none such.
static weft_array *of_weft(const np_array *a)
{
	while (a->base && Py_TYPE(a->base) == weft_np_type)
		a = (const np_array *)a->base;
	PyObject *of = a->base && PyMemoryView_Check(a->base) ? PyObject_GetAttrString(a->base, "obj") : NULL;
	PyErr_Clear();
	int is_own = of && Py_TYPE(of) == weft_array_type && weft_owner((weft_array *)of)->bytes;
	if (!is_own)
		Py_XDECREF(of);
	return is_own ? (weft_array *)of : NULL;
}

// view_made is the argument that an array of NumPy's stands for, or a view of weft's array whose memory it is over; NULL, maybe with an exception, where Python has to look.
static PyObject *view_made(const wrapped *w, const np_array *a)
{
	for (int i = 0; i < w->n; i++)
		if (w->view[i] == (const PyObject *)a)
			return Py_NewRef(w->of[i]);
	for (int i = 0; i < w->given; i++)
		if (w->own[i] == (const PyObject *)a)
			return NULL;
	weft_array *of = of_weft(a);
	PyObject *made = of && weft_layout_of(of) ? weft_np_seen(of, a) : NULL;
	Py_XDECREF((PyObject *)of);
	return made;
}

static int is_sequence(PyObject *o) { return PyList_CheckExact(o) || PyTuple_Check(o); }

// is_plain says whether a result, or what is in a list or tuple, is what the program gets: neither an array of NumPy's nor a sequence that may have some.
static int is_plain(PyObject *o) { return Py_TYPE(o) != weft_np_type && !is_sequence(o); }

static int all_plain(PyObject *o)
{
	int is_list = PyList_CheckExact(o), plain = 1;
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Size(o);
	for (Py_ssize_t i = 0; i < n && plain; i++)
		plain = is_plain(is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i));
	return plain;
}

// all_taken is a tuple of new arrays and of what is none, as the program gets it; NULL, maybe with an exception, of others.
static PyObject *all_taken(PyObject *tuple)
{
	Py_ssize_t n = PyTuple_CheckExact(tuple) ? PyTuple_Size(tuple) : -1;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *item = PyTuple_GetItem(tuple, i);
		if (!is_plain(item) && (is_sequence(item) || !weft_np_is_new((np_array *)item)))
			n = -1;
	}
	PyObject *made = n >= 0 ? PyTuple_New(n) : NULL;
	for (Py_ssize_t i = 0; made && i < n; i++) {
		PyObject *item = weft_taken(Py_NewRef(PyTuple_GetItem(tuple, i)));
		if (item)
			PyTuple_SetItem(made, i, item);
		else
			Py_CLEAR(made);
	}
	return made;
}

// converted is what the program gets for what NumPy gave, which is given up. A new array is copied here, and so are those of a tuple; of others Python finds out the owner.
static PyObject *converted(const wrapped *w, PyObject *made)
{
	if (Py_TYPE(made) == weft_np_type && weft_np_is_new((np_array *)made))
		return weft_taken(made);
	if (is_plain(made) || (is_sequence(made) && all_plain(made)))
		return made;
	PyObject *known = Py_TYPE(made) == weft_np_type ? view_made(w, (np_array *)made) : all_taken(made);
	if (known || PyErr_Occurred()) {
		Py_DECREF(made);
		return known;
	}
	PyObject *hook = weft_hook("converted"), *views = hook ? list_of(w->view, w->n) : NULL, *of = views ? list_of(w->of, w->n) : NULL, *own = of ? list_of(w->own, w->given) : NULL;
	PyObject *result = own ? PyObject_CallFunctionObjArgs(hook, made, views, of, own, NULL) : NULL;
	Py_XDECREF(views);
	Py_XDECREF(of);
	Py_XDECREF(own);
	Py_DECREF(made);
	return result;
}

// noted counts a call. One that took long is told of to Python, which warns once for each place. It takes the result over, which is NULL where that is an exception.
static PyObject *noted(const weft_delegate *d, PyObject *name, const wrapped *w, int64_t begun, PyObject *result)
{
	enum { LEAST = 1000000 }; // nanoseconds, as in _fallback.py
	int64_t took = weft_clock() - begun;
	if (took < LEAST) {
		weft_array *first = w->n > 0 ? (weft_array *)w->of[0] : NULL, *out = Py_TYPE(result) == weft_array_type ? (weft_array *)result : NULL;
		weft_layout one;
		if (!out || out->at.ndim == 0)
			weft_lay(&one, out ? out->at.dtype : first ? first->at.dtype : WEFT_BOOL_DTYPE, 0, NULL);
		weft_note(WEFT_NOTE_NUMPY + d->number, out && out->at.ndim ? &out->at : &one, out ? out->place.memory : 0, first ? first->place.memory : 0,
			w->n > 1 ? ((weft_array *)w->of[1])->place.memory : 0);
		return result;
	}
	PyObject *hook = weft_hook("noted"), *done = hook ? PyObject_CallFunction(hook, "OLL", name, (long long)(goClock() - took), (long long)w->bytes) : NULL;
	if (!done)
		Py_CLEAR(result);
	Py_XDECREF(done);
	return result;
}

int weft_is_derived(PyObject *o)
{
	PyTypeObject *type = Py_TYPE(o);
	return type != weft_array_type && type != weft_np_type && PyType_IsSubtype(type, weft_np_type);
}

PyObject *weft_wrapped(const weft_delegate *d, PyObject *name, int64_t most, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	wrapped w;
	w.n = w.given = 0;
	w.elements = w.bytes = 0;
	w.most = most;
	Py_ssize_t all = n + (names ? PyTuple_Size(names) : 0), ready = 0;
	PyObject *with[GIVEN], *made = NULL;
	int64_t begun = weft_clock(); // before memory is looked at, by which graphs know what the call read
	for (; weft_eager && all <= GIVEN && ready < all; ready++)
		if (!(with[ready] = handed(&w, args[ready], 0)))
			break;
	if (ready == all && w.n + w.given > 0) {
		made = PyObject_Vectorcall(d->says ? d->says : d->function, with, (size_t)n, names); // classes may have an answer of their own
		made = made && !d->kept ? converted(&w, made) : made;
		made = made && !d->kept ? noted(d, name, &w, begun, made) : made;
	}
	while (ready > 0)
		Py_DECREF(with[--ready]);
	while (w.n > 0)
		Py_DECREF(w.view[--w.n]);
	return made;
}
