#include "eager.h"

// Copies between two orders of axes: elements that lie side by side along one axis shall do so along another one. Element by element, either the reads or the writes are
// each of a line of their own, which is gone when its next element is wanted. So blocks are copied, the next one behind the last one in memory that is written:
//
//	from   columns that lie step apart: mostly in a cache
//	to     UP rows at a time, each written from its beginning to its end: new memory, mostly in none
//
// The rows after these are asked for in advance. Where they are not in a cache, as memory is that has just been allocated, waiting for them took twice the time of the rest.

typedef struct {
	uint64_t parts[2];
} wide;

// TURNED copies in blocks of UP rows and GROUP columns, whose loops the compiler has unrolled.
#define TURNED(T, UP, GROUP) \
	static void turned_##T(int64_t rows, int64_t columns, const char *from, int64_t step, char *to, int64_t next) \
	{ \
		int64_t i = 0; \
		for (; i + UP <= rows; i += UP, from += UP * sizeof(T), to += UP * next) { \
			int64_t j = 0; \
			for (; j + GROUP <= columns; j += GROUP) { \
				T block[GROUP][UP]; \
				const char *s = from + j * step; \
				char *d = to + j * (int64_t)sizeof(T); \
				for (int r = 0; r < UP; r++) \
					__builtin_prefetch(d + (UP + r) * next, 1); \
				for (int k = 0; k < GROUP; k++) \
					for (int r = 0; r < UP; r++) \
						block[k][r] = ((const T *)(s + k * step))[r]; \
				for (int r = 0; r < UP; r++) \
					for (int k = 0; k < GROUP; k++) \
						((T *)(d + r * next))[k] = block[k][r]; \
			} \
			for (; j < columns; j++) \
				for (int r = 0; r < UP; r++) \
					((T *)(to + r * next))[j] = ((const T *)(from + j * step))[r]; \
		} \
		for (; i < rows; i++, from += sizeof(T), to += next) \
			for (int64_t j = 0; j < columns; j++) \
				((T *)to)[j] = *(const T *)(from + j * step); \
	}

TURNED(uint8_t, 4, 8)
TURNED(uint16_t, 4, 8)
TURNED(uint32_t, 4, 4)
TURNED(uint64_t, 2, 4)
TURNED(wide, 2, 2)

void eager_turn(int size, int64_t rows, int64_t columns, const char *from, int64_t step, char *to, int64_t next)
{
	switch (size) {
	case 1: turned_uint8_t(rows, columns, from, step, to, next); break;
	case 2: turned_uint16_t(rows, columns, from, step, to, next); break;
	case 4: turned_uint32_t(rows, columns, from, step, to, next); break;
	case 8: turned_uint64_t(rows, columns, from, step, to, next); break;
	default: turned_wide(rows, columns, from, step, to, next); break;
	}
}
