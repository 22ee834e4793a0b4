/* Virtual memory management: addresses are reserved, physical memory is created, and the one is mapped to the other. A piece of physical
   memory is a file without a name, and so is its shadow, so that what is mapped twice is the same memory with the same history. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

static const uint64_t granule = 2 << 20;

typedef struct physical {
	object o;
	int device, data, shadow, refs, maps, filled, told;
	uint64_t size;
} physical;

typedef struct reservation { struct reservation *next; uint64_t at, bytes; } reservation;
static reservation *reservations;

typedef struct { int type, handles; int location_type, location; void *windows; unsigned char flags[8]; } properties;
typedef struct { int location_type, location, flags; } access_of;

static int proper(const properties *p) { return p && p->type == 1 && p->location_type == 1 && p->location >= 0 && p->location < fake.devices; }

R cuMemGetAllocationGranularity(size_t *n, const properties *p, int option) {
	BASIC;
	if (!n || !proper(p) || option < 0 || option > 1)
		return leave(1);
	*n = granule;
	return leave(0);
}

static reservation *reserved(uint64_t at, uint64_t bytes) {
	reservation *r = reservations;
	while (r && (at < r->at || at + bytes > r->at + r->bytes))
		r = r->next;
	return r;
}

R cuMemAddressReserve(P *p, size_t bytes, size_t align, P wish, P flags) {
	BASIC;
	(void)wish; /* a hint */
	if (!p || !bytes || bytes % granule || flags || (align & (align - 1)))
		return leave(1);
	uint64_t at = va_take(bytes, align > granule ? align : granule);
	if (!at)
		return leave(2);
	reservation *r = malloc(sizeof *r);
	*r = (reservation){reservations, at, bytes};
	reservations = r;
	mmap((void *)(uintptr_t)at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	*p = at;
	return leave(0);
}

R cuMemAddressFree(P at, size_t bytes) {
	BASIC;
	for (reservation **r = &reservations; *r; r = &(*r)->next)
		if ((*r)->at == at && (*r)->bytes == bytes) {
			for (uint64_t p = at; p < at + bytes; p += granule) {
				allocation *a = allocation_at(p);
				if (a && a->live) {
					note("cuMemAddressFree: memory is still mapped at 0x%llx", (P)p);
					return leave(1);
				}
			}
			reservation *gone = *r;
			*r = gone->next;
			free(gone);
			mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
			va_give(at, bytes);
			return leave(0);
		}
	note("cuMemAddressFree: 0x%llx and %llu bytes are not what was reserved", at, (P)bytes);
	return leave(1);
}

static int file_of(uint64_t bytes) {
	int f = memfd_create("fakecuda", MFD_CLOEXEC);
	if (f >= 0 && ftruncate(f, (off_t)bytes)) {
		close(f);
		f = -1;
	}
	return f;
}

/* poison writes what nothing has written to the first bytes of a file: a mapping of it would fault for each page. */
static int poison(int f, uint64_t bytes) {
	char some[1 << 16];
	memset(some, 0xA5, sizeof some);
	for (uint64_t at = 0; at < bytes; at += sizeof some)
		if (pwrite(f, some, sizeof some, (off_t)at) != (ssize_t)sizeof some)
			return 0;
	return 1;
}

R cuMemCreate(P *handle, size_t bytes, const properties *p, P flags) {
	BASIC;
	if (!handle || !bytes || bytes % granule || flags || !proper(p))
		return leave(1);
	int d = p->location;
	if (bytes > fault_memory() || fake.used[d] > fault_memory() - bytes)
		return leave(2);
	int data = file_of(bytes), shadow = fake.shadow ? file_of(bytes * sizeof(cell)) : -1;
	if (data < 0 || (fake.shadow && shadow < 0)) {
		if (data >= 0)
			close(data);
		return leave(304);
	}
	physical *m = object_new(PHYSICAL, sizeof *m);
	m->device = d;
	m->data = data;
	m->shadow = shadow;
	m->refs = 1;
	m->size = bytes;
	fake.used[d] += bytes;
	*handle = (P)(uintptr_t)m;
	return leave(0);
}

static void drop(physical *m) {
	if (m->refs || m->maps)
		return;
	close(m->data);
	if (m->shadow >= 0)
		close(m->shadow);
	fake.used[m->device] -= m->size;
	object_die(m);
}

R cuMemRelease(P handle) {
	BASIC;
	physical *m = alive((void *)(uintptr_t)handle, PHYSICAL, "cuMemRelease");
	if (!m || !m->refs) {
		if (m)
			note("cuMemRelease: the handle was released already");
		return leave(1);
	}
	m->refs--;
	drop(m);
	return leave(0);
}

R cuMemMap(P at, size_t bytes, size_t offset, P handle, P flags) {
	BASIC;
	physical *m = alive((void *)(uintptr_t)handle, PHYSICAL, "cuMemMap");
	if (!m || !m->refs || flags || offset || !bytes || at % granule || bytes % granule || bytes > m->size)
		return leave(1);
	if (!reserved(at, bytes)) {
		note("cuMemMap: 0x%llx and %llu bytes were not reserved", at, (P)bytes);
		return leave(1);
	}
	for (uint64_t p = at; p < at + bytes; p += granule) {
		allocation *a = allocation_at(p);
		if (a && a->live) {
			note("cuMemMap: memory is mapped at 0x%llx already", (P)p);
			return leave(208);
		}
	}
	void *to = (void *)(uintptr_t)at;
	if (mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m->data, 0) == MAP_FAILED)
		return leave(205);
	if (m->shadow >= 0 && shadow_of(at) &&
	    mmap(shadow_of(at), bytes * sizeof(cell), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m->shadow, 0) == MAP_FAILED)
		return leave(205);
	if (!m->filled && m->size <= (uint64_t)64 << 20 && !poison(m->data, bytes))
		return leave(205);
	m->filled = 1;
	m->maps++;
	allocation *a = calloc(1, sizeof *a);
	*a = (allocation){.base = at, .size = bytes, .origin = OF_MAP, .device = m->device, .live = 1, .physical = m};
	pages_set(at, bytes, allocation_register(a));
	return leave(0);
}

R cuMemUnmap(P at, size_t bytes) {
	BASIC;
	uint64_t p = at;
	char by[100], where[200];
	while (p < at + bytes) {
		allocation *a = allocation_at(p);
		if (!a || !a->live || a->origin != OF_MAP || a->base != p || p + a->size > at + bytes) {
			describe_address(p, where, sizeof where);
			note("cuMemUnmap: %s is not where a mapping begins, or the mapping is longer", where);
			return leave(1);
		}
		p += a->size;
	}
	if (!bytes)
		return leave(1);
	for (p = at; p < at + bytes;) {
		allocation *a = allocation_at(p);
		physical *m = a->physical;
		uint32_t user = unseen(p, a->size, m->shadow);
		describe_address(p, where, sizeof where);
		if (in_use(a, by, sizeof by))
			note("cuMemUnmap: %s is used by work %s", where, by);
		else if (user)
			note("cuMemUnmap: %s was used by %s, whose end nothing has waited for", where, work_name(user, by, sizeof by));
		allocation_free(a);
		grace();
		mmap((void *)(uintptr_t)p, a->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		if (m->shadow >= 0 && shadow_of(p))
			mmap(shadow_of(p), a->size * sizeof(cell), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		m->maps--;
		drop(m);
		p += a->size;
	}
	return leave(0);
}

R cuMemSetAccess(P at, size_t bytes, const access_of *who, size_t n) {
	BASIC;
	if (!who || !n || !bytes)
		return leave(1);
	for (size_t i = 0; i < n; i++)
		if (who[i].location_type != 1 || who[i].location < 0 || who[i].location >= fake.devices || (who[i].flags != 0 && who[i].flags != 1 && who[i].flags != 3))
			return leave(1);
	for (uint64_t p = at; p < at + bytes;) {
		allocation *a = allocation_at(p);
		if (!a || !a->live || a->origin != OF_MAP || a->base != p || p + a->size > at + bytes)
			return leave(1);
		p += a->size;
	}
	for (uint64_t p = at; p < at + bytes; p += allocation_at(p)->size)
		for (size_t i = 0; i < n; i++)
			allocation_at(p)->access[who[i].location] = (uint8_t)(who[i].flags == 3 ? FAKE_READ | FAKE_WRITE : who[i].flags);
	__atomic_add_fetch(&generation, 1, __ATOMIC_SEQ_CST);
	return leave(0);
}

R cuMemGetAccess(P *flags, const access_of *where, P at) { /* a location is how the other begins */
	BASIC;
	allocation *a = allocation_at(at);
	if (!flags || !where || where->location_type != 1 || where->location < 0 || where->location >= fake.devices || !a || !a->live || a->origin != OF_MAP)
		return leave(1);
	*flags = a->access[where->location] == (FAKE_READ | FAKE_WRITE) ? 3 : a->access[where->location];
	return leave(0);
}

R cuMemRetainAllocationHandle(P *handle, void *at) {
	BASIC;
	allocation *a = allocation_at((uint64_t)(uintptr_t)at);
	if (!handle || !a || !a->live || a->origin != OF_MAP)
		return leave(1);
	a->physical->refs++;
	*handle = (P)(uintptr_t)a->physical;
	return leave(0);
}

/* pages_leaks tells of physical memory of a device that is left when its context ends. */
void pages_leaks(int device) {
	int n;
	object **all = objects(PHYSICAL, &n);
	for (int i = 0; i < n; i++) {
		physical *m = (physical *)all[i];
		if (m->device == device && !m->told++)
			note("leak: %llu bytes from cuMemCreate on device %d were never %s", (P)m->size, device, m->refs ? "released" : "unmapped");
	}
	free(all);
}
