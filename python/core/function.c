//go:build extension

// The functions of the table as Python sees them: objects that call the core without a Python frame in between, which would
// take as long as the operation on a few elements. Where one stands in a class it is a method if NumPy's is: a function like
// np.linspace is, a ufunc and a built-in function like np.zeros are not. Each is made of the generated Python function that has its parameters and defaults, which answers calls whose
// arguments do not fit, so that the errors are Python's.
#include "shim.h"
#include "function.h"
#include "few.h"
#include "handover.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

// The vectorcall protocol has been the same since Python 3.8; the limited API has names for it from 3.12 on.
#define ARGUMENTS_OFFSET (1ULL << 63)  // of the number of arguments

static PyObject *odd_name;            // the attribute of a function that answers calls whose arguments do not fit
static PyTypeObject *python_function; // the type of Python's functions

// weft_call_fitting calls a Python function. Where the arguments do not fit its parameters, odd answers instead, or the function's own attribute where that is NULL: NumPy
// knows what is wrong with such a call, and what else it takes.
PyObject *weft_call_fitting(PyObject *function, PyObject *odd, PyObject *args, PyObject *options)
{
	PyObject *result = PyObject_Call(function, args, options), *class, *error, *trace;
	if (result || Py_TYPE(function) != python_function || !PyErr_ExceptionMatches(PyExc_TypeError))
		return result;
	PyErr_Fetch(&class, &error, &trace);
	odd = trace ? NULL : odd ? Py_NewRef(odd) : PyObject_GetAttr(function, odd_name); // with a trace, it was called
	if (!odd) {
		PyErr_Restore(class, error, trace);
		return NULL;
	}
	Py_XDECREF(class);
	Py_XDECREF(error);
	result = PyObject_Call(odd, args, options);
	Py_DECREF(odd);
	return result;
}

// call_python calls the Python function with what was given.
static PyObject *call_python(const weft_function_object *f, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
	PyObject *tuple = PyTuple_New(n), *options = tuple && keywords ? PyDict_New() : NULL, *result = NULL;
	int failed = !tuple || (keywords && !options);
	for (Py_ssize_t i = 0; !failed && i < n; i++)
		PyTuple_SetItem(tuple, i, Py_NewRef(args[i]));
	for (Py_ssize_t k = 0; !failed && keywords && k < PyTuple_Size(keywords); k++)
		failed = PyDict_SetItem(options, PyTuple_GetItem(keywords, k), args[n + k]) < 0;
	if (!failed)
		result = weft_call_fitting(f->python, PyDict_GetItemWithError(f->dict, odd_name), tuple, options);
	Py_XDECREF(tuple);
	Py_XDECREF(options);
	return result;
}

// call_numpys calls, in a forked child, the function of NumPy's that this one stands for.
static PyObject *call_numpys(const weft_function_object *f, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
	PyObject *original = PyDict_GetItemString(f->dict, "_numpy"), *result;
	weft_function_object numpys = {.python = original ? original : f->python, .dict = f->dict};
	Py_INCREF(numpys.python);
	result = call_python(&numpys, args, n, keywords);
	Py_DECREF(numpys.python);
	return result;
}

// call_odd answers what does not fit: of a ufunc NumPy does, whose errors are of other words than Python's.
static PyObject *call_odd(weft_function_object *f, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
	PyObject *odd = Py_TYPE((PyObject *)f) == weft_ufunc_type ? PyDict_GetItemWithError(f->dict, odd_name) : NULL;
	if (PyErr_Occurred())
		return NULL;
	return odd ? PyObject_Vectorcall(odd, args, (size_t)n, keywords) : call_python(f, args, n, keywords);
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargs, PyObject *keywords);

// without_out is a call with where= and without out=, of which NumPy warns, as elements of the result are not written. It goes on with out=None, which says that this is
// meant: where NumPy has to answer it, there is no second warning.
static PyObject *without_out(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *keywords)
{
	PyObject *given[1 + WEFT_PARAMETERS];
	Py_ssize_t named = PyTuple_Size(keywords), before = ((weft_function_object *)self)->out; // which is the last by place
	if (PyErr_WarnEx(PyExc_UserWarning, "'where' used without 'out', expect unitialized memory in output. If this is intentional, use out=None.", 1) < 0)
		return NULL;
	PyObject *names = PyTuple_New(named + 1);
	for (Py_ssize_t k = 0; names && k < named; k++)
		PyTuple_SetItem(names, k, Py_NewRef(PyTuple_GetItem(keywords, k)));
	if (!names || PyTuple_SetItem(names, named, Py_NewRef(((weft_function_object *)self)->name[((weft_function_object *)self)->out])) < 0) {
		Py_XDECREF(names);
		return NULL;
	}
	before = n < before ? n : before;
	memcpy(given, args, (size_t)before * sizeof *given);
	memcpy(given + before, args + n, (size_t)named * sizeof *given);
	given[before + named] = Py_None;
	PyObject *result = call(self, given, (size_t)before, names);
	Py_DECREF(names);
	return result;
}

static int owning; // whether the evaluator's calls can be told from others: see set_owning

// is_owning says whether the evaluator calls with arguments on its stack, of which it gives up its references after the call, and which have no other reader there. Functions of C that
// call have them on their own stack, which is this thread's, or in a tuple, and then they do not say that the place before them may be written to.
static int is_owning(PyObject *const *args, size_t nargs)
{
	const char here = 0;
	const uintptr_t apart = (uintptr_t)args - (uintptr_t)&here;
	enum { NEAR = 1 << 20 };
	return owning && (nargs & ARGUMENTS_OFFSET) && apart > NEAR && -apart > NEAR;
}

// call_owned is for the package to try that: how many references the first argument has, where the evaluator calls; otherwise 0.
static PyObject *call_owned(PyObject *self, PyObject *const *args, size_t nargs, PyObject *keywords)
{
	(void)self, (void)keywords;
	return PyLong_FromSsize_t((nargs & ~ARGUMENTS_OFFSET) > 0 && is_owning(args, nargs) ? Py_REFCNT(args[0]) : 0);
}

// set_owning(on): whether what dies with a call is told from the evaluator's references.
PyObject *weft_set_owning(PyObject *self, PyObject *on)
{
	(void)self;
	owning = on == Py_True;
	Py_RETURN_NONE;
}

// at_hand says whether the elements of all arrays among the arguments are there, the first of which is one, of weft's or NumPy's.
static int at_hand(PyObject *const *args, Py_ssize_t n)
{
	for (Py_ssize_t i = 0; i < n; i++) {
		weft_array *a = (weft_array *)args[i];
		if (Py_TYPE(args[i]) == weft_array_type ? !a->at.known || a->at.size > WEFT_FOLD_MOST || !weft_data(a) : i == 0 && Py_TYPE(args[0]) != weft_np_type)
			return 0;
	}
	return n > 0;
}

// What NumPy warns of where np.maximum has three arguments, of which the third one is written to.
static const char too_many[] = "Passing more than 2 positional arguments to np.maximum and np.minimum is deprecated. If you meant to use the third argument as an output, use the `out` "
	"keyword argument instead. If you hoped to work with more than 2 inputs, combine them into a single array and get the extrema for the relevant axis.";

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargs, PyObject *keywords)
{
	weft_function_object *f = (weft_function_object *)self;
	Py_ssize_t n = (Py_ssize_t)(nargs & ~ARGUMENTS_OFFSET), named = keywords ? PyTuple_Size(keywords) : 0;
	PyObject *given[1 + WEFT_PARAMETERS];
	int where = 0, out = n > f->out && f->out >= 0 && args[f->out] != Py_None; // None by place says no more than nothing
	if (__builtin_expect(weft_forked, 0))
		return call_numpys(f, args, n, keywords);
	if (__builtin_expect(n == 3 && f->extremum, 0) && PyErr_WarnEx(PyExc_DeprecationWarning, too_many, 1) < 0)
		return NULL;
	if (n > f->positional || (out && Py_TYPE(self) == weft_ufunc_type && (args[f->out] == Py_Ellipsis || PyTuple_Check(args[f->out]))))
		goto odd;
	given[0] = f->index;
	for (Py_ssize_t i = 0; i < f->parameters; i++)
		given[1 + i] = i < n ? args[i] : f->usual[i];
	for (Py_ssize_t k = 0; k < named; k++) {
		PyObject *name = PyTuple_GetItem(keywords, k);
		Py_ssize_t i = n;
		while (i < f->parameters && f->name[i] != name) // interned, as all names in code are
			i++;
		if (i == f->parameters)
			goto odd;
		given[1 + i] = args[n + k];
		where |= i == f->where && args[n + k] != Py_True;
		out |= i == f->out;
	}
	if (__builtin_expect(where && !out, 0) && Py_TYPE(self) == weft_ufunc_type && f->out >= 0)
		return without_out(self, args, n, keywords);
	for (Py_ssize_t i = n; i < f->required; i++)
		if (!given[1 + i])
			goto odd;
	// What dies with a call whose value is waited for need not be stored. Where that cannot be told from the references, the Python function has the call, whose frame takes the arguments over.
	const int owned = f->values && Py_TYPE(given[1]) == weft_array_type && is_owning(args, nargs);
	if (f->values && !owned && !at_hand(given + 1, f->parameters))
		return call_python(f, args, n, keywords);
	return weft_call_directly(given, 1 + f->parameters, &(weft_said){args, n, keywords, owned});
odd:
	return call_odd(f, args, n, keywords);
}

// call_cut calls what shortcut() made: the Python function where the shortcut does not have the call.
static PyObject *call_cut(PyObject *self, PyObject *const *args, size_t nargs, PyObject *keywords)
{
	weft_function_object *f = (weft_function_object *)self;
	Py_ssize_t n = (Py_ssize_t)(nargs & ~ARGUMENTS_OFFSET);
	if (__builtin_expect(weft_forked, 0))
		return call_numpys(f, args, n, keywords);
	int before = weft_wrongs;
	PyObject *result = f->cut(f->about, args, n, keywords);
	if (result)
		return weft_told(result);
	weft_wrongs = before; // what is computed otherwise is told of by what computes it
	if (PyErr_Occurred())
		return NULL;
	if (f->stacked) // another shortcut, which takes arguments as they lie
		return ((weft_function_object *)f->python)->call(f->python, args, (size_t)n, keywords);
	return call_python(f, args, n, keywords);
}

// call_few has NumPy answer calls with few elements, and the Python function all others.
static PyObject *call_few(PyObject *self, PyObject *const *args, size_t nargs, PyObject *keywords)
{
	weft_function_object *f = (weft_function_object *)self;
	Py_ssize_t n = (Py_ssize_t)(nargs & ~ARGUMENTS_OFFSET);
	if (__builtin_expect(weft_forked, 0))
		return call_numpys(f, args, n, keywords);
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	if (f->numpys.plain || f->numpys.calls || f->numpys.kept)
		weft_inside = weft_was_inside; // most of the time is the function's
	PyObject *result = f->numpys.kept ? NULL : weft_delegated(&f->numpys, args, n, keywords);
	if (!result && (f->numpys.wrapped || f->numpys.kept) && !PyErr_Occurred())
		result = weft_wrapped(&f->numpys, PyTuple_GetItem(f->about, 2), f->numpys.few, args, n, keywords);
	return result || PyErr_Occurred() ? weft_told(result) : call_python(f, args, n, keywords);
}

// call_made has NumPy make an array of arguments that may be used up by it, such as generators.
static PyObject *call_made(PyObject *self, PyObject *const *args, size_t nargs, PyObject *keywords)
{
	weft_function_object *f = (weft_function_object *)self;
	Py_ssize_t n = (Py_ssize_t)(nargs & ~ARGUMENTS_OFFSET);
	if (__builtin_expect(weft_forked, 0))
		return call_numpys(f, args, n, keywords);
	ENTER(NULL)
	if (weft_ensure_started() < 0)
		return NULL;
	Py_ssize_t named = keywords ? PyTuple_Size(keywords) : 0;
	for (Py_ssize_t k = 0; k < n + named; k++)
		if ((k > 0 && Py_TYPE(args[k]) == weft_array_type) || (k >= n && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, k - n), "like") == 0))
			return call_python(f, args, n, keywords);
	weft_inside = weft_was_inside; // the program's generator runs
	return weft_made_by(&f->numpys, args, n, keywords);
}

// integer returns a number that an object has as an attribute, or -1 with an exception.
static long integer(PyObject *of, const char *name)
{
	PyObject *o = PyObject_GetAttrString(of, name);
	long n = o ? PyLong_AsLong(o) : -1;
	Py_XDECREF(o);
	return n;
}

// read_parameters takes names and defaults from the Python function.
static int read_parameters(weft_function_object *f)
{
	PyObject *code = PyObject_GetAttrString(f->python, "__code__"), *names = code ? PyObject_GetAttrString(code, "co_varnames") : NULL;
	PyObject *usual = names ? PyObject_GetAttrString(f->python, "__defaults__") : NULL;
	PyObject *more = usual ? PyObject_GetAttrString(f->python, "__kwdefaults__") : NULL;
	long only = more ? integer(code, "co_posonlyargcount") : -1, flags = only >= 0 ? integer(code, "co_flags") : -1;
	int rc = -1;
	if (flags < 0)
		goto done;
	f->positional = (int)integer(code, "co_argcount");
	f->parameters = f->positional + (int)integer(code, "co_kwonlyargcount");
	if (f->parameters > WEFT_PARAMETERS || flags & 0x0c) { // *args, **kwargs
		PyErr_Format(PyExc_SystemError, "weft._core.function: %R has %d parameters; want at most %d, and no star", f->python, f->parameters, WEFT_PARAMETERS);
		goto done;
	}
	Py_ssize_t first = f->positional - (usual == Py_None ? 0 : PyTuple_Size(usual));
	f->required = (int)first;
	f->where = f->out = -1;
	for (int i = 0; i < f->parameters; i++) {
		PyObject *name = Py_NewRef(PyTuple_GetItem(names, i));
		PyUnicode_InternInPlace(&name);
		PyObject *value = i < first ? NULL : i < f->positional ? PyTuple_GetItem(usual, i - first) : more == Py_None ? NULL : PyDict_GetItemWithError(more, name);
		if (i >= f->positional && !value) { // which Python functions of the table never have
			PyErr_Format(PyExc_SystemError, "weft._core.function: %R has no default for %R", f->python, name);
			Py_DECREF(name);
			goto done;
		}
		f->usual[i] = Py_XNewRef(value);
		if (PyUnicode_CompareWithASCIIString(name, "where") == 0)
			f->where = i;
		if (PyUnicode_CompareWithASCIIString(name, "out") == 0)
			f->out = i;
		if (i >= only)
			f->name[i] = name;
		else
			Py_DECREF(name);
	}
	rc = 0;
done:
	Py_XDECREF(code);
	Py_XDECREF(names);
	Py_XDECREF(usual);
	Py_XDECREF(more);
	return rc;
}

// What the object of a function is in a class: no method, one of its instances, or a built-in function.
enum { IS_CALLED, BINDS, IS_BUILTIN };

// made makes the object of a Python function, whose attributes it has.
static weft_function_object *made(PyObject *python, int kind)
{
	PyTypeObject *of = kind == BINDS ? weft_binding_type : kind == IS_BUILTIN ? weft_builtin_type : weft_function_type;
	weft_function_object *f = weft_alloc(of);
	if (!f)
		return NULL;
	f->python = Py_NewRef(python);
	f->stacked = PyType_IsSubtype(Py_TYPE(python), weft_function_type);
	f->dict = PyDict_New();
	static const char *const attributes[] = {"__name__", "__qualname__", "__doc__", "__module__"};
	PyObject *more = f->dict ? PyObject_GetAttrString(python, "__dict__") : NULL;
	int failed = !more || PyDict_Update(f->dict, more) < 0;
	Py_XDECREF(more);
	for (size_t i = 0; !failed && i < sizeof attributes / sizeof *attributes; i++) {
		PyObject *value = PyObject_GetAttrString(python, attributes[i]);
		failed = !value || PyDict_SetItemString(f->dict, attributes[i], value) < 0;
		Py_XDECREF(value);
	}
	if (failed) {
		Py_DECREF((PyObject *)f);
		f = NULL;
	}
	return f;
}

// function(python, index, kind, values): the object that calls the row of the table; values says that it gives a scalar of an array.
PyObject *weft_function(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *python, *index;
	int kind, values;
	if (!PyArg_ParseTuple(args, "OOip", &python, &index, &kind, &values))
		return NULL;
	weft_function_object *f = made(python, kind);
	python_function = Py_TYPE(python);
	if (f) {
		f->call = call;
		f->values = values;
		f->index = Py_NewRef(index);
		PyObject *name = PyDict_GetItemString(f->dict, "__name__");
		f->extremum = name && (PyUnicode_CompareWithASCIIString(name, "maximum") == 0 || PyUnicode_CompareWithASCIIString(name, "minimum") == 0);
		if (read_parameters(f) < 0) {
			Py_DECREF((PyObject *)f);
			f = NULL;
		}
	}
	return (PyObject *)f;
}

// cut_attribute is an attribute of an array, whose name it is told.
static PyObject *cut_attribute(PyObject *name, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return n == 1 && !names && Py_TYPE(args[0]) == weft_array_type ? PyObject_GetAttr(args[0], name) : NULL;
}

// cut_either is a method of ndarray that was asked of the class: about has weft's and NumPy's, which says what is wrong with what is no array.
static PyObject *cut_either(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return PyObject_Vectorcall(PyTuple_GetItem(about, n == 0 || Py_TYPE(args[0]) != weft_array_type), args, (size_t)n, names);
}

// cut_ours is a method of an array of NumPy's: about is what NumPy has, which knows neither weft's class of arrays nor its arrays.
static PyObject *cut_ours(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	Py_ssize_t all = n + (names ? PyTuple_Size(names) : 0);
	for (Py_ssize_t i = 1; i < all; i++)
		if (args[i] == (PyObject *)weft_array_type || Py_TYPE(args[i]) == weft_array_type)
			return NULL;
	return PyObject_Vectorcall(about, args, (size_t)n, names);
}

// adopt(type, members, name, method): a class written in C has another method from now on. members is the dict behind vars(type).
PyObject *weft_adopt(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *of, *members, *name, *method;
	if (!PyArg_ParseTuple(args, "O!O!UO", &PyType_Type, &of, &PyDict_Type, &members, &name, &method))
		return NULL;
	if (PyDict_SetItem(members, name, method) < 0)
		return NULL;
	PyType_Modified((PyTypeObject *)of);
	Py_RETURN_NONE;
}

// cut_nothing leaves all to the Python function.
static PyObject *cut_nothing(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about, (void)args, (void)n, (void)names;
	return NULL;
}

// The shortcuts by name.
static const struct {
	const char *name;
	weft_shortcut *cut;
} shortcuts[] = {{"nothing", cut_nothing}, {"numbers", weft_cut_numbers}, {"draw", weft_cut_draw}, {"buffer", weft_cut_buffer}, {"row", weft_cut_row}, {"attribute", cut_attribute}, {"either", cut_either}, {"ours", cut_ours}, {"diagonal", weft_cut_diagonal},
	{"range", weft_cut_range}, {"segments", weft_cut_segments}, {"pad", weft_cut_pad}, {"append", weft_cut_append}, {"lined", weft_cut_lined},
	{"splice", weft_cut_splice}, {"correlate", weft_cut_correlate},
	{"polyval", weft_cut_polyval}, {"select", weft_cut_select}, {"piecewise", weft_cut_piecewise}, {"average", weft_cut_average}, {"trapezoid", weft_cut_trapezoid}, {"tensordot", weft_cut_tensordot}, {"nansum", weft_cut_nansum},
	{"unravel", weft_cut_unravel}, {"overlap", weft_cut_overlap}, {"order", weft_cut_order}, {"axes", weft_cut_axes}, {"extent", weft_cut_extent}, {"settings", weft_cut_settings}, {"asked", weft_cut_asked}, {"elements", weft_cut_elements}, {"einsum", weft_cut_einsum},
	{"vectors", weft_cut_vectors}, {"byteswap", weft_cut_byteswap}, {"isin", weft_cut_isin}, {"intersect", weft_cut_intersect},
	{"quantile", weft_cut_quantile}, {"nanquantile", weft_cut_nanquantile}, {"turned", weft_cut_turned}, {"finite", weft_cut_finite}, {"powers", weft_cut_powers}, {"grid", weft_cut_grid}, {"gradient", weft_cut_gradient},
	{"cross", weft_cut_cross}, {"kron", weft_cut_kron}, {"nanextreme", weft_cut_nanextreme}, {"nanspread", weft_cut_nanspread}, {"packbits", weft_cut_packbits}, {"chosen", weft_cut_chosen}};

// shortcut(python, name, about, kind): the object that answers some calls of a Python function in C, and has the function answer all others.
// One of the name "few" has NumPy answer those with few elements, one of the name "made" all; about is what weft_read_delegate reads.
PyObject *weft_shortcut_of(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *python, *about;
	const char *name;
	int kind, few, made_by;
	size_t i = 0;
	if (!PyArg_ParseTuple(args, "OsOi", &python, &name, &about, &kind))
		return NULL;
	made_by = strcmp(name, "made") == 0;
	few = made_by || strcmp(name, "few") == 0;
	const int owned = strcmp(name, "owned") == 0; // for a look at the evaluator's calls
	while (!few && !owned && i < sizeof shortcuts / sizeof *shortcuts && strcmp(shortcuts[i].name, name))
		i++;
	if (i == sizeof shortcuts / sizeof *shortcuts)
		return PyErr_Format(PyExc_ValueError, "weft._core.shortcut: there is none of the name %s", name);
	weft_function_object *f = made(python, kind);
	if (!f)
		return NULL;
	f->call = owned ? call_owned : made_by ? call_made : few ? call_few : call_cut;
	f->cut = few || owned ? NULL : shortcuts[i].cut;
	f->about = Py_NewRef(about);
	if (few && weft_read_delegate(about, &f->numpys) < 0) {
		Py_DECREF((PyObject *)f);
		return NULL;
	}
	return (PyObject *)f;
}

// as_ufunc(function): the object that calls a function of weft's, as one of the type of ufuncs: it itself, where it is no function of Python's.
PyObject *weft_as_ufunc(PyObject *self, PyObject *function)
{
	(void)self;
	if (Py_TYPE(function) == weft_ufunc_type)
		return Py_NewRef(function);
	weft_function_object *f = Py_TYPE(function) == weft_function_type ? (weft_function_object *)Py_NewRef(function) : made(function, IS_CALLED);
	if (!f)
		return NULL;
	if (!f->call) {
		f->call = call_cut;
		f->cut = cut_nothing;
		f->about = Py_NewRef(Py_None);
	}
	((PyObject *)f)->ob_type = (PyTypeObject *)Py_NewRef((PyObject *)weft_ufunc_type); // which has the same fields
	Py_DECREF((PyObject *)weft_function_type);
	return (PyObject *)f;
}

int weft_init_function(PyObject *module)
{
	odd_name = PyUnicode_InternFromString("_odd");
	return odd_name ? weft_init_function_types(module) : -1;
}
