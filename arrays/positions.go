package arrays

import (
	"math"

	"weft/scheduler"
	"weft/tile"
)

func argmin(s *scope, v []Value) (Value, error) {
	return s.position("argmin", folding{name: "min", ufunc: "minimum", comb: tile.MinOf}, v)
}

func argmax(s *scope, v []Value) (Value, error) {
	return s.position("argmax", folding{name: "max", ufunc: "maximum", comb: tile.MaxOf}, v)
}

// longEnough is from how many elements on the place of an extreme is searched for by a routine, which
// ends where it has found it. A routine is never fused, so that few elements are left to programs.
const longEnough = 1 << 14

// searchable are the dtypes that the routine takes.
const searchable = 1<<tile.Bool | 1<<tile.Int8 | 1<<tile.Int16 | 1<<tile.Int32 | 1<<tile.Int64 | 1<<tile.Uint8 | 1<<tile.Uint16 |
	1<<tile.Uint32 | 1<<tile.Uint64 | 1<<tile.Float32 | 1<<tile.Float64

// position finds the first place of an extreme in two passes: the extreme, then the
// smallest index at which it (or a NaN, which wins over everything) stands.
func (s *scope) position(name string, f folding, v []Value) (Value, error) {
	if v[1].Kind == TupleValue {
		return Value{}, errorf("TypeError", "'tuple' object cannot be interpreted as an integer")
	}
	// The shape of out is checked below: NumPy words that error differently here.
	r, err := s.reducedArgs(name, v[0], v[1], Value{}, Value{}, v[3], Value{}, Value{})
	if err != nil {
		return Value{}, err
	}
	if v[2].given() {
		return Value{}, &Fallback{"out= of " + name}
	}
	shape := spaceOf(r.a)
	x, err := s.c.alloc(tile.Int64, resultShape(shape, r.axes, r.keep, r.a.Ndim()), nil)
	if err != nil {
		return Value{}, err
	}
	if err = s.positionInto(name, f, r, shape, x); err != nil {
		x.Free()
		return Value{}, err
	}
	x.Scalar = x.Ndim() == 0
	return result(x, nil)
}

func (s *scope) positionInto(name string, f folding, r reduced, shape []int, x *Array) error {
	if points(shape, r.axes) == 0 {
		return errorf("ValueError", "attempt to get %s of an empty sequence", name)
	}
	if x.size == 0 {
		return nil
	}
	f.acc = r.a.view.Type
	best, err := s.own(s.fold(f, r.a, r.axes, r.a.Ndim() > 0, nil))
	if err != nil {
		return err
	}
	if r.a.contiguous && r.a.size >= longEnough && searchable>>r.a.view.Type&1 != 0 {
		return s.c.routine("position").in(aroundAxes(r.a.view, r.axes)).in(best.view).out(x).submit(name)
	}
	// An index counts the reduced axes in C order; kept axes have the factor 0.
	factors := make([]tile.Scalar, len(shape))
	step := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		factors[i] = tile.IntScalar(tile.Int64, 0)
		if r.axes.Has(i) {
			factors[i] = tile.IntScalar(tile.Int64, step)
			step *= int64(shape[i])
		}
	}
	if len(shape) == 1 {
		factors = nil // the coordinate is the index
	}
	p := reduction{
		c: s.c, name: name, kind: scheduler.Reduce, shape: shape, axes: r.axes, comb: tile.MinOf, acc: tile.Int64,
		first: programKey{what: positionTemplate, types: [4]tile.DType{r.a.view.Type}},
		views: []scheduler.View{overSpace(r.a.view, shape), overSpace(best.view, shape)},
		with:  factors,
	}
	return p.run(x)
}

// aroundAxes returns a view of three axes of a contiguous array: those before the reduced ones, which are neighbours,
// these, and those behind.
func aroundAxes(v scheduler.View, axes tile.Axes) scheduler.View {
	shape := []int{1, 1, 1}
	for i, n := range v.Shape {
		switch {
		case axes.Has(i):
			shape[1] *= n
		case axes>>uint(i) != 0:
			shape[0] *= n
		default:
			shape[2] *= n
		}
	}
	size := int64(v.Type.Size())
	v.Shape, v.Strides = shape, []int64{int64(shape[1]*shape[2]) * size, int64(shape[2]) * size, size}
	return v
}

func buildPosition(b *tile.Builder, k programKey) {
	x, best := b.Load(k.types[0]), b.Load(k.types[0])
	hit := b.Do(tile.Eq, x, best)
	if tile.IsNaN.Accepts(k.types[0]) {
		hit = b.Do(tile.Or, hit, b.Do(tile.IsNaN, x))
	}
	at := b.Index(0)
	if k.rank > 1 {
		at = b.Do(tile.Mul, at, b.Uniform(tile.Int64))
	}
	for i := 1; i < int(k.rank); i++ {
		at = b.Do(tile.Add, at, b.Do(tile.Mul, b.Index(i), b.Uniform(tile.Int64)))
	}
	b.Reduce(tile.MinOf, b.Do(tile.Select, hit, at, b.Const(tile.IntScalar(tile.Int64, math.MaxInt64))))
}

// anyNegative waits for whether an array of signed integers has a negative element.
func (c *Context) anyNegative(a *Array) (bool, error) {
	s := scope{c: c}
	defer s.free()
	shape := spaceOf(a)
	x, err := s.own(c.alloc(tile.Bool, nil, nil))
	if err != nil {
		return false, err
	}
	r := reduction{
		c: c, name: "power", kind: scheduler.Reduce, shape: shape, axes: 1<<len(shape) - 1, comb: tile.Any, acc: tile.Bool,
		first: programKey{what: negativeTemplate, types: [4]tile.DType{a.view.Type}},
		views: []scheduler.View{overSpace(a.view, shape)},
	}
	if err := r.run(x); err != nil {
		return false, err
	}
	answer, err := x.Item(c.Stop)
	return answer.Bits[0] != 0, err
}

func buildNegative(b *tile.Builder, k programKey) {
	b.Reduce(tile.Any, b.Do(tile.Lt, b.Load(k.types[0]), b.Const(tile.IntScalar(k.types[0], 0))))
}
