//go:build extension

// Which elements are among some integers that lie close together, by a table of bytes: isin, and intersect1d. NumPy's isin makes one, too, and then goes five times through
// arrays of its own; its intersect1d sorts.
//
//	isin([5, 9, 3, 7], [7, 3])    table of 3 to 7: 1 0 0 0 1    ->  [0, 0, 1, 1]
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum {
	INT8 = 2, INT16, INT32, INT64, UINT8, UINT16, UINT32, // tile.DTypes
	LISTED = 4096, // items of a list at most
	TABLE = 4096,  // bytes of a table that are worth it for any number of elements, and
	EACH = 16,     // for each element besides
};

// The values that are looked for; none is below low, and the last one is low + span.
typedef struct {
	int64_t n;
	const int64_t *at;
	int64_t low;
	uint64_t span;
} values;

// listed reads a list or tuple of Python's integers into room for so many.
static int listed(PyObject *o, int64_t *room, values *v)
{
	int is_list = PyList_CheckExact(o), overflow = 0;
	Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : 0;
	if (n < 1 || n > LISTED)
		return 0;
	for (Py_ssize_t i = 0; i < n && !overflow; i++) {
		PyObject *item = is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i);
		if (!PyLong_CheckExact(item))
			return 0;
		room[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
	}
	v->n = n;
	v->at = room;
	return !overflow;
}

static int integers(const weft_layout *l) { return l->dtype >= INT8 && l->dtype <= UINT32; }

static void bound(values *v)
{
	int64_t low = v->at[0], high = v->at[0];
	for (int64_t i = 1; i < v->n; i++) {
		low = v->at[i] < low ? v->at[i] : low;
		high = v->at[i] > high ? v->at[i] : high;
	}
	v->low = low;
	v->span = (uint64_t)high - (uint64_t)low;
}

#define LOOK(T) \
	for (int64_t i = 0; i < n; i++) { \
		uint64_t k = (uint64_t)(int64_t)((const T *)x)[i] - (uint64_t)v->low; \
		to[i] = table[k < none ? k : none]; \
	}

// look writes whether each of n elements is among the values. Behind the table there is a place for what is none.
static void look(int dtype, int64_t n, const char *x, const values *v, char *table, char *to)
{
	const uint64_t none = v->span + 1;
	memset(table, 0, none + 1);
	for (int64_t i = 0; i < v->n; i++)
		table[(uint64_t)v->at[i] - (uint64_t)v->low] = 1;
	switch (dtype) {
	case INT8: LOOK(int8_t) break;
	case INT16: LOOK(int16_t) break;
	case INT32: LOOK(int32_t) break;
	case INT64: LOOK(int64_t) break;
	case UINT8: LOOK(uint8_t) break;
	case UINT16: LOOK(uint16_t) break;
	default: LOOK(uint32_t)
	}
}

#define MARK(T) \
	for (int64_t i = 0; i < n; i++) { \
		uint64_t k = (uint64_t)(int64_t)((const T *)x)[i] - (uint64_t)v->low; \
		table[k < none ? k : none] |= 2; \
	}

// meet marks the values that are among n elements, and says how many there are: their places in the table have a 3.
static int64_t meet(int dtype, int64_t n, const char *x, const values *v, char *table)
{
	const uint64_t none = v->span + 1;
	memset(table, 0, none + 1);
	for (int64_t i = 0; i < v->n; i++)
		table[(uint64_t)v->at[i] - (uint64_t)v->low] = 1;
	switch (dtype) {
	case INT8: MARK(int8_t) break;
	case INT16: MARK(int16_t) break;
	case INT32: MARK(int32_t) break;
	case INT64: MARK(int64_t) break;
	case UINT8: MARK(uint8_t) break;
	case UINT16: MARK(uint16_t) break;
	default: MARK(uint32_t)
	}
	int64_t both = 0;
	for (uint64_t k = 0; k < none; k++)
		both += table[k] == 3;
	return both;
}

// worth says whether a table of the values is, for so many elements.
static int worth(const values *v, int64_t n) { return v->span < WEFT_BLOCK - 2 && v->span <= TABLE + EACH * (uint64_t)n; }

// intersect1d(ar1, ar2) of one dtype
PyObject *weft_cut_intersect(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few x, y;
	values v;
	if (!weft_eager || n != 2 || names || !weft_many_of(args[0], WEFT_FOLD_MOST, 1, &x) || !integers(x.l) || !x.l->contiguous ||
		!weft_many_of(args[1], WEFT_FOLD_MOST, 1, &y) || y.l->dtype != x.l->dtype || !y.l->contiguous || !(x.data = weft_data(x.array)))
		return NULL;
	const int dtype = x.l->dtype, size = weft_sizes[dtype];
	const weft_few *few = x.l->size < y.l->size ? &x : &y, *many = few == &x ? &y : &x;
	v.n = few->l->size;
	if (!(v.at = (const int64_t *)weft_many_packed(few, INT64, WEFT_ROOM_VALUES)))
		return NULL;
	bound(&v);
	char *table = weft_scratch[2];
	int64_t both = worth(&v, many->l->size) ? meet(dtype, many->l->size, many->data, &v, table) : 0;
	weft_array *made = both ? weft_many_made(dtype, 1, &both) : NULL;
	char *to = made ? weft_data(made) : NULL;
	if (!to) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	for (uint64_t k = 0; k <= v.span; k++)
		if (table[k] == 3) {
			int64_t value = v.low + (int64_t)k;
			memcpy(to, &value, (size_t)size); // its low bytes
			to += size;
		}
	weft_note_made(WEFT_NOTE_INTERSECT, (PyObject *)made, dtype, x.array, y.array);
	return (PyObject *)made;
}

// isin(element, test_elements)
PyObject *weft_cut_isin(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	static int64_t room[LISTED];
	weft_few x, t = {.array = NULL};
	values v;
	if (!weft_eager || n != 2 || names || Py_TYPE(args[0]) != weft_array_type)
		return NULL;
	const weft_layout *l = weft_layout_of((weft_array *)args[0]);
	if (!l || l->ndim == 0 || !integers(l) || !l->contiguous)
		return NULL;
	int is_array = Py_TYPE(args[1]) == weft_array_type;
	if (is_array ? !weft_many_of(args[1], WEFT_FOLD_MOST, 1, &t) || !integers(t.l) : !PyList_CheckExact(args[1]) && !PyTuple_CheckExact(args[1]))
		return NULL;
	if (!weft_many_of(args[0], WEFT_FOLD_MOST, 1, &x))
		return NULL;
	weft_array *made = weft_many_made(WEFT_BOOL_DTYPE, x.l->ndim, x.l->shape);
	if (!made)
		return NULL;
	char *to = weft_data(made);
	int known = to && (x.data = weft_data(x.array)) && (!is_array || (t.data = weft_data(t.array)));
	if (known && is_array) {
		v.n = t.l->size;
		known = (v.at = (const int64_t *)weft_many_packed(&t, INT64, WEFT_ROOM_VALUES)) != NULL;
	} else if (known) {
		known = listed(args[1], room, &v);
	}
	if (known)
		bound(&v);
	if (!known || !worth(&v, x.l->size)) {
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	look(x.l->dtype, x.l->size, x.data, &v, weft_scratch[2], to);
	weft_note_made(WEFT_NOTE_ISIN, (PyObject *)made, WEFT_BOOL_DTYPE, x.array, t.array);
	weft_layout flat; // which NumPy finds of the flattened array
	weft_lay(&flat, WEFT_BOOL_DTYPE, 1, &x.l->size);
	return weft_seen_in((PyObject *)made, &flat);
}
