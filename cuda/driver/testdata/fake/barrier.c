/* Barriers of a block: bar and barrier, with counts and reductions. */
#include "pure.h"
#include <stdio.h>

enum { BARRIERS = 16 };

static const inst *waits_at(const warp *w, int lane) { return &w->f[lane]->code[w->pc[lane]]; }

static uint64_t operand_of(const warp *w, const inst *in, int lane, int k) {
	return lanes_of(w->r, fake_base_of(w->block->run, w->f[lane]), in->s[k])[lane];
}

/* counted says whether a barrier instruction names how many threads it is for, and how many. */
static uint32_t counted(const warp *w, const inst *in, int lane) {
	int operands = in->source_count - (in->atom ? 1 : 0);
	return operands > 1 ? (uint32_t)operand_of(w, in, lane, 1) : 0;
}

void fake_arrive(warp *w, const inst *in, uint32_t mask, int base) {
	if (!fake_defined(w, in, base + in->s[0], mask, "the barrier's number"))
		return;
	int lane = __builtin_ctz(mask);
	uint32_t id = (uint32_t)lanes_of(w->r, base, in->s[0])[lane];
	if (id >= BARRIERS) {
		fake_fault(w, in, lane, 719, "there is no barrier %u", id);
		return;
	}
	w->block->arrived[id] += mask == w->live ? LANES : (uint32_t)__builtin_popcount(mask);
}

typedef struct {
	uint32_t count, threads, waiting, trues; /* threads: by warps, as counts are */
	bool explicit_count;
} gathered;

/* release lets the lanes of a complete barrier go on, with the result of a reduction. */
static void release(block *b, uint32_t id, const gathered *g) {
	for (int k = 0; k < b->warp_count; k++) {
		warp *w = &b->warps[k];
		for (int i = 0; i < LANES; i++) {
			if (w->state[i] != WAITS_BARRIER)
				continue;
			const inst *in = waits_at(w, i);
			if (operand_of(w, in, i, 0) != id)
				continue;
			if (in->atom && in->d[0] >= 0) {
				int slot = fake_base_of(b->run, w->f[i]) + in->d[0];
				w->r[(size_t)slot * LANES + (size_t)i] = in->atom == W_POPC ? g->trues : in->atom == W_AND ? g->trues == g->waiting : g->trues != 0;
				w->defined[slot] |= 1u << i;
			}
			w->state[i] = RUNS;
			w->pc[i]++;
		}
	}
	b->arrived[id] = 0;
	b->epoch++;
}

/* alike faults where lanes of a warp wait at different instructions of which one is aligned. */
static bool alike(const warp *w) {
	int first = -1;
	for (int i = 0; i < LANES; i++) {
		if (w->state[i] != WAITS_BARRIER)
			continue;
		const inst *in = waits_at(w, i), *other = first < 0 ? in : waits_at(w, first);
		if (first < 0)
			first = i;
		if (in != other && (in->aligned || other->aligned)) {
			fake_fault(w, in, i, 719, "lanes of one warp wait at different barriers, here and on line %u", other->line);
			return false;
		}
	}
	return true;
}

static bool gather(block *b, uint32_t id, gathered *g) {
	*g = (gathered){.threads = b->arrived[id]};
	uint32_t live = 0;
	for (int k = 0; k < b->warp_count; k++) {
		warp *w = &b->warps[k];
		uint32_t here = 0;
		for (int i = 0; i < LANES; i++) {
			if (w->state[i] != WAITS_BARRIER)
				continue;
			const inst *in = waits_at(w, i);
			if (operand_of(w, in, i, 0) != id)
				continue;
			here |= 1u << i;
			uint32_t n = counted(w, in, i);
			g->count = n ? n : g->count;
			g->explicit_count |= n != 0;
			if (in->atom) {
				int last = in->source_count - 1;
				g->trues += (operand_of(w, in, i, last) ^ (uint64_t)(in->inverse >> last & 1)) & 1;
			}
		}
		live += (uint32_t)__builtin_popcount(w->live);
		g->waiting += (uint32_t)__builtin_popcount(here);
		g->threads += here && here == w->live ? LANES : (uint32_t)__builtin_popcount(here);
	}
	return g->waiting && (g->explicit_count ? g->threads >= g->count : g->waiting == live);
}

/* fake_barriers lets lanes go whose barrier is complete. */
bool fake_barriers(block *b) {
	uint32_t ids = 0;
	for (int k = 0; k < b->warp_count; k++) {
		warp *w = &b->warps[k];
		for (int i = 0; i < LANES; i++) {
			if (w->state[i] != WAITS_BARRIER)
				continue;
			const inst *in = waits_at(w, i);
			int base = fake_base_of(b->run, w->f[i]);
			for (int s = 0; s < in->source_count; s++)
				if (!fake_defined(w, in, base + in->s[s], 1u << i, "a barrier's operand"))
					return false;
			uint64_t id = operand_of(w, in, i, 0);
			if (id >= BARRIERS) {
				fake_fault(w, in, i, 719, "there is no barrier %llu", (unsigned long long)id);
				return false;
			}
			ids |= 1u << id;
		}
	}
	bool any = false;
	for (uint32_t id = 0; id < BARRIERS; id++) {
		gathered g;
		if (!(ids >> id & 1) || !gather(b, id, &g))
			continue;
		for (int k = 0; k < b->warp_count; k++)
			if (!alike(&b->warps[k]))
				return false;
		release(b, id, &g);
		any = true;
	}
	return any;
}

/* fake_stuck faults: no lane of the block can go on. */
void fake_stuck(block *b) {
	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < b->warp_count; k++) {
			warp *w = &b->warps[k];
			if (pass == 0 && !alike(w))
				return;
			for (int i = 0; i < LANES; i++) {
				if (w->state[i] == WAITS_LANES) {
					const inst *in = waits_at(w, i);
					uint32_t named = (uint32_t)operand_of(w, in, i, in->source_count - 1) & w->here & w->live, there = 0;
					for (int j = 0; j < LANES; j++)
						there |= (uint32_t)(w->state[j] == WAITS_LANES && w->pc[j] == w->pc[i] && w->f[j] == w->f[i]) << j;
					uint32_t missing = named & ~there;
					fake_fault(w, in, i, 719, "the member mask 0x%08x names lane %d, which does not come here", named, missing ? __builtin_ctz(missing) : i);
					return;
				}
				if (pass == 1 && w->state[i] == WAITS_BARRIER) {
					const inst *in = waits_at(w, i);
					gathered g;
					uint32_t id = (uint32_t)operand_of(w, in, i, 0);
					gather(b, id, &g);
					fake_fault(w, in, i, 719, "not all threads reach barrier %u: %u wait at it", id, g.waiting);
					return;
				}
			}
		}
}
