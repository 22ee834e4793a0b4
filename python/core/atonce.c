//go:build extension

// Operations on large arrays while np.errstate asks for errors, or for calls of the program's own. Each is submitted as any other, by its operands' shapes cut over processors, and
// waited for at its call, which then raises what NumPy raises of it:
//
//	begin      what was submitted before completes, and is told of by its own lines
//	submit     the operation looks for all that np.errstate does not ignore
//	end        it completes; flags that tiles found are told of together, divisions by zero first
//
// The result is dropped where that raises; what an operation in place has written stays, as it does in NumPy.
#include "shim.h"

int weft_begin_now(void)
{
	if (weft_now || weft_floating_stepping())
		return 0;
	PyObject *done = weft_sync(NULL, NULL);
	if (!done)
		return -1;
	Py_DECREF(done);
	weft_now = 1;
	return 1;
}

PyObject *weft_end_now(PyObject *made)
{
	PyObject *done = made ? weft_sync(NULL, NULL) : NULL;
	weft_now = 0;
	if (made && !done) {
		Py_DECREF(made);
		made = NULL;
	}
	Py_XDECREF(done);
	return made;
}
