/* How libcuda is found and called; see load.c. Everything here is hidden: a library that
   is loaded later must not bind to our names. */
#ifndef WEFT_CUDA_LOAD_H
#define WEFT_CUDA_LOAD_H

#include <cuda.h>

#pragma GCC visibility push(hidden)

/* The table of libcuda's entry points, in the order of api.txt (forward.c). An entry that
   this driver does not have is NULL. */
extern const char *const weft_cuda_names[];
extern const int weft_cuda_count;
extern void *weft_cuda_entries[];

enum { WEFT_CUDA_UNTRIED, WEFT_CUDA_OPEN, WEFT_CUDA_ABSENT };
extern int weft_cuda_state;

/* Loads and initialises the driver, once per process; returns what cuInit returned, or
   CUDA_ERROR_NO_DEVICE when there is no library. */
CUresult weft_cuda_open(void);

/* What weft_cuda_open found: the library's path ("" when none was loaded), and why no
   library could be loaded ("" when one was). Valid after weft_cuda_open. */
const char *weft_cuda_library(void);
const char *weft_cuda_problem(void);

/* What the library says of its version, also where cuInit failed; 0 when it cannot be
   asked. Valid after weft_cuda_open. */
int weft_cuda_version(void);

/* CUDA_SUCCESS when entry i may be called. */
static inline CUresult weft_cuda_ready(int i) {
	if (__atomic_load_n(&weft_cuda_state, __ATOMIC_ACQUIRE) != WEFT_CUDA_OPEN) {
		CUresult rc = weft_cuda_open();
		if (rc)
			return rc;
	}
	return weft_cuda_entries[i] ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#pragma GCC visibility pop

#endif
