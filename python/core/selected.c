//go:build extension

// Reductions of few elements that where= chooses, and those that begin with initial=: as the text of _compiled.py has them, which many elements are computed by. The
// elements that are not chosen become neutral ones, or the initial value.
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include "../../cpu/eager/floating.h"
#include <math.h>
#include <string.h>

enum { INT64 = 5, FLOAT64 = 12 }; // tile.DTypes

// begins says whether a number is an initial value for elements of a dtype as it stands.
static int begins(int kind, int dtype, PyObject *initial)
{
	weft_value v;
	if (!(dtype == FLOAT64 ? PyFloat_CheckExact(initial) || PyLong_CheckExact(initial) : dtype == INT64 && PyLong_CheckExact(initial)) || !weft_number(initial, &v))
		return 0;
	if (kind == WEFT_SUM || kind == WEFT_PROD)
		return dtype == FLOAT64 && !(kind == WEFT_SUM && v.kind == WEFT_FLOAT && v.re == 0 && signbit(v.re));
	return kind == WEFT_MIN || kind == WEFT_MAX;
}

// neutral is what takes the place of an element that is not chosen.
static PyObject *neutral(int kind, int dtype, PyObject *initial)
{
	char one[16] = {0};
	if (kind == WEFT_MIN || kind == WEFT_MAX)
		return initial == weft_no_value ? NULL : dtype == FLOAT64 && PyLong_CheckExact(initial) ? PyNumber_Float(initial) : Py_NewRef(initial);
	return weft_write(&(weft_value){.kind = WEFT_INT, .i = kind == WEFT_PROD || kind == WEFT_ALL}, dtype, one) ? weft_scalar_at(one, dtype) : NULL;
}

// combined is volatile, so that it is computed between what lowers the processor's flags and what reads them.
static double combined(int kind, double a, double b)
{
	eager_lower();
	volatile double c = kind == WEFT_SUM ? a + b : a * b;
	weft_floating_note("reduce", eager_raised());
	return c;
}

// further combines a result with the initial value.
static PyObject *further(int kind, PyObject *made, PyObject *initial)
{
	static const char *const names[WEFT_FOLDS] = {[WEFT_SUM] = "add", [WEFT_PROD] = "multiply", [WEFT_MIN] = "minimum", [WEFT_MAX] = "maximum"};
	static int ufuncs[WEFT_FOLDS]; // 0 until they are asked for
	if (!ufuncs[kind])
		ufuncs[kind] = goUfunc((char *)names[kind]);
	if (Py_TYPE(made) == weft_array_type)
		return weft_eager_ufunc(ufuncs[kind], made, initial);
	weft_value r, v;
	if (!weft_read_scalar(made, &r) || !weft_number(initial, &v))
		return NULL;
	if (r.kind == WEFT_INT) {
		int64_t least = r.i < v.i ? r.i : v.i, most = r.i < v.i ? v.i : r.i;
		return weft_scalar_at(kind == WEFT_MIN ? &least : &most, INT64);
	}
	double a = r.re, b = v.kind == WEFT_FLOAT ? v.re : (double)v.i, c = 0;
	if (kind == WEFT_SUM || kind == WEFT_PROD)
		c = combined(kind, a, b);
	if (kind == WEFT_MIN || kind == WEFT_MAX) {
		if (a != a || b != b || a == b) // of which of two zeros, the general function knows
			return NULL;
		c = (kind == WEFT_MIN) == (a < b) ? a : b;
	}
	return weft_scalar_at(&c, FLOAT64);
}

// mean is that of the chosen elements, of floats alone.
static PyObject *mean(PyObject *array, PyObject *where)
{
	PyObject *total = weft_few_selected(WEFT_SUM, array, Py_None, 0, weft_no_value, where);
	PyObject *count = total ? weft_eager_fold(WEFT_SUM, where, Py_None, 0) : NULL, *made = NULL;
	weft_value n;
	if (count && weft_read_scalar(count, &n) && n.i > 0)
		made = PyNumber_TrueDivide(total, count);
	Py_XDECREF(total);
	Py_XDECREF(count);
	return made;
}

// alone is the initial value as an element.
static PyObject *alone(int dtype, PyObject *initial)
{
	char one[16];
	weft_value v;
	return weft_number(initial, &v) && weft_write(&v, dtype, one) ? weft_scalar_at(one, dtype) : NULL;
}

PyObject *weft_few_selected(int kind, PyObject *array, PyObject *axis, int keeps, PyObject *initial, PyObject *where)
{
	const weft_layout *l = Py_TYPE(array) == weft_array_type && weft_eager ? weft_layout_of((weft_array *)array) : NULL;
	int selects = where != weft_no_value && where != Py_True, starts = initial != weft_no_value;
	if (!l || l->ndim == 0 || (starts && !begins(kind, l->dtype, initial)) || (l->size == 0 && (selects || axis != Py_None || keeps)))
		return NULL;
	if (selects) {
		const weft_layout *m = Py_TYPE(where) == weft_array_type ? weft_layout_of((weft_array *)where) : NULL;
		if (!m || m->dtype != WEFT_BOOL_DTYPE || m->ndim != l->ndim || memcmp(m->shape, l->shape, (size_t)l->ndim * sizeof *l->shape))
			return NULL;
	}
	if (kind == WEFT_MEAN)
		return selects && axis == Py_None && !keeps && l->dtype == FLOAT64 ? mean(array, where) : NULL;
	if (l->size == 0) // then there are extremes of the initial value alone
		return kind == WEFT_MIN || kind == WEFT_MAX ? alone(l->dtype, initial) : NULL;
	PyObject *other = selects ? neutral(kind, l->dtype, initial) : NULL;
	PyObject *of = !selects ? Py_NewRef(array) : other ? weft_few_where(0, (PyObject *[]){where, array, other}) : NULL;
	Py_XDECREF(other);
	PyObject *made = of ? weft_watched_fold(kind, of, axis, keeps) : NULL;
	Py_XDECREF(of);
	if (made && starts) {
		PyObject *all = further(kind, made, initial);
		Py_DECREF(made);
		made = all;
	}
	return made;
}
