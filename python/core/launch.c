//go:build extension

// Launches: operators and assignments over layouts that were met before.
//
// What an operator makes of the layouts of its operands is remembered (known.c). Go is asked once for each, and answers "none" for all
// that can fail or needs a look at the operands: that is left to the general functions, which raise
// NumPy's errors. So what is found here cannot fail, and is one call of Go's (goRun) that looks at nothing but
// which stores, offsets and numbers there are.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "known.h"
#include <stdlib.h>
#include <string.h>

// An operand of a pattern.
typedef struct {
	uint64_t layout, memory, handle; // handle is that of an array with the memory; 0 of a number
	int64_t at;
	int64_t i;
	double f;
} operand;

static uint64_t owner(const weft_array *a)
{
	return a->handle || !a->base ? a->handle : ((weft_array *)a->base)->handle;
}

static int from_place(operand *to, weft_array *a)
{
	weft_array *of = a->handle ? a : (weft_array *)a->base;
	if (of ? of->bytes != NULL && !weft_settle(of) : !weft_settle(a))
		return 0;
	if (__builtin_expect(weft_opened != 0, 0))
		weft_shut_memory(a);
	to->layout = a->place.layout;
	to->memory = a->place.memory;
	to->at = a->place.offset;
	to->handle = owner(a);
	return 1;
}

// operand_of reads a weft array, an exact Python number or a NumPy scalar; others have no layout.
static int operand_of(PyObject *o, operand *to)
{
	if (Py_TYPE(o) == weft_array_type) {
		if (!weft_look((weft_array *)o))
			return 0;
		return from_place(to, (weft_array *)o);
	}
	to->handle = to->memory = 0;
	to->at = 0;
	if (PyFloat_CheckExact(o)) {
		to->layout = WEFT_A_FLOAT;
		to->f = PyFloat_AsDouble(o);
		to->i = 0;
		return 1;
	}
	if (PyLong_CheckExact(o)) {
		int overflow;
		to->layout = WEFT_AN_INT;
		to->i = PyLong_AsLongLongAndOverflow(o, &overflow);
		to->f = 0;
		return overflow == 0;
	}
	if (o == Py_True || o == Py_False) {
		to->layout = WEFT_A_BOOL;
		to->i = o == Py_True;
		to->f = 0;
		return 1;
	}
	weft_value v;
	if (!weft_read_scalar(o, &v) || v.kind == WEFT_UINT || v.kind == WEFT_COMPLEX)
		return 0;
	to->layout = WEFT_A_SCALAR + v.dtype;
	to->f = v.kind == WEFT_FLOAT ? v.re : 0;
	to->i = v.kind == WEFT_FLOAT ? 0 : v.i;
	return 1;
}

// operands_of reads both; what is no array, or none of weft's, comes first, as to read an array shuts its memory. y may be NULL.
static int operands_of(PyObject *x, PyObject *y, operand *a, operand *b)
{
	int other = y && Py_TYPE(y) != weft_array_type;
	return (!other || operand_of(y, b)) && operand_of(x, a) && (!y || other || operand_of(y, b));
}

static int64_t away(const operand *a, const operand *out)
{
	return out && a->handle && a->memory == out->memory ? a->at - out->at : WEFT_FAR;
}

// submit has Go submit an op, and returns the handle of its new array, whose memory has a number; of one into out it returns out's. It is 0 where a
// signal has ended a wait for other libraries: with an exception, or the general function has to look again, as a handler may have done anything.
static __attribute__((noinline)) uint64_t submit(const weft_launch *l, int op, const operand *x, const operand *y, const operand *out, uint64_t memory, uint64_t where)
{
	weft_count(WEFT_OPERATIONS, where);
	weft_record r = {.launch = l->id, .op = op, .where = where, .memory = memory};
	if (out) {
		r.out = out->handle;
		r.out_at = out->at;
	}
	int n = 0;
	for (int k = 0; k < 2; k++) {
		const operand *a = k ? y : x;
		if (!a)
			continue;
		if (!a->handle) {
			r.i = a->i;
			r.f = a->f;
		} else if (n++ == 0) {
			r.x = a->handle;
			r.x_at = a->at;
		} else {
			r.y = a->handle;
			r.y_at = a->at;
		}
	}
	WEFT_MEET
	uint64_t handle = goRun(&r);
	WEFT_MET
	if (__builtin_expect(!handle, 0))
		PyErr_CheckSignals();
	return handle;
}

// submitted is submit of an op into out: 1 done, 0 the general function has to look, -1 an exception.
static __attribute__((noinline)) int submitted(const weft_launch *l, int op, const operand *x, const operand *y, const operand *out, uint64_t where)
{
	return submit(l, op, x, y, out, 0, where) ? 1 : PyErr_Occurred() ? -1 : 0;
}

static inline int fits(const weft_launch *l, const operand *a)
{
	return !a || a->handle || a->layout == WEFT_A_FLOAT || (a->i >= l->low && a->i <= l->high);
}

// match finds the launch for operands. y and out may be NULL.
static const weft_launch *match(int op, operand *x, operand *y, const operand *out)
{
	if (op == OP_POWER && y->layout == WEFT_AN_INT && y->i == 2)
		y->layout = WEFT_TWO; // a square
	weft_pattern p = {
		.op = op, .x = x->layout, .y = y ? y->layout : WEFT_NO_LAYOUT, .out = out ? out->layout : WEFT_NO_LAYOUT,
		.x_away = away(x, out), .y_away = y ? away(y, out) : WEFT_FAR,
	};
	const weft_launch *l = weft_known_launch(&p);
	return l && fits(l, x) && fits(l, y) ? l : NULL;
}

// Powers that NumPy computes otherwise, to the same bits: of floats and complex numbers, and the square of everything.
static struct {
	double exponent;
	const char *name;
	int ufunc; // 0 until it is asked for
} powers[] = {{2, "square", 0}, {0.5, "sqrt", 0}, {-1, "reciprocal", 0}, {1, "positive", 0}};

int weft_ufunc_of(int op, PyObject *x, PyObject **y)
{
	if (op != OP_POWER || Py_TYPE(x) != weft_array_type)
		return weft_operators[op];
	if (!PyFloat_CheckExact(*y) && !PyLong_CheckExact(*y))
		return weft_operators[op];
	double e = PyFloat_AsDouble(*y); // of an int too
	if (e == -1 && PyErr_Occurred()) { // one that is no double
		PyErr_Clear();
		return weft_operators[op];
	}
	const weft_layout *l = e == 2 && PyLong_CheckExact(*y) ? NULL : weft_layout_of((weft_array *)x);
	if (l && l->dtype < WEFT_FIRST_INEXACT)
		return weft_operators[op];
	for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
		if (e == powers[i].exponent) {
			if (powers[i].ufunc == 0)
				powers[i].ufunc = goUfunc((char *)powers[i].name);
			*y = NULL;
			return powers[i].ufunc;
		}
	return weft_operators[op];
}

// named gives what was noted of a power the name that NumPy tells: powers have those of other ufuncs where the exponent is an int, or 0.5.
static void named(int op, PyObject *exponent, PyObject *with, int before)
{
	if (__builtin_expect(weft_wrongs > before, 0) && op == OP_POWER && !with && PyFloat_CheckExact(exponent) && PyFloat_AsDouble(exponent) != 0.5)
		weft_floating_rename(before, "power");
}

PyObject *weft_operate(int op, PyObject *x, PyObject *y)
{
	PyObject *with = y, *done = NULL;
	int before = weft_wrongs;
	if (op == OP_MATMUL) {
		done = weft_few_product(WEFT_MATMUL, x, y);
	} else if (op < OP_COUNT) {
		int ufunc = weft_ufunc_of(op, x, &with);
		done = weft_eager_ufunc(ufunc, x, with);
		named(op, y, with, before);
	} else if (op == WEFT_COPY) {
		done = weft_eager_copy(x);
	}
	if (done)
		weft_operated[op]++;
	if (done || weft_layouts.plain || weft_asks())
		return done;
	uint64_t where = weft_where(); // first, as these may run Python code
	uint8_t wanted = weft_floating_wanted();
	operand a, b;
	if (!operands_of(x, y, &a, &b))
		return NULL;
	if (!a.handle && !(y && b.handle))
		return NULL;
	// Looking at y may have made layouts be forgotten.
	if ((a.handle && a.layout < weft_layouts.base) || op == OP_MATMUL)
		return NULL;
	const weft_launch *l = match(op, &a, y ? &b : NULL, NULL);
	if (!l)
		return NULL;
	weft_array *made = (weft_array *)weft_wrap(0);
	if (!made) {
		PyErr_Clear(); // the general function finds that out as well
		return NULL;
	}
	made->place = (weft_place){++weft_layouts.memories, l->result, 0, 0};
	weft_floating_tells(wanted);
	made->handle = submit(l, op, &a, y ? &b : NULL, NULL, made->place.memory, where);
	if (__builtin_expect(!made->handle, 0))
		Py_CLEAR(made);
	return (PyObject *)made;
}

int weft_operate_in_place(int op, PyObject *x, PyObject *y)
{
	if (op != OP_MATMUL) {
		PyObject *with = y;
		int ufunc = weft_ufunc_of(op, x, &with), before = weft_wrongs, done = weft_eager_in_place(ufunc, x, with);
		named(op, y, with, before);
		if (done) {
			weft_operated[op]++;
			return 1;
		}
	}
	if (weft_layouts.plain || weft_asks())
		return 0;
	uint64_t where = weft_where();
	uint8_t wanted = weft_floating_wanted();
	operand a, b;
	if (!operands_of(x, y, &a, &b) || a.layout < weft_layouts.base ||
		((weft_array *)x)->place.readonly || op == OP_MATMUL)
		return 0;
	const weft_launch *l = match(op, &a, &b, &a);
	if (!l)
		return 0;
	weft_floating_tells(wanted);
	return submitted(l, op, &a, &b, &a, where);
}

int weft_assign(PyObject *array, PyObject *index, PyObject *value)
{
	weft_layout at;
	int64_t offset;
	int element;
	weft_array *self = (weft_array *)array;
	operand v;
	if (weft_layouts.plain)
		return 0;
	uint64_t where = weft_where();
	int rc = weft_select(self, index, &at, &offset, &element);
	if (rc <= 0)
		return rc;
	if (self->place.readonly || (element && Py_TYPE(value) == weft_array_type))
		return 0;
	char *data = weft_data(self);
	if (!data && weft_fits(at.size, at.dtype) && weft_open_now(self, 0))
		data = weft_data(self);
	if (data && weft_eager_set(&at, data + (offset - self->place.offset), self->place.memory, value)) {
		if (element)
			weft_count(WEFT_ELEMENTS_WRITTEN, where);
		else
			weft_note(WEFT_NOTE_SET, &at, self->place.memory, Py_TYPE(value) == weft_array_type ? ((weft_array *)value)->place.memory : 0, 0);
		return 1;
	}
	if (Py_TYPE(value) == weft_array_type && weft_asks() && !weft_holds(at.dtype, weft_dtype_of_array((weft_array *)value)))
		return 0; // an assignment may cast, which may be an error
	uint8_t wanted = Py_TYPE(value) == weft_array_type ? weft_floating_wanted() : 0; // before the layouts are looked at, as it may run Python code
	weft_array place = {.at = at, .place = {self->place.memory, WEFT_NO_LAYOUT, offset, 0}};
	operand out;
	if (!operand_of(value, &v) || !weft_look(self) || !from_place(&out, self))
		return 0;
	// Looking at the layout may make layouts be forgotten, that of the value as well.
	if (!weft_look(&place) || (v.handle && v.layout < weft_layouts.base))
		return 0;
	out.layout = place.place.layout;
	out.at = offset;
	if (v.layout > WEFT_A_SCALAR && v.layout < WEFT_LAYOUTS) { // of another dtype it has to fit, which the general function looks at
		int dtype = at.dtype;
		if (dtype >= WEFT_FIRST_SIGNED && dtype <= WEFT_LAST_SIGNED && v.layout != (uint64_t)(WEFT_A_SCALAR + dtype))
			return 0;
	}
	const weft_launch *l = match(WEFT_ASSIGN, &v, NULL, &out);
	if (!l)
		return 0;
	weft_floating_tells(wanted);
	if (element)
		weft_count(WEFT_ELEMENTS_WRITTEN, where);
	return submitted(l, WEFT_ASSIGN, &v, NULL, &out, where);
}
