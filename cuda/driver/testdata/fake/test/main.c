/* Tests of the machine half. Without arguments it runs them all; with files it loads them, and prints what is refused. */
#include "check.h"
#include <stdarg.h>

int failures;
_Alignas(64) uint8_t touchable[1 << 17];

int fake_touch(const fake_who *who, uint64_t address, uint32_t n, int how) {
	(void)who, (void)how;
	uint64_t start = (uint64_t)(uintptr_t)touchable;
	return address >= start && n <= sizeof touchable && address - start <= sizeof touchable - n ? 0 : 700;
}

void fail(const char *what, const char *format, ...) {
	va_list args;
	va_start(args, format);
	printf("FAIL %s: ", what);
	vprintf(format, args);
	printf("\n");
	va_end(args);
	failures++;
}

outcome run_text(const char *text, uint32_t grid, uint32_t block, uint32_t shared, uint64_t seed) {
	outcome o = {0};
	fake_module *m;
	o.rc = fake_module_load(&m, text, 90, (fake_logs){o.log, NULL, sizeof o.log, 0});
	if (o.rc)
		return o;
	uint64_t params[2] = {(uint64_t)(uintptr_t)touchable, 0};
	const fake_kernel *k = fake_entry(m, "k");
	if (k) {
		fake_launch l = {.kernel = k, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .shared = shared, .params = params, .seed = seed, .launch = 1, .cc = 90};
		o.rc = fake_run(&l, o.why, sizeof o.why, NULL, &o.lanes);
	} else {
		fail("run_text", "no entry k");
	}
	fake_module_free(m);
	return o;
}

void load_file(const char *name) {
	FILE *f = fopen(name, "r");
	size_t room = 1 << 24, n = 0;
	char *text = malloc(room), log[1 << 14];
	fake_module *m;
	if (f && text)
		n = fread(text, 1, room - 1, f);
	if (!n) {
		fail(name, "cannot be read");
	} else {
		text[n] = 0;
		int rc = fake_module_load(&m, text, 90, (fake_logs){log, NULL, sizeof log, 0});
		if (rc)
			fail(name, "%d\n%s", rc, log);
		else
			fake_module_free(m);
	}
	if (f)
		fclose(f);
	free(text);
}

int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++)
		load_file(argv[i]);
	if (argc == 1) {
		test_single();
		test_refused();
		test_together();
		test_faults();
		test_random();
	}
	printf("%d failures\n", failures);
	return failures != 0;
}
