//go:build extension

// Memory that an array has in common with others before Go knows of it: what it borrowed of others (borrow.c), and what others
// hold of its own bytes (export.c). Both are lists of all there are, because a search for arrays over an address asks each.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "loans.h"
#include <stdlib.h>

weft_loan *weft_loans;
weft_array *weft_exported_arrays;

// drop takes a loan off the list.
static weft_loan *drop(const weft_array *a)
{
	weft_loan **at = &weft_loans;
	while (*at && (*at)->to != a)
		at = &(*at)->next;
	weft_loan *l = *at;
	if (l)
		*at = l->next;
	return l;
}

void weft_give_borrowed(weft_array *a)
{
	weft_loan *l = drop(a);
	a->borrowed = 0;
	a->bytes = NULL;
	weft_smalls--;
	if (!l)
		return;
	PyObject *owner = l->owner;
	PyMem_Free(l);
	Py_DECREF(owner);
}

int weft_lend_borrowed(weft_array *a)
{
	weft_loan *l = drop(a);
	uint64_t out = 0;
	int kept = 0;
	weft_error e = {NULL, NULL};
	if (!l)
		return 0;
	goShare(l->low, (uint64_t)(l->high - l->low), l->owner, a->at.dtype, a->place.offset, a->at.shape, a->at.strides, a->at.ndim, l->access, a->place.memory, &kept, &out, &e);
	free(e.type);
	free(e.text);
	if (!out) { // no memory: the caller that wanted a handle raises the reason
		l->next = weft_loans;
		weft_loans = l;
		return 0;
	}
	if (!kept)
		Py_DECREF(l->owner);
	PyMem_Free(l);
	a->borrowed = 0;
	a->bytes = NULL;
	a->handle = out;
	weft_smalls--;
	return 1;
}

void weft_enter_exported(weft_array *a)
{
	a->exported_previous = NULL;
	a->exported_next = weft_exported_arrays;
	if (weft_exported_arrays)
		weft_exported_arrays->exported_previous = a;
	weft_exported_arrays = a;
}

void weft_leave_exported(weft_array *a)
{
	if (a->exported_next)
		a->exported_next->exported_previous = a->exported_previous;
	if (a->exported_previous)
		a->exported_previous->exported_next = a->exported_next;
	else if (weft_exported_arrays == a)
		weft_exported_arrays = a->exported_next;
	a->exported_next = a->exported_previous = NULL;
}

void weft_keep_exported(weft_array *a)
{
	weft_mapping m;
	weft_error e = {NULL, NULL};
	weft_leave_exported(a);
	if (goMap(a->handle, 1, weft_on_main_thread(), &m, &e) == WEFT_OK) { // the values are there: nothing is waited for
		goMapped(a->handle, m.id, m.data);
		a->mapped = m.id;
	}
	free(e.type);
	free(e.text);
}
