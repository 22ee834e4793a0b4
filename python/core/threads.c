//go:build extension

// The threads of the program: which of them is Python's main one, what each waits for and from which line, what signals
// have come, and whether this process is a forked child. Nothing here knows arrays.
#include "shim.h"
#include "_cgo_export.h"
#include <pthread.h>
#include <signal.h>

volatile int weft_interrupts_noted;
volatile int weft_held;
volatile uint64_t weft_submitted;
uint64_t weft_waited_at;
static unsigned long main_thread;
static int started;

static void in_child(void) { weft_forked = 1; }

// Signal handlers run on the main thread only, so that only its waits are interrupted.
int weft_on_main_thread(void)
{
	return PyThread_get_thread_ident() == main_thread;
}

int weft_ensure_started(void)
{
	if (__builtin_expect(started, 1))
		return 0;
	PyObject *hook = weft_hook("prepare"); // hands the flags and the environment over
	PyObject *done = hook ? PyObject_CallNoArgs(hook) : NULL;
	if (!done)
		return -1;
	Py_DECREF(done);
	weft_error e = {NULL, NULL};
	if (goStart(&e) != WEFT_OK) {
		weft_raise(&e);
		return -1;
	}
	started = 1;
	weft_forget_sources();
	return 0;
}

int weft_started(void) { return started; }

int weft_attend(void)
{
	while (!weft_forked) {
		if (PyErr_CheckSignals() < 0)
			return -1;
		weft_give_back_named();
		if (!weft_held)
			return 0;
		int on_main = weft_on_main_thread();
		weft_ask(weft_where());
		Py_BEGIN_ALLOW_THREADS
		goThrottle(on_main);
		Py_END_ALLOW_THREADS
		weft_answered();
	}
	PyErr_SetString(PyExc_RuntimeError,
		"this process was forked, and weft's runtime does not run here: weft's names mean NumPy's, and what NumPy has no name for needs a process of its own (multiprocessing.set_start_method('spawn'))");
	return -1;
}

static _Thread_local uint64_t asking;

void weft_ask(uint64_t where) { asking = where; }

volatile int weft_line;

void weft_answered(void)
{
	asking = 0; // or the next wait of this thread, for something else, would be taken for one of this line
	if (weft_line)
		goClearLine();
}

uint64_t weft_asking(void) { return asking; }

int weft_in_call(void) { return weft_calling; }

int weft_out, weft_standing;

void weft_back(void)
{
	if (--weft_out == 0 && weft_standing)
		goNoneOut();
}

static _Thread_local int named; // the phase of this thread's call, which is out once at a time

void *weft_let_go(void)
{
	named = weft_begin_naming();
	weft_out++;
	return PyEval_SaveThread();
}

void weft_take_back(void *state)
{
	PyEval_RestoreThread(state);
	weft_back();
	weft_end_naming(named);
}

// Python's own functions, from the module _signal: they run no bytecode, in which the handler
// of SIGINT could run.
static PyObject *getsignal, *usual_handler;

static int init_signals(void)
{
	PyObject *signals = PyImport_ImportModule("_signal");
	if (!signals)
		return -1;
	getsignal = PyObject_GetAttrString(signals, "getsignal");
	usual_handler = getsignal ? PyObject_GetAttrString(signals, "default_int_handler") : NULL;
	Py_DECREF(signals);
	return usual_handler ? 0 : -1;
}

// raises tells whether SIGINT raises KeyboardInterrupt, and -1 with an exception where that is not known.
static int raises(void)
{
	PyObject *handler = PyObject_CallFunction(getsignal, "i", SIGINT);
	if (!handler)
		return -1;
	// The kernel's own handler raises as Python's does, and says so by an attribute.
	int real = handler == usual_handler || PyObject_HasAttrString(handler, "raises_keyboard_interrupt");
	Py_DECREF(handler);
	return real;
}

// weft_look_back tells Go, at the beginning of a wait, what became of the last interrupts.
void weft_look_back(void)
{
	if (__builtin_expect(!weft_interrupts_noted, 1) || !weft_on_main_thread())
		return;
	int real = raises();
	if (real >= 0)
		goInterrupted(real);
}

// weft_look_soon does so on a thread of Go's: the main thread may never wait again.
void weft_look_soon(void)
{
	if (!Py_IsInitialized())
		return;
	PyGILState_STATE state = PyGILState_Ensure();
	int real = raises();
	if (real < 0)
		PyErr_Clear();
	PyGILState_Release(state);
	if (real >= 0)
		goInterrupted(real);
}

int weft_init_threads(void)
{
	PyObject *threading = PyImport_ImportModule("threading");
	PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
	PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
	if (ident)
		main_thread = PyLong_AsUnsignedLong(ident);
	Py_XDECREF(ident);
	Py_XDECREF(thread);
	Py_XDECREF(threading);
	if (PyErr_Occurred() || init_signals() < 0)
		return -1;
	pthread_atfork(NULL, NULL, in_child);
	return 0;
}
