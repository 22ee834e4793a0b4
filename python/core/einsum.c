//go:build extension

// einsum of few doubles: sums of products of vectors, matrices and stacks of them, as the operations that they are; of more than two, in the order of arrays/einsum.go.
//
//	ij,j->i    a product; the summed label is last in the first operand and first in the second, or a view is made that has it so
//	ij,ij->i   a sum along rows of what is multiplied
//	i,j->ij    an outer product
//	ij->j      a sum
//	bij,bj->bi   a stack of products; what is summed over comes last in the first operand, and behind the stack in the second
#include "shim.h"
#include "_cgo_export.h"
#include "few.h"
#include <string.h>

enum { OPERANDS = 4, LABELS = WEFT_NEAR, FLOAT64 = 12, MANY = 1 << 17 }; // axes of an operand; a tile.DType; elements of an operand

typedef struct {
	int n;
	char label[LABELS + 1];
	PyObject *array;
	const weft_layout *l;
} term;

static int at_of(const term *t, char label)
{
	const char *p = memchr(t->label, label, (size_t)t->n);
	return p ? (int)(p - t->label) : -1;
}

// read_labels reads the labels of an operand or of the result, each of which stands there once; NULL where there are others.
static const char *read_labels(const char *text, term *t)
{
	t->n = 0;
	for (; (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z'); text++) {
		if (t->n == LABELS || at_of(t, *text) >= 0)
			return NULL;
		t->label[t->n++] = *text;
	}
	return text;
}

// read_text reads the operands' labels and the result's: those in alphabetical order that stand there once, where it says nothing.
static int read_text(const char *text, int operands, term *in, term *out)
{
	for (int k = 0; k < operands; k++) {
		if (!(text = read_labels(text, &in[k])) || (k + 1 < operands && *text++ != ','))
			return 0;
	}
	if (text[0] == '-' && text[1] == '>')
		return (text = read_labels(text + 2, out)) && *text == 0;
	if (*text)
		return 0;
	out->n = 0;
	for (char c = 'A'; c <= 'z'; c++) {
		int times = 0;
		for (int k = 0; k < operands; k++)
			times += at_of(&in[k], c) >= 0;
		if (times == 1 && out->n == LABELS)
			return 0;
		if (times == 1)
			out->label[out->n++] = c;
	}
	return 1;
}

static PyObject *along(PyObject *array, int axis)
{
	PyObject *which = PyLong_FromLong(axis), *made = which ? weft_eager_fold(WEFT_SUM, array, which, 0) : NULL;
	Py_XDECREF(which);
	return made;
}

// single sums one operand along an axis, or all of it.
static PyObject *single(const term *x, const term *out)
{
	if (x->n > 2)
		return NULL;
	if (x->n == 2 && out->n == 2 && x->label[0] == out->label[1] && x->label[1] == out->label[0])
		return weft_transposed(x->array);
	if (x->n == 1 || out->n == 0)
		return out->n == 0 ? weft_eager_fold(WEFT_SUM, x->array, Py_None, 0) : NULL;
	return out->n == 1 ? along(x->array, 1 - at_of(x, out->label[0])) : NULL;
}

static int64_t step_along(const term *t, char label)
{
	const int axis = at_of(t, label);
	const int64_t by = axis < 0 || t->l->shape[axis] == 1 ? 0 : t->l->strides[axis];
	return by < 0 ? -by : by;
}

// goes_out says whether an axis goes out past another in the order of memory: where all operands that tell say so, as in arrays/order.go; -1 where none tells.
static int goes_out(const term *in, int operands, char label, char other)
{
	int told = -1;
	for (int k = 0; k < operands; k++) {
		const int64_t own = step_along(&in[k], label), others = step_along(&in[k], other);
		if (own && others && own > others)
			told = told ? 1 : 0;
		else if (own && others)
			told = 0;
	}
	return told;
}

// lying is the result with its labels in the order in which NumPy lays them out, as lying in arrays/einsum.go.
static void lying(const term *in, int operands, const term *out, term *lie)
{
	char order[OPERANDS * LABELS + LABELS], *p;
	int n = out->n;
	memcpy(order, out->label, (size_t)n);
	for (int c = 'A'; c <= 'z'; c++) // those that are summed over are behind the others
		for (int k = 0, is_there = at_of(out, (char)c) >= 0; k < operands && !is_there; k++)
			if (at_of(&in[k], (char)c) >= 0) {
				order[n++] = (char)c;
				is_there = 1;
			}
	for (int i = n - 2; i >= 0; i--) { // the last axis is the fastest; each goes in past those with longer steps
		const char label = order[i];
		int to = i;
		for (int at = i + 1; at < n; at++) {
			const int passes = goes_out(in, operands, order[at], label);
			if (passes == 0)
				break;
			if (passes > 0)
				to = at;
		}
		memmove(order + i, order + i + 1, (size_t)(to - i));
		order[to] = label;
	}
	lie->n = 0;
	for (p = order; p < order + n; p++)
		if (at_of(out, *p) >= 0)
			lie->label[lie->n++] = *p;
}

// product is one of matrices or vectors along a label that both have and the result has not.
static PyObject *product(const term *a, const term *b, char label, const term *out)
{
	const char *rest[2] = {a->n == 2 ? &a->label[1 - at_of(a, label)] : NULL, b->n == 2 ? &b->label[1 - at_of(b, label)] : NULL};
	int n = 0;
	for (int k = 0; k < 2; k++)
		if (rest[k] && (n >= out->n || out->label[n++] != *rest[k]))
			return NULL; // another order
	if (n != out->n || (rest[0] && rest[1] && *rest[0] == *rest[1]))
		return NULL;
	int64_t k = a->l->shape[at_of(a, label)], sums = a->l->size / k * (b->l->size / k);
	if (sums == 1 && k > EAGER_INNER && (rest[0] || rest[1])) // matmul's blocks may be others
		return NULL;
	PyObject *x = at_of(a, label) == a->n - 1 ? Py_NewRef(a->array) : weft_transposed(a->array);
	PyObject *y = at_of(b, label) == 0 ? Py_NewRef(b->array) : weft_transposed(b->array);
	PyObject *made = x && y ? weft_few_product(rest[0] || rest[1] ? WEFT_MATMUL : WEFT_DOT, x, y) : NULL; // whose blocks of two vectors are others
	Py_XDECREF(x);
	Py_XDECREF(y);
	return made;
}

// rows_of multiplies two matrices element by element and sums each row: a product of two vectors each. Blocks of longer ones are about equal, see product.c.
static PyObject *rows_of(PyObject *a, PyObject *b)
{
	weft_few x, y;
	const weft_folding *f = weft_folding_of(WEFT_TERMS, FLOAT64);
	if (!f || !weft_many_of(a, MANY, 0, &x) || !weft_many_of(b, MANY, 0, &y) || x.l->shape[1] > EAGER_INNER || !(x.data = weft_data(x.array)))
		return NULL;
	const char *left = weft_many_packed(&x, FLOAT64, WEFT_ROOM_ELEMENTS), *right = weft_many_packed(&y, FLOAT64, WEFT_ROOM_VALUES);
	weft_array *made = left && right ? weft_many_made(FLOAT64, 1, x.l->shape) : NULL;
	if (!made)
		return NULL;
	const int64_t n = x.l->shape[1], row = n * weft_sizes[FLOAT64];
	for (int64_t i = 0; i < x.l->shape[0]; i++)
		eager_dot(f->fold, n, left + i * row, right + i * row, made->bytes + i * weft_sizes[FLOAT64]);
	weft_note_made(WEFT_NOTE_PRODUCT, (PyObject *)made, FLOAT64, x.array, y.array);
	return (PyObject *)made;
}

// columns_of does so for columns.
static PyObject *columns_of(PyObject *a, PyObject *b)
{
	PyObject *x = weft_transposed(a), *y = x ? weft_transposed(b) : NULL, *made = y ? rows_of(x, y) : NULL;
	Py_XDECREF(x);
	Py_XDECREF(y);
	return made;
}

// ordered is a view of an operand with axes in the order of labels; a space among them stands for an axis of one element.
static PyObject *ordered(const term *x, const char *labels, int n)
{
	weft_array *array = (weft_array *)x->array;
	const weft_layout *l = weft_viewed(array);
	if (!l)
		return NULL;
	weft_layout to = *l;
	to.ndim = (uint8_t)n;
	for (int i = 0; i < n; i++) {
		int axis = at_of(x, labels[i]);
		to.shape[i] = axis < 0 ? 1 : l->shape[axis];
		to.strides[i] = axis < 0 ? weft_sizes[l->dtype] : l->strides[axis];
	}
	to.known = 1;
	to.contiguous = weft_is_contiguous(&to);
	return weft_view_of(array, &to, array->place.offset);
}

// stack_of multiplies along one label matrices or vectors of a stack, or a stack and one of them: the result's labels are those of
// the stack, then those of a, then those of b.
static PyObject *stack_of(const term *a, const term *b, const term *out)
{
	char left[LABELS + 2], right[LABELS + 2], summed = 0;
	int n = 0, m = 0, stack = 0;
	for (int k = 0; k < a->n; k++)
		if (at_of(out, a->label[k]) < 0 && (summed || at_of(b, a->label[k]) < 0))
			return NULL; // none that both have, or two of them
		else if (at_of(out, a->label[k]) < 0)
			summed = a->label[k];
	for (int k = 0; k < b->n; k++) {
		int there = at_of(a, b->label[k]);
		if ((there >= 0 && a->l->shape[there] != b->l->shape[k]) || (at_of(out, b->label[k]) < 0 && there < 0))
			return NULL;
	}
	while (stack < out->n && at_of(a, out->label[stack]) >= 0 && at_of(b, out->label[stack]) >= 0) {
		left[n++] = right[m++] = out->label[stack++];
	}
	int k = stack;
	while (k < out->n && at_of(a, out->label[k]) >= 0 && at_of(b, out->label[k]) < 0)
		left[n++] = out->label[k++];
	if (k == stack)
		left[n++] = ' ';
	if (!summed || (stack && k > stack + 1) || out->n - k > 1 || (k < out->n && (at_of(a, out->label[k]) >= 0 || at_of(b, out->label[k]) < 0)))
		return NULL;
	left[n++] = right[m++] = summed;
	right[m++] = k < out->n ? out->label[k] : ' ';
	if (n > LABELS || m > LABELS || n < 3)
		return NULL;
	PyObject *x = ordered(a, left, n), *y = x ? ordered(b, right, m) : NULL, *made = y ? weft_few_stacked(x, y, "einsum") : NULL;
	Py_XDECREF(x);
	Py_XDECREF(y);
	if (made) { // which nothing else knows yet: the axes of one element go
		weft_layout *to = &((weft_array *)made)->at;
		int64_t shape[LABELS];
		for (int i = 0; i < out->n; i++)
			shape[i] = at_of(a, out->label[i]) >= 0 ? a->l->shape[at_of(a, out->label[i])] : b->l->shape[at_of(b, out->label[i])];
		weft_lay(to, to->dtype, out->n, shape);
	}
	return made;
}

static PyObject *both(const term *a, const term *b, const term *out)
{
	if (a->n > 2 || b->n > 2 || out->n > 2)
		return stack_of(a, b, out);
	char summed = 0;
	int sums = 0, shared = 0;
	for (int k = 0; k < a->n; k++) {
		int there = at_of(b, a->label[k]);
		if (there >= 0 && a->l->shape[k] != b->l->shape[there])
			return NULL; // an error, or an axis that is broadcast
		shared += there >= 0;
		if (at_of(out, a->label[k]) >= 0)
			continue;
		if (there < 0)
			return NULL;
		summed = a->label[k];
		sums++;
	}
	for (int k = 0; k < b->n; k++)
		if (at_of(out, b->label[k]) < 0 && at_of(a, b->label[k]) < 0)
			return NULL;
	if (sums == 1 && shared == 1) { // of columns and rows where the second one's label is first
		const int is_turned = out->n == 2 && at_of(b, out->label[0]) >= 0;
		return product(is_turned ? b : a, is_turned ? a : b, summed, out);
	}
	if (sums == 2 && shared == 2 && a->n == 2 && b->n == 2 && a->l->contiguous && b->l->contiguous && memcmp(a->label, b->label, 2) == 0) {
		PyObject *terms = weft_eager_ufunc(weft_operators[OP_MULTIPLY], a->array, b->array), *made = terms ? weft_eager_fold(WEFT_SUM, terms, Py_None, 0) : NULL;
		Py_XDECREF(terms);
		return made;
	}
	if (sums == 0 && shared == 0 && a->n == 1 && b->n == 1 && out->n == 2 && out->label[0] == a->label[0])
		return weft_few_outer(0, (PyObject *[]){a->array, b->array});
	if (shared != a->n || a->n != b->n || memcmp(a->label, b->label, (size_t)a->n) || sums > 1)
		return NULL;
	if (sums == 0 && (out->n != a->n || memcmp(out->label, a->label, (size_t)a->n)))
		return NULL;
	if (sums == 0)
		return weft_eager_ufunc(weft_operators[OP_MULTIPLY], a->array, b->array);
	return (at_of(a, summed) == 1 ? rows_of : columns_of)(a->array, b->array);
}

// add_labels adds those of x that are needed by other operands or the result, and of which y has all or none; -1 where they are too many.
static int add_labels(const term *x, const term *y, int both, const term *terms, int n, const term *out, term *to)
{
	for (int k = 0; k < x->n; k++) {
		char label = x->label[k];
		int needed = at_of(out, label) >= 0;
		for (int i = 0; i < n; i++)
			needed |= &terms[i] != x && &terms[i] != y && at_of(&terms[i], label) >= 0;
		if (!needed || (at_of(y, label) >= 0) != both)
			continue;
		if (to->n == LABELS)
			return -1;
		to->label[to->n++] = label;
	}
	return 0;
}

// several multiplies pair by pair, the one first whose product has the fewest elements more than both have.
static PyObject *several(term *terms, int n, const term *out)
{
	PyObject *made = NULL, *before[OPERANDS];
	int kept = 0;
	while (n > 2) {
		int first = 0, second = 0;
		int64_t best = 0;
		term between = {.n = 0};
		for (int i = 0; i < n; i++)
			for (int j = i + 1; j < n; j++) {
				term t = {.n = 0};
				if (add_labels(&terms[i], &terms[j], 1, terms, n, out, &t) < 0 || add_labels(&terms[i], &terms[j], 0, terms, n, out, &t) < 0 ||
					add_labels(&terms[j], &terms[i], 0, terms, n, out, &t) < 0)
					goto done; // a product of three axes, which might be the best
				int64_t more = 1;
				for (int k = 0; k < t.n; k++) {
					const term *of = at_of(&terms[i], t.label[k]) >= 0 ? &terms[i] : &terms[j];
					more *= of->l->shape[at_of(of, t.label[k])];
				}
				more -= terms[i].l->size + terms[j].l->size;
				if (second == 0 || more < best) {
					best = more;
					first = i;
					second = j;
					between = t;
				}
			}
		between.array = between.n ? both(&terms[first], &terms[second], &between) : NULL;
		between.l = between.array && Py_TYPE(between.array) == weft_array_type ? weft_layout_of((weft_array *)between.array) : NULL;
		if (between.array)
			before[kept++] = between.array;
		if (!between.l)
			goto done;
		memmove(&terms[second], &terms[second + 1], (size_t)(n - second - 1) * sizeof *terms);
		memmove(&terms[first], &terms[first + 1], (size_t)(n - first - 2) * sizeof *terms);
		n--;
		terms[n - 1] = between;
	}
	made = both(&terms[0], &terms[1], out);
done:
	while (kept > 0)
		Py_DECREF(before[--kept]);
	return made;
}

// traced sums the diagonal of a square matrix.
static PyObject *traced(PyObject *array)
{
	const weft_layout *l = Py_TYPE(array) == weft_array_type ? weft_layout_of((weft_array *)array) : NULL;
	if (!l || l->ndim != 2 || l->shape[0] != l->shape[1] || l->dtype != FLOAT64 || l->size == 0 || l->size > WEFT_MOST)
		return NULL;
	PyObject *zero = PyLong_FromLong(0), *diagonal = zero ? weft_few_view(WEFT_DIAGONAL, (PyObject *[]){array, zero}) : NULL;
	PyObject *made = diagonal ? weft_eager_fold(WEFT_SUM, diagonal, Py_None, 0) : NULL;
	Py_XDECREF(zero);
	Py_XDECREF(diagonal);
	return made;
}

// turned puts the axes of a product, which nothing else knows yet, in the order of the result's labels. It takes a reference.
static PyObject *turned(PyObject *made, const term *lie, const term *out)
{
	weft_layout *to = &((weft_array *)made)->at, was = *to;
	for (int i = 0; i < out->n; i++) {
		to->shape[i] = was.shape[at_of(lie, out->label[i])];
		to->strides[i] = was.strides[at_of(lie, out->label[i])];
	}
	to->contiguous = weft_is_contiguous(to);
	return made;
}

// copied is a copy of a product whose axes lie in another order. It takes a reference.
static PyObject *copied(PyObject *made, const term *out, const term *lie)
{
	term t = *out;
	t.array = made;
	t.l = &((weft_array *)made)->at;
	PyObject *view = ordered(&t, lie->label, lie->n), *copy = view ? weft_eager_copy(view) : NULL;
	Py_XDECREF(view);
	Py_DECREF(made);
	return copy;
}

// contracted is einsum(text, a), einsum(text, a, b) and so on.
static PyObject *contracted(PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	term in[OPERANDS], out, lie;
	int operands = (int)n - 1;
	const char *text = operands >= 1 && operands <= OPERANDS && !names && PyUnicode_CheckExact(args[0]) ? PyUnicode_AsUTF8AndSize(args[0], NULL) : NULL;
	if (text && weft_eager && operands == 1 && (strcmp(text, "ii") == 0 || strcmp(text, "ii->") == 0))
		return traced(args[1]);
	if (!text || !weft_eager || !read_text(text, operands, in, &out)) {
		PyErr_Clear(); // a text that is none
		return NULL;
	}
	for (int k = 0; k < operands; k++) {
		in[k].array = args[1 + k];
		in[k].l = Py_TYPE(in[k].array) == weft_array_type ? weft_layout_of((weft_array *)in[k].array) : NULL;
		if (!in[k].l || in[k].l->ndim != in[k].n || in[k].n == 0 || in[k].l->dtype != FLOAT64 || in[k].l->size == 0 || in[k].l->size > MANY)
			return NULL;
	}
	if (operands == 1)
		return single(&in[0], &out);
	lying(in, operands, &out, &lie);
	const int differ = memcmp(lie.label, out.label, (size_t)out.n);
	PyObject *made = operands == 2 ? both(&in[0], &in[1], &lie) : several(in, operands, &lie);
	if (!made && operands == 2 && differ && !PyErr_Occurred() && (made = both(&in[0], &in[1], &out)))
		made = copied(made, &out, &lie);
	if (!made || out.n == 0)
		return made;
	weft_layout *at = &((weft_array *)made)->at;
	if (!at->contiguous && !(made = copied(made, &lie, &lie))) // of elements, which lies as its operands do
		return NULL;
	at = &((weft_array *)made)->at;
	weft_lay(at, at->dtype, lie.n, at->shape); // axes of one element have the steps of a new array
	return turned(made, &lie, &out);
}

PyObject *weft_cut_einsum(PyObject *about, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
	(void)about;
	ENTER(NULL)
	int before = weft_wrongs;
	PyObject *made = contracted(args, n, names);
	weft_wrongs = before; // NumPy's loops for it tell of nothing
	return made;
}
