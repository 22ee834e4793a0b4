// Vectors of 512 bits, of signed integers: what network.h and partition.h ask for, with a suffix for
// the width of the lanes. Lanes behind the end of an array hold the greatest integer.
#include <immintrin.h>

typedef __m512i V;
enum { LANES_64 = 8, LANES_32 = 16 };

static inline __mmask8 first_64(int64_t n) { return (__mmask8)_bzhi_u32(0xff, (unsigned)n); }
static inline __mmask16 first_32(int64_t n) { return (__mmask16)_bzhi_u32(0xffff, (unsigned)n); }

static inline V fill_64(int64_t x) { return _mm512_set1_epi64(x); }
static inline V fill_32(int32_t x) { return _mm512_set1_epi32(x); }
static inline V load_64(const int64_t *p) { return _mm512_loadu_si512(p); }
static inline V load_32(const int32_t *p) { return _mm512_loadu_si512(p); }
static inline void store_64(int64_t *p, V v) { _mm512_storeu_si512(p, v); }
static inline void store_32(int32_t *p, V v) { _mm512_storeu_si512(p, v); }
static inline V load_part_64(const int64_t *p, int64_t n) { return _mm512_mask_loadu_epi64(fill_64(INT64_MAX), first_64(n), p); }
static inline V load_part_32(const int32_t *p, int64_t n) { return _mm512_mask_loadu_epi32(fill_32(INT32_MAX), first_32(n), p); }
static inline void store_part_64(int64_t *p, int64_t n, V v) { _mm512_mask_storeu_epi64(p, first_64(n), v); }
static inline void store_part_32(int32_t *p, int64_t n, V v) { _mm512_mask_storeu_epi32(p, first_32(n), v); }

// exchange leaves the smaller of each two lanes in a and the greater in b.
static inline void exchange_64(V *a, V *b) {
	V low = _mm512_min_epi64(*a, *b);
	*b = _mm512_max_epi64(*a, *b);
	*a = low;
}

static inline void exchange_32(V *a, V *b) {
	V low = _mm512_min_epi32(*a, *b);
	*b = _mm512_max_epi32(*a, *b);
	*a = low;
}

// across_64 is v with each lane i in the place of lane i^d.
static inline V across_64(V v, int d) {
	switch (d) {
	case 1: return _mm512_permutex_epi64(v, 0xb1);
	case 2: return _mm512_permutex_epi64(v, 0x4e);
	case 3: return _mm512_permutex_epi64(v, 0x1b);
	case 4: return _mm512_shuffle_i64x2(v, v, 0x4e);
	default: return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
	}
}

static inline V across_32(V v, int d) {
	switch (d) {
	case 1: return _mm512_shuffle_epi32(v, 0xb1);
	case 2: return _mm512_shuffle_epi32(v, 0x4e);
	case 3: return _mm512_shuffle_epi32(v, 0x1b);
	case 4: return _mm512_permutex_epi64(v, 0x4e);
	case 7: return _mm512_permutexvar_epi32(_mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), v);
	case 8: return _mm512_shuffle_i64x2(v, v, 0x4e);
	default: return _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v);
	}
}

// halves_64 is, lane by lane, the smaller of a and b where the lane's number has no bit d, and
// the greater where it has; rest gets the others.
static inline V halves_64(V a, V b, int d, V *rest) {
	const __mmask8 upper = d == 1 ? 0xaa : d == 2 ? 0xcc : 0xf0;
	__mmask8 m = _mm512_cmplt_epi64_mask(b, a) ^ upper;
	*rest = _mm512_mask_blend_epi64(m, b, a);
	return _mm512_mask_blend_epi64(m, a, b);
}

static inline V halves_32(V a, V b, int d, V *rest) {
	const __mmask16 upper = d == 1 ? 0xaaaa : d == 2 ? 0xcccc : d == 4 ? 0xf0f0 : 0xff00;
	__mmask16 m = _mm512_cmplt_epi32_mask(b, a) ^ upper;
	*rest = _mm512_mask_blend_epi32(m, b, a);
	return _mm512_mask_blend_epi32(m, a, b);
}

// weave puts lanes of a and b in turns: those of their lower halves into a, of their upper halves into b.
static inline void weave_64(V *a, V *b) {
	V low = _mm512_permutex2var_epi64(*a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), *b);
	*b = _mm512_permutex2var_epi64(*a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), *b);
	*a = low;
}

static inline void weave_32(V *a, V *b) {
	V low = _mm512_permutex2var_epi32(*a, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), *b);
	*b = _mm512_permutex2var_epi32(*a, _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), *b);
	*a = low;
}

// Floats that are numbers: of -0.0 and 0.0, which compare equal, the instructions for the smaller and the greater one return
// the second operand, so that each gets another one and none is lost. Of a lane and one across, halves gives either the other one's.
enum { LANES_real = LANES_64 };
static inline V fill_real(real x) { return _mm512_castpd_si512(_mm512_set1_pd(x)); }
static inline V load_real(const real *p) { return _mm512_loadu_si512(p); }
static inline void store_real(real *p, V v) { _mm512_storeu_si512(p, v); }
static inline V load_part_real(const real *p, int64_t n) { return _mm512_mask_loadu_epi64(fill_real(MOST_real), first_64(n), p); }
static inline void store_part_real(real *p, int64_t n, V v) { _mm512_mask_storeu_epi64(p, first_64(n), v); }
static inline V across_real(V v, int d) { return across_64(v, d); }
static inline void weave_real(V *a, V *b) { weave_64(a, b); }

static inline void exchange_real(V *a, V *b) {
	__m512d x = _mm512_castsi512_pd(*a), y = _mm512_castsi512_pd(*b);
	*a = _mm512_castpd_si512(_mm512_min_pd(x, y));
	*b = _mm512_castpd_si512(_mm512_max_pd(y, x));
}

static inline V halves_real(V a, V b, int d, V *rest) {
	const __mmask8 upper = d == 1 ? 0xaa : d == 2 ? 0xcc : 0xf0;
	__m512d x = _mm512_castsi512_pd(a), y = _mm512_castsi512_pd(b);
	*rest = _mm512_castpd_si512(_mm512_mask_min_pd(_mm512_max_pd(y, x), upper, y, x));
	return _mm512_castpd_si512(_mm512_mask_max_pd(_mm512_min_pd(x, y), upper, x, y));
}

// part writes the lanes of v that are less than p from left on, and the others up to right. It
// returns how many are less. It may write a whole vector from left on, and one that ends at right.
static inline int64_t parted(V v, __mmask8 m, void *left, int64_t *right) {
	int64_t k = _mm_popcnt_u32(m);
	_mm512_storeu_si512(left, _mm512_maskz_compress_epi64(m, v));
	_mm512_mask_storeu_epi64(right - (LANES_64 - k), first_64(LANES_64 - k), _mm512_maskz_compress_epi64(_knot_mask8(m), v));
	return k;
}

static inline int64_t part_64(V v, V p, int64_t *left, int64_t *right) { return parted(v, _mm512_cmplt_epi64_mask(v, p), left, right); }
static inline int64_t part_real(V v, V p, real *left, real *right) {
	return parted(v, _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_castsi512_pd(p), _CMP_LT_OQ), left, (int64_t *)right);
}

static inline int64_t part_32(V v, V p, int32_t *left, int32_t *right) {
	__mmask16 m = _mm512_cmplt_epi32_mask(v, p);
	int64_t k = _mm_popcnt_u32(m);
	_mm512_storeu_si512(left, _mm512_maskz_compress_epi32(m, v));
	_mm512_mask_storeu_epi32(right - (LANES_32 - k), first_32(LANES_32 - k), _mm512_maskz_compress_epi32(_knot_mask16(m), v));
	return k;
}

// part_of does it with the first n lanes, and writes nothing else.
static inline int64_t parted_of(V v, __mmask8 m, int64_t n, int64_t *left, int64_t *right) {
	__mmask8 less = first_64(n) & m, rest = first_64(n) ^ less;
	int64_t k = _mm_popcnt_u32(less);
	_mm512_mask_storeu_epi64(left, first_64(k), _mm512_maskz_compress_epi64(less, v));
	_mm512_mask_storeu_epi64(right - (n - k), first_64(n - k), _mm512_maskz_compress_epi64(rest, v));
	return k;
}

static inline int64_t part_of_64(V v, V p, int64_t n, int64_t *left, int64_t *right) {
	return parted_of(v, _mm512_cmplt_epi64_mask(v, p), n, left, right);
}
static inline int64_t part_of_real(V v, V p, int64_t n, real *left, real *right) {
	return parted_of(v, _mm512_cmp_pd_mask(_mm512_castsi512_pd(v), _mm512_castsi512_pd(p), _CMP_LT_OQ), n, (int64_t *)left, (int64_t *)right);
}

static inline int64_t part_of_32(V v, V p, int64_t n, int32_t *left, int32_t *right) {
	__mmask16 m = _mm512_mask_cmplt_epi32_mask(first_32(n), v, p), rest = first_32(n) ^ m;
	int64_t k = _mm_popcnt_u32(m);
	_mm512_mask_storeu_epi32(left, first_32(k), _mm512_maskz_compress_epi32(m, v));
	_mm512_mask_storeu_epi32(right - (n - k), first_32(n - k), _mm512_maskz_compress_epi32(rest, v));
	return k;
}
