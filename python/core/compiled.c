//go:build extension

// Functions of the user's that are compiled: what Python asks jit/launch for.
#include "shim.h"
#include "_cgo_export.h"

// refuse raises for the argument at a position of a call.
static void refuse(const char *what, weft_values *b, Py_ssize_t at, PyObject *argument)
{
	char *which = goArgument((char *)what, b->v, b->n, (int)at);
	if (PyLong_Check(argument))
		PyErr_Format(PyExc_OverflowError,
			     "%s is an integer that does not fit the 64 bits that those of compiled functions have; give it as a float", which);
	else
		PyErr_Format(PyExc_TypeError, "%s is of type %R, which compiled functions do not take; give it arrays or numbers", which,
			     (PyObject *)Py_TYPE(argument));
	free(which);
}

// compiled(what, arguments...): see Functions.Call in jit/launch/functions.go.
PyObject *weft_compiled(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	const char *what = n > 0 ? PyUnicode_AsUTF8AndSize(args[0], NULL) : NULL;
	if (!what)
		return NULL;
	weft_values b;
	weft_values_init(&b);
	PyObject *result = NULL;
	for (Py_ssize_t i = 1; i < n; i++) {
		int is_number = Py_TYPE(args[i]) == weft_array_type || weft_scalar_code(args[i]);
		int rc = is_number ? weft_push_operand(&b, args[i]) : weft_push(&b, args[i], 'v');
		if (rc > 0)
			refuse(what, &b, i - 1, args[i]);
		if (rc != 0)
			goto done;
	}
	uint64_t where = weft_where();
	weft_count(WEFT_OPERATIONS, where);
	weft_error e = {NULL, NULL};
	weft_value answer = {0}, *answers = NULL;
	for (;;) {
		WEFT_CALL
		int rc = goCompiled((char *)what, b.v, b.n, where, weft_on_main_thread(), &answer, &answers, &e);
		WEFT_CALLED
		if (rc == WEFT_INTERRUPTED) {
			if (PyErr_CheckSignals() < 0)
				break;
			weft_read_again(b.v, b.n);
			continue;
		}
		if (rc == WEFT_OK) {
			const weft_value *p = answers ? answers : &answer;
			result = weft_pop(&p);
			free(answers);
		} else {
			weft_raise(&e);
		}
		break;
	}
done:
	weft_values_free(&b);
	return result;
}
