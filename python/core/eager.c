//go:build extension

// The eager tier: operators and ufuncs over few elements that nothing unfinished reads or writes are computed at
// once, by the loops of package cpu/eager. What an operation comes to for operands of certain dtypes (a recipe) is asked of
// Go once. All that may raise, and all that needs a look at anything but dtypes and layouts, is left to the general functions:
// those here return NULL without an exception for it, or 0.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <stdlib.h>
#include <string.h>

// Codes of operands, by which recipes are found: an array's dtype, a kind of Python number, or a NumPy scalar.
enum { FLOAT16 = 10, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 }; // tile.DTypes
enum { A_BOOL = WEFT_DTYPES, AN_INT, A_FLOAT, A_COMPLEX, A_SCALAR, CODES = A_SCALAR + WEFT_DTYPES };

static weft_recipe *recipes[2][WEFT_UFUNCS]; // of new arrays, and in place; by the codes of the operands

typedef struct {
	int code;
	weft_array *array; // NULL of a number
	const weft_layout *l;
	char *data;
	weft_value v; // of a number
} operand;

enum { IS_READ = 1, IS_OPENED }; // the latter may have shut another array

// may_fit says whether an operand is one that the tier takes at all, alone or beside others: to open another one would
// flush the window for nothing.
static int may_fit(const weft_layout *l)
{
	return l->size * weft_sizes[l->dtype] <= (weft_limit < WEFT_BLOCK ? 2 * weft_limit : weft_limit);
}

// read_operand reads a number, or an array of at most so many elements, which can be had at once. reads says that the caller gives a value to the
// program, which would be waited for.
static int read_operand(PyObject *o, operand *to, int64_t most, int reads)
{
	if (Py_TYPE(o) == weft_array_type) {
		weft_array *a = to->array = (weft_array *)o;
		to->data = weft_data(a);
		int opens = !to->data;
		if (opens && (!(to->l = weft_layout_of(a)) || to->l->size > most || !may_fit(to->l) || !weft_open_now(a, reads)))
			return 0;
		to->l = weft_layout_of(a);
		if (!to->l)
			return 0;
		if (opens)
			to->data = weft_data(a);
		to->code = to->l->dtype;
		return opens ? IS_OPENED : IS_READ;
	}
	to->array = NULL;
	if (PyComplex_CheckExact(o)) {
		to->v = (weft_value){.kind = WEFT_COMPLEX, .re = PyComplex_RealAsDouble(o), .im = PyComplex_ImagAsDouble(o)};
		to->code = A_COMPLEX;
		return 1;
	}
	if (!weft_number(o, &to->v))
		return 0;
	to->code = to->v.dtype ? A_SCALAR + to->v.dtype : to->v.kind == WEFT_FLOAT ? A_FLOAT : to->v.kind == WEFT_INT ? AN_INT : A_BOOL;
	return 1;
}

static uint64_t memory_of(const operand *o) { return o->array ? o->array->place.memory : 0; }

static int kind_of(const operand *o) { return o->array ? WEFT_ARRAY : o->v.kind; }

static const weft_recipe *recipe_of(int ufunc, const operand *x, const operand *y, const weft_layout *into)
{
	weft_recipe **table = &recipes[into != NULL][ufunc];
	if (!*table && !(*table = calloc(CODES * CODES, sizeof **table)))
		return NULL;
	weft_recipe *r = &(*table)[x->code * CODES + (y ? y->code : 0)];
	if (!r->known) {
		goRecipe(ufunc, kind_of(x), x->array ? x->code : x->v.dtype, y ? kind_of(y) : WEFT_MISSING, y ? (y->array ? y->code : y->v.dtype) : 0,
			into ? into->dtype : 0, r);
		r->known = 1;
	}
	return r->code ? r : NULL;
}

const weft_recipe *weft_recipe_of(int ufunc, int a, int b)
{
	operand x = {.code = a, .array = (weft_array *)&x}, y = {.code = b, .array = (weft_array *)&y}; // any but NULL
	return recipe_of(ufunc, &x, b ? &y : NULL, NULL);
}

const weft_recipe *weft_recipe_of_number(int ufunc, int a, int kind)
{
	operand x = {.code = a, .array = (weft_array *)&x};
	operand y = {.code = kind == WEFT_FLOAT ? A_FLOAT : kind == WEFT_INT ? AN_INT : A_BOOL, .v = {.kind = kind}};
	return recipe_of(ufunc, &x, &y, NULL);
}

// Room for operands that do not lie side by side, and for a result that is not to.
static char (*const room)[WEFT_ROOM] = weft_scratch + 1;

// Where operands that share memory may be written before they are read.
static int meets(const operand *o, const operand *out)
{
	if (!out || o->array->place.memory != out->array->place.memory)
		return 0;
	return o->data != out->data || o->l->ndim != out->l->ndim || o->l->dtype != out->l->dtype ||
		memcmp(o->l->shape, out->l->shape, o->l->ndim * sizeof *o->l->shape) || memcmp(o->l->strides, out->l->strides, o->l->ndim * sizeof *o->l->strides);
}

enum { LEAST_ROW = 8 }; // elements that are worth a call of the loop

// by_rows computes an operation row by row; 0 where it takes several steps, or the rows are short.
static int by_rows(const eager_code *code, operand **in, int n, const weft_layout *out, char *to, uint64_t bits[2])
{
	int last = out->ndim - 1, along = eager_along(out->ndim, out->shape);
	if (!code->direct || last < 0 || out->shape[along] < LEAST_ROW)
		return 0;
	char *p[EAGER_INPUTS] = {NULL};
	int64_t shape[EAGER_AXES], steps[EAGER_AXES][1 + EAGER_INPUTS];
	uint32_t ones = 0;
	int axis[EAGER_AXES]; // of the result, in the order of the loops
	for (int k = 0; k <= last; k++)
		axis[k] = k == last ? along : k + (k >= along);
	for (int k = 0; k <= last; k++) {
		shape[k] = out->shape[axis[k]];
		steps[k][0] = out->strides[axis[k]];
	}
	for (int i = 0; i < n; i++) {
		const weft_layout *l = in[i]->l;
		int lead = out->ndim - l->ndim;
		for (int k = 0; k <= last; k++)
			steps[k][1 + i] = axis[k] < lead || l->shape[axis[k] - lead] == 1 ? 0 : l->strides[axis[k] - lead];
		if (steps[last][1 + i] == 0)
			ones |= 1u << i;
		p[i] = in[i]->data;
	}
	eager_rows(code, out->ndim, shape, to, p, (const int64_t(*)[1 + EAGER_INPUTS])steps, ones, (const uint64_t(*)[2])bits);
	return 1;
}

// compute runs a code over the arrays among the operands; out->l says how the result lies. to is where it goes when it
// lies side by side there.
static void compute(const eager_code *code, operand **in, int n, const weft_layout *out, char *to, const operand *into, uint64_t bits[2])
{
	char *p[EAGER_INPUTS] = {NULL};
	uint32_t ones = 0;
	int flat = out->contiguous, apart = 1;
	if (out->size == 0)
		return;
	for (int i = 0; i < n; i++) {
		flat = flat && (in[i]->l->contiguous && (in[i]->l->size == out->size || in[i]->l->size == 1));
		apart = apart && !meets(in[i], into);
	}
	if (!flat && apart && by_rows(code, in, n, out, to, bits))
		return;
	for (int i = 0; i < n; i++) {
		int one;
		p[i] = weft_beside(in[i]->l, in[i]->data, out, meets(in[i], into), room[i], &one);
		ones |= (uint32_t)one << i;
	}
	if (out->contiguous) {
		eager_map(code, out->size, to, p, ones, (const uint64_t(*)[2])bits);
		return;
	}
	eager_map(code, out->size, room[2], p, ones, (const uint64_t(*)[2])bits);
	eager_layout e = weft_plain(out);
	eager_unpack(weft_sizes[out->dtype], &e, room[2], to);
}

// is_logical says whether a ufunc asks for truth alone: NumPy makes bools of Python's numbers for it, and has no loop for them beside arrays of another dtype.
static int is_logical(int ufunc)
{
	static int all[3];
	if (!all[0]) {
		all[2] = goUfunc("logical_xor");
		all[1] = goUfunc("logical_or");
		all[0] = goUfunc("logical_and");
	}
	return ufunc == all[0] || ufunc == all[1] || ufunc == all[2];
}

// casts says whether NumPy casts arrays among the operands before its loop.
static int casts(operand **in, int n, const operand *number, const weft_recipe *r)
{
	int loop = number ? r->number : in[in[0]->l->ndim ? 0 : n - 1]->l->dtype;
	for (int i = 0; i < n; i++)
		if (in[i]->l->dtype != loop && (in[i]->l->ndim || r->result == WEFT_BOOL_DTYPE))
			return 1;
	return r->result != loop && r->result != WEFT_BOOL_DTYPE && loop < COMPLEX64;
}

// together decides the order of the axes in which a new result lies; 0 is that of C. Operands that all lie side by side as Fortran's do have NumPy make such
// a result without a look at axes of one point.
static int together(int ufunc, operand **in, int n, const operand *number, const weft_recipe *r, int ndim, int *order)
{
	const weft_layout *l[2] = {in[0]->l, in[n - 1]->l};
	if (weft_falls(l[0], 0) && weft_falls(l[1], 0))
		return 0;
	int fortran = l[0]->ndim == 0 || l[1]->ndim == 0 || !memcmp(l[0]->shape, l[1]->shape, ndim * sizeof *l[0]->shape);
	for (int i = 0; i < 2; i++)
		fortran = fortran && (l[i]->ndim == 0 || (l[i]->ndim == ndim && weft_is_fortran(l[i])));
	for (int i = 0; i < ndim && fortran; i++)
		order[i] = ndim - 1 - i;
	return (fortran && !casts(in, n, number, r) && !(number && is_logical(ufunc))) || weft_order(l, n, ndim, order);
}

// natural says whether an array of exponents has no integers below zero, to which integers cannot be raised.
static int natural(const operand *x, const operand *y)
{
	int dtype = y->l->dtype;
	if (dtype < WEFT_FIRST_SIGNED || dtype > WEFT_LAST_SIGNED || (x->array ? x->l->dtype >= WEFT_FIRST_INEXACT : x->v.kind == WEFT_FLOAT || x->v.kind == WEFT_COMPLEX))
		return 1;
	if (!y->l->contiguous)
		return 0; // the general function looks
	int size = weft_sizes[dtype];
	for (int64_t i = 0; i < y->l->size; i++) // the sign is in the last byte
		if ((signed char)y->data[(i + 1) * size - 1] < 0)
			return 0;
	return 1;
}

// seen is an operand as weft_floating_look has it; where is room for its elements side by side.
static weft_floating_operand seen(const operand *o, const weft_layout *out, char *where, double number[2])
{
	if (o->array) {
		int one;
		char *data = weft_beside(o->l, o->data, out, 0, where, &one);
		return (weft_floating_operand){o->l->dtype, one, data};
	}
	int whole = o->v.kind == WEFT_INT || o->v.kind == WEFT_BOOL;
	if (whole && out->dtype != FLOAT16)
		return (weft_floating_operand){WEFT_LAST_SIGNED, 1, (const char *)&o->v.i};
	number[0] = whole ? (double)o->v.i : o->v.re;
	number[1] = o->v.im;
	for (int i = 0; i < 2; i++) // as numbers of the result's width, which may be infinite
		number[i] = out->dtype == FLOAT32 || out->dtype == COMPLEX64 ? (float)number[i] : out->dtype == FLOAT16 && (number[i] >= 65520 || number[i] <= -65520) ? number[i] * INFINITY : number[i];
	if (whole)
		number[1] = 0;
	return (weft_floating_operand){o->v.kind == WEFT_COMPLEX ? COMPLEX128 : FLOAT64, 1, (const char *)number};
}

// How much a look at what went wrong takes: none, one at the processor's flags, one at the results, or at the operands as well.
enum { NO_LOOK, FLAGS, RESULTS };

static int is_complex(int code)
{
	return code == COMPLEX64 || code == COMPLEX128 || code == A_COMPLEX || code == A_SCALAR + COMPLEX64 || code == A_SCALAR + COMPLEX128;
}

static int look_of(const weft_floating *f, const weft_layout *out, const operand *x, const operand *y)
{
	if (out->size == 0)
		return NO_LOOK;
	if (out->dtype < FLOAT16)
		return f->integral ? RESULTS : f->orders && (is_complex(x->code) || (y && is_complex(y->code))) ? FLAGS : NO_LOOK;
	return f->rule == EAGER_SILENT ? NO_LOOK : f->rule == EAGER_TRUSTED && out->dtype != FLOAT16 ? FLAGS : RESULTS;
}

// look_at_results notes what went wrong where flags do not say it all.
static void look_at_results(int ufunc, int raised, const operand *x, const operand *y, const weft_layout *out, const char *to)
{
	double number[2];
	weft_floating_operand a = seen(x, out, room[0], number), b = {0, 0, NULL};
	if (y)
		b = seen(y, out, room[1], number);
	if (!out->contiguous) {
		eager_layout e = weft_plain(out);
		eager_pack(weft_sizes[out->dtype], &e, to, room[2]);
		to = room[2];
	}
	weft_floating_look(ufunc, raised, out->size, &a, y ? &b : NULL, out->dtype, to);
	eager_lower();
}

// watched_results computes what takes a look at the results. Operands that are overwritten are kept for that.
static __attribute__((noinline)) void watched_results(int ufunc, const eager_code *code, operand *x, operand *y, const weft_layout *out, char *to, const operand *into, uint64_t bits[2])
{
	const weft_floating *f = &weft_floatings[ufunc];
	operand *in[2], keep[2], *with[2] = {x, y};
	weft_layout flat[2];
	char *const apart[2] = {weft_scratch[0], room[3]};
	int n = 0;
	for (int i = 0; i < 2; i++)
		if (with[i] && with[i]->array)
			in[n++] = with[i];
	for (int i = 0; into && i < 2; i++) {
		if (!with[i] || !with[i]->array || with[i]->array->place.memory != into->array->place.memory)
			continue;
		const weft_layout *l = with[i]->l;
		eager_layout e = weft_plain(l);
		eager_pack(weft_sizes[l->dtype], &e, with[i]->data, apart[i]);
		weft_lay(&flat[i], l->dtype, l->ndim, l->shape);
		keep[i] = (operand){.code = with[i]->code, .array = with[i]->array, .l = &flat[i], .data = apart[i]};
		with[i] = &keep[i];
	}
	int scans = f->rule == EAGER_POLES || f->rule == EAGER_POWERS || out->dtype <= FLOAT16;
	if (!scans || (f->rule == EAGER_POWERS && out->dtype >= COMPLEX64))
		eager_lower();
	compute(code, in, n, out, to, into, bits);
	int raised = eager_raised();
	if ((!raised && !scans) || (out->dtype >= FLOAT16 && out->contiguous && !(raised & weft_floating_watched & EAGER_UNDER) && !eager_unusual(out->dtype, out->size, to)))
		return;
	look_at_results(ufunc, raised, with[0], with[1], out, to);
}

// part is the real part of an element, or the imaginary one; of dtypes that no order of complex numbers is told of, no number.
static double part(const weft_floating_operand *o, int64_t i, int imaginary)
{
	const float *singles = (const float *)o->data;
	const double *doubles = (const double *)o->data;
	i = o->one ? 0 : i;
	switch (o->dtype) {
	case COMPLEX64: return singles[2 * i + imaginary];
	case COMPLEX128: return doubles[2 * i + imaginary];
	case FLOAT32: return imaginary ? 0 : singles[i];
	case FLOAT64: return imaginary ? 0 : doubles[i];
	}
	weft_value v = {.kind = WEFT_MISSING};
	if (imaginary || !weft_value_at(o->data + i * weft_sizes[o->dtype], o->dtype, &v))
		return imaginary ? 0 : NAN;
	return v.kind == WEFT_FLOAT ? v.re : v.kind == WEFT_UINT ? (double)(uint64_t)v.i : (double)v.i;
}

// meets_nan says whether NumPy meets what is no number where it orders complex numbers: it looks at the imaginary parts where the real ones are equal.
static int meets_nan(const operand *x, const operand *y, const weft_layout *out)
{
	double number[2];
	weft_floating_operand a = seen(x, out, room[0], number), b = seen(y, out, room[1], number);
	for (int64_t i = 0; i < out->size; i++) {
		double p = part(&a, i, 0), q = part(&b, i, 0);
		if (isnan(p) || isnan(q) || (p == q && (isnan(part(&a, i, 1)) || isnan(part(&b, i, 1)))))
			return 1;
	}
	return 0;
}

// watched computes, and notes what went wrong. A new array is computed again where flags are raised, which may be an older operation's: so they need not be
// lowered before.
static inline __attribute__((always_inline)) void watched(int ufunc, const eager_code *code, operand *x, operand *y, const weft_layout *out, char *to, const operand *into, uint64_t bits[2])
{
	operand *in[2];
	int n = 0, look = look_of(&weft_floatings[ufunc], out, x, y);
	if (look == RESULTS) {
		watched_results(ufunc, code, x, y, out, to, into, bits);
		return;
	}
	if (x->array)
		in[n++] = x;
	if (y && y->array)
		in[n++] = y;
	if (look == FLAGS && into)
		eager_lower();
	compute(code, in, n, out, to, into, bits);
	if (look == NO_LOOK || __builtin_expect(!eager_raised(), 1))
		return;
	if (weft_floatings[ufunc].orders && y && !meets_nan(x, y, out)) {
		eager_lower();
		return;
	}
	if (!into) {
		eager_lower();
		compute(code, in, n, out, to, into, bits);
	}
	weft_floating_note(weft_floatings[ufunc].name, eager_raised());
	eager_lower();
}

// fits says whether operands of a ufunc may have so many elements: nothing of it but bytes has a limit.
static int fits(int64_t elements, int dtype) { return elements * weft_sizes[dtype] <= weft_limit; }

// narrows says whether an operand may be larger: what it comes to is half of it at most, and less to write.
static __attribute__((noinline, cold)) int narrows(int64_t elements, int dtype, int result)
{
	return weft_sizes[result] < weft_sizes[dtype] && elements * weft_sizes[dtype] <= (weft_limit < WEFT_BLOCK ? 2 * weft_limit : WEFT_BLOCK);
}

enum { CHEAP = 1 << 17 }; // elements that a ufunc can have before they are worth a hand-over, for one that is bound by memory

// apply computes a ufunc into a new array; in place, where out is its first operand; or into another array, which has the dtype of the result.
static PyObject *apply(int ufunc, PyObject *a, PyObject *b, PyObject *out)
{
	operand x, y, other, *in[2], *into = out == a ? &x : out ? &other : NULL;
	int n = 0, ndim;
	int later = b && weft_opens_later(a, b), opened = 0, read;
	if (into == &other && !(opened = read_operand(out, into, WEFT_BLOCK, 0)))
		return NULL;
	if (later && !(read = read_operand(b, &y, WEFT_BLOCK, 0)))
		return NULL;
	opened |= later ? read : 0;
	if (!(read = read_operand(a, &x, WEFT_BLOCK, 0)))
		return NULL;
	opened |= read;
	if (b && !later && !(read = read_operand(b, &y, WEFT_BLOCK, 0)))
		return NULL;
	opened |= read;
	if (__builtin_expect(opened & IS_OPENED, 0) &&
		((x.array && !(x.data = weft_data(x.array))) || (b && y.array && !(y.data = weft_data(y.array))) || (into == &other && !(other.data = weft_data(other.array)))))
		return NULL; // opening the second may have shut the first
	if (x.array)
		in[n++] = &x;
	if (b && y.array)
		in[n++] = &y;
	if (n == 0)
		return NULL;
	int64_t shape[WEFT_NEAR], size = 1;
	const operand *number = n == 2 || !b ? NULL : x.array ? &y : &x;
	if (ufunc == weft_operators[OP_POWER] && number != &y && !natural(&x, &y))
		return NULL;
	if (n == 1) {
		ndim = in[0]->l->ndim;
		memcpy(shape, in[0]->l->shape, sizeof shape);
	} else if (!weft_common(x.l, y.l, shape, &ndim)) {
		return NULL;
	}
	for (int i = 0; i < ndim; i++)
		size *= shape[i];
	if (size > WEFT_BLOCK)
		return NULL;
	const weft_recipe *r = recipe_of(ufunc, &x, b ? &y : NULL, into == &x ? x.l : NULL);
	if (!r || (into == &other && r->result != into->l->dtype) || (size > r->most && !(weft_limit == WEFT_ALONE && r->most >= CHEAP)) || !fits(size, r->result))
		return NULL;
	for (int i = 0; i < n; i++)
		if (!fits(size, in[i]->l->dtype) && !narrows(size, in[i]->l->dtype, r->result))
			return NULL;
	uint64_t bits[2] = {0, 0};
	if (number && !weft_write_uniform(&number->v, r, bits))
		return NULL;
	if (number && r->number >= FLOAT16 && r->number != FLOAT64 && size > 0 && !is_logical(ufunc))
		weft_floating_number(&number->v, r->number);
	if (into) {
		if (into->array->place.readonly || into->l->ndim != ndim || memcmp(shape, into->l->shape, ndim * sizeof *shape))
			return NULL;
		watched(ufunc, r->code, &x, b ? &y : NULL, into->l, into->data, into, bits);
		weft_note(ufunc, into->l, memory_of(into), memory_of(&x), b ? memory_of(&y) : 0);
		return out;
	}
	if (ndim == 0) {
		char one[EAGER_WIDEST];
		weft_layout l;
		weft_lay(&l, r->result, 0, shape);
		watched(ufunc, r->code, &x, b ? &y : NULL, &l, one, NULL, bits);
		weft_count_here(WEFT_NUMBERS);
		weft_note(ufunc, &l, 0, memory_of(&x), b ? memory_of(&y) : 0);
		return weft_scalar_at(one, r->result);
	}
	weft_layout made;
	int order[WEFT_NEAR];
	if (ndim > 1 && together(ufunc, in, n, number, r, ndim, order)) {
		weft_layout turned[2], as;
		for (int i = 0; i < n; i++) {
			weft_permute(&turned[i], in[i]->l, ndim, order);
			in[i]->l = &turned[i];
		}
		for (int i = 0; i < ndim; i++)
			as.shape[i] = shape[order[i]];
		weft_lay(&as, r->result, ndim, as.shape);
		weft_put_back(&made, &as, order);
		weft_array *result = weft_new_small(&made);
		if (!result)
			return NULL;
		watched(ufunc, r->code, &x, b ? &y : NULL, &as, result->bytes, NULL, bits);
		weft_note(ufunc, &made, result->place.memory, memory_of(&x), b ? memory_of(&y) : 0);
		return (PyObject *)result;
	}
	weft_lay(&made, r->result, ndim, shape);
	weft_array *result = weft_new_small(&made);
	if (!result)
		return NULL;
	watched(ufunc, r->code, &x, b ? &y : NULL, &made, result->bytes, NULL, bits);
	weft_note(ufunc, &made, result->place.memory, memory_of(&x), b ? memory_of(&y) : 0);
	return (PyObject *)result;
}

static int64_t bytes_of(PyObject *o)
{
	const weft_layout *l = o && Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
	return l ? l->size * weft_sizes[l->dtype] : 0;
}

// comes_to is how many bytes the result has of an operation that is planned.
static int64_t comes_to(int ufunc, PyObject *x, PyObject *y)
{
	const weft_layout *l = Py_TYPE(x) == weft_array_type ? weft_layout_of((weft_array *)x) : NULL, *m = y && Py_TYPE(y) == weft_array_type ? weft_layout_of((weft_array *)y) : NULL;
	const int64_t a = bytes_of(x), b = bytes_of(y);
	weft_value v;
	const weft_recipe *r = NULL;
	if (l && (m || !y))
		r = weft_recipe_of(ufunc, l->dtype, m ? m->dtype : 0);
	else if (l && weft_number(y, &v) && v.kind != WEFT_COMPLEX && !v.dtype)
		r = weft_recipe_of_number(ufunc, l->dtype, v.kind);
	if (r && r->result == WEFT_BOOL_DTYPE)
		return m && m->size > l->size ? m->size : l->size;
	return a > b ? a : b;
}

// alone computes an operation that is too large for all but a program that waits for each: of arrays that lie alike, side by side.
static PyObject *alone(int ufunc, PyObject *x, PyObject *y)
{
	PyObject *const of[2] = {x, y};
	int64_t size = 0, limit = weft_limit;
	for (int i = 0; i < 2; i++) {
		const weft_layout *l = of[i] && Py_TYPE(of[i]) == weft_array_type ? weft_layout_of((weft_array *)of[i]) : NULL;
		if (l && (!l->contiguous || l->size > WEFT_FOLD_MOST || (size && l->size != size)))
			return NULL;
		size = l ? l->size : size;
	}
	int first = y && weft_opens_later(x, y); // the larger one, as in apply
	for (int i = 0; i < 2; i++) {
		PyObject *o = of[i ^ first];
		if (o && Py_TYPE(o) == weft_array_type && !weft_data((weft_array *)o) && !weft_open_now((weft_array *)o, WEFT_READS_SETTLED))
			return NULL;
	}
	weft_limit = WEFT_ALONE;
	eager_lets_sleep = 1;
	PyObject *made = apply(ufunc, x, y, NULL);
	eager_lets_sleep = 0;
	weft_limit = limit;
	if (made)
		weft_alone_taken();
	return made;
}

// too_large computes what apply has not if that stands alone, and says otherwise how much is going to be computed.
static __attribute__((noinline, cold)) PyObject *too_large(int ufunc, PyObject *x, PyObject *y, PyObject *out)
{
	PyObject *made = !out && weft_alone() && !weft_asks() ? alone(ufunc, x, y) : NULL; // what is waited for all cores compute
	if (made)
		weft_chain(bytes_of(made));
	else if (bytes_of(x) > WEFT_LEAST || bytes_of(y) > WEFT_LEAST)
		weft_chain_more(comes_to(ufunc, x, y));
	return made;
}

// chained is apply that says how much was computed, or is going to be.
static PyObject *chained(int ufunc, PyObject *x, PyObject *y, PyObject *out)
{
	PyObject *made = apply(ufunc, x, y, out);
	if (__builtin_expect(!made, 0))
		return too_large(ufunc, x, y, out);
	weft_chain(bytes_of(made));
	return made;
}

PyObject *weft_eager_ufunc(int ufunc, PyObject *x, PyObject *y) { return weft_eager ? chained(ufunc, x, y, NULL) : NULL; }

int weft_eager_in_place(int ufunc, PyObject *x, PyObject *y) { return weft_eager && chained(ufunc, x, y, x) != NULL; }

PyObject *weft_eager_into(int ufunc, PyObject *x, PyObject *y, PyObject *out)
{
	return weft_eager && Py_TYPE(out) == weft_array_type ? Py_XNewRef(chained(ufunc, x, y, out)) : NULL;
}

int weft_eager_set(const weft_layout *l, char *to, uint64_t memory, PyObject *value)
{
	operand v;
	if (!weft_fits(l->size, l->dtype) && (Py_TYPE(value) == weft_array_type || l->size * weft_sizes[l->dtype] > WEFT_FILL_MOST))
		return 0;
	if (!read_operand(value, &v, WEFT_MOST, 0))
		return 0;
	if (!v.array) {
		char one[EAGER_WIDEST];
		if (!weft_write(&v.v, l->dtype, one))
			return 0;
		int64_t side_by_side = weft_sizes[l->dtype];
		eager_layout e = weft_plain(l), flat = {1, l->size, &l->size, &side_by_side};
		if (l->size == 1)
			weft_copy_element(to, one, (int)side_by_side);
		else if (l->size > 1)
			eager_fill((int)side_by_side, l->contiguous ? &flat : &e, one, to);
		return 1;
	}
	weft_layout from = *v.l;
	while (from.ndim > l->ndim && from.shape[0] == 1) { // as in assign
		from.ndim--;
		memmove(from.shape, from.shape + 1, from.ndim * sizeof *from.shape);
		memmove(from.strides, from.strides + 1, from.ndim * sizeof *from.strides);
	}
	int64_t shape[WEFT_NEAR];
	int ndim;
	if (from.ndim > l->ndim || !weft_common(&from, l, shape, &ndim) || memcmp(shape, l->shape, ndim * sizeof *shape))
		return 0;
	const void *code = weft_conversion_code(from.dtype, l->dtype);
	if (!code || !weft_fits(l->size, from.dtype))
		return 0;
	if (l->size == 0)
		return 1;
	if (from.dtype == l->dtype && l->ndim == 1 && from.size == l->size && memory_of(&v) != memory) { // elements of a vector that lie apart, such as a column
		eager_copy(weft_sizes[l->dtype], l->size, to, l->strides[0], v.data, from.ndim == 1 ? from.strides[0] : 0);
		return 1;
	}
	v.l = &from;
	operand *in[1] = {&v};
	weft_array holder; // of which only this is asked for
	holder.place.memory = memory;
	operand into = {.array = &holder, .l = l, .data = to};
	eager_lower();
	compute(code, in, 1, l, to, &into, NULL);
	if (l->dtype != from.dtype)
		weft_floating_cast(&from, v.data, l->dtype, l->contiguous && from.size == l->size ? to : NULL);
	return 1;
}
