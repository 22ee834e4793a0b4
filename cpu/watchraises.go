package cpu

import (
	"math"

	"weft/tile"
)

// Which flags an instruction may raise. Numbers that a program computes with rule much out: x * 2 may overflow, x * 0.5
// and x + 1 may not, and no finite number makes an invalid operation of a sum.

// raises says which flags an instruction of a launch may raise.
func raises(l *tile.Launch, i int) tile.Flags {
	p := l.Program
	in := &p.Code[i]
	switch in.Op {
	case tile.Load, tile.Const, tile.Uniform, tile.Index, tile.Store, tile.Select, tile.Neg, tile.Abs, tile.Copysign, tile.RealPart, tile.ImagPart, tile.MakeComplex, tile.Conj:
		return 0
	}
	of := in.Type
	if len(in.Operands()) > 0 {
		of = p.Code[in.Args[0]].Type
	}
	const floats = tile.KindFloat | tile.KindComplex
	switch {
	case !of.Is(floats) && !in.Type.Is(floats):
		if in.Op == tile.FloorDiv || in.Op == tile.Rem {
			return tile.DivideByZero | tile.Overflow | tile.InvalidValue // of zero by zero
		}
		return 0
	case in.Op == tile.Cast && in.Type.Is(floats):
		if in.Type.Real().Size() >= of.Real().Size() {
			return 0
		}
		return tile.Overflow | tile.Underflow
	case in.Op == tile.Reduce && (in.Comb == tile.Sum || in.Comb == tile.Prod):
		return tile.Overflow | tile.InvalidValue | tile.Underflow
	case in.Op == tile.Add || in.Op == tile.Sub || in.Op == tile.Mul || in.Op == tile.Div:
		return arithmetic(l, in)
	case in.Op == tile.Sqrt || in.Op == tile.Lt || in.Op == tile.Le || in.Op == tile.Gt || in.Op == tile.Ge || in.Op == tile.Min || in.Op == tile.Max || in.Op == tile.Reduce:
		return tile.InvalidValue
	}
	return math.MaxUint8
}

// arithmetic says so of a sum, difference, product or quotient.
func arithmetic(l *tile.Launch, in *tile.Instr) (may tile.Flags) {
	x, y := in.Args[0], in.Args[1]
	may = tile.Overflow | tile.InvalidValue | tile.Underflow
	if in.Op == tile.Div {
		may |= tile.DivideByZero
	}
	if !in.Type.Is(tile.KindFloat) {
		return may
	}
	if x == y && (in.Op == tile.Add || in.Op == tile.Mul) {
		return may &^ tile.InvalidValue
	}
	number, known := scalar(l, y)
	right := known
	if !known && in.Op != tile.Sub {
		number, known = scalar(l, x)
	}
	if !known || number-number != 0 {
		return may
	}
	size, add := math.Abs(number), math.Ldexp(1, 969) // less than half of the last place of the largest number
	switch in.Type {
	case tile.Float16:
		add = 8
	case tile.Float32:
		add = math.Ldexp(1, 102)
	}
	switch {
	case in.Op == tile.Add || in.Op == tile.Sub:
		may &^= tile.InvalidValue | tile.Underflow
		if size <= add {
			may &^= tile.Overflow
		}
	case size == 0 && in.Op == tile.Mul:
		may = tile.InvalidValue
	case in.Op == tile.Mul:
		may &^= tile.InvalidValue
		if size <= 1 {
			may &^= tile.Overflow
		}
	case size == 0 && !right:
		may = tile.InvalidValue
	case size != 0 && right:
		may &^= tile.InvalidValue | tile.DivideByZero
		if size >= 1 {
			may &^= tile.Overflow
		}
	case size != 0:
		may &^= tile.InvalidValue
	}
	return may
}

// scalar is the number that a value is in a launch, at all points.
func scalar(l *tile.Launch, v tile.Value) (number float64, known bool) {
	in := &l.Program.Code[v]
	var s tile.Scalar
	switch in.Op {
	case tile.Const:
		s = in.Lit
	case tile.Uniform:
		s = l.Uniforms[in.N]
	case tile.Cast:
		return scalar(l, in.Args[0])
	default:
		return 0, false
	}
	switch {
	case s.Type.Is(tile.KindComplex):
		return 0, false
	case s.Type.Is(tile.KindFloat):
		return s.Float(), true
	case s.Type.Is(tile.KindUint):
		return float64(s.Uint()), true
	}
	return float64(s.Int()), true
}
