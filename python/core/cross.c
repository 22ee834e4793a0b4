//go:build extension

// Cross products of vectors of three elements, in one pass over as many at a time as a code takes: the products and differences of NumPy's text, which
// goes over every third element nine times.
//
//	a   n x 3, or one of 3     a0 a1 a2
//	b   n x 3, or one of 3     b0 b1 b2
//	a x b                      a1 b2 - a2 b1    a2 b0 - a0 b2    a0 b1 - a1 b0
#include "shim.h"
#include "few.h"
#include "../../cpu/eager/floating.h"

enum { FLOAT16 = 10, FLOAT64 = 12, MOST = 1 << 20, SIDES = 3 }; // tile.DTypes; elements of an operand; elements of a vector

// vectors is an operand by columns, of some of its vectors.
typedef struct {
	char *from; // the first of them
	int one;    // one vector for all of the other operand's
	char *column[SIDES];
} vectors;

// column reads n vectors into columns that lie side by side in room; those of one vector are where they are.
static void column(vectors *v, int size, int64_t n, char *room)
{
	for (int i = 0; i < SIDES; i++) {
		v->column[i] = v->from + i * size;
		if (n > 1 && !v->one) {
			char *to = room + (int64_t)i * EAGER_BLOCK * size;
			eager_copy(size, n, to, size, v->column[i], SIDES * size);
			v->column[i] = to;
		}
	}
}

// block computes n products, at most EAGER_BLOCK.
static void block(const weft_recipe *times, const weft_recipe *minus, int size, int64_t n, vectors *a, vectors *b, char *to)
{
	const int64_t bytes = (int64_t)EAGER_BLOCK * size;
	char *room = weft_scratch[3], *left = room + 2 * SIDES * bytes, *right = left + bytes;
	column(a, size, n, room);
	column(b, size, n, room + SIDES * bytes);
	for (int k = 0; k < SIDES; k++) {
		const int i = (k + 1) % SIDES, j = (k + 2) % SIDES;
		char *first[EAGER_INPUTS] = {a->column[i], b->column[j]}, *second[EAGER_INPUTS] = {a->column[j], b->column[i]}, *both[EAGER_INPUTS] = {left, right};
		const uint32_t ones = n > 1 ? (uint32_t)(a->one | b->one << 1) : 0;
		eager_map(times->code, n, left, first, ones, NULL);
		eager_map(times->code, n, right, second, ones, NULL);
		eager_map(minus->code, n, left, both, 0, NULL);
		eager_copy(size, n, to + k * size, SIDES * size, left, size);
	}
}

static const weft_layout *of_three(PyObject *o)
{
	const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
	return l && l->ndim > 0 && l->ndim <= WEFT_NEAR && l->size <= MOST && l->shape[l->ndim - 1] == SIDES ? l : NULL;
}

static int alike(const weft_layout *l, const weft_layout *m)
{
	for (int i = 0; l->ndim == m->ndim && i < l->ndim; i++)
		if (l->shape[i] != m->shape[i])
			return 0;
	return l->ndim == m->ndim || l->ndim == 1 || m->ndim == 1;
}

// cross(a, b), along the last axes, of real numbers: products of complex ones are rounded otherwise in NumPy's loops.
PyObject *weft_cut_cross(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	weft_few a, b;
	const weft_layout *l = weft_eager && n == 2 && !names ? of_three(args[0]) : NULL, *m = l ? of_three(args[1]) : NULL;
	if (!m || !alike(l, m) || !weft_many_of(args[0], MOST, 0, &a) || !weft_many_of(args[1], MOST, 0, &b))
		return NULL;
	const int dtype = weft_promoted(a.l->dtype, b.l->dtype), size = weft_sizes[dtype];
	const weft_recipe *times = dtype ? weft_recipe_of(weft_operators[OP_MULTIPLY], dtype, dtype) : NULL;
	const weft_recipe *minus = dtype ? weft_recipe_of(weft_operators[OP_SUBTRACT], dtype, dtype) : NULL;
	if (dtype > FLOAT64 || !times || !minus || times->result != dtype || minus->result != dtype)
		return NULL;
	const weft_layout *shape = a.l->ndim < b.l->ndim ? b.l : a.l;
	weft_array *made = weft_many_made(dtype, shape->ndim, shape->shape);
	char *to = made ? weft_data(made) : NULL;
	a.data = to ? weft_data(a.array) : NULL;
	b.data = a.data ? weft_data(b.array) : NULL;
	vectors x = {.one = a.l->ndim == 1}, y = {.one = b.l->ndim == 1};
	if (b.data && (x.from = weft_many_packed(&a, dtype, WEFT_ROOM_ELEMENTS)))
		y.from = weft_many_packed(&b, dtype, WEFT_ROOM_VALUES);
	if (!y.from) { // shut meanwhile, see opening.c; or there is no room
		Py_XDECREF((PyObject *)made);
		return NULL;
	}
	eager_lower();
	for (int64_t left = shape->size / SIDES, some; left > 0; left -= some) {
		some = left < EAGER_BLOCK ? left : EAGER_BLOCK;
		block(times, minus, size, some, &x, &y, to);
		to += some * SIDES * size;
		x.from += x.one ? 0 : some * SIDES * size;
		y.from += y.one ? 0 : some * SIDES * size;
	}
	if (dtype >= FLOAT16 && eager_raised() & weft_floating_watched) { // the general function tells of it
		Py_DECREF((PyObject *)made);
		return NULL;
	}
	weft_note_made(WEFT_NOTE_CROSS, (PyObject *)made, dtype, a.array, b.array);
	PyObject *moved = weft_view_of(made, weft_layout_of(made), made->place.offset); // as NumPy's is, along an axis of the program's
	Py_DECREF((PyObject *)made);
	return moved;
}
