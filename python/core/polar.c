//go:build extension

// Normals of the legacy generators, with NumPy's bits: by Marsaglia's polar method, which gives two, of which the second is kept for the next draw in NumPy's own object.
//
// Where it lies (source.c) is tried, once, with generators of one seed, one of which NumPy draws from.
#include "shim.h"
#include "draw.h"
#include <math.h>
#include <string.h>

enum { FLOAT64 = 12 }; // a tile.DType

static double normal(const bitgen *b, int *has, double *spare)
{
	if (*has) {
		double kept = *spare;
		*has = 0;
		*spare = 0;
		return kept;
	}
	double x, y, r;
	do {
		x = 2.0 * b->next_double(b->state) - 1.0;
		y = 2.0 * b->next_double(b->state) - 1.0;
		r = x * x + y * y;
	} while (r >= 1.0 || r == 0.0);
	double f = sqrt(-2.0 * log(r) / r);
	*spare = f * x;
	*has = 1;
	return f * y;
}

// tried says whether a generator of a seed gives what another of this seed gives by NumPy, and keeps what that keeps.
static int tried(PyObject *class)
{
	enum { DRAWS = 64, SEED = 5 };
	PyObject *one = PyObject_CallFunction(class, "i", SEED), *other = one ? PyObject_CallFunction(class, "i", SEED) : NULL;
	weft_source *s = other ? weft_source_of(one) : NULL, *t = s ? weft_source_of(other) : NULL;
	int same = t && s->spare && t->spare;
	for (int i = 0; same && i < DRAWS; i++) {
		double mine = normal(s->b, s->has_spare, s->spare);
		PyObject *drawn = PyObject_CallMethod(other, "standard_normal", NULL);
		double want = drawn ? PyFloat_AsDouble(drawn) : 0;
		Py_XDECREF(drawn);
		same = drawn && memcmp(&mine, &want, sizeof mine) == 0 && *s->has_spare == *t->has_spare && memcmp(s->spare, t->spare, sizeof mine) == 0;
	}
	if (PyErr_Occurred())
		weft_interrupted();
	Py_XDECREF((PyObject *)s);
	Py_XDECREF((PyObject *)t);
	Py_XDECREF(one);
	Py_XDECREF(other);
	return same;
}

PyObject *weft_polar(PyObject *self, PyObject *class, double low, double scale, int standard, int ndim, const int64_t *shape, int64_t count)
{
	static int known; // 1 where it is, -1 where it is not
	if (known == 0)
		known = tried(class) ? 1 : -1;
	weft_source *s = known > 0 ? weft_source_of(self) : NULL;
	weft_array *made = s && s->spare && ndim ? weft_new_packed(FLOAT64, ndim, shape) : NULL;
	double one, *to = made ? (double *)made->bytes : &one;
	PyObject *result = NULL;
	if (s && s->spare && (made || !ndim) && weft_called(s->acquire) == 0) {
		for (int64_t i = 0; i < count; i++) {
			volatile double product = normal(s->b, s->has_spare, s->spare);
			if (!standard) {
				product = scale * product;
				product = low + product;
			}
			to[i] = product;
		}
		if (weft_called(s->release) == 0)
			result = made ? Py_NewRef((PyObject *)made) : PyFloat_FromDouble(one);
	}
	Py_XDECREF((PyObject *)made);
	Py_XDECREF((PyObject *)s);
	return result;
}
