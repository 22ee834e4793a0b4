/* Calls and returns: arguments, results, the way back. */
#include "pure.h"
#include <stdlib.h>

int fake_base_of(const run *r, const function *f) {
	for (int i = 0; i < r->entry->reach_count; i++)
		if (r->entry->reach[i] == f)
			return r->entry->base[i];
	return 0;
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

/* fake_enter calls a function for the lanes of mask. */
void fake_enter(warp *w, const inst *in, function *caller, int pc, uint32_t mask) {
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

/* fake_leave returns, or ends lanes: those that have called nothing, or all. */
void fake_leave(warp *w, function *f, uint32_t mask, bool all) {
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
	for (int i = 0; i < LANES; i++) /* who has ended is not waited for any more */
		if (w->state[i] == WAITS_LANES)
			w->state[i] = RUNS;
}
