// Looks at what steps read or write, for the few functions whose loops raise no flag where something goes wrong: they choose the result of a pole without a branch.
// What is looked at lies in the L1 cache.

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

// Comparisons of floats raise a flag where one is no number, so that these compare their bits, as signed integers: of what is below zero, up to the bits of -infinity, and no further.
#define LOOKS(t, I, sign, infinity, one) \
	LOOK(look_log_##t, I, I, (x == 0) | (x <= (I)((sign) | (infinity)))) \
	LOOK(look_log1p_##t, I, I, (x >= (I)((sign) | (one))) & (x <= (I)((sign) | (infinity)))) \
	LOOK(look_acosh_##t, I, I, ((x >= 0) & (x < (I)(one))) | (x <= (I)((sign) | (infinity)))) \
	LOOK(look_atanh_##t, I, I, ((x & (I)~(sign)) >= (I)(one)) & ((x & (I)~(sign)) <= (I)(infinity)))

LOOKS(float, int32_t, 0x80000000u, 0x7f800000u, 0x3f800000u)
LOOKS(double, int64_t, 0x8000000000000000u, 0x7ff0000000000000u, 0x3ff0000000000000u)

static int (*const looks[])(int64_t, const char *, int64_t) = {
	[VM_LOOK_HALF] = look_half, [VM_LOOK_FLOAT] = look_float, [VM_LOOK_DOUBLE] = look_double,
	[VM_LOOK_LOG_FLOAT] = look_log_float, [VM_LOOK_LOG_DOUBLE] = look_log_double,
	[VM_LOOK_LOG1P_FLOAT] = look_log1p_float, [VM_LOOK_LOG1P_DOUBLE] = look_log1p_double,
	[VM_LOOK_ACOSH_FLOAT] = look_acosh_float, [VM_LOOK_ACOSH_DOUBLE] = look_acosh_double,
	[VM_LOOK_ATANH_FLOAT] = look_atanh_float, [VM_LOOK_ATANH_DOUBLE] = look_atanh_double,
};

// step_looking runs a step with a look at n elements: at those of its operand before, as the result may take their place, or at its results. Once something was
// seen in a launch, nobody looks again.
static void step_looking(vm_launch *l, int64_t k, int64_t n) {
	const vm_step *s = &l->step[k];
	int results = s->look <= VM_LOOK_DOUBLE;
	const vm_operand *o = &l->operand[results ? s->d : s->in[0]];
	int seen = !results && looks[s->look](n, o->p, o->step);
	step(l, k, n);
	if (seen || (results && looks[s->look](n, o->p, o->step))) l->raised |= VM_SEEN;
}
