package jit

import (
	"math"

	"weft/tile"
)

// functionRow is one row of the table of functions.
type functionRow struct {
	least, most int  // arguments
	any         bool // they need not be numbers
	names       []string
	build       func(l *lower, n *Node, v []value) value
}

// lookup finds the row of a function that is called.
func lookup(name string) (functionRow, bool) {
	for _, table := range []map[string]functionRow{functions, bitFunctions, floatFunctions, libdevice, halfFunctions, hinted, logFunctions, exponentFunctions, complexFunctions} {
		if row, ok := table[name]; ok {
			if loops, ok := ufuncLoops[name]; ok {
				row = inLoops(name, loops, row)
			}
			return row, true
		}
	}
	return functionRow{}, false
}

// functions is the table of what a compiled function may call, beside functions of the user's and dtypes.
var functions = map[string]functionRow{
	"builtins.abs": unary(absolute), "builtins.min": several(least), "builtins.max": several(most),
	"builtins.int": unary(toInt), "builtins.float": unary(toReal), "builtins.bool": unary(toBool),
	"builtins.complex": {1, 2, false, nil, toComplex}, "builtins.round": {1, 2, false, nil, roundTo}, "builtins.pow": operator("**"),
	"builtins.divmod": {2, 2, false, nil, divmod}, "builtins.len": {1, 1, true, nil, length}, "builtins.tuple": {1, 1, true, nil, first}, "builtins.isinstance": {2, 2, true, nil, isInstance},
	"numba.literal_unroll": {1, 1, true, nil, first}, "cuda.literal_unroll": {1, 1, true, nil, first}, "np.shape": ofArrays("shape"), "np.size": ofArrays("size"), "np.ndim": ofArrays("ndim"),

	"math.sqrt": real1(tile.Sqrt), "math.exp": real1(tile.Exp), "math.exp2": real1(tile.Exp2), "math.expm1": real1(tile.Expm1),
	"math.log": {1, 2, false, nil, logarithm}, "math.log2": real1(tile.Log2), "math.log10": real1(tile.Log10), "math.log1p": real1(tile.Log1p),
	"math.sin": real1(tile.Sin), "math.cos": real1(tile.Cos), "math.tan": real1(tile.Tan),
	"math.asin": real1(tile.Asin), "math.acos": real1(tile.Acos), "math.atan": real1(tile.Atan), "math.atan2": real2(tile.Atan2),
	"math.sinh": real1(tile.Sinh), "math.cosh": real1(tile.Cosh), "math.tanh": real1(tile.Tanh),
	"math.asinh": real1(tile.Asinh), "math.acosh": real1(tile.Acosh), "math.atanh": real1(tile.Atanh),
	"math.cbrt": real1(tile.Cbrt), "math.hypot": real2(tile.Hypot), "math.erf": real1(tile.Erf), "math.erfc": real1(tile.Erfc),
	"math.gamma": real1(tile.Gamma), "math.lgamma": real1(tile.LogGamma), "math.fabs": real1(tile.Abs),
	"math.floor": unary(rounding(tile.Floor)), "math.ceil": unary(rounding(tile.Ceil)), "math.trunc": unary(rounding(tile.Trunc)),
	"math.copysign": {2, 2, false, nil, signOf}, "math.fmod": {2, 2, false, nil, fmod}, "math.pow": {2, 2, false, nil, realPower},
	"math.isnan": test(tile.IsNaN, false), "math.isinf": test(tile.IsInf, false), "math.isfinite": test(tile.IsFinite, true),
	"math.degrees": unary(scaled(180 / math.Pi)), "math.radians": unary(scaled(math.Pi / 180)),

	"cmath.sqrt": complex1(tile.Sqrt), "cmath.exp": complex1(tile.Exp), "cmath.log": {1, 2, false, nil, complexLog},
	"cmath.sin": complex1(tile.Sin), "cmath.cos": complex1(tile.Cos), "cmath.phase": unary(phase),
	"cmath.isnan": test(tile.IsNaN, false), "cmath.isinf": test(tile.IsInf, false), "cmath.isfinite": test(tile.IsFinite, true),

	"np.add": operator("+"), "np.subtract": operator("-"), "np.multiply": operator("*"), "np.divide": operator("/"),
	"np.true_divide": operator("/"), "np.floor_divide": operator("//"), "np.remainder": operator("%"), "np.mod": operator("%"),
	"np.power": operator("**"), "np.bitwise_and": operator("&"), "np.bitwise_or": operator("|"), "np.bitwise_xor": operator("^"),
	"np.left_shift": operator("<<"), "np.right_shift": operator(">>"), "np.bitwise_left_shift": operator("<<"), "np.bitwise_right_shift": operator(">>"),
	"np.equal": comparison("=="), "np.not_equal": comparison("!="), "np.less": comparison("<"), "np.less_equal": comparison("<="),
	"np.greater": comparison(">"), "np.greater_equal": comparison(">="),
	"np.logical_and": logical(tile.And), "np.logical_or": logical(tile.Or), "np.logical_xor": logical(tile.Xor), "np.logical_not": unary(negated),
	"np.negative": unary(minus), "np.positive": unary(keep), "np.invert": unary(inverted), "np.bitwise_not": unary(inverted), "np.bitwise_invert": unary(inverted),
	"np.absolute": unary(absolute), "np.abs": unary(absolute), "np.fabs": real1(tile.Abs), "np.sign": unary(sign), "np.square": unary(square),
	"np.reciprocal": unary(reciprocal), "np.conjugate": unary(conjugate), "np.conj": unary(conjugate),
	"np.minimum": extreme(tile.Min, false), "np.maximum": extreme(tile.Max, false), "np.fmin": extreme(tile.Min, true), "np.fmax": extreme(tile.Max, true),
	"np.sqrt": inexact1(tile.Sqrt), "np.exp": inexact1(tile.Exp), "np.log": inexact1(tile.Log), "np.sin": inexact1(tile.Sin), "np.cos": inexact1(tile.Cos),
	"np.exp2": either1(tile.Exp2), "np.expm1": either1(tile.Expm1), "np.log2": either1(tile.Log2), "np.log10": either1(tile.Log10), "np.log1p": either1(tile.Log1p),
	"np.tan": either1(tile.Tan), "np.arcsin": either1(tile.Asin), "np.arccos": either1(tile.Acos), "np.arctan": either1(tile.Atan),
	"np.asin": either1(tile.Asin), "np.acos": either1(tile.Acos), "np.atan": either1(tile.Atan), "np.arctan2": real2(tile.Atan2), "np.atan2": real2(tile.Atan2),
	"np.sinh": either1(tile.Sinh), "np.cosh": either1(tile.Cosh), "np.tanh": either1(tile.Tanh),
	"np.arcsinh": either1(tile.Asinh), "np.arccosh": either1(tile.Acosh), "np.arctanh": either1(tile.Atanh),
	"np.asinh": either1(tile.Asinh), "np.acosh": either1(tile.Acosh), "np.atanh": either1(tile.Atanh),
	"np.cbrt": real1(tile.Cbrt), "np.hypot": real2(tile.Hypot), "np.copysign": real2(tile.Copysign), "np.fmod": {2, 2, false, nil, fmod},
	"np.floor": real1(tile.Floor), "np.ceil": real1(tile.Ceil), "np.trunc": real1(tile.Trunc), "np.rint": either1(tile.Rint),
	"np.isnan": test(tile.IsNaN, false), "np.isinf": test(tile.IsInf, false), "np.isfinite": test(tile.IsFinite, true),
	"np.deg2rad": unary(scaled(math.Pi / 180)), "np.radians": unary(scaled(math.Pi / 180)),
	"np.rad2deg": unary(scaled(180 / math.Pi)), "np.degrees": unary(scaled(180 / math.Pi)),
	"np.real": unary(realPart), "np.imag": unary(imagPart), "np.where": {3, 3, false, nil, where},

	"cuda.grid": {1, 1, false, nil, grid}, "cuda.gridsize": {1, 1, false, nil, gridsize}, "cuda.selp": {3, 3, false, nil, selp}, "cuda.cbrt": real1(tile.Cbrt),
	"cuda.shared.array": ownArray(tile.Shared), "cuda.local.array": ownArray(tile.Own),
	"cuda.syncthreads": {0, 0, false, nil, barrier}, "cuda.syncthreads_count": tally(tile.TallyCount),
	"cuda.syncthreads_and": tally(tile.TallyAnd), "cuda.syncthreads_or": tally(tile.TallyOr), "cuda.syncwarp": {0, 1, false, nil, syncWarp},
	"cuda.cg.this_grid": {0, 0, false, nil, thisGrid}, "cuda.cg.group.sync": {0, 0, false, nil, syncGrid},
	"cuda.threadfence": fence(tile.FenceDevice), "cuda.threadfence_block": fence(tile.FenceBlock), "cuda.threadfence_system": fence(tile.FenceSystem),
	"cuda.atomic.add": atomic(tile.AtomicAdd), "cuda.atomic.sub": atomic(tile.AtomicSub), "cuda.atomic.min": atomic(tile.AtomicMin),
	"cuda.atomic.max": atomic(tile.AtomicMax), "cuda.atomic.nanmin": atomic(tile.AtomicNanMin), "cuda.atomic.nanmax": atomic(tile.AtomicNanMax),
	"cuda.atomic.and_": atomic(tile.AtomicAnd), "cuda.atomic.or_": atomic(tile.AtomicOr), "cuda.atomic.xor": atomic(tile.AtomicXor),
	"cuda.atomic.exch": atomic(tile.AtomicExch), "cuda.atomic.inc": atomic(tile.AtomicInc), "cuda.atomic.dec": atomic(tile.AtomicDec),
	"cuda.atomic.cas": {4, 4, true, nil, cas}, "cuda.atomic.compare_and_swap": {3, 3, true, nil, compareAndSwap},
	"cuda.all_sync": vote(tile.VoteAll), "cuda.any_sync": vote(tile.VoteAny), "cuda.eq_sync": vote(tile.VoteEq), "cuda.ballot_sync": vote(tile.VoteBallot),
	"cuda.shfl_sync": shuffle(tile.ShuffleIdx), "cuda.shfl_up_sync": shuffle(tile.ShuffleUp), "cuda.shfl_down_sync": shuffle(tile.ShuffleDown),
	"cuda.shfl_xor_sync": shuffle(tile.ShuffleXor), "cuda.match_any_sync": matching(tile.MatchAny), "cuda.match_all_sync": matching(tile.MatchAll),
	"cuda.activemask": {0, 0, false, nil, active}, "cuda.lanemask_lt": {0, 0, false, nil, lanesBelow},
}

func unary(f func(l *lower, v value) value) functionRow {
	return functionRow{1, 1, false, nil, func(l *lower, _ *Node, v []value) value { return f(l, v[0]) }}
}

func operator(op string) functionRow {
	return functionRow{2, 2, false, nil, func(l *lower, n *Node, v []value) value { return l.binary(n, op, v[0], v[1]) }}
}

func comparison(op string) functionRow {
	return functionRow{2, 2, false, nil, func(l *lower, n *Node, v []value) value { return l.compare(n, op, v[0], v[1]) }}
}

func logical(op tile.Opcode) functionRow {
	return functionRow{2, 2, false, nil, func(l *lower, n *Node, v []value) value {
		return of(l.do(op, l.condition(n, v[0]).in, l.condition(n, v[1]).in))
	}}
}

// real1 is a function of one float; integers become float64.
func real1(op tile.Opcode) functionRow { return onFloats(op, 1, false) }

// real2 is a function of two floats.
func real2(op tile.Opcode) functionRow { return onFloats(op, 2, false) }

// inexact1 is a function of one float or complex number.
func inexact1(op tile.Opcode) functionRow { return onFloats(op, 1, true) }

// either1 is a function of one float or complex number, the latter by its parts.
func either1(op tile.Opcode) functionRow {
	reals, complexes := real1(op), ofParts(complexParts[op])
	return functionRow{1, 1, false, nil, func(l *lower, n *Node, v []value) value {
		if v[0].typ.DType.Is(tile.KindComplex) {
			return complexes.build(l, n, v)
		}
		return reals.build(l, n, v)
	}}
}

func onFloats(op tile.Opcode, n int, complexes bool) functionRow {
	return functionRow{n, n, false, nil, func(l *lower, at *Node, v []value) value {
		t := toFloat(v[0].typ.DType)
		if n == 2 {
			t = toFloat(arithmetic(v[0].typ.DType, v[1].typ.DType))
		}
		if t.Is(tile.KindComplex) && !complexes {
			l.fail(at, typing, "Use a function of cmath.", "No implementation of function %v found for %v", op, v[0].typ)
		}
		args := make([]*instr, n)
		for i := range v {
			args[i] = l.as(t, v[i].in)
		}
		return of(l.do(op, args...))
	}}
}

// complex1 is a function of cmath's.
func complex1(op tile.Opcode) functionRow {
	return unary(func(l *lower, v value) value {
		t := tile.Complex128
		if floatBits(v.typ.DType) <= 32 && v.typ.DType != tile.Float16 {
			t = tile.Complex64
		}
		return of(l.do(op, l.as(t, v.in)))
	})
}

// test asks something of a float; whole is the answer for integers.
func test(op tile.Opcode, whole bool) functionRow {
	return unary(func(l *lower, v value) value {
		if !op.Accepts(v.typ.DType) {
			return l.truth(whole)
		}
		return of(l.do(op, v.in))
	})
}

// rounding is floor, ceil or trunc of module math: an integer of 64 bits, in kernels a float.
func rounding(op tile.Opcode) func(l *lower, v value) value {
	return func(l *lower, v value) value {
		if v.typ.DType.Is(kindsInteger) {
			if l.cuda {
				return of(l.as(tile.Float64, v.in))
			}
			return of(l.as(arithmetic(v.typ.DType, v.typ.DType), v.in))
		}
		x := l.do(op, v.in)
		if !l.cuda {
			x = l.as(tile.Int64, x)
		}
		return of(x)
	}
}

func scaled(by float64) func(l *lower, v value) value {
	return func(l *lower, v value) value {
		t := toFloat(v.typ.DType)
		return of(l.do(tile.Mul, l.as(t, v.in), l.number(t, by)))
	}
}

// extreme is a minimum or maximum of two numbers. Of a NaN and a number it is the NaN, or the number where one is to be
// ignored.
func extreme(op tile.Opcode, ignore bool) functionRow {
	return functionRow{2, 2, false, nil, func(l *lower, _ *Node, v []value) value {
		t := unify(v[0].typ.DType, v[1].typ.DType)
		x, y := l.as(t, v[0].in), l.as(t, v[1].in)
		return of(l.extreme(op, ignore && t.Is(tile.KindFloat), x, y))
	}}
}

func (l *lower) extreme(op tile.Opcode, ignore bool, x, y *instr) *instr {
	m := l.do(op, x, y)
	if ignore {
		m = l.do(tile.Select, l.do(tile.IsNaN, x), y, l.do(tile.Select, l.do(tile.IsNaN, y), x, m))
	}
	return m
}

// several is min or max of arguments or of a tuple.
func several(of func(l *lower, x, y value) value) functionRow {
	return functionRow{1, tile.MaxArgs * 16, true, nil, func(l *lower, n *Node, v []value) value {
		if len(v) == 1 && v[0].typ.Kind == Tuple {
			v = v[0].items
		}
		for _, x := range v {
			if x.typ.Kind != Number {
				l.fail(n, typing, "", "min and max take numbers, not %v", x.typ)
			}
		}
		if len(v) < 1 {
			l.fail(n, typing, "", "min and max of nothing")
		}
		best := v[0]
		for _, x := range v[1:] {
			best = of(l, best, x)
		}
		return best
	}}
}

func least(l *lower, x, y value) value { return l.builtinExtreme(tile.Min, tile.Lt, minNumber, x, y) }
func most(l *lower, x, y value) value  { return l.builtinExtreme(tile.Max, tile.Gt, maxNumber, x, y) }

// builtinExtreme is Python's min or max: the second operand where it is beyond the first; in kernels that of the
// hardware, which ignores NaNs.
func (l *lower) builtinExtreme(op, beyond tile.Opcode, n numberOp, a, b value) value {
	t := unify(a.typ.DType, b.typ.DType)
	x, y := l.as(t, a.in), l.as(t, b.in)
	if l.cuda && t.Is(tile.KindFloat) {
		return of(l.extreme(op, true, x, y))
	}
	v := of(l.do(tile.Select, l.do(beyond, y, x), y, x))
	if a.number != nil && b.number != nil && t == tile.Int64 {
		v = l.shared(t, arith(n, a.number, b.number))
	}
	return v
}

func absolute(l *lower, v value) value {
	if v.typ.DType.Is(tile.KindUint) {
		return v
	}
	if v.typ.DType == tile.Bool {
		return l.convert(tile.Int8, v)
	}
	return of(l.do(tile.Abs, v.in))
}

func toInt(l *lower, v value) value {
	if v.typ.DType.Is(tile.KindInt | tile.KindUint) {
		return v
	}
	return l.convert(tile.Int64, v)
}

func toReal(l *lower, v value) value {
	if v.typ.DType.Is(tile.KindFloat) {
		return v
	}
	return of(l.as(tile.Float64, v.in))
}

func toBool(l *lower, v value) value { return l.condition(nil, v) }

func toComplex(l *lower, _ *Node, v []value) value {
	t := toFloat(v[0].typ.DType)
	if t.Is(tile.KindComplex) && len(v) == 1 {
		return l.convert(tile.Complex128, v[0])
	}
	im := of(l.constant(tile.Scalar{Type: tile.Float32}))
	if len(v) == 2 {
		im = v[1]
	}
	if t == tile.Float16 {
		t = tile.Float32
	}
	if len(v) == 2 {
		t = toFloat(arithmetic(t, im.typ.DType))
	}
	return of(l.do(tile.MakeComplex, l.as(t, v[0].in), l.as(t, im.in)))
}

func roundTo(l *lower, n *Node, v []value) value {
	t := v[0].typ.DType
	switch whole := t.Is(kindsInteger); {
	case whole && len(v) == 1:
		return l.convert(tile.Int64, v[0])
	case whole: // to digits it is of a float
		t = arithmetic(t, tile.Float32)
		v[0] = l.convert(t, v[0])
	case !t.Is(tile.KindFloat):
		l.fail(n, typing, "", "No implementation of function round found for %v", v[0].typ)
	}
	if len(v) == 1 {
		return of(l.as(tile.Int64, l.do(tile.Rint, v[0].in)))
	}
	return of(l.rounded(n, v[0].in, v[1]))
}

// rounded is a float rounded to a number of digits. One that has none behind the point, because it is too large, stays.
func (l *lower) rounded(n *Node, x *instr, to value) *instr {
	digits, known := to.integer()
	if !known || digits < -22 || digits > 22 {
		l.fail(n, unsupported, "Use a literal from -22 to 22.", "round to a number of digits that is not known while compiling")
	}
	by := l.number(x.typ, math.Pow10(int(max(digits, -digits))))
	if digits < 0 {
		return l.do(tile.Mul, l.do(tile.Rint, l.do(tile.Div, x, by)), by)
	}
	scaled := l.do(tile.Mul, x, by)
	return l.do(tile.Select, l.do(tile.IsInf, scaled), x, l.do(tile.Div, l.do(tile.Rint, scaled), by))
}

// divmod is of float64 where an integer with a sign meets a uint64, where // and % alone are int64, as in Numba.
func divmod(l *lower, n *Node, v []value) value {
	x, y := v[0], v[1]
	if a, b := x.typ.DType, y.typ.DType; arithmetic(a, b) == tile.Int64 && (a == tile.Uint64 || b == tile.Uint64) {
		x, y = l.convert(tile.Float64, x), l.convert(tile.Float64, y)
	}
	return tuple(l.binary(n, "//", x, y), l.binary(n, "%", x, y))
}

// signOf is the first number with the sign of the second. Integers that a float32 holds become one, as nowhere else.
func signOf(l *lower, n *Node, v []value) value {
	if a, b := v[0].typ.DType, v[1].typ.DType; a.Is(kindsInteger) && b.Is(kindsInteger) {
		t := arithmetic(arithmetic(a, tile.Float32), b)
		v = []value{of(l.as(t, v[0].in)), of(l.as(t, v[1].in))}
	}
	return real2(tile.Copysign).build(l, n, v)
}

func length(l *lower, n *Node, v []value) value {
	a := v[0]
	if a.typ.Kind == Records {
		a = a.items[0]
	}
	switch {
	case a.typ.Kind == Tuple:
		return l.whole(int64(len(a.items)))
	case a.typ.Kind == Array && len(a.index) < a.typ.Axes:
		return l.length(a, len(a.index))
	}
	l.fail(n, typing, "", "object of type %v has no len()", v[0].typ)
	return value{}
}

// ofArrays is an attribute of an array as a function.
func ofArrays(name string) functionRow {
	return functionRow{1, 1, true, nil, func(l *lower, n *Node, v []value) value {
		if v[0].typ.Kind != Array {
			l.fail(n, typing, "Give it an array.", "np.%s of %v", name, v[0].typ)
		}
		return arrayAttributes[name](l, n, v[0])
	}}
}

func first(l *lower, n *Node, v []value) value {
	if v[0].typ.Kind != Tuple {
		l.fail(n, typing, "", "tuple(...) of %v", v[0].typ)
	}
	return v[0]
}

// fmod has the sign of the dividend; of magnitudes it is exact.
func fmod(l *lower, n *Node, v []value) value {
	t := arithmetic(v[0].typ.DType, v[1].typ.DType)
	if t.Is(kindsInteger) {
		t = tile.Float64
	}
	x, y := l.as(t, v[0].in), l.as(t, v[1].in)
	return of(l.do(tile.Copysign, l.do(tile.Rem, l.do(tile.Abs, x), l.do(tile.Abs, y)), x))
}

func realPower(l *lower, _ *Node, v []value) value {
	t := toFloat(arithmetic(v[0].typ.DType, v[1].typ.DType))
	return of(l.do(tile.Pow, l.as(t, v[0].in), l.as(t, v[1].in)))
}

func phase(l *lower, v value) value {
	t := tile.Complex128
	if v.typ.DType == tile.Complex64 {
		t = v.typ.DType
	}
	z := l.as(t, v.in)
	return of(l.do(tile.Atan2, l.do(tile.ImagPart, z), l.do(tile.RealPart, z)))
}

// logarithm may be to a base.
func logarithm(l *lower, n *Node, v []value) value {
	made := real1(tile.Log).build(l, n, v[:1])
	if len(v) == 1 {
		return made
	}
	return l.binary(n, "/", made, real1(tile.Log).build(l, n, v[1:]))
}

func negated(l *lower, v value) value  { return l.unary(nil, "not", v) }
func minus(l *lower, v value) value    { return l.unary(nil, "-", v) }
func inverted(l *lower, v value) value { return l.unary(nil, "~", v) }
func keep(_ *lower, v value) value     { return v }

func sign(l *lower, v value) value {
	switch {
	case v.typ.DType.Is(tile.KindComplex):
		return ofParts(complexSign).build(l, nil, []value{v})
	case v.typ.DType == tile.Bool:
		return l.unary(nil, "sign", v)
	}
	return of(l.do(tile.Sign, v.in))
}

func square(l *lower, v value) value { return l.binary(nil, "*", v, v) }

func reciprocal(l *lower, v value) value {
	t := toFloat(v.typ.DType)
	return of(l.do(tile.Div, l.number(t, 1), l.as(t, v.in)))
}

func conjugate(l *lower, v value) value {
	if !v.typ.DType.Is(tile.KindComplex) {
		return v
	}
	return of(l.do(tile.Conj, v.in))
}

func realPart(l *lower, v value) value {
	if !v.typ.DType.Is(tile.KindComplex) {
		return v
	}
	return of(l.do(tile.RealPart, v.in))
}

func imagPart(l *lower, v value) value {
	if !v.typ.DType.Is(tile.KindComplex) {
		return of(l.constant(tile.Scalar{Type: v.typ.DType}))
	}
	return of(l.do(tile.ImagPart, v.in))
}

func where(l *lower, n *Node, v []value) value {
	t := unify(v[1].typ.DType, v[2].typ.DType)
	return of(l.do(tile.Select, l.condition(n, v[0]).in, l.as(t, v[1].in), l.as(t, v[2].in)))
}

func selp(l *lower, n *Node, v []value) value {
	if v[1].typ.DType != v[2].typ.DType {
		l.fail(n, typing, "Convert one of them.", "selp of %v and %v; want one type", v[1].typ, v[2].typ)
	}
	return where(l, n, v)
}
