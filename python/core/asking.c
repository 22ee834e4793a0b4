//go:build extension

// Calls of operations on many elements while np.errstate asks for errors, or for calls of the program's own: they are waited for, and raise what they are asked for as they
// end. _raising.py says which calls are.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <stdlib.h>

int weft_floating_way(const char *name, PyObject *const *args, Py_ssize_t n)
{
	if (weft_devices) // GPUs do not say what goes wrong
		return WEFT_BY_NUMPY;
	PyObject *hook = weft_hook("way"), *given = hook ? PyTuple_New(n) : NULL;
	if (!given)
		return -1;
	for (Py_ssize_t i = 0; i < n; i++)
		PyTuple_SetItem(given, i, Py_NewRef(args[i] ? args[i] : Py_None));
	PyObject *answer = PyObject_CallFunction(hook, "sO", name, given);
	int way = answer ? (int)PyLong_AsLong(answer) : -1;
	Py_DECREF(given);
	Py_XDECREF(answer);
	return PyErr_Occurred() ? -1 : way;
}

uint32_t weft_floating_begin(void) { return goAsks(); }

uint8_t weft_floating_minded(uint32_t call)
{
	uint8_t ignored, warned = weft_floating_says(&ignored);
	if (!call)
		return warned;
	if (weft_floating_calls()) // the function is told of what is ignored, too
		ignored = 0;
	return (uint8_t)~ignored & (EAGER_DIVIDE | EAGER_OVER | EAGER_UNDER | EAGER_INVALID);
}

PyObject *weft_floating_end(uint32_t call, PyObject *written, PyObject *made)
{
	if (!call)
		return made;
	int rc = !made || (Py_TYPE(written) == weft_array_type && weft_await(written) < 0) ? -1 : 0, flags;
	char *name;
	while (rc == 0 && goAskedWrong(call, &name, &flags)) {
		PyObject *hook = weft_hook("floating"), *done = hook ? PyObject_CallFunction(hook, "si", name, flags) : NULL;
		free(name);
		rc = done ? 0 : -1;
		Py_XDECREF(done);
	}
	goAsksEnd(call);
	if (rc < 0)
		Py_CLEAR(made);
	return made;
}
