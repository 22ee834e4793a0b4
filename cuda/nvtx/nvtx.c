//go:build cgo && linux

/* The program's side of NVTX 3: it loads the library of a tool and gives it slots for its functions. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "nvtx.h"

typedef void (*function)(void);

/* The interface's modules: core, CUDA, OpenCL, CUDA runtime, domains, and synchronisation, from 1. Slot 0 of each is
   no function. */
enum { core = 1, modules = 7, most = 16 };
static const unsigned sizes[modules] = {0, 16, 9, 15, 7, 16, 7};

static function slots[modules][most];
static function *tables[modules][most + 1]; /* a null behind the last one stops a tool that reads too far */

/* The slots of core that are called. */
enum { range_start = 5, range_end = 7, range_push = 9, range_pop = 11 };
typedef uint64_t (*start_function)(const char *);
typedef void (*end_function)(uint64_t);
typedef int (*push_function)(const char *);
typedef int (*pop_function)(void);

static int module_table(int module, function ***table, unsigned *size) {
	if (module < 1 || module >= modules)
		return 0;
	if (table)
		*table = tables[module];
	if (size)
		*size = sizes[module];
	return 1;
}

static void set_version(uint32_t version) { (void)version; }

static const struct {
	size_t size;
	int (*module_table)(int, function ***, unsigned *);
} callbacks = {sizeof callbacks, module_table};

static const struct {
	size_t size;
	uint32_t version, reserved;
	void (*set_version)(uint32_t);
} versions = {sizeof versions, 3, 0, set_version};

static const void *export_table(uint32_t id) {
	return id == 1 ? (const void *)&callbacks : id == 3 ? (const void *)&versions : NULL;
}

typedef int (*initialize_function)(const void *(*)(uint32_t));

static int kind = WEFT_NVTX_NONE;

int weft_nvtx_open(char *problem, size_t size) {
	const char *path = getenv("NVTX_INJECTION64_PATH");
	if (!path || !*path)
		return WEFT_NVTX_NONE;
	void *lib = dlopen(path, RTLD_LAZY);
	if (!lib) {
		snprintf(problem, size, "%s", dlerror());
		return WEFT_NVTX_REFUSED;
	}
	initialize_function initialize = (initialize_function)dlsym(lib, "InitializeInjectionNvtx2");
	if (!initialize) {
		snprintf(problem, size, "it has no function InitializeInjectionNvtx2, so it is no tool's library");
		dlclose(lib);
		return WEFT_NVTX_REFUSED;
	}
	for (int m = 1; m < modules; m++)
		for (unsigned i = 1; i < sizes[m]; i++)
			tables[m][i] = &slots[m][i];
	/* From here on the library stays: it may have left threads and pointers. */
	if (!initialize(export_table)) {
		snprintf(problem, size, "its InitializeInjectionNvtx2 returned 0, which means that it failed");
		return WEFT_NVTX_REFUSED;
	}
	if (slots[core][range_start] && slots[core][range_end])
		return kind = WEFT_NVTX_OVERLAPPING;
	if (slots[core][range_push] && slots[core][range_pop])
		return kind = WEFT_NVTX_NESTING;
	snprintf(problem, size, "it wants to know of no ranges: it filled neither nvtxRangeStartA and nvtxRangeEnd nor nvtxRangePushA and nvtxRangePop");
	return WEFT_NVTX_REFUSED;
}

uint64_t weft_nvtx_begin(const char *name) {
	if (kind == WEFT_NVTX_OVERLAPPING)
		return ((start_function)slots[core][range_start])(name);
	((push_function)slots[core][range_push])(name);
	return 0;
}

void weft_nvtx_end(uint64_t id) {
	if (kind == WEFT_NVTX_OVERLAPPING)
		((end_function)slots[core][range_end])(id);
	else
		((pop_function)slots[core][range_pop])();
}
