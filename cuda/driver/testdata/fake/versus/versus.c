/* Holds the machine half against a real device: every instruction of test/single.c on many operands, special ones among them, and every
   program of test/together.c; a file has more instructions, a line each, as that table writes them. It prints where the bits differ. Compile it with the machine half and the files of test but main.c. */
#include "../test/check.h"
#include <dlfcn.h>

enum { BLOCKS = 8, THREADS = 128, CASES = BLOCKS * THREADS };

int failures;
_Alignas(64) uint8_t touchable[1 << 17];

typedef int (*function)();
static function init, get, context, current, load, find, allocate, to_device, from_device, launch, wait_for, unload;
static uint64_t memory;

int fake_touch(const fake_who *who, uint64_t address, uint32_t n, int how) {
	(void)who, (void)how;
	uint64_t start = (uint64_t)(uintptr_t)touchable;
	return address >= start && n <= sizeof touchable && address - start <= sizeof touchable - n ? 0 : 700;
}

void fail(const char *what, const char *format, ...) {
	(void)format;
	printf("FAIL %s\n", what);
	failures++;
}

static function symbol(void *library, const char *name) {
	function f = (function)dlsym(library, name);
	if (!f)
		printf("no %s\n", name);
	return f;
}

static int open_device(void) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	int device;
	void *c;
	if (!library)
		return 1;
	init = symbol(library, "cuInit");
	get = symbol(library, "cuDeviceGet");
	context = symbol(library, "cuDevicePrimaryCtxRetain");
	current = symbol(library, "cuCtxSetCurrent");
	load = symbol(library, "cuModuleLoadData");
	unload = symbol(library, "cuModuleUnload");
	find = symbol(library, "cuModuleGetFunction");
	allocate = symbol(library, "cuMemAlloc_v2");
	to_device = symbol(library, "cuMemcpyHtoD_v2");
	from_device = symbol(library, "cuMemcpyDtoH_v2");
	launch = symbol(library, "cuLaunchKernel");
	wait_for = symbol(library, "cuCtxSynchronize");
	return init(0) || get(&device, 0) || context(&c, device) || current(c) || allocate(&memory, sizeof touchable);
}

/* on_device runs k of a text on a copy of touchable. */
static int on_device(const char *text, uint32_t grid, uint32_t block, uint32_t shared, uint8_t *result) {
	void *m, *k, *args[] = {&memory};
	int rc = load(&m, text);
	if (rc)
		return rc;
	rc = find(&k, m, "k");
	rc = rc ? rc : to_device(memory, touchable, sizeof touchable);
	rc = rc ? rc : launch(k, grid, 1, 1, block, 1, 1, shared, (void *)0, args, (void *)0);
	rc = rc ? rc : wait_for();
	rc = rc ? rc : from_device(result, memory, sizeof touchable);
	unload(m);
	return rc;
}

static int have_device;
static uint8_t result[sizeof touchable], before[sizeof touchable];

/* run_text is what test/together.c calls; the device runs the text too. */
outcome run_text(const char *text, uint32_t grid, uint32_t block, uint32_t shared, uint64_t seed) {
	outcome o = {0};
	fake_module *m;
	memcpy(before, touchable, sizeof before);
	if (have_device && seed == 0) {
		int rc = on_device(text, grid, block, shared, result);
		if (rc)
			printf("device: %d\n%.3000s\n", rc, text);
	}
	o.rc = fake_module_load(&m, text, 90, (fake_logs){o.log, NULL, sizeof o.log, 0});
	if (o.rc)
		return o;
	uint64_t params[2] = {(uint64_t)(uintptr_t)touchable, 0};
	fake_launch l = {.kernel = fake_entry(m, "k"), .grid = {grid, 1, 1}, .block = {block, 1, 1}, .shared = shared, .params = params, .seed = seed, .launch = 1, .cc = 90};
	o.rc = fake_run(&l, o.why, sizeof o.why, NULL, &o.lanes);
	fake_module_free(m);
	if (have_device && seed == 0 && memcmp(touchable, result, 256)) {
		printf("DIFFERS\n%.2000s\n", text);
		for (int i = 0; i < 8; i++)
			printf("  word %d: machine %u device %u\n", i, ((uint32_t *)(void *)touchable)[i], ((uint32_t *)(void *)result)[i]);
	}
	return o;
}

static const uint64_t special[] = {
	0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
	0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345,
	0x7f800001, 0xffffffff, 0x00800000, 0x007fffff, 0x00000001, 0x4f000000, 0x4effffff, 0xcf000000, 0x4f800000, 0x5f000000, 0x3f000000, 0x3fc00000,
	0x40200000, 0x7f7fffff, 0x33800000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7d01, 0x0400, 0x03ff, 0x7bff,
	0x3ff0000000000000, 0xbff0000000000000, 0x400921fb54442d18, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000,
	0x7ff8000000001234, 0xfff8000000005678, 0x7ff0000000000001, 0xfff0000012345678, 0x0010000000000000, 0x000fffffffffffff, 0x41dfffffffc00000, 0x41e0000000000000, 0x43e0000000000000,
	0x43f0000000000000, 0x3fe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0x7fefffffffffffff, 0x3ca0000000000000, 0x47efffffe0000000, 0x47f0000000000000,
	0x36a0000000000000, 0x40effc0000000000, 0x40effe0000000000, 0x3f10000000000000,
};

static uint64_t state = 12345;
static uint64_t next(void) {
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static const uint64_t nans[] = {
	0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xffffffff, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000001234, 0xfff8000000005678,
	0x7ff0000000000001, 0xfff0000012345678, ~0ull, 0x7fffffffffffffff, 0x7e00, 0xfe01, 0x7fc1, 0xff81, 0x7f817f81,
};

static uint64_t operand(int turn) {
	uint64_t r = next();
	if (turn % 4 == 0) /* every fourth turn has NaNs, and what is no NaN, in every place */
		return r % 3 ? nans[next() % (sizeof nans / sizeof *nans)] : special[next() % (sizeof special / sizeof *special)];
	switch (r % 4) {
	case 0: return next();
	case 1: return next() & 127;
	case 2: { /* near one, as a float64 or in the low half as a float32 */
		uint64_t v = next();
		return v & 1 ? 0x3fe0000000000000 + (v >> 10) % 0x40000000000000 : 0x3f000000 + (v >> 10) % 0x1000000;
	}
	default: return special[next() % (sizeof special / sizeof *special)];
	}
}

static void instruction(const char *code) {
	char text[4096];
	single_text(code, text, sizeof text);
	uint64_t *at = (uint64_t *)(void *)touchable;
	for (int i = 0; i < CASES; i++) {
		at[4 * i] = operand(i), at[4 * i + 1] = operand(i), at[4 * i + 2] = operand(i), at[4 * i + 3] = 0xdead;
		if (strstr(code, "bfe.") || strstr(code, "bfi."))
			at[4 * i + 1] &= ~0ull << 32 | 255, at[4 * i + 2] &= 255; /* what PTX allows */
		if (strstr(code, "0;"))
			continue;
		if (strstr(code, "div.s") || strstr(code, "div.u") || strstr(code, "rem."))
			at[4 * i + 1] |= 1;
	}
	int rc = have_device ? on_device(text, BLOCKS, THREADS, 0, result) : 0;
	have_device = -have_device; /* not once more */
	outcome o = run_text(text, BLOCKS, THREADS, 0, 1);
	have_device = -have_device;
	if (rc || o.rc) {
		printf("%s: device %d machine %d %s%s\n", code, rc, o.rc, o.log, o.why);
		return;
	}
	int differ = 0;
	for (int i = 0; i < CASES && have_device; i++) {
		uint64_t *d = (uint64_t *)(void *)result + 4 * i, *m = at + 4 * i;
		if (d[3] == m[3])
			continue;
		if (differ++ < 6)
			printf("%s: %llx %llx %llx: device %llx machine %llx\n", code, (unsigned long long)m[0], (unsigned long long)m[1], (unsigned long long)m[2],
				(unsigned long long)d[3], (unsigned long long)m[3]);
	}
	if (differ)
		printf("%s: %d of %d differ\n", code, differ, CASES);
}

int main(int argc, char **argv) {
	have_device = !open_device();
	printf("%s device\n", have_device ? "a" : "no");
	for (size_t i = 0; single_code(i); i++) {
		size_t k = 0;
		while (k < i && strcmp(single_code(k), single_code(i)))
			k++;
		if (k == i)
			instruction(single_code(i));
	}
	char line[512];
	FILE *more = argc > 1 ? fopen(argv[1], "r") : NULL;
	while (more && fgets(line, sizeof line, more)) {
		line[strcspn(line, "\n")] = 0;
		instruction(line);
	}
	test_together();
	printf("%d failures\n", failures);
	return 0;
}
