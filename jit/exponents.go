package jit

import (
	"math"

	"weft/tile"
)

// Numbers are taken apart, and put together again, by multiplications with powers of two, which are exact.

// radix is what there is to know of a dtype's powers of two.
type radix struct {
	steps   []int // whose sum is the largest exponent
	below   int   // the step by which numbers below the normal ones become normal
	digits  int   // of the mantissa
	least   int   // the exponent of the least number
	normal  int   // that of the least normal number
	largest float64
}

var powersOfTwo = map[tile.DType]radix{
	tile.Float16: {[]int{8, 4, 2, 1}, 10, 11, -24, -14, 65504},
	tile.Float32: {[]int{64, 32, 16, 8, 4, 2, 1}, 32, 24, -149, -126, math.MaxFloat32},
	tile.Float64: {[]int{512, 256, 128, 64, 32, 16, 8, 4, 2, 1}, 64, 53, -1074, -1022, math.MaxFloat64},
}

// taken is the mantissa of a number's size, within 1 and 2, and its exponent, an int32. They mean nothing for 0,
// infinities and what is no number.
func (l *lower) taken(x *instr) (mantissa, exponent *instr) {
	b := powersOfTwo[x.typ]
	m, e := l.do(tile.Abs, x), l.constant(tile.Scalar{Type: tile.Int32})
	move := func(when *instr, by int) {
		m = l.do(tile.Select, when, l.do(tile.Mul, m, l.number(x.typ, math.Ldexp(1, -by))), m)
		e = l.do(tile.Select, when, l.do(tile.Add, e, l.constant(tile.IntScalar(tile.Int32, int64(by)))), e)
	}
	at := func(exponent int) *instr { return l.number(x.typ, math.Ldexp(1, exponent)) }
	move(l.do(tile.Lt, m, at(b.normal+b.below)), -b.below)
	for _, k := range b.steps {
		move(l.do(tile.Ge, m, at(k)), k)
	}
	for _, k := range b.steps {
		move(l.do(tile.Lt, m, at(1-k)), -k)
	}
	return m, e
}

// special is whether a number has no exponent.
func (l *lower) special(x *instr) *instr {
	return l.do(tile.Or, l.do(tile.Eq, x, l.number(x.typ, 0)), l.do(tile.Not, l.do(tile.IsFinite, x)))
}

// parted is frexp: a mantissa within 0.5 and 1, and an exponent.
func parted(l *lower, v value) value {
	t := toFloat(v.typ.DType)
	x := l.as(t, v.in)
	m, e := l.taken(x)
	none := l.special(x)
	half := l.do(tile.Copysign, l.do(tile.Mul, m, l.number(x.typ, 0.5)), x)
	zero, one := l.constant(tile.Scalar{Type: tile.Int32}), l.constant(tile.IntScalar(tile.Int32, 1))
	return tuple(of(l.as(t, l.do(tile.Select, none, x, half))), of(l.do(tile.Select, none, zero, l.do(tile.Add, e, one))))
}

// powerOfTwo is 2 to the power of an int64, which is that of a normal number.
func (l *lower) powerOfTwo(t tile.DType, n *instr) *instr {
	whole := func(k int64) *instr { return l.constant(tile.IntScalar(tile.Int64, k)) }
	down := l.do(tile.Lt, n, whole(0))
	size := l.do(tile.Abs, n)
	p := l.number(t, 1)
	for _, k := range powersOfTwo[t].steps {
		has := l.do(tile.Ne, l.do(tile.And, size, whole(int64(k))), whole(0))
		step := l.do(tile.Select, down, l.number(t, math.Ldexp(1, -k)), l.number(t, math.Ldexp(1, k)))
		p = l.do(tile.Mul, p, l.do(tile.Select, has, step, l.number(t, 1)))
	}
	return p
}

// ldexp is a number times a power of two, an int64, rounded once.
func (l *lower) ldexp(x, n *instr) *instr {
	t := x.typ
	whole := func(k int) *instr { return l.constant(tile.IntScalar(tile.Int64, int64(k))) }
	if t == tile.Float16 { // of which float32 holds every one that matters
		n = l.do(tile.Max, whole(-64), l.do(tile.Min, whole(64), n))
		return l.as(t, l.ldexp(l.as(tile.Float32, x), n))
	}
	b := powersOfTwo[t]
	up, down := 1-b.normal, b.normal+b.digits // goes back by the digits, so that none of them is lost on the way down
	for range 2 {
		above, below := l.do(tile.Gt, n, whole(up)), l.do(tile.Lt, n, whole(b.normal))
		factor := l.do(tile.Select, above, l.number(t, math.Ldexp(1, up)), l.do(tile.Select, below, l.number(t, math.Ldexp(1, down)), l.number(t, 1)))
		x = l.do(tile.Mul, x, factor)
		n = l.do(tile.Sub, n, l.do(tile.Select, above, whole(up), l.do(tile.Select, below, whole(down), whole(0))))
	}
	return l.do(tile.Mul, x, l.powerOfTwo(t, l.do(tile.Max, whole(b.normal), l.do(tile.Min, whole(up), n))))
}

// scaledRow is ldexp of a float of a dtype, Invalid for its own, and an integer.
func scaledRow(to tile.DType) functionRow {
	return functionRow{2, 2, false, nil, func(l *lower, n *Node, v []value) value {
		t := to
		if t == tile.Invalid {
			t = toFloat(v[0].typ.DType)
		}
		if !v[1].typ.DType.Is(kindsInteger) || t.Is(tile.KindComplex) {
			l.fail(n, typing, "Convert it with int(...).", "ldexp takes a float and an integer, not %v and %v", v[0].typ, v[1].typ)
		}
		return of(l.ldexp(l.as(t, v[0].in), l.as(tile.Int64, v[1].in)))
	}}
}

// exponentOf is ilogb, an int32.
func exponentOf(l *lower, a []*instr) *instr {
	_, e := l.taken(a[0])
	whole := func(k int64) *instr { return l.constant(tile.IntScalar(tile.Int32, k)) }
	e = l.do(tile.Select, l.do(tile.IsInf, a[0]), whole(math.MaxInt32), e)
	none := l.do(tile.Or, l.do(tile.IsNaN, a[0]), l.do(tile.Eq, a[0], l.number(a[0].typ, 0)))
	return l.do(tile.Select, none, whole(math.MinInt32), e)
}

// logExponent is logb, a float.
func logExponent(l *lower, a []*instr) *instr {
	t := a[0].typ
	_, e := l.taken(a[0])
	size := l.do(tile.Abs, a[0])
	made := l.do(tile.Select, l.do(tile.IsFinite, a[0]), l.as(t, e), size) // infinity, or what is no number
	return l.do(tile.Select, l.do(tile.Eq, a[0], l.number(t, 0)), l.number(t, math.Inf(-1)), made)
}

// unitOf is the distance from a number's size to the next one that is larger.
func (l *lower) unitOf(x *instr) *instr {
	t := x.typ
	b := powersOfTwo[t]
	_, e := l.taken(x)
	whole := func(k int) *instr { return l.constant(tile.IntScalar(tile.Int64, int64(k))) }
	at := l.do(tile.Max, whole(b.least), l.do(tile.Sub, l.as(tile.Int64, e), whole(b.digits-1)))
	at = l.do(tile.Select, l.do(tile.Eq, x, l.number(t, 0)), whole(b.least), at)
	return l.ldexp(l.number(t, 1), at)
}

// next is nextafter: the neighbour of x on the side of y.
func next(l *lower, a []*instr) *instr {
	x, y := a[0], a[1]
	t := x.typ
	b := powersOfTwo[t]
	zero, size := l.number(t, 0), l.do(tile.Abs, x)
	m, _ := l.taken(x)
	unit := l.unitOf(x)
	atPower := l.do(tile.And, l.do(tile.Eq, m, l.number(t, 1)), l.do(tile.Gt, size, l.number(t, math.Ldexp(1, b.normal))))
	less := l.do(tile.Sub, size, l.do(tile.Select, atPower, l.do(tile.Mul, unit, l.number(t, 0.5)), unit))
	less = l.do(tile.Select, l.do(tile.IsInf, x), l.number(t, b.largest), less)
	more := l.do(tile.Add, size, unit)
	positive := l.do(tile.Gt, x, zero)
	outward := l.do(tile.Eq, l.do(tile.Gt, y, x), positive)
	made := l.do(tile.Copysign, l.do(tile.Select, outward, more, less), x)
	made = l.do(tile.Select, l.do(tile.Eq, x, zero), l.do(tile.Copysign, l.number(t, math.Ldexp(1, b.least)), y), made)
	equal := y
	if t == tile.Float16 { // of zeros of different signs NumPy takes the first one there
		equal = x
	}
	made = l.do(tile.Select, l.do(tile.Eq, x, y), equal, made)
	return l.do(tile.Select, l.do(tile.Or, l.do(tile.IsNaN, x), l.do(tile.IsNaN, y)), l.do(tile.Add, x, y), made)
}

// spacing is the distance to the next number away from zero, with the number's sign.
func spacing(l *lower, a []*instr) *instr {
	x := a[0]
	if x.typ == tile.Float16 { // NumPy looks to the right there, whatever the sign
		return l.do(tile.Sub, next(l, []*instr{x, l.number(x.typ, math.Inf(1))}), x)
	}
	unit := l.unitOf(x)
	made := l.do(tile.Select, l.do(tile.Lt, x, l.number(x.typ, 0)), l.do(tile.Neg, unit), unit)
	return l.do(tile.Select, l.do(tile.IsFinite, x), made, l.number(x.typ, math.NaN()))
}

// unitInLast is math.ulp.
func unitInLast(l *lower, a []*instr) *instr {
	x := a[0]
	return l.do(tile.Select, l.do(tile.IsFinite, x), l.unitOf(x), l.do(tile.Abs, x))
}

// exponentFunctions is the table of functions of the parts of floats.
var exponentFunctions = map[string]functionRow{
	"math.frexp": unary(parted), "np.frexp": unary(parted), "math.ldexp": scaledRow(tile.Invalid), "np.ldexp": scaledRow(tile.Invalid),
	"math.nextafter": inFloats(tile.Invalid, 2, next), "np.nextafter": inFloats(tile.Invalid, 2, next),
	"np.spacing": inFloats(tile.Invalid, 1, spacing), "math.ulp": inFloats(tile.Invalid, 1, unitInLast),

	"cuda.libdevice.ldexp": scaledRow(tile.Float64), "cuda.libdevice.ldexpf": scaledRow(tile.Float32),
	"cuda.libdevice.scalbn": scaledRow(tile.Float64), "cuda.libdevice.scalbnf": scaledRow(tile.Float32),
	"cuda.libdevice.frexp": partedAs(tile.Float64), "cuda.libdevice.frexpf": partedAs(tile.Float32),
	"cuda.libdevice.ilogb": inFloats(tile.Float64, 1, exponentOf), "cuda.libdevice.ilogbf": inFloats(tile.Float32, 1, exponentOf),
	"cuda.libdevice.logb": inFloats(tile.Float64, 1, logExponent), "cuda.libdevice.logbf": inFloats(tile.Float32, 1, logExponent),
	"cuda.libdevice.nextafter": inFloats(tile.Float64, 2, next), "cuda.libdevice.nextafterf": inFloats(tile.Float32, 2, next),
}

func partedAs(t tile.DType) functionRow {
	return unary(func(l *lower, v value) value { return parted(l, of(l.as(t, v.in))) })
}
