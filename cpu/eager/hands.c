// Hands are threads that help the one which computes an operation at once. What one core reads of the third-level cache in a microsecond is less than
// the cache gives, so that a sum of a megabyte takes two cores half as long. They are threads of C, as are the operations: asking a goroutine would take as long as
// the sum. A hand that has helped looks for more for some microseconds, in which the next operation of a loop comes, and then sleeps; it is
// woken for what takes several times as long as waking it.
//
//	caller   0 1 2 3 4 5 ->          <- 8 7 6   hands
//
// No call waits for a hand to begin, as in package cpu (share.go): the caller takes parts from the front until there are none, and waits for those that hands
// are at. Which thread computes a part is not seen in its result.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // sched_getcpu
#endif
#include "eager.h"
#include "floating.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

enum {
	MOST_HANDS = 7,
	PART = 64 << 10,    // bytes of a part: a microsecond
	SHARED = 256 << 10, // bytes from which on hands that are awake help,
	LOOPS = 512 << 10,  // those that sleep, from the LOOPth on of calls that follow each other within SOON nanoseconds, between which hands stay awake then,
	WAKES = 2 << 20,    // and at once
	LOOP = 3,
	SOON = 40000,
	LOOKS = 2000,       // how often a hand looks for work before it sleeps, some tens of microseconds,
	MOVES = 32,         // and after how many looks it looks where it is
	PATIENT = 4000,     // how often the caller looks whether a hand has ended before it lets others run,
	ALONE = 64,         // and calls without a hand after that, the first time,
	ALONE_MOST = 4096,  // and when it was so again and again
};

_Atomic int64_t eager_busy;
int eager_lets_sleep;

static int allowed, started;    // hands; under the callers' lock, as the following
static int alone, next = ALONE; // calls without a hand, and how many the next time

// What is being shared.
static eager_part *part_of;
static void *shared_of;
static _Alignas(64) _Atomic uint64_t rest; // parts that are not taken: the first in the upper half, and behind the last in the lower one
static _Alignas(64) _Atomic int helping;   // hands that may be at a part
static _Alignas(64) _Atomic int wanted;    // hands that may begin
static _Atomic int raised;                 // flags that hands' operations raised

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static _Atomic int sleeping;
static int asleep;     // calls one after the other that hands slept through; under the callers' lock, as the following
static int64_t ended;  // when the last one that hands slept through had ended, in nanoseconds
static uint64_t calls; // for those that sleep; under the lock

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static int left(uint64_t r) { return r >> 32 < (r & UINT32_MAX); }

// help takes parts from the back until there are none, and says whether there were any. A hand counts itself first: who shares next waits until
// no hand is left that may have seen parts.
static int help(void)
{
	int done = 0;
	atomic_fetch_add(&helping, 1);
	uint64_t r = atomic_load(&rest);
	while (left(r))
		if (atomic_compare_exchange_weak(&rest, &r, r - 1)) {
			part_of(shared_of, (int64_t)((r & UINT32_MAX) - 1));
			done = 1;
			r = atomic_load(&rest);
		}
	if (done && eager_raised()) {
		atomic_fetch_or(&raised, eager_raised());
		eager_lower();
	}
	atomic_fetch_sub(&helping, 1);
	return done;
}

#if defined(__linux__)
static _Atomic int callers; // the processor on which the last caller shared

// seats are the processors that a hand may be on: all that it has been given, and those without the caller's, where it would only take the caller's time.
// The kernel wakes a thread on the processor of the one that wakes it if all others are busy, such as with a thread of a library for linear algebra that
// looks for work for some milliseconds.
typedef struct {
	cpu_set_t all, own;
} seats;

// move_off has a hand leave the caller's processor.
static void move_off(seats *s)
{
	const int at = atomic_load_explicit(&callers, memory_order_relaxed);
	cpu_set_t now;
	if (at < 0 || sched_getcpu() != at || sched_getaffinity(0, sizeof now, &now))
		return;
	if (!CPU_EQUAL(&now, &s->own)) // given by another program, or the first time
		s->all = now;
	s->own = s->all;
	CPU_CLR(at, &s->own);
	if (CPU_COUNT(&s->own) == 0 || sched_setaffinity(0, sizeof s->own, &s->own))
		s->own = now;
}

static void say_where(void) { atomic_store_explicit(&callers, sched_getcpu(), memory_order_relaxed); }

static void say_name(void) { pthread_setname_np(pthread_self(), "weft hand"); }
#else
typedef int seats;

static void move_off(seats *s) { (void)s; }

static void say_where(void) {}

static void say_name(void) {}
#endif

static int64_t nanoseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void *hand(void *number)
{
	int n = (int)(intptr_t)number;
	seats s = {0};
	say_name();
	for (;;) {
		for (int i = 0; i < LOOKS; i++) {
			if (i % MOVES == 0)
				move_off(&s);
			if (n < atomic_load_explicit(&wanted, memory_order_relaxed) && left(atomic_load_explicit(&rest, memory_order_relaxed)) && help())
				i = 0;
			relax();
		}
		pthread_mutex_lock(&lock);
		uint64_t seen = calls;
		atomic_fetch_add(&sleeping, 1);
		while (seen == calls)
			pthread_cond_wait(&called, &lock);
		atomic_fetch_sub(&sleeping, 1);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

void eager_hands(int most) { allowed = most < MOST_HANDS ? most : MOST_HANDS; }

// start makes hands; signals are for the threads that were there before.
static void start(int n)
{
	sigset_t all, before;
	pthread_attr_t detached;
	pthread_t thread;
	if (pthread_attr_init(&detached))
		return;
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&detached, 512 << 10);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < n && pthread_create(&thread, &detached, hand, (void *)(intptr_t)started) == 0)
		started++;
	if (started < n)
		allowed = started; // there are no more to be had
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&detached);
}

int64_t eager_parts(int64_t all, int64_t bytes, int64_t *units)
{
	if (all * bytes < SHARED) { // too little for a hand
		*units = all;
		return all > 0;
	}
	*units = bytes < PART ? PART / (bytes > 0 ? bytes : 1) : 1;
	return (all + *units - 1) / *units;
}

void eager_share(int64_t n, int64_t bytes, eager_part *part, void *of)
{
	int64_t hands = allowed - atomic_load_explicit(&eager_busy, memory_order_relaxed);
	if (hands <= 0 || bytes < SHARED || n < 2 || n > UINT32_MAX || (alone > 0 && alone--)) {
		for (int64_t i = 0; i < n; i++)
			part(of, i);
		return;
	}
	if (bytes / SHARED < hands)
		hands = bytes / SHARED;
	int wakes = bytes >= WAKES && !eager_lets_sleep;
	if (bytes >= LOOPS && (started < hands || atomic_load(&sleeping))) {
		asleep = nanoseconds() - ended < SOON ? asleep + 1 : 1;
		wakes = wakes || asleep >= LOOP;
	}
	say_where();
	if (started < hands && wakes)
		start((int)hands);
	part_of = part;
	shared_of = of;
	atomic_store_explicit(&raised, 0, memory_order_relaxed);
	atomic_store_explicit(&wanted, (int)hands, memory_order_relaxed);
	atomic_store(&rest, (uint64_t)n);
	if (wakes && atomic_load(&sleeping)) {
		pthread_mutex_lock(&lock);
		calls++;
		pthread_cond_broadcast(&called);
		pthread_mutex_unlock(&lock);
	}
	uint64_t r = atomic_load(&rest);
	while (left(r))
		if (atomic_compare_exchange_weak(&rest, &r, r + (1ull << 32))) {
			part(of, (int64_t)(r >> 32));
			r = atomic_load(&rest);
		}
	int looks = 0;
	for (; atomic_load(&helping); looks++) {
		relax();
		if (looks % PATIENT == PATIENT - 1)
			sched_yield();
	}
	if (bytes >= LOOPS && (started < hands || atomic_load(&sleeping)))
		ended = nanoseconds();
	if (atomic_load(&raised))
		eager_raise(atomic_load(&raised));
	// A hand that takes so long for a part has lost its core to another program. Where that is so often, who waits for it loses more than it gains.
	if (looks < PATIENT)
		next = ALONE;
	else {
		alone = next;
		next = next < ALONE_MOST ? 2 * next : ALONE_MOST;
	}
}
