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

void weft_turn(weft_layout *to, const weft_layout *from)
{
	*to = *from;
	for (int i = 0; i < from->ndim; i++) {
		to->shape[i] = from->shape[from->ndim - 1 - i];
		to->strides[i] = from->strides[from->ndim - 1 - i];
	}
	to->contiguous = weft_is_contiguous(to);
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
