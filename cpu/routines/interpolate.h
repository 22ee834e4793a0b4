// Piecewise linear interpolation; see interpolate.c.
#include <stdint.h>

// weft_interpolate writes to out the values at count places of the polygon through n >= 1 points, in ascending order of x: left and
// right of them it is what these numbers say. out may be at.
void weft_interpolate(const double *x, const double *y, int64_t n, double left, double right, int64_t count, const double *at, double *out);
