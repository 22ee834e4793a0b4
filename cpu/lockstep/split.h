// Lanes that wait for lanes which have left their loop, as those at a lock do, would turn for ever: all lanes go on
// together. So where a loop turns in which lanes may wait, and none leaves it, those that have left it go ahead: to
// their end, or to where they meet others. There they are parked, with all that they have computed, and those in the
// loop go on, until they come there, too. Those that go to their end are not waited for any more.
//
//	while cas(lock, 0, 1) != 0: pass      lane 0 has left, all others wait
//	count += 1
//	exch(lock, 0)                         lane 0 goes ahead, and the next one of the others leaves
//	barrier                               lane 0 is parked

// lockstep_parked is a row at a moment: what its operands hold, and its scopes.
struct lockstep_parked {
	lockstep_parked *below;
	int64_t at; // a step
	lockstep_scope *scope;
	uint8_t *masks; // of all scopes, one behind the other
	char *bytes;    // of all operands
};

// held is how many bytes of an operand there are.
static int64_t held(const lockstep_row *r, const vm_operand *o) {
	return o->step ? (r->lanes * o->step + 15) / 16 * 16 : 16;
}

// room returns room for a moment of the row, or NULL.
static lockstep_parked *room(const lockstep_row *r) {
	int64_t bytes = 0, scopes = r->scopes * (int64_t)sizeof(lockstep_scope), masks = (r->scopes * r->lanes + 15) / 16 * 16;
	for (int64_t v = 0; v < r->operands; v++) bytes += held(r, &r->operand[v]);
	lockstep_parked *p = malloc(sizeof *p + (size_t)(scopes + masks + bytes));
	if (!p) return 0;
	p->scope = (lockstep_scope *)(p + 1);
	p->masks = (uint8_t *)(p->scope + r->scopes);
	p->bytes = (char *)p->masks + masks;
	return p;
}

// keepRow and backToRow copy a row to a moment, and back.
static void keepRow(const lockstep_row *r, lockstep_parked *p, int64_t k) {
	p->at = k;
	char *to = p->bytes;
	for (int64_t v = 0; v < r->operands; to += held(r, &r->operand[v]), v++)
		__builtin_memcpy(to, r->operand[v].p, (size_t)(r->operand[v].step ? r->lanes * r->operand[v].step : 16));
	for (int64_t i = 0; i < r->scopes; i++) {
		p->scope[i] = r->scope[i];
		__builtin_memcpy(p->masks + i * r->lanes, r->scope[i].mask, (size_t)r->lanes);
	}
}

static void backToRow(lockstep_row *r, const lockstep_parked *p) {
	const char *from = p->bytes;
	for (int64_t v = 0; v < r->operands; from += held(r, &r->operand[v]), v++)
		__builtin_memcpy(r->operand[v].p, from, (size_t)(r->operand[v].step ? r->lanes * r->operand[v].step : 16));
	for (int64_t i = 0; i < r->scopes; i++) {
		r->scope[i] = p->scope[i];
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
		for (int64_t v = 0; v < r->operands; from += held(r, &r->operand[v]), v++) {
			int64_t step = r->operand[v].step;
			if (r->life[2 * v] >= k || r->life[2 * v + 1] < k) continue; // its room is another's
			for (int64_t i = 0; step && i < r->lanes; i++)
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

// resume has the lanes go on that are parked earliest, and returns where. All others have ended, or are parked.
static int64_t resume(lockstep_row *r) {
	lockstep_parked **at = earliest(r), *p = *at;
	int64_t k = p->at;
	backToRow(r, p);
	*at = p->below;
	free(p);
	return k;
}

// yield parks lanes that have come to step k where others are to meet before it, and returns where these go on; k if
// there are none.
static int64_t yield(lockstep_row *r, int64_t k) {
	lockstep_parked *first = *earliest(r), *p = 0;
	if (!first || !earlier(r, first->scope, first->at, r->scope, k) || !(p = room(r))) return k;
	keepRow(r, p, k);
	k = resume(r);
	p->below = r->parked;
	r->parked = p;
	return k;
}

// gather has lanes that have come to step k, where threads meet, take back those that are parked there. It returns the
// step to go on at, or -1 if they are to be parked.
static int64_t gather(lockstep_row *r, const lockstep_step *s, int64_t k) {
	if (r->parked) rejoin(r, s, k);
	return r->waiting ? -1 : r->parked ? yield(r, k) : k;
}

static int64_t walk(lockstep_row *r, int64_t k);

// without takes lanes out of all scopes.
static void without(lockstep_row *r, const uint8_t *lanes) {
	for (int64_t i = 0; i < r->scopes; i++) {
		for (int64_t lane = 0; lane < r->lanes; lane++) r->scope[i].mask[lane] &= !lanes[lane];
		r->scope[i].count = count(r->scope[i].mask, r->lanes);
	}
}

// split lets the lanes go ahead that have left a loop, at its while.
static void split(lockstep_row *r, const lockstep_step *s) {
	enum { DEEPEST = 32 };
	int64_t outer = r->scope[s->scope].outer;
	uint8_t ahead[LOCKSTEP_LANES], behind[LOCKSTEP_LANES];
	lockstep_parked *all = r->waiting < DEEPEST ? room(r) : 0, *parked = all ? room(r) : 0;
	if (!parked) { // they wait on
		free(all);
		return;
	}
	for (int64_t i = 0; i < r->lanes; i++) {
		ahead[i] = r->scope[outer].mask[i] & !r->scope[s->scope].mask[i];
		behind[i] = !ahead[i];
	}
	keepRow(r, all, 0);
	without(r, behind);
	r->waiting++;
	int64_t k = walk(r, s->to);
	r->waiting--;
	if (r->fault.kind != LOCKSTEP_STOPPED) {
		if (k < r->steps) {
			keepRow(r, parked, k);
			parked->below = r->parked;
			r->parked = parked;
			parked = 0;
		}
		backToRow(r, all);
		without(r, ahead);
	}
	free(parked);
	free(all);
}
