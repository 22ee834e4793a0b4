package jit

import (
	"math"

	"weft/tile"
)

// formula computes a function of numbers of one dtype.
type formula func(l *lower, a []*instr) *instr

// inFloats is a function of n numbers, computed in a dtype; Invalid stands for the float in which all of them are.
func inFloats(t tile.DType, n int, f formula) functionRow {
	return functionRow{n, n, false, nil, func(l *lower, at *Node, v []value) value {
		to := t
		if t == tile.Invalid {
			to = v[0].typ.DType
			for _, x := range v[1:] {
				to = arithmetic(to, x.typ.DType)
			}
			to = toFloat(to)
		}
		args := make([]*instr, n)
		for i, x := range v {
			if x.typ.DType.Is(tile.KindComplex) {
				l.fail(at, typing, "Use its .real or abs(...).", "a complex number is given to a function of reals")
			}
			args[i] = l.as(to, x.in)
		}
		return of(f(l, args))
	}}
}

// opcode is the formula that is an opcode of tile's.
func opcode(op tile.Opcode) formula {
	return func(l *lower, a []*instr) *instr { return l.do(op, a...) }
}

func inverseRoot(l *lower, a []*instr) *instr {
	return l.do(tile.Div, l.number(a[0].typ, 1), l.do(tile.Sqrt, a[0]))
}

func inverseCubeRoot(l *lower, a []*instr) *instr {
	return l.do(tile.Div, l.number(a[0].typ, 1), l.do(tile.Cbrt, a[0]))
}

func inverse(l *lower, a []*instr) *instr { return l.do(tile.Div, l.number(a[0].typ, 1), a[0]) }

// powerOf raises a number to what is given.
func powerOf(base float64) formula {
	return func(l *lower, a []*instr) *instr { return l.do(tile.Pow, l.number(a[0].typ, base), a[0]) }
}

// halfTurn is an angle in half turns, from -1 to 1.
func halfTurn(l *lower, x *instr) *instr {
	two := l.number(x.typ, 2)
	return l.do(tile.Sub, x, l.do(tile.Mul, two, l.do(tile.Rint, l.do(tile.Div, x, two))))
}

// sinPi is the sine of a number of half turns: exact where it is 0, 1 or -1.
func sinPi(l *lower, a []*instr) *instr {
	t := a[0].typ
	r := halfTurn(l, a[0])
	half := l.number(t, 0.5)
	up := l.do(tile.Sub, l.number(t, 1), r)
	down := l.do(tile.Sub, l.number(t, -1), r)
	r = l.do(tile.Select, l.do(tile.Gt, r, half), up, l.do(tile.Select, l.do(tile.Lt, r, l.do(tile.Neg, half)), down, r))
	return l.do(tile.Sin, l.do(tile.Mul, l.number(t, math.Pi), r))
}

func cosPi(l *lower, a []*instr) *instr {
	r := l.do(tile.Abs, halfTurn(l, a[0]))
	return l.do(tile.Sin, l.do(tile.Mul, l.number(r.typ, math.Pi), l.do(tile.Sub, l.number(r.typ, 0.5), r)))
}

// positive is the difference where it is positive, otherwise 0.
func positive(l *lower, a []*instr) *instr {
	return l.do(tile.Select, l.do(tile.Le, a[0], a[1]), l.number(a[0].typ, 0), l.do(tile.Sub, a[0], a[1]))
}

// remaining is the dividend less the divisor as often as brings it next to 0, as IEEE 754 has it: of magnitudes, from
// the rest of twice the divisor.
func remaining(l *lower, a []*instr) *instr {
	x, y := l.do(tile.Abs, a[0]), l.do(tile.Abs, a[1])
	rest := l.do(tile.Rem, x, l.do(tile.Add, y, y))
	less := func(r *instr) *instr { return l.do(tile.Sub, r, y) }
	twice := func(r *instr) *instr { return l.do(tile.Add, r, r) }
	beyond := l.do(tile.Gt, twice(rest), y)
	once := less(rest)
	again := l.do(tile.Ge, twice(once), y)
	rest = l.do(tile.Select, beyond, l.do(tile.Select, again, less(once), once), rest)
	rest = l.do(tile.Select, l.do(tile.IsInf, y), l.do(tile.Rem, x, y), rest)
	return l.do(tile.Select, l.do(tile.Lt, l.do(tile.Copysign, l.number(x.typ, 1), a[0]), l.number(x.typ, 0)), l.do(tile.Neg, rest), rest)
}

// awayFromZero rounds to the next whole number, halves away from zero.
func awayFromZero(l *lower, a []*instr) *instr {
	size := l.do(tile.Abs, a[0])
	whole := l.do(tile.Floor, size)
	up := l.do(tile.Ge, l.do(tile.Sub, size, whole), l.number(size.typ, 0.5))
	return l.do(tile.Copysign, l.do(tile.Select, up, l.do(tile.Add, whole, l.number(size.typ, 1)), whole), a[0])
}

// saturated is within 0 and 1; 0 for what is no number.
func saturated(l *lower, a []*instr) *instr {
	t := a[0].typ
	one := l.number(t, 1)
	above := l.do(tile.Select, l.do(tile.Gt, a[0], one), one, a[0])
	return l.do(tile.Select, l.do(tile.Gt, a[0], l.number(t, 0)), above, l.number(t, 0))
}

// normal is the integral of the normal distribution.
func normal(l *lower, a []*instr) *instr {
	half := l.number(a[0].typ, 0.5)
	return l.do(tile.Mul, half, l.do(tile.Erfc, l.do(tile.Mul, l.do(tile.Neg, a[0]), l.number(a[0].typ, math.Sqrt2/2))))
}

// remainderOf has the sign of the dividend.
func remainderOf(l *lower, a []*instr) *instr {
	return l.do(tile.Copysign, l.do(tile.Rem, l.do(tile.Abs, a[0]), l.do(tile.Abs, a[1])), a[0])
}

// least2 and most2 ignore what is no number.
func least2(l *lower, a []*instr) *instr { return l.extreme(tile.Min, true, a[0], a[1]) }
func most2(l *lower, a []*instr) *instr  { return l.extreme(tile.Max, true, a[0], a[1]) }

// logAdd is the logarithm, to a base, of the sum of two numbers given by theirs.
func logAdd(exp, log tile.Opcode, digits float64) formula {
	return func(l *lower, a []*instr) *instr {
		high, low := l.do(tile.Max, a[0], a[1]), l.do(tile.Min, a[0], a[1])
		one := l.number(high.typ, 1)
		more := l.do(log, l.do(tile.Add, one, l.do(exp, l.do(tile.Sub, low, high))))
		if log == tile.Log {
			more = l.do(tile.Log1p, l.do(exp, l.do(tile.Sub, low, high)))
		}
		return l.do(tile.Select, l.do(tile.Eq, a[0], a[1]), l.do(tile.Add, a[0], l.number(high.typ, digits)), l.do(tile.Add, high, more))
	}
}

func heaviside(l *lower, a []*instr) *instr {
	zero, one := l.number(a[0].typ, 0), l.number(a[0].typ, 1)
	above := l.do(tile.Select, l.do(tile.Gt, a[0], zero), one, a[0]) // what is no number stays
	return l.do(tile.Select, l.do(tile.Eq, a[0], zero), a[1], l.do(tile.Select, l.do(tile.Lt, a[0], zero), zero, above))
}

// sinc is of a float64 or a complex128, whatever it is given.
func sinc(l *lower, v value) value {
	t := tile.Float64
	if v.typ.DType.Is(tile.KindComplex) {
		t = tile.Complex128
	}
	x := l.as(t, v.in)
	y := l.do(tile.Mul, x, l.number(t, math.Pi))
	return of(l.do(tile.Select, l.do(tile.Eq, x, l.number(t, 0)), l.number(t, 1), l.do(tile.Div, l.do(tile.Sin, y), y)))
}

// angle is a float64, computed in the dtype of the number's parts; in degrees where that is asked for.
func angle(l *lower, n *Node, v []value) value {
	re, im := realPart(l, v[0]), imagPart(l, v[0])
	t := toFloat(re.typ.DType)
	turn := l.as(tile.Float64, l.do(tile.Atan2, l.as(t, im.in), l.as(t, re.in)))
	if len(v) == 1 {
		return of(turn)
	}
	return of(l.do(tile.Select, l.condition(n, v[1]).in, l.mul(turn, l.number(tile.Float64, 180/math.Pi)), turn))
}

// negativeSign is whether the sign is that of negative numbers, of zeros as well.
func negativeSign(l *lower, a []*instr) *instr {
	one := l.number(a[0].typ, 1)
	return l.do(tile.Lt, l.do(tile.Copysign, one, a[0]), l.number(a[0].typ, 0))
}

// split is the fraction and the whole part.
func split(l *lower, v value) value {
	x := l.as(toFloat(v.typ.DType), v.in)
	whole := l.do(tile.Trunc, x)
	rest := l.do(tile.Select, l.do(tile.IsInf, x), l.number(x.typ, 0), l.do(tile.Sub, x, whole))
	return tuple(of(l.do(tile.Copysign, rest, x)), of(whole))
}

// clip is the first argument within the other two.
func clip(l *lower, n *Node, v []value) value {
	t := v[0].typ.DType
	for _, bound := range v[1:] {
		t = unify(t, bound.typ.DType)
	}
	low := l.do(tile.Max, l.as(t, v[0].in), l.as(t, v[1].in))
	return of(l.do(tile.Min, low, l.as(t, v[2].in)))
}

// divisor is the greatest common divisor of two integers, by Euclid: of their dtype in arithmetic, or NumPy's, which
// gives small integers for such.
func divisor(common func(a, b tile.DType) tile.DType) func(l *lower, n *Node, v []value) value {
	return func(l *lower, n *Node, v []value) value { return l.divisor(n, common, v) }
}

func (l *lower) divisor(n *Node, common func(a, b tile.DType) tile.DType, v []value) value {
	t := common(v[0].typ.DType, v[1].typ.DType)
	if !t.Is(tile.KindInt | tile.KindUint) {
		l.fail(n, typing, "Convert them with int(...).", "gcd takes integers, not %v and %v", v[0].typ, v[1].typ)
	}
	zero := l.constant(tile.Scalar{Type: t})
	size := func(x *instr) *instr {
		if t.Is(tile.KindInt) {
			return l.do(tile.Abs, x)
		}
		return x
	}
	in := &instr{op: tile.Loop, typ: tile.Bool, args: []*instr{nil}}
	a, b := carry(in, size(l.as(t, v[0].in))), carry(in, size(l.as(t, v[1].in)))
	in.first = l.within(func() { in.args[0] = l.do(tile.Ne, b, zero) })
	in.second = l.within(func() { a.args[1], b.args[1] = b, l.do(tile.Rem, a, b) })
	l.out.add(in)
	return of(size(a)) // the smallest integer has no size, and rests of it are negative
}

// multiple is the least common multiple of two integers.
func multiple(common func(a, b tile.DType) tile.DType) func(l *lower, n *Node, v []value) value {
	return func(l *lower, n *Node, v []value) value {
		by := l.divisor(n, common, v).in
		t := by.typ
		x, y := l.as(t, v[0].in), l.as(t, v[1].in)
		if t.Is(tile.KindInt) {
			x, y = l.do(tile.Abs, x), l.do(tile.Abs, y)
		}
		return of(l.do(tile.Mul, l.do(tile.FloorDiv, x, by), y)) // 0 of 0 and 0, whose divisor is 0
	}
}

// wholeAsTheyAre is a function of floats that changes no integer, and has the integers' dtype of those.
func wholeAsTheyAre(f formula) functionRow {
	row := inFloats(tile.Invalid, 1, f)
	floats := row.build
	row.build = func(l *lower, at *Node, v []value) value {
		if v[0].typ.DType.Is(kindsInteger | tile.KindBool) {
			return v[0]
		}
		return floats(l, at, v)
	}
	return row
}

// numbersOnly has other numbers in place of what is none and of infinities: 0 and the largest numbers of the dtype, or
// those that are given. What it gives of floats is a float64, of complex numbers a complex128, and integers stay.
func numbersOnly(l *lower, n *Node, v []value) value {
	x := v[0]
	for i, a := range v {
		if a.typ.Kind != Number && (i == 0 || a.typ.Kind != None) || i > 1 && a.typ.DType.Is(tile.KindComplex) {
			l.fail(n, typing, "", "np.nan_to_num takes real numbers in place of others, and None, not %v", a.typ)
		}
	}
	other := func(i int, missing float64) *instr {
		if i >= len(v) || v[i].typ.Kind == None {
			return l.number(tile.Float64, missing)
		}
		return l.as(tile.Float64, v[i].in)
	}
	real := func(x *instr) *instr {
		largest := powersOfTwo[x.typ].largest
		made := l.as(tile.Float64, x)
		negative := l.do(tile.Lt, x, l.number(x.typ, 0))
		made = l.do(tile.Select, l.do(tile.IsInf, x), l.do(tile.Select, negative, other(4, -largest), other(3, largest)), made)
		return l.do(tile.Select, l.do(tile.IsNaN, x), other(2, 0), made)
	}
	switch t := x.typ.DType; {
	case t.Is(tile.KindComplex):
		return of(l.do(tile.MakeComplex, real(l.do(tile.RealPart, x.in)), real(l.do(tile.ImagPart, x.in))))
	case t.Is(tile.KindFloat):
		return of(real(x.in))
	}
	return x
}

// quotientAndRemainder is NumPy's divmod, in the loops of the two.
func quotientAndRemainder(l *lower, n *Node, v []value) value {
	quotient, _ := l.lookup("np.floor_divide")
	remainder, _ := l.lookup("np.remainder")
	return tuple(quotient.build(l, n, v), remainder.build(l, n, v))
}

// floatFunctions is the table of functions of floats that are no opcode of their own.
var floatFunctions = map[string]functionRow{
	"cuda.fma": inFloats(tile.Invalid, 3, fma), "cuda.rsqrt": inFloats(tile.Invalid, 1, inverseRoot),
	"math.remainder": inFloats(tile.Invalid, 2, remaining), "math.modf": unary(split), "math.gcd": {2, 2, false, nil, divisor(arithmetic)},
	"math.fma": inFloats(tile.Invalid, 3, fma), "math.lcm": {2, 2, false, nil, multiple(arithmetic)}, "np.lcm": {2, 2, false, nil, multiple(unify)},
	"np.fix": wholeAsTheyAre(opcode(tile.Trunc)), "np.nan_to_num": {1, 5, true, []string{"x", "copy?", "nan?", "posinf?", "neginf?"}, numbersOnly},

	"np.logaddexp": inFloats(tile.Invalid, 2, logAdd(tile.Exp, tile.Log, math.Ln2)), "np.logaddexp2": inFloats(tile.Invalid, 2, logAdd(tile.Exp2, tile.Log2, 1)),
	"np.heaviside": inFloats(tile.Invalid, 2, heaviside), "np.sinc": unary(sinc), "np.signbit": inFloats(tile.Invalid, 1, negativeSign),
	"np.modf": unary(split), "np.clip": {3, 3, false, nil, clip}, "np.gcd": {2, 2, false, nil, divisor(unify)}, "np.divmod": {2, 2, false, nil, quotientAndRemainder},
	"np.float_power": inFloats(tile.Float64, 2, opcode(tile.Pow)), "np.angle": {1, 2, false, []string{"z", "deg"}, angle}, "np.isreal": unary(isReal), "np.round": {1, 2, false, []string{"a", "decimals"}, roundNumPy},
	"np.around": {1, 2, false, []string{"a", "decimals"}, roundNumPy}, "np.pow": operator("**"), "np.isposinf": inFloats(tile.Invalid, 1, infinite(tile.Gt)), "np.isneginf": inFloats(tile.Invalid, 1, infinite(tile.Lt)),
}

func infinite(side tile.Opcode) formula {
	return func(l *lower, a []*instr) *instr {
		return l.do(tile.And, l.do(tile.IsInf, a[0]), l.do(side, a[0], l.number(a[0].typ, 0)))
	}
}

func isReal(l *lower, v value) value {
	im := imagPart(l, v)
	return of(l.do(tile.Eq, im.in, l.constant(tile.Scalar{Type: im.typ.DType})))
}

// roundNumPy gives a float64 of floats, whose own dtype is rounded in where there are no digits, a complex128 of
// complex numbers, and an int64 of integers, or a float64 of those that may not fit one.
func roundNumPy(l *lower, n *Node, v []value) value {
	to := l.whole(0)
	if len(v) == 2 {
		to = v[1]
	}
	digits, known := to.integer()
	real := func(x *instr) *instr {
		if known && digits == 0 {
			return l.as(tile.Float64, l.do(tile.Rint, x))
		}
		return l.rounded(n, l.as(tile.Float64, x), to)
	}
	switch t := v[0].typ.DType; {
	case t.Is(tile.KindComplex):
		return of(l.do(tile.MakeComplex, real(l.do(tile.RealPart, v[0].in)), real(l.do(tile.ImagPart, v[0].in))))
	case t.Is(tile.KindFloat):
		return of(real(v[0].in))
	case known && digits == 0:
		return of(l.as(unify(t, tile.Int64), v[0].in))
	default:
		return of(l.as(unify(t, tile.Int64), l.as(tile.Int64, l.rounded(n, l.as(tile.Float64, v[0].in), to))))
	}
}
