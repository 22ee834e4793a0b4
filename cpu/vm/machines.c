// Which instruction sets this processor has.
#include "vm.h"

const vm_machine *vm_machines(int i) {
	switch (i) {
	case 0: return &vm_base;
#if defined(__x86_64__)
	case 1:
		__builtin_cpu_init();
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
			__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") ? &vm_v3 : 0;
	case 2:
		return vm_machines(1) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? &vm_v4 : 0;
#endif
	}
	return 0;
}

void vm_map(const vm_machine *m, void *l) { m->map((vm_launch *)l); }
void vm_reduce(const vm_machine *m, void *l) { m->reduce((vm_launch *)l); }
