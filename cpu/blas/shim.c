#define _GNU_SOURCE
#include "shim.h"
#include "../eager/floating.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

// in_memory copies a file into memory that has a name; -1 where that cannot be done.
static int in_memory(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -1;
	struct stat st;
	int to = memfd_create("blas", MFD_CLOEXEC);
	if (to >= 0 && fstat(from, &st) == 0) {
		off_t at = 0;
		while (at < st.st_size && sendfile(to, from, &at, (size_t)(st.st_size - at)) > 0)
			;
		if (at < st.st_size) {
			close(to);
			to = -1;
		}
	}
	close(from);
	return to;
}

void *weft_open(const char *path, int private_copy, const char *coretype, char *why, int n)
{
	int file = private_copy ? in_memory(path) : -1;
	if (private_copy && file < 0) {
		snprintf(why, (size_t)n, "no copy of %s in memory", path);
		return NULL;
	}
	char name[64];
	if (file >= 0) {
		snprintf(name, sizeof name, "/proc/self/fd/%d", file);
		path = name;
	}
	char *before = NULL;
	if (coretype[0]) {
		const char *old = getenv("OPENBLAS_CORETYPE");
		before = old ? strdup(old) : NULL;
		setenv("OPENBLAS_CORETYPE", coretype, 1);
	}
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		snprintf(why, (size_t)n, "%s", dlerror());
	if (coretype[0]) {
		if (before)
			setenv("OPENBLAS_CORETYPE", before, 1);
		else
			unsetenv("OPENBLAS_CORETYPE");
		free(before);
	}
	if (file >= 0)
		close(file);
	return library;
}

void *weft_symbol(void *library, const char *name) { return dlsym(library, name); }

const char *weft_file(void *symbol)
{
	Dl_info from;
	return symbol && dladdr(symbol, &from) && from.dli_fname ? from.dli_fname : "";
}

const char *weft_text(void *function) { return ((const char *(*)(void))function)(); }
void weft_set(void *function, int n) { ((void (*)(int))function)(n); }
int weft_get(void *function) { return ((int (*)(void))function)(); }

// Every argument of a Fortran routine is an address; those of characters are followed by
// their lengths, behind all others. Arguments beyond those that a routine takes are in
// registers or on a stack that the caller clears: they do no harm, so that one type does for
// all routines. Integers are read and written in their low half by libraries with 32 bits,
// the machine being little-endian.
typedef uintptr_t u;
typedef void (*routine)(u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u, u);

// place writes what a routine gets for its arguments.
static void place(const weft_arg *args, int n, int64_t *value, u *a)
{
	for (int i = 0; i < WEFT_MAX_ARGS + 4; i++)
		a[i] = 1; // the lengths of characters
	for (int i = 0; i < n; i++) {
		value[i] = args[i].kind == WEFT_INFO ? 0 : (int64_t)args[i].bits;
		a[i] = args[i].kind == WEFT_ADDRESS ? (u)args[i].bits : (u)&value[i];
	}
}

static void call(void *function, const u *a)
{
	((routine)function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
		a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23]);
}

void weft_blas_call(void *function, weft_arg *args, int n)
{
	int64_t value[WEFT_MAX_ARGS];
	u a[WEFT_MAX_ARGS + 4];
	place(args, n, value, a);
	call(function, a);
	for (int i = 0; i < n; i++)
		if (args[i].kind == WEFT_INFO)
			args[i].bits = (uint64_t)value[i];
}

int weft_blas_watched(void *function, weft_arg *args, int n)
{
	int before = eager_raised(), raised;
	eager_lower();
	weft_blas_call(function, args, n);
	raised = eager_raised();
	eager_lower();
	eager_raise(before);
	return raised;
}

int weft_blas_stack(void *function, weft_arg *args, int n, int64_t calls, const weft_blas_steps *steps, int watched)
{
	int64_t value[WEFT_MAX_ARGS];
	u a[WEFT_MAX_ARGS + 4];
	int before = watched ? eager_raised() : 0, raised = 0;
	if (watched)
		eager_lower();
	place(args, n, value, a);
	for (int64_t i = 0; i < calls; i++) {
		call(function, a);
		for (int k = 0; k < WEFT_STEPS; k++)
			a[steps->which[k]] += (u)steps->by[k];
	}
	if (watched) {
		raised = eager_raised();
		eager_lower();
		eager_raise(before);
	}
	return raised;
}

void weft_blas_part(void *of, int64_t i)
{
	const weft_blas_parts *p = of;
	weft_arg args[WEFT_MAX_ARGS];
	memcpy(args, p->args, sizeof args);
	int64_t at = i * p->most;
	args[p->count].bits = (uint64_t)(p->all - at < p->most ? p->all - at : p->most);
	args[p->from].bits += (uint64_t)(at * p->reads);
	args[p->to].bits += (uint64_t)(at * p->writes);
	weft_blas_call(p->routine, args, (int)p->n);
}

int weft_avx512(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
	return 0;
#endif
}
