/* Graphs: nodes and what they depend on, as calls build them. */
#include "graph.h"

graph *graph_new(void) { return object_new(GRAPH, sizeof(graph)); }

static int has(node *const *list, int n, const node *x) {
	for (int i = 0; i < n; i++)
		if (list[i] == x)
			return 1;
	return 0;
}

static void depend(node *n, node *on) {
	if (has(n->deps, n->ndeps, on))
		return;
	n->deps = realloc(n->deps, (size_t)(n->ndeps + 1) * sizeof *n->deps);
	n->deps[n->ndeps++] = on;
}

node *graph_add(graph *g, int type, node **deps, int n) {
	node *made = object_new(NODE, sizeof *made);
	made->graph = g;
	made->type = type;
	made->index = g->n;
	for (int i = 0; i < n; i++)
		depend(made, deps[i]);
	g->nodes = realloc(g->nodes, (size_t)(g->n + 1) * sizeof *g->nodes);
	g->nodes[g->n++] = made;
	return made;
}

static void node_free(node *n) {
	task_free(&n->task);
	free(n->deps);
	n->deps = NULL;
	if (n->child)
		graph_free(n->child);
	n->child = NULL;
	object_die(n);
}

void graph_free(graph *g) {
	for (int i = 0; i < g->n; i++)
		node_free(g->nodes[i]);
	free(g->nodes);
	g->nodes = NULL;
	object_die(g);
}

/* task_copy makes a task of its own of another one. */
task task_copy(const task *t) {
	task made = *t;
	made.staged = NULL;
	if (t->action == DO_KERNEL) {
		size_t n = fake_param_bytes(t->as.kernel.f->k) + 8;
		made.as.kernel.params = malloc(n);
		memcpy(made.as.kernel.params, t->as.kernel.params, n);
	}
	return made;
}

static graph *clone(const graph *g) {
	graph *made = graph_new();
	for (int i = 0; i < g->n; i++) {
		node *from = g->nodes[i], *n = graph_add(made, from->type, NULL, 0);
		n->task = task_copy(&from->task);
		n->event = from->event;
		n->child = from->child ? clone(from->child) : NULL;
	}
	for (int i = 0; i < g->n; i++)
		for (int d = 0; d < g->nodes[i]->ndeps; d++)
			depend(made->nodes[i], made->nodes[g->nodes[i]->deps[d]->index]);
	return made;
}

/* ---- building ---- */

/* start checks what the calls that add a node have in common. */
static R start(const char *call, node **out, graph *g, node **deps, size_t n) {
	if (!alive(g, GRAPH, call))
		return 1;
	if (!out || (n && !deps))
		return 1;
	for (size_t i = 0; i < n; i++)
		if (!alive(deps[i], NODE, call) || deps[i]->graph != g)
			return 1;
	return 0;
}


R kernel_task(const char *call, const kernel_params *p, task *t) {
	if (!p || !alive(p->f, FUNCTION, call))
		return p ? 400 : 1;
	return launch_task(t, call, p->f, p->grid, p->block, p->shared, p->params, p->extra, 0);
}

R copy_from_3d(const void *from, copy *c, unsigned *src_type, unsigned *dst_type); /* copies.c */

R copy_task(const void *p, task *t) {
	unsigned from, to;
	*t = (task){.action = DO_COPY, .what = "memcpy node"};
	copy *c = &t->as.copy;
	R rc = copy_from_3d(p, c, &from, &to);
	if (rc)
		return rc;
	if (!c->width || !c->rows || !c->planes)
		return 1;
	c->from = place_of(c->src);
	c->to = place_of(c->dst);
	if ((from == 2 && !range_ok(c->src, (c->planes - 1) * c->sslice + (c->rows - 1) * c->spitch + c->width, -1, FAKE_READ)) ||
	    (to == 2 && !range_ok(c->dst, (c->planes - 1) * c->dslice + (c->rows - 1) * c->dpitch + c->width, -1, FAKE_WRITE)))
		return 1;
	return 0;
}

R fill_task(const fill_params *p, task *t) {
	if (!p || !p->width || !p->height || (p->size != 1 && p->size != 2 && p->size != 4) || p->dst % p->size ||
	    (p->height > 1 && p->pitch < p->width * p->size) ||
	    !range_ok(p->dst, (p->height - 1) * p->pitch + p->width * p->size, -1, FAKE_WRITE))
		return 1;
	*t = (task){.action = DO_FILL, .what = "memset node", .as.fill = {p->dst, p->pitch, p->width, p->height, p->value, (int)p->size}};
	return 0;
}

R host_task(const host_params *p, task *t) {
	if (!p || !p->f)
		return 1;
	*t = (task){.action = DO_HOST, .what = "host node", .as.call = {.host = p->f, .data = p->data}};
	return 0;
}

static R add(node **out, graph *g, node **deps, size_t n, int type, task *t) {
	*out = graph_add(g, type, deps, (int)n);
	(*out)->task = *t;
	return 0;
}

R cuGraphCreate(graph **g, unsigned flags) {
	BASIC;
	if (!g || flags)
		return leave(1);
	*g = graph_new();
	return leave(0);
}
R cuGraphDestroy(graph *g) {
	BASIC;
	if (!alive(g, GRAPH, "cuGraphDestroy"))
		return leave(1);
	graph_free(g);
	return leave(0);
}
R cuGraphClone(graph **out, graph *g) {
	BASIC;
	if (!out || !alive(g, GRAPH, "cuGraphClone"))
		return leave(1);
	*out = clone(g);
	return leave(0);
}
R cuGraphAddKernelNode(node **out, graph *g, node **deps, size_t n, const kernel_params *p) {
	HERE;
	task t;
	R rc = start("cuGraphAddKernelNode", out, g, deps, n);
	rc = rc ? rc : kernel_task("cuGraphAddKernelNode", p, &t);
	return leave(rc ? rc : add(out, g, deps, n, KERNEL_NODE, &t));
}
R cuGraphAddKernelNode_v2(node **out, graph *g, node **deps, size_t n, const kernel_params *p) { return cuGraphAddKernelNode(out, g, deps, n, p); }
R cuGraphAddMemcpyNode(node **out, graph *g, node **deps, size_t n, const void *p, context *c) {
	BASIC;
	task t;
	R rc = start("cuGraphAddMemcpyNode", out, g, deps, n);
	rc = rc ? rc : !alive(c, CONTEXT, "cuGraphAddMemcpyNode") ? 201 : copy_task(p, &t);
	return leave(rc ? rc : add(out, g, deps, n, COPY_NODE, &t));
}
R cuGraphAddMemsetNode(node **out, graph *g, node **deps, size_t n, const fill_params *p, context *c) {
	BASIC;
	task t;
	R rc = start("cuGraphAddMemsetNode", out, g, deps, n);
	rc = rc ? rc : !alive(c, CONTEXT, "cuGraphAddMemsetNode") ? 201 : fill_task(p, &t);
	return leave(rc ? rc : add(out, g, deps, n, FILL_NODE, &t));
}
R cuGraphAddHostNode(node **out, graph *g, node **deps, size_t n, const host_params *p) {
	BASIC;
	task t;
	R rc = start("cuGraphAddHostNode", out, g, deps, n);
	rc = rc ? rc : host_task(p, &t);
	return leave(rc ? rc : add(out, g, deps, n, HOST_NODE, &t));
}
R cuGraphAddEmptyNode(node **out, graph *g, node **deps, size_t n) {
	BASIC;
	task t = {.action = DO_NOTHING, .what = "empty node"};
	R rc = start("cuGraphAddEmptyNode", out, g, deps, n);
	return leave(rc ? rc : add(out, g, deps, n, EMPTY_NODE, &t));
}
static R event_node(const char *call, node **out, graph *g, node **deps, size_t n, event *e, int type) {
	task t = {.action = DO_NOTHING, .what = "event node"};
	R rc = start(call, out, g, deps, n);
	if (!rc && !alive(e, EVENT, call))
		rc = 400;
	rc = rc ? rc : add(out, g, deps, n, type, &t);
	if (!rc)
		(*out)->event = e;
	return rc;
}
R cuGraphAddEventRecordNode(node **out, graph *g, node **deps, size_t n, event *e) { BASIC; return leave(event_node("cuGraphAddEventRecordNode", out, g, deps, n, e, RECORD_NODE)); }
R cuGraphAddEventWaitNode(node **out, graph *g, node **deps, size_t n, event *e) { BASIC; return leave(event_node("cuGraphAddEventWaitNode", out, g, deps, n, e, WAIT_NODE)); }
R cuGraphAddChildGraphNode(node **out, graph *g, node **deps, size_t n, graph *child) {
	BASIC;
	task t = {.action = DO_NOTHING, .what = "child graph"};
	R rc = start("cuGraphAddChildGraphNode", out, g, deps, n);
	if (!rc && (child == g || !alive(child, GRAPH, "cuGraphAddChildGraphNode")))
		rc = 1;
	rc = rc ? rc : add(out, g, deps, n, CHILD_NODE, &t);
	if (!rc)
		(*out)->child = clone(child);
	return leave(rc);
}

/* reaches says whether to depends on from. */
static int reaches(const node *from, const node *to) {
	for (int i = 0; i < to->ndeps; i++)
		if (to->deps[i] == from || reaches(from, to->deps[i]))
			return 1;
	return 0;
}
R cuGraphAddDependencies(graph *g, node **from, node **to, size_t n) {
	BASIC;
	if (!alive(g, GRAPH, "cuGraphAddDependencies") || (n && (!from || !to)))
		return leave(1);
	for (size_t i = 0; i < n; i++)
		if (!alive(from[i], NODE, "cuGraphAddDependencies") || !alive(to[i], NODE, "cuGraphAddDependencies") || from[i]->graph != g ||
		    to[i]->graph != g || from[i] == to[i] || has(to[i]->deps, to[i]->ndeps, from[i]) || reaches(to[i], from[i]))
			return leave(1);
	for (size_t i = 0; i < n; i++)
		depend(to[i], from[i]);
	return leave(0);
}
static void forget(node *n, const node *on) {
	for (int i = 0; i < n->ndeps; i++)
		if (n->deps[i] == on)
			n->deps[i--] = n->deps[--n->ndeps];
}
R cuGraphRemoveDependencies(graph *g, node **from, node **to, size_t n) {
	BASIC;
	if (!alive(g, GRAPH, "cuGraphRemoveDependencies") || (n && (!from || !to)))
		return leave(1);
	for (size_t i = 0; i < n; i++) {
		if (!has(g->nodes, g->n, to[i]) || !has(to[i]->deps, to[i]->ndeps, from[i]))
			return leave(1);
		forget(to[i], from[i]);
	}
	return leave(0);
}
R cuGraphDestroyNode(node *n) {
	BASIC;
	if (!alive(n, NODE, "cuGraphDestroyNode"))
		return leave(1);
	graph *g = n->graph;
	for (int i = n->index; i + 1 < g->n; i++) {
		g->nodes[i] = g->nodes[i + 1];
		g->nodes[i]->index = i;
	}
	g->n--;
	for (int i = 0; i < g->n; i++)
		forget(g->nodes[i], n);
	node_free(n);
	return leave(0);
}

/* give writes a list as such calls do: the count alone without an array. */
static R give(node **found, size_t have, node **out, size_t *n) {
	if (!n)
		return 1;
	if (!out) {
		*n = have;
		return 0;
	}
	for (size_t i = 0; i < *n; i++)
		out[i] = i < have ? found[i] : NULL;
	if (have < *n)
		*n = have;
	return 0;
}
R cuGraphGetNodes(graph *g, node **out, size_t *n) { BASIC; return leave(alive(g, GRAPH, "cuGraphGetNodes") ? give(g->nodes, (size_t)g->n, out, n) : 1); }
R cuGraphGetRootNodes(graph *g, node **out, size_t *n) {
	BASIC;
	if (!alive(g, GRAPH, "cuGraphGetRootNodes"))
		return leave(1);
	node **roots = calloc((size_t)g->n + 1, sizeof *roots);
	size_t have = 0;
	for (int i = 0; i < g->n; i++)
		if (!g->nodes[i]->ndeps)
			roots[have++] = g->nodes[i];
	R rc = give(roots, have, out, n);
	free(roots);
	return leave(rc);
}
R cuGraphNodeGetDependencies(node *x, node **out, size_t *n) { BASIC; return leave(alive(x, NODE, "cuGraphNodeGetDependencies") ? give(x->deps, (size_t)x->ndeps, out, n) : 1); }
R cuGraphNodeGetType(node *x, int *type) {
	BASIC;
	if (!alive(x, NODE, "cuGraphNodeGetType") || !type)
		return leave(1);
	*type = x->type;
	return leave(0);
}
R cuGraphGetEdges(graph *g, node **from, node **to, size_t *n) {
	BASIC;
	if (!alive(g, GRAPH, "cuGraphGetEdges") || !n)
		return leave(1);
	size_t have = 0;
	for (int i = 0; i < g->n; i++)
		for (int d = 0; d < g->nodes[i]->ndeps; d++, have++)
			if (from && to && have < *n) {
				from[have] = g->nodes[i]->deps[d];
				to[have] = g->nodes[i];
			}
	if (!from || have < *n)
		*n = have;
	return leave(0);
}
R cuGraphKernelNodeSetParams(node *n, const kernel_params *p) {
	HERE;
	task t;
	if (!alive(n, NODE, "cuGraphKernelNodeSetParams") || n->type != KERNEL_NODE)
		return leave(1);
	R rc = kernel_task("cuGraphKernelNodeSetParams", p, &t);
	if (rc)
		return leave(rc);
	task_free(&n->task);
	n->task = t;
	return leave(0);
}
R cuGraphKernelNodeSetParams_v2(node *n, const kernel_params *p) { return cuGraphKernelNodeSetParams(n, p); }
