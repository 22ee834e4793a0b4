package jit

import (
	"math"

	"weft/tile"
)

// fma is a*b + c, rounded once. The product is the exact sum of two numbers, and so is that of its larger part with c:
// what is left decides which way the sum is rounded where that is in the middle of two numbers (nudged). Halves and
// float32 are computed in float64, in which their products are exact.
//
// Of products of float64 beyond 2**990 or below 2**-900 parts have no float64. They are computed where their mantissas
// are (fusedFar), on a path of its own, since hardly any threads take it.
func fma(l *lower, a []*instr) *instr {
	t := a[0].typ
	if t != tile.Float64 {
		return l.fusedWide(t, a)
	}
	product := l.do(tile.Mul, a[0], a[1])
	plain := l.do(tile.Add, l.finiteProduct(a), a[2])
	exact := l.rounded53(l.summed(product, l.productError(a[0], a[1], product), a[2]))
	size := l.do(tile.Abs, product)
	number := func(v float64) *instr { return l.number(t, v) }
	both := func(x, y *instr) *instr { return l.do(tile.And, x, y) }
	largest := l.do(tile.Max, l.do(tile.Abs, a[2]), l.do(tile.Max, size, l.do(tile.Max, l.do(tile.Abs, a[0]), l.do(tile.Abs, a[1]))))
	fits := both(l.do(tile.Lt, largest, number(0x1p990)), l.do(tile.Ge, size, number(0x1p-900)))
	near := l.do(tile.Select, fits, exact, plain)
	isNone := l.do(tile.Or, l.do(tile.Or, l.special(a[0]), l.special(a[1])), l.do(tile.Not, l.do(tile.IsFinite, a[2])))
	far := both(l.do(tile.Not, fits), l.do(tile.Not, isNone))
	in := &instr{op: tile.If, typ: tile.Bool, args: []*instr{far}}
	var there *instr
	in.first = l.within(func() { there = l.fusedFar(a) })
	in.second = l.within(func() {})
	l.out.add(in)
	return merge(in, there, near)
}

// fusedWide is fma of numbers whose products are float64. A sum in the middle between the largest number and the one
// that would follow it is infinite, unless rounding has lost what makes it less.
func (l *lower) fusedWide(t tile.DType, a []*instr) *instr {
	wide := func(x *instr) *instr { return l.as(tile.Float64, x) }
	sum, lost := l.twoSum(l.do(tile.Mul, wide(a[0]), wide(a[1])), wide(a[2]))
	near := wide(l.as(t, sum))
	made := l.nudged(near, l.do(tile.Sub, sum, near), lost, func(x *instr) *instr { return wide(l.as(t, x)) })
	largest := map[tile.DType]float64{tile.Float16: 65504, tile.Float32: math.MaxFloat32}[t]
	end := map[tile.DType]float64{tile.Float16: 65520, tile.Float32: 0x1.ffffffp127}[t]
	zero := l.number(tile.Float64, 0)
	less := l.do(tile.Lt, l.do(tile.Mul, sum, lost), zero) // of the other sign
	less = l.do(tile.And, less, l.do(tile.Eq, l.do(tile.Abs, sum), l.number(tile.Float64, end)))
	made = l.do(tile.Select, less, l.do(tile.Copysign, l.number(tile.Float64, largest), sum), made)
	return l.as(t, made)
}

// summed is product + rest + c as the sum of three numbers, the first of which is near to all of it, and has digits
// that the second has not, and so on.
func (l *lower) summed(product, rest, c *instr) (sum, over, least *instr) {
	low, lost := l.twoSum(c, rest)
	high, more := l.twoSum(product, low)
	middle, least := l.twoSum(more, lost)
	sum, over = l.twoSum(high, middle)
	return sum, over, least
}

// rounded53 is such a sum with the digits of a float64, whatever its exponent.
func (l *lower) rounded53(sum, over, least *instr) *instr { return l.nudged(sum, over, least, nil) }

// fusedFar is fma of float64 of finite numbers, a and b not 0. Above the normal numbers' end, the sum of the mantissas
// is rounded where it is, and moved; where the result has fewer digits, it is rounded as the multiple of the least
// number.
func (l *lower) fusedFar(a []*instr) *instr {
	sum, over, least, by := l.fusedMantissas(a)
	number := func(v float64) *instr { return l.number(tile.Float64, v) }
	moved := func(x *instr, by *instr) *instr { return l.ldexp(x, l.as(tile.Int64, by)) }
	whole := func(k int64) *instr { return l.constant(tile.IntScalar(tile.Int32, k)) }
	made := moved(l.rounded53(sum, over, least), by)

	steps := moved(sum, l.do(tile.Add, by, whole(1074)))
	near := l.do(tile.Rint, steps)
	beyond := l.do(tile.Sub, steps, near)
	rest := l.do(tile.Select, l.do(tile.Ne, over, number(0)), over, least)
	up := l.do(tile.And, l.do(tile.Eq, beyond, number(0.5)), l.do(tile.Gt, rest, number(0)))
	down := l.do(tile.And, l.do(tile.Eq, beyond, number(-0.5)), l.do(tile.Lt, rest, number(0)))
	near = l.do(tile.Add, near, l.do(tile.Select, up, number(1), l.do(tile.Select, down, number(-1), number(0))))
	tiny := l.do(tile.Copysign, moved(l.do(tile.Abs, near), whole(-1074)), sum)
	return l.do(tile.Select, l.do(tile.Le, l.do(tile.Abs, made), number(0x1p-1022)), tiny, made)
}

// finiteProduct is a*b as a summand of c of float64: none of finite numbers, which may overflow, where c is not finite.
func (l *lower) finiteProduct(a []*instr) *instr {
	known := l.do(tile.And, l.do(tile.IsFinite, a[0]), l.do(tile.IsFinite, a[1]))
	none := l.do(tile.And, known, l.do(tile.Not, l.do(tile.IsFinite, a[2])))
	return l.do(tile.Select, none, l.number(tile.Float64, 0), l.do(tile.Mul, a[0], a[1]))
}

// twoSum is a sum, and what its rounding has lost.
func (l *lower) twoSum(a, b *instr) (sum, lost *instr) {
	sum = l.do(tile.Add, a, b)
	part := l.do(tile.Sub, sum, a)
	lost = l.do(tile.Add, l.do(tile.Sub, a, l.do(tile.Sub, sum, part)), l.do(tile.Sub, b, part))
	return sum, lost
}

// productError is what the rounding of a product of float64 has lost, by Dekker's halves.
func (l *lower) productError(a, b, product *instr) *instr {
	mul, sub := func(x, y *instr) *instr { return l.do(tile.Mul, x, y) }, func(x, y *instr) *instr { return l.do(tile.Sub, x, y) }
	halves := func(x *instr) (high, low *instr) {
		c := mul(x, l.number(tile.Float64, 1<<27+1))
		high = sub(c, sub(c, x))
		return high, sub(x, high)
	}
	ah, al := halves(a)
	bh, bl := halves(b)
	return sub(mul(al, bl), sub(sub(sub(product, mul(ah, bh)), mul(al, bh)), mul(ah, bl)))
}

// nudged is the neighbour of a number that has been rounded, and lacks what over and least say, on the side of least:
// where over is half of the distance to it. narrow rounds a sum of float64 to the numbers that there are.
func (l *lower) nudged(near, over, least *instr, narrow func(x *instr) *instr) *instr {
	zero := l.number(near.typ, 0)
	next := l.do(tile.Add, near, l.do(tile.Add, over, over))
	var is *instr // a number that there is
	if narrow != nil {
		is = l.do(tile.Eq, narrow(next), next)
	} else {
		_, lost := l.twoSum(near, l.do(tile.Add, over, over))
		is = l.do(tile.Eq, lost, zero)
	}
	side := l.do(tile.Or, l.do(tile.And, l.do(tile.Gt, over, zero), l.do(tile.Gt, least, zero)), l.do(tile.And, l.do(tile.Lt, over, zero), l.do(tile.Lt, least, zero)))
	return l.do(tile.Select, l.do(tile.And, is, side), next, near)
}
