// The strips of one element type: included with T, INT, t and STRIP_SQRT.

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

#define VECTORS 1
#define NAMED(X, ...) X(__VA_ARGS__, 0)
#include "striprun.h"
#undef VECTORS
#undef NAMED

#define VECTORS 2
#define NAMED(X, ...) X(__VA_ARGS__, 0) X(__VA_ARGS__, 1)
#include "striprun.h"
#undef VECTORS
#undef NAMED

#define VECTORS 4
#define NAMED(X, ...) X(__VA_ARGS__, 0) X(__VA_ARGS__, 1) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3)
#include "striprun.h"
#undef VECTORS
#undef NAMED

#if VECTOR == 64
#define VECTORS 8
#define NAMED(X, ...) X(__VA_ARGS__, 0) X(__VA_ARGS__, 1) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 5) X(__VA_ARGS__, 6) X(__VA_ARGS__, 7)
#include "striprun.h"
#undef VECTORS
#undef NAMED
#define STRIP_TOP 8
#else
#define STRIP_TOP 4
#endif

#undef VEC
#undef AT
#undef MASK
#undef STRIP_MAGNITUDE
