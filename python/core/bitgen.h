// What NumPy's bit generators tell of themselves in a capsule (numpy/random/bitgen.h).
#ifndef WEFT_BITGEN_H
#define WEFT_BITGEN_H

#include <stdint.h>

typedef struct {
	void *state;
	uint64_t (*next_uint64)(void *state);
	uint32_t (*next_uint32)(void *state);
	double (*next_double)(void *state);
	uint64_t (*next_raw)(void *state);
} bitgen;

#endif
