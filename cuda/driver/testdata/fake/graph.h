/* Graphs, as graph.c and capture.c share them. */
#ifndef FAKE_GRAPH_H
#define FAKE_GRAPH_H

#include "driver.h"

enum { KERNEL_NODE, COPY_NODE, FILL_NODE, HOST_NODE, CHILD_NODE, EMPTY_NODE, WAIT_NODE, RECORD_NODE };

typedef struct graph graph;

typedef struct node {
	object o;
	graph *graph;
	int type, index; /* index: among the nodes of its graph */
	task task;
	struct node **deps;
	int ndeps;
	graph *child;
	event *event;
} node;

struct graph {
	object o;
	node **nodes;
	int n;
};

typedef struct capture {
	struct capture *next;
	graph *graph;
	queue *origin;
	int mode, broken;
	pthread_t thread;
} capture;

/* CUDA_KERNEL_NODE_PARAMS, of both versions, CUDA_MEMSET_NODE_PARAMS and CUDA_HOST_NODE_PARAMS */
typedef struct { function *f; uint32_t grid[3], block[3], shared; void **params, **extra; } kernel_params;
typedef struct { P dst; size_t pitch; uint32_t value, size; size_t width, height; } fill_params;
typedef struct { void (*f)(void *); void *data; } host_params;

/* What nodes do, from what calls pass; each returns a CUresult. */
R kernel_task(const char *call, const kernel_params *p, task *t);
R copy_task(const void *p, task *t); /* from a CUDA_MEMCPY3D */
R fill_task(const fill_params *p, task *t);
R host_task(const host_params *p, task *t);
task task_copy(const task *t); /* with parameters of its own */

graph *graph_new(void);
void graph_free(graph *g);
node *graph_add(graph *g, int type, node **deps, int n);

#endif
