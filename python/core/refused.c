//go:build extension

// Calls of the function table that weft refuses with an error: NumPy is asked what it says, so that a program gets its exception, and its result where it has one.
#include "shim.h"
#include "table.h"

int weft_refused;

int weft_says_numpy(PyObject *array, PyObject *with)
{
	enum { MOST = 1 << 16 }; // as in _answers.py
	weft_value v;
	const weft_layout *l = Py_TYPE(array) == weft_array_type ? weft_layout_of((weft_array *)array) : NULL, *m = Py_TYPE(with) == weft_array_type ? weft_layout_of((weft_array *)with) : NULL;
	int inert = m ? m->size <= MOST : with == Py_None || PyUnicode_CheckExact(with) || (PyObject *)Py_TYPE(with) == weft_np_ndarray || weft_number(with, &v) || PyComplex_CheckExact(with);
	if (!l || l->size > MOST || !inert || !weft_is_about_arguments())
		return 0;
	PyErr_Clear();
	return 1;
}

void weft_refuse(void) { weft_refused = weft_is_about_arguments(); }

PyObject *weft_ask_about_refused(PyObject *const *args, Py_ssize_t n)
{
	PyObject *type, *error, *trace, *result = NULL;
	PyErr_Fetch(&type, &error, &trace);
	weft_refused = 0;
	PyErr_NormalizeException(&type, &error, &trace);
	if (trace)
		PyException_SetTraceback(error, trace); // of the program's code, which may not be run again, or of weft's own
	PyObject *hook = weft_hook("refused");
	PyObject *list = hook ? PyTuple_New(n - 1) : NULL;
	for (Py_ssize_t i = 1; list && i < n; i++)
		PyTuple_SetItem(list, i - 1, Py_NewRef(args[i]));
	PyObject *said = list ? PyObject_CallFunctionObjArgs(hook, args[0], list, error, NULL) : NULL;
	Py_XDECREF(list);
	if (said && PyTuple_CheckExact(said))
		result = Py_NewRef(PyTuple_GetItem(said, 0));
	else if (said && said != Py_NotImplemented)
		PyErr_SetObject((PyObject *)Py_TYPE(said), said);
	if (said == Py_NotImplemented || (!said && !PyErr_Occurred())) {
		PyErr_Restore(type, error, trace);
	} else {
		Py_XDECREF(type);
		Py_XDECREF(error);
		Py_XDECREF(trace);
	}
	Py_XDECREF(said);
	return result;
}
