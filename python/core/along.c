//go:build extension

// Indices of one array beside slices: a[:, integers], a[..., mask], a[1:3, integers], a[None, integers]. The slices make a view, whose
// axis that the array chooses from goes to the front; what is chosen there goes back, as NumPy has it:
//
//	a                    4 x 6, steps 48, 8
//	its last axis first  6 x 4, steps 8, 48
//	chosen               2 x 4, steps 32, 8
//	a[:, [5, 0]]         4 x 2, steps 8, 32
#include "choice.h"
#include <string.h>

// along is such an index, taken apart.
typedef struct {
	PyObject *chooser; // borrowed
	PyObject *view;    // with the axis in front
	int axis, ndim;    // where it was, of so many
} along;

// taken_apart takes an index apart: 0 where it is another, maybe with an exception.
static int taken_apart(PyObject *array, PyObject *index, along *to)
{
	Py_ssize_t n = PyTuple_CheckExact(index) ? PyTuple_Size(index) : 0, at = -1;
	int before = 0, taken = 0, rests = 0;
	const weft_layout *l = weft_eager && n > 1 ? weft_layout_of((weft_array *)array) : NULL;
	if (!l || n > 2 * WEFT_NEAR)
		return 0;
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *o = PyTuple_GetItem(index, i);
		int chooses = PyList_CheckExact(o) || Py_TYPE(o) == weft_array_type;
		if (chooses ? at >= 0 : !PySlice_Check(o) && o != Py_None && o != Py_Ellipsis)
			return 0;
		at = chooses ? i : at;
		taken += o != Py_None && o != Py_Ellipsis;
		rests |= (o == Py_Ellipsis && at < 0);
		before += at < 0 && o != Py_Ellipsis;
	}
	if (at < 0)
		return 0;
	to->chooser = PyTuple_GetItem(index, at);
	if (Py_TYPE(to->chooser) == weft_array_type) {
		const weft_layout *m = weft_layout_of((weft_array *)to->chooser);
		if (!m || m->ndim == 0 || (m->dtype == WEFT_BOOL_DTYPE && m->ndim > 1))
			return 0;
	}
	static PyObject *all;
	if (!all && !(all = PySlice_New(NULL, NULL, NULL)))
		return 0;
	PyObject *slices = PyTuple_New(n);
	for (Py_ssize_t i = 0; slices && i < n; i++)
		PyTuple_SetItem(slices, i, Py_NewRef(i == at ? all : PyTuple_GetItem(index, i)));
	weft_layout seen, turned;
	int64_t offset;
	int element = 0, selected = slices ? weft_select((weft_array *)array, slices, &seen, &offset, &element) : 0;
	Py_XDECREF(slices);
	l = selected == 1 ? weft_layout_of((weft_array *)array) : NULL;
	to->axis = l ? before + (rests ? l->ndim - taken : 0) : 0;
	if (!l || element || seen.size == 0 || to->axis >= seen.ndim)
		return 0;
	to->ndim = seen.ndim;
	turned = seen;
	for (int i = 0; i < to->axis; i++) {
		turned.shape[i + 1] = seen.shape[i];
		turned.strides[i + 1] = seen.strides[i];
	}
	turned.shape[0] = seen.shape[to->axis];
	turned.strides[0] = seen.strides[to->axis];
	turned.contiguous = weft_is_contiguous(&turned);
	to->view = weft_view_of((weft_array *)array, &turned, offset);
	return to->view != NULL;
}

// put_back moves the first axes of a layout, of so many others, behind those that stood before the axis that they were chosen from.
static void put_back(const along *a, weft_layout *l)
{
	weft_layout was = *l;
	int chosen = l->ndim - (a->ndim - 1);
	for (int i = 0; i < l->ndim; i++) {
		int from = i < a->axis ? chosen + i : i < a->axis + chosen ? i - a->axis : i;
		l->shape[i] = was.shape[from];
		l->strides[i] = was.strides[from];
	}
	l->contiguous = weft_is_contiguous(l);
}

PyObject *weft_pick_along(PyObject *array, PyObject *index)
{
	along a;
	if (!taken_apart(array, index, &a))
		return NULL;
	PyObject *made = weft_few_pick(a.view, a.chooser);
	Py_DECREF(a.view);
	if (made && a.axis > 0 && !((weft_array *)made)->bytes) // which Go knows as it lies
		Py_CLEAR(made);
	if (made && a.axis > 0)
		put_back(&a, &((weft_array *)made)->at);
	return made;
}

// brought returns a view of a value whose axes stand as those of what is chosen with the axis in front; NULL where they cannot.
static PyObject *brought(const along *a, PyObject *value)
{
	const weft_layout *l = weft_layout_of((weft_array *)value), *view = weft_layout_of((weft_array *)a->view);
	const weft_layout *m = Py_TYPE(a->chooser) == weft_array_type ? weft_layout_of((weft_array *)a->chooser) : NULL;
	if (!l || !view || (m && m->dtype == WEFT_BOOL_DTYPE))
		return NULL;
	int lead = m ? m->ndim : 1, ndim = lead + a->ndim - 1;
	weft_layout to = *l;
	if (ndim > WEFT_NEAR || l->ndim > ndim)
		return NULL;
	to.ndim = (uint8_t)ndim;
	to.size = 1;
	for (int i = 0; i < ndim; i++) {
		// The axes of the result in their own order first.
		int own = i - (ndim - l->ndim), from = i < a->axis ? i + 1 : i < a->axis + lead ? -1 : i - lead + 1;
		int64_t extent = from >= 0 ? view->shape[from] : m ? m->shape[i - a->axis] : (int64_t)PyList_Size(a->chooser);
		int one = own < 0 || l->shape[own] == 1;
		if (!one && l->shape[own] != extent)
			return NULL;
		int place = i < a->axis ? lead + i : i < a->axis + lead ? i - a->axis : i;
		to.shape[place] = extent;
		to.strides[place] = one ? 0 : l->strides[own];
		to.size *= extent;
	}
	to.contiguous = weft_is_contiguous(&to);
	return weft_view_of((weft_array *)value, &to, ((weft_array *)value)->place.offset);
}

int weft_put_along(PyObject *array, PyObject *index, PyObject *value)
{
	along a;
	if (((weft_array *)array)->place.readonly || !taken_apart(array, index, &a))
		return 0;
	const weft_layout *l = Py_TYPE(value) == weft_array_type ? weft_layout_of((weft_array *)value) : NULL;
	PyObject *as = l && l->size > 1 ? brought(&a, value) : Py_NewRef(value);
	int done = as && weft_few_put(a.view, a.chooser, as);
	Py_XDECREF(as);
	Py_DECREF(a.view);
	return done;
}
