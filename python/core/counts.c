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

void weft_forget_counts(void)
{
	free(lines);
	lines = NULL;
	used = slots = 0;
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
