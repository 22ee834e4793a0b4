#include "cloned.h"
#include "eager.h"

#include <string.h>

// Counts and sums of columns of narrow elements, in rows one behind the other. A vector has as many narrow sums as narrow elements; so many rows are taken
// as these cannot overflow for, and then added to the sums of 64 bits. The order makes no difference to integers.
enum { BESIDE = 256 }; // columns that are taken together

#define COLUMNS(name, T, NARROW, WIDE, rows_most, term) \
	CLONED static void name(int64_t rows, int64_t columns, const void *data, uint64_t *to) \
	{ \
		const T *x = data; \
		for (int64_t column = 0; column < columns; column += BESIDE, x += BESIDE, to += BESIDE) { \
			const int64_t some = columns - column < BESIDE ? columns - column : BESIDE; \
			memset(to, 0, (size_t)some * sizeof *to); \
			for (int64_t row = 0; row < rows; row += (rows_most)) { \
				const int64_t end = rows - row < (rows_most) ? rows : row + (rows_most); \
				NARROW sums[BESIDE] = {0}; \
				for (int64_t i = row; i < end; i++) { \
					const T *from = x + i * columns; \
					for (int64_t k = 0; k < some; k++) \
						sums[k] += term; \
				} \
				for (int64_t k = 0; k < some; k++) \
					to[k] += (uint64_t)(WIDE)sums[k]; \
			} \
		} \
	}

COLUMNS(count, uint8_t, uint8_t, uint64_t, UINT8_MAX, from[k] != 0)
COLUMNS(add_u8, uint8_t, uint16_t, uint64_t, UINT8_MAX, from[k])
COLUMNS(add_i8, int8_t, int16_t, int64_t, UINT8_MAX, from[k])
COLUMNS(add_u16, uint16_t, uint32_t, uint64_t, UINT16_MAX, from[k])
COLUMNS(add_i16, int16_t, int32_t, int64_t, UINT16_MAX, from[k])
COLUMNS(add_u32, uint32_t, uint64_t, uint64_t, INT32_MAX, from[k])
COLUMNS(add_i32, int32_t, int64_t, int64_t, INT32_MAX, from[k])

void eager_count_columns(int64_t rows, int64_t columns, const uint8_t *holds, int64_t *to) { count(rows, columns, holds, (uint64_t *)to); }

int eager_add_columns(int dtype, int64_t rows, int64_t columns, const void *x, void *to)
{
	static void (*const all[])(int64_t, int64_t, const void *, uint64_t *) = {
		[1] = count, [2] = add_i8, [3] = add_i16, [4] = add_i32, [6] = add_u8, [7] = add_u16, [8] = add_u32,
	};
	const int known = dtype > 0 && dtype < (int)(sizeof all / sizeof *all) && all[dtype];
	if (known && to)
		all[dtype](rows, columns, x, to);
	return known;
}
