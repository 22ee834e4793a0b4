/* A warp: lanes that are at the same instruction go on together. The deepest call goes first, in it the lowest instruction, so that lanes
   meet again where their paths do; now and then another group gets a turn, so that a lane that waits for another one sees it. */
#include "pure.h"
#include <limits.h>

uint32_t fake_random(uint64_t *state, uint32_t below) {
	uint64_t z = (*state += 0x9E3779B97F4A7C15ull);
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return (uint32_t)(((z ^ z >> 31) >> 32) * below >> 32);
}

/* before says whether lane a goes before lane b. */
static bool before(const warp *w, int a, int b) {
	if (w->depth[a] != w->depth[b])
		return w->depth[a] > w->depth[b];
	if (w->f[a] != w->f[b])
		return w->f[a]->index < w->f[b]->index;
	return w->pc[a] < w->pc[b];
}

/* group finds the lanes that go next; limit is where another one waits for them. */
static uint32_t group(warp *w, bool shuffle, int *limit) {
	int best = -1, from = shuffle ? (int)fake_random(&w->block->run->random, LANES) : 0;
	for (int k = 0; k < LANES; k++) {
		int i = (from + k) % LANES;
		if (w->state[i] == RUNS && (best < 0 || (!shuffle && before(w, i, best))))
			best = i;
	}
	*limit = INT_MAX;
	if (best < 0)
		return 0;
	uint32_t mask = 0;
	for (int i = 0; i < LANES; i++) {
		bool same = w->f[i] == w->f[best] && w->depth[i] == w->depth[best];
		if (w->state[i] != RUNS && w->state[i] != WAITS_LANES)
			continue;
		if (same && w->pc[i] == w->pc[best]) {
			mask |= 1u << i;
			w->state[i] = RUNS;
		} else if (same && w->pc[i] > w->pc[best] && w->pc[i] < *limit) {
			*limit = w->pc[i];
		} else if (*limit == INT_MAX) {
			*limit = INT_MAX - 1; /* another warp runs */
		}
	}
	return mask;
}

static void go_to(warp *w, uint32_t mask, int pc) {
	for (int i = 0; i < LANES; i++)
		if (mask >> i & 1)
			w->pc[i] = pc;
}

static void set_state(warp *w, uint32_t mask, uint8_t state) {
	for (int i = 0; i < LANES; i++)
		if (mask >> i & 1)
			w->state[i] = state;
}

/* flow runs an instruction that may part the group. It returns whether the group goes on as it is, at *pc. */
static bool flow(warp *w, const inst *in, function *f, int base, uint32_t group, uint32_t mask, int *pc, int limit) {
	go_to(w, group & ~mask, *pc + 1);
	switch (in->op) {
	case O_BRA:
		if (mask == group && limit == INT_MAX) {
			*pc = (int)in->target;
			return true;
		}
		go_to(w, mask, (int)in->target);
		return false;
	case O_CALL:
		fake_enter(w, in, f, *pc, mask);
		return false;
	case O_RET:
	case O_EXIT:
		fake_leave(w, f, mask, in->op == O_EXIT);
		return false;
	case O_TRAP:
		fake_fault(w, in, __builtin_ctz(mask), 719, "trap");
		return false;
	case O_BAR:
		if (in->mode == W_ARRIVE) {
			fake_arrive(w, in, mask, base);
			go_to(w, group, *pc + 1);
		} else {
			go_to(w, mask, *pc);
			set_state(w, mask, WAITS_BARRIER);
		}
		return false;
	default: { /* what lanes do together */
		uint32_t done = fake_exchange(w, in, mask, base);
		if (done == mask && mask == group) {
			++*pc;
			return *pc < limit;
		}
		go_to(w, done, *pc + 1);
		go_to(w, mask & ~done, *pc);
		set_state(w, mask & ~done, WAITS_LANES);
		return false;
	}
	}
}

static bool parts(const inst *in) {
	switch (in->op) {
	case O_BRA: case O_CALL: case O_RET: case O_EXIT: case O_TRAP: case O_BAR: case O_WARPSYNC: case O_SHFL: case O_VOTE: case O_MATCH: case O_REDUX:
		return true;
	default:
		return false;
	}
}

/* together runs a group until it parts, meets other lanes, or has used its turns. */
static void together(warp *w, uint32_t lanes, int limit, uint32_t *turns) {
	run *r = w->block->run;
	int first = __builtin_ctz(lanes), pc = w->pc[first];
	function *f = w->f[first];
	int base = fake_base_of(r, f);
	uint32_t population = (uint32_t)__builtin_popcount(lanes);
	while (*turns) {
		const inst *in = &f->code[pc];
		--*turns;
		r->turns++;
		uint32_t mask = lanes;
		if (in->guard >= 0) {
			if (!fake_defined(w, in, base + in->guard, lanes, "the predicate of this instruction"))
				return;
			uint32_t p = lanes_where(w, base + in->guard);
			mask &= in->guard_not ? ~p : p;
			r->lanes += (uint32_t)__builtin_popcount(mask);
		} else {
			r->lanes += population;
		}
		if (!mask) {
			pc++;
		} else if (parts(in)) {
			if (!flow(w, in, f, base, lanes, mask, &pc, limit))
				return;
			continue;
		} else {
			fake_step(w, in, mask, base);
			if (r->fault)
				return;
			pc++;
		}
		if (pc >= limit)
			break;
	}
	go_to(w, lanes, pc);
}

bool fake_warp_run(warp *w, uint32_t turns) {
	run *r = w->block->run;
	while (!r->fault) {
		int limit;
		uint32_t lanes = group(w, false, &limit);
		uint32_t slice = turns;
		if (limit != INT_MAX && fake_random(&r->random, 64) == 0) { /* another one's turn */
			lanes = group(w, true, &limit);
			slice = slice > 16 ? 16 : slice;
		}
		if (!lanes)
			return false;
		uint32_t before = slice;
		together(w, lanes, limit, &slice);
		turns -= before - slice;
		if (!turns)
			return true;
	}
	return false;
}
