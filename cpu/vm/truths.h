// Primitives whose results are bools: SCALARS and UNARY for these. With vectors of 256 bits, the masks of 32 elements of 4 or 8 bytes become as many bools in few steps, as
// a step can be given two of them. The compiler's own reading keeps the elements in order at each step, and takes twice as long where they are in the second-level cache.
//
//	of 8 bytes   shuffle   0 1 4 5 | 2 3 6 7             lower halves of two masks: what either half of a register has
//	             packs     0 1 4 5 8 9 12 13 ... | 2 3 6 7 10 11 14 15 ...
//	             unpack    0 1 2 3 4 5 6 7 ...           pairs of the one and of the other half
//	of 4 bytes   packs     0 1 2 3 8 9 10 11 ... | 4 5 6 7 12 13 14 15 ...
//	             unpack    0 1 2 3 4 5 6 7 ...           fours

#if VECTOR == 32
static inline __m256i lower_halves(__m256i a, __m256i b) {
	return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

// put_truths writes 32 bools for size masks of as many bytes an element.
static inline void put_truths(uint8_t *d, int size, const __m256i *m) {
	const __m256i first = size == 8 ? _mm256_packs_epi32(lower_halves(m[0], m[1]), lower_halves(m[2], m[3])) : _mm256_packs_epi32(m[0], m[1]);
	const __m256i second = size == 8 ? _mm256_packs_epi32(lower_halves(m[4], m[5]), lower_halves(m[6], m[7])) : _mm256_packs_epi32(m[2], m[3]);
	const __m256i all = _mm256_and_si256(_mm256_packs_epi16(first, second), _mm256_set1_epi8(1));
	const __m128i even = _mm256_castsi256_si128(all), odd = _mm256_extracti128_si256(all, 1);
	_mm_storeu_si128((__m128i *)d, size == 8 ? _mm_unpacklo_epi16(even, odd) : _mm_unpacklo_epi32(even, odd));
	_mm_storeu_si128((__m128i *)(d + 16), size == 8 ? _mm_unpackhi_epi16(even, odd) : _mm_unpackhi_epi32(even, odd));
}

#define TRUTHS_AT_i(q, k) *(const vec *)((q) + i + (k) * (int)(32 / sizeof *(q)))
#define TRUTHS_AT_0(q, k) (*(q) - (vec){})

// A result may be an operand's memory: what it is written over has been read.
#define TRUTHS_LOOP(name, T, I, J, ...) \
	static void name(int64_t n, char *const *p) { \
		typedef T vec __attribute__((vector_size(32), aligned(1), may_alias)); \
		enum { MASKS = sizeof(T) }; \
		uint8_t *d = (uint8_t *)p[0]; \
		const T *a = (const T *)p[1], *b = (const T *)p[2]; \
		int64_t i = 0; \
		for (; MASKS >= 4 && i + 32 <= n; i += 32) { \
			__m256i m[8]; \
			_Pragma("GCC unroll 8") for (int k = 0; k < MASKS; k++) { \
				const vec x = TRUTHS_AT_##I(a, k), y = TRUTHS_AT_##J(b, k); \
				(void)y; \
				m[k] = (__m256i)(__VA_ARGS__); \
			} \
			put_truths(d + i, MASKS, m); \
		} \
		_Pragma("GCC ivdep") for (; i < n; i++) { \
			const T x = a[I], y = b[J]; \
			(void)y; \
			d[i] = (__VA_ARGS__); \
		} \
	}

#define TRUTHS(name, T, ...) \
	TRUTHS_LOOP(name##_vv, T, i, i, __VA_ARGS__) \
	TRUTHS_LOOP(name##_vs, T, i, 0, __VA_ARGS__) \
	TRUTHS_LOOP(name##_sv, T, 0, i, __VA_ARGS__) \
	PRIMITIVE(name, 2, {sizeof(uint8_t), sizeof(T), sizeof(T)}, {{0, name##_vv, 0}, {2, name##_vs, 0}, {1, name##_sv, 0}}, 0)

// An operand's elements stand for those of a second one, which there is none of.
#define TRUTH_LOOP(name, T, ...) \
	TRUTHS_LOOP(name##_both, T, i, i, __VA_ARGS__) \
	static void name(int64_t n, char *const *p) { name##_both(n, (char *const[]){p[0], p[1], p[1]}); }

#define TRUTH(name, T, ...) \
	TRUTH_LOOP(name##_v, T, __VA_ARGS__) \
	PRIMITIVE(name, 1, {sizeof(uint8_t), sizeof(T)}, {{0, name##_v, 0}}, 0)
#else
#define TRUTHS(name, T, ...) SCALARS(name, uint8_t, T, T, __VA_ARGS__)
#define TRUTH(name, T, ...) UNARY(name, uint8_t, T, __VA_ARGS__)
#endif
