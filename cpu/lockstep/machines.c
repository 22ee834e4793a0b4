// Which instruction set runs a row.
#include "lockstep.h"

void lockstep_run(int machine, uintptr_t row) {
	lockstep_row *r = (lockstep_row *)row;
	r->machine = vm_machines(machine);
	switch (machine) {
#if defined(__x86_64__)
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
