//go:build extension

// where with three arguments, select, piecewise of numbers, and clip: by the programs that the general functions have for them.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, FLOAT64 = 12 }; // tile.DTypes

// An operand: an array of few elements, or a number.
typedef struct {
	int is_array, strong; // strong: the dtype of an array or of a NumPy scalar; 0 of Python's numbers
	weft_few x;
	weft_value v;
} chosen;

static int read_one(PyObject *o, chosen *c)
{
	c->is_array = weft_fits_of(o, 0, &c->x);
	if (!c->is_array && (Py_TYPE(o) == weft_array_type || !weft_number(o, &c->v)))
		return 0;
	c->strong = c->is_array ? c->x.l->dtype : c->v.dtype;
	return 1;
}

static int weak_of(const chosen *c) { return c->v.kind == WEFT_FLOAT ? 12 : c->v.kind == WEFT_INT ? 5 : WEFT_BOOL_DTYPE; }

// together returns the dtype of two operands, or 0.
static int together(const chosen *a, const chosen *b)
{
	if (a->strong && b->strong)
		return weft_promoted(a->strong, b->strong);
	if (!a->strong && !b->strong)
		return weak_of(a) > weak_of(b) ? weak_of(a) : weak_of(b);
	return a->strong ? weft_promoted_number(a->strong, b->v.kind) : weft_promoted_number(b->strong, a->v.kind);
}

static weft_conversion selections[WEFT_DTYPES][WEFT_DTYPES][WEFT_DTYPES]; // by the arrays' dtypes, 0 of numbers, and the result's
static weft_conversion clips[WEFT_DTYPES][WEFT_DTYPES];                  // by the array's dtype and the result's; the limits are numbers

// join extends a shape by that of an array, which has to lie in the order of C.
static int join(const weft_few *x, weft_layout *all)
{
	weft_layout of = *all;
	int ndim;
	if (x->l->ndim > 1 && !weft_falls(x->l, 0))
		return 0;
	if (!weft_common(&of, x->l, all->shape, &ndim))
		return 0;
	all->ndim = ndim;
	return 1;
}

static int64_t size_of(const weft_layout *l)
{
	int64_t n = 1;
	for (int i = 0; i < l->ndim; i++)
		n *= l->shape[i];
	return n;
}

// computed runs a code over arrays; uniforms are the numbers.
static PyObject *computed(int what, const void *code, int dtype, weft_layout *shape, weft_few *const *in, int n, uint64_t uniforms[][2])
{
	weft_layout out;
	if (!weft_fits(size_of(shape), dtype) || size_of(shape) == 0)
		return NULL;
	for (int i = 0; i < n; i++)
		if (!weft_data(in[i]->array) || !weft_fits(size_of(shape), in[i]->l->dtype)) // shut meanwhile: see opening.c
			return NULL;
	weft_lay(&out, dtype, shape->ndim, shape->shape);
	weft_array *made = out.ndim ? weft_new_small(&out) : NULL;
	char one_element[EAGER_WIDEST], *to = made ? made->bytes : one_element, *p[EAGER_INPUTS] = {NULL};
	if (out.ndim && !made)
		return NULL;
	uint32_t ones = 0;
	for (int i = 0; i < n; i++) {
		int one;
		p[i] = weft_beside(in[i]->l, weft_data(in[i]->array), &out, 0, weft_scratch[1 + i], &one);
		ones |= (uint32_t)one << i;
	}
	eager_map(code, out.size, to, p, ones, (const uint64_t(*)[2])uniforms);
	PyObject *result = made ? (PyObject *)made : weft_scalar_at(to, dtype);
	if (result)
		weft_note_made(what, result, dtype, in[0]->array, n > 1 ? in[1]->array : NULL);
	return result;
}

PyObject *weft_few_where(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few m, *in[EAGER_INPUTS] = {&m};
	chosen c[2];
	if (args[1] == weft_no_value && args[2] == weft_no_value)
		return weft_few_nonzero(0, args);
	if (!weft_fits_of(args[0], 0, &m) || m.l->dtype != WEFT_BOOL_DTYPE || !read_one(args[1], &c[0]) || !read_one(args[2], &c[1]))
		return NULL;
	int dtype = together(&c[0], &c[1]), n = 1, numbers = 0;
	weft_layout shape = {.ndim = 0};
	if (!dtype || !join(&m, &shape))
		return NULL;
	uint64_t uniforms[2][2] = {{0}};
	for (int i = 0; i < 2; i++) {
		if (c[i].is_array) {
			if (!join(&c[i].x, &shape))
				return NULL;
			in[n++] = &c[i].x;
		} else if (!weft_write(&(weft_value){.kind = c[i].v.kind, .i = c[i].v.i, .re = c[i].v.re}, dtype, uniforms[numbers++])) {
			return NULL;
		}
	}
	for (int i = 0; i < 2; i++)
		if (!c[i].is_array && !c[i].strong)
			weft_floating_number(&c[i].v, dtype);
	int x = c[0].is_array ? c[0].strong : 0, y = c[1].is_array ? c[1].strong : 0;
	weft_conversion *code = &selections[x][y][dtype];
	if (!code->known) {
		goSelection(x, y, dtype, code);
		code->known = 1;
	}
	return code->code ? computed(WEFT_NOTE_WHERE, code->code, dtype, &shape, in, n, uniforms) : NULL;
}

// clip(a, a_min, a_max, out, min, max, ...) by two numbers.
PyObject *weft_few_clip(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few a, *in[1] = {&a};
	chosen c[2];
	int named = args[1] == weft_no_value && args[2] == weft_no_value;
	PyObject *least = args[named ? 4 : 1], *most = args[named ? 5 : 2];
	int no_least = least == Py_None || (named && least == weft_no_value), no_most = most == Py_None || (named && most == weft_no_value);
	if (no_least != no_most && args[3] == Py_None && (named || (least != weft_no_value && most != weft_no_value && args[4] == weft_no_value && args[5] == weft_no_value)) && Py_TYPE(args[0]) == weft_array_type) { // as NumPy has it then
		static int ufuncs[2]; // 0 until they are asked for
		if (!ufuncs[0]) {
			ufuncs[0] = goUfunc("maximum");
			ufuncs[1] = goUfunc("minimum");
		}
		return weft_eager_ufunc(ufuncs[no_least], args[0], no_least ? most : least);
	}
	for (int i = 0; i < 2; i++) {
		PyObject *limit = args[1 + i] == weft_no_value ? args[4 + i] : args[1 + i];
		if (limit == weft_no_value || (args[1 + i] != weft_no_value && args[4 + i] != weft_no_value) || !read_one(limit, &c[i]) || c[i].is_array)
			return NULL;
	}
	if (args[3] != Py_None || (args[1] == weft_no_value) != (args[2] == weft_no_value) || !weft_fits_of(args[0], 0, &a))
		return NULL;
	int dtype = a.l->dtype;
	for (int i = 0; i < 2 && dtype; i++)
		dtype = c[i].strong ? weft_promoted(dtype, c[i].strong) : weft_promoted_number(dtype, c[i].v.kind);
	if (dtype <= WEFT_BOOL_DTYPE || dtype > 12)
		return NULL;
	uint64_t uniforms[2][2] = {{0}};
	weft_layout shape = {.ndim = 0};
	for (int i = 0; i < 2; i++)
		if (!weft_write(&(weft_value){.kind = c[i].v.kind, .i = c[i].v.i, .re = c[i].v.re}, dtype, uniforms[i]))
			return NULL;
	for (int i = 0; i < 2; i++)
		if (!c[i].strong)
			weft_floating_number(&c[i].v, dtype);
	weft_conversion *code = &clips[a.l->dtype][dtype];
	if (!code->known) {
		goClip(a.l->dtype, dtype, code);
		code->known = 1;
	}
	return code->code && join(&a, &shape) ? computed(WEFT_NOTE_CLIP, code->code, dtype, &shape, in, 1, uniforms) : NULL;
}

// like says whether an object is an array of a shape, or a number that becomes an element of a dtype; *dtype is 0 where no array has said which.
static int like(PyObject *o, const weft_layout *shape, int *dtype, int *floats)
{
	if (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) {
		*floats |= PyFloat_CheckExact(o);
		return 1;
	}
	const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
	if (!l || l->ndim != shape->ndim || memcmp(l->shape, shape->shape, (size_t)l->ndim * sizeof *l->shape) || (l->dtype != INT64 && l->dtype != FLOAT64))
		return 0;
	int before = *dtype;
	*dtype = l->dtype;
	return before == 0 || before == l->dtype;
}

// select(condlist, choicelist, default=0): the last choice where its condition holds, the one before where its own does, and so on to the first.
PyObject *weft_cut_select(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	int says = n == 3 || (n == 2 && names && PyTuple_Size(names) == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "default") == 0);
	if (!weft_eager || (n != 2 && n != 3) || (names && (n == 3 || !says)) || !PyList_CheckExact(args[0]) || !PyList_CheckExact(args[1]))
		return NULL;
	Py_ssize_t cases = PyList_Size(args[0]);
	PyObject *first = cases > 0 && PyList_Size(args[1]) == cases ? PyList_GetItem(args[0], 0) : NULL;
	const weft_layout *l = first && Py_TYPE(first) == weft_array_type ? weft_layout_of((weft_array *)first) : NULL;
	if (!l || l->ndim == 0 || !weft_fits(l->size, FLOAT64))
		return NULL;
	weft_layout shape = *l;
	int dtype = 0, floats = 0;
	if (says && !like(args[2], &shape, &dtype, &floats))
		return NULL;
	for (Py_ssize_t i = 0; i < cases; i++) {
		PyObject *holds = PyList_GetItem(args[0], i);
		const weft_layout *m = Py_TYPE(holds) == weft_array_type ? weft_layout_of((weft_array *)holds) : NULL;
		if (!m || m->dtype != WEFT_BOOL_DTYPE || m->ndim != shape.ndim || memcmp(m->shape, shape.shape, (size_t)m->ndim * sizeof *m->shape) ||
			!like(PyList_GetItem(args[1], i), &shape, &dtype, &floats))
			return NULL;
	}
	if (dtype == INT64 && floats)
		return NULL; // both together are floats
	PyObject *made = says ? Py_NewRef(args[2]) : PyLong_FromLong(0);
	for (Py_ssize_t i = cases - 1; made && i >= 0; i--) {
		PyObject *next = weft_few_where(0, (PyObject *[]){PyList_GetItem(args[0], i), PyList_GetItem(args[1], i), made});
		Py_DECREF(made);
		made = next;
	}
	return made;
}

// add_rest adds to a list of masks the one that holds where none of them does.
static int add_rest(PyObject *masks)
{
	PyObject *any = Py_NewRef(PyList_GetItem(masks, 0));
	for (Py_ssize_t i = 1; any && i < PyList_Size(masks); i++) {
		PyObject *both = PyNumber_Or(any, PyList_GetItem(masks, i));
		Py_DECREF(any);
		any = both;
	}
	PyObject *rest = any ? PyNumber_Invert(any) : NULL;
	int rc = rest ? PyList_Append(masks, rest) : -1;
	Py_XDECREF(any);
	Py_XDECREF(rest);
	return rc;
}

// put_computed writes what a function of the program's makes of the elements where a mask holds, if there are any.
static int put_computed(PyObject *from, weft_array *to, PyObject *mask, PyObject *function)
{
	PyObject *chosen = PyObject_GetItem(from, mask);
	const weft_layout *l = chosen && Py_TYPE(chosen) == weft_array_type ? weft_layout_of((weft_array *)chosen) : NULL;
	if (!chosen || (l && l->size == 0)) {
		Py_XDECREF(chosen);
		return chosen ? 0 : -1;
	}
	int before = weft_inside;
	weft_inside = 0; // the program's function runs
	PyObject *made = PyObject_CallFunctionObjArgs(function, chosen, NULL);
	weft_inside = before;
	int rc = made ? PyObject_SetItem((PyObject *)to, mask, made) : -1;
	Py_DECREF(chosen);
	Py_XDECREF(made);
	return rc;
}


// piecewise(x, condlist, funclist) of numbers, and of functions of what is chosen: each where its condition holds, the last of those that do; one more than
// there are conditions is for the rest.
PyObject *weft_cut_piecewise(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	const weft_layout *l = weft_eager && n == 3 && !names && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim == 0 || l->size == 0 || (l->dtype != INT64 && l->dtype != FLOAT64) || !weft_fits(l->size, l->dtype) || !weft_falls(l, 0) || !PyList_CheckExact(args[1]) || !PyList_CheckExact(args[2]))
		return NULL;
	Py_ssize_t cases = PyList_Size(args[1]), rest = PyList_Size(args[2]) - cases;
	if (cases < 1 || rest < 0 || rest > 1)
		return NULL;
	for (Py_ssize_t i = 0; i < cases + rest; i++) {
		PyObject *number = PyList_GetItem(args[2], i), *holds = i < cases ? PyList_GetItem(args[1], i) : NULL;
		const weft_layout *m = holds && Py_TYPE(holds) == weft_array_type ? weft_layout_of((weft_array *)holds) : NULL;
		if (!PyLong_CheckExact(number) && !(PyFloat_CheckExact(number) && l->dtype == FLOAT64) && !PyCallable_Check(number))
			return NULL;
		if (holds && (!m || m->dtype != WEFT_BOOL_DTYPE || m->ndim != l->ndim || memcmp(m->shape, l->shape, (size_t)m->ndim * sizeof *m->shape)))
			return NULL;
	}
	int order[WEFT_NEAR];
	if (weft_order_of_copy(l, order)) // by axes of one element
		return NULL;
	weft_layout as;
	weft_lay(&as, l->dtype, l->ndim, l->shape);
	weft_array *made = weft_new_small(&as);
	PyObject *holds = made ? PyList_GetSlice(args[1], 0, cases) : NULL, *of = holds ? PyList_GetSlice(args[2], 0, cases + rest) : NULL; // functions may change the lists
	int failed = !of;
	if (made)
		memset(made->bytes, 0, (size_t)(as.size * weft_sizes[as.dtype]));
	if (!failed && rest && PyCallable_Check(PyList_GetItem(of, cases)))
		failed = add_rest(holds) < 0;
	else if (!failed && rest)
		failed = PyObject_SetItem((PyObject *)made, Py_Ellipsis, PyList_GetItem(of, cases)) < 0;
	for (Py_ssize_t i = 0; !failed && i < PyList_Size(holds); i++) {
		PyObject *value = PyList_GetItem(of, i), *where = PyList_GetItem(holds, i);
		failed = (PyCallable_Check(value) ? put_computed(args[0], made, where, value) : PyObject_SetItem((PyObject *)made, where, value)) < 0;
	}
	Py_XDECREF(holds);
	Py_XDECREF(of);
	if (failed)
		Py_CLEAR(made);
	return (PyObject *)made;
}
