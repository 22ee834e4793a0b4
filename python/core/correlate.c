//go:build extension

// Sums of products of a few taps with the elements under them: convolve and correlate of vectors. One pass here takes less time than one of the general function's
// operations for each tap, whose roundings it has (python/weft/_compiled.py).
//
// NumPy answers otherwise where elements are few, and its bits are had here: up to eleven taps it adds up one after the other as well where all of them lie on
// elements, and where some stand out each sum is a product of vectors by the linear algebra library, which vecdot's loop calls.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { INT64 = 5, UINT64 = 9, FLOAT32 = 11, FLOAT64 = 12 }; // tile.DTypes
enum { FEW = 4096, MOST = 1 << 20, TAPS = 64 };             // elements that NumPy's function does not answer (_delegates.py), and the taps of an expression
enum { FEW_TAPS = 11, ITEM = 8 };                           // that NumPy adds up one after the other; bytes of a float64

// stands_out reads how far the taps may stand out before the elements and behind them: 0 where the general function has to look.
static int stands_out(PyObject *mode, int64_t taps, int64_t *before, int64_t *after)
{
	*before = *after = 0;
	if (!PyUnicode_CheckExact(mode))
		return 0;
	if (PyUnicode_CompareWithASCIIString(mode, "full") == 0)
		*before = *after = taps - 1;
	else if (PyUnicode_CompareWithASCIIString(mode, "same") == 0) {
		*before = taps / 2;
		*after = taps - taps / 2 - 1;
	} else
		return PyUnicode_CompareWithASCIIString(mode, "valid") == 0;
	return 1;
}

// all_finite says whether zeros beside the elements leave sums as they are.
static int all_finite(int dtype, int64_t n, const char *tap)
{
	for (int64_t i = 0; i < n; i++) {
		double d = dtype == FLOAT64 ? ((const double *)tap)[i] : dtype == FLOAT32 ? ((const float *)tap)[i] : 0;
		if (d - d != 0)
			return 0;
	}
	return 1;
}

// vecdot is NumPy's loop, or NULL where there is none.
static const weft_loop *vecdot(void)
{
	static weft_loop loop;
	static int known;
	if (!known) {
		known = 1;
		if (weft_read_core_loop("numpy", "vecdot", "(n),(n)->()", &loop) < 0)
			PyErr_Clear(); // a NumPy that has none
	}
	return loop.run ? &loop : NULL;
}

// ends computes the sums of which some taps stand out, before the n elements and behind them; 0 where NumPy has to.
static int ends(int64_t n, int64_t taps, int64_t before, int64_t after, const char *x, const char *tap, char *to)
{
	const weft_loop *loop = before || after ? vecdot() : NULL;
	const int64_t steps[] = {0, 0, 0, ITEM, ITEM}, inner = n - taps + 1;
	char *at[2 * FEW_TAPS][3];
	int64_t sizes[2 * FEW_TAPS][2];
	for (int64_t i = 0; i < before + after; i++) {
		const int64_t behind = i - before, first = behind < 0 ? 0 : inner + behind, tap_of = behind < 0 ? -behind : 0;
		at[i][0] = (char *)x + first * ITEM;
		at[i][1] = (char *)tap + tap_of * ITEM;
		at[i][2] = to + (behind < 0 ? i : inner + i) * ITEM;
		sizes[i][0] = 1;
		sizes[i][1] = taps + (behind < 0 ? behind : -1 - behind);
	}
	return !(before || after) || (loop && weft_run_core_loops(loop, (int)(before + after), at[0], 3, sizes[0], 2, steps));
}

// convolve(a, v, mode='full'), and correlate(a, v, mode='valid'); turns is True for the former.
PyObject *weft_cut_correlate(PyObject *turns, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	weft_few x, v;
	int64_t before, after;
	int says = n == 3 || (names && PyTuple_Size(names) == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "mode") == 0);
	if (!weft_eager || n < 2 || n > 3 || (names && (n == 3 || !says)))
		return NULL;
	if (PyList_CheckExact(args[1])) {
		PyObject *made = weft_of_numbers(args[1]);
		PyObject *answer = made && made != Py_None ? weft_cut_correlate(turns, (PyObject *[]){args[0], made, says ? args[2] : NULL}, n, names) : NULL;
		if (!made)
			PyErr_Clear(); // the general function finds that out as well
		Py_XDECREF(made);
		return answer;
	}
	if (Py_TYPE(args[0]) != weft_array_type || Py_TYPE(args[1]) != weft_array_type)
		return NULL;
	const weft_layout *l = weft_layout_of((weft_array *)args[0]), *m = weft_layout_of((weft_array *)args[1]);
	if (!l || !m || l->ndim != 1 || m->ndim != 1)
		return NULL;
	int few = l->size < FEW && m->size < FEW, swaps = turns == Py_True && m->size > l->size;
	PyObject *elements = args[swaps], *taps = args[!swaps];
	if ((swaps ? m : l)->size < (swaps ? l : m)->size || !weft_many_of(taps, TAPS, 1, &v) || !weft_many_of(elements, MOST, 1, &x) || !(v.data = weft_data(v.array)))
		return NULL;
	int dtype = weft_promoted(x.l->dtype, v.l->dtype);
	const int64_t size = dtype ? weft_sizes[dtype] : 0, m1 = v.l->size;
	if ((dtype != INT64 && dtype != UINT64 && dtype != FLOAT32 && dtype != FLOAT64) || (says && !stands_out(args[2], m1, &before, &after)))
		return NULL;
	if (!says)
		before = after = turns == Py_True ? m1 - 1 : 0;
	if (few && (m1 > FEW_TAPS || dtype == FLOAT32 || !weft_most_of_numpys())) // see the top of this file; or few elements are to be as others
		return NULL;
	char tap[TAPS * sizeof(double)];
	const char *packed = weft_many_packed(&v, dtype, WEFT_ROOM_VALUES), *from = packed ? weft_many_packed(&x, dtype, WEFT_ROOM_ELEMENTS) : NULL;
	for (int64_t i = 0; from && i < m1; i++)
		memcpy(tap + i * size, packed + (turns == Py_True ? m1 - 1 - i : i) * size, (size_t)size);
	const int apart = few && dtype == FLOAT64;
	if (!from || (!apart && (before || after) && !all_finite(dtype, m1, tap)))
		return NULL;
	int64_t all = x.l->size + before + after, count = all - m1 + 1;
	if (!apart && (before || after)) {
		char *wide = weft_room(WEFT_ROOM_INDEX, all * size);
		if (!wide)
			return NULL;
		memset(wide, 0, (size_t)(before * size));
		memcpy(wide + before * size, from, (size_t)(x.l->size * size));
		memset(wide + (before + x.l->size) * size, 0, (size_t)(after * size));
		from = wide;
	}
	weft_array *made = weft_many_made(dtype, 1, &count);
	char *to = made ? weft_data(made) : NULL;
	int done = to && weft_data(x.array) == x.data; // or it was shut meanwhile: see opening.c
	if (done && apart)
		done = eager_correlate(dtype, x.l->size - m1 + 1, m1, from, tap, to + before * ITEM) && ends(x.l->size, m1, before, after, from, tap, to);
	else if (done)
		done = eager_correlate(dtype, count, m1, from, tap, to);
	if (!done) {
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_CORRELATE, (PyObject *)made, dtype, x.array, v.array);
	return (PyObject *)made;
}
