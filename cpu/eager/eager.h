// One operation on few elements, on the calling thread; see doc.go. The caller holds a lock that all callers share:
// the scratch memory is one for the process.
#ifndef WEFT_EAGER_H
#define WEFT_EAGER_H

#include <stddef.h>
#include <stdint.h>

#include "../vm/copy.h"
#include "../vm/vm.h"
#include "hands.h"

enum {
	EAGER_INNER = 4096,  // elements of the longest block of an inner reduction (tile.BlockShape)
	EAGER_ROWS = 128,    // of the longest block of an outer reduction
	EAGER_TOTAL = 1 << 20, // elements of a reduction to one value
	EAGER_ALONG = 1 << 20, // of one along an axis
	EAGER_PARTIAL = EAGER_ALONG / EAGER_ROWS * 2, // results of blocks
	EAGER_SHORT = 128,   // rows of few elements that are reduced at a time
	EAGER_BLOCK = 512,   // elements that the steps of a code take at a time
	EAGER_REGISTERS = 24,
	EAGER_INPUTS = 3,
	EAGER_AXES = 4,
	EAGER_NARROW = 16,   // elements of an axis that are not worth a call of the loop, where there is a longer one
	EAGER_WIDEST = 16,   // bytes of an element
};

// Where a value of a code lies. Literals and uniforms are one element for all.
enum { EAGER_REGISTER, EAGER_INPUT, EAGER_OUTPUT, EAGER_LITERAL, EAGER_UNIFORM };

typedef struct {
	uint8_t kind, size; // bytes of an element
	uint32_t n;         // which register, input, literal or uniform
} eager_place;

typedef struct {
	const vm_primitive *primitive;
	uint16_t d, in[VM_INPUTS]; // places
} eager_step;

// eager_code is a program without reductions and control flow as a straight line of primitives.
typedef struct {
	int32_t steps, direct; // direct: one step, from inputs and uniforms to the output
	eager_step *step;
	eager_place *place;
	uint64_t (*literal)[2];
} eager_code;

// eager_fold is how a reduction combines elements of its accumulators' dtype.
typedef struct {
	const vm_primitive *combine;
	int32_t size, settles; // settles: each result takes neutral last
	uint64_t neutral[2];
} eager_fold;

// eager_layout is how elements lie in memory; strides are in bytes.
typedef struct {
	int ndim;
	int64_t size; // elements
	const int64_t *shape, *strides;
} eager_layout;

const vm_machine *eager_machine(void);          // of the best instruction set that this processor has
const vm_primitive *eager_primitive(int row); // of its table

// eager_map computes n elements, side by side, of the result. Bit k of ones says that input k is one element for all.
// An input may be the output's memory, element by element, and must not share it in any other way.
void eager_map(const eager_code *c, int64_t n, char *out, char *const *in, uint32_t ones, const uint64_t (*uniforms)[2]);

// eager_along is the axis along which loops do best: the last one, or, where that is short, the longest. -1 without axes.
int eager_along(int axes, const int64_t *shape);

// eager_rows computes an operation row by row along the last axis: there is one code, of one step. steps are the bytes from element to
// element, of the result first, by axis; a bit of ones says that a row of an input is one element for all.
void eager_rows(const eager_code *c, int axes, const int64_t *shape, char *out, char *const *in, const int64_t (*steps)[1 + EAGER_INPUTS],
	uint32_t ones, const uint64_t (*uniforms)[2]);

// eager_inner reduces n elements that lie side by side to one, n from 1 to EAGER_INNER: a block.
void eager_inner(const eager_fold *f, int64_t n, const char *x, char *to);

// eager_terms reduces n terms, any number: each is computed of an element of a and one of b, which have the terms' size and lie side by side.
void eager_terms(const eager_fold *f, const eager_code *term, int64_t n, const char *a, const char *b, char *to);

// eager_dot does so where the terms are products of float32 or float64, as fast as these are read.
void eager_dot(const eager_fold *f, int64_t n, const char *a, const char *b, char *to);

// eager_block reduces n elements of an array to one, at most EAGER_INNER, from the one of number at on in the order of C.
typedef void eager_block(const eager_fold *f, void *of, int64_t at, int64_t n, char *to);

// eager_total reduces all elements of a shape to one, EAGER_TOTAL at most. shared is 0 where block uses memory that is one for the process; else blocks
// are computed by several threads side by side (eager_share), and it is how many bytes are read for an element. ends is the result that no element changes any more, where
// there is one: what is behind it is not read.
void eager_total(const eager_fold *f, int axes, const int64_t *shape, int64_t shared, eager_block *block, void *of, const char *ends, char *to);

// eager_outer reduces rows of n elements, all of them side by side, to one row; EAGER_ALONG elements at most.
void eager_outer(const eager_fold *f, int64_t rows, int64_t n, const char *x, char *to);

// eager_short reduces rows of n elements, VM_LANES at most and all of them side by side, each to one: many rows at a time, whose elements
// are the lanes of the canonical order.
void eager_short(const eager_fold *f, int64_t rows, int64_t n, const char *x, char *to);

// eager_product is a stack of products out[i][j] = sum over k of a[i][k]*b[j][k], one or more. The steps are in bytes: as, bs and os are from one to the next.
typedef struct {
	const char *a, *b;
	int64_t ai, ak, bj, bk, oi, oj, rows, columns, length;
	int64_t stack, as, bs, os;
} eager_product;

// eager_products computes those of floats of so many bytes, whose length is from 1 to VM_LANES.
void eager_products(int size, const eager_product *p, char *out);
int eager_products_watched(int size, eager_product p, const void *a, const void *b, void *out); // the same; gives the floating-point flags that it raised, which are afterwards as they were

// eager_integers computes one product of int64, whose results lie without gaps. Elements of either factor lie side by side along k.
void eager_integers(const eager_product *p, char *out);

enum { EAGER_TALL = 64 }; // columns that such a matrix has at most; the least are 2

// eager_tall is out[i] = sum over k of a[k][i]*x[k], of floats of so many bytes: rows of few columns, which lie side by
// side. The other steps are in bytes.
typedef struct {
	int64_t rows, columns, size, next, step, apart;
	int64_t some; // rows of a part
	const char *a, *x;
	char *out, *sums;
} eager_tall;

// eager_tall_parts is into how many parts the rows go, with hands or without; it sets some.
int64_t eager_tall_parts(eager_tall *p);

// eager_tall_product computes one, with hands where they are allowed, and says which floating-point flags it has raised;
// watched ones are lowered again. sums has room for a row of results for each part.
int eager_tall_product(eager_tall p, const void *a, const void *x, void *out, void *sums, int hands, int watched);

// eager_line computes start + i*step, both rounded, for i from 0 on.
void eager_line(int64_t n, double start, double step, double *out);

// eager_slopes is gradient(x, step) of two elements at least.
void eager_slopes(int64_t n, const double *x, double step, double *to);
void eager_slopes_beside(int64_t n, int64_t inner, const double *x, double step, double *to); // of columns, inner of them side by side

// eager_floats makes floats in [0, 1) of the upper 53 bits of n words, where they lie.
void eager_floats(int64_t n, char *words);

// eager_bounded makes integers from low on of halves of words, of which there are count, and says whether all of them stay: those whose product with
// count has one of the few least lower halves do not.
int eager_bounded(int64_t n, const uint32_t *half, uint32_t count, uint32_t few, uint64_t low, uint64_t *to);

// eager_joined writes the layout with axes that are gone through as one in place of those that are, and returns how many these are.
int eager_joined(const eager_layout *l, int64_t *shape, int64_t *strides);

// eager_copy moves n elements that are so many bytes apart.
void eager_copy(int size, int64_t n, char *to, int64_t d, const char *from, int64_t s);

// eager_turn copies rows x columns elements: to[i][j] = from[j][i]. Those of a row of either lie side by side; step and next are the bytes from row to row.
void eager_turn(int size, int64_t rows, int64_t columns, const char *from, int64_t step, char *to, int64_t next);

// eager_fill writes one element everywhere.
void eager_fill(int size, const eager_layout *l, const char *one, char *to);

// eager_pack copies elements in the order of C to where they lie side by side, eager_unpack copies them back.
void eager_pack(int size, const eager_layout *l, const char *from, char *to);
void eager_unpack(int size, const eager_layout *l, const char *from, char *to);

// Choosing by masks, a byte for each of n units of so many bytes, and by places. step is from unit to unit in the array, next in
// the values: 0 where they are one for all. Elements are of 1, 2, 4, 8 or 16 bytes, as far apart as that allows.
int64_t eager_count(int64_t n, const uint8_t *holds); // how many bytes are not 0
void eager_count_columns(int64_t rows, int64_t columns, const uint8_t *holds, int64_t *to); // in each column of rows one behind the other
// eager_add_columns adds up the columns of rows of narrow integers or bools, a tile.DType, as integers of 64 bits, and says whether it knows these; with no
// place for the sums (NULL) it only says that.
int eager_add_columns(int dtype, int64_t rows, int64_t columns, const void *x, void *to);
int64_t eager_positions(int64_t n, const uint8_t *holds, int64_t first, int64_t *to, const int64_t *end); // and which, counted from first
// eager_places does so with AVX2, from *i on and as far as whole vectors go, and returns how many there were; where the processor has none, *i stays.
int64_t eager_places(int64_t n, const uint8_t *holds, int64_t first, int64_t *to, int64_t room, int64_t *i);
// eager_compress copies those to where they lie side by side and there is room for so many; it returns how many there were.
int64_t eager_compress(int64_t unit, int64_t n, const uint8_t *holds, const char *from, int64_t step, char *to, int64_t room);
// eager_expand writes values to those, and returns where the next values are; none may lie at end or behind.
const char *eager_expand(int64_t unit, int64_t n, const uint8_t *holds, const char *from, const char *end, int64_t next, char *to, int64_t step);
int eager_inside(int64_t n, const int64_t *at, int64_t extent); // whether all are from -extent on and below extent
void eager_clip(int64_t n, const int64_t *at, int64_t extent, int64_t *to); // the nearest ones from 0 on and below extent
// eager_offsets makes bytes of indices, of which negative ones count from the end, or adds them to what is there already. It says
// whether all are inside.
int eager_offsets(int64_t n, const int64_t *at, int64_t extent, int64_t step, int add, int64_t *to);
void eager_gather(int64_t unit, int64_t n, const int64_t *at, const char *from, char *to);
int eager_take(int64_t unit, int64_t n, const int64_t *at, int64_t extent, const char *from, char *to); // both, of units side by side
void eager_scatter(int64_t unit, int64_t n, const int64_t *at, const char *from, int64_t next, char *to);
// eager_pack_bits makes bits of n bytes, (n + 7)/8 bytes of them: set where a byte is not 0, the first the highest bit, or, little, the lowest.
void eager_pack_bits(int64_t n, const uint8_t *holds, int little, uint8_t *to);
// eager_each runs a direct code of two inputs on the elements of unit after unit, whose results take the first input's place: one
// that is named twice is computed twice. run is how many elements a unit has.
void eager_each(const eager_code *c, int64_t run, int64_t n, const int64_t *at, char *to, const char *from, int64_t next);
// eager_accumulate does it for single elements of a tile.DType, where there is a loop for them; else it is 0.
enum { EAGER_ADD, EAGER_SUBTRACT, EAGER_MULTIPLY, EAGER_MINIMUM, EAGER_MAXIMUM, EAGER_AND, EAGER_OR, EAGER_XOR, EAGER_OPERATIONS };
int eager_accumulate(int op, int dtype, int64_t n, const int64_t *at, char *to, const char *from, int64_t next);

// eager_segments are count segments along an axis of n elements, inner apart: each begins at its start, below n, and ends before the next one's; one that
// would end before it begins has one element, and the last one ends with the axis.
typedef struct {
	int64_t outer, n, inner, count;
	const int64_t *start;
} eager_segments;

// eager_reduce_segments reduces each to one element, by the operations of eager_accumulate, as NumPy's ufunc.reduceat does, sums and products of integers and bools in 64 bits.
// The elements lie side by side, and so do the results. It is 0 for what it has no loop for, and where NumPy has to decide which zero or NaN it is.
int eager_reduce_segments(int op, int dtype, const eager_segments *s, const char *data, char *to);

// eager_close says whether all of n elements of x are close to those of y, as NumPy's isclose has it; step is 0 where y is one number for all, else 1.
typedef struct {
	double rtol, atol;
	int equal_nan;
} eager_closeness;
int eager_close(const eager_closeness *how, int64_t n, const double *x, const double *y, int step);

// eager_near says so of each element, by 0 or 1.
void eager_near(const eager_closeness *how, int64_t n, const double *x, const double *y, int step, uint8_t *to);

// eager_trapezoids makes n terms of a sum: half the product of a step and the sum of the values at its ends. x is where these are, or NULL where all steps are as long.
void eager_trapezoids(int64_t n, const double *y, const double *x, double step, double *to);

// eager_numbers copies n elements, with a zero for each that is no number, and returns how many these are.
int64_t eager_numbers(int64_t n, const double *x, double *to);
void eager_are_numbers(int64_t n, const double *x, uint8_t *to); // which of them are
// eager_squares_of_numbers squares how far they are from a mean, or, where step is 1, from one for each; of what is no number it is 0.
void eager_squares_of_numbers(int64_t n, const double *x, const double *mean, int step, double *to);
// eager_best_numbers finds the most along an axis of n elements, or the least, of float32 or float64 that are numbers; an infinity where none is.
void eager_best_numbers(int most, int dtype, int64_t outer, int64_t n, int64_t inner, const void *x, void *to);

// eager_finite copies n elements of float32 or float64, by the number of the dtype, with a zero for each that is no number, and the largest and the least number for infinities.
void eager_finite(int dtype, int64_t n, const char *from, char *to);

// eager_horner computes polynomials of so many terms, one at least, the highest power's first, at n places.
void eager_horner(int64_t n, int64_t terms, const double *term, const double *x, double *to);

// eager_correlate adds up products of as many taps as there are, one at least, with the elements from each of n places on, of which there are n + taps - 1. It is 0
// for dtypes that it has no loop for.
int eager_correlate(int dtype, int64_t n, int64_t taps, const char *x, const char *tap, char *to);

// eager_bins returns one more than the greatest of n integers; -1 where there is one below 0, or as great as INT64_MAX. eager_tally counts in as many bins how often
// each occurs, as int64; with weights it adds those up, as float64, one after the other.
int64_t eager_bins(int64_t n, const int64_t *at);
void eager_tally(int64_t n, const int64_t *at, const double *weights, int64_t bins, void *to);

// eager_same says whether two times n elements of a tile.DType, which has so many bytes, are equal: floats as numbers, all others as bytes.
int eager_same(int dtype, int size, int64_t n, const char *a, const char *b);

// eager_extremes finds where along an axis of n the least elements are, or the most: a tile.DType's, side by side. room is for inner
// elements. It is 0 for dtypes without an order.
int eager_extremes(int most, int dtype, int64_t outer, int64_t n, int64_t inner, const char *data, char *room, int64_t *to);

#endif
