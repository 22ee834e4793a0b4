// Looks at the results of steps, whether one is infinite or no number, for the few functions whose loops raise no flag where something goes wrong. What is looked at lies in
// the L1 cache, and has taken many times as long to compute.

// LOOK is a function that says whether a condition holds for one of n elements x, step bytes apart. found is an integer of an element's size, so
// that the loop has vectors.
#define LOOK(name, T, I, ...) \
	static int name(int64_t n, const char *p, int64_t step) { \
		I found = 0; \
		if (step != sizeof(T)) { \
			for (int64_t i = 0; i < (step == 0 ? 1 : n); i++) { T x = *(const T *)(p + i * step); found |= (I)(__VA_ARGS__); } \
			return found != 0; \
		} \
		const T *at = (const T *)p; \
		for (int64_t i = 0; i < n; i++) { T x = at[i]; found |= (I)(__VA_ARGS__); } \
		return found != 0; \
	}

LOOK(look_half, uint16_t, uint16_t, (x & 0x7c00) == 0x7c00)
LOOK(look_float, uint32_t, uint32_t, (x & 0x7f800000u) == 0x7f800000u)
LOOK(look_double, uint64_t, uint64_t, (x & 0x7ff0000000000000u) == 0x7ff0000000000000u)

LOOK(look_floats, c64, uint32_t, (bits32(x.re) & 0x7f800000u) == 0x7f800000u || (bits32(x.im) & 0x7f800000u) == 0x7f800000u)
LOOK(look_doubles, c128, uint64_t, (bits64(x.re) & 0x7ff0000000000000u) == 0x7ff0000000000000u || (bits64(x.im) & 0x7ff0000000000000u) == 0x7ff0000000000000u)

static int (*const looks[])(int64_t, const char *, int64_t) = {
	[VM_LOOK_HALF] = look_half, [VM_LOOK_FLOAT] = look_float, [VM_LOOK_DOUBLE] = look_double, [VM_LOOK_FLOATS] = look_floats, [VM_LOOK_DOUBLES] = look_doubles,
};

// step_looking runs a step with a look at its n results. Once something was seen in a launch, no step looks again.
static void step_looking(vm_launch *l, int64_t k, int64_t n) {
	const vm_operand *d = &l->operand[l->step[k].d];
	step(l, k, n);
	if (looks[l->step[k].look](n, d->p, d->step)) l->raised |= VM_SEEN;
}
