package arrays

import (
	"slices"

	"weft/tile"
)

// scope is one call of a table function: it owns the arrays that the call makes on the
// way, and frees them when the call ends.
type scope struct {
	c     *Context
	owned []*Array
	room  [4]*Array // for the first of them
}

// own puts a temporary into the scope; it passes errors through.
func (s *scope) own(a *Array, err error) (*Array, error) {
	if err == nil {
		if s.owned == nil {
			s.owned = s.room[:0]
		}
		s.owned = append(s.owned, a)
	}
	return a, err
}

func (s *scope) free() {
	for _, a := range s.owned {
		a.Free()
	}
}

// array reads an array argument; a Python number becomes an array of no dimensions.
func (s *scope) array(v Value) (*Array, error) {
	if v.Kind == ArrayValue {
		return v.Array, v.Array.alive()
	}
	t, ok := typeOf(v)
	if !ok {
		return nil, &Fallback{"an argument that is not an array or a number"}
	}
	of := promote(t)
	if v.Kind == UintValue {
		of = tile.Uint64
	}
	literal, err := weakScalar(v, of)
	if err != nil {
		return nil, err
	}
	return s.own(s.c.literal(literal))
}

// arrays reads a sequence of arrays. An array in its place is taken apart along its first axis.
func (s *scope) arrays(v Value) ([]*Array, error) {
	if v.Kind == ArrayValue {
		a := v.Array
		if a.Ndim() == 0 {
			return nil, errorf("TypeError", "iteration over a 0-d array")
		}
		list := make([]*Array, a.view.Shape[0])
		for i := range list {
			x, err := s.own(a.take(0, i), nil)
			if err != nil {
				return nil, err
			}
			list[i] = x
		}
		return list, nil
	}
	if v.Kind != TupleValue {
		return nil, &Fallback{"a sequence of arrays that is not a list or tuple"}
	}
	list := make([]*Array, len(v.Items))
	for i, it := range v.Items {
		a, err := s.array(it)
		if err != nil {
			return nil, err
		}
		list[i] = a
	}
	return list, nil
}

// alike is arrays for functions whose results have a dtype in common: numbers of Python take part as such.
func (s *scope) alike(v Value) ([]*Array, error) {
	list, err := s.arrays(v)
	if err != nil || v.Kind != TupleValue || !slices.ContainsFunc(v.Items, Value.isScalar) {
		return list, err
	}
	types := make([]operandType, len(list))
	for i, it := range v.Items {
		types[i], _ = typeOf(it)
	}
	common := promote(types...)
	for i, it := range v.Items {
		if !it.isScalar() {
			continue
		}
		literal, err := weakScalar(it, common)
		if err != nil {
			return nil, &Fallback{"a number beyond the arrays' dtype"} // NumPy words the error
		}
		if list[i], err = s.own(s.c.literal(literal)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// take returns the view at one index of an axis, which must be in range.
func (a *Array) take(axis, i int) *Array {
	v := &a.view
	shape := append(append([]int{}, v.Shape[:axis]...), v.Shape[axis+1:]...)
	strides := append(append([]int64{}, v.Strides[:axis]...), v.Strides[axis+1:]...)
	return a.sub(v.Type, v.Offset+int64(i)*v.Strides[axis], shape, strides)
}

// outArg reads an out argument: an array.
func outArg(v Value) (*Array, error) {
	switch {
	case !v.given():
		return nil, nil
	case v.Kind == ArrayValue:
		return v.Array, v.Array.alive()
	}
	return nil, &Fallback{"an out= that is not an array"} // NumPy words the error
}

// ufuncOut reads the out argument of a ufunc, which may be a tuple of one.
func ufuncOut(v Value) (*Array, error) {
	if v.Kind == TupleValue && len(v.Items) == 1 {
		if v = v.Items[0]; v.Kind == EllipsisValue {
			return nil, &Fallback{"out= of a tuple with an ellipsis"} // NumPy words the error
		}
	}
	return outArg(v)
}

// number reads a scalar argument: a Python number, or the value of an array of no
// dimensions, which is waited for.
func (s *scope) number(v Value) (Value, error) {
	if v.Kind == ArrayValue {
		if v.Array.Ndim() != 0 {
			return v, &Fallback{"an array where a number is usual"}
		}
		x, err := v.Array.Item(s.c.Stop)
		return toValue(x), err
	}
	if !v.isScalar() {
		return v, &Fallback{"an argument that is not a number"}
	}
	return v, nil
}

// integer reads an integer argument.
func (s *scope) integer(v Value, otherwise int) (int, error) {
	if v.Kind == Missing {
		return otherwise, nil
	}
	if v.Kind == ArrayValue && v.Array.Ndim() == 0 {
		x, err := s.number(v)
		if err != nil {
			return 0, err
		}
		v = x
	}
	if v.Kind == IntValue {
		return int(v.Int), nil
	}
	return 0, &Fallback{"an argument that is not an integer"} // NumPy words the error, where it is one: tri(3.7) and roll(a, True) are none
}

// truth reads a flag.
func truth(v Value, otherwise bool) (bool, error) {
	switch v.Kind {
	case Missing:
		return otherwise, nil
	case None:
		return false, nil
	case BoolValue, IntValue:
		return v.Int != 0, nil
	}
	return false, &Fallback{"a flag that is not a bool"}
}

// dtypeArg reads a dtype argument; Invalid when it isn't given.
func dtypeArg(v Value) (tile.DType, error) {
	switch v.Kind {
	case Missing, None:
		return tile.Invalid, nil
	case DTypeValue:
		return v.DType, nil
	case StringValue:
		if t, err := tile.ParseDType(v.String); err == nil {
			return t, nil
		}
		if len(v.String) == 1 && ofChar(v.String[0]) != tile.Invalid {
			return ofChar(v.String[0]), nil
		}
	}
	return tile.Invalid, &Fallback{"dtype=" + v.String}
}

// plain refuses options that change nothing only at their usual values.
func plain(what string, v Value, usual ...string) error {
	if !v.given() {
		return nil
	}
	if v.Kind == StringValue {
		for _, u := range usual {
			if v.String == u {
				return nil
			}
		}
	}
	if v.Kind == BoolValue && len(usual) == 1 && usual[0] == "True" && v.Int == 1 {
		return nil
	}
	return &Fallback{what + " is not native"}
}

// named is plain of what NumPy takes no None for.
func named(what string, v Value, usual ...string) error {
	if v.Kind == None {
		return &Fallback{what + "None"} // NumPy words the error
	}
	return plain(what, v, usual...)
}

// shape reads a shape: an integer or a sequence of integers.
func (s *scope) shape(v Value) ([]int, error) {
	if v.Kind == TupleValue {
		shape := make([]int, len(v.Items))
		for i, it := range v.Items {
			n, err := s.integer(it, 0)
			if err != nil {
				return nil, err
			}
			shape[i] = n
		}
		return shape, nil
	}
	if v.Kind == ArrayValue && v.Array.Ndim() == 1 && v.Array.view.Type.Is(tile.KindInt|tile.KindUint) {
		return s.numbers(v.Array)
	}
	n, err := s.integer(v, 0)
	return []int{n}, err
}

// numbers waits for the elements of an array of integers of one axis.
func (s *scope) numbers(a *Array) ([]int, error) {
	list := make([]int, a.size)
	for i := range list {
		one, err := s.own(a.take(0, i), nil)
		if err != nil {
			return nil, err
		}
		if list[i], err = s.integer(Of(one), 0); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// dims is shape for arguments that are shapes, for which NumPy has words of its own.
func (s *scope) dims(v Value) ([]int, error) {
	switch v.Kind {
	case FloatValue:
		return nil, errorf("TypeError", "expected a sequence of integers or a single integer, got '%s'", scalarText(tile.FloatScalar(tile.Float64, v.Float)))
	case None:
		return nil, errorf("TypeError", "Use () not None as shape arguments")
	}
	return s.shape(v)
}

// axis checks one axis of an array of ndim dimensions and returns it counted from 0.
// prefix goes before the text of the error: "axis1: ".
func axis(i, ndim int, prefix string) (int, error) {
	if i < -ndim || i >= ndim {
		return 0, errorf("AxisError", "%saxis %d is out of bounds for array of dimension %d", prefix, i, ndim)
	}
	if i < 0 {
		i += ndim
	}
	return i, nil
}

// The texts of the error that an axis stands twice in a list of axes.
const (
	axisTwice    = "duplicate value in 'axis'" // of reductions
	axisRepeated = "repeated axis"             // of what NumPy writes in Python
)

// axisList reads an integer or a sequence of integers as axes, in their order. twice is the text of the error when
// there is one twice.
func (s *scope) axisList(v Value, ndim int, twice string) ([]int, error) {
	list, err := s.shape(v)
	if err != nil {
		return nil, err
	}
	var seen tile.Axes
	for k, i := range list {
		if list[k], err = axis(i, ndim, ""); err != nil {
			return nil, err
		}
		if seen.Has(list[k]) {
			return nil, errorf("ValueError", "%s", twice)
		}
		seen |= 1 << list[k]
	}
	return list, nil
}

// axes reads the axis argument of a reduction; None is all of them.
func (s *scope) axes(v Value, ndim int) (tile.Axes, error) {
	if !v.given() {
		return 1<<max(ndim, 1) - 1, nil
	}
	if v.isList() {
		return 0, &Fallback{"a list of axes"} // NumPy words the error
	}
	if ndim == 0 && v.Kind == TupleValue { // a number has axis 0 where no tuple says so
		if len(v.Items) == 0 {
			return 1, nil
		}
		i, err := s.integer(v.Items[0], 0)
		if err != nil {
			return 0, err
		}
		return 0, errorf("AxisError", "axis %d is out of bounds for array of dimension 0", i)
	}
	list, err := s.axisList(v, max(ndim, 1), axisTwice)
	if err != nil {
		if ndim == 0 { // an array of no dimensions has axis 0 for this purpose only
			if _, isAxis := err.(*Error); isAxis && err.(*Error).Type == "AxisError" {
				i, _ := s.integer(v, 0)
				return 0, errorf("AxisError", "axis %d is out of bounds for array of dimension 0", i)
			}
		}
		return 0, err
	}
	var set tile.Axes
	for _, i := range list {
		set |= 1 << i
	}
	return set, nil
}
