/* Devices, contexts, peers. */
#include "driver.h"

R cuInit(unsigned flags) {
	ENTER(0);
	R rc = flags ? 1 : (R)number("FAKECUDA_INIT", fake.hidden ? 100 : 0);
	fake.initialised |= !rc;
	return leave(rc);
}
R cuDriverGetVersion(int *v) {
	ENTER(0);
	if (v)
		*v = 13000;
	return leave(v ? 0 : 1);
}
R cuDeviceGetCount(int *n) {
	BASIC;
	if (n)
		*n = fake.devices;
	return leave(n ? 0 : 1);
}
static int is_device(int d) { return d >= 0 && d < fake.devices; }
R cuDeviceGet(int *device, int ordinal) {
	BASIC;
	if (!device)
		return leave(1);
	if (!is_device(ordinal))
		return leave(101);
	*device = ordinal;
	return leave(0);
}
R cuDeviceGetName(char *name, int n, int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	if (!name || n < 1)
		return leave(1);
	snprintf(name, (size_t)n, "Fake GPU %d", fake.physical[d]);
	return leave(0);
}
R cuDeviceTotalMem_v2(size_t *n, int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	if (n)
		*n = fake.memory;
	return leave(n ? 0 : 1);
}
R cuDeviceTotalMem(unsigned *n, int d) { (void)n, (void)d; abort(); }
R cuDeviceGetUuid(char *id, int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	for (int i = 0; id && i < 16; i++)
		id[i] = (char)(i + fake.physical[d]);
	return leave(id ? 0 : 1);
}
R cuDeviceGetUuid_v2(char *id, int d) { return cuDeviceGetUuid(id, d); }
R cuDeviceGetPCIBusId(char *text, int n, int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	if (!text || n < 13)
		return leave(1);
	snprintf(text, (size_t)n, "0000:%02X:00.0", 0x1a + fake.physical[d]);
	return leave(0);
}
R cuDeviceGetByPCIBusId(int *d, const char *text) {
	BASIC;
	unsigned domain, bus;
	if (!d || !text || sscanf(text, "%x:%x", &domain, &bus) != 2)
		return leave(1);
	for (int i = 0; i < fake.devices; i++) {
		if (fake.physical[i] == (int)bus - 0x1a) {
			*d = i;
			return leave(0);
		}
	}
	return leave(101);
}
R cuDeviceComputeCapability(int *major, int *minor, int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	*major = fake.cc / 10;
	*minor = fake.cc % 10;
	return leave(0);
}

/* What an H200 says; 0 where it is not in the table, as of a texture's width. */
static const struct { int attribute, value; } attributes[] = {
	{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152}, {9, 65536}, {10, 32}, {11, 2147483647},
	{12, 65536}, {13, 1980000}, {14, 512}, {15, 1}, {17, 0}, {18, 0}, {19, 1}, {20, 0}, {31, 1}, {32, 1}, {34, 0}, {35, 0}, {36, 3201000},
	{37, 6144}, {38, 62914560}, {39, 2048}, {40, 3}, {41, 1}, {50, 0}, {51, 32}, {78, 1}, {79, 1}, {80, 1}, {81, 233472}, {82, 65536}, {83, 1},
	{84, 0}, {85, 0}, {86, 0}, {87, 2}, {88, 0}, {89, 1}, {90, 1}, {91, 1}, {92, 1}, {93, 1}, {94, 1}, {95, 1}, {96, 0}, {97, 232448}, {98, 1},
	{99, 1}, {100, 0}, {101, 0}, {102, 1}, {103, 1}, {104, 0}, {105, 0}, {106, 32}, {107, 1}, {108, 39321600}, {109, 134217728}, {110, 0},
	{111, 1024}, {112, 0}, {113, 1}, {114, 1}, {115, 1}, {116, 1}, {117, 0}, {118, 0}, {119, 9}, {120, 1}, {121, 1}, {122, 0}, {123, 1},
	{124, 0}, {125, 1}, {126, 1},
};
R cuDeviceGetAttribute(int *v, unsigned attribute, int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	if (!v || attribute < 1 || attribute > 140)
		return leave(1);
	*v = attribute == 16 ? fake.sms : attribute == 33 ? 0x1a + fake.physical[d] : attribute == 75 ? fake.cc / 10 : attribute == 76 ? fake.cc % 10 : 0;
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
		if (attributes[i].attribute == (int)attribute)
			*v = attributes[i].value;
	return leave(0);
}

/* ---- peers ---- */

/* FAKECUDA_PEERS=0 is a machine whose devices do not reach each other. */
static int peers(void) { return number("FAKECUDA_PEERS", 1) != 0; }

R cuDeviceCanAccessPeer(int *can, int a, int b) {
	BASIC;
	if (!is_device(a) || !is_device(b))
		return leave(101);
	if (can)
		*can = a != b && peers();
	return leave(can ? 0 : 1);
}
R cuDeviceGetP2PAttribute(int *v, unsigned attribute, int a, int b) {
	BASIC;
	if (!is_device(a) || !is_device(b) || a == b)
		return leave(101);
	if (!v || attribute < 1 || attribute > 4)
		return leave(1);
	*v = attribute == 1 ? 0 : attribute == 4 ? 0 : 1;
	return leave(0);
}
R cuCtxEnablePeerAccess(context *peer, unsigned flags) {
	HERE;
	if (!alive(peer, CONTEXT, "cuCtxEnablePeerAccess") || !peer->active)
		return leave(201);
	if (flags)
		return leave(1);
	if (peer == current() || peer->device == current()->device)
		return leave(101);
	if (!peers())
		return leave(217);
	if (current()->peers[peer->device])
		return leave(704);
	current()->peers[peer->device] = 1;
	return leave(0);
}
R cuCtxDisablePeerAccess(context *peer) {
	HERE;
	if (!alive(peer, CONTEXT, "cuCtxDisablePeerAccess") || !peer->active)
		return leave(201);
	if (!current()->peers[peer->device])
		return leave(705);
	current()->peers[peer->device] = 0;
	__atomic_add_fetch(&generation, 1, __ATOMIC_SEQ_CST);
	return leave(0);
}

/* ---- contexts ---- */

static const size_t limits[8] = {1024, 1048576, 8388608, 2, 2048, 64, 0, 0};

static context *open_context(int d, unsigned flags) {
	context *c = object_new(CONTEXT, sizeof *c);
	c->device = d;
	c->flags = flags;
	c->next = fake.contexts;
	fake.contexts = c;
	return c;
}

static R activate(context *c) {
	c->active = 1;
	c->error = 0;
	memcpy(c->limits, limits, sizeof limits);
	memset(c->peers, 0, sizeof c->peers);
	c->legacy = queue_new(c, 0, 0);
	if (!c->legacy)
		return 2;
	c->legacy->legacy = 1;
	return 0;
}

/* close_context ends a context: what runs is stopped, what is left is told of and freed. */
static void close_context(context *c, int tell) {
	if (!c->active)
		return;
	int streams, events, loaded;
	if (c->error || !tell)
		fake.stop[c->device] = 1;
	R lost = c->error;
	if (!tell && !c->error)
		c->error = 709; /* a reset does not wait for work that has not begun */
	fake.dirty = 1;
	wait_for_context(c);
	fake.stop[c->device] = 0;
	objects_of(c, 0, &streams, &events);
	modules_of(c, &loaded, 0);
	if (tell && !lost) {
		if (streams)
			note("leak: %d streams of device %d were never destroyed", streams, c->device);
		if (events)
			note("leak: %d events of device %d were never destroyed", events, c->device);
		if (loaded)
			note("leak: %d modules of device %d were never unloaded", loaded, c->device);
		pages_leaks(c->device);
	}
	context_leaks(c, tell && !lost);
	if (c->primary)
		fake.lost[c->device] = tell && !fake.gone[c->device] ? lost : 0;
	modules_of(c, &loaded, 1);
	objects_of(c, 1, &streams, &events);
	queue_close(c->legacy);
	c->legacy = NULL;
	c->active = 0;
	c->error = 0;
}

R cuDevicePrimaryCtxRetain(context **out, int d) {
	BASIC;
	if (!out)
		return leave(1);
	if (!is_device(d))
		return leave(101);
	if (fake.gone[d])
		return leave(46);
	if (fake.lost[d]) /* as an H200 does: a process does not get rid of an error by releasing the context */
		return leave(fake.lost[d]);
	context *c = fake.primary[d];
	if (!c) {
		c = fake.primary[d] = open_context(d, 0);
		c->primary = 1;
	}
	R rc = c->active ? 0 : activate(c);
	if (rc)
		return leave(rc);
	c->retained++;
	*out = c;
	return leave(0);
}
R cuDevicePrimaryCtxRelease_v2(int d) {
	BASIC;
	context *c = is_device(d) ? fake.primary[d] : NULL;
	if (!is_device(d))
		return leave(101);
	if (!c || !c->retained) {
		note("cuDevicePrimaryCtxRelease: device %d's context is not retained", d);
		return leave(201);
	}
	if (!--c->retained)
		close_context(c, 1);
	return leave(0);
}
R cuDevicePrimaryCtxRelease(int d) { (void)d; abort(); }
R cuDevicePrimaryCtxReset_v2(int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	context *c = fake.primary[d];
	R rc = 0;
	fake.lost[d] = 0;
	if (c && c->active) {
		close_context(c, 0);
		if (c->retained)
			rc = activate(c); /* the handle stays valid where it is held */
	}
	return leave(rc);
}
R cuDevicePrimaryCtxGetState(int d, unsigned *flags, int *active) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	if (flags)
		*flags = fake.primary[d] ? fake.primary[d]->flags : 0;
	if (active)
		*active = fake.primary[d] && fake.primary[d]->active;
	return leave(0);
}
R cuDevicePrimaryCtxSetFlags_v2(int d, unsigned flags) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	if (flags & ~31u)
		return leave(1);
	if (!fake.primary[d]) {
		fake.primary[d] = open_context(d, flags);
		fake.primary[d]->primary = 1;
	}
	fake.primary[d]->flags = flags;
	return leave(0);
}

R cuCtxCreate_v2(context **out, unsigned flags, int d) {
	BASIC;
	if (!is_device(d))
		return leave(101);
	if (!out || flags & ~31u || context_top == STACK)
		return leave(1);
	if (fake.gone[d])
		return leave(46);
	context *c = open_context(d, flags);
	R rc = activate(c);
	if (rc)
		return leave(rc);
	contexts_of_thread[context_top++] = c;
	*out = c;
	return leave(0);
}
R cuCtxDestroy_v2(context *c) {
	BASIC;
	if (!alive(c, CONTEXT, "cuCtxDestroy") || !c->active || c->primary)
		return leave(201);
	close_context(c, 1);
	for (context **at = &fake.contexts; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	if (current() == c)
		context_top--;
	object_die(c);
	return leave(0);
}
R cuCtxSetCurrent(context *c) {
	BASIC;
	if (c && (!alive(c, CONTEXT, "cuCtxSetCurrent") || !c->active)) {
		note("cuCtxSetCurrent: the context is not active");
		return leave(201);
	}
	if (!c && context_top)
		context_top--;
	else if (c) {
		context_top += context_top == 0;
		contexts_of_thread[context_top - 1] = c;
	}
	return leave(0);
}
R cuCtxPushCurrent_v2(context *c) {
	BASIC;
	if (!alive(c, CONTEXT, "cuCtxPushCurrent") || !c->active)
		return leave(201);
	if (context_top == STACK)
		return leave(1);
	contexts_of_thread[context_top++] = c;
	return leave(0);
}
R cuCtxPopCurrent_v2(context **c) {
	BASIC;
	if (!context_top)
		return leave(201);
	context_top--;
	if (c)
		*c = contexts_of_thread[context_top];
	return leave(0);
}
R cuCtxGetCurrent(context **c) {
	BASIC;
	if (c)
		*c = current();
	return leave(c ? 0 : 1);
}
R cuCtxGetDevice(int *d) {
	ENTER(NEED_INIT | NEED_CONTEXT | LOST_OK);
	if (d)
		*d = current()->device;
	return leave(d ? 0 : 1);
}
R cuCtxGetFlags(unsigned *flags) {
	HERE;
	if (flags)
		*flags = current()->flags;
	return leave(flags ? 0 : 1);
}
R cuCtxGetApiVersion(context *c, unsigned *v) {
	BASIC;
	if (c && !alive(c, CONTEXT, "cuCtxGetApiVersion"))
		return leave(201);
	if (v)
		*v = 3020;
	return leave(v ? 0 : 1);
}
R cuCtxGetLimit(size_t *v, unsigned limit) {
	HERE;
	if (limit >= 8)
		return leave(215);
	if (v)
		*v = current()->limits[limit];
	return leave(v ? 0 : 1);
}
R cuCtxSetLimit(unsigned limit, size_t v) {
	HERE;
	if (limit >= 8)
		return leave(215);
	current()->limits[limit] = v;
	return leave(0);
}
R cuCtxGetCacheConfig(unsigned *v) { HERE; if (v) *v = 0; return leave(v ? 0 : 1); }
R cuCtxSetCacheConfig(unsigned v) { HERE; return leave(v > 3); }
R cuCtxGetSharedMemConfig(unsigned *v) { HERE; if (v) *v = 1; return leave(v ? 0 : 1); }
R cuCtxSetSharedMemConfig(unsigned v) { HERE; return leave(v > 2); }
R cuCtxResetPersistingL2Cache(void) { HERE; return leave(0); }
R cuCtxSynchronize(void) {
	HERE;
	R rc = unsafe_in_capture(current(), "cuCtxSynchronize");
	return leave(rc ? rc : wait_for_context(current()));
}
