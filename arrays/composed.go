package arrays

import (
	"math"
	"slices"

	"weft/internal/units"
	"weft/tile"
)

// composedFuncs are the rows that are written with other functions.
var composedFuncs = []row{
	{"divmod", "x1, x2, out1=None, out2=None, /, *, out=None, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None", "", "Return element-wise quotient and remainder simultaneously.", divmod},
	{"round around", "a, decimals=0, out=None", "decimals=0, out=None", "Evenly round to the given number of decimals.", round},
	{"sinc", "x", "", "Return the normalized sinc function, sin(pi*x)/(pi*x), which is 1 at 0.", sinc},
	{"diff", "a, n=1, axis=-1, prepend=_NoValue, append=_NoValue", "",
		"Calculate the n-th discrete difference along the given axis.", diff},
	{"diag", "v, k=0", "", "Extract a diagonal or construct a diagonal array.", diag},
	{"array_equal", "a1, a2, equal_nan=False", "", "True if two arrays have the same shape and elements, False otherwise.", arrayEqual},
	{"isclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", "",
		"Returns a boolean array where two arrays are element-wise equal within a tolerance.", iscloseRow},
	{"allclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", "",
		"Returns True if two arrays are element-wise equal within a tolerance.", allclose},
	{"meshgrid", "*xi, copy=True, sparse=False, indexing='xy'", "",
		"Return a tuple of coordinate matrices from coordinate vectors.", meshgrid},
	{"copyto", "dst, src, casting='same_kind', where=True", "",
		"Copies values from one array to another, broadcasting as necessary.", copyto},
	{"shape", "a", "", "Return the shape of an array.", shapeOf},
	{"ndim", "a", "", "Return the number of dimensions of an array.", ndimOf},
	{"size", "a, axis=None", "", "Return the number of elements along a given axis.", sizeOf},
}

func divmod(s *scope, v []Value) (Value, error) {
	out1, out2, out, where, casting, order, dtype, subok, signature := v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]
	for _, option := range []Value{out1, out2, out, dtype, signature} {
		if option.given() {
			return Value{}, &Fallback{"divmod with options"}
		}
	}
	for _, option := range []Value{where, casting, order, subok} {
		if option.Kind != Missing {
			return Value{}, &Fallback{"divmod with options"} // NumPy takes no None for most
		}
	}
	if x, ok := typeOf(v[0]); ok {
		if y, ok := typeOf(v[1]); ok && promote(x, y).Is(tile.KindComplex) {
			return Value{}, noLoop("divmod")
		}
	}
	s.c.telling().as = "divmod"
	q, err := s.c.Binary(FloorDivide, v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	r, err := s.c.Binary(Remainder, v[0], v[1])
	if err != nil {
		q.Free()
		return Value{}, err
	}
	for _, x := range []*Array{q, r} { // with two results, NumPy's loop has its iterator lay them out in any case
		if views := viewsOf(&v[0], &v[1]); areFortrans(x.view.Shape, views...) {
			x.view.Strides, x.layout = orderedStrides(x.view.Shape, keptOrder(x.view.Shape, views...), x.view.Type.Size()), NoLayout
		}
	}
	return Tuple(Of(q), Of(r)), nil
}

// round scales, rounds to even and scales back, as NumPy does.
func round(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	decimals, err := s.integer(v[1], 0)
	if err != nil {
		return Value{}, err
	}
	out, err := outArg(v[2])
	if err != nil {
		return Value{}, err
	}
	if out != nil && !slices.Equal(out.view.Shape, a.view.Shape) {
		return Value{}, &Fallback{"round into another shape"} // NumPy words the error
	}
	t := a.view.Type
	x := Of(a)
	switch {
	case t == tile.Bool || t.Is(tile.KindInt|tile.KindUint) && (decimals < 0 || out != nil):
		return Value{}, &Fallback{"round of " + t.String()}
	case t.Is(tile.KindInt | tile.KindUint):
		y, err := s.c.astype(a, t, "copy")
		if err == nil {
			y.Scalar = a.Ndim() == 0
		}
		return result(y, err)
	case decimals == 0 && t.Is(tile.KindComplex) && out == nil: // the parts of a copy, in NumPy
		y, err := s.c.allocIn(t, a.view.Shape, copyOrder(a.view))
		if err != nil {
			return Value{}, err
		}
		if _, err := s.c.apply(Rint, &x, nil, y, tile.Invalid); err != nil {
			y.Free()
			return Value{}, err
		}
		y.Scalar = a.Ndim() == 0
		return result(y, nil)
	case decimals == 0:
		return result(s.c.apply(Rint, &x, nil, out, tile.Invalid))
	}
	// NumPy lays the result out by columns or by rows, not as other ufuncs do; of complex numbers it is a copy.
	order, _ := orderArg(Value{}, "A", a.view)
	if t.Is(tile.KindComplex) {
		order = copyOrder(a.view)
	}
	y, err := s.own(s.c.allocIn(t, a.view.Shape, order))
	if err != nil {
		return Value{}, err
	}
	if !t.Is(tile.KindComplex) {
		return result(s.c.rounded(a, y, out, decimals))
	}
	// The parts one by one: a quotient of complex numbers would round more than once.
	for _, part := range []func(*Array) (*Array, error){(*Array).Real, (*Array).Imag} {
		from, err := s.own(part(a))
		if err != nil {
			return Value{}, err
		}
		to, err := s.own(part(y))
		if err != nil {
			return Value{}, err
		}
		if _, err := s.c.rounded(from, to, to, decimals); err != nil {
			return Value{}, err
		}
	}
	z := Of(y)
	return result(s.c.apply(Positive, &z, nil, out, tile.Invalid))
}

// rounded scales the reals of a into y, rounds them there, and scales them back into out.
func (c *Context) rounded(a, y, out *Array, decimals int) (*Array, error) {
	scale, back := Multiply, Divide
	if decimals < 0 {
		scale, back, decimals = Divide, Multiply, -decimals
	}
	f := Float(powerOfTen(decimals))
	x, z := Of(a), Of(y)
	if _, err := c.apply(scale, &x, &f, y, tile.Invalid); err != nil {
		return nil, err
	}
	if _, err := c.apply(Rint, &z, nil, y, tile.Invalid); err != nil {
		return nil, err
	}
	return c.apply(back, &z, &f, out, tile.Invalid)
}

// powerOfTen is 10^n by n products, as NumPy rounds with it: from 10^24 on they are not the nearest float64.
func powerOfTen(n int) float64 {
	v := 1.0
	for range min(n, 400) { // beyond the range it is infinity
		v *= 10
	}
	return v
}

// sinc takes the dtype's epsilon, or something as small, for zeros, as NumPy does.
func sinc(s *scope, v []Value) (Value, error) {
	x, err := s.step(Multiply, v[0], Float(math.Pi))
	if err != nil {
		return Value{}, err
	}
	epsilon := map[tile.DType]float64{tile.Float16: 0x1p-10, tile.Float32: 0x1p-23, tile.Float64: 0x1p-52}[x.Array.DType()]
	if epsilon == 0 {
		epsilon = 1e-20
	}
	y, err := where(s, []Value{x, x, Float(epsilon)})
	if err != nil {
		return Value{}, err
	}
	if _, err := s.own(y.Array, nil); err != nil {
		return Value{}, err
	}
	top, err := s.c.Unary(Sin, y)
	if err != nil {
		return Value{}, err
	}
	if _, err := s.own(top, nil); err != nil {
		return Value{}, err
	}
	return result(s.c.Binary(Divide, Of(top), y))
}

func diff(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	n, err := s.integer(v[1], 1)
	if err != nil {
		return Value{}, err
	}
	i, err := s.integer(v[2], -1)
	if err != nil {
		return Value{}, err
	}
	switch {
	case v[3].Kind != Missing || v[4].Kind != Missing:
		return Value{}, &Fallback{"prepend= and append= are not native"}
	case n < 0:
		return Value{}, errorf("ValueError", "order must be non-negative but got %d", n)
	case a.Ndim() == 0:
		return Value{}, errorf("ValueError", "diff requires input that is at least one dimensional")
	}
	if i, err = axis(i, a.Ndim(), ""); err != nil {
		return Value{}, err
	}
	if n == 0 {
		return Value{}, &Fallback{"no difference"} // what is given, be it a list
	}
	op := Subtract
	if a.view.Type == tile.Bool {
		op = NotEqual
	}
	for range n {
		count := max(a.view.Shape[i]-1, 0)
		from, to := min(1, a.view.Shape[i]), 0
		high, err := s.own(a.span(i, from, count), nil)
		if err != nil {
			return Value{}, err
		}
		low, err := s.own(a.span(i, to, count), nil)
		if err != nil {
			return Value{}, err
		}
		if a, err = s.own(s.c.Binary(op, Of(high), Of(low))); err != nil {
			return Value{}, err
		}
	}
	return Of(a.same()), nil
}

func diag(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	k, err := s.integer(v[1], 0)
	if err != nil {
		return Value{}, err
	}
	switch a.Ndim() {
	case 2:
		return diagonal(s, []Value{Of(a), Int(int64(k)), Int(0), Int(1)})
	case 1:
	default:
		return Value{}, errorf("ValueError", "Input must be 1- or 2-d.")
	}
	n := a.size + max(k, -k)
	m, err := s.c.full([]int{n, n}, tile.Scalar{Type: a.view.Type}, "diag")
	if err != nil {
		return Value{}, err
	}
	d, err := s.own(s.diagonalOf(m, Int(int64(k)), Value{}, Value{}))
	if err == nil {
		err = s.c.move(d, a, "diag")
	}
	if err != nil {
		m.Free()
		return Value{}, err
	}
	return Of(m), nil
}

func arrayEqual(s *scope, v []Value) (Value, error) {
	if nan, err := truth(v[2], false); err != nil || nan {
		return Value{}, &Fallback{"equal_nan="}
	}
	a, b, _, err := s.pair(v[0], v[1])
	if err != nil {
		return Value{}, err
	}
	if units.Shape(a.view.Shape) != units.Shape(b.view.Shape) {
		return Bool(false), nil
	}
	same, err := s.own(s.c.Binary(Equal, Of(a), Of(b)))
	if err != nil {
		return Value{}, err
	}
	return s.allTrue(same)
}

func shapeOf(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	return Ints(a.view.Shape...), nil
}

func ndimOf(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	return Int(int64(a.Ndim())), nil
}

func sizeOf(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if !v[1].given() {
		return Int(int64(a.size)), nil
	}
	list, err := s.axisList(v[1], a.Ndim(), axisTwice)
	if err != nil {
		return Value{}, err
	}
	n := 1
	for _, i := range list {
		n *= a.view.Shape[i]
	}
	return Int(int64(n)), nil
}
