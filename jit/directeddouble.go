package jit

import "weft/tile"

// On which side of a product, quotient or root of float64 the exact one lies is said by what rounding has lost of their
// mantissas, whose products are the exact sum of two numbers (productError). The rounded result is moved to where the
// mantissas are: it has fewer digits below the normal numbers, and is infinite or 0 beyond the largest and the least.

// roundedSize is a result whose size has lost as much as t says: the exact one is larger where t is more than 0.
func (l *lower) roundedSize(near, t, none *instr) rounded {
	zero := l.number(tile.Float64, 0)
	over := l.do(tile.And, l.do(tile.IsInf, near), l.do(tile.Not, none))
	known := func(x *instr) *instr { return l.do(tile.And, x, l.do(tile.Not, none)) }
	larger, smaller := known(l.do(tile.Gt, t, zero)), known(l.do(tile.Or, l.do(tile.Lt, t, zero), over))
	negative := negativeSign(l, []*instr{near})
	return rounded{near: near, less: l.do(tile.Select, negative, larger, smaller), more: l.do(tile.Select, negative, smaller, larger)}
}

// moved is the size of a float64 times a power of two, an int32.
func (l *lower) moved(x, by *instr) *instr { return l.ldexp(l.do(tile.Abs, x), l.as(tile.Int64, by)) }

// roundedProduct is a product of float64.
func (l *lower) roundedProduct(a, b *instr) rounded {
	near := l.do(tile.Mul, a, b)
	x, i := l.taken(a)
	y, j := l.taken(b)
	product := l.do(tile.Mul, x, y)
	rest := l.do(tile.Sub, product, l.moved(near, l.do(tile.Neg, l.do(tile.Add, i, j))))
	return l.roundedSize(near, l.do(tile.Add, rest, l.productError(x, y, product)), l.do(tile.Or, l.special(a), l.special(b)))
}

// roundedRatio is a quotient of float64: the divisor times it is compared with the dividend.
func (l *lower) roundedRatio(a, b *instr) rounded {
	near := l.do(tile.Div, a, b)
	x, i := l.taken(a)
	y, j := l.taken(b)
	ratio := l.moved(near, l.do(tile.Sub, j, i))
	product := l.do(tile.Mul, ratio, y)
	rest := l.do(tile.Sub, l.do(tile.Sub, x, product), l.productError(ratio, y, product))
	return l.roundedSize(near, rest, l.do(tile.Or, l.special(a), l.special(b)))
}

// roundedDoubleRoot is a square root of a float64, whose square is compared with it.
func (l *lower) roundedDoubleRoot(a []*instr) rounded {
	near := l.do(tile.Sqrt, a[0])
	x, i := l.taken(a[0])
	odd := l.do(tile.And, i, l.constant(tile.IntScalar(tile.Int32, 1)))
	x = l.do(tile.Mul, x, l.do(tile.Add, l.number(tile.Float64, 1), l.wide(odd)))
	root := l.moved(near, l.do(tile.Neg, l.do(tile.FloorDiv, l.do(tile.Sub, i, odd), l.constant(tile.IntScalar(tile.Int32, 2)))))
	square := l.do(tile.Mul, root, root)
	rest := l.do(tile.Sub, l.do(tile.Sub, x, square), l.productError(root, root, square))
	return l.roundedSize(near, rest, l.special(a[0]))
}
