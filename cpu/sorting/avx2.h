// Vectors of 256 bits: as avx512.h, whose comments hold here.
#include <immintrin.h>

typedef __m256i V;
enum { LANES_64 = 4, LANES_32 = 8 };

static inline V first_64(int64_t n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }
static inline V first_32(int64_t n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }

static inline V fill_64(int64_t x) { return _mm256_set1_epi64x(x); }
static inline V fill_32(int32_t x) { return _mm256_set1_epi32(x); }
static inline V load_64(const int64_t *p) { return _mm256_loadu_si256((const V *)p); }
static inline V load_32(const int32_t *p) { return _mm256_loadu_si256((const V *)p); }
static inline void store_64(int64_t *p, V v) { _mm256_storeu_si256((V *)p, v); }
static inline void store_32(int32_t *p, V v) { _mm256_storeu_si256((V *)p, v); }

static inline V load_part_64(const int64_t *p, int64_t n) {
	V m = first_64(n);
	return _mm256_blendv_epi8(fill_64(INT64_MAX), _mm256_maskload_epi64((const long long *)p, m), m);
}

static inline V load_part_32(const int32_t *p, int64_t n) {
	V m = first_32(n);
	return _mm256_blendv_epi8(fill_32(INT32_MAX), _mm256_maskload_epi32((const int *)p, m), m);
}

static inline void store_part_64(int64_t *p, int64_t n, V v) { _mm256_maskstore_epi64((long long *)p, first_64(n), v); }
static inline void store_part_32(int32_t *p, int64_t n, V v) { _mm256_maskstore_epi32((int *)p, first_32(n), v); }

static inline void exchange_64(V *a, V *b) {
	V m = _mm256_cmpgt_epi64(*a, *b), low = _mm256_blendv_epi8(*a, *b, m);
	*b = _mm256_blendv_epi8(*b, *a, m);
	*a = low;
}

static inline void exchange_32(V *a, V *b) {
	V low = _mm256_min_epi32(*a, *b);
	*b = _mm256_max_epi32(*a, *b);
	*a = low;
}

static inline V across_64(V v, int d) {
	switch (d) {
	case 1: return _mm256_permute4x64_epi64(v, 0xb1);
	case 2: return _mm256_permute4x64_epi64(v, 0x4e);
	default: return _mm256_permute4x64_epi64(v, 0x1b);
	}
}

static inline V across_32(V v, int d) {
	switch (d) {
	case 1: return _mm256_shuffle_epi32(v, 0xb1);
	case 2: return _mm256_shuffle_epi32(v, 0x4e);
	case 3: return _mm256_shuffle_epi32(v, 0x1b);
	case 4: return _mm256_permute4x64_epi64(v, 0x4e);
	default: return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
	}
}

static inline V halves_64(V a, V b, int d, V *rest) {
	const V upper = d == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1);
	V m = _mm256_xor_si256(_mm256_cmpgt_epi64(a, b), upper);
	*rest = _mm256_blendv_epi8(b, a, m);
	return _mm256_blendv_epi8(a, b, m);
}

static inline V halves_32(V a, V b, int d, V *rest) {
	const V upper = d == 1 ? _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1) : d == 2 ? _mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1)
		: _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1);
	V m = _mm256_xor_si256(_mm256_cmpgt_epi32(a, b), upper);
	*rest = _mm256_blendv_epi8(b, a, m);
	return _mm256_blendv_epi8(a, b, m);
}

static inline void weave_64(V *a, V *b) {
	V even = _mm256_unpacklo_epi64(*a, *b), odd = _mm256_unpackhi_epi64(*a, *b);
	*a = _mm256_permute2x128_si256(even, odd, 0x20);
	*b = _mm256_permute2x128_si256(even, odd, 0x31);
}

static inline void weave_32(V *a, V *b) {
	V even = _mm256_unpacklo_epi32(*a, *b), odd = _mm256_unpackhi_epi32(*a, *b);
	*a = _mm256_permute2x128_si256(even, odd, 0x20);
	*b = _mm256_permute2x128_si256(even, odd, 0x31);
}

enum { LANES_real = LANES_64 };
static inline V fill_real(real x) { return _mm256_castpd_si256(_mm256_set1_pd(x)); }
static inline V load_real(const real *p) { return _mm256_loadu_si256((const V *)p); }
static inline void store_real(real *p, V v) { _mm256_storeu_si256((V *)p, v); }
static inline V load_part_real(const real *p, int64_t n) {
	V m = first_64(n);
	return _mm256_blendv_epi8(fill_real(MOST_real), _mm256_maskload_epi64((const long long *)p, m), m);
}
static inline void store_part_real(real *p, int64_t n, V v) { _mm256_maskstore_epi64((long long *)p, first_64(n), v); }
static inline V across_real(V v, int d) { return across_64(v, d); }
static inline void weave_real(V *a, V *b) { weave_64(a, b); }

static inline void exchange_real(V *a, V *b) {
	__m256d x = _mm256_castsi256_pd(*a), y = _mm256_castsi256_pd(*b);
	*a = _mm256_castpd_si256(_mm256_min_pd(x, y));
	*b = _mm256_castpd_si256(_mm256_max_pd(y, x));
}

static inline V halves_real(V a, V b, int d, V *rest) {
	const V upper = d == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1);
	__m256d x = _mm256_castsi256_pd(a), y = _mm256_castsi256_pd(b), turned = _mm256_castsi256_pd(upper);
	*rest = _mm256_castpd_si256(_mm256_blendv_pd(_mm256_max_pd(y, x), _mm256_min_pd(y, x), turned));
	return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_min_pd(x, y), _mm256_max_pd(x, y), turned));
}

// The orders of a vector's lanes in which those of a mask come first: a byte for each 32 bits, from the lowest one. To look one up is a load, where
// to make it of the mask (pdep and pext, which some processors have in microcode) are eight steps, one after the other.
#define BEFORE(m, i) __builtin_popcount((m) & ((1 << (i)) - 1))
#define PLACE(m, i) ((m) >> (i) & 1 ? BEFORE(m, i) : __builtin_popcount(m) + (i) - BEFORE(m, i))
#define ONE(m, i) ((uint64_t)(i) << 8 * PLACE(m, i))
#define TWO(m, i) ((uint64_t)((2 * (i) + 1) << 8 | 2 * (i)) << 16 * PLACE(m, i))
#define ORDER_64(m) (TWO(m, 0) | TWO(m, 1) | TWO(m, 2) | TWO(m, 3))
#define ORDER_32(m) (ONE(m, 0) | ONE(m, 1) | ONE(m, 2) | ONE(m, 3) | ONE(m, 4) | ONE(m, 5) | ONE(m, 6) | ONE(m, 7))
#define FOUR_OF(ORDER, m) ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define SIXTEEN_OF(ORDER, m) FOUR_OF(ORDER, m), FOUR_OF(ORDER, (m) + 4), FOUR_OF(ORDER, (m) + 8), FOUR_OF(ORDER, (m) + 12)
#define SIXTY_FOUR_OF(ORDER, m) SIXTEEN_OF(ORDER, m), SIXTEEN_OF(ORDER, (m) + 16), SIXTEEN_OF(ORDER, (m) + 32), SIXTEEN_OF(ORDER, (m) + 48)
static const uint64_t orders_64[16] = {SIXTEEN_OF(ORDER_64, 0)};
static const uint64_t orders_32[256] = {
	SIXTY_FOUR_OF(ORDER_32, 0), SIXTY_FOUR_OF(ORDER_32, 64), SIXTY_FOUR_OF(ORDER_32, 128), SIXTY_FOUR_OF(ORDER_32, 192),
};

// first_of is v with those lanes first whose bits are set in m, and the others behind them.
static inline V ordered(V v, const uint64_t *order) {
	return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)order)));
}
static inline V first_of_64(V v, unsigned m) { return ordered(v, &orders_64[m]); }
static inline V first_of_32(V v, unsigned m) { return ordered(v, &orders_32[m]); }

static inline int64_t parted(V v, __m256d less, void *left, int64_t *right) {
	unsigned m = (unsigned)_mm256_movemask_pd(less);
	V w = first_of_64(v, m);
	_mm256_storeu_si256((V *)left, w);
	store_64(right - LANES_64, w);
	return _mm_popcnt_u32(m);
}

static inline int64_t part_64(V v, V p, int64_t *left, int64_t *right) {
	return parted(v, _mm256_castsi256_pd(_mm256_cmpgt_epi64(p, v)), left, right);
}
static inline int64_t part_real(V v, V p, real *left, real *right) {
	return parted(v, _mm256_cmp_pd(_mm256_castsi256_pd(v), _mm256_castsi256_pd(p), _CMP_LT_OQ), left, (int64_t *)right);
}

static inline int64_t part_32(V v, V p, int32_t *left, int32_t *right) {
	unsigned m = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(p, v)));
	V w = first_of_32(v, m);
	store_32(left, w);
	store_32(right - LANES_32, w);
	return _mm_popcnt_u32(m);
}

static inline int64_t part_of_64(V v, V p, int64_t n, int64_t *left, int64_t *right) {
	int64_t some[LANES_64], pivot[LANES_64], k = 0;
	store_64(some, v);
	store_64(pivot, p);
	for (int64_t i = 0; i < n; i++) {
		if (some[i] < pivot[0]) left[k++] = some[i];
		else *--right = some[i];
	}
	return k;
}

static inline int64_t part_of_real(V v, V p, int64_t n, real *left, real *right) {
	real some[LANES_64], pivot[LANES_64];
	int64_t k = 0;
	store_real(some, v);
	store_real(pivot, p);
	for (int64_t i = 0; i < n; i++) {
		if (some[i] < pivot[0]) left[k++] = some[i];
		else *--right = some[i];
	}
	return k;
}

static inline int64_t part_of_32(V v, V p, int64_t n, int32_t *left, int32_t *right) {
	int32_t some[LANES_32], pivot[LANES_32];
	int64_t k = 0;
	store_32(some, v);
	store_32(pivot, p);
	for (int64_t i = 0; i < n; i++) {
		if (some[i] < pivot[0]) left[k++] = some[i];
		else *--right = some[i];
	}
	return k;
}

static inline unsigned mask_64(V m) { return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m)); }

// put writes the lanes of a mask to where *to is, and moves that behind them; what comes behind them there is overwritten. Of lanes of 32 bits it
// writes the lower four.
static inline void put_64(int64_t **to, V v, unsigned m) {
	store_64(*to, first_of_64(v, m));
	*to += _mm_popcnt_u32(m);
}
static inline void put_32(int32_t **to, V v, unsigned m) {
	_mm_storeu_si128((__m128i *)*to, _mm256_castsi256_si128(first_of_32(v, m)));
	*to += _mm_popcnt_u32(m);
}
