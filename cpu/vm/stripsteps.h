// How strips meet a launch: which operands move, which are staged, and how many elements go at a time.

// is_scalar says whether a port is one element for all.
static inline int is_scalar(const vm_launch *l, const vm_port *p) { return !p->out && l->operand[p->operand].step == 0; }

// plan_strip makes the cells of a strip, twice: for elements where they lie, and for the last ones
// of a row, which are staged. It reports whether some windows have to be staged always.
static uint32_t plan_strip(vm_launch *l, const vm_strip *s) {
	strip_cell *direct = (strip_cell *)l->cell + 2 * s->first, *staged = direct + s->count;
	const vm_port *port = l->port + s->port;
	uint32_t odd = 0;
	for (int64_t i = 0; i < s->ports; i++) odd |= !is_scalar(l, &port[i]) && l->operand[port[i].operand].step != s->size;
	for (int64_t i = 0; i < s->count; i++) {
		const vm_micro *m = &l->micro[s->first + i];
		const vm_port *p = &port[m->port];
		int window = m->kind == VM_WINDOW && !is_scalar(l, p);
		int scalar = m->kind == VM_SCALAR || (m->kind == VM_WINDOW && !window);
		int64_t form = m->kind == VM_NEXT ? STRIP_NEXT : scalar ? STRIP_SCALAR : STRIP_MOVING;
		direct[i].label = staged[i].label = (m->op * STRIP_FORMS + form) * 3 + m->reg;
		direct[i].from = staged[i].from = &l->operand[m->operand].p;
		direct[i].moves = staged[i].moves = -(m->kind == VM_REGISTER);
		if (!window) continue;
		staged[i].from = &p->room;
		if (l->operand[m->operand].step == s->size) direct[i].moves = -1;
		else direct[i].from = &p->room;
	}
	return odd;
}

// stage copies m elements from at on between windows and their room: the inputs to it, or the
// outputs from it. Without all, it leaves windows alone that lie side by side.
static void stage(const vm_launch *l, const vm_strip *s, int all, int out, int64_t at, int64_t m) {
	for (const vm_port *p = l->port + s->port, *end = p + s->ports; p < end; p++) {
		const vm_operand *o = &l->operand[p->operand];
		if (p->out != out || is_scalar(l, p) || (!all && o->step == s->size)) continue;
		char *q = o->p + at * o->step;
		if (out) copy((int)s->size, m, q, o->step, p->room, s->size);
		else copy((int)s->size, m, p->room, s->size, q, o->step);
	}
}

// streams makes stores go past the caches, or not: those whose memory is aligned at element at.
static void streams(const vm_launch *l, const vm_strip *s, strip_cell *cell, int64_t at) {
	for (int64_t i = 0; i < s->count; i++) {
		const vm_micro *m = &l->micro[s->first + i];
		if (m->op != STRIP_store || m->kind != VM_WINDOW || !l->port[s->port + m->port].stream) continue;
		int aligned = (((uintptr_t)cell[i].p + (uintptr_t)(at * s->size)) & (VECTOR - 1)) == 0;
		cell[i].label = (aligned ? STRIP_stream : STRIP_store) * STRIP_FORMS * 3 + m->reg;
	}
}

// head returns how many elements there are until the first store that goes past the caches is aligned.
static int64_t head(const vm_launch *l, const vm_strip *s, int64_t n) {
	for (const vm_port *p = l->port + s->port, *end = p + s->ports; p < end; p++) {
		if (!p->stream) continue;
		int64_t bytes = -(intptr_t)l->operand[p->operand].p & (VECTOR - 1);
		return bytes % s->size == 0 && bytes / s->size < n ? bytes / s->size : 0;
	}
	return 0;
}

// run_strip runs a strip on a block of n elements.
static void run_strip(const vm_launch *l, const vm_strip *s, int odd, int64_t n) {
	strip_runner *const *runners = strip_runners[s->size == 8];
	int64_t width = VECTOR / s->size; // elements of a vector
	strip_cell *direct = (strip_cell *)l->cell + 2 * s->first, *staged = direct + s->count;
	for (int64_t i = 0; i < 2 * s->count; i++) direct[i].p = *direct[i].from;
	int64_t at = 0;
	if (!odd) {
		if (l->stream && (at = head(l, s, n)) > 0) {
			stage(l, s, 1, 0, 0, at);
			runners[STRIP_WIDEST](staged, 0, 1);
			stage(l, s, 1, 1, 0, at);
		}
		if (l->stream) streams(l, s, direct, at);
		for (int k = STRIP_WIDEST; k >= 0; k--) {
			int64_t m = (n - at) & -(width << k);
			if (m == 0) continue;
			runners[k](direct, at, at + m);
			at += m;
		}
	}
	for (int64_t m; at < n; at += m) {
		m = least(STRIP_VECTORS * width, n - at);
		int k = 0;
		while (width << k < m) k++;
		int whole = width << k == m;
		stage(l, s, !whole, 0, at, m);
		runners[k](whole ? direct : staged, at, at + 1);
		stage(l, s, !whole, 1, at, m);
	}
}
