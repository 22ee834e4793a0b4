//go:build extension

// Sums of products of few elements: dot, matmul, inner and vdot of vectors and matrices. They have the bits of package cpu's
// products: the canonical order of a reduction, or, from so many multiplications on, those of the library for linear algebra.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <string.h>

// Work that is done at once, in multiplications: as much as takes about as long as to plan it and wait for it.
enum {
	WORK = 32 << 10,        // where each sum is computed by itself, and
	CALLS = 32,             // what it costs besides
	DENSE = 2 << 20,        // by the library, and
	READ = 1 << 20,         // elements that are read, of a matrix and a vector
	LIBRARY = 1000,         // from which on a product may be the library's: gemmVolume of package cpu
	BLOCK = EAGER_INNER,    // the least length of the blocks of a sum (scheduler.Blocks)
	WHOLE = 1 << 19,        // of int64, whose sums have no order
	SUMS = 3,               // rows and columns of a product of vectors each of whose sums is computed by itself: fewSums of package cpu
	INT64 = 5, FLOAT16 = 10, FLOAT32 = 11, FLOAT64 = 12, // tile.DTypes, as all from here on
};

// vectors are two that lie side by side, whose products are summed in blocks: some blocks are a part. times is NULL for floats.
typedef struct {
	const eager_fold *fold;
	const eager_code *times;
	const char *a, *b;
	int64_t n, block, some;
	char *sums;
} vectors;

static void multiplied(void *of, int64_t part)
{
	const vectors *v = of;
	int64_t size = v->fold->size, i = part * v->some;
	for (int64_t at = i * v->block; at < v->n && i < (part + 1) * v->some; i++, at += v->block) {
		int64_t k = v->n - at < v->block ? v->n - at : v->block;
		if (v->times)
			eager_terms(v->fold, v->times, k, v->a + at * size, v->b + at * size, v->sums + i * size);
		else
			eager_dot(v->fold, k, v->a + at * size, v->b + at * size, v->sums + i * size);
	}
}

// dotted computes a sum of products of vectors.
static void dotted(vectors *v, char *to)
{
	char sums[(WEFT_FOLD_MOST / BLOCK + 1) * EAGER_WIDEST];
	int64_t blocks = (v->n + v->block - 1) / v->block, bytes = v->times ? 0 : 2 * v->block * v->fold->size; // eager_terms has memory of its own
	v->sums = blocks > 1 ? sums : to;
	eager_share(eager_parts(blocks, bytes, &v->some), blocks * bytes, multiplied, v);
	if (blocks > 1)
		eager_inner(v->fold, blocks, sums, to);
}

// crossed is a product of few vectors of floats that lie side by side, whose blocks are computed side by side: each element is fetched once.
typedef struct {
	const eager_fold *fold;
	const eager_product *p;
	int64_t block, blocks, some; // some blocks are a part
	char *sums;                  // those of the blocks of each result
} crossed;

static void cross(void *of, int64_t part)
{
	const crossed *x = of;
	const eager_product *p = x->p;
	const int64_t size = x->fold->size;
	for (int64_t n = part * x->some; n < x->blocks && n < (part + 1) * x->some; n++) {
		const int64_t at = n * x->block, k = p->length - at < x->block ? p->length - at : x->block;
		for (int64_t i = 0; i < p->rows; i++)
			for (int64_t j = 0; j < p->columns; j++)
				eager_dot(x->fold, k, p->a + i * p->ai + at * size, p->b + j * p->bj + at * size, x->sums + ((i * p->columns + j) * x->blocks + n) * size);
	}
}

// by_blocks computes such a product in the canonical order.
static int by_blocks(const eager_product *p, int dtype, int64_t block, char *out)
{
	char sums[SUMS * SUMS * (WEFT_FOLD_MOST / BLOCK + 1) * sizeof(double)];
	const weft_folding *f = weft_folding_of(WEFT_TERMS, dtype);
	if (!f || f->dtype != dtype)
		return 0;
	crossed x = {f->fold, p, block, (p->length + block - 1) / block, 0, sums};
	const int64_t size = weft_sizes[dtype], bytes = (p->rows + p->columns) * block * size;
	if (x.blocks == 1)
		x.sums = out;
	int64_t parts = eager_parts(x.blocks, bytes, &x.some);
	eager_share(parts, x.blocks * bytes, cross, &x);
	for (int64_t i = 0; x.blocks > 1 && i < p->rows * p->columns; i++)
		eager_inner(x.fold, x.blocks, sums + i * x.blocks * size, out + i * size);
	return 1;
}

// one_by_one computes sums of products in the canonical order. The elements of a factor lie side by side along k.
static int one_by_one(const eager_product *p, int dtype, int64_t block, char *out)
{
	const weft_folding *f = weft_folding_of(WEFT_TERMS, dtype);
	const weft_recipe *times = weft_recipe_of(weft_operators[OP_MULTIPLY], dtype, dtype);
	if (!f || !times || f->dtype != dtype || times->result != dtype)
		return 0;
	for (int64_t i = 0; i < p->rows; i++)
		for (int64_t j = 0; j < p->columns; j++, out += weft_sizes[dtype]) {
			vectors v = {f->fold, dtype == FLOAT32 || dtype == FLOAT64 ? NULL : times->code, p->a + i * p->ai, p->b + j * p->bj, p->length, block, 0, NULL};
			dotted(&v, out);
		}
	return 1;
}

// factor reads an operand: n vectors of k elements as those of a dtype. along is the axis that is summed over.
static const char *factor(weft_few *x, int dtype, int along, int straight, char *room, int64_t *n, int64_t *next, int64_t *step)
{
	weft_layout turned = *x->l;
	int other = 1 - along;
	*n = x->l->ndim == 2 ? x->l->shape[other] : 1;
	if (x->l->dtype == dtype && (!straight || x->l->strides[along] == weft_sizes[dtype])) {
		*next = x->l->ndim == 2 ? x->l->strides[other] : 0;
		*step = x->l->strides[along];
		return x->data;
	}
	if (x->l->ndim == 2) {
		turned.shape[0] = *n;
		turned.strides[0] = x->l->strides[other];
		turned.shape[1] = x->l->shape[along];
		turned.strides[1] = x->l->strides[along];
		turned.contiguous = weft_is_contiguous(&turned);
	}
	*step = weft_sizes[dtype];
	*next = x->l->ndim == 2 ? turned.shape[1] * *step : 0;
	weft_few as = {x->array, &turned, x->data};
	return weft_few_packed(&as, dtype, room);
}

// repeats says whether an axis repeats elements: which product is the library's then, package cpu has to say.
static int repeats(const weft_layout *l)
{
	for (int i = 0; i < l->ndim; i++)
		if (l->shape[i] > 1 && l->strides[i] == 0)
			return 1;
	return 0;
}

// both reads the factors. Two vectors make a value that the program gets; and what makes a factor gains nothing by being planned together
// with a product, by either way of computing it, so that it is not left waiting for it.
static int both(PyObject *x, weft_few *a, PyObject *y, weft_few *b)
{
	const weft_layout *l = Py_TYPE(x) == weft_array_type ? weft_layout_of((weft_array *)x) : NULL;
	const weft_layout *m = Py_TYPE(y) == weft_array_type ? weft_layout_of((weft_array *)y) : NULL;
	int value = l && m && l->ndim == 1 && m->ndim == 1 ? WEFT_READS_ALL : WEFT_READS;
	return l && m && weft_most_of(x, WEFT_FOLD_MOST, value, a) && weft_most_of(y, WEFT_FOLD_MOST, value, b) && (a->data = weft_data(a->array)) != NULL;
}

// of_nothing is the product of two vectors without elements, which loops over rows begin with: A[i, :i] @ x[:i]. NULL of all others.
static PyObject *of_nothing(PyObject *x, PyObject *y)
{
	const weft_layout *l = Py_TYPE(x) == weft_array_type ? weft_layout_of((weft_array *)x) : NULL;
	const weft_layout *m = Py_TYPE(y) == weft_array_type ? weft_layout_of((weft_array *)y) : NULL;
	if (!weft_eager || !l || !m || l->size || m->size || l->ndim != 1 || m->ndim != 1)
		return NULL;
	int dtype = weft_promoted(l->dtype, m->dtype);
	static const char zero[EAGER_WIDEST];
	return dtype ? weft_scalar_at(zero, dtype) : NULL;
}

static int axes_of(PyObject *o)
{
	const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
	return l ? l->ndim : 0;
}

// is_single says of an array whether it has one element: a product of two such is not added to zero, but in matmul.
static int is_single(PyObject *o) { return weft_layout_of((weft_array *)o)->size == 1; }

// lies says whether the vectors of a factor lie side by side along an axis, and none is another's.
static int lies(const weft_few *x, int along, int dtype) { return x->l->dtype == dtype && x->l->strides[along] == weft_sizes[dtype] && !repeats(x->l); }

PyObject *weft_few_product(int kind, PyObject *x, PyObject *y)
{
	weft_few a, b;
	PyObject *nothing = of_nothing(x, y);
	if (nothing)
		return nothing;
	if (kind == WEFT_MATMUL && (axes_of(x) > 2 || axes_of(y) > 2))
		return weft_few_stacked(x, y, "matmul");
	if ((kind == WEFT_DOT || kind == WEFT_INNER) && axes_of(x) > 2 && axes_of(y) == 1) // the same sums
		return is_single(x) && is_single(y) ? NULL : weft_few_stacked(x, y, "dot");
	if (!both(x, &a, y, &b) || a.l->ndim < 1 || a.l->ndim > 2 || b.l->ndim < 1 || b.l->ndim > 2)
		return NULL;
	int dtype = weft_promoted(a.l->dtype, b.l->dtype);
	int summed = kind == WEFT_INNER ? b.l->ndim - 1 : 0; // of b: the last but one, where there are two
	int floats = dtype == FLOAT32 || dtype == FLOAT64;
	int64_t k = a.l->shape[a.l->ndim - 1];
	if (!dtype || dtype == FLOAT16 || b.l->shape[summed] != k)
		return NULL;
	if (kind == WEFT_VDOT && (a.l->ndim != 1 || b.l->ndim != 1 || dtype > FLOAT64))
		return NULL;
	if (a.l->size == 1 && b.l->size == 1 && dtype >= FLOAT32 && (kind == WEFT_DOT || kind == WEFT_INNER))
		return NULL; // one product, which is not added to zero
	eager_product p = {.length = k, .stack = 1};
	p.rows = a.l->ndim == 2 ? a.l->shape[0] : 1;
	p.columns = b.l->ndim == 2 ? b.l->shape[1 - summed] : 1;
	int64_t sums = p.rows * p.columns;
	if (sums * 8 <= WEFT_LEAST) {
		weft_chain_end(a.l);
		weft_chain_end(b.l);
	}
	int by_sums = floats && sums * k >= LIBRARY && p.rows > 1 && p.columns > 1 && p.rows <= SUMS && p.columns <= SUMS && lies(&a, a.l->ndim - 1, dtype) && lies(&b, summed, dtype);
	int large = !by_sums && dtype >= FLOAT32 && sums > 1 && sums * k >= LIBRARY;
	if (sums > 1 && (large ? sums > WEFT_MOST || sums * weft_sizes[dtype] > WEFT_BLOCK : !weft_fits(sums, dtype)))
		return NULL;
	if (sums > 1 && k >= 2 * BLOCK && !by_sums) // several blocks
		return NULL;
	int few = floats && k <= VM_LANES;
	int64_t work = sums * k, most = by_sums ? READ : large ? (p.rows == 1 || p.columns == 1 ? READ : DENSE) : dtype == INT64 ? WHOLE : WORK - CALLS * sums;
	if ((sums > 1 && work > most) || (large && (repeats(a.l) || repeats(b.l))))
		return NULL;
	weft_layout as[2];
	if (large && a.l->dtype != b.l->dtype && !weft_few_alike(&a, &b, as, dtype))
		return NULL;
	// The blocks of vectors are the canonical ones, those of matrices are about equal.
	int64_t blocks = k < BLOCK ? 1 : k / BLOCK, block = kind != WEFT_MATMUL && a.l->ndim + b.l->ndim == 2 ? BLOCK : (k + blocks - 1) / blocks;
	p.a = factor(&a, dtype, a.l->ndim - 1, !large && !few, weft_scratch[1], &p.rows, &p.ai, &p.ak);
	p.b = factor(&b, dtype, summed, !large && !few, weft_scratch[2], &p.columns, &p.bj, &p.bk);
	if (!p.a || !p.b)
		return NULL;
	p.oj = weft_sizes[dtype];
	p.oi = p.columns * p.oj;
	int64_t shape[2];
	int ndim = 0;
	if (a.l->ndim == 2)
		shape[ndim++] = p.rows;
	if (b.l->ndim == 2)
		shape[ndim++] = p.columns;
	weft_array *made = large ? weft_many_made(dtype, ndim, shape) : NULL; // which the library writes to, large as it may be
	char *results = made ? made->bytes : weft_scratch[3];
	eager_lower();
	if (large ? !made || !goProduct(dtype, &p, results) : by_sums ? !by_blocks(&p, dtype, block, results) : few ? (eager_products(weft_sizes[dtype], &p, results), 0) : dtype == INT64 && sums > 1 ? (eager_integers(&p, results), 0) : !one_by_one(&p, dtype, block, results)) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	if (eager_raised() && dtype >= FLOAT32 && kind != WEFT_VDOT)
		weft_floating_note(kind == WEFT_MATMUL ? "matmul" : "dot", eager_raised());
	PyObject *product = made ? (PyObject *)made : weft_few_result(dtype, ndim, shape, results);
	if (product)
		weft_note_made(WEFT_NOTE_PRODUCT, product, dtype, a.array, b.array);
	return product;
}

// weft_cut_vectors is vecdot(x1, x2), matvec(x1, x2) or vecmat(x1, x2), the latter of real numbers: the operations of _compiled.py. about says which one.
PyObject *weft_cut_vectors(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	enum { VECDOT, MATVEC, VECMAT };
	static const char *const told[] = {"vecdot", "matvec", "vecmat"};
	ENTER(NULL)
	int before = weft_wrongs;
	if (!weft_eager || n != 2 || names)
		return NULL;
	const int which = (int)PyLong_AsLong(about);
	const weft_layout *l[2];
	for (int i = 0; i < 2; i++) {
		l[i] = Py_TYPE(args[i]) == weft_array_type ? weft_layout_of((weft_array *)args[i]) : NULL;
		if (!l[i] || l[i]->ndim < 1 || l[i]->ndim > 2 || l[i]->size == 0 || l[i]->size > WEFT_MOST || l[i]->dtype <= WEFT_BOOL_DTYPE || l[i]->dtype == FLOAT16 || (l[i]->dtype > FLOAT64 && which != VECDOT))
			return NULL;
	}
	int dtype = weft_promoted(l[0]->dtype, l[1]->dtype);
	PyObject *made = NULL;
	if (which == VECDOT) {
		const weft_folding *f = dtype ? weft_folding_of(WEFT_SUM, dtype) : NULL;
		if (!f || f->dtype != dtype || l[0]->shape[l[0]->ndim - 1] != l[1]->shape[l[1]->ndim - 1]) // narrow integers are added up as wide ones elsewhere
			return NULL;
		static int conjugate; // the ufunc; 0 until it is asked for
		if (conjugate == 0)
			conjugate = goUfunc("conjugate");
		PyObject *first = l[0]->dtype > FLOAT64 ? weft_eager_ufunc(conjugate, args[0], NULL) : Py_NewRef(args[0]);
		PyObject *axis = PyLong_FromLong(-1), *terms = axis && first ? weft_eager_ufunc(weft_operators[OP_MULTIPLY], first, args[1]) : NULL;
		made = terms ? weft_watched_fold(WEFT_SUM, terms, axis, 0) : NULL;
		Py_XDECREF(first);
		Py_XDECREF(terms);
		Py_XDECREF(axis);
		weft_floating_join(before, told[which]);
		return made;
	}
	int vector = which == MATVEC;
	if (l[vector]->ndim != 1 || l[!vector]->ndim != 2)
		return NULL;
	PyObject *axis = PyLong_FromLong(vector ? -1 : -2), *of = vector || l[0]->contiguous ? Py_NewRef(args[vector]) : weft_eager_copy(args[0]); // conjugates are a copy
	PyObject *wide = axis && of ? weft_few_view(WEFT_EXPAND_DIMS, (PyObject *[]){of, axis}) : NULL;
	made = wide ? weft_few_product(WEFT_MATMUL, vector ? args[0] : wide, vector ? wide : args[1]) : NULL;
	Py_XDECREF(wide);
	Py_XDECREF(of);
	Py_XDECREF(axis);
	weft_floating_rename(before, told[which]);
	if (made) { // which nothing else knows yet
		weft_layout *to = &((weft_array *)made)->at;
		weft_lay(to, to->dtype, 1, (int64_t[]){to->size});
	}
	return made;
}

// matrix_power(a, n) of a matrix, for n > 1: the products of the general function, in its order.
PyObject *weft_few_power(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	int overflow = 0;
	long n = PyLong_CheckExact(args[1]) ? PyLong_AsLongAndOverflow(args[1], &overflow) : 0;
	if (!l || l->ndim != 2 || l->shape[0] != l->shape[1] || overflow || n < 2)
		return NULL;
	PyObject *square = Py_NewRef(args[0]), *made = NULL;
	int done = 0, fits = 1;
	while (fits && !done) {
		if (n & 1) {
			PyObject *product = made ? weft_few_product(WEFT_MATMUL, made, square) : Py_NewRef(square);
			Py_XDECREF(made);
			made = product;
			fits = made != NULL;
		}
		n >>= 1;
		done = n == 0;
		if (fits && !done) {
			PyObject *next = weft_few_product(WEFT_MATMUL, square, square);
			Py_DECREF(square);
			square = next;
			fits = square != NULL;
		}
	}
	Py_XDECREF(square);
	if (!fits) // a product that is not for this tier
		Py_CLEAR(made);
	return made;
}

// as_matrix is a vector as a matrix of one row, or one column; else the matrix itself.
static PyObject *as_matrix(PyObject *o, int is_vector, int rows, int columns)
{
	return is_vector ? PyObject_CallMethod(o, "reshape", "(ii)", rows, columns) : Py_NewRef(o);
}

// first_of is the element of a matrix of one.
static PyObject *first_of(PyObject *matrix)
{
	PyObject *at = Py_BuildValue("(ii)", 0, 0), *made = at ? PyObject_GetItem(matrix, at) : NULL;
	Py_XDECREF(at);
	return made;
}

// of_three is the product of three matrices, in the order that takes fewer multiplications; the first and the last may be vectors, as which the result lies then.
static PyObject *of_three(PyObject *const *given, const weft_layout *const *l)
{
	const int is_row = l[0]->ndim == 1, is_column = l[2]->ndim == 1;
	const int64_t a = is_row ? 1 : l[0]->shape[0], b = l[1]->shape[0], c = l[1]->shape[1], d = is_column ? 1 : l[2]->shape[1];
	const int left = a * b * c + a * c * d < b * c * d + a * b * d;
	PyObject *first = as_matrix(given[0], is_row, 1, -1), *last = as_matrix(given[2], is_column, -1, 1), *made = NULL;
	PyObject *pair = !first || !last ? NULL : left ? weft_few_product(WEFT_DOT, first, given[1]) : weft_few_product(WEFT_DOT, given[1], last);
	if (pair)
		made = left ? weft_few_product(WEFT_DOT, pair, last) : weft_few_product(WEFT_DOT, first, pair);
	if (made && (is_row || is_column))
		weft_set(&made, is_row && is_column ? first_of(made) : PyObject_CallMethod(made, "reshape", "(i)", -1));
	Py_XDECREF(pair);
	Py_XDECREF(first);
	Py_XDECREF(last);
	return made;
}

// multi_dot(arrays) of two or three matrices: the products of the general function.
PyObject *weft_few_multi_dot(int kind, PyObject *const *args)
{
	(void)kind;
	PyObject *m[3];
	const weft_layout *l[3];
	int is_list = PyList_CheckExact(args[0]);
	Py_ssize_t n = is_list ? PyList_Size(args[0]) : PyTuple_CheckExact(args[0]) ? PyTuple_Size(args[0]) : 0;
	if (n < 2 || n > 3)
		return NULL;
	for (int i = 0; i < n; i++) {
		m[i] = is_list ? PyList_GetItem(args[0], i) : PyTuple_GetItem(args[0], i);
		l[i] = Py_TYPE(m[i]) == weft_array_type ? weft_layout_of((weft_array *)m[i]) : NULL;
		if (!l[i] || (n == 3 && l[i]->ndim != 2 && (i == 1 || l[i]->ndim != 1)) || l[i]->size == 0 || l[i]->size > WEFT_FOLD_MOST)
			return NULL;
	}
	if (n == 2)
		return weft_few_product(WEFT_DOT, m[0], m[1]);
	return of_three(m, l);
}
