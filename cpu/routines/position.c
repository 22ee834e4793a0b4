// A block has the value somewhere if any of its comparisons is true: vectors without a branch. Only the
// block that has it is searched element by element.
#include "position.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_ISA __attribute__((target_clones("avx2", "default")))
#else
#define EACH_ISA
#endif

enum { BLOCK = 128 };

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

// A row of columns is looked at as a whole, too: only the one in which a column may have its value is searched.
#define COLUMNS(name, T, U, ...) \
	EACH_ISA static void name(const T *x, int64_t n, int64_t columns, int64_t apart, const T *bests, int64_t *out) \
	{ \
		int64_t left = columns; \
		for (int64_t j = 0; j < columns; j++) \
			out[j] = n; \
		for (int64_t at = 0; at < n && left > 0; at++, x += apart) { \
			U any = 0; \
			for (int64_t j = 0; j < columns; j++) { \
				T v = x[j], best = bests[j]; \
				any |= (U)(__VA_ARGS__); \
			} \
			if (!any) \
				continue; \
			for (int64_t j = 0; j < columns; j++) { \
				T v = x[j], best = bests[j]; \
				if (out[j] == n && (__VA_ARGS__)) { \
					out[j] = at; \
					left--; \
				} \
			} \
		} \
	}

#define EACH_KIND(M, name) \
	M(name##8, uint8_t, uint8_t, v == best) \
	M(name##16, uint16_t, uint16_t, v == best) \
	M(name##32, uint32_t, uint32_t, v == best) \
	M(name##64, uint64_t, uint64_t, v == best) \
	M(name##_f32, float, uint32_t, (v == best) | (v != v)) \
	M(name##_f64, double, uint64_t, (v == best) | (v != v))

EACH_KIND(POSITION, position)
EACH_KIND(COLUMNS, columns)

static const int64_t sizes[] = {1, 2, 4, 8, 4, 8}; // by kind

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

void weft_position_rows(int kind, const void *x, int64_t rows, int64_t n, const void *bests, int64_t *out)
{
	const int64_t size = sizes[kind];
	for (int64_t r = 0; r < rows; r++)
		out[r] = weft_position(kind, (const char *)x + r * n * size, n, (const char *)bests + r * size);
}

void weft_position_columns(int kind, const void *x, int64_t n, int64_t columns, int64_t apart, const void *bests, int64_t *out)
{
	switch (kind) {
	case WEFT_BITS8:
		columns8(x, n, columns, apart, bests, out);
		return;
	case WEFT_BITS16:
		columns16(x, n, columns, apart, bests, out);
		return;
	case WEFT_BITS32:
		columns32(x, n, columns, apart, bests, out);
		return;
	case WEFT_BITS64:
		columns64(x, n, columns, apart, bests, out);
		return;
	case WEFT_FLOAT32:
		columns_f32(x, n, columns, apart, bests, out);
		return;
	default:
		columns_f64(x, n, columns, apart, bests, out);
	}
}
