package cpu

import "weft/tile"

// byDType is one row of a table: a primitive for each dtype of the operands, nil for none.
type byDType [tile.Complex128 + 1]primitive

// primitives is the table: a new opcode is one row here. Integer operations that do not look at
// the sign share the unsigned loop. float16 is lowered to float32 where it has no entry. Gt
// and Ge are Lt and Le with the operands exchanged; Select, Cast and the structure opcodes
// are in lower.go.
var primitives = [...]byDType{
	tile.Add: {
		tile.Int8: add[uint8], tile.Int16: add[uint16], tile.Int32: add[uint32], tile.Int64: add[uint64],
		tile.Uint8: add[uint8], tile.Uint16: add[uint16], tile.Uint32: add[uint32], tile.Uint64: add[uint64],
		tile.Float16: addHalf, tile.Float32: add[float32], tile.Float64: add[float64], tile.Complex64: add[complex64], tile.Complex128: add[complex128],
	},
	tile.Sub: {
		tile.Int8: sub[uint8], tile.Int16: sub[uint16], tile.Int32: sub[uint32], tile.Int64: sub[uint64],
		tile.Uint8: sub[uint8], tile.Uint16: sub[uint16], tile.Uint32: sub[uint32], tile.Uint64: sub[uint64],
		tile.Float32: sub[float32], tile.Float64: sub[float64], tile.Complex64: sub[complex64], tile.Complex128: sub[complex128],
	},
	tile.Mul: {
		tile.Int8: mul[uint8], tile.Int16: mul[uint16], tile.Int32: mul[uint32], tile.Int64: mul[uint64],
		tile.Uint8: mul[uint8], tile.Uint16: mul[uint16], tile.Uint32: mul[uint32], tile.Uint64: mul[uint64],
		tile.Float16: mulHalf, tile.Float32: mul[float32], tile.Float64: mul[float64], tile.Complex64: mulComplex[float32], tile.Complex128: mulComplex[float64],
	},
	tile.Div: {
		tile.Float32: div[float32], tile.Float64: div[float64], tile.Complex64: divComplex[float32], tile.Complex128: divComplex[float64],
	},
	tile.FloorDiv: {
		tile.Int8: floorDivSigned[int8], tile.Int16: floorDivSigned[int16], tile.Int32: floorDivSigned[int32], tile.Int64: floorDivSigned[int64],
		tile.Uint8: divUnsigned[uint8], tile.Uint16: divUnsigned[uint16], tile.Uint32: divUnsigned[uint32], tile.Uint64: divUnsigned[uint64],
		tile.Float32: floorDivFloat[float32], tile.Float64: floorDivFloat[float64],
	},
	tile.Rem: {
		tile.Int8: remSigned[int8], tile.Int16: remSigned[int16], tile.Int32: remSigned[int32], tile.Int64: remSigned[int64],
		tile.Uint8: remUnsigned[uint8], tile.Uint16: remUnsigned[uint16], tile.Uint32: remUnsigned[uint32], tile.Uint64: remUnsigned[uint64],
		tile.Float32: remFloat[float32], tile.Float64: remFloat[float64],
	},
	tile.Pow: {
		tile.Int8: powInt[int8], tile.Int16: powInt[int16], tile.Int32: powInt[int32], tile.Int64: powInt[int64],
		tile.Uint8: powInt[uint8], tile.Uint16: powInt[uint16], tile.Uint32: powInt[uint32], tile.Uint64: powInt[uint64],
		tile.Float32: powFloat[float32], tile.Float64: powFloat[float64],
		tile.Complex64: viaReference(tile.Pow, tile.Complex64), tile.Complex128: viaReference(tile.Pow, tile.Complex128),
	},
	tile.Neg: {
		tile.Int8: neg[uint8], tile.Int16: neg[uint16], tile.Int32: neg[uint32], tile.Int64: neg[uint64],
		tile.Uint8: neg[uint8], tile.Uint16: neg[uint16], tile.Uint32: neg[uint32], tile.Uint64: neg[uint64],
		tile.Float16: negHalf, tile.Float32: neg[float32], tile.Float64: neg[float64], tile.Complex64: neg[complex64], tile.Complex128: neg[complex128],
	},
	tile.Abs: {
		tile.Int8: absSigned[int8], tile.Int16: absSigned[int16], tile.Int32: absSigned[int32], tile.Int64: absSigned[int64],
		tile.Uint8: move[uint8], tile.Uint16: move[uint16], tile.Uint32: move[uint32], tile.Uint64: move[uint64],
		tile.Float16: absHalf, tile.Float32: absFloat[float32], tile.Float64: absFloat[float64], tile.Complex64: absComplex[float32], tile.Complex128: absComplex[float64],
	},
	tile.Sign: {
		tile.Int8: signSigned[int8], tile.Int16: signSigned[int16], tile.Int32: signSigned[int32], tile.Int64: signSigned[int64],
		tile.Uint8: signUnsigned[uint8], tile.Uint16: signUnsigned[uint16], tile.Uint32: signUnsigned[uint32], tile.Uint64: signUnsigned[uint64],
		tile.Float32: signFloat[float32], tile.Float64: signFloat[float64],
	},
	tile.Min: {
		tile.Bool: and[uint8], tile.Int8: minInt[int8], tile.Int16: minInt[int16], tile.Int32: minInt[int32], tile.Int64: minInt[int64],
		tile.Uint8: minInt[uint8], tile.Uint16: minInt[uint16], tile.Uint32: minInt[uint32], tile.Uint64: minInt[uint64],
		tile.Float16: minHalf, tile.Float32: minFloat[float32, uint32], tile.Float64: minFloat[float64, uint64], tile.Complex64: minComplex[float32], tile.Complex128: minComplex[float64],
	},
	tile.Max: {
		tile.Bool: or[uint8], tile.Int8: maxInt[int8], tile.Int16: maxInt[int16], tile.Int32: maxInt[int32], tile.Int64: maxInt[int64],
		tile.Uint8: maxInt[uint8], tile.Uint16: maxInt[uint16], tile.Uint32: maxInt[uint32], tile.Uint64: maxInt[uint64],
		tile.Float16: maxHalf, tile.Float32: maxFloat[float32, uint32], tile.Float64: maxFloat[float64, uint64], tile.Complex64: maxComplex[float32], tile.Complex128: maxComplex[float64],
	},
	tile.Eq: {
		tile.Bool: eq[uint8], tile.Int8: eq[uint8], tile.Int16: eq[uint16], tile.Int32: eq[uint32], tile.Int64: eq[uint64],
		tile.Uint8: eq[uint8], tile.Uint16: eq[uint16], tile.Uint32: eq[uint32], tile.Uint64: eq[uint64],
		tile.Float32: eq[float32], tile.Float64: eq[float64], tile.Complex64: eq[complex64], tile.Complex128: eq[complex128],
	},
	tile.Ne: {
		tile.Bool: ne[uint8], tile.Int8: ne[uint8], tile.Int16: ne[uint16], tile.Int32: ne[uint32], tile.Int64: ne[uint64],
		tile.Uint8: ne[uint8], tile.Uint16: ne[uint16], tile.Uint32: ne[uint32], tile.Uint64: ne[uint64],
		tile.Float32: ne[float32], tile.Float64: ne[float64], tile.Complex64: ne[complex64], tile.Complex128: ne[complex128],
	},
	tile.Lt: {
		tile.Bool: lt[uint8], tile.Int8: lt[int8], tile.Int16: lt[int16], tile.Int32: lt[int32], tile.Int64: lt[int64],
		tile.Uint8: lt[uint8], tile.Uint16: lt[uint16], tile.Uint32: lt[uint32], tile.Uint64: lt[uint64],
		tile.Float32: lt[float32], tile.Float64: lt[float64], tile.Complex64: ltComplex[float32], tile.Complex128: ltComplex[float64],
	},
	tile.Le: {
		tile.Bool: le[uint8], tile.Int8: le[int8], tile.Int16: le[int16], tile.Int32: le[int32], tile.Int64: le[int64],
		tile.Uint8: le[uint8], tile.Uint16: le[uint16], tile.Uint32: le[uint32], tile.Uint64: le[uint64],
		tile.Float32: le[float32], tile.Float64: le[float64], tile.Complex64: leComplex[float32], tile.Complex128: leComplex[float64],
	},
	tile.And: {
		tile.Bool: and[uint8], tile.Int8: and[uint8], tile.Int16: and[uint16], tile.Int32: and[uint32], tile.Int64: and[uint64],
		tile.Uint8: and[uint8], tile.Uint16: and[uint16], tile.Uint32: and[uint32], tile.Uint64: and[uint64],
	},
	tile.Or: {
		tile.Bool: or[uint8], tile.Int8: or[uint8], tile.Int16: or[uint16], tile.Int32: or[uint32], tile.Int64: or[uint64],
		tile.Uint8: or[uint8], tile.Uint16: or[uint16], tile.Uint32: or[uint32], tile.Uint64: or[uint64],
	},
	tile.Xor: {
		tile.Bool: xor[uint8], tile.Int8: xor[uint8], tile.Int16: xor[uint16], tile.Int32: xor[uint32], tile.Int64: xor[uint64],
		tile.Uint8: xor[uint8], tile.Uint16: xor[uint16], tile.Uint32: xor[uint32], tile.Uint64: xor[uint64],
	},
	tile.Not: {
		tile.Bool: notBool, tile.Int8: not[uint8], tile.Int16: not[uint16], tile.Int32: not[uint32], tile.Int64: not[uint64],
		tile.Uint8: not[uint8], tile.Uint16: not[uint16], tile.Uint32: not[uint32], tile.Uint64: not[uint64],
	},
	tile.Shl: {
		tile.Int8: shl[uint8], tile.Int16: shl[uint16], tile.Int32: shl[uint32], tile.Int64: shl[uint64],
		tile.Uint8: shl[uint8], tile.Uint16: shl[uint16], tile.Uint32: shl[uint32], tile.Uint64: shl[uint64],
	},
	tile.Shr: {
		tile.Int8: shrSigned[int8, uint8], tile.Int16: shrSigned[int16, uint16], tile.Int32: shrSigned[int32, uint32], tile.Int64: shrSigned[int64, uint64],
		tile.Uint8: shrUnsigned[uint8], tile.Uint16: shrUnsigned[uint16], tile.Uint32: shrUnsigned[uint32], tile.Uint64: shrUnsigned[uint64],
	},
	tile.Sqrt: {
		tile.Float32: sqrt[float32], tile.Float64: sqrt[float64],
		tile.Complex64: viaReference(tile.Sqrt, tile.Complex64), tile.Complex128: viaReference(tile.Sqrt, tile.Complex128),
	},
	tile.Exp: {
		tile.Float32: exp[float32], tile.Float64: exp[float64],
		tile.Complex64: viaReference(tile.Exp, tile.Complex64), tile.Complex128: viaReference(tile.Exp, tile.Complex128),
	},
	tile.Log: {
		tile.Float32: log[float32], tile.Float64: log[float64],
		tile.Complex64: viaReference(tile.Log, tile.Complex64), tile.Complex128: viaReference(tile.Log, tile.Complex128),
	},
	tile.Sin: {
		tile.Float32: sin[float32], tile.Float64: sin[float64],
		tile.Complex64: viaReference(tile.Sin, tile.Complex64), tile.Complex128: viaReference(tile.Sin, tile.Complex128),
	},
	tile.Cos: {
		tile.Float32: cos[float32], tile.Float64: cos[float64],
		tile.Complex64: viaReference(tile.Cos, tile.Complex64), tile.Complex128: viaReference(tile.Cos, tile.Complex128),
	},
	tile.Tanh: {
		tile.Float32: tanh[float32], tile.Float64: tanh[float64],
	},
	tile.Floor: {
		tile.Float32: floor[float32], tile.Float64: floor[float64],
	},
	tile.Ceil: {
		tile.Float32: ceil[float32], tile.Float64: ceil[float64],
	},
	tile.Trunc: {
		tile.Float32: trunc[float32], tile.Float64: trunc[float64],
	},
	tile.Rint: {
		tile.Float32: rint[float32], tile.Float64: rint[float64],
	},
	tile.IsNaN: {
		tile.Float32: isNaN[float32], tile.Float64: isNaN[float64], tile.Complex64: isNaN[complex64], tile.Complex128: isNaN[complex128],
	},
	tile.IsInf: {
		tile.Float32: isInf[float32], tile.Float64: isInf[float64], tile.Complex64: isInfComplex[float32], tile.Complex128: isInfComplex[float64],
	},
	tile.IsFinite: {
		tile.Float32: isFinite[float32], tile.Float64: isFinite[float64], tile.Complex64: isFiniteComplex[float32], tile.Complex128: isFiniteComplex[float64],
	},
	tile.Conj: {
		tile.Complex64: conj[float32], tile.Complex128: conj[float64],
	},
	tile.RealPart: {
		tile.Complex64: realPart[float32], tile.Complex128: realPart[float64],
	},
	tile.ImagPart: {
		tile.Complex64: imagPart[float32], tile.Complex128: imagPart[float64],
	},
	tile.MakeComplex: {
		tile.Float32: makeComplex[float32], tile.Float64: makeComplex[float64],
	},
}
