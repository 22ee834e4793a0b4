package arrays

import "weft/tile"

// rules say how the operands and the result of a ufunc of floats tell what went wrong in it. Of SciPy's nothing is
// told. The loop that reads the processor's flags after a ufunc may trust them of those that are Trusted.
var rules = [ufuncCount]tile.Rule{
	Add: tile.Trusted, Subtract: tile.Trusted, Multiply: tile.Trusted, Divide: tile.Trusted, Sqrt: tile.Trusted, Square: tile.Trusted, Reciprocal: tile.Trusted,
	Floor: tile.Trusted, Ceil: tile.Trusted, Trunc: tile.Trusted, Rint: tile.Trusted, Deg2rad: tile.Trusted, Rad2deg: tile.Trusted,
	Sin: tile.Odd, Cos: tile.Odd, Tan: tile.Odd, Tanh: tile.Odd, Arctan: tile.Odd, Arctan2: tile.Odd, Arcsin: tile.Odd, Arccos: tile.Odd, Arcsinh: tile.Odd, Sinh: tile.Odd,
	Expm1: tile.Odd, Cbrt: tile.Odd, Hypot: tile.Odd, Absolute: tile.Odd, Remainder: tile.Odd, Fmod: tile.Odd,
	Logaddexp: tile.Strict, Logaddexp2: tile.Strict,
	Exp: tile.Grows, Exp2: tile.Grows, Cosh: tile.Grows,
	Log: tile.Poles, Log2: tile.Poles, Log10: tile.Poles, Log1p: tile.Poles, Arctanh: tile.Poles, Arccosh: tile.Poles,
	Power: tile.Powers, FloatPower: tile.Powers,
	FloorDivide: tile.Quotients,
}

// Rule says how it is found what went wrong in a ufunc of floats.
func (u Ufunc) Rule() tile.Rule { return rules[u] }

// watch says how it is found what went wrong in the ufunc that a program computes, from what its operands and its
// result are. Rad2deg is two functions of NumPy's, with names of their own.
func watch(b *tile.Builder, u Ufunc, in [2]tile.Value, out tile.Value) {
	rule := rules[u]
	const floats, integers = tile.KindFloat | tile.KindComplex, tile.KindInt | tile.KindUint
	t := b.TypeOf(out)
	if rule == tile.Silent || u == Rad2deg || !t.Is(floats|integers) {
		return
	}
	x, y := in[0], tile.NoValue
	if ufuncs[u].inputs == 2 {
		y = in[1]
	}
	if t.Is(integers) {
		if (u == FloorDivide || u == Remainder || u == Fmod) && b.TypeOf(x).Is(integers) && b.TypeOf(y).Is(integers) {
			b.Watch(tile.Integers, x, y, out)
		}
		return
	}
	if !b.TypeOf(x).Is(floats) || y != tile.NoValue && !b.TypeOf(y).Is(floats) {
		return
	}
	if u == Absolute && b.TypeOf(x).Is(tile.KindComplex) { // NumPy's loops for them tell nothing
		return
	}
	complexes := t.Is(tile.KindComplex)
	switch {
	case rule == tile.Quotients && t == tile.Float16: // which NumPy computes in float32, where they are finite
		rule = tile.Divisions
	case rule != tile.Trusted:
	case (u == Divide || u == Reciprocal) && complexes:
		rule = tile.ComplexDivisions
	case u == Divide:
		rule = tile.Divisions
	case u == Reciprocal:
		rule, y = tile.Divisions, x // 1 is finite, too
	case (u == Multiply || u == Square) && complexes:
		rule = tile.ComplexProducts
	case u == Multiply:
		rule = tile.Products
	case u == Square:
		rule, y = tile.Products, x
	default:
		rule = tile.Odd
	}
	b.Watch(rule, x, y, out)
}

// watchCast says how it is found what went wrong in a conversion. NumPy converts the real part of a complex number to
// what is none.
func watchCast(b *tile.Builder, from, to tile.Value) {
	const floats = tile.KindFloat | tile.KindComplex
	f, t := b.TypeOf(from), b.TypeOf(to)
	switch {
	case !f.Is(floats) || t == tile.Bool:
	case !t.Is(floats):
		b.Watch(tile.Whole, from, tile.NoValue, to)
	case t.Real().Size() < f.Real().Size() && (t.Is(tile.KindComplex) || !f.Is(tile.KindComplex)):
		b.Watch(tile.Narrowed, from, tile.NoValue, to)
	}
}
