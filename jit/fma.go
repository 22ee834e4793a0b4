package jit

import "weft/tile"

// fma is a*b + c, rounded once. The product is the exact sum of two numbers, and so is that of its larger part with c:
// what is left decides which way the sum is rounded where that is in the middle of two numbers (nudged). Halves and
// float32 are computed in float64, in which their products are exact.
//
// Products of float64 beyond 2**990 or below 2**-900 are rounded before the sum: parts of them have no float64.
func fma(l *lower, a []*instr) *instr {
	t := a[0].typ
	if t != tile.Float64 {
		wide := func(x *instr) *instr { return l.as(tile.Float64, x) }
		sum, lost := l.twoSum(l.do(tile.Mul, wide(a[0]), wide(a[1])), wide(a[2]))
		near := l.as(t, sum)
		return l.as(t, l.nudged(wide(near), l.do(tile.Sub, sum, wide(near)), lost, func(x *instr) *instr { return wide(l.as(t, x)) }))
	}
	product := l.do(tile.Mul, a[0], a[1])
	plain := l.do(tile.Add, l.finiteProduct(a), a[2])
	rest := l.productError(a[0], a[1], product)
	low, lost := l.twoSum(a[2], rest)
	high, more := l.twoSum(product, low)
	middle, least := l.twoSum(more, lost)
	sum, over := l.twoSum(high, middle)
	exact := l.nudged(sum, over, least, nil)
	size := l.do(tile.Abs, product)
	number := func(v float64) *instr { return l.number(t, v) }
	fits := l.do(tile.Lt, l.do(tile.Max, l.do(tile.Abs, a[2]), l.do(tile.Max, size, l.do(tile.Max, l.do(tile.Abs, a[0]), l.do(tile.Abs, a[1])))), number(0x1p990))
	fits = l.do(tile.And, fits, l.do(tile.Ge, size, number(0x1p-900)))
	return l.do(tile.Select, fits, exact, plain)
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
