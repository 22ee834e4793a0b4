/* What is done for each task, in one crossing from Go; see launch.c. */
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

/* Starts n launches on one queue of one context, and records an event behind them unless it is 0. Returns the driver's result; *done
   is how many were started, so that *done is also the number of the one that failed; it is n where the event could not be recorded. */
uint32_t weft_cuda_launch_all(uint64_t context, uint64_t queue, const weft_cuda_launch *launches, int n,
                              const uint64_t *params, uint64_t event, int *done);

/* Asks whether an event has happened and, if so, how many milliseconds after the event base, both of one context. Returns the driver's
   result: CUDA_ERROR_NOT_READY where it hasn't. */
uint32_t weft_cuda_passed(uint64_t context, uint64_t event, uint64_t base, float *ms);

#pragma GCC visibility pop

#endif
