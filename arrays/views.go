package arrays

import (
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

func squeeze(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	var drop tile.Axes
	if one := v[1]; a.Ndim() == 0 && one.Kind == IntValue && (one.Int == 0 || one.Int == -1) {
		// NumPy lets a number pass as an array of one element here.
	} else if one.isList() {
		return Value{}, &Fallback{"a list of axes"} // NumPy words the error
	} else if one.given() {
		list, err := s.axisList(v[1], a.Ndim(), axisTwice)
		if err != nil {
			return Value{}, err
		}
		for _, i := range list {
			if a.view.Shape[i] != 1 {
				return Value{}, errorf("ValueError", "cannot select an axis to squeeze out which has size not equal to one")
			}
			drop |= 1 << i
		}
	} else {
		for i, n := range a.view.Shape {
			if n == 1 {
				drop |= 1 << i
			}
		}
	}
	if drop == 0 && v[0].Kind == ArrayValue {
		return v[0], nil // itself, as NumPy has it
	}
	var shape []int
	var strides []int64
	for i, n := range a.view.Shape {
		if !drop.Has(i) {
			shape, strides = append(shape, n), append(strides, a.view.Strides[i])
		}
	}
	return Of(a.sub(a.view.Type, a.view.Offset, shape, strides)), nil
}

func expandDims(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	list, err := s.shape(v[1])
	if err != nil {
		return Value{}, err
	}
	n := a.Ndim() + len(list)
	if n > maxDims {
		return Value{}, tooMany(n)
	}
	var added tile.Axes
	for _, i := range list {
		if i, err = axis(i, n, ""); err != nil {
			return Value{}, err
		}
		if added.Has(i) {
			return Value{}, errorf("ValueError", "repeated axis")
		}
		added |= 1 << i
	}
	shape, from := make([]int, n), 0
	for i := range shape {
		if shape[i] = 1; !added.Has(i) {
			shape[i] = a.view.Shape[from]
			from++
		}
	}
	return result(s.c.Reshape(a, shape)) // which NumPy's function is
}

// BroadcastTo returns a read-only view of a larger shape.
func (c *Context) BroadcastTo(a *Array, shape []int) (*Array, error) {
	c.collect()
	if err := a.alive(); err != nil {
		return nil, err
	}
	if len(shape) > maxDims {
		return nil, tooMany(len(shape))
	}
	if _, err := checkedSize(shape, 1); err != nil {
		return nil, errorf("ValueError", "all elements of broadcast shape must be non-negative")
	}
	if len(shape) == 0 && a.Ndim() > 0 {
		return nil, errorf("ValueError", "cannot broadcast a non-scalar to a scalar array")
	}
	if len(shape) < a.Ndim() {
		return nil, errorf("ValueError", "input operand has more dimensions than allowed by the axis remapping")
	}
	if !fitsInto(a.view.Shape, shape) {
		return nil, errorf("ValueError", "operands could not be broadcast together with remapped shapes [original->remapped]: %s  and requested shape %s",
			remappedText(a.view.Shape), remappedText(shape))
	}
	v := overSpace(a.view, slices.Clone(shape))
	for i, n := range v.Shape {
		if n == 1 {
			v.Strides[i] = 0 // no other step is taken along it, and this is the one that NumPy shows
		}
	}
	b := a.sub(v.Type, v.Offset, v.Shape, v.Strides)
	b.readonly, b.meets = true, false
	return b, nil
}

// remappedText is how NumPy's iterator prints shapes.
func remappedText(shape []int) string { return units.Shape(shape) }

func broadcastTo(s *scope, v []Value) (Value, error) {
	if _, err := truth(v[2], false); err != nil {
		return Value{}, err
	}
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	shape, err := s.shape(v[1])
	if err != nil {
		return Value{}, err
	}
	return result(s.c.BroadcastTo(a, shape))
}

// flip reverses the axes given by its argument or, for flipud and fliplr, by its name.
func flip(fixed []int) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		m, err := s.array(v[0])
		if err != nil {
			return Value{}, err
		}
		axes := fixed
		switch {
		case fixed != nil && m.Ndim() <= fixed[0]:
			return Value{}, errorf("ValueError", "Input must be >= %d-d.", fixed[0]+1)
		case fixed != nil:
		case v[1].given():
			if axes, err = s.axisList(v[1], m.Ndim(), axisRepeated); err != nil {
				return Value{}, err
			}
		default:
			axes = reversed(m.Ndim())
		}
		x := m.flipped(axes)
		x.Scalar = m.Ndim() == 0 // NumPy indexes it
		return Of(x), nil
	}
}

func (a *Array) flipped(axes []int) *Array {
	strides, offset := slices.Clone(a.view.Strides), a.view.Offset
	for _, i := range axes {
		if n := a.view.Shape[i]; n > 0 {
			offset += int64(n-1) * strides[i]
		}
		strides[i] = -strides[i]
	}
	return a.sub(a.view.Type, offset, a.view.Shape, strides)
}

func diagonal(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	d, err := s.diagonalOf(a, v[1], v[2], v[3])
	if err != nil {
		return Value{}, err
	}
	d.readonly, d.meets = true, false
	return Of(d), nil
}

// diagonalOf returns the view of a diagonal, which becomes the last axis.
func (s *scope) diagonalOf(a *Array, offset, axis1, axis2 Value) (*Array, error) {
	if a.Ndim() < 2 {
		return nil, errorf("ValueError", "diag requires an array of at least two dimensions")
	}
	k, err := s.integer(offset, 0)
	if err != nil {
		return nil, err
	}
	i, err := s.integer(axis1, 0)
	if err != nil {
		return nil, err
	}
	j, err := s.integer(axis2, 1)
	if err != nil {
		return nil, err
	}
	if i, err = axis(i, a.Ndim(), "axis1: "); err != nil {
		return nil, err
	}
	if j, err = axis(j, a.Ndim(), "axis2: "); err != nil {
		return nil, err
	}
	if i == j {
		return nil, errorf("ValueError", "axis1 and axis2 cannot be the same")
	}
	v := &a.view
	rows, columns, start := v.Shape[i], v.Shape[j], v.Offset
	if k >= 0 {
		columns -= k
		start += int64(k) * v.Strides[j]
	} else {
		rows += k
		start -= int64(k) * v.Strides[i]
	}
	n := max(min(rows, columns), 0)
	if n == 0 {
		start = v.Offset
	}
	var shape []int
	var strides []int64
	for ax := range v.Shape {
		if ax != i && ax != j {
			shape, strides = append(shape, v.Shape[ax]), append(strides, v.Strides[ax])
		}
	}
	return a.sub(v.Type, start, append(shape, n), append(strides, v.Strides[i]+v.Strides[j])), nil
}

// Real returns the real part: a view.
func (a *Array) Real() (*Array, error) {
	if err := a.alive(); err != nil {
		return nil, err
	}
	return a.sub(a.view.Type.Real(), a.view.Offset, a.view.Shape, a.view.Strides), nil
}

// Imag returns the imaginary part: a view where there is one, else read-only zeros.
func (a *Array) Imag() (*Array, error) {
	if err := a.alive(); err != nil {
		return nil, err
	}
	t := a.view.Type
	if t.Is(tile.KindComplex) {
		return a.sub(t.Real(), a.view.Offset+int64(t.Real().Size()), a.view.Shape, a.view.Strides), nil
	}
	order, _ := orderArg(Value{}, "A", a.view)
	zeros, err := a.c.fullIn(a.view.Shape, order, tile.Scalar{Type: t}, "imag")
	if err == nil {
		zeros.readonly = true
	}
	return zeros, err
}

func realPart(s *scope, v []Value) (Value, error) { return s.part(v[0], (*Array).Real) }
func imagPart(s *scope, v []Value) (Value, error) { return s.part(v[0], (*Array).Imag) }

func (s *scope) part(v Value, of func(*Array) (*Array, error)) (Value, error) {
	a, err := s.array(v)
	if err != nil {
		return Value{}, err
	}
	p, err := of(a)
	if err == nil {
		p.Scalar = a.Scalar
	}
	return result(p, err)
}

func atLeast(n int) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		list, err := s.arrays(v[0])
		if err != nil {
			return Value{}, err
		}
		results := make([]Value, len(list))
		for i, a := range list {
			results[i] = Of(a)
			if a.Ndim() < n || v[0].Items[i].Kind != ArrayValue {
				results[i] = Of(a.atLeast(n))
			}
		}
		if len(results) == 1 {
			return results[0], nil
		}
		return Tuple(results...), nil
	}
}

// atLeast returns a view with axes added where NumPy's atleast functions add them.
func (a *Array) atLeast(n int) *Array {
	shape, strides := slices.Clone(a.view.Shape), slices.Clone(a.view.Strides)
	if a.Ndim() == 0 && n > 0 { // a reshape, other than those of axes
		shape = ones(n)
		strides = scheduler.CStrides(shape, a.view.Type.Size())
	}
	for len(shape) < n {
		if len(shape) == 2 { // the third goes last
			shape, strides = append(shape, 1), append(strides, 0)
		} else {
			shape, strides = append([]int{1}, shape...), append([]int64{0}, strides...)
		}
	}
	return a.sub(a.view.Type, a.view.Offset, shape, strides)
}
