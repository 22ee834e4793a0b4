package arrays

import (
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/tile"
)

// setPicked is a[index] = v where the index has arrays. Where they name an element twice, the
// last value stays.
func (c *Context) setPicked(a *Array, items []Value, v Value) error {
	s := &scope{c: c}
	defer s.free()
	if len(items) == 1 && items[0].Array.view.Type == tile.Bool {
		return s.setMasked(a, items[0].Array, v)
	}
	sel, err := s.selection("setitem", a, items)
	if err != nil {
		return err
	}
	if v.Kind == ArrayValue && v.Array.alive() == nil { // NumPy casts what has the right shape
		if _, err := s.broadcastValues(v.Array, sel.resultShape()); err != nil {
			return err
		}
	}
	values, err := s.assigned(v, a.view.Type)
	if err != nil {
		return err
	}
	values, err = s.broadcastValues(values, sel.resultShape())
	if err != nil {
		return err
	}
	return s.scatter("setitem", "scatter", sel, values)
}

// assigned reads a value that is assigned, as an array of dtype t.
func (s *scope) assigned(v Value, t tile.DType) (*Array, error) {
	if v.isScalar() {
		literal, err := assignScalar(v, t)
		if err != nil {
			return nil, err
		}
		return s.own(s.c.literal(literal))
	}
	if v.Kind != ArrayValue {
		return nil, &Fallback{"assigning something that is not an array or a number"}
	}
	if err := v.Array.alive(); err != nil {
		return nil, err
	}
	if v.Array.view.Type == t {
		return v.Array, nil
	}
	return s.own(s.c.cast(v.Array, t, "copy"))
}

// broadcastValues gives values the shape of a selection. Leading axes of one point do not
// count against that.
func (s *scope) broadcastValues(values *Array, shape []int) (*Array, error) {
	own := values.view.Shape
	for len(own) > len(shape) && own[0] == 1 {
		own = own[1:]
	}
	if !fitsInto(own, shape) {
		return nil, errorf("ValueError", "shape mismatch: value array of shape %s could not be broadcast to indexing result of shape %s",
			units.Shape(values.view.Shape), units.Shape(shape))
	}
	short, _ := s.own(values.sub(values.view.Type, values.view.Offset, own, values.view.Strides[values.Ndim()-len(own):]), nil)
	return s.own(broadcast(short, shape), nil)
}

// scatter updates the selection with values of its shape. Operands that share memory with the
// array are copied first.
func (s *scope) scatter(name, routine string, sel *selection, values *Array) error {
	if values.size == 0 {
		return nil
	}
	apart := func(x *Array) (*Array, error) {
		if !mayOverlap(x.view, sel.view.view) {
			return x, nil
		}
		return s.own(s.c.copyOf(x))
	}
	var err error
	if values, err = apart(values); err != nil {
		return err
	}
	for i := range sel.at {
		if sel.at[i], err = apart(sel.at[i]); err != nil {
			return err
		}
	}
	array, at, near := s.operands(sel, values)
	call := s.c.routine(routine, tile.IntAttr("mode", int64(sel.mode))).update(array)
	for _, x := range at {
		call.in(x.view)
	}
	return call.in(near.view).submit(name)
}

// setMasked is a[mask] = v for a mask that covers leading axes. A number, or an array of one
// element, is a select in place, for which nothing waits.
func (s *scope) setMasked(a, mask *Array, v Value) error {
	if err := maskFits(a, mask, 0); err != nil {
		return err
	}
	if v.isScalar() || v.Kind == ArrayValue && v.Array.size == 1 && v.Array.Ndim() <= 1 {
		return s.c.selectInto("masked", a, mask, v)
	}
	if v.Kind == ArrayValue {
		if err := v.Array.alive(); err != nil {
			return err
		}
	}
	n, err := s.howMany(mask)
	if err != nil {
		return err
	}
	shape := append([]int{n}, a.view.Shape[mask.Ndim():]...)
	if given := v.Array; v.Kind == ArrayValue { // NumPy casts what has the right shape
		if mask.Ndim() == a.Ndim() {
			if given.Ndim() > 1 {
				return errorf("TypeError", "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has %d dimensions", given.Ndim())
			}
			if given.size != n && given.size != 1 {
				return errorf("ValueError", "NumPy boolean array indexing assignment cannot assign %d input values to the %d output values where the mask is true", given.size, n)
			}
		}
		if _, err := s.broadcastValues(given, shape); err != nil {
			return err
		}
	}
	values, err := s.assigned(v, a.view.Type)
	if err != nil {
		return err
	}
	if values, err = s.broadcastValues(values, shape); err != nil || values.size == 0 {
		return err
	}
	if !a.contiguous {
		sel, err := s.selection("masked", a, []Value{Of(mask)})
		if err != nil {
			return err
		}
		return s.scatter("masked", "scatter", sel, values)
	}
	return s.expand("masked", a, mask, values, false)
}

// selectInto writes a number, or an array that broadcasts, where a mask over leading axes is true:
// a select in place.
func (c *Context) selectInto(name string, a, mask *Array, v Value) error {
	// The mask covers the leading axes; it is the same along the others.
	shape := slices.Clone(mask.view.Shape)
	strides := slices.Clone(mask.view.Strides)
	for range a.Ndim() - mask.Ndim() {
		shape, strides = append(shape, 1), append(strides, 0)
	}
	mask = mask.sub(tile.Bool, mask.view.Offset, shape, strides)
	defer mask.Free()
	k := programKey{what: maskTemplate, types: [4]tile.DType{a.view.Type}}
	switch {
	case v.isScalar():
		s, err := assignScalar(v, a.view.Type)
		if err != nil {
			return err
		}
		return c.mapInto(scheduler.Map, name, k, []tile.Scalar{s}, a, a, mask)
	case v.Kind == ArrayValue:
		if err := v.Array.alive(); err != nil {
			return err
		}
		k.types[1] = v.Array.view.Type
		return c.mapInto(scheduler.Map, name, k, nil, a, a, mask, v.Array)
	}
	return &Fallback{"assigning something that is not an array or a number"}
}

// expand writes rows of values where the mask, which covers leading axes of a contiguous
// array, is true: as many as there are, or around.
func (s *scope) expand(name string, a, mask, values *Array, around bool) error {
	var err error
	if mask, err = s.packed(mask, tile.Bool); err == nil && mayOverlap(mask.view, a.view) {
		mask, err = s.own(s.c.copyOf(mask))
	}
	if err != nil {
		return err
	}
	if values, err = s.packed(values, a.view.Type); err == nil && mayOverlap(values.view, a.view) {
		values, err = s.own(s.c.copyOf(values))
	}
	if err != nil {
		return err
	}
	return s.c.routine("expand", flag("repeat", around)).update(a).in(mask.view).in(values.view).submit(name)
}
