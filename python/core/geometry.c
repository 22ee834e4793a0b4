//go:build extension

// How operands and results lie: the shape that two have together, whether their axes are in the order of C or of Fortran, and
// where elements lie side by side. Nothing here computes.
//
//	a   3 x 1, steps 8, 8     b   4, step 8
//	together                  3 x 4
//	a beside the result       a copy of 12 elements: a0 a0 a0 a0 a1 ...
#include "shim.h"
#include "few.h"

int weft_common(const weft_layout *a, const weft_layout *b, int64_t *shape, int *ndim)
{
	if (a->ndim < b->ndim) {
		const weft_layout *swap = a;
		a = b;
		b = swap;
	}
	*ndim = a->ndim;
	int lead = a->ndim - b->ndim;
	for (int i = 0; i < a->ndim; i++) {
		shape[i] = a->shape[i];
		int64_t n = i < lead ? 1 : b->shape[i - lead];
		if (n == shape[i] || n == 1)
			continue;
		if (shape[i] != 1)
			return 0;
		shape[i] = n;
	}
	return 1;
}

int weft_falls(const weft_layout *l, int back)
{
	int64_t last = INT64_MAX;
	for (int i = 0; i < l->ndim; i++) {
		int axis = back ? l->ndim - 1 - i : i;
		int64_t step = weft_magnitude(l->strides[axis]);
		if (l->shape[axis] == 1)
			continue;
		if (step == 0)
			return 0; // NumPy looks at the other operands, too
		if (step > last || (back && step == last)) // of equal steps, the order of C has it
			return 0;
		last = step;
	}
	return 1;
}

int weft_is_fortran(const weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; l->size && i < l->ndim; i++) {
		if (l->shape[i] > 1 && l->strides[i] != step)
			return 0;
		step *= l->shape[i];
	}
	return 1;
}

void weft_lay_in(weft_layout *l, const int *order)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = l->ndim - 1; i >= 0; step *= l->shape[order[i--]])
		l->strides[order[i]] = step;
}

void weft_fortran(weft_layout *l)
{
	int64_t step = weft_sizes[l->dtype];
	for (int i = 0; i < l->ndim; step *= l->shape[i++])
		l->strides[i] = step;
	l->contiguous = weft_is_contiguous(l);
}

// steps_of is how far the elements of an operand are apart along an axis of all: 0 where it has one for all.
static int64_t steps_of(const weft_layout *l, int ndim, int axis)
{
	int own = axis - (ndim - l->ndim);
	return own < 0 || l->shape[own] == 1 ? 0 : weft_magnitude(l->strides[own]);
}

// passes says whether an axis moves in past another one with shorter steps: 1 where all operands that tell want that, 0 where one does not, and -1 where
// none tells.
static int passes(const weft_layout *const *in, int n, int ndim, int axis, int other)
{
	int told = -1;
	for (int i = 0; i < n; i++) {
		int64_t mine = steps_of(in[i], ndim, axis), theirs = steps_of(in[i], ndim, other);
		if (mine && theirs)
			told = mine >= theirs ? 0 : told < 0 ? 1 : told;
	}
	return told;
}

int weft_order(const weft_layout *const *in, int n, int ndim, int *order)
{
	int kept = 1;
	for (int i = 0; i < ndim; i++)
		order[i] = ndim - 1 - i; // the fastest one first, until the end
	for (int i = 1; i < ndim; i++) {
		int axis = order[i], to = i, told;
		for (int at = i - 1; at >= 0 && (told = passes(in, n, ndim, axis, order[at])); at--)
			if (told > 0)
				to = at;
		for (int at = i; at > to; at--)
			order[at] = order[at - 1];
		order[to] = axis;
	}
	for (int i = 0; i < ndim / 2; i++) {
		int swap = order[i];
		order[i] = order[ndim - 1 - i];
		order[ndim - 1 - i] = swap;
	}
	for (int i = 0; i < ndim; i++)
		kept = kept && order[i] == i;
	return !kept;
}

int weft_order_of_copy(const weft_layout *l, int *order)
{
	int kept = 1, back;
	if (l->contiguous || l->ndim < 2)
		return 0;
	back = weft_is_fortran(l);
	for (int i = 0; i < l->ndim; i++) {
		int at = i;
		for (; at > 0 && (back || weft_magnitude(l->strides[order[at - 1]]) < weft_magnitude(l->strides[i])); at--)
			order[at] = order[at - 1];
		kept = kept && at == i;
		order[at] = i;
	}
	return !kept;
}

void weft_order_reduced(weft_layout *made, const weft_layout *from)
{
	int order[WEFT_NEAR];
	if (made->ndim > 1 && made->ndim == from->ndim && weft_order(&from, 1, made->ndim, order))
		weft_lay_in(made, order);
}

void weft_permute(weft_layout *to, const weft_layout *from, int ndim, const int *order)
{
	int lead = ndim - from->ndim;
	weft_layout wide = *from;
	wide.ndim = ndim;
	for (int i = 0; i < ndim; i++) {
		int own = order[i] - lead;
		wide.shape[i] = own < 0 ? 1 : from->shape[own];
		wide.strides[i] = own < 0 ? 0 : from->strides[own];
	}
	wide.contiguous = weft_is_contiguous(&wide);
	*to = wide;
}

void weft_put_back(weft_layout *to, const weft_layout *from, const int *order)
{
	weft_layout back = *from;
	for (int i = 0; i < from->ndim; i++) {
		back.shape[order[i]] = from->shape[i];
		back.strides[order[i]] = from->strides[i];
	}
	back.contiguous = weft_is_contiguous(&back);
	*to = back;
}

char *weft_beside(const weft_layout *l, char *data, const weft_layout *out, int copy, char *to, int *one)
{
	*one = l->size == 1 && out->size > 1;
	if (!copy && (*one || (l->contiguous && l->size == out->size)))
		return data;
	weft_layout wide = *out;
	int lead = out->ndim - l->ndim;
	for (int i = 0; i < out->ndim; i++)
		wide.strides[i] = i < lead || l->shape[i - lead] == 1 ? 0 : l->strides[i - lead];
	*one = 0;
	eager_layout e = weft_plain(&wide);
	eager_pack(weft_sizes[l->dtype], &e, data, to);
	return to;
}
