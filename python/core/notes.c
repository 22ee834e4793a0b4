//go:build extension

// What the eager tier did: a record for each of the newest operations, for graphs, and counts by line and function of all.
// Go takes the records when it is entered (see noted.go): before that, one overwrites the oldest where there is no room.
//
// A run is what was computed at once between two operations that were submitted. No operation looks at the clock: a run does,
// when it begins and when it ends.
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>
#include <string.h>

weft_notes_t weft_notes;

static inline uint64_t hash(uint64_t where, int what) { return (where + (uint64_t)what * 0x10001) * 0x9e3779b97f4a7c15u >> 32; }

static weft_tally *row_of(weft_tally *table, int64_t n, uint64_t where, int what)
{
	uint64_t at = hash(where, what);
	while (table[at & (n - 1)].n && (table[at & (n - 1)].where != where || table[at & (n - 1)].what != what))
		at++;
	return &table[at & (n - 1)];
}

static __attribute__((noinline)) void tally(uint64_t where, int what)
{
	weft_notes_t *k = &weft_notes;
	if (2 * (k->used + 1) > k->slots) {
		int64_t more = k->slots ? 2 * k->slots : 128;
		weft_tally *table = calloc(more, sizeof *table);
		if (!table)
			return;
		for (int64_t i = 0; i < k->slots; i++)
			if (k->tallies[i].n)
				*row_of(table, more, k->tallies[i].where, k->tallies[i].what) = k->tallies[i];
		free(k->tallies);
		k->tallies = table;
		k->slots = more;
	}
	weft_tally *row = row_of(k->tallies, k->slots, where, what);
	if (row->n++ == 0) {
		row->where = where;
		row->what = what;
		k->used++;
	}
}

void weft_forget_tallies(void)
{
	free(weft_notes.tallies);
	weft_notes.tallies = NULL;
	weft_notes.used = weft_notes.slots = 0;
}

void weft_note(int what, const weft_layout *l, uint64_t out, uint64_t x, uint64_t y)
{
	uint64_t where = weft_where();
	weft_notes_t *k = &weft_notes;
	weft_count(WEFT_OPERATIONS, where);
	weft_tally *row = k->slots ? &k->tallies[hash(where, what) & (uint64_t)(k->slots - 1)] : NULL;
	if (__builtin_expect(row && row->n && row->where == where && row->what == what, 1))
		row->n++;
	else
		tally(where, what);
	k->all++;
	if (__builtin_expect(k->off, 0))
		return;
	if (__builtin_expect(!k->open, 0)) {
		if (k->runs == WEFT_RUNS)
			k->runs--; // the last two are one
		else
			k->run[k->runs] = (weft_run){.begun = weft_clock()};
		k->open = 1;
	}
	k->run[k->runs].n++;
	k->note[k->n++ & (WEFT_NOTES - 1)] = (weft_noted){
		.where = where, .out = (uint32_t)out, .x = (uint32_t)x, .y = (uint32_t)y, .n = (uint32_t)l->size,
		.what = (uint16_t)what, .dtype = l->dtype, .ndim = l->ndim,
	};
}

void weft_note_made(int what, PyObject *made, int dtype, const weft_array *x, const weft_array *y)
{
	weft_layout one;
	int is_array = Py_TYPE(made) == weft_array_type;
	if (!is_array) {
		weft_lay(&one, dtype, 0, NULL);
		weft_count_here(WEFT_NUMBERS);
	}
	weft_note(what, is_array ? &((weft_array *)made)->at : &one, is_array ? ((weft_array *)made)->place.memory : 0, x ? x->place.memory : 0, y ? y->place.memory : 0);
}

void weft_end_run(void)
{
	weft_notes.run[weft_notes.runs++].ended = weft_clock();
	weft_notes.open = 0;
}
