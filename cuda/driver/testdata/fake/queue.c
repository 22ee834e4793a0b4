/* Queues: marks, what is appended and what it waits for, and hosts that wait. turns.c says who goes on. */
#include <signal.h>

#include "driver.h"

/* ---- marks ---- */

mark *mark_new(void) {
	mark *m = calloc(1, sizeof *m);
	m->refs = 1;
	return m;
}
mark *mark_keep(mark *m) {
	if (m)
		m->refs++;
	return m;
}
void mark_drop(mark *m) {
	if (m && !--m->refs)
		free(m);
}

void join_clock(uint32_t *into, const uint32_t *from) {
	for (int i = 0; i < QUEUES; i++)
		if (from[i] > into[i])
			into[i] = from[i];
}

void mark_join(mark **into, const mark *m) {
	if (!*into) {
		*into = mark_new();
		(*into)->done = 1;
	}
	join_clock((*into)->clock, m->clock);
	if (m->when > (*into)->when)
		(*into)->when = m->when;
}

/* observe makes the host know of the end of work. */
void observe(mark *m) {
	join_clock(fake.clock, m->clock);
	if (m->when > fake.now)
		fake.now = m->when;
}

static int thread(pthread_t *t, void *(*run)(void *), void *arg) {
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the threads of the program */
	int failed = pthread_create(t, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!failed)
		pthread_detach(*t);
	return failed;
}

/* ---- queues ---- */

queue *queue_new(context *c, unsigned flags, int priority) {
	static int ticks;
	static uint64_t names;
	pthread_t t;
	if (!ticks && !thread(&t, ticking, NULL))
		ticks = 1;
	queue *q = object_new(STREAM, sizeof *q);
	q->ctx = c;
	q->flags = flags;
	q->priority = priority;
	q->id = ++names;
	for (int i = 1; i < QUEUES; i++)
		if (fake.users[i] < fake.users[q->index])
			q->index = i;
	fake.users[q->index]++;
	pthread_cond_init(&q->wake, NULL);
	q->when = fake.now;
	q->next = fake.queues;
	fake.queues = q;
	if (thread(&q->thread, serve, q)) {
		fake.queues = q->next;
		fake.users[q->index]--;
		object_die(q);
		return NULL;
	}
	return q;
}

/* queue_close lets a queue go when it has run empty. */
void queue_close(queue *q) {
	q->closing = 1;
	pthread_cond_signal(&q->wake);
}

static void depend(item *i, mark *m) {
	if (!m || m == i->mark)
		return;
	i->deps = realloc(i->deps, (size_t)(i->ndeps + 1) * sizeof *i->deps);
	i->deps[i->ndeps++] = mark_keep(m);
}

static R append_after(queue *q, task *t, mark *after, mark **out) {
	item *i = calloc(1, sizeof *i);
	i->ctx = q->ctx;
	i->q = q;
	i->task = *t;
	i->mark = mark_new();
	i->mark->q = q;
	i->order = ++fake.orders;
	i->enqueued = fake.now;
	i->hold = fake.seed ? fake.ticks + random_below(6) : 0;
	memcpy(i->mark->clock, fake.clock, sizeof fake.clock);
	depend(i, after);
	/* The legacy stream waits for all blocking streams of its context, and they wait for it. */
	if (q->legacy) {
		for (queue *other = fake.queues; other; other = other->next)
			if (other != q && other->ctx == q->ctx && !(other->flags & 1))
				depend(i, other->latest);
		depend(i, q->ctx->left_blocking);
	} else if (!(q->flags & 1) && q->ctx->legacy)
		depend(i, q->ctx->legacy->latest);
	mark_drop(q->latest);
	q->latest = mark_keep(i->mark);
	if (q->last)
		q->last->next = i;
	else
		q->first = i;
	q->last = i;
	use_task(&i->task, q, i->mark);
	fake.dirty = 1;
	if (out)
		*out = mark_keep(i->mark);
	advance();
	return 0;
}

R append(queue *q, task *t, mark **out) {
	if (out)
		*out = NULL;
	if (q->capture)
		return capture_task(q, t);
	/* The legacy stream would have to wait for the blocking streams, of which one only takes notes. */
	for (queue *other = q->legacy ? fake.queues : NULL; other; other = other->next)
		if (other->ctx == q->ctx && other->capture && !(other->flags & 1)) {
			capture_break(other->capture, t->what);
			task_free(t);
			return 906;
		}
	return append_after(q, t, NULL, out);
}

/* order_after makes what is appended from now on wait for a mark. */
void order_after(queue *q, mark *m) {
	task t = {.action = DO_NOTHING, .what = "wait"};
	append_after(q, &t, m, NULL);
}

/* ---- waiting ---- */

/* wait_done waits, but the host does not count as one that has waited. */
void wait_done(mark *m) {
	mark_keep(m);
	fake.waiting++;
	advance();
	while (!m->done)
		if (!lend_a_hand(m))
			pthread_cond_wait(&fake.changed, &fake.lock);
	fake.waiting--;
	mark_drop(m);
}

R wait_for(mark *m) {
	mark_keep(m);
	wait_done(m);
	observe(m);
	R rc = m->rc;
	mark_drop(m);
	return rc;
}

R wait_for_context(context *c) {
	mark **marks = NULL;
	size_t n = 0;
	for (queue *q = fake.queues; q; q = q->next)
		if (q->ctx == c && q->latest) {
			marks = realloc(marks, (n + 1) * sizeof *marks);
			marks[n++] = mark_keep(q->latest);
		}
	for (size_t i = 0; i < n; i++) {
		wait_for(marks[i]);
		mark_drop(marks[i]);
	}
	free(marks);
	if (c->left)
		observe(c->left);
	return c->error;
}

void task_free(task *t) {
	free(t->staged);
	t->staged = NULL;
	if (t->action == DO_KERNEL) {
		free(t->as.kernel.params);
		t->as.kernel.params = NULL;
	}
	if (t->action == DO_GRAPH)
		exec_drop(t->as.exec);
}
