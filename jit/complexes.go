package jit

import (
	"math"

	"weft/tile"
)

// The functions of module cmath that are no opcode are computed from real ones of the parts, by the formulas of Kahan's
// "Branch cuts for complex elementary functions".

// complexFormula computes a function of a complex number from its parts.
type complexFormula func(l *lower, x, y *instr) (re, im *instr)

func ofParts(f complexFormula) functionRow {
	return unary(func(l *lower, v value) value {
		z := l.as(complexOf(v.typ.DType), v.in)
		re, im := f(l, l.do(tile.RealPart, z), l.do(tile.ImagPart, z))
		return of(l.do(tile.MakeComplex, re, im))
	})
}

// complexOf is the dtype that cmath computes in.
func complexOf(t tile.DType) tile.DType {
	if t == tile.Float32 || t == tile.Complex64 {
		return tile.Complex64
	}
	return tile.Complex128
}

// mul is a product of reals, plus and minus are a sum and a difference.
func (l *lower) mul(x, y *instr) *instr   { return l.do(tile.Mul, x, y) }
func (l *lower) plus(x, y *instr) *instr  { return l.do(tile.Add, x, y) }
func (l *lower) minus(x, y *instr) *instr { return l.do(tile.Sub, x, y) }

// rootOf is the square root of x + iy, in its parts.
func (l *lower) rootOf(x, y *instr) (re, im *instr) {
	z := l.do(tile.Sqrt, l.do(tile.MakeComplex, x, y))
	return l.do(tile.RealPart, z), l.do(tile.ImagPart, z)
}

func (l *lower) neg(x *instr) *instr { return l.do(tile.Neg, x) }

// besides is a real function of x times the sine of y, which is 0 for y of 0, be the other infinite.
func (l *lower) besides(of, y *instr) *instr {
	zero := l.mul(l.do(tile.Copysign, l.number(y.typ, 1), of), y)
	return l.do(tile.Select, l.do(tile.Eq, y, l.number(y.typ, 0)), zero, l.mul(of, l.do(tile.Sin, y)))
}

func complexSinh(l *lower, x, y *instr) (re, im *instr) {
	return l.mul(l.do(tile.Sinh, x), l.do(tile.Cos, y)), l.besides(l.do(tile.Cosh, x), y)
}

func complexCosh(l *lower, x, y *instr) (re, im *instr) {
	return l.mul(l.do(tile.Cosh, x), l.do(tile.Cos, y)), l.besides(l.do(tile.Sinh, x), y)
}

// farOff has what a function tends to where a part is infinite, and what its formula gives elsewhere.
func farOff(f, limit complexFormula) complexFormula {
	return func(l *lower, x, y *instr) (re, im *instr) {
		nearRe, nearIm := f(l, x, y)
		farRe, farIm := limit(l, x, y)
		far := l.do(tile.Or, l.do(tile.IsInf, x), l.do(tile.IsInf, y))
		return l.do(tile.Select, far, farRe, nearRe), l.do(tile.Select, far, farIm, nearIm)
	}
}

func farAcos(l *lower, x, y *instr) (re, im *instr) {
	return l.do(tile.Atan2, l.do(tile.Abs, y), x), l.do(tile.Copysign, l.number(x.typ, math.Inf(1)), l.neg(y))
}

func farAcosh(l *lower, x, y *instr) (re, im *instr) {
	return l.number(x.typ, math.Inf(1)), l.do(tile.Atan2, y, x)
}

func farAsinh(l *lower, x, y *instr) (re, im *instr) {
	return l.do(tile.Copysign, l.number(x.typ, math.Inf(1)), x), l.do(tile.Atan2, y, l.do(tile.Abs, x))
}

func farAtanh(l *lower, x, y *instr) (re, im *instr) {
	return l.do(tile.Copysign, l.number(x.typ, 0), x), l.do(tile.Copysign, l.number(x.typ, math.Pi/2), y)
}

// complexTanh has no cosh of large numbers in a numerator.
func complexTanh(l *lower, x, y *instr) (re, im *instr) {
	one := l.number(x.typ, 1)
	tx, ty := l.do(tile.Tanh, x), l.do(tile.Tan, y)
	narrow := l.do(tile.Div, one, l.do(tile.Cosh, x))
	both := l.mul(tx, ty)
	denominator := l.plus(one, l.mul(both, both))
	re = l.do(tile.Div, l.mul(tx, l.plus(one, l.mul(ty, ty))), denominator)
	im = l.mul(l.mul(l.do(tile.Div, ty, denominator), narrow), narrow)
	both = l.do(tile.And, l.do(tile.IsInf, x), l.do(tile.IsInf, y)) // an angle that is none does not matter there
	return l.do(tile.Select, both, l.do(tile.Copysign, one, x), re), l.do(tile.Select, both, l.number(x.typ, 0), im)
}

// turnedBy is f of i times the number, times -i: a function of angles from its hyperbolic one.
func turnedBy(f complexFormula) complexFormula {
	return func(l *lower, x, y *instr) (re, im *instr) {
		re, im = f(l, l.neg(y), x)
		return im, l.neg(re)
	}
}

func complexAcos(l *lower, x, y *instr) (re, im *instr) {
	one := l.number(x.typ, 1)
	ax, ay := l.rootOf(l.minus(one, x), l.neg(y))
	bx, by := l.rootOf(l.plus(one, x), y)
	re = l.mul(l.number(x.typ, 2), l.do(tile.Atan2, ax, bx))
	return re, l.do(tile.Asinh, l.minus(l.mul(bx, ay), l.mul(by, ax)))
}

func complexAcosh(l *lower, x, y *instr) (re, im *instr) {
	one := l.number(x.typ, 1)
	ax, ay := l.rootOf(l.minus(x, one), y)
	bx, by := l.rootOf(l.plus(x, one), y)
	re = l.do(tile.Asinh, l.plus(l.mul(ax, bx), l.mul(ay, by)))
	return re, l.mul(l.number(x.typ, 2), l.do(tile.Atan2, ay, bx))
}

func complexAsinh(l *lower, x, y *instr) (re, im *instr) {
	one := l.number(x.typ, 1)
	ax, ay := l.rootOf(l.plus(one, y), l.neg(x))
	bx, by := l.rootOf(l.minus(one, y), x)
	re = l.do(tile.Asinh, l.minus(l.mul(ax, by), l.mul(bx, ay)))
	return re, l.do(tile.Atan2, y, l.minus(l.mul(ax, bx), l.mul(ay, by)))
}

// complexAtanh is computed on the right half of the plane.
func complexAtanh(l *lower, x, y *instr) (re, im *instr) {
	number := func(v float64) *instr { return l.number(x.typ, v) }
	left := l.do(tile.Lt, l.do(tile.Copysign, number(1), x), number(0))
	flip := func(v *instr) *instr { return l.do(tile.Select, left, l.neg(v), v) }
	x, y = flip(x), flip(y)
	beside := l.minus(number(1), x)
	distance := l.plus(l.mul(beside, beside), l.mul(y, y))
	re = l.do(tile.Div, l.do(tile.Log1p, l.do(tile.Div, l.mul(number(4), x), distance)), number(4))
	im = l.do(tile.Div, l.do(tile.Atan2, l.mul(number(2), y), l.minus(l.mul(beside, l.plus(number(1), x)), l.mul(y, y))), number(2))
	return flip(re), flip(im)
}

func complexLog10(l *lower, x, y *instr) (re, im *instr) {
	z := l.do(tile.Log, l.do(tile.MakeComplex, x, y))
	by := l.number(x.typ, math.Ln10)
	return l.do(tile.Div, l.do(tile.RealPart, z), by), l.do(tile.Div, l.do(tile.ImagPart, z), by)
}

// complexLogTo is a logarithm to a base, of which by is the reciprocal of the natural one.
func complexLogTo(by float64) complexFormula {
	return func(l *lower, x, y *instr) (re, im *instr) {
		z := l.do(tile.Log, l.do(tile.MakeComplex, x, y))
		scale := l.number(x.typ, by)
		return l.mul(l.do(tile.RealPart, z), scale), l.mul(l.do(tile.ImagPart, z), scale)
	}
}

func complexLog1p(l *lower, x, y *instr) (re, im *instr) {
	beside := l.plus(x, l.number(x.typ, 1))
	return l.do(tile.Log, l.do(tile.Hypot, beside, y)), l.do(tile.Atan2, y, beside)
}

func complexExp2(l *lower, x, y *instr) (re, im *instr) {
	by := l.number(x.typ, math.Ln2)
	z := l.do(tile.Exp, l.do(tile.MakeComplex, l.mul(x, by), l.mul(y, by)))
	return l.do(tile.RealPart, z), l.do(tile.ImagPart, z)
}

// complexExpm1 has no difference of numbers that are nearly 1: the cosine of y is 1 less twice the squared sine of y/2.
func complexExpm1(l *lower, x, y *instr) (re, im *instr) {
	half := l.do(tile.Sin, l.mul(y, l.number(x.typ, 0.5)))
	less := l.mul(l.number(x.typ, 2), l.mul(half, half))
	return l.minus(l.mul(l.do(tile.Expm1, x), l.do(tile.Cos, y)), less), l.mul(l.do(tile.Exp, x), l.do(tile.Sin, y))
}

func complexRint(l *lower, x, y *instr) (re, im *instr) {
	return l.do(tile.Rint, x), l.do(tile.Rint, y)
}

// complexSign is the number of size 1 in the same direction: 0 of 0, and along an axis where one part is infinite.
func complexSign(l *lower, x, y *instr) (re, im *instr) {
	size := l.do(tile.Hypot, x, y)
	zero := l.number(x.typ, 0)
	none := l.do(tile.Eq, size, zero)
	farX, farY := l.do(tile.IsInf, x), l.do(tile.IsInf, y)
	far, both := l.do(tile.Or, farX, farY), l.do(tile.And, farX, farY)
	part := func(v, far1 *instr) *instr {
		along := l.do(tile.Select, far1, l.do(tile.Copysign, l.number(x.typ, 1), v), zero)
		near := l.do(tile.Select, none, zero, l.do(tile.Div, v, size))
		return l.do(tile.Select, both, l.number(x.typ, math.NaN()), l.do(tile.Select, far, along, near))
	}
	return part(x, farX), part(y, farY)
}

// complexParts are the formulas of NumPy's functions that also take complex numbers, by what they are of reals.
var complexParts = map[tile.Opcode]complexFormula{
	tile.Exp2: complexExp2, tile.Expm1: complexExpm1, tile.Log2: complexLogTo(math.Log2E), tile.Log10: complexLogTo(math.Log10E), tile.Log1p: complexLog1p,
	tile.Rint: complexRint, tile.Sinh: complexSinh, tile.Cosh: complexCosh, tile.Tanh: complexTanh, tile.Tan: turnedBy(complexTanh),
	tile.Acos: farOff(complexAcos, farAcos), tile.Acosh: farOff(complexAcosh, farAcosh), tile.Asinh: farOff(complexAsinh, farAsinh),
	tile.Asin: turnedBy(farOff(complexAsinh, farAsinh)), tile.Atanh: farOff(complexAtanh, farAtanh), tile.Atan: turnedBy(farOff(complexAtanh, farAtanh)),
}

func polar(l *lower, v value) value {
	z := l.as(complexOf(v.typ.DType), v.in)
	return tuple(of(l.do(tile.Abs, z)), phase(l, of(z)))
}

// rect is the number of a size and an angle.
func rect(l *lower, a []*instr) *instr {
	return l.do(tile.MakeComplex, l.mul(a[0], l.do(tile.Cos, a[1])), l.mul(a[0], l.do(tile.Sin, a[1])))
}

// complexLog is the logarithm of a complex number, to a base where one is given. Both are of the type that holds both:
// that of the first alone would make inf of a base beyond a float32.
func complexLog(l *lower, _ *Node, v []value) value {
	t := complexOf(v[0].typ.DType)
	if len(v) == 2 && complexOf(v[1].typ.DType) == tile.Complex128 {
		t = tile.Complex128
	}
	made := l.do(tile.Log, l.as(t, v[0].in))
	if len(v) == 1 {
		return of(made)
	}
	return of(l.do(tile.Div, made, l.do(tile.Log, l.as(t, v[1].in))))
}

// complexFunctions is the table.
var complexFunctions = map[string]functionRow{
	"cmath.sinh": ofParts(complexSinh), "cmath.cosh": ofParts(complexCosh), "cmath.tanh": ofParts(complexTanh), "cmath.tan": ofParts(turnedBy(complexTanh)),
	"cmath.acos": ofParts(farOff(complexAcos, farAcos)), "cmath.acosh": ofParts(farOff(complexAcosh, farAcosh)),
	"cmath.asinh": ofParts(farOff(complexAsinh, farAsinh)), "cmath.asin": ofParts(turnedBy(farOff(complexAsinh, farAsinh))),
	"cmath.atanh": ofParts(farOff(complexAtanh, farAtanh)), "cmath.atan": ofParts(turnedBy(farOff(complexAtanh, farAtanh))), "cmath.log10": ofParts(complexLog10),
	"cmath.polar": unary(polar), "cmath.rect": inFloats(tile.Invalid, 2, rect),
}
