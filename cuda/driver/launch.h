/* Starting many programs in one crossing from Go; see launch.c. */
#ifndef WEFT_CUDA_LAUNCH_H
#define WEFT_CUDA_LAUNCH_H

#include <stdint.h>

/* One launch. Handles are numbers: pointer fields would make every crossing scan the whole
   array for Go pointers, which costs microseconds. */
typedef struct {
	uint64_t function;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared;      /* bytes of dynamic shared memory */
	uint32_t param_count; /* 8-byte words of the parameter block */
	uint64_t param_first; /* its first word in the params array */
} weft_cuda_launch;

#pragma GCC visibility push(hidden)

/* Starts n launches on one queue of one context. Returns the driver's result; *done is how
   many were started, so that *done is also the number of the one that failed. */
uint32_t weft_cuda_launch_all(uint64_t context, uint64_t queue, const weft_cuda_launch *launches, int n,
                              const uint64_t *params, int *done);

#pragma GCC visibility pop

#endif
