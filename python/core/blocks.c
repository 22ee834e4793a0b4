//go:build extension

// Memory of the arrays that Go does not know. Blocks of more than a few hundred bytes are kept when they are given back, and handed out
// again, the last one first: fresh pages cost many times what an operation on them does, and the last one is in a cache. They begin at
// cache lines, so that Go takes them as they are when an array becomes its own (goTakeOver), and returns them when nothing uses
// them any more, on whatever thread that is.
//
//	x = np.zeros(1000)      a block
//	y = large + x           the block is the memory of a store
//	del x, y                returned, and free for the next array
#include "shim.h"
#include "few.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

_Alignas(64) char weft_scratch[WEFT_SCRATCH][WEFT_ROOM];

enum {
	SMALLEST = 512,      // bytes of a block; less is from Python's allocator
	LINE = 64,
	IDLE = 40 << 20,      // bytes that wait to be handed out again, at most
	CLASSES = 4 * 15 + 1, // four for each power of two, from SMALLEST to WEFT_ALONE
	HUGE = 2 << 20,       // bytes of a page that large blocks are made of, where the system has such,
	APART = 4096 + 512,   // and how far from the beginning of one they begin, times 1 to SPREAD: of what begins alike in a page, an operation's
	SPREAD = 7,           // operands come from the same banks of memory and go to the same places in caches (np.abs of 8 MB: a tenth of the time)
};

_Static_assert(SMALLEST << (CLASSES - 1) / 4 == WEFT_ALONE, "the largest class");

typedef struct block {
	struct block *next;
	int64_t bytes; // as they were asked for, of one that was returned
} block;

static block *waiting[CLASSES];
static int64_t idle;
static uint64_t taken[CLASSES], takes; // when one of a class was last asked for, in takes
static _Atomic(block *) returned; // by other threads

int64_t weft_blocks, weft_blocks_most = INT64_MAX;

// class_of returns the class of a block, and how large those of it are.
static int class_of(int64_t bytes, int64_t *size)
{
	if (bytes <= SMALLEST) {
		*size = SMALLEST;
		return 0;
	}
	// bytes-1 = 1xx... in binary: the two bits after the first choose the quarter.
	int first = 63 - __builtin_clzll((uint64_t)bytes - 1), quarter = (int)((bytes - 1) >> (first - 2) & 3);
	*size = (int64_t)(5 + quarter) << (first - 2);
	return 4 * (first - 9) + quarter + 1;
}

static int64_t size_of(int k) { return k == 0 ? SMALLEST : (int64_t)(5 + (k - 1) % 4) << ((k - 1) / 4 + 7); }

// fresh returns a new block, or NULL.
static void *fresh(int64_t size)
{
	static int turn;
	void *memory = NULL;
	size_t all = (size_t)size + APART * SPREAD;
	if (size < HUGE)
		return aligned_alloc(LINE, (size_t)size);
	if (posix_memalign(&memory, HUGE, all))
		return NULL;
	madvise(memory, all, MADV_HUGEPAGE); // a hint
	turn = turn % SPREAD + 1;
	return (char *)memory + APART * turn;
}

static void let_go(block *b, int64_t size) { free(size < HUGE ? (char *)b : (char *)b - (uintptr_t)b % HUGE); }

// make_room gives blocks back to the system, of the classes first that were not asked for for the longest time: a program that goes on to arrays of
// another size would otherwise get fresh pages for each of them.
static void make_room(int64_t bytes)
{
	while (idle + bytes > IDLE) {
		int oldest = -1;
		for (int k = 0; k < CLASSES; k++)
			if (waiting[k] && (oldest < 0 || taken[k] < taken[oldest]))
				oldest = k;
		block *b = waiting[oldest];
		waiting[oldest] = b->next;
		idle -= size_of(oldest);
		let_go(b, size_of(oldest));
	}
}

static void give(char *memory, int64_t bytes)
{
	int64_t size;
	int k = class_of(bytes, &size);
	weft_blocks -= size;
	make_room(size);
	block *b = (block *)memory;
	b->next = waiting[k];
	waiting[k] = b;
	idle += size;
}

static void take_back(void)
{
	for (block *b = atomic_exchange(&returned, NULL), *next; b; b = next) {
		next = b->next;
		give((char *)b, b->bytes);
	}
}

void weft_return_block(void *memory, int64_t bytes)
{
	block *b = memory;
	b->bytes = bytes;
	b->next = atomic_load(&returned);
	while (!atomic_compare_exchange_weak(&returned, &b->next, b))
		;
}

static char *take(int64_t bytes)
{
	int64_t size;
	int k = class_of(bytes, &size);
	if (atomic_load_explicit(&returned, memory_order_relaxed))
		take_back();
	block *b = waiting[k];
	taken[k] = ++takes;
	if (b) {
		waiting[k] = b->next;
		idle -= size;
	} else if (weft_blocks + size > weft_blocks_most || !(b = fresh(size))) {
		return NULL;
	}
	weft_blocks += size;
	return (char *)b;
}

char *weft_take_block(int64_t bytes) { return bytes < SMALLEST ? PyMem_Malloc(bytes ? bytes : 1) : take(bytes); }

void weft_give_block(char *memory, int64_t bytes)
{
	if (bytes < SMALLEST)
		PyMem_Free(memory);
	else if (memory)
		give(memory, bytes);
}

char *weft_lasting_block(char *memory, int64_t bytes)
{
	char *to = bytes < SMALLEST ? take(SMALLEST) : memory;
	return to && to != memory ? memcpy(to, memory, (size_t)bytes) : to;
}
