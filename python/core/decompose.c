//go:build extension

// Decompositions of few elements: qr, eigh, svd and their like, and least squares. The loops of NumPy's own generalized ufuncs compute them, which call LAPACK, so that
// the bits are those of NumPy's functions; what these do around the loops takes up to ten microseconds more. A matrix that LAPACK gives up is left to NumPy, which raises the error.
#include "shim.h"
#include "few.h"
#include "handover.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { INT32 = 4, INT64 = 5, FLOAT64 = 12, ITEM = 8, MOST_ROWS = 128 }; // tile.DTypes; bytes of a float64

enum { QR_RAW, QR_REDUCED, QR_COMPLETE, EIGH_LOWER, EIGH_UPPER, EIGVALSH_LOWER, EIGVALSH_UPPER, SVD_FULL, SVD_THIN, SVD_VALUES, EIGVALS, LSTSQ, CHOLESKY, LOOPS };

// What NumPy's loops are called, and how they take their operands.
static struct {
	const char *name, *signature;
	int known;
	weft_loop loop;
} loops[LOOPS] = {
	[QR_RAW] = {"qr_r_raw", "(m,n)->(p)", 0, {0}},
	[QR_REDUCED] = {"qr_reduced", "(m,n),(k)->(m,k)", 0, {0}},
	[QR_COMPLETE] = {"qr_complete", "(m,n),(n)->(m,m)", 0, {0}},
	[EIGH_LOWER] = {"eigh_lo", "(m,m)->(m),(m,m)", 0, {0}},
	[EIGH_UPPER] = {"eigh_up", "(m,m)->(m),(m,m)", 0, {0}},
	[EIGVALSH_LOWER] = {"eigvalsh_lo", "(m,m)->(m)", 0, {0}},
	[EIGVALSH_UPPER] = {"eigvalsh_up", "(m,m)->(m)", 0, {0}},
	[SVD_FULL] = {"svd_f", "(m,n)->(m,m),(p),(n,n)", 0, {0}},
	[SVD_THIN] = {"svd_s", "(m,n)->(m,p),(p),(p,n)", 0, {0}},
	[SVD_VALUES] = {"svd", "(m,n)->(p)", 0, {0}},
	[EIGVALS] = {"eigvals", "(m,m)->(m)", 0, {0}},
	[LSTSQ] = {"lstsq", "(m,n),(m,nrhs),()->(n,nrhs),(nrhs),(),(p)", 0, {0}},
	[CHOLESKY] = {"cholesky_lo", "(m,m)->(m,m)", 0, {0}},
};

// has_numpys says whether the program chose no other library of linear algebra than NumPy's.
static int has_numpys(void)
{
	static int known;
	if (!known)
		known = getenv("WEFT_BLAS") && *getenv("WEFT_BLAS") ? -1 : 1;
	return known > 0;
}

// has_numpys_library(): the same, for what NumPy's own functions may answer (_delegates.py).
PyObject *weft_has_numpys_library(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyBool_FromLong(has_numpys());
}

static const weft_loop *loop_of(int kind)
{
	if (!loops[kind].known) {
		loops[kind].known = 1;
		if (weft_read_core_loop("numpy.linalg._umath_linalg", loops[kind].name, loops[kind].signature, &loops[kind].loop) < 0)
			PyErr_Clear(); // a NumPy that has none: the general functions do without
	}
	return has_numpys() && loops[kind].loop.run ? &loops[kind].loop : NULL;
}

// is_finite says whether n numbers are. Of others LAPACK complains on the program's standard output, which NumPy has it do once.
static int is_finite(const double *x, int64_t n)
{
	int64_t i = 0;
	while (i < n && x[i] - x[i] == 0)
		i++;
	return i == n;
}

// read_matrix reads few finite floats, or integers as such, side by side; NULL where it is something else.
static char *read_matrix(PyObject *o, weft_few *x, char *room, int64_t *rows, int64_t *columns)
{
	if (!weft_fits_of(o, 0, x) || x->l->ndim != 2 || x->l->size >= FEW || (x->l->dtype != FLOAT64 && x->l->dtype != INT64))
		return NULL;
	*rows = x->l->shape[0];
	*columns = x->l->shape[1];
	char *data = *rows > MOST_ROWS || *columns > MOST_ROWS ? NULL : weft_few_packed(x, FLOAT64, room);
	return data && is_finite((const double *)data, *rows * *columns) ? data : NULL;
}

// run runs a loop over one matrix: the operands and results lie side by side, so that the steps of all axes follow from their shapes, which are told by the letters of dims: its
// places in sizes; a space stands before each operand.
static int run(int kind, char **at, const int64_t *sizes, const char *dims)
{
	int64_t steps[24] = {0}, extents[8];
	const weft_loop *loop = loop_of(kind);
	int n = 0, operands = 0;
	for (const char *d = dims; *d; d++)
		operands += *d == ' ';
	n = operands;
	for (const char *d = dims; *d;) {
		const char *end = ++d;
		while (*end && *end != ' ')
			end++;
		int axes = (int)(end - d);
		int64_t step = ITEM;
		for (int i = axes - 1; i >= 0; i--) {
			steps[n + i] = step;
			step *= sizes[d[i] - '0'];
		}
		n += axes;
		d = end;
	}
	extents[0] = 1;
	memcpy(extents + 1, sizes, 4 * sizeof *sizes);
	return loop && weft_run_core_loop(loop, at, extents, steps);
}

static weft_array *made_of(int rows_only, int64_t rows, int64_t columns)
{
	return weft_new_packed(FLOAT64, rows_only ? 1 : 2, (int64_t[]){rows, columns});
}

// together is the tuple of some arrays, which it takes over, and one operation for graphs; NULL where one is missing.
static PyObject *together(int note, const weft_few *x, int n, weft_array **arrays, int done)
{
	PyObject *tuple = done ? PyTuple_New(n) : NULL;
	for (int i = 0; i < n; i++)
		if (tuple)
			PyTuple_SetItem(tuple, i, (PyObject *)arrays[i]);
		else
			Py_XDECREF((PyObject *)arrays[i]);
	PyErr_Clear(); // the general function finds out as well that there is no memory
	if (tuple)
		weft_note(note, &arrays[0]->at, arrays[0]->place.memory, x->array->place.memory, 0);
	return tuple;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int is_word(PyObject *o, const char *word) { return PyUnicode_CheckExact(o) && PyUnicode_CompareWithASCIIString(o, word) == 0; }

// qr(a, mode='reduced'), of modes that give q or r
PyObject *weft_few_qr(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int64_t m, n;
	int reduced = args[1] == weft_no_value || is_word(args[1], "reduced"), complete = is_word(args[1], "complete"), only = is_word(args[1], "r");
	char *data = reduced || complete || only ? read_matrix(args[0], &x, weft_scratch[1], &m, &n) : NULL, *h = weft_scratch[2], *tau = weft_scratch[3];
	if (!data)
		return NULL;
	const int64_t k = least(m, n), wide = complete && m > n ? m : k, sizes[4] = {m, n, k, 0};
	memcpy(h, data, (size_t)(m * n * ITEM));
	if (!run(QR_RAW, (char *[]){h, tau}, sizes, " 01 2"))
		return NULL;
	weft_array *arrays[2] = {only ? NULL : made_of(0, m, wide), made_of(0, wide, n)};
	weft_array *q = arrays[0], *r = arrays[1];
	int done = r && (only || (q && run(wide == k ? QR_REDUCED : QR_COMPLETE, (char *[]){h, tau, q->bytes}, sizes, wide == k ? " 01 2 02" : " 01 1 00")));
	for (int64_t i = 0; done && i < wide; i++) {
		const int64_t before = least(i, n) * ITEM;
		memset(r->bytes + i * n * ITEM, 0, (size_t)before);
		memcpy(r->bytes + i * n * ITEM + before, h + i * n * ITEM + before, (size_t)(n * ITEM - before));
	}
	if (!only)
		return together(WEFT_NOTE_QR, &x, 2, arrays, done);
	if (done)
		weft_note(WEFT_NOTE_QR, &r->at, r->place.memory, x.array->place.memory, 0);
	else
		Py_XDECREF((PyObject *)r);
	return done ? (PyObject *)r : NULL;
}

// eigh(a, UPLO='L'), and eigvalsh where values says that only these are wanted
PyObject *weft_few_eigh(int values, PyObject *const *args)
{
	weft_few x;
	int64_t m, n;
	int lower = args[1] == weft_no_value || is_word(args[1], "L"), upper = is_word(args[1], "U");
	char *data = lower || upper ? read_matrix(args[0], &x, weft_scratch[1], &m, &n) : NULL;
	if (!data || m != n)
		return NULL;
	weft_array *arrays[2] = {made_of(1, n, 0), values ? NULL : made_of(0, n, n)}, *w = arrays[0], *v = arrays[1];
	const int64_t sizes[4] = {n};
	if (!values) {
		int done = w && v && run(lower ? EIGH_LOWER : EIGH_UPPER, (char *[]){data, w->bytes, v->bytes}, sizes, " 00 0 00");
		return together(WEFT_NOTE_EIGH, &x, 2, arrays, done);
	}
	if (!w || !run(lower ? EIGVALSH_LOWER : EIGVALSH_UPPER, (char *[]){data, w->bytes}, sizes, " 00 0")) {
		Py_XDECREF((PyObject *)w);
		return NULL;
	}
	weft_note(WEFT_NOTE_EIGH, &w->at, w->place.memory, x.array->place.memory, 0);
	return (PyObject *)w;
}

// svd(a, full_matrices=True, compute_uv=True, hermitian=False)
PyObject *weft_few_svd(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int64_t m, n;
	if ((args[1] != Py_True && args[1] != Py_False) || (args[2] != Py_True && args[2] != Py_False) || args[3] != Py_False)
		return NULL;
	char *data = read_matrix(args[0], &x, weft_scratch[1], &m, &n);
	if (!data)
		return NULL;
	const int full = args[1] == Py_True, vectors = args[2] == Py_True;
	const int64_t p = least(m, n), sizes[4] = {m, n, p};
	weft_array *s = made_of(1, p, 0);
	if (vectors) {
		weft_array *arrays[3] = {made_of(0, m, full ? m : p), s, made_of(0, full ? n : p, n)};
		int done = s && arrays[0] && arrays[2] && run(full ? SVD_FULL : SVD_THIN, (char *[]){data, arrays[0]->bytes, s->bytes, arrays[2]->bytes}, sizes, full ? " 01 00 2 11" : " 01 02 2 21");
		return together(WEFT_NOTE_SVD, &x, 3, arrays, done);
	}
	if (!s || !run(SVD_VALUES, (char *[]){data, s->bytes}, sizes, " 01 2")) {
		Py_XDECREF((PyObject *)s);
		return NULL;
	}
	weft_note(WEFT_NOTE_SVD, &s->at, s->place.memory, x.array->place.memory, 0);
	return (PyObject *)s;
}

// cholesky of the smaller ones: see weft_few_factor
PyObject *weft_few_cholesky(PyObject *a)
{
	weft_few x;
	int64_t m, n;
	char *data = read_matrix(a, &x, weft_scratch[1], &m, &n);
	weft_array *made = data && m == n ? made_of(0, n, n) : NULL;
	if (!made || !run(CHOLESKY, (char *[]){data, made->bytes}, (int64_t[4]){n}, " 00 00")) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	weft_note(WEFT_NOTE_CHOLESKY, &made->at, made->place.memory, x.array->place.memory, 0);
	return (PyObject *)made;
}

// eigvals(a): real ones where all are
PyObject *weft_few_eigvals(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x;
	int64_t m, n;
	char *data = read_matrix(args[0], &x, weft_scratch[1], &m, &n);
	double *w = (double *)weft_scratch[2];
	if (!data || m != n || !loop_of(EIGVALS))
		return NULL;
	if (!weft_run_core_loop(loop_of(EIGVALS), (char *[]){data, (char *)w}, (int64_t[]){1, n}, (int64_t[]){0, 0, n * ITEM, ITEM, 2 * ITEM}))
		return NULL;
	int real = 1;
	for (int64_t i = 0; i < n; i++)
		real = real && w[2 * i + 1] == 0;
	weft_array *made = weft_new_packed(COMPLEX128, 1, &n);
	if (!made)
		return NULL;
	memcpy(made->bytes, w, (size_t)(2 * n * ITEM));
	weft_note(WEFT_NOTE_EIGVALS, &made->at, made->place.memory, x.array->place.memory, 0);
	if (!real)
		return (PyObject *)made;
	PyObject *part = weft_few_view(WEFT_REAL, (PyObject *[]){(PyObject *)made});
	Py_DECREF((PyObject *)made);
	return part;
}

// lstsq(a, b, rcond=None): the solution, the sums of the residuals' squares where the columns are independent and fewer than the rows, the rank, and the singular values
PyObject *weft_few_lstsq(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few x, y;
	int64_t m, n;
	if (!weft_fits_both(args[0], &x, args[1], &y, 0) || (args[2] != Py_None && !PyFloat_CheckExact(args[2])))
		return NULL;
	char *a = read_matrix(args[0], &x, weft_scratch[1], &m, &n);
	if (!a || y.l->ndim > 2 || y.l->ndim < 1 || y.l->shape[0] != m || y.l->size >= FEW || (y.l->dtype != FLOAT64 && y.l->dtype != INT64) || !loop_of(LSTSQ))
		return NULL;
	const int64_t sides = y.l->ndim == 2 ? y.l->shape[1] : 1, p = least(m, n), none = 0;
	char *b = weft_few_packed(&y, FLOAT64, weft_scratch[2]);
	if (!b || !is_finite((const double *)b, y.l->size))
		return NULL;
	double small = args[2] == Py_None ? DBL_EPSILON * (double)(m > n ? m : n) : PyFloat_AsDouble(args[2]), *squares = (double *)weft_scratch[3];
	int32_t rank = 0;
	weft_array *arrays[3] = {made_of(y.l->ndim == 1, n, sides), NULL, made_of(1, p, 0)};
	int64_t wide = sides * ITEM, steps[] = {0, 0, 0, 0, 0, 0, 0, n * ITEM, ITEM, wide, ITEM, wide, ITEM, ITEM, ITEM};
	int done = arrays[0] && arrays[2] &&
		weft_run_core_loop(loop_of(LSTSQ), (char *[]){a, b, (char *)&small, arrays[0]->bytes, (char *)squares, (char *)&rank, arrays[2]->bytes}, (int64_t[]){1, m, n, sides, p}, steps);
	if (done && (arrays[1] = weft_new_packed(FLOAT64, 1, rank == n && m > n ? &sides : &none)))
		memcpy(arrays[1]->bytes, squares, (size_t)(arrays[1]->at.size * ITEM));
	PyObject *number = done ? weft_scalar_at((char *)&rank, INT32) : NULL, *tuple = number && arrays[1] ? PyTuple_Pack(4, arrays[0], arrays[1], number, arrays[2]) : NULL;
	if (tuple)
		weft_note(WEFT_NOTE_LSTSQ, &arrays[0]->at, arrays[0]->place.memory, x.array->place.memory, y.array->place.memory);
	Py_XDECREF(number);
	for (int i = 0; i < 3; i++)
		Py_XDECREF((PyObject *)arrays[i]);
	PyErr_Clear(); // the general function finds out as well that there is no memory
	return tuple;
}
