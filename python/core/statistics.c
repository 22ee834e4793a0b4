//go:build extension

// Order statistics: the elements that a sort would have at some places of a vector, found by one thread. A place is found, which leaves
// what is before it and what is behind it apart, and then those on either side:
//
//	places     0 9999 10000 50000 99999     of 100,000
//	first      10000      as a partition around it finds it
//	then       0 9999     among the 10,000 before, 50000 99999 among those behind
//
// NumPy's quantiles want a handful of places. A partition of the array around all of them, which has one result for all ways there,
// sorts most of it.
#include "shim.h"
#include "few.h"
#include "order.h"
#include <string.h>

enum { ITEM = 8 }; // bytes of the widest elements

typedef struct {
	const weft_row_order *r;
	const int64_t *places; // they rise
	char *rooms[2], *out;  // rooms of as many elements as there are; out has a place for each
	int64_t *more;         // what a selection needs
} wanted;

// find writes the elements for places first to end of those wanted, which are among the n elements of from; these stand from at on in the
// order of all. room says which room the elements are to be put apart in: from may be the other one, where nothing else reads them.
static void find(const wanted *w, const char *from, int64_t at, int64_t n, int first, int end, int room)
{
	const int width = w->r->width;
	const int64_t size = (int64_t)1 << width;
	if (first == end)
		return;
	const int middle = first + (end - first) / 2;
	const int64_t kth = w->places[middle] - at;
	if (end - first == 1 && (kth == 0 || kth == n - 1)) {
		const int64_t best = sorting_best_end(w->r->machine, &w->r->order, width, from, n, kth != 0);
		memcpy(w->out + middle * size, from + best * size, (size_t)size);
		return;
	}
	char *to = w->rooms[room] + at * size;
	if (n <= w->r->parted) {
		sorting_rows(w->r->machine, &w->r->order, width, from, to, 1, n);
		for (int i = first; i < end; i++)
			memcpy(w->out + i * size, to + (w->places[i] - at) * size, (size_t)size);
		return;
	}
	sorting_select_row(w->r->machine, &w->r->order, width, from, to, n, kth, w->more);
	memcpy(w->out + middle * size, to + kth * size, (size_t)size);
	find(w, to, at, kth, first, middle, !room);
	find(w, to + (kth + 1) * size, at + kth + 1, n - kth - 1, middle + 1, end, !room);
}

int weft_statistics(int dtype, const char *from, int64_t n, const int64_t *places, int count, char *found)
{
	const weft_row_order *r = weft_order_of(0, dtype);
	const int64_t more = 3 * n + SELECT_MORE;
	char *room = r->width < 2 ? NULL : weft_room(WEFT_ROOM_VALUES, (more + 2 * n) * ITEM);
	if (!room)
		return r->width < 2 ? 0 : -1;
	wanted w = {r, places, {room + more * ITEM, room + (more + n) * ITEM}, found, (int64_t *)room};
	find(&w, from, 0, n, 0, count, 0);
	return 1;
}

// order_statistics(array, places): what a sort would have at places of a vector, which rise, in an array; None of what general functions have to order.
PyObject *weft_order_statistics(PyObject *self, PyObject *args)
{
	(void)self;
	ENTER(NULL)
	PyObject *array, *list;
	weft_few x;
	int64_t places[WEFT_PLACES];
	char found[WEFT_PLACES * ITEM];
	if (!PyArg_ParseTuple(args, "OO!:order_statistics", &array, &PyList_Type, &list))
		return NULL;
	const int64_t count = PyList_Size(list);
	if (count < 1 || count > WEFT_PLACES || !weft_many_of(array, WEFT_STATISTICS_MOST, 1, &x) || x.l->ndim != 1 || x.l->dtype <= WEFT_BOOL_DTYPE)
		return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
	for (int64_t i = 0; i < count; i++) {
		places[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
		if (PyErr_Occurred())
			return NULL;
		if (places[i] <= (i ? places[i - 1] : -1) || places[i] >= x.l->size)
			return Py_NewRef(Py_None);
	}
	const char *from = weft_many_packed(&x, x.l->dtype, WEFT_ROOM_ELEMENTS);
	const int done = from ? weft_statistics(x.l->dtype, from, x.l->size, places, (int)count, found) : -1;
	if (done < 1)
		return done < 0 ? PyErr_NoMemory() : Py_NewRef(Py_None);
	PyObject *made = weft_small_of(x.l->dtype, 1, &count, found, count * weft_sizes[x.l->dtype]);
	return made || PyErr_Occurred() ? made : Py_NewRef(Py_None);
}
