// A block has the value somewhere if any of its comparisons is true: vectors without a branch. Only the
// block that has it is searched element by element.
#include "position.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_ISA __attribute__((target_clones("avx2", "default")))
#else
#define EACH_ISA
#endif

enum { BLOCK = 256 };

#define POSITION(name, T, U, ...) \
	EACH_ISA static int64_t name(const T *x, int64_t n, T best) \
	{ \
		int64_t at = 0; \
		for (; at + BLOCK <= n; at += BLOCK) { \
			U any = 0; \
			for (int i = 0; i < BLOCK; i++) { \
				T v = x[at + i]; \
				any |= (U)(__VA_ARGS__); \
			} \
			if (any) \
				break; \
		} \
		for (; at < n; at++) { \
			T v = x[at]; \
			if (__VA_ARGS__) \
				break; \
		} \
		return at; \
	}

POSITION(position8, uint8_t, uint8_t, v == best)
POSITION(position16, uint16_t, uint16_t, v == best)
POSITION(position32, uint32_t, uint32_t, v == best)
POSITION(position64, uint64_t, uint64_t, v == best)
POSITION(position_f32, float, uint32_t, (v == best) | (v != v))
POSITION(position_f64, double, uint64_t, (v == best) | (v != v))

int64_t weft_position(int kind, const void *x, int64_t n, const void *best)
{
	switch (kind) {
	case WEFT_BITS8:
		return position8(x, n, *(const uint8_t *)best);
	case WEFT_BITS16:
		return position16(x, n, *(const uint16_t *)best);
	case WEFT_BITS32:
		return position32(x, n, *(const uint32_t *)best);
	case WEFT_BITS64:
		return position64(x, n, *(const uint64_t *)best);
	case WEFT_FLOAT32:
		return position_f32(x, n, *(const float *)best);
	default:
		return position_f64(x, n, *(const double *)best);
	}
}
