#include "systems.h"
#include <math.h>
#include <string.h>

typedef void factorise(int64_t *rows, int64_t *columns, char *a, int64_t *side, int64_t *pivots, int64_t *info);
typedef void substitute(const char *trans, int64_t *n, int64_t *sides, char *a, int64_t *side, int64_t *pivots, char *b, int64_t *below, int64_t *info, uintptr_t length);

// turn copies a matrix with elements of so many bytes from memory that is laid out one way to another.
static inline void turn(int size, int64_t rows, int64_t columns, char *to, int64_t down, int64_t right, const char *from, int64_t from_down, int64_t from_right)
{
	for (int64_t j = 0; j < columns; j++)
		for (int64_t i = 0; i < rows; i++)
			if (size == 8)
				*(uint64_t *)(to + i * down + j * right) = *(const uint64_t *)(from + i * from_down + j * from_right);
			else
				memcpy(to + i * down + j * right, from + i * from_down + j * from_right, 16);
}

int64_t weft_solve_members(void *getrf, void *getrs, int size, int64_t n, int64_t sides, int64_t count, weft_members a, weft_members b, weft_members x, char *room)
{
	char *lu = room, *side = lu + n * n * size;
	int64_t *pivots = (int64_t *)(side + n * sides * size);
	for (int64_t i = 0; i < count; i++, a.p += a.step, b.p += b.step, x.p += x.step) {
		int64_t info = 0; // a library with integers of 32 bits writes the lower half
		turn(size, n, n, lu, size, n * size, a.p, a.down, a.right);
		turn(size, n, sides, side, size, n * size, b.p, b.down, b.right);
		((factorise *)getrf)(&n, &n, lu, &n, pivots, &info);
		if (info)
			return i;
		((substitute *)getrs)("N", &n, &sides, lu, &n, pivots, side, &n, &info, 1);
		turn(size, n, sides, x.p, x.down, x.right, side, size, n * size);
	}
	return count;
}

void weft_signs_and_logs(void *getrf, int wide, int64_t n, int64_t count, weft_members a, weft_members sign, weft_members log_, char *room)
{
	char *lu = room;
	int64_t *pivots = (int64_t *)(lu + n * n * 8);
	for (int64_t i = 0; i < count; i++, a.p += a.step, sign.p += sign.step, log_.p += log_.step) {
		int64_t info = 0;
		turn(8, n, n, lu, 8, n * 8, a.p, a.down, a.right);
		((factorise *)getrf)(&n, &n, lu, &n, pivots, &info);
		double s = 1, sum = 0;
		for (int64_t k = 0; k < n && !info; k++) {
			double d = ((const double *)lu)[k * (n + 1)];
			if ((wide ? pivots[k] : ((const int32_t *)pivots)[k]) != k + 1)
				s = -s;
			if (d < 0)
				s = -s;
			sum += log(fabs(d));
		}
		*(double *)sign.p = info ? 0 : s;
		*(double *)log_.p = info ? -INFINITY : sum;
	}
}
