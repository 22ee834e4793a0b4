//go:build cuda && cgo && linux

/* libcuda.so.1 is opened when the first driver function is called, not when the process
   starts: the binary has to start where there is no driver, and where there is one,
   cuInit costs hundreds of milliseconds that a process without GPU work must not pay. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "load.h"

int weft_cuda_state = WEFT_CUDA_UNTRIED;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CUresult init_result;
static int version;
static char library[1024];
static char problem[1024];

/* Where the library is looked for after the loader's own search path: WSL2 keeps it out of
   that path, and so do some container runtimes. */
static const char *const places[] = {
	"libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
};

static void *find(void) {
	const char *named = getenv("WEFT_LIBCUDA");
	if (named && *named) {
		void *lib = dlopen(named, RTLD_NOW | RTLD_GLOBAL);
		if (!lib)
			snprintf(problem, sizeof problem, "WEFT_LIBCUDA: %s", dlerror());
		return lib;
	}
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		void *lib = dlopen(places[i], RTLD_NOW | RTLD_GLOBAL);
		if (lib)
			return lib;
		const char *why = dlerror();
		/* A library that is there but cannot be loaded says more than one that is missing. */
		if (i == 0 || (why && !strstr(why, "No such file")))
			snprintf(problem, sizeof problem, "%s", why ? why : "unknown error");
	}
	return NULL;
}

static void open_once(void) {
	void *lib = find();
	if (!lib) {
		init_result = CUDA_ERROR_NO_DEVICE;
		__atomic_store_n(&weft_cuda_state, WEFT_CUDA_ABSENT, __ATOMIC_RELEASE);
		return;
	}
	problem[0] = 0;
	CUresult (*init)(unsigned) = (CUresult (*)(unsigned))dlsym(lib, "cuInit");
	Dl_info where;
	if (init && dladdr((void *)init, &where) && where.dli_fname)
		snprintf(library, sizeof library, "%s", where.dli_fname);
	if (!init) {
		snprintf(problem, sizeof problem, "the library has no cuInit: it is not a CUDA driver");
		init_result = CUDA_ERROR_NO_DEVICE;
		__atomic_store_n(&weft_cuda_state, WEFT_CUDA_ABSENT, __ATOMIC_RELEASE);
		return;
	}
	for (int i = 0; i < weft_cuda_count; i++)
		weft_cuda_entries[i] = dlsym(lib, weft_cuda_names[i]);
	CUresult (*get_version)(int *) = (CUresult (*)(int *))dlsym(lib, "cuDriverGetVersion");
	if (!get_version || get_version(&version))
		version = 0; /* needs no cuInit: it can be told when that fails, too */
	init_result = init(0);
	__atomic_store_n(&weft_cuda_state, init_result ? WEFT_CUDA_ABSENT : WEFT_CUDA_OPEN, __ATOMIC_RELEASE);
}

CUresult weft_cuda_open(void) {
	pthread_once(&once, open_once);
	return init_result;
}

const char *weft_cuda_library(void) { return library; }
const char *weft_cuda_problem(void) { return problem; }
int weft_cuda_version(void) { return version; }

/* The module calls cuInit from a package initialiser and ends the process when it fails.
   It is told what it wants to hear; the real call is made by weft_cuda_open. */
CUresult cuInit(unsigned int flags) {
	(void)flags;
	return CUDA_SUCCESS;
}
