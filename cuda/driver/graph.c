//go:build cuda && cgo && linux

#include <cuda.h>

#include "current.h"
#include "launch.h"

/* The parameters of a node are copied by the calls that take them. */
typedef struct {
	CUDA_KERNEL_NODE_PARAMS node;
	void *block[5];
	size_t bytes;
} description;

static void describe(description *d, const weft_cuda_launch *l, const uint64_t *params) {
	d->bytes = (size_t)l->param_count * 8;
	void *block[] = {(void *)1, (void *)(params + l->param_first), (void *)2, &d->bytes, (void *)0};
	for (int i = 0; i < 5; i++)
		d->block[i] = block[i];
	d->node = (CUDA_KERNEL_NODE_PARAMS){
		.func = (CUfunction)(uintptr_t)l->function,
		.gridDimX = l->grid[0], .gridDimY = l->grid[1], .gridDimZ = l->grid[2],
		.blockDimX = l->block[0], .blockDimY = l->block[1], .blockDimZ = l->block[2],
		.sharedMemBytes = l->shared,
		.extra = d->bytes ? d->block : NULL,
	};
}

static CUresult make(const weft_cuda_launch *launches, int n, const uint64_t *params, uint64_t *graph, uint64_t *instance, uint64_t *nodes, int *done) {
	CUresult rc;
	CUgraph g;
	if ((rc = cuGraphCreate(&g, 0)))
		return rc;
	CUgraphNode last = NULL;
	for (int i = 0; i < n && !rc; i++) {
		description d;
		describe(&d, &launches[i], params);
		CUgraphNode node;
		if (!(rc = cuGraphAddKernelNode(&node, g, i ? &last : NULL, i ? 1 : 0, &d.node))) {
			nodes[i] = (uint64_t)(uintptr_t)(last = node);
			*done = i + 1;
		}
	}
	CUgraphExec x = NULL;
	rc = rc ? rc : cuGraphInstantiateWithFlags(&x, g, 0);
	if (rc) {
		cuGraphDestroy(g);
		return rc;
	}
	*graph = (uint64_t)(uintptr_t)g;
	*instance = (uint64_t)(uintptr_t)x;
	return CUDA_SUCCESS;
}

uint32_t weft_cuda_graph_make(uint64_t context, const weft_cuda_launch *launches, int n, const uint64_t *params,
                              uint64_t *graph, uint64_t *instance, uint64_t *nodes, int *done) {
	*done = 0;
	uint64_t before;
	CUresult rc = weft_cuda_enter(context, &before);
	if (rc)
		return rc;
	rc = make(launches, n, params, graph, instance, nodes, done);
	weft_cuda_leave(context, before);
	return rc;
}

uint32_t weft_cuda_graph_replay(uint64_t context, uint64_t queue, uint64_t instance, const uint64_t *nodes, const weft_cuda_launch *launches,
                                int n, const uint64_t *params, const uint8_t *differ, uint64_t event, int *started) {
	*started = 0;
	uint64_t before;
	CUresult rc = weft_cuda_enter(context, &before);
	if (rc)
		return rc;
	for (int i = 0; i < n && !rc; i++)
		if (differ[i]) {
			description d;
			describe(&d, &launches[i], params);
			rc = cuGraphExecKernelNodeSetParams((CUgraphExec)(uintptr_t)instance, (CUgraphNode)(uintptr_t)nodes[i], &d.node);
		}
	rc = rc ? rc : cuGraphLaunch((CUgraphExec)(uintptr_t)instance, (CUstream)(uintptr_t)queue);
	if (!rc) {
		*started = 1;
		rc = cuEventRecord((CUevent)(uintptr_t)event, (CUstream)(uintptr_t)queue);
	}
	weft_cuda_leave(context, before);
	return rc;
}

uint32_t weft_cuda_graph_close(uint64_t context, uint64_t graph, uint64_t instance) {
	uint64_t before;
	CUresult rc = weft_cuda_enter(context, &before);
	if (rc)
		return rc;
	rc = cuGraphExecDestroy((CUgraphExec)(uintptr_t)instance);
	CUresult other = cuGraphDestroy((CUgraph)(uintptr_t)graph);
	weft_cuda_leave(context, before);
	return rc ? rc : other;
}
