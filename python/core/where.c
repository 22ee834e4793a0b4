//go:build extension

// Where in the user's program an operation is asked for: the innermost Python frame that is
// neither weft's nor NumPy's. What a code object's file is called is looked up once.
#include "shim.h"
#include "_cgo_export.h"
#include <dlfcn.h>
#include <string.h>

typedef struct {
	PyObject *code; // strong: its address must not be used again
	uint32_t source;
	uint32_t serial; // never used twice
	int skip;
} entry;

// What has no user's frame below this file of IPython's was asked for by a magic or a display: by no line of the program.
#define SHELL "/IPython/core/interactiveshell.py"

#define WAYS 4       // places that a code object may have
#define ENTRIES 1024 // a power of two; bounds how many code objects are kept alive

static entry known[ENTRIES];

// Python finds the line of an instruction by reading the code's table from its start, which
// takes microseconds in a long cell. So the lines are kept, by code object and instruction.
typedef struct {
	uint32_t serial;
	int32_t instruction, line;
} known_line;

#define LINES 4096 // a power of two

static known_line lines[LINES];
static PyObject *skipped; // tuple of path prefixes whose frames are not the user's
static PyObject *f_back, *f_lasti, *co_filename, *startswith;

// PyFrame_GetLasti is public but not in the stable ABI: looked up by name, and the attribute
// read where it is missing, which takes longer than all the rest here.
static int (*last_instruction)(PyFrameObject *);

int weft_set_skipped(PyObject *prefixes)
{
	if (!f_back) {
		f_back = PyUnicode_InternFromString("f_back");
		f_lasti = PyUnicode_InternFromString("f_lasti");
		co_filename = PyUnicode_InternFromString("co_filename");
		startswith = PyUnicode_InternFromString("startswith");
		last_instruction = (int (*)(PyFrameObject *))dlsym(RTLD_DEFAULT, "PyFrame_GetLasti");
		if (!f_back || !f_lasti || !co_filename || !startswith)
			return -1;
	}
	weft_set(&skipped, Py_NewRef(prefixes));
	weft_forget_sources();
	return 0;
}

// weft_forget_sources is called when the sources get new numbers.
void weft_forget_sources(void)
{
	for (int i = 0; i < ENTRIES; i++)
		Py_CLEAR(known[i].code);
}

static int look_up(entry *e, PyObject *code)
{
	PyObject *name = PyObject_GetAttr(code, co_filename);
	if (!name)
		return -1;
	int skip = 0;
	if (skipped) {
		PyObject *is = PyObject_CallMethodObjArgs(name, startswith, skipped, NULL);
		if (!is) {
			Py_DECREF(name);
			return -1;
		}
		skip = is == Py_True;
		Py_DECREF(is);
	}
	uint32_t source = 0;
	if (!skip) {
		Py_ssize_t n;
		const char *text = PyUnicode_AsUTF8AndSize(name, &n);
		if (text && strstr(text, SHELL))
			source = 0;
		else if (text)
			source = goSource((char *)text, (int)n);
		else
			PyErr_Clear(); // a name with surrogates: unknown
	}
	Py_DECREF(name);
	weft_set(&e->code, Py_NewRef(code));
	static uint32_t serial;
	e->serial = ++serial;
	e->source = source;
	e->skip = skip;
	return 0;
}

// entry_of returns what is known of a code object: NULL with an exception. Each has several places, so that functions that call each other do not push
// each other out for as long as the program runs.
static entry *entry_of(PyObject *code)
{
	static unsigned oldest;
	uint64_t hash = (uint64_t)(uintptr_t)code * 0x9e3779b97f4a7c15; // 2^64 over the golden ratio: Knuth, volume 3, 6.4
	entry *set = &known[(hash >> 32) & (ENTRIES - WAYS)];
	for (int i = 0; i < WAYS; i++)
		if (set[i].code == code)
			return &set[i];
	entry *e = &set[oldest++ % WAYS];
	return look_up(e, code) < 0 ? NULL : e;
}

static int32_t instruction_of(PyObject *frame)
{
	if (last_instruction)
		return last_instruction((PyFrameObject *)frame);
	PyObject *at = PyObject_GetAttr(frame, f_lasti);
	if (!at) {
		PyErr_Clear();
		return -1;
	}
	int32_t instruction = (int32_t)PyLong_AsLong(at);
	Py_DECREF(at);
	return instruction;
}

static int line_of(PyObject *frame, const entry *e, int32_t instruction)
{
	if (instruction < 0)
		return PyFrame_GetLineNumber((PyFrameObject *)frame);
	known_line *k = &lines[(e->serial * 2654435761u + (uint32_t)instruction) & (LINES - 1)];
	if (k->serial != e->serial || k->instruction != instruction) {
		k->serial = e->serial;
		k->instruction = instruction;
		k->line = PyFrame_GetLineNumber((PyFrameObject *)frame);
	}
	return k->line;
}

// A place crosses to Go as one number, which WhereOf of package workspace takes apart again.
static uint64_t place_of(uint32_t source, int line) { return (uint64_t)source << 32 | (uint32_t)line; }

// How many displays of values are under way in this thread: one may show another.
static _Thread_local int displays;

// weft_displaying(on): what is asked for from here on only shows a value, until it is called with off.
PyObject *weft_displaying(PyObject *self, PyObject *on)
{
	(void)self;
	displays += PyObject_IsTrue(on) ? 1 : -1;
	Py_RETURN_NONE;
}

// weft_where never fails: an unknown place is 0. It is called without an exception set.
uint64_t weft_where(void)
{
	if (displays > 0)
		return place_of(goDisplaySource(), 0);
	PyObject *frame = (PyObject *)PyEval_GetFrame();
	Py_XINCREF(frame);
	while (frame && frame != Py_None) {
		PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
		entry *e = entry_of(code);
		Py_DECREF(code);
		if (!e)
			break;
		if (!e->skip) {
			uint64_t w = !e->source ? 0 : place_of(e->source, line_of(frame, e, instruction_of(frame)));
			Py_DECREF(frame);
			return w;
		}
		weft_set(&frame, PyObject_GetAttr(frame, f_back));
	}
	Py_XDECREF(frame);
	PyErr_Clear();
	return 0;
}

// weft_level is how many frames up the user's code is, for warnings: the outermost frame, where there is none. It never fails.
int weft_level(void)
{
	PyObject *frame = Py_XNewRef((PyObject *)PyEval_GetFrame());
	int level = 1;
	for (; frame; level++) {
		PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
		entry *e = entry_of(code);
		Py_DECREF(code);
		PyObject *back = e && e->skip ? PyObject_GetAttr(frame, f_back) : NULL;
		weft_set(&frame, back);
		if (!back || back == Py_None)
			break;
	}
	Py_XDECREF(frame);
	PyErr_Clear();
	return level;
}

// weft_place_of is the place of a frame, whatever is skipped, and the instruction that it is at. It never fails.
uint64_t weft_place_of(PyObject *frame, PyObject *code, int32_t *instruction)
{
	*instruction = instruction_of(frame);
	entry *e = entry_of(code);
	if (!e) {
		PyErr_Clear();
		return 0;
	}
	return place_of(e->source, line_of(frame, e, *instruction));
}

PyObject *weft_where_object(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	return PyLong_FromUnsignedLongLong(weft_where());
}
