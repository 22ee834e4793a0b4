// One instruction set's machine: the files that choose the set include this, with VECTOR the bytes
// of its vectors, NETWORK the most vectors that a network sorts, and MACHINE the name of what it defines.

#include "sorting.h"
#include <string.h>

#define PASTE(a, b) a##b
#define MOST_64 INT64_MAX
#define MOST_32 INT32_MAX
#define MOST_real __builtin_inf()
typedef double __attribute__((may_alias)) real; // memory of elements is seen as floats and as their bits
static inline int64_t above_64(int64_t x) { return x + 1; } // the next one, of what is not the greatest
static inline int32_t above_32(int32_t x) { return x + 1; }
static inline real above_real(real x) {
	int64_t bits;
	memcpy(&bits, &x, sizeof bits);
	bits = x == 0 ? 1 : bits < 0 ? bits - 1 : bits + 1;
	memcpy(&x, &bits, sizeof x);
	return x;
}
enum { NARROW = 4096, SHORT_ROW = 16, BESIDE = 64 };

#if VECTOR == 64
#include "avx512.h"
#elif VECTOR == 32
#include "avx2.h"
#endif

#define T int64_t
#define F(name) PASTE(name, _64)
#include "width.h"
#undef T
#undef F
#define T int32_t
#define F(name) PASTE(name, _32)
#include "width.h"
#undef T
#undef F
#if VECTOR > 16
#define T real
#define F(name) PASTE(name, _real)
#include "width.h"
#undef T
#undef F
#endif

#include "buckets.h"
#include "reals.h"
#include "select.h"

#define E int8_t
#define U uint8_t
#define BITS 8
#define G(name) PASTE(name, _8)
#include "elements.h"
#undef E
#undef U
#undef BITS
#undef G
#define E int16_t
#define U uint16_t
#define BITS 16
#define G(name) PASTE(name, _16)
#include "elements.h"
#undef E
#undef U
#undef BITS
#undef G
#define E int32_t
#define U uint32_t
#define BITS 32
#define G(name) PASTE(name, _32)
#include "elements.h"
#undef E
#undef U
#undef BITS
#undef G
#define E int64_t
#define U uint64_t
#define BITS 64
#define G(name) PASTE(name, _64)
#include "elements.h"
#undef E
#undef U
#undef BITS
#undef G

const sorting_machine MACHINE = {
	NAME,
	{rows_8, rows_16, rows_32, rows_64},
	{sample_8, sample_16, sample_32, sample_64},
	{count_8, count_16, count_32, count_64},
	{place_positions_8, place_positions_16, place_positions_32, place_positions_64},
	{position_rows_8, position_rows_16, position_rows_32, position_rows_64},
	{position_bucket_8, position_bucket_16, position_bucket_32, position_bucket_64},
	{count_below_8, count_below_16, count_below_32, count_below_64},
	{split_positions_8, split_positions_16, split_positions_32, split_positions_64},
	{distinct_8, distinct_16, distinct_32, distinct_64},
	{starts_8, starts_16, starts_32, starts_64},
	{select_places_8, select_places_16, select_places_32, select_places_64},
	{0, 0, place_32, place_64},
	{0, 0, bucket_32, bucket_64},
	{0, 0, prepare_32, prepare_64},
	{0, 0, cut_at_32, cut_at_64},
	{0, 0, finish_32, finish_64},
	{0, 0, span_32, span_64},
	{0, 0, split_32, split_64},
	{0, 0, best_end_32, best_end_64},
	{0, 0, select_row_32, select_row_64},
};
