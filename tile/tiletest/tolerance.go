package tiletest

import (
	"math"

	"weft/tile"
)

// tolerance says how far a device may be from the reference, in units in the last place; see
// tile.UlpDistance. The zero value means the same bits.
type tolerance struct {
	real    float64 // for float results
	complex float64 // for complex operands

	// least is the size below which a result's units no longer shrink: near a zero that is not
	// at a float, only the distance itself means something.
	least float64

	// finite leaves out complex operands that are not finite or very large or small: C99 leaves
	// their signs open, and devices need not agree.
	finite bool

	ofComplex bool // the operands are complex
}

// exact is the row of an opcode whose results have the reference's bits.
var exact = tolerance{}

// tolerances has a row for every opcode that computes. Where it is not exact, the reference itself is within 2 units
// (see tile.Eval).
var tolerances = map[tile.Opcode]tolerance{
	tile.Pow:      {real: 4, complex: 64, finite: true},
	tile.Exp:      {real: 4, complex: 8, finite: true},
	tile.Log:      {real: 4, complex: 8, finite: true},
	tile.Sin:      {real: 4, complex: 8, finite: true},
	tile.Cos:      {real: 4, complex: 8, finite: true},
	tile.Tanh:     {real: 4},
	tile.Exp2:     {real: 4},
	tile.Expm1:    {real: 4},
	tile.Log2:     {real: 4},
	tile.Log10:    {real: 4},
	tile.Log1p:    {real: 4},
	tile.Tan:      {real: 4},
	tile.Asin:     {real: 4},
	tile.Acos:     {real: 4},
	tile.Atan:     {real: 4},
	tile.Atan2:    {real: 4},
	tile.Sinh:     {real: 4},
	tile.Cosh:     {real: 4},
	tile.Asinh:    {real: 4},
	tile.Acosh:    {real: 4},
	tile.Atanh:    {real: 4},
	tile.Cbrt:     {real: 4},
	tile.Hypot:    {real: 4},
	tile.Erf:      {real: 4},
	tile.Erfc:     {real: 4},
	tile.Gamma:    {real: 4},
	tile.LogGamma: {real: 4, least: 1},
	tile.Sqrt:     {complex: 8, finite: true},
	tile.Abs:      {complex: 4},

	tile.Cast: exact, tile.Select: exact, tile.Add: exact, tile.Sub: exact, tile.Mul: exact, tile.Div: exact,
	tile.FloorDiv: exact, tile.Rem: exact, tile.Neg: exact, tile.Sign: exact, tile.Copysign: exact,
	tile.Min: exact, tile.Max: exact, tile.Eq: exact, tile.Ne: exact, tile.Lt: exact, tile.Le: exact,
	tile.Gt: exact, tile.Ge: exact, tile.And: exact, tile.Or: exact, tile.Xor: exact, tile.Not: exact,
	tile.Shl: exact, tile.Shr: exact, tile.Floor: exact, tile.Ceil: exact, tile.Trunc: exact, tile.Rint: exact,
	tile.IsNaN: exact, tile.IsInf: exact, tile.IsFinite: exact, tile.Conj: exact, tile.RealPart: exact,
	tile.ImagPart: exact, tile.PCG64: exact, tile.Philox: exact, tile.MakeComplex: exact,
}

// toleranceOf returns the row for an opcode on operands of dtype t.
func toleranceOf(op tile.Opcode, t tile.DType) tolerance {
	row := tolerances[op]
	row.ofComplex = t.Is(tile.KindComplex)
	if !t.Is(tile.KindFloat | tile.KindComplex) {
		row = tolerance{}
	}
	return row
}

// limit returns the distance that is accepted for results of dtype t.
func (a tolerance) limit(t tile.DType) float64 {
	switch {
	case !t.Is(tile.KindFloat | tile.KindComplex):
		return 0
	case a.ofComplex:
		return a.complex
	}
	return a.real
}

// distance is UlpDistance; where a tolerance is given for complex results, zeros of either
// sign are equal, because a part may cancel.
func (a tolerance) distance(want, got tile.Scalar) float64 {
	if a.ofComplex && a.complex > 0 && want.Type.Is(tile.KindComplex) {
		return tile.UlpDistance(tile.ComplexScalar(want.Type, want.Complex()+0), tile.ComplexScalar(got.Type, got.Complex()+0))
	}
	if a.least > 0 && want.Type.Is(tile.KindFloat) && math.Abs(want.Float()) < a.least {
		size := want.Float()
		shift := math.Copysign(a.least, size) // exact enough: it is much larger than the distances that count
		return tile.UlpDistance(tile.FloatScalar(want.Type, size+shift), tile.FloatScalar(want.Type, got.Float()+shift))
	}
	return tile.UlpDistance(want, got)
}

// admits reports whether an operand is to be tested.
func (a tolerance) admits(s tile.Scalar) bool {
	if !a.finite || !s.Type.Is(tile.KindComplex) {
		return true
	}
	for _, part := range []float64{real(s.Complex()), imag(s.Complex())} {
		if v := math.Abs(part); !(v == 0 || v >= 1e-3 && v <= 5) {
			return false
		}
	}
	return true
}
