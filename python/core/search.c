//go:build extension

// Where few elements belong in a sorted array of any size, which is read where it lies: searchsorted and digitize, by the routine that searches for more.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

enum { INT64 = 5, FLOAT16 = 10, FLOAT64 = 12 }; // tile.DTypes
enum {
	BINNED = 1 << 14, // elements that are put into bins at once: as many as NumPy's function answers otherwise (_delegates.py)
	FEW = 32,         // that are found without a call of Go
};

// rank_of maps the bits of a double to an integer in the order of sorted doubles: both zeros are one, and every NaN is the last. Comparing doubles would take
// denormals for zeros where the program has set the processor to do so.
static int64_t rank_of(int64_t bits)
{
	const int64_t size = bits & INT64_MAX, infinite = INT64_C(0x7ff) << 52;
	return size > infinite ? INT64_MAX : bits < 0 ? -size : bits;
}

// FIND is where elements belong in n sorted ones: behind those that are less, or also behind those that are equal. Each is looked for as NumPy does, between bounds that the
// one before it has left, so that they are where NumPy finds them where the others are not sorted, too.
#define FIND(name, KEY) \
	static void name(int right, int64_t n, const int64_t *sorted, int64_t m, const int64_t *elements, int64_t *to) \
	{ \
		int64_t low = 0, high = n, last = INT64_MIN; \
		for (int64_t i = 0; i < m; i++) { \
			const int64_t key = KEY(elements[i]); \
			const int rises = right ? last <= key : last < key; \
			low = rises ? low : 0; \
			high = rises || high == n ? n : high + 1; \
			last = key; \
			while (low < high) { \
				const int64_t at = low + (high - low) / 2, middle = KEY(sorted[at]); \
				const int goes = right ? middle <= key : middle < key; \
				low = goes ? at + 1 : low; \
				high = goes ? high : at; \
			} \
			to[i] = low; \
		} \
	}
#define ITSELF(x) (x)
FIND(find_double, rank_of)
FIND(find_integer, ITSELF)

// find finds where m elements belong. Few of the usual dtypes are found here: to call Go costs as much as a dozen of them.
static void find(int dtype, int right, int64_t n, const char *sorted, int64_t m, const char *elements, void *places)
{
	if (m > FEW || (dtype != FLOAT64 && dtype != INT64)) {
		goSearch(dtype, right, n, (void *)sorted, m, (void *)elements, places);
		return;
	}
	(dtype == FLOAT64 ? find_double : find_integer)(right, n, (const int64_t *)sorted, m, (const int64_t *)elements, places);
}

// from_right reads a side: whether it is the right one; -1 where the general function has to look.
static int from_right(PyObject *side)
{
	if (side == weft_no_value)
		return 0;
	if (!PyUnicode_CheckExact(side))
		return -1;
	return PyUnicode_CompareWithASCIIString(side, "right") == 0 ? 1 : PyUnicode_CompareWithASCIIString(side, "left") == 0 ? 0 : -1;
}

// places finds where the elements of v belong in those of a; NULL without an exception where the general function has to.
static PyObject *places(weft_few *a, weft_few *v, int right, int note)
{
	int dtype = a->l->dtype;
	if (v->l->ndim == 0 || !weft_fits(v->l->size, INT64) || weft_promoted(dtype, v->l->dtype) != dtype || !(a->data = weft_data(a->array))) // which looking at the others may have shut
		return NULL;
	char *keys = weft_few_packed(v, dtype, weft_scratch[1]);
	weft_array *made = keys ? weft_new_packed(INT64, v->l->ndim, v->l->shape) : NULL;
	if (!made)
		return NULL;
	find(dtype, right, a->l->size, a->data, v->l->size, keys, made->bytes);
	weft_note_made(note, (PyObject *)made, INT64, a->array, v->array);
	return (PyObject *)made;
}

// ascends says whether numbers do, none of which is a NaN.
static int ascends(int dtype, int64_t n, const char *data)
{
	const double *x = (const double *)data;
	const int64_t *k = (const int64_t *)data;
	int rises = dtype != FLOAT64 || x[0] == x[0];
	for (int64_t i = 1; i < n; i++)
		rises &= dtype == FLOAT64 ? x[i - 1] <= x[i] : k[i - 1] <= k[i];
	return rises;
}

// digitize(x, bins, right=False)
PyObject *weft_few_digitize(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few bins, x;
	if ((args[2] != Py_True && args[2] != Py_False) || !weft_few_of(args[1], WEFT_READS, &bins) || bins.l->ndim != 1 || !bins.l->contiguous ||
		(bins.l->dtype != FLOAT64 && bins.l->dtype != INT64) || !ascends(bins.l->dtype, bins.l->size, bins.data) || !weft_most_of(args[0], BINNED, 0, &x))
		return NULL;
	return places(&bins, &x, args[2] != Py_True, WEFT_NOTE_DIGITIZE);
}

// searchsorted(a, v, side='left', sorter=None)
PyObject *weft_few_search(int kind, PyObject *const *args)
{
	(void)kind;
	weft_few a, v;
	weft_value number;
	char one[EAGER_WIDEST];
	int right = from_right(args[2]), is_array = Py_TYPE(args[1]) == weft_array_type;
	if (right < 0 || !weft_any_of(args[0], &a) || a.l->ndim != 1 || !a.l->contiguous)
		return NULL;
	int dtype = a.l->dtype;
	if (dtype <= WEFT_BOOL_DTYPE || dtype == FLOAT16 || dtype > FLOAT64)
		return NULL;
	if (!is_array) {
		// A number is a float64 or an int64 here, whatever the array's elements are.
		if (!weft_number(args[1], &number) || number.dtype || !(dtype == FLOAT64 || (dtype == INT64 && number.kind != WEFT_FLOAT)) || !weft_write(&number, dtype, one))
			return NULL;
		int64_t at;
		find(dtype, right, a.l->size, a.data, 1, one, &at);
		PyObject *place = weft_scalar_at(&at, INT64);
		if (place)
			weft_note_made(WEFT_NOTE_SEARCH, place, INT64, a.array, NULL);
		return place;
	}
	return weft_few_of(args[1], 0, &v) ? places(&a, &v, right, WEFT_NOTE_SEARCH) : NULL;
}
