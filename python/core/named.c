//go:build extension

// Arrays that calls name which are on their way without the interpreter's lock, or that a wait names between which handlers of signals run: what gives an object another
// array meanwhile may not give the old one back.
//
//	np.nonzero(x)      out, with the handle of x
//	x.shape = 2, 3     of another thread: x has another handle
//	                   the old one is given back when nonzero is back
//
// There may always be some call on its way where a program has threads, so calls count in the phase that they begin in, and what is kept waits for those of its phase, which
// ends when it keeps something and no call of the phase before is left:
//
//	phase 0        A begins    x is reshaped: kept
//	phase 1        B begins    A is back: what phase 0 kept is given back
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>

typedef struct {
	int calls;         // that began in it and are not back
	PyObject *objects; // a list of those with the arrays that others had, or NULL
	uint64_t *handles; // of arrays that objects had
	size_t count, room;
} phase;

static phase phases[2];
static int now; // the phase that calls begin in; none begins in the other one

volatile int weft_kept;
__thread int weft_calling;

static int keeps(const phase *p) { return p->objects || p->count; }

static int is_named(void) { return phases[0].calls || phases[1].calls; }

static int give_back(void *unused)
{
	(void)unused;
	weft_give_back_named();
	return 0;
}

// pass ends the phase where that is due, and says what may be given back: by the next call of the program's, or, if none comes, between two instructions of its main thread.
static void pass(void)
{
	for (phase *old = &phases[!now]; !old->calls && !weft_kept; old = &phases[!now]) {
		if (keeps(old)) {
			weft_kept = 1;
			Py_AddPendingCall(give_back, NULL);
		} else if (keeps(&phases[now])) {
			now = !now;
		} else {
			return;
		}
	}
}

int weft_begin_naming(void)
{
	phases[now].calls++;
	return now;
}

void weft_end_naming(int begun)
{
	phases[begun].calls--;
	pass();
}

int weft_keep_named(PyObject *array)
{
	phase *p = &phases[now];
	if (!is_named())
		return 0;
	if (!p->objects && !(p->objects = PyList_New(0)))
		return -1;
	return PyList_Append(p->objects, array);
}

void weft_free_named(uint64_t handle)
{
	phase *p = &phases[now];
	if (is_named() && p->count == p->room) {
		size_t more = 2 * p->room + 8;
		uint64_t *grown = realloc(p->handles, more * sizeof *grown);
		p->handles = grown ? grown : p->handles;
		p->room = grown ? more : p->room;
	}
	if (is_named() && p->count < p->room)
		p->handles[p->count++] = handle;
	else
		goFree(handle);
}

void weft_give_back_named(void)
{
	if (!weft_kept || weft_calling) // in a call of Go's
		return;
	phase *old = &phases[!now], given = *old;
	*old = (phase){0}; // first: code of the program's may run, and keep others
	weft_kept = 0;
	while (given.count > 0 && !weft_forked)
		goFree(given.handles[--given.count]);
	free(given.handles);
	Py_XDECREF(given.objects);
	pass();
}
