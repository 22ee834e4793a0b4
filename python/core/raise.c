//go:build extension

// Exceptions, and the Python functions and NumPy types that the package gives to setup. What dtypes are is in dtypes.c.
#include "shim.h"
#include "few.h"
#include "handover.h"
#include "_cgo_export.h"
#include <stdlib.h>
#include <string.h>

static PyObject *hooks;      // what setup was given
static PyObject *exceptions; // name -> class, of those that are not builtins
PyObject *weft_dtypes;       // list by tile.DType; None at 0
PyObject *weft_np_ndarray, *weft_np_generic, *weft_no_value;
PyTypeObject *weft_array_type; // object.c makes it

// Those that were asked for, by where their names are, which are literals: to make a string of one takes longer than what is done with some.
enum { ASKED = 128 };
static struct {
	const char *name;
	PyObject *hook;
} asked[ASKED];

PyObject *weft_hook(const char *name)
{
	unsigned slot = (unsigned)((uintptr_t)name >> 3) % ASKED;
	if (asked[slot].name == name)
		return asked[slot].hook;
	PyObject *f = hooks ? PyDict_GetItemString(hooks, name) : NULL;
	if (f) {
		asked[slot].name = name;
		asked[slot].hook = f;
	} else {
		PyErr_Format(PyExc_RuntimeError, "weft._core: %s was not given to setup; import weft, not weft._core", name);
	}
	return f;
}

// An interrupt that Python has not looked at yet goes first: the error may be that it cancelled what
// was waited for.
PyObject *weft_raise(weft_error *e)
{
	if (PyErr_CheckSignals() < 0) {
		free(e->type);
		free(e->text);
		e->type = e->text = NULL;
		return NULL;
	}
	const char *type = e->type ? e->type : "RuntimeError";
	PyObject *class = exceptions ? PyDict_GetItemString(exceptions, type) : NULL;
	Py_XINCREF(class);
	if (!class) {
		PyObject *builtins = PyImport_ImportModule("builtins");
		if (builtins) {
			class = PyObject_GetAttrString(builtins, type);
			Py_DECREF(builtins);
		}
		if (!class || !PyExceptionClass_Check(class)) {
			PyErr_Clear();
			Py_XDECREF(class);
			class = Py_NewRef(PyExc_RuntimeError);
		}
	}
	PyObject *text = PyUnicode_DecodeUTF8(e->text ? e->text : "unknown", e->text ? strlen(e->text) : 7, "replace");
	PyObject *made = text && !PyExceptionClass_Check(class) ? PyObject_CallFunctionObjArgs(class, text, NULL) : NULL; // a function that makes one of it
	if (made)
		PyErr_SetObject((PyObject *)Py_TYPE(made), made);
	else if (text && PyExceptionClass_Check(class))
		PyErr_SetObject(class, text);
	Py_XDECREF(made);
	Py_XDECREF(text);
	Py_DECREF(class);
	free(e->type);
	free(e->text);
	e->type = e->text = NULL;
	return NULL;
}

int weft_warns(const weft_error *e) { return e->type && strcmp(e->type, "ComplexWarning") == 0; }

static int warned(const char *type, const char *text, int level)
{
	PyObject *class = exceptions ? PyDict_GetItemString(exceptions, type) : NULL;
	return PyErr_WarnEx(class ? class : PyExc_RuntimeWarning, text, level);
}

int weft_warn_discards(int level) { return warned("ComplexWarning", "Casting complex values to real discards the imaginary part", level); }

int weft_warn(weft_error *e, int level)
{
	int rc = warned(e->type, e->text, level);
	free(e->type);
	free(e->text);
	e->type = e->text = NULL;
	return rc;
}

int weft_take_hooks(PyObject *given)
{
	static struct { const char *name; PyObject **to; } wanted[] = {
		{"exceptions", &exceptions}, {"dtypes", &weft_dtypes}, {"ndarray", &weft_np_ndarray},
		{"generic", &weft_np_generic}, {"no_value", &weft_no_value},
	};
	if (!PyDict_Check(given)) {
		PyErr_SetString(PyExc_TypeError, "setup takes a dict");
		return -1;
	}
	weft_set(&hooks, Py_NewRef(given));
	memset(asked, 0, sizeof asked);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		PyObject *o = weft_hook(wanted[i].name);
		if (!o)
			return -1;
		weft_set(wanted[i].to, Py_NewRef(o));
	}
	return 0;
}
