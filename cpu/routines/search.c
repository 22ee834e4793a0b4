// Where keys belong in sorted elements, a block of keys at a time: where these elements are few, a key is compared with each of them; else keys
// in ascending order are walked to from the last one, and others are searched for side by side, without a branch that depends on a key, so that they
// wait for memory together.
#include "search.h"
#include <string.h>

enum {
	BLOCK = 16,
	TABLE = 4096,  // sorted elements of which there is room for the ranks
	COUNTED = 128, // sorted elements with each of which a key is compared
	WALK = 8,      // steps from one key to the next before they are searched for
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_ISA
#endif

static const int8_t greatest8 = INT8_MAX;
static const int16_t greatest16 = INT16_MAX;
static const int32_t greatest32 = INT32_MAX;
static const int64_t greatest64 = INT64_MAX;

#define ELEMENT int8_t
#define UNSIGNED uint8_t
#define NAME(x) x##8
#include "searchwidth.h"
#define ELEMENT int16_t
#define UNSIGNED uint16_t
#define NAME(x) x##16
#include "searchwidth.h"
#define ELEMENT int32_t
#define UNSIGNED uint32_t
#define NAME(x) x##32
#include "searchwidth.h"
#define ELEMENT int64_t
#define UNSIGNED uint64_t
#define NAME(x) x##64
#include "searchwidth.h"

void weft_search(const weft_ranks *o, int size, const void *sorted, int64_t n, int right, int64_t count, const void *keys, int64_t *out)
{
	switch (size) {
	case 1: all8(o, sorted, n, right, count, keys, out); break;
	case 2: all16(o, sorted, n, right, count, keys, out); break;
	case 4: all32(o, sorted, n, right, count, keys, out); break;
	case 8: all64(o, sorted, n, right, count, keys, out); break;
	}
}
