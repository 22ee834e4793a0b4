/* Who goes on. Each queue is a thread with a line of work, and one function, advance, chooses: a piece of work may start when it is the
   first of its queue, what it waits for is done, and the engine that it needs is free (a device runs one kernel and two copies at a time).
   Of several that may start, FAKECUDA_SEED chooses; without a seed it is the one that was appended first. With a seed, work is also held
   back for a few calls of the host, or until the host waits, so that callers who expect it too early find out. */
#include <errno.h>
#include <time.h>

#include "driver.h"

int engine_of(const task *t) {
	static const int engines[] = {[DO_KERNEL] = COMPUTE, [DO_FILL] = COMPUTE, [DO_GRAPH] = COMPUTE, [DO_COPY] = COPYING,
	                              [DO_HOST] = HOSTING, [DO_CALLBACK] = HOSTING, [DO_BORN] = INLINE};
	return engines[t->action];
}

/* ---- what may start ---- */

static int word_ready(const task *t) {
	uint32_t v = __atomic_load_n((uint32_t *)(uintptr_t)t->as.word.at, __ATOMIC_SEQ_CST), w = t->as.word.value;
	switch (t->as.word.flags & 3) {
	case 0: return (int32_t)(v - w) >= 0;
	case 1: return v == w;
	case 2: return (v & w) != 0;
	}
	return ~(v | w) != 0;
}

static int deps_done(item *i) {
	int ready = 1;
	for (int d = 0; d < i->ndeps; d++) {
		if (!i->deps[d]->done) {
			ready = 0;
			continue;
		}
		join_clock(i->mark->clock, i->deps[d]->clock);
		if (i->deps[d]->when > i->enqueued && i->deps[d]->when > i->mark->when)
			i->mark->when = i->deps[d]->when;
		mark_drop(i->deps[d]);
		i->deps[d--] = i->deps[--i->ndeps];
	}
	return ready;
}

static int engine_free(const item *i) {
	int d = i->ctx->device;
	switch (engine_of(&i->task)) {
	case COMPUTE: return !fake.compute[d];
	case COPYING: return fake.copying[d] < 2;
	}
	return 1;
}

static void engine_take(const item *i, int n) {
	int d = i->ctx->device, e = engine_of(&i->task);
	if (e == COMPUTE)
		fake.compute[d] += n;
	else if (e == COPYING)
		fake.copying[d] += n;
	else if (e == HOSTING)
		fake.hosting += n;
}

/* ---- running ---- */

static uint64_t start_of(const item *i) {
	uint64_t latency = engine_of(&i->task) == INLINE || engine_of(&i->task) == HOSTING ? 0 : (uint64_t)fake.launch_ns;
	uint64_t at = i->enqueued + latency;
	if (i->q->when > at)
		at = i->q->when;
	return i->mark->when > at ? i->mark->when : at;
}

static int sticky(R rc) { return rc == 214 || rc == 700 || rc == 702 || rc == 710 || (rc >= 714 && rc <= 719) || rc == 999; }

static void begin(item *i, work *w) {
	queue *q = i->q;
	join_clock(i->mark->clock, q->clock);
	*w = (work){.queue = (uint16_t)q->index, .node = 0, .seq = ++fake.seqs[q->index], .device = i->ctx->device, .what = i->task.what,
	            .clock = i->mark->clock};
	i->mark->clock[q->index] = w->seq;
	work_begin(w);
}

/* finish takes the first of a queue out of it, done or failed. */
static void finish(item *i, R rc, uint64_t start, uint64_t ns) {
	queue *q = i->q;
	mark *m = i->mark;
	fake.dirty = 1;
	if (sticky(rc) && !i->ctx->error)
		i->ctx->error = rc;
	if (engine_of(&i->task) == COMPUTE || engine_of(&i->task) == COPYING) {
		if (q->works && start > q->busy_from)
			q->gaps += start - q->busy_from;
		q->works++;
		q->busy_from = start + ns;
		if (i->task.action != DO_GRAPH)
			timeline(i->ctx->device, q->id, i->task.what, start, start + ns);
	}
	join_clock(m->clock, q->clock);
	memcpy(q->clock, m->clock, sizeof q->clock);
	q->when = m->when = start + ns;
	m->rc = rc;
	m->q = NULL;
	m->done = 1;
	q->first = i->next;
	if (!q->first)
		q->last = NULL;
	q->running = 0;
	for (int d = 0; d < i->ndeps; d++)
		mark_drop(i->deps[d]);
	free(i->deps);
	mark_drop(m);
	task_free(&i->task);
	free(i);
	if (q->closing)
		pthread_cond_signal(&q->wake);
	pthread_cond_broadcast(&fake.changed);
}

static void run_inline(item *i) {
	work w;
	R rc = 0;
	uint64_t start = start_of(i);
	if (i->task.action == DO_WAIT) /* whichever work wrote the word, all that has run is before what follows */
		for (queue *q = fake.queues; q; q = q->next)
			join_clock(i->mark->clock, q->clock);
	begin(i, &w);
	if (i->task.action == DO_WRITE) {
		uint64_t at = i->task.as.word.at;
		if (range_ok(at, 4, -1, FAKE_WRITE)) {
			touch_range(&w, at, 4, FAKE_WRITE, 0);
			__atomic_store_n((uint32_t *)(uintptr_t)at, i->task.as.word.value, __ATOMIC_SEQ_CST);
		} else
			rc = 700;
	} else if (i->task.action == DO_FREE && i->task.as.freed->live) {
		touch_range(&w, i->task.as.freed->base, i->task.as.freed->size, FAKE_WRITE, 0); /* a use of it races with this */
		allocation_free(i->task.as.freed);
	} else if (i->task.action == DO_BORN) {
		i->task.as.freed->unborn = 0;
		i->task.as.freed->born = w.id;
	}
	work_end(&w);
	finish(i, rc, start, 0);
}

/* run runs the first piece of work of a queue that was told to go on. It lets the lock go meanwhile. */
static void run(queue *q) {
	q->running = 2;
	item *i = q->first;
	work w;
	uint64_t ns = 0, start = start_of(i);
	begin(i, &w);
	R lost = i->ctx->error;
	pthread_mutex_unlock(&fake.lock);
	R rc = i->task.action == DO_GRAPH ? run_graph(&i->task, i->ctx, &w, &ns, start, q->id) : perform(&i->task, i->ctx, &w, &ns);
	pthread_mutex_lock(&fake.lock);
	work_end(&w);
	engine_take(i, -1);
	finish(i, rc ? rc : lost, start, ns);
	advance();
}

/* lend_a_hand lets a host thread that waits for a mark run work of the mark's queue, where the queue's thread has not woken yet: two changes
   of threads less. It says whether it did. Work of other queues may wait for what this thread does next, and functions of the host have
   to run on the queue's thread. */
int lend_a_hand(mark *m) {
	queue *q = m->q;
	if (!q || q->running != 1 || engine_of(&q->first->task) == HOSTING || q->first->task.action == DO_GRAPH)
		return 0;
	run(q);
	return 1;
}

void *serve(void *arg) {
	queue *q = arg;
	pthread_mutex_lock(&fake.lock);
	for (;;) {
		while (q->running != 1 && !(q->closing && !q->first))
			pthread_cond_wait(&q->wake, &fake.lock);
		if (q->running != 1)
			break;
		run(q);
	}
	for (queue **at = &fake.queues; *at; at = &(*at)->next)
		if (*at == q) {
			*at = q->next;
			break;
		}
	fake.users[q->index]--;
	if (q->latest) {
		mark_join(&q->ctx->left, q->latest);
		if (!(q->flags & 1))
			mark_join(&q->ctx->left_blocking, q->latest);
	}
	mark_drop(q->latest);
	pthread_cond_destroy(&q->wake);
	object_die(q);
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
	return NULL;
}

R perform(task *t, context *c, work *w, uint64_t *ns) {
	switch (t->action) {
	case DO_KERNEL: return run_kernel(t, c, w, ns);
	case DO_COPY: return run_copy(t, w, ns);
	case DO_FILL: return run_fill(t, w, ns);
	case DO_HOST:
	case DO_CALLBACK:
		in_callback = 1;
		if (t->action == DO_HOST)
			t->as.call.host(t->as.call.data);
		else
			t->as.call.callback(NULL, c->error, t->as.call.data);
		in_callback = 0;
		return 0;
	default: return 0;
	}
}

/* advance starts what may start. It is called with the lock whenever something has changed. */
void advance(void) {
	if (!fake.dirty && !fake.held)
		return;
	fake.dirty = 0;
	for (;;) {
		item *ready[QUEUES * 2];
		int n = 0, kept = 0, busy = fake.hosting;
		item *held = NULL;
		for (int d = 0; d < fake.devices; d++)
			busy += fake.compute[d] + fake.copying[d];
		for (queue *q = fake.queues; q && n < QUEUES * 2; q = q->next) {
			item *i = q->first;
			if (!i || q->running)
				continue;
			if (i->ctx->error && i->task.action != DO_CALLBACK) { /* nothing more happens in a lost context */
				deps_done(i);
				finish(i, i->ctx->error, q->when, 0);
				n = -1;
				break;
			}
			if (!deps_done(i) || !engine_free(i))
				continue;
			if (i->task.action == DO_WAIT && !word_ready(&i->task)) {
				kept++;
				continue;
			}
			if (i->hold > fake.ticks) {
				kept++;
				if (!held || i->hold < held->hold)
					held = i;
				continue;
			}
			ready[n++] = i;
		}
		if (n < 0)
			continue;
		if (!n && held && fake.waiting && !busy)
			ready[n++] = held;
		fake.held = kept;
		if (!n) {
			if (kept)
				pthread_cond_signal(&fake.tick);
			return;
		}
		item *next = ready[0];
		if (fake.seed)
			next = ready[random_below((uint64_t)n)];
		else
			for (int r = 1; r < n; r++)
				if (ready[r]->order < next->order)
					next = ready[r];
		if (engine_of(&next->task) == INLINE) {
			run_inline(next);
			continue;
		}
		engine_take(next, 1);
		next->q->running = 1;
		pthread_cond_signal(&next->q->wake);
	}
}

/* ticking lets time go by where the host makes no calls. */
void *ticking(void *arg) {
	pthread_mutex_lock(&fake.lock);
	for (;;) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 200000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
		if (!fake.held)
			pthread_cond_wait(&fake.tick, &fake.lock);
		else if (pthread_cond_timedwait(&fake.tick, &fake.lock, &t) == ETIMEDOUT)
			fake.ticks++;
		advance();
	}
	return arg;
}
