//go:build extension

// The table of functions, and calls of them: each is answered by the first that can do it of the constructors of literals, NumPy's loops for
// numbers, the eager tier, NumPy for few elements, and Go, which records an operation.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// usual says whether arguments are what they are where nothing was said.
static int usual(PyObject *const *args, Py_ssize_t n, Py_ssize_t nones)
{
	for (Py_ssize_t i = 0; i < n; i++)
		if (args[i] != weft_no_value && !(args[i] == Py_None && i < nones) && args[i] != Py_False)
			return 0;
	return 1;
}

// A function of the table.
typedef struct {
	char *roles;     // of its parameters
	Py_ssize_t parameters;
	PyObject *names, *defaults; // of them: tuples; a slash before a name says that it has none for a caller, and a star that it is several
	PyObject *ufunc; // NumPy's, which has the numbers that are its only operands; or NULL
	int operands;    // of the ufunc
	weft_loops loops; // of the ufunc, for numbers
	int keeps;       // NumPy gives a scalar for a scalar as first argument
	int unwraps;     // NumPy gives a scalar where it is told to write one into an array of no axes
	int makes;       // which constructor of literals it is, or 0
	int64_t made;    // calls that were answered here and Go has not counted
	int number;      // of the ufunc that it is, or -1
	const weft_answer *few; // what answers it for few elements, or NULL
	weft_delegate numpys;   // what NumPy answers for few elements, and
	weft_delegate plain;    // for arguments of which none is an array of weft's and one is nothing that weft has
} function;

static function *table;
static int functions;

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
		function *more = realloc(table, (index + 64) * sizeof *table);
		if (!more)
			return PyErr_NoMemory();
		memset(more + functions, 0, (index + 64 - functions) * sizeof *more);
		table = more;
		functions = index + 64;
	}
	function *f = &table[index];
	free(f->roles);
	f->roles = strdup(text);
	f->parameters = (Py_ssize_t)strlen(text);
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
	f->unwraps = strcmp(name, "dot") == 0 || strcmp(name, "linalg.multi_dot") == 0;
	f->makes = makes;
	f->number = goUfunc((char *)name);
	f->few = weft_answer_of(name);
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

// of_numbers calls a ufunc of NumPy's with numbers alone, of Python's or NumPy's types: NumPy gives a number as well then, sooner
// than an operation on arrays could. NULL without an exception where they are no such.
static PyObject *of_numbers(const function *f, PyObject *const *args, Py_ssize_t n)
{
	for (int i = 0; i < f->operands; i++)
		if (Py_TYPE(args[i]) == weft_array_type)
			return NULL;
	for (Py_ssize_t i = f->operands; i < n; i++)
		if (args[i] != Py_None && args[i] != weft_no_value)
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

static int may_become(int from, int to);

PyObject *weft_written(PyObject *made, PyObject *out, int unsafe)
{
	enum { FIRST_COMPLEX = 13 }; // a tile.DType
	const weft_layout *to = Py_TYPE(out) == weft_array_type && !((weft_array *)out)->place.readonly ? weft_layout_of((weft_array *)out) : NULL;
	const weft_layout *l = made && Py_TYPE(made) == weft_array_type ? weft_layout_of((weft_array *)made) : NULL;
	int from = l ? l->dtype : made ? weft_scalar_code(made) : 0;
	int fits = from && to && (may_become(from, to->dtype) || (unsafe && from < FIRST_COMPLEX)) && (!l || l->ndim <= to->ndim);
	for (int i = 1; l && fits && i <= l->ndim; i++)
		fits = l->shape[l->ndim - i] == to->shape[to->ndim - i] || l->shape[l->ndim - i] == 1;
	fits = fits && PyObject_SetItem(out, Py_Ellipsis, made) == 0;
	Py_XDECREF(made);
	return fits ? Py_NewRef(out) : NULL;
}

// of_few computes a ufunc of few elements, into an array that is given for it or a new one, where out is NULL.
// where is an array that says which elements of out are written, or NULL.
static PyObject *of_few(const function *f, PyObject *const *args, PyObject *out, PyObject *where)
{
	PyObject *with = f->operands == 2 ? args[1] : NULL;
	int power = f->number == weft_operators[OP_POWER];
	if (power && Py_TYPE(args[0]) == weft_array_type) {
		const weft_layout *l = weft_layout_of((weft_array *)args[0]);
		if (l && l->dtype == WEFT_BOOL_DTYPE)
			return NULL; // np.power(bools, 2) is int64; the square that bools ** 2 is has int8
	}
	int ufunc = power ? weft_ufunc_of(OP_POWER, args[0], &with) : f->number;
	if (!where) {
		PyObject *made = out ? weft_eager_into(ufunc, args[0], with, out) : weft_eager_ufunc(ufunc, args[0], with);
		return made || !out || PyErr_Occurred() || Py_TYPE(out) != weft_array_type ? made : weft_written(weft_eager_ufunc(ufunc, args[0], with), out, 0);
	}
	PyObject *made = weft_eager_ufunc(ufunc, args[0], with), *done = made ? weft_few_putmask(0, (PyObject *[]){out, where, made}) : NULL;
	Py_XDECREF(made);
	Py_XDECREF(done);
	return done ? Py_NewRef(out) : NULL;
}

static int says(PyObject *o, const char *text) { return PyUnicode_CheckExact(o) && PyUnicode_CompareWithASCIIString(o, text) == 0; }

// may_become says whether NumPy casts elements of a dtype to another for an operation: casting="same_kind".
static int may_become(int from, int to)
{
	enum { BOOL = 1, SIGNED = 2, UNSIGNED = 6, FLOAT = 10, COMPLEX = 13 }; // the first tile.DType of each kind
	static const int rank[] = {0, 2, 1, 3, 4};
	int a = (from >= SIGNED) + (from >= UNSIGNED) + (from >= FLOAT) + (from >= COMPLEX), b = (to >= SIGNED) + (to >= UNSIGNED) + (to >= FLOAT) + (to >= COMPLEX);
	return rank[a] <= rank[b];
}

// of_dtype computes a ufunc in a dtype that is asked for: its operands are cast first. Those whose results are bools have operands of another one.
static PyObject *of_dtype(const function *f, PyObject *const *args, PyObject *dtype, PyObject *out)
{
	int to = weft_dtype_code(dtype);
	const weft_recipe *r = to > WEFT_BOOL_DTYPE && f->number != weft_operators[OP_POWER] ? weft_recipe_of(f->number, to, f->operands == 2 ? to : 0) : NULL;
	PyObject *with[2] = {NULL, NULL}, *made = NULL;
	int ready = r && r->result == to;
	if (to < 0)
		PyErr_Clear(); // the general function finds that out as well
	if (to == WEFT_BOOL_DTYPE && !out) { // which the result may have anyway
		made = of_few(f, args, NULL, NULL);
		if (made && (Py_TYPE(made) != weft_array_type || ((weft_array *)made)->at.dtype != to))
			Py_CLEAR(made);
		return made;
	}
	for (int i = 0; ready && i < f->operands; i++) {
		const weft_layout *l = Py_TYPE(args[i]) == weft_array_type ? weft_layout_of((weft_array *)args[i]) : NULL;
		int is_number = f->operands == 2 && (PyFloat_CheckExact(args[i]) || PyLong_CheckExact(args[i]) || weft_scalar_code(args[i]) == to);
		with[i] = l && l->dtype != to && may_become(l->dtype, to) ? weft_few_astype(0, (PyObject *[]){args[i], dtype}) : is_number || (l && l->dtype == to) ? Py_NewRef(args[i]) : NULL;
		ready = with[i] != NULL;
	}
	if (ready)
		made = of_few(f, with, out, NULL);
	if (made && !out && (Py_TYPE(made) == weft_array_type ? ((weft_array *)made)->at.dtype : weft_scalar_code(made)) != to)
		Py_CLEAR(made); // a number that is no such, which NumPy refuses
	Py_XDECREF(with[0]);
	Py_XDECREF(with[1]);
	return made;
}

// is_uncast says whether operands are arrays of the dtype that the function computes in, and nothing is said of results.
static int is_uncast(const function *f, PyObject *const *args, PyObject *const *more)
{
	int dtype = 0;
	for (int i = 0; i < f->operands; i++) {
		const weft_layout *l = Py_TYPE(args[i]) == weft_array_type ? weft_layout_of((weft_array *)args[i]) : NULL;
		if (!l || (dtype && l->dtype != dtype))
			return 0;
		dtype = l->dtype;
	}
	const weft_recipe *r = weft_recipe_of(f->number, dtype, f->operands == 2 ? dtype : 0);
	return r && r->result == dtype && usual(more, 1, 1) && (more[4] == weft_no_value || more[4] == Py_None);
}

// of_options computes a ufunc that is given options behind where=, of few elements: how results are cast makes no difference where they have the dtype in any case.
static PyObject *of_options(const function *f, PyObject *const *args)
{
	PyObject *const *more = args + f->operands; // out, where, casting, order, dtype, subok, signature
	if (more[2] != weft_no_value && !says(more[2], "same_kind") && !says(more[2], "unsafe") && !(is_uncast(f, args, more) && (says(more[2], "safe") || says(more[2], "equiv") || says(more[2], "no"))))
		return NULL;
	if ((more[3] != weft_no_value && !says(more[3], "K")) || (more[5] != weft_no_value && !PyBool_Check(more[5])) || (more[6] != weft_no_value && more[6] != Py_None))
		return NULL;
	int typed = more[4] != weft_no_value && more[4] != Py_None, everywhere = more[1] == weft_no_value || more[1] == Py_True;
	PyObject *out = usual(more, 1, 1) ? NULL : more[0];
	if (typed)
		return everywhere ? of_dtype(f, args, more[4], out) : NULL;
	if (everywhere && out && says(more[2], "unsafe"))
		return weft_written(of_few(f, args, NULL, NULL), out, 1);
	if (everywhere)
		return of_few(f, args, out, NULL);
	if (Py_TYPE(more[1]) != weft_array_type || (out && Py_TYPE(out) != weft_array_type))
		return NULL;
	if (out)
		return of_few(f, args, out, more[1]);
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL, *m = weft_layout_of((weft_array *)more[1]);
	if (!l || !m || m->dtype != WEFT_BOOL_DTYPE || m->ndim != l->ndim || memcmp(m->shape, l->shape, (size_t)l->ndim * sizeof *l->shape))
		return NULL;
	return of_few(f, args, NULL, NULL); // where it does not hold, the elements may be any
}

// into answers a call of which the result is to be written into an array: where that is like the result, as a copy.
static PyObject *into(const function *f, PyObject *const *args, Py_ssize_t n)
{
	PyObject *with[24], *made = NULL;
	Py_ssize_t at = 1;
	while (at < n && f->roles[at] != 'o') // what stands first is changed by the function, and no result
		at++;
	if (at >= n || n > 24 || Py_TYPE(args[at]) != weft_array_type || ((weft_array *)args[at])->place.readonly)
		return NULL;
	memcpy(with, args, (size_t)n * sizeof *args);
	with[at] = Py_None;
	if (usual(with + f->few->first, n - f->few->first, f->few->nones))
		made = f->few->answer(f->few->kind, with);
	if (!made)
		return NULL;
	const weft_layout *l = Py_TYPE(made) == weft_array_type ? weft_layout_of((weft_array *)made) : NULL, *to = weft_layout_of((weft_array *)args[at]);
	PyObject *done = NULL;
	weft_few x;
	weft_value one;
	if (l && to && l->dtype == to->dtype && to->contiguous && l->ndim == to->ndim && memcmp(l->shape, to->shape, (size_t)l->ndim * sizeof *l->shape) == 0)
		done = weft_few_copyto(0, (PyObject *[]){args[at], made});
	else if (!l && to && to->ndim == 0 && weft_scalar_code(made) == to->dtype && weft_read_scalar(made, &one) && weft_few_of(args[at], 0, &x) && weft_write(&one, x.l->dtype, x.data)) {
		weft_note(WEFT_NOTE_SET, x.l, x.array->place.memory, 0, 0);
		done = Py_NewRef(made);
	}
	else if (f->few->promotes && to && Py_TYPE(args[0]) == weft_array_type) { // what is added up has the dtype that operand and result have together
		const weft_layout *of = weft_layout_of((weft_array *)args[0]);
		if (of && weft_promoted(of->dtype, to->dtype) == (l ? l->dtype : weft_scalar_code(made)) && (l ? l->ndim : 0) == to->ndim &&
			(!l || memcmp(l->shape, to->shape, (size_t)l->ndim * sizeof *l->shape) == 0))
			done = weft_written(Py_NewRef(made), args[at], 0);
	}
	Py_DECREF(made);
	Py_XDECREF(done);
	return done ? Py_NewRef(args[at]) : NULL;
}

typedef PyObject *answer(const char *why, Py_ssize_t at, PyObject *const *args, Py_ssize_t n); // of what weft does not do natively

// fall_back asks NumPy for a call of the function args[0] with the arguments behind it. at is the number of the
// argument that weft has nothing for, from 1 on; 0 where weft has all arguments and no such function of them.
static PyObject *fall_back(const char *why, Py_ssize_t at, PyObject *const *args, Py_ssize_t n)
{
	PyObject *hook = weft_hook("fallback");
	PyObject *list = hook ? PyTuple_New(n - 1) : NULL;
	if (!list)
		return NULL;
	for (Py_ssize_t i = 1; i < n; i++)
		PyTuple_SetItem(list, i - 1, Py_NewRef(args[i]));
	PyObject *reason = PyUnicode_DecodeUTF8(why, strlen(why), "replace"), *number = PyLong_FromSsize_t(at);
	PyObject *result = reason && number ? PyObject_CallFunctionObjArgs(hook, args[0], reason, number, list, NULL) : NULL;
	Py_XDECREF(reason);
	Py_XDECREF(number);
	Py_DECREF(list);
	return result;
}

// refuse is what answers a call that weft has to do by itself or not at all.
static PyObject *refuse(const char *why, Py_ssize_t at, PyObject *const *args, Py_ssize_t n)
{
	(void)why, (void)at, (void)args, (void)n;
	Py_RETURN_NOTIMPLEMENTED;
}


// is_unsaid says whether nothing was said beyond the first argument.
static int is_unsaid(const function *f, PyObject *const *args, Py_ssize_t n)
{
	for (Py_ssize_t i = 1; i < n - 1; i++)
		if (args[1 + i] != weft_no_value && args[1 + i] != PyTuple_GetItem(f->defaults, i))
			return 0;
	return 1;
}

enum { PARAMETERS = 24 }; // as in function.c

// say_again writes a call as the program may have written it, from an argument for each parameter: what is as if nothing was said is left out. It returns 0, or -1 where
// that cannot be, maybe with an exception; said->names is a new reference.
static int say_again(const function *f, PyObject *const *args, Py_ssize_t n, PyObject **with, weft_said *said)
{
	const char *text[PARAMETERS];
	Py_ssize_t named = 0, all = 0;
	*said = (weft_said){.args = with};
	for (Py_ssize_t i = 0; i < n - 1 && n - 1 <= PARAMETERS; i++) {
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
	return n - 1 <= PARAMETERS && (!named || said->names) ? 0 : -1;
}

// plainly has NumPy answer what weft has nothing for, without Python's frames where no argument is an array of weft's, or where those have few elements, which it
// gets copies of: they lie as they did where they have no gaps, so that sums have the order that they would have. otherwise is for all else.
static PyObject *plainly(const function *f, const char *why, Py_ssize_t at, PyObject *const *args, Py_ssize_t n, answer *otherwise, const weft_said *said)
{
	PyObject *with[PARAMETERS];
	weft_said again = {.names = NULL};
	if (!said && otherwise == fall_back && f->plain.function && say_again(f, args, n, with, &again) == 0)
		said = &again;
	if (PyErr_Occurred())
		return NULL;
	int asked = said && otherwise == fall_back && f->plain.function, falls = asked && f->plain.falls;
	PyObject *made = asked ? weft_delegated(&f->plain, said->args, said->n, said->names) : NULL;
	for (Py_ssize_t i = 1; falls && i < n; i++)
		falls = f->roles[i - 1] != 'o' || args[i] == Py_None || args[i] == weft_no_value; // into which NumPy would write
	if (!made && falls && !PyErr_Occurred()) {
		weft_delegate few = f->plain;
		few.plain = 0;
		few.whole = 1;
		made = weft_delegated(&few, said->args, said->n, said->names);
	}
	Py_XDECREF(again.names);
	return made || PyErr_Occurred() ? made : otherwise(why, at, args, n);
}

// makes_others says that a constructor is asked for records, objects or strings, in a way that takes no look at a dtype.
static int makes_others(const function *f, PyObject *const *args, Py_ssize_t n)
{
	for (Py_ssize_t i = 0; i < n; i++)
		if (f->roles[i] == 'd' ? PyList_CheckExact(args[i]) || args[i] == (PyObject *)&PyBaseObject_Type : f->roles[i] == 'a' && PyUnicode_CheckExact(args[i]))
			return f->plain.function != NULL;
	return 0;
}

// is_foreign says whether an argument that stands for an array is text, or an array of NumPy's of a dtype that weft has not, or begins with such: neither takes a look at
// what it would become.
static int is_foreign(PyObject *o)
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

// call_row calls a function of the table with an argument for each of its parameters, args[1] being the first one. What weft does not do
// natively, otherwise answers. said is the call as the program wrote it, or NULL where a function of Python's calls, so that references tell what dies with it.
static PyObject *call_row(function *f, PyObject *const *args, Py_ssize_t n, answer *otherwise, const weft_said *said)
{
	int index = (int)(f - table);
	int number = f->plain.numbers && n > 1 && (PyFloat_CheckExact(args[1]) || PyLong_CheckExact(args[1]) || PyBool_Check(args[1]) || weft_scalar_code(args[1]));
	if (said && (number || (f->makes && makes_others(f, args + 1, n - 1)))) {
		PyObject *others = weft_delegated(&f->plain, said->args, said->n, said->names);
		if (others || PyErr_Occurred())
			return others;
	}
	if (!said && number && is_unsaid(f, args, n)) // of which nothing dies with the call
		return PyObject_CallFunctionObjArgs(f->plain.function, args[1], NULL);
	if (!said && otherwise == fall_back && n > 1 && (number || weft_is_unknown(args[1]))) {
		PyObject *with[PARAMETERS], *others = NULL;
		weft_said again;
		if (f->plain.function && say_again(f, args, n, with, &again) == 0) {
			others = weft_delegated(&f->plain, again.args, again.n, again.names);
			Py_XDECREF(again.names);
		}
		if (others || PyErr_Occurred())
			return others;
	}
	if (f->makes) {
		PyObject *made = weft_make_literal(f->makes, args + 1, n - 1);
		if (made) {
			f->made++;
			return made;
		}
	}
	PyObject *made = f->ufunc ? of_numbers(f, args + 1, n - 1) : NULL;
	if (made || PyErr_Occurred())
		return made;
	PyObject *const *more = args + 1 + f->operands; // a ufunc's options are out, where and others
	int is_ufunc = f->number >= 0 && f->operands > 0 && usual(more + 2, n - 3 - f->operands, n);
	PyObject *out = is_ufunc && !usual(more, 1, 1) ? *more : NULL;
	if (is_ufunc && (more[1] == weft_no_value || more[1] == Py_True))
		made = of_few(f, args + 1, out, NULL);
	else if (is_ufunc && out && Py_TYPE(out) == weft_array_type && Py_TYPE(more[1]) == weft_array_type)
		made = of_few(f, args + 1, out, more[1]);
	else if (f->few && usual(args + 1 + f->few->first, n - 1 - f->few->first, f->few->nones))
		made = f->few->answer(f->few->kind, args + 1);
	if (!made && !PyErr_Occurred()) {
		if (f->number >= 0 && f->operands > 0 && n == 8 + f->operands && !is_ufunc)
			made = of_options(f, args + 1);
		else if (f->few)
			made = into(f, args + 1, n - 1);
		else if (is_ufunc && !out)
			made = of_options(f, args + 1);
	}
	if (made)
		f->made++;
	else if (said && f->numpys.function && !PyErr_Occurred())
		made = weft_delegated(&f->numpys, said->args, said->n, said->names);
	if (made || PyErr_Occurred())
		return made;
	if (f->keeps && weft_scalar_code(args[1]))
		return plainly(f, "a scalar", 0, args, n, otherwise, said);
	weft_values b;
	weft_values_init(&b);
	PyObject *result = NULL;
	for (Py_ssize_t i = 1; i < n; i++) {
		int foreign = (f->roles[i - 1] == 'a' || f->roles[i - 1] == 'l' || f->roles[i - 1] == 's') && is_foreign(args[i]);
		int rc = foreign ? 1 : f->ufunc && i <= f->operands ? weft_push_operand(&b, args[i]) : weft_push(&b, args[i], f->roles[i - 1]);
		if (rc < 0)
			goto done;
		if (rc > 0) {
			char why[160];
			PyObject *name = PyObject_GetAttrString((PyObject *)Py_TYPE(args[i]), "__name__");
			const char *text = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
			snprintf(why, sizeof why, "argument %d is a %s that is not native", (int)i, text ? text : "value");
			Py_XDECREF(name);
			PyErr_Clear();
			result = plainly(f, why, i, args, n, otherwise, said);
			goto done;
		}
	}
	uint64_t where = weft_where();
	weft_count(WEFT_OPERATIONS, where);
	weft_error e = {NULL, NULL};
	weft_value first[8], *answers = NULL;
	int count = 0, told = 0;
	for (;;) {
		WEFT_CALL
		int rc = goCall((int)index, b.v, b.n, where, weft_on_main_thread(), told, first, 8, &answers, &count, &e);
		WEFT_CALLED
		if (rc == WEFT_INTERRUPTED) {
			if (PyErr_CheckSignals() < 0) {
				break;
			}
			continue;
		}
		if (rc == WEFT_ERROR && weft_warns(&e)) {
			if (weft_warn(&e, 2) < 0)
				break;
			told = 1;
			continue;
		}
		if (rc == WEFT_FALLBACK) {
			result = plainly(f, e.text, 0, args, n, otherwise, said);
			free(e.type);
			free(e.text);
		} else if (rc == WEFT_ERROR) {
			weft_raise(&e);
		} else {
			const weft_value *p = answers ? answers : first;
			if (!said && p->kind == WEFT_ARRAY && !p->s && p->handle & WEFT_SCALAR) // which is waited for
				weft_give_up_dying(args + 1, n - 1);
			result = weft_pop(&p);
			free(answers);
		}
		break;
	}
done:
	weft_values_free(&b);
	return result;
}

// is_other says whether an argument is a list or tuple that stands for an array, or an array of NumPy's, or a list with such.
static int is_other(const function *f, Py_ssize_t parameter, PyObject *o)
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
static PyObject *array_of(const function *f, Py_ssize_t parameter, PyObject *o)
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
static PyObject *unwrapped(const function *f, PyObject *const *args, Py_ssize_t n, PyObject *made)
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
static PyObject *call_of_others(function *f, PyObject *const *args, Py_ssize_t n, answer *otherwise, const weft_said *said)
{
	PyObject *with[PARAMETERS + 1], *made = NULL;
	Py_ssize_t read = 0;
	for (; read < n && n <= PARAMETERS + 1; read++) {
		with[read] = read && is_other(f, read - 1, args[read]) ? array_of(f, read - 1, args[read]) : Py_NewRef(args[read]);
		if (!with[read])
			break;
	}
	if (read == n)
		made = call_row(f, with, n, otherwise, said);
	while (read > 0)
		Py_DECREF(with[--read]);
	return made;
}

// call does so with the function whose number args[0] is.
static PyObject *call(PyObject *const *args, Py_ssize_t n, answer *otherwise, const weft_said *said)
{
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	long index = n > 0 ? PyLong_AsLong(args[0]) : -1;
	if (index < 0 || index >= functions || !table[index].roles || table[index].parameters != n - 1) {
		PyErr_Format(PyExc_SystemError, "weft._core.call: function %ld is not defined with %zd parameters", index, n - 1);
		return NULL;
	}
	function *f = &table[index];
	// Numbers of a list that is written into an array become its elements one by one, which those of an array may not.
	for (Py_ssize_t i = 1; i < n && !f->numpys.writes && !f->makes; i++)
		if (is_other(f, i - 1, args[i]))
			return unwrapped(f, args, n, call_of_others(f, args, n, otherwise, said));
	return unwrapped(f, args, n, call_row(f, args, n, otherwise, said));
}

// call(index, arguments...): a function of the table, with an argument for each of its parameters. NumPy answers what
// weft does not.
PyObject *weft_call(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return call(args, n, fall_back, NULL);
}

PyObject *weft_call_directly(PyObject *const *args, Py_ssize_t n, const weft_said *said) { return call(args, n, fall_back, said); }

// native(index, arguments...): the same, but NotImplemented for what weft does not do itself.
PyObject *weft_native(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return call(args, n, refuse, NULL);
}

// weft_cut_row is a function that is a row of the table for arrays of so many axes. about is the row's number, how many arrays and axes, and the row's other arguments.
PyObject *weft_cut_row(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *given[PARAMETERS + 1], *rest = PyTuple_GetItem(about, 3);
	Py_ssize_t others = PyTuple_Size(rest);
	if (names || n != PyLong_AsSsize_t(PyTuple_GetItem(about, 1)) || n + others > PARAMETERS)
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
