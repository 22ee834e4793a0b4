#include "eager.h"

#include <string.h>

static void combine(const vm_primitive *q, int64_t n, char *d, char *a, char *b)
{
	char *p[1 + VM_INPUTS] = {d, a, b, a, a, a};
	q->form[0].loop(n, p);
}

// settle lets n results take the neutral element.
static void settle(const eager_fold *f, int64_t n, char *to)
{
	_Alignas(64) char neutrals[EAGER_BLOCK * EAGER_WIDEST]; // the neutral element, as often as a loop takes it; hands settle results side by side
	if (!f->settles)
		return;
	for (int64_t at = 0; at < n; at += EAGER_BLOCK) {
		int64_t m = n - at < EAGER_BLOCK ? n - at : EAGER_BLOCK;
		eager_copy(f->size, m, neutrals, f->size, (const char *)f->neutral, 0);
		combine(f->combine, m, to + at * f->size, to + at * f->size, neutrals);
	}
}

// take combines n elements into the lanes; seen is how many they have seen, all of them as often where it is more than VM_LANES.
static void take(const eager_fold *f, char *lanes, int64_t seen, int64_t n, const char *x)
{
	const vm_primitive *q = f->combine;
	int64_t size = f->size;
	if (seen == 0) {
		int64_t first = n < VM_LANES ? n : VM_LANES;
		memcpy(lanes, x, (size_t)(first * size));
		x += first * size;
		n -= first;
	}
	if (q->lanes && n >= VM_LANES) {
		q->lanes(n / VM_LANES, lanes, x);
		x += (n - n % VM_LANES) * size;
		n %= VM_LANES;
	}
	for (; n > 0; n -= VM_LANES, x += VM_LANES * size)
		combine(q, n < VM_LANES ? n : VM_LANES, lanes, lanes, (char *)x);
}

// finish folds the lanes of n elements.
static void finish(const eager_fold *f, char *lanes, int64_t n, char *to)
{
	const vm_primitive *q = f->combine;
	int64_t size = f->size, first = n < VM_LANES ? n : VM_LANES;
	if (first == VM_LANES && q->fold)
		q->fold(lanes);
	else
		for (int64_t s = VM_LANES / 2; s > 0; s /= 2) {
			int64_t k = first - s < s ? first - s : s;
			if (k > 0)
				combine(q, k, lanes, lanes, lanes + s * size);
		}
	settle(f, 1, lanes);
	memcpy(to, lanes, (size_t)size);
}

void eager_inner(const eager_fold *f, int64_t n, const char *x, char *to)
{
	_Alignas(64) char lanes[VM_LANES * EAGER_WIDEST];
	take(f, lanes, 0, n, x);
	finish(f, lanes, n, to);
}

void eager_terms(const eager_fold *f, const eager_code *term, int64_t n, const char *a, const char *b, char *to)
{
	static _Alignas(64) char terms[EAGER_BLOCK * EAGER_WIDEST];
	_Alignas(64) char lanes[VM_LANES * EAGER_WIDEST];
	for (int64_t at = 0; at < n; at += EAGER_BLOCK) {
		int64_t k = n - at < EAGER_BLOCK ? n - at : EAGER_BLOCK;
		char *in[EAGER_INPUTS] = {(char *)a + at * f->size, (char *)b + at * f->size};
		eager_map(term, k, terms, in, 0, NULL);
		take(f, lanes, at, k, terms);
	}
	finish(f, lanes, n, to);
}

void eager_dot(const eager_fold *f, int64_t n, const char *a, const char *b, char *to)
{
	eager_machine()->dot[f->size == 8](n, a, b, to);
	settle(f, 1, to);
}

// outer_block reduces at most EAGER_ROWS rows of n elements, row bytes apart, to one row.
static void outer_block(const eager_fold *f, int64_t rows, int64_t n, int64_t row, const char *x, char *to)
{
	memcpy(to, x, (size_t)(n * f->size));
	if (f->combine->rows)
		f->combine->rows(rows - 1, row, n, to, x + row);
	else
		for (int64_t r = 1; r < rows; r++)
			combine(f->combine, n, to, to, (char *)x + r * row);
	settle(f, n, to);
}

// fold_columns folds lanes that are columns of so many rows, as finish folds lanes of one element.
static void fold_columns(const eager_fold *f, int64_t rows, int64_t n, char (*column)[EAGER_SHORT * EAGER_WIDEST])
{
	for (int64_t s = VM_LANES / 2; s > 0; s /= 2)
		for (int64_t k = 0; k < s && k + s < n; k++)
			combine(f->combine, rows, column[k], column[k], column[k + s]);
	settle(f, rows, column[0]);
}

void eager_short(const eager_fold *f, int64_t rows, int64_t n, const char *x, char *to)
{
	static _Alignas(64) char column[VM_LANES][EAGER_SHORT * EAGER_WIDEST];
	int64_t size = f->size;
	for (int64_t at = 0; at < rows; at += EAGER_SHORT, x += EAGER_SHORT * n * size) {
		int64_t m = rows - at < EAGER_SHORT ? rows - at : EAGER_SHORT;
		for (int64_t k = 0; k < n; k++)
			eager_copy((int)size, m, column[k], size, x + k * size, n * size);
		fold_columns(f, m, n, column);
		memcpy(to + at * size, column[0], (size_t)(m * size));
	}
}

// Results of blocks, which are reduced in their turn: of EAGER_TOTAL elements in blocks of half the longest length, or of rows.
static _Alignas(64) char partial[2][EAGER_PARTIAL * EAGER_WIDEST];

// level is one level of a reduction of rows: blocks of rows, each cut into some columns.
typedef struct {
	const eager_fold *f;
	const char *x;
	char *to;
	int64_t rows, n, some, across; // some: columns of a part, of which there are so many across
} level;

static void reduce_rows(void *of, int64_t part)
{
	const level *l = of;
	int64_t block = part / l->across, column = part % l->across * l->some, size = l->f->size, from = block * EAGER_ROWS;
	int64_t rows = l->rows - from < EAGER_ROWS ? l->rows - from : EAGER_ROWS, n = l->n - column < l->some ? l->n - column : l->some;
	outer_block(l->f, rows, n, l->n * size, l->x + (from * l->n + column) * size, l->to + (block * l->n + column) * size);
}

void eager_outer(const eager_fold *f, int64_t rows, int64_t n, const char *x, char *to)
{
	int64_t blocks = (rows + EAGER_ROWS - 1) / EAGER_ROWS;
	for (int i = 0; blocks > 0; i++) {
		level l = {.f = f, .x = x, .to = blocks > 1 ? partial[i & 1] : to, .rows = rows, .n = n};
		l.across = eager_parts(n, (rows < EAGER_ROWS ? rows : EAGER_ROWS) * f->size, &l.some);
		eager_share(blocks * l.across, rows * n * f->size, reduce_rows, &l);
		x = l.to;
		rows = blocks;
		blocks = blocks > 1 ? (rows + EAGER_ROWS - 1) / EAGER_ROWS : 0;
	}
}

// cut says how tile.BlockShape cuts a space all of whose axes are reduced, from which axes of one element are left out: the last axes
// whole, and blocks of *most points along one axis of *n, each of *inner elements. There are *outer such axes.
static void cut(int axes, const int64_t *shape, int64_t *outer, int64_t *n, int64_t *most, int64_t *inner)
{
	int64_t room = EAGER_INNER;
	*outer = *n = *most = *inner = 1;
	int k = axes - 1;
	for (; k >= 0 && shape[k] <= room; k--) {
		room /= shape[k];
		*inner *= shape[k];
	}
	if (k >= 0) {
		*n = shape[k];
		*most = room;
	}
	while (--k >= 0)
		*outer *= shape[k];
}

// grid makes the shape of the results of the blocks of a shape.
static int grid(int axes, int64_t *shape)
{
	int64_t room = EAGER_INNER;
	int k = axes - 1;
	for (; k >= 0 && shape[k] <= room; k--) {
		room /= shape[k];
		shape[k] = 1;
	}
	if (k >= 0)
		shape[k] = (shape[k] + room - 1) / room;
	return k >= 0;
}

// first is the first level of a total: blocks of a shape.
typedef struct {
	const eager_fold *f;
	eager_block *block;
	void *of;
	char *results;
	int64_t n, most, inner, along; // along: blocks of each n
	int64_t blocks, some;          // of all, and of a part
} first;

// reduce_block computes one block, and returns where its result is.
static char *reduce_block(const first *x, int64_t number)
{
	int64_t i = number % x->along * x->most, n = x->n - i < x->most ? x->n - i : x->most;
	char *result = x->results + number * x->f->size;
	x->block(x->f, x->of, (number / x->along * x->n + i) * x->inner, n * x->inner, result);
	return result;
}

static void reduce_blocks(void *of, int64_t part)
{
	const first *x = of;
	for (int64_t i = part * x->some; i < x->blocks && i < (part + 1) * x->some; i++)
		reduce_block(x, i);
}

void eager_total(const eager_fold *f, int axes, const int64_t *shape, int64_t shared, eager_block *block, void *of, const char *ends, char *to)
{
	int64_t extent[EAGER_AXES], outer, n, most, inner, all = 1;
	for (int i = 0; i < axes; i++)
		all *= extent[i] = shape[i];
	if (all <= EAGER_INNER) { // one block
		block(f, of, 0, all, to);
		return;
	}
	cut(axes, extent, &outer, &n, &most, &inner);
	int64_t along = (n + most - 1) / most, bytes = most * inner * shared;
	first x = {.f = f, .block = block, .of = of, .results = partial[0], .n = n, .most = most, .inner = inner, .along = along, .blocks = outer * along};
	if (shared && !ends) {
		int64_t parts = eager_parts(x.blocks, bytes, &x.some);
		eager_share(parts, x.blocks * bytes, reduce_blocks, &x);
	} else {
		for (int64_t i = 0; i < x.blocks; i++) {
			char *result = reduce_block(&x, i);
			if (ends && memcmp(result, ends, (size_t)f->size) == 0) {
				memcpy(to, result, (size_t)f->size);
				return;
			}
		}
	}
	for (int level = 1; grid(axes, extent); level++) {
		const char *from = partial[(level - 1) & 1];
		char *results = partial[level & 1];
		int64_t blocks = 0, at = 0;
		cut(axes, extent, &outer, &n, &most, &inner);
		for (int64_t o = 0; o < outer; o++)
			for (int64_t i = 0; i < n; i += most) {
				int64_t k = (n - i < most ? n - i : most) * inner;
				eager_inner(f, k, from + at * f->size, results + blocks++ * f->size);
				at += k;
			}
		x.results = results;
	}
	memcpy(to, x.results, (size_t)f->size);
}
