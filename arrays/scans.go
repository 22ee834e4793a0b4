package arrays

import (
	"slices"

	"weft/tile"
)

// scanFuncs are the rows of running combinations.
var scanFuncs = []row{
	{"cumsum", "a, axis=None, dtype=None, out=None", "axis=None, dtype=None, out=None",
		"Return the cumulative sum of the elements along a given axis.\n\nDtypes as in sum. Rows of up to 131072 elements are added in NumPy's order, longer ones block by block.", running("add")},
	{"cumprod", "a, axis=None, dtype=None, out=None", "axis=None, dtype=None, out=None",
		"Return the cumulative product of elements along a given axis.\n\nDtypes as in prod.", running("multiply")},
	{"maximum.accumulate", "array, axis=0, dtype=None, out=None", "", "Accumulate the maximum of all elements along an axis.", accumulated("maximum")},
	{"minimum.accumulate", "array, axis=0, dtype=None, out=None", "", "Accumulate the minimum of all elements along an axis.", accumulated("minimum")},
	{"add.accumulate", "array, axis=0, dtype=None, out=None", "", "Accumulate the sum of all elements along an axis.", accumulated("add")},
	{"multiply.accumulate", "array, axis=0, dtype=None, out=None", "", "Accumulate the product of all elements along an axis.", accumulated("multiply")},
}

func running(op string) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		a, err := s.array(v[0])
		if err != nil {
			return Value{}, err
		}
		if v[1].Kind == Missing || a.Ndim() == 0 && !v[1].given() {
			v[1] = Value{Kind: None}
		}
		return s.scan(op, a, v[1], v[2], v[3])
	}
}

func accumulated(op string) func(s *scope, v []Value) (Value, error) {
	return func(s *scope, v []Value) (Value, error) {
		a, err := s.array(v[0])
		if err != nil {
			return Value{}, err
		}
		if v[1].Kind == Missing {
			v[1] = Int(0)
		}
		if v[1].Kind == None || a.Ndim() == 0 {
			return Value{}, &Fallback{"accumulate without an axis"} // NumPy words the error
		}
		return s.scan(op, a, v[1], v[2], v[3])
	}
}

// scan is the running combination along an axis.
func (s *scope) scan(op string, a *Array, along, dtype, out Value) (Value, error) {
	t, err := dtypeArg(dtype)
	if err != nil {
		return Value{}, err
	}
	if t != tile.Invalid {
		if err := s.c.discards(a.view.Type, t); err != nil {
			return Value{}, err
		}
	}
	dst, err := outArg(out)
	if err != nil {
		return Value{}, err
	}
	sums := op == "add" || op == "multiply"
	switch {
	case t == tile.Invalid && dst != nil:
		t = promotions[a.view.Type][dst.view.Type]
	case t == tile.Invalid && sums:
		t = accumulator(a.view.Type)
	case t == tile.Invalid:
		t = a.view.Type
	}
	if sums && t == tile.Bool || !sums && (t == tile.Float16 || t.Is(tile.KindComplex)) {
		return Value{}, &Fallback{"a scan of " + t.String()}
	}
	a, axis, err := s.axisOrFlat(a, along, 0)
	if err != nil {
		return Value{}, err
	}
	u, steps := stepUfuncs[op]
	steps = steps && a.view.Shape[axis] <= mostSteps && a.size >= leastStepped && (t.Is(tile.KindFloat) || t.Is(tile.KindInt)) && t != tile.Float16
	if steps && dst != nil && !dst.readonly && dst.view.Type == t && sameView(dst, a) {
		return result(dst, s.stepwise(u, a, dst, axis))
	}
	r, err := s.asItLies(a, axis, keptOrder(a.view.Shape, a.view), func(a *Array, axis int) (*Array, error) {
		if steps {
			return s.steps(u, a, axis, t)
		}
		x, err := s.packed(a, t)
		if err != nil {
			return nil, err
		}
		r, err := s.c.alloc(t, a.view.Shape, nil)
		if err != nil || r.size == 0 {
			return r, err
		}
		k := s.c.routine("scan."+op, tile.IntAttr("axis", int64(axis))).in(x.view).out(r)
		if sums && t.Is(tile.KindFloat|tile.KindComplex) {
			k.running()
		}
		if err := k.submit(op + ".accumulate"); err != nil {
			r.Free()
			return nil, err
		}
		return r, nil
	})
	if err != nil {
		return Value{}, err
	}
	if dst == nil {
		return Of(r), nil
	}
	s.own(r, nil)
	if sums && r.view.Type != dst.view.Type {
		if r, err = s.own(s.c.castAsItLies(r, dst.view.Type, op+".accumulate")); err != nil {
			return Value{}, err
		}
	}
	return s.into(r, out, op+".accumulate")
}

// Scans along an axis of few points, of many elements, are an operation for each point: these are fused, and read and
// write the elements where they lie. The order of the roundings is the same.
const (
	mostSteps    = 16
	leastStepped = 4096 // elements
)

// stepUfuncs are the ufuncs with which scans go on that are exact or rounded alike. Extremes are not: of equal zeros
// and several NaNs a scan keeps others.
var stepUfuncs = map[string]Ufunc{"add": Add, "multiply": Multiply}

// steps is a scan whose every point along the axis is an operation on the one before.
func (s *scope) steps(u Ufunc, a *Array, axis int, t tile.DType) (*Array, error) {
	x := a
	if a.view.Type != t {
		var err error
		if x, err = s.packed(a, t); err != nil {
			return nil, err
		}
	}
	r, err := s.c.alloc(t, a.view.Shape, nil)
	if err != nil {
		return nil, err
	}
	if err := s.stepwise(u, x, r, axis); err != nil {
		r.Free()
		return nil, err
	}
	return r, nil
}

// stepwise does so from one array into another of its shape and dtype, which may be the same.
func (s *scope) stepwise(u Ufunc, x, r *Array, axis int) error {
	point := func(a *Array, k int) *Array {
		shape, strides := slices.Clone(a.view.Shape), slices.Clone(a.view.Strides)
		at := a.view.Offset + int64(k)*strides[axis]
		p, _ := s.own(a.sub(a.view.Type, at, slices.Delete(shape, axis, axis+1), slices.Delete(strides, axis, axis+1)), nil)
		return p
	}
	s.c.telling().as = "accumulate"
	before := point(r, 0)
	err := s.c.assign(before, Of(point(x, 0)))
	for k := 1; err == nil && k < x.view.Shape[axis]; k++ {
		next := point(r, k)
		acc, term := Of(before), Of(point(x, k))
		_, err = s.c.apply(u, &acc, &term, next, tile.Invalid)
		before = next
	}
	return err
}
