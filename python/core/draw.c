//go:build extension

// Draws of few numbers: methods of numpy.random's generators that the program calls with plain values. Floats in [0, 1), what is a line of
// arithmetic on them, and integers are drawn here, by the functions of the bit generator itself, which NumPy tells in a
// capsule (numpy/random/bitgen.h). All else NumPy draws, without Python frames around it. What calls other methods of the generator it is called of, such as choice, is called
// of a generator of NumPy's own with the same bit generator.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "draw.h"
#include <math.h>
#include <string.h>

static PyObject *size_name, *out_name;

// What a shortcut is told: the methods of NumPy's class that draw, where the size stands among the arguments, and which draw it is.
enum { ORIGINAL, STANDARD, OF_CLASS, INSTANCE, NAME, NOTED, SIZE_AT, KIND, TOLD };
enum { BY_NUMPY, FLOATS, INTEGERS, UNIFORM, NORMAL, EXPONENTIAL, STANDARD_NORMAL, STANDARD_EXPONENTIAL, MASKED, BY_TWIN, SHUFFLES, PERMUTES, CHOOSES, REORDERS }; // the last ones are by a twin as well
enum { DIMENSIONS = -1, WHOLE = 9 }; // for SIZE_AT: all arguments are extents; as many are drawn as there are elements
enum { MANY = 4096, MOST = 1 << 16, DIRECT = 32 }; // elements that others than PCG64 draw as an operation; that PCG64 does; from which on the state is drawn from
enum { LARGEST = 1 << 22 }; // normals, exponentials and integers that PCG64 draws, with a seed
enum { GIVEN = 16 }; // arguments
enum { QUIET = 1000, INT64 = 5, FLOAT64 = 12 }; // elements that are not counted; tile.DTypes

// plain says whether NumPy may have an argument as it is.
static int plain(PyObject *o)
{
	if (PyTuple_CheckExact(o)) {
		for (Py_ssize_t i = 0; i < PyTuple_Size(o); i++)
			if (!PyLong_CheckExact(PyTuple_GetItem(o, i)))
				return 0;
		return 1;
	}
	return o == Py_None || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o) || Py_TYPE(o) == &PyType_Type ||
		weft_scalar_code(o);
}

// read_extents reads a shape of LARGEST elements at most: how many axes it has, -1 where it is another.
static int read_extents(PyObject *const *of, Py_ssize_t n, int64_t *shape, int64_t *count)
{
	*count = 1;
	if (n > WEFT_NEAR)
		return -1;
	for (Py_ssize_t i = 0; i < n; i++) {
		weft_value v;
		if (!weft_number(of[i], &v) || v.kind != WEFT_INT || v.i < 1 || v.i > LARGEST || (*count *= v.i) > LARGEST)
			return -1;
		shape[i] = v.i;
	}
	return (int)n;
}

static int read_size(PyObject *o, int64_t *shape, int64_t *count)
{
	PyObject *extent[WEFT_NEAR];
	if (!PyTuple_CheckExact(o))
		return read_extents(&o, 1, shape, count);
	Py_ssize_t n = PyTuple_Size(o);
	for (Py_ssize_t i = 0; i < n && i < WEFT_NEAR; i++)
		extent[i] = PyTuple_GetItem(o, i);
	return read_extents(extent, n, shape, count);
}

// real reads a parameter of a distribution.
static int real(PyObject *o, double *to)
{
	weft_value v;
	if (!weft_number(o, &v) || v.kind == WEFT_BOOL)
		return 0;
	*to = v.kind == WEFT_FLOAT ? v.re : (double)v.i;
	return 1;
}

// scaled is low + scale * x with two roundings, whatever the compiler may do.
static double scaled(double low, double scale, double x)
{
	volatile double product = scale * x;
	return low + product;
}

// spread does so with many.
static void spread(double low, double scale, int64_t n, double *x)
{
	for (int64_t i = 0; i < n; i++)
		x[i] *= scale;
	__asm__ volatile("" : : "r"(x) : "memory");
	for (int64_t i = 0; i < n; i++)
		x[i] = low + x[i];
}

// standard draws a number of the distribution that has no parameters.
static int standard(PyObject *about, PyObject *self, double *to)
{
	PyObject *made = PyObject_CallFunctionObjArgs(PyTuple_GetItem(about, STANDARD), self, NULL);
	if (!made)
		return -1;
	*to = PyFloat_AsDouble(made);
	Py_DECREF(made);
	return 0;
}

// lent is a generator whose lock is given back while NumPy draws from it.
typedef struct {
	PyObject *draw, *self;
	const weft_source *s;
} lent;

static int one_by_numpy(void *context, double *to)
{
	const lent *l = context;
	if (weft_called(l->s->release) < 0)
		return -1;
	PyObject *made = PyObject_CallFunctionObjArgs(l->draw, l->self, NULL);
	if (made)
		*to = PyFloat_AsDouble(made);
	Py_XDECREF(made);
	PyObject *type, *value, *trace; // the lock is taken even so
	PyErr_Fetch(&type, &value, &trace);
	int failed = weft_called(l->s->acquire) < 0;
	if (failed)
		PyErr_Clear();
	PyErr_Restore(type, value, trace);
	if (failed && made)
		PyErr_SetString(PyExc_RuntimeError, "the lock of a bit generator is lost");
	return failed || !made ? -1 : 0;
}

// by_layers draws an array of normals or exponentials from the state of a PCG64; NULL without exception where that cannot be.
static PyObject *by_layers(int which, PyObject *draw, PyObject *self, double low, double scale, int standard, int ndim, const int64_t *shape, int64_t count)
{
	if (!weft_knows(which))
		return NULL;
	weft_source *s = weft_source_of(self);
	if (!s)
		return NULL;
	int ours = s->pcg && (count < MANY || weft_is_pcg64(s->of)); // those without a seed have many drawn in parallel
	weft_array *made = ours ? weft_many_made(FLOAT64, ndim, shape) : NULL;
	double *to = made ? (double *)weft_data(made) : NULL;
	int drawn = 0;
	if (to && weft_called(s->acquire) == 0) {
		lent context = {draw, self, s};
		drawn = weft_pcg_many(which, s->pcg, count, to, one_by_numpy, &context);
		PyObject *type, *value, *trace;
		PyErr_Fetch(&type, &value, &trace);
		if (weft_called(s->release) < 0)
			drawn = -1;
		if (type)
			PyErr_Restore(type, value, trace);
	}
	if (drawn > 0 && !standard)
		spread(low, scale, count, to);
	if (drawn > 0 && count >= MANY)
		weft_note_made(WEFT_NOTE_DRAW, (PyObject *)made, FLOAT64, NULL, NULL);
	if (drawn <= 0)
		Py_CLEAR(made);
	Py_DECREF((PyObject *)s);
	return (PyObject *)made;
}

// by_layer draws one from the state of a PCG64; 0 where that cannot be, -1 with an exception.
static int by_layer(int which, PyObject *self, double *to)
{
	weft_source *s = weft_source_of(self);
	int drawn = 0;
	if (s && s->pcg && weft_knows(which)) {
		if (weft_called(s->acquire) < 0)
			drawn = -1;
		else if ((drawn = weft_pcg_one(which, s->pcg, to)), weft_called(s->release) < 0)
			drawn = -1;
	}
	Py_XDECREF((PyObject *)s);
	return drawn;
}

// is_legacy says whether a method is a RandomState's.
static int is_legacy(PyObject *about) { return PyUnicode_CompareWithASCIIString(PyTuple_GetItem(about, NAME), "random.R") > 0; }

// own draws what is drawn here; NULL without exception where that takes NumPy. args are what stands before the size, n of them.
static PyObject *own(PyObject *about, int kind, PyObject *self, PyObject *const *args, Py_ssize_t n, int ndim, const int64_t *shape, int64_t count)
{
	int masked = kind == MASKED; // as the legacy generators draw integers
	kind = masked ? INTEGERS : kind;
	int which = kind == NORMAL || kind == STANDARD_NORMAL ? WEFT_NORMALS : kind == EXPONENTIAL || kind == STANDARD_EXPONENTIAL ? WEFT_EXPONENTIALS : -1;
	int alone = kind == STANDARD_NORMAL || kind == STANDARD_EXPONENTIAL; // without parameters
	double low = 0, scale = 1, x;
	weft_value v[2] = {{.kind = WEFT_INT}};
	if (kind == INTEGERS) {
		if (n < 1 || n > 2)
			return NULL;
		for (Py_ssize_t i = 0; i < n; i++)
			if (!weft_number(args[i], &v[2 - n + i]) || v[2 - n + i].kind != WEFT_INT)
				return NULL;
		if (v[0].i >= v[1].i || (uint64_t)v[1].i - 1 - (uint64_t)v[0].i > UINT32_MAX)
			return NULL;
	} else if (kind != FLOATS && !alone) {
		double *to[2] = {kind == EXPONENTIAL ? &scale : &low, &scale};
		if (n > (kind == EXPONENTIAL ? 1 : 2))
			return NULL;
		for (Py_ssize_t i = 0; i < n; i++)
			if (!real(args[i], to[i]))
				return NULL;
		if (kind == UNIFORM)
			scale -= low;
		if (!(scale >= 0) || signbit(scale) || !isfinite(scale))
			return NULL;
	} else if (n > 0) {
		return NULL;
	}
	if (count >= MANY && weft_devices)
		return NULL;
	if (is_legacy(about) && which >= 0)
		return which == WEFT_NORMALS && count < MANY ? weft_polar(self, PyTuple_GetItem(about, OF_CLASS), low, scale, alone, ndim, shape, count) : NULL;
	if (ndim && which >= 0)
		return by_layers(which, PyTuple_GetItem(about, alone ? ORIGINAL : STANDARD), self, low, scale, alone, ndim, shape, count);
	if (count > MOST && kind != INTEGERS)
		return NULL;
	if (which >= 0) {
		int drawn = by_layer(which, self, &x);
		if (drawn < 0 || (drawn == 0 && (alone || standard(about, self, &x) < 0)))
			return NULL;
		return PyFloat_FromDouble(alone ? x : kind == NORMAL ? scaled(low, scale, x) : scale * x);
	}
	weft_source *s = weft_source_of(self);
	if (!s)
		return NULL;
	uint32_t most = (uint32_t)(v[1].i - 1 - v[0].i);
	int dtype = kind == INTEGERS ? INT64 : FLOAT64, direct = s->pcg && count >= DIRECT && !masked && (kind != INTEGERS || (most && (count < MANY || weft_is_pcg64(s->of))));
	weft_array *made = ndim && (direct || count < MANY) ? weft_many_made(dtype, ndim, shape) : NULL;
	PyObject *result = NULL;
	union {
		int64_t i;
		double d;
	} one, *to = made ? (void *)weft_data(made) : (void *)&one;
	if ((ndim && (!made || !to)) || weft_called(s->acquire) < 0)
		goto done;
	int64_t drawn = 0;
	if (direct && (kind == INTEGERS ? weft_pcg_integers(s->pcg, s->b->state, s->b->next_uint32, v[0].i, most, count, &to->i) : weft_pcg_draw(s->pcg, count, &to->d)))
		drawn = count;
	for (int64_t i = drawn; i < count; i++) {
		if (kind == INTEGERS)
			to[i].i = v[0].i + weft_below(s->b, most, masked);
		else if (kind == UNIFORM)
			to[i].d = scaled(low, scale, s->b->next_double(s->b->state));
		else
			to[i].d = s->b->next_double(s->b->state);
	}
	if (weft_called(s->release) < 0)
		goto done;
	if (drawn && kind == UNIFORM)
		spread(low, scale, drawn, &to->d);
	if (drawn >= MANY)
		weft_note_made(WEFT_NOTE_DRAW, (PyObject *)made, dtype, NULL, NULL);
	result = ndim ? Py_NewRef((PyObject *)made) : masked ? PyLong_FromLongLong(one.i) : kind == INTEGERS ? weft_scalar_at(&one, INT64) : PyFloat_FromDouble(one.d);
done:
	Py_XDECREF((PyObject *)made);
	Py_DECREF((PyObject *)s);
	return result;
}

// by_numpy has NumPy draw, and takes over the array that it makes.
static PyObject *by_numpy(PyObject *about, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names, int64_t count)
{
	long long begun = count > QUIET ? goClock() : 0;
	PyObject *with[GIVEN + 1], *made;
	Py_ssize_t all = n + (names ? PyTuple_Size(names) : 0);
	if (all > GIVEN)
		return NULL;
	with[0] = self;
	memcpy(with + 1, args, (size_t)all * sizeof *args);
	made = PyObject_Vectorcall(PyTuple_GetItem(about, ORIGINAL), with, (size_t)n + 1, names);
	if (!made || (PyObject *)Py_TYPE(made) != weft_np_ndarray)
		return made;
	PyObject *ours = weft_taken(made);
	if (!ours)
		return NULL;
	if (count > QUIET) {
		PyObject *noted = PyObject_CallFunction(PyTuple_GetItem(about, NOTED), "OLL", PyTuple_GetItem(about, NAME), begun, (long long)count * 8);
		if (!noted)
			Py_CLEAR(ours);
		Py_XDECREF(noted);
	}
	return ours;
}

// by_twin has NumPy's own generator draw from few elements, or bring them into another order.
static PyObject *by_twin(PyObject *about, int kind, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *of = PyTuple_GetItem(about, OF_CLASS), *twin = (PyObject *)Py_TYPE(self) == of ? self : NULL;
	weft_source *s = twin ? NULL : weft_source_of(self);
	if (s && !s->twin)
		s->twin = PyObject_CallFunctionObjArgs(of, s->of, NULL);
	twin = Py_XNewRef(s ? s->twin : twin);
	Py_XDECREF((PyObject *)s);
	if (!twin)
		return NULL;
	PyObject *made = weft_delegated(&(weft_delegate){.function = PyTuple_GetItem(about, ORIGINAL), .self = twin, .number = WEFT_UNNOTED, .few = MANY, .writes = kind == SHUFFLES}, args, n, names);
	Py_DECREF(twin);
	return made;
}

// by_itself has a legacy generator draw for few parameters: the second of two normals is in that object, which a twin does not have.
static PyObject *by_itself(PyObject *about, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return weft_delegated(&(weft_delegate){.function = PyTuple_GetItem(about, ORIGINAL), .self = self, .number = WEFT_UNNOTED, .few = MANY}, args, n, names);
}

// named_parameters puts parameters that were given by their names where they stand, before the size: how many there are then, or -1 where one is another.
static Py_ssize_t named_parameters(int kind, PyObject *const *args, Py_ssize_t n, PyObject *names, PyObject **with)
{
	static const char *const known[BY_TWIN][2] = {[NORMAL] = {"loc", "scale"}, [UNIFORM] = {"low", "high"}, [INTEGERS] = {"low", "high"}, [MASKED] = {"low", "high"}, [EXPONENTIAL] = {"scale", NULL}};
	static PyObject *zero;
	if (n > 2 || (!zero && !(zero = PyFloat_FromDouble(0))))
		return -1;
	for (int i = 0; i < 2; i++)
		with[i] = i < n ? args[i] : NULL;
	for (Py_ssize_t k = 0; k < PyTuple_Size(names); k++) {
		PyObject *name = PyTuple_GetItem(names, k);
		int at = 0;
		if (name == size_name)
			continue;
		while (at < 2 && !(known[kind][at] && PyUnicode_CompareWithASCIIString(name, known[kind][at]) == 0))
			at++;
		if (at == 2 || with[at])
			return -1;
		with[at] = args[n + k];
	}
	if (with[1] && !with[0]) {
		if (kind != NORMAL && kind != UNIFORM)
			return -1;
		with[0] = zero; // which it is where nothing is said
	}
	return with[1] ? 2 : with[0] != NULL;
}

// given_out is the array of a call that names nothing but out=, behind n other arguments; NULL of others.
static PyObject *given_out(PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	return names && PyTuple_Size(names) == 1 && PyTuple_GetItem(names, 0) == out_name && Py_TYPE(args[n]) == weft_array_type ? args[n] : NULL;
}

// into draws as many floats as an array has, and writes them there; NULL without exception where the general function has to.
static PyObject *into(PyObject *about, int kind, PyObject *self, PyObject *out)
{
	weft_few x;
	if (!weft_fits_of(out, 0, &x) || x.l->dtype != FLOAT64 || x.l->ndim == 0 || x.l->size >= MANY || !x.l->contiguous || x.array->place.readonly)
		return NULL;
	int64_t shape[WEFT_NEAR], count = x.l->size;
	memcpy(shape, x.l->shape, sizeof shape);
	PyObject *made = own(about, kind, self, NULL, 0, x.l->ndim, shape, count);
	int done = made && PyObject_SetItem(out, Py_Ellipsis, made) == 0;
	Py_XDECREF(made);
	return done ? Py_NewRef(out) : NULL;
}

// reordered is permuted(x, *, axis=None, out=None) of few elements: NumPy's own generator gets a copy of x, as that is what it changes where there is no out. NULL
// without exception where the general function has to.
static PyObject *reordered(PyObject *about, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *with[2] = {n == 1 ? args[0] : NULL, NULL}, *out = NULL, *rest = NULL, *made = NULL;
	for (Py_ssize_t k = 0; n == 1 && names && k < PyTuple_Size(names); k++) {
		PyObject *name = PyTuple_GetItem(names, k);
		if (name != out_name && rest)
			return NULL;
		*(name == out_name ? &out : &with[1]) = args[1 + k];
		rest = name == out_name ? rest : name;
	}
	out = out == Py_None ? NULL : out;
	weft_few x;
	if (n != 1 || !weft_fits_of(args[0], 0, &x))
		return NULL;
	const weft_layout *l = out && Py_TYPE(out) == weft_array_type ? weft_layout_of((weft_array *)out) : NULL;
	if (out && (!l || !l->contiguous || ((weft_array *)out)->place.readonly || x.l->dtype != l->dtype || x.l->ndim != l->ndim || memcmp(x.l->shape, l->shape, (size_t)l->ndim * sizeof *l->shape)))
		return NULL;
	if (!rest)
		made = weft_permuted(self, args[0]);
	if (!made && !PyErr_Occurred()) {
		PyObject *left = rest ? PyTuple_Pack(1, rest) : NULL;
		made = by_twin(about, REORDERS, self, with, 1, left);
		Py_XDECREF(left);
	}
	if (made && out && PyObject_SetItem(out, Py_Ellipsis, made) < 0)
		Py_CLEAR(made);
	if (made && out)
		weft_set(&made, Py_NewRef(out));
	return made;
}

PyObject *weft_cut_draw(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	ENTER(NULL)
	if (!PyTuple_CheckExact(about) || PyTuple_Size(about) != TOLD || weft_ensure_started() < 0)
		return NULL;
	PyObject *self = PyTuple_GetItem(about, INSTANCE);
	if (self == Py_None) {
		if (n < 1)
			return NULL;
		self = args[0];
		args++;
		n--;
	}
	if (!PyObject_TypeCheck(self, (PyTypeObject *)PyTuple_GetItem(about, OF_CLASS)))
		return NULL;
	Py_ssize_t named = names ? PyTuple_Size(names) : 0, at = PyLong_AsSsize_t(PyTuple_GetItem(about, SIZE_AT)), before = at == DIMENSIONS ? 0 : n < at ? n : at;
	PyObject *size = at >= 0 && n > at ? args[at] : Py_None;
	int sized = named == 0 && (n <= at + 1 || at == DIMENSIONS), kind = (int)PyLong_AsLong(PyTuple_GetItem(about, KIND)); // nothing is said but parameters and the size
	PyObject *out = kind == FLOATS || kind == STANDARD_NORMAL || kind == STANDARD_EXPONENTIAL ? n == 0 ? given_out(args, n, names) : NULL : NULL;
	if (out)
		return into(about, kind, self, out);
	int arrays = 0; // among the parameters: so is what is drawn
	for (Py_ssize_t i = 0; i < n + named && kind < BY_TWIN; i++) {
		if (Py_TYPE(args[i]) == weft_array_type || PyList_CheckExact(args[i]))
			arrays = 1;
		else if (!plain(args[i]))
			return NULL;
	}
	for (Py_ssize_t k = 0; k < named; k++)
		if (PyTuple_GetItem(names, k) == size_name) {
			size = args[n + k];
			sized = named == 1 && n <= at;
		}
	int64_t shape[WEFT_NEAR], count = 1;
	int ndim = at == DIMENSIONS ? read_extents(args, n, shape, &count) : size == Py_None ? 0 : read_size(size, shape, &count);
	if (ndim < 0)
		return NULL;
	if (kind >= BY_TWIN) {
		int64_t items = n > 0 && at == WHOLE && PyLong_CheckExact(args[0]) ? PyLong_AsLongLong(args[0]) : count; // a permutation of as many
		PyErr_Clear(); // an int that is too large
		int legacy = is_legacy(about);
		if (items < 0 || items >= MANY)
			return NULL;
		PyObject *made = NULL;
		if (n == 1 && named == 0 && kind == SHUFFLES)
			made = weft_shuffled(self, args[0]);
		else if (n == 1 && named == 0 && kind == PERMUTES)
			made = weft_permuted(self, args[0]);
		else if (kind == REORDERS)
			return reordered(about, self, args, n, names);
		else if (kind == CHOOSES && n > 0 && sized && (ndim || size == Py_None))
			made = weft_chosen(self, legacy, args[0], ndim, shape, count);
		return made || PyErr_Occurred() ? made : by_twin(about, kind, self, args, n, names);
	}
	if (arrays)
		return count >= MANY ? NULL : is_legacy(about) ? by_itself(about, self, args, n, names) : by_twin(about, kind, self, args, n, names);
	PyObject *with[2], *const *parameters = args;
	if (kind != BY_NUMPY && !sized && named > 0 && n <= at && n <= 2 && (before = named_parameters(kind, args, n, names, with)) >= 0) {
		parameters = with;
		sized = 1;
	}
	if (kind != BY_NUMPY && sized && (ndim || size == Py_None)) { // an empty shape gives an array
		PyObject *made = own(about, kind, self, parameters, before, ndim, shape, count);
		if (made || PyErr_Occurred())
			return made;
	}
	if (count >= MANY)
		return NULL;
	return by_numpy(about, self, args, n, names, count);
}

int weft_init_draws(void)
{
	if (!(size_name = PyUnicode_InternFromString("size")) || !(out_name = PyUnicode_InternFromString("out")))
		return -1;
	return weft_init_sources();
}
