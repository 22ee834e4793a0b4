//go:build extension

// Arrays that calls name which are on their way without the interpreter's lock, or that a wait names between which handlers of signals run: what gives an object another
// array meanwhile may not give the old one back.
//
//	np.nonzero(x)      out, with the handle of x
//	x.shape = 2, 3     of another thread: x has another handle
//	                   the old one is given back when nonzero is back
#include "shim.h"

int weft_naming;

static PyObject *kept; // a list of objects with the arrays that others had, or NULL

static int is_named(void) { return weft_out || weft_naming; }

int weft_keep_named(PyObject *array)
{
	if (!is_named())
		return 0;
	if (!kept && !(kept = PyList_New(0)))
		return -1;
	return PyList_Append(kept, array);
}

int weft_free_named(uint64_t handle)
{
	PyObject *holds = weft_wrap(handle); // gives it back where nothing keeps it
	int rc = holds ? weft_keep_named(holds) : -1;
	Py_XDECREF(holds);
	return rc;
}

// let_go runs between two instructions of the program's main thread, where no call of Go's is under way there.
static int let_go(void *unused)
{
	(void)unused;
	if (!is_named())
		Py_CLEAR(kept);
	return 0;
}

void weft_let_named_go(void)
{
	if (kept && !is_named())
		Py_AddPendingCall(let_go, NULL); // where too many are waiting, they stay until the next call is back
}
