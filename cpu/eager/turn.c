#include "eager.h"

// Copies between two orders of axes: elements that lie side by side along one axis shall do so along another one. Row by row, each element of a row is of a line of its own, which is
// gone when the next row comes if rows are long, or begin as many pages apart as the first-level cache has ways. So some columns are copied at a time: as many elements as a
// line has, of as many streams of reads, each of which goes on where it was.

typedef struct {
	uint64_t parts[2];
} wide;

// TURNED copies columns in groups, each of a length that the compiler knows.
#define TURNED(T, GROUP) \
	static void turned_##T(int64_t rows, int64_t columns, const char *from, int64_t step, char *to, int64_t next) \
	{ \
		int64_t j = 0; \
		for (; j + GROUP <= columns; j += GROUP) { \
			const char *s = from + j * step; \
			char *d = to + j * (int64_t)sizeof(T); \
			for (int64_t i = 0; i < rows; i++, s += sizeof(T), d += next) { \
				T some[GROUP]; \
				for (int k = 0; k < GROUP; k++) \
					some[k] = *(const T *)(s + k * step); \
				for (int k = 0; k < GROUP; k++) \
					((T *)d)[k] = some[k]; \
			} \
		} \
		for (; j < columns; j++) \
			for (int64_t i = 0; i < rows; i++) \
				*(T *)(to + i * next + j * (int64_t)sizeof(T)) = *(const T *)(from + j * step + i * (int64_t)sizeof(T)); \
	}

TURNED(uint8_t, 16)
TURNED(uint16_t, 16)
TURNED(uint32_t, 16)
TURNED(uint64_t, 8)
TURNED(wide, 4)

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
