//go:build extension

// Orders and choices that NumPy's generators draw: of few elements of a vector, of a list, of the first integers. Each element, from the last on, changes places with
// one that is not behind it.
#include "shim.h"
#include "draw.h"
#include <string.h>

enum {
	MOST = 1 << 17,   // choices, and elements of a list, less one: more do not stay in the second-level cache
	LONGEST = 1 << 22, // elements of a vector, less one, which take one thread some tens of milliseconds
};
enum { INT64 = 5 };   // a tile.DType

// opened returns a generator's source, whose lock is taken; NULL, maybe with an exception.
static weft_source *opened(PyObject *self)
{
	weft_source *s = weft_source_of(self);
	if (s && weft_called(s->acquire) < 0) {
		Py_DECREF((PyObject *)s);
		return NULL;
	}
	return s;
}

static int closed(weft_source *s)
{
	int rc = weft_called(s->release);
	Py_DECREF((PyObject *)s);
	return rc;
}

// shuffle has elements change places. Whom with is drawn for some of them ahead, in the order of before, and asked for: of many elements
// most are in no cache near by, and each would be waited for by itself.
static void shuffle(const bitgen *b, int64_t n, char *data, int64_t step, int size)
{
	enum { AHEAD = 64 };
	char *with[AHEAD], other[16];
	for (int64_t i = n - 1, m; i > 0; i -= m) {
		m = i < AHEAD ? i : AHEAD;
		for (int64_t k = 0; k < m; k++) {
			with[k] = data + weft_below(b, (uint32_t)(i - k), 1) * step;
			__builtin_prefetch(with[k], 1);
		}
		for (int64_t k = 0; k < m; k++) {
			char *from = data + (i - k) * step, *to = with[k];
			if (size == 8) {
				uint64_t kept;
				memcpy(&kept, to, 8);
				memmove(to, from, 8);
				memcpy(from, &kept, 8);
				continue;
			}
			memcpy(other, to, (size_t)size);
			memmove(to, from, (size_t)size);
			memcpy(from, other, (size_t)size);
		}
	}
}

PyObject *weft_shuffled(PyObject *self, PyObject *x)
{
	weft_few of = {.array = NULL};
	int is_list = PyList_CheckExact(x);
	Py_ssize_t n = is_list ? PyList_Size(x) : 0;
	if (is_list ? n >= MOST : !weft_many_of(x, LONGEST - 1, 1, &of) || of.l->ndim != 1 || of.array->place.readonly)
		return NULL;
	weft_source *s = opened(self);
	if (!s)
		return NULL;
	if (is_list) {
		n = PyList_Size(x); // another thread may have had its turn
		for (Py_ssize_t i = n - 1; i > 0; i--) { // no object dies
			Py_ssize_t k = weft_below(s->b, (uint32_t)i, 1);
			PyObject *one = Py_NewRef(PyList_GetItem(x, i)), *other = Py_NewRef(PyList_GetItem(x, k));
			PyList_SetItem(x, i, other);
			PyList_SetItem(x, k, one);
		}
	} else if ((of.data = weft_data(of.array)) != NULL) {
		shuffle(s->b, of.l->size, of.data, of.l->strides[0], weft_sizes[of.l->dtype]);
	}
	int done = closed(s) == 0 && (is_list || of.data);
	return done ? Py_NewRef(Py_None) : NULL;
}

PyObject *weft_permuted(PyObject *self, PyObject *x)
{
	int overflow = 0;
	int64_t n = PyLong_CheckExact(x) ? PyLong_AsLongLongAndOverflow(x, &overflow) : 0;
	weft_few of;
	PyObject *made = NULL;
	if (PyLong_CheckExact(x)) {
		if (overflow || n < 1 || n >= LONGEST || !(made = (PyObject *)weft_many_made(INT64, 1, &n)))
			return NULL;
		int64_t *to = (int64_t *)weft_data((weft_array *)made);
		for (int64_t i = 0; i < n; i++)
			to[i] = i;
	} else {
		if (!weft_many_of(x, LONGEST - 1, 1, &of) || of.l->ndim != 1 || !(made = (PyObject *)weft_many_made(of.l->dtype, 1, of.l->shape)))
			return NULL;
		char *to = weft_data((weft_array *)made), *from = to ? weft_data(of.array) : NULL;
		if (!from) { // shut meanwhile: see opening.c
			Py_DECREF(made);
			return NULL;
		}
		const int size = weft_sizes[of.l->dtype];
		eager_copy(size, of.l->size, to, size, from, of.l->strides[0]);
		weft_note(WEFT_NOTE_COPY, &((weft_array *)made)->at, ((weft_array *)made)->place.memory, of.array->place.memory, 0);
	}
	PyObject *done = weft_shuffled(self, made);
	if (!done)
		Py_CLEAR(made);
	Py_XDECREF(done);
	return made;
}

// weft_chosen chooses with replacement, each as often as another.
PyObject *weft_chosen(PyObject *self, int legacy, PyObject *from, int ndim, const int64_t *shape, int64_t count)
{
	int overflow = 0;
	int64_t n = PyLong_CheckExact(from) ? PyLong_AsLongLongAndOverflow(from, &overflow) : 0, one = 0;
	PyObject *of = NULL, *chosen = NULL;
	if (overflow || count >= MOST)
		return NULL;
	if (PyList_CheckExact(from)) {
		of = weft_of_list(from);
		if (of == Py_None)
			Py_CLEAR(of);
		if (!of)
			return NULL;
	} else if (Py_TYPE(from) == weft_array_type) {
		of = Py_NewRef(from);
	}
	const weft_layout *l = of ? weft_layout_of((weft_array *)of) : NULL;
	if (of)
		n = l && l->ndim == 1 ? l->size : 0;
	weft_array *places = ndim ? weft_new_packed(INT64, ndim, shape) : NULL;
	weft_source *s = n > 0 && n <= UINT32_MAX && (places || ndim == 0) ? opened(self) : NULL;
	if (s) {
		int64_t *to = places ? (int64_t *)places->bytes : &one;
		for (int64_t i = 0; i < count; i++)
			to[i] = weft_below(s->b, (uint32_t)(n - 1), legacy);
		if (closed(s) == 0) {
			PyObject *index = places ? Py_NewRef((PyObject *)places) : PyLong_FromLongLong(one);
			chosen = index && of ? weft_mp_subscript(of, index) : Py_XNewRef(index);
			Py_XDECREF(index);
		}
	}
	Py_XDECREF((PyObject *)places);
	Py_XDECREF(of);
	return chosen;
}
