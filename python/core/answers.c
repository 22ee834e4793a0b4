//go:build extension

// The functions of the table, other than ufuncs, that the eager tier has.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <string.h>

enum { FLOAT16 = 10, FLOAT32 = 11, FIRST_COMPLEX = 13 }; // tile.DTypes

// of_none is a reduction of no element, where that is a value.
static PyObject *of_none(int kind, PyObject *array)
{
	const weft_layout *l = Py_TYPE(array) == weft_array_type && weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	const weft_folding *f = l && l->size == 0 && (kind == WEFT_SUM || kind == WEFT_PROD || kind == WEFT_ANY || kind == WEFT_ALL) ? weft_folding_of(kind, l->dtype) : NULL;
	char value[16] = {0};
	if (!f || !weft_write(&(weft_value){.kind = WEFT_INT, .i = kind == WEFT_PROD || kind == WEFT_ALL}, f->dtype, value))
		return NULL;
	return weft_scalar_at(value, f->dtype);
}

// reduced is what a fold made, of which floats may have overflowed, or be no numbers.
static PyObject *reduced(int kind, PyObject *made)
{
	if (made && eager_raised() && (kind == WEFT_SUM || kind == WEFT_PROD || kind == WEFT_MEAN))
		weft_floating_note("reduce", eager_raised());
	return made;
}

// selected notes under one name what is computed in steps: NumPy's loop begins with the initial value.
static PyObject *selected(int kind, PyObject *array, PyObject *axis, int keeps, PyObject *initial, PyObject *where)
{
	int before = weft_wrongs;
	PyObject *made = weft_few_selected(kind, array, axis, keeps, initial, where);
	if (made)
		weft_floating_join(before, "reduce");
	else
		weft_wrongs = before;
	return made;
}

static PyObject *fold(int kind, PyObject *const *args);

// halved is the sum or product of few halves, which are added up as floats of 32 bits, as the general function has it.
static PyObject *halved(int kind, PyObject *const *args)
{
	int before = weft_wrongs;
	PyObject *wide = weft_few_astype(0, (PyObject *[]){args[0], weft_dtype_object(FLOAT32)}), *made = NULL;
	weft_value v;
	char half[2];
	if (wide) {
		PyObject *with[7] = {wide, args[1], Py_None, args[3], args[4], args[5], args[6]}, *total = fold(kind, with);
		if (total && Py_TYPE(total) == weft_array_type)
			made = weft_few_astype(0, (PyObject *[]){total, weft_dtype_object(FLOAT16)});
		else if (total && weft_read_scalar(total, &v) && weft_write(&(weft_value){.kind = WEFT_FLOAT, .re = v.re}, FLOAT16, half) && (made = weft_scalar_at(half, FLOAT16)))
			weft_floating_number(&v, FLOAT16);
		Py_XDECREF(total);
		Py_DECREF(wide);
	}
	if (made)
		weft_floating_join(before, "reduce");
	else
		weft_wrongs = before;
	return made;
}

// fold is sum(a, axis, dtype, out, keepdims, initial, where) and its like. Extremes and questions have no dtype, means and questions no initial.
static PyObject *fold(int kind, PyObject *const *args)
{
	int sums = kind == WEFT_SUM || kind == WEFT_PROD, typed = sums || kind == WEFT_MEAN, starts = sums || kind == WEFT_MIN || kind == WEFT_MAX;
	PyObject *const *more = args + 2 + typed; // out, keepdims, initial, where
	PyObject *where = more[2 + starts];
	int keeps = more[1] == Py_True;
	if ((more[0] != Py_None && more[0] != weft_no_value) || (!keeps && more[1] != weft_no_value && more[1] != Py_False))
		return NULL;
	const weft_layout *of = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (kind == WEFT_MEAN && args[1] != Py_None && of && of->ndim == 0)
		return NULL; // which NumPy's mean refuses, and its sum takes
	if (sums && of && of->dtype == FLOAT16 && (args[2] == Py_None || args[2] == weft_no_value))
		return halved(kind, args);
	if ((starts && more[2] != weft_no_value) || (where != weft_no_value && where != Py_True))
		return typed && args[2] != Py_None && args[2] != weft_no_value ? NULL : selected(kind, args[0], args[1], keeps, starts ? more[2] : weft_no_value, where);
	if (typed && args[2] != Py_None && args[2] != weft_no_value) {
		int dtype = weft_dtype_of_few(args[2]);
		if (dtype < 0)
			return NULL;
		const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
		const weft_folding *f = dtype > 0 && l ? weft_folding_of(kind, l->dtype) : NULL, *as = dtype > 0 && l ? weft_folding_of(kind, dtype) : NULL;
		if (f && f->dtype != dtype && as && as->dtype == dtype && l->dtype < FIRST_COMPLEX && dtype >= FLOAT32) { // the elements are cast first
			int before = weft_wrongs;
			PyObject *cast = weft_few_astype(0, (PyObject *[]){args[0], args[2]}), *with[7] = {cast, args[1], Py_None};
			memcpy(with + 3, args + 3, (size_t)(kind == WEFT_MEAN ? 3 : 4) * sizeof *args);
			PyObject *made = cast ? fold(kind, with) : NULL;
			Py_XDECREF(cast);
			weft_floating_join(before, "reduce"); // which casts as it goes
			return made;
		}
		if (!f || f->dtype != dtype)
			return NULL;
	}
	eager_lower();
	PyObject *made = args[1] == Py_None && !keeps ? of_none(kind, args[0]) : NULL;
	made = made || args[1] != Py_None || keeps ? made : weft_many_fold(kind, args[0]);
	if (made || PyErr_Occurred())
		return reduced(kind, made);
	return reduced(kind, PyTuple_CheckExact(args[1]) ? weft_few_fold(kind, args[0], args[1], keeps) : weft_eager_fold(kind, args[0], args[1], keeps));
}

// position is argmin(a, axis, out, keepdims), and argmax.
static PyObject *position(int most, PyObject *const *args)
{
	int keeps = args[3] == Py_True;
	if ((args[2] != Py_None && args[2] != weft_no_value) || (!keeps && args[3] != weft_no_value && args[3] != Py_False))
		return NULL;
	PyObject *made = weft_eager_position(most, args[0], args[1]);
	made = made || PyErr_Occurred() ? made : weft_few_extremes(most, args[0], args[1]);
	const weft_layout *l = made && keeps ? weft_layout_of((weft_array *)args[0]) : NULL;
	if (!l || l->ndim == 0)
		return made;
	int64_t shape[WEFT_NEAR] = {1, 1, 1, 1}, size = 1;
	for (int i = 0, axis = args[1] == Py_None ? -1 : (int)PyLong_AsLong(args[1]); args[1] != Py_None && i < l->ndim; i++)
		size *= shape[i] = i == (axis < 0 ? axis + l->ndim : axis) ? 1 : l->shape[i];
	weft_value one = {.kind = WEFT_MISSING};
	int is_one = Py_TYPE(made) != weft_array_type && weft_read_scalar(made, &one);
	char *from = is_one ? (char *)&one.i : Py_TYPE(made) == weft_array_type ? weft_data((weft_array *)made) : NULL;
	PyObject *kept = from ? weft_small_of(WEFT_LAST_SIGNED, l->ndim, shape, from, size * (int64_t)sizeof one.i) : NULL;
	Py_DECREF(made);
	return kept;
}

static PyObject *product(int kind, PyObject *const *args) { return weft_few_product(kind, args[0], args[1]); }

// first says whether arguments are an offset and the axes that NumPy takes where nothing is said: 0 and 1.
static int first(PyObject *const *args)
{
	for (int i = 0; i < 3; i++)
		if (!PyLong_CheckExact(args[i]) || (i == 0 ? PyLong_AsLong(args[i]) == -1 && PyErr_Occurred() : PyLong_AsLong(args[i]) != i / 2)) {
			PyErr_Clear(); // an int that is no long
			return 0;
		}
	return 1;
}

static PyObject *diagonal(int kind, PyObject *const *args) { return first(args + 1) ? weft_few_view(kind, args) : NULL; }

static PyObject *trace(int kind, PyObject *const *args)
{
	PyObject *along = diagonal(WEFT_DIAGONAL, args), *made = along ? weft_watched_fold(kind, along, Py_None, 0) : NULL;
	Py_XDECREF(along);
	return made;
}

// diag(v, k=0) of a matrix is its diagonal, which is read-only; of a vector, the matrix whose diagonal it is.
static PyObject *diag(int kind, PyObject *const *args)
{
	enum { MOST = 1 << 20 }; // elements that are filled in less time than an operation is planned in, or not much more
	weft_few x;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	int overflow = 0;
	int64_t k = PyLong_CheckExact(args[1]) ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : MOST;
	if (!l || overflow || k >= MOST || k <= -MOST)
		return NULL;
	if (l->ndim != 1)
		return weft_few_view(kind, args);
	int64_t n = l->size + (k < 0 ? -k : k), shape[2] = {n, n}, size = weft_sizes[l->dtype];
	if (n * n > MOST || !weft_fits_of(args[0], 0, &x))
		return NULL;
	weft_array *made = weft_many_made(x.l->dtype, 2, shape);
	char *to = made ? weft_data(made) : NULL;
	x.data = weft_data(x.array); // unless it was shut meanwhile: see opening.c
	if (!to || !x.data) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	memset(to, 0, (size_t)(n * n * size));
	to += (k < 0 ? -k * n : k) * size;
	for (int64_t i = 0; i < x.l->size; i++)
		memcpy(to + i * (n + 1) * size, x.data + i * x.l->strides[0], (size_t)size);
	weft_note(WEFT_NOTE_FILL, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}

// flips flips one axis; kind is its number.
static PyObject *flips(int kind, PyObject *const *args)
{
	PyObject *axis = PyLong_FromLong(kind), *made = axis ? weft_few_view(WEFT_FLIP, (PyObject *[]){args[0], axis}) : NULL;
	Py_XDECREF(axis);
	return made;
}

// copy(a, order="K", ...) of what lies in the order of C, which all orders but Fortran's keep; and that one.
static PyObject *copy(int kind, PyObject *const *args)
{
	(void)kind;
	if (args[1] != weft_no_value)
		return Py_TYPE(args[0]) == weft_array_type && PyUnicode_CheckExact(args[1]) && PyUnicode_CompareWithASCIIString(args[1], "F") == 0 ? weft_fortran_copy(args[0]) : NULL;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	return l && (l->contiguous || l->ndim == 1) ? weft_eager_copy(args[0]) : NULL;
}

// conjugates are those of complex arrays; others are themselves.
static PyObject *conjugated(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	static int ufunc; // 0 until it is asked for
	if (!l)
		return NULL;
	if (l->dtype < FIRST_COMPLEX)
		return Py_NewRef(args[0]);
	if (ufunc == 0)
		ufunc = goUfunc("conjugate");
	return weft_eager_ufunc(ufunc, args[0], NULL);
}

PyObject *weft_few_fill(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	int code = l ? weft_scalar_code(args[1]) : 0;
	if (code >= FLOAT16 && l->dtype > WEFT_BOOL_DTYPE && l->dtype < (code < FIRST_COMPLEX ? FLOAT16 : FIRST_COMPLEX)) // which may be an error
		return weft_assigned(args[0], Py_Ellipsis, args[1]) < 0 ? NULL : Py_NewRef(Py_None);
	if (l)
		weft_floating_object(args[1], l->dtype);
	if (!weft_fits_of(args[0], 0, &x) || x.array->place.readonly || Py_TYPE(args[1]) == weft_array_type ||
		!weft_eager_set(x.l, x.data, x.array->place.memory, args[1]))
		return NULL;
	weft_note(WEFT_NOTE_FILL, x.l, x.array->place.memory, 0, 0);
	return Py_NewRef(Py_None);
}

// powered is 10 to a power by products, as NumPy rounds with it.
static double powered(long n)
{
	double v = 1;
	for (long i = 0; i < n; i++)
		v *= 10;
	return v;
}

// rounded is round(a, decimals=0, out=None) of floats: what is scaled is rounded to whole numbers, and scaled back.
static PyObject *rounded(int kind, PyObject *const *args)
{
	(void)kind;
	enum { MOST = 300 };
	static int ufunc; // 0 until it is asked for
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	int overflow = 0;
	long decimals = PyLong_CheckExact(args[1]) ? PyLong_AsLongAndOverflow(args[1], &overflow) : MOST + 1;
	if (!l || l->dtype < WEFT_FIRST_INEXACT || l->dtype >= FIRST_COMPLEX || overflow || decimals > MOST || decimals < -MOST)
		return NULL;
	if (ufunc == 0)
		ufunc = goUfunc("rint");
	if (decimals == 0)
		return weft_eager_ufunc(ufunc, args[0], NULL);
	if (l->ndim == 0 || (l->ndim > 1 && !l->contiguous)) // which may lie in another order
		return NULL;
	PyObject *scale = PyFloat_FromDouble(powered(decimals < 0 ? -decimals : decimals));
	int there = decimals < 0 ? OP_DIVIDE : OP_MULTIPLY, back = decimals < 0 ? OP_MULTIPLY : OP_DIVIDE;
	PyObject *made = scale ? weft_eager_ufunc(weft_operators[there], args[0], scale) : NULL;
	if (made && !(weft_eager_in_place(ufunc, made, NULL) && weft_eager_in_place(weft_operators[back], made, scale)))
		Py_CLEAR(made);
	Py_XDECREF(scale);
	return made;
}

// iterated gives a result of few elements the strides of NumPy's iterator, which makes those of loops with two results: along axes of one element they are others than those of
// a loop with one, whose operands lie as Fortran's do.
static void iterated(PyObject *made, PyObject *const *args)
{
	weft_array *a = (weft_array *)made;
	const weft_layout *in[2];
	int n = 0, order[WEFT_NEAR];
	if (Py_TYPE(made) != weft_array_type || a->handle || a->at.ndim < 2 || a->at.contiguous)
		return;
	for (int i = 0; i < 2; i++)
		if (Py_TYPE(args[i]) == weft_array_type && (in[n] = weft_layout_of((weft_array *)args[i])))
			n++;
	if (n > 0 && weft_order(in, n, a->at.ndim, order))
		weft_lay_in(&a->at, order);
}

// divmod(x1, x2): both parts of the division, which the general function has one after the other as well.
PyObject *weft_few_divmod(int kind, PyObject *const *args)
{
	(void)kind;
	int before = weft_wrongs;
	PyObject *whole = weft_eager_ufunc(weft_operators[OP_FLOOR_DIVIDE], args[0], args[1]);
	PyObject *rest = whole ? weft_eager_ufunc(weft_operators[OP_REMAINDER], args[0], args[1]) : NULL, *both = rest ? PyTuple_Pack(2, whole, rest) : NULL;
	for (int i = 0; both && i < 2; i++)
		iterated(i ? rest : whole, args);
	if (both)
		weft_floating_merge(before, "divmod");
	else
		weft_wrongs = before; // of what is computed otherwise
	Py_XDECREF(whole);
	Py_XDECREF(rest);
	return both;
}

// ordered is sort(a, axis=-1, kind=None, ...) and its like: equal elements stay in their order whatever is asked for.
static PyObject *ordered(int kind, PyObject *const *args)
{
	static const char *const kinds[] = {"stable", "quicksort", "mergesort", "heapsort"};
	int known = args[2] == Py_None;
	for (size_t i = 0; !known && PyUnicode_CheckExact(args[2]) && i < sizeof kinds / sizeof *kinds; i++)
		known = PyUnicode_CompareWithASCIIString(args[2], kinds[i]) == 0;
	if (args[2] != Py_None && args[4] == Py_False) // both at once, which NumPy refuses
		return NULL;
	if (!known || args[1] != Py_None || kind == WEFT_SORT_IN_PLACE || Py_TYPE(args[0]) != weft_array_type)
		return known ? weft_few_sort(kind, args) : NULL;
	PyObject *flat = weft_few_view(WEFT_RAVEL, args), *first = flat ? PyLong_FromLong(0) : NULL; // all elements
	PyObject *made = first ? weft_few_sort(kind, (PyObject *[]){flat, first}) : NULL;
	Py_XDECREF(first);
	Py_XDECREF(flat);
	return made;
}

// copied_to is copyto(dst, src, casting="same_kind", where=True).
static PyObject *copied_to(int kind, PyObject *const *args)
{
	if (args[2] != weft_no_value && !(PyUnicode_CheckExact(args[2]) && PyUnicode_CompareWithASCIIString(args[2], "same_kind") == 0))
		return NULL;
	if (args[3] == weft_no_value || args[3] == Py_True)
		return weft_few_copyto(kind, args);
	return weft_few_putmask(0, (PyObject *[]){args[0], args[3], args[1]});
}

// as_dtype is astype(x, dtype, copy=True, ...).
static PyObject *as_dtype(int kind, PyObject *const *args)
{
	if (args[2] != Py_True && args[2] != weft_no_value)
		return NULL;
	PyObject *made = weft_few_astype(kind, args);
	return made || PyErr_Occurred() ? made : weft_few_reals(args[0], args[1]);
}

// reshaped is reshape(a, shape, order='C', copy=None).
static PyObject *reshaped(int kind, PyObject *const *args)
{
	(void)kind;
	int fortran = PyUnicode_CheckExact(args[2]) && PyUnicode_CompareWithASCIIString(args[2], "F") == 0;
	int is_c = args[2] == weft_no_value || (PyUnicode_CheckExact(args[2]) && PyUnicode_CompareWithASCIIString(args[2], "C") == 0);
	if (args[3] != Py_None && args[3] != weft_no_value)
		return NULL;
	return fortran || is_c ? weft_few_view(fortran ? WEFT_RESHAPE_FORTRAN : WEFT_RESHAPE, args) : NULL;
}

enum { SHAPE, NDIM, SIZE };

static PyObject *extent(int kind, PyObject *const *args)
{
	static const char *const names[] = {"shape", "ndim", "size"};
	return Py_TYPE(args[0]) == weft_array_type ? PyObject_GetAttrString(args[0], names[kind]) : NULL;
}

// pseudo_inverse is pinv(a, rcond=None, hermitian=False) of a matrix, which the package composes of what is answered here.
static PyObject *pseudo_inverse(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type && weft_eager ? weft_layout_of((weft_array *)args[0]) : NULL;
	PyObject *hook = l && l->ndim == 2 && l->size < WEFT_SMALL_MOST ? weft_hook("few_pinv") : NULL;
	PyObject *made = hook ? PyObject_CallFunctionObjArgs(hook, args[0], NULL) : NULL;
	if (made == Py_None)
		Py_CLEAR(made);
	return made;
}

static const weft_answer answers[] = {
	{"reshape", reshaped, 0, 4, 0}, {"ravel", weft_few_view, WEFT_RAVEL, 1, 0}, {"flatten", weft_few_view, WEFT_FLATTEN, 1, 0},
	{"transpose", weft_few_view, WEFT_TRANSPOSE, 2, 0}, {"permute_dims", weft_few_view, WEFT_TRANSPOSE, 2, 0},
	{"swapaxes", weft_few_view, WEFT_SWAPAXES, 3, 0}, {"squeeze", weft_few_view, WEFT_SQUEEZE, 2, 0},
	{"expand_dims", weft_few_view, WEFT_EXPAND_DIMS, 2, 0},
	{"diagonal", diagonal, WEFT_DIAGONAL, 4, 0}, {"trace", trace, WEFT_SUM, 4, 2}, {"diag", diag, WEFT_DIAGONAL, 2, 0},
	{"flip", weft_few_view, WEFT_FLIP, 2, 0}, {"moveaxis", weft_few_moveaxis, 0, 3, 0}, {"flipud", flips, 0, 1, 0}, {"fliplr", flips, 1, 1, 0},
	{"real", weft_few_view, WEFT_REAL, 1, 0}, {"imag", weft_few_view, WEFT_IMAG, 1, 0},
	{"partition", weft_few_partition, WEFT_SORT, 3, 2}, {"argpartition", weft_few_partition, WEFT_ARGSORT, 3, 2},
	{"ndarray.partition", weft_few_partition, WEFT_SORT_IN_PLACE, 3, 2},
	{"shape", extent, SHAPE, 1, 0}, {"ndim", extent, NDIM, 1, 0}, {"size", extent, SIZE, 1, 1},
	{"var", weft_few_spread, 0, 6, 0}, {"std", weft_few_spread, 1, 6, 0}, {"ptp", weft_few_ptp, 0, 2, 1}, {"sinc", weft_few_sinc, 0, 1, 0},
	{"copy", copy, 0, 2, 0}, {"ndarray.conj", conjugated, 0, 1, 1}, {"ndarray.conjugate", conjugated, 0, 1, 1}, {"ndarray.fill", weft_few_fill, 0, 2, 0},
	{"dot", product, WEFT_DOT, 2, 1}, {"matmul", product, WEFT_MATMUL, 2, 6}, {"inner", product, WEFT_INNER, 2, 0}, {"vdot", product, WEFT_VDOT, 2, 0},
	{"where", weft_few_where, 0, 3, 0}, {"clip", weft_few_clip, 0, 6, 6}, {"take", weft_few_take, 0, 5, 0},
	{"nonzero", weft_few_nonzero, WEFT_NONZERO, 1, 0}, {"flatnonzero", weft_few_nonzero, WEFT_FLATNONZERO, 1, 0}, {"argwhere", weft_few_nonzero, WEFT_ARGWHERE, 1, 0},
	{"count_nonzero", weft_few_count, 0, 2, 0}, {"extract", weft_few_extract, 0, 2, 0}, {"compress", weft_few_extract, 0, 2, 2}, {"bincount", weft_few_bincount, 0, 3, 0},
	{"concatenate", weft_few_join, WEFT_CONCATENATE, 2, 2}, {"concat", weft_few_join, WEFT_CONCATENATE, 2, 2}, {"stack", weft_few_join, WEFT_STACK, 2, 2},
	{"vstack", weft_few_join, WEFT_VSTACK, 1, 1}, {"hstack", weft_few_join, WEFT_HSTACK, 1, 1}, {"column_stack", weft_few_join, WEFT_COLUMN_STACK, 1, 0},
	{"cumsum", weft_few_running, WEFT_CUMSUM, 3, 1}, {"cumprod", weft_few_running, WEFT_CUMPROD, 3, 1}, {"diff", weft_few_diff, 0, 4, 0},
	{"add.accumulate", weft_few_running, WEFT_OF_UFUNC + WEFT_CUMSUM, 3, 1}, {"multiply.accumulate", weft_few_running, WEFT_OF_UFUNC + WEFT_CUMPROD, 3, 1},
	{"maximum.accumulate", weft_few_extremes_so_far, 0, 2, 2}, {"minimum.accumulate", weft_few_extremes_so_far, 1, 2, 2},
	{"roll", weft_few_roll, 0, 3, 0}, {"repeat", weft_few_repeat, 0, 3, 0}, {"tile", weft_few_tile, 0, 2, 0}, {"triu", weft_few_triangle, 1, 2, 0}, {"tril", weft_few_triangle, 0, 2, 0},
	{"array_equal", weft_few_same, 0, 2, 0}, {"allclose", weft_few_close, 0, 5, 0}, {"isclose", weft_few_isclose, 0, 5, 0},
	{"take_along_axis", weft_few_take_along, 0, 3, 0}, {"put", weft_few_put_flat, 0, 4, 0}, {"copyto", copied_to, 0, 4, 0}, {"astype", as_dtype, 0, 3, 0},
	{"putmask", weft_few_putmask, 0, 3, 0}, {"place", weft_few_putmask, 1, 3, 0}, {"lexsort", weft_few_lexsort, 0, 2, 0}, {"unique", weft_few_unique, 0, 7, 0},
	{"linalg.norm", weft_few_norm, 0, 4, 0}, {"linalg.matrix_power", weft_few_power, 0, 2, 0}, {"linalg.multi_dot", weft_few_multi_dot, 0, 1, 1}, {"linalg.pinv", pseudo_inverse, 0, 1, 1}, {"outer", weft_few_outer, 0, 2, 1},
	{"linspace", weft_few_linspace, 0, 7, 0}, {"eye", weft_few_eye, 0, 4, 0}, {"identity", weft_few_eye, 1, 2, 0},
	{"zeros_like", weft_few_like, WEFT_LIKE_ZEROS, 2, 3}, {"empty_like", weft_few_like, WEFT_LIKE_ZEROS, 2, 3},
	{"ones_like", weft_few_like, WEFT_LIKE_ONES, 2, 3}, {"full_like", weft_few_like, WEFT_LIKE_FULL, 3, 3},
	{"interp", weft_few_interp, 0, 6, 0},
	{"fft.fft", weft_few_transform, WEFT_FFT, 5, 0}, {"fft.ifft", weft_few_transform, WEFT_IFFT, 5, 0},
	{"fft.rfft", weft_few_transform, WEFT_RFFT, 5, 0}, {"fft.irfft", weft_few_transform, WEFT_IRFFT, 5, 0},
	{"sort", ordered, WEFT_SORT, 3, 2}, {"argsort", ordered, WEFT_ARGSORT, 3, 2}, {"ndarray.sort", ordered, WEFT_SORT_IN_PLACE, 3, 2},
	{"searchsorted", weft_few_search, 0, 3, 1}, {"digitize", weft_few_digitize, 0, 3, 0}, {"histogram", weft_few_histogram, 0, 5, 0},
	{"linalg.solve", weft_few_solve, WEFT_SOLVE_MANY, 2, 0}, {"linalg.inv", weft_few_solve, WEFT_INVERT, 1, 0},
	{"linalg.det", weft_few_determinant, WEFT_DETERMINANT, 1, 0}, {"linalg.cholesky", weft_few_factor, WEFT_FACTOR, 2, 0},
	{"linalg.qr", weft_few_qr, 0, 2, 0}, {"linalg.eigh", weft_few_eigh, 0, 2, 0}, {"linalg.eigvalsh", weft_few_eigh, 1, 2, 0}, {"linalg.svd", weft_few_svd, 0, 4, 0},
	{"linalg.eigvals", weft_few_eigvals, 0, 1, 0}, {"linalg.lstsq", weft_few_lstsq, 0, 3, 0},
	{"round", rounded, 0, 2, 1}, {"around", rounded, 0, 2, 1}, {"divmod", weft_few_divmod, 0, 2, 9},
	{"sum", fold, WEFT_SUM, 7, 0}, {"prod", fold, WEFT_PROD, 7, 0}, {"min", fold, WEFT_MIN, 6, 0}, {"max", fold, WEFT_MAX, 6, 0},
	{"amin", fold, WEFT_MIN, 6, 0}, {"amax", fold, WEFT_MAX, 6, 0},
	{"any", fold, WEFT_ANY, 5, 0}, {"all", fold, WEFT_ALL, 5, 0}, {"mean", fold, WEFT_MEAN, 6, 0},
	{"argmin", position, 0, 4, 0}, {"argmax", position, 1, 4, 0},
	{"add.at", weft_few_at, EAGER_ADD, 3, 0}, {"subtract.at", weft_few_at, EAGER_SUBTRACT, 3, 0},
	{"multiply.at", weft_few_at, EAGER_MULTIPLY, 3, 0}, {"minimum.at", weft_few_at, EAGER_MINIMUM, 3, 0},
	{"maximum.at", weft_few_at, EAGER_MAXIMUM, 3, 0}, {"bitwise_and.at", weft_few_at, EAGER_AND, 3, 0},
	{"bitwise_or.at", weft_few_at, EAGER_OR, 3, 0}, {"bitwise_xor.at", weft_few_at, EAGER_XOR, 3, 0},
	{"divide.at", weft_few_at, WEFT_AT_DIVIDE, 3, 0}, {"floor_divide.at", weft_few_at, WEFT_AT_FLOOR_DIVIDE, 3, 0},
	{"remainder.at", weft_few_at, WEFT_AT_REMAINDER, 3, 0},
};

static const weft_answer *named(const char *name)
{
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (strcmp(answers[i].name, name) == 0)
			return &answers[i];
	return NULL;
}

// A method that is no row itself is the function of its name.
const weft_answer *weft_answer_of(const char *name)
{
	const weft_answer *own = named(name);
	return own || strncmp(name, "ndarray.", 8) ? own : named(name + 8);
}
