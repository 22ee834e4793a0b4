#include "cloned.h"
#include "eager.h"
#include "floating.h"

#include <string.h>
#include <math.h>

#define UNUSUAL(name, T, exponent) \
	CLONED static int name(int64_t n, const T *x) \
	{ \
		T found = 0; \
		for (int64_t i = 0; i < n; i++) \
			found |= (T)((x[i] & (exponent)) == (exponent)); \
		return found != 0; \
	}

UNUSUAL(unusual16, uint16_t, 0x7c00)
UNUSUAL(unusual32, uint32_t, 0x7f800000u)
UNUSUAL(unusual64, uint64_t, 0x7ff0000000000000u)

int eager_unusual(int dtype, int64_t n, const char *data)
{
	enum { FLOAT16 = 10, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 }; // tile.DTypes
	switch (dtype) {
	case FLOAT16: return unusual16(n, (const uint16_t *)data);
	case FLOAT32: return unusual32(n, (const uint32_t *)data);
	case FLOAT64: return unusual64(n, (const uint64_t *)data);
	case COMPLEX64: return unusual32(2 * n, (const uint32_t *)data);
	case COMPLEX128: return unusual64(2 * n, (const uint64_t *)data);
	default: return 0;
	}
}

#define INDIVISIBLE(T) { \
	for (int64_t i = 0; i < n; i++) \
		found |= (T)(((const T *)data)[i] + 1) <= 1; \
	break; \
}

CLONED int eager_indivisible(int dtype, int64_t n, const char *data)
{
	int found = 0;
	switch (dtype) { // tile.DTypes
	case 1: case 2: case 6: INDIVISIBLE(uint8_t)
	case 3: case 7: INDIVISIBLE(uint16_t)
	case 4: case 8: INDIVISIBLE(uint32_t)
	case 5: case 9: INDIVISIBLE(uint64_t)
	default: found = 1;
	}
	return found;
}

#define HOLDS(T) { \
	for (int64_t i = 0; i < n; i++) \
		found |= ((const T *)data)[i] == (T)value; \
	break; \
}

CLONED int eager_holds(int dtype, int64_t n, const char *data, int64_t value)
{
	int found = 0;
	switch (dtype) { // tile.DTypes
	case 1: case 2: case 6: HOLDS(uint8_t)
	case 3: case 7: HOLDS(uint16_t)
	case 4: case 8: HOLDS(uint32_t)
	case 5: case 9: HOLDS(uint64_t)
	default: found = 1;
	}
	return found;
}

// The bits of floats are compared as integers, so that the loops have vectors: those of infinities and of what is no number are greater than all others, and what a
// greater one leaves of a limit has the sign bit.
#define ABOVE(name, T, sign) \
	CLONED static int name(int64_t n, const T *x, T limit) \
	{ \
		T found = 0; \
		for (int64_t i = 0; i < n; i++) \
			found |= limit - 1 - (x[i] & ~(sign)); \
		return (found & (sign)) != 0; \
	}

ABOVE(above32, uint32_t, 0x80000000u)
ABOVE(above64, uint64_t, 0x8000000000000000u)

// STRICTLY looks at each of n elements, step apart.
#define STRICTLY(T, step) { \
	for (int64_t i = 0; i < n; i++) \
		if (!(((const T *)data)[(step) * i] > least && ((const T *)data)[(step) * i] < limit)) \
			return 1; \
	return 0; \
}

int eager_beyond(int dtype, int to, int64_t n, const char *data)
{
	enum { INT64 = 5, UINT32 = 8, UINT64 = 9, FLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 }; // tile.DTypes
	int wide = to == INT64 || to == UINT64 || to == UINT32;
	double least = wide ? -0x1.0000000000001p63 : -0x1p31 - 1, limit = to == UINT64 ? 0x1p64 : wide ? 0x1p63 : 0x1p31;
	if (dtype == FLOAT16)
		return eager_unusual(dtype, n, data);
	if (dtype == FLOAT32 && !above32(n, (const uint32_t *)data, wide ? 0x5f000000u : 0x4f000000u)) // the bits of 2**63 and 2**31
		return 0;
	if (dtype == FLOAT64 && !above64(n, (const uint64_t *)data, wide ? 0x43e0000000000000u : 0x41e0000000000000u))
		return 0;
	switch (dtype) {
	case FLOAT32: STRICTLY(float, 1)
	case FLOAT64: STRICTLY(double, 1)
	case COMPLEX64: STRICTLY(float, 2)
	case COMPLEX128: STRICTLY(double, 2)
	default: return 0;
	}
}

CLONED int eager_suspicious(int64_t n, const double *x, const double *y, const double *out)
{
	const uint64_t none = 0x7ff0000000000000u, size = 0x7fffffffffffffffu;
	const uint64_t *a = (const uint64_t *)x, *b = y ? (const uint64_t *)y : a, *r = (const uint64_t *)out;
	uint64_t found = 0;
	for (int64_t i = 0; i < n; i++) // the highest bit of a difference says which is greater
		found |= ~((r[i] & size) - none) & ((a[i] & size) - none - 1) & ((b[i] & size) - none - 1);
	return found >> 63 != 0;
}

// unusual adds to seen which of n floats are as large as least, by their bits without a sign.
#define MARKS(name, I) \
	CLONED static void name(int64_t n, const char *data, int64_t step, I least, uint8_t *seen) \
	{ \
		const I *x = (const I *)data, size = (I)~(I)0 >> 1; \
		if (step == 0) { \
			if ((x[0] & size) >= least) \
				memset(seen, 1, (size_t)n); \
			return; \
		} \
		for (int64_t i = 0; i < n; i++) \
			seen[i] |= (x[i] & size) >= least; \
	}

MARKS(unusual_single, uint32_t)
MARKS(unusual_double, uint64_t)

enum { NEWLY = 2048 }; // elements at a time, whose marks stay in the L1 cache

static void mark(int64_t n, int64_t from, int infinite, const eager_array *a, uint8_t *seen)
{
	const char *at = a->data + from * a->step;
	if (a->size == 4)
		unusual_single(n, at, a->step, 0x7f800000u + !infinite, seen);
	else
		unusual_double(n, at, a->step, 0x7ff0000000000000u + !infinite, seen);
}

int eager_newly(int64_t n, int infinite, int64_t k, const eager_array *inputs, const eager_array *result)
{
	for (int64_t from = 0; from < n; from += NEWLY) {
		uint8_t before[NEWLY] = {0}, after[NEWLY] = {0}, found = 0;
		int64_t m = n - from < NEWLY ? n - from : NEWLY;
		mark(m, from, infinite, result, after);
		for (int64_t i = 0; i < k; i++)
			mark(m, from, 0, &inputs[i], before);
		for (int64_t i = 0; i < m; i++)
			found |= after[i] & !before[i];
		if (found)
			return 1;
	}
	return 0;
}

// infinite is what a result that became infinite tells.
static int infinite(int rule, double x, double y)
{
	switch (rule) {
	case EAGER_POLES: return EAGER_DIVIDE;
	case EAGER_POWERS: return x == 0 ? EAGER_DIVIDE : EAGER_OVER;
	case EAGER_QUOTIENTS: return y == 0 ? EAGER_DIVIDE : EAGER_OVER | EAGER_INVALID;
	case EAGER_DIVISIONS: return y == 0 ? EAGER_DIVIDE : EAGER_OVER;
	default: return EAGER_OVER;
	}
}

// underflows is whether the processor says so of a product, or of a quotient. Its flags are afterwards as they were.
static int underflows(int rule, double a, double b, int single)
{
	int before = eager_raised(), raised;
	eager_lower();
	if (single) {
		volatile float x = (float)a, y = (float)b;
		x = rule == EAGER_PRODUCTS ? x * y : x / y;
	} else {
		volatile double x = a, y = b;
		x = rule == EAGER_PRODUCTS ? x * y : x / y;
	}
	raised = eager_raised();
	eager_lower();
	eager_raise(before);
	return raised & EAGER_UNDER;
}

// vanished is what a result that is smaller than all normal numbers, of finite operands, tells.
static int vanished(int rule, double a, double b, double r, double least)
{
	switch (rule) {
	case EAGER_GROWS: return EAGER_UNDER;
	case EAGER_POWERS: return a != 0 ? EAGER_UNDER : 0;
	case EAGER_NARROWED: return r != a ? EAGER_UNDER : 0;
	case EAGER_PRODUCTS: return a != 0 && b != 0 ? underflows(rule, a, b, least == 0x1p-126) : 0;
	case EAGER_DIVISIONS: return a != 0 && b != 0 ? underflows(rule, a == b ? 1 : a, b, least == 0x1p-126) : 0; // of equal numbers only a reciprocal is small: see watch.go of arrays
	default: return 0;
	}
}

// divided is what happened in n divisions of integers.
static int divided(int64_t n, const double *x, int64_t xstep, const double *y, int64_t ystep, double least)
{
	int told = 0;
	for (int64_t i = 0; i < n; i++, x += xstep, y += ystep)
		told |= *y == 0 ? EAGER_DIVIDE : least != 0 && *y == -1 && *x == least ? EAGER_OVER : 0;
	return told;
}

int eager_explain(int rule, int64_t n, const double *x, int64_t xstep, const double *y, int64_t ystep, const double *out, double least)
{
	int told = 0;
	if (rule == EAGER_INTEGERS)
		return divided(n, x, xstep, y, ystep, least);
	for (int64_t i = 0; i < n; i++, x += xstep, y += y ? ystep : 0) {
		double a = *x, b = y ? *y : 1, r = out[i];
		if (isnan(r))
			told |= (isnan(a) || isnan(b)) && rule != EAGER_STRICT ? 0 : EAGER_INVALID | (rule == EAGER_COMPLEX_PRODUCTS && isfinite(a) && isfinite(b) ? EAGER_OVER : 0);
		else if (isinf(r))
			told |= isfinite(a) && isfinite(b) ? infinite(rule, a, b) : 0;
		else if (fabs(r) < least && isfinite(a) && isfinite(b))
			told |= vanished(rule, a, b, r, least);
	}
	return told;
}
