//go:build extension

// Products of each element with each other one, of few elements: outer, and kron, whose products lie as those of blocks.
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"

enum { FLOAT16 = 10, FLOAT64 = 12 }; // tile.DTypes

// outer(a, b, out=None)
PyObject *weft_few_outer(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few a, b;
	if (!weft_fits_both(args[0], &a, args[1], &b, 0) || a.l->size * b.l->size > WEFT_MOST)
		return NULL;
	const weft_recipe *times = weft_recipe_of(weft_operators[OP_MULTIPLY], a.l->dtype, b.l->dtype);
	int64_t shape[2] = {a.l->size, b.l->size};
	char *rows = weft_few_packed(&a, a.l->dtype, weft_scratch[1]), *columns = weft_few_packed(&b, b.l->dtype, weft_scratch[2]);
	weft_array *made = times && rows && columns ? weft_new_packed(times->result, 2, shape) : NULL;
	eager_lower();
	for (int64_t i = 0; made && i < shape[0]; i++) {
		char *in[EAGER_INPUTS] = {rows + i * weft_sizes[a.l->dtype], columns};
		eager_map(times->code, shape[1], made->bytes + i * shape[1] * weft_sizes[times->result], in, 1, NULL);
	}
	if (made && times->result > FLOAT16)
		weft_floating_note("multiply", eager_raised());
	if (made)
		weft_note_made(WEFT_NOTE_OUTER, (PyObject *)made, times->result, a.array, b.array);
	return (PyObject *)made;
}

// matrix says how a layout is one of rows and columns, and how many: a vector is one row.
static void matrix(const weft_layout *l, int64_t size[2])
{
	size[0] = l->ndim == 2 ? l->shape[0] : 1;
	size[1] = l->shape[l->ndim - 1];
}

// kron(a, b) of vectors and matrices: row k of b times each element of row i of a, side by side, is row i k of the result.
// Of real numbers: products of complex ones are rounded otherwise in NumPy's loops.
PyObject *weft_cut_kron(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few a, b;
	if (n != 2 || names || !weft_fits_both(args[0], &a, args[1], &b, 0) || a.l->ndim < 1 || a.l->ndim > 2 || b.l->ndim < 1 || b.l->ndim > 2 ||
		a.l->size * b.l->size > WEFT_MOST || !weft_falls(a.l, 0) || !weft_falls(b.l, 0)) // the result may lie in another order
		return NULL;
	const weft_recipe *times = weft_recipe_of(weft_operators[OP_MULTIPLY], a.l->dtype, b.l->dtype);
	if (!times || times->result > FLOAT64)
		return NULL;
	const int ndim = a.l->ndim > b.l->ndim ? a.l->ndim : b.l->ndim;
	int64_t of[2], by[2];
	matrix(a.l, of);
	matrix(b.l, by);
	const int64_t shape[2] = {of[0] * by[0], of[1] * by[1]};
	char *left = weft_few_packed(&a, a.l->dtype, weft_scratch[1]), *right = weft_few_packed(&b, b.l->dtype, weft_scratch[2]);
	weft_array *made = left && right ? weft_new_packed(times->result, ndim, shape + 2 - ndim) : NULL;
	if (!made)
		return NULL;
	const int size[2] = {weft_sizes[a.l->dtype], weft_sizes[b.l->dtype]};
	char *to = made->bytes;
	eager_lower();
	for (int64_t i = 0; i < of[0]; i++)
		for (int64_t k = 0; k < by[0]; k++)
			for (int64_t j = 0; j < of[1]; j++, to += by[1] * weft_sizes[times->result]) {
				char *in[EAGER_INPUTS] = {left + (i * of[1] + j) * size[0], right + k * by[1] * size[1]};
				eager_map(times->code, by[1], to, in, 1, NULL);
			}
	if (times->result >= FLOAT16 && eager_raised() & weft_floating_watched) { // the general function tells of it
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_OUTER, (PyObject *)made, times->result, a.array, b.array);
	weft_layout base; // of products, before they are put in blocks
	weft_lay(&base, times->result, 2 * ndim, ndim == 1 ? (int64_t[]){of[1], by[1]} : (int64_t[]){of[0], by[0], of[1], by[1]});
	return weft_seen_in((PyObject *)made, &base);
}
