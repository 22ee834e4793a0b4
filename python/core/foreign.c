//go:build extension

// Calls of the table's functions whose arguments are not weft's, or may not be: classes derived from NumPy's arrays, arrays of
// dtypes that weft has not, text, and what NumPy has an answer for where weft refuses.
#include "shim.h"
#include "table.h"
#include <string.h>

int weft_is_unsaid(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	for (Py_ssize_t i = 1; i < n - 1; i++)
		if (args[1 + i] != weft_no_value && args[1 + i] != PyTuple_GetItem(f->defaults, i))
			return 0;
	return 1;
}

PyObject *weft_fall_back(const char *why, Py_ssize_t at, PyObject *const *args, PyObject *const *given, Py_ssize_t n)
{
	PyObject *hook = weft_hook("fallback");
	PyObject *list = hook ? PyTuple_New(n - 1) : NULL;
	if (!list)
		return NULL;
	for (Py_ssize_t i = 1; i < n; i++)
		PyTuple_SetItem(list, i - 1, Py_NewRef(PyList_CheckExact(given[i]) || PyTuple_CheckExact(given[i]) ? given[i] : args[i]));
	PyObject *reason = PyUnicode_DecodeUTF8(why, strlen(why), "replace"), *number = PyLong_FromSsize_t(at);
	PyObject *result = reason && number ? PyObject_CallFunctionObjArgs(hook, args[0], reason, number, list, NULL) : NULL;
	Py_XDECREF(reason);
	Py_XDECREF(number);
	Py_DECREF(list);
	weft_refused = 0; // by a call of the program's that NumPy has made
	return result;
}

int weft_say_again(const weft_row *f, PyObject *const *args, Py_ssize_t n, PyObject **with, weft_said *said)
{
	const char *text[WEFT_MOST_PARAMETERS];
	Py_ssize_t named = 0, all = 0;
	*said = (weft_said){.args = with};
	for (Py_ssize_t i = 0; i < n - 1 && n - 1 <= WEFT_MOST_PARAMETERS; i++) {
		PyObject *value = args[1 + i];
		const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(f->names, i), NULL);
		if (!name || *name == '*')
			return -1;
		if (value == weft_no_value || (i > 0 && value == PyTuple_GetItem(f->defaults, i)))
			continue;
		with[all++] = value;
		if (i == 0 || *name == '/') {
			if (named)
				return -1;
			said->n++;
		} else {
			text[named++] = name;
		}
	}
	said->names = named ? PyTuple_New(named) : NULL;
	for (Py_ssize_t k = 0; said->names && k < named; k++) {
		PyObject *name = PyUnicode_InternFromString(text[k]);
		if (!name)
			Py_CLEAR(said->names);
		else
			PyTuple_SetItem(said->names, k, name);
	}
	return n - 1 <= WEFT_MOST_PARAMETERS && (!named || said->names) ? 0 : -1;
}

PyObject *weft_of_derived(const weft_row *f, const weft_said *said)
{
	PyObject *name = f->plain.function ? PyUnicode_FromString(f->name) : NULL;
	PyObject *made = name ? weft_wrapped(&f->plain, name, WEFT_UNBOUNDED, said->args, said->n, said->names) : NULL;
	Py_XDECREF(name);
	return made;
}

PyObject *weft_plainly(const weft_row *f, const char *why, Py_ssize_t at, PyObject *const *args, PyObject *const *given, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said)
{
	PyObject *with[WEFT_MOST_PARAMETERS];
	weft_said again = {.names = NULL};
	if (!said && otherwise == weft_fall_back && f->plain.function && weft_say_again(f, args, n, with, &again) == 0)
		said = &again;
	if (PyErr_Occurred())
		return NULL;
	int asked = said && otherwise == weft_fall_back && f->plain.function, falls = asked && f->plain.falls;
	PyObject *made = asked ? weft_delegated(&f->plain, said->args, said->n, said->names) : NULL;
	for (Py_ssize_t i = 1; asked && !made && i < n && !PyErr_Occurred(); i++)
		if (f->roles[i - 1] == 'a' && weft_is_derived(args[i])) {
			made = weft_of_derived(f, said);
			break;
		}
	for (Py_ssize_t i = 1; falls && i < n; i++)
		falls = f->roles[i - 1] != 'o' || args[i] == Py_None || args[i] == weft_no_value; // into which NumPy would write
	if (!made && falls && !PyErr_Occurred()) {
		weft_delegate few = f->plain;
		few.plain = 0;
		few.whole = 1;
		made = weft_delegated(&few, said->args, said->n, said->names);
	}
	Py_XDECREF(again.names);
	return made || PyErr_Occurred() ? made : otherwise(why, at, args, given, n);
}

PyObject *weft_at_once(const weft_row *f, PyObject *const *args, PyObject *const *given, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said)
{
	return weft_plainly(f, "np.errstate asks for errors at the call", 0, args, given, n, otherwise, said);
}

// is_others_dtype says whether an argument is no dtype of weft's, or a list of fields. What is no dtype at all the general function finds out; -1 with an exception of another kind.
static int is_others_dtype(PyObject *o)
{
	if (PyList_CheckExact(o) || o == (PyObject *)&PyBaseObject_Type || weft_is_unknown_dtype(o))
		return 1;
	int dtype = PyUnicode_CheckExact(o) ? weft_dtype_code(o) : 1;
	return dtype < 0 ? weft_overlook() : dtype == 0;
}

int weft_makes_others(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	for (Py_ssize_t i = 0; i < n; i++) {
		int others = f->roles[i] == 'd' ? is_others_dtype(args[i]) : f->roles[i] == 'a' && PyUnicode_CheckExact(args[i]);
		if (others)
			return others < 0 ? -1 : f->plain.function != NULL;
	}
	return 0;
}

int weft_is_foreign(PyObject *o)
{
	for (int depth = 0; depth < 4; depth++) {
		int is_list = PyList_CheckExact(o);
		Py_ssize_t n = is_list ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1;
		if (n < 1)
			return n < 0 && (PyUnicode_CheckExact(o) || weft_is_unknown(o));
		o = is_list ? PyList_GetItem(o, 0) : PyTuple_GetItem(o, 0);
	}
	return 0;
}

PyObject *weft_of_foreign(const weft_row *f, PyObject *const *args, Py_ssize_t n, const weft_said *said)
{
	for (Py_ssize_t i = 1; f->plain.function && i < n; i++)
		if ((f->roles[i - 1] == 'a' || f->roles[i - 1] == 'l' || f->roles[i - 1] == 's') && weft_is_foreign(args[i]))
			return weft_delegated(&f->plain, said->args, said->n, said->names);
	return NULL;
}
