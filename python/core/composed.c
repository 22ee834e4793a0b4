//go:build extension

// Functions of few elements that are a few operations: the norm and the spread of everything, evenly spaced numbers, and polynomials.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <math.h>
#include <string.h>

enum { FLOAT16 = 10, FLOAT32 = 11, FLOAT64 = 12 }; // tile.DTypes

static int root = -1; // the ufunc of square roots

typedef struct {
	const char *data;
	int size; // bytes of an element
	const eager_code *magnitude, *times;
} squares;

// squared sums squares of elements that lie side by side.
static void squared(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const squares *s = of;
	const char *from = s->data + at * s->size;
	eager_dot(f, n, from, from, to);
}

// magnified sums the squares of the magnitudes, which differ in the sign of what is not a number.
static void magnified(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const squares *s = of;
	char *in[EAGER_INPUTS] = {(char *)s->data + at * s->size}, *sizes[EAGER_INPUTS] = {weft_scratch[2], weft_scratch[2]};
	eager_map(s->magnitude, n, weft_scratch[2], in, 0, NULL);
	eager_map(s->times, n, weft_scratch[2], sizes, 0, NULL);
	eager_inner(f, n, weft_scratch[2], to);
}

// euclidean is the root of the sum of the squares of all elements.
static PyObject *euclidean(PyObject *const *args)
{
	weft_few x;
	if (!weft_most_of(args[0], WEFT_FOLD_MOST, WEFT_READS_ALL, &x) || x.l->ndim == 0 || (x.l->dtype != FLOAT32 && x.l->dtype != FLOAT64))
		return NULL;
	if (root < 0)
		root = goUfunc("sqrt");
	int dtype = x.l->dtype;
	const weft_recipe *magnitude = weft_recipe_of(weft_operators[OP_ABSOLUTE], dtype, 0), *sqrt = weft_recipe_of(root, dtype, 0);
	const weft_recipe *times = weft_recipe_of(weft_operators[OP_MULTIPLY], dtype, dtype);
	const weft_folding *f = weft_folding_of(WEFT_SUM, dtype);
	char *data = weft_few_packed(&x, dtype, weft_scratch[1]), one[EAGER_WIDEST], *total[EAGER_INPUTS] = {one};
	if (!magnitude || !times || !sqrt || !f || !data)
		return NULL;
	squares of = {data, weft_sizes[dtype], magnitude->code, times->code};
	eager_lower();
	eager_total(f->fold, x.l->ndim, x.l->shape, of.size, squared, &of, NULL, one);
	if (eager_raised() && !eager_unusual(dtype, x.l->size, data)) // beside which an overflow depends on the order
		weft_floating_note("dot", eager_raised()); // of the array with itself, by which NumPy has it
	double d;
	float f32;
	memcpy(&d, one, sizeof d);
	memcpy(&f32, one, sizeof f32);
	if (dtype == FLOAT64 ? d != d : f32 != f32)
		eager_total(f->fold, x.l->ndim, x.l->shape, 0, magnified, &of, NULL, one);
	eager_map(sqrt->code, 1, one, total, 0, NULL);
	PyObject *made = weft_scalar_at(one, dtype);
	if (made)
		weft_note_made(WEFT_NOTE_NORM, made, dtype, x.array, NULL);
	return made;
}

// roots_of takes the roots of sums, which nothing else has; it takes the reference over.
static PyObject *roots_of(PyObject *sums)
{
	if (root < 0)
		root = goUfunc("sqrt");
	weft_value v;
	PyObject *made = NULL;
	if (sums && Py_TYPE(sums) == weft_array_type)
		made = weft_eager_ufunc(root, sums, NULL);
	else if (sums && weft_read_scalar(sums, &v) && v.dtype == FLOAT64)
		made = weft_scalar_at(&(double){sqrt(v.re)}, FLOAT64);
	Py_XDECREF(sums);
	return made;
}

// raised is a power of the elements of an array.
static PyObject *raised(PyObject *array, double power)
{
	PyObject *by = PyFloat_FromDouble(power), *with = by;
	int ufunc = by ? weft_ufunc_of(OP_POWER, array, &with) : 0;
	PyObject *made = by ? weft_eager_ufunc(ufunc, array, with) : NULL;
	Py_XDECREF(by);
	return made;
}

// of_order is the root of some order of the sum of sizes to the power of it, along an axis, or of a vector.
static PyObject *of_order(double order, PyObject *sizes, PyObject *axis, int keeps)
{
	const weft_layout *l = weft_layout_of((weft_array *)sizes);
	int one = l->ndim == 1 && !keeps;
	PyObject *powers = raised(sizes, order), *sums = powers ? weft_watched_fold(WEFT_SUM, powers, axis, keeps || one) : NULL;
	int before = weft_wrongs;
	PyObject *made = sums && Py_TYPE(sums) == weft_array_type ? raised(sums, 1 / order) : NULL;
	weft_floating_rename(before, one ? "scalar power" : "power"); // of a number of NumPy's, which has no shorter ways
	if (made && one) {
		const char *data = weft_data((weft_array *)made);
		weft_set(&made, data ? weft_scalar_at(data, FLOAT64) : NULL);
	}
	Py_XDECREF(powers);
	Py_XDECREF(sums);
	return made;
}

// nonzeros is how many sizes along an axis are not zero, or in a vector, as doubles.
static PyObject *nonzeros(PyObject *sizes, PyObject *axis, int keeps)
{
	PyObject *zero = PyFloat_FromDouble(0), *some = zero ? weft_eager_ufunc(weft_operators[OP_NE], sizes, zero) : NULL;
	PyObject *counts = some ? weft_eager_fold(WEFT_SUM, some, axis, keeps) : NULL, *made = NULL;
	weft_value v;
	if (counts && Py_TYPE(counts) == weft_array_type)
		made = weft_few_astype(0, (PyObject *[]){counts, weft_dtype_object(FLOAT64)});
	else if (counts && weft_read_scalar(counts, &v))
		made = weft_scalar_at(&(double){(double)v.i}, FLOAT64);
	Py_XDECREF(zero);
	Py_XDECREF(some);
	Py_XDECREF(counts);
	return made;
}

// of_axes is the root of the sum of squares of doubles along several axes.
static PyObject *of_axes(PyObject *array, PyObject *axes, int keeps)
{
	PyObject *sizes = weft_eager_ufunc(weft_operators[OP_ABSOLUTE], array, NULL);
	PyObject *squares = sizes ? weft_eager_ufunc(weft_operators[OP_MULTIPLY], sizes, sizes) : NULL;
	PyObject *made = squares ? roots_of(weft_few_fold(WEFT_SUM, squares, axes, keeps)) : NULL;
	Py_XDECREF(sizes);
	Py_XDECREF(squares);
	return made;
}

// lengths are the sums of the squares of rows that lie one behind the other; some are a part.
typedef struct {
	const eager_fold *f;
	const char *data;
	char *to;
	int64_t rows, n, some;
} lengths;

static void measured(void *of, int64_t part)
{
	const lengths *r = of;
	for (int64_t i = part * r->some; i < r->rows && i < (part + 1) * r->some; i++) {
		const char *row = r->data + i * r->n * (int64_t)sizeof(double);
		eager_dot(r->f, r->n, row, row, r->to + i * (int64_t)sizeof(double));
	}
}

// sums_of_rows are those along the last axis, each of a block.
static PyObject *sums_of_rows(const weft_few *x, const char *data)
{
	const int last = x->l->ndim - 1;
	lengths of = {.f = weft_folding_of(WEFT_SUM, FLOAT64)->fold, .data = data, .n = x->l->shape[last]};
	of.rows = x->l->size / of.n;
	weft_array *made = weft_fits(of.rows, FLOAT64) ? weft_new_packed(FLOAT64, last, x->l->shape) : NULL;
	if (!made)
		return NULL;
	of.to = made->bytes;
	eager_share(eager_parts(of.rows, of.n * (int64_t)sizeof(double), &of.some), x->l->size * (int64_t)sizeof(double), measured, &of);
	weft_note(WEFT_NOTE_FOLD + WEFT_SUM, x->l, made->place.memory, x->array->place.memory, 0);
	return (PyObject *)made;
}

// of_vectors is the root of the sum of the squares of doubles along one axis of several. Where something went wrong, or is no number, the operations have to be done one by one.
static PyObject *of_vectors(PyObject *array, PyObject *axis)
{
	weft_few x;
	int overflow;
	const long long given = PyLong_AsLongLongAndOverflow(axis, &overflow);
	const weft_recipe *times = weft_recipe_of(weft_operators[OP_MULTIPLY], FLOAT64, FLOAT64), *rooted = weft_recipe_of(root < 0 ? (root = goUfunc("sqrt")) : root, FLOAT64, 0);
	if (overflow || !times || !rooted || !weft_most_of(array, WEFT_FOLD_MOST, WEFT_READS_SETTLED, &x) || x.l->ndim < 2 || given < -x.l->ndim || given >= x.l->ndim ||
		(x.l->ndim > 2 && !weft_falls(x.l, 0)))
		return NULL;
	const int at = (int)(given < 0 ? given + x.l->ndim : given), rows = at == x.l->ndim - 1 && x.l->shape[at] <= EAGER_INNER;
	char *data = weft_many_packed(&x, FLOAT64, WEFT_ROOM_ELEMENTS), *squares = data && !rows ? weft_room(WEFT_ROOM_VALUES, x.l->size * (int64_t)sizeof(double)) : NULL;
	if (!data || (!rows && !squares))
		return NULL;
	eager_lower();
	if (!rows)
		eager_map(times->code, x.l->size, squares, (char *[EAGER_INPUTS]){data, data}, 0, NULL);
	weft_array *made = (weft_array *)(rows ? sums_of_rows(&x, data) : weft_fold_packed(WEFT_SUM, &x, at, 0, squares));
	if (!made)
		return NULL;
	if (eager_raised() & weft_floating_watched || eager_unusual(FLOAT64, made->at.size, made->bytes)) {
		eager_lower();
		Py_DECREF(made);
		return NULL;
	}
	eager_map(rooted->code, made->at.size, made->bytes, (char *[EAGER_INPUTS]){made->bytes}, 0, NULL);
	return (PyObject *)made;
}

// linalg.norm(x, ord=None, axis=None, keepdims=False) of vectors of doubles, and of a matrix: the steps of the general function, one by one.
PyObject *weft_few_norm(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	int keeps = args[3] == Py_True, whole = args[2] == Py_None;
	weft_value p = {.kind = WEFT_MISSING};
	if (!l || l->ndim == 0) // whose sizes are a scalar, along whose axes there is an error
		return NULL;
	if (l->dtype > WEFT_BOOL_DTYPE && l->dtype < FLOAT16) { // integers are floats first
		PyObject *floats = weft_few_astype(0, (PyObject *[]){args[0], weft_dtype_object(FLOAT64)});
		PyObject *made = floats ? weft_few_norm(kind, (PyObject *[]){floats, args[1], args[2], args[3]}) : NULL;
		Py_XDECREF(floats);
		return made;
	}
	int alone = args[1] == Py_None || (args[2] == Py_None ? l->ndim == 1 : PyLong_CheckExact(args[2])); // of complex numbers nothing but their magnitudes counts
	if (alone && l->dtype > FLOAT64) {
		PyObject *sizes = weft_eager_ufunc(weft_operators[OP_ABSOLUTE], args[0], NULL);
		PyObject *made = sizes ? weft_few_norm(kind, (PyObject *[]){sizes, args[1], args[2], args[3]}) : NULL;
		Py_XDECREF(sizes);
		return made;
	}
	int frobenius = whole && l->ndim == 2 && PyUnicode_CheckExact(args[1]) && PyUnicode_CompareWithASCIIString(args[1], "fro") == 0;
	if (frobenius && !keeps)
		return euclidean(args);
	if ((!keeps && args[3] != Py_False) || (args[1] != Py_None && !weft_number(args[1], &p)))
		return NULL;
	if (l->dtype == FLOAT64 && args[1] == Py_None && PyTuple_CheckExact(args[2]) && PyTuple_Size(args[2]) == 2)
		return of_axes(args[0], args[2], keeps);
	double ord = p.kind == WEFT_FLOAT ? p.re : p.kind == WEFT_INT ? (double)p.i : p.kind == WEFT_MISSING ? 2 : NAN;
	int vectors = whole ? l->ndim == 1 : PyLong_CheckExact(args[2]);
	if (whole && !keeps && ord == 2 && (vectors || args[1] == Py_None))
		return euclidean(args);
	if (l->dtype != FLOAT64 || (!vectors && (!whole || l->ndim != 2 || args[1] == Py_None || ord == 2)))
		return NULL;
	if (vectors && ord == 2 && !whole && !keeps && l->ndim > 1) {
		PyObject *made = of_vectors(args[0], args[2]);
		if (made)
			return made;
	}
	int how = isinf(ord) ? ord > 0 ? WEFT_MAX : WEFT_MIN : ord == 1 || ord == 2 ? WEFT_SUM : -1;
	int counts = vectors && ord == 0, other = how < 0 && vectors && ord > 0; // a number that is none of these
	PyObject *sizes = how < 0 && !other && !counts ? NULL : weft_eager_ufunc(weft_operators[OP_ABSOLUTE], args[0], NULL), *made = NULL;
	if (sizes && vectors && ord == 2) {
		PyObject *squares = weft_eager_ufunc(weft_operators[OP_MULTIPLY], sizes, sizes);
		made = squares ? roots_of(weft_watched_fold(WEFT_SUM, squares, args[2], keeps)) : NULL;
		Py_XDECREF(squares);
	} else if (sizes && counts) {
		made = nonzeros(sizes, args[2], keeps);
	} else if (sizes && other) {
		made = of_order(ord, sizes, args[2], keeps);
	} else if (sizes && vectors) {
		made = weft_watched_fold(how, sizes, args[2], keeps);
	} else if (sizes && !keeps) { // of the sums of columns, or of rows, the greatest or least
		PyObject *along = PyLong_FromLong(ord != 1), *sums = along ? weft_watched_fold(WEFT_SUM, sizes, along, 0) : NULL;
		made = sums ? weft_eager_fold(ord < 0 ? WEFT_MIN : WEFT_MAX, sums, Py_None, 0) : NULL;
		Py_XDECREF(along);
		Py_XDECREF(sums);
	}
	Py_XDECREF(sizes);
	return made;
}

typedef struct {
	const char *data;
	int size; // bytes of an element
	const eager_code *less, *square;
	uint64_t mean[2][2];
} distances;

// distant sums the squares of how far elements that lie side by side are from their mean.
static void distant(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const distances *d = of;
	char *in[EAGER_INPUTS] = {(char *)d->data + at * d->size}, *away[EAGER_INPUTS] = {weft_scratch[2]};
	eager_map(d->less, n, weft_scratch[2], in, 0, d->mean);
	eager_map(d->square, n, weft_scratch[2], away, 0, NULL);
	eager_inner(f, n, weft_scratch[2], to);
}

// spread_along is the variance of doubles along an axis, or its root, operation by operation as the general function has it.
static PyObject *spread_along(int rooted, PyObject *array, PyObject *axis, PyObject *ddof, PyObject *keepdims)
{
	const weft_layout *l = Py_TYPE(array) == weft_array_type ? weft_layout_of((weft_array *)array) : NULL;
	int overflow = 0, keeps = keepdims == Py_True;
	int64_t at = PyLong_AsLongLongAndOverflow(axis, &overflow), less = PyLong_CheckExact(ddof) ? PyLong_AsLongLongAndOverflow(ddof, &overflow) : INT64_MAX;
	if (!l || overflow || l->ndim < 2 || l->dtype != FLOAT64 || at < -l->ndim || at >= l->ndim || (!keeps && keepdims != Py_False && keepdims != weft_no_value))
		return NULL;
	int64_t left = l->shape[at < 0 ? at + l->ndim : at] - less;
	if (left <= 0 || !weft_fits(l->size, FLOAT64))
		return NULL;
	PyObject *by = PyFloat_FromDouble((double)left), *mean = by ? weft_watched_fold(WEFT_MEAN, array, axis, 1) : NULL;
	PyObject *away = mean ? weft_eager_ufunc(weft_operators[OP_SUBTRACT], array, mean) : NULL;
	PyObject *squares = away ? weft_eager_ufunc(weft_operators[OP_COUNT], away, NULL) : NULL, *sums = squares ? weft_watched_fold(WEFT_SUM, squares, axis, keeps) : NULL;
	PyObject *made = sums && Py_TYPE(sums) == weft_array_type ? (weft_eager_in_place(weft_divide, sums, by) ? Py_NewRef(sums) : NULL) : sums ? weft_eager_ufunc(weft_divide, sums, by) : NULL;
	Py_XDECREF(by);
	Py_XDECREF(mean);
	Py_XDECREF(away);
	Py_XDECREF(squares);
	Py_XDECREF(sums);
	if (rooted && made && Py_TYPE(made) == weft_array_type) { // in place, as NumPy's is, so that axes of one element keep their steps
		if (root < 0)
			root = goUfunc("sqrt");
		if (!weft_eager_in_place(root, made, NULL))
			Py_CLEAR(made);
		return made;
	}
	return rooted ? roots_of(made) : made;
}

// var(a, axis=None, dtype=None, out=None, ddof=0, ...) of all elements, and std: the steps of the general function, block by block.
PyObject *weft_few_spread(int rooted, PyObject *const *args)
{
	weft_few x;
	weft_value v;
	if (PyLong_CheckExact(args[1]) && args[2] == Py_None && args[3] == Py_None)
		return spread_along(rooted, args[0], args[1], args[4], args[5]);
	int overflow;
	if (args[1] != Py_None || args[2] != Py_None || args[3] != Py_None || !PyLong_CheckExact(args[4]) || (args[5] != weft_no_value && args[5] != Py_False) ||
		!weft_most_of(args[0], WEFT_FOLD_MOST, WEFT_READS_ALL, &x) || x.l->ndim == 0 || x.l->dtype == FLOAT16 || x.l->dtype > FLOAT64)
		return NULL;
	int dtype = x.l->dtype == FLOAT32 ? FLOAT32 : FLOAT64;
	int64_t left = x.l->size - PyLong_AsLongLongAndOverflow(args[4], &overflow);
	const weft_recipe *less = weft_recipe_of_number(weft_operators[OP_SUBTRACT], x.l->dtype, WEFT_FLOAT);
	const weft_recipe *square = weft_recipe_of(weft_operators[OP_COUNT], dtype, 0);
	const weft_folding *sum = weft_folding_of(WEFT_SUM, dtype);
	if (overflow || left <= 0 || !less || less->result != dtype || less->number != dtype || !square || !sum)
		return NULL;
	distances of = {.size = weft_sizes[x.l->dtype], .less = less->code, .square = square->code};
	PyObject *mean = weft_watched_fold(WEFT_MEAN, args[0], Py_None, 0);
	if (mean && weft_read_scalar(mean, &v) && v.dtype == dtype && weft_write(&v, dtype, (char *)of.mean[0]) && (x.data = weft_data(x.array)))
		of.data = weft_few_packed(&x, x.l->dtype, weft_scratch[1]);
	Py_XDECREF(mean);
	if (!of.data)
		return NULL;
	_Alignas(16) char total[EAGER_WIDEST];
	double d;
	float f;
	eager_lower();
	eager_total(sum->fold, x.l->ndim, x.l->shape, 0, distant, &of, NULL, total);
	weft_floating_note("subtract", eager_raised() & EAGER_INVALID); // of infinities
	weft_floating_note("square", eager_raised() & ~EAGER_INVALID);
	weft_note(WEFT_NOTE_FOLD + WEFT_SUM, x.l, 0, x.array->place.memory, 0);
	memcpy(&d, total, sizeof d);
	memcpy(&f, total, sizeof f);
	d /= (double)left;
	f /= (float)left;
	d = rooted ? sqrt(d) : d;
	f = rooted ? sqrtf(f) : f;
	return weft_scalar_at(dtype == FLOAT32 ? (const void *)&f : &d, dtype);
}

// range_along is ptp(a, axis).
static PyObject *range_along(PyObject *array, PyObject *axis)
{
	PyObject *most = weft_eager_fold(WEFT_MAX, array, axis, 0), *least = most ? weft_eager_fold(WEFT_MIN, array, axis, 0) : NULL;
	PyObject *made = least && Py_TYPE(least) == weft_array_type ? weft_eager_ufunc(weft_operators[OP_SUBTRACT], most, least) : NULL;
	Py_XDECREF(most);
	Py_XDECREF(least);
	return made;
}

// ptp(a, axis=None, ...) of all elements: the greatest less the least, as arrays of their dtype are subtracted.
PyObject *weft_few_ptp(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim == 0 || l->dtype <= WEFT_BOOL_DTYPE || l->dtype > FLOAT64 || l->dtype == FLOAT16)
		return NULL;
	if (l->ndim > 1 && PyLong_CheckExact(args[1]))
		return range_along(args[0], args[1]);
	if (args[1] != Py_None)
		return NULL;
	int dtype = l->dtype;
	const weft_recipe *minus = weft_recipe_of(weft_operators[OP_SUBTRACT], dtype, dtype);
	_Alignas(16) char ends[2][EAGER_WIDEST];
	char *in[EAGER_INPUTS] = {ends[0], ends[1]};
	int read = minus && minus->result == dtype;
	for (int end = 0; end < 2 && read; end++) {
		PyObject *found = weft_eager_fold(end ? WEFT_MIN : WEFT_MAX, args[0], Py_None, 0);
		weft_value v;
		read = found && weft_read_scalar(found, &v) && weft_write(&v, dtype, ends[end]);
		Py_XDECREF(found);
	}
	if (!read)
		return NULL;
	eager_lower();
	eager_map(minus->code, 1, ends[0], in, 0, NULL);
	weft_floating_note("subtract", dtype < FLOAT16 ? 0 : eager_raised());
	return weft_scalar_at(ends[0], dtype);
}

// sinc(x) of doubles: the sine of pi*x over that, which is 1 where it is 0, as NumPy has it.
PyObject *weft_few_sinc(int kind, PyObject *const *args)
{
	(void)kind;
	static int sine = -1;
	const double pi = 0x1.921fb54442d18p1, least = 0x1p-52;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type && weft_eager ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->dtype != FLOAT64 || l->ndim == 0 || !weft_fits(l->size, FLOAT64))
		return NULL;
	if (sine < 0)
		sine = goUfunc("sin");
	const int before = weft_wrongs;
	PyObject *by = PyFloat_FromDouble(pi), *scaled = by ? weft_eager_ufunc(weft_operators[OP_MULTIPLY], args[0], by) : NULL, *made = NULL;
	double *x = scaled ? (double *)((weft_array *)scaled)->bytes : NULL;
	for (int64_t i = 0; x && i < ((weft_array *)scaled)->at.size; i++)
		x[i] = x[i] == 0 ? least : x[i];
	if (x && (made = weft_eager_ufunc(sine, scaled, NULL)) && !weft_eager_in_place(weft_divide, made, scaled))
		Py_CLEAR(made);
	if (!made)
		weft_wrongs = before;
	Py_XDECREF(scaled);
	Py_XDECREF(by);
	return made;
}

static int real(PyObject *o, double *to)
{
	weft_value v;
	if (!weft_number(o, &v) || v.kind == WEFT_BOOL || (v.dtype && v.dtype != FLOAT64))
		return 0;
	*to = v.kind == WEFT_FLOAT ? v.re : (double)v.i;
	return 1;
}

// linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, ...)
PyObject *weft_few_linspace(int kind, PyObject *const *args)
{
	(void)kind;
	double start, stop;
	int overflow;
	if (!PyLong_CheckExact(args[2]) || (args[3] != Py_True && args[3] != Py_False) || (args[4] != Py_True && args[4] != Py_False) ||
		(args[5] != Py_None && args[5] != (PyObject *)&PyFloat_Type) || !PyLong_CheckExact(args[6]) || !real(args[0], &start) || !real(args[1], &stop))
		return NULL;
	int64_t n = PyLong_AsLongLongAndOverflow(args[2], &overflow), axis = PyLong_AsLongLongAndOverflow(args[6], &overflow);
	if (n < 2 || n > WEFT_MOST || axis != 0)
		return NULL;
	double step = (stop - start) / (double)(args[3] == Py_True ? n - 1 : n);
	if (!(step > 0 || step < 0)) // it underflowed, or there is none
		return NULL;
	weft_array *made = weft_new_packed(FLOAT64, 1, &n);
	if (made)
		eager_line(n, start, step, (double *)made->bytes);
	if (made && args[3] == Py_True)
		((double *)made->bytes)[n - 1] = stop;
	if (made)
		weft_note(WEFT_NOTE_LINE, &made->at, made->place.memory, 0, 0);
	if (!made || args[4] == Py_False)
		return (PyObject *)made;
	PyObject *by = weft_scalar_at((const char *)&step, FLOAT64), *both = by ? PyTuple_Pack(2, (PyObject *)made, by) : NULL;
	Py_XDECREF(by);
	Py_DECREF((PyObject *)made);
	return both;
}

// polyval(p, x) of float64: as often as there are coefficients, what there is times x, and one more.
PyObject *weft_cut_polyval(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	enum { INT64 = 5, TERMS = 64, MOST = 1 << 17 }; // from as many elements on a second thread is worth its while
	weft_few p, x;
	const weft_layout *l = weft_eager && n == 2 && !names && Py_TYPE(args[1]) == weft_array_type ? weft_layout_of((weft_array *)args[1]) : NULL;
	if (!l || l->dtype != FLOAT64 || l->ndim == 0 || !l->contiguous)
		return NULL;
	PyObject *given = PyList_CheckExact(args[0]) ? weft_of_numbers(args[0]) : Py_NewRef(args[0]);
	double term[TERMS];
	int known = given && weft_most_of(given, TERMS, WEFT_READS, &p) && p.l->ndim == 1 && (p.l->dtype == FLOAT64 || p.l->dtype == INT64);
	const char *packed = known ? weft_few_packed(&p, FLOAT64, weft_scratch[1]) : NULL;
	int64_t terms = packed ? p.l->size : 0;
	if (packed)
		memcpy(term, packed, (size_t)terms * sizeof *term);
	if (!given)
		PyErr_Clear(); // the general function finds that out as well
	Py_XDECREF(given);
	weft_array *made = terms && weft_many_of(args[1], MOST, 0, &x) ? weft_many_made(FLOAT64, x.l->ndim, x.l->shape) : NULL;
	char *to = made ? weft_data(made) : NULL, *from = to ? weft_data(x.array) : NULL;
	if (!from) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	eager_lower();
	eager_horner(x.l->size, terms, term, (const double *)from, (double *)to);
	weft_floating_note("multiply", eager_raised());
	weft_note_made(WEFT_NOTE_POLYNOMIAL, (PyObject *)made, FLOAT64, x.array, NULL);
	return (PyObject *)made;
}
