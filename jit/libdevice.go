package jit

import (
	"math"

	"weft/tile"
)

// libdevice is the table of CUDA's library of functions on the device, by their names there: those of float64, and with
// an f behind those of float32.
var libdevice = libdeviceRows()

func libdeviceRows() map[string]functionRow {
	rows := map[string]functionRow{}
	add := func(name string, row functionRow) { rows["cuda.libdevice."+name] = row }
	for name, f := range map[string]struct {
		n int
		f formula
	}{
		"acos": {1, opcode(tile.Acos)}, "acosh": {1, opcode(tile.Acosh)}, "asin": {1, opcode(tile.Asin)}, "asinh": {1, opcode(tile.Asinh)},
		"atan": {1, opcode(tile.Atan)}, "atan2": {2, opcode(tile.Atan2)}, "atanh": {1, opcode(tile.Atanh)}, "cbrt": {1, opcode(tile.Cbrt)},
		"ceil": {1, opcode(tile.Ceil)}, "copysign": {2, opcode(tile.Copysign)}, "cos": {1, opcode(tile.Cos)}, "cosh": {1, opcode(tile.Cosh)},
		"cospi": {1, cosPi}, "erf": {1, opcode(tile.Erf)}, "erfc": {1, opcode(tile.Erfc)}, "exp": {1, opcode(tile.Exp)}, "exp10": {1, powerOf(10)},
		"exp2": {1, opcode(tile.Exp2)}, "expm1": {1, opcode(tile.Expm1)}, "fabs": {1, opcode(tile.Abs)}, "fdim": {2, positive},
		"floor": {1, opcode(tile.Floor)}, "fma": {3, fma}, "fmax": {2, most2}, "fmin": {2, least2}, "fmod": {2, remainderOf},
		"hypot": {2, opcode(tile.Hypot)}, "lgamma": {1, opcode(tile.LogGamma)}, "log": {1, opcode(tile.Log)}, "log10": {1, opcode(tile.Log10)},
		"log1p": {1, opcode(tile.Log1p)}, "log2": {1, opcode(tile.Log2)}, "nearbyint": {1, opcode(tile.Rint)}, "normcdf": {1, normal},
		"pow": {2, opcode(tile.Pow)}, "rcbrt": {1, inverseCubeRoot}, "remainder": {2, remaining}, "rint": {1, opcode(tile.Rint)},
		"round": {1, awayFromZero}, "rsqrt": {1, inverseRoot}, "sin": {1, opcode(tile.Sin)}, "sinh": {1, opcode(tile.Sinh)}, "sinpi": {1, sinPi},
		"sqrt": {1, opcode(tile.Sqrt)}, "tan": {1, opcode(tile.Tan)}, "tanh": {1, opcode(tile.Tanh)}, "tgamma": {1, opcode(tile.Gamma)},
		"trunc": {1, opcode(tile.Trunc)},
	} {
		add(name, inFloats(tile.Float64, f.n, f.f))
		add(name+"f", inFloats(tile.Float32, f.n, f.f))
	}
	for name, f := range map[string]struct {
		n int
		f formula
	}{ // of float32 alone, some of which CUDA computes with fewer digits
		"fast_cosf": {1, opcode(tile.Cos)}, "fast_sinf": {1, opcode(tile.Sin)}, "fast_tanf": {1, opcode(tile.Tan)}, "fast_expf": {1, opcode(tile.Exp)},
		"fast_exp10f": {1, powerOf(10)}, "fast_logf": {1, opcode(tile.Log)}, "fast_log2f": {1, opcode(tile.Log2)}, "fast_log10f": {1, opcode(tile.Log10)},
		"fast_powf": {2, opcode(tile.Pow)}, "fast_fdividef": {2, opcode(tile.Div)}, "saturatef": {1, saturated}, "frsqrt_rn": {1, inverseRoot},
		"fadd_rn": {2, opcode(tile.Add)}, "fsub_rn": {2, opcode(tile.Sub)}, "fmul_rn": {2, opcode(tile.Mul)}, "fdiv_rn": {2, opcode(tile.Div)},
		"frcp_rn": {1, inverse}, "fsqrt_rn": {1, opcode(tile.Sqrt)}, "fmaf_rn": {3, fma},
	} {
		add(name, inFloats(tile.Float32, f.n, f.f))
	}
	for name, f := range map[string]struct {
		n int
		f formula
	}{
		"dadd_rn": {2, opcode(tile.Add)}, "dsub_rn": {2, opcode(tile.Sub)}, "dmul_rn": {2, opcode(tile.Mul)}, "ddiv_rn": {2, opcode(tile.Div)},
		"drcp_rn": {1, inverse}, "dsqrt_rn": {1, opcode(tile.Sqrt)}, "fma_rn": {3, fma},
	} {
		add(name, inFloats(tile.Float64, f.n, f.f))
	}
	for name, op := range map[string]tile.Opcode{"isnan": tile.IsNaN, "isinf": tile.IsInf} {
		add(name+"d", flagged(tile.Float64, opcode(op)))
		add(name+"f", flagged(tile.Float32, opcode(op)))
	}
	add("isfinited", flagged(tile.Float64, opcode(tile.IsFinite)))
	add("finitef", flagged(tile.Float32, opcode(tile.IsFinite)))
	add("signbitd", flagged(tile.Float64, negativeSign))
	add("signbitf", flagged(tile.Float32, negativeSign))
	for name, t := range map[string]tile.DType{"sincos": tile.Float64, "sincosf": tile.Float32, "fast_sincosf": tile.Float32} {
		add(name, pairOf(t, opcode(tile.Sin), opcode(tile.Cos)))
	}
	add("sincospi", pairOf(tile.Float64, sinPi, cosPi))
	add("sincospif", pairOf(tile.Float32, sinPi, cosPi))
	add("modf", pairOf(tile.Float64, fraction, opcode(tile.Trunc)))
	add("modff", pairOf(tile.Float32, fraction, opcode(tile.Trunc)))
	for name, f := range inverses {
		add(name, inFloats(tile.Float64, 1, f))
		add(name+"f", inFloats(tile.Float64, 1, func(l *lower, a []*instr) *instr { return l.as(tile.Float32, f(l, a)) }))
	}
	for name, t := range map[string]tile.DType{"remquo": tile.Float64, "remquof": tile.Float32} {
		add(name, functionRow{2, 2, false, nil, func(l *lower, _ *Node, v []value) value {
			rest, quotient := remainderAndQuotient(l, []*instr{l.as(t, v[0].in), l.as(t, v[1].in)})
			return tuple(of(rest), of(quotient))
		}})
	}
	for name, row := range bitsOfFloats {
		add(name, row)
	}
	addInteger(add)
	addDirected(add)
	return rows
}

// addInteger adds the functions of integers, and those between them and floats.
func addInteger(add func(name string, row functionRow)) {
	for _, f := range []struct {
		name string
		t    tile.DType
		n    int
		f    formula
	}{
		{"abs", tile.Int32, 1, opcode(tile.Abs)}, {"llabs", tile.Int64, 1, opcode(tile.Abs)},
		{"min", tile.Int32, 2, opcode(tile.Min)}, {"max", tile.Int32, 2, opcode(tile.Max)}, {"umin", tile.Uint32, 2, opcode(tile.Min)},
		{"umax", tile.Uint32, 2, opcode(tile.Max)}, {"llmin", tile.Int64, 2, opcode(tile.Min)}, {"llmax", tile.Int64, 2, opcode(tile.Max)},
		{"ullmin", tile.Uint64, 2, opcode(tile.Min)}, {"ullmax", tile.Uint64, 2, opcode(tile.Max)},
		{"mulhi", tile.Int32, 2, highWord}, {"umulhi", tile.Uint32, 2, highWord}, {"mul64hi", tile.Int64, 2, highDouble}, {"umul64hi", tile.Uint64, 2, highDouble},
		{"popc", tile.Uint32, 1, narrowed(population)}, {"popcll", tile.Uint64, 1, narrowed(population)}, {"clz", tile.Uint32, 1, narrowed(leadingZeros)},
		{"clzll", tile.Uint64, 1, narrowed(leadingZeros)}, {"ffs", tile.Uint32, 1, narrowed(firstSet)}, {"ffsll", tile.Uint64, 1, narrowed(firstSet)},
		{"brev", tile.Uint32, 1, func(l *lower, a []*instr) *instr { return l.as(tile.Int32, reversed(l, a[0])) }},
		{"brevll", tile.Uint64, 1, func(l *lower, a []*instr) *instr { return l.as(tile.Int64, reversed(l, a[0])) }},
		{"hadd", tile.Int64, 2, average(0, tile.Int32)}, {"rhadd", tile.Int64, 2, average(1, tile.Int32)},
		{"uhadd", tile.Int64, 2, average(0, tile.Uint32)}, {"urhadd", tile.Int64, 2, average(1, tile.Uint32)},
		{"mul24", tile.Int32, 2, product24}, {"umul24", tile.Uint32, 2, product24},
		{"llround", tile.Float64, 1, roundedWhole}, {"llroundf", tile.Float32, 1, roundedWhole},
		{"byte_perm", tile.Uint32, 3, chosenBytes},
		{"sad", tile.Int32, 3, distance}, {"usad", tile.Uint32, 3, distance},
		{"llrint", tile.Float64, 1, converted(tile.Rint, tile.Int64)}, {"llrintf", tile.Float32, 1, converted(tile.Rint, tile.Int64)},
	} {
		add(f.name, inFloats(f.t, f.n, f.f))
	}
	whole := map[string]tile.DType{"int": tile.Int32, "uint": tile.Uint32, "ll": tile.Int64, "ull": tile.Uint64}
	floats := map[string]tile.DType{"float": tile.Float32, "double": tile.Float64}
	for w, wt := range whole {
		for f, ft := range floats {
			for suffix, op := range map[string]tile.Opcode{"rn": tile.Rint, "rz": tile.Trunc, "rd": tile.Floor, "ru": tile.Ceil} {
				add(f+"2"+w+"_"+suffix, inFloats(ft, 1, converted(op, wt)))
			}
			add(w+"2"+f+"_rn", inFloats(wt, 1, func(l *lower, a []*instr) *instr { return l.as(ft, a[0]) }))
		}
	}
	for name, t := range map[string]tile.DType{"powi": tile.Float64, "powif": tile.Float32} {
		add(name, functionRow{2, 2, false, nil, func(l *lower, _ *Node, v []value) value {
			x, n := l.as(tile.Float64, l.as(t, v[0].in)), l.as(tile.Float64, l.as(tile.Int32, v[1].in))
			return of(l.as(t, l.do(tile.Pow, x, n)))
		}})
	}
	add("double2float_rn", inFloats(tile.Float64, 1, func(l *lower, a []*instr) *instr { return l.as(tile.Float32, a[0]) }))
}

// flagged gives an int32 that is 1 where something holds.
func flagged(t tile.DType, f formula) functionRow {
	return inFloats(t, 1, func(l *lower, a []*instr) *instr { return l.as(tile.Int32, f(l, a)) })
}

// pairOf gives two results: what has pointers for them in C returns a tuple.
func pairOf(t tile.DType, first, second formula) functionRow {
	return unary(func(l *lower, v value) value {
		a := []*instr{l.as(t, v.in)}
		return tuple(of(first(l, a)), of(second(l, a)))
	})
}

func fraction(l *lower, a []*instr) *instr { return split(l, of(a[0])).items[0].in }

// narrowed gives an int32.
func narrowed(f func(l *lower, x *instr) *instr) formula {
	return func(l *lower, a []*instr) *instr { return l.as(tile.Int32, f(l, a[0])) }
}

// average is half of the sum and of what is added, which is shifted as 64 bits.
func average(more int64, t tile.DType) formula {
	return func(l *lower, a []*instr) *instr {
		n := func(v int64) *instr { return l.constant(tile.IntScalar(tile.Int64, v)) }
		sum := l.do(tile.Add, l.do(tile.Add, l.as(tile.Int64, l.as(t, a[0])), l.as(tile.Int64, l.as(t, a[1]))), n(more))
		return l.as(t, l.do(tile.Shr, sum, n(1)))
	}
}

// distance adds the distance of two numbers to a third.
func distance(l *lower, a []*instr) *instr {
	apart := l.do(tile.Sub, l.do(tile.Max, a[0], a[1]), l.do(tile.Min, a[0], a[1]))
	return l.do(tile.Add, l.as(a[2].typ, apart), a[2])
}

// chosenBytes are four of the eight bytes of two integers, the first one's lower: each by three bits of the third.
func chosenBytes(l *lower, a []*instr) *instr {
	n := func(v uint64) *instr { return l.constant(tile.UintScalar(tile.Uint64, v)) }
	wide := func(x *instr) *instr { return l.as(tile.Uint64, x) }
	both := l.do(tile.Or, l.do(tile.Shl, wide(a[1]), n(32)), wide(a[0]))
	made := n(0)
	for i := range uint64(4) {
		which := l.do(tile.And, l.do(tile.Shr, wide(a[2]), n(4*i)), n(7))
		chosen := l.do(tile.And, l.do(tile.Shr, both, l.do(tile.Shl, which, n(3))), n(255))
		made = l.do(tile.Or, made, l.do(tile.Shl, chosen, n(8*i)))
	}
	return l.as(tile.Int32, made)
}

// product24 is the product of the lower 24 bits of two integers.
func product24(l *lower, a []*instr) *instr {
	low := func(x *instr) *instr {
		eight := l.constant(tile.Convert(x.typ, tile.IntScalar(tile.Int64, 8)))
		return l.do(tile.Shr, l.do(tile.Shl, x, eight), eight)
	}
	return l.do(tile.Mul, low(a[0]), low(a[1]))
}

// roundedWhole is the next whole number, of halves the one that is farther from zero.
func roundedWhole(l *lower, a []*instr) *instr { return saturating(l, tile.Int64, awayFromZero(l, a)) }

// converted rounds and makes an integer of it.
func converted(op tile.Opcode, t tile.DType) formula {
	return func(l *lower, a []*instr) *instr { return saturating(l, t, l.do(op, a[0])) }
}

// saturating makes an integer of a float as CUDA does (PTX ISA, "cvt"): of what is beyond the dtype, the nearest that
// it has; of what is no number, 0 from float32 to 32 bits, otherwise the highest bit alone. NumPy's conversion, which
// int(x) is, gives the highest bit alone for all of these, but for large negative numbers as unsigned ones
// (tile.Convert).
func saturating(l *lower, t tile.DType, x *instr) *instr {
	made, zero := l.as(t, x), l.constant(tile.Scalar{Type: t})
	bits := 8 * t.Size()
	most := l.constant(tile.UintScalar(t, math.MaxUint64>>(64-bits)))
	if t.Is(tile.KindInt) {
		bits--
		most = l.constant(tile.IntScalar(t, math.MaxInt64>>(63-bits)))
	} else {
		made = l.do(tile.Select, l.do(tile.Lt, x, l.number(x.typ, 0)), zero, made)
	}
	if x.typ == tile.Float32 && t.Size() == 4 {
		made = l.do(tile.Select, l.do(tile.IsNaN, x), zero, made)
	}
	return l.do(tile.Select, l.do(tile.Ge, x, l.number(x.typ, math.Ldexp(1, bits))), most, made)
}
