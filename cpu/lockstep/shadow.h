// What a guarded program's threads did to the elements that several of them see. Each grain of such a memory, which is
// as many bytes as divide its elements, has marks: of threads that read it, that wrote it, and that changed it by atomics.
// Two of each are enough where threads are ordered by blocks alone: whatever a third thread does races with one of them,
// if it races with the thread whose mark had no room, as long as the two are of different blocks where there are such.
// Where they fence or vote, the marks of all are kept (chains.h).
//
// A write that is ordered behind all others takes their place: what is not ordered behind these is not ordered behind
// the write either. What was read stays, for a write that leaves the element as it is does not race with writes, and
// does with reads.

#include "order.h"
#include "chains.h"

// against returns a mark of some that a thread's access is not ordered behind, or NULL.
static inline const lockstep_mark *against(const lockstep_row *r, const lockstep_marks *m, const seeker *w) {
	if (!m->two[0].thread) return 0;
	if (!ordered(r, &m->two[0], w)) return &m->two[0];
	if (r->chains) return m->all.first ? linked(r, m, w) : 0;
	return m->two[1].thread && !ordered(r, &m->two[1], w) ? &m->two[1] : 0;
}

// sameBlock reports whether two threads are of one block.
static inline int sameBlock(const lockstep_row *r, uint32_t a, uint32_t b) {
	return (a - 1) / (uint32_t)r->threads == (b - 1) / (uint32_t)r->threads;
}

// mark notes a thread's access.
static inline void mark(lockstep_row *r, lockstep_marks *m, const seeker *w, int32_t instr) {
	lockstep_mark now = {w->thread, r->now, instr};
	if (!m->two[0].thread || ordered(r, &m->two[0], w)) m->two[0] = now;
	else if (r->chains) {
		link(r, m, w);
		m->all.last = now;
	} else if (!m->two[1].thread || ordered(r, &m->two[1], w)) m->two[1] = now;
	else if (m->two[0].thread - w->block >= (uint32_t)r->threads && sameBlock(r, m->two[0].thread, m->two[1].thread)) m->two[1] = now;
}

// shade looks at an access of a grain, and notes it. It returns the mark that it races with, or NULL.
static inline const lockstep_mark *shade(lockstep_row *r, const lockstep_step *s, lockstep_shade *g, const seeker *w, int changes) {
	const lockstep_mark *a = against(r, &g->wrote, w);
	if (a && (s->kind != LOCKSTEP_PUT || changes)) return a;
	int wrote = a != 0;
	if (s->kind != LOCKSTEP_ELEMENT && (a = against(r, &g->read, w))) return a;
	if ((s->kind == LOCKSTEP_ELEMENT || s->kind == LOCKSTEP_PUT) && (a = against(r, &g->changed, w))) return a;
	switch (s->kind) {
	case LOCKSTEP_ELEMENT: mark(r, &g->read, w, s->instr); break;
	case LOCKSTEP_PUT:
		if (wrote) mark(r, &g->wrote, w, s->instr); // the value that is there
		else {
			if (r->chains) lockstep_unlink(r->chains, &g->wrote);
			g->wrote = (lockstep_marks){{{w->thread, r->now, s->instr}}};
		}
		break;
	default: mark(r, &g->changed, w, s->instr);
	}
	return 0;
}

#include "notes.h"

// differ reports whether two elements have other bits.
static inline int differ(int64_t size, const char *a, const char *b) {
	switch (size) {
	case 4: return __builtin_memcmp(a, b, 4);
	case 8: return __builtin_memcmp(a, b, 8);
	}
	return __builtin_memcmp(a, b, (size_t)size);
}

// guard looks at what a step does to elements, whose places are known, and ends the lanes that must not. Elements are
// put here, lane by lane, so that each sees what those before it have put.
static void guard(lockstep_row *r, const lockstep_step *s, const int64_t *offset, int lead) {
	const lockstep_memory *m = &r->memory[s->n];
	const uint8_t *mask = r->scope[s->scope].mask;
	int64_t done = 0;
	if (m->calm) {
		mark_notes(r);
		done = calmly(r, s, offset);
		m->calm->marked = r->now + 1;
		if (s->kind != LOCKSTEP_ELEMENT) m->calm->stirred = r->now + 1;
		if (done == r->lanes) return;
	}
	uint8_t failed[LOCKSTEP_LANES] = {0};
	lockstep_fault fault = {0};
	int64_t grains = m->size >> m->grain;
	int put = s->kind == LOCKSTEP_PUT;
	for (int64_t i = done; i < r->lanes; i++) {
		if (!mask[i]) continue;
		char *to = m->p + offset[i];
		const char *v = put ? at(r, s->in[0], i) : 0;
		int changes = put && differ(m->size, to, v);
		int64_t from = offset[i] >> m->grain;
		lockstep_fault f;
		f.kind = 0;
		seeker w = seeks(r, m, i);
		for (int64_t g = from; g < from + grains && !f.kind; g++) {
			const lockstep_mark *a;
			if (m->written && !put && !m->written[g]) f.kind = LOCKSTEP_UNWRITTEN;
			else if (m->shade && (a = shade(r, s, &m->shade[g], &w, changes)))
				f = (lockstep_fault){.kind = LOCKSTEP_RACE, .other = (int64_t)a->thread - 1, .size = a->instr};
			else if (r->chains && r->chains->full) f.kind = LOCKSTEP_UNMARKED;
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
