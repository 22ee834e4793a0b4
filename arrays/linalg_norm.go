package arrays

import (
	"math"
	"slices"

	"weft/tile"
)

// do calls a function of the table and keeps its result, which must be a new array, in the
// scope.
func (s *scope) do(name string, args ...any) (*Array, error) { return s.own(s.c.Call(name, args...)) }

// axisAnd are the keywords of a reduction over one axis.
func axisAnd(axis int, keep bool, more ...any) []any {
	return append(more, Keyword{"axis", axis}, Keyword{"keepdims", keep})
}

// norm is every norm of NumPy: by default the root of the sum of squares of everything, or of
// the axes that are given; ord= chooses another for vectors or matrices.
func norm(s *scope, v []Value) (Value, error) {
	if v[2].Kind == TupleValue && len(v[2].Items) == 0 {
		return Value{}, &Fallback{"a norm along no axis"} // NumPy words the error
	}
	if !v[1].given() {
		return s.euclid(v[0], v[2], v[3])
	}
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if t := meanType(tile.Invalid, a.view.Type); t != a.view.Type {
		if a, err = s.own(s.c.astype(a, t, "astype")); err != nil {
			return Value{}, err
		}
	}
	keep, err := truth(v[3], false)
	if err != nil {
		return Value{}, err
	}
	axes := make([]int, a.Ndim())
	for i := range axes {
		axes[i] = i
	}
	if v[2].given() {
		if axes, err = s.axisList(v[2], a.Ndim(), "Duplicate axes given."); err != nil {
			return Value{}, err
		}
	}
	if !v[2].given() && byDot(v[1], len(axes)) {
		s.c.telling().as = "dot"
	}
	if len(axes) != 1 && len(axes) != 2 {
		return Value{}, errorf("ValueError", "Improper number of dimensions to norm.")
	}
	if a.size == 0 {
		return Value{}, &Fallback{"ord= of a norm of nothing"}
	}
	var x *Array
	if len(axes) == 1 {
		x, err = s.vectorNorm(a, v[1], axes[0], keep)
	} else {
		x, err = s.matrixNorm(a, v[1], axes, keep)
	}
	if err != nil {
		return Value{}, err
	}
	return s.give(x), nil
}

// euclid is the root of the sum of squares over axes.
func (s *scope) euclid(x, axis, keepdims Value) (Value, error) {
	a, err := s.array(x)
	if err != nil {
		return Value{}, err
	}
	if axis.Kind == TupleValue && len(axis.Items) > 2 {
		return Value{}, errorf("ValueError", "Improper number of dimensions to norm.")
	}
	if axis.Kind == IntValue { // which NumPy makes a tuple of: a number has no axis 0 then
		axis = Value{Kind: TupleValue, Items: []Value{axis}}
	}
	axes, err := s.axes(axis, a.Ndim())
	if e, wrong := err.(*Error); wrong && e.Type == "ValueError" {
		return Value{}, errorf("ValueError", "Duplicate axes given.")
	}
	if err != nil {
		return Value{}, err
	}
	if keepdims.Kind == None {
		return Value{}, &Fallback{"keepdims=None"} // which some of NumPy's ways take
	}
	keep, err := truth(keepdims, false)
	if err != nil {
		return Value{}, err
	}
	t := meanType(tile.Invalid, a.view.Type)
	if t != a.view.Type {
		if a, err = s.own(s.c.astype(a, t, "astype")); err != nil {
			return Value{}, err
		}
	}
	if !axis.given() { // which NumPy computes by its dot
		s.c.telling().as = "dot"
	}
	size, err := s.step(Absolute, Of(a), Value{})
	if err != nil {
		return Value{}, err
	}
	squares, err := s.step(Multiply, size, size)
	if err != nil {
		return Value{}, err
	}
	f := folding{name: "norm", ufunc: "add", comb: tile.Sum, acc: wide(t.Real()), identity: numberScalar(wide(t.Real()), 0, 0)}
	total, err := s.fold(f, squares.Array, axes, keep, nil)
	if err != nil {
		return Value{}, err
	}
	z, into := Of(total), total
	if areFortrans(total.view.Shape, total.view) || total.contiguous && !falls(total.view) { // of which a new result has other strides along axes of one point
		into = nil
	}
	root, err := s.c.apply(Sqrt, &z, nil, into, tile.Invalid)
	if err != nil || root != total {
		total.Free()
	}
	if err != nil {
		return Value{}, err
	}
	total = root
	return result(s.finish(total, t.Real(), nil))
}

// byDot reports whether NumPy computes a norm along all axes, of which there are so many, by its dot.
func byDot(ord Value, axes int) bool {
	two := ord.Kind == IntValue && ord.Int == 2 || ord.Kind == FloatValue && ord.Float == 2
	return axes == 1 && two || axes == 2 && ord.Kind == StringValue && (ord.String == "fro" || ord.String == "f")
}

// order reads ord as a number; ok is false for names.
func (s *scope) order(v Value) (p float64, ok bool, err error) {
	if v.Kind == StringValue {
		return 0, false, nil
	}
	if v, err = s.number(v); err != nil {
		return 0, false, err
	}
	p, err = floatOf(v)
	return p, true, err
}

func (s *scope) vectorNorm(a *Array, ord Value, axis int, keep bool) (*Array, error) {
	p, ok, err := s.order(ord)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errorf("ValueError", "Invalid norm order '%s' for vectors", ord.String)
	}
	size, err := s.step(Absolute, Of(a), Value{})
	if err != nil {
		return nil, err
	}
	switch {
	case math.IsInf(p, 1):
		return s.do("max", axisAnd(axis, keep, size.Array)...)
	case math.IsInf(p, -1):
		return s.do("min", axisAnd(axis, keep, size.Array)...)
	case p == 0:
		some, err := s.step(NotEqual, size, Float(0))
		if err != nil {
			return nil, err
		}
		return s.do("sum", axisAnd(axis, keep, some.Array, Keyword{"dtype", a.view.Type.Real()})...)
	case p == 1:
		return s.do("sum", axisAnd(axis, keep, size.Array)...)
	case p == 2:
		x, err := s.euclid(size, Int(int64(axis)), Bool(keep))
		if err != nil {
			return nil, err
		}
		return s.own(x.Array, nil)
	}
	by := Float(p)
	if ord.Kind == IntValue { // of which NumPy tells the shorter ways, such as reciprocal
		by = Int(ord.Int)
	}
	powers, err := s.step(Power, size, by)
	if err != nil {
		return nil, err
	}
	end := s.c.toldAs("reduce")
	sum, err := s.do("sum", axisAnd(axis, keep, powers.Array)...)
	end()
	if err != nil {
		return nil, err
	}
	name := "power" // of a number of NumPy's, which has none
	if sum.Ndim() == 0 {
		name = "scalar power"
	}
	defer s.c.toldAs(name)()
	x, err := s.step(Power, Of(sum), Float(1/p))
	return x.Array, err
}

// matrixNorm is over two axes, which it moves to the end.
func (s *scope) matrixNorm(a *Array, ord Value, axes []int, keep bool) (*Array, error) {
	p, number, err := s.order(ord)
	if err != nil {
		return nil, err
	}
	name := ord.String
	switch {
	case !number && (name == "fro" || name == "f"):
		x, err := s.euclid(Of(a), Tuple(Int(int64(axes[0])), Int(int64(axes[1]))), Bool(keep))
		if err != nil {
			return nil, err
		}
		return s.own(x.Array, nil)
	case !number && name != "nuc", number && math.Abs(p) != 1 && math.Abs(p) != 2 && !math.IsInf(p, 0):
		return nil, errorf("ValueError", "Invalid norm order for matrices.")
	}
	order := make([]int, 0, a.Ndim())
	for i := range a.Ndim() {
		if !slices.Contains(axes, i) {
			order = append(order, i)
		}
	}
	m, err := s.own(a.permuted(append(order, axes...)), nil)
	if err != nil {
		return nil, err
	}
	x := (*Array)(nil)
	if !number || math.Abs(p) == 2 {
		if x, err = s.singularValues("norm", Of(m)); err != nil {
			return nil, err
		}
		how := "sum"
		switch {
		case number && p > 0:
			how = "max"
		case number:
			how = "min"
		}
		x, err = s.do(how, axisAnd(-1, false, x)...)
	} else {
		size, err1 := s.step(Absolute, Of(m), Value{})
		if err1 != nil {
			return nil, err1
		}
		along := -2 // 1: sums of columns
		if math.IsInf(p, 0) {
			along = -1
		}
		if x, err = s.do("sum", axisAnd(along, false, size.Array)...); err != nil {
			return nil, err
		}
		how := "max"
		if p < 0 {
			how = "min"
		}
		x, err = s.do(how, axisAnd(-1, false, x)...)
	}
	if err != nil || !keep {
		return x, err
	}
	shape := slices.Clone(a.view.Shape)
	for _, i := range axes {
		shape[i] = 1
	}
	return s.own(s.c.Reshape(x, shape))
}
