// What comes before what in a guarded program. Time goes on where threads meet or have a fence, and an access comes
// before all that a lane does now if it was made before a time that the lane knows of the thread that made it:
//
//	grid       all threads met, at a barrier of the grid
//	met        those of the block met
//	voted      what a lane knows of those of its warp, by votes that it took part in
//	fenced     what a fence has all know of a thread
//	fencedIn   what a fence of the block has that block know of a lane
//
// A fence hands on what its thread knows, and not only what it did: who meets the others, and has a fence for all of
// them, as the first thread of a block that tells another one that its block is done, has ordered what they did.

// seeker is who accesses a grain: a thread of the grid, from 1 on, the first one of its block and that one's lane, and
// what the thread knows by votes.
typedef struct {
	uint32_t thread, block;
	uint32_t since; // all accesses before that time come before it
	int64_t lane;
	const uint32_t *voted; // or NULL
} seeker;

// Marks of what blocks before had to themselves are still there.
static inline seeker seeks(const lockstep_row *r, const lockstep_memory *m, int64_t lane) {
	int64_t block = r->lanes == r->threads ? 0 : (uint32_t)lane / (uint32_t)r->threads * r->threads;
	uint32_t since = m->calm && r->began > r->grid ? r->began : r->grid;
	return (seeker){(uint32_t)(r->first + lane + 1), (uint32_t)(r->first + block + 1), since, block, r->voted ? r->voted[lane] : 0};
}

// ordered reports whether a mark's access comes before all that a thread does now.
static inline int ordered(const lockstep_row *r, const lockstep_mark *a, const seeker *w) {
	if (a->thread == w->thread || w->since > a->time) return 1;
	if (r->fenced && r->fenced[a->thread - 1] > a->time) return 1;
	uint32_t in = a->thread - w->block;
	if (in >= (uint32_t)r->threads) return 0;
	if (r->met > a->time || (r->fencedIn && r->fencedIn[w->lane + in] > a->time)) return 1;
	return w->voted && in / LOCKSTEP_WARP == (w->thread - w->block) / LOCKSTEP_WARP && w->voted[in % LOCKSTEP_WARP] > a->time;
}

static inline void later(uint32_t *time, uint32_t than) {
	if (*time < than) *time = than;
}

// passed notes that the block has met.
static void passed(lockstep_row *r) {
	r->met = ++r->now;
	r->notes = r->places = 0; // accesses from now on come behind theirs
}

// fence has all know, or those of the block, what the lanes of the step's scope know.
static void fence(lockstep_row *r, const lockstep_step *s) {
	const uint8_t *mask = r->scope[s->scope].mask;
	uint32_t *of = s->form == LOCKSTEP_FENCE_BLOCK ? r->fencedIn : r->fenced + r->first;
	r->now++;
	for (int64_t block = 0; block < r->lanes; block += r->threads) {
		int64_t end = block + r->threads, any = 0;
		for (int64_t i = block; i < end; i++) {
			if (!mask[i]) continue;
			any = 1;
			of[i] = r->now;
			int64_t warp = i - (i - block) % LOCKSTEP_WARP;
			for (int64_t k = 0; r->voted && k < LOCKSTEP_WARP && warp + k < end; k++) later(&of[warp + k], r->voted[i][k]);
		}
		for (int64_t i = block; any && i < end; i++) {
			later(&of[i], r->met);
			later(&of[i], r->fencedIn[i]);
		}
	}
}

// learn has the lanes of a warp know what those knew that they voted with, who these are, by lane: none for those that
// take no part.
static void learn(lockstep_row *r, int64_t from, int lanes, const uint32_t *with) {
	uint32_t before[LOCKSTEP_WARP][LOCKSTEP_WARP];
	__builtin_memcpy(before, r->voted + from, (size_t)lanes * sizeof before[0]);
	for (int i = 0; i < lanes; i++) {
		if (!with[i]) continue;
		uint32_t *known = r->voted[from + i];
		if (i > 0 && with[i] == with[i - 1]) {
			__builtin_memcpy(known, r->voted[from + i - 1], sizeof before[0]);
			continue;
		}
		for (int u = 0; u < lanes; u++)
			for (int k = 0; k < LOCKSTEP_WARP && with[i] >> u & 1; k++) later(&known[k], before[u][k]);
		for (int u = 0; u < lanes; u++)
			if (with[i] >> u & 1) known[u] = r->now;
	}
}
