// Where threads meet: all of a block, or those of a warp.

// meet takes a barrier or a tally: all lanes that have not ended are there, or those fail that are. A row that has
// barriers is one block.
static void meet(lockstep_row *r, const lockstep_step *s) {
	const lockstep_scope *all = &r->scope[0], *here = &r->scope[s->scope];
	int64_t n = r->lanes;
	if (here->count != all->count || r->parked) {
		uint8_t lanes[LOCKSTEP_LANES];
		int64_t other = absent(r, here);
		__builtin_memcpy(lanes, here->mask, (size_t)n);
		fail(r, s, lanes, (lockstep_fault){.kind = LOCKSTEP_ALONE, .other = other});
		return;
	}
	if (s->kind == LOCKSTEP_BARRIER) return;
	int64_t holds = 0;
	for (int64_t i = 0; i < n; i++) holds += here->mask[i] & *(const uint8_t *)at(r, s->in[0], i);
	*(int32_t *)r->operand[s->d].p = s->form == 0 ? (int32_t)holds : s->form == 1 ? holds == here->count : holds > 0;
}

// shuffled says which lane of the warp a shuffle means: idx, up, down, xor.
static int shuffled(int form, int lane, int by) {
	by &= LOCKSTEP_WARP - 1;
	return form == 0 ? by : form == 1 ? lane - by : form == 2 ? lane + by : lane ^ by;
}

// warp takes a step for the lanes from `from` on, which are a warp.
static void warp(lockstep_row *r, const lockstep_step *s, int64_t from, int lanes, uint8_t *failed, lockstep_fault *fault) {
	const uint8_t *all = r->scope[0].mask + from, *here = r->scope[s->scope].mask + from;
	uint32_t alive = 0, come = 0;
	for (int i = 0; i < lanes; i++) {
		alive |= (uint32_t)all[i] << i;
		come |= (uint32_t)here[i] << i;
		for (const lockstep_parked *p = r->parked; p; p = p->below) alive |= (uint32_t)p->masks[from + i] << i;
	}
	if (s->kind == LOCKSTEP_ACTIVE) {
		for (int i = 0; i < lanes; i++)
			if (here[i]) *(uint32_t *)at(r, s->d, from + i) = come;
		return;
	}
	uint32_t holds = 0;
	int64_t size = s->n;
	if (s->kind == LOCKSTEP_VOTE)
		for (int i = 0; i < lanes; i++) holds |= (uint32_t)(*(const uint8_t *)at(r, s->in[1], from + i) != 0) << i;
	char values[LOCKSTEP_WARP * 16]; // the result may take the operand's place
	if (s->kind != LOCKSTEP_VOTE)
		for (int i = 0; i < lanes; i++) __builtin_memcpy(values + 16 * i, at(r, s->in[1], from + i), (size_t)size);
	uint32_t voted[LOCKSTEP_WARP] = {0};
	for (int i = 0; i < lanes; i++) {
		if (!here[i]) continue;
		uint32_t mask = *(const uint32_t *)at(r, s->in[0], from + i), missing = mask & alive & ~come, with = mask & come;
		if (!(mask >> i & 1) || missing) {
			failed[from + i] = 1;
			if (!fault->kind) {
				*fault = (lockstep_fault){.kind = LOCKSTEP_MASK};
				if (mask >> i & 1) *fault = (lockstep_fault){.kind = LOCKSTEP_ALONE, .other = from + __builtin_ctz(missing)};
			}
			continue;
		}
		voted[i] = mask;
		char *d = at(r, s->d, from + i);
		switch (s->kind) {
		case LOCKSTEP_VOTE: {
			uint32_t yes = with & holds;
			if (s->form == 3) *(uint32_t *)d = yes;
			else *(uint8_t *)d = s->form == 0 ? yes == with : s->form == 1 ? yes != 0 : yes == 0 || yes == with;
			break;
		}
		case LOCKSTEP_SHUFFLE: {
			int of = shuffled(s->form, i, *(const int32_t *)at(r, s->in[2], from + i));
			if (of < 0 || of >= lanes || !(with >> of & 1)) of = i;
			__builtin_memcpy(d, values + 16 * of, (size_t)size);
			break;
		}
		case LOCKSTEP_MATCH: {
			uint32_t same = 0;
			for (int k = 0; k < lanes; k++)
				if (with >> k & 1 && !__builtin_memcmp(values + 16 * k, values + 16 * i, (size_t)size)) same |= 1u << k;
			*(uint32_t *)d = s->form == 1 && same != with ? 0 : same;
		}
		}
	}
	if (s->kind == LOCKSTEP_VOTE && r->voted) learn(r, from, lanes, voted);
}

// warps takes a step for all warps of all blocks. A warp that is not the block's last has 32 lanes.
static void warps(lockstep_row *r, const lockstep_step *s) {
	uint8_t failed[LOCKSTEP_LANES] = {0};
	lockstep_fault fault = {0};
	for (int64_t block = 0; block < r->lanes; block += r->threads)
		for (int64_t from = 0; from < r->threads; from += LOCKSTEP_WARP) {
			int64_t rest = r->threads - from;
			warp(r, s, block + from, (int)(rest < LOCKSTEP_WARP ? rest : LOCKSTEP_WARP), failed, &fault);
		}
	if (fault.kind) fail(r, s, failed, fault);
}
