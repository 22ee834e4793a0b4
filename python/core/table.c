//go:build extension

// The table of functions, and calls of them: each is answered by the first that can do it of the constructors of literals, NumPy's loops for
// numbers, the eager tier, NumPy for few elements, and Go, which records an operation.
#include "shim.h"
#include "_cgo_export.h"
#include "table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weft_row *table;
static int functions;

// is_among says whether a function, or the method of its name, is one of a text's words, around each of which are spaces.
static int is_among(const char *name, const char *words)
{
	char word[64];
	return snprintf(word, sizeof word, " %s ", strncmp(name, "ndarray.", 8) ? name : name + 8) < (int)sizeof word && strstr(words, word) != NULL;
}

// define(index, name, roles, ufunc, operands, keeps, makes, names, defaults): see the top of convert.c for the roles. ufunc is None for what is none.
PyObject *weft_define(PyObject *self, PyObject *args)
{
	(void)self;
	int index, operands, keeps, makes;
	const char *text, *name;
	PyObject *ufunc, *names, *defaults;
	if (!PyArg_ParseTuple(args, "issOipiO!O!", &index, &name, &text, &ufunc, &operands, &keeps, &makes, &PyTuple_Type, &names, &PyTuple_Type, &defaults))
		return NULL;
	if (index >= functions) {
		weft_row *more = realloc(table, (index + 64) * sizeof *table);
		if (!more)
			return PyErr_NoMemory();
		memset(more + functions, 0, (index + 64 - functions) * sizeof *more);
		table = more;
		functions = index + 64;
	}
	weft_row *f = &table[index];
	free(f->roles);
	free(f->name);
	f->roles = strdup(text);
	f->name = strdup(name);
	if (!f->roles || !f->name)
		return PyErr_NoMemory();
	f->parameters = (Py_ssize_t)strlen(text);
	f->arrays = 0;
	for (Py_ssize_t i = 0; i < f->parameters && i < 32; i++)
		f->arrays |= (uint32_t)(text[i] == 'a' || text[i] == 's' || text[i] == 'l') << i;
	if (PyTuple_Size(names) != f->parameters || PyTuple_Size(defaults) != f->parameters)
		return PyErr_Format(PyExc_SystemError, "weft._core.define: %s has %zd parameters, and %zd names and %zd defaults", name, f->parameters, PyTuple_Size(names), PyTuple_Size(defaults));
	weft_set(&f->names, Py_NewRef(names));
	weft_set(&f->defaults, Py_NewRef(defaults));
	weft_set(&f->ufunc, ufunc == Py_None ? NULL : Py_NewRef(ufunc));
	f->operands = operands;
	f->loops = (weft_loops){.operands = 0};
	if (f->ufunc && weft_read_loops(f->ufunc, &f->loops) < 0)
		return NULL;
	f->keeps = keeps;
	f->quiet = is_among(name, " inner outer where clip round around sinc isclose allclose linspace linalg.norm linalg.multi_dot fft.fft fft.ifft fft.rfft fft.irfft fft.fft2 fft.ifft2 fft.rfft2 "
		"fft.irfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.hfft fft.ihfft add.at subtract.at multiply.at divide.at floor_divide.at remainder.at power.at arctan2.at hypot.at ");
	f->later = is_among(name, " sum prod mean var std trace astype copyto matmul dot inner outer sinc linalg.norm linalg.multi_dot linalg.matrix_power diff ptp cumsum cumprod add.accumulate multiply.accumulate maximum.accumulate minimum.accumulate divmod linalg.det linalg.slogdet ");
	f->told = f->ufunc || f->quiet || is_among(name, " sum prod mean std var cumsum cumprod add.accumulate multiply.accumulate maximum.accumulate minimum.accumulate astype matmul dot vdot trace diff ptp full full_like copyto put divmod "
		"linalg.matrix_power ");
	f->based = weft_bases_of(name);
	f->casts = is_among(name, " where ") ? WEFT_CASTS_EITHER : is_among(name, " copyto ") ? 1 : is_among(name, " put putmask ") ? 2 : 0;
	f->promotes = is_among(name, " sum prod cumsum cumprod ");
	static const char *const writing[] = {"ndarray.fill", "ndarray.sort", "ndarray.partition", "ndarray.put", "copyto", "place", "put", "putmask"};
	const char *last = strrchr(name, '.');
	f->at = f->writes = last && strcmp(last, ".at") == 0;
	for (size_t i = 0; i < sizeof writing / sizeof *writing; i++)
		f->writes |= strcmp(name, writing[i]) == 0;
	f->unwraps = strcmp(name, "dot") == 0 || strcmp(name, "linalg.multi_dot") == 0;
	f->makes = makes;
	f->number = goUfunc((char *)name);
	if (f->ufunc && f->number >= 0) {
		PyObject *own = PyObject_GetAttrString(f->ufunc, "__name__");
		const char *text = own ? PyUnicode_AsUTF8AndSize(own, NULL) : NULL;
		free(f->own);
		f->own = text ? strdup(text) : NULL;
		int rc = f->own ? weft_floating_name(f->number, text) : -1;
		Py_XDECREF(own);
		if (rc < 0)
			return PyErr_Occurred() ? NULL : PyErr_NoMemory();
	}
	f->few = weft_answer_of(name);
	f->masked = 0;
	for (Py_ssize_t i = f->few ? f->few->first : f->parameters; i < f->parameters; i++)
		if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, i), "where") == 0)
			f->masked = i;
	Py_RETURN_NONE;
}

// delegate(index, (function, name, what it does)): NumPy's function answers calls of a row with few elements; or those that weft has nothing for, where it does "plain".
PyObject *weft_delegate_row(PyObject *self, PyObject *args)
{
	(void)self;
	int index;
	PyObject *told;
	if (!PyArg_ParseTuple(args, "iO!", &index, &PyTuple_Type, &told))
		return NULL;
	if (index < 0 || index >= functions)
		return PyErr_Format(PyExc_IndexError, "weft._core.delegate: there is no function %d", index);
	weft_delegate read = {.function = NULL};
	if (weft_read_delegate(told, &read) < 0)
		return NULL;
	weft_delegate *to = read.plain ? &table[index].plain : &table[index].numpys;
	Py_XDECREF(to->function);
	Py_XDECREF(to->method);
	*to = read;
	Py_RETURN_NONE;
}

void weft_count_literals(void)
{
	for (int i = 0; i < functions; i++)
		if (table[i].made) {
			goCounted(i, table[i].made);
			table[i].made = 0;
		}
	goNoted();
}

PyObject *weft_row_plainly(int index, PyObject *const *args, Py_ssize_t n, PyObject *names) { return weft_delegated(&table[index].plain, args, n, names); }

void weft_count_made(int index) { table[index].made++; }

// says_none says whether a ufunc is told None for casting= or subok=, of which it takes none. more are its options: out, where, casting, order, dtype, subok, signature.
static int says_none(const weft_row *f, PyObject *const *more, Py_ssize_t n)
{
	return n == 8 + f->operands && (more[2] == Py_None || more[2] == Py_False || more[5] == Py_None);
}

// of_numbers calls a ufunc of NumPy's with numbers alone, of Python's or NumPy's types: NumPy gives a number as well then, sooner
// than an operation on arrays could. NULL without an exception where they are no such.
static PyObject *of_numbers(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	for (int i = 0; i < f->operands; i++)
		if (Py_TYPE(args[i]) == weft_array_type)
			return NULL;
	for (Py_ssize_t i = f->operands; i < n; i++)
		if (args[i] != Py_None && args[i] != weft_no_value)
			return NULL;
	if (says_none(f, args + f->operands, n + 1))
		return NULL;
	PyObject *made = weft_run_loop(&f->loops, args);
	if (made)
		return made;
	for (int i = 0; i < f->operands; i++)
		if (!PyFloat_CheckExact(args[i]) && !PyLong_CheckExact(args[i]) && !PyBool_Check(args[i]) && !PyComplex_CheckExact(args[i]) &&
			!weft_scalar_code(args[i]))
			return NULL;
	return PyObject_CallFunctionObjArgs(f->ufunc, args[0], f->operands == 2 ? args[1] : NULL, NULL);
}

// refuse is what answers a call that weft has to do by itself or not at all.
static PyObject *refuse(const char *why, Py_ssize_t at, PyObject *const *args, PyObject *const *given, Py_ssize_t n)
{
	(void)why, (void)at, (void)args, (void)given, (void)n;
	Py_RETURN_NOTIMPLEMENTED;
}

// has_halves says whether arguments of a call are halves, some of a list or tuple of arrays, or their dtype; -1 with an exception. The functions of scipy.special have none:
// they compute with floats, and without SciPy nothing else answers for them.
static int has_halves(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	enum { LOOKED = 16, FLOAT16 = 10 }; // items of a list; a tile.DType
	int found = 0;
	if (strncmp(f->name, "special.", 8) == 0)
		return 0;
	for (Py_ssize_t i = 1; i < n && !found; i++) {
		int is_list = PyList_CheckExact(args[i]), is_tuple = PyTuple_CheckExact(args[i]);
		Py_ssize_t items = is_list ? PyList_Size(args[i]) : is_tuple ? PyTuple_Size(args[i]) : 0;
		for (Py_ssize_t k = 0; k < items && k < LOOKED && !found; k++)
			found = weft_is_half(is_list ? PyList_GetItem(args[i], k) : PyTuple_GetItem(args[i], k));
		if (f->roles[i - 1] != 'd')
			found = found || weft_is_half(args[i]);
		else if (args[i] != Py_None && args[i] != weft_no_value) {
			int dtype = weft_dtype_of_few(args[i]);
			if (dtype < 0)
				return -1;
			found = found || dtype == FLOAT16;
		}
	}
	return found;
}

// is_foreign says whether an argument, or one of the first items of a list of arrays, is for NumPy alone.
static int is_foreign(char role, PyObject *o)
{
	enum { LOOKED = 8 };
	if (role == 'a' || role == 's')
		return weft_is_foreign(o);
	int is_list = PyList_CheckExact(o);
	Py_ssize_t items = role != 'l' ? 0 : is_list ? PyList_Size(o) : PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1;
	for (Py_ssize_t i = 0; i < items && i < LOOKED; i++)
		if (weft_is_foreign(is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i)))
			return 1;
	return items < 0 && weft_is_foreign(o);
}

// all_unknown says whether a tuple has only arrays of NumPy's of dtypes that weft has not, whose views are NumPy's as well.
static int all_unknown(PyObject *o)
{
	Py_ssize_t n = PyTuple_CheckExact(o) ? PyTuple_Size(o) : 0, i = 0;
	while (i < n && weft_is_unknown(PyTuple_GetItem(o, i)))
		i++;
	return n > 0 && i == n;
}

// way_of is what is done with a call while the program asks for errors: see weft_floating_way.
static int way_of(const weft_row *f, PyObject *const *args, Py_ssize_t n) { return weft_floating_way(f->name, args + 1, n - 1); }

// says_nothing_else says whether all arguments but the first are what they are where the caller says nothing.
static int says_nothing_else(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	Py_ssize_t i = 2;
	while (i < n && (args[i] == weft_no_value || args[i] == PyTuple_GetItem(f->defaults, i - 1)))
		i++;
	return i >= n;
}

// without is the answer to a call of which weft has nothing for an argument.
static PyObject *without(const weft_row *f, Py_ssize_t at, PyObject *const *args, PyObject *const *given, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said)
{
	char why[160];
	PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(args[at]), "__name__");
	const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
	snprintf(why, sizeof why, "argument %d is a %s that is not native", (int)at, text ? text : "value");
	Py_XDECREF(name);
	PyErr_Clear();
	return weft_plainly(f, why, at, args, given, n, otherwise, said);
}

// number_cast notes what goes wrong as a number of Python's becomes one of an array's dtype: one that is written, or of where, whose result has the dtype of the other choice.
static void number_cast(const weft_row *f, PyObject *const *args)
{
	const int of_where = f->casts == WEFT_CASTS_EITHER;
	for (int at = of_where ? 1 : f->casts; at <= (of_where ? 2 : f->casts); at++) {
		PyObject *to = args[of_where ? 3 - at : 0];
		const weft_layout *l = PyFloat_CheckExact(args[at]) && Py_TYPE(to) == weft_array_type ? weft_layout_of((weft_array *)to) : NULL;
		if (l && l->dtype >= WEFT_FIRST_INEXACT)
			weft_floating_object(args[at], l->dtype);
	}
}

// call_row calls a function of the table with an argument for each of its parameters, args[1] being the first one. What weft does not do
// natively, otherwise answers. said is the call as the program wrote it, or NULL where a function of Python's calls, so that references tell what dies with it.
static PyObject *call_row(weft_row *f, PyObject *const *args, PyObject *const *given, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said)
{
	int index = (int)(f - table);
	int number = f->plain.numbers && n > 1 && (PyFloat_CheckExact(args[1]) || PyLong_CheckExact(args[1]) || PyBool_Check(args[1]) || weft_scalar_code(args[1]));
	int others = said && !number && f->makes ? weft_makes_others(f, args + 1, n - 1) : 0;
	if (others < 0)
		return NULL;
	if (said && (number || others)) {
		PyObject *made = weft_of_others(&f->plain, said->args, said->n, said->names, 1);
		if (made || PyErr_Occurred())
			return made;
		PyObject *others = weft_delegated(&f->plain, said->args, said->n, said->names);
		if (others || PyErr_Occurred())
			return others;
	}
	if (!said && number && weft_is_unsaid(f, args, n)) // of which nothing dies with the call
		return PyObject_CallFunctionObjArgs(f->plain.function, args[1], NULL);
	if (!said && otherwise == weft_fall_back && n > 1 && (number || weft_is_unknown(args[1]))) {
		PyObject *with[WEFT_MOST_PARAMETERS], *others = NULL;
		weft_said again;
		if (f->plain.function && weft_say_again(f, args, n, with, &again) == 0) {
			others = weft_delegated(&f->plain, again.args, again.n, again.names);
			Py_XDECREF(again.names);
		}
		if (others || PyErr_Occurred())
			return others;
	}
	if (f->ufunc && otherwise == weft_fall_back && f->operands == 2 && f->plain.function && (weft_is_unknown(args[1]) || weft_is_unknown(args[2])) && weft_usual(args + 3, n - 3, n)) {
		weft_delegate few = f->plain;
		few.plain = 0;
		PyObject *others = weft_delegated(&few, args + 1, 2, NULL);
		if (others || PyErr_Occurred())
			return others;
	}
	if (said && !f->ufunc && f->plain.function && n > 1 && (weft_is_unknown(args[1]) || (n > 2 && f->roles[1] == 'a' && weft_is_unknown(args[2])))) { // which no way of weft's has anything for
		PyObject *others = weft_delegated(&f->plain, said->args, said->n, said->names);
		if (others || PyErr_Occurred())
			return others;
	}
	int asks = f->quiet && weft_asks() ? way_of(f, args, n) : 0;
	if (asks < 0)
		return NULL;
	if (__builtin_expect(weft_floating_watched & 4, 0) && !asks && weft_floating_vanishing())
		asks = has_halves(f, args, n) * WEFT_BY_NUMPY;
	if (asks && asks != WEFT_WAITED_FOR)
		return asks > 0 ? weft_at_once(f, args, given, n, otherwise, said) : NULL;
	if (f->at && weft_is_half(args[1]) && weft_floating_wanted())
		return weft_plainly(f, "at of float16, in each step of which something may go wrong", 0, args, given, n, otherwise, said);
	if (f->makes) {
		PyObject *made = weft_make_literal(f->makes, args + 1, n - 1);
		f->made += made != NULL;
		if (made || PyErr_Occurred())
			return made;
	}
	int before = weft_wrongs;
	PyObject *made = f->ufunc ? of_numbers(f, args + 1, n - 1) : NULL;
	if (made || PyErr_Occurred())
		return made;
	PyObject *const *more = args + 1 + f->operands; // a ufunc's options are out, where and others
	int is_ufunc = f->number >= 0 && f->operands > 0 && weft_usual(more + 2, n - 3 - f->operands, n) && !says_none(f, more, n);
	PyObject *out = is_ufunc && !weft_usual(more, 1, 1) ? *more : NULL;
	if (is_ufunc && (more[1] == weft_no_value || more[1] == Py_True))
		made = weft_ufunc_of_few(f, args + 1, out, NULL);
	else if (is_ufunc && out && Py_TYPE(out) == weft_array_type && Py_TYPE(more[1]) == weft_array_type)
		made = weft_ufunc_of_few(f, args + 1, out, more[1]);
	else if (f->few && weft_answers(f, args + 1, n - 1))
		made = f->few->answer(f->few->kind, args + 1);
	if (!made && !PyErr_Occurred()) {
		if (f->number >= 0 && f->operands > 0 && n == 8 + f->operands && !is_ufunc)
			made = weft_ufunc_of_options(f, args + 1);
		else if (f->few)
			made = weft_answer_into(f, args + 1, n - 1);
		else if (is_ufunc && !out)
			made = weft_ufunc_of_options(f, args + 1);
	}
	if (f->own && !made)
		weft_wrongs = before; // of what is computed otherwise
	if (f->own && weft_wrongs > before)
		weft_floating_rename(before, f->own); // which may be computed as another one, such as a square
	if (made)
		f->made++;
	else if (said && f->numpys.function && !PyErr_Occurred())
		made = weft_delegated(&f->numpys, said->args, said->n, said->names);
	if (made || PyErr_Occurred())
		return made;
	if (f->keeps && weft_scalar_code(args[1]))
		return weft_plainly(f, "a scalar", 0, args, given, n, otherwise, said);
	int way = f->told && weft_asks() ? way_of(f, args, n) : WEFT_AS_USUAL;
	if (way < 0 || way == WEFT_BY_NUMPY)
		return way > 0 ? weft_at_once(f, args, given, n, otherwise, said) : NULL;
	if (f->roles[0] == 'L' && f->numpys.function && all_unknown(args[1]) && says_nothing_else(f, args, n))
		return PyObject_CallObject(f->numpys.function, args[1]);
	Py_ssize_t foreign = 1; // the first argument that NumPy alone has something for: then none is read, which would make arrays of few elements Go's
	while (foreign < n && !is_foreign(f->roles[foreign - 1], args[foreign]))
		foreign++;
	if (foreign < n)
		return without(f, foreign, args, given, n, otherwise, said);
	weft_values b;
	weft_values_init(&b);
	PyObject *result = NULL;
	const int cast_from = weft_wrongs;
	if (f->casts)
		number_cast(f, args + 1);
	for (Py_ssize_t i = 1; i < n; i++) {
		int rc = f->ufunc && i <= f->operands ? weft_push_operand(&b, args[i]) : weft_push(&b, args[i], f->roles[i - 1]);
		if (rc < 0) {
			weft_refuse();
			goto done;
		}
		if (rc > 0) {
			if (PyErr_Occurred() && weft_overlook() < 0)
				goto done;
			weft_wrongs = cast_from; // of what NumPy does, it tells itself
			result = without(f, i, args, given, n, otherwise, said);
			goto done;
		}
	}
	uint64_t where = weft_where();
	const uint32_t call = way == WEFT_WAITED_FOR ? weft_floating_begin() : 0;
	uint8_t wanted = f->own || f->later ? weft_floating_minded(call) : 0; // what other functions are composed of tells nothing
	weft_count(WEFT_OPERATIONS, where);
	weft_error e = {NULL, NULL};
	weft_value first[8], *answers = NULL;
	int count = 0, told = 0;
	for (;;) {
		WEFT_CALL
		weft_floating_tells_of(wanted, call);
		int rc = goCall((int)index, b.v, b.n, where, weft_on_main_thread(), told, first, 8, &answers, &count, &e);
		WEFT_CALLED
		if (rc == WEFT_INTERRUPTED) {
			if (PyErr_CheckSignals() < 0) {
				break;
			}
			weft_read_again(b.v, b.n);
			continue;
		}
		if (rc == WEFT_ERROR && weft_warns(&e)) {
			if (weft_warn(&e, 2) < 0)
				break;
			told = 1;
			continue;
		}
		if (rc == WEFT_FALLBACK) {
			weft_wrongs = cast_from;
			result = weft_plainly(f, e.text, 0, args, given, n, otherwise, said);
			free(e.type);
			free(e.text);
		} else if (rc == WEFT_ERROR) {
			weft_raise(&e);
			weft_refuse();
		} else {
			const weft_value *p = answers ? answers : first;
			if (p->kind == WEFT_ARRAY && !p->s && p->handle & WEFT_SCALAR) { // which is waited for
				if (!said)
					weft_give_up_dying(args + 1, n - 1);
				else if (said->owned)
					weft_give_up_owned(args + 1, n - 1);
			}
			result = weft_pop(&p);
			free(answers);
		}
		break;
	}
	result = weft_floating_end(call, result, result);
done:
	weft_values_free(&b);
	return result;
}

// is_other says whether an argument is a list or tuple that stands for an array, or an array of NumPy's, or a list with such.
static int is_other(const weft_row *f, Py_ssize_t parameter, PyObject *o)
{
	int is_list = PyList_CheckExact(o), is_tuple = PyTuple_CheckExact(o);
	char role = f->roles[parameter];
	if (role == 'a' || role == 's')
		return is_list || is_tuple || (PyObject *)Py_TYPE(o) == weft_np_ndarray;
	Py_ssize_t n = role != 'l' ? 0 : is_list ? PyList_Size(o) : is_tuple ? PyTuple_Size(o) : 0;
	for (Py_ssize_t i = 0; i < n; i++)
		if ((PyObject *)Py_TYPE(is_list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i)) == weft_np_ndarray)
			return 1;
	return 0;
}

// array_of makes an array of such an argument, over its memory where the result may be a view; of a list of arrays, a tuple of weft's. What is none stays itself.
static PyObject *array_of(const weft_row *f, Py_ssize_t parameter, PyObject *o)
{
	PyObject *made = NULL;
	if (f->roles[parameter] == 'l') {
		Py_ssize_t n = PySequence_Size(o);
		made = PyTuple_New(n);
		for (Py_ssize_t i = 0; made && i < n; i++) {
			PyObject *item = PySequence_GetItem(o, i), *few = item ? weft_few_of_host(item) : NULL;
			if (few)
				Py_DECREF(item);
			PyTuple_SetItem(made, i, few ? few : item);
		}
		return made;
	}
	int is_numpys = (PyObject *)Py_TYPE(o) == weft_np_ndarray;
	made = is_numpys && f->roles[parameter] == 's' ? weft_borrow(o) : is_numpys ? weft_few_of_host(o) : weft_of_list(o);
	if (made == Py_None)
		Py_CLEAR(made);
	return made || PyErr_Occurred() ? made : Py_NewRef(o);
}

// unwrapped is what a call gives: of an array of no axes that was written into, its element where NumPy gives that. It takes the reference over.
static PyObject *unwrapped(const weft_row *f, PyObject *const *args, Py_ssize_t n, PyObject *made)
{
	if (!made || Py_TYPE(made) != weft_array_type || (!f->unwraps && !(f->plain.numbers && n > 1 && weft_scalar_code(args[1]))))
		return made;
	Py_ssize_t at = 1;
	while (at < n && !(args[at] == made && f->roles[at - 1] == 'o'))
		at++;
	const weft_layout *l = at < n ? weft_layout_of((weft_array *)made) : NULL;
	if (l && l->ndim == 0) {
		PyObject *nothing = PyTuple_New(0);
		weft_set(&made, nothing ? PyObject_GetItem(made, nothing) : NULL);
		Py_XDECREF(nothing);
	}
	return made;
}

// call_of_others makes arrays of lists of numbers and of NumPy's arrays first, so that what answers calls with few elements answers these as well.
static PyObject *call_of_others(weft_row *f, PyObject *const *args, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said)
{
	PyObject *with[WEFT_MOST_PARAMETERS + 1], *made = NULL;
	Py_ssize_t read = 0;
	for (; read < n && n <= WEFT_MOST_PARAMETERS + 1; read++) {
		with[read] = read && is_other(f, read - 1, args[read]) ? array_of(f, read - 1, args[read]) : Py_NewRef(args[read]);
		if (!with[read])
			break;
	}
	if (read == n)
		made = call_row(f, with, args, n, otherwise, said);
	for (Py_ssize_t i = 1; !made && otherwise == weft_fall_back && i < n && PyErr_ExceptionMatches(PyExc_TypeError); i++)
		if (with[i] != args[i] && PyList_CheckExact(args[i])) { // an array of whose numbers is wrong where they may be right, as places that are no integers
			PyErr_Clear();
			weft_refused = 0;
			made = weft_fall_back("numbers of a list", i, args, args, n);
			break;
		}
	while (read > 0)
		Py_DECREF(with[--read]);
	return made;
}

// warn_of_writing warns of a call that writes into an array of which the program is warned. 0, or -1 with an exception.
static int warn_of_writing(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	for (Py_ssize_t i = 1; i < n; i++)
		if ((f->roles[i - 1] == 'o' || (f->writes && i == 1)) && weft_warn_of_writing(args[i]) < 0)
			return -1;
	return 0;
}

// call does so with the function whose number args[0] is.
static PyObject *call(PyObject *const *args, Py_ssize_t n, weft_answer_otherwise *otherwise, const weft_said *said)
{
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	long index = n > 0 ? PyLong_AsLong(args[0]) : -1;
	if (index < 0 || index >= functions || !table[index].roles || table[index].parameters != n - 1) {
		PyErr_Format(PyExc_SystemError, "weft._core.call: function %ld is not defined with %zd parameters", index, n - 1);
		return NULL;
	}
	weft_row *f = &table[index];
	weft_refused = 0;
	if (f->makes && said && said->n == 1 && !said->names && PyLong_CheckExact(args[1])) { // zeros(3)
		PyObject *made = weft_make_literal(f->makes, args + 1, n - 1);
		f->made += made != NULL;
		if (made)
			return weft_told(made);
	}
	if (said && said->n > 0 && f->plain.function && otherwise == weft_fall_back && weft_is_unknown(said->args[0])) {
		PyObject *made = f->number >= 0 && !said->names && weft_eager ? weft_loop_of_others(f->ufunc, f->plain.number, said->args, said->n) : NULL;
		made = made || PyErr_Occurred() ? made : weft_of_others(&f->plain, said->args, said->n, said->names, 0);
		if (made || PyErr_Occurred())
			return weft_told(made);
	}
	if (__builtin_expect(weft_some_warn, 0) && warn_of_writing(f, args, n) < 0)
		return NULL;
	if (said && n > 1 && f->roles[0] == 'a' && f->plain.function && !PyFloat_CheckExact(args[1]) && !PyLong_CheckExact(args[1]) && weft_is_derived(args[1])) {
		PyObject *made = weft_of_derived(f, said);
		if (made || PyErr_Occurred())
			return made;
	}
	// Numbers of a list that is written into an array become its elements one by one, which those of an array may not.
	PyObject *made = NULL;
	uint32_t left = f->numpys.writes || f->makes ? 0 : f->arrays;
	while (left && !is_other(f, __builtin_ctz(left), args[1 + __builtin_ctz(left)]))
		left &= left - 1;
	if (!left) {
		made = call_row(f, args, args, n, otherwise, said);
	} else {
		made = said ? weft_of_foreign(f, args, n, said) : NULL;
		if (made || PyErr_Occurred())
			return made;
		made = call_of_others(f, args, n, otherwise, said);
	}
	if (__builtin_expect(!made && weft_refused, 0)) {
		weft_refused = 0; // also of a call that is not left to NumPy: a call around it may end with an error of another kind
		if (otherwise == weft_fall_back && weft_is_about_arguments())
			made = weft_ask_about_refused(args, n);
	}
	made = unwrapped(f, args, n, made);
	return weft_told(__builtin_expect(f->based, 0) ? weft_based_result(f, args, made) : made);
}

// call(index, arguments...): a function of the table, with an argument for each of its parameters. NumPy answers what
// weft does not.
PyObject *weft_call(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return call(args, n, weft_fall_back, NULL);
}

PyObject *weft_call_directly(PyObject *const *args, Py_ssize_t n, const weft_said *said) { return call(args, n, weft_fall_back, said); }

// native(index, arguments...): the same, but NotImplemented for what weft does not do itself.
PyObject *weft_native(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return call(args, n, refuse, NULL);
}

// weft_cut_row is a function that is a row of the table for arrays of so many axes. about is the row's number, how many arrays and axes, and the row's other arguments.
PyObject *weft_cut_row(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *given[WEFT_MOST_PARAMETERS + 1], *rest = PyTuple_GetItem(about, 3);
	Py_ssize_t others = PyTuple_Size(rest);
	if (names || n != PyLong_AsSsize_t(PyTuple_GetItem(about, 1)) || n + others > WEFT_MOST_PARAMETERS)
		return NULL;
	long axes = PyLong_AsLong(PyTuple_GetItem(about, 2));
	given[0] = PyTuple_GetItem(about, 0);
	for (Py_ssize_t i = 0; i < n; i++) {
		const weft_layout *l = Py_TYPE(args[i]) == weft_array_type ? weft_layout_of((weft_array *)args[i]) : NULL;
		if (!l || l->ndim != axes)
			return NULL;
		given[1 + i] = args[i];
	}
	for (Py_ssize_t i = 0; i < others; i++)
		given[1 + n + i] = PyTuple_GetItem(rest, i);
	PyObject *made = call(given, 1 + n + others, refuse, NULL);
	if (made == Py_NotImplemented)
		Py_CLEAR(made);
	return made;
}
