package routines

import "weft/tile"

// order says how elements of a dtype are compared: by ranks that are integers of their size, made of their bits.
type order struct {
	bits     tile.DType // as which elements are read
	infinity int64      // of floats, its bits; 0 for integers, which are their own ranks
	exact    bool       // -0.0 comes before 0.0, and each NaN has a place of its own; else these are equal
}

// floats are the bits of floats.
var floats = map[tile.DType]order{
	tile.Float16: {bits: tile.Int16, infinity: 0x7c00},
	tile.Float32: {bits: tile.Int32, infinity: 0x7f80_0000},
	tile.Float64: {bits: tile.Int64, infinity: 0x7ff0_0000_0000_0000},
}

// orderOf returns the order that NumPy's comparisons see, or the exact one. There is one for all but complex numbers.
func orderOf(t tile.DType, exact bool) order {
	o, float := floats[t]
	switch {
	case float:
		o.exact = exact
	case t == tile.Bool:
		o.bits = tile.Uint8
	default:
		o.bits = t
	}
	return o
}

// copied is the dtype as which elements are copied that keep all their bits.
func copied(t tile.DType) tile.DType {
	if t.Is(tile.KindComplex) {
		return t
	}
	return orderOf(t, false).bits
}

// ordered leaves complex numbers to the host.
func ordered(p *tile.Program) string {
	if p.Params[0].Type.Is(tile.KindComplex) {
		return "GPUs do not sort complex numbers"
	}
	return ""
}

// rank returns the rank of an element.
//
// The bits of negative floats are turned over, so that they ascend. Above infinity are the NaNs, in the exact order the
// negative ones behind the others: there the ranks are moved until the least of all numbers, -infinity, has the least.
//
//	float32        -NaN  -inf         -0.0          0.0           inf        NaN
//	turned over    -2^31 -0x7f800001  -1            0             0x7f800000 ...
//	exact           ...  -2^31        -1-0x7fffff   -0x7fffff
//	else           0x7f800001, as NaN  0            0             0x7f800000 0x7f800001
func (c *code) rank(o order, x tile.Value) tile.Value {
	if o.infinity == 0 {
		return x
	}
	number := func(n int64) tile.Value { return c.Const(tile.IntScalar(o.bits, n)) }
	greatest := int64(1)<<(8*o.bits.Size()-1) - 1
	magnitude := c.Do(tile.And, x, number(greatest))
	negative := c.less(x, number(0))
	if o.exact {
		turned := c.Do(tile.Select, negative, c.Do(tile.Not, magnitude), x)
		return c.sub(turned, number(greatest-o.infinity))
	}
	// -0.0 has the magnitude 0, which is its own negative.
	signed := c.Do(tile.Select, negative, c.Do(tile.Neg, magnitude), magnitude)
	return c.Do(tile.Select, c.Do(tile.Gt, magnitude, number(o.infinity)), number(o.infinity+1), signed)
}
