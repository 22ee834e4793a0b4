//go:build extension

// What the other files go by: how the machine is set up, how far the eager tier goes at the moment, which layouts are known.
// Go, the Python package and chain.c set these; nothing here calls anything.
#include "shim.h"

int weft_eager, weft_checks;
volatile int weft_forked;
int64_t weft_limit = WEFT_LEAST;
volatile int weft_defer_scalars, weft_devices;
weft_layouts_t weft_layouts = {.base = WEFT_LAYOUTS};
int weft_operators[OP_COUNT + 1], weft_divide;
int64_t weft_operated[OP_COUNT + 2];
