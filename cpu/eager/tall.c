// The product of a matrix of few columns and many rows, turned, with a vector: in each step of a fit it is x.T @ e. The
// library adds up such a matrix on one thread, a few columns at a time; here the rows are cut into parts which hands
// compute, so that a thread reads what its own cache has of the matrix.
//
//	out[i] = sum over k of a[k][i] * x[k]        i < columns <= EAGER_TALL
//
// The order of the sum is that of the shape alone: four rows at a time are added as a tree, these to the part's sums,
// and the parts' in turn.
#include "cloned.h"
#include "eager.h"
#include "floating.h"
#include "hands.h"

enum { PART = 64 << 10 }; // bytes of a part, as of all that hands do

#define TALL(name, T) \
	CLONED static void name(const eager_tall *p, int64_t from, int64_t to, T *restrict sums) \
	{ \
		int64_t n = p->columns; \
		const T *restrict a = (const T *)(p->a + from * p->next); \
		const char *x = p->x + from * p->step; \
		T sum[EAGER_TALL]; \
		for (int64_t i = 0; i < n; i++) \
			sum[i] = 0; \
		for (; from + 4 <= to; from += 4, x += 4 * p->step) { \
			const T *b = (const T *)((const char *)a + p->next), *c = (const T *)((const char *)b + p->next); \
			const T *d = (const T *)((const char *)c + p->next); \
			T s = *(const T *)x, t = *(const T *)(x + p->step); \
			T u = *(const T *)(x + 2 * p->step), v = *(const T *)(x + 3 * p->step); \
			for (int64_t i = 0; i < n; i++) \
				sum[i] += (a[i] * s + b[i] * t) + (c[i] * u + d[i] * v); \
			a = (const T *)((const char *)d + p->next); \
		} \
		for (; from < to; from++, x += p->step, a = (const T *)((const char *)a + p->next)) { \
			T s = *(const T *)x; \
			for (int64_t i = 0; i < n; i++) \
				sum[i] += a[i] * s; \
		} \
		for (int64_t i = 0; i < n; i++) \
			sums[i] = sum[i]; \
	} \
	static void name##_part(void *of, int64_t part) \
	{ \
		const eager_tall *p = of; \
		int64_t from = part * p->some, to = from + p->some < p->rows ? from + p->some : p->rows; \
		name(p, from, to, (T *)p->sums + part * p->columns); \
	} \
	static void name##_all(const eager_tall *p, int64_t parts) \
	{ \
		for (int64_t i = 0; i < p->columns; i++) { \
			const T *sums = (const T *)p->sums + i; \
			T sum = *sums; \
			for (int64_t k = 1; k < parts; k++) \
				sum += sums[k * p->columns]; \
			*(T *)(p->out + i * p->apart) = sum; \
		} \
	}

TALL(floats, float)
TALL(doubles, double)

int64_t eager_tall_parts(eager_tall *p)
{
	p->some = PART / (p->columns * p->size) / 4 * 4;
	return (p->rows + p->some - 1) / p->some;
}

int eager_tall_product(eager_tall p, const void *a, const void *x, void *out, void *sums, int hands, int watched)
{
	eager_part *part = p.size == 4 ? floats_part : doubles_part;
	int64_t parts = eager_tall_parts(&p);
	p.a = a;
	p.x = x;
	p.out = out;
	p.sums = sums;
	int before = eager_raised();
	eager_lower();
	if (hands)
		eager_share(parts, p.rows * p.columns * p.size, part, &p);
	for (int64_t i = 0; !hands && i < parts; i++)
		part(&p, i);
	(p.size == 4 ? floats_all : doubles_all)(&p, parts);
	int raised = eager_raised();
	if (watched)
		eager_lower();
	eager_raise(before);
	return raised;
}
