//go:build extension

// Reductions of few elements to one value or along an axis, and the places of extremes: part of the eager tier, see eager.c. One value is made of up to WEFT_FOLD_MOST elements.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <string.h>

static weft_folding foldings[WEFT_FOLDS][WEFT_DTYPES];

const weft_folding *weft_folding_of(int kind, int dtype)
{
	weft_folding *f = &foldings[kind][dtype];
	if (!f->known) {
		goFolding(kind, dtype, f);
		f->known = 1;
	}
	return f->fold ? f : NULL;
}

// source is an array whose elements are reduced in the order of C, as those of a dtype.
typedef struct {
	const char *data;
	int size, to_size;      // bytes of an element, of the array and of what is reduced
	const eager_code *code; // that converts them; NULL where they are that already
} source;

static void reduced(const eager_fold *f, void *of, int64_t at, int64_t n, char *to)
{
	const source *s = of;
	const char *from = s->data + at * s->size;
	char *in[EAGER_INPUTS] = {(char *)from};
	if (s->code)
		eager_map(s->code, n, weft_scratch[1], in, 0, NULL);
	eager_inner(f, n, s->code ? weft_scratch[1] : from, to);
}

// open_source reads an array as the elements of a dtype; 0 where they cannot be had so.
static int open_source(const weft_few *x, int dtype, source *s)
{
	const weft_layout *l = x->l;
	*s = (source){.data = x->data, .size = weft_sizes[l->dtype], .to_size = weft_sizes[dtype]};
	if (l->dtype != dtype && !(s->code = weft_conversion_code(l->dtype, dtype)))
		return 0;
	if (l->contiguous)
		return 1;
	if (!weft_fits(l->size, l->dtype))
		return 0;
	eager_layout e = {l->ndim, l->size, l->shape, l->strides};
	eager_pack(s->size, &e, x->data, weft_scratch[2]);
	s->data = weft_scratch[2];
	return 1;
}

int weft_divide_sums(int dtype, int64_t n, char *sums, int64_t by)
{
	const weft_recipe *r = weft_recipe_of_number(weft_divide, dtype, WEFT_FLOAT);
	uint64_t bits[2] = {0, 0};
	if (!r || r->result != dtype || !weft_write(&(weft_value){.kind = WEFT_FLOAT, .re = (double)by}, r->number, bits))
		return 0;
	char *in[EAGER_INPUTS] = {sums};
	eager_map(r->code, n, sums, in, 0, (const uint64_t(*)[2])bits);
	return 1;
}

// short_rows reduces rows of few elements, some at a time where they have to be converted.
static void short_rows(const eager_fold *fold, int64_t rows, int64_t n, const source *from, char *to)
{
	int64_t most = from->code ? EAGER_BLOCK / n : rows;
	for (int64_t i = 0; i < rows; i += most) {
		int64_t some = rows - i < most ? rows - i : most;
		const char *data = from->data + i * n * from->size;
		if (from->code) {
			char *in[EAGER_INPUTS] = {(char *)data};
			eager_map(from->code, some * n, weft_scratch[1], in, 0, NULL);
			data = weft_scratch[1];
		}
		eager_short(fold, some, n, data, to + i * from->to_size);
	}
}

// rows are reduced each to one, a block: some of them are a part.
typedef struct {
	const eager_fold *fold;
	const char *data;
	char *to;
	int64_t count, n, some;
} rows;

static void reduced_rows(void *of, int64_t part)
{
	const rows *r = of;
	int64_t size = r->fold->size;
	for (int64_t i = part * r->some; i < r->count && i < (part + 1) * r->some; i++)
		eager_inner(r->fold, r->n, r->data + i * r->n * size, r->to + i * size);
}

enum { INT64 = 5, UINT64 = 9 }; // tile.DTypes

// truths_of_rows says of each row of n bools whether any of them is true, or all: a look for the first one that decides, which the C library has in vectors. A byte of foreign
// memory may be any but 0 where it is true; none is where the first is 0 and each one is equal to the next.
static void truths_of_rows(int kind, int64_t count, int64_t n, const char *data, char *to)
{
	for (int64_t i = 0; i < count; i++)
		if (kind == WEFT_ALL)
			to[i] = !memchr(data + i * n, 0, (size_t)n);
		else
			to[i] = data[i * n] || memcmp(data + i * n, data + i * n + 1, (size_t)n - 1);
}

// adds_columns says whether narrow integers are added up along an axis that is not the last one, which needs no copy of them as wide ones.
static int adds_columns(int kind, const weft_folding *f, const weft_layout *l, int at)
{
	return kind == WEFT_SUM && at >= 0 && at < l->ndim - 1 && (f->dtype == INT64 || f->dtype == UINT64) && eager_add_columns(l->dtype, 0, 0, NULL, NULL);
}

// folded reduces along an axis, or everything where it is -1.
static int folded(int kind, const weft_folding *f, const weft_layout *l, int at, source *from, char *to)
{
	static const uint8_t truth[2] = {0, 1}; // what no element changes any more
	const char *ends = kind == WEFT_ANY ? (const char *)&truth[1] : kind == WEFT_ALL ? (const char *)&truth[0] : NULL;
	const eager_fold *fold = f->fold;
	int64_t outer = 1, n = l->size, inner = 1;
	if (at < 0) {
		eager_total(fold, l->ndim, l->shape, from->code ? 0 : from->size, reduced, from, ends, to);
		return kind != WEFT_MEAN || weft_divide_sums(f->dtype, 1, to, n);
	}
	n = l->shape[at];
	for (int i = 0; i < at; i++)
		outer *= l->shape[i];
	for (int i = at + 1; i < l->ndim; i++)
		inner *= l->shape[i];
	if (from->code && adds_columns(kind, f, l, at)) {
		for (int64_t i = 0; i < outer; i++)
			eager_add_columns(l->dtype, n, inner, from->data + i * n * inner * from->size, to + i * inner * from->to_size);
		return 1;
	}
	if (at < l->ndim - 1 && from->code) { // rows are taken together
		char *in[EAGER_INPUTS] = {(char *)from->data};
		eager_map(from->code, l->size, weft_scratch[3], in, 0, NULL);
		*from = (source){.data = weft_scratch[3], .size = from->to_size, .to_size = from->to_size};
	}
	if (at == l->ndim - 1 && ends && l->dtype == WEFT_BOOL_DTYPE && !from->code) {
		truths_of_rows(kind, outer, n, from->data, to);
		return 1;
	}
	if (at == l->ndim - 1 && n <= VM_LANES && outer > 1) {
		short_rows(fold, outer, n, from, to);
		return kind != WEFT_MEAN || weft_divide_sums(f->dtype, outer, to, n);
	}
	if (at == l->ndim - 1 && n <= EAGER_INNER && !from->code) {
		rows of = {fold, from->data, to, outer, n, 0};
		int64_t parts = eager_parts(outer, n * from->size, &of.some);
		eager_share(parts, outer * n * from->size, reduced_rows, &of);
		return kind != WEFT_MEAN || weft_divide_sums(f->dtype, outer, to, n);
	}
	for (int64_t i = 0; i < outer; i++) {
		source row = *from;
		row.data += i * n * inner * from->size;
		if (at == l->ndim - 1)
			eager_total(fold, 1, &n, row.code ? 0 : row.size, reduced, &row, ends, to + i * row.to_size);
		else
			eager_outer(fold, n, inner, row.data, to + i * inner * row.to_size);
	}
	return kind != WEFT_MEAN || weft_divide_sums(f->dtype, outer * inner, to, n);
}

// made_of reduces what a source has, which is of the shape of x: to a scalar, or to a new array.
static PyObject *made_of(int kind, const weft_folding *f, const weft_few *x, int at, int keeps, source *from)
{
	weft_layout made;
	int64_t shape[WEFT_NEAR];
	int left = 0;
	if (at >= 0 && !weft_fits(x->l->size / x->l->shape[at], f->dtype))
		return NULL;
	for (int i = 0; i < x->l->ndim; i++)
		if (keeps || (at >= 0 && i != at))
			shape[left++] = at < 0 || i == at ? 1 : x->l->shape[i];
	if (left == 0) {
		char one[EAGER_WIDEST];
		if (!folded(kind, f, x->l, at, from, one))
			return NULL;
		weft_count_here(WEFT_NUMBERS);
		weft_note(WEFT_NOTE_FOLD + kind, x->l, 0, x->array->place.memory, 0);
		return weft_scalar_at(one, f->dtype);
	}
	weft_lay(&made, f->dtype, left, shape);
	weft_order_reduced(&made, x->l);
	weft_array *result = weft_new_small(&made);
	if (!result)
		return NULL;
	if (!folded(kind, f, x->l, at, from, result->bytes)) {
		Py_DECREF(result);
		return NULL;
	}
	weft_note(WEFT_NOTE_FOLD + kind, x->l, result->place.memory, x->array->place.memory, 0);
	return (PyObject *)result;
}

PyObject *weft_eager_fold(int kind, PyObject *array, PyObject *axis, int keeps)
{
	weft_few x;
	int at = -1, overflow, total = axis == Py_None; // whether the program gets a value
	if (!weft_eager || Py_TYPE(array) != weft_array_type || !(x.l = weft_layout_of((weft_array *)array)))
		return NULL;
	if (axis != Py_None) {
		if (!PyLong_CheckExact(axis))
			return NULL;
		long long given = PyLong_AsLongLongAndOverflow(axis, &overflow);
		if (overflow || given < -x.l->ndim || given >= x.l->ndim)
			return NULL;
		at = (int)(given < 0 ? given + x.l->ndim : given);
		total = x.l->ndim == 1;
	}
	if (total)
		weft_chain_end(x.l);
	int64_t beside = 1; // elements that are reduced or kept together
	for (int i = at < x.l->ndim - 1 ? at + 1 : at; !total && i < x.l->ndim; i++)
		beside *= x.l->shape[i];
	int64_t most = total || beside >= WEFT_ALONG_FEW ? WEFT_FOLD_MOST : WEFT_ALONG_MOST;
	if (!weft_most_of(array, most, total ? WEFT_READS_ALL : weft_fits(x.l->size, x.l->dtype) ? 0 : WEFT_READS_SETTLED, &x))
		return NULL;
	if (total)
		at = -1;
	const weft_folding *f = weft_folding_of(kind, x.l->dtype);
	if (!f || (at >= 0 && x.l->ndim > 2 && !weft_falls(x.l, 0)))
		return NULL; // the result may lie in another order
	// Where rows are taken together, they are converted together.
	if (at >= 0 && at < x.l->ndim - 1 && f->dtype != x.l->dtype && !weft_fits(x.l->size, f->dtype) && !adds_columns(kind, f, x.l, at))
		return NULL;
	source from;
	return open_source(&x, f->dtype, &from) ? made_of(kind, f, &x, at, keeps, &from) : NULL;
}

PyObject *weft_fold_packed(int kind, const weft_few *x, int at, int keeps, char *data)
{
	const weft_folding *f = weft_folding_of(kind, x->l->dtype);
	const int size = weft_sizes[x->l->dtype];
	source from = {.data = data, .size = size, .to_size = size};
	if (!f || f->dtype != x->l->dtype || (at >= 0 && x->l->ndim > 2 && !weft_falls(x->l, 0)))
		return NULL;
	return made_of(kind, f, x, at, keeps, &from);
}

PyObject *weft_watched_fold(int kind, PyObject *array, PyObject *axis, int keeps)
{
	eager_lower();
	PyObject *made = weft_eager_fold(kind, array, axis, keeps);
	if (made && (kind == WEFT_SUM || kind == WEFT_PROD || kind == WEFT_MEAN))
		weft_floating_note("reduce", eager_raised());
	return made;
}

PyObject *weft_eager_position(int most, PyObject *array, PyObject *axis)
{
	source from;
	weft_few x, there;
	if (!weft_eager || Py_TYPE(array) != weft_array_type || !(x.l = weft_layout_of((weft_array *)array)) ||
		(axis != Py_None && !(x.l->ndim == 1 && PyLong_CheckExact(axis) && PyLong_AsLong(axis) == 0)))
		return NULL;
	// A place is asked for at once, and found in two passes, neither of which goes together with what makes the elements.
	if (!weft_many_of(array, WEFT_FOLD_MOST, 1, &there) || !weft_most_of(array, WEFT_FOLD_MOST, WEFT_READS_ALL, &x))
		return NULL;
	int64_t at;
	if (!open_source(&x, x.l->dtype, &from) || !eager_extremes(most, x.l->dtype, 1, x.l->size, 1, from.data, NULL, &at))
		return NULL;
	weft_count_here(WEFT_NUMBERS);
	weft_note(WEFT_NOTE_POSITION, x.l, 0, x.array->place.memory, 0);
	return weft_scalar_at(&at, WEFT_LAST_SIGNED);
}
