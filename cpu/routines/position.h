// The first place of a value in an array. See position.c.
#include <stdint.h>

// How elements are compared: integers by their bits, floats as floats.
enum { WEFT_BITS8, WEFT_BITS16, WEFT_BITS32, WEFT_BITS64, WEFT_FLOAT32, WEFT_FLOAT64 };

// weft_position returns the first i from 0 to n-1 at which x[i] equals *best or is NaN, or n.
int64_t weft_position(int kind, const void *x, int64_t n, const void *best);
