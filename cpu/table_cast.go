package cpu

import "weft/tile"

// casts is the table of direct conversions, by source and then by destination. What is not
// here goes in several: float16 through float32, complex through its real part; see lower.go.
// A bool element converts as the uint8 that it is.
var casts = [...]byDType{
	tile.Bool: {
		tile.Int8: convert[int8, uint8], tile.Int16: convert[int16, uint8], tile.Int32: convert[int32, uint8], tile.Int64: convert[int64, uint8],
		tile.Uint8: convert[uint8, uint8], tile.Uint16: convert[uint16, uint8], tile.Uint32: convert[uint32, uint8], tile.Uint64: convert[uint64, uint8],
		tile.Float32: convert[float32, uint8], tile.Float64: convert[float64, uint8],
	},
	tile.Int8: {
		tile.Bool:  toBool[int8],
		tile.Int16: convert[int16, int8], tile.Int32: convert[int32, int8], tile.Int64: convert[int64, int8],
		tile.Uint8: convert[uint8, int8], tile.Uint16: convert[uint16, int8], tile.Uint32: convert[uint32, int8], tile.Uint64: convert[uint64, int8],
		tile.Float32: convert[float32, int8], tile.Float64: convert[float64, int8],
	},
	tile.Int16: {
		tile.Bool: toBool[int16],
		tile.Int8: convert[int8, int16], tile.Int32: convert[int32, int16], tile.Int64: convert[int64, int16],
		tile.Uint8: convert[uint8, int16], tile.Uint16: convert[uint16, int16], tile.Uint32: convert[uint32, int16], tile.Uint64: convert[uint64, int16],
		tile.Float32: convert[float32, int16], tile.Float64: convert[float64, int16],
	},
	tile.Int32: {
		tile.Bool: toBool[int32],
		tile.Int8: convert[int8, int32], tile.Int16: convert[int16, int32], tile.Int64: convert[int64, int32],
		tile.Uint8: convert[uint8, int32], tile.Uint16: convert[uint16, int32], tile.Uint32: convert[uint32, int32], tile.Uint64: convert[uint64, int32],
		tile.Float32: convert[float32, int32], tile.Float64: convert[float64, int32],
	},
	tile.Int64: {
		tile.Bool: toBool[int64],
		tile.Int8: convert[int8, int64], tile.Int16: convert[int16, int64], tile.Int32: convert[int32, int64],
		tile.Uint8: convert[uint8, int64], tile.Uint16: convert[uint16, int64], tile.Uint32: convert[uint32, int64], tile.Uint64: convert[uint64, int64],
		tile.Float32: convert[float32, int64], tile.Float64: convert[float64, int64],
	},
	tile.Uint8: {
		tile.Bool: toBool[uint8],
		tile.Int8: convert[int8, uint8], tile.Int16: convert[int16, uint8], tile.Int32: convert[int32, uint8], tile.Int64: convert[int64, uint8],
		tile.Uint16: convert[uint16, uint8], tile.Uint32: convert[uint32, uint8], tile.Uint64: convert[uint64, uint8],
		tile.Float32: convert[float32, uint8], tile.Float64: convert[float64, uint8],
	},
	tile.Uint16: {
		tile.Bool: toBool[uint16],
		tile.Int8: convert[int8, uint16], tile.Int16: convert[int16, uint16], tile.Int32: convert[int32, uint16], tile.Int64: convert[int64, uint16],
		tile.Uint8: convert[uint8, uint16], tile.Uint32: convert[uint32, uint16], tile.Uint64: convert[uint64, uint16],
		tile.Float32: convert[float32, uint16], tile.Float64: convert[float64, uint16],
	},
	tile.Uint32: {
		tile.Bool: toBool[uint32],
		tile.Int8: convert[int8, uint32], tile.Int16: convert[int16, uint32], tile.Int32: convert[int32, uint32], tile.Int64: convert[int64, uint32],
		tile.Uint8: convert[uint8, uint32], tile.Uint16: convert[uint16, uint32], tile.Uint64: convert[uint64, uint32],
		tile.Float32: convert[float32, uint32], tile.Float64: convert[float64, uint32],
	},
	tile.Uint64: {
		tile.Bool: toBool[uint64],
		tile.Int8: convert[int8, uint64], tile.Int16: convert[int16, uint64], tile.Int32: convert[int32, uint64], tile.Int64: convert[int64, uint64],
		tile.Uint8: convert[uint8, uint64], tile.Uint16: convert[uint16, uint64], tile.Uint32: convert[uint32, uint64],
		tile.Float32: convert[float32, uint64], tile.Float64: convert[float64, uint64],
	},
	tile.Float32: {
		tile.Bool: toBool[float32],
		tile.Int8: toInt32[int8, float32], tile.Int16: toInt32[int16, float32], tile.Int32: toInt32[int32, float32], tile.Int64: toInt64[float32],
		tile.Uint8: toInt32[uint8, float32], tile.Uint16: toInt32[uint16, float32], tile.Uint32: toUint32[float32], tile.Uint64: toUint64[float32],
		tile.Float16: halfFromSingle, tile.Float64: convert[float64, float32], tile.Complex64: complexFrom[float32],
	},
	tile.Float64: {
		tile.Bool: toBool[float64],
		tile.Int8: toInt32[int8, float64], tile.Int16: toInt32[int16, float64], tile.Int32: toInt32[int32, float64], tile.Int64: toInt64[float64],
		tile.Uint8: toInt32[uint8, float64], tile.Uint16: toInt32[uint16, float64], tile.Uint32: toUint32[float64], tile.Uint64: toUint64[float64],
		tile.Float16: halfFromDouble, tile.Float32: convert[float32, float64], tile.Complex128: complexFrom[float64],
	},
	tile.Float16: {
		tile.Float32: singleFromHalf,
	},
	tile.Complex64: {
		tile.Bool: toBool[complex64], tile.Complex128: recomplex[float64, float32],
	},
	tile.Complex128: {
		tile.Bool: toBool[complex128], tile.Complex64: recomplex[float32, float64],
	},
}
