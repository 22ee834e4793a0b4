/* A stand-in for libcuda.so.1: devices whose memory is the host's. It checks what a real
   driver would not: that a context is current on the calling thread, that copies stay
   inside one allocation, that the 64-bit interfaces are the ones that are bound. A module
   is any text with ".entry NAME" in it; launching a function writes down how it was
   launched at the address in its first parameter.

   FAKECUDA_INIT=100          what cuInit returns
   FAKECUDA_DEVICES=2         how many devices there are
   FAKECUDA_FAIL=cuMemFree_v2=719   makes that function fail with that code */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int R;
typedef unsigned long long P;

enum { MEMORY = 1 << 20 }; /* bytes of each device */

typedef struct { int device, retained; size_t used; } Context;
typedef struct Block { struct Block *next; Context *owner; char *data; size_t size; } Block;
typedef struct { char *text; } Module;
typedef struct { char name[64]; } Function;
typedef struct { Context *owner; int done; } Queue;
typedef struct { int recorded; long when; } Event;

static Context contexts[8];
static Block *blocks;
static long clock_ticks; /* each recorded event is one millisecond after the last */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread Context *current;

static int number(const char *variable, int otherwise) {
	const char *s = getenv(variable);
	return s && *s ? atoi(s) : otherwise;
}

static R forced(const char *function) {
	const char *s = getenv("FAKECUDA_FAIL");
	size_t n = strlen(function);
	return s && !strncmp(s, function, n) && s[n] == '=' ? (R)atoi(s + n + 1) : 0;
}

#define ENTER                       \
	do {                            \
		R rc_ = forced(__func__);   \
		if (rc_)                    \
			return rc_;             \
	} while (0)
#define ENTER_CONTEXT               \
	do {                            \
		ENTER;                      \
		if (!current)               \
			return 201;             \
	} while (0)

R cuInit(unsigned flags) { return flags ? 1 : (R)number("FAKECUDA_INIT", 0); }
R cuDriverGetVersion(int *v) { ENTER; *v = 12040; return 0; }
R cuDeviceGetCount(int *n) { ENTER; *n = number("FAKECUDA_DEVICES", 2); return 0; }
R cuDeviceGet(int *device, int ordinal) {
	ENTER;
	if (ordinal < 0 || ordinal >= number("FAKECUDA_DEVICES", 2))
		return 101;
	*device = ordinal;
	return 0;
}
R cuDeviceGetName(char *name, int n, int device) { ENTER; snprintf(name, n, "Fake GPU %d", device); return 0; }
R cuDeviceTotalMem_v2(size_t *n, int device) { ENTER; (void)device; *n = (size_t)6 << 30; return 0; } /* above 32 bits */
R cuDeviceTotalMem(unsigned *n, int device) { (void)n, (void)device; abort(); }
R cuDeviceGetUuid(char *id, int device) { ENTER; for (int i = 0; i < 16; i++) id[i] = (char)(i + device); return 0; }
R cuDeviceGetAttribute(int *v, int attribute, int device) {
	ENTER;
	(void)device;
	switch (attribute) {
	case 1: *v = 1024; return 0;
	case 8: *v = 49152; return 0;
	case 16: *v = 132; return 0;
	case 33: *v = 0x1a; return 0;
	case 75: *v = 9; return 0;
	case 76: *v = 0; return 0;
	}
	return 1;
}
R cuGetErrorName(R code, const char **s) {
	*s = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 218 ? "CUDA_ERROR_INVALID_PTX" : code == 500 ? "CUDA_ERROR_NOT_FOUND"
	   : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : NULL;
	return *s ? 0 : 1;
}
R cuGetErrorString(R code, const char **s) { *s = code == 2 ? "out of memory" : NULL; return *s ? 0 : 1; }

R cuDevicePrimaryCtxRetain(Context **c, int device) {
	ENTER;
	*c = &contexts[device];
	(*c)->device = device;
	(*c)->retained++;
	return 0;
}
R cuDevicePrimaryCtxRelease_v2(int device) { ENTER; return contexts[device].retained-- > 0 ? 0 : 201; }
R cuDevicePrimaryCtxRelease(int device) { (void)device; abort(); }
R cuCtxSetCurrent(Context *c) { ENTER; current = c; return 0; }
R cuCtxSynchronize(void) { ENTER_CONTEXT; return 0; }

R cuMemAlloc(unsigned *p, unsigned n) { (void)p, (void)n; abort(); }
R cuMemAlloc_v2(P *p, size_t n) {
	ENTER_CONTEXT;
	pthread_mutex_lock(&lock);
	int full = n > MEMORY - current->used;
	if (!full) {
		Block *b = malloc(sizeof *b);
		*b = (Block){blocks, current, malloc(n), n};
		blocks = b;
		current->used += n;
		*p = (P)(uintptr_t)b->data;
	}
	pthread_mutex_unlock(&lock);
	return full ? 2 : 0;
}
R cuMemFree_v2(P p) {
	ENTER_CONTEXT;
	R rc = 1;
	pthread_mutex_lock(&lock);
	for (Block **at = &blocks; *at; at = &(*at)->next)
		if ((*at)->data == (char *)(uintptr_t)p && (*at)->owner == current) {
			Block *b = *at;
			*at = b->next;
			current->used -= b->size;
			free(b->data);
			free(b);
			rc = 0;
			break;
		}
	pthread_mutex_unlock(&lock);
	return rc;
}
R cuMemGetInfo_v2(size_t *unused, size_t *total) { ENTER_CONTEXT; *total = MEMORY; *unused = MEMORY - current->used; return 0; }
R cuMemHostAlloc(void **p, size_t n, unsigned flags) { ENTER_CONTEXT; (void)flags; *p = malloc(n); return 0; }
R cuMemFreeHost(void *p) { ENTER_CONTEXT; free(p); return 0; }

/* inside returns the host bytes of n bytes of device memory at p, or NULL. */
static char *inside(P p, size_t n) {
	char *at = (char *)(uintptr_t)p, *found = NULL;
	pthread_mutex_lock(&lock);
	for (Block *b = blocks; b; b = b->next)
		if (at >= b->data && at + n <= b->data + b->size)
			found = at;
	pthread_mutex_unlock(&lock);
	return found;
}
static R copied(void *dst, const void *src, size_t n) {
	if (!dst || !src)
		return 1;
	memcpy(dst, src, n);
	return 0;
}
R cuMemcpyHtoD_v2(P d, const void *s, size_t n) { ENTER_CONTEXT; return copied(inside(d, n), s, n); }
R cuMemcpyDtoH_v2(void *d, P s, size_t n) { ENTER_CONTEXT; return copied(d, inside(s, n), n); }
R cuMemcpyDtoD_v2(P d, P s, size_t n) { ENTER_CONTEXT; return copied(inside(d, n), inside(s, n), n); }
R cuMemcpyHtoDAsync_v2(P d, const void *s, size_t n, Queue *q) { ENTER_CONTEXT; return q ? copied(inside(d, n), s, n) : 400; }
R cuMemcpyDtoHAsync_v2(void *d, P s, size_t n, Queue *q) { ENTER_CONTEXT; return q ? copied(d, inside(s, n), n) : 400; }
R cuMemcpyDtoDAsync_v2(P d, P s, size_t n, Queue *q) { ENTER_CONTEXT; return q ? copied(inside(d, n), inside(s, n), n) : 400; }
R cuMemcpyPeerAsync(P d, Context *dc, P s, Context *sc, size_t n, Queue *q) {
	ENTER_CONTEXT;
	return q && dc == &contexts[dc->device] && sc == &contexts[sc->device] && dc != sc ? copied(inside(d, n), inside(s, n), n) : 400;
}

R cuModuleLoadDataEx(Module **m, const char *text, unsigned n, const int *options, void **values) {
	ENTER_CONTEXT;
	char *log[7] = {0};
	size_t room[7] = {0};
	for (unsigned i = 0; i < n; i++) {
		if (options[i] == 3 || options[i] == 5)
			log[options[i]] = values[i];
		if (options[i] == 4 || options[i] == 6)
			room[options[i] - 1] = (size_t)values[i];
	}
	if (strstr(text, "SYNTAX ERROR")) {
		if (log[5])
			snprintf(log[5], room[5], "ptxas application ptx input, line 3; fatal   : Parsing error near 'SYNTAX'");
		return 218;
	}
	if (log[3])
		snprintf(log[3], room[3], "ptxas info    : Used 8 registers");
	*m = malloc(sizeof **m);
	(*m)->text = strdup(text);
	return 0;
}
R cuModuleUnload(Module *m) { ENTER_CONTEXT; free(m->text); free(m); return 0; }
R cuModuleGetFunction(Function **f, Module *m, const char *name) {
	ENTER_CONTEXT;
	char entry[80];
	snprintf(entry, sizeof entry, ".entry %s", name);
	if (!strstr(m->text, entry))
		return 500;
	*f = calloc(1, sizeof **f);
	snprintf((*f)->name, sizeof (*f)->name, "%s", name);
	return 0;
}

/* Writes grid, block, shared memory and the parameter words to the first parameter. */
R cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                 Queue *q, void **params, void **extra) {
	ENTER_CONTEXT;
	if (!f || !q || q->owner != current || params)
		return 400;
	if (!gx || bx * by * bz > 1024)
		return 1;
	if (!extra)
		return 0;
	if (extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4])
		return 1;
	const uint64_t *words = extra[1];
	size_t n = *(size_t *)extra[3];
	uint64_t head[7] = {gx, gy, gz, bx, by, bz, shared};
	char *out = inside(words[0], sizeof head + n);
	if (!out)
		return 700;
	memcpy(out, head, sizeof head);
	memcpy(out + sizeof head, words, n);
	return 0;
}

R cuStreamCreate(Queue **q, unsigned flags) {
	ENTER_CONTEXT;
	if (flags != 1)
		return 1;
	*q = calloc(1, sizeof **q);
	(*q)->owner = current;
	return 0;
}
R cuStreamDestroy_v2(Queue *q) { ENTER_CONTEXT; free(q); return 0; }
R cuStreamDestroy(Queue *q) { (void)q; abort(); }
R cuStreamSynchronize(Queue *q) { ENTER_CONTEXT; return q ? 0 : 400; }
R cuStreamQuery(Queue *q) { ENTER_CONTEXT; return q ? 0 : 400; }
R cuStreamWaitEvent(Queue *q, Event *e, unsigned flags) { ENTER_CONTEXT; return q && e && !flags ? 0 : 400; }
R cuEventCreate(Event **e, unsigned flags) { ENTER_CONTEXT; (void)flags; *e = calloc(1, sizeof **e); return 0; }
R cuEventDestroy_v2(Event *e) { ENTER_CONTEXT; free(e); return 0; }
R cuEventRecord(Event *e, Queue *q) {
	ENTER_CONTEXT;
	(void)q;
	e->recorded = 1;
	e->when = __atomic_add_fetch(&clock_ticks, 1, __ATOMIC_SEQ_CST);
	return 0;
}
R cuEventQuery(Event *e) { ENTER_CONTEXT; return e->recorded ? 0 : 600; }
R cuEventSynchronize(Event *e) { ENTER_CONTEXT; return e->recorded ? 0 : 400; }
R cuEventElapsedTime(float *ms, Event *a, Event *b) {
	ENTER_CONTEXT;
	if (!a->recorded || !b->recorded)
		return 400;
	*ms = (float)(b->when - a->when);
	return 0;
}
