/* Streams and events. */
#include "driver.h"

R cuCtxSynchronize(void); /* device.c */

/* stream_of resolves a handle: 0 and 1 are the legacy stream of the current context, 2 is the thread's own. */
queue *stream_of(void *handle, const char *call) {
	static __thread struct { context *c; queue *q; } own[DEVICES];
	context *c = current();
	if ((uintptr_t)handle <= 1)
		return c ? c->legacy : NULL;
	if ((uintptr_t)handle == 2) {
		for (int i = 0; c && i < DEVICES; i++) {
			if (own[i].q && own[i].c == c && own[i].q->o.kind == STREAM && !own[i].q->closing)
				return own[i].q;
			if (!own[i].q || own[i].c == c) {
				own[i].c = c;
				own[i].q = queue_new(c, 0, 0);
				own[i].q->own = 1; /* it is never destroyed */
				return own[i].q;
			}
		}
		return NULL;
	}
	queue *q = alive(handle, STREAM, call);
	if (q && q->closing) {
		note("%s: the stream was destroyed", call);
		return NULL;
	}
	return q;
}

static R create(void **s, unsigned flags, int priority) {
	if (!s || flags > 1)
		return 1;
	priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
	queue *q = queue_new(current(), flags, priority);
	if (!q)
		return 2;
	*s = q;
	return 0;
}

R cuStreamCreate(void **s, unsigned flags) { HERE; return leave(create(s, flags, 0)); }
R cuStreamCreateWithPriority(void **s, unsigned flags, int priority) { HERE; return leave(create(s, flags, priority)); }
R cuCtxGetStreamPriorityRange(int *least, int *greatest) {
	HERE;
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return leave(0);
}

R cuStreamDestroy_v2(void *s) {
	HERE;
	queue *q = (uintptr_t)s > 2 ? stream_of(s, "cuStreamDestroy") : NULL;
	if (!q)
		return leave(400);
	if (q->capture) {
		note("cuStreamDestroy: the stream is being captured");
		return leave(900);
	}
	queue_close(q);
	return leave(0);
}
R cuStreamDestroy(void *s) { (void)s; abort(); }

R cuStreamSynchronize(void *s) {
	HERE;
	queue *q = stream_of(s, "cuStreamSynchronize");
	if (!q)
		return leave(400);
	if (q->capture)
		return leave(capture_break(q->capture, "cuStreamSynchronize"));
	R rc = unsafe_in_capture(q->legacy ? q->ctx : NULL, "cuStreamSynchronize");
	if (rc)
		return leave(rc);
	context *c = q->ctx;
	if (q->legacy) { /* an empty piece of work stands for the blocking streams that it waits for */
		task t = {.action = DO_NOTHING, .what = "synchronize"};
		append(q, &t, NULL);
	}
	if (q->latest)
		wait_for(q->latest);
	return leave(c->error);
}

R cuStreamQuery(void *s) {
	HERE;
	queue *q = stream_of(s, "cuStreamQuery");
	if (!q)
		return leave(400);
	if (q->capture)
		return leave(capture_break(q->capture, "cuStreamQuery"));
	advance();
	if (q->latest && !q->latest->done)
		return leave(600);
	if (q->latest)
		observe(q->latest);
	return leave(q->ctx->error);
}

R cuStreamWaitEvent(void *s, event *e, unsigned flags) {
	HERE;
	queue *q = stream_of(s, "cuStreamWaitEvent");
	if (!q || !alive(e, EVENT, "cuStreamWaitEvent"))
		return leave(400);
	if (flags > 1)
		return leave(1);
	if (e->capture || q->capture)
		return leave(capture_wait(q, e));
	if (e->mark)
		order_after(q, e->mark);
	return leave(0);
}

R cuStreamGetFlags(void *s, unsigned *flags) {
	HERE;
	queue *q = stream_of(s, "cuStreamGetFlags");
	if (!q || !flags)
		return leave(q ? 1 : 400);
	*flags = q->flags;
	return leave(0);
}
R cuStreamGetPriority(void *s, int *priority) {
	HERE;
	queue *q = stream_of(s, "cuStreamGetPriority");
	if (!q || !priority)
		return leave(q ? 1 : 400);
	*priority = q->priority;
	return leave(0);
}
R cuStreamGetCtx(void *s, context **c) {
	HERE;
	queue *q = stream_of(s, "cuStreamGetCtx");
	if (!q || !c)
		return leave(q ? 1 : 400);
	*c = q->ctx;
	return leave(0);
}
R cuStreamGetId(void *s, P *id) {
	HERE;
	queue *q = stream_of(s, "cuStreamGetId");
	if (!q || !id)
		return leave(q ? 1 : 400);
	*id = q->id;
	return leave(0);
}
R cuStreamAttachMemAsync(void *s, P p, size_t n, unsigned flags) {
	HERE;
	(void)n, (void)flags;
	return leave(!stream_of(s, "cuStreamAttachMemAsync") ? 400 : allocation_at(p) ? 0 : 1);
}

/* ---- functions of the host, words of memory ---- */

R cuLaunchHostFunc(void *s, void (*f)(void *), void *data) {
	HERE;
	queue *q = stream_of(s, "cuLaunchHostFunc");
	if (!q || !f)
		return leave(q ? 1 : 400);
	task t = {.action = DO_HOST, .what = "host function", .as.call = {.host = f, .data = data}};
	return leave(append(q, &t, NULL));
}

R cuStreamAddCallback(void *s, void (*f)(void *, R, void *), void *data, unsigned flags) {
	HERE;
	queue *q = stream_of(s, "cuStreamAddCallback");
	if (!q || !f || flags)
		return leave(q ? 1 : 400);
	if (q->capture)
		return leave(capture_break(q->capture, "cuStreamAddCallback"));
	task t = {.action = DO_CALLBACK, .what = "callback", .as.call = {.callback = f, .data = data}};
	return leave(append(q, &t, NULL));
}

static R word(void *s, P at, uint32_t value, unsigned flags, action a, const char *call) {
	queue *q = stream_of(s, call);
	if (!q)
		return 400;
	if (at % 4 || flags & ~(a == DO_WAIT ? 0x40000003u : 1u))
		return 1;
	if (!range_ok(at, 4, -1, a == DO_WAIT ? FAKE_READ : FAKE_WRITE))
		return 1;
	task t = {.action = a, .what = call, .as.word = {at, value, flags}};
	return append(q, &t, NULL);
}
R cuStreamWriteValue32(void *s, P at, uint32_t v, unsigned flags) { HERE; return leave(word(s, at, v, flags, DO_WRITE, "cuStreamWriteValue32")); }
R cuStreamWriteValue32_v2(void *s, P at, uint32_t v, unsigned flags) { HERE; return leave(word(s, at, v, flags, DO_WRITE, "cuStreamWriteValue32")); }
R cuStreamWaitValue32(void *s, P at, uint32_t v, unsigned flags) { HERE; return leave(word(s, at, v, flags, DO_WAIT, "cuStreamWaitValue32")); }
R cuStreamWaitValue32_v2(void *s, P at, uint32_t v, unsigned flags) { HERE; return leave(word(s, at, v, flags, DO_WAIT, "cuStreamWaitValue32")); }

/* ---- events ---- */

R cuEventCreate(event **e, unsigned flags) {
	HERE;
	if (!e || flags & ~7u || (flags & 4 && !(flags & 2)))
		return leave(1);
	*e = object_new(EVENT, sizeof **e);
	(*e)->ctx = current();
	(*e)->flags = flags;
	return leave(0);
}

R cuEventDestroy_v2(event *e) {
	HERE;
	if (!alive(e, EVENT, "cuEventDestroy"))
		return leave(400);
	mark_drop(e->mark);
	e->mark = NULL;
	free(e->frontier);
	e->frontier = NULL;
	object_die(e);
	return leave(0);
}
R cuEventDestroy(void *e) { (void)e; abort(); }

static R record(event *e, void *s, unsigned flags) {
	queue *q = stream_of(s, "cuEventRecord");
	if (!q || !alive(e, EVENT, "cuEventRecord"))
		return 400;
	if (flags > 1)
		return 1;
	if (q->ctx != e->ctx) {
		note("cuEventRecord: the event is of device %d, the stream of device %d", e->ctx->device, q->ctx->device);
		return 400;
	}
	if (q->capture)
		return capture_record(q, e);
	mark *m;
	task t = {.action = DO_NOTHING, .what = "event"};
	R rc = append(q, &t, &m);
	if (rc)
		return rc;
	mark_drop(e->mark);
	e->mark = m;
	e->capture = NULL;
	return 0;
}
R cuEventRecord(event *e, void *s) { HERE; return leave(record(e, s, 0)); }
R cuEventRecordWithFlags(event *e, void *s, unsigned flags) { HERE; return leave(record(e, s, flags)); }

R cuEventQuery(event *e) {
	HERE;
	if (!alive(e, EVENT, "cuEventQuery"))
		return leave(400);
	if (e->capture)
		return leave(907);
	R rc = unsafe_in_capture(e->ctx, "cuEventQuery");
	if (rc)
		return leave(rc);
	advance();
	if (e->mark && !e->mark->done)
		return leave(600);
	if (e->mark)
		observe(e->mark);
	return leave(e->ctx->error);
}

R cuEventSynchronize(event *e) {
	HERE;
	if (!alive(e, EVENT, "cuEventSynchronize"))
		return leave(400);
	if (e->capture)
		return leave(907);
	R rc = unsafe_in_capture(e->ctx, "cuEventSynchronize");
	if (rc)
		return leave(rc);
	context *c = e->ctx;
	if (e->mark)
		wait_for(e->mark);
	return leave(c->error);
}

R cuEventElapsedTime(float *ms, event *from, event *to) {
	HERE;
	if (!alive(from, EVENT, "cuEventElapsedTime") || !alive(to, EVENT, "cuEventElapsedTime"))
		return leave(400);
	if (!ms)
		return leave(1);
	if ((from->flags | to->flags) & 2 || !from->mark || !to->mark || from->ctx != to->ctx)
		return leave(400);
	if (!from->mark->done || !to->mark->done)
		return leave(600);
	*ms = (float)(((double)to->mark->when - (double)from->mark->when) / 1e6);
	return leave(0);
}
R cuEventElapsedTime_v2(float *ms, event *from, event *to) { return cuEventElapsedTime(ms, from, to); }

/* objects_of counts the streams and events of a context, or takes them away. */
void objects_of(context *c, int take, int *streams, int *events) {
	int n;
	object **all = objects(EVENT, &n);
	*streams = *events = 0;
	for (int i = 0; i < n; i++) {
		event *e = (event *)all[i];
		if (e->ctx != c)
			continue;
		++*events;
		if (take) {
			mark_drop(e->mark);
			object_die(e);
		}
	}
	free(all);
	for (queue *q = fake.queues; q; q = q->next)
		if (q->ctx == c && q != c->legacy && !q->closing) {
			*streams += !q->own;
			if (take)
				queue_close(q);
		}
}

/* fakecuda_gaps returns the virtual nanoseconds for which a stream stood idle between two pieces of work, and how many it has done. */
uint64_t fakecuda_gaps(void *s, uint64_t *works) {
	pthread_mutex_lock(&fake.lock);
	queue *q = alive(s, STREAM, "fakecuda_gaps");
	uint64_t gaps = q ? q->gaps : 0;
	if (works)
		*works = q ? q->works : 0;
	pthread_mutex_unlock(&fake.lock);
	return gaps;
}

/* What tests hand to a queue as functions of the host: one counts, one tries to call the driver, which is not permitted. */
void fakecuda_count(void *at) { __atomic_add_fetch((uint64_t *)at, 1, __ATOMIC_SEQ_CST); }
void fakecuda_count_callback(void *s, R rc, void *at) {
	(void)s;
	__atomic_add_fetch((uint64_t *)at, 1 + rc, __ATOMIC_SEQ_CST);
}
void fakecuda_call_back(void *at) { *(uint64_t *)at = cuCtxSynchronize(); }
