package arrays

import (
	"math"

	"weft/scheduler"
	"weft/tile"
)

// reductionFuncs are the rows of NumPy's reductions.
var reductionFuncs = []row{
	{"sum", "a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue",
		"axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True",
		"Sum of array elements over a given axis.\n\nBool and small integers are added as int64 (unsigned as uint64); float16 in float32.\nAn empty sum is 0.", sum},
	{"prod", "a, axis=None, dtype=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue",
		"axis=None, dtype=None, out=None, keepdims=False, initial=1, where=True",
		"Return the product of array elements over a given axis.\n\nDtypes as in sum. An empty product is 1.", prod},
	{"min amin", "a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue",
		"axis=None, out=None, keepdims=False, initial=_NoValue, where=True",
		"Return the minimum of an array or minimum along an axis.\n\nNaNs propagate. ValueError for an empty array.", minimum},
	{"max amax", "a, axis=None, out=None, keepdims=_NoValue, initial=_NoValue, where=_NoValue",
		"axis=None, out=None, keepdims=False, initial=_NoValue, where=True",
		"Return the maximum of an array or maximum along an axis.\n\nNaNs propagate. ValueError for an empty array.", maximum},
	{"any", "a, axis=None, out=None, keepdims=_NoValue, *, where=_NoValue",
		"axis=None, out=None, keepdims=False, *, where=True",
		"Test whether any array element along a given axis evaluates to True.", anyOf},
	{"all", "a, axis=None, out=None, keepdims=_NoValue, *, where=_NoValue",
		"axis=None, out=None, keepdims=False, *, where=True",
		"Test whether all array elements along a given axis evaluate to True.", allOf},
	{"count_nonzero", "a, axis=None, *, keepdims=False", "",
		"Counts the number of non-zero values in the array a.", countNonzero},
	{"ptp", "a, axis=None, out=None, keepdims=_NoValue", "",
		"Range of values (maximum - minimum) along an axis.", ptp},
	{"mean", "a, axis=None, dtype=None, out=None, keepdims=_NoValue, *, where=_NoValue",
		"axis=None, dtype=None, out=None, keepdims=False, *, where=True",
		"Compute the arithmetic mean along the specified axis.\n\nIntegers give float64; float16 is added in float32. The mean of nothing is nan.", mean},
	{"var", "a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue",
		"axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=_NoValue, correction=_NoValue",
		"Compute the variance along the specified axis.\n\nTwo passes: the mean, then the squared distances from it, divided by N - ddof.", variance},
	{"std", "a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NoValue, *, where=_NoValue, mean=_NoValue, correction=_NoValue",
		"axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=_NoValue, correction=_NoValue",
		"Compute the standard deviation along the specified axis: the square root of the variance.", deviation},
	{"argmin", "a, axis=None, out=None, *, keepdims=_NoValue", "axis=None, out=None, *, keepdims=False",
		"Returns the indices of the minimum values along an axis.\n\nThe first of equal ones; the first NaN where there is one.", argmin},
	{"argmax", "a, axis=None, out=None, *, keepdims=_NoValue", "axis=None, out=None, *, keepdims=False",
		"Returns the indices of the maximum values along an axis.\n\nThe first of equal ones; the first NaN where there is one.", argmax},
}

// reduced is what the reductions' arguments have in common.
type reduced struct {
	a     *Array
	axes  tile.Axes
	keep  bool
	dtype tile.DType
	out   *Array
}

// reducedArgs reads the arguments of a reduction. A missing one is a zero Value.
func (s *scope) reducedArgs(ufunc string, a, axes, dtype, out, keep, initial, where Value) (r reduced, err error) {
	if r.a, err = s.array(a); err != nil {
		return
	}
	if r.axes, err = s.axes(axes, r.a.Ndim()); err != nil {
		return
	}
	if r.dtype, err = dtypeArg(dtype); err != nil {
		return
	}
	if r.dtype != tile.Invalid {
		if err = s.c.discards(r.a.view.Type, r.dtype); err != nil {
			return
		}
	}
	if keep.Kind == None {
		return r, &Fallback{"keepdims=None"} // NumPy words the error
	}
	if r.keep, err = truth(keep, false); err != nil {
		return
	}
	if initial.Kind != Missing {
		return r, &Fallback{"initial= is not native"}
	}
	if err = named("where=", where, "True"); err != nil {
		return
	}
	if r.out, err = outArg(out); err != nil {
		return
	}
	return r, checkReduced(ufunc, r.out, resultShape(spaceOf(r.a), r.axes, r.keep, r.a.Ndim()), r.keep)
}

// direct returns out when the accumulators can go there.
func (r *reduced) direct(acc tile.DType) *Array {
	if r.out != nil && r.out.view.Type == acc && !mayOverlap(r.out.view, r.a.view) {
		return r.out
	}
	return nil
}

// isNumberAlong reports whether an array without dimensions is reduced along an axis, which NumPy's means refuse and
// its sums take.
func (r *reduced) isNumberAlong(axes Value) bool {
	return r.a.Ndim() == 0 && axes.given() && (axes.Kind != TupleValue || len(axes.Items) > 0)
}

// accumulator returns NumPy's dtype of sums and products of t.
func accumulator(t tile.DType) tile.DType {
	switch t.Kind() {
	case tile.KindBool, tile.KindInt:
		return tile.Int64
	case tile.KindUint:
		return tile.Uint64
	}
	return t
}

// wide returns what sums of t are computed in.
func wide(t tile.DType) tile.DType {
	if t == tile.Float16 {
		return tile.Float32
	}
	return t
}

func sum(s *scope, v []Value) (Value, error) {
	return s.total(folding{name: "sum", ufunc: "add", comb: tile.Sum}, 0, v)
}

func prod(s *scope, v []Value) (Value, error) {
	return s.total(folding{name: "prod", ufunc: "multiply", comb: tile.Prod}, 1, v)
}

func (s *scope) total(f folding, identity float64, v []Value) (Value, error) {
	r, err := s.reducedArgs(f.ufunc, v[0], v[1], v[2], v[3], v[4], v[5], v[6])
	if err != nil {
		return Value{}, err
	}
	t := r.dtype
	switch {
	case t == tile.Bool:
		return Value{}, &Fallback{"dtype=bool of a " + f.name}
	case t == tile.Invalid:
		t = accumulator(r.a.view.Type)
		if r.out != nil && promotions[r.a.view.Type][r.out.view.Type] != tile.Bool {
			t = promotions[r.a.view.Type][r.out.view.Type] // out= takes part as an operand; what comes of it is cast to out
		}
	}
	f.acc = wide(t)
	f.identity = numberScalar(f.acc, identity, int64(identity))
	x, err := s.fold(f, r.a, r.axes, r.keep, r.direct(f.acc))
	if err != nil {
		return Value{}, err
	}
	s.c.telling().as = "reduce" // as NumPy has it, which adds up in the dtype of the result
	return result(s.finish(x, t, r.out))
}

func minimum(s *scope, v []Value) (Value, error) {
	return s.extreme(folding{name: "min", ufunc: "minimum", comb: tile.MinOf}, v)
}

func maximum(s *scope, v []Value) (Value, error) {
	return s.extreme(folding{name: "max", ufunc: "maximum", comb: tile.MaxOf}, v)
}

func (s *scope) extreme(f folding, v []Value) (Value, error) {
	r, err := s.reducedArgs(f.ufunc, v[0], v[1], Value{}, v[2], v[3], v[4], v[5])
	if err != nil {
		return Value{}, err
	}
	f.acc = r.a.view.Type
	if r.out != nil && !canCast(f.acc, r.out.view.Type, "same_kind") {
		return Value{}, &Fallback{"out= of a lesser kind"} // NumPy words the error
	}
	if r.out != nil && !canCast(f.acc, r.out.view.Type, "safe") {
		return Value{}, &Fallback{"out= that does not hold all elements"} // where NumPy keeps what it has come to, between its buffers
	}
	x, err := s.fold(f, r.a, r.axes, r.keep, r.direct(f.acc))
	if err != nil {
		return Value{}, err
	}
	return result(s.finish(x, f.acc, r.out))
}

func anyOf(s *scope, v []Value) (Value, error) {
	return s.logical(folding{name: "any", ufunc: "logical_or", comb: tile.Any, identity: tile.BoolScalar(false)}, v)
}

func allOf(s *scope, v []Value) (Value, error) {
	return s.logical(folding{name: "all", ufunc: "logical_and", comb: tile.All, identity: tile.BoolScalar(true)}, v)
}

func (s *scope) logical(f folding, v []Value) (Value, error) {
	r, err := s.reducedArgs(f.ufunc, v[0], v[1], Value{}, v[2], v[3], Value{}, v[4])
	if err != nil {
		return Value{}, err
	}
	f.acc = tile.Bool
	x, err := s.fold(f, r.a, r.axes, r.keep, r.direct(f.acc))
	if err != nil {
		return Value{}, err
	}
	return result(s.finish(x, f.acc, r.out))
}

func countNonzero(s *scope, v []Value) (Value, error) {
	r, err := s.reducedArgs("add", v[0], v[1], Value{}, Value{}, v[2], Value{}, Value{})
	if err != nil {
		return Value{}, err
	}
	isTrue := r.a
	if r.a.view.Type != tile.Bool {
		isTrue, err = s.own(s.c.astype(r.a, tile.Bool, "count_nonzero"))
	}
	if err != nil {
		return Value{}, err
	}
	f := folding{name: "count_nonzero", comb: tile.Sum, acc: tile.Int64, identity: tile.IntScalar(tile.Int64, 0)}
	x, err := s.fold(f, isTrue, r.axes, r.keep, nil)
	if err != nil {
		return Value{}, err
	}
	return result(s.finish(x, tile.Int64, nil))
}

func ptp(s *scope, v []Value) (Value, error) {
	r, err := s.reducedArgs("maximum", v[0], v[1], Value{}, v[2], v[3], Value{}, Value{})
	if err != nil {
		return Value{}, err
	}
	t := r.a.view.Type
	if r.out != nil && r.out.view.Type != t {
		return Value{}, &Fallback{"ptp into another dtype"} // NumPy writes the greatest there first
	}
	high, err := s.own(s.fold(folding{name: "max", ufunc: "maximum", comb: tile.MaxOf, acc: t}, r.a, r.axes, r.keep, nil))
	if err != nil {
		return Value{}, err
	}
	low, err := s.own(s.fold(folding{name: "min", ufunc: "minimum", comb: tile.MinOf, acc: t}, r.a, r.axes, r.keep, nil))
	if err != nil {
		return Value{}, err
	}
	x, y := Of(high), Of(low)
	return result(s.c.apply(Subtract, &x, &y, r.out, tile.Invalid))
}

// points returns how many elements each result of a reduction combines.
func points(shape []int, axes tile.Axes) int {
	n := 1
	for i, s := range shape {
		if axes.Has(i) {
			n *= s
		}
	}
	return n
}

// meanOf returns the mean in the dtype that means of a are computed in: t, widened. Integers are added as t,
// and divided as float64.
func (s *scope) meanOf(a *Array, axes tile.Axes, keep bool, t tile.DType) (*Array, error) {
	f := folding{name: "sum", ufunc: "add", comb: tile.Sum, acc: wide(t)}
	f.identity = numberScalar(f.acc, 0, 0)
	total, err := s.fold(f, a, axes, keep, nil)
	if err != nil {
		return nil, err
	}
	x, n := Of(total), Float(float64(points(spaceOf(a), axes)))
	if !t.Is(tile.KindFloat | tile.KindComplex) {
		defer total.Free()
		return s.c.apply(Divide, &x, &n, nil, tile.Invalid)
	}
	if _, err = s.c.apply(Divide, &x, &n, total, tile.Invalid); err != nil {
		total.Free()
	}
	return total, err
}

// ofNothing is the reason for leaving means of no elements, and variances without degrees of freedom, to NumPy, which
// warns of them.
const ofNothing = "few elements, for which NumPy is faster"

// meanType returns the dtype of a mean or variance.
func meanType(dtype, t tile.DType) tile.DType {
	switch {
	case dtype != tile.Invalid:
		return dtype
	case !t.Is(tile.KindFloat | tile.KindComplex):
		return tile.Float64
	}
	return t
}

func mean(s *scope, v []Value) (Value, error) {
	r, err := s.reducedArgs("add", v[0], v[1], v[2], v[3], v[4], Value{}, v[5])
	if err != nil {
		return Value{}, err
	}
	if r.isNumberAlong(v[1]) {
		return Value{}, errorf("AxisError", "axis 0 is out of bounds for array of dimension 0")
	}
	t := meanType(r.dtype, r.a.view.Type)
	if t == tile.Bool || r.out != nil && r.out.view.Type != t {
		return Value{}, &Fallback{"a mean that is neither of floats nor of integers"}
	}
	if points(spaceOf(r.a), r.axes) == 0 {
		return Value{}, &Fallback{ofNothing}
	}
	x, err := s.meanOf(r.a, r.axes, r.keep, t)
	if err != nil {
		return Value{}, err
	}
	return result(s.finish(x, t, r.out))
}

func variance(s *scope, v []Value) (Value, error)  { return s.spread("var", v, false) }
func deviation(s *scope, v []Value) (Value, error) { return s.spread("std", v, true) }

func (s *scope) spread(name string, v []Value, root bool) (Value, error) {
	r, err := s.reducedArgs("add", v[0], v[1], v[2], v[3], v[5], Value{}, v[6])
	if err != nil {
		return Value{}, err
	}
	if v[7].Kind != Missing || v[8].Kind != Missing {
		return Value{}, &Fallback{"mean= and correction= are not native"}
	}
	ddof := 0.0
	if v[4].Kind != Missing {
		n, err := s.number(v[4])
		if err != nil {
			return Value{}, err
		}
		ddof = n.Float
		if n.Kind != FloatValue {
			ddof = float64(n.Int)
		}
	}
	if r.isNumberAlong(v[1]) {
		return Value{}, errorf("AxisError", "axis 0 is out of bounds for array of dimension 0")
	}
	t := meanType(r.dtype, r.a.view.Type)
	if r.dtype.Is(tile.KindComplex) {
		return Value{}, &Fallback{"a variance that is complex"}
	}
	if !t.Is(tile.KindFloat|tile.KindComplex) || r.out != nil && r.out.view.Type != t.Real() ||
		r.a.view.Type.Is(tile.KindComplex) != t.Is(tile.KindComplex) {
		return Value{}, &Fallback{"a variance that is not a float"}
	}
	if r.axes == 0 {
		return Value{}, &Fallback{"a variance over no axes"}
	}
	if float64(points(spaceOf(r.a), r.axes)) <= ddof {
		return Value{}, &Fallback{ofNothing}
	}
	if t == tile.Float16 && r.a.size > 0 && r.a.view.Type == tile.Float16 {
		return s.spreadOfHalves(&r, ddof, root)
	}
	shape := spaceOf(r.a)
	acc := wide(t).Real()
	x, err := s.c.allocIn(acc, resultShape(shape, r.axes, r.keep, r.a.Ndim()), reducedOrder(r.a.view, r.axes, r.keep))
	if err != nil {
		return Value{}, err
	}
	err = func() error {
		if r.a.size == 0 {
			return s.c.fill(x, numberScalar(acc, 0, 0), name)
		}
		center, err := s.own(s.meanOf(r.a, r.axes, r.a.Ndim() > 0, t))
		if err != nil {
			return err
		}
		m := reduction{
			c: s.c, name: name, kind: scheduler.Reduce, shape: shape, axes: r.axes, comb: tile.Sum, acc: acc,
			first: programKey{what: momentTemplate, types: [4]tile.DType{r.a.view.Type, wide(t)}},
			views: []scheduler.View{overSpace(r.a.view, shape), overSpace(center.view, shape)}, tells: "reduce",
		}
		return m.run(x)
	}()
	if err == nil {
		left, n := Of(x), Float(math.Max(float64(points(shape, r.axes))-ddof, 0))
		_, err = s.c.apply(Divide, &left, &n, x, tile.Invalid)
	}
	if err == nil && root {
		left := Of(x)
		_, err = s.c.apply(Sqrt, &left, nil, x, tile.Invalid)
	}
	if err != nil {
		x.Free()
		return Value{}, err
	}
	return result(s.finish(x, t.Real(), r.out))
}

// spreadOfHalves has each step rounded to float16, as NumPy has it, so that a sum that overflows makes the variance
// infinite.
func (s *scope) spreadOfHalves(r *reduced, ddof float64, root bool) (Value, error) {
	count := float64(points(spaceOf(r.a), r.axes))
	average := func(a *Array, keep bool, by float64) (*Array, error) {
		total, err := s.fold(folding{name: "sum", ufunc: "add", comb: tile.Sum, acc: tile.Float32, identity: numberScalar(tile.Float32, 0, 0)}, a, r.axes, keep, nil)
		if err != nil {
			return nil, err
		}
		end := s.c.toldAs("reduce")
		half, err := s.own(s.finish(total, tile.Float16, nil))
		end()
		if err != nil {
			return nil, err
		}
		wide, err := s.own(s.c.castAsItLies(half, tile.Float64, "astype")) // in which NumPy divides by a count
		if err != nil {
			return nil, err
		}
		x, err := s.step(Divide, Of(wide), Float(by))
		if err != nil {
			return nil, err
		}
		return s.c.castAsItLies(x.Array, tile.Float16, "astype")
	}
	center, err := s.own(average(r.a, r.a.Ndim() > 0, count))
	if err != nil {
		return Value{}, err
	}
	away, err := s.step(Subtract, Of(r.a), Of(center))
	if err != nil {
		return Value{}, err
	}
	squares, err := s.step(Square, away, Value{})
	if err != nil {
		return Value{}, err
	}
	x, err := average(squares.Array, r.keep, count-ddof)
	if err == nil && root {
		left := Of(x)
		_, err = s.c.apply(Sqrt, &left, nil, x, tile.Invalid)
	}
	if err != nil {
		return Value{}, err
	}
	return result(s.finish(x, tile.Float16, r.out))
}

// buildMoment adds up the squared distances of the elements from their mean.
func buildMoment(b *tile.Builder, k programKey) {
	x := b.Cast(k.types[1], b.Load(k.types[0]))
	center := b.Load(k.types[1])
	d := b.Do(tile.Sub, x, center)
	b.WatchAs("subtract", tile.Odd, x, center, d)
	if k.types[1].Is(tile.KindComplex) {
		re, im := b.Do(tile.RealPart, d), b.Do(tile.ImagPart, d)
		b.Reduce(tile.Sum, b.Do(tile.Add, b.Do(tile.Mul, re, re), b.Do(tile.Mul, im, im)))
		return
	}
	square := b.Do(tile.Mul, d, d)
	b.WatchAs("square", tile.Products, d, d, square)
	b.ReduceWatched(tile.Sum, tile.NoValue, tile.NoValue, square)
}
