//go:build extension

// What went wrong in floating-point operations that were computed at once: divisions by zero, overflows, underflows, and results that are no numbers.
// The processor remembers them, and here is which of that the program is told of. It is noted where it happened and told where the call of the program's ends (weft_told), since
// to warn runs Python code. np.errstate says whether that warns, raises or does nothing: see _errstate.py.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT16 = 10, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 }; // tile.DTypes

int weft_floating_watched = EAGER_DIVIDE | EAGER_OVER | EAGER_INVALID;
weft_floating weft_floatings[WEFT_UFUNCS];
int weft_wrongs;

enum { MOST_WRONGS = 8 };

typedef struct {
	const char *name;
	int flags;
} wrong;

static wrong wrongs[MOST_WRONGS];

// The steps that are under way in this thread: what went wrong in those that were computed at once is told when they end, once.
typedef struct {
	int number;   // 0 for none
	PyObject *of; // the function's name, which the caller holds
	int flags, casts;
} under_way;

static _Thread_local under_way steps;

int weft_floating_name(int ufunc, const char *name)
{
	if (ufunc < 0 || ufunc >= WEFT_UFUNCS || weft_floatings[ufunc].name)
		return 0;
	weft_floating *f = &weft_floatings[ufunc];
	f->name = strdup(name);
	f->rule = (uint8_t)goRule(ufunc);
	f->divides = strcmp(name, "divide") == 0 || strcmp(name, "reciprocal") == 0;
	f->orders = strncmp(name, "less", 4) == 0 || strncmp(name, "greater", 7) == 0;
	f->integral = strcmp(name, "floor_divide") == 0 || strcmp(name, "remainder") == 0 || strcmp(name, "fmod") == 0;
	return f->name ? 0 : -1;
}

void weft_floating_note(const char *name, int flags)
{
	flags &= weft_floating_watched;
	if (flags && name && weft_wrongs < MOST_WRONGS) {
		wrongs[weft_wrongs].name = name;
		wrongs[weft_wrongs++].flags = flags;
	}
}

void weft_floating_rename(int from, const char *name)
{
	for (int i = from; i < weft_wrongs; i++)
		if (strcmp(wrongs[i].name, "cast"))
			wrongs[i].name = name;
}

void weft_floating_join(int from, const char *name)
{
	for (; weft_wrongs > from + 1; weft_wrongs--)
		wrongs[from].flags |= wrongs[weft_wrongs - 1].flags;
	if (weft_wrongs > from)
		wrongs[from].name = name;
}

int weft_floating_merge(int from, const char *name)
{
	int casts = 0, others = 0, n = from;
	for (int i = from; i < weft_wrongs; i++)
		*(strcmp(wrongs[i].name, "cast") ? &others : &casts) |= wrongs[i].flags;
	if (casts)
		wrongs[n++] = (wrong){"cast", casts};
	int first = n;
	if (others)
		wrongs[n++] = (wrong){name, others};
	weft_wrongs = n;
	return first;
}

// whole gives n elements as doubles that are none, infinite or zero where the elements are; NULL without an exception where it cannot.
static double *whole(const weft_floating_operand *o, int64_t n)
{
	int64_t size = weft_sizes[o->dtype];
	double *to = malloc((size_t)n * sizeof *to);
	if (!to)
		return NULL;
	if (o->dtype >= COMPLEX64) {
		for (int64_t i = 0; i < n; i++) {
			const float *f = (const float *)(o->data + i * size);
			const double *d = (const double *)(o->data + i * size);
			double re = o->dtype == COMPLEX64 ? f[0] : d[0], im = o->dtype == COMPLEX64 ? f[1] : d[1];
			re = re < 0 ? -re : re;
			im = im < 0 ? -im : im;
			to[i] = re != re || im != im ? re + im : re > im ? re : im;
		}
		return to;
	}
	if (o->dtype == FLOAT64) {
		memcpy(to, o->data, (size_t)(n * size));
		return to;
	}
	const void *code = weft_conversion_code(o->dtype, FLOAT64);
	char *in[EAGER_INPUTS] = {(char *)o->data};
	if (!code) {
		free(to);
		return NULL;
	}
	eager_map(code, n, (char *)to, in, 0, NULL);
	return to;
}

static int64_t integer_at(const weft_floating_operand *o, int64_t i)
{
	weft_value v = {.i = 0};
	weft_value_at(o->data + (o->one ? 0 : i * weft_sizes[o->dtype]), o->dtype, &v);
	return v.i;
}

// divided is what happened when integers were divided. Few have both the least integer and -1, without which there is no
// quotient that does not fit.
static int divided(int rule, int64_t n, int dtype, const weft_floating_operand *x, const weft_floating_operand *y)
{
	int64_t least = (int64_t)(UINT64_MAX << (8 * weft_sizes[dtype] - 1));
	int64_t a = x->one && n > 0 ? 1 : n, b = y->one && n > 0 ? 1 : n;
	int told = eager_holds(y->dtype, b, y->data, 0) ? EAGER_DIVIDE : 0;
	if (rule != EAGER_QUOTIENTS || dtype > WEFT_LAST_SIGNED || (x->dtype != dtype && !x->one))
		return told;
	if (!eager_holds(x->dtype, a, x->data, least) || !eager_holds(y->dtype, b, y->data, -1))
		return told;
	for (int64_t i = 0; i < n; i++)
		if (integer_at(y, i) == -1 && integer_at(x, i) == least)
			return told | EAGER_OVER;
	return told;
}

void weft_floating_look(int ufunc, int raised, int64_t n, const weft_floating_operand *x, const weft_floating_operand *y, int dtype, const char *out)
{
	const weft_floating *f = &weft_floatings[ufunc];
	if (dtype < FLOAT16) {
		if (f->integral && y && y->dtype && y->dtype < FLOAT16 && x->dtype && eager_indivisible(y->dtype, y->one ? 1 : n, y->data))
			weft_floating_note(f->name, divided(f->rule, n, dtype, x, y));
		return;
	}
	int rule = f->rule, scans = rule == EAGER_POLES || rule == EAGER_POWERS || dtype == FLOAT16, under = weft_floating_watched & EAGER_UNDER;
	if (rule == EAGER_TRUSTED && dtype != FLOAT16) {
		weft_floating_note(f->name, raised);
		return;
	}
	if (dtype < COMPLEX64 && x->dtype >= COMPLEX64) // magnitudes, of which NumPy tells nothing
		return;
	if ((!raised && !scans) || !x->dtype || (y && !y->dtype) || (!(under && raised) && !eager_unusual(dtype, n, out)))
		return;
	if (rule == EAGER_TRUSTED)
		rule = f->divides ? EAGER_DIVISIONS : EAGER_ODD;
	if (rule == EAGER_DIVISIONS && !y) // 1 is finite, as is x where a reciprocal became infinite
		y = x;
	if (rule == EAGER_QUOTIENTS && dtype == FLOAT16) // which are computed in float32, where they are finite
		rule = EAGER_DIVISIONS;
	double least = dtype == FLOAT16 ? 0x1p-14 : dtype == FLOAT32 || dtype == COMPLEX64 ? FLT_MIN : DBL_MIN;
	double *a = whole(x, x->one ? 1 : n), *b = a && y ? whole(y, y->one ? 1 : n) : NULL, *r = a && (b || !y) ? whole(&(weft_floating_operand){dtype, 0, out}, n) : NULL;
	int told = r ? eager_explain(rule, n, a, !x->one, b, y ? !y->one : 0, r, least) : 0;
	if (rule == EAGER_POWERS && dtype >= COMPLEX64 && told & EAGER_INVALID)
		told |= raised & EAGER_OVER; // products that overflowed, whose differences are no numbers
	weft_floating_note(f->name, told);
	free(a);
	free(b);
	free(r);
	eager_lower();
}

void weft_floating_cast(const weft_layout *from, const char *data, int to, const char *out)
{
	int raised = eager_raised();
	if (from->size == 0 || to == WEFT_BOOL_DTYPE || (to < FLOAT16 && from->dtype < FLOAT16))
		return;
	if (to > FLOAT16) {
		weft_floating_note("cast", raised & ~EAGER_INVALID);
		return;
	}
	char *flat = NULL, *halves = NULL;
	if (!from->contiguous) {
		eager_layout e = {from->ndim, from->size, from->shape, from->strides};
		if (!(flat = malloc((size_t)(from->size * weft_sizes[from->dtype]))))
			return;
		eager_pack(weft_sizes[from->dtype], &e, data, flat);
		data = flat;
	}
	const void *code = to == FLOAT16 && !out ? weft_conversion_code(from->dtype, to) : NULL;
	if (code && (out = halves = malloc((size_t)(from->size * weft_sizes[to]))))
		eager_map(code, from->size, halves, (char *[EAGER_INPUTS]){(char *)data}, 0, NULL);
	if (to < FLOAT16) {
		if (eager_beyond(from->dtype, to, from->size, data))
			weft_floating_note("cast", EAGER_INVALID);
	} else if (out && eager_unusual(to, from->size, out)) {
		double *x = whole(&(weft_floating_operand){from->dtype, 0, data}, from->size), *r = x ? whole(&(weft_floating_operand){to, 0, out}, from->size) : NULL;
		if (r)
			weft_floating_note("cast", eager_explain(EAGER_ODD, from->size, x, 1, NULL, 0, r, 0));
		free(x);
		free(r);
	}
	free(halves);
	free(flat);
}

void weft_floating_number(const weft_value *v, int to)
{
	double most = to == FLOAT16 ? 65519.99 : 0x1.ffffffp127; // what rounds to less than infinity
	double d = v->kind == WEFT_FLOAT || v->kind == WEFT_COMPLEX ? v->re : (double)v->i;
	if (to < FLOAT16 && v->dtype >= FLOAT16 && to > WEFT_LAST_SIGNED && !(d > -0x1p31 - 1 && d < 0x1p31)) // NumPy's numbers are cast, Python's are not
		weft_floating_note("cast", EAGER_INVALID);
	if (to < FLOAT16 || to == FLOAT64 || to == COMPLEX128)
		return;
	if ((d - d == 0 && (d >= most || d <= -most)) || (v->kind == WEFT_COMPLEX && v->im - v->im == 0 && (v->im >= most || v->im <= -most)))
		weft_floating_note("cast", EAGER_OVER);
}

void weft_floating_object(PyObject *o, int to)
{
	weft_value v = {.kind = WEFT_COMPLEX};
	if (PyComplex_Check(o)) {
		v.re = PyComplex_RealAsDouble(o);
		v.im = PyComplex_ImagAsDouble(o);
	} else if (!weft_number(o, &v)) {
		return;
	}
	weft_floating_number(&v, to);
}

static PyObject *settings; // a function that returns what NumPy keeps of np.errstate, another object where something else is set; or NULL

typedef struct {
	PyObject *type, *value, *traceback;
} raised;

static int raise_again(void *of)
{
	raised *r = of;
	PyErr_Restore(r->type, r->value, r->traceback);
	free(r);
	return -1;
}

// postpone raises what was raised in code of the package's as soon as the program's own goes on: a signal handler, which may run in any Python code of the
// main thread, meant the program. Exhaustion comes again where it matters.
static void postpone(void)
{
	raised *r = weft_on_main_thread() && !PyErr_ExceptionMatches(PyExc_RecursionError) && !PyErr_ExceptionMatches(PyExc_MemoryError) ? malloc(sizeof *r) : NULL;
	if (!r) {
		PyErr_Clear();
		return;
	}
	PyErr_Fetch(&r->type, &r->value, &r->traceback);
	if (Py_AddPendingCall(raise_again, r) < 0) { // too many are waiting
		raise_again(r);
		PyErr_WriteUnraisable(NULL);
	}
}

void weft_interrupted(void)
{
	if (PyErr_ExceptionMatches(PyExc_Exception))
		PyErr_Clear();
	else
		postpone();
}

enum { KINDS = 4, WARNED = (1 << KINDS) - 1 };
static long flags; // what the settings mean: what the program is warned of, what is ignored, and whether it has a function called, as _errstate.wanted has it

// weft_floating_says says of what the program is to be warned, and what is ignored. NumPy keeps the settings of each thread and task in an object that is not changed:
// what the last one means is known.
uint8_t weft_floating_says(uint8_t *ignored)
{
	static PyObject *last;
	PyObject *now = settings ? PyObject_CallNoArgs(settings) : NULL;
	if (PyErr_Occurred())
		postpone();
	if (now && now == last) {
		Py_DECREF(now);
		*ignored = (uint8_t)(flags >> KINDS & WARNED);
		return (uint8_t)(flags & WARNED);
	}
	PyObject *hook = weft_hook("wanted"), *answer = hook ? PyObject_CallNoArgs(hook) : NULL;
	long means = answer ? PyLong_AsLong(answer) : 0;
	Py_XDECREF(answer);
	if (PyErr_Occurred()) { // which says nothing of the settings
		postpone();
		Py_XDECREF(now);
		*ignored = 0;
		return 0;
	}
	flags = means;
	weft_set(&last, now);
	*ignored = (uint8_t)(means >> KINDS & WARNED);
	return (uint8_t)(means & WARNED);
}

int weft_floating_calls(void)
{
	uint8_t ignored;
	weft_floating_says(&ignored);
	return (int)(flags >> 2 * KINDS);
}

uint8_t weft_floating_wanted(void)
{
	uint8_t ignored;
	return weft_floating_says(&ignored);
}

// warn_of warns by the program's line, as _errstate.floating does: each kind by itself, in NumPy's order.
static int warn_of(const char *name, int flags)
{
	static const struct { int flag; const char *what; } kinds[] = {
		{EAGER_DIVIDE, "divide by zero"}, {EAGER_OVER, "overflow"}, {EAGER_UNDER, "underflow"}, {EAGER_INVALID, "invalid value"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (flags & kinds[i].flag && PyErr_WarnFormat(PyExc_RuntimeWarning, weft_level(), "%s encountered in %s", kinds[i].what, name) < 0)
			return -1;
	return 0;
}

PyObject *weft_floating_tell(PyObject *made)
{
	int n = weft_wrongs;
	wrong noted[MOST_WRONGS]; // as the program's own code runs below, which may note others
	memcpy(noted, wrongs, (size_t)n * sizeof *noted);
	weft_wrongs = 0;
	if (PyErr_Occurred())
		return made;
	for (int i = 0; steps.number && i < n; i++)
		*(strcmp(noted[i].name, "cast") ? &steps.flags : &steps.casts) |= noted[i].flags;
	if (steps.number)
		return made;
	uint8_t ignored = 0, wanted = n ? weft_floating_says(&ignored) : 0;
	PyObject *hook = NULL;
	for (int i = 0; i < n; i++) {
		int flags = noted[i].flags & ~ignored;
		PyObject *done = NULL;
		if (!(flags & ~wanted))
			done = warn_of(noted[i].name, flags) < 0 ? NULL : Py_NewRef(Py_None);
		else if (hook || (hook = weft_hook("floating"))) // errors, calls of the program's and the like
			done = PyObject_CallFunction(hook, "si", noted[i].name, noted[i].flags);
		if (!done) {
			Py_XDECREF(made);
			return NULL;
		}
		Py_DECREF(done);
	}
	if (weft_floating_late && !weft_forked && weft_floating_later() < 0) { // of what was computed so that an array could be opened
		Py_XDECREF(made);
		return NULL;
	}
	return made;
}

int weft_floating_asked; // whether the program has ever asked for more than warnings

int weft_floating_asks(void)
{
	uint8_t ignored, warned = weft_floating_says(&ignored);
	return (warned | ignored) != (EAGER_DIVIDE | EAGER_OVER | EAGER_UNDER | EAGER_INVALID);
}

int weft_floating_vanishing(void)
{
	uint8_t ignored;
	weft_floating_says(&ignored);
	return !(ignored & EAGER_UNDER);
}

volatile int weft_floating_late;
uint8_t weft_floating_telling;
int weft_floating_steps;

uint32_t weft_floating_call;

void weft_floating_tells_of(uint8_t wanted, uint32_t call)
{
	weft_floating_tells(wanted);
	weft_floating_call = call;
}

void weft_floating_tells(uint8_t wanted)
{
	weft_floating_telling = wanted;
	weft_floating_steps = steps.number;
}

// floating_settings(function): what to ask for NumPy's settings.
PyObject *weft_floating_settings(PyObject *self, PyObject *function)
{
	(void)self;
	weft_set(&settings, Py_NewRef(function));
	Py_RETURN_NONE;
}

int weft_floating_later(void)
{
	char *name, *file;
	int line, flags;
	while (goWrong(&name, &file, &line, &flags)) {
		PyObject *hook = weft_hook("later"), *done = hook ? PyObject_CallFunction(hook, "sisi", name, flags, file, line) : NULL;
		free(name);
		free(file);
		if (!done) {
			weft_floating_late = 1; // there may be more
			return -1;
		}
		Py_DECREF(done);
	}
	return 0;
}

// tell_floating(): the program is told what went wrong in what has been computed so far.
PyObject *weft_tell_floating(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	if (!weft_forked && weft_floating_late && weft_floating_later() < 0)
		return NULL;
	Py_RETURN_NONE;
}

// end_steps ends those that are under way, and goes on with what was before them. What went wrong in them is noted by the function's name, or not where something else
// computes what they did.
static void end_steps(under_way before, int given_up)
{
	under_way ended = steps;
	goStepsEnd(ended.number);
	steps = before;
	if (given_up)
		return;
	weft_floating_note("cast", ended.casts);
	weft_floating_note(PyUnicode_AsUTF8AndSize(ended.of, NULL), ended.flags);
}

// within(name, function, *args) is what a function gives, whose operations of this thread are the steps of what the program calls by that name: what goes wrong in them is
// told by it, once. It is one call, so that no interrupt comes between a beginning and the end.
PyObject *weft_within(PyObject *self, PyObject *args)
{
	(void)self;
	PyObject *name = PyTuple_GetItem(args, 0), *function = name ? PyTuple_GetItem(args, 1) : NULL;
	const char *text = function ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
	PyObject *given = text && weft_ensure_started() == 0 ? PyTuple_GetSlice(args, 2, PyTuple_Size(args)) : NULL;
	if (!given)
		return NULL;
	const int watched = !weft_forked;
	under_way before = steps;
	if (watched)
		steps = (under_way){.number = goStepsOf((char *)text), .of = name};
	PyObject *made = PyObject_CallObject(function, given);
	Py_DECREF(given);
	if (watched)
		end_steps(before, !made || made == Py_NotImplemented);
	return made ? weft_told(made) : NULL;
}

// ask_floating(): the program asks for more than warnings from now on, now and then.
PyObject *weft_ask_floating(PyObject *self, PyObject *unused)
{
	(void)self, (void)unused;
	weft_floating_asked = 1;
	Py_RETURN_NONE;
}

// watch_floating(flags): what besides divisions by zero, overflows and invalid operations is looked for from now on.
PyObject *weft_watch_floating(PyObject *self, PyObject *flags)
{
	(void)self;
	long more = PyLong_AsLong(flags);
	if (more == -1 && PyErr_Occurred())
		return NULL;
	weft_floating_watched |= (int)more;
	Py_RETURN_NONE;
}
