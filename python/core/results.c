//go:build extension

// Where results of few elements go, and how they are cast: out=, where=, dtype= and casting= of ufuncs, and out= of what the eager tier answers (answers.c).
#include "shim.h"
#include "table.h"
#include <string.h>

int weft_usual(PyObject *const *args, Py_ssize_t n, Py_ssize_t nones)
{
	for (Py_ssize_t i = 0; i < n; i++)
		if (args[i] != weft_no_value && !(args[i] == Py_None && i < nones) && args[i] != Py_False)
			return 0;
	return 1;
}

int weft_answers(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	if (f->masked && f->masked < n && args[f->masked] == Py_False) // which chooses no element
		return 0;
	return weft_usual(args + f->few->first, n - f->few->first, f->few->nones);
}

// may_become says whether NumPy casts elements of a dtype to another for an operation: casting="same_kind".
static int may_become(int from, int to)
{
	enum { BOOL = 1, SIGNED = 2, UNSIGNED = 6, FLOAT = 10, COMPLEX = 13 }; // the first tile.DType of each kind
	static const int rank[] = {0, 2, 1, 3, 4};
	int a = (from >= SIGNED) + (from >= UNSIGNED) + (from >= FLOAT) + (from >= COMPLEX), b = (to >= SIGNED) + (to >= UNSIGNED) + (to >= FLOAT) + (to >= COMPLEX);
	return rank[a] <= rank[b];
}

PyObject *weft_written(PyObject *made, PyObject *out, int unsafe)
{
	enum { FIRST_COMPLEX = 13 }; // a tile.DType
	const weft_layout *to = Py_TYPE(out) == weft_array_type && !((weft_array *)out)->place.readonly ? weft_layout_of((weft_array *)out) : NULL;
	const weft_layout *l = made && Py_TYPE(made) == weft_array_type ? weft_layout_of((weft_array *)made) : NULL;
	int from = l ? l->dtype : made ? weft_scalar_code(made) : 0;
	int numbers = made && !l && from != (to ? to->dtype : from) && to->dtype < WEFT_FIRST_INEXACT; // one that does not fit is cast, and no error
	int fits = from && to && !numbers && (may_become(from, to->dtype) || (unsafe && from < FIRST_COMPLEX)) && (!l || l->ndim <= to->ndim);
	for (int i = 1; l && fits && i <= l->ndim; i++)
		fits = l->shape[l->ndim - i] == to->shape[to->ndim - i] || l->shape[l->ndim - i] == 1;
	fits = fits && weft_assigned(out, Py_Ellipsis, made) == 0;
	Py_XDECREF(made);
	return fits ? Py_NewRef(out) : NULL;
}

// chosen is an operand, broadcast to the shape of a mask, where that holds; NULL without an exception where it does not fit.
static PyObject *chosen(PyObject *o, PyObject *mask)
{
	const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL, *m = weft_layout_of((weft_array *)mask);
	weft_layout wide;
	if (!l)
		return Py_NewRef(o);
	if (!m || l->ndim > m->ndim)
		return NULL;
	weft_lay(&wide, l->dtype, m->ndim, m->shape);
	int lead = m->ndim - l->ndim, same = lead == 0;
	for (int i = 0; i < m->ndim; i++) {
		int64_t own = i < lead ? 1 : l->shape[i - lead];
		if (own != m->shape[i] && own != 1)
			return NULL;
		same = same && own == m->shape[i];
		wide.strides[i] = own == 1 ? 0 : l->strides[i - lead];
	}
	if (same)
		return weft_few_pick(o, mask);
	wide.contiguous = weft_is_contiguous(&wide);
	PyObject *all = weft_view_of((weft_array *)o, &wide, ((weft_array *)o)->place.offset), *made = all ? weft_few_pick(all, mask) : NULL;
	Py_XDECREF(all);
	return made;
}

// look_again notes what went wrong where a mask holds, instead of everywhere.
static void look_again(int ufunc, PyObject *x, PyObject *y, PyObject *mask, int before)
{
	if (weft_wrongs == before)
		return;
	weft_wrongs = before;
	PyObject *a = chosen(x, mask), *b = a && y ? chosen(y, mask) : NULL, *made = a && (b || !y) ? weft_eager_ufunc(ufunc, a, b) : NULL;
	Py_XDECREF(a);
	Py_XDECREF(b);
	Py_XDECREF(made);
}

// cast_into writes what a ufunc made into an array of another dtype: NumPy's ufunc casts as it goes, so that it is the one which tells of that.
static PyObject *cast_into(int ufunc, int before, PyObject *made, PyObject *out, int unsafe)
{
	int from = weft_floating_merge(before, weft_floatings[ufunc].name); // numbers are cast before, which NumPy tells by itself
	PyObject *done = weft_written(made, out, unsafe);
	if (done)
		weft_floating_join(from, weft_floatings[ufunc].name);
	else
		weft_wrongs = before; // of what is computed otherwise
	return done;
}

// cast_where casts what a mask chooses, and writes it.
static int cast_where(PyObject *made, PyObject *out, PyObject *where, int unsafe)
{
	enum { FIRST_COMPLEX = 13 }; // a tile.DType
	const weft_layout *from = weft_layout_of((weft_array *)made), *to = weft_layout_of((weft_array *)out), *m = weft_layout_of((weft_array *)where);
	if (!from || !to || !m || ((weft_array *)out)->place.readonly || (!may_become(from->dtype, to->dtype) && !(unsafe && from->dtype < FIRST_COMPLEX)) || m->dtype != WEFT_BOOL_DTYPE)
		return 0;
	for (const weft_layout *l = from; l; l = l == from ? to : NULL)
		if (l->ndim != m->ndim || memcmp(l->shape, m->shape, (size_t)m->ndim * sizeof *m->shape))
			return 0;
	PyObject *values = weft_few_pick(made, where), *cast = values ? weft_few_astype(0, (PyObject *[]){values, weft_dtype_object(to->dtype)}) : NULL;
	int done = cast && weft_few_put(out, where, cast);
	Py_XDECREF(values);
	Py_XDECREF(cast);
	return done;
}

// of_memory says whether an operand may share memory with a result. NumPy copies such a result, with a cast, and all of it back.
static int of_memory(PyObject *x, PyObject *out) { return Py_TYPE(x) == weft_array_type && ((weft_array *)x)->place.memory == ((weft_array *)out)->place.memory; }

// masked writes what a ufunc makes into an array, where a mask holds.
static PyObject *masked(int ufunc, PyObject *x, PyObject *y, PyObject *out, PyObject *where, int unsafe)
{
	int before = weft_wrongs, from = before, done = 0;
	PyObject *made = weft_eager_ufunc(ufunc, x, y);
	if (made) {
		look_again(ufunc, x, y, where, before);
		from = weft_floating_merge(before, weft_floatings[ufunc].name); // numbers are cast before, which NumPy tells by itself
	}
	if (made && Py_TYPE(made) == weft_array_type && ((weft_array *)made)->at.dtype != ((weft_array *)out)->at.dtype) {
		done = !of_memory(x, out) && !(y && of_memory(y, out)) && cast_where(made, out, where, unsafe);
	} else if (made) {
		PyObject *put = weft_few_putmask(0, (PyObject *[]){out, where, made});
		done = put != NULL;
		Py_XDECREF(put);
	}
	Py_XDECREF(made);
	if (done)
		weft_floating_join(from, weft_floatings[ufunc].name);
	else
		weft_wrongs = before; // of what is computed otherwise
	return done ? Py_NewRef(out) : NULL;
}

PyObject *weft_ufunc_of_few(const weft_row *f, PyObject *const *args, PyObject *out, PyObject *where)
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
		int before = weft_wrongs;
		PyObject *made = out ? weft_eager_into(ufunc, args[0], with, out) : weft_eager_ufunc(ufunc, args[0], with);
		if (made || !out || PyErr_Occurred() || Py_TYPE(out) != weft_array_type)
			return made;
		return cast_into(ufunc, before, weft_eager_ufunc(ufunc, args[0], with), out, 0);
	}
	return masked(ufunc, args[0], with, out, where, 0);
}

static int says(PyObject *o, const char *text) { return PyUnicode_CheckExact(o) && PyUnicode_CompareWithASCIIString(o, text) == 0; }

// of_dtype computes a ufunc in a dtype that is asked for: its operands are cast first. Those whose results are bools have operands of another one.
static PyObject *of_dtype(const weft_row *f, PyObject *const *args, PyObject *dtype, PyObject *out)
{
	int to = weft_dtype_of_few(dtype);
	if (to < 0)
		return NULL;
	const weft_recipe *r = to > WEFT_BOOL_DTYPE && f->number != weft_operators[OP_POWER] ? weft_recipe_of(f->number, to, f->operands == 2 ? to : 0) : NULL;
	PyObject *with[2] = {NULL, NULL}, *made = NULL;
	int ready = r && r->result == to, before = weft_wrongs, vectors = 1;
	if (to == WEFT_BOOL_DTYPE && !out) { // which the result may have anyway
		made = weft_ufunc_of_few(f, args, NULL, NULL);
		if (made && (Py_TYPE(made) != weft_array_type || ((weft_array *)made)->at.dtype != to))
			Py_CLEAR(made);
		return made;
	}
	for (int i = 0; ready && i < f->operands; i++) {
		const weft_layout *l = Py_TYPE(args[i]) == weft_array_type ? weft_layout_of((weft_array *)args[i]) : NULL;
		int is_number = f->operands == 2 && ((PyFloat_CheckExact(args[i]) && to >= WEFT_FIRST_INEXACT) || PyLong_CheckExact(args[i]) || weft_scalar_code(args[i]) == to);
		with[i] = l && l->dtype != to && may_become(l->dtype, to) ? weft_few_astype(0, (PyObject *[]){args[i], dtype}) : is_number || (l && l->dtype == to) ? Py_NewRef(args[i]) : NULL;
		ready = with[i] != NULL;
		vectors &= !l || l->ndim == 1;
		ready = ready && !(l && l->dtype != to && l->ndim > 1 && !weft_falls(l, 0)); // of which a copy, which lies as Fortran's do, has other results: see together in eager.c
	}
	if (ready)
		made = weft_ufunc_of_few(f, with, out, NULL);
	if (made && !vectors)
		weft_floating_join(before, weft_floatings[f->number].name); // NumPy casts those as it goes, and vectors before
	if (!made)
		weft_wrongs = before;
	if (made && !out && (Py_TYPE(made) == weft_array_type ? ((weft_array *)made)->at.dtype : weft_scalar_code(made)) != to)
		Py_CLEAR(made); // a number that is no such, which NumPy refuses
	Py_XDECREF(with[0]);
	Py_XDECREF(with[1]);
	return made;
}

// is_uncast says whether operands are arrays of the dtype that the function computes in, and nothing is said of results.
static int is_uncast(const weft_row *f, PyObject *const *args, PyObject *const *more)
{
	int dtype = 0;
	for (int i = 0; i < f->operands; i++) {
		const weft_layout *l = Py_TYPE(args[i]) == weft_array_type ? weft_layout_of((weft_array *)args[i]) : NULL;
		if (!l || (dtype && l->dtype != dtype))
			return 0;
		dtype = l->dtype;
	}
	const weft_recipe *r = weft_recipe_of(f->number, dtype, f->operands == 2 ? dtype : 0);
	return r && r->result == dtype && weft_usual(more, 1, 1) && (more[4] == weft_no_value || more[4] == Py_None);
}

static int alike(const weft_layout *a, const weft_layout *b) { return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0; }

// steps_along says whether an operand has steps along all axes of a result, so that a mask makes no difference to an order that is C's.
static int steps_along(PyObject *o, const weft_layout *made)
{
	const weft_layout *l = Py_TYPE(o) == weft_array_type ? weft_layout_of((weft_array *)o) : NULL;
	int all = l && alike(l, made);
	for (int axis = 0; all && axis < l->ndim; axis++)
		all = l->strides[axis] != 0 || l->shape[axis] == 1;
	return all;
}

// lies_so says whether a new result lies as NumPy has it that looks at a mask, too, for the order of its axes: C's, or that of both where each axis tells which. Without a mask
// it takes over from one operand even where an axis of one element lies. Of axes that no operand has steps along, as they are broadcast, the mask alone tells the order.
static int lies_so(const weft_layout *made, const weft_layout *mask, PyObject *const *operands, int n)
{
	int64_t size = weft_sizes[made->dtype], step = size;
	int as_c = weft_falls(mask, 0) || steps_along(operands[0], made) || (n == 2 && steps_along(operands[1], made)), as_mask = 1;
	for (int axis = made->ndim - 1; axis >= 0; axis--) {
		as_c &= made->strides[axis] == step;
		as_mask &= made->shape[axis] > 1 && made->strides[axis] == mask->strides[axis] * size;
		step *= made->shape[axis];
	}
	return as_c || as_mask;
}

// weft_ufunc_of_options computes a ufunc that is given options behind where=, of few elements: how results are cast makes no difference where they have the dtype in any case.
PyObject *weft_ufunc_of_options(const weft_row *f, PyObject *const *args)
{
	PyObject *const *more = args + f->operands; // out, where, casting, order, dtype, subok, signature
	if (more[2] != weft_no_value && !says(more[2], "same_kind") && !says(more[2], "unsafe") && !(is_uncast(f, args, more) && (says(more[2], "safe") || says(more[2], "equiv") || says(more[2], "no"))))
		return NULL;
	if ((more[3] != weft_no_value && !says(more[3], "K")) || (more[5] != weft_no_value && !PyBool_Check(more[5])) || (more[6] != weft_no_value && more[6] != Py_None))
		return NULL;
	int typed = more[4] != weft_no_value && more[4] != Py_None, everywhere = more[1] == weft_no_value || more[1] == Py_True;
	PyObject *out = weft_usual(more, 1, 1) ? NULL : more[0];
	if (typed)
		return everywhere ? of_dtype(f, args, more[4], out) : NULL;
	int before = weft_wrongs;
	if (everywhere && out && says(more[2], "unsafe"))
		return cast_into(f->number, before, weft_ufunc_of_few(f, args, NULL, NULL), out, 1);
	if (everywhere)
		return weft_ufunc_of_few(f, args, out, NULL);
	if (Py_TYPE(more[1]) != weft_array_type || (out && Py_TYPE(out) != weft_array_type))
		return NULL;
	if (out)
		return says(more[2], "unsafe") && f->number != weft_operators[OP_POWER] ? masked(f->number, args[0], f->operands == 2 ? args[1] : NULL, out, more[1], 1) : weft_ufunc_of_few(f, args, out, more[1]);
	const weft_layout *l = Py_TYPE(args[0]) == weft_array_type ? weft_layout_of((weft_array *)args[0]) : NULL, *m = weft_layout_of((weft_array *)more[1]);
	if (!l || !m || m->dtype != WEFT_BOOL_DTYPE || !alike(m, l))
		return NULL;
	PyObject *made = weft_ufunc_of_few(f, args, NULL, NULL); // where it does not hold, the elements may be any
	const weft_layout *to = made && Py_TYPE(made) == weft_array_type ? weft_layout_of((weft_array *)made) : NULL;
	if (to && !(alike(to, m) && lies_so(to, m, args, f->operands))) {
		weft_wrongs = before; // of what NumPy does, it tells itself
		Py_CLEAR(made);
	}
	if (made)
		look_again(f->number, args[0], f->operands == 2 ? args[1] : NULL, more[1], before);
	return made;
}

// weft_answer_into answers a call of which the result is to be written into an array: where that is like the result, as a copy.
PyObject *weft_answer_into(const weft_row *f, PyObject *const *args, Py_ssize_t n)
{
	PyObject *with[24], *made = NULL;
	Py_ssize_t at = 1;
	int before = weft_wrongs;
	while (at < n && f->roles[at] != 'o') // what stands first is changed by the function, and no result
		at++;
	if (at >= n || n > 24 || Py_TYPE(args[at]) != weft_array_type || ((weft_array *)args[at])->place.readonly)
		return NULL;
	memcpy(with, args, (size_t)n * sizeof *args);
	with[at] = Py_None;
	if (weft_answers(f, with, n))
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
	else if (f->promotes && to && Py_TYPE(args[0]) == weft_array_type) { // what is added up has the dtype that operand and result have together
		const weft_layout *of = weft_layout_of((weft_array *)args[0]);
		if (of && weft_promoted(of->dtype, to->dtype) == (l ? l->dtype : weft_scalar_code(made)) && (l ? l->ndim : 0) == to->ndim &&
			(!l || memcmp(l->shape, to->shape, (size_t)l->ndim * sizeof *l->shape) == 0))
			done = weft_written(Py_NewRef(made), args[at], 0);
	}
	Py_DECREF(made);
	Py_XDECREF(done);
	if (!done)
		weft_wrongs = before; // of what is computed otherwise
	return done ? Py_NewRef(args[at]) : NULL;
}

// holds says whether a ufunc's result may be written into an array: what each operand is broadcast to fits.
static int holds(const weft_layout *out, PyObject *const *args, Py_ssize_t n)
{
	int fits = out != NULL;
	for (Py_ssize_t i = 0; i < n && fits; i++) {
		const weft_layout *l = Py_TYPE(args[i]) == weft_array_type ? weft_layout_of((weft_array *)args[i]) : NULL;
		fits = !l || l->ndim <= out->ndim;
		for (int k = 1; l && fits && k <= l->ndim; k++)
			fits = l->shape[l->ndim - k] == 1 || l->shape[l->ndim - k] == out->shape[out->ndim - k];
	}
	return fits;
}

// of_out is the array that a ufunc is to write its result into, where nothing else is said; NULL of other calls.
static PyObject *of_out(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	Py_ssize_t named = names ? PyTuple_Size(names) : 0;
	if (d->results != 1 || !d->reads || n + named != d->reads + 1 || named > 1 || (named && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "out")))
		return NULL;
	PyObject *out = args[d->reads];
	return Py_TYPE(out) == weft_array_type && holds(weft_layout_of((weft_array *)out), args, d->reads) ? out : NULL; // else NumPy says what is wrong before it computes
}

PyObject *weft_delegated(const weft_delegate *d, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	PyObject *others = weft_eager ? weft_of_others(d, args, n, names, 0) : NULL, *out = NULL;
	if (others || PyErr_Occurred())
		return others;
	out = of_out(d, args, n, names);
	if (!out)
		return weft_ask_numpy(d, args, n, names);
	PyObject *made = weft_written(weft_ask_numpy(d, args, d->reads, NULL), out, 0);
	if (!made && PyErr_Occurred() && weft_is_about_arguments())
		PyErr_Clear(); // NumPy, called with out=, has other words for some
	return made;
}
