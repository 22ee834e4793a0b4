//go:build extension

// Few elements in order, along an axis: sort and argsort, by the sorter of package routines, which has one result for all ways there.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "order.h"
#include <string.h>

enum { INT64_BYTES = 8 };
enum { INT64 = 5, FLOAT16 = 10, FLOAT32 = 11, FLOAT64 = 12 }; // tile.DTypes

enum { SHORT = 16 }; // elements of a row that are in order sooner than the sorting machine has begun

// key is a number's bits as an integer that comes where the number does: a comparison of the numbers would take those next to zero for equal
// where the thread flushes them. -0.0 comes before 0.0, but not so where places are put in order.
static int64_t key(int64_t bits, int places)
{
	int64_t k = bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
	return places && k == -1 ? 0 : k;
}

// insert puts each element of a row behind those that are no greater: elements, or places of them.
static void insert(int places, int64_t n, const int64_t *x, int64_t *to)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t v = x[i], k = i;
		for (; k > 0 && v < (places ? x[to[k - 1]] : to[k - 1]); k--)
			to[k] = to[k - 1];
		to[k] = places ? i : v;
	}
}

// insert_numbers is insert of the bits of numbers.
static void insert_numbers(int places, int64_t n, const int64_t *x, int64_t *to)
{
	int64_t keys[SHORT];
	for (int64_t i = 0; i < n; i++)
		keys[i] = key(x[i], places);
	insert(places, n, keys, to);
	for (int64_t i = 0; !places && i < n; i++)
		to[i] = key(to[i], 0); // which is its own inverse
}

static int has_nan(int64_t n, const double *x)
{
	int found = 0;
	for (int64_t i = 0; i < n; i++)
		found |= x[i] != x[i];
	return found;
}

const weft_row_order *weft_order_of(int places, int dtype)
{
	static weft_row_order orders[2][WEFT_DTYPES];
	weft_row_order *r = &orders[places][dtype];
	if (!r->known) {
		r->most = goRowOrder(places, dtype, &r->machine, &r->order, &r->width, &r->parted);
		r->known = 1;
	}
	return r;
}

#define ALL INT64_MIN // no place in particular

// order puts rows of n elements in order, or their places; to is other memory. Where kth is a place, and not ALL, it is a partition: the element
// that would stand there does, no greater ones before it and no less behind.
static void order(int places, int dtype, int64_t rows, int64_t n, int64_t kth, const void *from, void *to)
{
	const char *row = from;
	char *out = to;
	enum { ITEM = 8 }; // of places, and of both dtypes
	int few = n <= SHORT && (dtype == INT64 || (dtype == FLOAT64 && !has_nan(rows * n, from)));
	for (int64_t i = 0; few && i < rows; i++, row += n * ITEM, out += n * ITEM)
		(dtype == INT64 ? insert : insert_numbers)(places, n, (const int64_t *)row, (int64_t *)out);
	const weft_row_order *r = few ? NULL : weft_order_of(places, dtype);
	if (few)
		return;
	char *room = weft_scratch[4]; // which sorts have no need of
	int selects = kth != ALL && n > r->parted && (places || r->width >= 2) && (3 * n + SELECT_MORE) * ITEM <= WEFT_ROOM;
	if (selects)
		for (int64_t i = 0; i < rows; i++, row += n << r->width, out += places ? n * ITEM : n << r->width)
			places ? sorting_select_places(r->machine, &r->order, r->width, row, (int64_t *)out, n, kth, (int64_t *)room)
				   : sorting_select_row(r->machine, &r->order, r->width, row, out, n, kth, (int64_t *)room);
	else if (n > (kth == ALL ? r->most : r->parted))
		goOrder(places, dtype, rows, n, kth, (void *)from, to);
	else if (places)
		sorting_position_rows(r->machine, &r->order, r->width, from, to, rows, n);
	else
		sorting_rows(r->machine, &r->order, r->width, from, to, rows, n);
}

// across puts in order what inner elements stand between: rows are columns meanwhile.
static void across(int places, int dtype, int64_t size, int64_t row, int64_t inner, int64_t kth, char *from, char *to)
{
	int64_t outer = size / (row * inner);
	weft_turned(dtype, outer, row, inner, from, weft_scratch[1]);
	order(places, dtype, outer * inner, row, kth, weft_scratch[1], weft_scratch[2]);
	weft_turned(places ? INT64 : dtype, outer, inner, row, weft_scratch[2], to);
}

// ordered is sort and argsort of an array along an axis, and the method that sorts in place; or, of one place, a partition.
static PyObject *ordered(int kind, PyObject *const *args, int64_t kth)
{
	weft_few x;
	int overflow, turned[WEFT_NEAR];
	if (!PyLong_CheckExact(args[1]) || !weft_fits_of(args[0], 0, &x) || x.l->ndim == 0 || (x.l->ndim > 1 && !x.l->contiguous && weft_order_of_copy(x.l, turned)))
		return NULL;
	long long at = PyLong_AsLongLongAndOverflow(args[1], &overflow);
	if (overflow || at < -x.l->ndim || at >= x.l->ndim || x.l->dtype <= WEFT_BOOL_DTYPE || x.l->dtype == FLOAT16 || x.l->dtype > FLOAT64)
		return NULL;
	at = at < 0 ? at + x.l->ndim : at;
	if (kind == WEFT_SORT_IN_PLACE && x.array->place.readonly)
		return NULL;
	int64_t row = x.l->shape[at], inner = 1, bytes = x.l->size * weft_sizes[x.l->dtype];
	for (int i = (int)at + 1; i < x.l->ndim; i++)
		inner *= x.l->shape[i];
	if (kth != ALL && (kth >= row || kth < -row))
		return NULL;
	kth += kth != ALL && kth < 0 ? row : 0;
	int places = kind == WEFT_ARGSORT, dtype = x.l->dtype;
	eager_layout own = {x.l->ndim, x.l->size, x.l->shape, x.l->strides};
	char *from = weft_few_packed(&x, dtype, weft_scratch[0]);
	weft_array *made = kind == WEFT_SORT_IN_PLACE ? NULL : weft_new_packed(places ? INT64 : dtype, x.l->ndim, x.l->shape);
	if (!from || (!made && kind != WEFT_SORT_IN_PLACE))
		return NULL;
	char *to = made ? made->bytes : weft_scratch[3];
	if (inner > 1)
		across(places, dtype, x.l->size, row, inner, kth, from, to);
	else
		order(places, dtype, x.l->size / row, row, kth, from, to);
	if (!made && x.l->contiguous)
		memcpy(x.data, to, (size_t)bytes);
	else if (!made)
		eager_unpack(weft_sizes[dtype], &own, to, x.data);
	weft_note(places ? WEFT_NOTE_ARGSORT : WEFT_NOTE_SORT, made ? &made->at : x.l, made ? made->place.memory : x.array->place.memory, x.array->place.memory, 0);
	return made ? (PyObject *)made : Py_NewRef(Py_None);
}

// sort(a, axis=-1, kind=None, order=None, *, stable=None), argsort, and the method that sorts in place
PyObject *weft_few_sort(int kind, PyObject *const *args) { return ordered(kind, args, ALL); }

// vector_parted is a partition of a vector of more than few elements, up to PARTED, of which one thread finds one place about as soon as it hands the
// work to others. NULL without exception where it is none.
static PyObject *vector_parted(int places, PyObject *const *args, int64_t kth)
{
	enum { PARTED = 1 << 17, ITEM = 8 };
	weft_few x;
	int overflow;
	long long axis = PyLong_CheckExact(args[2]) ? PyLong_AsLongLongAndOverflow(args[2], &overflow) : 1;
	if (axis < -1 || axis > 0 || !weft_many_of(args[0], PARTED, 0, &x) || x.l->ndim != 1 || x.l->dtype <= WEFT_BOOL_DTYPE || x.l->dtype == FLOAT16 ||
		x.l->dtype > FLOAT64)
		return NULL;
	const int dtype = x.l->dtype;
	const weft_row_order *r = weft_order_of(places, dtype);
	int64_t n = x.l->size;
	if (r->width < 2 || n <= r->parted || kth >= n || kth < -n)
		return NULL;
	const char *from = weft_many_packed(&x, dtype, WEFT_ROOM_ELEMENTS);
	int64_t *room = (int64_t *)weft_room(WEFT_ROOM_VALUES, (3 * n + SELECT_MORE) * ITEM);
	weft_array *made = from && room ? weft_many_made(places ? INT64 : dtype, 1, &n) : NULL;
	char *to = made ? weft_data(made) : NULL;
	if (!to || weft_data(x.array) != x.data) { // shut meanwhile: see opening.c
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	kth += kth < 0 ? n : 0;
	places ? sorting_select_places(r->machine, &r->order, r->width, from, (int64_t *)to, n, kth, room)
		   : sorting_select_row(r->machine, &r->order, r->width, from, to, n, kth, room);
	weft_note_made(places ? WEFT_NOTE_ARGSORT : WEFT_NOTE_SORT, (PyObject *)made, places ? INT64 : dtype, x.array, NULL);
	return (PyObject *)made;
}

// partition(a, kth, axis=-1, ...) of one place, argpartition, and the method that does it in place
PyObject *weft_few_partition(int kind, PyObject *const *args)
{
	int overflow = 0;
	int64_t kth = PyLong_CheckExact(args[1]) ? PyLong_AsLongLongAndOverflow(args[1], &overflow) : ALL;
	if (overflow || kth == ALL || args[3] == Py_None) // which is no kind
		return NULL;
	PyObject *made = ordered(kind, (PyObject *[]){args[0], args[2]}, kth);
	return made || kind == WEFT_SORT_IN_PLACE || PyErr_Occurred() ? made : vector_parted(kind == WEFT_ARGSORT, args, kth);
}

// The distinct elements among n: where in sorted each begins, and the places in the order of elements where sorted elements come from, or NULL.
typedef struct {
	int64_t n, *begins, *places;
	char *sorted;
} distinct;

// find_distinct puts n elements in order and finds where others begin; NaNs, which are the last, are one. It has all scratch memory but the first,
// where the elements may be.
static void find_distinct(distinct *d, int dtype, int64_t n, char *data, int with_places)
{
	int size = weft_sizes[dtype];
	*d = (distinct){0, (int64_t *)weft_scratch[4], with_places ? (int64_t *)weft_scratch[1] : NULL, weft_scratch[2]};
	order(with_places, dtype, 1, n, ALL, data, with_places ? weft_scratch[1] : d->sorted);
	if (with_places)
		eager_take(size, n, d->places, n, data, d->sorted);
	const weft_row_order *alike = weft_order_of(1, dtype);
	d->n = sorting_starts(alike->machine, &alike->order, alike->width, d->sorted, n, 1, 0, 0, d->begins);
}

// number_of writes for each of n elements which of the distinct ones it is.
static void number_of(const distinct *d, int64_t n, int64_t *out)
{
	for (int64_t k = 0; k < d->n; k++)
		for (int64_t i = d->begins[k], end = k + 1 < d->n ? d->begins[k + 1] : n; i < end; i++)
			out[d->places[i]] = k;
}

// unique(ar, return_index, return_inverse, return_counts) of elements, not along an axis: of equal ones the first in order, and one of those that are
// not numbers.
PyObject *weft_few_unique(int kind, PyObject *const *args)
{
	(void)kind;
	enum { INDEX = 1, INVERSE, COUNTS, OUTPUTS };
	weft_few x;
	distinct d;
	if (args[4] != Py_None || args[5] != Py_True || args[6] != Py_True || !weft_fits_of(args[0], WEFT_READS, &x) || x.l->dtype <= WEFT_BOOL_DTYPE ||
		x.l->dtype == FLOAT16 || x.l->dtype > FLOAT64 || x.l->size == 0)
		return NULL;
	for (int i = INDEX; i < OUTPUTS; i++)
		if (args[i] != Py_False && args[i] != Py_True)
			return NULL;
	int dtype = x.l->dtype, size = weft_sizes[dtype];
	int64_t n = x.l->size;
	char *data = weft_few_packed(&x, dtype, weft_scratch[0]);
	if (!data)
		return NULL;
	find_distinct(&d, dtype, n, data, args[INDEX] == Py_True || args[INVERSE] == Py_True);
	weft_array *made[OUTPUTS] = {weft_new_packed(dtype, 1, &d.n)};
	int outputs = 1, failed = !made[0];
	if (made[0])
		eager_take(size, d.n, d.begins, n, d.sorted, made[0]->bytes);
	for (int i = INDEX; i < OUTPUTS && !failed; i++) {
		if (args[i] != Py_True)
			continue;
		weft_array *one = i == INVERSE ? weft_new_packed(INT64, x.l->ndim, x.l->shape) : weft_new_packed(INT64, 1, &d.n);
		if ((failed = !one))
			break;
		int64_t *to = (int64_t *)(made[outputs++] = one)->bytes;
		if (i == INDEX)
			eager_take(INT64_BYTES, d.n, d.begins, n, (char *)d.places, (char *)to);
		else if (i == INVERSE)
			number_of(&d, n, to);
		else
			for (int64_t k = 0; k < d.n; k++)
				to[k] = (k + 1 < d.n ? d.begins[k + 1] : n) - d.begins[k];
	}
	PyObject *all = failed ? NULL : outputs == 1 ? Py_NewRef((PyObject *)made[0]) : PyTuple_New(outputs);
	for (int i = 0; i < outputs; i++) {
		if (all)
			weft_note_made(WEFT_NOTE_UNIQUE, (PyObject *)made[i], i ? INT64 : dtype, x.array, NULL);
		if (all && outputs > 1)
			PyTuple_SetItem(all, i, Py_NewRef((PyObject *)made[i]));
		Py_XDECREF((PyObject *)made[i]);
	}
	return all;
}

// lexsort(keys, axis=-1) of a list or tuple of vectors: one stable sort after the other, from the first.
PyObject *weft_few_lexsort(int kind, PyObject *const *args)
{
	(void)kind;
	enum { KEYS = 8 };
	weft_few x[KEYS];
	PyObject *keys = args[0];
	int is_list = PyList_CheckExact(keys), overflow = 0;
	Py_ssize_t count = is_list ? PyList_Size(keys) : PyTuple_CheckExact(keys) ? PyTuple_Size(keys) : 0;
	long axis = PyLong_CheckExact(args[1]) ? PyLong_AsLongAndOverflow(args[1], &overflow) : 1;
	if (overflow || count < 1 || count > KEYS || axis < -1 || axis > 0)
		return NULL;
	for (Py_ssize_t k = 0; k < count; k++) {
		PyObject *key = is_list ? PyList_GetItem(keys, k) : PyTuple_GetItem(keys, k);
		if (!weft_fits_of(key, 0, &x[k]) || x[k].l->ndim != 1 || x[k].l->size != x[0].l->size || x[k].l->dtype <= WEFT_BOOL_DTYPE ||
			x[k].l->dtype == FLOAT16 || x[k].l->dtype > FLOAT64)
			return NULL;
	}
	int64_t n = x[0].l->size, *sorted, *next = (int64_t *)weft_scratch[2];
	weft_array *made = weft_new_packed(INT64, 1, &n);
	if (!made)
		return NULL;
	sorted = (int64_t *)made->bytes;
	for (Py_ssize_t k = 0; k < count; k++) {
		char *key = (x[k].data = weft_data(x[k].array)) ? weft_few_packed(&x[k], x[k].l->dtype, weft_scratch[1]) : NULL;
		if (!key) { // shut meanwhile: see opening.c
			Py_DECREF(made);
			return NULL;
		}
		if (k == 0) {
			order(1, x[k].l->dtype, 1, n, ALL, key, sorted);
			continue;
		}
		eager_take(weft_sizes[x[k].l->dtype], n, sorted, n, key, weft_scratch[3]);
		order(1, x[k].l->dtype, 1, n, ALL, weft_scratch[3], next);
		eager_take(sizeof *next, n, next, n, (char *)sorted, weft_scratch[4]);
		memcpy(sorted, weft_scratch[4], (size_t)n * sizeof *sorted);
	}
	weft_note_made(WEFT_NOTE_ARGSORT, (PyObject *)made, INT64, x[0].array, count > 1 ? x[1].array : NULL);
	return (PyObject *)made;
}
