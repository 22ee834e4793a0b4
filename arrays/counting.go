package arrays

import (
	"math"

	"weft/tile"
)

// countingFuncs are the rows that count.
var countingFuncs = []row{
	{"bincount", "x, /, weights=None, minlength=0", "",
		"Count number of occurrences of each value in array of non-negative ints.\n\nWaits for the largest.", bincount},
	{"histogram", "a, bins=10, range=None, density=None, weights=None", "",
		"Compute the histogram of a dataset.\n\nWaits for the range unless it is given.", histogramRow},
}

// valueOf waits for the one number that a function makes of an array: its min or max.
func (s *scope) valueOf(f func(*scope, []Value) (Value, error), a *Array) (tile.Scalar, error) {
	args := make([]Value, 8)
	args[0] = Of(a)
	v, err := f(s, args)
	if err != nil {
		return tile.Scalar{}, err
	}
	x, _ := s.own(v.Array, nil)
	return x.Item(s.c.Stop)
}

func bincount(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	least, err := s.integer(v[2], 0)
	if err != nil {
		return Value{}, err
	}
	if a.Ndim() != 1 || !a.view.Type.Is(tile.KindInt|tile.KindUint|tile.KindBool) || a.view.Type == tile.Uint64 || least < 0 || v[2].Kind == None {
		return Value{}, &Fallback{"bincount of something else"} // NumPy words the error
	}
	x, err := s.packed(a, tile.Int64)
	if err != nil {
		return Value{}, err
	}
	var weights *Array
	t := tile.Int64
	if v[1].given() {
		t = tile.Float64
		if weights, err = s.array(v[1]); err != nil {
			return Value{}, err
		}
		if weights.Ndim() != 1 || weights.size != a.size || weights.view.Type.Is(tile.KindComplex) {
			return Value{}, &Fallback{"bincount with such weights"}
		}
		if weights, err = s.packed(weights, tile.Float64); err != nil {
			return Value{}, err
		}
	}
	if a.size == 0 {
		t = tile.Int64 // whatever there would be to add up
	} else {
		low, err := s.valueOf(minimum, x)
		if err != nil {
			return Value{}, err
		}
		high, err := s.valueOf(maximum, x)
		if err != nil {
			return Value{}, err
		}
		if low.Int() < 0 {
			return Value{}, errorf("ValueError", "'list' argument must have no negative elements")
		}
		least = max(least, int(high.Int())+1)
	}
	out, err := s.c.alloc(t, []int{least}, nil)
	if err != nil || least == 0 {
		return result(out, err)
	}
	if a.size == 0 {
		err = s.c.fill(out, tile.Scalar{Type: t}, "bincount")
	} else {
		call := s.c.routine("bincount").in(x.view)
		if weights != nil {
			call.in(weights.view)
		}
		err = call.out(out).submit("bincount")
	}
	if err != nil {
		out.Free()
		return Value{}, err
	}
	return Of(out), nil
}

// bins are the edges of a histogram's bins, and the width of all of them together where they
// are equal; else 0.
type bins struct {
	edges *Array
	width float64
}

func histogramRow(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	density, err := truth(v[3], false)
	if err != nil {
		return Value{}, err
	}
	switch a.view.Type {
	case tile.Bool, tile.Float16, tile.Float32, tile.Complex64, tile.Complex128:
		return Value{}, &Fallback{"a histogram of " + a.view.Type.String()}
	}
	flat, err := s.flat(a)
	if err != nil {
		return Value{}, err
	}
	b, err := s.bins(flat, v[1], v[2])
	if err != nil {
		return Value{}, err
	}
	x, err := s.packed(flat, tile.Float64)
	if err != nil {
		return Value{}, err
	}
	t := tile.Int64
	var weights *Array
	if v[4].given() {
		if weights, err = s.array(v[4]); err != nil {
			return Value{}, err
		}
		if weights.size != a.size || weights.view.Type != tile.Float64 || weights.Ndim() != a.Ndim() {
			return Value{}, &Fallback{"a histogram with such weights"}
		}
		if weights, err = s.flat(weights); err == nil {
			weights, err = s.packed(weights, tile.Float64)
		}
		if err != nil {
			return Value{}, err
		}
		t = tile.Float64
	}
	out, err := s.own(s.c.alloc(t, []int{b.edges.size - 1}, nil))
	if err != nil {
		return Value{}, err
	}
	if a.size == 0 {
		err = s.c.fill(out, tile.Scalar{Type: t}, "histogram")
	} else {
		call := s.c.routine("histogram").in(x.view).in(b.edges.view)
		if weights != nil {
			call.in(weights.view)
		}
		err = call.out(out).uniform(tile.FloatScalar(tile.Float64, b.width)).submit("histogram")
	}
	if err != nil {
		return Value{}, err
	}
	if density {
		if out, err = s.density(out, b.edges); err != nil {
			return Value{}, err
		}
	}
	return Tuple(Of(out.same()), Of(b.edges.same())), nil
}

// bins reads the bins and range arguments. It waits for the range that the data has.
func (s *scope) bins(flat *Array, given, limits Value) (bins, error) {
	if given.Kind == ArrayValue && given.Array.Ndim() == 1 {
		edges := given.Array
		ascending, err := s.ascending(edges)
		if err != nil {
			return bins{}, err
		}
		if !ascending || edges.size < 2 || limits.given() || edges.view.Type != tile.Float64 {
			return bins{}, &Fallback{"a histogram with such bins"}
		}
		edges, err = s.packed(edges, tile.Float64)
		return bins{edges: edges}, err
	}
	n := 10
	switch given.Kind {
	case Missing:
	case IntValue:
		n = int(given.Int)
	default:
		return bins{}, &Fallback{"a histogram with such bins"}
	}
	if n < 1 {
		return bins{}, &Fallback{"a histogram without bins"} // NumPy words the error
	}
	low, high := 0.0, 1.0
	switch {
	case limits.given():
		if limits.Kind != TupleValue || len(limits.Items) != 2 {
			return bins{}, &Fallback{"a range that is not a pair"}
		}
		for i, to := range []*float64{&low, &high} {
			switch it := limits.Items[i]; it.Kind {
			case IntValue:
				*to = float64(it.Int)
			case FloatValue:
				*to = it.Float
			default:
				return bins{}, &Fallback{"a range of something else than numbers"}
			}
		}
	case flat.size > 0:
		for i, to := range []*float64{&low, &high} {
			x, err := s.valueOf([]func(*scope, []Value) (Value, error){minimum, maximum}[i], flat)
			if err != nil {
				return bins{}, err
			}
			*to = numberOf(x)
		}
	}
	const exact = 1 << 53
	if !(low <= high) || math.IsInf(low, 0) || math.IsInf(high, 0) || math.IsInf(high-low, 0) || !flat.view.Type.Is(tile.KindFloat) && (low < -exact || high > exact) {
		return bins{}, &Fallback{"a histogram over such a range"} // NumPy words the error
	}
	if low == high {
		low, high = low-0.5, high+0.5
	}
	const spacing = 1.0 / (1 << 52)
	if (high-low)/float64(n) <= 2*spacing*math.Max(math.Abs(low), math.Abs(high)) {
		return bins{}, &Fallback{"a histogram of bins that floats can hardly tell apart"} // NumPy words the error
	}
	v, err := linspace(s, []Value{Float(low), Float(high), Int(int64(n + 1)), {}, {}, DTypeOf(tile.Float64), {}, {}})
	if err != nil {
		return bins{}, err
	}
	edges, err := s.own(v.Array, nil)
	return bins{edges, high - low}, err
}

// numberOf returns a real scalar as a float.
func numberOf(x tile.Scalar) float64 {
	switch x.Type.Kind() {
	case tile.KindFloat:
		return x.Float()
	case tile.KindInt:
		return float64(x.Int())
	}
	return float64(x.Uint())
}

// density divides counts by the widths of their bins and by their sum.
func (s *scope) density(counts, edges *Array) (*Array, error) {
	n := edges.size - 1
	low, high := edges.span(0, 0, n), edges.span(0, 1, n)
	defer low.Free()
	defer high.Free()
	widths, err := s.own(s.c.Binary(Subtract, Of(high), Of(low)))
	if err != nil {
		return nil, err
	}
	per, err := s.own(s.c.Binary(Divide, Of(counts), Of(widths)))
	if err != nil {
		return nil, err
	}
	args := make([]Value, 8)
	args[0] = Of(counts)
	total, err := sum(s, args)
	if err != nil {
		return nil, err
	}
	s.own(total.Array, nil)
	return s.own(s.c.Binary(Divide, Of(per), total))
}
