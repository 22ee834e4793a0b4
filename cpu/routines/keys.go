package routines

import "weft/tile"

// word is the integer that holds an element's bits, and its key.
type word interface {
	uint8 | uint16 | uint32 | uint64
}

// order says how the bits of a dtype become a key.
type order struct {
	flip bool   // signed: the sign bit is flipped
	inf  uint64 // floats: the bits of infinity, above which NaNs lie; 0 for integers
	sign uint64 // the sign bit
}

// orders has a row for each dtype that has keys; complex ones have two keys for an element.
var orders = map[tile.DType]order{
	tile.Bool:    {},
	tile.Uint8:   {},
	tile.Uint16:  {},
	tile.Uint32:  {},
	tile.Uint64:  {},
	tile.Int8:    {flip: true, sign: 1 << 7},
	tile.Int16:   {flip: true, sign: 1 << 15},
	tile.Int32:   {flip: true, sign: 1 << 31},
	tile.Int64:   {flip: true, sign: 1 << 63},
	tile.Float16: {inf: 0x7c00, sign: 1 << 15},
	tile.Float32: {inf: 0x7f80_0000, sign: 1 << 31},
	tile.Float64: {inf: 0x7ff0_0000_0000_0000, sign: 1 << 63},
}

// keys writes the key of each element. Keys compare as NumPy orders the elements, NaNs last
// and alike. With equalZeros -0.0 and 0.0 have one key, as a comparison sees them; without
// it -0.0 comes first, so that values can be got back from keys.
func keys[K word](o order, dst, src []K, equalZeros bool) {
	sign, inf := K(o.sign), K(o.inf)
	switch {
	case o.flip:
		for i, x := range src {
			dst[i] = x ^ sign
		}
	case o.inf != 0:
		for i, x := range src {
			dst[i] = floatKey(x, sign, inf, equalZeros)
		}
	default:
		copy(dst, src)
	}
}

func floatKey[K word](x, sign, inf K, equalZeros bool) K {
	magnitude := x &^ sign
	switch {
	case magnitude > inf:
		return ^K(0)
	case magnitude == 0 && equalZeros:
		return sign
	case x&sign != 0:
		return ^x
	}
	return x | sign
}

// unkey turns keys back into elements in place. A NaN becomes the usual one.
func unkey[K word](o order, data []K) {
	sign, inf := K(o.sign), K(o.inf)
	switch {
	case o.flip:
		for i := range data {
			data[i] ^= sign
		}
	case o.inf != 0:
		quiet := inf | (inf&-inf)>>1 // and the highest bit of the fraction
		for i, k := range data {
			switch {
			case k == ^K(0):
				data[i] = quiet
			case k&sign != 0:
				data[i] = k &^ sign
			default:
				data[i] = ^k
			}
		}
	}
}
