// What the sorting machine is told of a dtype by the files that have it order elements.
#ifndef WEFT_ORDER_H
#define WEFT_ORDER_H

#include "../../cpu/sorting/sorting.h"

// Rows of at most so many elements are put in order without Go: most of a sort, and parted of a partition, which of more is less than a sort.
typedef struct {
	int known, width; // width: of an element, as a power of two
	uintptr_t machine;
	int64_t most, parted;
	sorting_order order;
} weft_row_order;

const weft_row_order *weft_order_of(int places, int dtype); // of elements, or of their places

#endif
