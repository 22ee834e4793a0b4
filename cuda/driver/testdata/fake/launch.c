/* Launches: what the driver refuses at once, the parameter block, and the run. */
#include "driver.h"

/* declared_threads is what a kernel says of the threads of its blocks, or 0. */
static uint32_t declared_threads(const function *f) {
	uint32_t n[3];
	fake_max_threads(f->k, n);
	return n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

/* registers_of is no more than blocks of the threads that the kernel declares have room for: the assembler sees to it. */
int registers_of(const function *f) {
	uint32_t declared = declared_threads(f);
	int n = fake_registers(f->k), most = declared > 256 ? (int)(65536 / declared / 8 * 8) : 255;
	return n < 16 ? 16 : n > most ? most : (n + 7) / 8 * 8;
}

static uint32_t most_threads(const function *f) {
	uint32_t by_registers = 65536u / (uint32_t)registers_of(f) / 32 * 32, most = declared_threads(f);
	if (!most)
		most = 1024;
	if (most > 1024)
		most = 1024;
	return by_registers < most ? by_registers : most;
}

int resident_blocks(const function *f, int threads, size_t dynamic) {
	int warps = (threads + 31) / 32;
	size_t shared = fake_shared_bytes(f->k) + dynamic + 1024;
	int n = 64 / warps, by_registers = 65536 / (registers_of(f) * 32 * warps), by_shared = (int)(233472 / shared);
	n = by_registers < n ? by_registers : n;
	n = by_shared < n ? by_shared : n;
	return n > 32 ? 32 : n;
}

/* parameters copies what a launch passes into a block of its own. */
static R parameters(const char *call, function *f, void **params, void **extra, void **block) {
	size_t need = fake_param_bytes(f->k), count = fake_param_count(f->k);
	*block = calloc(1, need + 8);
	if (params && extra)
		return 1;
	if (params) {
		for (size_t i = 0; i < count; i++) {
			size_t offset, size;
			fake_param(f->k, i, &offset, &size);
			if (!params[i])
				return 1;
			memcpy((char *)*block + offset, params[i], size);
		}
		return 0;
	}
	const void *bytes = NULL;
	size_t n = 0;
	for (int i = 0; extra && extra[i]; i += 2) {
		if (extra[i] == (void *)1)
			bytes = extra[i + 1];
		else if (extra[i] == (void *)2)
			n = *(size_t *)extra[i + 1];
		else
			return 1;
	}
	if (!need && !n)
		return 0;
	if (!bytes || n < need || n > (need + 7) / 8 * 8) {
		note("%s: %s takes %llu bytes of parameters, %llu were passed", call, f->name, (P)need, (P)(bytes ? n : 0));
		return bytes && n > need ? 701 : 1; /* as an H200 answers */
	}
	memcpy(*block, bytes, need);
	return 0;
}

R launch_task(task *t, const char *call, function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, void **params,
              void **extra, int cooperative) {
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	if (!grid[0] || !grid[1] || !grid[2] || grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535)
		return 1;
	if (!threads || block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > 1024)
		return 1;
	if (shared > (uint32_t)f->dynamic)
		return 1;
	uint32_t n[3];
	fake_max_threads(f->k, n);
	if (n[0] && threads > (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1))
		return 1; /* as an H200 answers */
	if (threads > most_threads(f))
		return 701;
	if (cooperative && (uint64_t)grid[0] * grid[1] * grid[2] > (uint64_t)resident_blocks(f, (int)threads, shared) * (uint64_t)fake.sms)
		return 720;
	*t = (task){.action = DO_KERNEL, .what = f->name, .as.kernel = {.f = f, .shared = shared, .cooperative = cooperative}};
	memcpy(t->as.kernel.grid, grid, sizeof t->as.kernel.grid);
	memcpy(t->as.kernel.block, block, sizeof t->as.kernel.block);
	R rc = parameters(call, f, params, extra, &t->as.kernel.params);
	if (rc)
		task_free(t);
	return rc;
}

context *context_of(const function *f); /* module.c */

static R launch(const char *call, function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, void *s, void **params,
                void **extra, int cooperative) {
	task t;
	queue *q = stream_of(s, call);
	if (!q || !alive(f, FUNCTION, call))
		return 400;
	if (q->ctx != current() || context_of(f) != q->ctx) {
		note("%s: %s, the stream and the current context are not of one context", call, f->name);
		return 400;
	}
	R rc = launch_task(&t, call, f, grid, block, shared, params, extra, cooperative);
	return rc ? rc : append(q, &t, NULL);
}

R cuLaunchKernel(function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s,
                 void **params, void **extra) {
	HERE;
	return leave(launch("cuLaunchKernel", f, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, shared, s, params, extra, 0));
}
R cuLaunchCooperativeKernel(function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                            void *s, void **params) {
	HERE;
	return leave(launch("cuLaunchCooperativeKernel", f, (uint32_t[]){gx, gy, gz}, (uint32_t[]){bx, by, bz}, shared, s, params, NULL, 1));
}

typedef struct { uint32_t id, pad; union { int32_t cooperative; char room[64]; } value; } launch_attribute;
typedef struct { uint32_t grid[3], block[3], shared; void *stream; launch_attribute *attributes; uint32_t count; } launch_config;

R cuLaunchKernelEx(const launch_config *c, function *f, void **params, void **extra) {
	HERE;
	if (!c)
		return leave(1);
	int cooperative = 0;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->attributes[i].id == 2)
			cooperative = c->attributes[i].value.cooperative != 0;
	return leave(launch("cuLaunchKernelEx", f, c->grid, c->block, c->shared, c->stream, params, extra, cooperative));
}

/* ---- the run ---- */

R run_kernel(task *t, context *c, work *w, uint64_t *ns) {
	kernel_launch *k = &t->as.kernel;
	char why[512] = "";
	uint64_t instructions = 0, blocks = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
	pthread_mutex_lock(&fake.lock);
	R rc = fault_of_launch();
	pthread_mutex_unlock(&fake.lock);
	if (rc) {
		note("%s: fails with %u, as FAKECUDA_FAIL wants", t->what, rc);
		return rc;
	}
	w->blocks = blocks;
	w->acquired = blocks <= 1 << 26 ? calloc(1, blocks / 8 + 1) : NULL;
	fake_launch l = {.kernel = k->f->k, .shared = k->shared, .params = k->params, .seed = fake.seed ^ w->id, .launch = w->id,
	                 .device = c->device, .cc = fake.cc};
	memcpy(l.grid, k->grid, sizeof l.grid);
	memcpy(l.block, k->block, sizeof l.block);
	rc = (R)fake_run(&l, why, sizeof why, &fake.stop[c->device], &instructions);
	free(w->acquired);
	w->acquired = NULL;
	if (rc)
		note("%s: fails with %u: %s", t->what, rc, why);
	/* 128 lanes of each multiprocessor at 1.7 GHz, and no kernel takes less than two microseconds. */
	double took = (double)instructions / (fake.sms * 128 * 1.7);
	*ns = fake.kernel_ns ? (uint64_t)fake.kernel_ns : took > 2000 ? (uint64_t)took : 2000;
	return rc;
}

/* ---- which memory work is told of ---- */

static void use_range(uint64_t at, size_t n, queue *q, mark *m, int writes) {
	allocation *a = allocation_at(at);
	for (; a && a->live && n && at - a->base < a->size; a = allocation_at(at)) {
		use(a, q, m, writes);
		size_t here = (size_t)(a->base + a->size - at);
		if (here >= n)
			return;
		at += here;
		n -= here;
	}
}

void use_exec(exec *e, queue *q, mark *m); /* graph.c */

void use_task(const task *t, queue *q, mark *m) {
	const copy *c = &t->as.copy;
	if (t->quiet)
		return;
	switch (t->action) {
	case DO_KERNEL:
		for (size_t i = 0, n = fake_param_bytes(t->as.kernel.f->k); i + 8 <= n; i += 8) {
			uint64_t word;
			memcpy(&word, (char *)t->as.kernel.params + i, 8);
			allocation *a = allocation_at(word);
			if (a && a->live && word - a->base < a->size)
				use(a, q, m, 1);
		}
		break;
	case DO_COPY:
		use_range(c->src, (c->planes - 1) * c->sslice + (c->rows - 1) * c->spitch + c->width, q, m, 0);
		use_range(c->dst, (c->planes - 1) * c->dslice + (c->rows - 1) * c->dpitch + c->width, q, m, 1);
		break;
	case DO_FILL: use_range(t->as.fill.dst, (t->as.fill.rows - 1) * t->as.fill.pitch + t->as.fill.width * (size_t)t->as.fill.size, q, m, 1); break;
	case DO_WRITE:
	case DO_WAIT: use_range(t->as.word.at, 4, q, m, t->action == DO_WRITE); break;
	case DO_GRAPH: use_exec(t->as.exec, q, m); break;
	default: break;
	}
}

/* ---- attributes and occupancy ---- */

R cuFuncGetAttribute(int *v, unsigned attribute, function *f) {
	HERE;
	if (!alive(f, FUNCTION, "cuFuncGetAttribute"))
		return leave(400);
	if (!v)
		return leave(1);
	switch (attribute) {
	case 0: *v = (int)most_threads(f); return leave(0);
	case 1: *v = (int)fake_shared_bytes(f->k); return leave(0);
	case 2: *v = (int)fake_param_bytes(f->k); return leave(0);
	case 3: *v = 0; return leave(0);
	case 4: *v = registers_of(f); return leave(0);
	case 5:
	case 6: *v = fake.cc; return leave(0);
	case 7: *v = 0; return leave(0);
	case 8: *v = f->dynamic; return leave(0);
	case 9: *v = f->carveout; return leave(0);
	}
	return leave(1);
}

R cuFuncSetAttribute(function *f, unsigned attribute, int v) {
	HERE;
	if (!alive(f, FUNCTION, "cuFuncSetAttribute"))
		return leave(400);
	if (attribute == 8 && v >= 0 && (uint32_t)v + fake_shared_bytes(f->k) <= 232448) {
		f->dynamic = v;
		return leave(0);
	}
	if (attribute == 9 && v >= -1 && v <= 100) {
		f->carveout = v;
		return leave(0);
	}
	return leave(1);
}
R cuFuncSetCacheConfig(function *f, unsigned v) { HERE; return leave(!alive(f, FUNCTION, "cuFuncSetCacheConfig") ? 400 : v > 3); }
R cuFuncSetSharedMemConfig(function *f, unsigned v) { HERE; return leave(!alive(f, FUNCTION, "cuFuncSetSharedMemConfig") ? 400 : v > 2); }

R cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, function *f, int threads, size_t dynamic) {
	HERE;
	if (!alive(f, FUNCTION, "cuOccupancyMaxActiveBlocksPerMultiprocessor"))
		return leave(400);
	if (!n || threads <= 0)
		return leave(1);
	*n = (uint32_t)threads > most_threads(f) ? 0 : resident_blocks(f, threads, dynamic);
	return leave(0);
}
R cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, function *f, int threads, size_t dynamic, unsigned flags) {
	return flags > 1 ? 1 : cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, dynamic);
}
R cuOccupancyMaxPotentialBlockSize(int *grid, int *block, function *f, size_t (*dynamic_of)(int), size_t dynamic, int limit) {
	HERE;
	if (!alive(f, FUNCTION, "cuOccupancyMaxPotentialBlockSize"))
		return leave(400);
	if (!grid || !block)
		return leave(1);
	int most = (int)most_threads(f), best = 0;
	if (limit > 0 && limit < most)
		most = limit;
	*grid = 0;
	for (int threads = most / 32 * 32; threads >= 32; threads -= 32) {
		int blocks = resident_blocks(f, threads, dynamic_of ? dynamic_of(threads) : dynamic);
		if (blocks * threads > best) {
			best = blocks * threads;
			*block = threads;
			*grid = blocks * fake.sms;
		}
	}
	return leave(best ? 0 : 1);
}
R cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, function *f, size_t (*dynamic_of)(int), size_t dynamic, int limit, unsigned flags) {
	return flags > 1 ? 1 : cuOccupancyMaxPotentialBlockSize(grid, block, f, dynamic_of, dynamic, limit);
}
R cuOccupancyAvailableDynamicSMemPerBlock(size_t *n, function *f, int blocks, int threads) {
	HERE;
	if (!alive(f, FUNCTION, "cuOccupancyAvailableDynamicSMemPerBlock"))
		return leave(400);
	if (!n || blocks <= 0 || threads <= 0)
		return leave(1);
	int64_t room = 233472 / blocks - 1024 - (int64_t)fake_shared_bytes(f->k);
	*n = room > 0 ? (size_t)room : 0;
	return leave(0);
}
