//go:build extension

// What Python's main thread does, while a profile by lines is made.
//
// A thousand times a second, and 250 times from the first half second on, the main thread gets a signal: from a timer that it sets itself at the end of each look, whose expiry
// interrupts the processor that it runs on and no other; while it sleeps, from a thread of ours that ticks. The interpreter calls the signal's
// handler at its next look at what is pending: behind a call of a C function, at the jump back of a loop, at the beginning of
// a Python function.
//
//	tick      tick      tick      tick      tick      tick      tick
//	|.        |         |         |         |.        |.        |
//	 look      asked                         look      look
//	line 2     line 3: a call of C that takes 2.7 ms   line 4: asleep, in a call that notices signals
//
// So a look finds either the lines of Python between two of them, or the one call that kept the interpreter from looking for
// longer than that takes; and it stands for all the time since the look before. A thread that has been asleep since the last
// look is looked at again after longer and longer times. (Py_AddPendingCall would need no signal, but up to Python 3.12 the interpreter does not
// notice calls that another thread has asked for before something else makes it look.)
//
// The signal's own handler notes which instruction of the processor it has interrupted before it tells the interpreter. That lies in
// some shared object: libraries of C are named by it, which Python's frames know nothing of.
//
// Nothing reads the interpreter's state from outside, and nothing but the stable ABI is needed. What the runtime itself does is
// told by weft_inside, which the ticks read.
#define _GNU_SOURCE // the registers of a context
#include "shim.h"
#include "_cgo_export.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id // which the manual promises, and glibc does not have
#define sigev_notify_thread_id _sigev_un._tid
#endif

__thread volatile int weft_inside;

// A look is at every TICK; a tick is longer where looks take long, in a deep recursion, so that they take less than a hundredth. What goes
// on for longer than FINE looks is looked at every COARSE ticks: by then each line that matters has been seen often, and an interrupt of the
// processor costs 30 us where that is a virtual one, far more than the look.
#define TICK 1000000
#define FINE 500
#define COARSE 4
#define CHEAP 100

// What computes for longer without a look is one call of C. Looks that come at once, but for other programs on the processor, are
// between lines of Python.
#define STRETCH 300000

// What a thread computes at most to go back to where a signal has woken it, on a virtual processor too: with more it may have
// gone on, and to sleep elsewhere.
#define NOTHING 100000
#define LONGEST 4 // patience

#define PASSING 8 // ticks; an interrupt may wait for so long
#define WATCH 4   // ticks from one look of the tick thread to the next while the timer runs

#define DEEPEST 200 // frames that a look walks

// Where the thread was is a site: an instruction of the user's, and what it has called.
typedef struct {
	PyObject *code, *name; // strong; name is a library's, None where the instruction has to tell
	PyObject *object;      // strong; the file of the shared object that ran, None where that says nothing
	int32_t instruction;
} site;

static struct {
	int on, signal;
	pthread_t main, ticker;
	clockid_t main_clock;     // of its processor time
	timer_t timer;            // the main thread's own
	int timer_made, timed;    // there is one, and it works
	volatile int stop, asked; // the tick thread's, and a look is asked for
	volatile int64_t pause;   // to the next tick
	volatile int64_t due;     // the first tick since the last look, 0 if there was none
	volatile int64_t due_cpu; // the main thread's processor time then
	volatile int64_t idle;    // the last tick by which the thread had done nothing since the last look, 0 if there was none
	volatile int64_t cpu;     // its processor time at the end of the last look, 0 before the first
	volatile int ticks, inside;
	volatile int *main_inside; // the main thread's weft_inside
	void *volatile native;    // the main thread's instruction when the signal came; NULL after a look
	volatile int patience;    // a thread that is asleep is looked at after 1 << patience ticks

	int64_t at, slept;        // of the last look: the time, and the main thread's processor time when it began
	int64_t began, process;   // processor times at the beginning, of the main thread and of all; then what they took
	int64_t own;              // of the tick thread
	int asked_python;         // times that it had to be asked whose code it is
	int64_t usual;            // nanoseconds that a look takes
	int looks;
	PyObject *classify;

	site *sites;
	int n_sites, room_sites;
	int32_t *by_site;         // an open hash of their numbers, from 1
	int slots;

	weft_sample *samples;
	int64_t n, room;
	weft_sample last;         // where the last look found the thread
} s;

static int64_t clock_of(clockid_t which)
{
	struct timespec t;
	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t weft_clock(void) { return clock_of(CLOCK_MONOTONIC); }

// What the code of a file is.
enum { OF_USER, OF_LIBRARY, OF_RUNTIME, OF_SHELL };

typedef struct {
	PyObject *code, *name; // strong
	int what;
} known_code;

#define CODES 1024 // a power of two
static known_code codes[CODES];

// class_of says what a frame's code is. NULL is an exception.
static const known_code *class_of(PyObject *code)
{
	known_code *k = &codes[((uintptr_t)code >> 5) & (CODES - 1)];
	if (k->code == code)
		return k;
	s.asked_python++;
	PyObject *file = PyObject_GetAttrString(code, "co_filename");
	PyObject *told = file ? PyObject_CallFunctionObjArgs(s.classify, file, NULL) : NULL;
	Py_XDECREF(file);
	if (!told)
		return NULL;
	int what;
	PyObject *name;
	if (!PyArg_ParseTuple(told, "iO", &what, &name)) {
		Py_DECREF(told);
		return NULL;
	}
	k->what = what;
	weft_set(&k->name, Py_NewRef(name));
	weft_set(&k->code, Py_NewRef(code));
	Py_DECREF(told);
	return k;
}

// grow makes room for one more row.
static int grow(void **rows, int64_t n, int64_t *room, size_t size)
{
	if (n < *room)
		return 1;
	int64_t more = *room ? 2 * *room : 256;
	void *larger = realloc(*rows, more * size);
	if (!larger)
		return 0;
	*rows = larger;
	*room = more;
	return 1;
}

static int rehash(void)
{
	int slots = s.slots ? 2 * s.slots : 256;
	int32_t *table = calloc(slots, sizeof *table);
	if (!table)
		return 0;
	for (int i = 0; i < s.n_sites; i++) {
		uint64_t h = ((uintptr_t)s.sites[i].code >> 4) * 31 + (uintptr_t)s.sites[i].name / 16 + (uintptr_t)s.sites[i].object / 8 + s.sites[i].instruction;
		h *= 0x9e3779b97f4a7c15u;
		int at = (int)(h >> 32) & (slots - 1);
		while (table[at])
			at = (at + 1) & (slots - 1);
		table[at] = i + 1;
	}
	free(s.by_site);
	s.by_site = table;
	s.slots = slots;
	return 1;
}

// site_of returns a site's number, or 0 where there is no memory for it.
static int32_t site_of(PyObject *code, PyObject *name, PyObject *object, int32_t instruction)
{
	if (2 * (s.n_sites + 1) > s.slots && !rehash())
		return 0;
	uint64_t h = ((uintptr_t)code >> 4) * 31 + (uintptr_t)name / 16 + (uintptr_t)object / 8 + instruction;
	h *= 0x9e3779b97f4a7c15u;
	int at = (int)(h >> 32) & (s.slots - 1);
	for (; s.by_site[at]; at = (at + 1) & (s.slots - 1)) {
		site *k = &s.sites[s.by_site[at] - 1];
		if (k->code == code && k->name == name && k->object == object && k->instruction == instruction)
			return s.by_site[at];
	}
	int64_t room = s.room_sites;
	if (!grow((void **)&s.sites, s.n_sites, &room, sizeof *s.sites))
		return 0;
	s.room_sites = (int)room;
	s.sites[s.n_sites++] = (site){Py_NewRef(code), Py_NewRef(name), Py_NewRef(object), instruction};
	return s.by_site[at] = s.n_sites;
}

// put stores what was done until a time, with the last sample where that is the same.
static void put(int64_t until, int does, uint64_t where, int32_t number, int64_t asleep)
{
	int64_t from = s.at;
	s.at = until;
	if (until <= from)
		return;
	if (s.n > 0) {
		weft_sample *last = &s.samples[s.n - 1];
		// Memory is bounded at the finest by a sample for each tick; without any more, the last one goes on.
		if ((last->does == does && last->where == where && last->site == number) || !grow((void **)&s.samples, s.n, &s.room, sizeof *s.samples)) {
			last->end = until;
			last->asleep += asleep;
			return;
		}
	} else if (!grow((void **)&s.samples, s.n, &s.room, sizeof *s.samples)) {
		return;
	}
	s.samples[s.n++] = (weft_sample){from, until, asleep, where, number, does};
}

// Objects of which everything is a part: the interpreter, the C library, and this one.
static const char *const everywhere[] = {"python", "libpython", "libc.", "libc-", "libm.", "libm-", "ld-", "libpthread", "linux-vdso", "_core.abi3"};

// object_of returns the name of the file of the shared object that an instruction lies in, an interned text; None where that says
// nothing. The reference is borrowed.
static PyObject *object_of(void *native)
{
	static void *last;
	static PyObject *known; // of last
	if (!native)
		return Py_None;
	if (native == last)
		return known;
	Dl_info info;
	const char *name = dladdr(native, &info) && info.dli_fname ? info.dli_fname : "";
	if (strrchr(name, '/'))
		name = strrchr(name, '/') + 1;
	PyObject *found = *name ? NULL : Py_None;
	for (size_t i = 0; !found && i < sizeof everywhere / sizeof *everywhere; i++)
		if (!strncmp(name, everywhere[i], strlen(everywhere[i])))
			found = Py_None;
	if (!found && !(found = PyUnicode_InternFromString(name))) {
		PyErr_Clear(); // names are UTF-8 but for those of odd systems; without one, the call has its own
		return Py_None;
	}
	last = native;
	return known = found; // interned texts that are referred to stay
}

// arm has the timer send a signal when the next look is due.
static void arm(void)
{
	struct itimerspec next = {.it_value = {s.pause / 1000000000, s.pause % 1000000000}};
	if (timer_settime(s.timer, 0, &next, NULL) < 0)
		s.timed = 0; // the tick thread goes on alone
}

// woke stores that a thread that was seen to do nothing since the last look was asleep where it was then. It woke when it had yet to
// compute what it has computed by now, or at the last tick that saw it asleep where it has slept again since.
static void woke(int64_t now, int64_t cpu)
{
	int64_t at = now - (cpu - s.cpu);
	if (at < s.idle)
		at = s.idle;
	if (s.idle > s.at)
		put(at, s.last.does == WEFT_PYTHON ? WEFT_CALLS : s.last.does, s.last.where, s.last.site, at - s.at);
}

// look stores what the thread has done since the last look. It is the handler of the signal.
static PyObject *look(PyObject *self, PyObject *args)
{
	(void)self, (void)args;
	if (!s.on)
		Py_RETURN_NONE;
	int64_t now = clock_of(CLOCK_MONOTONIC), cpu = clock_of(CLOCK_THREAD_CPUTIME_ID), due = s.due;
	int asked_before = s.asked_python, in_runtime = 2 * s.inside > s.ticks;
	void *native = s.native;
	s.native = NULL;
	s.ticks = s.inside = 0;
	// A thread that has done next to nothing since the last look was asleep where it is now; one that has done something since it was
	// seen to do nothing, where it was then.
	int still = s.cpu && cpu - s.cpu < NOTHING;
	s.patience = still && s.patience < LONGEST ? s.patience + 1 : still ? LONGEST : 0;
	if (!still)
		woke(now, cpu);
	if (due < s.at)
		due = s.at;
	int64_t wall = now - s.at, asleep = wall - (cpu - s.slept);
	s.slept = cpu;
	if (asleep < 0)
		asleep = 0;

	PyObject *frame = (PyObject *)PyEval_GetFrame();
	Py_XINCREF(frame);
	const known_code *k = NULL;
	PyObject *code = NULL, *library = NULL; // what the user's frame has called
	int depth = 0, below = OF_USER;
	while (frame && frame != Py_None && depth++ < DEEPEST) {
		code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
		k = class_of(code);
		if (!k || k->what == OF_USER)
			break;
		below = k->what;
		weft_set(&library, Py_NewRef(k->name));
		Py_CLEAR(code);
		weft_set(&frame, PyObject_GetAttrString(frame, "f_back"));
	}
	int failed = PyErr_Occurred() != NULL; // in class_of: KeyboardInterrupt, most of all
	if (!failed && code && k && k->what == OF_USER) {
		int32_t instruction;
		uint64_t where = weft_place_of(frame, code, &instruction);
		int does = WEFT_PYTHON;
		PyObject *name = Py_None;
		if (in_runtime || below == OF_RUNTIME)
			does = WEFT_RUNTIME;
		else if (library) {
			does = WEFT_CALLS;
			name = library;
		} else if (still || (s.due && cpu - s.due_cpu > STRETCH)) {
			// The call began at some time since the last look.
			does = WEFT_CALLS;
			int64_t python = still ? 0 : (due - s.at) / 2;
			int64_t part = wall ? asleep * python / wall : 0;
			put(s.at + python, WEFT_PYTHON, where, 0, part);
			asleep -= part;
		}
		int32_t number = site_of(code, name, does == WEFT_CALLS && !still ? object_of(native) : Py_None, instruction);
		put(now, does, where, does == WEFT_CALLS ? number : 0, asleep);
		s.last = (weft_sample){.does = does, .where = where, .site = number};
	} else if (!failed) {
		put(now, WEFT_RUNTIME, 0, 0, asleep); // what runs cells: IPython and we
		s.last = (weft_sample){.does = WEFT_RUNTIME};
	}
	Py_XDECREF(library);
	Py_XDECREF(code);
	Py_XDECREF(frame);
	if (s.asked_python == asked_before) { // else it is no look like the others
		int64_t took = clock_of(CLOCK_MONOTONIC) - now;
		s.usual += (took - s.usual) / 8;
		int64_t tick = ++s.looks > FINE ? COARSE * TICK : TICK;
		s.pause = s.usual * CHEAP > tick ? s.usual * CHEAP : tick;
	}
	s.cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
	s.due = s.idle = 0;
	s.asked = 0;
	if (s.timed && s.patience == 0)
		arm();
	if (failed)
		return NULL;
	Py_RETURN_NONE;
}

static PyMethodDef look_method = {"look", look, METH_VARARGS, NULL};

static void *tick(void *unused)
{
	(void)unused;
	int waited = 0, number = 0;
	while (!s.stop) {
		int watches = s.timed && s.patience == 0; // the timer asks
		int64_t pause = watches ? WATCH * s.pause : s.pause;
		struct timespec t = {pause / 1000000000, pause % 1000000000};
		nanosleep(&t, NULL);
		if ((number += watches ? WATCH : 1) >= PASSING) {
			number = 0;
			weft_pass_signals_on();
		}
		if (watches && s.timed && s.patience == 0)
			continue;
		s.ticks++;
		s.inside += *s.main_inside != 0;
		if (s.asked || s.stop)
			continue;
		int64_t now = clock_of(CLOCK_MONOTONIC);
		int64_t cpu = clock_of(s.main_clock);
		if (s.cpu && cpu - s.cpu < NOTHING) {
			s.idle = now;
			if (++waited < 1 << s.patience)
				continue;
		}
		waited = 0;
		if (!s.due) {
			s.due = now;
			s.due_cpu = cpu;
		}
		s.asked = 1;
		pthread_kill(s.main, s.signal);
	}
	s.own = clock_of(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

// expired does for the timer what tick does for the tick thread. It returns whether a look is asked for.
static int expired(void)
{
	if (!s.on || s.asked)
		return 0;
	int64_t now = clock_of(CLOCK_MONOTONIC), cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
	s.ticks++;
	s.inside += *s.main_inside != 0;
	if (s.cpu && cpu - s.cpu < NOTHING)
		s.idle = now;
	if (!s.due) {
		s.due = now;
		s.due_cpu = cpu;
	}
	return s.asked = 1;
}

// caught is the system's handler of the signal, instead of the interpreter's, which does what it is told here.
static void caught(int number, siginfo_t *info, void *context)
{
	int kept = errno;
#if defined(__x86_64__)
	s.native = (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	s.native = (void *)((ucontext_t *)context)->uc_mcontext.pc;
#else
	(void)context;
#endif
	if (info->si_code != SI_TIMER || expired())
		PyErr_SetInterruptEx(number);
	errno = kept;
}

static void forget(void)
{
	for (int i = 0; i < s.n_sites; i++) {
		Py_DECREF(s.sites[i].code);
		Py_DECREF(s.sites[i].name);
		Py_DECREF(s.sites[i].object);
	}
	free(s.sites);
	free(s.by_site);
	free(s.samples);
	s.sites = NULL;
	s.by_site = NULL;
	s.samples = NULL;
	s.n_sites = s.room_sites = s.slots = 0;
	s.n = s.room = 0;
}

// sample_begin(classify) begins to look, and to count. classify says of a file's name what its code is: (number, name).
// It returns whether it does: the interpreter handles signals on its main thread only, and there is one profile at a time.
PyObject *weft_sample_begin(PyObject *self, PyObject *classify)
{
	(void)self;
	if (s.on || weft_forked || !weft_on_main_thread())
		Py_RETURN_FALSE;
	forget();
	weft_set(&s.classify, Py_NewRef(classify));
	if ((s.signal = weft_take_signal(&look_method, caught)) < 0)
		return NULL;
	s.main = pthread_self();
	s.main_inside = &weft_inside;
	int failed = pthread_getcpuclockid(s.main, &s.main_clock);
	s.stop = s.asked = s.ticks = s.inside = 0;
	s.pause = TICK;
	s.due = s.idle = s.usual = 0;
	s.looks = 0;
	s.native = NULL;
	s.patience = 0;
	s.last = (weft_sample){.does = WEFT_RUNTIME};
	s.process = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	s.began = s.slept = clock_of(CLOCK_THREAD_CPUTIME_ID);
	s.cpu = 0;
	s.on = 1;
	sigset_t all, before; // Python's signals are for its main thread
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!failed)
		failed = pthread_create(&s.ticker, NULL, tick, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		s.on = 0;
		if (weft_leave_signal() < 0)
			return NULL;
		errno = failed;
		return PyErr_SetFromErrno(PyExc_OSError);
	}
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = s.signal};
	event.sigev_notify_thread_id = gettid();
	s.timer_made = s.timed = timer_create(CLOCK_MONOTONIC, &event, &s.timer) == 0;
	weft_begin_counting();
	weft_mark_counts();
	s.at = clock_of(CLOCK_MONOTONIC);
	if (s.timed)
		arm();
	Py_RETURN_TRUE;
}

// sample_end() ends it, and returns (code, instruction, library's name or None, shared object's or None) of each site.
PyObject *weft_sample_end(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (!s.on)
		return PyList_New(0);
	int64_t now = clock_of(CLOCK_MONOTONIC);
	int64_t cpu = clock_of(CLOCK_THREAD_CPUTIME_ID), process = clock_of(CLOCK_PROCESS_CPUTIME_ID);
	weft_end_counting();
	s.on = 0;
	s.stop = 1;
	if (s.timer_made)
		timer_delete(s.timer);
	s.timer_made = 0;
	pthread_join(s.ticker, NULL); // after a few ticks: it waits for nothing
	if (weft_leave_signal() < 0)
		return NULL;
	woke(now, cpu);
	put(now, WEFT_RUNTIME, 0, 0, 0); // the end waits for arrays
	s.began = cpu - s.began;
	s.process = process - s.process - s.own;
	PyObject *list = PyList_New(s.n_sites);
	for (int i = 0; list && i < s.n_sites; i++) {
		PyObject *row = Py_BuildValue("(OiOO)", s.sites[i].code, (int)s.sites[i].instruction, s.sites[i].name, s.sites[i].object);
		if (!row)
			Py_CLEAR(list);
		else
			PyList_SetItem(list, i, row);
	}
	return list;
}

// weft_samples gives Go the samples of the last profile, until the next one begins: their times are CLOCK_MONOTONIC's.
weft_sample *weft_samples(int64_t *n, int64_t *main_cpu, int64_t *process_cpu)
{
	*n = s.n;
	*main_cpu = s.began;
	*process_cpu = s.process;
	return s.samples;
}
