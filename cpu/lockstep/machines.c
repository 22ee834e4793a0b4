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
