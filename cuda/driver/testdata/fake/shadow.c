/* Who wrote a byte last, and who has read it since: each byte of the arena has a cell of 16 bytes.

   writer: the number of the work in the upper half, then a bit for strong (atomic or volatile) accesses, then the block.
   reader: the same, with the bit saying "several blocks"; or, with the top bit, a set of works that read it without an order among them.

   Two accesses of which one is a write are in order where they are of one block, or the vector clocks say so. Strong accesses of two
   kernels, or of a kernel and a copy, do not race: that is how a flag is passed. A block that has executed an atomic operation may read what
   other blocks of its launch wrote: it has synchronised by means that this file does not judge. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

static const uint64_t bit = (uint64_t)1 << 31, block_mask = ((uint64_t)1 << 31) - 1, set_bit = (uint64_t)1 << 63;

/* ---- works by number ---- */

enum { SLOTS = 65536, PIECES = 4096 };
static past *pieces[PIECES]; /* of SLOTS works each */
static uint32_t works = WRITTEN_BY_HOST;
static work *running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static past *past_of(uint32_t id) {
	past *p = __atomic_load_n(&pieces[id / SLOTS % PIECES], __ATOMIC_ACQUIRE);
	return p ? &p[id % SLOTS] : NULL;
}

void work_begin(work *w) {
	pthread_mutex_lock(&lock);
	w->id = ++works;
	past **piece = &pieces[w->id / SLOTS % PIECES];
	if (!*piece)
		__atomic_store_n(piece, calloc(SLOTS, sizeof **piece), __ATOMIC_RELEASE);
	(*piece)[w->id % SLOTS] = (past){(uint32_t)w->queue << 16 | w->node, w->seq, w->what};
	w->next = running;
	running = w;
	pthread_mutex_unlock(&lock);
}

void work_end(work *w) {
	pthread_mutex_lock(&lock);
	for (work **at = &running; *at; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			break;
		}
	pthread_mutex_unlock(&lock);
}

work *work_of_launch(uint64_t launch) {
	pthread_mutex_lock(&lock);
	work *w = running;
	while (w && w->id != launch)
		w = w->next;
	pthread_mutex_unlock(&lock);
	return w;
}

const char *work_name(uint32_t id, char *into, size_t room) {
	past *p = id > WRITTEN_BY_HOST ? past_of(id) : NULL;
	if (p)
		snprintf(into, room, "%s (work %u, queue %u)", p->what ? p->what : "work", id, p->queue_node >> 16);
	else
		snprintf(into, room, "the host");
	return into;
}

/* ordered_before says whether work id was done, for sure, before w began. */
int ordered_before(uint32_t id, const work *w) {
	if (id <= WRITTEN_BY_HOST)
		return 1;
	past *p = past_of(id);
	unsigned q = p->queue_node >> 16, node = p->queue_node & 0xffff;
	if (q == w->queue && p->seq == w->seq)
		return node == w->node || (w->reach && w->reach[(size_t)(node - 1) * (size_t)w->nodes + w->node - 1]);
	return w->clock[q] >= p->seq;
}

/* check_birth says whether memory that a queue allocates is used by what is not ordered after that. */
void check_birth(const allocation *a, const work *w) {
	if ((a->unborn || (a->born && !ordered_before(a->born, w))) && first_of(w->id, a->base, 1))
		note("%s: uses memory that cuMemAllocAsync gives in a queue's order, and nothing orders it after that", w->what);
}

/* ---- sets of readers ---- */

enum { SETS = 4096, MEMBERS = 8 };
static struct { int n; uint32_t work[MEMBERS]; } sets[SETS];
static uint32_t nsets;

/* join returns the reader field for a byte that old had read, and w reads now, in no order. */
static uint64_t join(uint64_t old, const work *w) {
	static __thread uint64_t from, to;
	static __thread uint32_t by;
	if (from == old && by == w->id)
		return to;
	uint32_t members[MEMBERS];
	int n = 0;
	pthread_mutex_lock(&lock);
	uint32_t *was = old & set_bit ? sets[(old & ~set_bit) % SETS].work : &(uint32_t){(uint32_t)(old >> 32)};
	for (int i = 0, end = old & set_bit ? sets[(old & ~set_bit) % SETS].n : 1; i < end && n < MEMBERS - 1; i++)
		if (was[i] != w->id && !ordered_before(was[i], w))
			members[n++] = was[i];
	members[n++] = w->id;
	uint64_t set = SETS;
	for (uint32_t i = nsets > SETS ? nsets - SETS : 0; i < nsets && set == SETS; i++)
		if (sets[i % SETS].n == n && !memcmp(sets[i % SETS].work, members, (size_t)n * sizeof *members))
			set = i;
	if (set == SETS || set < (nsets > SETS ? nsets - SETS : 0)) {
		set = nsets++;
		sets[set % SETS].n = n;
		memcpy(sets[set % SETS].work, members, (size_t)n * sizeof *members);
	}
	pthread_mutex_unlock(&lock);
	from = old;
	by = w->id;
	to = set_bit | set;
	return to;
}

/* unseen_by_host says whether a work ended, for all the host knows, or names it. */
static uint32_t unseen_by_host(uint64_t field) {
	uint32_t ids[MEMBERS] = {(uint32_t)(field >> 32)};
	int n = 1;
	if (field & set_bit) {
		n = sets[(field & ~set_bit) % SETS].n;
		memcpy(ids, sets[(field & ~set_bit) % SETS].work, sizeof ids);
	}
	for (int i = 0; i < n; i++) {
		past *p = ids[i] > WRITTEN_BY_HOST ? past_of(ids[i]) : NULL;
		if (p && p->seq > fake.clock[p->queue_node >> 16])
			return ids[i];
	}
	return 0;
}

/* unseen looks at some bytes of a range for work whose end the host has not waited for. It wants the lock of the state. The file is the
   range's shadow: where it has holes nothing was ever used, and a look there would give each of them memory, 16 bytes for every byte. */
uint32_t unseen(uint64_t at, uint64_t bytes, int file) {
	cell *c = shadow_of(at);
	uint64_t step = bytes / 32768 + 1, hole = 0;
	uint32_t found = 0;
	pthread_mutex_lock(&lock);
	for (uint64_t i = 0; c && i < bytes && !found;) {
		if (i * sizeof *c >= hole) {
			off_t data = lseek(file, (off_t)(i * sizeof *c), SEEK_DATA), end = data < 0 ? -1 : lseek(file, data, SEEK_HOLE);
			if (end < 0)
				break;
			hole = (uint64_t)end;
			i = ((uint64_t)data / sizeof *c + step - 1) / step * step;
			continue;
		}
		cell now = {__atomic_load_n(&c[i].writer, __ATOMIC_RELAXED), __atomic_load_n(&c[i].reader, __ATOMIC_RELAXED)};
		i += step;
		found = unseen_by_host(now.writer);
		found = found ? found : unseen_by_host(now.reader);
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* unordered returns a work that has read the byte and is not ordered before w, or 0. */
static uint32_t unordered(uint64_t reader, const work *w) {
	if (!(reader & set_bit)) {
		uint32_t id = (uint32_t)(reader >> 32);
		return id && id != w->id && !ordered_before(id, w) ? id : 0;
	}
	uint32_t found = 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < sets[(reader & ~set_bit) % SETS].n && !found; i++) {
		uint32_t id = sets[(reader & ~set_bit) % SETS].work[i];
		found = id != w->id && !ordered_before(id, w) ? id : 0;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- accesses ---- */

static uint64_t hash_of(const char *s) {
	uint64_t h = 0xcbf29ce484222325u;
	while (s && *s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
	return h;
}

/* tell writes a line, once for the same two names, line of PTX and kind of access. */
static void tell(const work *w, const fake_who *who, uint64_t at, const char *what, uint32_t other, const char *how) {
	char place[120] = "", name[160], where[200];
	past *with = other > WRITTEN_BY_HOST ? past_of(other) : NULL;
	if (!first_of(hash_of(w->what) + (other == w->id), with ? hash_of(with->what) : other, (uint64_t)(uintptr_t)what + (uint64_t)(uintptr_t)how * 31 + (who ? who->line : 0)))
		return;
	if (who)
		snprintf(place, sizeof place, " (line %u, block %u, thread %u)", who->line, who->block, who->thread);
	describe_address(at, where, sizeof where);
	if (other == w->id)
		note("race: %s%s %s %s that another block of the launch %s", w->what, place, what, where, how);
	else if (other)
		note("race: %s (work %u, queue %u)%s %s %s that %s %s; nothing orders the two", w->what, w->id, w->queue, place, what, where,
		     work_name(other, name, sizeof name), how);
	else
		note("unwritten: %s%s %s %s, which nothing has written", w->what, place, what, where);
}

/* see checks one access to a byte, and returns what its cell becomes. */
static cell see(const work *w, const fake_who *who, uint64_t at, cell c, int how, int strong, int tell_unwritten) {
	uint64_t me = (uint64_t)w->id << 32 | (who ? who->block & block_mask : 0);
	uint32_t writer = (uint32_t)(c.writer >> 32);
	int acquired = who && w->acquired && w->acquired[who->block >> 3] >> (who->block & 7) & 1;
	if (how & FAKE_READ && !c.writer && tell_unwritten)
		tell(w, who, at, "reads", 0, "");
	if (c.writer && writer != WRITTEN_BY_HOST && (c.writer | bit) != (me | bit)) {
		const char *what = how & FAKE_WRITE ? "writes" : "reads";
		int both = strong && (c.writer & bit || writer != w->id);
		if (writer == w->id ? !both && !acquired : !both && !ordered_before(writer, w))
			tell(w, who, at, what, writer, "wrote");
	}
	if (how & FAKE_WRITE) {
		if (c.reader && !strong) {
			if (!(c.reader & set_bit) && (uint32_t)(c.reader >> 32) == w->id) {
				if ((c.reader & bit || (c.reader & block_mask) != (me & block_mask)) && !acquired && who)
					tell(w, who, at, "writes", w->id, "has read");
			} else {
				uint32_t other = unordered(c.reader, w);
				if (other)
					tell(w, who, at, "writes", other, "reads");
			}
		}
		return (cell){me | (strong ? bit : 0), 0};
	}
	if (!strong) {
		if (!c.reader || (!(c.reader & set_bit) && ordered_before((uint32_t)(c.reader >> 32), w) && (uint32_t)(c.reader >> 32) != w->id))
			c.reader = me;
		else if (!(c.reader & set_bit) && (uint32_t)(c.reader >> 32) == w->id)
			c.reader |= (c.reader & block_mask) != (me & block_mask) ? bit : 0;
		else
			c.reader = join(c.reader, w);
	}
	return c;
}

static cell load(cell *c) { return (cell){__atomic_load_n(&c->writer, __ATOMIC_RELAXED), __atomic_load_n(&c->reader, __ATOMIC_RELAXED)}; }
static void store(cell *c, cell v) {
	__atomic_store_n(&c->writer, v.writer, __ATOMIC_RELAXED);
	__atomic_store_n(&c->reader, v.reader, __ATOMIC_RELAXED);
}

void touch_lane(work *w, const fake_who *who, uint64_t at, uint32_t n, int how, const allocation *a) {
	cell *c = shadow_of(at), was = {0, 0}, is = {0, 0};
	if (!c)
		return;
	int strong = (how & FAKE_ATOMIC) != 0, unwritten = a->origin != OF_HOST && a->origin != OF_MANAGED;
	if (strong && !(how & (FAKE_READ | FAKE_WRITE)))
		how |= FAKE_READ | FAKE_WRITE;
	if (strong && how & FAKE_READ && how & FAKE_WRITE && w->acquired && who->block < w->blocks)
		__atomic_fetch_or(&w->acquired[who->block >> 3], (uint8_t)(1 << (who->block & 7)), __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < n; i++, c++) {
		cell now = load(c);
		if (i == 0 || now.writer != was.writer || now.reader != was.reader) {
			was = now;
			is = see(w, who, at + i, now, how, strong, unwritten);
		}
		store(c, is);
	}
}

/* touch_range is the access of a copy or a memset to n bytes. */
void touch_range(const work *w, uint64_t at, size_t n, int how, int tell_unwritten) {
	cell *c = shadow_of(at), was = {0, 0}, is = {0, 0};
	if (!c)
		return;
	allocation *a = allocation_at(at);
	if (a)
		check_birth(a, w);
	int strong = n <= 8 && at / 8 == (at + n - 1) / 8; /* a word arrives in one piece */
	tell_unwritten = tell_unwritten && a && a->origin != OF_HOST && a->origin != OF_MANAGED;
	for (size_t i = 0; i < n; i++, c++) {
		cell now = load(c);
		if (i == 0 || now.writer != was.writer || now.reader != was.reader) {
			was = now;
			int with_strong = strong && now.writer & bit; /* a flag is polled by strong accesses */
			is = see(w, NULL, at + i, now, how, with_strong, tell_unwritten);
			if (strong && how & FAKE_WRITE)
				is.writer |= bit;
		}
		store(c, is);
	}
}

/* touch_copy reads and writes: bytes that nothing has written stay so where they are copied. */
void touch_copy(const work *w, uint64_t dst, uint64_t src, size_t n) {
	touch_range(w, src, n, FAKE_READ, 0);
	touch_range(w, dst, n, FAKE_WRITE, 0);
	cell *from = shadow_of(src), *to = shadow_of(dst);
	allocation *a = from ? allocation_at(src) : NULL;
	if (from && to && a && a->origin != OF_HOST && a->origin != OF_MANAGED)
		for (size_t i = 0; i < n; i++)
			if (!load(&from[i]).writer)
				store(&to[i], (cell){0, 0});
}

void shadow_reset(uint64_t at, uint64_t bytes) {
	cell *c = shadow_of(at);
	if (c)
		madvise(c, bytes * sizeof *c, MADV_DONTNEED);
}

void shadow_fill(uint64_t at, uint64_t bytes, uint64_t writer) {
	cell *c = shadow_of(at);
	for (uint64_t i = 0; c && i < bytes; i++)
		store(&c[i], (cell){writer, 0});
}
