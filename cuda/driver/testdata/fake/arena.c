/* Where memory is. One range of the process's addresses, the arena, holds all memory that the driver gives out; a table by page says which
   allocation a page belongs to or belonged to, so that a lookup takes no lock. Host memory that a caller registers, and variables of
   modules, lie outside and are in a list.

   Freed pages stay mapped, and are not given out again, until everything that ran at the time has ended: what a kernel does with them is an
   error that is told, not the end of the process. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

enum { PAGE = 4096, CHUNK = 4096, CHUNKS = 4096, OUTSIDE = 4096 };
static const uint64_t quarantine = 64 << 20;

static uint64_t arena, arena_bytes, arena_next;
static uint64_t shadow; /* of the arena; 0 where none is kept */
static uint32_t *pages;
static allocation **table[CHUNKS];
static uint32_t ids = 1;
static allocation *outside[OUTSIDE];
static int noutside;
static pthread_mutex_t outside_lock = PTHREAD_MUTEX_INITIALIZER;
uint64_t generation = 1; /* changes whenever an allocation dies or its access does */

typedef struct limbo { struct limbo *next; uint64_t at, bytes, order; int used; } limbo;
static limbo *oldest, *newest, *spare;
static uint64_t in_limbo;

static void *map(uint64_t bytes) {
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_NOHUGEPAGE); /* a page of shadow must not become two megabytes */
	madvise(p, bytes, MADV_DONTDUMP);
	return p;
}

static int arena_open(void) {
	for (uint64_t bytes = (uint64_t)256 << 30; !arena && bytes >= 1 << 28; bytes /= 2) {
		void *a = map(bytes + ((uint64_t)2 << 20)), *p = a ? map(bytes / PAGE * sizeof *pages) : NULL, *s = p && fake.shadow ? map(bytes * sizeof(cell)) : NULL;
		if (!p || (fake.shadow && !s)) {
			if (a)
				munmap(a, bytes + ((uint64_t)2 << 20));
			if (p)
				munmap(p, bytes / PAGE * sizeof *pages);
			continue;
		}
		arena = ((uint64_t)(uintptr_t)a + (2 << 20) - 1) >> 21 << 21;
		arena_bytes = bytes;
		arena_next = arena + PAGE;
		pages = p;
		shadow = (uint64_t)(uintptr_t)s;
	}
	return arena != 0;
}

/* ---- pages ---- */

static void limbo_clear(void) {
	uint64_t running = UINT64_MAX;
	for (queue *q = fake.queues; q; q = q->next)
		if (q->running && q->first && q->first->order < running)
			running = q->first->order;
	while (oldest && in_limbo > quarantine && oldest->order < running) {
		limbo *l = oldest;
		oldest = l->next;
		if (!oldest)
			newest = NULL;
		in_limbo -= l->bytes;
		madvise((void *)(uintptr_t)l->at, l->bytes, MADV_DONTNEED);
		shadow_reset(l->at, l->bytes);
		l->next = spare;
		spare = l;
	}
}

void va_give(uint64_t at, uint64_t bytes) {
	limbo *l = calloc(1, sizeof *l);
	*l = (limbo){NULL, at, bytes, fake.orders, 0};
	if (newest)
		newest->next = l;
	else
		oldest = l;
	newest = l;
	in_limbo += bytes;
	limbo_clear();
}

/* va_take returns addresses of whole pages that nothing has; a page before and after them stays free. */
uint64_t va_take(uint64_t bytes, uint64_t align) {
	if (!arena && !arena_open())
		return 0;
	uint64_t at = (arena_next + align - 1) / align * align;
	if (at + bytes + PAGE <= arena + arena_bytes) {
		arena_next = at + bytes + PAGE;
		return at;
	}
	limbo_clear();
	for (limbo **l = &spare; *l; l = &(*l)->next) {
		at = ((*l)->at + align - 1) / align * align;
		if (at + bytes <= (*l)->at + (*l)->bytes) {
			limbo *gone = *l;
			*l = gone->next;
			free(gone); /* what is left of it is lost: the arena is far larger than a device */
			return at;
		}
	}
	return 0;
}

void pages_set(uint64_t at, uint64_t bytes, uint32_t id) {
	for (uint64_t p = (at - arena) / PAGE, end = (at + bytes + PAGE - 1 - arena) / PAGE; p < end; p++)
		__atomic_store_n(&pages[p], id, __ATOMIC_RELEASE);
}

cell *shadow_of(uint64_t address) {
	return shadow && address - arena < arena_bytes ? (cell *)(uintptr_t)shadow + (address - arena) : NULL;
}

/* ---- allocations ---- */

uint32_t allocation_register(allocation *a) {
	uint32_t id = ids++;
	allocation ***chunk = &table[id / CHUNK % CHUNKS];
	if (!*chunk)
		__atomic_store_n(chunk, calloc(CHUNK, sizeof **chunk), __ATOMIC_RELEASE);
	(*chunk)[id % CHUNK] = a;
	return a->id = id;
}

static allocation *by_id(uint32_t id) { return id ? table[id / CHUNK % CHUNKS][id % CHUNK] : NULL; }

allocation *allocation_at(uint64_t address) {
	if (arena && address - arena < arena_bytes)
		return by_id(__atomic_load_n(&pages[(address - arena) / PAGE], __ATOMIC_ACQUIRE));
	allocation *found = NULL;
	pthread_mutex_lock(&outside_lock);
	for (int i = 0; i < noutside && !found; i++)
		if (address - outside[i]->base < outside[i]->size)
			found = outside[i];
	pthread_mutex_unlock(&outside_lock);
	return found;
}

/* allocation_new takes pages for size bytes. What lies there is garbage, as on a device: 0xA5 in every byte. */
allocation *allocation_new(origin o, int device, context *ctx, uint64_t size, size_t charge) {
	uint64_t whole = (size + 256 + PAGE - 1) / PAGE * PAGE, at = va_take(whole, PAGE);
	if (!at)
		return NULL;
	allocation *a = calloc(1, sizeof *a);
	/* A device promises 256 bytes of alignment and no more. */
	*a = (allocation){.base = at + (o == OF_DEVICE || o == OF_POOL ? 256 : 0), .size = size, .origin = o, .device = device, .live = 1, .ctx = ctx,
	                  .va = at, .va_size = whole, .charged = charge};
	memset(a->access, o == OF_HOST || o == OF_MANAGED ? FAKE_READ | FAKE_WRITE : 0, sizeof a->access);
	if (whole <= (uint64_t)64 << 20)
		memset((void *)(uintptr_t)at, 0xA5, whole);
	allocation_register(a);
	pages_set(at, whole, a->id);
	if (charge) {
		fake.used[device] += charge;
		if (fake.used[device] > fake.peak[device])
			fake.peak[device] = fake.used[device];
	}
	return a;
}

/* allocation_outside makes known a range that the driver did not give out. */
allocation *allocation_outside(origin o, int device, context *ctx, uint64_t base, uint64_t size) {
	allocation *a = calloc(1, sizeof *a);
	*a = (allocation){.base = base, .size = size, .origin = o, .device = device, .live = 1, .ctx = ctx};
	memset(a->access, o == OF_REGISTER ? FAKE_READ | FAKE_WRITE : 0, sizeof a->access);
	allocation_register(a);
	pthread_mutex_lock(&outside_lock);
	if (noutside < OUTSIDE)
		outside[noutside++] = a;
	pthread_mutex_unlock(&outside_lock);
	return a;
}

/* allocation_meets says whether a range has bytes that are known already. */
int allocation_meets(uint64_t at, uint64_t n) {
	int known = 0;
	pthread_mutex_lock(&outside_lock);
	for (int i = 0; i < noutside; i++)
		known |= at < outside[i]->base + outside[i]->size && outside[i]->base < at + n;
	pthread_mutex_unlock(&outside_lock);
	return known || allocation_at(at);
}

void allocation_free(allocation *a) {
	a->live = 0;
	__atomic_add_fetch(&generation, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < a->nuses; i++)
		mark_drop(a->uses[i].m);
	free(a->uses);
	a->uses = NULL;
	a->nuses = 0;
	if (a->charged) {
		fake.used[a->device] -= a->charged;
		if (a->origin == OF_POOL)
			pool_returns(a, a->charged);
	}
	a->charged = 0;
	if (a->origin == OF_REGISTER || a->origin == OF_MODULE) {
		pthread_mutex_lock(&outside_lock);
		for (int i = 0; i < noutside; i++)
			if (outside[i] == a)
				outside[i] = outside[--noutside];
		pthread_mutex_unlock(&outside_lock);
	} else if (a->va_size)
		va_give(a->va, a->va_size);
}

static const char *const origins[] = {"cuMemAlloc", "cuMemAllocAsync", "cuMemHostAlloc", "cuMemHostRegister", "cuMemMap", "cuMemAllocManaged", "a module"};

void describe_address(uint64_t address, char *into, size_t room) {
	allocation *a = allocation_at(address), *near = NULL;
	for (uint64_t d = PAGE; !a && !near && d <= 16 * PAGE; d += PAGE)
		near = arena && address - d - arena < arena_bytes ? allocation_at(address - d) : NULL;
	a = a ? a : near;
	if (!a)
		snprintf(into, room, "0x%llx, where no memory of a device is", (P)address);
	else if (!a->live)
		snprintf(into, room, "0x%llx, byte %lld of %llu bytes from %s that were freed", (P)address, (long long)(address - a->base), (P)a->size,
		         origins[a->origin]);
	else
		snprintf(into, room, "0x%llx, byte %lld of %llu bytes from %s on device %d", (P)address, (long long)(address - a->base), (P)a->size,
		         origins[a->origin], a->device);
}

/* device_may says whether kernels of a device may touch an allocation. */
int device_may(const allocation *a, int device, int how) {
	int need = how & (FAKE_WRITE | FAKE_ATOMIC) ? FAKE_WRITE : FAKE_READ;
	if (a->origin == OF_MAP || a->origin == OF_HOST || a->origin == OF_REGISTER || a->origin == OF_MANAGED)
		return (a->access[device] & need) != 0;
	if (a->device == device || a->access[device] & need)
		return 1;
	context *c = fake.primary[device];
	return c && c->peers[a->device] && a->origin != OF_MODULE;
}

static int anyone_may(const allocation *a) {
	for (int d = 0; d < DEVICES; d++)
		if (a->access[d])
			return 1;
	return 0;
}

/* range_ok says whether n bytes lie in live memory, which may be several mappings side by side. */
int range_ok(uint64_t address, size_t n, int device, int how) {
	while (n) {
		allocation *a = allocation_at(address);
		if (!a || !a->live || address < a->base || address >= a->base + a->size || (device >= 0 && !device_may(a, device, how)))
			return 0;
		if (a->origin == OF_MAP && !anyone_may(a))
			return 0;
		uint64_t here = a->base + a->size - address;
		if (here >= n)
			return 1;
		if (a->origin != OF_MAP)
			return 0;
		address += here;
		n -= here;
	}
	return 1;
}

int place_of(uint64_t address) {
	allocation *a = allocation_at(address);
	return !a ? PAGEABLE : a->origin == OF_HOST || a->origin == OF_REGISTER ? PINNED : ONDEVICE;
}

/* ---- who uses an allocation ---- */

/* use keeps the last work of each queue that was told of an allocation. */
void use(allocation *a, queue *q, mark *m, int writes) {
	for (int i = 0; i < a->nuses; i++)
		if (a->uses[i].q == q) {
			mark *old = a->uses[i].m;
			a->uses[i].writes = writes || (a->uses[i].writes && !old->done);
			a->uses[i].m = mark_keep(m);
			mark_drop(old);
			return;
		}
	a->uses = realloc(a->uses, (size_t)(a->nuses + 1) * sizeof *a->uses);
	a->uses[a->nuses].q = q;
	a->uses[a->nuses].m = mark_keep(m);
	a->uses[a->nuses++].writes = writes;
}

/* seen says whether the host knows of the end of the work that a mark stands for: it ended, and the host waited for it. */
static int seen(const mark *m) {
	if (!m->done)
		return 0;
	for (int i = 0; i < QUEUES; i++)
		if (m->clock[i] > fake.clock[i])
			return 0;
	return 1;
}

int in_use(allocation *a, char *by, size_t room) {
	for (int i = 0; i < a->nuses; i++)
		if (!seen(a->uses[i].m)) {
			snprintf(by, room, "%s", a->uses[i].m->done ? "whose end nothing has waited for" : "that is still to be done");
			return 1;
		}
	return 0;
}

/* grace waits until what runs now has ended, for memory that is about to leave the process's addresses. */
void grace(void) {
	struct { queue *q; uint64_t order; } runs[256];
	int n = 0;
	for (queue *q = fake.queues; q && n < 256; q = q->next)
		if (q->running && q->first && engine_of(&q->first->task) != HOSTING) {
			runs[n].q = q;
			runs[n++].order = q->first->order;
		}
	for (int again = 1; again;) {
		again = 0;
		for (queue *q = fake.queues; q && !again; q = q->next)
			for (int i = 0; i < n && !again; i++)
				again = runs[i].q == q && q->running && q->first && q->first->order == runs[i].order;
		if (again)
			pthread_cond_wait(&fake.changed, &fake.lock);
	}
}

/* context_leaks frees the memory that a context leaves behind, and tells of it. */
void context_leaks(context *c, int tell) {
	for (uint32_t id = 1; id < ids; id++) {
		allocation *a = by_id(id);
		if (!a || !a->live || a->ctx != c || a->origin == OF_MODULE || a->origin == OF_MAP)
			continue;
		if (tell)
			note("leak: %llu bytes from %s on device %d were never freed", (P)a->size, origins[a->origin], c->device);
		allocation_free(a);
	}
}
