//go:build extension

// Systems of few linear equations, inverses, determinants and Cholesky's factors: LAPACK's gesv, getrf and potrf, as those of package linalg. The smaller ones are computed by the
// loops of NumPy's own generalized ufuncs, and those for which NumPy's library would have several threads work, with other bits, by that package itself.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <float.h>

enum { FLOAT64 = 12, INT64 = 5, MOST_ROWS = 128, NUMPYS = 47 }; // tile.DTypes; rows, and those whose factorisations package linalg does not remember (fewestRows)

// What NumPy's loops are called, and how they take their operands.
static struct {
	const char *name, *signature;
	int known;
	weft_loop loop;
} loops[] = {
	[WEFT_SOLVE_MANY] = {"solve", "(m,m),(m,n)->(m,n)", 0, {0}},
	[WEFT_SOLVE_ONE] = {"solve1", "(m,m),(m)->(m)", 0, {0}},
	[WEFT_INVERT] = {"inv", "(m,m)->(m,m)", 0, {0}},
	[WEFT_DETERMINANT] = {"slogdet", "(m,m)->(),()", 0, {0}},
};

static const weft_loop *loop_of(int kind)
{
	if (!loops[kind].known) {
		loops[kind].known = 1;
		if (weft_read_core_loop("numpy.linalg._umath_linalg", loops[kind].name, loops[kind].signature, &loops[kind].loop) < 0)
			PyErr_Clear(); // a NumPy that has none: the general functions do without
	}
	return loops[kind].loop.run ? &loops[kind].loop : NULL;
}

static int takes(int dtype) { return dtype == FLOAT64 || dtype == INT64; }

// unit makes a unit matrix.
static char *unit(int64_t n, char *room)
{
	double *d = (double *)room;
	for (int64_t i = 0; i < n * n; i++)
		d[i] = i % (n + 1) == 0;
	return room;
}

// solve(a, b), and inv(a) where kind is WEFT_INVERT
PyObject *weft_few_solve(int kind, PyObject *const *args)
{
	weft_few a, b = {.array = NULL};
	int inverts = kind == WEFT_INVERT;
	if (inverts ? !weft_fits_of(args[0], 0, &a) : !weft_fits_both(args[0], &a, args[1], &b, 0))
		return NULL;
	int64_t n = a.l->shape[0];
	if (a.l->ndim != 2 || a.l->shape[1] != n || n > MOST_ROWS || !takes(a.l->dtype))
		return NULL;
	if (!inverts && (b.l->ndim < 1 || b.l->ndim > 2 || b.l->shape[0] != n || !takes(b.l->dtype)))
		return NULL;
	if (!inverts)
		kind = b.l->ndim == 1 ? WEFT_SOLVE_ONE : WEFT_SOLVE_MANY;
	int64_t shape[2] = {n, kind == WEFT_SOLVE_MANY ? b.l->shape[1] : n};
	int ndim = kind == WEFT_SOLVE_ONE ? 1 : 2;
	const weft_loop *loop = n <= NUMPYS ? loop_of(kind) : NULL;
	char *left = weft_few_packed(&a, FLOAT64, weft_scratch[1]), *right = inverts ? NULL : weft_few_packed(&b, FLOAT64, weft_scratch[2]);
	if ((n <= NUMPYS && !loop) || !left || (!inverts && !right))
		return NULL;
	weft_array *made = weft_new_packed(FLOAT64, ndim, shape);
	if (!made)
		return NULL;
	enum { ITEM = 8 };
	if (!loop && inverts)
		right = unit(n, weft_scratch[2]);
	if (!loop && !goLinalg(kind, n, kind == WEFT_SOLVE_ONE ? 1 : shape[1], left, right, made->bytes, NULL)) {
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	int64_t row = n * ITEM, wide = shape[1] * ITEM;
	char *at[3] = {left, inverts ? made->bytes : right, made->bytes};
	int64_t sizes[3] = {1, n, shape[1]}, steps[3][9] = {
		[WEFT_SOLVE_MANY] = {0, 0, 0, row, ITEM, wide, ITEM, wide, ITEM},
		[WEFT_SOLVE_ONE] = {0, 0, 0, row, ITEM, ITEM, ITEM},
		[WEFT_INVERT] = {0, 0, row, ITEM, row, ITEM},
	};
	if (loop && !weft_run_core_loop(loop, at, sizes, steps[kind])) { // a singular matrix, as the general functions say
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note(inverts ? WEFT_NOTE_INV : WEFT_NOTE_SOLVE, &made->at, made->place.memory, a.array->place.memory, b.array ? b.array->place.memory : 0);
	return (PyObject *)made;
}

// det(a): the sign, and the exponential of the logarithm, as the general function has it; of a stack of small matrices those of each.
PyObject *weft_few_determinant(int kind, PyObject *const *args)
{
	weft_few a;
	static int exponential; // the ufunc; 0 until it is asked for
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	int last = l ? l->ndim - 1 : 0;
	if (last < 1 || !weft_fits_of(args[0], last == 1 ? WEFT_READS : 0, &a) || a.l->shape[last] != a.l->shape[last - 1] || a.l->shape[last] > (last == 1 ? MOST_ROWS : NUMPYS) || !takes(a.l->dtype))
		return NULL;
	if (exponential == 0)
		exponential = goUfunc("exp");
	int64_t n = a.l->shape[last], count = a.l->size / (n * n);
	const weft_loop *loop = n <= NUMPYS ? loop_of(kind) : NULL;
	const weft_recipe *exp = weft_recipe_of(exponential, FLOAT64, 0), *times = weft_recipe_of(weft_operators[OP_MULTIPLY], FLOAT64, FLOAT64);
	char *data = weft_few_packed(&a, FLOAT64, weft_scratch[1]), *sign = weft_scratch[2], *size = weft_scratch[3];
	if ((n <= NUMPYS && !loop) || !exp || !times || !data)
		return NULL;
	enum { ITEM = 8 };
	char *at[3] = {data, sign, size}, *in[EAGER_INPUTS] = {size}, *both[EAGER_INPUTS] = {sign, size};
	int64_t sizes[2] = {count, n}, steps[5] = {n * n * ITEM, ITEM, ITEM, n * ITEM, ITEM};
	if (loop ? !weft_run_core_loop(loop, at, sizes, steps) : !goLinalg(kind, n, 0, data, NULL, sign, size))
		return NULL;
	int told = 0;
	int64_t infinite = 0;
	for (const double *log = (const double *)size, *end = log + count; log < end; log++) {
		told |= *log != *log ? EAGER_INVALID : 0;
		infinite += *log > DBL_MAX;
	}
	eager_map(exp->code, count, size, in, 0, NULL);
	for (int64_t i = 0; i < count; i++)
		infinite -= ((const double *)size)[i] > DBL_MAX;
	weft_floating_note("det", told | (infinite < 0 ? EAGER_OVER : 0));
	eager_map(times->code, count, size, both, 0, NULL);
	PyObject *made = weft_few_result(FLOAT64, last - 1, a.l->shape, size);
	if (made)
		weft_note_made(WEFT_NOTE_DETERMINANT, made, FLOAT64, a.array, NULL);
	return made;
}

// cholesky(a, upper=False)
PyObject *weft_few_factor(int kind, PyObject *const *args)
{
	weft_few a;
	if (args[1] != Py_False || !weft_fits_of(args[0], 0, &a) || a.l->ndim != 2 || a.l->shape[1] != a.l->shape[0] || a.l->shape[0] > MOST_ROWS || !takes(a.l->dtype))
		return NULL;
	if (a.l->shape[0] <= NUMPYS)
		return weft_few_cholesky(args[0]);
	int64_t n = a.l->shape[0], shape[2] = {n, n};
	char *data = weft_few_packed(&a, FLOAT64, weft_scratch[1]);
	weft_array *made = data ? weft_new_packed(FLOAT64, 2, shape) : NULL;
	if (!made)
		return NULL;
	if (!goLinalg(kind, n, 0, data, NULL, made->bytes, NULL)) {
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note(WEFT_NOTE_CHOLESKY, &made->at, made->place.memory, a.array->place.memory, 0);
	return (PyObject *)made;
}
