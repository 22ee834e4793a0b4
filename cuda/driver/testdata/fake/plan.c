/* Executable graphs. A graph is instantiated into a plan, which one piece of work of a queue runs: its steps one after the other, in an order
   that the seed chooses among those that the dependencies allow. Shadow memory knows which steps no dependency orders. */
#include "graph.h"

typedef struct { int type; task task; int *deps; int ndeps; node *of; event *event; } step;

/* A plan is what an executable graph runs. A launch that is still to run keeps the plan that was in force when it was launched. */
struct exec {
	int refs, n;
	step *steps;
	uint8_t *reach; /* n x n: the first is ordered before the second */
};

typedef struct instance {
	object o;
	exec *plan;
	mark *last; /* of its last launch: launches of one executable graph do not overlap */
} instance;

void exec_keep(exec *e) { e->refs++; }
void exec_drop(exec *e) {
	if (--e->refs)
		return;
	for (int i = 0; i < e->n; i++) {
		task_free(&e->steps[i].task);
		free(e->steps[i].deps);
	}
	free(e->steps);
	free(e->reach);
	free(e);
}

static int push(exec *e, const node *of, const task *t, const int *deps, int ndeps) {
	e->steps = realloc(e->steps, (size_t)(e->n + 1) * sizeof *e->steps);
	step *s = &e->steps[e->n];
	*s = (step){.type = of->type, .task = task_copy(t), .of = (node *)(uintptr_t)of, .event = of->event, .ndeps = ndeps};
	s->deps = malloc((size_t)(ndeps + 1) * sizeof *s->deps);
	memcpy(s->deps, deps, (size_t)ndeps * sizeof *deps);
	return e->n++;
}

/* flatten appends the steps of a graph, which all wait for the steps in after, and returns where each node's last step is. */
static int *flatten(exec *e, const graph *g, const int *after, int nafter) {
	int *at = malloc((size_t)(g->n + 1) * sizeof *at), left = g->n;
	for (int i = 0; i < g->n; i++)
		at[i] = -1;
	while (left)
		for (int i = 0; i < g->n; i++) {
			const node *n = g->nodes[i];
			int ready = at[i] < 0;
			for (int d = 0; d < n->ndeps; d++)
				ready &= at[n->deps[d]->index] >= 0;
			if (!ready)
				continue;
			int *deps = malloc((size_t)(nafter + n->ndeps + 1) * sizeof *deps), ndeps = nafter;
			memcpy(deps, after, (size_t)nafter * sizeof *deps);
			for (int d = 0; d < n->ndeps; d++)
				deps[ndeps++] = at[n->deps[d]->index];
			if (n->child) {
				int *inner = flatten(e, n->child, deps, ndeps);
				deps = realloc(deps, (size_t)(ndeps + n->child->n + 1) * sizeof *deps);
				memcpy(deps + ndeps, inner, (size_t)n->child->n * sizeof *deps);
				ndeps += n->child->n;
				free(inner);
			}
			at[i] = push(e, n, &n->task, deps, ndeps);
			free(deps);
			left--;
		}
	return at;
}

static exec *plan_of(const graph *g) {
	exec *e = calloc(1, sizeof *e);
	e->refs = 1;
	free(flatten(e, g, (const int[]){0}, 0));
	e->reach = calloc((size_t)e->n * (size_t)e->n + 1, 1);
	for (int i = 0; i < e->n; i++) /* steps come after what they depend on */
		for (int d = 0; d < e->steps[i].ndeps; d++) {
			int dep = e->steps[i].deps[d];
			e->reach[(size_t)dep * (size_t)e->n + (size_t)i] = 1;
			for (int k = 0; k < e->n; k++)
				e->reach[(size_t)k * (size_t)e->n + (size_t)i] |= e->reach[(size_t)k * (size_t)e->n + (size_t)dep];
		}
	return e;
}

/* own makes the plan of an executable graph one that no launch is using. */
static exec *own(instance *x) {
	exec *e = x->plan;
	if (e->refs == 1)
		return e;
	exec *made = calloc(1, sizeof *made);
	made->refs = 1;
	for (int i = 0; i < e->n; i++)
		push(made, e->steps[i].of, &e->steps[i].task, e->steps[i].deps, e->steps[i].ndeps);
	for (int i = 0; i < e->n; i++) {
		made->steps[i].type = e->steps[i].type;
		made->steps[i].event = e->steps[i].event;
	}
	made->reach = malloc((size_t)e->n * (size_t)e->n + 1);
	memcpy(made->reach, e->reach, (size_t)e->n * (size_t)e->n);
	exec_drop(e);
	return x->plan = made;
}

static R instantiate(instance **out, graph *g, P flags) {
	if (!out || !alive(g, GRAPH, "cuGraphInstantiate") || flags & ~15ull)
		return 1;
	exec *plan = plan_of(g);
	*out = object_new(EXEC, sizeof **out);
	(*out)->plan = plan;
	return 0;
}
R cuGraphInstantiate_v2(instance **out, graph *g, node **bad, char *log, size_t room) {
	HERE;
	if (bad)
		*bad = NULL;
	if (log && room)
		*log = 0;
	return leave(instantiate(out, g, 0));
}
R cuGraphInstantiateWithFlags(instance **out, graph *g, P flags) { HERE; return leave(instantiate(out, g, flags)); }
typedef struct { P flags; void *upload; node *bad; int result; } instantiate_params;
R cuGraphInstantiateWithParams(instance **out, graph *g, instantiate_params *p) {
	HERE;
	R rc = p ? instantiate(out, g, p->flags) : 1;
	if (p) {
		p->bad = NULL;
		p->result = rc ? 1 : 0;
	}
	return leave(rc);
}
R cuGraphExecDestroy(instance *x) {
	BASIC;
	if (!alive(x, EXEC, "cuGraphExecDestroy"))
		return leave(1);
	exec_drop(x->plan);
	mark_drop(x->last);
	object_die(x);
	return leave(0);
}
R cuGraphUpload(instance *x, void *s) {
	HERE;
	return leave(!alive(x, EXEC, "cuGraphUpload") || !stream_of(s, "cuGraphUpload"));
}

R cuGraphLaunch(instance *x, void *s) {
	HERE;
	queue *q = stream_of(s, "cuGraphLaunch");
	if (!q || !alive(x, EXEC, "cuGraphLaunch"))
		return leave(q ? 1 : 400);
	if (q->capture)
		return leave(capture_break(q->capture, "cuGraphLaunch"));
	exec *e = x->plan;
	for (int i = 0; i < e->n; i++)
		if ((e->steps[i].event && !alive(e->steps[i].event, EVENT, "cuGraphLaunch")) ||
		    (e->steps[i].type == KERNEL_NODE && !alive(e->steps[i].task.as.kernel.f, FUNCTION, "cuGraphLaunch")))
			return leave(400);
	if (x->last)
		order_after(q, x->last);
	for (int i = 0; i < e->n; i++)
		if (e->steps[i].type == WAIT_NODE && e->steps[i].event->mark)
			order_after(q, e->steps[i].event->mark);
	exec_keep(e);
	task t = {.action = DO_GRAPH, .what = "graph", .as.exec = e};
	mark *m;
	R rc = append(q, &t, &m);
	if (rc)
		return leave(rc);
	for (int i = 0; i < e->n; i++)
		if (e->steps[i].type == RECORD_NODE) {
			mark_drop(e->steps[i].event->mark);
			e->steps[i].event->mark = mark_keep(m);
		}
	mark_drop(x->last);
	x->last = m;
	return leave(0);
}

/* step_of finds the step of a node of the graph that was instantiated, or of its clone. */
static step *step_of(instance *x, node *n, int type, const char *call) {
	if (!alive(x, EXEC, call) || !n)
		return NULL;
	exec *e = own(x);
	for (int i = 0; i < e->n; i++)
		if (e->steps[i].of == n && e->steps[i].type == type)
			return &e->steps[i];
	note("%s: the node is not one of this executable graph", call);
	return NULL;
}
static R change(step *s, R rc, task *t) {
	if (rc)
		return rc;
	task_free(&s->task);
	s->task = *t;
	return 0;
}
R cuGraphExecKernelNodeSetParams(instance *x, node *n, const kernel_params *p) {
	HERE;
	task t;
	step *s = step_of(x, n, KERNEL_NODE, "cuGraphExecKernelNodeSetParams");
	return leave(s ? change(s, kernel_task("cuGraphExecKernelNodeSetParams", p, &t), &t) : 1);
}
R cuGraphExecKernelNodeSetParams_v2(instance *x, node *n, const kernel_params *p) { return cuGraphExecKernelNodeSetParams(x, n, p); }
R cuGraphExecMemcpyNodeSetParams(instance *x, node *n, const void *p, context *c) {
	BASIC;
	task t;
	(void)c;
	step *s = step_of(x, n, COPY_NODE, "cuGraphExecMemcpyNodeSetParams");
	return leave(s ? change(s, copy_task(p, &t), &t) : 1);
}
R cuGraphExecMemsetNodeSetParams(instance *x, node *n, const fill_params *p, context *c) {
	BASIC;
	task t;
	(void)c;
	step *s = step_of(x, n, FILL_NODE, "cuGraphExecMemsetNodeSetParams");
	return leave(s ? change(s, fill_task(p, &t), &t) : 1);
}
R cuGraphExecHostNodeSetParams(instance *x, node *n, const host_params *p) {
	BASIC;
	task t;
	step *s = step_of(x, n, HOST_NODE, "cuGraphExecHostNodeSetParams");
	return leave(s ? change(s, host_task(p, &t), &t) : 1);
}

/* update takes over a graph's parameters where its nodes and edges are those of the executable graph. */
static R update(instance *x, graph *g, node **bad, int *why) {
	*bad = NULL;
	*why = 0;
	exec *to = own(x), *from = plan_of(g);
	if (to->n != from->n)
		*why = 2; /* the topology changed */
	for (int i = 0; i < from->n && !*why; i++) {
		step *a = &to->steps[i], *b = &from->steps[i];
		if (a->type != b->type)
			*why = 3;
		else if (a->ndeps != b->ndeps || memcmp(a->deps, b->deps, (size_t)a->ndeps * sizeof *a->deps))
			*why = 2;
		if (*why)
			*bad = b->of;
	}
	if (!*why)
		for (int i = 0; i < to->n; i++) {
			task_free(&to->steps[i].task);
			to->steps[i].task = task_copy(&from->steps[i].task);
		}
	exec_drop(from);
	return *why ? 910 : 0;
}
R cuGraphExecUpdate(instance *x, graph *g, node **bad, int *why) {
	HERE;
	node *n;
	int result;
	if (!alive(x, EXEC, "cuGraphExecUpdate") || !alive(g, GRAPH, "cuGraphExecUpdate"))
		return leave(1);
	return leave(update(x, g, bad ? bad : &n, why ? why : &result));
}
typedef struct { int result; node *bad, *bad_from; } update_info;
R cuGraphExecUpdate_v2(instance *x, graph *g, update_info *info) {
	HERE;
	if (!alive(x, EXEC, "cuGraphExecUpdate") || !alive(g, GRAPH, "cuGraphExecUpdate") || !info)
		return leave(1);
	info->bad_from = NULL;
	return leave(update(x, g, &info->bad, &info->result));
}

/* exec_launches names a kernel of the module that a plan launches. */
const char *exec_launches(const exec *e, const struct module *m) {
	for (int i = 0; i < e->n; i++)
		if (e->steps[i].type == KERNEL_NODE && e->steps[i].task.as.kernel.f->module == m)
			return e->steps[i].task.what;
	return NULL;
}

void use_exec(exec *e, queue *q, mark *m) {
	for (int i = 0; i < e->n; i++)
		use_task(&e->steps[i].task, q, m);
}

/* run_graph runs the steps on the thread of the queue, each as work of its own. */
R run_graph(task *t, context *c, work *w, uint64_t *ns, uint64_t start, uint64_t stream) {
	exec *e = t->as.exec;
	uint64_t *ends = calloc((size_t)e->n + 1, sizeof *ends), last = start;
	uint8_t *done = calloc((size_t)e->n + 1, 1);
	int *ready = malloc((size_t)(e->n + 1) * sizeof *ready);
	R rc = 0;
	for (int left = e->n; left && !rc; left--) {
		int n = 0;
		for (int i = 0; i < e->n; i++) {
			int may = !done[i];
			for (int d = 0; may && d < e->steps[i].ndeps; d++)
				may = done[e->steps[i].deps[d]];
			if (may)
				ready[n++] = i;
		}
		pthread_mutex_lock(&fake.lock);
		int i = ready[fake.seed ? random_below((uint64_t)n) : 0];
		pthread_mutex_unlock(&fake.lock);
		step *s = &e->steps[i];
		uint64_t from = start, took = 0;
		for (int d = 0; d < s->ndeps; d++)
			if (ends[s->deps[d]] > from)
				from = ends[s->deps[d]];
		work own = {.queue = w->queue, .node = (uint16_t)(i + 1), .seq = w->seq, .device = w->device, .what = s->task.what, .clock = w->clock,
		            .reach = e->reach, .nodes = e->n};
		work_begin(&own);
		rc = perform(&s->task, c, &own, &took);
		work_end(&own);
		ends[i] = from + took;
		done[i] = 1;
		if (took)
			timeline(c->device, stream, s->task.what, from, ends[i]);
		if (ends[i] > last)
			last = ends[i];
	}
	*ns = last - start;
	free(ends);
	free(done);
	free(ready);
	return rc;
}
