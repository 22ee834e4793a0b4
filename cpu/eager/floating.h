// What the processor remembers of floating-point operations: sticky flags, one set for each thread. They are read after a loop, which costs a few cycles,
// and tell of anything that went wrong in it.
#ifndef EAGER_FLOATING_H
#define EAGER_FLOATING_H

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

// The bits are NumPy's (NPY_FPE_DIVIDEBYZERO and on).
enum { EAGER_DIVIDE = 1, EAGER_OVER = 2, EAGER_UNDER = 4, EAGER_INVALID = 8 };

static inline int eager_raised(void)
{
#if defined(__x86_64__)
	unsigned set = _mm_getcsr();
	if (__builtin_expect((set & 0x1d) == 0, 1))
		return 0;
	return (set >> 2 & 1) | (set >> 2 & 2) | (set >> 2 & 4) | (set << 3 & 8);
#else
	int set = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
	return (set & FE_DIVBYZERO ? EAGER_DIVIDE : 0) | (set & FE_OVERFLOW ? EAGER_OVER : 0) | (set & FE_UNDERFLOW ? EAGER_UNDER : 0) | (set & FE_INVALID ? EAGER_INVALID : 0);
#endif
}

static inline void eager_lower(void)
{
#if defined(__x86_64__)
	unsigned set = _mm_getcsr();
	if (__builtin_expect(set & 0x1d, 0))
		_mm_setcsr(set & ~0x3fu);
#else
	feclearexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
#endif
}

// eager_raise sets flags as an operation does.
static inline void eager_raise(int flags)
{
#if defined(__x86_64__)
	_mm_setcsr(_mm_getcsr() | (unsigned)((flags & 7) << 2 | flags >> 3));
#else
	feraiseexcept((flags & EAGER_DIVIDE ? FE_DIVBYZERO : 0) | (flags & EAGER_OVER ? FE_OVERFLOW : 0) | (flags & EAGER_UNDER ? FE_UNDERFLOW : 0) | (flags & EAGER_INVALID ? FE_INVALID : 0));
#endif
}

// How the flags of a ufunc are read. Its loops may set them where NumPy's do not (comparisons with NaN, the steps of elementary functions), or do not set
// them where a result is chosen without a branch; then operands and results tell what happened.
enum {
	EAGER_SILENT,  // nothing is told
	EAGER_TRUSTED, // the flags are right
	EAGER_ODD,     // a flag is set wherever something happened, and elsewhere
	EAGER_STRICT,  // the same; operands that are no numbers are invalid
	EAGER_GROWS,   // the same; what becomes infinite has overflowed, and what vanishes underflows
	EAGER_POLES,   // flags say nothing; what becomes infinite is at a pole
	EAGER_POWERS,  // flags say nothing; powers of zero are at a pole, others overflow
	EAGER_QUOTIENTS, // as EAGER_ODD; what is divided by zero is at a pole, and where the quotient overflows the remainder is no number
	EAGER_DIVISIONS, // as EAGER_ODD; what is divided by zero is at a pole, and what vanishes underflows
	EAGER_PRODUCTS, // as EAGER_ODD; what vanishes of factors that are not 0 underflows
	EAGER_NARROWED, // casts to a smaller float: what becomes infinite has overflowed
	EAGER_INTEGERS, // quotients of integers: by zero, and of the least integer by -1
	EAGER_COMPLEX_PRODUCTS, // as EAGER_ODD; what becomes no number of finite factors has overflowed, too
};

// eager_unusual says whether one of n floats or complex numbers of a tile.DType, which lie side by side, is infinite or none.
int eager_unusual(int dtype, int64_t n, const char *data);

// eager_indivisible says whether one of n integers of a tile.DType is 0 or -1, which integers may not be divided by, or not always.
int eager_indivisible(int dtype, int64_t n, const char *data);

// eager_holds says whether one of n such integers has the bits of a value.
int eager_holds(int dtype, int64_t n, const char *data, int64_t value);

// eager_beyond says whether one of n floats or complex numbers of a tile.DType is no integer of another one, as NumPy's loops on x86-64 have it: integers of up to 32 bits
// are made of those of 32, and unsigned ones of 64 bits of all from the least signed one on.
int eager_beyond(int dtype, int to, int64_t n, const char *data);

// eager_suspicious says whether one of n results, which lie side by side, as operands do, is infinite or no number where no operand is none: what has no such result has
// not gone wrong, unless it vanishes. y is NULL where there is one operand.
int eager_suspicious(int64_t n, const double *x, const double *y, const double *out);

// An eager_array is n floats of 4 or 8 bytes that lie side by side, or one of them for all (step 0).
typedef struct {
	const char *data;
	int64_t size, step;
} eager_array;

// eager_newly says whether one of n results is no number, or with infinite also infinite, where none of the k inputs is.
int eager_newly(int64_t n, int infinite, int64_t k, const eager_array *inputs, const eager_array *result);

// eager_explain says what happened in n operations. y is NULL where there is one operand; steps are 0 where an operand is one number for all. least is the
// smallest normal number of the result's dtype; of EAGER_INTEGERS, the least integer where its quotient by -1 does not fit.
int eager_explain(int rule, int64_t n, const double *x, int64_t xstep, const double *y, int64_t ystep, const double *out, double least);

#endif
