package jit

import (
	"math"

	"weft/tile"
)

// Functions of libdevice whose result is rounded down (_rd), up (_ru) or towards zero (_rz), and not to the nearest
// number. That is what is computed, with the side of it on which the exact result lies; where the rounding wants the
// other one of its neighbours, it takes that:
//
//	fadd_rd(1, 2**-30)   near 1, the exact sum is more    1
//	fadd_ru(1, 2**-30)   near 1, the exact sum is more    1 + 2**-23
//
// Products, quotients and roots of float32 are compared in float64, in which products of two such numbers are exact.

// rounded is a result that was rounded to the nearest number: the exact one is less than it, or more, or neither.
// negative says of one that is zero that terms of it were, so that rounding down gives -0.
type rounded struct{ near, less, more, negative *instr }

// direction chooses between a result and its neighbours.
type direction func(l *lower, r rounded, below, above *instr) *instr

var directions = map[string]direction{
	"rd": func(l *lower, r rounded, below, _ *instr) *instr {
		made := l.do(tile.Select, r.less, below, r.near)
		if r.negative == nil {
			return made
		}
		nothing := l.do(tile.And, r.negative, l.do(tile.Eq, made, l.number(made.typ, 0)))
		return l.do(tile.Select, nothing, l.number(made.typ, math.Copysign(0, -1)), made)
	},
	"ru": func(l *lower, r rounded, _, above *instr) *instr { return l.do(tile.Select, r.more, above, r.near) },
	"rz": func(l *lower, r rounded, below, above *instr) *instr {
		zero := l.number(r.near.typ, 0)
		over := l.do(tile.And, r.less, l.do(tile.Gt, r.near, zero))
		under := l.do(tile.And, r.more, l.do(tile.Lt, r.near, zero))
		return l.do(tile.Select, over, below, l.do(tile.Select, under, above, r.near))
	},
}

// addDirected adds the functions for each direction.
func addDirected(add func(name string, row functionRow)) {
	for _, f := range []struct {
		name string
		t    tile.DType // of the arguments
		n    int
		f    func(l *lower, a []*instr) rounded
	}{
		{"fadd", tile.Float32, 2, func(l *lower, a []*instr) rounded { return l.roundedSum(l.wide(a[0]), l.wide(a[1])) }},
		{"fsub", tile.Float32, 2, func(l *lower, a []*instr) rounded { return l.roundedSum(l.wide(a[0]), l.do(tile.Neg, l.wide(a[1]))) }},
		{"fmul", tile.Float32, 2, func(l *lower, a []*instr) rounded {
			return l.inFloat32(l.do(tile.Mul, l.wide(a[0]), l.wide(a[1])), nil)
		}},
		{"fmaf", tile.Float32, 3, func(l *lower, a []*instr) rounded {
			return l.roundedSum(l.do(tile.Mul, l.wide(a[0]), l.wide(a[1])), l.wide(a[2]))
		}},
		{"fdiv", tile.Float32, 2, func(l *lower, a []*instr) rounded { return l.roundedQuotient(a[0], a[1]) }},
		{"frcp", tile.Float32, 1, func(l *lower, a []*instr) rounded { return l.roundedQuotient(l.number(tile.Float32, 1), a[0]) }},
		{"fsqrt", tile.Float32, 1, (*lower).roundedRoot},
		{"dadd", tile.Float64, 2, func(l *lower, a []*instr) rounded { return l.roundedDouble(a[0], a[1]) }},
		{"fma", tile.Float64, 3, (*lower).roundedFused},
		{"dmul", tile.Float64, 2, func(l *lower, a []*instr) rounded { return l.roundedProduct(a[0], a[1]) }},
		{"ddiv", tile.Float64, 2, func(l *lower, a []*instr) rounded { return l.roundedRatio(a[0], a[1]) }},
		{"drcp", tile.Float64, 1, func(l *lower, a []*instr) rounded { return l.roundedRatio(l.number(tile.Float64, 1), a[0]) }},
		{"dsqrt", tile.Float64, 1, (*lower).roundedDoubleRoot},
		{"double2float", tile.Float64, 1, func(l *lower, a []*instr) rounded { return l.inFloat32(a[0], nil) }},
		{"int2float", tile.Int32, 1, func(l *lower, a []*instr) rounded { return l.inFloat32(l.wide(a[0]), nil) }},
		{"uint2float", tile.Uint32, 1, func(l *lower, a []*instr) rounded { return l.inFloat32(l.wide(a[0]), nil) }},
		{"ll2float", tile.Int64, 1, wholeAs(tile.Float32)}, {"ull2float", tile.Uint64, 1, wholeAs(tile.Float32)},
		{"ll2double", tile.Int64, 1, wholeAs(tile.Float64)}, {"ull2double", tile.Uint64, 1, wholeAs(tile.Float64)},
	} {
		for suffix, choose := range directions {
			add(f.name+"_"+suffix, inFloats(f.t, f.n, func(l *lower, a []*instr) *instr {
				r := f.f(l, a)
				to := func(sign int) *instr { return next(l, []*instr{r.near, l.number(r.near.typ, math.Inf(sign))}) }
				return choose(l, r, to(-1), to(1))
			}))
		}
	}
}

func (l *lower) wide(x *instr) *instr { return l.as(tile.Float64, x) }

// inFloat32 is a sum of two float64 as a float32: of a number and of what its rounding has lost, or nil.
func (l *lower) inFloat32(sum, lost *instr) rounded {
	near := l.as(tile.Float32, sum)
	r := rounded{near: near, less: l.do(tile.Lt, sum, l.wide(near)), more: l.do(tile.Gt, sum, l.wide(near))}
	if lost != nil {
		zero, same := l.number(tile.Float64, 0), l.do(tile.Eq, sum, l.wide(near))
		r.less = l.do(tile.Or, r.less, l.do(tile.And, same, l.do(tile.Lt, lost, zero)))
		r.more = l.do(tile.Or, r.more, l.do(tile.And, same, l.do(tile.Gt, lost, zero)))
	}
	return r
}

// roundedSum is a sum of float64 as a float32.
func (l *lower) roundedSum(a, b *instr) rounded {
	sum, lost := l.twoSum(a, b)
	r := l.inFloat32(sum, lost)
	r.negative = l.negativeTerms(sum, a, b)
	return r
}

// negativeTerms is whether a sum is 0, and one of its terms has the sign of negative numbers.
func (l *lower) negativeTerms(sum, a, b *instr) *instr {
	terms := l.do(tile.Or, negativeSign(l, []*instr{a}), negativeSign(l, []*instr{b}))
	return l.do(tile.And, terms, l.do(tile.Eq, sum, l.number(sum.typ, 0)))
}

// roundedDouble is a sum of float64. Where it is beyond the largest number, its exact value is nearer to zero.
func (l *lower) roundedDouble(a, b *instr) rounded {
	sum, lost := l.twoSum(a, b)
	zero := l.number(tile.Float64, 0)
	beyond := l.do(tile.And, l.do(tile.IsInf, sum), l.do(tile.And, l.do(tile.IsFinite, a), l.do(tile.IsFinite, b)))
	return rounded{
		near:     sum,
		less:     l.do(tile.Or, l.do(tile.Lt, lost, zero), l.do(tile.And, beyond, l.do(tile.Gt, sum, zero))),
		more:     l.do(tile.Or, l.do(tile.Gt, lost, zero), l.do(tile.And, beyond, l.do(tile.Lt, sum, zero))),
		negative: l.negativeTerms(sum, a, b),
	}
}

// roundedQuotient is a quotient of float32: the divisor times it is compared with the dividend.
func (l *lower) roundedQuotient(a, b *instr) rounded {
	near := l.do(tile.Div, a, b)
	back := l.do(tile.Mul, l.wide(near), l.wide(b))
	over, under := l.do(tile.Gt, back, l.wide(a)), l.do(tile.Lt, back, l.wide(a))
	turned := l.do(tile.Lt, b, l.number(b.typ, 0))
	return rounded{near: near, less: l.do(tile.Select, turned, under, over), more: l.do(tile.Select, turned, over, under)}
}

// roundedRoot is a square root of a float32, whose square is compared with it.
func (l *lower) roundedRoot(a []*instr) rounded {
	near := l.do(tile.Sqrt, a[0])
	back := l.do(tile.Mul, l.wide(near), l.wide(near))
	return rounded{near: near, less: l.do(tile.Gt, back, l.wide(a[0])), more: l.do(tile.Lt, back, l.wide(a[0]))}
}

// wholeAs is an integer of 64 bits as a float. Each half of the integer is a float64, and so is the distance of the
// result to either.
func wholeAs(t tile.DType) func(l *lower, a []*instr) rounded {
	return func(l *lower, a []*instr) rounded {
		x := a[0]
		n := func(v uint64) *instr { return l.constant(tile.Convert(x.typ, tile.UintScalar(tile.Uint64, v))) }
		high := l.do(tile.Mul, l.wide(l.do(tile.Shr, x, n(32))), l.number(tile.Float64, 1<<32))
		low := l.wide(l.do(tile.And, x, n(1<<32-1)))
		near := l.as(t, x)
		beyond := l.do(tile.Sub, l.do(tile.Sub, l.wide(near), high), low)
		zero := l.number(tile.Float64, 0)
		return rounded{near: near, less: l.do(tile.Gt, beyond, zero), more: l.do(tile.Lt, beyond, zero)}
	}
}
