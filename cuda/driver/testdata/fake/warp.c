/* A warp: lanes that are at the same instruction go on together. The deepest call goes first, in it the lowest instruction, so that lanes
   meet again where their paths do; now and then another group gets a turn, so that a lane that waits for another one sees it. */
#include "pure.h"
#include <limits.h>
#include <stdlib.h>

uint32_t fake_random(uint64_t *state, uint32_t below) {
	uint64_t z = (*state += 0x9E3779B97F4A7C15ull);
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
	z = (z ^ z >> 27) * 0x94D049BB133111EBull;
	return (uint32_t)(((z ^ z >> 31) >> 32) * below >> 32);
}

int fake_base_of(const run *r, const function *f) {
	for (int i = 0; i < r->entry->reach_count; i++)
		if (r->entry->reach[i] == f)
			return r->entry->base[i];
	return 0;
}

uint32_t fake_mask_of(const warp *w, int slot) {
	const uint64_t *p = w->r + (size_t)slot * LANES;
	uint32_t m = 0;
	for (int i = 0; i < LANES; i++)
		m |= (uint32_t)(p[i] & 1) << i;
	return m;
}

/* fake_defined faults where a lane of mask uses a value that nothing has written. */
bool fake_defined(const warp *w, const inst *in, int slot, uint32_t mask, const char *what) {
	uint32_t bad = mask & ~w->defined[slot];
	if (!bad)
		return true;
	fake_fault(w, in, __builtin_ctz(bad), 719, "%s comes from a register or memory that was never written", what);
	return false;
}

/* compute runs a pure instruction on the lanes of mask. */
static void compute(warp *w, const inst *in, uint32_t mask, int base) {
	static const uint64_t nothing[LANES];
	const uint64_t *s[4] = {nothing, nothing, nothing, nothing};
	uint64_t inverted[LANES], other[LANES], second[LANES];
	uint32_t defined = ~0u;
	for (int k = 0; k < in->source_count; k++) {
		s[k] = lanes_of(w->r, base, in->s[k]);
		defined &= w->defined[base + in->s[k]];
		if (in->inverse >> k & 1) {
			for (int i = 0; i < LANES; i++)
				inverted[i] = s[k][i] ^ 1;
			s[k] = inverted;
		}
	}
	if (in->op == O_SELP) { /* what is not chosen need not be defined */
		const uint32_t *have = w->defined + base;
		uint32_t first = 0;
		for (int i = 0; i < LANES; i++)
			first |= (uint32_t)(s[2][i] & 1) << i;
		defined = have[in->s[2]] & ((have[in->s[0]] & first) | (have[in->s[1]] & ~first));
	}
	if (in->d[1] >= 0) {
		inst opposite = *in;
		opposite.negate = 1;
		in->pure(second, s, &opposite);
	}
	if (in->d[0] >= 0) {
		uint64_t *d = lanes_of(w->r, base, in->d[0]), *to = mask == ~0u ? d : other;
		in->pure(to, s, in);
		uint8_t bytes = fake_types[in->type].bytes;
		if (in->extend && in->dst_bytes > bytes && fake_types[in->type].class == 's') {
			int up = 64 - 8 * bytes;
			uint64_t keep = in->dst_bytes == 8 ? ~0ull : (1ull << 8 * in->dst_bytes) - 1;
			for (int i = 0; i < LANES; i++)
				to[i] = (uint64_t)((int64_t)(to[i] << up) >> up) & keep;
		}
		if (to == other)
			for (int i = 0; i < LANES; i++)
				d[i] = mask >> i & 1 ? other[i] : d[i];
		uint32_t *have = &w->defined[base + in->d[0]];
		*have = (*have & ~mask) | (defined & mask);
	}
	if (in->d[1] >= 0) {
		uint64_t *d = lanes_of(w->r, base, in->d[1]);
		for (int i = 0; i < LANES; i++)
			d[i] = mask >> i & 1 ? second[i] : d[i];
		uint32_t *have = &w->defined[base + in->d[1]];
		*have = (*have & ~mask) | (defined & mask);
	}
}

/* carried is add.cc and its kin: the carry goes in and out by lane. A subtraction adds the complement, so that its carry is the opposite of
   a borrow; this shows only where an addition's carry goes into a subtraction, of which PTX says otherwise than an H200 does. */
static void carried(warp *w, const inst *in, uint32_t mask, int base) {
	int bits = 8 * fake_types[in->type].bytes;
	uint64_t m = type_mask((type)in->type);
	bool takes = in->op == O_ADDC || in->op == O_SUBC || in->op == O_MADC || in->op == O_MADCHI;
	for (int i = 0; i < LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		unsigned __int128 a = lanes_of(w->r, base, in->s[0])[i] & m, b = lanes_of(w->r, base, in->s[1])[i] & m, r;
		unsigned in_carry = takes ? w->carry >> i & 1 : 0;
		if (in->op == O_SUB || in->op == O_SUBC) {
			r = a + (~b & m) + (takes ? in_carry : 1);
		} else if (in->op == O_ADD || in->op == O_ADDC) {
			r = a + b + in_carry;
		} else {
			unsigned __int128 product = a * b;
			if (fake_types[in->type].class == 's') {
				int up = 64 - bits;
				product = (unsigned __int128)((__int128)((int64_t)(uint64_t)(a << up) >> up) * ((int64_t)(uint64_t)(b << up) >> up));
			}
			uint64_t part = (in->op == O_MADHI || in->op == O_MADCHI ? (uint64_t)(product >> bits) : (uint64_t)product) & m;
			r = (unsigned __int128)part + (lanes_of(w->r, base, in->s[2])[i] & m) + in_carry;
		}
		if (in->carry_out)
			w->carry = (w->carry & ~(1u << i)) | (uint32_t)(r >> bits & 1) << i;
		if (in->d[0] >= 0)
			lanes_of(w->r, base, in->d[0])[i] = (uint64_t)r & m;
	}
	if (in->d[0] < 0)
		return;
	uint32_t defined = ~0u, *have = &w->defined[base + in->d[0]];
	for (int k = 0; k < in->source_count; k++)
		defined &= w->defined[base + in->s[k]];
	*have = (*have & ~mask) | (defined & mask);
}

/* pack and unpack are mov between a vector and a register. */
static void pack(warp *w, const inst *in, uint32_t mask, int base) {
	int bits = 8 * in->dst_bytes;
	uint64_t m = bits == 64 ? ~0ull : (1ull << bits) - 1;
	if (in->op == O_UNPACK) {
		uint64_t whole[LANES];
		memcpy(whole, lanes_of(w->r, base, in->s[0]), sizeof whole);
		for (int k = 0; k < in->vector; k++) {
			if (in->d[k] < 0)
				continue;
			uint64_t *d = lanes_of(w->r, base, in->d[k]);
			for (int i = 0; i < LANES; i++)
				d[i] = mask >> i & 1 ? whole[i] >> bits * k & m : d[i];
			uint32_t *have = &w->defined[base + in->d[k]];
			*have = (*have & ~mask) | (w->defined[base + in->s[0]] & mask);
		}
		return;
	}
	uint64_t whole[LANES] = {0};
	uint32_t defined = ~0u;
	for (int k = 0; k < in->vector; k++) {
		const uint64_t *s = lanes_of(w->r, base, in->s[k]);
		for (int i = 0; i < LANES; i++)
			whole[i] |= (s[i] & m) << bits * k;
		defined &= w->defined[base + in->s[k]];
	}
	uint64_t *d = lanes_of(w->r, base, in->d[0]);
	for (int i = 0; i < LANES; i++)
		d[i] = mask >> i & 1 ? whole[i] : d[i];
	uint32_t *have = &w->defined[base + in->d[0]];
	*have = (*have & ~mask) | (defined & mask);
}

/* set_lanes writes a value per lane, defined. */
static void set_lanes(warp *w, int base, int32_t to, uint32_t mask, const uint64_t *v) {
	if (to < 0)
		return;
	int slot = base + to;
	uint64_t *d = w->r + (size_t)slot * LANES;
	for (int i = 0; i < LANES; i++)
		d[i] = mask >> i & 1 ? v[i] : d[i];
	w->defined[slot] |= mask;
}

/* address_of is mov and cvta of a variable, cvta of a register, and isspacep. */
static void address_of(warp *w, const inst *in, uint32_t mask, int base) {
	run *r = w->block->run;
	uint64_t v[LANES];
	uint32_t defined = in->s[0] >= 0 ? w->defined[base + in->s[0]] : ~0u;
	uint64_t shared = (uint64_t)(uintptr_t)w->block->shared, constants = (uint64_t)(uintptr_t)r->module->constants;
	uint64_t params = (uint64_t)(uintptr_t)r->launch->params;
	for (int i = 0; i < LANES; i++) {
		uint64_t a = (in->s[0] >= 0 ? lanes_of(w->r, base, in->s[0])[i] : 0) + (in->base == -2 ? (uint64_t)in->offset : 0);
		uint64_t local = (uint64_t)(uintptr_t)(w->memory + (size_t)i * r->entry->lane_bytes);
		uint64_t window = in->space == S_SHARED ? shared - SHARED_BASE : in->space == S_LOCAL || (in->space == S_PARAM && w->f[i] && !w->f[i]->entry) ? local :
			in->space == S_CONST ? constants : in->space == S_PARAM ? params : 0;
		if (in->op == O_CVTA) {
			a = in->to ? a - window : a + window;
		} else if (in->op == O_ISSPACEP) {
			bool is_shared = a - shared < r->shared_bytes, is_local = a - local < r->entry->lane_bytes;
			bool is_const = a - constants < r->module->constant_bytes, is_param = a - params < r->entry->param_bytes;
			a = in->space == S_SHARED ? is_shared : in->space == S_LOCAL ? is_local : in->space == S_CONST ? is_const :
				in->space == S_PARAM ? is_param : !is_shared && !is_local;
		}
		v[i] = in->op == O_ISSPACEP ? a : a & type_mask((type)in->type);
	}
	set_lanes(w, base, in->d[0], mask, v);
	if (in->d[0] >= 0)
		w->defined[base + in->d[0]] &= ~mask | defined;
}

static void read_clock(warp *w, const inst *in, uint32_t mask, int base) {
	uint64_t turns = w->block->run->turns, t = in->mode >= V_GLOBALTIMER ? 32 * turns : turns, v[LANES];
	if (in->mode == V_CLOCK_HI || in->mode == V_GLOBALTIMER_HI)
		t >>= 32;
	for (int i = 0; i < LANES; i++)
		v[i] = t & type_mask((type)in->type);
	set_lanes(w, base, in->d[0], mask, v);
}

/* where gives a function's registers and frame in this entry. */
static int where(const run *r, const function *f, uint32_t *frame) {
	for (int i = 0; i < r->entry->reach_count; i++)
		if (r->entry->reach[i] == f) {
			*frame = r->entry->frame_base[i];
			return r->entry->base[i];
		}
	return 0;
}

/* hand copies arguments, or results back, of a call for the lanes of mask. */
static void hand(warp *w, const passed *list, int n, uint32_t mask, const function *caller, const function *callee, bool back) {
	run *r = w->block->run;
	uint32_t caller_frame = 0, callee_frame = 0;
	int caller_base = where(r, caller, &caller_frame), callee_base = where(r, callee, &callee_frame);
	for (int k = 0; k < n; k++) {
		if (list[k].bytes) {
			uint32_t a = caller_frame + (uint32_t)list[k].from, b = callee_frame + (uint32_t)list[k].to, from = back ? b : a, to = back ? a : b;
			for (int i = 0; i < LANES; i++) {
				uint8_t *memory = w->memory + (size_t)i * r->entry->lane_bytes, *have = w->memory_defined + (size_t)i * r->entry->lane_bytes;
				if (!(mask >> i & 1))
					continue;
				memmove(memory + to, memory + from, list[k].bytes);
				memmove(have + to, have + from, list[k].bytes);
			}
			continue;
		}
		int a = caller_base + list[k].from, b = callee_base + list[k].to, from = back ? b : a, to = back ? a : b;
		uint64_t *d = w->r + (size_t)to * LANES, *s = w->r + (size_t)from * LANES;
		for (int i = 0; i < LANES; i++)
			d[i] = mask >> i & 1 ? s[i] : d[i];
		w->defined[to] = (w->defined[to] & ~mask) | (w->defined[from] & mask);
	}
}

static void enter(warp *w, const inst *in, function *caller, int pc, uint32_t mask) {
	run *r = w->block->run;
	function *callee = in->call->callee;
	int base = fake_base_of(r, callee);
	for (int s = 0; s < callee->registers; s++)
		w->defined[base + s] &= ~mask;
	hand(w, in->call->arguments, in->call->argument_count, mask, caller, callee, false);
	for (int i = 0; i < LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		w->stack[i] = fake_grow(w->stack[i], &w->stack_room[i], w->depth[i], sizeof *w->stack[i]);
		w->stack[i][w->depth[i]++] = (frame_return){caller, pc};
		w->f[i] = callee;
		w->pc[i] = 0;
	}
}

static void leave(warp *w, function *f, uint32_t mask, bool all) {
	uint32_t handed = 0;
	for (int i = 0; i < LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!w->depth[i] || all) {
			w->state[i] = EXITED;
			w->live &= ~(1u << i);
			continue;
		}
		frame_return back = w->stack[i][--w->depth[i]];
		const call *c = back.f->code[back.pc].call;
		uint32_t same = 0; /* lanes that go back to one place do so together */
		for (int k = i; k < LANES; k++) {
			if (!(mask >> k & 1))
				continue;
			const frame_return *other = k == i ? &back : w->depth[k] ? &w->stack[k][w->depth[k] - 1] : &(frame_return){NULL, 0};
			same |= other->f == back.f && other->pc == back.pc ? 1u << k : 0;
		}
		if (!(handed >> i & 1))
			hand(w, c->results, c->result_count, same, back.f, f, true);
		handed |= same;
		w->f[i] = back.f;
		w->pc[i] = back.pc + 1;
	}
}

/* group finds the lanes that go next; limit is where another one waits for them. */
static uint32_t group(warp *w, bool shuffle, int *limit) {
	int best = -1, from = shuffle ? (int)fake_random(&w->block->run->random, LANES) : 0;
	for (int k = 0; k < LANES; k++) {
		int i = (from + k) % LANES;
		if (w->state[i] != RUNS)
			continue;
		if (best < 0 || (!shuffle && (w->depth[i] > w->depth[best] || (w->depth[i] == w->depth[best] && (w->f[i] < w->f[best] || (w->f[i] == w->f[best] && w->pc[i] < w->pc[best]))))))
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
			*limit = INT_MAX - 1; /* somebody else runs */
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
		enter(w, in, f, *pc, mask);
		return false;
	case O_RET:
	case O_EXIT:
		leave(w, f, mask, in->op == O_EXIT);
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

static void plain(warp *w, const inst *in, uint32_t mask, int base) {
	if (in->pure) {
		compute(w, in, mask, base);
		return;
	}
	switch (in->op) {
	case O_LD:
	case O_ST:
	case O_PREFETCH:
		fake_memory(w, in, mask, base);
		break;
	case O_ATOM:
	case O_RED:
		fake_atomic(w, in, mask, base);
		break;
	case O_MOV:
	case O_CVTA:
	case O_ISSPACEP:
		address_of(w, in, mask, base);
		break;
	case O_PACK:
	case O_UNPACK:
		pack(w, in, mask, base);
		break;
	case O_CLOCK:
		read_clock(w, in, mask, base);
		break;
	case O_FENCE:
		w->block->epoch++;
		break;
	case O_ACTIVEMASK: {
		uint64_t v[LANES];
		for (int i = 0; i < LANES; i++)
			v[i] = mask;
		set_lanes(w, base, in->d[0], mask, v);
		break;
	}
	case O_NOTHING:
		break;
	default:
		carried(w, in, mask, base);
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
			uint32_t p = fake_mask_of(w, base + in->guard);
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
			plain(w, in, mask, base);
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
