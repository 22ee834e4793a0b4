// The first place of a value in an array. See position.c.
#include <stdint.h>

// How elements are compared: integers by their bits, floats as floats.
enum { WEFT_BITS8, WEFT_BITS16, WEFT_BITS32, WEFT_BITS64, WEFT_FLOAT32, WEFT_FLOAT64 };

// weft_position returns the first i from 0 to n-1 at which x[i] equals *best or is NaN, or n.
int64_t weft_position(int kind, const void *x, int64_t n, const void *best);

// weft_position_rows does it for rows of n elements, one after the other, each with a value of its own.
void weft_position_rows(int kind, const void *x, int64_t rows, int64_t n, const void *bests, int64_t *out);

// weft_position_columns does it for columns that lie side by side, in n rows that begin apart elements from each other.
void weft_position_columns(int kind, const void *x, int64_t n, int64_t columns, int64_t apart, const void *bests, int64_t *out);
