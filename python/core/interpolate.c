//go:build extension

// interp at few places, between any number of points: the polygon is read where it lies.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/routines/interpolate.h"

enum { FLOAT64 = 12 }; // a tile.DType

static _Alignas(64) double places[WEFT_SMALL_MOST], xs[WEFT_SMALL_MOST], ys[WEFT_SMALL_MOST];

// floats is an argument as floats that lie side by side.
typedef struct {
	weft_few few;   // whose array is NULL where it is a number or a list of numbers
	int64_t n;
	double *copy;   // where it is no array of floats; has WEFT_SMALL_MOST elements
	const double *at; // copy, or NULL, which is the array's memory
} floats;

static int number(PyObject *o, double *to)
{
	weft_value v;
	if (!weft_number(o, &v))
		return 0;
	*to = v.kind == WEFT_FLOAT ? v.re : (double)v.i;
	return 1;
}

// read_list copies a list or tuple of numbers.
static int read_list(PyObject *o, floats *x)
{
	int list = PyList_CheckExact(o);
	if (!list && !PyTuple_CheckExact(o))
		return 0;
	x->n = list ? PyList_Size(o) : PyTuple_Size(o);
	if (x->n == 0 || x->n > WEFT_SMALL_MOST)
		return 0;
	for (int64_t i = 0; i < x->n; i++)
		if (!number(list ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), &x->copy[i]))
			return 0;
	return 1;
}

// take_in reads an argument; 0 where the general function has to. few says that it has few elements, with any axes; otherwise it has
// one axis.
static int take_in(PyObject *o, int few, double *copy, floats *x)
{
	*x = (floats){.copy = copy, .at = copy};
	if (Py_TYPE(o) != weft_array_type)
		return read_list(o, x);
	if (few ? !weft_few_of(o, 0, &x->few) : !weft_any_of(o, &x->few) || x->few.l->ndim != 1)
		return 0;
	const weft_layout *l = x->few.l;
	x->n = l->size;
	if (l->dtype == FLOAT64 && l->contiguous)
		x->at = NULL;
	else if (l->dtype > FLOAT64 || l->size > WEFT_SMALL_MOST || !(x->at = (double *)weft_few_packed(&x->few, FLOAT64, (char *)copy)))
		return 0;
	return 1;
}

// lies returns where the floats of an argument are, after all arguments have been read: to look at one may have shut another.
static const double *lies(const floats *x) { return x->at ? x->at : (const double *)weft_data(x->few.array); }

// interp(x, xp, fp, left=None, right=None, period=None)
PyObject *weft_few_interp(int kind, PyObject *const *args)
{
	(void)kind;
	floats at, x, y;
	int one = number(args[0], places);
	if (!weft_eager || args[5] != Py_None || (!one && !take_in(args[0], 1, places, &at)) || !take_in(args[1], 0, xs, &x) || !take_in(args[2], 0, ys, &y) || x.n != y.n)
		return NULL;
	const double *from = one ? places : lies(&at), *of = lies(&x), *to = lies(&y);
	if (!from || !of || !to)
		return NULL;
	double left = to[0], right = to[y.n - 1];
	if ((args[3] != Py_None && !number(args[3], &left)) || (args[4] != Py_None && !number(args[4], &right)))
		return NULL;
	PyObject *made;
	if (one || (at.few.array && at.few.l->ndim == 0)) { // of which NumPy makes a scalar
		double value;
		weft_interpolate(of, to, x.n, left, right, 1, from, &value);
		made = weft_scalar_at(&value, FLOAT64);
	} else {
		weft_array *a = at.few.array ? weft_new_packed(FLOAT64, at.few.l->ndim, at.few.l->shape) : weft_new_packed(FLOAT64, 1, &at.n);
		if (a)
			weft_interpolate(of, to, x.n, left, right, at.n, from, (double *)a->bytes);
		made = (PyObject *)a;
	}
	if (made)
		weft_note_made(WEFT_NOTE_INTERP, made, FLOAT64, x.few.array, y.few.array);
	return made;
}
