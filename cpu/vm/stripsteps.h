// How strips meet a launch: which operands move, which are staged, and how many elements go at a time.

// is_scalar says whether a port is one element for all.
static inline int is_scalar(const vm_launch *l, const vm_port *p) { return !p->out && l->operand[p->operand].step == 0; }

// strip_move says that a cell's p follows an operand, which the next row moves by so many bytes.
typedef struct {
	char **p;
	char *const *from;
	int64_t by;
} strip_move;

_Static_assert(sizeof(strip_move) <= sizeof(vm_cell), "room for moves");

// plan_strip makes the cells of a strip, and behind them the list of those whose memory is elsewhere
// in every row. It notes how many these are, and whether some windows are staged.
static void plan_strip(vm_launch *l, const vm_strip *s, vm_call *c) {
	strip_cell *cell = (strip_cell *)l->cell + 2 * s->first;
	strip_move *move = (strip_move *)(cell + s->count);
	const vm_port *port = l->port + s->port;
	c->pack = 0;
	for (int64_t i = 0; i < s->count; i++) {
		const vm_micro *m = &l->micro[s->first + i];
		const vm_operand *o = &l->operand[m->operand];
		int window = m->kind == VM_WINDOW, scalar = m->kind == VM_SCALAR || (window && is_scalar(l, &port[m->port]));
		int staged = window && !scalar && o->step != s->size;
		int64_t op = m->op == STRIP_store && !window ? STRIP_keep : m->op;
		int64_t form = m->kind == VM_NEXT ? STRIP_NEXT : scalar ? STRIP_SCALAR : STRIP_MOVING;
		cell[i].label = (op * STRIP_FORMS + form) * 3 + m->reg;
		cell[i].moves = -(m->kind == VM_REGISTER || (window && !scalar && !staged));
		cell[i].p = staged ? port[m->port].room : o->p;
		c->pack |= staged;
		if (window && !staged) *move++ = (strip_move){&cell[i].p, &o->p, l->axes > 1 ? l->stride[(port[m->port].window + 1) * l->axes - 2] : 0};
	}
	c->scalars = (uint32_t)(move - (strip_move *)(cell + s->count));
}

// stage copies m elements from at on between windows that do not lie side by side and their room: the
// inputs to it, or the outputs from it.
static void stage(const vm_launch *l, const vm_strip *s, int out, int64_t at, int64_t m) {
	for (const vm_port *p = l->port + s->port, *end = p + s->ports; p < end; p++) {
		const vm_operand *o = &l->operand[p->operand];
		if (p->out != out || is_scalar(l, p) || o->step == s->size) continue;
		char *q = o->p + at * o->step;
		if (out) copy((int)s->size, m, q, o->step, p->room, s->size);
		else copy((int)s->size, m, p->room, s->size, q, o->step);
	}
}

// streams makes stores go past the caches, or not: those whose memory is aligned at element at. A
// negative one is none's.
static void streams(const vm_launch *l, const vm_strip *s, strip_cell *cell, int64_t at) {
	for (int64_t i = 0; i < s->count; i++) {
		const vm_micro *m = &l->micro[s->first + i];
		if (m->op != STRIP_store || m->kind != VM_WINDOW || !l->port[s->port + m->port].stream) continue;
		int aligned = at >= 0 && (((uintptr_t)cell[i].p + (uintptr_t)(at * s->size)) & (VECTOR - 1)) == 0;
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

// run_cells runs a strip's cells on the elements from at to n, of size bytes.
static inline void run_cells(const strip_cell *cell, int64_t size, int64_t at, int64_t n) {
	strip_runner *const *runners = strip_runners[size == 8];
	int64_t width = size == 8 ? VECTOR / 8 : VECTOR / 4; // elements of a vector
	int64_t m = (n - at) & -(STRIP_VECTORS * width);
	if (m > 0) runners[0](cell, at, at + m, 0);
	at += m;
	if (at == n) return;
	int64_t vectors = size == 8 ? (n - at + VECTOR / 8 - 1) / (VECTOR / 8) : (n - at + VECTOR / 4 - 1) / (VECTOR / 4);
	runners[vectors](cell, at, at + 1, n - at - (vectors - 1) * width);
}

// run_strip runs a strip on a block of n elements.
static void run_strip(const vm_launch *l, const vm_strip *s, const vm_call *c, int64_t n) {
	strip_cell *cell = (strip_cell *)l->cell + 2 * s->first;
	const strip_move *move = (const strip_move *)(cell + s->count);
	for (uint32_t i = 0; i < c->scalars; i++) *move[i].p = *move[i].from;
	if (c->pack) {
		enum { ROOM = STRIP_VECTORS * VECTOR };
		for (int64_t at = 0, m; at < n; at += m) {
			m = least(ROOM / s->size, n - at);
			stage(l, s, 0, at, m);
			run_cells(cell, s->size, at, at + m);
			stage(l, s, 1, at, m);
		}
		return;
	}
	int64_t at = 0;
	if (l->stream) {
		at = head(l, s, n);
		streams(l, s, cell, -1);
		run_cells(cell, s->size, 0, at);
		streams(l, s, cell, at);
	}
	run_cells(cell, s->size, at, n);
}

// is_row says whether the first step is a strip for whole rows, of at most block elements, that lie side by
// side: nothing but its cells has to move then.
static int is_row(const vm_launch *l, int64_t block) {
	return l->step[0].op == VM_STRIP && !l->call[0].pack && !l->stream && !l->fault && l->axis[l->axes - 1].extent <= block;
}

// map_row runs the strip of such a launch on every row; at is where they begin.
static void map_row(vm_launch *l, int64_t *at, const int64_t *extent) {
	const vm_strip *s = &l->strip[l->step[0].d];
	strip_cell *cell = (strip_cell *)l->cell + 2 * s->first;
	const strip_move *move = (const strip_move *)(cell + s->count), *end = move + l->call[0].scalars;
	int64_t last = l->axes - 1, axis = -1;
	at[last] = 0;
	do {
		if (axis >= 0 && axis == last - 1) {
			for (const strip_move *m = move; m < end; m++) *m->p += m->by;
		} else {
			seek(l, at);
			for (const strip_move *m = move; m < end; m++) *m->p = *m->from;
		}
		run_cells(cell, s->size, 0, extent[last]);
	} while ((axis = next(last, at, extent)) >= 0);
}
