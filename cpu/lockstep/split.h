// Lanes that wait for lanes which have left their loop, as those at a lock do, would turn for ever: all lanes go on
// together. So where a loop turns in which lanes may wait, and none leaves it, those that have left it go ahead: to
// their end, or to where they meet others. There they are parked, with all that they have computed, and those in the
// loop go on, until they come there, too. Those that go to their end are not waited for any more.
//
//	while cas(lock, 0, 1) != 0: pass      lane 0 has left, all others wait
//	count += 1
//	exch(lock, 0)                         lane 0 goes ahead, and the next one of the others leaves
//	barrier                               lane 0 is parked

// Lanes that wait for other blocks give them their turns: where a row has had its own, all its lanes are parked, and it
// pauses. When it goes on, those do that have waited longest.

// EVERYWHERE is no step: operands of all steps count.
enum { EVERYWHERE = -1 };

// held is how many bytes of operand v there are at step k: none where its room is another's.
static int64_t held(const lockstep_row *r, int64_t v, int64_t k) {
	const vm_operand *o = &r->operand[v];
	if (k != EVERYWHERE && (r->life[2 * v] >= k || r->life[2 * v + 1] < k)) return 0;
	return o->step ? (r->lanes * o->step + 15) / 16 * 16 : 16;
}

// count_of is how many of those bytes are not there to have the next operand's lie at a multiple of 16.
static int64_t count_of(const lockstep_row *r, int64_t v, int64_t bytes) {
	return bytes && r->operand[v].step ? r->lanes * r->operand[v].step : bytes;
}

// room returns room for the row at step k, or NULL.
static lockstep_parked *room(const lockstep_row *r, int64_t k) {
	int64_t bytes = 0, scopes = r->scopes * (int64_t)sizeof(lockstep_scope), masks = (r->scopes * r->lanes + 15) / 16 * 16;
	for (int64_t v = 0; v < r->operands; v++) bytes += held(r, v, k);
	lockstep_parked *p = malloc(sizeof *p + (size_t)(scopes + masks + bytes));
	if (!p) return 0;
	p->turning = 0;
	p->scope = (lockstep_scope *)(p + 1);
	p->masks = (uint8_t *)(p->scope + r->scopes);
	p->bytes = (char *)p->masks + masks;
	return p;
}

// keepRow and backToRow copy a row to a moment, and back.
static void keepRow(const lockstep_row *r, lockstep_parked *p, int64_t k) {
	p->at = k;
	char *to = p->bytes;
	for (int64_t v = 0, n; v < r->operands; to += n, v++) {
		n = held(r, v, k);
		__builtin_memcpy(to, r->operand[v].p, (size_t)count_of(r, v, n));
	}
	for (int64_t i = 0; i < r->scopes; i++) {
		p->scope[i] = r->scope[i];
		__builtin_memcpy(p->masks + i * r->lanes, r->scope[i].mask, (size_t)r->lanes);
	}
}

static void backToRow(lockstep_row *r, const lockstep_parked *p) {
	const char *from = p->bytes;
	for (int64_t v = 0, n; v < r->operands; from += n, v++) {
		n = held(r, v, p->at);
		__builtin_memcpy(r->operand[v].p, from, (size_t)count_of(r, v, n));
	}
	for (int64_t i = 0; i < r->scopes; i++) {
		uint8_t *mask = r->scope[i].mask; // where another run of the row had its own
		r->scope[i] = p->scope[i];
		r->scope[i].mask = mask;
		__builtin_memcpy(r->scope[i].mask, p->masks + i * r->lanes, (size_t)r->lanes);
	}
	__builtin_memset(r->shape, LOCKSTEP_UNKNOWN, (size_t)r->operands);
}

// sameTurn reports whether a moment is in the same turns of the loops around a scope as the row.
static int sameTurn(const lockstep_row *r, const lockstep_parked *p, int64_t scope) {
	for (; scope >= 0; scope = r->scope[scope].outer)
		if (r->scope[scope].turns != p->scope[scope].turns) return 0;
	return 1;
}

// rejoin takes back the lanes that are parked at a step, which lanes of the scope have come to.
static void rejoin(lockstep_row *r, const lockstep_step *s, int64_t k) {
	for (lockstep_parked **at = &r->parked; *at;) {
		lockstep_parked *p = *at;
		if (p->at != k || !sameTurn(r, p, s->scope)) {
			at = &p->below;
			continue;
		}
		const char *from = p->bytes;
		for (int64_t v = 0, n; v < r->operands; from += n, v++) {
			int64_t step = r->operand[v].step;
			n = held(r, v, k);
			for (int64_t i = 0; n && step && i < r->lanes; i++)
				if (p->masks[i]) __builtin_memcpy(r->operand[v].p + i * step, from + i * step, (size_t)step);
		}
		for (int64_t i = 0; i < r->scopes; i++) {
			const uint8_t *mask = p->masks + i * r->lanes;
			for (int64_t lane = 0; lane < r->lanes; lane++) r->scope[i].mask[lane] |= mask[lane] & p->masks[lane];
			r->scope[i].count = count(r->scope[i].mask, r->lanes);
		}
		__builtin_memset(r->shape, LOCKSTEP_UNKNOWN, (size_t)r->operands);
		*at = p->below;
		free(p);
	}
}

// earlier reports whether step a of some scopes comes before step b of others, in order of time: what differs first are
// the turns of a loop around both, or the steps.
static int earlier(const lockstep_row *r, const lockstep_scope *x, int64_t a, const lockstep_scope *y, int64_t b) {
	int is = a < b;
	for (int64_t i = r->step[a].scope; i >= 0; i = x[i].outer)
		for (int64_t j = r->step[b].scope; j >= i; j = y[j].outer)
			if (i == j && x[i].turns != y[i].turns) is = x[i].turns < y[i].turns;
	return is;
}

// earliest finds the lanes that are parked where others cannot have come from.
static lockstep_parked **earliest(lockstep_row *r) {
	lockstep_parked **best = &r->parked;
	for (lockstep_parked **at = best; *at; at = &(*at)->below)
		if (earlier(r, (*at)->scope, (*at)->at, (*best)->scope, (*best)->at)) best = at;
	return best;
}

// unpark has parked lanes go on, and returns where. All others have ended, or are parked.
static int64_t unpark(lockstep_row *r, lockstep_parked **at) {
	lockstep_parked *p = *at;
	int64_t k = p->at;
	backToRow(r, p);
	*at = p->below;
	free(p);
	return k;
}

// resume has those go on that are parked earliest.
static int64_t resume(lockstep_row *r) { return unpark(r, earliest(r)); }

// at_of is where the list has a moment.
static lockstep_parked **at_of(lockstep_row *r, const lockstep_parked *p) {
	lockstep_parked **at = &r->parked;
	while (*at != p) at = &(*at)->below;
	return at;
}

// append adds a moment behind all others.
static void append(lockstep_row *r, lockstep_parked *p) {
	lockstep_parked **last = &r->parked;
	while (*last) last = &(*last)->below;
	p->below = 0;
	*last = p;
}

// park parks the lanes that run, to go on at step k, behind all that are parked. It reports whether there is room.
static int park(lockstep_row *r, int64_t k, int64_t turning) {
	lockstep_parked *p = room(r, k);
	if (!p) return 0;
	keepRow(r, p, k);
	p->turning = turning;
	append(r, p);
	return 1;
}

// proceed has lanes of a row go on that has paused: those at its grid barrier, which they may pass or fail at, or those
// that have waited longest for other blocks.
static int64_t proceed(lockstep_row *r) {
	lockstep_parked **at = &r->parked;
	if (r->pause == LOCKSTEP_GRID) return resume(r);
	while (*at && !(*at)->turning) at = &(*at)->below;
	return unpark(r, *at ? at : earliest(r));
}

// yield parks lanes that have come to step k where others are to meet before it, and returns where these go on; k if
// there are none.
static int64_t yield(lockstep_row *r, int64_t k) {
	lockstep_parked *first = *earliest(r);
	return first && earlier(r, first->scope, first->at, r->scope, k) && park(r, k, 0) ? unpark(r, at_of(r, first)) : k;
}

// gather has lanes that have come to step k, where threads meet, take back those that are parked there. It returns the
// step to go on at, or -1 if they are to be parked.
static int64_t gather(lockstep_row *r, const lockstep_step *s, int64_t k) {
	if (r->parked) rejoin(r, s, k);
	return r->waiting ? -1 : r->parked ? yield(r, k) : k;
}

// without takes lanes out of all scopes.
static void without(lockstep_row *r, const uint8_t *lanes) {
	for (int64_t i = 0; i < r->scopes; i++) {
		for (int64_t lane = 0; lane < r->lanes; lane++) r->scope[i].mask[lane] &= !lanes[lane];
		r->scope[i].count = count(r->scope[i].mask, r->lanes);
	}
}

// exhausted ends a row for which there is no memory any more.
static int64_t exhausted(lockstep_row *r) {
	r->fault.kind = LOCKSTEP_EXHAUSTED;
	return -1;
}

// absent is the lowest lane that has not ended, and is not in a scope; or -1.
static int64_t absent(const lockstep_row *r, const lockstep_scope *here) {
	for (int64_t i = 0; i < r->lanes; i++) {
		int alive = r->scope[0].mask[i];
		for (const lockstep_parked *p = r->parked; p; p = p->below) alive |= p->masks[i];
		if (alive && !here->mask[i]) return i;
	}
	return -1;
}

// assemble has lanes that have come to a grid barrier, step k, wait until all others of the row have ended or are parked
// where they cannot come from. It returns where others go on, or -1 if the row pauses, or the lanes are to be parked.
static int64_t assemble(lockstep_row *r, const lockstep_step *s, int64_t k) {
	lockstep_scope *here = &r->scope[s->scope];
	rejoin(r, s, k);
	if (r->waiting) return -1;
	if (here->count < r->scope[0].count) {
		uint8_t lanes[LOCKSTEP_LANES];
		lockstep_parked *p = room(r, k);
		if (!p) return exhausted(r);
		__builtin_memcpy(lanes, here->mask, (size_t)r->lanes);
		keepRow(r, p, k);
		for (int64_t i = 0; i < r->scopes; i++) { // of these lanes alone
			uint8_t *mask = p->masks + i * r->lanes;
			for (int64_t lane = 0; lane < r->lanes; lane++) mask[lane] &= lanes[lane];
			p->scope[i].count = count(mask, r->lanes);
		}
		append(r, p);
		without(r, lanes);
		return k + 1;
	}
	lockstep_parked **at = &r->parked;
	while (*at && !(*at)->turning) at = &(*at)->below;
	if (!*at && r->parked) {
		at = earliest(r);
		if (!earlier(r, (*at)->scope, (*at)->at, r->scope, k)) at = 0;
	}
	int64_t missing = absent(r, here);
	lockstep_parked *first = at ? *at : 0;
	if (!park(r, k, 0)) return exhausted(r);
	if (first) return unpark(r, at_of(r, first));
	r->pause = LOCKSTEP_GRID;
	r->at = k;
	r->absent = missing;
	return -1;
}

static int64_t walk(lockstep_row *r, int64_t k);

// split lets the lanes go ahead that have left a loop, at its while.
static void split(lockstep_row *r, const lockstep_step *s) {
	enum { DEEPEST = 32 };
	int64_t here = s - r->step;
	uint8_t ahead[LOCKSTEP_LANES], behind[LOCKSTEP_LANES];
	lockstep_parked *all = r->waiting < DEEPEST ? room(r, here) : 0, *parked = all ? room(r, EVERYWHERE) : 0;
	if (!parked) { // they wait on
		free(all);
		return;
	}
	for (int64_t i = 0; i < r->lanes; i++) {
		ahead[i] = r->scope[0].mask[i] & !r->scope[s->scope].mask[i];
		behind[i] = !ahead[i];
	}
	keepRow(r, all, here);
	without(r, behind);
	r->waiting++;
	int64_t k = walk(r, s->to);
	r->waiting--;
	if (r->fault.kind != LOCKSTEP_STOPPED) {
		if (k < r->steps) {
			keepRow(r, parked, k);
			parked->turning = r->step[k].kind < LOCKSTEP_BARRIER || r->step[k].kind > LOCKSTEP_ACTIVE;
			append(r, parked);
			parked = 0;
		}
		backToRow(r, all);
		without(r, ahead);
	}
	free(parked);
	free(all);
}
