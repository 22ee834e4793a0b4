//go:build extension

// The fast paths: basic indexing, operators and assignments over layouts that were met before.
//
// A form is an interned dtype, shape and strides (arrays.Form); C keeps a mirror of those that it
// indexes. What an index makes of a form is remembered (views), and so is what an operator makes of
// the forms of its operands (launches). Go is asked once for each, and answers "none" for all
// that can fail or needs a look at the operands: that is left to the general functions, which raise
// NumPy's errors. So what is found here cannot fail, and need not be done at once: it goes on the
// tape, whose records name slots of Go's table, a new array's included. Go takes them in order
// when something else enters it (weft_drain), so that it never sees a handle before its array exists.
//
// A view that is made here is only a place in its base's memory. It gets an array of Go's when
// anything else asks for its handle.
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>
#include <string.h>

weft_tape_t weft_tape = {.base = WEFT_FORMS};

void weft_drain(void)
{
	if (weft_tape.n > 0)
		goDrain();
}

// record returns the next place on the tape. Nothing of Python's may run before it is filled in.
static weft_record *record(void)
{
	if (weft_tape.n == WEFT_RECORDS)
		goMakeRoom();
	return &weft_tape.record[weft_tape.n++];
}

void weft_leave(uint64_t handle)
{
	weft_record *r = record();
	r->launch = -1;
	r->out = handle;
}

// The views without a handle, all of them.
static weft_array *lazy;

static void link_view(weft_array *a)
{
	a->next = lazy;
	if (lazy)
		lazy->previous = a;
	lazy = a;
	((weft_array *)a->base)->views++;
}

void weft_forget_view(weft_array *a)
{
	if (a->next)
		a->next->previous = a->previous;
	if (a->previous)
		a->previous->next = a->next;
	else
		lazy = a->next;
	a->next = a->previous = NULL;
	((weft_array *)a->base)->views--;
}

uint64_t weft_handle(PyObject *array)
{
	weft_array *a = (weft_array *)array;
	if (__builtin_expect(a->literal != NULL, 0))
		weft_settle(a);
	if (__builtin_expect(a->handle == 0 && a->base != NULL, 0)) {
		uint64_t handle = goView(((weft_array *)a->base)->handle, &a->place);
		if (handle) { // otherwise whoever wanted it raises: 0 names no array
			weft_forget_view(a);
			a->handle = handle;
		}
	}
	return a->handle;
}

void weft_make_views(PyObject *of)
{
	for (weft_array *a = lazy, *next; a; a = next) {
		next = a->next;
		if (!of || a->base == of)
			weft_handle((PyObject *)a);
	}
}

void weft_moved(weft_array *a)
{
	a->place.form = WEFT_NO_FORM;
}

// The mirror of Go's forms, by number less weft_tape.base.
static weft_layout *mirror;
static uint64_t mirrored;

static const weft_layout *layout(uint64_t form)
{
	uint64_t at = form - weft_tape.base;
	if (at >= mirrored) {
		uint64_t room = at + at / 2 + 64;
		weft_layout *more = realloc(mirror, room * sizeof *mirror);
		if (!more)
			return NULL;
		memset(more + mirrored, 0, (room - mirrored) * sizeof *mirror);
		mirror = more;
		mirrored = room;
	}
	if (!mirror[at].known)
		goLayout(form, &mirror[at]);
	return &mirror[at];
}

// What indexes make of forms.
#define AXES 8 // of an index and of what is left over
typedef struct {
	uint64_t form, result;
	int n;
	weft_axis axis[AXES];
} known_view;

#define VIEWS 1024 // a power of two
static known_view views[VIEWS];

// What operators make of forms.
typedef struct {
	weft_pattern pattern;
	weft_launch launch;
	int used;
} known_launch;

#define LAUNCHES 4096 // a power of two
static known_launch launches[LAUNCHES];

// weft_forget_forms starts anew when Go has no room for another form, or when operators give something else than before.
// What was looked up before is void.
void weft_forget_forms(void)
{
	weft_make_views(NULL);
	memset(views, 0, sizeof views);
	memset(launches, 0, sizeof launches);
	free(mirror);
	mirror = NULL;
	mirrored = 0;
	goForget();
}

// look makes sure that an array's place is known. A literal whose form is has no handle behind it.
static int look(weft_array *a)
{
	if (__builtin_expect(a->place.form >= weft_tape.base, 1))
		return 1;
	if (weft_tape.plain || !weft_handle((PyObject *)a))
		return 0;
	goPlace(a->handle, &a->place);
	if (a->place.form == WEFT_NO_FORM) {
		weft_forget_forms();
		goPlace(a->handle, &a->place);
	}
	return a->place.form != WEFT_NO_FORM;
}

void weft_get_info(PyObject *array, weft_info *info)
{
	weft_array *a = (weft_array *)array;
	const weft_layout *l = a->place.form >= weft_tape.base ? layout(a->place.form) : NULL;
	if (!l || l->ndim > WEFT_NEAR) {
		goInfo(weft_handle(array), info);
		return;
	}
	info->dtype = l->dtype;
	info->ndim = l->ndim;
	info->writable = !a->place.readonly;
	info->contiguous = l->contiguous;
	info->size = l->size;
	memcpy(info->shape, l->shape, sizeof l->shape);
	memcpy(info->strides, l->strides, sizeof l->strides);
}

static inline uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 29;
}

// An operand of a pattern.
typedef struct {
	uint64_t form, memory, handle; // handle is that of an array with the memory; 0 of a number
	int64_t at;
	int64_t i;
	double f;
} operand;

static uint64_t owner(const weft_array *a)
{
	return a->handle ? a->handle : ((weft_array *)a->base)->handle;
}

static int from_place(operand *to, weft_array *a)
{
	if (__builtin_expect(a->literal != NULL, 0) && !weft_settle(a))
		return 0;
	to->form = a->place.form;
	to->memory = a->place.memory;
	to->at = a->place.offset;
	to->handle = owner(a);
	return 1;
}

// operand_of reads a weft array, an exact Python number or a NumPy scalar; others are not for the fast paths.
static int operand_of(PyObject *o, operand *to)
{
	if (Py_TYPE(o) == weft_array_type) {
		if (!look((weft_array *)o))
			return 0;
		return from_place(to, (weft_array *)o);
	}
	to->handle = to->memory = 0;
	to->at = 0;
	if (PyFloat_CheckExact(o)) {
		to->form = WEFT_A_FLOAT;
		to->f = PyFloat_AsDouble(o);
		to->i = 0;
		return 1;
	}
	if (PyLong_CheckExact(o)) {
		int overflow;
		to->form = WEFT_AN_INT;
		to->i = PyLong_AsLongLongAndOverflow(o, &overflow);
		to->f = 0;
		return overflow == 0;
	}
	if (o == Py_True || o == Py_False) {
		to->form = WEFT_A_BOOL;
		to->i = o == Py_True;
		to->f = 0;
		return 1;
	}
	weft_value v;
	if (!weft_read_scalar(o, &v) || v.kind == WEFT_UINT || v.kind == WEFT_COMPLEX)
		return 0;
	to->form = WEFT_A_SCALAR + v.dtype;
	to->f = v.kind == WEFT_FLOAT ? v.re : 0;
	to->i = v.kind == WEFT_FLOAT ? 0 : v.i;
	return 1;
}

// find returns what is known of a pattern, or NULL where the general functions have to do it.
static const weft_launch *find(const weft_pattern *p)
{
	uint64_t h = mix(mix(mix(mix(mix(p->op, p->x), p->y), p->out), p->x_away), p->y_away);
	known_launch *k = &launches[h >> 20 & (LAUNCHES - 1)];
	if (!k->used || memcmp(&k->pattern, p, sizeof *p)) {
		k->used = 0;
		if (!goPrepare((weft_pattern *)p, &k->launch)) {
			weft_forget_forms();
			return NULL;
		}
		k->pattern = *p;
		k->used = 1;
	}
	return k->launch.id < 0 ? NULL : &k->launch;
}

static int64_t away(const operand *a, const operand *out)
{
	return out && a->handle && a->memory == out->memory ? a->at - out->at : WEFT_FAR;
}

// put writes the record of an op. handle is the new array's, or 0 for one into out.
static void put(const weft_launch *l, int op, const operand *x, const operand *y, const operand *out, uint64_t handle, uint64_t where)
{
	weft_count(WEFT_OPERATIONS, where);
	weft_record *r = record();
	r->launch = l->id;
	r->op = op;
	r->fresh = handle != 0;
	r->where = where;
	r->out = handle ? handle : out->handle;
	r->out_at = handle ? 0 : out->at;
	r->memory = weft_tape.memories;
	r->i = 0;
	r->f = 0;
	int n = 0;
	for (int k = 0; k < 2; k++) {
		const operand *a = k ? y : x;
		if (!a)
			continue;
		if (!a->handle) {
			r->i = a->i;
			r->f = a->f;
		} else if (n++ == 0) {
			r->x = a->handle;
			r->x_at = a->at;
		} else {
			r->y = a->handle;
			r->y_at = a->at;
		}
	}
	if (n < 2)
		r->y = r->y_at = 0;
	if (n < 1)
		r->x = r->x_at = 0;
}

// pass_on lets an op wait on the tape, if it may; memory has the bits of its operands' memories.
static inline void pass_on(const weft_launch *l, uint64_t memory)
{
	if (!l->waits || weft_tape.mapped || weft_tape.eager || memory & WEFT_LENT)
		goDrain();
}

static inline int fits(const weft_launch *l, const operand *a)
{
	return !a || a->handle || a->form == WEFT_A_FLOAT || (a->i >= l->low && a->i <= l->high);
}

// match finds the launch for operands. y and out may be NULL.
static const weft_launch *match(int op, operand *x, operand *y, const operand *out)
{
	if (op == OP_POWER && y->form == WEFT_AN_INT && y->i == 2)
		y->form = WEFT_TWO; // a square
	weft_pattern p = {
		.op = op, .x = x->form, .y = y ? y->form : WEFT_NO_FORM, .out = out ? out->form : WEFT_NO_FORM,
		.x_away = away(x, out), .y_away = y ? away(y, out) : WEFT_FAR,
	};
	const weft_launch *l = find(&p);
	return l && fits(l, x) && fits(l, y) ? l : NULL;
}

PyObject *weft_fast_operator(int op, PyObject *x, PyObject *y)
{
	if (weft_tape.plain)
		return NULL;
	uint64_t where = weft_where(); // first, as it may run Python code
	operand a, b;
	if (!operand_of(x, &a) || (y && !operand_of(y, &b)))
		return NULL;
	if (!a.handle && !(y && b.handle))
		return NULL;
	// Looking at y may have made forms be forgotten.
	if ((a.handle && a.form < weft_tape.base) || op == OP_MATMUL)
		return NULL;
	const weft_launch *l = match(op, &a, y ? &b : NULL, NULL);
	if (!l)
		return NULL;
	weft_array *made = (weft_array *)weft_wrap(0);
	if (!made) {
		PyErr_Clear(); // the general function finds that out as well
		return NULL;
	}
	if (weft_tape.spares == 0)
		goMakeRoom();
	uint64_t handle = (uint64_t)weft_tape.spare[--weft_tape.spares] << WEFT_SLOT | l->flags;
	made->handle = handle;
	made->place.memory = ++weft_tape.memories;
	made->place.form = l->result;
	made->place.offset = 0;
	made->place.readonly = 0;
	put(l, op, &a, y ? &b : NULL, NULL, handle, where);
	pass_on(l, a.memory | (y ? b.memory : 0));
	return (PyObject *)made;
}

int weft_fast_in_place(int op, PyObject *x, PyObject *y)
{
	if (weft_tape.plain)
		return 0;
	uint64_t where = weft_where();
	operand a, b;
	if (!operand_of(x, &a) || !operand_of(y, &b) || a.form < weft_tape.base ||
		((weft_array *)x)->place.readonly || op == OP_MATMUL)
		return 0;
	const weft_launch *l = match(op, &a, &b, &a);
	if (!l)
		return 0;
	put(l, op, &a, &b, &a, 0, where);
	pass_on(l, a.memory | b.memory);
	return 1;
}

// A part of an index, as Python gave it.
typedef struct {
	int kind; // of weft_axis
	int rest; // an ellipsis
	Py_ssize_t start, stop, step;
} part;

static int read_part(PyObject *o, part *p)
{
	weft_value v;
	p->rest = 0;
	if (PySlice_Check(o)) {
		p->kind = WEFT_SLICED;
		if (PySlice_Unpack(o, &p->start, &p->stop, &p->step) < 0)
			return -1;
	} else if (PyLong_CheckExact(o)) {
		int overflow;
		p->kind = WEFT_DROPPED;
		p->start = (Py_ssize_t)PyLong_AsLongLongAndOverflow(o, &overflow);
		return overflow == 0;
	} else if (weft_read_scalar(o, &v)) {
		p->kind = WEFT_DROPPED;
		p->start = (Py_ssize_t)v.i;
		return v.kind == WEFT_INT;
	} else if (o == Py_None) {
		p->kind = WEFT_ADDED;
	} else if (o == Py_Ellipsis) {
		p->rest = 1;
	} else {
		return 0;
	}
	return 1;
}

// pick finds the place that a basic index selects: 1 done, 0 the general function has to do it,
// -1 an exception. element says that it is one element, which NumPy gives as a scalar.
static int pick(weft_array *self, PyObject *index, weft_place *to, int *element)
{
	if (weft_tape.plain)
		return 0;
	part parts[AXES];
	int n = 1, taken = 0, rests = 0, added = 0;
	if (PyTuple_CheckExact(index)) {
		Py_ssize_t all = PyTuple_Size(index);
		if (all > AXES)
			return 0;
		n = (int)all;
	}
	// All of Python's code runs before the first look at a form.
	for (int i = 0; i < n; i++) {
		int rc = read_part(PyTuple_CheckExact(index) ? PyTuple_GetItem(index, i) : index, &parts[i]);
		if (rc <= 0)
			return rc;
		if (parts[i].rest)
			rests++;
		else if (parts[i].kind == WEFT_ADDED)
			added++;
		else
			taken++;
	}
	if (!look(self))
		return 0;
	const weft_layout *l = layout(self->place.form);
	if (!l || l->ndim > WEFT_NEAR || taken > l->ndim || rests > 1 || l->ndim + added > AXES)
		return 0;
	known_view key;
	key.form = self->place.form;
	key.n = 0;
	int64_t at = self->place.offset;
	uint64_t h = key.form;
	int axis = 0, left = 0;
	for (int i = 0; i <= n; i++) {
		int whole = i == n ? l->ndim - axis : parts[i].rest ? l->ndim - taken : 0;
		for (int k = 0; k < whole; k++) {
			key.axis[key.n++] = (weft_axis){WEFT_SLICED, 1, l->shape[axis]};
			h = mix(mix(h, 1), l->shape[axis++]);
			left++;
		}
		if (i == n || parts[i].rest)
			continue;
		part *p = &parts[i];
		weft_axis *x = &key.axis[key.n++];
		*x = (weft_axis){p->kind, 0, 0};
		switch (p->kind) {
		case WEFT_DROPPED: {
			Py_ssize_t extent = l->shape[axis], at_index = p->start;
			if (at_index < -extent || at_index >= extent)
				return 0; // an error
			at += (at_index < 0 ? at_index + extent : at_index) * l->strides[axis++];
			h = mix(h, 1 << 30);
			break;
		}
		case WEFT_ADDED:
			left++;
			h = mix(h, 2 << 30);
			break;
		default: {
			Py_ssize_t start = p->start, stop = p->stop;
			x->step = p->step > (Py_ssize_t)1 << 60 ? (Py_ssize_t)1 << 60 : p->step < -((Py_ssize_t)1 << 60) ? -((Py_ssize_t)1 << 60) : p->step;
			x->size = PySlice_AdjustIndices(l->shape[axis], &start, &stop, p->step);
			if (x->size > 0)
				at += start * l->strides[axis];
			else
				x->step = 1; // as in NumPy's strides
			h = mix(mix(h, x->step), x->size);
			axis++;
			left++;
		}
		}
	}
	known_view *k = &views[h >> 20 & (VIEWS - 1)];
	if (k->form != key.form || k->n != key.n || memcmp(k->axis, key.axis, key.n * sizeof *key.axis)) {
		key.result = goViewForm(key.form, key.axis, key.n);
		if (key.result == WEFT_NO_FORM) {
			weft_forget_forms();
			return 0;
		}
		k->form = key.form;
		k->n = key.n;
		k->result = key.result;
		memcpy(k->axis, key.axis, key.n * sizeof *key.axis);
	}
	*to = (weft_place){self->place.memory, k->result, at, self->place.readonly};
	*element = left == 0 && !rests;
	return 1;
}

// base_of returns the array that views of self are views of, when it has self's memory: it may have
// been resized.
static weft_array *base_of(weft_array *self)
{
	weft_array *base = self->base ? (weft_array *)self->base : self;
	if (base == self || !self->handle)
		return base;
	return look(base) && base->place.memory == self->place.memory && self->place.form >= weft_tape.base ? base : NULL;
}

PyObject *weft_fast_view(PyObject *array, PyObject *index)
{
	weft_place place;
	int element;
	weft_array *self = (weft_array *)array;
	if (pick(self, index, &place, &element) <= 0 || (element && weft_defer_scalars))
		return NULL;
	if (element && self->literal)
		return weft_scalar_at(self->literal->data + place.offset, weft_dtype_object(self->literal->dtype));
	if (self->literal && !weft_settle(self))
		return NULL;
	if (element) {
		const weft_layout *l = weft_devices ? NULL : layout(place.form);
		return l ? weft_element(array, owner(self), &place, l->dtype) : NULL;
	}
	weft_array *base = base_of(self);
	if (!base)
		return NULL;
	weft_array *view = (weft_array *)weft_wrap(0);
	if (!view)
		return NULL;
	view->place = place;
	view->base = Py_NewRef((PyObject *)base);
	link_view(view);
	return (PyObject *)view;
}

int weft_fast_set(PyObject *array, PyObject *index, PyObject *value)
{
	weft_place place;
	int element;
	weft_array *self = (weft_array *)array;
	operand v;
	if (weft_tape.plain)
		return 0;
	uint64_t where = weft_where();
	int rc = pick(self, index, &place, &element);
	if (rc <= 0)
		return rc;
	if (self->literal) {
		if (element && weft_literal_set(self, place.offset, self->literal->dtype, value))
			return 1;
		if (!weft_settle(self))
			return 0;
	}
	// Looking at the value may have made forms be forgotten.
	if (!operand_of(value, &v) || place.form < weft_tape.base || place.readonly || (element && v.handle))
		return 0;
	if (v.form > WEFT_A_SCALAR && v.form < WEFT_FORMS) { // of another dtype it has to fit, which the general function looks at
		int dtype = layout(place.form)->dtype;
		if (dtype >= WEFT_FIRST_SIGNED && dtype <= WEFT_LAST_SIGNED && v.form != (uint64_t)(WEFT_A_SCALAR + dtype))
			return 0;
	}
	operand out = {.form = place.form, .memory = place.memory, .at = place.offset, .handle = owner(self)};
	const weft_launch *l = match(WEFT_ASSIGN, &v, NULL, &out);
	if (!l)
		return 0;
	if (element)
		weft_count(WEFT_ELEMENTS_WRITTEN, where);
	put(l, WEFT_ASSIGN, &v, NULL, &out, 0, where);
	pass_on(l, v.memory | out.memory);
	return 1;
}
