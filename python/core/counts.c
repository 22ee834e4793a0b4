//go:build extension

// How often each line of the user's did what is too small to be timed, while a profile by lines is made: the log of
// operations keeps the newest only, and reads of elements are in no log.
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>
#include <string.h>

volatile int weft_counting;

static weft_line_count *lines; // an open hash; where is 0 in empty rows
static int64_t used, slots;
static weft_line_count *before; // the same, at the last mark
static int64_t slots_before;

void weft_begin_counting(void)
{
	if (!weft_counting) {
		free(lines);
		free(before);
		lines = before = NULL;
		used = slots = slots_before = 0;
	}
	__atomic_add_fetch(&weft_counting, 1, __ATOMIC_SEQ_CST);
}

void weft_end_counting(void)
{
	if (weft_counting)
		__atomic_sub_fetch(&weft_counting, 1, __ATOMIC_SEQ_CST);
}

// weft_mark_counts keeps the counts as they are at the beginning of a part.
void weft_mark_counts(void)
{
	free(before);
	before = slots ? malloc(slots * sizeof *before) : NULL;
	slots_before = before ? slots : 0;
	if (before)
		memcpy(before, lines, slots * sizeof *before);
}

static weft_line_count *row_of(weft_line_count *table, int64_t n, uint64_t where)
{
	uint64_t at = where * 0x9e3779b97f4a7c15u >> 32;
	while (table[at & (n - 1)].where && table[at & (n - 1)].where != where)
		at++;
	return &table[at & (n - 1)];
}

void weft_add_count(int what, uint64_t where)
{
	if (!where)
		return;
	if (2 * (used + 1) > slots) {
		int64_t more = slots ? 2 * slots : 128;
		weft_line_count *table = calloc(more, sizeof *table);
		if (!table)
			return;
		for (int64_t i = 0; i < slots; i++)
			if (lines[i].where)
				*row_of(table, more, lines[i].where) = lines[i];
		free(lines);
		lines = table;
		slots = more;
	}
	weft_line_count *row = row_of(lines, slots, where);
	if (!row->where) {
		row->where = where;
		used++;
	}
	row->n[what]++;
}

// weft_line_counts gives Go the rows, of which some are empty.
weft_line_count *weft_line_counts(int64_t *n)
{
	*n = slots;
	return lines;
}

// weft_counted_before is what a line had done at the last mark; NULL for nothing.
weft_line_count *weft_counted_before(uint64_t where)
{
	return slots_before ? row_of(before, slots_before, where) : NULL;
}
