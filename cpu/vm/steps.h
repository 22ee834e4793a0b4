// How the steps run on a block: plan chooses the loops once for a launch, and run calls them
// for every block. What is allowed to overlap is in loops.h.

enum { PACKED = 128 }; // elements that are packed at a time

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// copy moves elements with any steps. Every second element (the real parts of complex ones), every third and fourth (the channels of
// pictures), and all of them from the back, are moved in vectors.
#define COPY_LOOP(T) { \
	T *restrict side = (T *)d; \
	const T *restrict x = (const T *)s; \
	if (to == sizeof(T) && from == 0) { \
		T one = *x; \
		EACH side[i] = one; \
	} else if (to == sizeof(T) && from == 2 * sizeof(T)) \
		EACH side[i] = x[2 * i]; \
	else if (to == sizeof(T) && from == 3 * sizeof(T)) \
		EACH side[i] = x[3 * i]; \
	else if (to == sizeof(T) && from == 4 * sizeof(T)) \
		EACH side[i] = x[4 * i]; \
	else if (to == sizeof(T) && from == -(int64_t)sizeof(T)) \
		EACH side[i] = x[-i]; \
	else \
		for (; n > 0; n--, d += to, s += from) *(T *)d = *(const T *)s; \
	break; \
}

static void copy(int size, int64_t n, char *d, int64_t to, const char *s, int64_t from) {
	switch (size) {
	case 1: COPY_LOOP(uint8_t)
	case 2: COPY_LOOP(uint16_t)
	case 4: COPY_LOOP(uint32_t)
	case 8: COPY_LOOP(uint64_t)
	default: COPY_LOOP(wide16)
	}
}

// seek moves windows and counters to a point.
static void seek(vm_launch *l, const int64_t *at) {
	const int64_t *stride = l->stride;
	for (int64_t w = 0; w < l->windows; w++) {
		char *p = l->window[w].p;
		for (int64_t k = 0; k < l->axes; k++) p += *stride++ * at[k];
		l->operand[l->window[w].operand].p = p;
	}
	for (int64_t i = 0; i < l->counters; i++) {
		const vm_counter *c = &l->counter[i];
		if (c->axis >= 0) *c->cell = c->origin + at[c->axis];
	}
}

// nudge moves windows and counters on by one along an axis.
static void nudge(vm_launch *l, int64_t axis) {
	const int64_t *stride = l->stride + axis;
	for (int64_t w = 0; w < l->windows; w++, stride += l->axes) l->operand[l->window[w].operand].p += *stride;
	for (int64_t i = 0; i < l->counters; i++)
		if (l->counter[i].axis == axis) ++*l->counter[i].cell;
}

// next advances coordinates in C order and returns the axis along which; -1 means that they are at
// the start again.
static inline int64_t next(int64_t axes, int64_t *at, const int64_t *extent) {
	for (int64_t k = axes - 1; k >= 0; k--) {
		if (++at[k] < extent[k]) return k;
		at[k] = 0;
	}
	return -1;
}

#include "stripsteps.h"

// plan decides how step k runs when the elements of its operands are as far apart as
// operands say; single is for blocks of one element, where that does not matter.
static void plan(vm_launch *l, int64_t k, int single) {
	const vm_step *s = &l->step[k];
	if (s->op >= VM_SKIP && s->op != VM_STRIP) return; // flow.h
	vm_call *c = &l->call[k];
	if (s->op == VM_STRIP) {
		plan_strip(l, &l->strip[s->d], c);
		return;
	}
	const vm_primitive *q = rows[s->op].primitive;
	c->primitive = q;
	c->pack = c->one = 0;
	c->scalars = q->form[0].scalars;
	c->loop = q->form[0].loop;
	c->one = l->operand[s->d].step == 0;
	if (single || c->one) return;
	uint32_t scalars = 0, odd = 0;
	for (int i = 0; i < q->inputs; i++) {
		int64_t step = l->operand[s->in[i]].step;
		if (step == 0) scalars |= 1u << i;
		else if (step != q->size[1 + i]) odd |= 2u << i;
	}
	if (l->operand[s->d].step != q->size[0]) odd |= 1;
	for (int f = 0; f < VM_FORMS && q->form[f].loop; f++) {
		if (q->form[f].scalars != scalars) continue;
		c->scalars = scalars;
		c->loop = q->form[f].loop;
		// A result that nothing reads again, and that is not in a register.
		if (l->stream && odd == 0 && q->form[f].stream && k == l->steps - 1) c->loop = q->form[f].stream;
		c->pack = (uint16_t)odd;
		return;
	}
	c->pack = (uint16_t)(odd | (scalars & ~c->scalars) << 1);
}

// packed runs a step whose operands do not lie side by side, a few elements at a time.
static void packed(const vm_call *c, const vm_step *s, const vm_operand *o, int64_t n) {
	_Alignas(64) char room[1 + VM_INPUTS][PACKED * 16];
	const vm_primitive *q = c->primitive;
	const vm_operand *d = &o[s->d];
	if (q == &index_i64) {
		int64_t at = *(const int64_t *)o[s->in[0]].p, by = *(const int64_t *)o[s->in[1]].p;
		for (int64_t i = 0; i < n; i++, at += by) *(int64_t *)(d->p + i * d->step) = at;
		return;
	}
	if (q->inputs == 1 && (c->loop == move_8_v || c->loop == move_16_v || c->loop == move_32_v || c->loop == move_64_v || c->loop == move_128_v)) {
		copy(q->size[0], n, d->p, d->step, o[s->in[0]].p, o[s->in[0]].step);
		return;
	}
	char *p[1 + VM_INPUTS];
	for (int64_t at = 0; at < n; at += PACKED) {
		int64_t m = n - at < PACKED ? n - at : PACKED;
		for (int i = 0; i < q->inputs; i++) {
			const vm_operand *a = &o[s->in[i]];
			char *from = a->p + at * a->step;
			p[1 + i] = from;
			if (c->pack >> (1 + i) & 1) {
				p[1 + i] = room[1 + i];
				if (a->step != 0 || at == 0) copy(q->size[1 + i], m, room[1 + i], q->size[1 + i], from, a->step);
			}
		}
		p[0] = c->pack & 1 ? room[0] : d->p + at * d->step;
		c->loop(m, p);
		if (c->pack & 1) copy(q->size[0], m, d->p + at * d->step, d->step, room[0], q->size[0]);
	}
}

// step runs a step on a block of n elements.
static inline void step(const vm_launch *l, int64_t k, int64_t n) {
	const vm_operand *o = l->operand;
	const vm_call *c = &l->call[k];
	const vm_step *s = &l->step[k];
	if (s->op == VM_STRIP) {
		run_strip(l, &l->strip[s->d], c, n);
		return;
	}
	if (c->pack) {
		packed(c, s, o, n);
		return;
	}
	char *p[1 + VM_INPUTS] = {o[s->d].p, o[s->in[0]].p, o[s->in[1]].p, o[s->in[2]].p, o[s->in[3]].p, o[s->in[4]].p};
	c->loop(c->one ? 1 : n, p);
}

#include "look.h"

// run runs all steps on a block of n elements.
static void run(vm_launch *l, int64_t n) {
	if (l->watched && !(l->raised & VM_SEEN)) {
		for (int64_t k = 0; k < l->steps; k++)
			if (l->step[k].look) step_looking(l, k, n);
			else step(l, k, n);
		return;
	}
	for (int64_t k = 0; k < l->steps; k++) step(l, k, n);
}

// call runs one primitive on its own, on elements side by side.
static void call(const vm_primitive *q, int64_t n, char *d, char *a, char *b) {
	char *p[1 + VM_INPUTS] = {d, a, b, a, a, a};
	q->form[0].loop(n, p);
}
