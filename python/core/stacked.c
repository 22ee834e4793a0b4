//go:build extension

// matmul of stacks of few matrices. A stack of rows that lie side by side and one matrix are one product, and so are all axes that both
// factors go through as through one: see joined in arrays/product.go. What rows, columns and the stack are then, runProduct of package cpu says.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"

enum {
	DENSE = 2 << 20,  // multiplications that are done at once by the library,
	EACH = 256 << 10, // where each sum is computed by itself, and
	CALLS = 256,      // what a call costs
	LIBRARY = 1000,   // from which on a product may be the library's: gemmVolume of package cpu
	FLOAT32 = 11, FLOAT64 = 12, // tile.DTypes
};

// space is the index space of a product, without the axis k, and the steps of both factors in it.
typedef struct {
	int n;
	int64_t shape[WEFT_MAXDIMS], a[WEFT_MAXDIMS], b[WEFT_MAXDIMS];
} space;

static void add_axis(space *s, int64_t extent, int64_t a, int64_t b)
{
	int last = s->n - 1;
	if (last >= 0 && (extent == 1 || s->shape[last] == 1 || (s->a[last] == extent * a && s->b[last] == extent * b)))
		s->shape[last] *= extent;
	else {
		s->shape[s->n++] = extent;
		last++;
	}
	if (extent != 1 || s->shape[last] == 1) {
		s->a[last] = a;
		s->b[last] = b;
	}
}

// stack_of lays out a @ b: the axes of the result, and its index space. It is 0 where the general functions have to look.
static int stack_of(const weft_layout *a, const weft_layout *b, int *ndim, int64_t *shape, space *s)
{
	int na = a->ndim - 2, nb = b->ndim - 2, n = na > nb ? na : nb, row = b->ndim > 1 ? b->ndim - 2 : 0;
	if (a->ndim < 2 || b->ndim < 1 || n + 2 > WEFT_NEAR || b->shape[row] != a->shape[a->ndim - 1])
		return 0;
	s->n = *ndim = 0;
	for (int i = 0; i < n; i++) {
		int ia = i - (n - na), ib = i - (n - nb);
		int64_t x = ia < 0 ? 1 : a->shape[ia], y = ib < 0 ? 1 : b->shape[ib], both = x == 1 ? y : x;
		if (y != 1 && y != both)
			return 0;
		shape[(*ndim)++] = both;
		add_axis(s, both, ia < 0 || x != both ? 0 : a->strides[ia], ib < 0 || y != both ? 0 : b->strides[ib]);
	}
	shape[(*ndim)++] = a->shape[na];
	add_axis(s, a->shape[na], a->strides[na], 0);
	int64_t columns = b->ndim > 1 ? b->shape[b->ndim - 1] : 1;
	if (b->ndim > 1)
		shape[(*ndim)++] = columns;
	add_axis(s, columns, 0, b->ndim > 1 ? b->strides[b->ndim - 1] : 0);
	return 1;
}

// product_of finds the rows, the columns and the stack. Where columns come first, the factors change places. *sums is set where there are neither.
static int product_of(const space *s, const char *a, int64_t ak, const char *b, int64_t bk, eager_product *p)
{
	int i = -1, j = -1, at = -1;
	for (int axis = 0; axis < s->n; axis++)
		if (s->shape[axis] > 1 && s->b[axis] == 0)
			i = axis;
		else if (s->shape[axis] > 1 && s->a[axis] == 0)
			j = axis;
	for (int axis = 0; axis < s->n; axis++)
		if (s->shape[axis] > 1 && axis != i && axis != j) {
			if (at >= 0)
				return 0;
			at = axis;
		}
	if (at >= 0 && ((i >= 0 && at > i) || (j >= 0 && at > j))) // whose results lie between those of others
		return 0;
	int turned = j >= 0 && j < i;
	if (turned) {
		int k = i;
		i = j;
		j = k;
	}
	const int64_t *x = turned ? s->b : s->a, *y = turned ? s->a : s->b;
	p->a = turned ? b : a;
	p->ak = turned ? bk : ak;
	p->b = turned ? a : b;
	p->bk = turned ? ak : bk;
	p->rows = i >= 0 ? s->shape[i] : 1;
	p->ai = i >= 0 ? x[i] : 0;
	p->columns = j >= 0 ? s->shape[j] : 1;
	p->bj = j >= 0 ? y[j] : 0;
	p->stack = at >= 0 ? s->shape[at] : 1;
	p->as = at >= 0 ? x[at] : 0;
	p->bs = at >= 0 ? y[at] : 0;
	return 1;
}

int weft_few_alike(weft_few *a, weft_few *b, weft_layout as[2], int dtype)
{
	weft_few *both[2] = {a, b};
	for (int i = 0; i < 2; i++) {
		as[i] = *both[i]->l;
		if (as[i].dtype != dtype || !as[i].contiguous)
			weft_lay(&as[i], dtype, as[i].ndim, as[i].shape);
		both[i]->data = weft_few_packed(both[i], dtype, weft_scratch[1 + i]);
		both[i]->l = &as[i];
		if (!both[i]->data)
			return 0;
	}
	return 1;
}

PyObject *weft_few_stacked(PyObject *x, PyObject *y, const char *told)
{
	weft_few a, b;
	space s;
	int ndim;
	int64_t shape[WEFT_NEAR];
	if (!weft_most_both(x, &a, y, &b, WEFT_MOST))
		return NULL;
	int dtype = weft_promoted(a.l->dtype, b.l->dtype);
	if ((dtype != FLOAT32 && dtype != FLOAT64) || !stack_of(a.l, b.l, &ndim, shape, &s))
		return NULL;
	int64_t sums = 1, k = a.l->shape[a.l->ndim - 1];
	for (int i = 0; i < ndim; i++)
		sums *= shape[i];
	weft_layout as[2];
	if (a.l->dtype != b.l->dtype && (sums * k < LIBRARY || sums == 1 || !weft_few_alike(&a, &b, as, dtype) || !stack_of(a.l, b.l, &ndim, shape, &s)))
		return NULL;
	eager_product p = {.length = k};
	int row = b.l->ndim > 1 ? b.l->ndim - 2 : 0;
	if (!product_of(&s, a.data, a.l->strides[a.l->ndim - 1], b.data, b.l->strides[row], &p))
		return NULL;
	const int size = weft_sizes[dtype], none = p.rows * p.columns == 1;
	int64_t each = p.rows * p.columns * k;
	int large = !none && each >= LIBRARY;
	if ((large && k >= 2 * EAGER_INNER) || (large ? each * p.stack + CALLS * p.stack > DENSE : k > VM_LANES || each * p.stack > EACH) || sums > WEFT_MOST)
		return NULL;
	p.oj = size;
	p.oi = p.columns * size;
	p.os = p.rows * p.oi;
	weft_array *made = weft_many_made(dtype, ndim, shape);
	eager_lower();
	if (made && large && !goProduct(dtype, &p, made->bytes))
		Py_CLEAR(made);
	else if (made && !large)
		eager_products(size, &p, made->bytes);
	if (made) {
		weft_floating_note(told, eager_raised());
		weft_note_made(WEFT_NOTE_PRODUCT, (PyObject *)made, dtype, a.array, b.array);
	}
	return (PyObject *)made;
}
