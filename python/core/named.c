//go:build extension

// Arrays that calls name which are on their way without the interpreter's lock, or that a wait names between which handlers of signals run: what gives an object another
// array meanwhile may not give the old one back.
//
//	np.nonzero(x)      out, with the handle of x
//	x.shape = 2, 3     of another thread: x has another handle
//	                   the old one is given back when nonzero is back
#include "shim.h"
#include "_cgo_export.h"
#include <stdlib.h>

int weft_out, weft_naming;

static PyObject *kept; // a list of objects with the arrays that others had, or NULL
static uint64_t *handles; // of arrays that objects had
static size_t count, room;

static int is_named(void) { return weft_out || weft_naming; }

int weft_keep_named(PyObject *array)
{
	if (!is_named())
		return 0;
	if (!kept && !(kept = PyList_New(0)))
		return -1;
	return PyList_Append(kept, array);
}

void weft_free_named(uint64_t handle)
{
	if (is_named() && count == room) {
		size_t more = 2 * room + 8;
		uint64_t *grown = realloc(handles, more * sizeof *grown);
		handles = grown ? grown : handles;
		room = grown ? more : room;
	}
	if (is_named() && count < room)
		handles[count++] = handle;
	else
		goFree(handle);
}

// let_go runs between two instructions of the program's main thread, where no call of Go's is under way there.
static int let_go(void *unused)
{
	(void)unused;
	if (is_named())
		return 0;
	Py_CLEAR(kept);
	while (count > 0 && !weft_forked)
		goFree(handles[--count]);
	count = 0;
	return 0;
}

void weft_let_named_go(void)
{
	if ((kept || count) && !is_named())
		Py_AddPendingCall(let_go, NULL); // where too many are waiting, they stay until the next call is back
}
