//go:build extension

// Running sums and products of few elements, and differences of neighbours. Elements are combined one after the other, as the
// routines of package cpu do it for rows of this length.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <string.h>

enum { INT32 = 4, INT64 = 5, UINT32 = 8, UINT64 = 9, FLOAT16 = 10, FLOAT32 = 11, FLOAT64 = 12, COMPLEX64 = 13, COMPLEX128 = 14 }; // tile.DTypes

enum { WIDE = 64 }; // added to a case of run

static char *const room = weft_scratch[1], *const results = weft_scratch[2];

// RUN combines along an axis; inner elements stand between neighbours.
#define RUN(T, op) \
	for (int64_t o = 0; o < outer; o++) { \
		const T *x = (const T *)from + o * n * inner; \
		T *to = (T *)out + o * n * inner; \
		for (int64_t i = 0; i < inner; i++) \
			to[i] = x[i]; \
		for (int64_t i = inner; i < n * inner; i++) \
			to[i] = to[i - inner] op x[i]; \
	} \
	break;

// GROUPED combines rows of integers, whose combinations are the same however they are grouped: four meet each other before they meet those before
// them, so that a step waits for the one before it once in four elements.
#define GROUPED(op) \
	for (int64_t o = 0; o < outer; o++) { \
		const uint64_t *x = (const uint64_t *)from + o * n; \
		uint64_t *to = (uint64_t *)out + o * n, all = x[0]; \
		int64_t i = 1; \
		to[0] = all; \
		for (; i + 4 <= n; i += 4) { \
			const uint64_t a = x[i], ab = a op x[i + 1], cd = x[i + 2] op x[i + 3], abc = ab op x[i + 2]; \
			to[i] = all op a; \
			to[i + 1] = all op ab; \
			to[i + 2] = all op abc; \
			to[i + 3] = all = all op(ab op cd); \
		} \
		for (; i < n; i++) \
			to[i] = all = all op x[i]; \
	} \
	break;

// run computes running sums or products; 0 where there is no loop. Sums of complex numbers are those of their parts.
static int run(int kind, int dtype, int64_t outer, int64_t n, int64_t inner, const char *from, char *out)
{
	if (dtype >= COMPLEX64 && kind == WEFT_CUMSUM) {
		dtype = dtype == COMPLEX64 ? FLOAT32 : FLOAT64;
		inner *= 2;
	}
	const int integers = dtype == INT64 || dtype == UINT64;
	switch (2 * dtype + (kind == WEFT_CUMPROD) + (integers && inner == 1 && n > 0 ? WIDE : 0)) {
	case WIDE + 2 * INT64: case WIDE + 2 * UINT64: GROUPED(+)
	case WIDE + 2 * INT64 + 1: case WIDE + 2 * UINT64 + 1: GROUPED(*)
	case 2 * INT32: case 2 * UINT32: RUN(uint32_t, +)
	case 2 * INT32 + 1: case 2 * UINT32 + 1: RUN(uint32_t, *)
	case 2 * INT64: case 2 * UINT64: RUN(uint64_t, +)
	case 2 * INT64 + 1: case 2 * UINT64 + 1: RUN(uint64_t, *)
	case 2 * FLOAT32: RUN(float, +)
	case 2 * FLOAT32 + 1: RUN(float, *)
	case 2 * FLOAT64: RUN(double, +)
	case 2 * FLOAT64 + 1: RUN(double, *)
	default: return 0;
	}
	return 1;
}

int weft_along(const weft_layout *l, PyObject *axis, int64_t *outer, int64_t *n, int64_t *inner)
{
	*outer = *inner = 1;
	*n = l->size;
	if (axis == Py_None || axis == weft_no_value)
		return 1;
	int overflow;
	if (!PyLong_CheckExact(axis))
		return 0;
	long long at = PyLong_AsLongLongAndOverflow(axis, &overflow);
	if (overflow || at < -l->ndim || at >= l->ndim)
		return 0;
	at = at < 0 ? at + l->ndim : at;
	*n = l->shape[at];
	for (int i = 0; i < l->ndim; i++) {
		if (i < at)
			*outer *= l->shape[i];
		if (i > at)
			*inner *= l->shape[i];
	}
	return l->contiguous || l->ndim == 1; // the result lies as the array does
}

// running_alone is cumsum or cumprod of many integers, where that stands alone: see chain.c. Sums of floats have an order of their own there.
static PyObject *running_alone(int kind, PyObject *const *args)
{
	weft_few x;
	int64_t outer, n, inner;
	if (!weft_alone_of(args[0], &x) || !x.l->contiguous || (x.l->dtype != INT64 && x.l->dtype != UINT64) || x.l->ndim != 1 || !weft_along(x.l, args[1], &outer, &n, &inner))
		return NULL;
	weft_array *made = weft_new_alone(x.l);
	if (!made)
		return NULL;
	run(kind, x.l->dtype, outer, n, inner, x.data, made->bytes);
	weft_note_made(WEFT_NOTE_RUNNING, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}

// dtype_of is the dtype in which elements of another one are combined: their own one of sums, or the one that is asked for, where no cast to it tells anything;
// 0 for what the general function has to look at.
static int dtype_of(int kind, int elements, int asked)
{
	const weft_folding *f = weft_folding_of(kind == WEFT_CUMSUM ? WEFT_SUM : WEFT_PROD, elements);
	if (asked == 0)
		return f ? f->dtype : 0;
	const int whole = elements == WEFT_BOOL_DTYPE || weft_dtype_is_integer(elements);
	return asked == elements || (whole && asked != FLOAT16) || (elements >= FLOAT32 && elements <= FLOAT64 && asked == FLOAT64) ? asked : 0;
}

// cumsum(a, axis=None, dtype=None, out=None), and cumprod
PyObject *weft_few_running(int kind, PyObject *const *args)
{
	weft_few x;
	int64_t outer, n, inner;
	const int asked = args[2] == Py_None || args[2] == weft_no_value ? 0 : weft_dtype_of_few(args[2]); // first, as it may run Python code
	if (asked < 0 || (asked == 0 && args[2] != Py_None && args[2] != weft_no_value) || (kind >= WEFT_OF_UFUNC && args[1] == Py_None))
		return NULL;
	kind %= WEFT_OF_UFUNC;
	x.l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	const int dtype = x.l ? dtype_of(kind, x.l->dtype, asked) : 0;
	if (dtype > 0 && x.l->size > WEFT_MOST && weft_alone())
		return dtype == x.l->dtype ? running_alone(kind, args) : NULL;
	if (dtype == 0 || !weft_fits_of(args[0], 0, &x) || x.l->ndim == 0 || !weft_along(x.l, args[1], &outer, &n, &inner))
		return NULL;
	char *from = weft_few_packed(&x, dtype, room);
	int flat = args[1] == Py_None || args[1] == weft_no_value;
	weft_array *made = from ? weft_new_packed(dtype, flat ? 1 : x.l->ndim, flat ? &n : x.l->shape) : NULL;
	eager_lower();
	if (made && !run(kind, dtype, outer, n, inner, from, made->bytes))
		Py_CLEAR(made);
	if (made && dtype >= WEFT_FIRST_INEXACT)
		weft_floating_note("accumulate", eager_raised());
	if (made)
		weft_note_made(WEFT_NOTE_RUNNING, (PyObject *)made, dtype, x.array, NULL);
	return (PyObject *)made;
}

// SO_FAR keeps the best of the elements of a row so far, and of those that are equal the last one. There are few new ones in most rows.
#define SO_FAR(name, T, better) \
	static void name(int64_t n, const char *from, char *to) \
	{ \
		const T *x = (const T *)from; \
		T best = *x, *d = (T *)to; \
		for (int64_t i = 0; i < n; i++) { \
			if (!((best better x[i]) | (best != best))) \
				best = x[i]; \
			d[i] = best; \
		} \
	}

SO_FAR(most_f32, float, >)
SO_FAR(most_f64, double, >)
SO_FAR(most_i64, int64_t, >)
SO_FAR(least_f32, float, <)
SO_FAR(least_f64, double, <)
SO_FAR(least_i64, int64_t, <)

typedef void along_row(int64_t n, const char *from, char *to);

// so_far_of_rows does so with rows of elements, however many: two threads, each of which has to know what the other one found, take as long.
static PyObject *so_far_of_rows(along_row *loop, PyObject *array, int64_t outer, int64_t n)
{
	weft_few x;
	if (!weft_most_of(array, WEFT_FOLD_MOST, WEFT_READS_SETTLED, &x))
		return NULL;
	const int64_t row = n * weft_sizes[x.l->dtype];
	weft_array *made = weft_many_made(x.l->dtype, x.l->ndim, x.l->shape);
	char *to = made ? weft_data(made) : NULL;
	const char *from = to && (x.data = weft_data(x.array)) ? weft_many_packed(&x, x.l->dtype, WEFT_ROOM_ELEMENTS) : NULL; // else shut meanwhile: see opening.c
	if (!from) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	for (int64_t o = 0; o < outer; o++)
		loop(n, from + o * row, to + o * row);
	weft_note_made(WEFT_NOTE_RUNNING, (PyObject *)made, x.l->dtype, x.array, NULL);
	return (PyObject *)made;
}

// so_far returns the loop for rows of a dtype whose elements lie side by side, or NULL.
static along_row *so_far(int least, int dtype)
{
	switch (dtype) {
	case INT64: return least ? least_i64 : most_i64;
	case FLOAT32: return least ? least_f32 : most_f32;
	case FLOAT64: return least ? least_f64 : most_f64;
	}
	return NULL;
}

// maximum.accumulate(array, axis, dtype=None, out=None), and minimum's where kind is 1: the ufunc's own code, from one element to the next, where
// there is no loop.
PyObject *weft_few_extremes_so_far(int kind, PyObject *const *args)
{
	enum { STEPS = 256 }; // of one element each, for which the code takes longer than the routine does with threads
	static int ufuncs[2]; // 0 until they are asked for
	weft_few x;
	int64_t outer, n, inner;
	if (ufuncs[kind] == 0)
		ufuncs[kind] = goUfunc(kind ? "minimum" : "maximum");
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type && weft_eager ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (args[1] == Py_None || !l || l->ndim == 0 || l->size == 0 || !weft_along(l, args[1], &outer, &n, &inner))
		return NULL;
	if (inner == 1 && so_far(kind, l->dtype))
		return so_far_of_rows(so_far(kind, l->dtype), args[0], outer, n);
	if (!weft_fits_of(args[0], 0, &x) || (inner == 1 && outer * n > STEPS))
		return NULL;
	int dtype = x.l->dtype, size = weft_sizes[dtype];
	const weft_recipe *r = weft_recipe_of(ufuncs[kind], dtype, dtype);
	char *from = r && r->result == dtype ? weft_few_packed(&x, dtype, room) : NULL;
	if (!from)
		return NULL;
	int64_t row = inner * size;
	for (int64_t o = 0; o < outer; o++) {
		char *to = results + o * n * row;
		memcpy(to, from + o * n * row, (size_t)row);
		for (int64_t i = 1; i < n; i++) {
			char *in[EAGER_INPUTS] = {to + (i - 1) * row, from + (o * n + i) * row};
			eager_map(r->code, inner, to + i * row, in, 0, NULL);
		}
	}
	PyObject *made = weft_few_result(dtype, x.l->ndim, x.l->shape, results);
	if (made)
		weft_note_made(WEFT_NOTE_RUNNING, made, dtype, x.array, NULL);
	return made;
}

// prefixed puts a number before the elements of a vector, in scratch memory; NULL where both together have another dtype than the vector.
static char *prefixed(const weft_few *x, PyObject *first)
{
	weft_value v;
	int dtype = x->l->dtype;
	if (x->l->ndim != 1 || !weft_fits(x->l->size + 1, dtype) || !weft_number(first, &v))
		return NULL;
	if (v.dtype ? v.dtype != dtype : dtype == INT64 ? v.kind != WEFT_INT : dtype != FLOAT64 || v.kind == WEFT_BOOL)
		return NULL;
	char *from = weft_few_packed(x, dtype, results);
	if (!from || !weft_write(&v, dtype, room))
		return NULL;
	vm_copy(room + weft_sizes[dtype], from, (size_t)(x->l->size * weft_sizes[dtype]));
	return room;
}

// many_short takes differences of rows that are short, all at once: one after the other for all of them.
static void many_short(const eager_code *minus, int64_t outer, int64_t n, int64_t inner, int64_t size, char *from, char *to)
{
	const int64_t left = (n - 1) * inner, shape[2] = {left, outer};
	const int64_t steps[2][1 + EAGER_INPUTS] = {{size, size, size}, {left * size, n * inner * size, n * inner * size}};
	eager_rows(minus, 2, shape, to, (char *[EAGER_INPUTS]){from + inner * size, from}, steps, 0, NULL);
}

// diff(a, n=1, axis=-1, prepend=no value, ...) of a vector, or of the rows of what lies in the order of C
PyObject *weft_few_diff(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int prepends = args[3] != weft_no_value, overflow;
	int64_t outer, n, inner, shape[WEFT_NEAR];
	long times = PyLong_CheckExact(args[1]) ? PyLong_AsLongAndOverflow(args[1], &overflow) : 0;
	if (times < 1 || args[2] == Py_None)
		return NULL;
	if (!weft_fits_of(args[0], 0, &x) || x.l->ndim == 0 || !weft_along(x.l, args[2], &outer, &n, &inner) || n + prepends <= times)
		return NULL;
	int dtype = x.l->dtype, size = weft_sizes[dtype], at = 0;
	const weft_recipe *minus = dtype == WEFT_BOOL_DTYPE ? NULL : weft_recipe_of(weft_operators[OP_SUBTRACT], dtype, dtype);
	char *from = !minus ? NULL : prepends ? prefixed(&x, args[3]) : weft_few_packed(&x, dtype, room);
	if (!from)
		return NULL;
	memcpy(shape, x.l->shape, sizeof shape);
	for (int64_t before = 1; before != outer || shape[at] != n; at++)
		before *= shape[at];
	n += prepends;
	shape[at] = n - times;
	weft_array *made = weft_new_packed(dtype, x.l->ndim, shape);
	if (!made)
		return NULL;
	char *to = results;
	eager_lower();
	for (; times > 0; times--, n--) {
		to = times == 1 ? made->bytes : to;
		const eager_code *code = minus->code;
		const int before = weft_wrongs, short_ones = code->direct && dtype != FLOAT16 && 2 * (n - 1) * inner <= outer && (n - 1) * inner < EAGER_NARROW;
		if (short_ones)
			many_short(code, outer, n, inner, size, from, to);
		for (int64_t o = 0; o < outer && !short_ones; o++) {
			char *row = from + o * n * inner * size, *in[EAGER_INPUTS] = {row + inner * size, row}, *out = to + o * (n - 1) * inner * size;
			eager_map(minus->code, (n - 1) * inner, out, in, 0, NULL);
			if (dtype == FLOAT16) { // whose steps are float32's
				weft_floating_look(weft_operators[OP_SUBTRACT], eager_raised(), (n - 1) * inner, &(weft_floating_operand){dtype, 0, in[0]}, &(weft_floating_operand){dtype, 0, in[1]}, dtype, out);
				weft_floating_join(before, "subtract");
			}
		}
		from = to;
		to = to == results ? room : results;
	}
	if (dtype > FLOAT16)
		weft_floating_note("subtract", eager_raised());
	weft_note_made(WEFT_NOTE_DIFF, (PyObject *)made, dtype, x.array, NULL);
	return (PyObject *)made;
}
