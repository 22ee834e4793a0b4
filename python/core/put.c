//go:build extension

// Assignments to parts of arrays that arrays choose, and operations on them that are done again for each time that an element is named.
#include "choice.h"
#include "../../cpu/eager/floating.h"
#include "_cgo_export.h"
#include <stdlib.h>
#include <string.h>

enum { INT64 = 5, FLOAT16 = 10, FLOAT64 = 12 }; // tile.DTypes

// assigned is a value that is assigned: an array, or an element of the array's dtype.
typedef struct {
	int is_array;
	weft_few x;
	char element[EAGER_WIDEST];
} assigned;

static int read_value(PyObject *value, int dtype, assigned *v)
{
	weft_value number;
	v->is_array = Py_TYPE(value) == weft_array_type;
	const weft_layout *l = v->is_array ? weft_layout_of((weft_array *)value) : NULL;
	if (l && l->size == 0) { // of which nothing is read
		v->x = (weft_few){(weft_array *)value, l, v->element};
		return 1;
	}
	return v->is_array ? weft_many_of(value, WEFT_MOST_CHOSEN, 0, &v->x) : weft_number(value, &number) && weft_write(&number, dtype, v->element);
}

// valued returns the elements of a value side by side as they are assigned to what is chosen, or NULL. *next is from unit to unit.
static const char *valued(assigned *v, const weft_array *to, int dtype, const weft_choice *p, int64_t *next)
{
	int64_t size = weft_sizes[dtype];
	if (v->is_array) {
		const weft_layout *l = v->x.l;
		int same = l->ndim == p->ndim && memcmp(l->shape, p->shape, p->ndim * sizeof *p->shape) == 0;
		if (!same && (l->size != 1 || l->ndim > p->ndim))
			return NULL;
		if (l->size == 0) {
			*next = 0;
			return v->element;
		}
		if (l->dtype != dtype)
			eager_lower();
		const char *data = weft_still(&v->x, dtype, WEFT_ROOM_VALUES, to);
		if (l->dtype != dtype && data)
			weft_floating_cast(l, v->x.data, dtype, data);
		if (same || !data) {
			*next = p->unit;
			return data;
		}
		memcpy(v->element, data, (size_t)size);
	}
	char *unit = weft_room(WEFT_ROOM_VALUES, p->unit);
	for (int64_t k = 0; unit && k < p->unit; k += size)
		memcpy(unit + k, v->element, (size_t)size);
	*next = 0;
	return unit;
}

static void scatter(const weft_choice *p, const weft_layout *l, const char *from, int64_t next, char *data)
{
	if (p->parts) {
		int64_t at[WEFT_PART];
		for (int64_t i = 0; i < p->n; i += WEFT_PART) {
			int64_t n = p->n - i < WEFT_PART ? p->n - i : WEFT_PART;
			weft_offsets(p, l, i, n, at);
			eager_scatter(p->unit, n, at, from + i * next, next, data);
		}
		return;
	}
	weft_rows r = {{0}, 0};
	const uint8_t *holds = p->holds;
	const char *end = from + (next ? p->n * next : p->unit);
	int64_t row = weft_row_of(p, l);
	do {
		from = eager_expand(p->unit, row, holds, from, end, next, data + r.away, weft_step_of(p, l));
		holds += row;
	} while (weft_next_row(&r, p, l));
}

// scatter_apart does so with units of integers whose elements lie apart.
static void scatter_apart(const weft_choice *p, const weft_layout *l, const weft_layout *unit, const char *from, int64_t next, char *data)
{
	int64_t at[WEFT_PART];
	eager_layout each = {unit->ndim, unit->size, unit->shape, unit->strides};
	for (int64_t i = 0; i < p->n; i += WEFT_PART) {
		int64_t n = p->n - i < WEFT_PART ? p->n - i : WEFT_PART;
		weft_offsets(p, l, i, n, at);
		for (int64_t k = 0; k < n; k++, from += next)
			eager_unpack(weft_sizes[l->dtype], &each, from, data + at[k]);
	}
}

// blends says whether an assignment is a selection in place, for which nothing is waited for and which is computed together with the
// mask: that of one number to what a mask chooses, where one of them is not at hand.
static int blends(weft_array *a, PyObject *index, PyObject *value)
{
	if (Py_TYPE(index) != weft_array_type)
		return 0;
	weft_array *mask = (weft_array *)index;
	const weft_layout *l = weft_layout_of(mask), *many = Py_TYPE(value) == weft_array_type ? weft_layout_of((weft_array *)value) : NULL;
	return l && l->dtype == WEFT_BOOL_DTYPE && l->size > WEFT_SMALL_MOST && (!many || many->size == 1) && !(weft_data(a) && weft_data(mask));
}

// put_vector assigns to elements of a vector that few integers choose, another for each or the same element to all: what most programs do, and the half of the time is
// spent on what else an index may be. It is 0 of all else, and where an integer is outside.
static int put_vector(PyObject *array, PyObject *index, PyObject *value)
{
	if (Py_TYPE(index) != weft_array_type || Py_TYPE(value) != weft_array_type)
		return 0;
	weft_array *a = (weft_array *)array, *i = (weft_array *)index, *v = (weft_array *)value;
	const weft_layout *to = weft_layout_of(a), *at = weft_layout_of(i), *from = weft_layout_of(v);
	if (!to || !at || !from || to->ndim != 1 || at->ndim != 1 || from->ndim != 1 || at->dtype != INT64 || from->dtype != to->dtype || from->size != at->size ||
		at->size == 0 || at->size > WEFT_SMALL_MOST || !at->contiguous || !from->contiguous || a->place.readonly)
		return 0;
	char *data = weft_data(a);
	const char *places = weft_data(i), *values = weft_data(v);
	const int64_t n = at->size, size = weft_sizes[to->dtype];
	if (!data || !places || !values || a->place.memory == i->place.memory || a->place.memory == v->place.memory || !eager_inside(n, (const int64_t *)places, to->shape[0]))
		return 0;
	int64_t offsets[WEFT_PART];
	for (int64_t k = 0; k < n; k += WEFT_PART) {
		const int64_t some = n - k < WEFT_PART ? n - k : WEFT_PART;
		eager_offsets(some, (const int64_t *)places + k, to->shape[0], to->strides[0], 0, offsets);
		eager_scatter(size, some, offsets, values + k * size, size, data);
	}
	weft_note(WEFT_NOTE_PUT, to, a->place.memory, v->place.memory, 0);
	return 1;
}

int weft_few_put(PyObject *array, PyObject *index, PyObject *value)
{
	if (weft_eager && put_vector(array, index, value))
		return 1;
	weft_few x;
	weft_choice p;
	assigned v;
	int64_t next;
	const weft_layout *l = weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	if (!l || blends((weft_array *)array, index, value) || !weft_read_choice(index, l, &p) || !read_value(value, l->dtype, &v))
		return 0;
	if (!weft_many_of(array, INT64_MAX, WEFT_WAITS_AGAIN, &x) || x.array->place.readonly || !weft_locate(&p, x.l, x.array))
		return 0;
	int apart = !weft_units_beside(&p, x.l);
	weft_layout unit = apart && p.parts ? weft_unit_apart(&p, x.l) : (weft_layout){.ndim = 0};
	const char *from = apart && !unit.ndim ? NULL : valued(&v, x.array, x.l->dtype, &p, &next);
	if (!from)
		return 0;
	if (apart)
		scatter_apart(&p, x.l, &unit, from, next, x.data);
	else if (p.n > 0)
		scatter(&p, x.l, from, next, x.data);
	weft_note(WEFT_NOTE_PUT, x.l, x.array->place.memory, v.is_array ? v.x.array->place.memory : 0, 0);
	return 1;
}

// fills says whether a number becomes an element of a dtype as NumPy's rule of the same kind has it.
static int fills(PyObject *number, int dtype) { return PyLong_CheckExact(number) ? dtype == INT64 || dtype == FLOAT64 : PyFloat_CheckExact(number) && dtype == FLOAT64; }

// copyto(dst, src, ...) of a number, or of elements of one dtype
PyObject *weft_few_copyto(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	const weft_layout *from = Py_TYPE(args[1]) == weft_array_type ? weft_layout_of((weft_array *)args[1]) : NULL;
	if (!weft_fits_of(args[0], 0, &x) || x.array->place.readonly || !(from ? from->dtype == x.l->dtype : fills(args[1], x.l->dtype)))
		return NULL;
	if (!weft_eager_set(x.l, x.data, x.array->place.memory, args[1]))
		return NULL;
	weft_note(WEFT_NOTE_SET, x.l, x.array->place.memory, from ? ((weft_array *)args[1])->place.memory : 0, 0);
	return Py_NewRef(Py_None);
}

// placed is place(arr, mask, vals) of a list: its numbers one after the other, and again from the first.
static PyObject *placed(PyObject *array, PyObject *mask, PyObject *list)
{
	const weft_layout *l = weft_layout_of((weft_array *)array);
	PyObject *values = weft_of_numbers(list), *all = NULL, *done = NULL;
	weft_few x, holds;
	if (values && values != Py_None && weft_few_of(values, 0, &x) && x.l->ndim == 1 && x.l->dtype == l->dtype && weft_few_of(mask, 1, &holds) && holds.l->contiguous && weft_data(x.array)) {
		const int64_t n = eager_count(holds.l->size, (const uint8_t *)holds.data), size = weft_sizes[x.l->dtype];
		all = (PyObject *)weft_new_packed(x.l->dtype, 1, &n);
		for (int64_t i = 0; all && i < n; i++)
			memcpy(((weft_array *)all)->bytes + i * size, x.data + i % x.l->size * size, (size_t)size);
	}
	if (all && weft_few_put(array, mask, all))
		done = Py_NewRef(Py_None);
	Py_XDECREF(all);
	Py_XDECREF(values);
	return done;
}

// putmask(a, mask, values) of a number or of an array like a, and place of a number or a list, where kind is 1
PyObject *weft_few_putmask(int kind, PyObject *const *args)
{
	if (Py_TYPE(args[0]) != weft_array_type || Py_TYPE(args[1]) != weft_array_type)
		return NULL;
	const weft_layout *l = weft_layout_of((weft_array *)args[0]), *m = weft_layout_of((weft_array *)args[1]);
	if (!l || !m || ((weft_array *)args[0])->place.readonly || m->dtype != WEFT_BOOL_DTYPE || !weft_fits(l->size, l->dtype) || m->ndim != l->ndim || memcmp(m->shape, l->shape, (size_t)l->ndim * sizeof *l->shape))
		return NULL;
	const weft_layout *v = Py_TYPE(args[2]) == weft_array_type && kind == 0 ? weft_layout_of((weft_array *)args[2]) : NULL;
	if (v && v->dtype == l->dtype && v->ndim == l->ndim && memcmp(v->shape, l->shape, (size_t)l->ndim * sizeof *l->shape) == 0) {
		PyObject *values = weft_few_pick(args[2], args[1]);
		int done = values && weft_few_put(args[0], args[1], values);
		Py_XDECREF(values);
		return done ? Py_NewRef(Py_None) : NULL;
	}
	if (kind == 1 && PyList_CheckExact(args[2]) && PyList_Size(args[2]) > 0)
		return placed(args[0], args[1], args[2]);
	if (!fills(args[2], l->dtype))
		return NULL;
	return weft_few_put(args[0], args[1], args[2]) ? Py_NewRef(Py_None) : NULL;
}

// put(a, ind, v, mode='raise') of one number, or as many as there are places, into a vector, which is an assignment to what integers choose
PyObject *weft_few_put_flat(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	const weft_layout *at = Py_TYPE(args[1]) == weft_array_type ? weft_layout_of((weft_array *)args[1]) : NULL;
	int raises = args[3] == weft_no_value || (PyUnicode_CheckExact(args[3]) && PyUnicode_CompareWithASCIIString(args[3], "raise") == 0);
	if (!raises || !l || l->ndim != 1 || (at ? at->dtype == WEFT_BOOL_DTYPE || at->ndim != 1 : !PyList_CheckExact(args[1])))
		return NULL;
	if (PyFloat_CheckExact(args[2]) || PyLong_CheckExact(args[2])) {
		const int dtype = l->dtype, done = weft_few_put(args[0], args[1], args[2]);
		if (done)
			weft_floating_object(args[2], dtype);
		return done ? Py_NewRef(Py_None) : NULL;
	}
	if (!PyList_CheckExact(args[2]) || PyList_Size(args[2]) != (at ? at->size : PyList_Size(args[1])) || (l->dtype != INT64 && l->dtype != FLOAT64))
		return NULL;
	PyObject *values = weft_of_numbers(args[2]), *done = NULL;
	if (values && values != Py_None && ((weft_array *)values)->at.dtype <= l->dtype && (l->dtype == FLOAT64 || ((weft_array *)values)->at.dtype == INT64) && weft_few_put(args[0], args[1], values))
		done = Py_NewRef(Py_None);
	Py_XDECREF(values);
	return done;
}

// The ufuncs that have at, by EAGER_ADD and its like, and those of WEFT_AT_DIVIDE and its like.
static const char *const names[WEFT_AT_OPERATIONS] = {
	"add", "subtract", "multiply", "minimum", "maximum", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "floor_divide", "remainder",
};

static int ufunc_of(int op)
{
	static int numbers[WEFT_AT_OPERATIONS], asked; // goUfunc's
	for (; asked < WEFT_AT_OPERATIONS; asked++)
		numbers[asked] = goUfunc((char *)names[asked]);
	return numbers[op];
}

// unbuffered returns the dtype's own loop of a ufunc, which takes an element and a value, where the value's dtype is no wider; or NULL.
static const eager_code *unbuffered(int op, int dtype, int value)
{
	int ufunc = ufunc_of(op);
	const weft_recipe *r = ufunc < 0 || weft_promoted(dtype, value) != dtype ? NULL : weft_recipe_of(ufunc, dtype, dtype);
	const eager_code *code = r && r->result == dtype ? r->code : NULL;
	return code && code->direct ? code : NULL;
}

// looked applies a ufunc whose results have to be looked at, unit by unit, and notes what went wrong behind what was noted before. 0 without memory.
static int looked(const eager_code *code, int ufunc, const char *name, int before, const weft_layout *l, int64_t unit, int64_t n, const int64_t *at, char *to, const char *from, int64_t next)
{
	int64_t size = weft_sizes[l->dtype];
	char *was = malloc((size_t)unit);
	for (int64_t k = 0; was && k < n; k++, from += next) {
		memcpy(was, to + at[k], (size_t)unit);
		eager_lower();
		eager_each(code, unit / size, 1, at + k, to, from, next);
		weft_floating_look(ufunc, eager_raised(), unit / size, &(weft_floating_operand){l->dtype, 0, was}, &(weft_floating_operand){l->dtype, 0, from}, l->dtype, to + at[k]);
		weft_floating_join(before, name); // told once
	}
	free(was);
	return was != NULL;
}

// ufunc.at(a, indices, b)
PyObject *weft_few_at(int op, PyObject *const *args)
{
	weft_few x;
	weft_choice p;
	assigned v;
	int64_t next;
	PyObject *array = args[0], *index = args[1], *value = args[2];
	const weft_layout *l = weft_eager && Py_TYPE(array) == weft_array_type ? weft_layout_of((weft_array *)array) : NULL;
	// A number has the dtype that it has as an array.
	int number = PyFloat_CheckExact(value) ? FLOAT64 : PyLong_CheckExact(value) ? INT64 : 0;
	if (!l || (!number && Py_TYPE(value) != weft_array_type) || !weft_read_choice(index, l, &p) || p.parts == 0 || !read_value(value, l->dtype, &v))
		return NULL;
	const eager_code *code = unbuffered(op, l->dtype, number ? number : v.x.l->dtype);
	if (!code || !weft_many_of(array, INT64_MAX, 0, &x) || x.array->place.readonly || !weft_locate(&p, x.l, x.array) || !weft_units_beside(&p, x.l))
		return NULL;
	int size = weft_sizes[x.l->dtype];
	const char *from = valued(&v, x.array, x.l->dtype, &p, &next);
	if (!from)
		return NULL;
	int before = weft_wrongs, ufunc = ufunc_of(op), looks = op >= EAGER_OPERATIONS && op != WEFT_AT_DIVIDE;
	if (x.l->dtype < WEFT_FIRST_INEXACT) // of integers, only some are no divisors of all
		looks = looks && eager_indivisible(x.l->dtype, (next ? p.n : 1) * p.unit / size, from);
	// As NumPy has it, which casts, and takes remainders, in a loop that has no name.
	const char *name = (number ? number : v.x.l->dtype) == x.l->dtype && op != WEFT_AT_REMAINDER ? weft_floatings[ufunc].name : "at";
	int64_t at[WEFT_PART];
	eager_lower();
	for (int64_t i = 0; i < p.n; i += WEFT_PART) {
		int64_t n = p.n - i < WEFT_PART ? p.n - i : WEFT_PART;
		weft_offsets(&p, x.l, i, n, at);
		if (looks && !looked(code, ufunc, name, before, x.l, p.unit, n, at, x.data, from + i * next, next))
			return PyErr_NoMemory();
		if (!looks && (op >= EAGER_OPERATIONS || p.unit > size || !eager_accumulate(op, x.l->dtype, n, at, x.data, from + i * next, next)))
			eager_each(code, p.unit / size, n, at, x.data, from + i * next, next);
	}
	if (x.l->dtype > FLOAT16 && (op <= EAGER_MULTIPLY || op == WEFT_AT_DIVIDE))
		weft_floating_note(name, eager_raised());
	weft_note(WEFT_NOTE_PUT, x.l, x.array->place.memory, v.is_array ? v.x.array->place.memory : 0, 0);
	return Py_NewRef(Py_None);
}

// weft_cut_diagonal is fill_diagonal(a, val) of a matrix of any size and a number.
PyObject *weft_cut_diagonal(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few x;
	if (n != 2 || names || Py_TYPE(args[1]) == weft_array_type || !weft_most_of(args[0], INT64_MAX, 0, &x) || x.l->ndim != 2 || x.array->place.readonly)
		return NULL;
	weft_layout at = {.dtype = x.l->dtype, .ndim = 1};
	at.size = at.shape[0] = x.l->shape[0] < x.l->shape[1] ? x.l->shape[0] : x.l->shape[1];
	at.strides[0] = x.l->strides[0] + x.l->strides[1];
	if (!weft_eager_set(&at, x.data, x.array->place.memory, args[1]))
		return NULL;
	weft_note(WEFT_NOTE_PUT, &at, x.array->place.memory, x.array->place.memory, 0);
	return Py_NewRef(Py_None);
}
