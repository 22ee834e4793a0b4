package arrays

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Routines take packed arrays and work along the last axis. This file brings arrays there
// and back.

// packed returns the array in C order and of dtype t: itself, or a copy that the scope owns.
func (s *scope) packed(a *Array, t tile.DType) (*Array, error) {
	if a.contiguous && a.view.Type == t {
		return a, nil
	}
	return s.own(s.c.cast(a, t, "copy"))
}

// swapped returns the view with two axes exchanged, owned by the scope.
func (s *scope) swapped(a *Array, i, j int) *Array {
	shape, strides := slices.Clone(a.view.Shape), slices.Clone(a.view.Strides)
	shape[i], shape[j] = shape[j], shape[i]
	strides[i], strides[j] = strides[j], strides[i]
	v, _ := s.own(a.sub(a.view.Type, a.view.Offset, shape, strides), nil)
	return v
}

// flat returns all elements in C order along one axis, owned by the scope.
func (s *scope) flat(a *Array) (*Array, error) {
	return s.own(s.c.Reshape(a, []int{a.size}))
}

// alongRows makes an array of dtype t from the rows of a along an axis. The rows of the
// result have n elements. run gets both packed with the axis last; it is not called where
// there is nothing to write.
func (s *scope) alongRows(a *Array, axis, n int, from, t tile.DType, run func(x, out *Array) error) (*Array, error) {
	last := a.Ndim() - 1
	turned := a
	if axis != last {
		turned = s.swapped(a, axis, last)
	}
	x, err := s.packed(turned, from)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(turned.view.Shape)
	shape[last] = n
	out, err := s.c.alloc(t, shape, nil)
	if err != nil {
		return nil, err
	}
	if out.size > 0 {
		if err := run(x, out); err != nil {
			out.Free()
			return nil, err
		}
	}
	if axis == last {
		return out, nil
	}
	s.own(out, nil)
	return s.c.copyOf(s.swapped(out, axis, last))
}

// axisOrFlat reads an axis argument whose None means the flattened array.
func (s *scope) axisOrFlat(a *Array, v Value, otherwise int) (*Array, int, error) {
	if v.Kind == None {
		flat, err := s.flat(a)
		return flat, 0, err
	}
	i, err := s.integer(v, otherwise)
	if err != nil {
		return nil, 0, err
	}
	i, err = axis(i, a.Ndim(), "")
	return a, i, err
}

// reshaped returns a packed array in another shape over the same store. It takes ownership
// of a.
func reshaped(a *Array, shape []int) *Array {
	defer a.Free()
	return a.sub(a.view.Type, a.view.Offset, shape, scheduler.CStrides(shape, a.view.Type.Size()))
}

// count waits for an array of one int64.
func (s *scope) count(a *Array) (int, error) {
	v, err := a.Item(s.c.Stop)
	return int(v.Int()), err
}

// first returns a copy of the first n elements of a one-dimensional array.
func (s *scope) first(a *Array, n int) (*Array, error) {
	part := a.sub(a.view.Type, a.view.Offset, []int{n}, a.view.Strides)
	defer part.Free()
	return s.c.copyOf(part)
}
