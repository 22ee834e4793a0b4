package jit

import "weft/tile"

// farApart is beyond the digits of a product and a summand: of two that are farther apart by powers of two, rounding
// sees no more of the smaller one than that it is there, and its sign.
const farApart = 120

// fusedMantissas is a*b + c of float64, times a power of two, as a sum of three numbers (summed). The product of the
// mantissas is the exact sum of two numbers; c is moved to where they are, where it is larger than that the product to
// where c is, but no farther than matters.
func (l *lower) fusedMantissas(a []*instr) (sum, over, least, by *instr) {
	zero := l.number(tile.Float64, 0)
	whole := func(k int64) *instr { return l.constant(tile.IntScalar(tile.Int32, k)) }
	x, i := l.taken(a[0])
	y, j := l.taken(a[1])
	z, k := l.taken(a[2])
	nothing := l.do(tile.Eq, a[2], zero)
	at := l.do(tile.Add, i, j)
	apart := l.do(tile.Sub, l.do(tile.Select, nothing, at, k), at)
	near := l.do(tile.Max, whole(-farApart), l.do(tile.Min, whole(farApart), apart))
	x, y = l.do(tile.Copysign, x, a[0]), l.do(tile.Copysign, y, a[1])
	z = l.do(tile.Mul, l.do(tile.Copysign, z, a[2]), l.powerOfTwo(tile.Float64, l.as(tile.Int64, near)))
	z = l.do(tile.Select, nothing, zero, z)
	product := l.do(tile.Mul, x, y)
	sum, over, least = l.summed(product, l.productError(x, y, product), z)
	return sum, over, least, l.do(tile.Add, at, l.do(tile.Max, whole(0), l.do(tile.Sub, apart, whole(farApart))))
}

// roundedFused is a*b + c of float64. The exact sum of the three is rounded where it is, and again, if it has fewer
// digits there, where the result belongs.
func (l *lower) roundedFused(a []*instr) rounded {
	zero := l.number(tile.Float64, 0)
	sum, over, least, by := l.fusedMantissas(a)
	by = l.as(tile.Int64, by)
	made := l.ldexp(sum, by)
	rest := l.do(tile.Sub, sum, l.ldexp(made, l.do(tile.Neg, by)))
	rest = l.do(tile.Select, l.do(tile.Ne, rest, zero), rest, l.do(tile.Select, l.do(tile.Ne, over, zero), over, least))

	plain := l.finiteProduct(a)
	signs := l.negativeTerms(l.do(tile.Add, plain, a[2]), plain, a[2])
	none := l.do(tile.Or, l.do(tile.Or, l.special(a[0]), l.special(a[1])), l.do(tile.Not, l.do(tile.IsFinite, a[2])))
	known := func(v *instr) *instr { return l.do(tile.And, v, l.do(tile.Not, none)) }
	return rounded{
		near:     l.do(tile.Select, none, l.do(tile.Add, plain, a[2]), made),
		less:     known(l.do(tile.Lt, rest, zero)),
		more:     known(l.do(tile.Gt, rest, zero)),
		negative: l.do(tile.Select, none, signs, l.do(tile.Eq, sum, zero)),
	}
}
