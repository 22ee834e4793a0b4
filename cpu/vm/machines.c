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
#if defined(__x86_64__) && !defined(BASE_ALONE)
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

// sticky is the state of this thread's floating-point unit, whose flags a launch that is watched clears first and is told by. They are afterwards as they were:
// a launch may run on a thread that reads flags of its own, and what comparisons with NaN raise, or steps whose results are dropped, is nothing that went wrong there.
#if defined(__x86_64__)
typedef unsigned sticky;
static sticky state(void) { return _mm_getcsr(); }
static void set_state(sticky s) { _mm_setcsr(s); }
static sticky cleared(sticky s) { return s & ~0x3fu; }
static int raised(void) {
	unsigned set = _mm_getcsr();
	return (int)((set >> 2 & (VM_DIVIDE | VM_OVER | VM_UNDER)) | (set << 3 & VM_INVALID));
}
#else
typedef int sticky;
enum { TELLING = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID };
static sticky state(void) { return fetestexcept(TELLING); }
static void set_state(sticky s) { feclearexcept(TELLING); feraiseexcept(s); }
static sticky cleared(sticky s) { (void)s; return 0; }
static int raised(void) {
	int set = fetestexcept(TELLING);
	return (set & FE_DIVBYZERO ? VM_DIVIDE : 0) | (set & FE_OVERFLOW ? VM_OVER : 0) | (set & FE_UNDERFLOW ? VM_UNDER : 0) | (set & FE_INVALID ? VM_INVALID : 0);
}
#endif

static void watch(void (*walk)(vm_launch *), vm_launch *l) {
	sticky before = state();
	if (l->watched) {
		l->raised = 0;
		if (cleared(before) != before) set_state(cleared(before));
	}
	walk(l);
	if (l->watched) l->raised |= raised();
	if (state() != before) set_state(before);
}

void vm_map(uintptr_t machine, uintptr_t launch) { watch(((const vm_machine *)machine)->map, (vm_launch *)launch); }
void vm_dots(uintptr_t machine, int64_t size, int64_t n, const char *a, const char *b, char *to) {
	((const vm_machine *)machine)->dot[size == 8](n, a, b, to);
}
void vm_reduce(uintptr_t machine, uintptr_t launch) { watch(((const vm_machine *)machine)->reduce, (vm_launch *)launch); }
