package arrays

import (
	"math"

	"weft/internal/units"
	"weft/tile"
)

// step applies a ufunc inside of a composed function; the scope owns the result.
func (s *scope) step(u Ufunc, x, y Value) (Value, error) {
	var a *Array
	var err error
	if ufuncs[u].inputs == 1 {
		a, err = s.own(s.c.Unary(u, x))
	} else {
		a, err = s.own(s.c.Binary(u, x, y))
	}
	return Value{Kind: ArrayValue, Array: a}, err
}

// isclose is |a - b| <= atol + rtol*|b| where b is finite, or a == b.
func (s *scope) isclose(v []Value) (Value, error) {
	equalNaN, err := truth(v[4], false)
	if err != nil {
		return Value{}, err
	}
	rtol, atol := v[2], v[3]
	if rtol.Kind == Missing {
		rtol = Float(1e-5)
	}
	if atol.Kind == Missing {
		atol = Float(1e-8)
	}
	for _, tolerance := range []Value{rtol, atol} {
		if finite, err := s.isFinite(tolerance); err != nil {
			return Value{}, err
		} else if !finite {
			return Value{}, &Fallback{"a tolerance that is not finite, of which NumPy tells,"}
		}
	}
	if y, ok := realNumber(v[1]); ok && v[0].Kind == ArrayValue {
		return s.iscloseTo(v[0], y, rtol, atol, equalNaN)
	}
	a, b, _, err := s.pair(v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	// Whole numbers compare as floats, so that differences do not wrap.
	y := Of(b)
	if b.view.Type.Is(tile.KindBool | tile.KindInt | tile.KindUint) {
		c, err := s.own(s.c.astype(b, tile.Float64, "astype"))
		if err != nil {
			return Value{}, err
		}
		y = Of(c)
	}
	x := Of(a)
	if v[0].isScalar() && v[1].Kind == ArrayValue {
		x = v[0] // a number of Python has no dtype of its own
	}
	chain := []struct {
		u    Ufunc
		x, y int // positions in done
	}{
		{Absolute, 1, 0},     // 4: |b|
		{Multiply, 2, 4},     // 5
		{Add, 3, 5},          // 6: the tolerance
		{Subtract, 0, 1},     // 7
		{Absolute, 7, 0},     // 8
		{LessEqual, 8, 6},    // 9
		{IsFinite, 1, 0},     // 10
		{LogicalAnd, 9, 10},  // 11
		{Equal, 0, 1},        // 12
		{LogicalOr, 11, 12},  // 13
		{NotEqual, 0, 0},     // 14: a is NaN
		{NotEqual, 1, 1},     // 15: b is NaN
		{LogicalAnd, 14, 15}, // 16
		{LogicalOr, 13, 16},  // 17
	}
	if !equalNaN {
		chain = chain[:10]
	}
	done := []Value{x, y, rtol, atol}
	for _, op := range chain {
		r, err := s.step(op.u, done[op.x], done[op.y])
		if err != nil {
			return Value{}, err
		}
		done = append(done, r)
	}
	return done[len(done)-1], nil
}

// iscloseTo is isclose to a number of Python, which takes the array's dtype.
func (s *scope) iscloseTo(x Value, y float64, rtol, atol Value, equalNaN bool) (Value, error) {
	number := Float(y)
	switch {
	case math.IsNaN(y) && equalNaN:
		return s.step(NotEqual, x, x)
	case math.IsNaN(y) || math.IsInf(y, 0):
		return s.step(Equal, x, number)
	}
	var tolerance Value
	relative, realR := realNumber(rtol)
	absolute, realA := realNumber(atol)
	if realR && realA {
		tolerance = Float(absolute + float64(relative*math.Abs(y)))
	} else {
		scaled, err := s.step(Multiply, rtol, Float(math.Abs(y)))
		if err != nil {
			return Value{}, err
		}
		if tolerance, err = s.step(Add, atol, scaled); err != nil {
			return Value{}, err
		}
	}
	done := []Value{x, number, tolerance}
	for _, op := range []struct {
		u    Ufunc
		x, y int // positions in done
	}{
		{Subtract, 0, 1},  // 3
		{Absolute, 3, 0},  // 4
		{LessEqual, 4, 2}, // 5
		{Equal, 0, 1},     // 6
		{LogicalOr, 5, 6}, // 7
	} {
		r, err := s.step(op.u, done[op.x], done[op.y])
		if err != nil {
			return Value{}, err
		}
		done = append(done, r)
	}
	return done[len(done)-1], nil
}

// isFinite reports whether a number is finite, or all elements of an array, for which it waits.
func (s *scope) isFinite(v Value) (bool, error) {
	if v.Kind == FloatValue {
		return !math.IsNaN(v.Float) && !math.IsInf(v.Float, 0), nil
	}
	if v.Kind != ArrayValue {
		return true, nil
	}
	each, err := s.step(IsFinite, v, Value{})
	if err != nil {
		return false, err
	}
	all, err := s.allTrue(each.Array)
	return all.Int == 1, err
}

// realNumber returns a real number of Python as a float.
func realNumber(v Value) (x float64, ok bool) {
	switch {
	case v.DType != tile.Invalid: // NumPy's
	case v.Kind == BoolValue || v.Kind == IntValue:
		return float64(v.Int), true
	case v.Kind == UintValue:
		return float64(uint64(v.Int)), true
	case v.Kind == FloatValue:
		return v.Float, true
	}
	return 0, false
}

func iscloseRow(s *scope, v []Value) (Value, error) {
	r, err := s.isclose(v)
	if err != nil {
		return Value{}, err
	}
	same := r.Array.same()
	same.Scalar = r.Array.Scalar
	return Of(same), nil
}

func allclose(s *scope, v []Value) (Value, error) {
	r, err := s.isclose(v)
	if err != nil {
		return Value{}, err
	}
	return s.allTrue(r.Array)
}

// allTrue waits for whether all elements are true, as a Python bool.
func (s *scope) allTrue(a *Array) (Value, error) {
	all, err := allOf(s, []Value{Of(a), {}, {}, {}, {}})
	if err != nil {
		return Value{}, err
	}
	defer all.Array.Free()
	answer, err := all.Array.Item(s.c.Stop)
	return toValue(answer), err
}

// meshgrid broadcasts vectors against each other; with 'xy' the first two axes trade places.
func meshgrid(s *scope, v []Value) (Value, error) {
	list, err := s.arrays(v[0])
	if err != nil {
		return Value{}, err
	}
	copying, err := truth(v[1], true)
	if err != nil {
		return Value{}, err
	}
	sparse, err := truth(v[2], false)
	if err != nil {
		return Value{}, err
	}
	if !copying {
		return Value{}, &Fallback{"a grid of views"} // which may be written, with a warning
	}
	indexing := "xy"
	if v[3].Kind != Missing && v[3].Kind != StringValue {
		return Value{}, &Fallback{"an indexing= that is no word"} // NumPy compares it with the words
	}
	if v[3].Kind == StringValue {
		indexing = v[3].String
	}
	if indexing != "xy" && indexing != "ij" {
		return Value{}, errorf("ValueError", "Valid values for `indexing` are 'xy' and 'ij'.")
	}
	place := func(i int) int {
		if indexing == "xy" && len(list) > 1 && i < 2 {
			return 1 - i
		}
		return i
	}
	full := make([]int, len(list))
	for i, a := range list {
		full[place(i)] = a.size
	}
	results := make([]Value, len(list))
	for i, a := range list {
		shape := ones(len(list))
		shape[place(i)] = a.size
		x, err := s.c.Reshape(a, shape)
		if err == nil && !sparse {
			x, err = s.c.broadcastOwned(x, full)
		}
		if err == nil {
			x, err = s.c.copyOwned(x)
		}
		if err != nil {
			for _, r := range results[:i] {
				r.Array.Free()
			}
			return Value{}, err
		}
		results[i] = Of(x)
	}
	return Tuple(results...), nil
}

// broadcastOwned and copyOwned replace an array by its broadcast or copy.
func (c *Context) broadcastOwned(a *Array, shape []int) (*Array, error) {
	defer a.Free()
	return c.BroadcastTo(a, shape)
}

func (c *Context) copyOwned(a *Array) (*Array, error) {
	defer a.Free()
	return c.copyOf(a)
}

func copyto(s *scope, v []Value) (Value, error) {
	if v[0].Kind != ArrayValue {
		return Value{}, &Fallback{"copyto into something that is not an array"}
	}
	dst := v[0].Array
	if err := dst.alive(); err != nil {
		return Value{}, err
	}
	casting := "same_kind"
	if v[2].Kind != Missing && v[2].Kind != StringValue {
		return Value{}, &Fallback{"a casting= that is no rule's name"} // NumPy words the error
	}
	if v[2].Kind == StringValue {
		casting = v[2].String
	}
	if checkCasting(casting) != nil {
		return Value{}, &Fallback{"copyto with another casting="} // NumPy words the error, in which its copyto knows fewer rules
	}
	if err := dst.refuse("assignment destination is read-only"); err != nil {
		return Value{}, err
	}
	if dst.view.Type == tile.Bool && isHuge(&v[1]) {
		return Value{}, &Fallback{"a number that no int64 holds, as a bool"} // NumPy words the error
	}
	if v[1].isScalar() {
		t, _ := typeOf(v[1])
		if casting == "no" || casting == "equiv" {
			return Value{}, &Fallback{"copyto of a number as it is"} // NumPy knows which are, and words the error
		}
		if withWeak(dst.view.Type, t) != dst.view.Type {
			if casting != "unsafe" {
				return Value{}, &Fallback{"copyto of a number of another kind"} // NumPy words the error
			}
			number, err := s.array(v[1]) // which is cast as an array is, where an assignment may not
			if err != nil {
				return Value{}, err
			}
			v[1] = Value{Kind: ArrayValue, Array: number}
		}
	} else if v[1].Kind != ArrayValue {
		return Value{}, &Fallback{"copyto from something that is not an array"}
	} else if from := v[1].Array.view.Type; !canCast(from, dst.view.Type, casting) {
		what := "array data"
		if v[1].Array.Ndim() == 0 {
			what = "scalar"
		}
		return Value{}, errorf("TypeError", "Cannot cast %s from dtype('%v') to dtype('%v') according to the rule '%s'", what, from, dst.view.Type, casting)
	}
	if v[1].Kind == ArrayValue {
		if err := s.c.discards(v[1].Array.view.Type, dst.view.Type); err != nil {
			return Value{}, err
		}
	}
	if v[3].Kind == Missing || v[3].Kind == BoolValue && v[3].Int == 1 {
		return Value{Kind: None}, s.c.assign(dst, v[1])
	}
	mask, err := s.array(v[3])
	if err != nil {
		return Value{}, err
	}
	if mask.view.Type != tile.Bool || !fitsInto(mask.view.Shape, dst.view.Shape) {
		return Value{}, &Fallback{"copyto with such a where="} // NumPy words the error
	}
	x := v[1]
	if x.Kind == ArrayValue {
		part, _ := s.own(x.Array.withoutLeading(dst.Ndim()), nil)
		x = Of(part)
	}
	if x.Kind == ArrayValue && !fitsInto(x.Array.view.Shape, dst.view.Shape) {
		return Value{}, errorf("ValueError", "could not broadcast input array from shape %s into shape %s", units.Shape(x.Array.view.Shape), units.Shape(dst.view.Shape))
	}
	whole, _ := s.own(broadcast(mask, dst.view.Shape), nil)
	return Value{Kind: None}, s.c.selectInto("copyto", dst, whole, x)
}
