//go:build extension

// What the eager tier did: counts by function, for weft.stats and its like.
#include "shim.h"
#include "_cgo_export.h"

int64_t weft_noted[WEFT_NOTES];

void weft_note(int what, const uint64_t *memory, int64_t n)
{
	(void)memory;
	(void)n;
	weft_noted[what]++;
}
