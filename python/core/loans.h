// Memory that arrays have in common with others before Go knows of it: see loans.c.
#ifndef WEFT_LOANS_H
#define WEFT_LOANS_H

// weft_loan is what is borrowed, until it is given back or lent to Go.
typedef struct weft_loan {
	weft_array *to;
	PyObject *owner;
	char *low, *high;
	int access;
	struct weft_loan *next;
} weft_loan;

extern weft_loan *weft_loans;      // all of them
extern weft_array *weft_exported_arrays; // whose bytes others hold, by exported_next
void weft_give_borrowed(weft_array *a); // when it dies
int weft_lend_borrowed(weft_array *a);  // makes it an array of Go's; 0 where that fails
void weft_keep_exported(weft_array *a); // Go has taken the memory over
void weft_enter_exported(weft_array *a);
void weft_leave_exported(weft_array *a);

#endif
