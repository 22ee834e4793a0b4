// What an index of arrays chooses of an array, for pick.c, which copies it, and put.c, which writes it.
#ifndef WEFT_CHOICE_H
#define WEFT_CHOICE_H

#include "shim.h"

#include "few.h"

enum { WEFT_MOST_CHOSEN = 1 << 22 }; // elements
enum { WEFT_PART = 512 };            // indices that are taken at a time

// weft_integers are an index along one axis: an array, a list, or one number.
typedef struct {
	weft_few x;
	int is_array, is_number;
	int64_t number, listed; // which number; how many are in a list
	const int64_t *at;
} weft_integers;

enum { WEFT_RAISES, WEFT_CLIPS, WEFT_WRAPS }; // for bounds

// weft_choice is what an index chooses: units, which are all elements along the last axes.
typedef struct {
	int64_t n, unit; // units, and bytes of each
	int heads;       // the first axes, which the index is over
	int parts;       // integers along these, or
	int bounds;      // what is done with integers beyond the ends: take's mode
	int spreads;     // integers of unlike shapes, which weft_locate repeats
	weft_few mask;   // a mask over all of them
	const uint8_t *holds;
	weft_integers part[WEFT_NEAR];
	int ndim;
	int64_t shape[WEFT_NEAR]; // of the choice
} weft_choice;

// weft_read_integers reads the index along one axis. An array of integers is waited for; its elements are looked at by weft_locate.
int weft_read_integers(PyObject *o, int axis, weft_choice *p);
int weft_read_choice(PyObject *index, const weft_layout *l, weft_choice *p); // the same for all of an index into an array
// weft_locate looks at the elements of an index into an array, which may be going to be written. Nothing is waited for any more.
int weft_locate(weft_choice *p, const weft_layout *l, const weft_array *written);
// weft_still returns the elements of an array as those of a dtype, side by side: a copy where its memory is going to be written.
const void *weft_still(weft_few *x, int dtype, int room, const weft_array *written);
int weft_units_beside(const weft_choice *p, const weft_layout *l); // whether the elements of each unit lie side by side
// weft_unit_apart is how those of a unit lie that do not, where a copy of them keeps the order of their axes; 0 axes where it may not.
weft_layout weft_unit_apart(const weft_choice *p, const weft_layout *l);
// weft_offsets finds out where some of the units are, from the array's first element: 0 where one is outside.
int weft_offsets(const weft_choice *p, const weft_layout *l, int64_t from, int64_t n, int64_t *to);

// weft_rows goes through the rows of a mask: where the current one is, and how far from the first element.
typedef struct {
	int64_t at[WEFT_NEAR], away;
} weft_rows;
int weft_next_row(weft_rows *r, const weft_choice *p, const weft_layout *l);
int64_t weft_row_of(const weft_choice *p, const weft_layout *l);  // units that are as far apart as neighbours along its last axis
int64_t weft_step_of(const weft_choice *p, const weft_layout *l); // how far

// pick.c
// weft_bounded brings integers between the ends of an axis; from -extent on they may be less than 0.
const int64_t *weft_bounded(int how, int64_t n, const int64_t *at, int64_t extent, int64_t *to);
PyObject *weft_chosen_of(weft_few *x, weft_choice *p); // a copy of what an index chooses

#endif
