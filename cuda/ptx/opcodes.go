package ptx

import (
	"fmt"

	"weft/tile"
)

// lowering emits the instructions of one opcode for operands a, which have the dtype t, and
// returns the result.
type lowering func(c *code, t tile.DType, a []value) value

// opcodeRow says how an opcode is emitted, by kind of its operands. A nil entry is a kind
// that the tile tables do not accept; an exhaustive test compares.
type opcodeRow struct {
	boolean lowering
	whole   lowering // integers
	real    lowering
	complex lowering

	// exact means that the float32 result of float16 operands is already a half.
	exact bool
	// structure marks the opcodes that the kernels' frames emit (kernel.go, flow.go).
	structure bool
}

// opcodes is the table: a new primitive is one row here.
var opcodes = [...]opcodeRow{
	tile.Load:    {structure: true},
	tile.Store:   {structure: true},
	tile.Const:   {structure: true},
	tile.Uniform: {structure: true},
	tile.Index:   {structure: true},
	tile.Reduce:  {structure: true},
	tile.Gather:  {structure: true}, // flow.go, and what follows
	tile.If:      {structure: true},
	tile.Else:    {structure: true},
	tile.Merge:   {structure: true},
	tile.Loop:    {structure: true},
	tile.Carry:   {structure: true},
	tile.While:   {structure: true},
	tile.Next:    {structure: true},
	tile.End:     {structure: true},
	tile.Cast:    {structure: true}, // casts.go: it has two dtypes
	tile.Select:  {structure: true}, // values.go, choose: any dtype

	tile.Add:      {whole: wholeBinary("add"), real: realBinary(fp.add), complex: complexParts(fp.add)},
	tile.Sub:      {whole: wholeBinary("sub"), real: realBinary(fp.sub), complex: complexParts(fp.sub)},
	tile.Mul:      {whole: wholeBinary("mul.lo"), real: realBinary(fp.mul), complex: complexMul},
	tile.Div:      {real: realBinary(fp.div), complex: complexDiv},
	tile.FloorDiv: {whole: wholeFloorDiv, real: realFloorDiv},
	tile.Rem:      {whole: wholeRem, real: realRem},
	tile.Pow:      {whole: wholePow, real: realLibrary("pow"), complex: complexPow},
	tile.Neg:      {whole: wholeNeg, real: realUnary(fp.neg), complex: complexEach(fp.neg), exact: true},
	tile.Abs:      {whole: wholeAbs, real: realUnary(fp.abs), complex: complexAbs, exact: true},
	tile.Sign:     {whole: wholeSign, real: realSign, exact: true},
	tile.Copysign: {real: realBinary(func(f fp, a, b string) string { return f.toSign(b, a) })},
	tile.Min:      {boolean: logic((*code).and), whole: wholeBinary("min"), real: realPick("lt", "le"), complex: complexPick(false), exact: true},
	tile.Max:      {boolean: logic((*code).or), whole: wholeBinary("max"), real: realPick("gt", "ge"), complex: complexPick(true), exact: true},

	tile.Eq: {boolean: boolEq, whole: wholeCompare("eq"), real: realCompare("eq"), complex: complexEq},
	tile.Ne: {boolean: logic((*code).xor), whole: wholeCompare("ne"), real: realCompare("neu"), complex: complexNe},
	tile.Lt: {boolean: boolLess, whole: wholeCompare("lt"), real: realCompare("lt"), complex: complexCompare("lt", false)},
	tile.Le: {boolean: boolLessEqual, whole: wholeCompare("le"), real: realCompare("le"), complex: complexCompare("le", false)},
	tile.Gt: {boolean: swapped(boolLess), whole: wholeCompare("gt"), real: realCompare("gt"), complex: complexCompare("lt", true)},
	tile.Ge: {boolean: swapped(boolLessEqual), whole: wholeCompare("ge"), real: realCompare("ge"), complex: complexCompare("le", true)},

	tile.And: {boolean: logic((*code).and), whole: wholeBits("and")},
	tile.Or:  {boolean: logic((*code).or), whole: wholeBits("or")},
	tile.Xor: {boolean: logic((*code).xor), whole: wholeBits("xor")},
	tile.Not: {boolean: boolNot, whole: wholeNot},
	tile.Shl: {whole: wholeShift("shl.b")},
	tile.Shr: {whole: wholeShift("shr.")},

	tile.Sqrt:     {real: realUnary(fp.sqrt), complex: complexSqrt},
	tile.Exp:      {real: realLibrary("exp"), complex: complexExp},
	tile.Log:      {real: realLibrary("log"), complex: complexLog},
	tile.Sin:      {real: realLibrary("sin"), complex: complexSin},
	tile.Cos:      {real: realLibrary("cos"), complex: complexCos},
	tile.Tanh:     {real: realLibrary("tanh")},
	tile.Exp2:     {real: realLibrary("exp2")},
	tile.Expm1:    {real: realLibrary("expm1")},
	tile.Log2:     {real: realLibrary("log2")},
	tile.Log10:    {real: realLibrary("log10")},
	tile.Log1p:    {real: realLibrary("log1p")},
	tile.Tan:      {real: realLibrary("tan")},
	tile.Asin:     {real: realLibrary("asin")},
	tile.Acos:     {real: realLibrary("acos")},
	tile.Atan:     {real: realLibrary("atan")},
	tile.Sinh:     {real: realLibrary("sinh")},
	tile.Cosh:     {real: realLibrary("cosh")},
	tile.Asinh:    {real: realLibrary("asinh")},
	tile.Acosh:    {real: realLibrary("acosh")},
	tile.Atanh:    {real: realLibrary("atanh")},
	tile.Cbrt:     {real: realLibrary("cbrt")},
	tile.Erf:      {real: realLibrary("erf")},
	tile.Erfc:     {real: realLibrary("erfc")},
	tile.Gamma:    {real: realWide("gamma")},
	tile.LogGamma: {real: realWide("lgamma")},
	tile.Atan2:    {real: realLibrary("atan2")},
	tile.Hypot:    {real: realLibrary("hypot")},

	tile.Floor: {real: realRound("rmi"), exact: true},
	tile.Ceil:  {real: realRound("rpi"), exact: true},
	tile.Trunc: {real: realRound("rzi"), exact: true},
	tile.Rint:  {real: realRound("rni"), exact: true},

	tile.IsNaN:    {real: realTest(fp.isNaN), complex: complexTest(fp.isNaN, true)},
	tile.IsInf:    {real: realTest(fp.isInf), complex: complexTest(fp.isInf, true)},
	tile.IsFinite: {real: realTest(fp.isFinite), complex: complexTest(fp.isFinite, false)},

	tile.Conj:        {complex: complexConj},
	tile.RealPart:    {complex: complexPart(0)},
	tile.ImagPart:    {complex: complexPart(1)},
	tile.MakeComplex: {real: makeComplex},
	tile.PCG64:       {whole: pcg64},
	tile.Philox:      {whole: philox},
}

// find returns how an opcode is emitted for operands of dtype t; nil if there is no row.
func find(op tile.Opcode, t tile.DType) lowering {
	if int(op) >= len(opcodes) {
		return nil
	}
	row := &opcodes[op]
	switch t.Kind() {
	case tile.KindBool:
		return row.boolean
	case tile.KindInt, tile.KindUint:
		return row.whole
	case tile.KindFloat:
		return row.real
	}
	return row.complex
}

// missing is the error for an opcode without a row.
func missing(op tile.Opcode, t tile.DType) error {
	return fmt.Errorf("cuda: no lowering for %v(%v); add a row in cuda/ptx/opcodes.go", op, t)
}

// apply emits an opcode on operands of dtype t.
func (c *code) apply(op tile.Opcode, t tile.DType, a []value) (value, error) {
	lower := find(op, t)
	if lower == nil {
		return value{}, missing(op, t)
	}
	v := lower(c, t, a)
	if v.t == tile.Float16 && !opcodes[op].exact {
		v.r[0] = c.rounded(v.t, v.r[0])
	}
	return v, nil
}
