package jit

import (
	"math"

	"weft/tile"
)

// The bits of floats, and floats of bits, are computed: mantissa and exponent are taken apart and put together by
// powers of two. What is no number has one pattern, that of the quiet one with no other bits.

// bitsOfFloats is the table of libdevice's functions between floats and their bits.
var bitsOfFloats = map[string]functionRow{
	"double_as_longlong": ofBits(tile.Float64, tile.Int64), "longlong_as_double": fromBits(tile.Float64, tile.Int64),
	"float_as_int": ofBits(tile.Float32, tile.Int32), "int_as_float": fromBits(tile.Float32, tile.Int32),
	"float2half_rn": inFloats(tile.Float32, 1, func(l *lower, a []*instr) *instr {
		return l.as(tile.Int16, l.bitsOf(tile.Float16, l.as(tile.Float32, l.as(tile.Float16, a[0]))))
	}),
	"half2float": inFloats(tile.Int16, 1, func(l *lower, a []*instr) *instr {
		return l.floatOf(tile.Float16, tile.Float32, l.as(tile.Int64, a[0]))
	}),
	"double2hiint": inFloats(tile.Float64, 1, func(l *lower, a []*instr) *instr {
		return l.as(tile.Int32, l.do(tile.Shr, l.bitsOf(tile.Float64, a[0]), l.long(32)))
	}),
	"double2loint": inFloats(tile.Float64, 1, func(l *lower, a []*instr) *instr { return l.as(tile.Int32, l.bitsOf(tile.Float64, a[0])) }),
	"hiloint2double": inFloats(tile.Int32, 2, func(l *lower, a []*instr) *instr {
		low := l.do(tile.And, l.as(tile.Int64, a[1]), l.long(math.MaxUint32))
		return l.floatOf(tile.Float64, tile.Float64, l.do(tile.Or, l.do(tile.Shl, l.as(tile.Int64, a[0]), l.long(32)), low))
	}),
}

func (l *lower) long(v int64) *instr { return l.constant(tile.IntScalar(tile.Int64, v)) }

func ofBits(t, as tile.DType) functionRow {
	return inFloats(t, 1, func(l *lower, a []*instr) *instr { return l.as(as, l.bitsOf(t, a[0])) })
}

func fromBits(t, as tile.DType) functionRow {
	return inFloats(as, 1, func(l *lower, a []*instr) *instr { return l.floatOf(t, t, l.as(tile.Int64, a[0])) })
}

// layoutOf is where the parts of a float lie: how many digits of the mantissa are written, and the largest exponent
// that is, which infinities have.
func layoutOf(t tile.DType) (digits, largest int64) {
	r := powersOfTwo[t]
	return int64(r.digits - 1), int64(2*(1-r.normal) + 1)
}

// bitsOf is the bits of a float of a dtype, as an int64. It comes as one of that dtype, or of a larger one.
func (l *lower) bitsOf(t tile.DType, x *instr) *instr {
	r := powersOfTwo[t]
	digits, largest := layoutOf(t)
	size := l.do(tile.Abs, x)
	scaled := func(v *instr, by int) *instr { return l.do(tile.Mul, v, l.number(x.typ, math.Ldexp(1, by))) }
	m, e := l.taken(x)
	fraction := l.as(tile.Int64, scaled(l.do(tile.Sub, m, l.number(x.typ, 1)), int(digits)))
	exponent := l.do(tile.Add, l.as(tile.Int64, e), l.long(int64(1-r.normal)))
	bits := l.do(tile.Add, l.do(tile.Shl, exponent, l.long(digits)), fraction)

	below := l.do(tile.Lt, size, l.number(x.typ, math.Ldexp(1, r.normal)))
	small := l.do(tile.Select, below, size, l.number(x.typ, 0)) // so that no conversion is beyond int64
	bits = l.do(tile.Select, below, l.as(tile.Int64, scaled(scaled(small, -r.least/2), -r.least+r.least/2)), bits)
	bits = l.do(tile.Select, l.do(tile.IsInf, x), l.long(largest<<digits), bits)
	bits = l.do(tile.Select, l.do(tile.IsNaN, x), l.long(largest<<digits|1<<(digits-1)), bits)
	negative := l.do(tile.And, negativeSign(l, []*instr{x}), l.do(tile.Not, l.do(tile.IsNaN, x)))
	sign := l.long(math.MinInt64 >> (64 - 8*int64(t.Size())))
	return l.do(tile.Or, bits, l.do(tile.Select, negative, sign, l.long(0)))
}

// floatOf is the float of a dtype that has the bits of an int64, as one of that dtype or of a larger one.
func (l *lower) floatOf(t, as tile.DType, bits *instr) *instr {
	r := powersOfTwo[t]
	digits, largest := layoutOf(t)
	fraction := l.do(tile.And, bits, l.long(1<<digits-1))
	exponent := l.do(tile.And, l.do(tile.Shr, bits, l.long(digits)), l.long(largest))
	negative := l.do(tile.Ne, l.do(tile.And, bits, l.long(1<<(8*t.Size()-1))), l.long(0))

	first := l.do(tile.Select, l.do(tile.Eq, exponent, l.long(0)), l.long(0), l.long(1<<digits))
	m := l.as(as, l.do(tile.Add, first, fraction))
	v := l.ldexp(m, l.do(tile.Sub, l.do(tile.Max, exponent, l.long(1)), l.long(int64(1-r.normal)+digits)))
	beyond := l.do(tile.Select, l.do(tile.Eq, fraction, l.long(0)), l.number(as, math.Inf(1)), l.number(as, math.NaN()))
	v = l.do(tile.Select, l.do(tile.Eq, exponent, l.long(largest)), beyond, v)
	return l.do(tile.Select, negative, l.do(tile.Neg, v), v)
}
