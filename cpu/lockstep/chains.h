// Marks of more than two threads. Where threads have fences or vote, each may come to be ordered by itself, so that no
// mark stands for another: a grain keeps those of all threads, the last one itself and the others in a chain of links.
// A chain is thinned when it has become twice as long as it was then: what comes before the access that makes it longer
// is left out, as what is not ordered behind such a mark is not ordered behind the access either, and so are the earlier
// ones of a thread's marks. What all chains of a launch take is bounded: a launch that needs more fails, and says so.

// linked returns a mark of a chain that a thread's access is not ordered behind, or NULL.
static const lockstep_mark *linked(const lockstep_row *r, const lockstep_marks *m, const seeker *w) {
	const lockstep_link *link = r->chains->link;
	for (uint32_t i = m->all.first; i; i = link[i].next)
		if (!ordered(r, &link[i].mark, w)) return &link[i].mark;
	return 0;
}

// spare takes a link that no chain has; 0 if there is no place for it.
static uint32_t spare(lockstep_chains *c) {
	uint32_t i = c->unused;
	if (i) {
		c->unused = c->link[i].next;
		return i;
	}
	if (c->links + 1 >= c->room) {
		uint32_t more = c->room < 512 ? 1024 : c->room < 1u << 31 ? 2 * c->room : c->room;
		if (more > c->most) more = (uint32_t)c->most;
		lockstep_link *link = more > c->room ? realloc(c->link, more * sizeof *link) : 0;
		if (!link) {
			c->full = 1;
			return 0;
		}
		c->link = link;
		c->room = more;
	}
	return ++c->links;
}

static void thin(lockstep_row *r, lockstep_marks *m, const seeker *w) {
	lockstep_chains *c = r->chains;
	uint32_t *at = &m->all.first, length = 0, round = ++c->round;
	c->seen[m->all.last.thread - 1] = round;
	while (*at) {
		lockstep_link *link = &c->link[*at];
		uint32_t *seen = &c->seen[link->mark.thread - 1];
		if (*seen == round || ordered(r, &link->mark, w)) {
			uint32_t i = *at;
			*at = link->next;
			link->next = c->unused;
			c->unused = i;
			continue;
		}
		*seen = round;
		at = &link->next;
		length++;
	}
	m->all.length = length;
	m->all.most = 2 * length + 16;
}

// link puts the last mark into the chain, as a thread is to have another one, which it does not come before.
static void link(lockstep_row *r, lockstep_marks *m, const seeker *w) {
	lockstep_chains *c = r->chains;
	if (m->all.length >= m->all.most) thin(r, m, w);
	uint32_t i = spare(c);
	if (!i) return;
	c->link[i] = (lockstep_link){m->all.last, m->all.first};
	m->all.first = i;
	m->all.length++;
}
