/* Stream capture: what is appended to a stream becomes nodes of a graph. A stream's frontier is what its next node depends on; events carry
   frontiers to other streams, which join the capture and must be joined again before it ends. */
#include "graph.h"

static capture *captures;

static capture *live(capture *c) {
	for (capture *l = captures; l; l = l->next)
		if (l == c)
			return c;
	return NULL;
}

static void frontier(node ***list, int *n, node *x) {
	for (int i = 0; i < *n; i++)
		if ((*list)[i] == x)
			return;
	*list = realloc(*list, (size_t)(*n + 1) * sizeof **list);
	(*list)[(*n)++] = x;
}

R capture_break(capture *c, const char *call) {
	note("%s: not permitted while a stream is captured; the capture is void", call);
	c->broken = 1;
	return 900;
}

R unsafe_in_capture(context *c, const char *call) {
	if (!c || !c->capturing)
		return 0;
	R rc = 0;
	for (capture *l = captures; l; l = l->next)
		if (l->origin->ctx == c && (l->mode == 0 || (l->mode == 1 && pthread_equal(l->thread, pthread_self()))))
			rc = capture_break(l, call);
	return rc;
}

R capture_task(queue *q, task *t) {
	static const int types[] = {[DO_NOTHING] = EMPTY_NODE, [DO_KERNEL] = KERNEL_NODE, [DO_COPY] = COPY_NODE, [DO_FILL] = FILL_NODE, [DO_HOST] = HOST_NODE};
	capture *c = q->capture;
	if (c->broken) {
		task_free(t);
		return 901;
	}
	if (t->action > DO_HOST) {
		R rc = capture_break(c, t->what);
		task_free(t);
		return rc;
	}
	node *n = graph_add(c->graph, types[t->action], q->frontier, q->nfrontier);
	n->task = *t;
	q->nfrontier = 0;
	frontier(&q->frontier, &q->nfrontier, n);
	return 0;
}

R capture_record(queue *q, event *e) {
	e->capture = q->capture;
	e->nfrontier = 0;
	for (int i = 0; i < q->nfrontier; i++)
		frontier(&e->frontier, &e->nfrontier, q->frontier[i]);
	return q->capture->broken ? 901 : 0;
}

R capture_wait(queue *q, event *e) {
	capture *c = e->capture;
	if (!c) {
		if (!e->mark)
			return 0;
		q->capture->broken = 1;
		return 905;
	}
	if (!live(c))
		return 907;
	if (q->capture && q->capture != c) {
		q->capture->broken = c->broken = 1;
		return 902;
	}
	if (q->legacy) {
		c->broken = 1;
		return 906;
	}
	if (c->broken)
		return 901;
	q->capture = c;
	for (int i = 0; i < e->nfrontier; i++)
		frontier(&q->frontier, &q->nfrontier, e->frontier[i]);
	return 0;
}

R cuStreamBeginCapture_v2(void *s, int mode) {
	HERE;
	queue *q = stream_of(s, "cuStreamBeginCapture");
	if (!q)
		return leave(400);
	if (mode < 0 || mode > 2)
		return leave(1);
	if (q->legacy)
		return leave(900);
	if (q->capture)
		return leave(401);
	capture *c = calloc(1, sizeof *c);
	*c = (capture){captures, graph_new(), q, mode, 0, pthread_self()};
	captures = c;
	q->capture = c;
	q->nfrontier = 0;
	q->ctx->capturing++;
	return leave(0);
}
R cuStreamBeginCapture(void *s) { return cuStreamBeginCapture_v2(s, 0); }

static int before(const node *a, const node *b) {
	if (a == b)
		return 1;
	for (int i = 0; i < b->ndeps; i++)
		if (before(a, b->deps[i]))
			return 1;
	return 0;
}

/* joined says whether all of a stream's frontier is before the frontier of the stream where the capture began. */
static int joined(const queue *q, const queue *origin) {
	for (int i = 0; i < q->nfrontier; i++) {
		int found = 0;
		for (int k = 0; k < origin->nfrontier && !found; k++)
			found = before(q->frontier[i], origin->frontier[k]);
		if (!found)
			return 0;
	}
	return 1;
}

R cuStreamEndCapture(void *s, graph **out) {
	HERE;
	queue *q = stream_of(s, "cuStreamEndCapture");
	capture *c = q ? q->capture : NULL;
	if (!q || !out)
		return leave(q ? 1 : 400);
	if (!c)
		return leave(401);
	R rc = 0;
	if (c->origin != q)
		rc = 903;
	else if (c->mode != 2 && !pthread_equal(c->thread, pthread_self()))
		rc = 908;
	if (rc)
		return leave(rc);
	rc = c->broken ? 901 : 0;
	for (queue *other = fake.queues; other; other = other->next) {
		if (other->capture != c)
			continue;
		if (!rc && other != q && !joined(other, q))
			rc = 904;
	}
	for (queue *other = fake.queues; other; other = other->next)
		if (other->capture == c) {
			other->capture = NULL;
			other->nfrontier = 0;
		}
	for (capture **at = &captures; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	q->ctx->capturing--;
	*out = rc ? NULL : c->graph;
	if (rc)
		graph_free(c->graph);
	free(c);
	return leave(rc);
}

R cuStreamIsCapturing(void *s, int *status) {
	HERE;
	queue *q = stream_of(s, "cuStreamIsCapturing");
	if (!q || !status)
		return leave(q ? 1 : 400);
	*status = !q->capture ? 0 : q->capture->broken ? 2 : 1;
	return leave(0);
}

R cuThreadExchangeStreamCaptureMode(int *mode) {
	static __thread int now;
	BASIC;
	if (!mode || *mode < 0 || *mode > 2)
		return leave(1);
	int was = now;
	now = *mode;
	*mode = was;
	return leave(0);
}
