package arrays

// A product of two operands with labels becomes one contraction over (both..., first..., second..., inner): the
// labels of both that are kept, of the one alone, of the other alone, and of both that are summed over. Axes that
// one step goes through as through one are one, so that a device with a library finds large matrices.

import (
	"cmp"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// contracted returns the sums of products over the labels of both operands that are not kept, of which there is
// one at least. All other labels are kept.
func (s *scope) contracted(x, y term, kept []label, t tile.DType, dst *Array) (*Array, error) {
	var batch, left, right, inner []label
	for _, l := range kept {
		switch {
		case x.has(l) && y.has(l):
			batch = append(batch, l)
		case x.has(l):
			left = append(left, l)
		default:
			right = append(right, l)
		}
	}
	for _, l := range x.labels {
		if !slices.Contains(kept, l) {
			inner = append(inner, l)
		}
	}
	inner, err := s.alongOne(&x, &y, inner)
	if err != nil {
		return nil, err
	}
	acc := wide(t)
	out := dst
	if dst == nil || acc != t || dst.store == x.a.store || dst.store == y.a.store {
		// A library writes matrices whose rows or columns lie side by side: the labels of one operand come last.
		lie := kept
		if len(left)+len(right) > 0 && x.has(kept[len(kept)-1]) && y.has(kept[len(kept)-1]) {
			lie = slices.Concat(batch, left, right)
		}
		lying, err := s.own(s.c.alloc(acc, shapeOfLabels([]term{x, y}, lie), nil))
		if err != nil {
			return nil, err
		}
		out = s.inOrder(term{lying, lie}, kept)
	}
	if err := s.contractOver(x, y, term{out, kept}, batch, left, right, inner); err != nil {
		return nil, err
	}
	switch {
	case out == dst:
		return dst, nil
	case dst != nil:
		return dst, s.c.move(dst, out, "einsum")
	case !out.contiguous: // kept is the order of memory as well
		return s.c.cast(out, t, "einsum")
	}
	return s.finish(out.same(), t, nil)
}

// alongOne returns the labels to sum over in an order in which each operand goes through them in even steps. It
// copies an operand that does not.
func (s *scope) alongOne(x, y *term, labels []label) ([]label, error) {
	order := byStep(x, labels)
	if even(x, order) && even(y, order) {
		return order, nil
	}
	if y.a.size > x.a.size { // the larger one stays as it is, if one can
		order = byStep(y, labels)
	}
	for _, t := range []*term{x, y} {
		if even(t, order) {
			continue
		}
		lie := append(slices.DeleteFunc(slices.Clone(t.labels), func(l label) bool { return slices.Contains(order, l) }), order...)
		packed, err := s.packed(s.inOrder(*t, lie), t.a.view.Type)
		if err != nil {
			return nil, err
		}
		*t = term{packed, lie}
	}
	return order, nil
}

// byStep sorts labels by how far apart neighbours lie along them, the longest steps first.
func byStep(t *term, labels []label) []label {
	step := func(l label) int64 {
		by := t.a.view.Strides[t.at(l)]
		return max(by, -by)
	}
	order := slices.Clone(labels)
	slices.SortStableFunc(order, func(l, m label) int { return cmp.Compare(step(m), step(l)) })
	return order
}

// even reports whether one step goes through all these labels in their order.
func even(t *term, order []label) bool {
	var next int64 // what the steps of the label before must be
	for i := len(order) - 1; i >= 0; i-- {
		axis := t.at(order[i])
		n, by := t.a.view.Shape[axis], t.a.view.Strides[axis]
		if n == 1 {
			continue
		}
		if next != 0 && by != next {
			return false
		}
		next = by * int64(n)
		if next == 0 {
			return len(order) == 1
		}
	}
	return true
}

// contractOver submits the contraction over groups of labels, of which the last is summed over and is gone through
// in even steps.
func (s *scope) contractOver(x, y, out term, groups ...[]label) error {
	if out.a.size == 0 {
		return nil
	}
	operands := [3]term{x, y, out}
	acc := out.a.view.Type
	// Axes without elements merge with no other, in whatever steps they are gone through.
	if slices.ContainsFunc(groups[len(groups)-1], func(l label) bool { return extentOf(operands[:2], l) == 0 }) {
		return s.c.fill(out.a, tile.Scalar{Type: acc}, "einsum")
	}
	most := len(x.labels) + len(y.labels) + 1
	shape, room := make([]int, 0, most), make([]int64, 3*most)
	var strides [3][]int64
	for i := range strides {
		strides[i] = room[i*most : i*most : (i+1)*most]
	}
	for group, labels := range groups {
		begins := len(shape)
		for _, l := range labels {
			n := extentOf(operands[:2], l)
			if n == 1 {
				continue
			}
			var by [3]int64
			for i := range operands {
				if axis := operands[i].at(l); axis >= 0 {
					by[i] = operands[i].a.view.Strides[axis]
				}
			}
			k := len(shape) - 1
			merges := k >= begins
			for i := range by {
				merges = merges && strides[i][k] == by[i]*int64(n)
			}
			if merges {
				shape[k] *= n
			} else {
				shape = append(shape, n)
				k++
			}
			for i := range by {
				strides[i] = append(strides[i][:k], by[i])
			}
		}
		if group == len(groups)-1 && len(shape) == begins { // one term to a sum
			shape = append(shape, 1)
			for i := range strides {
				strides[i] = append(strides[i], int64(operands[i].a.view.Type.Size()))
			}
		}
	}
	if len(shape) > maxDims {
		return &Fallback{"einsum of more than 31 labels"}
	}
	last := len(shape) - 1
	views := []scheduler.View{x.a.view, y.a.view}
	for i := range views {
		views[i].Shape, views[i].Strides = shape, strides[i]
	}
	to, err := s.own(out.a.sub(acc, out.a.view.Offset, shape[:last], strides[2][:last]), nil)
	if err != nil {
		return err
	}
	return s.products("einsum", acc, shape, views, false).run(to)
}
