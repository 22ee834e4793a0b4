//go:build extension

// A signal that nothing else uses, for the looks of the sampler. Python's main thread handles it by a method of ours; what its own handler does first
// is the caller's. For each signal Python writes a byte to a descriptor that is read by what waits for others' signals, an event loop for one: ours go to
// a pipe instead, and those of others on to where they went.
//
//	SIGUSR1, ours, ours, SIGINT   ->   a pipe   ->   SIGUSR1, SIGINT   ->   the descriptor that was set before
#define _GNU_SOURCE // pipe2
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static struct {
	int number;
	int bytes[2], others; // the pipe, and where those of other signals go on to; or -1
	PyObject *before;     // the signal's handler, which comes back
} s;

// The reader of the descriptor that Python writes its signals to sleeps, and to be woken by each of
// ours costs more than all the rest.
void weft_pass_signals_on(void)
{
	unsigned char bytes[64];
	ssize_t n;
	while (s.bytes[0] >= 0 && (n = read(s.bytes[0], bytes, sizeof bytes)) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (bytes[i] != s.number && s.others >= 0 && write(s.others, &bytes[i], 1) < 0 && errno != EAGAIN)
				s.others = -1; // it was closed
}

// wake_by has Python write a byte to a descriptor for each signal, and returns the one that it was.
static int wake_by(PyObject *signals, int descriptor)
{
	PyObject *set = PyObject_GetAttrString(signals, "set_wakeup_fd"), *args = Py_BuildValue("(i)", descriptor);
	PyObject *quietly = Py_BuildValue("{s:O}", "warn_on_full_buffer", Py_False);
	PyObject *before = set && args && quietly ? PyObject_Call(set, args, quietly) : NULL;
	int was = before ? (int)PyLong_AsLong(before) : -1;
	Py_XDECREF(before);
	Py_XDECREF(quietly);
	Py_XDECREF(args);
	Py_XDECREF(set);
	return was;
}

int weft_take_signal(PyMethodDef *method, void (*caught)(int, siginfo_t *, void *))
{
	PyObject *signals = PyImport_ImportModule("_signal"), *handler = signals ? PyCFunction_New(method, NULL) : NULL;
	PyObject *unused = handler ? PyObject_GetAttrString(signals, "SIG_DFL") : NULL;
	int found = 0;
	for (int n = SIGRTMAX - 1; unused && !found && n > SIGRTMIN; n--) {
		PyObject *now = PyObject_CallMethod(signals, "getsignal", "i", n);
		int same = now ? PyObject_RichCompareBool(now, unused, Py_EQ) : -1;
		Py_XDECREF(now);
		if (same < 0)
			break;
		if (!same)
			continue;
		found = n;
		weft_set(&s.before, PyObject_CallMethod(signals, "signal", "iO", n, handler));
		PyObject *restarts = s.before ? PyObject_CallMethod(signals, "siginterrupt", "ii", n, 0) : NULL;
		Py_XDECREF(restarts);
		struct sigaction ours = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
		if (s.before && sigaction(n, &ours, NULL) < 0)
			PyErr_SetFromErrno(PyExc_OSError);
	}
	if (!found && !PyErr_Occurred())
		PyErr_SetString(PyExc_RuntimeError, "weft: a profile by lines needs a signal, but the program handles all that are free");
	s.number = found;
	s.bytes[0] = s.bytes[1] = s.others = -1;
	if (!PyErr_Occurred() && pipe2(s.bytes, O_NONBLOCK | O_CLOEXEC) < 0)
		PyErr_SetFromErrno(PyExc_OSError);
	if (!PyErr_Occurred())
		s.others = wake_by(signals, s.bytes[1]);
	Py_XDECREF(unused);
	Py_XDECREF(handler);
	Py_XDECREF(signals);
	return PyErr_Occurred() ? -1 : found;
}

// A signal that is still on its way would end the process: to ignore it takes it away.
int weft_leave_signal(void)
{
	PyObject *signals = PyImport_ImportModule("_signal");
	PyObject *ignore = signals ? PyObject_GetAttrString(signals, "SIG_IGN") : NULL;
	PyObject *ignored = ignore ? PyObject_CallMethod(signals, "signal", "iO", s.number, ignore) : NULL;
	PyObject *done = ignored ? PyObject_CallMethod(signals, "signal", "iO", s.number, s.before) : NULL;
	if (done && s.bytes[1] >= 0) {
		int now = wake_by(signals, s.others);
		if (now != s.bytes[1] && !PyErr_Occurred())
			wake_by(signals, now); // the program has set another one meanwhile
		weft_pass_signals_on();
		close(s.bytes[0]);
		close(s.bytes[1]);
		s.bytes[0] = s.bytes[1] = -1;
	}
	Py_XDECREF(done);
	Py_XDECREF(ignored);
	Py_XDECREF(ignore);
	Py_XDECREF(signals);
	return PyErr_Occurred() ? -1 : 0;
}
