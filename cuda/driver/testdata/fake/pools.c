/* Memory that a queue allocates and frees in its order. */
#include "driver.h"

typedef struct pool {
	object o;
	int device, is_default;
	int reuse[4];
	uint64_t threshold, used, highest;
} pool;

static pool *defaults[DEVICES], *chosen[DEVICES];

static pool *default_of(int d) {
	if (!defaults[d]) {
		defaults[d] = object_new(POOL, sizeof **defaults);
		defaults[d]->device = d;
		defaults[d]->is_default = 1;
		for (int i = 1; i <= 3; i++)
			defaults[d]->reuse[i] = 1;
	}
	return defaults[d];
}

static R of_device(pool **p, int d, pool **table) {
	if (d < 0 || d >= fake.devices)
		return 101;
	if (!p)
		return 1;
	*p = table && table[d] ? table[d] : default_of(d);
	return 0;
}
R cuDeviceGetDefaultMemPool(pool **p, int d) { BASIC; return leave(of_device(p, d, NULL)); }
R cuDeviceGetMemPool(pool **p, int d) { BASIC; return leave(of_device(p, d, chosen)); }
R cuDeviceSetMemPool(int d, pool *p) {
	BASIC;
	if (d < 0 || d >= fake.devices)
		return leave(101);
	if (!alive(p, POOL, "cuDeviceSetMemPool") || p->device != d)
		return leave(1);
	chosen[d] = p;
	return leave(0);
}

typedef struct { int type, handles, location_type, location; void *windows; size_t most; unsigned char rest[64]; } pool_properties;

R cuMemPoolCreate(pool **out, const pool_properties *p) {
	BASIC;
	if (!out || !p || p->type != 1 || p->location_type != 1 || p->location < 0 || p->location >= fake.devices)
		return leave(1);
	*out = object_new(POOL, sizeof **out);
	(*out)->device = p->location;
	return leave(0);
}
R cuMemPoolDestroy(pool *p) {
	BASIC;
	if (!alive(p, POOL, "cuMemPoolDestroy") || p->is_default)
		return leave(1);
	if (p->used)
		note("cuMemPoolDestroy: %llu bytes of the pool are allocated", (P)p->used);
	if (chosen[p->device] == p)
		chosen[p->device] = NULL;
	object_die(p);
	return leave(0);
}
R cuMemPoolSetAttribute(pool *p, int attribute, void *v) {
	BASIC;
	if (!alive(p, POOL, "cuMemPoolSetAttribute") || !v || attribute < 1 || attribute > 8)
		return leave(1);
	if (attribute <= 3)
		p->reuse[attribute] = *(int *)v;
	else if (attribute == 4)
		p->threshold = *(uint64_t *)v;
	else if ((attribute == 6 || attribute == 8) && !*(uint64_t *)v)
		p->highest = p->used;
	else
		return leave(1);
	return leave(0);
}
R cuMemPoolGetAttribute(pool *p, int attribute, void *v) {
	BASIC;
	if (!alive(p, POOL, "cuMemPoolGetAttribute") || !v || attribute < 1 || attribute > 8)
		return leave(1);
	if (attribute <= 3)
		*(int *)v = p->reuse[attribute];
	else
		*(uint64_t *)v = attribute == 4 ? p->threshold : attribute == 5 || attribute == 7 ? p->used : p->highest;
	return leave(0);
}
R cuMemPoolTrimTo(pool *p, size_t keep) {
	BASIC;
	(void)keep; /* nothing that is free is kept */
	return leave(alive(p, POOL, "cuMemPoolTrimTo") ? 0 : 1);
}
R cuMemPoolSetAccess(pool *p, const void *map, size_t n) {
	BASIC;
	return leave(alive(p, POOL, "cuMemPoolSetAccess") && map && n ? 0 : 1);
}

static R allocate(P *out, size_t n, pool *p, queue *q, const char *call) {
	if (!q)
		return 400;
	if (!out || !n)
		return 1;
	if (q->capture)
		return capture_break(q->capture, call);
	size_t charge = (n + 511) / 512 * 512, room = fault_memory();
	if (charge < n || charge > room || fake.used[p->device] > room - charge)
		return 2;
	allocation *a = allocation_new(OF_POOL, p->device, q->ctx, n, charge);
	if (!a)
		return 2;
	a->pool = p;
	a->unborn = 1;
	p->used += charge;
	if (p->used > p->highest)
		p->highest = p->used;
	*out = a->base;
	task t = {.action = DO_BORN, .what = call, .as.freed = a};
	return append(q, &t, NULL);
}
R cuMemAllocAsync(P *p, size_t n, void *s) {
	HERE;
	int d = current()->device;
	return leave(allocate(p, n, chosen[d] ? chosen[d] : default_of(d), stream_of(s, "cuMemAllocAsync"), "cuMemAllocAsync"));
}
R cuMemAllocFromPoolAsync(P *p, size_t n, pool *from, void *s) {
	HERE;
	if (!alive(from, POOL, "cuMemAllocFromPoolAsync"))
		return leave(1);
	return leave(allocate(p, n, from, stream_of(s, "cuMemAllocFromPoolAsync"), "cuMemAllocFromPoolAsync"));
}

/* pool_returns is told when memory of a pool is freed. */
void pool_returns(allocation *a, size_t charge) {
	if (a->pool && a->pool->o.kind == POOL)
		a->pool->used -= charge;
}

R cuMemFreeAsync(P p, void *s) {
	HERE;
	queue *q = stream_of(s, "cuMemFreeAsync");
	allocation *a = allocation_at(p);
	if (!q)
		return leave(400);
	if (!p)
		return leave(0);
	if (q->capture)
		return leave(capture_break(q->capture, "cuMemFreeAsync"));
	if (!a || a->base != p || a->origin != OF_POOL || !a->live || a->freeing) {
		char where[200];
		describe_address(p, where, sizeof where);
		note("cuMemFreeAsync: %s of %s", a && a->base == p && a->origin == OF_POOL ? "second free" : "wrong free", where);
		return leave(1);
	}
	a->freeing = 1;
	task t = {.action = DO_FREE, .what = "cuMemFreeAsync", .as.freed = a};
	return leave(append(q, &t, NULL));
}
