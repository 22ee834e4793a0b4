/* The slots that a tool fills with its functions; see nvtx.c. */
#ifndef WEFT_NVTX_H
#define WEFT_NVTX_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { WEFT_NVTX_NONE, WEFT_NVTX_REFUSED, WEFT_NVTX_NESTING, WEFT_NVTX_OVERLAPPING };

/* Loads the library that the environment names and lets it fill the slots, once per process. Returns which kind of
   ranges it wants; of WEFT_NVTX_REFUSED, problem says why. */
int weft_nvtx_open(char *problem, size_t size);

/* Begin a range of the kind that the tool wants, and end it. The first returns what the second needs. */
uint64_t weft_nvtx_begin(const char *name);
void weft_nvtx_end(uint64_t id);

#pragma GCC visibility pop

#endif
