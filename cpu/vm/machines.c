// Which instruction sets this processor has.
#include "vm.h"

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

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

// lower and raised are the processor's sticky flags of this thread: cleared before a launch that is watched, and read after it.
static void lower(void) {
#if defined(__x86_64__)
	unsigned set = _mm_getcsr();
	if (set & 0x3f) _mm_setcsr(set & ~0x3fu);
#else
	feclearexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
#endif
}

static int raised(void) {
#if defined(__x86_64__)
	unsigned set = _mm_getcsr();
	return (int)((set >> 2 & (VM_DIVIDE | VM_OVER | VM_UNDER)) | (set << 3 & VM_INVALID));
#else
	int set = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
	return (set & FE_DIVBYZERO ? VM_DIVIDE : 0) | (set & FE_OVERFLOW ? VM_OVER : 0) | (set & FE_UNDERFLOW ? VM_UNDER : 0) | (set & FE_INVALID ? VM_INVALID : 0);
#endif
}

static void watch(void (*walk)(vm_launch *), vm_launch *l) {
	if (!l->watched) {
		walk(l);
		return;
	}
	l->raised = 0;
	lower();
	walk(l);
	l->raised |= raised();
}

void vm_map(uintptr_t machine, uintptr_t launch) { watch(((const vm_machine *)machine)->map, (vm_launch *)launch); }
void vm_dots(uintptr_t machine, int64_t size, int64_t n, const char *a, const char *b, char *to) {
	((const vm_machine *)machine)->dot[size == 8](n, a, b, to);
}
void vm_reduce(uintptr_t machine, uintptr_t launch) { watch(((const vm_machine *)machine)->reduce, (vm_launch *)launch); }
