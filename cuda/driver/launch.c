//go:build cuda && cgo && linux

#include <cuda.h>

#include "current.h"
#include "launch.h"

static CUresult launch_all(uint64_t queue, const weft_cuda_launch *launches, int n, const uint64_t *params, uint64_t event, int *done) {
	CUresult rc;
	for (int i = 0; i < n; i++) {
		const weft_cuda_launch *l = &launches[i];
		size_t bytes = (size_t)l->param_count * 8;
		/* The whole parameter block in one piece: 1 names its address, 2 its size, 0 ends. */
		void *block[] = {(void *)1, (void *)(params + l->param_first), (void *)2, &bytes, (void *)0};
		/* A cooperative launch takes no such piece, but the address of each parameter, of which a kernel of weft's has one. */
		void *whole[] = {(void *)(params + l->param_first)};
		if (l->cooperative)
			rc = cuLaunchCooperativeKernel((CUfunction)(uintptr_t)l->function, l->grid[0], l->grid[1], l->grid[2],
			                               l->block[0], l->block[1], l->block[2], l->shared,
			                               (CUstream)(uintptr_t)queue, whole);
		else
			rc = cuLaunchKernel((CUfunction)(uintptr_t)l->function, l->grid[0], l->grid[1], l->grid[2],
			                    l->block[0], l->block[1], l->block[2], l->shared,
			                    (CUstream)(uintptr_t)queue, NULL, bytes ? block : NULL);
		if (rc)
			return rc;
		*done = i + 1;
	}
	return event ? cuEventRecord((CUevent)(uintptr_t)event, (CUstream)(uintptr_t)queue) : CUDA_SUCCESS;
}

uint32_t weft_cuda_launch_all(uint64_t context, uint64_t queue, const weft_cuda_launch *launches, int n,
                              const uint64_t *params, uint64_t event, int *done) {
	*done = 0;
	uint64_t before;
	CUresult rc = weft_cuda_enter(context, &before);
	if (rc)
		return rc;
	rc = launch_all(queue, launches, n, params, event, done);
	weft_cuda_leave(context, before);
	return rc;
}

uint32_t weft_cuda_passed(uint64_t context, uint64_t event, uint64_t base, float *ms) {
	uint64_t before;
	CUresult rc = weft_cuda_enter(context, &before);
	if (rc)
		return rc;
	rc = cuEventQuery((CUevent)(uintptr_t)event);
	rc = rc ? rc : cuEventElapsedTime(ms, (CUevent)(uintptr_t)base, (CUevent)(uintptr_t)event);
	weft_cuda_leave(context, before);
	return rc;
}
