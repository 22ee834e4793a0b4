//go:build extension

// The handle of an array of Go's: when one is wanted, an array that has none gets it. What the Python object had itself goes over.
//
//	x = np.zeros(4)      bytes               taken over by Go (weft_settle)
//	x = asarray(A)       borrowed            shared with Go (weft_lend_borrowed)
//	v = x[1:3]           a place in x        a view of x's handle
//	large[0] was read    open                shut (weft_shut_memory)
//
// Views without a handle are a list, since all of an array get theirs before its memory becomes another's.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "loans.h"
#include <stdlib.h>
#include <string.h>

// The views without a handle, all of them.
static weft_array *lazy;

void weft_link_view(weft_array *a)
{
	a->next = lazy;
	if (lazy)
		lazy->previous = a;
	lazy = a;
	((weft_array *)a->base)->views++;
}

void weft_forget_view(weft_array *a)
{
	if (a->next)
		a->next->previous = a->previous;
	if (a->previous)
		a->previous->next = a->next;
	else
		lazy = a->next;
	a->next = a->previous = NULL;
	((weft_array *)a->base)->views--;
}

uint64_t weft_handle(PyObject *array)
{
	weft_array *a = (weft_array *)array;
	if (__builtin_expect(weft_opened != 0, 0))
		weft_shut_memory(a);
	if (__builtin_expect(a->bytes != NULL, 0))
		weft_settle(a);
	if (__builtin_expect(a->handle == 0 && a->base != NULL, 0)) {
		uint64_t base = weft_handle(a->base), handle = base ? goView(base, &a->at, a->place.offset, a->place.readonly) : 0;
		if (handle) { // otherwise the caller that wanted it raises the reason: 0 names no array
			weft_forget_view(a);
			a->handle = handle;
		}
	}
	return a->handle;
}

void weft_make_views(PyObject *of)
{
	for (weft_array *a = lazy, *next; a; a = next) {
		next = a->next;
		if (!of || a->base == of)
			weft_handle((PyObject *)a);
	}
}

// lies_as_gos says whether an array lies as one that Go makes of its shape: also along axes of one element, whose steps NumPy looks at where it asks whether two arrays are the same.
static int lies_as_gos(const weft_layout *l)
{
	weft_layout made;
	weft_lay(&made, l->dtype, l->ndim, l->shape);
	return l->contiguous && (!l->size || memcmp(made.strides, l->strides, (size_t)l->ndim * sizeof *l->strides) == 0);
}

int weft_settle(weft_array *a)
{
	if (a->borrowed)
		return weft_lend_borrowed(a);
	uint64_t out;
	weft_error e = {NULL, NULL};
	weft_layout flat = a->at;
	int64_t n = a->at.size;
	int is_view = !lies_as_gos(&a->at);
	if (is_view)
		weft_lay(&flat, a->at.dtype, 1, &n);
	int64_t bytes = n * weft_sizes[flat.dtype];
	char *memory = a->lasting ? a->bytes : weft_lasting_block(a->bytes, bytes);
	if (!memory) {
		goNoRoom(bytes);
		return 0; // the caller that wanted a handle raises the reason: 0 names no array
	}
	if (goTakeOver(memory, bytes, flat.dtype, flat.shape, flat.ndim, a->place.memory, &out, &e) != WEFT_OK) {
		if (memory != a->bytes)
			weft_return_block(memory, bytes);
		free(e.type);
		free(e.text);
		return 0;
	}
	a->handle = out;
	if (memory != a->bytes)
		weft_give_block(a->bytes, bytes);
	a->bytes = NULL;
	weft_smalls--;
	if (is_view) {
		a->handle = goView(out, &a->at, 0, 0);
		goFree(out);
	}
	a->lasting = 0;
	if (a->exports)
		weft_keep_exported(a);
	return 1;
}

// settle_borrowed does so with those that borrowed it.
static void settle_borrowed(uint64_t address, uint64_t bytes)
{
	for (weft_loan *l = weft_loans, *next; l; l = next) {
		next = l->next;
		if ((uint64_t)(uintptr_t)l->low < address + bytes && address < (uint64_t)(uintptr_t)l->high)
			weft_handle((PyObject *)l->to);
	}
}

void weft_settle_exported(uint64_t address, uint64_t bytes)
{
	settle_borrowed(address, bytes);
	for (weft_array *a = weft_exported_arrays, *next; a; a = next) {
		uint64_t first = (uint64_t)(uintptr_t)a->bytes, end = first + (uint64_t)(a->at.size * weft_sizes[a->at.dtype]);
		next = a->exported_next;
		if (address < end && first < address + bytes)
			weft_handle((PyObject *)a);
	}
}
