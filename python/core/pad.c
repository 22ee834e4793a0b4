//go:build extension

// pad(array, pad_width, mode, constant_values=...): one pass over the result, each of whose rows is a row of the array between elements of it. Widths
// that go round more than once, other modes, and what is wrong with a call are for the general function.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { MOST = 1 << 20 }; // elements of the result; beyond, two processors gain more than the passes of the general function cost

// Where an element beside the array comes from.
enum { CONSTANT, EDGE, REFLECT, SYMMETRIC, WRAP, MODES };
static const char *const modes[MODES] = {"constant", "edge", "reflect", "symmetric", "wrap"};

typedef struct {
	int mode, size; // bytes of an element
	const weft_layout *l;
	int64_t before[WEFT_NEAR], after[WEFT_NEAR], step[WEFT_NEAR]; // step: bytes from row to row of the result
	char constant[EAGER_WIDEST];
} padding;

// source is the place along an axis of n elements that an element of the result is a copy of, or -1 for the constant. k counts from the first one.
static int64_t source(int mode, int64_t n, int64_t k)
{
	if (k >= 0 && k < n)
		return k;
	switch (mode) {
	case EDGE: return k < 0 ? 0 : n - 1;
	case REFLECT: return k < 0 ? -k : 2 * (n - 1) - k;
	case SYMMETRIC: return k < 0 ? -k - 1 : 2 * n - 1 - k;
	case WRAP: return k < 0 ? k + n : k - n;
	}
	return -1;
}

// put copies elements of a row that the places from first on are copies of; from is the row's first element, or NULL where all is the constant.
static void put(const padding *p, const char *from, int64_t first, int64_t count, char *to)
{
	int last = p->l->ndim - 1;
	for (int64_t k = first; k < first + count; k++, to += p->size) {
		int64_t at = from ? source(p->mode, p->l->shape[last], k) : -1;
		eager_copy(p->size, 1, to, p->size, at < 0 ? p->constant : from + at * p->l->strides[last], p->size);
	}
}

static void fill(const padding *p, int axis, const char *from, char *to)
{
	const weft_layout *l = p->l;
	int64_t n = l->shape[axis], all = p->before[axis] + n + p->after[axis], side = p->size;
	if (axis < l->ndim - 1) {
		for (int64_t i = 0; i < all; i++) {
			int64_t at = from ? source(p->mode, n, i - p->before[axis]) : -1;
			fill(p, axis + 1, at < 0 ? NULL : from + at * l->strides[axis], to + i * p->step[axis]);
		}
		return;
	}
	if (!from) {
		eager_fill(p->size, &(eager_layout){1, all, &all, &side}, p->constant, to);
		return;
	}
	put(p, from, -p->before[axis], p->before[axis], to);
	to += p->before[axis] * p->size;
	if (l->strides[axis] == p->size)
		vm_copy(to, from, (size_t)(n * p->size));
	else
		eager_copy(p->size, n, to, p->size, from, l->strides[axis]);
	put(p, from, n, p->after[axis], to + n * p->size);
}

static int width(PyObject *o, int64_t *to)
{
	int overflow;
	*to = PyLong_CheckExact(o) ? PyLong_AsLongLongAndOverflow(o, &overflow) : -1;
	return *to >= 0 && *to <= MOST;
}

static int is_sequence(PyObject *o) { return PyTuple_CheckExact(o) || PyList_CheckExact(o); }

static Py_ssize_t length(PyObject *o) { return PyTuple_CheckExact(o) ? PyTuple_Size(o) : PyList_Size(o); }

static PyObject *item(PyObject *o, Py_ssize_t i) { return PyTuple_CheckExact(o) ? PyTuple_GetItem(o, i) : PyList_GetItem(o, i); }

static int pair(PyObject *o, int64_t *before, int64_t *after)
{
	return is_sequence(o) && length(o) == 2 && width(item(o, 0), before) && width(item(o, 1), after);
}

// read_widths reads a number, a pair, or a pair for each axis.
static int read_widths(PyObject *o, int ndim, padding *p)
{
	int64_t before, after;
	int all = pair(o, &before, &after);
	if (!all && width(o, &before)) {
		after = before;
		all = 1;
	}
	if (!all && (!is_sequence(o) || length(o) != ndim))
		return 0;
	for (int i = 0; i < ndim; i++) {
		if (!all && !pair(item(o, i), &before, &after))
			return 0;
		p->before[i] = before;
		p->after[i] = after;
	}
	return 1;
}

// read_words reads the mode and the constant.
static int read_words(PyObject *const *args, Py_ssize_t n, PyObject *names, int dtype, padding *p)
{
	PyObject *mode = n > 2 ? args[2] : NULL, *constant = NULL;
	for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++) {
		PyObject *name = PyTuple_GetItem(names, i);
		if (!mode && PyUnicode_CompareWithASCIIString(name, "mode") == 0)
			mode = args[n + i];
		else if (PyUnicode_CompareWithASCIIString(name, "constant_values") == 0)
			constant = args[n + i];
		else
			return 0;
	}
	p->mode = CONSTANT;
	while (mode && p->mode < MODES && !(PyUnicode_CheckExact(mode) && PyUnicode_CompareWithASCIIString(mode, modes[p->mode]) == 0))
		p->mode++;
	weft_value v = {.kind = WEFT_INT};
	return p->mode < MODES && (!constant || (p->mode == CONSTANT && weft_number(constant, &v))) && weft_write(&v, dtype, p->constant);
}

// lies_in_c says whether the result's axes have the order of C: not where the array is Fortran's alone.
static int lies_in_c(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	int fortran = !l->contiguous;
	for (int i = 0; i < l->ndim; i++) {
		fortran = fortran && (l->shape[i] == 1 || l->strides[i] == step);
		step *= l->shape[i];
	}
	return !fortran;
}

PyObject *weft_cut_pad(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few x;
	padding p;
	const weft_layout *l = weft_eager && (n == 2 || n == 3) && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim == 0 || !lies_in_c(l) || !read_widths(args[1], l->ndim, &p) || !read_words(args, n, names, l->dtype, &p))
		return NULL;
	int64_t shape[WEFT_NEAR], size = 1;
	for (int i = 0; i < l->ndim; i++) {
		int64_t most = p.mode == REFLECT ? l->shape[i] - 1 : p.mode == SYMMETRIC || p.mode == WRAP ? l->shape[i] : MOST;
		if (p.before[i] > most || p.after[i] > most)
			return NULL;
		shape[i] = p.before[i] + l->shape[i] + p.after[i];
		if (shape[i] > MOST || (size *= shape[i]) > MOST)
			return NULL;
	}
	if (!weft_many_of(args[0], MOST, 1, &x))
		return NULL;
	weft_array *made = weft_many_made(x.l->dtype, x.l->ndim, shape);
	char *to = made ? weft_data(made) : NULL;
	if (!to || !(x.data = weft_data(x.array))) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	p.l = x.l;
	p.size = weft_sizes[x.l->dtype];
	for (int64_t i = x.l->ndim - 1, step = p.size; i >= 0; step *= shape[i--])
		p.step[i] = step;
	fill(&p, 0, x.data, to);
	weft_note_made(WEFT_NOTE_PAD, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}
