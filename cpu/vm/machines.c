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

void vm_map(uintptr_t machine, uintptr_t launch) { ((const vm_machine *)machine)->map((vm_launch *)launch); }
void vm_dots(uintptr_t machine, int64_t size, int64_t n, const char *a, const char *b, char *to) {
	((const vm_machine *)machine)->dot[size == 8](n, a, b, to);
}
void vm_reduce(uintptr_t machine, uintptr_t launch) { ((const vm_machine *)machine)->reduce((vm_launch *)launch); }
