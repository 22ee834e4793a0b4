/* A launch: its blocks one after another in an order that the seed decides. A block that takes long, or looks often at what others may
   write, is put aside for others, so that blocks may wait for each other as long as they do not need more than there are places. */
#include "pure.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	SLICE = 1 << 17, /* turns that a block has before another one goes on */
	POLLS = 64,      /* strong accesses after which it may be waiting for another one, which would wait for this one's turns */
	PLACES = 64,     /* blocks under way */
};

void fake_fault(const warp *w, const inst *in, int lane, int code, const char *format, ...) {
	run *r = w->block->run;
	if (r->fault)
		return;
	r->fault = code;
	if (!r->why || !r->room)
		return;
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	const uint32_t *n = r->launch->block, *at = w->block->index;
	uint32_t t = w->index * LANES + (uint32_t)lane;
	snprintf(r->why, r->room, "kernel %s, line %u of the PTX, block (%u,%u,%u), thread (%u,%u,%u): %s", r->entry->name, in->line, at[0], at[1], at[2],
		t % n[0], t / n[0] % n[1], t / n[0] / n[1], text);
}

/* constant gives a value's slot what it holds for one lane; false where it is not known. */
static uint64_t held(const block *b, const warp *w, const value *v, int function_index, uint32_t lane) {
	const run *r = b->run;
	const fake_launch *l = r->launch;
	uint32_t t = w->index * LANES + lane, below = lane ? (1u << lane) - 1 : 0, self = 1u << lane;
	switch (v->kind) {
	case V_CONST: return v->value;
	case V_TID_X: return t % l->block[0];
	case V_TID_Y: return t / l->block[0] % l->block[1];
	case V_TID_Z: return t / l->block[0] / l->block[1];
	case V_NTID_X: case V_NTID_Y: case V_NTID_Z: return l->block[v->kind - V_NTID_X];
	case V_CTAID_X: case V_CTAID_Y: case V_CTAID_Z: return b->index[v->kind - V_CTAID_X];
	case V_NCTAID_X: case V_NCTAID_Y: case V_NCTAID_Z: return l->grid[v->kind - V_NCTAID_X];
	case V_LANEID: return lane;
	case V_WARPID: return w->index;
	case V_NWARPID: return (uint32_t)b->warp_count;
	case V_SMID: return b->linear % 132;
	case V_NSMID: return 132;
	case V_GRIDID: return l->launch;
	case V_EQ: return self;
	case V_LT: return below;
	case V_LE: return below | self;
	case V_GT: return ~(below | self);
	case V_GE: return ~below;
	case V_TOTAL_SHARED: return r->shared_bytes;
	case V_DYNAMIC_SHARED_SIZE: return l->shared;
	case V_SHARED: {
		int64_t at = r->entry->shared_offset[v->value];
		return SHARED_BASE + (at == -2 ? r->dynamic_at : (uint64_t)at);
	}
	case V_FRAME: return r->entry->frame_base[function_index];
	case V_GLOBAL: return (uint64_t)(uintptr_t)r->module->memory;
	default: return 0;
	}
}

/* fill writes the values of slots; of a block that takes a used place only what its index changes. */
static void fill(block *b, bool all) {
	function *e = b->run->entry;
	for (int k = 0; k < b->warp_count; k++) {
		warp *w = &b->warps[k];
		for (int f = 0; f < e->reach_count; f++)
			for (int i = 0; i < e->reach[f]->value_count; i++) {
				const value *v = &e->reach[f]->values[i];
				bool moves = (v->kind >= V_CTAID_X && v->kind <= V_CTAID_Z) || v->kind == V_SMID;
				if (!all && !moves)
					continue;
				int slot = e->base[f] + e->reach[f]->registers + i;
				uint64_t *d = w->r + (size_t)slot * LANES;
				if (v->kind == V_TID_X || v->kind == V_TID_Y || v->kind == V_TID_Z || v->kind == V_LANEID || (v->kind >= V_LT && v->kind <= V_EQ))
					for (uint32_t lane = 0; lane < LANES; lane++)
						d[lane] = held(b, w, v, f, lane);
				else
					for (uint64_t one = held(b, w, v, f, 0), lane = 0; lane < LANES; lane++)
						d[lane] = one;
				w->defined[slot] = ~0u;
			}
	}
}

static void *zeroed(size_t n) {
	void *p = calloc(n ? n : 1, 1);
	if (!p)
		abort();
	return p;
}

static block *new_block(run *r) {
	block *b = zeroed(sizeof *b);
	function *e = r->entry;
	b->run = r;
	b->warp_count = (int)((r->threads + LANES - 1) / LANES);
	b->warps = zeroed((size_t)b->warp_count * sizeof *b->warps);
	size_t shared = (r->shared_bytes + 1023u) / 1024 * 1024;
	if (posix_memalign((void **)&b->shared, 1024, shared ? shared : 1024))
		abort();
	b->shadow = zeroed((size_t)r->shared_bytes * sizeof *b->shadow);
	for (int k = 0; k < b->warp_count; k++) {
		warp *w = &b->warps[k];
		w->block = b;
		w->index = (uint32_t)k;
		if (posix_memalign((void **)&w->r, 64, (size_t)(e->slots + 1) * LANES * sizeof *w->r))
			abort();
		w->defined = zeroed((size_t)(e->slots + 1) * sizeof *w->defined);
		if (posix_memalign((void **)&w->memory, 64, (size_t)LANES * e->lane_bytes + 64))
			abort();
		w->memory_defined = zeroed((size_t)LANES * e->lane_bytes);
	}
	return b;
}

static void free_block(block *b) {
	for (int k = 0; k < b->warp_count; k++) {
		for (int i = 0; i < LANES; i++)
			free(b->warps[k].stack[i]);
		free(b->warps[k].r);
		free(b->warps[k].defined);
		free(b->warps[k].memory);
		free(b->warps[k].memory_defined);
	}
	free(b->warps);
	free(b->shared);
	free(b->shadow);
	free(b);
}

/* begin makes a block ready to run from its first instruction; registers and memory hold nothing, which is written over so that nothing
   depends on it. */
static void begin(block *b, uint32_t linear, bool fresh) {
	run *r = b->run;
	function *e = r->entry;
	const uint32_t *grid = r->launch->grid;
	b->linear = linear;
	b->index[0] = linear % grid[0];
	b->index[1] = linear / grid[0] % grid[1];
	b->index[2] = linear / grid[0] / grid[1];
	b->epoch = 1;
	memset(b->arrived, 0, sizeof b->arrived);
	if (r->shared_bytes) {
		memset(b->shared, 0xa5, r->shared_bytes);
		memset(b->shadow, 0, (size_t)r->shared_bytes * sizeof *b->shadow);
	}
	for (int k = 0; k < b->warp_count; k++) {
		warp *w = &b->warps[k];
		uint32_t rest = r->threads - (uint32_t)k * LANES;
		w->here = w->live = rest >= LANES ? ~0u : (1u << rest) - 1;
		w->carry = 0;
		for (int f = 0; f < e->reach_count; f++) {
			int n = e->reach[f]->registers;
			memset(w->defined + e->base[f], 0, (size_t)n * sizeof *w->defined);
			if (fresh)
				memset(lanes_of(w->r, e->base[f], 0), 0xa5, (size_t)n * LANES * sizeof *w->r);
		}
		memset(w->memory, 0xa5, (size_t)LANES * e->lane_bytes);
		memset(w->memory_defined, 0, (size_t)LANES * e->lane_bytes);
		for (int i = 0; i < LANES; i++) {
			w->state[i] = w->here >> i & 1 ? RUNS : ABSENT;
			w->f[i] = e;
			w->pc[i] = w->depth[i] = 0;
		}
	}
	fill(b, fresh);
}

static bool any(const block *b, uint8_t state) {
	for (int k = 0; k < b->warp_count; k++)
		for (int i = 0; i < LANES; i++)
			if (b->warps[k].state[i] == state)
				return true;
	return false;
}

/* advance runs a block for a slice of turns. It returns whether it has ended. */
static bool advance(block *b) {
	run *r = b->run;
	uint64_t end = r->turns + SLICE;
	b->strong = 0;
	while (!r->fault && r->turns < end && b->strong < POLLS) {
		uint32_t candidates = 0, pick;
		for (int k = 0; k < b->warp_count; k++)
			for (int i = 0; i < LANES; i++)
				if (b->warps[k].state[i] == RUNS) {
					candidates++;
					break;
				}
		if (!candidates) {
			if (fake_barriers(b))
				continue;
			if (r->fault)
				break;
			if (any(b, WAITS_BARRIER) || any(b, WAITS_LANES))
				fake_stuck(b);
			return !r->fault;
		}
		pick = candidates > 1 ? fake_random(&r->random, candidates) : 0;
		warp *w = NULL;
		for (int k = 0; !w; k++)
			for (int i = 0; i < LANES; i++)
				if (b->warps[k].state[i] == RUNS) {
					w = pick-- ? NULL : &b->warps[k];
					break;
				}
		/* Turns of very different lengths bring about orders that equal ones do not. */
		if (!fake_warp_run(w, candidates > 1 ? 8u << fake_random(&r->random, 9) : 4096) && any(b, WAITS_BARRIER))
			fake_barriers(b);
		if (*r->stop && !r->fault) {
			r->fault = 719;
			if (r->why && r->room)
				snprintf(r->why, r->room, "kernel %s was stopped", r->entry->name);
		}
		if (r->turns > r->limit && !r->fault) {
			r->fault = 702;
			if (r->why && r->room)
				snprintf(r->why, r->room, "kernel %s has had %llu turns; FAKECUDA_TURNS sets how many it may have", r->entry->name, (unsigned long long)r->turns);
		}
	}
	return false;
}

/* shuffled is a permutation of n blocks that needs no memory: steps of a size that shares no factor with n. */
typedef struct { uint64_t n, step, at; } order;

static order shuffled(uint64_t *random, uint64_t n) {
	order o = {n, 1, fake_random(random, (uint32_t)n)};
	for (int i = 0; i < 64 && n > 2; i++) {
		uint64_t a = o.step = 1 + fake_random(random, (uint32_t)(n - 1)), b = n;
		while (b) {
			uint64_t t = a % b;
			a = b;
			b = t;
		}
		if (a == 1)
			return o;
	}
	o.step = 1;
	return o;
}

int fake_run(const fake_launch *l, char *why, size_t room, const volatile int *stop, uint64_t *instructions) {
	static const volatile int never;
	const char *turns = getenv("FAKECUDA_TURNS");
	run r = {.launch = l, .entry = (function *)(uintptr_t)&l->kernel->f, .module = l->kernel->f.module, .why = why, .room = room,
		.stop = stop ? stop : &never, .limit = turns && *turns ? strtoull(turns, NULL, 10) : 1000000000, .random = l->seed};
	function *e = r.entry;
	uint32_t align = e->shared_align ? e->shared_align : 16;
	if (why && room)
		why[0] = 0;
	r.threads = l->block[0] * l->block[1] * l->block[2];
	r.dynamic_at = (e->shared_static + align - 1) / align * align;
	r.shared_bytes = l->shared ? r.dynamic_at + l->shared : e->shared_static;
	if (e->recurses) {
		if (why && room)
			snprintf(why, room, "kernel %s calls a function that calls itself, which the fake driver's machine does not run", e->name);
		return 719;
	}
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], started = 0;
	order o = shuffled(&r.random, blocks);
	block *under_way[PLACES], *unused = NULL;
	int count = 0;
	while (!r.fault && (started < blocks || count)) {
		int k;
		if (started < blocks && count < PLACES && (count == 0 || fake_random(&r.random, (uint32_t)count + 1) == 0)) {
			block *b = unused ? unused : new_block(&r);
			begin(b, (uint32_t)o.at, !unused);
			unused = NULL;
			o.at = (o.at + o.step) % o.n;
			started++;
			under_way[k = count++] = b;
		} else {
			k = (int)fake_random(&r.random, (uint32_t)count);
		}
		if (!advance(under_way[k]))
			continue;
		if (unused)
			free_block(under_way[k]);
		else
			unused = under_way[k];
		under_way[k] = under_way[--count];
	}
	while (count)
		free_block(under_way[--count]);
	if (unused)
		free_block(unused);
	if (instructions)
		*instructions = r.lanes;
	return r.fault;
}
