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
	uint32_t cooperative; /* all blocks are resident at once, or the launch is refused */
	uint64_t param_first; /* its first word in the params array */
} weft_cuda_launch;

#pragma GCC visibility push(hidden)

/* Starts n launches on one queue of one context, and records an event behind them unless it is 0. Returns the driver's result; *done
   is how many were started, so that *done is also the number of the one that failed; it is n where the event could not be recorded. */
uint32_t weft_cuda_launch_all(uint64_t context, uint64_t queue, const weft_cuda_launch *launches, int n,
                              const uint64_t *params, uint64_t event, int *done);

/* Makes an executable graph of n launches, each behind the one before it (graph.c): its handle, that of the graph that it is of, and
   those of its nodes. Returns the driver's result; *done is how many nodes were made. Of what failed, nothing is left. */
uint32_t weft_cuda_graph_make(uint64_t context, const weft_cuda_launch *launches, int n, const uint64_t *params,
                              uint64_t *graph, uint64_t *instance, uint64_t *nodes, int *done);

/* Gives the nodes of an executable graph that differ the parameters of their launches, starts it on a queue, and records an event behind
   it. Returns the driver's result; *started is whether the launches were started. */
uint32_t weft_cuda_graph_replay(uint64_t context, uint64_t queue, uint64_t instance, const uint64_t *nodes, const weft_cuda_launch *launches,
                                int n, const uint64_t *params, const uint8_t *differ, uint64_t event, int *started);

/* Gives both handles of an executable graph back. The driver waits with that until the graph has run. */
uint32_t weft_cuda_graph_close(uint64_t context, uint64_t graph, uint64_t instance);

/* Asks whether an event has happened and, if so, how many milliseconds after the event base, both of one context. Returns the driver's
   result: CUDA_ERROR_NOT_READY where it hasn't. */
uint32_t weft_cuda_passed(uint64_t context, uint64_t event, uint64_t base, float *ms);

#pragma GCC visibility pop

#endif
