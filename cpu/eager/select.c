#include "cloned.h"
#include "eager.h"

#include <string.h>

// Masks are read eight elements at a time: a word that is 0 chooses nothing, and one of ones all eight, which is what most words of
// masks are that programs make.
#define ALL 0x0101010101010101u
enum { AT_ONCE = 8 };

static inline uint64_t word(const uint8_t *holds)
{
	uint64_t w;
	memcpy(&w, holds, sizeof w);
	return w;
}

typedef struct { uint64_t a, b; } wide;

// With AVX-512 a vector of elements is compressed at a time: loops that stop where less than a whole vector may be written.
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define V512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,popcnt,bmi2")))
static int vectors(void) { return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"); }

// compress_64 compresses elements from *i on, and returns how many it wrote.
V512 static int64_t compress_64(int64_t n, const uint8_t *holds, const uint64_t *from, uint64_t *to, int64_t room, int64_t *i)
{
	int64_t at = 0, k = *i;
	for (; k + 8 <= n && room - at >= 8; k += 8) {
		__mmask8 m = _mm_test_epi8_mask(_mm_loadl_epi64((const __m128i *)(holds + k)), _mm_set1_epi8(-1));
		_mm512_storeu_si512(to + at, _mm512_maskz_compress_epi64(m, _mm512_loadu_si512(from + k)));
		at += _mm_popcnt_u32(m);
	}
	*i = k;
	return at;
}

V512 static int64_t compress_32(int64_t n, const uint8_t *holds, const uint32_t *from, uint32_t *to, int64_t room, int64_t *i)
{
	int64_t at = 0, k = *i;
	for (; k + 16 <= n && room - at >= 16; k += 16) {
		__mmask16 m = _mm_test_epi8_mask(_mm_loadu_si128((const __m128i *)(holds + k)), _mm_set1_epi8(-1));
		_mm512_storeu_si512(to + at, _mm512_maskz_compress_epi32(m, _mm512_loadu_si512(from + k)));
		at += _mm_popcnt_u32(m);
	}
	*i = k;
	return at;
}

// chosen_8 has a bit for each of eight elements that a mask chooses, twice_8 two bits.
V512 static inline uint32_t chosen_8(const uint8_t *holds) { return _mm_test_epi8_mask(_mm_loadl_epi64((const __m128i *)holds), _mm_set1_epi8(-1)); }
V512 static inline uint32_t twice_8(const uint8_t *holds) { return 3 * _pdep_u32(chosen_8(holds), 0x5555); }

V512 static int64_t compress_128(int64_t n, const uint8_t *holds, const wide *from, wide *to, int64_t room, int64_t *i)
{
	int64_t at = 0, k = *i;
	for (; k + 8 <= n && room - at >= 8; k += 8) {
		uint32_t m = twice_8(holds + k);
		_mm512_storeu_si512(to + at, _mm512_maskz_compress_epi64((__mmask8)m, _mm512_loadu_si512(from + k)));
		at += _mm_popcnt_u32(m & 0x55);
		_mm512_storeu_si512(to + at, _mm512_maskz_compress_epi64((__mmask8)(m >> 8), _mm512_loadu_si512(from + k + 4)));
		at += _mm_popcnt_u32(m & 0x5500);
	}
	*i = k;
	return at;
}

// expand_64 writes values from from on, which end is behind, and returns how many it wrote.
V512 static int64_t expand_64(int64_t n, const uint8_t *holds, const uint64_t *from, const uint64_t *end, uint64_t *to, int64_t *i)
{
	int64_t at = 0, k = *i;
	for (; k + 8 <= n && end - from - at >= 8; k += 8) {
		__mmask8 m = (__mmask8)chosen_8(holds + k);
		if (m == 0xff) // stores under a mask are slower where they cross a line
			_mm512_storeu_si512(to + k, _mm512_loadu_si512(from + at));
		else
			_mm512_mask_storeu_epi64(to + k, m, _mm512_maskz_expand_epi64(m, _mm512_loadu_si512(from + at)));
		at += _mm_popcnt_u32(m);
	}
	*i = k;
	return at;
}

V512 static int64_t expand_32(int64_t n, const uint8_t *holds, const uint32_t *from, const uint32_t *end, uint32_t *to, int64_t *i)
{
	int64_t at = 0, k = *i;
	for (; k + 16 <= n && end - from - at >= 16; k += 16) {
		__mmask16 m = _mm_test_epi8_mask(_mm_loadu_si128((const __m128i *)(holds + k)), _mm_set1_epi8(-1));
		_mm512_mask_storeu_epi32(to + k, m, _mm512_maskz_expand_epi32(m, _mm512_loadu_si512(from + at)));
		at += _mm_popcnt_u32(m);
	}
	*i = k;
	return at;
}

V512 static int64_t expand_128(int64_t n, const uint8_t *holds, const wide *from, const wide *end, wide *to, int64_t *i)
{
	int64_t at = 0, k = *i;
	for (; k + 8 <= n && end - from - at >= 8; k += 8) {
		uint32_t m = twice_8(holds + k);
		if (m == 0)
			continue;
		if (m == 0xffff) {
			memcpy(to + k, from + at, 8 * sizeof(wide));
			at += 8;
			continue;
		}
		_mm512_mask_storeu_epi64(to + k, (__mmask8)m, _mm512_maskz_expand_epi64((__mmask8)m, _mm512_loadu_si512(from + at)));
		at += _mm_popcnt_u32(m & 0x55);
		_mm512_mask_storeu_epi64(to + k + 4, (__mmask8)(m >> 8), _mm512_maskz_expand_epi64((__mmask8)(m >> 8), _mm512_loadu_si512(from + at)));
		at += _mm_popcnt_u32(m & 0x5500);
	}
	*i = k;
	return at;
}

// places_64 compresses the numbers of those that hold; 64 of which none does are passed over.
V512 static int64_t places_64(int64_t n, const uint8_t *holds, int64_t first, int64_t *to, int64_t room, int64_t *i)
{
	int64_t at = 0, k = *i;
	__m512i now = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
	while (k + 8 <= n && room - at >= 8) {
		if (k + 64 <= n && !_mm512_test_epi8_mask(_mm512_loadu_si512(holds + k), _mm512_loadu_si512(holds + k))) {
			k += 64;
			now = _mm512_add_epi64(now, _mm512_set1_epi64(64));
			continue;
		}
		for (int64_t end = k + 64 <= n ? k + 64 : k + 8; k < end && room - at >= 8; k += 8, now = _mm512_add_epi64(now, _mm512_set1_epi64(8))) {
			__mmask8 m = _mm_test_epi8_mask(_mm_loadl_epi64((const __m128i *)(holds + k)), _mm_set1_epi8(-1)); // no branch: of every other one the processor guesses wrong
			_mm512_storeu_si512(to + at, _mm512_maskz_compress_epi64(m, now));
			at += _mm_popcnt_u32(m);
		}
	}
	*i = k;
	return at;
}
#else
static int vectors(void) { return 0; }
#define compress_64(...) 0
#define compress_32(...) 0
#define compress_128(...) 0
#define expand_32(...) 0
#define expand_64(...) 0
#define expand_128(...) 0
#define places_64(...) 0
#endif

CLONED int64_t eager_count(int64_t n, const uint8_t *holds)
{
	int64_t all = 0;
	while (n > 0) {
		int64_t part = n < 255 * 32 ? n : 255 * 32, i = 0;
		uint8_t lanes[32] = {0};
		for (; i + 32 <= part; i += 32)
			for (int k = 0; k < 32; k++)
				lanes[k] += holds[i + k] != 0;
		for (int k = 0; k < 32; k++)
			all += lanes[k];
		for (; i < part; i++)
			all += holds[i] != 0;
		holds += part;
		n -= part;
	}
	return all;
}

int64_t eager_positions(int64_t n, const uint8_t *holds, int64_t first, int64_t *to, const int64_t *end)
{
	int64_t *at = to, i = 0;
	if (vectors())
		at += places_64(n, holds, first, to, end - to, &i);
	else
		at += eager_places(n, holds, first, to, end - to, &i);
	for (; i + AT_ONCE <= n && end - at >= AT_ONCE; i += AT_ONCE) {
		uint64_t w = word(holds + i);
		if (w == 0)
			continue;
		for (int k = 0; k < AT_ONCE; k++) { // no branch that depends on the data: half of such branches are guessed wrong
			*at = first + i + k;
			at += holds[i + k] != 0;
		}
	}
	for (; i < n && at < end; i++)
		if (i + AT_ONCE <= n && word(holds + i) == 0)
			i += AT_ONCE - 1;
		else if (holds[i])
			*at++ = first + i;
	return at - to;
}

// move copies a unit of another size than those of elements: most are short rows.
static inline void move(char *to, const char *from, int64_t unit)
{
	if (unit > 64 || unit % 8) {
		vm_copy(to, from, (size_t)unit);
		return;
	}
	for (int64_t k = 0; k < unit; k += 8)
		memcpy(to + k, from + k, 8);
}

// COMPRESS leaves what it can to a loop over vectors, where there is one for the type.
#define COMPRESS(T, in_vectors) { \
	T *at = (T *)to; \
	const T *end = at + room; \
	int64_t i = 0; \
	if (step == sizeof(T) && vectors()) \
		at += in_vectors; \
	for (; i + AT_ONCE <= n && end - at >= AT_ONCE; i += AT_ONCE) { \
		uint64_t w = word(holds + i); \
		const char *x = from + i * step; \
		if (w == 0) \
			continue; \
		if (w == ALL && step == sizeof(T)) { \
			memcpy(at, x, AT_ONCE * sizeof(T)); \
			at += AT_ONCE; \
			continue; \
		} \
		for (int k = 0; k < AT_ONCE; k++) { \
			*at = *(const T *)(x + k * step); \
			at += holds[i + k] != 0; \
		} \
	} \
	for (; i < n && at < end; i++) \
		if (i + AT_ONCE <= n && word(holds + i) == 0) \
			i += AT_ONCE - 1; \
		else if (holds[i]) \
			*at++ = *(const T *)(from + i * step); \
	return at - (T *)to; \
}

int64_t eager_compress(int64_t unit, int64_t n, const uint8_t *holds, const char *from, int64_t step, char *to, int64_t room)
{
	switch (unit) {
	case 1: COMPRESS(uint8_t, 0)
	case 2: COMPRESS(uint16_t, 0)
	case 4: COMPRESS(uint32_t, compress_32(n, holds, (const uint32_t *)from, at, room, &i))
	case 8: COMPRESS(uint64_t, compress_64(n, holds, (const uint64_t *)from, at, room, &i))
	case 16: COMPRESS(wide, compress_128(n, holds, (const wide *)from, at, room, &i))
	}
	int64_t found = 0;
	for (int64_t i = 0; i < n; i++)
		if (holds[i])
			move(to + found++ * unit, from + i * step, unit);
	return found;
}

// BLEND writes an element where all bits of chosen are ones, and what is there already where they are zeros.
#define BLEND(T) static inline void blend_##T(T *x, const T *v, uint64_t chosen) { *x ^= (*x ^ *v) & (T)chosen; }
BLEND(uint8_t)
BLEND(uint16_t)
BLEND(uint32_t)
BLEND(uint64_t)

static inline void blend_wide(wide *x, const wide *v, uint64_t chosen)
{
	blend_uint64_t(&x->a, &v->a, chosen);
	blend_uint64_t(&x->b, &v->b, chosen);
}

#define EXPAND(T, in_vectors) { \
	const T *at = (const T *)from; \
	int64_t i = 0; \
	if (step == sizeof(T) && next == sizeof(T) && vectors()) \
		at += in_vectors; \
	for (; i + AT_ONCE <= n && (next == 0 || end - (const char *)at >= AT_ONCE * next); i += AT_ONCE) { \
		uint64_t w = word(holds + i); \
		char *x = to + i * step; \
		if (w == 0) \
			continue; \
		if (w == ALL && step == sizeof(T) && next == sizeof(T)) { \
			memcpy(x, at, AT_ONCE * sizeof(T)); \
			at += AT_ONCE; \
			continue; \
		} \
		for (int k = 0; k < AT_ONCE; k++, x += step) { \
			uint64_t chosen = -(uint64_t)(holds[i + k] != 0); \
			blend_##T((T *)x, at, chosen); \
			at = (const T *)((const char *)at + (next & (int64_t)chosen)); \
		} \
	} \
	for (; i < n; i++) \
		if (holds[i]) { \
			*(T *)(to + i * step) = *at; \
			at = (const T *)((const char *)at + next); \
		} \
	return (const char *)at; \
}

const char *eager_expand(int64_t unit, int64_t n, const uint8_t *holds, const char *from, const char *end, int64_t next, char *to, int64_t step)
{
	switch (unit) {
	case 1: EXPAND(uint8_t, 0)
	case 2: EXPAND(uint16_t, 0)
	case 4: EXPAND(uint32_t, expand_32(n, holds, at, (const uint32_t *)end, (uint32_t *)to, &i))
	case 8: EXPAND(uint64_t, expand_64(n, holds, at, (const uint64_t *)end, (uint64_t *)to, &i))
	case 16: EXPAND(wide, expand_128(n, holds, at, (const wide *)end, (wide *)to, &i))
	}
	for (int64_t i = 0; i < n; i++)
		if (holds[i]) {
			move(to + i * step, from, unit);
			from += next;
		}
	return from;
}

CLONED int eager_inside(int64_t n, const int64_t *at, int64_t extent)
{
	uint64_t out = 0, most = (uint64_t)extent; // far below the half of what fits, so that the sign tells
	for (int64_t i = 0; i < n; i++)
		out |= ((uint64_t)at[i] + most) | (most - 1 - (uint64_t)at[i]);
	return (int64_t)out >= 0;
}

CLONED void eager_clip(int64_t n, const int64_t *at, int64_t extent, int64_t *to)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t k = at[i] < 0 ? 0 : at[i];
		to[i] = k < extent ? k : extent - 1;
	}
}

CLONED int eager_offsets(int64_t n, const int64_t *at, int64_t extent, int64_t step, int add, int64_t *to)
{
	uint64_t out = 0, most = (uint64_t)extent;
	for (int64_t i = 0; i < n; i++) {
		uint64_t v = (uint64_t)at[i];
		out |= (v + most) | (most - 1 - v);
		v = (v + (most & -(v >> 63))) * (uint64_t)step;
		to[i] = (int64_t)(add ? (uint64_t)to[i] + v : v);
	}
	return (int64_t)out >= 0;
}

#define GATHER(T) \
	for (int64_t i = 0; i < n; i++) \
		((T *)to)[i] = *(const T *)(from + at[i]); \
	return;

void eager_gather(int64_t unit, int64_t n, const int64_t *at, const char *from, char *to)
{
	switch (unit) {
	case 1: GATHER(uint8_t)
	case 2: GATHER(uint16_t)
	case 4: GATHER(uint32_t)
	case 8: GATHER(uint64_t)
	case 16: GATHER(wide)
	}
	for (int64_t i = 0; i < n; i++)
		move(to + i * unit, from + at[i], unit);
}

#define TAKE(T) \
	for (int64_t i = 0; i < n; i++) \
		((T *)to)[i] = ((const T *)from)[(uint64_t)at[i] + (most & -((uint64_t)at[i] >> 63))]; \
	return 1;

int eager_take(int64_t unit, int64_t n, const int64_t *at, int64_t extent, const char *from, char *to)
{
	uint64_t most = (uint64_t)extent;
	if (!eager_inside(n, at, extent))
		return 0;
	switch (unit) {
	case 1: TAKE(uint8_t)
	case 2: TAKE(uint16_t)
	case 4: TAKE(uint32_t)
	case 8: TAKE(uint64_t)
	case 16: TAKE(wide)
	}
	for (int64_t i = 0; i < n; i++)
		move(to + i * unit, from + (at[i] + (at[i] < 0 ? extent : 0)) * unit, unit);
	return 1;
}

#define SCATTER(T) \
	for (int64_t i = 0; i < n; i++) \
		*(T *)(to + at[i]) = *(const T *)(from + i * next); \
	return;

void eager_scatter(int64_t unit, int64_t n, const int64_t *at, const char *from, int64_t next, char *to)
{
	switch (unit) {
	case 1: SCATTER(uint8_t)
	case 2: SCATTER(uint16_t)
	case 4: SCATTER(uint32_t)
	case 8: SCATTER(uint64_t)
	case 16: SCATTER(wide)
	}
	for (int64_t i = 0; i < n; i++)
		move(to + at[i], from + i * next, unit);
}

void eager_each(const eager_code *c, int64_t run, int64_t n, const int64_t *at, char *to, const char *from, int64_t next)
{
	const eager_step *s = c->step;
	const vm_primitive *q = s->primitive;
	vm_loop *loop = q->form[0].loop;
	char *p[1 + VM_INPUTS];
	int own[VM_INPUTS], values = 0, owns = 0, value[VM_INPUTS];
	for (int i = 0; i < VM_INPUTS; i++) {
		const eager_place *v = &c->place[s->in[i < q->inputs ? i : 0]];
		if (v->kind == EAGER_INPUT && v->n == 1)
			value[values++] = 1 + i;
		else if (v->kind == EAGER_INPUT)
			own[owns++] = 1 + i;
		else
			p[1 + i] = (char *)c->literal[v->n];
	}
	for (int64_t k = 0; k < n; k++, from += next) {
		p[0] = to + at[k];
		for (int i = 0; i < owns; i++)
			p[own[i]] = p[0];
		for (int i = 0; i < values; i++)
			p[value[i]] = (char *)from;
		loop(run, p);
	}
}
