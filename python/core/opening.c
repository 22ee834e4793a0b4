//go:build extension

// Opening: the memory of an array of Go's that nothing unfinished reads or writes is the eager tier's, like that of a small one,
// until the array takes part in a call again. Go pins it meanwhile, as it does for a buffer of Python's, and knows that its
// elements change. So an element of a large array, a row or a short slice is read and written where it lies.
//
//	x = np.random.rand(200, 200)    Go's
//	x[3, 4]                         a value is wanted: opened
//	x[3, :3] @ x[:3, 4]             at once
//	x[3] -= x[4] * 2                at once
//	y = x + 1                       shut, and submitted
//
// What is opened for each of two operations between which it is shut gains nothing, so that an array that nothing was read of
// is opened only after several small operations in a row; and at once where the program has just waited, as nothing is
// submitted then that would be run for it.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"

enum {
	OPEN = 32,     // arrays at a time
	PATIENCE = 8,  // small operations on a large array before it is opened without a value that is wanted
	SELDOM = 64,   // after a refusal: every so many
	MERGED = 1 << 15, // elements from which on a pass over memory costs more than planning the operation that saves it
};

int weft_opened;
static weft_array *open_arrays[OPEN];

void weft_shut(weft_array *a)
{
	const uint64_t number = a->opened;
	int left = 0;
	for (int i = 0; i < weft_opened; i++) {
		weft_array *o = open_arrays[i];
		if (o->opened != number) {
			open_arrays[left++] = o; // the oldest stays first
			continue;
		}
		o->opened = 0;
		o->opens = NULL;
	}
	weft_opened = left;
	if (!weft_forked)
		goShut(number);
}

void weft_shut_all(void)
{
	while (weft_opened > 0)
		weft_shut(open_arrays[weft_opened - 1]);
}

// open_over is an open array over a memory, or NULL. Others over it share what it was opened with.
static weft_array *open_over(uint64_t memory)
{
	for (int i = weft_opened - 1; i >= 0; i--)
		if (open_arrays[i]->place.memory == memory)
			return open_arrays[i];
	return NULL;
}

void weft_shut_memory(weft_array *a)
{
	a = weft_owner(a);
	if (a->opened) {
		weft_shut(a);
		a->refused = 0;
	}
	if (weft_opened == 0 || a->bytes)
		return;
	if (a->handle && a->place.memory == 0) // Go has not been asked yet where it is
		goPlace(a->handle, &a->place);
	weft_array *other = open_over(a->place.memory);
	if (other)
		weft_shut(other);
}

// kept reports whether others than the call that has got an array hold it: the interpreter's stack and the function's arguments hold it
// otherwise, and of a view's base the view.
static int kept(const weft_array *given, weft_array *a) { return Py_REFCNT((PyObject *)a) > (a == given ? 2 : 1); }

int weft_opens_later(PyObject *x, PyObject *y)
{
	if (Py_TYPE(x) != weft_array_type || Py_TYPE(y) != weft_array_type || weft_data((weft_array *)x))
		return 0;
	const weft_layout *l = weft_layout_of(weft_owner((weft_array *)x)), *m = weft_layout_of(weft_owner((weft_array *)y));
	return l && m && l->size * weft_sizes[l->dtype] < m->size * weft_sizes[m->dtype];
}

int weft_open_now(weft_array *a, int reads)
{
	const weft_array *given = a;
	a = weft_owner(a);
	if (a->bytes || a->opened)
		return 1;
	if (!weft_eager || weft_devices || !a->handle || weft_layouts.plain)
		return 0;
	const weft_layout *l = weft_layout_of(a);
	if (!l)
		return 0;
	if (!weft_fits(l->size, l->dtype) && !reads && !(a->place.memory & WEFT_LENT) && !weft_waited()) { // see the top of this file; operations on lent memory wait
		a->refused++;
		if (a->refused < PATIENCE || (a->refused > PATIENCE && a->refused % SELDOM))
			return 0;
	}
	if (a->place.layout < weft_layouts.base || a->place.memory == 0) {
		goPlace(a->handle, &a->place);
		if (a->place.layout == WEFT_NO_LAYOUT)
			return 0;
	}
	if (weft_opened == OPEN) // with all that share its memory: what was opened before is looked at again by weft_data
		weft_shut(open_arrays[0]);
	const weft_array *other = open_over(a->place.memory);
	if (other) { // such as the array whose view this is
		a->opened = other->opened;
		a->opens = other->opens;
		open_arrays[weft_opened++] = a;
		return 1;
	}
	// What makes more than the eager tier would, and is read as a whole, is better computed together with this operation.
	// Not so what the program keeps: it is written in any case, and the value waited for.
	int merges = reads == WEFT_READS_SETTLED || (reads == WEFT_READS_ALL && !kept(given, a));
	int settled = merges && !weft_fits(l->size, l->dtype) && l->size > MERGED;
	uint64_t number = goOpen(a->handle, settled, &a->opens);
	if (!number)
		return 0;
	a->opened = number;
	open_arrays[weft_opened++] = a;
	return 1;
}

weft_array *weft_new_open(const weft_layout *l)
{
	char *memory;
	weft_place place;
	uint64_t handle, number = goMake(l->dtype, (int64_t *)l->shape, l->ndim, &handle, &place, &memory);
	weft_array *a = number ? (weft_array *)weft_wrap(handle) : NULL;
	if (!a) {
		if (number)
			goShut(number);
		PyErr_Clear(); // the general function finds that out as well
		return NULL;
	}
	if (weft_opened == OPEN)
		weft_shut(open_arrays[0]);
	a->at = *l;
	a->place = place;
	a->opens = memory;
	a->opened = number;
	open_arrays[weft_opened++] = a;
	return a;
}
