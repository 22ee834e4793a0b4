//go:build extension

// Calls with few elements that NumPy's own function answers: all that has no loop of the eager tier, from bincount to polyfit. The arrays among
// the arguments become NumPy's, with a copy of their elements, so that nothing that NumPy keeps or does, on whatever thread, reaches
// memory of weft's; what NumPy makes is copied into arrays of weft's. Both copies together take 0.2 us. Where an array has 32 KiB or more, and a function only reads, NumPy's is over
// the memory itself, which a buffer holds for as long.
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
#include "table.h"
#include "handover.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { API_ARRAY = 2, API_DESCR = 3, API_COPY_INTO = 50, API_FROM_ANY = 69, API_NEW_COPY = 85, API_NEW = 94, API_SET_BASE = 282 }; // places in NumPy's table: see scalar.c

static int (*copy_into)(PyObject *to, PyObject *from);

static int64_t most = FEW; // elements of an array of a call that is NumPy's, less one; of some functions more in proportion

int64_t weft_most_of_numpys(void) { return 4 * most; }

// What NumPy's arrays do for an index. Notes name them as they name the operations that weft has.
static weft_delegate gets = {.number = WEFT_NOTE_PICK - WEFT_NOTE_NUMPY, .few = FEW}, sets = {.number = WEFT_NOTE_PUT - WEFT_NOTE_NUMPY, .few = FEW, .writes = 1};

int weft_init_delegates(PyObject *api)
{
	void **table = PyCapsule_GetPointer(api, NULL);
	if (!table)
		return -1;
	for (int i = 1; i < WEFT_DTYPES; i++)
		weft_np_dtypes[i] = weft_dtype_object(i);
	weft_np_type = table[API_ARRAY];
	weft_np_descr = table[API_DESCR];
	copy_into = (int (*)(PyObject *, PyObject *))table[API_COPY_INTO];
	weft_np_copy = (PyObject * (*)(PyObject *, int)) table[API_NEW_COPY];
	weft_np_set_base = (int (*)(np_array *, PyObject *))table[API_SET_BASE];
	weft_np_from_any = (PyObject * (*)(PyObject *, PyObject *, int, int, int, PyObject *)) table[API_FROM_ANY];
	gets.function = PyObject_GetAttrString((PyObject *)weft_np_type, "__getitem__");
	sets.function = PyObject_GetAttrString((PyObject *)weft_np_type, "__setitem__");
	if (!gets.function || !sets.function)
		return -1;
	weft_np_new = (PyObject * (*)(PyTypeObject *, PyObject *, int, const intptr_t *, const intptr_t *, void *, int, PyObject *)) table[API_NEW];
	return 0;
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

// seen_by is the same of one of several arguments.
static PyObject *seen_by(const handover *h, const np_array *a)
{
	int i = 0;
	while (a->data < h->array[i].first || a->data >= h->array[i].end)
		i++;
	return a == h->array[i].made ? Py_NewRef((PyObject *)h->array[i].of) : weft_np_view(&h->array[i], a);
}

// may_be_given says whether an array, or one of several, may be one of NumPy's arrays among the arguments, or a view of one: where their dtypes are weft's, by
// where the elements are.
static int may_be_given(const handover *h, PyObject *o)
{
	if (Py_TYPE(o) == weft_np_type) {
		const np_array *a = (np_array *)o;
		if (weft_np_unknown(a) || weft_np_is_new(a)) // which stays NumPy's, or has no other owner
			return 0;
		int may = !(a->flags & OWNED) || Py_REFCNT(o) > 1, dtype = weft_np_dtype(a), near = h->numpys > ARRAYS || dtype == WEFT_DTYPES;
		const char *first, *end, *low, *high;
		if (may && !near)
			weft_np_bounds(a, weft_sizes[dtype], &first, &end);
		for (int i = 0; may && !near && i < h->numpys; i++) {
			int of = weft_np_dtype(h->given[i]);
			if (of < WEFT_DTYPES)
				weft_np_bounds(h->given[i], weft_sizes[of], &low, &high);
			near = a == h->given[i] || of == WEFT_DTYPES || first == end || (first < high && low < end);
		}
		return may && near;
	}
	int is_list = PyList_CheckExact(o), may = 0;
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Check(o) ? PyTuple_Size(o) : 0;
	for (Py_ssize_t i = 0; i < n && !may; i++)
		may = may_be_given(h, is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i));
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

// unchanged says whether an array still has the elements that NumPy got a copy of, where it wrote into that as it does with copy=False, or an array for its results.
static int unchanged(const handover *h, int i)
{
	const weft_layout *l = weft_layout_of(h->array[i].of);
	const char *data = l && l->contiguous && h->array[i].made->flags & C_ORDER ? weft_data(h->array[i].of) : NULL;
	return data && (data == h->array[i].made->data || memcmp(data, h->array[i].made->data, (size_t)(l->size * weft_sizes[l->dtype])) == 0);
}

// answered makes weft's of what NumPy gave, which is given up: NULL without an exception where it shares memory with an argument. in is the list or tuple that it is an item of, or NULL.
static PyObject *answered(const handover *h, PyObject *o, PyObject *in)
{
	if (Py_TYPE(o) == weft_np_type) {
		for (int i = 0; i < h->n && !h->views && !h->writes; i++)
			if ((np_array *)o == h->array[i].made) { // such as edges that are given back
				Py_DECREF(o);
				return unchanged(h, i) ? Py_NewRef((PyObject *)h->array[i].of) : NULL;
			}
		if (!shares(h, (np_array *)o))
			return in ? weft_taken_from(o, in) : weft_taken(o);
		PyObject *view = h->views ? seen_by(h, (np_array *)o) : NULL;
		Py_DECREF(o);
		return view;
	}
	int is_list = PyList_CheckExact(o);
	if (!is_list && !PyTuple_Check(o))
		return o;
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_Size(o);
	PyObject *items = PyTuple_New(n), *made = items;
	int same = 1;
	for (Py_ssize_t i = 0; made && i < n; i++) {
		PyObject *before = is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), *item = answered(h, Py_NewRef(before), o);
		same = same && item == before;
		if (item)
			PyTuple_SetItem(items, i, item);
		else
			Py_CLEAR(made);
	}
	if (made && same) { // an object of the program's, may be
		Py_DECREF(items);
		return o;
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
	PyObject *view = l && data ? weft_np_over(l, data) : NULL;
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

// was_begun says whether the exception at hand came out of a function of Python's: then the arguments have fit, and code of the program's may have run.
static int was_begun(void)
{
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	const int begun = trace != NULL;
	PyErr_Restore(type, value, trace);
	return begun;
}

PyObject *weft_np_result(PyObject *made, PyObject *const *args, Py_ssize_t n)
{
	if (weft_is_unknown(made))
		return made;
	if (Py_TYPE(made) == weft_np_type && weft_np_is_new((np_array *)made))
		return weft_taken(made);
	handover h = {.n = 0, .numpys = ARRAYS + 1}; // of which it may be any
	return may_be_given(&h, made) ? found_out(made, args, n) : answered(&h, made, NULL);
}

PyObject *weft_ask_numpy(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	handover h; // of whose arrays nothing is read before it is written
	memset(&h, 0, offsetof(handover, given));
	h.writes = d->writes;
	h.views = d->views;
	h.grids = d->grids;
	h.plain = d->plain;
	h.makes = d->makes;
	h.whole = d->whole;
	h.lends = d->number != WEFT_UNNOTED && !d->calls && !d->makes && !d->views && !d->writes;
	h.dtypes = d->dtypes;
	h.result = 1;
	h.most = d->few * most / FEW;
	Py_ssize_t all = n + (names ? PyTuple_Size(names) : 0), ready = 0;
	PyObject *made = NULL, *called[1 + GIVEN], **with = called + 1; // of which none is cleared, as that takes longer than all of them are read
	called[0] = d->self;
	if (!weft_eager || all > GIVEN || (d->writes && (n < 1 || Py_TYPE(args[0]) != weft_array_type || ((weft_array *)args[0])->place.readonly)))
		return NULL;
	while (ready < all) {
		int is_out = ready < n ? d->reads && ready >= d->reads : PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, ready - n), "out") == 0;
		h.is_first = ready == 0 && n > 0;
		with[ready] = is_out && args[ready] != Py_None ? NULL : weft_hand(&h, args[ready], 0);
		if (!with[ready])
			break;
		ready++;
	}
	if (ready == all && !(h.objects && h.n) && !(d->views == FRAMES && h.n != n) && !(d->grows && h.greatest > WEFT_FOLD_MOST / (h.elements + 1))) {
		int methods = d->self != NULL, once = d->traceless && h.runs; // what elements' methods do must not be done again for NumPy's words
		made = PyObject_Vectorcall(once ? d->says : d->method && Py_TYPE(args[0]) == weft_array_type ? d->method : d->function, with - methods, (size_t)(n + methods), names);
		if (!made && !once && d->says && weft_is_about_arguments() && (!d->plain || !was_begun())) {
			PyErr_Clear();
			made = PyObject_Vectorcall(d->says, with, (size_t)n, names);
		}
		if (d->writes && write_back(&h) < 0)
			Py_CLEAR(made);
		if (made && d->views == SHAPES && h.n + h.numpys == 0)
			made = found_out(made, args, all); // of a list, whose view a copy may not stand for
		else if (made)
			made = !h.numpys || !may_be_given(&h, made) ? answered(&h, made, NULL) : h.n ? (Py_DECREF(made), NULL) : found_out(made, args, all);
		if (made && !d->views && d->number != WEFT_UNNOTED && (h.n + h.numpys > 0 || Py_TYPE(made) == weft_array_type)) // a question about dtypes is none about arrays
			note(d, &h, made);
	}
	while (ready > 0)
		Py_DECREF(with[--ready]);
	for (int i = 0; i < h.n; i++)
		weft_np_give_up(h.array[i].made, &h.array[i].was);
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

PyObject *weft_delegated_get(PyObject *array, PyObject *index) { return weft_ask_numpy(&gets, (PyObject *[]){array, index}, 2, NULL); }

int weft_delegated_set(PyObject *array, PyObject *index, PyObject *value)
{
	PyObject *made = weft_ask_numpy(&sets, (PyObject *[]){array, index, value}, 3, NULL);
	Py_XDECREF(made);
	return made ? 1 : PyErr_Occurred() ? -1 : 0;
}

// weft_read_delegate reads what Python tells of one: (function, method or None, name, what it does, elements, arguments without names before those that it writes to or 0, and
// perhaps the function that says what is wrong with a call, and the one that computes what is NumPy's already). 0, or -1 with an exception.
int weft_read_delegate(PyObject *told, weft_delegate *to)
{
	const char *name, *does;
	PyObject *function, *method, *says = Py_None, *text = Py_None;
	long long few;
	if (!PyArg_ParseTuple(told, "OOssLi|OO", &function, &method, &name, &does, &few, &to->reads, &says, &text))
		return -1;
	says = says == Py_None ? NULL : says;
	weft_set(&to->text, text == Py_None ? NULL : Py_NewRef(text));
	weft_set(&to->says, Py_XNewRef(says));
	PyObject *code = says ? PyObject_GetAttrString(function, "__code__") : NULL;
	to->traceless = says && !code;
	Py_XDECREF(code);
	PyErr_Clear();
	to->number = goDelegate((char *)name);
	to->few = few;
	PyObject *results = PyObject_GetAttrString(function, "nout"); // which ufuncs have
	to->results = results ? (int)PyLong_AsLong(results) : 0;
	Py_XDECREF(results);
	PyErr_Clear();
	to->whole = strcmp(does, "writes flat") == 0; // NumPy copies an array with gaps, and gives up the copy where there is an error, or refuses it
	to->writes = to->whole || strcmp(does, "writes") == 0;
	to->grows = strcmp(does, "grows") == 0;
	to->grids = strcmp(does, "grids") == 0;
	to->dtypes = strcmp(does, "dtypes") == 0;
	to->calls = strcmp(does, "calls") == 0;
	to->falls = strcmp(does, "falls") == 0 || strcmp(does, "both") == 0;
	to->numbers = strcmp(does, "numbers") == 0 || strcmp(does, "both") == 0;
	to->wrapped = strcmp(does, "wrapped") == 0;
	to->kept = strcmp(does, "kept") == 0;
	to->plain = strcmp(does, "plain") == 0 || to->wrapped || to->falls || to->numbers;
	to->makes = strcmp(does, "makes") == 0;
	to->views = strcmp(does, "views") == 0 ? PARTS : strcmp(does, "shapes") == 0 ? SHAPES : strcmp(does, "frames") == 0 ? FRAMES : 0;
	weft_set(&to->function, Py_NewRef(function));
	weft_set(&to->method, method == Py_None ? NULL : Py_NewRef(method));
	return 0;
}

// is_others says whether an operand is an array of NumPy's of a dtype that weft has not, or one element of such.
static int is_others(PyObject *o)
{
	PyTypeObject *type = Py_TYPE(o);
	if (type == weft_array_type || PyFloat_CheckExact(o) || PyLong_CheckExact(o))
		return 0;
	return weft_is_unknown(o) || (PyType_IsSubtype(type, (PyTypeObject *)weft_np_generic) && !weft_scalar_code(o));
}

PyObject *weft_of_unknown(int op, const char *name, PyObject *x, PyObject *y)
{
	static weft_delegate of[OP_NEGATIVE]; // the operators of two operands
	int derived = weft_is_derived(x) || weft_is_derived(y);
	if (op >= OP_NEGATIVE || !(derived || is_others(x) || is_others(y)))
		return NULL;
	weft_delegate *d = &of[op];
	if (!d->function) {
		PyObject *ufuncs = weft_hook("operators");
		if (!ufuncs)
			return NULL;
		*d = (weft_delegate){.function = Py_NewRef(PyTuple_GetItem(ufuncs, op)), .number = goDelegate((char *)name), .few = FEW};
	}
	PyObject *operands[] = {x, y}, *made = derived ? NULL : weft_ask_numpy(d, operands, 2, NULL);
	if (!made && !PyErr_Occurred()) { // of more elements, or a class derived from NumPy's arrays, whose operators are its own
		PyObject *functions = weft_hook("python_operators"), *text = functions ? PyUnicode_FromString(name) : NULL;
		weft_delegate as = *d;
		if (text) {
			as.function = PyTuple_GetItem(functions, op);
			made = weft_wrapped(&as, text, WEFT_UNBOUNDED, operands, 2, NULL);
		}
		Py_XDECREF(text);
	}
	// What has no order may still be unequal: numbers and text, for which NumPy's ufunc has no loop, but its operator an answer.
	if (!made && (op == OP_EQ || op == OP_NE) && PyErr_ExceptionMatches(PyExc_TypeError))
		PyErr_Clear();
	return made;
}

PyObject *weft_copy_of_unknown(PyObject *o) { return weft_np_copy(o, KEEP); }

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
	PyObject *made = weft_ask_numpy(&(weft_delegate){.function = args[0], .number = WEFT_UNNOTED, .few = FEW}, args + 1, n - 1, names);
	return made || PyErr_Occurred() ? made : Py_NewRef(Py_NotImplemented);
}

// copy_of(array): an array of NumPy's with the elements of one that has few; None of others.
PyObject *weft_copy_of(PyObject *self, PyObject *array)
{
	(void)self;
	ENTER(NULL)
	handover h;
	memset(&h, 0, offsetof(handover, given));
	h.most = most;
	PyObject *made = Py_TYPE(array) == weft_array_type ? weft_hand_copy(&h, array) : NULL;
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
