package tile

import "math"

// referenceRow is one row of the reference table: what a scalar opcode computes, by kind of
// its operands. Functions of fewer operands ignore the rest. A nil entry is a kind that the
// opcode table does not accept; an exhaustive test compares the two tables.
//
// t is the operands' dtype. Results come in the arithmetic of the kind and are then converted
// to the result dtype: integers wrap, comparisons return 1 or 0, the magnitude of a complex
// number is the real part.
type referenceRow struct {
	boolean  func(a, b bool) bool
	signed   func(t DType, a, b int64) int64
	unsigned func(t DType, a, b uint64) uint64
	real     func(t DType, a, b float64) float64
	complex  func(t DType, a, b complex128) complex128
}

// Eval is the reference: what a scalar opcode gives on one lane, with NumPy's semantics.
// result is the instruction's dtype. The opcode and dtypes must be such as Check accepts,
// and bool elements 0 or 1.
//
// Exact are: everything on bool and integers, casts, and on floats and complex numbers
// everything but Pow, the functions from Exp to LogGamma, and the complex Abs and Sqrt, which
// are within 2 units in the last place (complex: of the larger part). The bits of a NaN, its
// sign included, mean nothing.
//
// The complex product is four products, a difference and a sum, each rounded; NumPy fuses
// some of them on machines that can, and then differs in the last place.
func Eval(op Opcode, result DType, args ...Scalar) Scalar {
	switch op {
	case Cast:
		return Convert(result, args[0])
	case Select:
		if args[0].Bits[0] != 0 {
			return args[1]
		}
		return args[2]
	case MakeComplex:
		return join(args[0], args[1])
	case PCG64:
		return UintScalar(Uint64, pcg64(args[0].Uint(), args[1].Uint(), args[2].Uint(), args[3].Uint(), args[4].Uint()))
	case Philox:
		return UintScalar(Uint64, philox(args[0].Uint(), args[1].Uint(), args[2].Uint(), args[3].Uint(), args[4].Uint()))
	}
	a, b := args[0], args[len(args)-1]
	row := &reference[op]
	switch a.Type.Kind() {
	case KindBool:
		return BoolScalar(row.boolean(a.Bits[0] != 0, b.Bits[0] != 0))
	case KindInt:
		return IntScalar(result, row.signed(a.Type, a.Int(), b.Int()))
	case KindUint:
		return UintScalar(result, row.unsigned(a.Type, a.Uint(), b.Uint()))
	case KindFloat:
		v := row.real(a.Type, a.Float(), b.Float())
		if result == Bool {
			return BoolScalar(v != 0)
		}
		return FloatScalar(result, round(a.Type, v))
	}
	v := row.complex(a.Type, a.Complex(), b.Complex())
	switch result.Kind() {
	case KindBool:
		return BoolScalar(real(v) != 0)
	case KindFloat:
		return FloatScalar(result, round(a.Type, real(v)))
	}
	return ComplexScalar(result, complex(round(a.Type, real(v)), round(a.Type, imag(v))))
}

// round rounds the result of one real operation to the precision that the dtype is computed
// in: float32 for float16 (as NumPy does), float32 and complex64. For + - * / and sqrt this gives
// the bits of float32 arithmetic: float64 has more than twice its digits. The conversion of
// the parameter also keeps the compiler from fusing a product with a sum.
func round(t DType, v float64) float64 {
	if t == Float64 || t == Complex128 {
		return float64(v)
	}
	return float64(float32(v))
}

// hasReference reports whether Eval knows the opcode on operands of dtype d.
func hasReference(op Opcode, d DType) bool {
	switch op {
	case Cast, Select:
		return true
	case MakeComplex:
		return d == Float32 || d == Float64
	case PCG64, Philox:
		return d == Uint64
	}
	if int(op) >= len(reference) {
		return false
	}
	row := &reference[op]
	switch d.Kind() {
	case KindBool:
		return row.boolean != nil
	case KindInt:
		return row.signed != nil
	case KindUint:
		return row.unsigned != nil
	case KindFloat:
		return row.real != nil
	}
	return row.complex != nil
}

// reference is the table: a new primitive is one row here.
var reference = [...]referenceRow{
	Add: {
		signed:   func(_ DType, a, b int64) int64 { return a + b },
		unsigned: func(_ DType, a, b uint64) uint64 { return a + b },
		real:     func(_ DType, a, b float64) float64 { return a + b },
		complex:  func(_ DType, a, b complex128) complex128 { return a + b },
	},
	Sub: {
		signed:   func(_ DType, a, b int64) int64 { return a - b },
		unsigned: func(_ DType, a, b uint64) uint64 { return a - b },
		real:     func(_ DType, a, b float64) float64 { return a - b },
		complex:  func(_ DType, a, b complex128) complex128 { return a - b },
	},
	Mul: {
		signed:   func(_ DType, a, b int64) int64 { return a * b },
		unsigned: func(_ DType, a, b uint64) uint64 { return a * b },
		real:     func(_ DType, a, b float64) float64 { return a * b },
		complex:  complexMul,
	},
	Div: {
		real:    func(_ DType, a, b float64) float64 { return a / b },
		complex: complexDiv,
	},
	FloorDiv: {signed: signedFloorDiv, unsigned: unsignedDiv, real: realFloorDiv},
	Rem:      {signed: signedRem, unsigned: unsignedRem, real: realRem},
	Pow: {
		signed:   signedPow,
		unsigned: unsignedPow,
		real:     func(_ DType, a, b float64) float64 { return RealPow(a, b) },
		complex:  complexPow,
	},
	Neg: {
		signed:   func(_ DType, a, _ int64) int64 { return -a },
		unsigned: func(_ DType, a, _ uint64) uint64 { return -a },
		real:     func(_ DType, a, _ float64) float64 { return -a },
		complex:  func(_ DType, a, _ complex128) complex128 { return complex(-real(a), -imag(a)) },
	},
	Abs: {
		signed:   func(_ DType, a, _ int64) int64 { return max(a, -a) },
		unsigned: func(_ DType, a, _ uint64) uint64 { return a },
		real:     func(_ DType, a, _ float64) float64 { return math.Abs(a) },
		complex:  func(_ DType, a, _ complex128) complex128 { return complex(math.Hypot(real(a), imag(a)), 0) },
	},
	Sign: {
		signed:   func(_ DType, a, _ int64) int64 { return min(max(a, -1), 1) },
		unsigned: func(_ DType, a, _ uint64) uint64 { return min(a, 1) },
		real:     realSign,
	},
	Copysign: {real: pairwise(math.Copysign)},
	Min: {
		boolean:  func(a, b bool) bool { return a && b },
		signed:   func(_ DType, a, b int64) int64 { return min(a, b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return min(a, b) },
		real:     realMin,
		complex:  complexMin,
	},
	Max: {
		boolean:  func(a, b bool) bool { return a || b },
		signed:   func(_ DType, a, b int64) int64 { return max(a, b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return max(a, b) },
		real:     realMax,
		complex:  complexMax,
	},
	Eq: {
		boolean:  func(a, b bool) bool { return a == b },
		signed:   func(_ DType, a, b int64) int64 { return truth(a == b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return uint64(truth(a == b)) },
		real:     func(_ DType, a, b float64) float64 { return float64(truth(a == b)) },
		complex:  func(_ DType, a, b complex128) complex128 { return complexTruth(a == b) },
	},
	Ne: {
		boolean:  func(a, b bool) bool { return a != b },
		signed:   func(_ DType, a, b int64) int64 { return truth(a != b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return uint64(truth(a != b)) },
		real:     func(_ DType, a, b float64) float64 { return float64(truth(a != b)) },
		complex:  func(_ DType, a, b complex128) complex128 { return complexTruth(a != b) },
	},
	Lt: {
		boolean:  func(a, b bool) bool { return !a && b },
		signed:   func(_ DType, a, b int64) int64 { return truth(a < b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return uint64(truth(a < b)) },
		real:     func(_ DType, a, b float64) float64 { return float64(truth(a < b)) },
		complex:  func(_ DType, a, b complex128) complex128 { return complexTruth(complexLess(a, b)) },
	},
	Le: {
		boolean:  func(a, b bool) bool { return !a || b },
		signed:   func(_ DType, a, b int64) int64 { return truth(a <= b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return uint64(truth(a <= b)) },
		real:     func(_ DType, a, b float64) float64 { return float64(truth(a <= b)) },
		complex:  func(_ DType, a, b complex128) complex128 { return complexTruth(complexLessEqual(a, b)) },
	},
	Gt: {
		boolean:  func(a, b bool) bool { return a && !b },
		signed:   func(_ DType, a, b int64) int64 { return truth(a > b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return uint64(truth(a > b)) },
		real:     func(_ DType, a, b float64) float64 { return float64(truth(a > b)) },
		complex:  func(_ DType, a, b complex128) complex128 { return complexTruth(complexLess(b, a)) },
	},
	Ge: {
		boolean:  func(a, b bool) bool { return a || !b },
		signed:   func(_ DType, a, b int64) int64 { return truth(a >= b) },
		unsigned: func(_ DType, a, b uint64) uint64 { return uint64(truth(a >= b)) },
		real:     func(_ DType, a, b float64) float64 { return float64(truth(a >= b)) },
		complex:  func(_ DType, a, b complex128) complex128 { return complexTruth(complexLessEqual(b, a)) },
	},
	And: {
		boolean:  func(a, b bool) bool { return a && b },
		signed:   func(_ DType, a, b int64) int64 { return a & b },
		unsigned: func(_ DType, a, b uint64) uint64 { return a & b },
	},
	Or: {
		boolean:  func(a, b bool) bool { return a || b },
		signed:   func(_ DType, a, b int64) int64 { return a | b },
		unsigned: func(_ DType, a, b uint64) uint64 { return a | b },
	},
	Xor: {
		boolean:  func(a, b bool) bool { return a != b },
		signed:   func(_ DType, a, b int64) int64 { return a ^ b },
		unsigned: func(_ DType, a, b uint64) uint64 { return a ^ b },
	},
	Not: {
		boolean:  func(a, _ bool) bool { return !a },
		signed:   func(_ DType, a, _ int64) int64 { return ^a },
		unsigned: func(_ DType, a, _ uint64) uint64 { return ^a },
	},
	Shl:  {signed: signedShl, unsigned: unsignedShl},
	Shr:  {signed: signedShr, unsigned: unsignedShr},
	Sqrt: {real: unary(math.Sqrt), complex: complexUnary(complexSqrt)},
	Exp:  {real: unary(RealExp), complex: complexUnary(complexExp)},
	Log:  {real: unary(RealLog), complex: complexUnary(complexLog)},
	Sin:  {real: unary(RealSin), complex: complexUnary(complexSin)},
	Cos:  {real: unary(RealCos), complex: complexUnary(complexCos)},
	Tanh: {real: unary(RealTanh)},

	Exp2:     {real: unary(RealExp2)},
	Expm1:    {real: unary(RealExpm1)},
	Log2:     {real: unary(RealLog2)},
	Log10:    {real: unary(RealLog10)},
	Log1p:    {real: unary(RealLog1p)},
	Tan:      {real: unary(RealTan)},
	Asin:     {real: unary(RealAsin)},
	Acos:     {real: unary(RealAcos)},
	Atan:     {real: unary(RealAtan)},
	Atan2:    {real: pairwise(RealAtan2)},
	Sinh:     {real: unary(RealSinh)},
	Cosh:     {real: unary(RealCosh)},
	Asinh:    {real: unary(RealAsinh)},
	Acosh:    {real: unary(RealAcosh)},
	Atanh:    {real: unary(RealAtanh)},
	Cbrt:     {real: unary(RealCbrt)},
	Hypot:    {real: pairwise(RealHypot)},
	Erf:      {real: unary(RealErf)},
	Erfc:     {real: unary(RealErfc)},
	Gamma:    {real: unary(RealGamma)},
	LogGamma: {real: unary(RealLogGamma)},

	Floor: {real: unary(math.Floor)},
	Ceil:  {real: unary(math.Ceil)},
	Trunc: {real: unary(math.Trunc)},
	Rint:  {real: unary(math.RoundToEven)},
	IsNaN: {
		real:    func(_ DType, a, _ float64) float64 { return float64(truth(a != a)) },
		complex: func(_ DType, a, _ complex128) complex128 { return complexTruth(hasNaN(a)) },
	},
	IsInf: {
		real:    func(_ DType, a, _ float64) float64 { return float64(truth(math.IsInf(a, 0))) },
		complex: func(_ DType, a, _ complex128) complex128 { return complexTruth(hasInf(a)) },
	},
	IsFinite: {
		real:    func(_ DType, a, _ float64) float64 { return float64(truth(!math.IsInf(a, 0) && a == a)) },
		complex: func(_ DType, a, _ complex128) complex128 { return complexTruth(!hasInf(a) && !hasNaN(a)) },
	},
	Conj:     {complex: func(_ DType, a, _ complex128) complex128 { return complex(real(a), -imag(a)) }},
	RealPart: {complex: func(_ DType, a, _ complex128) complex128 { return complex(real(a), 0) }},
	ImagPart: {complex: func(_ DType, a, _ complex128) complex128 { return complex(imag(a), 0) }},
}

func unary(f func(float64) float64) func(DType, float64, float64) float64 {
	return func(_ DType, a, _ float64) float64 { return f(a) }
}

func pairwise(f func(a, b float64) float64) func(DType, float64, float64) float64 {
	return func(_ DType, a, b float64) float64 { return f(a, b) }
}

func complexUnary(f func(complex128) complex128) func(DType, complex128, complex128) complex128 {
	return func(_ DType, a, _ complex128) complex128 { return f(a) }
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func complexTruth(b bool) complex128 { return complex(float64(truth(b)), 0) }
