// What a guarded program's threads did to the elements that several of them see. Each grain of such a memory, which is
// as many bytes as divide its elements, has six marks: of two threads that read it, two that wrote it, and two that
// changed it by atomics. Two are enough where no thread fences: whatever a third thread does races with one of them, if it
// races with the thread whose mark had no room, as long as the two are of different warps where there are such, and of different blocks.
//
// A write that is ordered behind all others takes their place, and that of what was read before: what is not ordered
// behind these is not ordered behind the write either.

// seeker is who accesses a grain: a thread of the grid, from 1 on, the first one of its block, and when its warp last met.
typedef struct { uint32_t thread, block, voted; } seeker;

static inline seeker seeks(const lockstep_row *r, int64_t lane) {
	int64_t block = r->lanes == r->threads ? 0 : (uint32_t)lane / (uint32_t)r->threads * r->threads;
	return (seeker){(uint32_t)(r->first + lane + 1), (uint32_t)(r->first + block + 1), r->voted[lane]};
}

// ordered reports whether a mark's access comes before all that a thread does now.
static inline int ordered(const lockstep_row *r, const lockstep_mark *a, const seeker *w) {
	if (a->thread == w->thread || r->grid > a->time) return 1;
	uint32_t in = a->thread - w->block;
	if (in < (uint32_t)r->threads) {
		if (r->met > a->time) return 1;
		if (in / LOCKSTEP_WARP == (w->thread - w->block) / LOCKSTEP_WARP && w->voted > a->time) return 1;
	}
	return r->fenced && r->fenced[a->thread - 1] > a->time;
}

// against returns a mark of two that a thread's access is not ordered behind, or NULL.
static inline const lockstep_mark *against(const lockstep_row *r, const lockstep_mark pair[2], const seeker *w) {
	if (!pair[0].thread) return 0;
	if (!ordered(r, &pair[0], w)) return &pair[0];
	return pair[1].thread && !ordered(r, &pair[1], w) ? &pair[1] : 0;
}

// apart says how far threads are from each other: in one warp, in one block, or further.
static inline int apart(const lockstep_row *r, uint32_t a, uint32_t b) {
	uint32_t x = a - 1, y = b - 1, n = (uint32_t)r->threads;
	return x / n != y / n ? 2 : x % n / LOCKSTEP_WARP != y % n / LOCKSTEP_WARP;
}

// mark notes a thread's access in a pair.
static inline void mark(const lockstep_row *r, lockstep_mark pair[2], const seeker *w, int32_t instr) {
	lockstep_mark m = {w->thread, r->now, instr};
	if (!pair[0].thread || ordered(r, &pair[0], w)) pair[0] = m;
	else if (!pair[1].thread || ordered(r, &pair[1], w)) pair[1] = m;
	else {
		uint32_t x = pair[0].thread - w->block, me = w->thread - w->block;
		if (x < (uint32_t)r->threads && x / LOCKSTEP_WARP == me / LOCKSTEP_WARP) return;
		if (apart(r, pair[0].thread, w->thread) > apart(r, pair[0].thread, pair[1].thread)) pair[1] = m;
	}
}

// shade looks at an access of a grain, and notes it. It returns the mark that it races with, or NULL.
static inline const lockstep_mark *shade(const lockstep_row *r, const lockstep_step *s, lockstep_shade *g, const seeker *w, int changes) {
	const lockstep_mark *a = against(r, g->wrote, w);
	if (a && (s->kind != LOCKSTEP_PUT || changes)) return a;
	int wrote = a != 0;
	if (s->kind != LOCKSTEP_ELEMENT && (a = against(r, g->read, w))) return a;
	if ((s->kind == LOCKSTEP_ELEMENT || s->kind == LOCKSTEP_PUT) && (a = against(r, g->changed, w))) return a;
	switch (s->kind) {
	case LOCKSTEP_ELEMENT: mark(r, g->read, w, s->instr); break;
	case LOCKSTEP_PUT:
		if (wrote) mark(r, g->wrote, w, s->instr); // the value that is there
		else *g = (lockstep_shade){.wrote = {{w->thread, r->now, s->instr}}};
		break;
	default: mark(r, g->changed, w, s->instr);
	}
	return 0;
}

// guard looks at what a step does to elements, whose places are known, and ends the lanes that must not. Elements are
// put here, lane by lane, so that each sees what those before it have put.
static void guard(lockstep_row *r, const lockstep_step *s, const int64_t *offset, int lead) {
	const lockstep_memory *m = &r->memory[s->n];
	const uint8_t *mask = r->scope[s->scope].mask;
	uint8_t failed[LOCKSTEP_LANES] = {0};
	lockstep_fault fault = {0};
	int64_t grains = m->size >> m->grain;
	int put = s->kind == LOCKSTEP_PUT;
	for (int64_t i = 0; i < r->lanes; i++) {
		if (!mask[i]) continue;
		char *to = m->p + offset[i];
		const char *v = put ? at(r, s->in[0], i) : 0;
		int changes = put && __builtin_memcmp(to, v, (size_t)m->size);
		int64_t from = offset[i] >> m->grain;
		lockstep_fault f;
		f.kind = 0;
		seeker w = seeks(r, i);
		for (int64_t g = from; g < from + grains && !f.kind; g++) {
			const lockstep_mark *a;
			if (m->written && !put && !m->written[g]) f.kind = LOCKSTEP_UNWRITTEN;
			else if (m->shade && (a = shade(r, s, &m->shade[g], &w, changes)))
				f = (lockstep_fault){.kind = LOCKSTEP_RACE, .other = (int64_t)a->thread - 1, .size = a->instr};
			else if (m->written && put) m->written[g] = 1;
		}
		if (f.kind) {
			failed[i] = 1;
			if (fault.kind) continue;
			fault = f;
			for (int64_t axis = 0; axis < m->axes; axis++) fault.value[axis][0] = *(const uint64_t *)at(r, s->in[lead + axis], i);
		} else if (put) __builtin_memcpy(to, v, (size_t)m->size);
	}
	if (fault.kind) fail(r, s, failed, fault);
}

// passes notes that the lanes of a step's scope have met, or have a fence.
static void passes(lockstep_row *r, const lockstep_step *s) {
	const uint8_t *mask = r->scope[s->scope].mask;
	if (!r->guarded) return;
	r->now++;
	switch (s->kind) {
	case LOCKSTEP_BARRIER:
	case LOCKSTEP_TALLY: r->met = r->now; break;
	case LOCKSTEP_VOTE:
		for (int64_t i = 0; i < r->lanes; i++)
			if (mask[i]) r->voted[i] = r->now;
		break;
	case LOCKSTEP_FENCE:
		for (int64_t i = 0; i < r->lanes; i++)
			if (mask[i]) r->fenced[r->first + i] = r->now;
	}
}
