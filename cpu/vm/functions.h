// Functions of the C library, for what has no loop of its own.

#include <math.h>

#define LIBRARY_FUNCTION(f) \
	static inline double w_##f##_f64(double x) { return f(x); } \
	static inline float w_##f##_f32(float x) { return (float)f((double)x); }

LIBRARY_FUNCTION(exp)
LIBRARY_FUNCTION(log)
LIBRARY_FUNCTION(sin)
LIBRARY_FUNCTION(cos)
LIBRARY_FUNCTION(tanh)

static inline double w_pow_f64(double x, double y) { return pow(x, y); }
static inline float w_pow_f32(float x, float y) { return (float)pow((double)x, (double)y); }
