//go:build extension

// The module: its start, and the functions that concern the runtime as a whole.
#include "shim.h"
#include "few.h"
#include "_cgo_export.h"
#include "kernelmod.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

extern PyMethodDef weft_kernel_methods[];

// Go starts its threads with the signal mask of the thread that loads the library, before
// PyInit__core. They must not be given SIGINT: CPython notices it at once only when it was
// the main thread that got it. The priority puts this before Go's own constructor.
static sigset_t mask_before;

__attribute__((constructor(101))) static void hold_interrupts(void)
{
	sigset_t interrupt;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupt, &mask_before);
}

// finish turns a status into None or an exception.
static PyObject *finish(int rc, weft_error *e)
{
	if (rc == WEFT_OK)
		Py_RETURN_NONE;
	return weft_raise(e);
}

static PyObject *start(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *is_started(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyBool_FromLong(weft_started());
}

static int ask_guests(void *about, int on_main, weft_error *e)
{
	(void)about;
	return goSettleGuests(on_main, e);
}

// alone waits, before the machine is replaced, until other libraries have done what they were told to do and no other call is on its way. It is the
// only one as long as it keeps the interpreter's lock. 0, or -1 with an exception.
static int alone(void)
{
	for (;;) {
		if (weft_wait(ask_guests, NULL) < 0)
			return -1;
		if (!weft_out)
			return 0;
		int on_main = weft_on_main_thread();
		goStandBy();
		weft_standing++;
		Py_BEGIN_ALLOW_THREADS
		goAwaitCalls(on_main);
		Py_END_ALLOW_THREADS
		weft_standing--;
		if (PyErr_CheckSignals() < 0)
			return -1;
	}
}

// set_flags(list of words, dict of environment variables): returns the words behind the flags.
// reconfigure(...) does the same, and restarts the runtime when it runs. An interrupt that raises nothing has it begin again: until all
// arrays are carried over, nothing has changed.
static PyObject *take_flags(PyObject *args, int restart)
{
	ENTER(NULL)
	PyObject *words, *env;
	if (!PyArg_ParseTuple(args, "UO!", &words, &PyDict_Type, &env))
		return NULL;
	Py_ssize_t n;
	const char *text = PyUnicode_AsUTF8AndSize(words, &n);
	if (!text)
		return NULL;
	PyObject *key, *value;
	Py_ssize_t at = 0;
	while (PyDict_Next(env, &at, &key, &value)) {
		const char *k = PyUnicode_AsUTF8AndSize(key, NULL), *v = k ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
		if (!v)
			return NULL;
		goSetEnvironment((char *)k, (char *)v);
	}
	weft_error e = {NULL, NULL};
	char *rest = NULL;
	int deferred = weft_defer_scalars, rc;
	do {
		if (restart && weft_started()) { // before that, there is no place in a program
			weft_ask(weft_where());
			if (alone() < 0)
				return NULL;
		}
		weft_shut_all(); // the memory may be another after that
		rc = goSetFlags((char *)text, (int)n, restart, &rest, &e);
	} while (rc == WEFT_INTERRUPTED && weft_attend() == 0);
	if (rc == WEFT_INTERRUPTED)
		return NULL;
	if (rc != WEFT_OK)
		return weft_raise(&e);
	if (weft_defer_scalars != deferred && weft_started())
		weft_forget_layouts();
	if (restart) {
		weft_forget_sources();
		weft_close_retired();
	}
	PyObject *result = PyUnicode_FromString(rest);
	free(rest);
	return result;
}

static PyObject *set_flags(PyObject *self, PyObject *args)
{
	(void)self;
	return take_flags(args, 0);
}

static PyObject *reconfigure(PyObject *self, PyObject *args)
{
	(void)self;
	return take_flags(args, 1);
}

// leave_lost(): where a GPU was lost, goes on without it, and returns what to tell the user; "" where none was.
static PyObject *leave_lost(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	ENTER(NULL)
	if (!weft_devices || !goAnyLost())
		return PyUnicode_FromString("");
	weft_error e = {NULL, NULL};
	char *said = NULL;
	int rc;
	do {
		weft_ask(weft_where());
		if (alone() < 0)
			return NULL;
		weft_shut_all(); // the memory is another after that
		rc = goLeaveLost(&said, &e);
	} while (rc == WEFT_INTERRUPTED && weft_attend() == 0);
	if (rc == WEFT_INTERRUPTED)
		return NULL;
	if (rc != WEFT_OK)
		return weft_raise(&e);
	weft_forget_sources();
	weft_close_retired();
	PyObject *result = PyUnicode_FromString(said);
	free(said);
	return result;
}

static int ask_sync(void *about, int on_main, weft_error *e)
{
	(void)about;
	return goSync(on_main, e);
}

static uint64_t synced; // weft_submitted, of what had all run the last time

static PyObject *sync_all(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (weft_forked) // all that a child has is complete
		Py_RETURN_NONE;
	ENTER(NULL)
	if (!weft_started())
		Py_RETURN_NONE;
	weft_look_back();
	if (PyErr_Occurred())
		return NULL;
	uint64_t before = weft_submitted;
	if (before == synced && !weft_devices && !weft_checks) { // Go's own look would take ten times as long as an operation, after a pause
		weft_chain_wait();
		Py_RETURN_NONE;
	}
	weft_ask(weft_where());
	if (weft_wait(ask_sync, NULL) < 0)
		return NULL;
	synced = before;
	Py_RETURN_NONE;
}

static PyObject *wake(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	goWake();
	Py_RETURN_NONE;
}

// watch_signals(fd): a byte is written there for each signal that Python gets.
static PyObject *watch_signals(PyObject *self, PyObject *fd)
{
	(void)self;
	long n = PyLong_AsLong(fd);
	if (n == -1 && PyErr_Occurred())
		return NULL;
	goWatchSignals((int)n);
	Py_RETURN_NONE;
}

static PyObject *name_source(PyObject *self, PyObject *args)
{
	(void)self;
	const char *file, *name;
	if (!PyArg_ParseTuple(args, "ss", &file, &name))
		return NULL;
	goNameSource((char *)file, (char *)name);
	weft_forget_sources();
	Py_RETURN_NONE;
}

// begin_cell(name, text, shell) begins a cell; of the main shell where none is named.
static PyObject *begin_cell(PyObject *self, PyObject *args)
{
	(void)self;
	const char *name, *text, *shell = "";
	if (!PyArg_ParseTuple(args, "ss|s", &name, &text, &shell))
		return NULL;
	if (!weft_forked) {
		goBeginCell((char *)name, (char *)text, (char *)shell);
	}
	Py_RETURN_NONE;
}

// end_cell(shell) returns the cell's cost as JSON, None if it did not use the runtime.
static PyObject *end_cell(PyObject *self, PyObject *args)
{
	(void)self;
	const char *shell = "";
	if (!PyArg_ParseTuple(args, "|s", &shell))
		return NULL;
	if (weft_forked)
		Py_RETURN_NONE;
	char *cost = goEndCell((char *)shell);
	if (!cost)
		Py_RETURN_NONE;
	PyObject *text = PyUnicode_FromString(cost);
	free(cost);
	return text;
}

// note_fallback(name, start, bytes) records a call that NumPy did; clock() is its start.
static PyObject *note_fallback(PyObject *self, PyObject *args)
{
	(void)self;
	const char *name;
	long long begun, bytes;
	if (!PyArg_ParseTuple(args, "sLL", &name, &begun, &bytes))
		return NULL;
	if (weft_started() && !weft_forked)
		goNoteFallback((char *)name, weft_where(), begun, bytes);
	Py_RETURN_NONE;
}

// begin_range(name) begins a part of the program that it names; end_range(name, mark), with what that returned, ends it.
static PyObject *begin_range(PyObject *self, PyObject *args)
{
	(void)self;
	const char *name;
	if (!PyArg_ParseTuple(args, "s", &name))
		return NULL;
	uint64_t annotation = 0;
	long long begun = weft_forked ? 0 : goBeginRange((char *)name, &annotation);
	return Py_BuildValue("(LK)", begun, (unsigned long long)annotation);
}

static PyObject *end_range(PyObject *self, PyObject *args)
{
	(void)self;
	const char *name;
	long long begun;
	unsigned long long annotation;
	if (!PyArg_ParseTuple(args, "s(LK)", &name, &begun, &annotation))
		return NULL;
	if (!weft_forked)
		goEndRange((char *)name, weft_started() ? weft_where() : 0, begun, annotation);
	Py_RETURN_NONE;
}

static PyObject *read_clock(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyLong_FromLongLong(weft_started() && !weft_forked ? goClock() : 0);
}

// query(name, argument): the services that answer with text; see queries in insight.go.
static PyObject *query(PyObject *self, PyObject *args)
{
	(void)self;
	ENTER(NULL)
	const char *name, *argument = "";
	if (!PyArg_ParseTuple(args, "s|s", &name, &argument))
		return NULL;
	weft_count_literals();
	weft_error e = {NULL, NULL};
	char *text = NULL;
	int64_t n = 0;
	int rc;
	Py_BEGIN_ALLOW_THREADS
	rc = goQuery((char *)name, (char *)argument, &text, &n, &e);
	Py_END_ALLOW_THREADS
	if (rc != WEFT_OK)
		return weft_raise(&e);
	PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "replace");
	free(text);
	return result;
}

// doing() says what the runtime does now, "" where there is none. Nothing is submitted or waited for.
static PyObject *doing(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (weft_forked)
		return PyUnicode_FromString("");
	char *text;
	Py_BEGIN_ALLOW_THREADS
	text = goDoing();
	Py_END_ALLOW_THREADS
	PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
	free(text);
	return result;
}

static PyObject *close_runtime(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (!weft_forked) {
		Py_BEGIN_ALLOW_THREADS
		goClose();
		Py_END_ALLOW_THREADS
	}
	Py_RETURN_NONE;
}

// setup takes a dict: the Python functions that C calls by name, NumPy's types, and
// "exceptions", "dtypes", "skipped" (see where.c) and "api" (see scalar.c).
static PyObject *setup(PyObject *self, PyObject *given)
{
	(void)self;
	if (weft_take_hooks(given) < 0 || weft_init_dtypes() < 0)
		return NULL;
	PyObject *api = weft_hook("api"), *dtypes = api ? weft_hook("dtypes") : NULL, *skipped = dtypes ? weft_hook("skipped") : NULL;
	if (!skipped || weft_init_scalars(api, dtypes) < 0 || weft_init_delegates(api) < 0 || weft_set_skipped(skipped) < 0)
		return NULL;
	weft_watch_left();
	weft_watch_index();
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{"setup", setup, METH_O, NULL},
	{"define", weft_define, METH_VARARGS, NULL},
	{"bind", weft_bind, METH_VARARGS, NULL},
	{"function", weft_function, METH_VARARGS, NULL},
	{"shortcut", weft_shortcut_of, METH_VARARGS, NULL},
	{"adopt", weft_adopt, METH_VARARGS, NULL},
	{"call", (PyCFunction)(void (*)(void))weft_call, METH_FASTCALL, NULL},
	{"delegate", weft_delegate_row, METH_VARARGS, NULL},
	{"as_ufunc", weft_as_ufunc, METH_O, "as_ufunc(function): the object that calls a function, as one of the type of ufuncs."},
	{"set_ufuncs_class", weft_set_ufuncs_class, METH_O, "set_ufuncs_class(metaclass): the class of the type of ufuncs."},
	{"ask_floating", weft_ask_floating, METH_NOARGS, "ask_floating(): the program asks for more than warnings of floating-point errors from now on."},
	{"floating_settings", weft_floating_settings, METH_O, "floating_settings(function): what to ask for NumPy's settings of floating-point errors: another object where something else is set."},
	{"tell_floating", weft_tell_floating, METH_NOARGS, "tell_floating(): warn of what went wrong in operations that have been computed since the program last waited."},
	{"within", weft_within, METH_VARARGS, "within(name, function, *args): what a function gives, by whose name of the program's it is told what goes wrong in the operations that are its steps; nothing is told where it gives NotImplemented or raises."},
	{"watch_floating", weft_watch_floating, METH_O, "watch_floating(flags): what else is looked for in floating-point operations from now on."},
	{"few", weft_set_few, METH_O, NULL},
	{"has_numpys_library", weft_has_numpys_library, METH_NOARGS, NULL},
	{"left", weft_set_left, METH_O, NULL},
	{"order_statistics", weft_order_statistics, METH_VARARGS, "order_statistics(array, places): what a sort would have at places of a vector, which rise; or None."},
	{"copy_of", weft_copy_of, METH_O, "An array of NumPy's with the elements of one that has few; None of others."},
	{"with_few", (PyCFunction)(void (*)(void))weft_with_few, METH_FASTCALL | METH_KEYWORDS, "with_few(function, arguments...): a call of a function of NumPy's with few elements; or NotImplemented."},
	{"compiled", (PyCFunction)(void (*)(void))weft_compiled, METH_FASTCALL, "compiled(what, arguments...): of functions of the user's; see jit/launch."},
	{"native", (PyCFunction)(void (*)(void))weft_native, METH_FASTCALL, NULL},
	{"from_host", weft_from_host_method, METH_O, NULL},
	{"references", (PyCFunction)(void (*)(void))weft_references, METH_FASTCALL, NULL},
	{"set_dying", weft_set_dying, METH_O, NULL},
	{"set_owning", weft_set_owning, METH_O, NULL},
	{"of_class", weft_of_class, METH_O, NULL},
	{"held_array", weft_held_array, METH_O, NULL},
	{"hold", weft_hold, METH_O, NULL},
	{"pin", weft_pin, METH_VARARGS, NULL},
	{"view_at", weft_view_at, METH_VARARGS, NULL},
	{"adopted", weft_adopted_method, METH_O, NULL},
	{"share", weft_share, METH_VARARGS, NULL},
	{"based", weft_based, METH_VARARGS, NULL},
	{"borrow", weft_borrow_method, METH_O, NULL},
	{"shares", weft_shares, METH_NOARGS, NULL},
	{"host_most", weft_host_most, METH_NOARGS, NULL},
	{"on_device", weft_on_device, METH_VARARGS, NULL},
	{"expose", weft_expose, METH_O, NULL},
	{"await_stream", weft_await_stream, METH_O, NULL},
	{"keep", weft_keep, METH_VARARGS, NULL},
	{"adopt_guest", weft_adopt_guest, METH_VARARGS, NULL},
	{"tensor_of", weft_tensor_of, METH_O, NULL},
	{"tensor", weft_tensor, METH_VARARGS, NULL},
	{"elements", weft_elements, METH_VARARGS, NULL},
	{"is_known", weft_is_known, METH_O, NULL},
	{"where", weft_where_object, METH_NOARGS, NULL},
	{"displaying", weft_displaying, METH_O, "Begin (True) or end (False) to show a value, which is no part of the program."},
	{"start", start, METH_NOARGS, NULL},
	{"started", is_started, METH_NOARGS, NULL},
	{"set_flags", set_flags, METH_VARARGS, NULL},
	{"reconfigure", reconfigure, METH_VARARGS, NULL},
	{"sync", sync_all, METH_NOARGS, NULL},
	{"before_fork", weft_before_fork, METH_NOARGS, NULL},
	{"after_fork", weft_after_fork, METH_NOARGS, NULL},
	{"seen", weft_seen, METH_O, NULL},
	{"wake", wake, METH_NOARGS, NULL},
	{"watch_signals", watch_signals, METH_O, NULL},
	{"name_source", name_source, METH_VARARGS, NULL},
	{"begin_cell", begin_cell, METH_VARARGS, NULL},
	{"leave_lost", leave_lost, METH_NOARGS, NULL},
	{"end_cell", end_cell, METH_VARARGS, NULL},
	{"note_fallback", note_fallback, METH_VARARGS, NULL},
	{"begin_range", begin_range, METH_VARARGS, NULL},
	{"end_range", end_range, METH_VARARGS, NULL},
	{"sample_begin", weft_sample_begin, METH_O, NULL},
	{"sample_end", weft_sample_end, METH_NOARGS, NULL},
	{"clock", read_clock, METH_NOARGS, NULL},
	{"query", query, METH_VARARGS, NULL},
	{"doing", doing, METH_NOARGS, NULL},
	{"close", close_runtime, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "weft._core",
	.m_doc = "The runtime, in Go. Import weft instead.",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__core(void)
{
	pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
	PyObject *module = PyModule_Create(&definition);
	if (!module)
		return NULL;
	if (weft_init_threads() < 0 || weft_init_array(module) < 0 || weft_init_mapping() < 0 || weft_init_iteration() < 0 || weft_init_flags() < 0 || weft_init_flat() < 0 || weft_init_function(module) < 0 || weft_init_draws() < 0 ||
		PyModule_AddFunctions(module, weft_kernel_methods) < 0) {
		Py_DECREF(module);
		return NULL;
	}
	return module;
}
