/* The calls that give out memory at once, and take it back: of devices, and of the host. */
#include "driver.h"

static R allocate(P *p, size_t n, int flags_of) {
	context *c = current();
	size_t charge = (n + 511) / 512 * 512;
	if (!p || !n)
		return 1;
	R rc = unsafe_in_capture(c, "cuMemAlloc");
	if (rc)
		return rc;
	if (charge < n || charge > fault_memory() - (fake.used[c->device] < fault_memory() ? fake.used[c->device] : fault_memory()))
		return 2;
	allocation *a = allocation_new(flags_of ? OF_MANAGED : OF_DEVICE, c->device, c, n, charge);
	if (!a)
		return 2;
	*p = a->base;
	return 0;
}

R cuMemAlloc_v2(P *p, size_t n) { HERE; return leave(allocate(p, n, 0)); }
R cuMemAllocManaged(P *p, size_t n, unsigned flags) { HERE; return leave(flags == 1 || flags == 2 ? allocate(p, n, 1) : 1); }
R cuMemAllocPitch_v2(P *p, size_t *pitch, size_t width, size_t height, unsigned element) {
	HERE;
	if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16))
		return leave(1);
	*pitch = (width + 511) / 512 * 512;
	return leave(allocate(p, *pitch * height, 0));
}
R cuMemAlloc(unsigned *p, unsigned n) { (void)p, (void)n; abort(); } /* the interface of 32 bits must not be bound */

R cuMemFree_v2(P p) {
	HERE;
	if (!p)
		return leave(0);
	R rc = unsafe_in_capture(current(), "cuMemFree");
	if (rc)
		return leave(rc);
	char where[200], by[100];
	allocation *a = allocation_at(p);
	describe_address(p, where, sizeof where);
	if (!a || !a->live || a->base != p || (a->origin != OF_DEVICE && a->origin != OF_POOL && a->origin != OF_MANAGED)) {
		note("cuMemFree: %s of %s", a && !a->live && a->base == p ? "second free" : "wrong free", where);
		return leave(1);
	}
	if (a->ctx && a->ctx != current())
		note("cuMemFree: %s is freed with the context of device %d current", where, current()->device);
	if (in_use(a, by, sizeof by))
		note("cuMemFree: %s is used by work %s", where, by);
	if (a->freeing) {
		note("cuMemFree: second free of %s", where);
		return leave(1);
	}
	if (a->origin != OF_POOL) { /* as devices do, though it is not promised */
		rc = wait_for_context(a->ctx);
		if (rc)
			return leave(rc);
		if (!a->live)
			return leave(1);
	}
	allocation_free(a);
	return leave(0);
}
R cuMemFree(unsigned p) { (void)p; abort(); }

R cuMemGetInfo_v2(size_t *unused, size_t *total) {
	HERE;
	if (!unused || !total)
		return leave(1);
	*total = fault_memory();
	size_t used = fake.used[current()->device];
	*unused = used < *total ? *total - used : 0;
	return leave(0);
}
R cuMemGetInfo(unsigned *a, unsigned *b) { (void)a, (void)b; abort(); }

R cuMemGetAddressRange_v2(P *base, size_t *size, P p) {
	HERE;
	allocation *a = allocation_at(p);
	if (!a || !a->live || p - a->base >= a->size)
		return leave(500);
	if (base)
		*base = a->base;
	if (size)
		*size = a->size;
	return leave(0);
}

/* ---- host memory ---- */

R cuMemHostAlloc(void **p, size_t n, unsigned flags) {
	HERE;
	if (!p || !n || flags & ~7u)
		return leave(1);
	allocation *a = allocation_new(OF_HOST, current()->device, current(), n, 0);
	if (!a)
		return leave(2);
	a->flags = flags;
	*p = (void *)(uintptr_t)a->base;
	return leave(0);
}
R cuMemAllocHost_v2(void **p, size_t n) { return cuMemHostAlloc(p, n, 0); }

static R free_host(void *p, origin o, const char *call, R unknown) {
	char where[200], by[100];
	uint64_t at = (uint64_t)(uintptr_t)p;
	allocation *a = allocation_at(at);
	describe_address(at, where, sizeof where);
	if (!a || !a->live || a->base != at || a->origin != o) {
		note("%s: %s of %s", call, a && !a->live && a->base == at ? "second free" : "wrong free", where);
		return unknown;
	}
	if (in_use(a, by, sizeof by))
		note("%s: %s is used by work %s", call, where, by);
	R rc = a->ctx ? wait_for_context(a->ctx) : 0;
	if (!rc && a->live)
		allocation_free(a);
	return rc;
}

R cuMemFreeHost(void *p) { HERE; return leave(p ? free_host(p, OF_HOST, "cuMemFreeHost", 1) : 0); }
R cuMemHostUnregister(void *p) { HERE; return leave(free_host(p, OF_REGISTER, "cuMemHostUnregister", 713)); }

R cuMemHostRegister_v2(void *p, size_t n, unsigned flags) {
	HERE;
	uint64_t at = (uint64_t)(uintptr_t)p;
	if (!p || !n || flags & ~15u)
		return leave(1);
	if (allocation_meets(at, n))
		return leave(712);
	allocation *a = allocation_outside(OF_REGISTER, current()->device, current(), at, n);
	a->flags = flags;
	return leave(0);
}

R cuMemHostGetDevicePointer_v2(P *d, void *p, unsigned flags) {
	HERE;
	allocation *a = allocation_at((uint64_t)(uintptr_t)p);
	if (!d || flags || !a || !a->live || place_of((uint64_t)(uintptr_t)p) != PINNED)
		return leave(1);
	*d = (P)(uintptr_t)p;
	return leave(0);
}
R cuMemHostGetFlags(unsigned *flags, void *p) {
	HERE;
	allocation *a = allocation_at((uint64_t)(uintptr_t)p);
	if (!flags || !a || !a->live || a->origin != OF_HOST)
		return leave(1);
	*flags = a->flags;
	return leave(0);
}

R cuPointerGetAttribute(void *data, unsigned attribute, P p) {
	BASIC;
	allocation *a = allocation_at(p);
	if (!data || !a || !a->live || p - a->base >= a->size)
		return leave(1);
	switch (attribute) {
	case 1: *(context **)data = a->ctx; return leave(0);
	case 2: *(unsigned *)data = place_of(p) == PINNED ? 1 : 2; return leave(0);
	case 3: *(P *)data = p; return leave(0);
	case 4: *(void **)data = (void *)(uintptr_t)p; return leave(a->origin == OF_HOST || a->origin == OF_REGISTER || a->origin == OF_MANAGED ? 0 : 1);
	case 7: *(P *)data = a->id; return leave(0);
	case 8: *(unsigned *)data = a->origin == OF_MANAGED; return leave(0);
	case 9: *(int *)data = a->device; return leave(0);
	case 11: *(P *)data = a->base; return leave(0);
	case 12: *(size_t *)data = a->size; return leave(0);
	case 13: *(unsigned char *)data = 1; return leave(0);
	}
	return leave(1);
}
R cuMemAdvise(P p, size_t n, unsigned advice, int device) { HERE; (void)advice, (void)device; return leave(range_ok(p, n, -1, FAKE_READ) ? 0 : 1); }
R cuMemPrefetchAsync(P p, size_t n, int device, void *s) {
	HERE;
	(void)device;
	return leave(!range_ok(p, n, -1, FAKE_READ) ? 1 : stream_of(s, "cuMemPrefetchAsync") ? 0 : 400);
}

/* fakecuda_forget makes bytes as they are after an allocation: unwritten, and garbage. A pool of a caller's own says so what it reuses. */
int fakecuda_forget(P p, size_t n) {
	pthread_mutex_lock(&fake.lock);
	int ok = range_ok(p, n, -1, FAKE_READ);
	if (ok) {
		memset((void *)(uintptr_t)p, 0xA5, n);
		shadow_fill(p, n, 0);
	}
	pthread_mutex_unlock(&fake.lock);
	return ok;
}
