// One loop for each size that a register holds, and one for those that lie side by side where they go to: then there is
// one list less to read.
#include "exchange.h"

#include <string.h>

typedef struct {
	uint64_t part[2];
} two;

typedef void pass(char *to, const char *from, const int64_t *at, const int64_t *of, int64_t n);

#define PASSES(T) \
	static void apart_##T(char *to, const char *from, const int64_t *at, const int64_t *of, int64_t n) \
	{ \
		for (int64_t k = 0; k < n; k++) \
			memcpy(to + at[k], from + of[k], sizeof(T)); \
	} \
	static void together_##T(char *to, const char *from, const int64_t *at, const int64_t *of, int64_t n) \
	{ \
		(void)at; \
		for (int64_t k = 0; k < n; k++) \
			memcpy(to + k * (int64_t)sizeof(T), from + of[k], sizeof(T)); \
	}

PASSES(uint8_t)
PASSES(uint16_t)
PASSES(uint32_t)
PASSES(uint64_t)
PASSES(two)

static const struct {
	int64_t size;
	pass *apart, *together;
} passes[] = {
	{sizeof(uint8_t), apart_uint8_t, together_uint8_t},
	{sizeof(uint16_t), apart_uint16_t, together_uint16_t},
	{sizeof(uint32_t), apart_uint32_t, together_uint32_t},
	{sizeof(uint64_t), apart_uint64_t, together_uint64_t},
	{sizeof(two), apart_two, together_two},
};

void weft_exchange(int64_t size, char *to, const char *from, const int64_t *to1, const int64_t *from1, int64_t n1, const int64_t *to2,
	const int64_t *from2, int64_t n2)
{
	int together = 1;
	for (int64_t k = 0; k < n2; k++)
		together &= to2[k] == to2[0] + k * size;
	for (unsigned row = 0; row < sizeof(passes) / sizeof(*passes); row++) {
		if (passes[row].size != size)
			continue;
		pass *run = together ? passes[row].together : passes[row].apart;
		const int64_t first = together && n2 > 0 ? to2[0] : 0;
		for (int64_t i = 0; i < n1; i++)
			run(to + to1[i] + first, from + from1[i], to2, from2, n2);
		return;
	}
	for (int64_t i = 0; i < n1; i++)
		for (int64_t k = 0; k < n2; k++)
			memcpy(to + to1[i] + to2[k], from + from1[i] + from2[k], (size_t)size);
}
