#include "cloned.h"
#include "eager.h"

#include <string.h>

enum { PART = 4096 }; // elements between two looks at whether the answer is known

#define SAME(T) \
	CLONED static int same_##T(int64_t n, const T *a, const T *b) \
	{ \
		for (int64_t i = 0; i < n; i += PART) { \
			int64_t part = n - i < PART ? n - i : PART, differ = 0; \
			for (int64_t k = 0; k < part; k++) \
				differ += !(a[i + k] == b[i + k]); /* a NaN equals nothing */ \
			if (differ) \
				return 0; \
		} \
		return 1; \
	}
SAME(float)
SAME(double)

int eager_same(int dtype, int size, int64_t n, const char *a, const char *b)
{
	switch (dtype) {
	case 11: return same_float(n, (const float *)a, (const float *)b);
	case 12: return same_double(n, (const double *)a, (const double *)b);
	case 13: return same_float(2 * n, (const float *)a, (const float *)b); // complex64
	case 14: return same_double(2 * n, (const double *)a, (const double *)b);
	}
	return memcmp(a, b, (size_t)(n * size)) == 0;
}
