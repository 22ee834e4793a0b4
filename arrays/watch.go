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
// result are. Complex numbers say too little: their parts go wrong one by one. Rad2deg is two functions of NumPy's,
// with names of their own.
func watch(b *tile.Builder, u Ufunc, in [2]tile.Value, out tile.Value) {
	rule := rules[u]
	if rule == tile.Silent || u == Rad2deg || !b.TypeOf(out).Is(tile.KindFloat) {
		return
	}
	x, y := in[0], tile.NoValue
	if ufuncs[u].inputs == 2 {
		y = in[1]
	}
	if !b.TypeOf(x).Is(tile.KindFloat) || y != tile.NoValue && !b.TypeOf(y).Is(tile.KindFloat) {
		return
	}
	switch {
	case rule != tile.Trusted:
	case u == Divide:
		rule = tile.Divisions
	case u == Reciprocal:
		rule, y = tile.Divisions, x // 1 is finite, too
	default:
		rule = tile.Odd
	}
	b.Watch(rule, x, y, out)
}
