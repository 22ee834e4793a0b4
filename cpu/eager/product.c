#include "eager.h"

// PRODUCTS computes inner products of at most VM_LANES elements, each of which has a lane of its own: the fold of the canonical
// order is all that adds. See short in package cpu.
#define PRODUCTS(T) \
	for (int64_t i = 0; i < p->rows; i++) \
		for (int64_t j = 0; j < p->columns; j++, out += sizeof(T)) { \
			const char *a = p->a + i * p->ai, *b = p->b + j * p->bj; \
			T lane[VM_LANES]; \
			for (int64_t k = 0; k < n; k++, a += p->ak, b += p->bk) \
				lane[k] = *(const T *)a * *(const T *)b; \
			for (int64_t s = first; s > 0; s /= 2) \
				for (int64_t k = 0; k < s && k + s < n; k++) \
					lane[k] += lane[k + s]; \
			*(T *)out = lane[0] + (T)0; /* never -0: see tile.Combiner.Neutral */ \
		}

void eager_products(int size, const eager_product *p, char *out)
{
	int64_t n = p->length, first = VM_LANES / 2;
	while (first >= n && first > 0)
		first /= 2;
	if (size == 4) {
		PRODUCTS(float)
	} else {
		PRODUCTS(double)
	}
}
