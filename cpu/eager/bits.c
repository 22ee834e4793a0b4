#include "eager.h"

#include <string.h>

// Eight bytes become one of bits: a byte that is not 0 is a bit that is set, the first one the highest, or the lowest.

static uint8_t packed(int64_t n, const uint8_t *holds, int little)
{
	unsigned bits = 0;
	for (int64_t i = 0; i < n; i++)
		bits |= (holds[i] != 0) << (little ? i : 7 - i);
	return (uint8_t)bits;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

// pack packs whole vectors, and says how many elements these had.
__attribute__((target("avx2"))) static int64_t pack(int64_t n, const uint8_t *holds, int little, uint8_t *to)
{
	enum { BYTES = 32 };
	const __m256i none = _mm256_setzero_si256();
	const __m256i turned = _mm256_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
	int64_t i = 0;
	for (; i + BYTES <= n; i += BYTES) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(holds + i));
		v = little ? v : _mm256_shuffle_epi8(v, turned);
		const uint32_t bits = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, none));
		memcpy(to + i / 8, &bits, sizeof bits);
	}
	return i;
}

static int vectors(void) { return __builtin_cpu_supports("avx2"); }
#else
static int64_t pack(int64_t n, const uint8_t *holds, int little, uint8_t *to)
{
	(void)n, (void)holds, (void)little, (void)to;
	return 0;
}

static int vectors(void) { return 0; }
#endif

void eager_pack_bits(int64_t n, const uint8_t *holds, int little, uint8_t *to)
{
	for (int64_t i = vectors() ? pack(n, holds, little, to) : 0; i < n; i += 8)
		to[i / 8] = packed(n - i < 8 ? n - i : 8, holds + i, little);
}
