// Inner loops: those without other control flow in them, which all lanes leave in the same turn, and which change nothing
// but their own values. A strip of lanes takes all turns before the next strip takes any, so that the values of a turn
// stay in the L1 cache, and a step's price is a jump:
//
//	lanes   0 ... 255    turns 0, 1, ..., 15
//	lanes 256 ... 511    turns 0, 1, ..., 15
//
// What the turns do not change is computed ahead of them, and so is where elements are: offsets by lane, of all axes
// whose indices the turns do not change. Other axes add the same to all, so that the inner step of a product of matrices,
// s += x[ty, k] * y[k, tx], reads sixteen elements side by side, or one for sixteen lanes.
//
// An index that is out of bounds, in whatever lane, ends the attempt: the walk takes the loop then, as if there had been
// none, and says which lane fails. It can, because values of the loop have room of their own here, and what it reads of
// others stays as it is until the loop's end (see assign of package cpu). So the last strip may overlap the one before,
// too. Lanes that do not take the loop compute along, as everywhere.

enum { INNER_FAILED, INNER_DONE, INNER_STOPPED };

// spots are where the elements of a step are by lane of a strip, from those that its other axes tell.
typedef struct {
	int64_t row; // that they are of, from 1 on, if they are the same whenever the row comes to the loop; or 0
	int64_t how; // those of a group lie to each other
	int64_t offset[];
} spots;

_Static_assert(sizeof(spots) + 8 * LOCKSTEP_STRIP <= LOCKSTEP_SPOTS && sizeof(spots) + 8 * LOCKSTEP_LANES <= LOCKSTEP_ROW_SPOTS, "room for spots");

// find computes the spots of so many lanes from one on. It returns 0 where an index is out of bounds. They are the row's, to
// be found once, where all of its lanes take the loop: others may have to read their indices yet, behind a grid barrier.
static inline __attribute__((always_inline)) int find(const int64_t n, const lockstep_row *r, const lockstep_code *c, char *const *p,
	const uint8_t *rows, int64_t from, int64_t row, spots *to) {
	const lockstep_memory *m = &r->memory[r->step[c->step].n];
	int64_t *offset = to->offset;
	uint64_t bad = 0;
	to->row = 0;
	EACH_LANE offset[i] = (from + i) * m->lane;
	for (int64_t axis = 0; axis < m->axes; axis++) {
		if (!rows[c->in[axis]]) continue;
		const int64_t *x = (const int64_t *)p[c->in[axis]];
		int64_t size = m->extent[axis], stride = m->stride[axis];
		EACH_LANE {
			int64_t v = x[i], k = v < 0 ? v + size : v;
			bad |= (uint64_t)k >= (uint64_t)size;
			offset[i] += (int64_t)((uint64_t)k * (uint64_t)stride);
		}
	}
	if (bad) return 0;
	uint64_t differ = 0, leap = 0;
	for (int64_t g = 0; g < n; g += INNER_GROUP)
		for (int64_t i = 1; i < INNER_GROUP; i++) {
			int64_t d = offset[g + i] - offset[g];
			differ |= (uint64_t)d;
			leap |= (uint64_t)(d ^ i * m->size);
		}
	to->row = row;
	to->how = !differ ? SPOTS_EQUAL : !leap ? SPOTS_NEXT : SPOTS_APART;
	return 1;
}

// origin is where the axes lead whose indices are the same in all lanes, or NULL.
static inline const char *origin(const lockstep_memory *m, const lockstep_code *c, char *const *p, const uint8_t *rows) {
	const char *at = m->p;
	for (int64_t axis = 0; axis < m->axes; axis++) {
		if (rows[c->in[axis]]) continue;
		int64_t v = *(const int64_t *)p[c->in[axis]], size = m->extent[axis], k = v < 0 ? v + size : v;
		if ((uint64_t)k >= (uint64_t)size) return 0;
		at += k * m->stride[axis];
	}
	return at;
}

#define FETCH(T) \
	static inline __attribute__((always_inline)) void fetch_##T(const int64_t n, const char *p, const spots *at, T *restrict d) { \
		switch (at->how) { \
		case SPOTS_EQUAL: \
			for (int64_t g = 0; g < n; g += INNER_GROUP) { \
				T v = *(const T *)(p + at->offset[g]); \
				for (int i = 0; i < INNER_GROUP; i++) d[g + i] = v; \
			} \
			break; \
		case SPOTS_NEXT: \
			for (int64_t g = 0; g < n; g += INNER_GROUP) __builtin_memcpy(d + g, p + at->offset[g], INNER_GROUP * sizeof(T)); \
			break; \
		default: \
			for (int64_t i = 0; i < n; i++) d[i] = *(const T *)(p + at->offset[i]); \
		} \
	}
FETCH(uint8_t)
FETCH(uint16_t)
FETCH(uint32_t)
FETCH(uint64_t)
FETCH(wide)

// fetch reads elements of all lanes of a strip.
static inline __attribute__((always_inline)) void fetch(const int64_t n, int64_t size, const char *p, const spots *at, char *d) {
	switch (size) {
	case 1: fetch_uint8_t(n, p, at, (uint8_t *)d); break;
	case 2: fetch_uint16_t(n, p, at, (uint16_t *)d); break;
	case 4: fetch_uint32_t(n, p, at, (uint32_t *)d); break;
	case 8: fetch_uint64_t(n, p, at, (uint64_t *)d); break;
	default: fetch_wide(n, p, at, (wide *)d);
	}
}

#include "dots.h"

// move copies a row of values: some hundred bytes, for which a string instruction takes longer than it takes.
static inline __attribute__((always_inline)) void move(char *to, const char *from, int64_t bytes) {
	int64_t i = 0;
	for (; i + 32 <= bytes; i += 32) *(copied_32 *)(to + i) = *(const copied_32 *)(from + i);
	if (i < bytes) __builtin_memcpy(to + i, from + i, (size_t)(bytes - i));
}

#define INNER_SLOT LOCKSTEP_SLOT
#define INNER_SPOTS LOCKSTEP_SPOTS
#define INNER_NOTED(at, offset, how)
#define INNER_MOVES
#define INNER_DOTS(a, b, turns)
#define INNER_TURNS turns_64
#define INNER_LANES enum { n = 64 };
#include "innerturns.h"
#define INNER_TURNS turns_128
#define INNER_LANES enum { n = 128 };
#include "innerturns.h"
#define INNER_TURNS turns_256
#define INNER_LANES enum { n = 256 };
#include "innerturns.h"
#undef INNER_SLOT
#undef INNER_SPOTS
#undef INNER_NOTED
#undef INNER_MOVES
#undef INNER_DOTS

// noted_dots notes what turns of sums of products read.
static int noted_dots(lockstep_row *r, const lockstep_code *c, const dot_operand *a, const dot_operand *b, int64_t turns) {
	const lockstep_step *s = &r->step[c[1].step], *t = &r->step[c[2].step];
	lockstep_memory *m = &r->memory[s->n], *w = &r->memory[t->n];
	if (m->calm && w->calm && turns <= (LOCKSTEP_NOTES - r->notes) / 2 && readable(r, m) && readable(r, w)) { // all of them are
		lockstep_note *note = r->note + r->notes;
		for (int64_t k = 0; k < turns; k++) {
			*note++ = (lockstep_note){m, a->offset, a->p - m->p + k * a->step, s->instr, 0};
			*note++ = (lockstep_note){w, b->offset, b->p - w->p + k * b->step, t->instr, 0};
		}
		r->notes += 2 * turns;
		m->calm->marked = w->calm->marked = r->now + 1;
		return 1;
	}
	for (int64_t k = 0; k < turns; k++) {
		if (k % DOT_TURNS == 0 && r->stop && __atomic_load_n(r->stop, __ATOMIC_RELAXED)) return 0; // as the walk will find
		if (!noted(r, &r->memory[s->n], s, a->p + k * a->step, a->offset, a->side ? SPOTS_NEXT : SPOTS_EQUAL)) return 0;
		if (!noted(r, &r->memory[t->n], t, b->p + k * b->step, b->offset, b->side ? SPOTS_NEXT : SPOTS_EQUAL)) return 0;
	}
	return 1;
}

// A guarded program's strip is the row, so that its lanes read in the order in which the walk has them read.
#define INNER_SLOT LOCKSTEP_ROW_SLOT
#define INNER_SPOTS LOCKSTEP_ROW_SPOTS
#define INNER_NOTED(at, offset, how) \
	if (!noted(r, m, &r->step[c->step], at, offset, how)) return INNER_FAILED;
#define INNER_MOVES if (r->memory[r->step[c->step].n].calm) return INNER_FAILED; // a note has no spots of its own
#define INNER_DOTS(a, b, turns) \
	if (!noted_dots(r, c, a, b, turns)) return INNER_FAILED;
#define INNER_TURNS turns_noted
#define INNER_LANES const int64_t n = r->lanes;
#include "innerturns.h"

// inner_noted takes all turns of a loop of a guarded program.
static int inner_noted(lockstep_row *r, const lockstep_inner *l, const lockstep_scope *scope) {
	if (r->lanewise || r->lanes % INNER_GROUP || scope->count < r->lanes) return INNER_FAILED;
	int moves = r->notes > LOCKSTEP_NOTES / 2;
	for (const lockstep_code *c = l->code; c < l->code + l->again; c++) moves |= c->code == CODE_FIND && !c->stays; // spots of notes
	if (moves) mark_notes(r);
	int64_t notes = r->notes;
	int how = turns_noted(r, l, 0, r->first + 1, l->spots);
	if (how == INNER_FAILED) r->notes = notes;
	return how;
}

// inner takes all turns of a loop. Where it returns INNER_FAILED, nothing has happened that anything would see.
static int inner(lockstep_row *r, const lockstep_inner *l, const lockstep_scope *scope) {
	int64_t n = r->lanes, strip = l->widest <= 4 && n >= 256 ? 256 : l->widest <= 8 && n >= 128 ? 128 : 64;
	int64_t row = scope->count == n ? r->first + 1 : 0;
	char *at = l->spots; // of the strip
	if (r->note) {
		int how = inner_noted(r, l, scope);
		if (how != INNER_DONE) return how;
	} else if (n < strip) return INNER_FAILED;
	else for (int64_t from = 0;; from += strip, at += l->kinds * LOCKSTEP_SPOTS) {
		if (from + strip > n) from = n - strip;
		int how = strip == 256 ? turns_256(r, l, from, row, at) : strip == 128 ? turns_128(r, l, from, row, at) : turns_64(r, l, from, row, at);
		if (how != INNER_DONE) return how;
		if (from + strip == n) break;
	}
	for (int32_t v = 0; v < l->values; v++) r->shape[l->value[v].place] &= (uint8_t)-!l->value[v].result; // LOCKSTEP_UNKNOWN
	return INNER_DONE;
}
