#include "eager.h"

// Loops of their own for what programs accumulate most: the general way (eager_each) calls a primitive for each element, which takes
// four times as long. They compute what the primitives do, integers without overflow, and a NaN stays.
#define EACH(T, result) \
	for (int64_t k = 0; k < n; k++, from += next) { \
		T *to_k = (T *)(to + at[k]), x = *to_k, y = *(const T *)from; \
		*to_k = result; \
	} \
	return 1;

#define OPERATIONS(T, U) \
	switch (op) { \
	case EAGER_ADD: EACH(T, (T)((U)x + (U)y)) \
	case EAGER_SUBTRACT: EACH(T, (T)((U)x - (U)y)) \
	case EAGER_MULTIPLY: EACH(T, (T)((U)x * (U)y)) \
	case EAGER_MINIMUM: EACH(T, (x < y) | (x != x) ? x : y) \
	case EAGER_MAXIMUM: EACH(T, (x > y) | (x != x) ? x : y) \
	} \
	return 0;

int eager_accumulate(int op, int dtype, int64_t n, const int64_t *at, char *to, const char *from, int64_t next)
{
	switch (dtype) {
	case 4: OPERATIONS(int32_t, uint32_t)
	case 5: OPERATIONS(int64_t, uint64_t)
	case 6: OPERATIONS(uint8_t, uint32_t)
	case 8: OPERATIONS(uint32_t, uint32_t)
	case 9: OPERATIONS(uint64_t, uint64_t)
	case 11: OPERATIONS(float, float)
	case 12: OPERATIONS(double, double)
	}
	return 0;
}
