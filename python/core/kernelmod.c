//go:build extension

// The functions of weft._core that the Jupyter kernel's Python side uses. Each one parses
// its arguments and crosses to Go once; whatever may wait does so without the interpreter's
// lock and returns now and then to look for signals.

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "_cgo_export.h"
#include "kernelmod.h"

static pthread_t main_thread;
static int main_known;

int weft_interrupt_main(void) {
	return main_known ? pthread_kill(main_thread, SIGINT) : -1;
}

// NUDGE ends a system call of the main thread and does nothing else. A real-time signal,
// because no library has a meaning for it.
#define NUDGE SIGRTMAX

static void do_nothing(int number) { (void)number; }

// Without SA_RESTART, so that the system call ends with EINTR and Python looks for signals.
static int prepare_nudges(void) {
	struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_ONSTACK};
	sigemptyset(&action.sa_mask);
	return sigaction(NUDGE, &action, NULL);
}

int weft_nudge_main(void) {
	return main_known ? pthread_kill(main_thread, NUDGE) : -1;
}

// take turns malloc'ed bytes into a bytes object and frees them.
static PyObject *take(weft_bytes b) {
	PyObject *o = PyBytes_FromStringAndSize(b.data, (Py_ssize_t)b.size);
	free(b.data);
	return o;
}

// raise turns an error text of Go into a Python exception and frees it.
static PyObject *raise_text(PyObject *type, char *text) {
	PyErr_SetString(type, text);
	free(text);
	return NULL;
}

static PyObject *kernel_start(PyObject *self, PyObject *args) {
	const char *file, *crash, *version, *banner;
	int debugger;
	if (!PyArg_ParseTuple(args, "ssssp:kernel_start", &file, &crash, &version, &banner, &debugger)) return NULL;
	if (prepare_nudges() < 0) return PyErr_SetFromErrno(PyExc_OSError);
	main_thread = pthread_self();
	main_known = 1;
	char *problem;
	Py_BEGIN_ALLOW_THREADS
	problem = goKernelStart((char *)file, (char *)crash, (char *)version, (char *)banner, debugger);
	Py_END_ALLOW_THREADS
	if (problem) return raise_text(PyExc_RuntimeError, problem);
	Py_RETURN_NONE;
}

static PyObject *kernel_next(PyObject *self, PyObject *unused) {
	weft_request r;
	int rc;
	Py_BEGIN_ALLOW_THREADS
	rc = goKernelNext(&r);
	Py_END_ALLOW_THREADS
	if (rc == WEFT_END) Py_RETURN_NONE;
	PyObject *buffers = PyList_New((Py_ssize_t)r.nbuffers);
	for (size_t i = 0; i < r.nbuffers; i++) {
		PyObject *b = take(r.buffers[i]);
		if (buffers && b) PyList_SetItem(buffers, (Py_ssize_t)i, b);
		else Py_XDECREF(b);
	}
	free(r.buffers);
	PyObject *shell = take(r.shell), *type = take(r.type), *content = take(r.content);
	PyObject *metadata = take(r.metadata), *parent = take(r.parent);
	PyObject *result = NULL;
	if (buffers && shell && type && content && metadata && parent)
		result = Py_BuildValue("(KOOOOOO)", (unsigned long long)r.handle, shell, type, content, metadata, parent, buffers);
	Py_XDECREF(shell);
	Py_XDECREF(type);
	Py_XDECREF(content);
	Py_XDECREF(metadata);
	Py_XDECREF(parent);
	Py_XDECREF(buffers);
	return result;
}

static PyObject *kernel_reply(PyObject *self, PyObject *args) {
	unsigned long long handle;
	const char *content, *metadata;
	Py_ssize_t ncontent, nmetadata;
	if (!PyArg_ParseTuple(args, "Ky#y#:kernel_reply", &handle, &content, &ncontent, &metadata, &nmetadata)) return NULL;
	weft_text_drain();
	goKernelReply(handle, (char *)content, ncontent, (char *)metadata, nmetadata);
	Py_RETURN_NONE;
}

static PyObject *kernel_release(PyObject *self, PyObject *args) {
	unsigned long long handle;
	if (!PyArg_ParseTuple(args, "K:kernel_release", &handle)) return NULL;
	goKernelRelease(handle);
	Py_RETURN_NONE;
}

static PyObject *kernel_publish(PyObject *self, PyObject *args) {
	unsigned long long handle;
	const char *type, *content, *metadata;
	Py_ssize_t ncontent, nmetadata;
	PyObject *list;
	if (!PyArg_ParseTuple(args, "Ksy#y#O:kernel_publish", &handle, &type, &content, &ncontent, &metadata, &nmetadata, &list))
		return NULL;
	Py_ssize_t n = PySequence_Size(list);
	if (n < 0) return NULL;
	weft_bytes *buffers = calloc((size_t)n + 1, sizeof *buffers);
	if (!buffers) return PyErr_NoMemory();
	// Each buffer is copied: sending goes on after this returns, and the owner may write.
	Py_ssize_t i = 0;
	for (; i < n; i++) {
		PyObject *item = PySequence_GetItem(list, i);
		Py_buffer view;
		if (!item || PyObject_GetBuffer(item, &view, PyBUF_C_CONTIGUOUS) < 0) {
			Py_XDECREF(item);
			break;
		}
		buffers[i].size = (size_t)view.len;
		buffers[i].data = malloc((size_t)view.len + 1);
		if (buffers[i].data) PyBuffer_ToContiguous(buffers[i].data, &view, view.len, 'C');
		PyBuffer_Release(&view);
		Py_DECREF(item);
		if (!buffers[i].data) {
			PyErr_NoMemory();
			break;
		}
	}
	char *problem = NULL;
	weft_text_drain();
	if (i == n) {
		Py_BEGIN_ALLOW_THREADS
		problem = goKernelPublish(handle, (char *)type, (char *)content, ncontent, (char *)metadata, nmetadata, buffers, n);
		Py_END_ALLOW_THREADS
	}
	for (Py_ssize_t k = 0; k < n; k++) free(buffers[k].data);
	free(buffers);
	if (i < n) return NULL;
	if (problem) return raise_text(PyExc_RuntimeError, problem);
	Py_RETURN_NONE;
}

static PyObject *kernel_stream(PyObject *self, PyObject *args) {
	unsigned long long handle;
	const char *name, *text;
	Py_ssize_t ntext;
	if (!PyArg_ParseTuple(args, "Kss#:kernel_stream", &handle, &name, &text, &ntext)) return NULL;
	weft_text_drain();
	Py_BEGIN_ALLOW_THREADS
	goKernelStream(handle, (char *)name, (char *)text, ntext);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyObject *kernel_flush(PyObject *self, PyObject *args) {
	unsigned long long handle;
	if (!PyArg_ParseTuple(args, "K:kernel_flush", &handle)) return NULL;
	weft_text_drain();
	Py_BEGIN_ALLOW_THREADS
	goKernelFlush(handle);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static PyObject *kernel_printed(PyObject *self, PyObject *args) {
	unsigned long long handle;
	if (!PyArg_ParseTuple(args, "K:kernel_printed", &handle)) return NULL;
	weft_text_drain();
	weft_bytes text;
	Py_BEGIN_ALLOW_THREADS
	text = goKernelPrinted(handle);
	Py_END_ALLOW_THREADS
	return take(text);
}

static PyObject *kernel_input(PyObject *self, PyObject *args) {
	unsigned long long handle;
	const char *prompt;
	int password;
	if (!PyArg_ParseTuple(args, "Ksp:kernel_input", &handle, &prompt, &password)) return NULL;
	char *problem;
	int no_stdin = 0;
	uint64_t question = 0;
	weft_text_drain();
	Py_BEGIN_ALLOW_THREADS
	problem = goKernelAskInput(handle, (char *)prompt, password, &no_stdin, &question);
	Py_END_ALLOW_THREADS
	if (problem) return raise_text(no_stdin ? PyExc_NotImplementedError : PyExc_RuntimeError, problem);
	PyObject *text = NULL;
	for (;;) {
		weft_bytes answer;
		int rc;
		Py_BEGIN_ALLOW_THREADS
		rc = goKernelAwaitInput(question, &answer);
		Py_END_ALLOW_THREADS
		if (rc == WEFT_DONE) {
			text = PyUnicode_DecodeUTF8(answer.data, (Py_ssize_t)answer.size, "replace");
			free(answer.data);
			break;
		}
		if (PyErr_CheckSignals() < 0) break;
		if (rc == WEFT_END) {
			PyErr_SetString(PyExc_EOFError, "the kernel ends while waiting for input");
			break;
		}
	}
	goKernelEndInput(question);
	return text;
}

static PyObject *kernel_begun(PyObject *self, PyObject *handle) {
	unsigned long long number = PyLong_AsUnsignedLongLong(handle);
	if (number == (unsigned long long)-1 && PyErr_Occurred()) return NULL;
	goKernelBegun(number);
	Py_RETURN_NONE;
}

static PyObject *kernel_attended(PyObject *self, PyObject *unused) {
	return PyLong_FromUnsignedLongLong(goKernelAttended());
}

static PyObject *kernel_interrupt(PyObject *self, PyObject *unused) {
	goKernelInterrupt();
	Py_RETURN_NONE;
}

static PyObject *kernel_capture(PyObject *self, PyObject *unused) {
	int fd = -1;
	char *problem = goKernelCapture(&fd);
	if (problem) return raise_text(PyExc_RuntimeError, problem);
	return PyLong_FromLong(fd);
}

static PyObject *kernel_log(PyObject *self, PyObject *args) {
	const char *text;
	if (!PyArg_ParseTuple(args, "s:kernel_log", &text)) return NULL;
	goKernelLog((char *)text);
	Py_RETURN_NONE;
}

static PyObject *kernel_close(PyObject *self, PyObject *unused) {
	char *problem;
	weft_text_drain();
	Py_BEGIN_ALLOW_THREADS
	problem = goKernelClose();
	Py_END_ALLOW_THREADS
	if (problem) return raise_text(PyExc_RuntimeError, problem);
	Py_RETURN_NONE;
}

extern PyObject *weft_kernel_writer(PyObject *self, PyObject *args); // text.c

PyMethodDef weft_kernel_methods[] = {
	{"kernel_start", kernel_start, METH_VARARGS,
	 "kernel_start(connection_file, crash_file, python_version, banner, debugger): open the sockets and answer what needs no Python."},
	{"kernel_next", kernel_next, METH_NOARGS,
	 "kernel_next() -> (handle, shell, type, content, metadata, parent, buffers), or None at the end; waits without the lock."},
	{"kernel_begun", kernel_begun, METH_O, "kernel_begun(handle): Python's thread has come to the request."},
	{"kernel_reply", kernel_reply, METH_VARARGS, "kernel_reply(handle, content, metadata): answer a request; both are JSON."},
	{"kernel_release", kernel_release, METH_VARARGS, "kernel_release(handle): nothing will be published for the request any more."},
	{"kernel_publish", kernel_publish, METH_VARARGS,
	 "kernel_publish(handle, type, content, metadata, buffers): send a message below the request's cell."},
	{"kernel_stream", kernel_stream, METH_VARARGS, "kernel_stream(handle, name, text): write to stdout or stderr of the cell."},
	{"kernel_writer", weft_kernel_writer, METH_VARARGS,
	 "kernel_writer(error, current, write) -> the write function of stdout, or of stderr. current() is the request of the calling code, or None; write is for what is not simple."},
	{"kernel_flush", kernel_flush, METH_VARARGS, "kernel_flush(handle): send the text that was collected."},
	{"kernel_printed", kernel_printed, METH_VARARGS,
	 "kernel_printed(handle) -> JSON: what the request has written since it was last asked, at most its first 64 KiB."},
	{"kernel_input", kernel_input, METH_VARARGS, "kernel_input(handle, prompt, password) -> str: ask the user."},
	{"kernel_attended", kernel_attended, METH_NOARGS, "kernel_attended() -> handle of the request that the interrupt is for, 0 for others: Python has noticed it."},
	{"kernel_interrupt", kernel_interrupt, METH_NOARGS, "kernel_interrupt(): interrupt the running cell, soon."},
	{"kernel_capture", kernel_capture, METH_NOARGS,
	 "kernel_capture() -> fd: show what is written to descriptors 1 and 2 below the cell; returns the old stderr."},
	{"kernel_log", kernel_log, METH_VARARGS, "kernel_log(text): write to the kernel's log, which is never the notebook."},
	{"kernel_close", kernel_close, METH_NOARGS, "kernel_close(): send what is queued and close the sockets."},
	{NULL, NULL, 0, NULL},
};
