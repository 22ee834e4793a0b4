// Which instruction set runs a row.
#include "lockstep.h"

void lockstep_run(int machine, uintptr_t row) {
	lockstep_row *r = (lockstep_row *)row;
	r->machine = vm_machines(machine);
	switch (machine) {
#if defined(__x86_64__) && !defined(BASE_ALONE)
	case 1: lockstep_run_v3(r); return;
	case 2: lockstep_run_v4(r); return;
#endif
	}
	lockstep_run_base(r);
}

int lockstep_single_names(int position, const char **opcode, const char **dtype) {
#define NAMES(name, kind, opcode, dtype, ...) {opcode, dtype},
	static const char *const names[][2] = {LOCKSTEP_SINGLES(NAMES)};
	if (position < 1 || position > (int)(sizeof names / sizeof names[0])) return 0;
	*opcode = names[position - 1][0];
	*dtype = names[position - 1][1];
	return 1;
}

int lockstep_row_names(int position, const char **opcode, const char **dtype) {
#define ROW_NAMES(name, opcode, dtype, ...) {opcode, dtype},
	static const char *const names[][2] = {LOCKSTEP_ROWS(ROW_NAMES)};
	if (position < 1 || position > (int)(sizeof names / sizeof names[0])) return 0;
	*opcode = names[position - 1][0];
	*dtype = names[position - 1][1];
	return 1;
}

void lockstep_forget(uintptr_t row) {
	lockstep_row *r = (lockstep_row *)row;
	for (lockstep_parked *p; (p = r->parked); free(p)) r->parked = p->below;
}

int64_t lockstep_lowest(const lockstep_parked *parked, int64_t lanes) {
	for (int64_t i = 0; i < lanes; i++)
		for (const lockstep_parked *p = parked; p; p = p->below)
			if (p->masks[i]) return i;
	return lanes;
}

void lockstep_unlink(lockstep_chains *c, lockstep_marks *m) {
	for (uint32_t i = m->all.first, next; i; i = next) {
		next = c->link[i].next;
		c->link[i].next = c->unused;
		c->unused = i;
	}
	m->all.first = m->all.length = m->all.most = 0;
}

void lockstep_unlink_all(lockstep_chains *c, lockstep_shade *shade, int64_t grains) {
	for (int64_t i = 0; c->links && i < grains; i++) {
		lockstep_unlink(c, &shade[i].read);
		lockstep_unlink(c, &shade[i].wrote);
		lockstep_unlink(c, &shade[i].changed);
	}
}
