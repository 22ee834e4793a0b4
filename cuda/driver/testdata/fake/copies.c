/* Copies and memsets. Every copy is planes of rows of bytes; what a call passes is made into that, checked, and appended to a queue.

   As the driver's documentation has it: a copy from pageable host memory is staged before the call returns, asynchronous or not; one to
   pageable host memory has ended when the call returns; copies within a device, memsets, and the last leg of a synchronous copy from pageable
   memory are not waited for. Without a seed the fake waits for those as well, so that bytes are where a careless caller expects them; but the
   ledger then does not count them as ordered before what the host does next in a queue that does not synchronise with the legacy stream. */
#include "driver.h"

/* MEMCPY2D, MEMCPY3D and MEMCPY3D_PEER of the driver's interface. */
typedef struct {
	size_t src_x, src_y; unsigned src_type; const void *src_host; P src_device; void *src_array; size_t src_pitch;
	size_t dst_x, dst_y; unsigned dst_type; void *dst_host; P dst_device; void *dst_array; size_t dst_pitch;
	size_t width, height;
} copy2d;
typedef struct {
	size_t src_x, src_y, src_z, src_lod; unsigned src_type; const void *src_host; P src_device; void *src_array; void *src_context;
	size_t src_pitch, src_height;
	size_t dst_x, dst_y, dst_z, dst_lod; unsigned dst_type; void *dst_host; P dst_device; void *dst_array; void *dst_context;
	size_t dst_pitch, dst_height;
	size_t width, height, depth;
} copy3d; /* the peer form has contexts where the other has reserved fields */

enum { HOST_TYPE = 1, DEVICE_TYPE = 2, UNIFIED_TYPE = 4 };

static size_t extent(size_t pitch, size_t slice, const copy *c) {
	return (c->planes - 1) * slice + (c->rows - 1) * pitch + c->width;
}

/* side checks where one end of a copy lies, and says what kind of memory it is. */
static R side(const char *call, const char *which, uint64_t at, size_t bytes, unsigned type, int how, int *place) {
	char where[200];
	*place = place_of(at);
	if (*place == PAGEABLE && type != DEVICE_TYPE)
		return at ? 0 : 1;
	if (*place != PAGEABLE && type == HOST_TYPE && *place != PINNED && allocation_at(at)->origin != OF_MANAGED) {
		describe_address(at, where, sizeof where);
		note("%s: the %s is meant to be host memory, but is %s", call, which, where);
		return 1;
	}
	if (!range_ok(at, bytes, -1, how)) {
		describe_address(at, where, sizeof where);
		note("%s: %llu bytes of the %s do not lie in memory: they begin at %s", call, (P)bytes, which, where);
		return 1;
	}
	return 0;
}

static R prepare(const char *call, copy *c, unsigned from, unsigned to, int device) {
	R rc = side(call, "source", c->src, extent(c->spitch, c->sslice, c), from, FAKE_READ, &c->from);
	if (!rc)
		rc = side(call, "destination", c->dst, extent(c->dpitch, c->dslice, c), to, FAKE_WRITE, &c->to);
	if (!rc && c->rows * c->planes == 1 && c->src < c->dst + c->width && c->dst < c->src + c->width)
		note("%s: source and destination overlap", call);
	if (!rc && c->from == ONDEVICE && c->to == ONDEVICE) {
		allocation *a = allocation_at(c->src), *b = allocation_at(c->dst);
		if (a->device != b->device)
			c->spread = device_may(a, device, FAKE_READ) && device_may(b, device, FAKE_WRITE) ? DIRECT : HOSTED;
	}
	return rc;
}

static uint64_t hash_rows(const copy *c) {
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t z = 0; z < c->planes; z++)
		for (size_t y = 0; y < c->rows; y++) {
			const unsigned char *p = (const unsigned char *)(uintptr_t)(c->src + z * c->sslice + y * c->spitch);
			for (size_t i = 0; i < c->width; i++)
				h = (h ^ p[i]) * 0x100000001b3u;
		}
	return h;
}

/* stage takes pageable bytes out of the caller's memory. */
static void stage(task *t) {
	copy *c = &t->as.copy;
	char *to = t->staged = malloc(c->width * c->rows * c->planes);
	for (size_t z = 0; z < c->planes; z++)
		for (size_t y = 0; y < c->rows; y++, to += c->width)
			memcpy(to, (const char *)(uintptr_t)(c->src + z * c->sslice + y * c->spitch), c->width);
	c->src = (uint64_t)(uintptr_t)t->staged;
	c->spitch = c->width;
	c->sslice = c->width * c->rows;
}

/* watched says that only the host may write the bytes of a pinned source until the copy runs. */
static int watched(const copy *c) {
	allocation *a = c->from == PINNED ? allocation_at(c->src) : NULL;
	for (int i = 0; a && i < a->nuses; i++)
		if (a->uses[i].writes && !a->uses[i].m->done)
			return 0;
	return a != NULL;
}

static R copy_on(const char *call, copy c, unsigned from, unsigned to, queue *q, int synchronous) {
	if (!q)
		return 400;
	if (!c.width || !c.rows || !c.planes)
		return 0;
	R rc = prepare(call, &c, from, to, q->ctx->device);
	if (rc)
		return rc;
	task t = {.action = DO_COPY, .what = call, .as.copy = c};
	if (q->capture) {
		if (synchronous)
			return capture_break(q->capture, call);
		return append(q, &t, NULL);
	}
	rc = synchronous ? unsafe_in_capture(q->ctx, call) : 0;
	if (rc)
		return rc;
	int late = c.to == ONDEVICE && c.from != PINNED; /* the call may return before the copy has ended */
	if (c.from == PAGEABLE) {
		if (synchronous && q->latest)
			wait_for(q->latest);
		stage(&t);
	} else if (!synchronous && watched(&t.as.copy)) {
		t.watch = 1;
		t.was = hash_rows(&t.as.copy);
	}
	t.quiet = synchronous;
	mark *m;
	context *ctx = q->ctx;
	rc = append(q, &t, &m);
	if (rc)
		return rc;
	moved(c.spread ? c.spread : c.from != ONDEVICE ? INTO : c.to != ONDEVICE ? OUT_OF : WITHIN, c.width * c.rows * c.planes);
	if ((synchronous && !late) || (!synchronous && c.to == PAGEABLE && c.from != PAGEABLE))
		rc = wait_for(m);
	else if (synchronous && !fake.seed) {
		wait_done(m);
		rc = m->rc;
	}
	mark_drop(m);
	return rc ? rc : ctx->error;
}

static copy line(uint64_t dst, uint64_t src, size_t n) {
	return (copy){.src = src, .dst = dst, .spitch = n, .dpitch = n, .sslice = n, .dslice = n, .width = n, .rows = 1, .planes = 1};
}
#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))

R cuMemcpyHtoD_v2(P d, const void *s, size_t n) { HERE; return leave(copy_on("cuMemcpyHtoD", line(d, ADDRESS(s), n), HOST_TYPE, DEVICE_TYPE, current()->legacy, 1)); }
R cuMemcpyDtoH_v2(void *d, P s, size_t n) { HERE; return leave(copy_on("cuMemcpyDtoH", line(ADDRESS(d), s, n), DEVICE_TYPE, HOST_TYPE, current()->legacy, 1)); }
R cuMemcpyDtoD_v2(P d, P s, size_t n) { HERE; return leave(copy_on("cuMemcpyDtoD", line(d, s, n), DEVICE_TYPE, DEVICE_TYPE, current()->legacy, 1)); }
R cuMemcpy(P d, P s, size_t n) { HERE; return leave(copy_on("cuMemcpy", line(d, s, n), UNIFIED_TYPE, UNIFIED_TYPE, current()->legacy, 1)); }
R cuMemcpyHtoDAsync_v2(P d, const void *s, size_t n, void *q) { HERE; return leave(copy_on("cuMemcpyHtoDAsync", line(d, ADDRESS(s), n), HOST_TYPE, DEVICE_TYPE, stream_of(q, "cuMemcpyHtoDAsync"), 0)); }
R cuMemcpyDtoHAsync_v2(void *d, P s, size_t n, void *q) { HERE; return leave(copy_on("cuMemcpyDtoHAsync", line(ADDRESS(d), s, n), DEVICE_TYPE, HOST_TYPE, stream_of(q, "cuMemcpyDtoHAsync"), 0)); }
R cuMemcpyDtoDAsync_v2(P d, P s, size_t n, void *q) { HERE; return leave(copy_on("cuMemcpyDtoDAsync", line(d, s, n), DEVICE_TYPE, DEVICE_TYPE, stream_of(q, "cuMemcpyDtoDAsync"), 0)); }
R cuMemcpyAsync(P d, P s, size_t n, void *q) { HERE; return leave(copy_on("cuMemcpyAsync", line(d, s, n), UNIFIED_TYPE, UNIFIED_TYPE, stream_of(q, "cuMemcpyAsync"), 0)); }
R cuMemcpyHtoD(unsigned d, const void *s, unsigned n) { (void)d, (void)s, (void)n; abort(); }
R cuMemcpyDtoH(void *d, unsigned s, unsigned n) { (void)d, (void)s, (void)n; abort(); }
R cuMemcpyDtoD(unsigned d, unsigned s, unsigned n) { (void)d, (void)s, (void)n; abort(); }

/* between checks that both ends are of the contexts that were named. */
static R between(const char *call, P d, context *dc, P s, context *sc) {
	if (!alive(dc, CONTEXT, call) || !alive(sc, CONTEXT, call) || !dc->active || !sc->active)
		return 201;
	allocation *to = allocation_at(d), *from = allocation_at(s);
	if (!to || !from || (to->origin != OF_MAP && to->device != dc->device) || (from->origin != OF_MAP && from->device != sc->device)) {
		note("%s: the addresses are not of the contexts' devices", call);
		return 1;
	}
	return 0;
}
R cuMemcpyPeer(P d, context *dc, P s, context *sc, size_t n) {
	HERE;
	R rc = between("cuMemcpyPeer", d, dc, s, sc);
	rc = rc ? rc : wait_for_context(sc);
	rc = rc ? rc : wait_for_context(dc);
	return leave(rc ? rc : copy_on("cuMemcpyPeer", line(d, s, n), DEVICE_TYPE, DEVICE_TYPE, current()->legacy, 1));
}
R cuMemcpyPeerAsync(P d, context *dc, P s, context *sc, size_t n, void *q) {
	HERE;
	R rc = between("cuMemcpyPeerAsync", d, dc, s, sc);
	return leave(rc ? rc : copy_on("cuMemcpyPeerAsync", line(d, s, n), DEVICE_TYPE, DEVICE_TYPE, stream_of(q, "cuMemcpyPeerAsync"), 0));
}

/* ---- rows and planes ---- */

static uint64_t end_of(unsigned type, const void *host, P device) { return type == HOST_TYPE ? ADDRESS(host) : device; }
static int known(unsigned type) { return type == HOST_TYPE || type == DEVICE_TYPE || type == UNIFIED_TYPE; } /* arrays are not */

static R from_2d(const copy2d *p, copy *c) {
	if (!p || !known(p->src_type) || !known(p->dst_type))
		return 1;
	size_t spitch = p->src_pitch ? p->src_pitch : p->src_x + p->width, dpitch = p->dst_pitch ? p->dst_pitch : p->dst_x + p->width;
	if (spitch < p->src_x + p->width || dpitch < p->dst_x + p->width || spitch > INT32_MAX || dpitch > INT32_MAX)
		return 1;
	*c = (copy){.src = end_of(p->src_type, p->src_host, p->src_device) + p->src_y * spitch + p->src_x,
	            .dst = end_of(p->dst_type, p->dst_host, p->dst_device) + p->dst_y * dpitch + p->dst_x,
	            .spitch = spitch, .dpitch = dpitch, .width = p->width, .rows = p->height, .planes = 1};
	return 0;
}

R copy_from_3d(const void *from, copy *c, unsigned *src_type, unsigned *dst_type) {
	const copy3d *p = from;
	if (!p || !known(p->src_type) || !known(p->dst_type) || p->src_lod || p->dst_lod)
		return 1;
	size_t spitch = p->src_pitch ? p->src_pitch : p->src_x + p->width, dpitch = p->dst_pitch ? p->dst_pitch : p->dst_x + p->width;
	size_t sheight = p->src_height ? p->src_height : p->src_y + p->height, dheight = p->dst_height ? p->dst_height : p->dst_y + p->height;
	if (spitch < p->src_x + p->width || dpitch < p->dst_x + p->width || sheight < p->src_y + p->height || dheight < p->dst_y + p->height)
		return 1;
	*src_type = p->src_type;
	*dst_type = p->dst_type;
	*c = (copy){.src = end_of(p->src_type, p->src_host, p->src_device) + p->src_z * spitch * sheight + p->src_y * spitch + p->src_x,
	            .dst = end_of(p->dst_type, p->dst_host, p->dst_device) + p->dst_z * dpitch * dheight + p->dst_y * dpitch + p->dst_x,
	            .spitch = spitch, .dpitch = dpitch, .sslice = spitch * sheight, .dslice = dpitch * dheight,
	            .width = p->width, .rows = p->height, .planes = p->depth};
	return 0;
}

static R of_2d(const char *call, const copy2d *p, queue *q, int synchronous) {
	copy c;
	R rc = from_2d(p, &c);
	return rc ? rc : copy_on(call, c, p->src_type, p->dst_type, q, synchronous);
}
static R of_3d(const char *call, const copy3d *p, queue *q, int synchronous) {
	copy c;
	unsigned from, to;
	R rc = copy_from_3d(p, &c, &from, &to);
	return rc ? rc : copy_on(call, c, from, to, q, synchronous);
}
R cuMemcpy2D_v2(const copy2d *p) { HERE; return leave(of_2d("cuMemcpy2D", p, current()->legacy, 1)); }
R cuMemcpy2DUnaligned_v2(const copy2d *p) { HERE; return leave(of_2d("cuMemcpy2DUnaligned", p, current()->legacy, 1)); }
R cuMemcpy2DAsync_v2(const copy2d *p, void *q) { HERE; return leave(of_2d("cuMemcpy2DAsync", p, stream_of(q, "cuMemcpy2DAsync"), 0)); }
R cuMemcpy3D_v2(const copy3d *p) { HERE; return leave(of_3d("cuMemcpy3D", p, current()->legacy, 1)); }
R cuMemcpy3DAsync_v2(const copy3d *p, void *q) { HERE; return leave(of_3d("cuMemcpy3DAsync", p, stream_of(q, "cuMemcpy3DAsync"), 0)); }
R cuMemcpy3DPeer(const copy3d *p) { HERE; return leave(of_3d("cuMemcpy3DPeer", p, current()->legacy, 1)); }
R cuMemcpy3DPeerAsync(const copy3d *p, void *q) { HERE; return leave(of_3d("cuMemcpy3DPeerAsync", p, stream_of(q, "cuMemcpy3DPeerAsync"), 0)); }

/* run_copy moves the bytes. What was allocated when the call was made may be gone by now. */
R run_copy(task *t, work *w, uint64_t *ns) {
	copy *c = &t->as.copy;
	char where[200];
	if (t->watch && hash_rows(c) != t->was) {
		describe_address(c->src, where, sizeof where);
		note("%s: the host changed its source, %s, before the copy had run", t->what, where);
	}
	for (size_t z = 0; z < c->planes; z++)
		for (size_t y = 0; y < c->rows; y++) {
			uint64_t src = c->src + z * c->sslice + y * c->spitch, dst = c->dst + z * c->dslice + y * c->dpitch;
			uint64_t bad = c->from != PAGEABLE && !range_ok(src, c->width, -1, FAKE_READ) ? src
			               : c->to != PAGEABLE && !range_ok(dst, c->width, -1, FAKE_WRITE) ? dst : 0;
			if (bad) {
				describe_address(bad, where, sizeof where);
				note("%s: touches %s", t->what, where);
				return 700;
			}
			if (c->from != PAGEABLE && c->to == ONDEVICE)
				touch_copy(w, dst, src, c->width);
			else {
				if (c->from != PAGEABLE)
					touch_range(w, src, c->width, FAKE_READ, 1);
				if (c->to != PAGEABLE)
					touch_range(w, dst, c->width, FAKE_WRITE, 0);
			}
			memmove((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, c->width);
		}
	static const double host[] = {[PAGEABLE] = 12, [PINNED] = 55}; /* bytes in a nanosecond */
	double speed = c->spread == DIRECT ? 300 : c->spread == HOSTED ? host[PINNED] / 2 : c->from == ONDEVICE && c->to == ONDEVICE ? 2000 : host[c->from == ONDEVICE ? c->to : c->from];
	*ns = 1000 + (uint64_t)((double)c->width * (double)c->rows * (double)c->planes / speed);
	return 0;
}

/* ---- memsets ---- */

static R fill_on(const char *call, uint64_t dst, size_t pitch, uint32_t value, int size, size_t width, size_t rows, queue *q) {
	if (!q)
		return 400;
	if (!width || !rows)
		return 0;
	if (dst % (unsigned)size || (rows > 1 && pitch < width * (unsigned)size))
		return 1;
	int place;
	R rc = side(call, "destination", dst, (rows - 1) * pitch + width * (unsigned)size, DEVICE_TYPE, FAKE_WRITE, &place);
	if (rc)
		return rc;
	task t = {.action = DO_FILL, .what = call, .as.fill = {dst, pitch, width, rows, value, size}};
	mark *m;
	rc = append(q, &t, &m);
	if (!rc && m && place == PINNED)
		rc = wait_for(m);
	mark_drop(m);
	return rc;
}
#define LEGACY current()->legacy
R cuMemsetD8_v2(P d, unsigned char v, size_t n) { HERE; return leave(fill_on("cuMemsetD8", d, n, v, 1, n, 1, LEGACY)); }
R cuMemsetD16_v2(P d, unsigned short v, size_t n) { HERE; return leave(fill_on("cuMemsetD16", d, n, v, 2, n, 1, LEGACY)); }
R cuMemsetD32_v2(P d, unsigned v, size_t n) { HERE; return leave(fill_on("cuMemsetD32", d, n, v, 4, n, 1, LEGACY)); }
R cuMemsetD8Async(P d, unsigned char v, size_t n, void *q) { HERE; return leave(fill_on("cuMemsetD8Async", d, n, v, 1, n, 1, stream_of(q, "cuMemsetD8Async"))); }
R cuMemsetD16Async(P d, unsigned short v, size_t n, void *q) { HERE; return leave(fill_on("cuMemsetD16Async", d, n, v, 2, n, 1, stream_of(q, "cuMemsetD16Async"))); }
R cuMemsetD32Async(P d, unsigned v, size_t n, void *q) { HERE; return leave(fill_on("cuMemsetD32Async", d, n, v, 4, n, 1, stream_of(q, "cuMemsetD32Async"))); }
R cuMemsetD2D8_v2(P d, size_t pitch, unsigned char v, size_t w, size_t h) { HERE; return leave(fill_on("cuMemsetD2D8", d, pitch, v, 1, w, h, LEGACY)); }
R cuMemsetD2D16_v2(P d, size_t pitch, unsigned short v, size_t w, size_t h) { HERE; return leave(fill_on("cuMemsetD2D16", d, pitch, v, 2, w, h, LEGACY)); }
R cuMemsetD2D32_v2(P d, size_t pitch, unsigned v, size_t w, size_t h) { HERE; return leave(fill_on("cuMemsetD2D32", d, pitch, v, 4, w, h, LEGACY)); }
R cuMemsetD2D8Async(P d, size_t pitch, unsigned char v, size_t w, size_t h, void *q) { HERE; return leave(fill_on("cuMemsetD2D8Async", d, pitch, v, 1, w, h, stream_of(q, "cuMemsetD2D8Async"))); }
R cuMemsetD2D16Async(P d, size_t pitch, unsigned short v, size_t w, size_t h, void *q) { HERE; return leave(fill_on("cuMemsetD2D16Async", d, pitch, v, 2, w, h, stream_of(q, "cuMemsetD2D16Async"))); }
R cuMemsetD2D32Async(P d, size_t pitch, unsigned v, size_t w, size_t h, void *q) { HERE; return leave(fill_on("cuMemsetD2D32Async", d, pitch, v, 4, w, h, stream_of(q, "cuMemsetD2D32Async"))); }

R run_fill(task *t, work *w, uint64_t *ns) {
	fill *f = &t->as.fill;
	size_t n = f->width * (size_t)f->size;
	for (size_t y = 0; y < f->rows; y++) {
		uint64_t at = f->dst + y * f->pitch;
		if (!range_ok(at, n, -1, FAKE_WRITE)) {
			char where[200];
			describe_address(at, where, sizeof where);
			note("%s: touches %s", t->what, where);
			return 700;
		}
		touch_range(w, at, n, FAKE_WRITE, 0);
		char *to = (char *)(uintptr_t)at;
		memcpy(to, &f->value, (size_t)f->size);
		for (size_t done = (size_t)f->size; done < n; done *= 2) /* what is there once more */
			memcpy(to + done, to, done < n - done ? done : n - done);
	}
	*ns = 2000 + (uint64_t)((double)n * (double)f->rows / 4000);
	return 0;
}
