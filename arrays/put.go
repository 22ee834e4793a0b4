package arrays

import (
	"slices"

	"weft/tile"
)

// putFuncs are the rows that write some elements of an array.
var putFuncs = []row{
	{"put", "a, ind, v, mode='raise'", "indices, values, mode='raise'",
		"Replaces specified elements of an array with given values.\n\nThe indices are into the flattened array; values repeat. Of values for one element the last stays.", put},
	{"put_along_axis", "arr, indices, values, axis", "", "Put values into the destination array by matching 1d index and data slices.", putAlongAxis},
	{"putmask", "a, /, mask, values", "", "Changes elements of an array based on conditional and input values.", putmask},
	{"place", "arr, mask, vals", "", "Change elements of an array based on conditional and input values, which repeat.", place},
	{"choose", "a, choices, out=None, mode='raise'", "choices, out=None, mode='raise'",
		"Construct an array from an index array and a list of arrays to choose from.", choose},
}

// target reads an array that is written to; NumPy words the errors for others.
func target(name string, v Value) (*Array, error) {
	if v.Kind != ArrayValue {
		return nil, &Fallback{name + " into something that is not an array"}
	}
	if err := v.Array.alive(); err != nil {
		return nil, err
	}
	if v.Array.readonly {
		return nil, &Fallback{name + " into a read-only array"}
	}
	return v.Array, nil
}

// modeArg reads mode=.
func modeArg(v Value) (takeMode, error) {
	if v.Kind == Missing {
		return takeRaise, nil
	}
	at := -1
	if v.Kind == StringValue {
		at = slices.Index([]string{"raise", "wrap", "clip"}, v.String)
	}
	if at < 0 {
		return 0, &Fallback{"another mode"} // NumPy words the error
	}
	return takeMode(at), nil
}

// whileFlat calls change with the array as one axis, in C order: a view, or a copy that is moved
// back.
func (s *scope) whileFlat(a *Array, change func(flat *Array) error) error {
	if a.contiguous {
		flat, err := s.flat(a)
		if err != nil {
			return err
		}
		return change(flat)
	}
	x, err := s.own(s.c.copyOf(a))
	if err != nil {
		return err
	}
	flat, err := s.flat(x)
	if err != nil {
		return err
	}
	if err := change(flat); err != nil {
		return err
	}
	return s.c.move(a, x, "copy")
}

func put(s *scope, v []Value) (Value, error) {
	a, err := target("put", v[0])
	if err != nil {
		return Value{}, err
	}
	indices, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	mode, err := modeArg(v[3])
	if err != nil {
		return Value{}, err
	}
	if !canCast(indices.view.Type, tile.Int64, "safe") {
		return Value{}, &Fallback{"put with such indices"} // lists go, arrays do not
	}
	if v[2].Kind == ArrayValue && v[2].Array.view.Type.Is(tile.KindComplex) && !a.view.Type.Is(tile.KindComplex) {
		return Value{}, &Fallback{"put of complex numbers"} // NumPy words the error
	}
	if v[2].Kind == ArrayValue && v[2].Array.Shares(a) {
		return Value{}, &Fallback{"put of elements of the array itself"} // NumPy reads some that it has written
	}
	values, err := s.assigned(v[2], a.view.Type)
	if err != nil {
		return Value{}, err
	}
	if indices.size > 0 && a.size == 0 {
		return Value{}, errorf("IndexError", "cannot replace elements of an empty array")
	}
	done := Value{Kind: None}
	if values.size == 0 || indices.size == 0 {
		return done, nil
	}
	if indices, err = s.packed(indices, tile.Int64); err != nil {
		return Value{}, err
	}
	if mode == takeRaise {
		if _, err := s.inBounds("put", indices, a.size, 0); err != nil {
			return Value{}, err
		}
	}
	if indices, err = s.flat(indices); err == nil {
		values, err = s.flat(values)
	}
	if err != nil {
		return Value{}, err
	}
	return done, s.whileFlat(a, func(flat *Array) error {
		// As often as all the values fit, and what is left.
		rows := indices.size / values.size
		for _, part := range [2]struct{ from, rows, n int }{{0, rows, values.size}, {rows * values.size, 1, indices.size % values.size}} {
			if part.rows*part.n == 0 {
				continue
			}
			at, _ := s.own(indices.span(0, part.from, part.rows*part.n), nil)
			few, _ := s.own(values.span(0, 0, part.n), nil)
			if at, err = s.own(s.c.Reshape(at, []int{part.rows, part.n})); err != nil {
				return err
			}
			sel := &selection{view: flat, axes: []int{0}, at: []*Array{at}, shape: at.view.Shape, mode: mode}
			few, _ = s.own(broadcast(few, at.view.Shape), nil)
			if err := s.scatter("put", "scatter", sel, few); err != nil {
				return err
			}
		}
		return nil
	})
}

func putAlongAxis(s *scope, v []Value) (Value, error) {
	a, err := target("put_along_axis", v[0])
	if err != nil {
		return Value{}, err
	}
	indices, err := s.array(v[1])
	if err != nil {
		return Value{}, err
	}
	values, err := s.assigned(v[2], a.view.Type)
	if err != nil {
		return Value{}, err
	}
	at := 0
	if v[3].Kind == None {
		if !a.contiguous {
			return Value{}, &Fallback{"put_along_axis into all of an array with gaps"} // NumPy refuses it
		}
		if indices.Ndim() != 1 {
			return Value{}, errorf("ValueError", "when axis=None, `indices` must have a single dimension.")
		}
		if a, err = s.flat(a); err != nil {
			return Value{}, err
		}
	} else if at, err = s.integer(v[3], 0); err != nil {
		return Value{}, err
	}
	if at, err = axis(at, a.Ndim(), ""); err != nil {
		return Value{}, err
	}
	if !indices.view.Type.Is(tile.KindInt | tile.KindUint) {
		return Value{}, errorf("IndexError", "`indices` must be an integer array")
	}
	if indices.Ndim() != a.Ndim() {
		return Value{}, errorf("ValueError", "`indices` and `arr` must have the same number of dimensions")
	}
	sel := &selection{view: a}
	list := make([]*Array, a.Ndim())
	for i, n := range a.view.Shape {
		sel.axes = append(sel.axes, i)
		if i == at {
			list[i] = indices
		} else if list[i], err = s.ramp(n, i, a.Ndim()); err != nil {
			return Value{}, err
		}
	}
	if sel.shape, err = indexShape(list); err != nil {
		return Value{}, err
	}
	if list[at], err = s.inBounds("put_along_axis", indices, a.view.Shape[at], at); err != nil {
		return Value{}, err
	}
	sel.at = list
	if values, err = s.broadcastValues(values, sel.shape); err != nil {
		return Value{}, err
	}
	return Value{Kind: None}, s.scatter("put_along_axis", "scatter", sel, values)
}

// ramp returns 0 to n-1 along one of so many axes, the others having one point.
func (s *scope) ramp(n, axis, ndim int) (*Array, error) {
	v, err := arange(s, []Value{Int(int64(n)), {}, {}, {}, {}, {}})
	if err != nil {
		return nil, err
	}
	x, _ := s.own(v.Array, nil)
	shape := slices.Repeat([]int{1}, ndim)
	shape[axis] = n
	return s.own(s.c.Reshape(x, shape))
}

// maskFor reads a mask of as many elements as an array, in the array's shape.
func (s *scope) maskFor(name string, a *Array, v Value) (*Array, error) {
	mask, err := s.array(v)
	if err != nil {
		return nil, err
	}
	if mask.size != a.size {
		return nil, errorf("ValueError", "%s: mask and data must be the same size", name)
	}
	if mask, err = s.packed(mask, tile.Bool); err != nil {
		return nil, err
	}
	return s.own(s.c.Reshape(mask, a.view.Shape))
}

func putmask(s *scope, v []Value) (Value, error) {
	a, err := target("putmask", v[0])
	if err != nil {
		return Value{}, err
	}
	mask, err := s.maskFor("putmask", a, v[1])
	if err != nil {
		return Value{}, err
	}
	if v[2].isScalar() {
		return Value{Kind: None}, s.c.selectInto("putmask", a, mask, v[2])
	}
	values, err := s.array(v[2])
	if err != nil {
		return Value{}, err
	}
	if !canCast(values.view.Type, a.view.Type, "safe") {
		return Value{}, &Fallback{"putmask of values of another kind"} // lists go, arrays do not
	}
	switch {
	case values.size == 0 || a.size == 0:
		return Value{Kind: None}, nil
	case values.size < a.size && values.size > 1: // they go around the places, chosen or not
		places, err := s.ramp(a.size, 0, 1)
		if err != nil {
			return Value{}, err
		}
		flat, err := s.flat(values)
		if err != nil {
			return Value{}, err
		}
		if values, err = s.own(s.take("putmask", flat, places, 0, takeWrap)); err != nil {
			return Value{}, err
		}
	case values.size > a.size:
		flat, err := s.flat(values)
		if err != nil {
			return Value{}, err
		}
		values, _ = s.own(flat.span(0, 0, a.size), nil)
	}
	if values.size == a.size {
		if values, err = s.own(s.c.Reshape(values, a.view.Shape)); err != nil {
			return Value{}, err
		}
	} else if values, err = s.flat(values); err != nil {
		return Value{}, err
	}
	return Value{Kind: None}, s.c.selectInto("putmask", a, mask, Of(values))
}

func place(s *scope, v []Value) (Value, error) {
	a, err := target("place", v[0])
	if err != nil {
		return Value{}, err
	}
	mask, err := s.maskFor("place", a, v[1])
	if err != nil {
		return Value{}, err
	}
	if v[2].Kind == ArrayValue && v[2].Array.Shares(a) {
		return Value{}, &Fallback{"place of elements of the array itself"} // NumPy reads those that it has written
	}
	if v[2].Kind == ArrayValue && !canCast(v[2].Array.view.Type, a.view.Type, "safe") {
		return Value{}, &Fallback{"place of values of another kind"} // lists go, arrays do not
	}
	values, err := s.assigned(v[2], a.view.Type)
	if err != nil {
		return Value{}, err
	}
	done := Value{Kind: None}
	if values.size == 0 && a.size > 0 {
		n, err := s.howMany(mask)
		if err == nil && n > 0 {
			err = errorf("ValueError", "Cannot insert from an empty array!")
		}
		return done, err
	}
	if a.size == 0 {
		return done, nil
	}
	if mask, err = s.flat(mask); err == nil {
		values, err = s.flat(values)
	}
	if err != nil {
		return Value{}, err
	}
	return done, s.whileFlat(a, func(flat *Array) error { return s.expand("place", flat, mask, values, true) })
}

// maxChoices is how many arrays choose chooses from in one pass.
const maxChoices = 32

// choose is a chain of selects, which run as one pass.
func choose(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	mode, err := modeArg(v[3])
	if err != nil {
		return Value{}, err
	}
	list, err := s.alike(v[1])
	if err != nil {
		return Value{}, err
	}
	if len(list) == 0 || len(list) > maxChoices || !canCast(a.view.Type, tile.Int64, "safe") {
		return Value{}, &Fallback{"choose from so many, or by such indices"} // NumPy words the errors
	}
	n := len(list)
	types, shape, ok := make([]operandType, n), a.view.Shape, true
	for i, x := range list {
		types[i] = operandType(x.view.Type)
		if ok {
			shape, ok = broadcastShapes(shape, x.view.Shape)
		}
	}
	if !ok {
		return Value{}, &Fallback{"choose from arrays that do not fit"} // NumPy words the error
	}
	t := promote(types...)
	at, err := s.packed(a, tile.Int64)
	if err != nil {
		return Value{}, err
	}
	if at.size > 0 {
		switch mode {
		case takeRaise:
			f, known := s.c.about(at)
			if !known || !f.bounded || f.low < 0 || f.high >= int64(n) {
				if f, err = s.extremes("choose", at); err != nil {
					return Value{}, err
				}
			}
			if f.low < 0 || f.high >= int64(n) {
				return Value{}, errorf("ValueError", "invalid entry in choice array")
			}
		case takeWrap:
			at, err = s.own(s.c.Binary(Remainder, Of(at), Int(int64(n))))
		case takeClip:
			var v Value
			v, err = s.clipped(at, [2]Value{Int(0), Int(int64(n - 1))}, nil)
			at, _ = s.own(v.Array, nil)
		}
		if err != nil {
			return Value{}, err
		}
	}
	x := list[0]
	for k := 1; k < n; k++ {
		chosen, err := s.own(s.c.Binary(Equal, Of(at), Int(int64(k))))
		if err != nil {
			return Value{}, err
		}
		v, err := where(s, []Value{Of(chosen), Of(list[k]), Of(x)})
		if err != nil {
			return Value{}, err
		}
		x, _ = s.own(v.Array, nil)
	}
	out, err := s.c.alloc(t, shape, nil)
	if err != nil {
		return Value{}, err
	}
	if err := s.c.move(out, x, "choose"); err != nil {
		out.Free()
		return Value{}, err
	}
	return s.handed("choose", out, v[2])
}

// handed gives a result to out=, where that is given. It takes ownership of the result.
func (s *scope) handed(name string, x *Array, out Value) (Value, error) {
	if !out.given() {
		x.Scalar = x.Ndim() == 0
		return Of(x), nil
	}
	s.own(x, nil)
	return s.into(x, out, name)
}
