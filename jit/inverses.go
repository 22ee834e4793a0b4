package jit

import (
	"math"

	"weft/tile"
)

// The inverses of the normal distribution and of the error functions are quotients of polynomials, by M. J. Wichura,
// "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988): of q*q where the
// probability is within 0.425 of a half, q being the distance; else of the root of -log of the nearer tail. Each wants
// the tail exactly, so that there is one way into it for each function.

// quotient has the coefficients of the two polynomials, the constants first.
type quotient struct{ over, under []float64 }

var (
	middleQuotient = quotient{
		[]float64{3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
		[]float64{1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3},
	}
	nearQuotient = quotient{
		[]float64{1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504, 1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
		[]float64{1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
	farQuotient = quotient{
		[]float64{6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
		[]float64{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15},
	}
)

// of is the quotient of the polynomials.
func (q quotient) of(l *lower, x *instr) *instr {
	polynomial := func(c []float64) *instr {
		sum := l.number(tile.Float64, c[len(c)-1])
		for i := len(c) - 2; i >= 0; i-- {
			sum = l.do(tile.Add, l.do(tile.Mul, sum, x), l.number(tile.Float64, c[i]))
		}
		return sum
	}
	return l.do(tile.Div, polynomial(q.over), polynomial(q.under))
}

// quantile is the percentage point of a probability that is q more than a half. depth is -log of the tail, which is its
// lesser side, and infinite where there is none.
func (l *lower) quantile(q, depth *instr) *instr {
	number := func(v float64) *instr { return l.number(tile.Float64, v) }
	middle := l.do(tile.Mul, q, middleQuotient.of(l, l.do(tile.Sub, number(0.180625), l.do(tile.Mul, q, q))))
	r := l.do(tile.Sqrt, depth)
	near := nearQuotient.of(l, l.do(tile.Sub, r, number(1.6)))
	far := farQuotient.of(l, l.do(tile.Sub, r, number(5)))
	outer := l.do(tile.Copysign, l.do(tile.Select, l.do(tile.Le, r, number(5)), near, far), q)
	outer = l.do(tile.Select, l.do(tile.IsInf, depth), l.do(tile.Copysign, number(math.Inf(1)), q), outer)
	return l.do(tile.Select, l.do(tile.Le, l.do(tile.Abs, q), number(0.425)), middle, outer) // NaN has no tail, and is NaN there
}

func (l *lower) negativeLog(x *instr) *instr { return l.do(tile.Neg, l.do(tile.Log, x)) }

// inverses is the table of these functions, of float64.
var inverses = map[string]formula{
	"normcdfinv": func(l *lower, a []*instr) *instr {
		p, half := a[0], l.number(tile.Float64, 0.5)
		return l.quantile(l.do(tile.Sub, p, half), l.negativeLog(l.do(tile.Min, p, l.do(tile.Sub, l.number(tile.Float64, 1), p))))
	},
	"erfinv": func(l *lower, a []*instr) *instr {
		half := l.number(tile.Float64, 0.5)
		q := l.do(tile.Mul, a[0], half)
		return l.rootHalf(l.quantile(q, l.negativeLog(l.do(tile.Sub, half, l.do(tile.Abs, q)))))
	},
	"erfcinv": func(l *lower, a []*instr) *instr {
		half := l.number(tile.Float64, 0.5)
		q := l.do(tile.Sub, half, l.do(tile.Mul, a[0], half))
		tails := l.do(tile.Min, a[0], l.do(tile.Sub, l.number(tile.Float64, 2), a[0])) // halves of subnormals have no float64
		return l.rootHalf(l.quantile(q, l.do(tile.Add, l.negativeLog(tails), l.number(tile.Float64, math.Ln2))))
	},
	"erfcx": scaledErfc,
}

// rootHalf is the number by the root of 2.
func (l *lower) rootHalf(x *instr) *instr {
	return l.do(tile.Mul, x, l.number(tile.Float64, math.Sqrt2/2))
}

// scaledErfc is exp(x*x) erfc(x): by these, the square with what its rounding has lost, and from where erfc has few
// digits left by its series of 1/x*x.
func scaledErfc(l *lower, a []*instr) *instr {
	number := func(v float64) *instr { return l.number(tile.Float64, v) }
	const far = 25
	x := l.do(tile.Min, a[0], number(far)) // a NaN stays one
	square := l.do(tile.Mul, x, x)
	lost := l.productError(x, x, square)
	product := l.do(tile.Mul, l.do(tile.Exp, square), l.do(tile.Erfc, x))
	product = l.do(tile.Select, l.do(tile.IsFinite, product), l.do(tile.Add, product, l.do(tile.Mul, product, lost)), product)

	inverse := l.do(tile.Div, number(1), a[0])
	t := l.do(tile.Mul, number(0.5), l.do(tile.Mul, inverse, inverse))
	series := number(1) // 1 - t (1 - 3t (1 - 5t (...)))
	for k := 13; k > 0; k -= 2 {
		series = l.do(tile.Sub, number(1), l.do(tile.Mul, l.do(tile.Mul, number(float64(k)), t), series))
	}
	beyond := l.do(tile.Mul, l.do(tile.Mul, number(1/math.Sqrt(math.Pi)), inverse), series)
	return l.do(tile.Select, l.do(tile.Gt, a[0], number(far)), beyond, product)
}

// remainderAndQuotient is remainder(x, y), and the lowest three bits of the quotient with its sign.
func remainderAndQuotient(l *lower, a []*instr) (rest, quotient *instr) {
	t := a[0].typ
	x, y := l.do(tile.Abs, a[0]), l.do(tile.Abs, a[1])
	part := l.do(tile.Rem, x, l.do(tile.Mul, y, l.number(t, 8)))
	part = l.do(tile.Select, l.do(tile.IsInf, l.do(tile.Mul, y, l.number(t, 8))), x, part)
	scale := func(v *instr) *instr { // so that eight times the largest divisor is a number
		return l.do(tile.Mul, v, l.do(tile.Select, l.do(tile.Gt, y, l.number(t, powersOfTwo[t].largest/16)), l.number(t, 0x1p-4), l.number(t, 1)))
	}
	turns := l.do(tile.Rint, l.do(tile.Div, l.do(tile.Sub, scale(part), scale(remaining(l, []*instr{part, y}))), scale(y)))
	rest = remaining(l, a)
	turns = l.do(tile.Select, l.do(tile.IsNaN, rest), l.number(t, 0), turns)
	turns = l.do(tile.Select, l.do(tile.IsInf, y), l.number(t, 0), turns)
	bits := l.do(tile.And, l.as(tile.Int32, turns), l.constant(tile.IntScalar(tile.Int32, 7)))
	turned := l.do(tile.Ne, negativeSign(l, a[:1]), negativeSign(l, a[1:]))
	return rest, l.do(tile.Select, turned, l.do(tile.Neg, bits), bits)
}
