//go:build extension

// Systems of few linear equations and inverses, by the loops of NumPy's own generalized ufuncs: LAPACK's gesv, as that of package linalg.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

enum { FLOAT64 = 12, INT64 = 5, MOST_ROWS = 64 }; // tile.DTypes; LAPACK has one thread for as many rows

// What NumPy's loops are called, and how they take their operands.
static struct {
	const char *name, *signature;
	int known;
	weft_loop loop;
} loops[] = {
	[WEFT_SOLVE_MANY] = {"solve", "(m,m),(m,n)->(m,n)", 0, {0}},
	[WEFT_SOLVE_ONE] = {"solve1", "(m,m),(m)->(m)", 0, {0}},
	[WEFT_INVERT] = {"inv", "(m,m)->(m,m)", 0, {0}},
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
	const weft_loop *loop = loop_of(kind);
	char *left = weft_few_packed(&a, FLOAT64, weft_scratch[1]), *right = inverts ? NULL : weft_few_packed(&b, FLOAT64, weft_scratch[2]);
	if (!loop || !left || (!inverts && !right))
		return NULL;
	weft_array *made = weft_new_packed(FLOAT64, ndim, shape);
	if (!made)
		return NULL;
	enum { ITEM = 8 };
	int64_t row = n * ITEM, wide = shape[1] * ITEM;
	char *at[3] = {left, inverts ? made->bytes : right, made->bytes};
	int64_t sizes[3] = {1, n, shape[1]}, steps[3][9] = {
		[WEFT_SOLVE_MANY] = {0, 0, 0, row, ITEM, wide, ITEM, wide, ITEM},
		[WEFT_SOLVE_ONE] = {0, 0, 0, row, ITEM, ITEM, ITEM},
		[WEFT_INVERT] = {0, 0, row, ITEM, row, ITEM},
	};
	if (!weft_run_core_loop(loop, at, sizes, steps[kind])) { // a singular matrix, as the general functions say
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note(inverts ? WEFT_NOTE_INV : WEFT_NOTE_SOLVE, &made->at, made->place.memory, a.array->place.memory, b.array ? b.array->place.memory : 0);
	return (PyObject *)made;
}
