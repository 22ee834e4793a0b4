package jit

import (
	"strings"

	"weft/tile"
)

// Letters of dtypes, as NumPy has them, in the order of its loops.
const (
	integerLoops = "bBhHiIlL"
	realLoops    = integerLoops + "fd"
	numberLoops  = realLoops + "FD"
)

// ufuncLoops has the dtypes of the loops of NumPy's functions, in each of which all operands and the result are of one
// dtype. Numba computes in the first one to which the arguments' dtypes can be converted: np.add of two int8 is an
// int8, where + is an int64. It has no loops of float16.
var ufuncLoops = ufuncsWith(map[string]string{
	"?" + numberLoops:  "add multiply maximum minimum fmax fmin absolute abs",
	numberLoops:        "subtract power pow negative positive square reciprocal conjugate conj sign",
	realLoops:          "floor_divide remainder mod fmod",
	"?" + integerLoops: "bitwise_and bitwise_or bitwise_xor invert bitwise_not bitwise_invert",
	integerLoops:       "left_shift right_shift bitwise_left_shift bitwise_right_shift",
	"?" + realLoops:    "floor ceil trunc",
	"fdFD": "divide true_divide sqrt exp log sin cos exp2 expm1 log2 log10 log1p rint tan arcsin arccos arctan asin acos atan " +
		"sinh cosh tanh arcsinh arccosh arctanh asinh acosh atanh",
	"fd": "arctan2 atan2 cbrt hypot copysign fabs deg2rad radians rad2deg degrees logaddexp logaddexp2 spacing nextafter heaviside",
})

func ufuncsWith(of map[string]string) map[string]string {
	named := map[string]string{}
	for letters, names := range of {
		for _, name := range strings.Fields(names) {
			named["np."+name] = letters
		}
	}
	return named
}

// letters are the dtypes by their letters.
var letters = func() map[rune]tile.DType {
	by := map[rune]tile.DType{}
	for _, d := range tile.DTypes() {
		by[rune(d.Char())] = d
	}
	return by
}()

// inLoops has a function compute in one of the loops of these letters. Where none takes the arguments, as with float16,
// it is what it is without.
func inLoops(name, loops string, row functionRow) functionRow {
	build := row.build
	row.build = func(l *lower, n *Node, v []value) value {
		t, ok := loopOf(loops, v)
		if !ok {
			return build(l, n, v)
		}
		given := make([]value, len(v))
		for i, x := range v {
			given[i] = l.convert(t, x)
		}
		if _, known := v[len(v)-1].integer(); known && (name == "np.power" || name == "np.pow") {
			given[len(v)-1] = v[len(v)-1] // of which it makes products
		}
		if whole, ok := wholeLoops[name]; ok && t.Is(kindsInteger) {
			return l.convert(t, whole(l, given))
		}
		made := build(l, n, given)
		if made.typ.DType.Is(tile.KindComplex) == t.Is(tile.KindComplex) { // not so of absolute values
			made = l.convert(t, made)
		}
		return made
	}
	return row
}

// wholeLoops are the functions that are not of floats in loops of integers.
var wholeLoops = map[string]func(l *lower, v []value) value{
	"np.floor": itself, "np.ceil": itself, "np.trunc": itself, "np.fmod": wholeRemainder,
	"np.reciprocal": func(l *lower, v []value) value {
		x := l.as(tile.Float64, v[0].in) // of which 0 has the lowest number
		to := tile.Int64
		if v[0].typ.DType == tile.Int32 {
			to = tile.Int32
		}
		return of(l.as(to, l.do(tile.Trunc, l.do(tile.Div, l.number(tile.Float64, 1), x))))
	},
}

func itself(_ *lower, v []value) value { return v[0] }

// wholeRemainder is the remainder of a division that rounds toward zero: it has the sign of what is divided.
func wholeRemainder(l *lower, v []value) value {
	wide := arithmetic(v[0].typ.DType, v[0].typ.DType)
	x, y := l.as(wide, v[0].in), l.as(wide, v[1].in)
	r := l.do(tile.Rem, x, y)
	if wide == tile.Uint64 {
		return of(r)
	}
	zero := l.constant(tile.Scalar{Type: wide})
	apart := l.do(tile.And, l.do(tile.Ne, r, zero), l.do(tile.Xor, l.do(tile.Lt, r, zero), l.do(tile.Lt, x, zero)))
	return of(l.do(tile.Select, apart, l.do(tile.Sub, r, y), r))
}

// loopOf finds the dtype of the first loop that takes numbers. Beside inexact numbers integers are taken by all loops
// of such.
func loopOf(loops string, v []value) (tile.DType, bool) {
	integers, inexact := false, false
	for _, x := range v {
		if x.typ.Kind != Number || x.typ.Maybe || x.typ.DType == tile.Float16 {
			return 0, false
		}
		integers = integers || x.typ.DType.Is(tile.KindInt|tile.KindUint)
		inexact = inexact || x.typ.DType.Is(kindsInexact)
	}
next:
	for _, letter := range loops {
		t := letters[letter]
		for _, x := range v {
			if whole := x.typ.DType.Is(tile.KindInt | tile.KindUint); !(whole && integers && inexact && t.Is(kindsInexact)) && !fits(x.typ.DType, t) {
				continue next
			}
		}
		return t, true
	}
	return 0, false
}

// fits reports whether a dtype takes all numbers of another, as NumPy has it: float64 takes all integers.
func fits(d, t tile.DType) bool { return unify(d, t) == t }
