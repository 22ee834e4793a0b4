/* The context that is current on a thread. Other libraries of the process, which call on the same threads, have a device of theirs
   current there: whatever the package does on a thread, it leaves current what it found. */
#ifndef WEFT_CUDA_CURRENT_H
#define WEFT_CUDA_CURRENT_H

#include <cuda.h>
#include <stdint.h>

/* Makes a context current, and tells which one was, 0 for none, for weft_cuda_leave. After an error nothing is to be left. */
static inline CUresult weft_cuda_enter(uint64_t context, uint64_t *before) {
	CUcontext was;
	CUresult rc = cuCtxGetCurrent(&was);
	*before = (uint64_t)(uintptr_t)was;
	return rc || *before == context ? rc : cuCtxSetCurrent((CUcontext)(uintptr_t)context);
}

/* Makes the one current that was before. That it cannot be any more, its owner finds out. */
static inline void weft_cuda_leave(uint64_t context, uint64_t before) {
	if (before != context)
		(void)cuCtxSetCurrent((CUcontext)(uintptr_t)before);
}

#endif
