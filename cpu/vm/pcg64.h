// Numbers of PCG64, NumPy's default generator, by their places in the stream. The state x of 128
// bits goes to x*a + c with every number; n such steps at once are x*a(n) + g(n)*c with numbers that
// depend on n alone, of which the table has those of the powers of two.
//
// One jump starts a run of places side by side, and four streams, each every fourth number, keep the
// multiplier busy, which a single chain of steps leaves idle most of the time.

typedef unsigned __int128 pcg_word;

#define PCG_WORD(high, low) ((pcg_word)(high) << 64 | (low))
#define PCG_STEP PCG_WORD(0x2360ed051fc65da4u, 0x4385df649fccf645u)

#include "pcg64table.h"

static inline uint64_t pcg_output(pcg_word x) {
	uint64_t folded = (uint64_t)(x >> 64) ^ (uint64_t)x;
	unsigned turn = (unsigned)(x >> 122);
	return folded >> turn | folded << (-turn & 63);
}

// pcg_jump returns the state n steps further.
static pcg_word pcg_jump(pcg_word x, pcg_word c, uint64_t n) {
	for (; n > 0; n &= n - 1) {
		const pcg_power *p = &pcg_powers[__builtin_ctzll(n)];
		x = x * PCG_WORD(p->a[0], p->a[1]) + c * PCG_WORD(p->g[0], p->g[1]);
	}
	return x;
}

// pcg_few is pcg_run in the processor's integers.
static pcg_word pcg_few(uint64_t *d, int64_t n, pcg_word x, pcg_word c) {
	const pcg_word a4 = PCG_WORD(pcg_powers[2].a[0], pcg_powers[2].a[1]);
	const pcg_word c4 = c * PCG_WORD(pcg_powers[2].g[0], pcg_powers[2].g[1]);
	pcg_word x0 = x, x1 = x0 * PCG_STEP + c, x2 = x1 * PCG_STEP + c, x3 = x2 * PCG_STEP + c, last = x3;
	for (int64_t i = 0; i < n; i += 4) {
		last = x3;
		d[i] = pcg_output(x0);
		d[i + 1] = pcg_output(x1);
		d[i + 2] = pcg_output(x2);
		d[i + 3] = pcg_output(x3);
		x0 = x0 * a4 + c4;
		x1 = x1 * a4 + c4;
		x2 = x2 * a4 + c4;
		x3 = x3 * a4 + c4;
	}
	return last;
}

#if defined(__AVX512F__)
// Sixteen streams in two vectors of three limbs each, of 52, 52 and 24 bits: the products of limbs are halves that AVX-512 IFMA adds up. It reads the
// lower 52 bits of its factors, so that sums of a few bits more need no mask.
#define IFMA __attribute__((target("avx512ifma")))

enum { PCG_STREAMS = 16 };

typedef struct { __m512i limb[3]; } pcg_limbs;

static inline uint64_t pcg_limb(pcg_word x, int k) { return (uint64_t)(x >> 52 * k) & (((uint64_t)1 << 52) - 1); }

IFMA static inline pcg_limbs pcg_spread(pcg_word x) {
	return (pcg_limbs){{_mm512_set1_epi64((int64_t)pcg_limb(x, 0)), _mm512_set1_epi64((int64_t)pcg_limb(x, 1)), _mm512_set1_epi64((int64_t)pcg_limb(x, 2))}};
}

IFMA static inline pcg_limbs pcg_step(pcg_limbs x, pcg_limbs a, pcg_limbs c) {
	__m512i r0 = _mm512_madd52lo_epu64(c.limb[0], x.limb[0], a.limb[0]);
	__m512i r1 = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(c.limb[1], x.limb[0], a.limb[0]), x.limb[0], a.limb[1]);
	__m512i s1 = _mm512_madd52lo_epu64(_mm512_srli_epi64(r0, 52), x.limb[1], a.limb[0]);
	__m512i r2 = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(c.limb[2], x.limb[0], a.limb[1]), x.limb[1], a.limb[1]);
	__m512i s2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(_mm512_setzero_si512(), x.limb[0], a.limb[2]), x.limb[1], a.limb[0]);
	r1 = _mm512_add_epi64(r1, s1);
	s2 = _mm512_madd52lo_epu64(s2, x.limb[2], a.limb[0]);
	return (pcg_limbs){{r0, r1, _mm512_add_epi64(_mm512_add_epi64(r2, s2), _mm512_srli_epi64(r1, 52))}};
}

IFMA static inline __m512i pcg_outputs(pcg_limbs x) {
	const __m512i mask = _mm512_set1_epi64(((int64_t)1 << 52) - 1);
	__m512i low = _mm512_or_si512(_mm512_and_si512(x.limb[0], mask), _mm512_slli_epi64(x.limb[1], 52));
	__m512i high = _mm512_or_si512(_mm512_srli_epi64(_mm512_and_si512(x.limb[1], mask), 12), _mm512_slli_epi64(x.limb[2], 40));
	return _mm512_rorv_epi64(_mm512_xor_si512(high, low), _mm512_srli_epi64(high, 58));
}

// pcg_many is pcg_run for a multiple of PCG_STREAMS.
IFMA static pcg_word pcg_many(uint64_t *d, int64_t n, pcg_word x, pcg_word c) {
	const pcg_power *p = &pcg_powers[4];
	const pcg_limbs a = pcg_spread(PCG_WORD(p->a[0], p->a[1])), by = pcg_spread(c * PCG_WORD(p->g[0], p->g[1]));
	uint64_t first[3][PCG_STREAMS];
	for (int k = 0; k < PCG_STREAMS; k++, x = x * PCG_STEP + c)
		for (int j = 0; j < 3; j++) first[j][k] = pcg_limb(x, j);
	pcg_limbs u, v;
	for (int j = 0; j < 3; j++) {
		u.limb[j] = _mm512_loadu_si512(first[j]);
		v.limb[j] = _mm512_loadu_si512(first[j] + 8);
	}
	for (int64_t i = 0;; i += PCG_STREAMS) {
		_mm512_storeu_si512(d + i, pcg_outputs(u));
		_mm512_storeu_si512(d + i + 8, pcg_outputs(v));
		if (i + PCG_STREAMS == n) break;
		u = pcg_step(u, a, by);
		v = pcg_step(v, a, by);
	}
	for (int j = 0; j < 3; j++) _mm512_storeu_si512(first[j], v.limb[j]);
	const uint64_t mask = ((uint64_t)1 << 52) - 1;
	return (pcg_word)first[2][7] << 104 | (pcg_word)(first[1][7] & mask) << 52 | (first[0][7] & mask);
}
#endif

// pcg_run writes n numbers, a multiple of 4, the first of which is the output of state x, and returns the
// state of the last.
static pcg_word pcg_run(uint64_t *d, int64_t n, pcg_word x, pcg_word c) {
#if defined(__AVX512F__)
	int64_t many = n & -(int64_t)PCG_STREAMS;
	if (many >= 4 * PCG_STREAMS && __builtin_cpu_supports("avx512ifma")) {
		x = pcg_many(d, many, x, c);
		if (many == n) return x;
		return pcg_few(d + many, n - many, x * PCG_STEP + c, c);
	}
#endif
	return pcg_few(d, n, x, c);
}

// pcg_pairs is pcg_run with each number written twice; n counts what is written, 8 at a time.
static pcg_word pcg_pairs(uint64_t *d, int64_t n, pcg_word x, pcg_word c) {
	uint64_t room[64];
	for (int64_t i = 0; i < n;) {
		int64_t m = n - i < 128 ? n - i : 128;
		if (i > 0) x = x * PCG_STEP + c;
		x = pcg_run(room, m / 2, x, c);
		for (int64_t k = 0; k < m / 2; k++) d[i + 2 * k] = d[i + 2 * k + 1] = room[k];
		i += m;
	}
	return x;
}

// pcg64_vssss draws numbers of one generator.
static void pcg64_vssss(int64_t n, char *const *p) {
	uint64_t *d = (uint64_t *)p[0];
	const uint64_t *place = (const uint64_t *)p[1];
	const pcg_word c = PCG_WORD(*(const uint64_t *)p[4], *(const uint64_t *)p[5]);
	const pcg_word first = PCG_WORD(*(const uint64_t *)p[2], *(const uint64_t *)p[3]) * PCG_STEP + c;
	pcg_word x = first; // the state at place at
	uint64_t at = 0;
	for (int64_t i = 0; i < n;) {
		if (place[i] < at) x = first, at = 0;
		if (place[i] - at == 1) x = x * PCG_STEP + c;
		else x = pcg_jump(x, c, place[i] - at);
		at = place[i];
		int64_t run = places_side(place + i, n - i, 0) & ~(int64_t)3;
		if (run >= 8) {
			x = pcg_run(d + i, run, x, c);
			at += (uint64_t)run - 1;
			i += run;
			continue;
		}
		run = places_side(place + i, n - i, 1) & ~(int64_t)7;
		if (run >= 16) {
			x = pcg_pairs(d + i, run, x, c);
			at += (uint64_t)run / 2 - 1;
			i += run;
			continue;
		}
		d[i++] = pcg_output(x);
	}
}

// pcg64_vvvvv draws each number from a generator of its own.
static void pcg64_vvvvv(int64_t n, char *const *p) {
	uint64_t *d = (uint64_t *)p[0];
	const uint64_t *place = (const uint64_t *)p[1], *high = (const uint64_t *)p[2], *low = (const uint64_t *)p[3];
	const uint64_t *c_high = (const uint64_t *)p[4], *c_low = (const uint64_t *)p[5];
	for (int64_t i = 0; i < n; i++) {
		pcg_word c = PCG_WORD(c_high[i], c_low[i]);
		d[i] = pcg_output(pcg_jump(PCG_WORD(high[i], low[i]) * PCG_STEP + c, c, place[i]));
	}
}

PRIMITIVE(pcg64_u64, 5, {8, 8, 8, 8, 8, 8}, {{0, pcg64_vvvvv, 0}, {30, pcg64_vssss, 0}}, 0)
