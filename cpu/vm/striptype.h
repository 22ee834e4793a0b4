// The strips of one element type: included with T, INT, t, STRIP_SQRT, and what reads and writes a part of a
// vector: STRIP_PART says which, STRIP_READ and STRIP_WRITE do.

typedef T STRIP_NAME(strip_vec_, t, ) __attribute__((vector_size(VECTOR)));
typedef T STRIP_NAME(strip_at_, t, ) __attribute__((vector_size(VECTOR), aligned(1), may_alias));
typedef INT STRIP_NAME(strip_mask_, t, ) __attribute__((vector_size(VECTOR)));

#define VEC STRIP_NAME(strip_vec_, t, )
#define AT STRIP_NAME(strip_at_, t, )
#define MASK STRIP_NAME(strip_mask_, t, )
#define STRIP_MAGNITUDE ((INT)(~((uint64_t)1 << (8 * sizeof(T) - 1))))

#if !defined(__x86_64__)
static inline VEC STRIP_NAME(strip_sqrt_, t, )(VEC x) {
	for (size_t i = 0; i < VECTOR / sizeof(T); i++) x[i] = sizeof(T) == 4 ? (T)sqrtf((float)x[i]) : (T)sqrt((double)x[i]);
	return x;
}
#endif

#if VECTOR == 16
static inline VEC STRIP_NAME(strip_read_, t, )(const char *q, int64_t part) {
	enum { N = VECTOR / sizeof(T) };
	if (part == N) return *(const AT *)q;
	VEC x;
	_Pragma("GCC unroll 4") for (int i = 0; i < N; i++) x[i] = ((const T *)q)[i < part ? i : 0];
	return x;
}

static inline void STRIP_NAME(strip_write_, t, )(char *q, int64_t part, VEC x) {
	enum { N = VECTOR / sizeof(T) };
	if (part == N) {
		*(AT *)q = x;
		return;
	}
	_Pragma("GCC unroll 4") for (int i = 0; i < N - 1; i++)
		if (i < part) ((T *)q)[i] = x[i];
}
#endif

// A loop of STRIP_VECTORS vectors, and those of fewer for the end of a row.

#define NAMED(X, ...) STRIP_NAME(STRIP_EACH_, VECTORS, )(X, __VA_ARGS__)

#define STRIP_PREFIX strip_
#define VECTORS STRIP_VECTORS
#include "striprun.h"
#undef STRIP_PREFIX
#undef VECTORS

#define STRIP_PREFIX strip_part_
#define PART
#define VECTORS 1
#include "striprun.h"
#undef VECTORS
#define VECTORS 2
#include "striprun.h"
#undef VECTORS
#define VECTORS 3
#include "striprun.h"
#undef VECTORS
#define VECTORS 4
#include "striprun.h"
#undef VECTORS
#if STRIP_VECTORS == 8
#define VECTORS 5
#include "striprun.h"
#undef VECTORS
#define VECTORS 6
#include "striprun.h"
#undef VECTORS
#define VECTORS 7
#include "striprun.h"
#undef VECTORS
#define VECTORS 8
#include "striprun.h"
#undef VECTORS
#endif
#undef PART
#undef STRIP_PREFIX
#undef NAMED

#undef VEC
#undef AT
#undef MASK
#undef STRIP_MAGNITUDE
