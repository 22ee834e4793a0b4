package arrays

import (
	"cmp"
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// Reinterpret returns the same memory seen as elements of another dtype, with NumPy's rules for the
// last axis where they are of another size.
func (a *Array) Reinterpret(t tile.DType) (*Array, error) {
	if err := a.alive(); err != nil {
		return nil, err
	}
	old, size := int64(a.view.Type.Size()), int64(t.Size())
	shape, strides := slices.Clone(a.view.Shape), slices.Clone(a.view.Strides)
	if last := len(shape) - 1; old != size {
		if last < 0 {
			return nil, errorf("ValueError", "Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
		}
		if shape[last] != 1 && a.size != 0 && strides[last] != old {
			return nil, errorf("ValueError", "To change to a dtype of a different size, the last axis must be contiguous")
		}
		bytes := int64(shape[last]) * old
		switch {
		case size < old && old%size != 0:
			return nil, errorf("ValueError", "When changing to a smaller dtype, its size must be a divisor of the size of original dtype")
		case size > old && bytes%size != 0:
			return nil, errorf("ValueError", "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array.")
		}
		shape[last], strides[last] = int(bytes/size), size
	}
	if t == tile.Bool && a.view.Type != tile.Bool {
		return nil, &Fallback{"the bytes of other elements are not all 0 and 1, as a bool's are"}
	}
	v := a.sub(t, a.view.Offset, shape, strides)
	if !aligned(v.view) {
		v.Free()
		return nil, &Fallback{"its elements are not aligned"}
	}
	a.c.seenAs(a.store, a.view.Type, t)
	return v, nil
}

// At returns the view of the array's memory whose first element is so many bytes behind the array's
// first, or nil where there is none (see Memory.At). It is writable if the array is and writable says so.
func (a *Array) At(t tile.DType, away int64, shape []int, strides []int64, writable bool) *Array {
	if a.alive() != nil || t == tile.Bool && a.view.Type != tile.Bool {
		return nil
	}
	access := ReadOnly
	switch {
	case writable && !a.readonly:
		access = ReadWrite
	case writable && a.meets:
	case !a.readonly || a.locked:
		access = Lockable
	}
	v := a.Memory().At(t, a.view.Offset+away, shape, strides, access)
	if v == nil && access == ReadWrite {
		v = a.Memory().At(t, a.view.Offset+away, shape, strides, ReadOnly) // whose elements overlap each other
	}
	if v != nil {
		v.meets = v.readonly && writable && a.Writable()
		a.c.seenAs(a.store, a.view.Type, t)
	}
	return v
}

// aligned reports whether all elements lie at multiples of the size of a number, as stores do.
func aligned(v scheduler.View) bool {
	size := int64(v.Type.Real().Size())
	for i, s := range v.Strides {
		if s%size != 0 && v.Shape[i] > 1 {
			return false
		}
	}
	return v.Offset%size == 0
}

// meetsItself reports whether different indices might name the same byte. It errs on the side of yes.
func meetsItself(v scheduler.View) bool {
	type axis struct{ step, reach int64 }
	var axes []axis
	for i, n := range v.Shape {
		if n > 1 {
			step := max(v.Strides[i], -v.Strides[i])
			axes = append(axes, axis{step, step * int64(n-1)})
		}
	}
	slices.SortFunc(axes, func(a, b axis) int { return cmp.Compare(a.step, b.step) })
	span := int64(v.Type.Size())
	for _, x := range axes {
		if x.step < span {
			return v.Elements() > 0
		}
		span += x.reach
	}
	return false
}

// reinterpret is the method view.
func reinterpret(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	t, err := dtypeArg(v[1])
	if err != nil {
		return Value{}, err
	}
	if t == tile.Invalid {
		t = a.view.Type
	}
	return result(a.Reinterpret(t))
}
