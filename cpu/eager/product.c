// Stacks of products whose sums have at most VM_LANES terms, each of which has a lane of its own: the fold of the canonical order is all that
// adds. Columns that lie side by side are computed side by side; of one column, the terms of a sum are.
#include "cloned.h"
#include "eager.h"
#include "floating.h"

enum {
	WIDE = 8,         // columns that are computed side by side, and half and a quarter as many
	TURNED = 4 << 10, // elements of a factor that is copied, so that its columns lie side by side,
	ROWS = 4,         // where there are so many rows at least
	SUMS = 5,         // terms of one sum that are computed side by side
};

#define INLINE static inline __attribute__((always_inline))

// first_of is the distance of the lanes that are added first, where there are n.
INLINE int64_t first_of(int64_t n)
{
	int64_t first = VM_LANES / 2;
	while (first >= n && first > 0)
		first /= 2;
	return first;
}

// A strip is some columns of a row. n and columns are literals in most calls, so that lanes are registers. The results are never -0, as
// tile.Combiner.Neutral has it.
#define DEFINE_PRODUCTS(T, name) \
	INLINE void name##_strip(const eager_product *p, const char *a, const char *b, char *out, int64_t n, int columns, int64_t bj, int64_t oj) \
	{ \
		T lane[VM_LANES][WIDE]; \
		for (int64_t k = 0; k < n; k++) \
			for (int c = 0; c < columns; c++) \
				lane[k][c] = *(const T *)(a + k * p->ak) * *(const T *)(b + k * p->bk + c * bj); \
		for (int64_t s = first_of(n); s > 0; s /= 2) \
			for (int64_t k = 0; k < s && k + s < n; k++) \
				for (int c = 0; c < columns; c++) \
					lane[k][c] += lane[k + s][c]; \
		for (int c = 0; c < columns; c++) \
			*(T *)(out + c * oj) = lane[0][c] + (T)0; \
	} \
	INLINE void name##_rows(const eager_product *p, const char *b, char *to, int64_t n, int side) \
	{ \
		const int64_t bj = side ? (int64_t)sizeof(T) : p->bj, oj = side ? (int64_t)sizeof(T) : p->oj; \
		for (int64_t i = 0; i < p->rows; i++) { \
			const char *x = p->a + i * p->ai, *y = b; \
			char *out = to + i * p->oi; \
			int64_t left = p->columns; \
			for (; side && left >= WIDE; left -= WIDE, y += WIDE * bj, out += WIDE * oj) \
				name##_strip(p, x, y, out, n, WIDE, bj, oj); \
			for (; side && left >= WIDE / 2; left -= WIDE / 2, y += WIDE / 2 * bj, out += WIDE / 2 * oj) \
				name##_strip(p, x, y, out, n, WIDE / 2, bj, oj); \
			for (; side && left >= WIDE / 4; left -= WIDE / 4, y += WIDE / 4 * bj, out += WIDE / 4 * oj) \
				name##_strip(p, x, y, out, n, WIDE / 4, bj, oj); \
			for (; left > 0; left--, y += bj, out += oj) \
				name##_strip(p, x, y, out, n, 1, bj, oj); \
		} \
	} \
	INLINE void name##_one(const eager_product *p, const char *b, char *to, int side) \
	{ \
		switch (p->length) { \
		case 1: name##_rows(p, b, to, 1, side); break; \
		case 2: name##_rows(p, b, to, 2, side); break; \
		case 3: name##_rows(p, b, to, 3, side); break; \
		case 4: name##_rows(p, b, to, 4, side); break; \
		default: name##_rows(p, b, to, p->length, side); \
		} \
	} \
	INLINE void name##_sums(const eager_product *p, char *out, int64_t n) \
	{ \
		const int64_t first = first_of(n); \
		const T *y = (const T *)p->b; \
		for (int64_t i = 0; i < p->rows; i++) { \
			const T *x = (const T *)(p->a + i * p->ai); \
			T lane[VM_LANES / 2]; \
			for (int64_t k = 0; k < first; k++) \
				lane[k] = x[k] * y[k]; \
			for (int64_t k = first; k < n; k++) \
				lane[k - first] += x[k] * y[k]; \
			for (int64_t s = first / 2; s > 0; s /= 2) \
				for (int64_t k = 0; k < s; k++) \
					lane[k] += lane[k + s]; \
			*(T *)(out + i * p->oi) = lane[0] + (T)0; \
		} \
	} \
	CLONED static void name##_column(const eager_product *given, char *out) \
	{ \
		eager_product one = *given; \
		for (int64_t i = 0; i < given->stack; i++, one.a += given->as, one.b += given->bs, out += given->os) \
			switch (one.length) { \
			case 8: name##_sums(&one, out, 8); break; \
			case 16: name##_sums(&one, out, 16); break; \
			case 32: name##_sums(&one, out, 32); break; \
			default: name##_sums(&one, out, one.length); \
			} \
	} \
	CLONED static void name(const eager_product *given, char *out) \
	{ \
		T turned[TURNED]; \
		eager_product one = *given, *p = &one; \
		const int even = p->columns > 1 && p->oj == sizeof(T); \
		const int turns = even && p->bj != sizeof(T) && p->rows >= ROWS && p->columns >= WIDE && p->columns * p->length <= TURNED; \
		for (int64_t i = 0; i < given->stack; i++, one.a += given->as, out += given->os) { \
			const char *b = given->b + i * given->bs; \
			if (turns) { \
				if (i == 0 || given->bs) \
					eager_pack(sizeof(T), &(eager_layout){2, p->columns * p->length, (int64_t[]){p->length, p->columns}, (int64_t[]){given->bk, given->bj}}, b, (char *)turned); \
				one.bj = sizeof(T); \
				one.bk = p->columns * (int64_t)sizeof(T); \
				b = (const char *)turned; \
			} \
			if (even && one.bj == sizeof(T)) \
				name##_one(p, b, out, 1); \
			else \
				name##_one(p, b, out, 0); \
		} \
	}

DEFINE_PRODUCTS(float, products_float)
DEFINE_PRODUCTS(double, products_double)

void eager_products(int size, const eager_product *p, char *out)
{
	eager_product turned = *p;
	if (p->rows == 1 && p->columns > 1) { // a row is the column of the product the other way round
		turned.a = p->b;
		turned.b = p->a;
		turned.ai = p->bj;
		turned.ak = p->bk;
		turned.bk = p->ak;
		turned.as = p->bs;
		turned.bs = p->as;
		turned.oi = p->oj;
		turned.rows = p->columns;
		turned.columns = 1;
	}
	if (turned.columns == 1 && turned.ak == size && turned.bk == size && p->length >= SUMS)
		(size == 4 ? products_float_column : products_double_column)(&turned, out);
	else if (size == 4)
		products_float(p, out);
	else
		products_double(p, out);
}

// Sums of integers are the same in any order.
CLONED static void integers(const eager_product *p, uint64_t *out)
{
	for (int64_t i = 0; i < p->rows; i++)
		for (int64_t j = 0; j < p->columns; j++) {
			const uint64_t *a = (const uint64_t *)(p->a + i * p->ai), *b = (const uint64_t *)(p->b + j * p->bj);
			uint64_t sum = 0;
			for (int64_t k = 0; k < p->length; k++)
				sum += a[k] * b[k];
			*out++ = sum;
		}
}

void eager_integers(const eager_product *p, char *out) { integers(p, (uint64_t *)out); }

int eager_products_watched(int size, eager_product p, const void *a, const void *b, void *out)
{
	int before = eager_raised(), raised;
	eager_lower();
	p.a = a;
	p.b = b;
	eager_products(size, &p, out);
	raised = eager_raised();
	eager_lower();
	eager_raise(before);
	return raised;
}
