// What a guarded program's threads do to what their block shares, where all of it comes behind what was done there
// before: nothing that it could race with is left of an interval between two barriers, and lanes are not looked at one
// by one.
//
//	interval 1   s[ty, tx] = ...           noted, as what each lane has put
//	barrier                                 notes are dropped: reads from now on come behind them
//	interval 2   total += s[ty, k] * ...   turns of an inner loop: noted, as what all lanes have read
//	barrier                                 notes are dropped: writes from now on come behind them
//
// Notes become marks where an access in the same interval is to be looked at, which is then as if the marks had been
// made at once. Where marks of all threads are kept (chains.h), there are no notes.

// marks_calmly reports whether marks may be made without a look at others: where nothing was done there, or was changed.
static inline int marks_calmly(const lockstep_row *r, uint32_t last) {
	return last <= r->met && !r->chains && !r->lanewise && r->lanes == r->threads;
}

// calmly makes the marks of an access, and puts, up to the first lane that is to be looked at, which it returns.
static int64_t calmly(lockstep_row *r, const lockstep_step *s, const int64_t *offset) {
	const lockstep_memory *m = &r->memory[s->n];
	int put = s->kind == LOCKSTEP_PUT, read = s->kind == LOCKSTEP_ELEMENT;
	if (!put && !read) return 0;
	if (!marks_calmly(r, put ? m->calm->marked : m->calm->stirred)) return 0;
	const uint8_t *mask = r->scope[s->scope].mask;
	int64_t n = r->lanes, each = m->size >> m->grain, i = 0;
	if (read) {
		for (; i < n; i++) {
			if (!mask[i]) continue;
			int64_t g = offset[i] >> m->grain, end = g + each;
			for (int64_t k = g; k < end; k++)
				if (!m->written[k]) return i;
			seeker w = seeks(r, m, i);
			for (; g < end; g++) mark(r, &m->shade[g].read, &w, s->instr);
		}
		return n;
	}
	const vm_operand *v = &r->operand[s->in[0]];
	for (; i < n; i++) {
		if (!mask[i]) continue;
		int64_t g = offset[i] >> m->grain, end = g + each;
		for (int64_t k = g; k < end; k++)
			if (m->shade[k].wrote.two[0].time == r->now) return i; // another lane of this put did
		for (; g < end; g++) {
			m->shade[g].wrote = (lockstep_marks){{{(uint32_t)(r->first + i + 1), r->now, s->instr}}};
			m->written[g] = 1;
		}
		const char *x = v->p + i * v->step;
		switch (m->size) {
		case 4: __builtin_memcpy(m->p + offset[i], x, 4); break;
		case 8: __builtin_memcpy(m->p + offset[i], x, 8); break;
		default: __builtin_memcpy(m->p + offset[i], x, (size_t)m->size);
		}
	}
	return n;
}

// mark_notes makes marks of notes.
static void mark_notes(lockstep_row *r) {
	if (!r->notes) return;
	for (int64_t k = 0; k < r->notes; k++) {
		const lockstep_note *note = &r->note[k];
		const lockstep_memory *m = note->memory;
		m->calm->marked = r->now + 1;
		if (note->put) {
			int64_t w = r->width, each = m->size >> m->grain;
			for (int64_t i = 0; i < r->lanes; i++) {
				int64_t g = note->offset[i / w] + i % w * m->size;
				for (int64_t k = 0; k < each; k++)
					m->shade[(g >> m->grain) + k].wrote = (lockstep_marks){{{(uint32_t)(r->first + i + 1), r->now, note->instr}}};
			}
			continue;
		}
		for (int64_t i = 0; i < r->lanes; i++) {
			seeker w = seeks(r, m, i);
			int64_t g = (note->from + (note->offset ? note->offset[i] : 0)) >> m->grain;
			for (int64_t end = g + (m->size >> m->grain); g < end; g++) mark(r, &m->shade[g].read, &w, note->instr);
		}
	}
	r->notes = r->places = 0;
}

// put_noted notes what a step has put for all lanes, whose groups, which stand together, are at some offsets. It returns 0 if
// lanes are to be looked at one by one; else the elements are to be put.
static int put_noted(lockstep_row *r, const lockstep_step *s, const int64_t *offset) {
	const lockstep_memory *m = &r->memory[s->n];
	int64_t w = r->width, groups = r->lanes / w, bytes = w * m->size;
	if (r->notes == LOCKSTEP_NOTES || r->places + groups > LOCKSTEP_NOTES) return 0;
	for (int64_t g = 1; g < groups; g++)
		if (offset[g] < offset[g - 1] + bytes) return 0; // lanes might put the same
	int64_t *at = r->place + r->places;
	__builtin_memcpy(at, offset, (size_t)groups * sizeof *at);
	r->places += groups;
	for (int64_t g = 0; g < groups; g++) {
		uint8_t *written = m->written + (offset[g] >> m->grain);
		if (bytes >> m->grain == 16) __builtin_memset(written, 1, 16);
		else __builtin_memset(written, 1, (size_t)(bytes >> m->grain));
	}
	r->note[r->notes++] = (lockstep_note){m, at, 0, s->instr, 1};
	m->calm->stirred = m->calm->marked = r->now + 1;
	return 1;
}

enum { INNER_GROUP = 16 };
enum { SPOTS_EQUAL, SPOTS_NEXT, SPOTS_APART }; // how elements of a group of lanes lie to each other

// all_written reports whether all elements of all lanes have been written, from so many bytes on.
static int all_written(const lockstep_row *r, const lockstep_memory *m, int64_t from, const int64_t *offset, int how) {
	const uint8_t *written = m->written;
	int64_t each = m->size >> m->grain, n = r->lanes;
	if (!offset) {
		for (int64_t g = 0; g < each; g++)
			if (!written[(from >> m->grain) + g]) return 0;
		return 1;
	}
	int64_t step = how == SPOTS_APART ? 1 : INNER_GROUP, grains = how == SPOTS_NEXT ? INNER_GROUP * each : each;
	for (int64_t i = 0; i < n; i += step) {
		const uint8_t *w = written + ((from + offset[i]) >> m->grain);
		if (grains == 16) {
			uint64_t two[2];
			__builtin_memcpy(two, w, 16);
			if ((two[0] & two[1]) != 0x0101010101010101) return 0;
		} else for (int64_t g = 0; g < grains; g++)
			if (!w[g]) return 0;
	}
	return 1;
}

// full reports whether all of what a block shares has been written.
static inline int full(lockstep_memory *m) {
	if (!m->full) {
		int64_t grains = m->size >> m->grain;
		for (int64_t axis = 0; axis < m->axes; axis++) grains *= m->extent[axis];
		m->full = !memchr(m->written, 0, (size_t)grains);
	}
	return (int)m->full;
}

// readable reports whether whatever lanes read of it is to be noted alone.
static inline int readable(const lockstep_row *r, lockstep_memory *m) { return marks_calmly(r, m->calm->stirred) && full(m); }

// noted notes what a step of an inner loop reads for all lanes. It returns 0 if lanes are to be looked at one by one.
static int noted(lockstep_row *r, lockstep_memory *m, const lockstep_step *s, const char *at, const int64_t *offset, int how) {
	if (!m->shade && !m->written) return 1;
	int64_t from = at - m->p;
	if (!m->calm) return !m->shade && all_written(r, m, from, offset, how);
	if (r->notes == LOCKSTEP_NOTES || !marks_calmly(r, m->calm->stirred) || !(full(m) || all_written(r, m, from, offset, how))) return 0;
	r->note[r->notes++] = (lockstep_note){m, offset, from, s->instr, 0};
	m->calm->marked = r->now + 1;
	return 1;
}
