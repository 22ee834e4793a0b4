//go:build extension

// histogram(a, bins) of as many equal bins from the least element to the greatest one, as NumPy's text counts them: an element's bin is computed, and
// the edges beside it decide where rounding has put it into a neighbour's.
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <math.h>
#include <string.h>

enum {
	INT64 = 5, // tile.DTypes
	FLOAT64 = 12,
	BINS = 1 << 12, // whose counts and edges stay in the first-level cache, about
	MOST = 1 << 17, // elements: of more, several threads count
};

// ends are where the first bin begins and the last one ends, and how far apart they are.
typedef struct {
	double first, last, apart;
	int some; // elements outside are not counted
} ends;

// spread has ends that are one number lie around it.
static int spread(ends *e)
{
	if (e->first == e->last && e->apart == 0) {
		e->first -= 0.5;
		e->last += 0.5;
		e->apart = e->last - e->first;
	}
	return isfinite(e->apart) && e->apart > 0;
}

// ends_of are the least element and the greatest one; 0 where the general function has to look.
static int ends_of(const weft_few *x, const void *data, ends *e)
{
	const int64_t n = x->l->size;
	if (x->l->dtype == INT64) {
		const int64_t *v = data;
		int64_t least = v[0], most = v[0];
		for (int64_t i = 1; i < n; i++) {
			least = v[i] < least ? v[i] : least;
			most = v[i] > most ? v[i] : most;
		}
		*e = (ends){(double)least, (double)most, (double)((uint64_t)most - (uint64_t)least), 0};
		return 1;
	}
	const double *v = data;
	double least = v[0], most = v[0];
	int finite = 1;
	for (int64_t i = 0; i < n; i++) {
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
		finite &= isfinite(v[i]) != 0;
	}
	*e = (ends){least, most, most - least, 0};
	return finite;
}

// given_ends are those of a tuple of Python's numbers that a double has exactly.
static int given_ends(PyObject *range, ends *e)
{
	enum { MOST_WHOLE = 1 << 30 };
	double end[2];
	if (!PyTuple_CheckExact(range) || PyTuple_Size(range) != 2)
		return 0;
	for (int i = 0; i < 2; i++) {
		PyObject *o = PyTuple_GetItem(range, i);
		int overflow = 0;
		const int64_t whole = PyLong_CheckExact(o) ? PyLong_AsLongLongAndOverflow(o, &overflow) : 0;
		if (!PyLong_CheckExact(o) && !PyFloat_CheckExact(o))
			return 0;
		if (overflow || whole < -MOST_WHOLE || whole > MOST_WHOLE)
			return 0;
		end[i] = PyLong_CheckExact(o) ? (double)whole : PyFloat_AsDouble(o);
	}
	*e = (ends){end[0], end[1], end[1] - end[0], 1};
	return isfinite(end[0]) && isfinite(end[1]) && end[0] <= end[1];
}

#define COUNTED(T) \
	for (int64_t i = 0; i < n; i++) { \
		const double x = (double)((const T *)data)[i]; \
		if (e->some && !(x >= e->first && x <= e->last)) \
			continue; \
		int64_t at = (int64_t)((x - e->first) / e->apart * (double)bins); \
		at -= at == bins; \
		at -= x < edges[at]; \
		at += x >= edges[at + 1] && at != bins - 1; \
		counts[at]++; \
	}

static void counted(int dtype, int64_t n, const void *data, const ends *e, int64_t bins, const double *edges, int64_t *counts)
{
	if (dtype == INT64)
		COUNTED(int64_t)
	else
		COUNTED(double)
}

// edges_of writes one edge more than there are bins; 0 where some do not rise, of which NumPy raises.
static int edges_of(const ends *e, int64_t bins, double *edges)
{
	const double step = (e->last - e->first) / (double)bins;
	int rise = step > 0;
	eager_line(bins + 1, e->first, step, edges);
	edges[bins] = e->last;
	for (int64_t i = 0; i < bins; i++)
		rise &= edges[i] < edges[i + 1];
	return rise;
}

// histogram(a, bins=10, range=None, density=None, weights=None)
PyObject *weft_few_histogram(int kind, PyObject *const *args)
{
	(void)kind;
	const weft_layout *l = weft_eager && Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL;
	ends e;
	if (!l || l->ndim == 0 || (l->dtype != INT64 && l->dtype != FLOAT64) || !PyLong_CheckExact(args[1]) || (args[3] != Py_None && args[3] != Py_False) ||
		args[4] != Py_None || (args[2] != Py_None && !given_ends(args[2], &e)))
		return NULL;
	int overflow = 0;
	const int64_t bins = PyLong_AsLongLongAndOverflow(args[1], &overflow), more = bins + 1;
	weft_few x;
	if (overflow || bins < 1 || bins > BINS || !weft_many_of(args[0], MOST, 1, &x))
		return NULL;
	const char *data = weft_many_packed(&x, x.l->dtype, WEFT_ROOM_ELEMENTS);
	int64_t *counts = data ? (int64_t *)weft_room(WEFT_ROOM_VALUES, (bins + more) * 8) : NULL;
	if (!counts)
		return NULL;
	double *edges = (double *)(counts + bins);
	memset(counts, 0, (size_t)bins * sizeof *counts);
	eager_lower();
	if ((args[2] == Py_None && !ends_of(&x, data, &e)) || !spread(&e) || !edges_of(&e, bins, edges))
		return NULL;
	counted(x.l->dtype, x.l->size, data, &e, bins, edges, counts);
	if (eager_raised() & weft_floating_watched) // the general function tells of it
		return NULL;
	PyObject *found = weft_small_of(INT64, 1, &bins, counts, bins * 8), *where = found ? weft_small_of(FLOAT64, 1, &more, edges, more * 8) : NULL;
	PyObject *both = where ? PyTuple_Pack(2, found, where) : NULL;
	if (both)
		weft_note_made(WEFT_NOTE_HISTOGRAM, found, INT64, x.array, NULL);
	Py_XDECREF(found);
	Py_XDECREF(where);
	return both;
}
