package routines

import (
	"math"
	"math/bits"

	"weft/cpu/sorting"
	"weft/tile"
)

// bit is the integer that holds an element's bits.
type bit interface {
	int8 | int16 | int32 | int64
}

// exact has, for each dtype that is ordered, the order that tells all bits apart: -0.0 comes before 0.0,
// and behind the numbers come the NaNs, each in a place of its own. Complex numbers are sorted by two keys.
var exact = map[tile.DType]sorting.Order{
	tile.Bool:    unsigned(1),
	tile.Uint8:   unsigned(1),
	tile.Uint16:  unsigned(2),
	tile.Uint32:  unsigned(4),
	tile.Uint64:  unsigned(8),
	tile.Int8:    {Top: math.MaxInt64},
	tile.Int16:   {Top: math.MaxInt64},
	tile.Int32:   {Top: math.MaxInt64},
	tile.Int64:   {Top: math.MaxInt64},
	tile.Float16: floating(0x7c00, 0x7fff),
	tile.Float32: floating(0x7f80_0000, 0x7fff_ffff),
	tile.Float64: floating(0x7ff0_0000_0000_0000, 0x7fff_ffff_ffff_ffff),
}

// alike has the order that NumPy's comparisons see: -0.0 and 0.0 are equal, and so are all NaNs.
var alike = func() map[tile.DType]sorting.Order {
	all := map[tile.DType]sorting.Order{}
	for t, o := range exact {
		if o.Fold != 0 { // a float
			infinity := o.Fold - o.Less
			o.Top, o.Zero, o.Merge = infinity-o.Less+1, -o.Less, 1
		}
		all[t] = o
	}
	return all
}()

// RowOrder is the order by which the sorting machine alone does what Sort does, or Argsort, for rows of at most so many
// elements, 0 where there are no such rows, and for partitions of rows of at most so many.
func RowOrder(t tile.DType, places bool) (o sorting.Order, most, parted int) {
	switch {
	case t.Is(tile.KindComplex):
		return o, 0, 0
	case places:
		return alike[t], oneBucket, sorting.Selectable
	case t.Size() < 4:
		return exact[t], sorting.NarrowRow, sorting.NarrowRow
	}
	return exact[t], oneBucket, sorting.Selectable
}

func unsigned(size int) sorting.Order {
	return sorting.Order{Flip: -1 << (8*size - 1), Top: math.MaxInt64}
}

// floating is for floats with these bits of infinity, above which NaNs lie, and of the greatest magnitude.
// Negative numbers fold over, so that they ascend. The negative NaNs, which are least then, wrap to the other end.
func floating(infinity, greatest int64) sorting.Order {
	return sorting.Order{Fold: greatest, Less: greatest - infinity, Top: math.MaxInt64}
}

// rank is what package sorting computes for every element.
func rank[K bit](o *sorting.Order, x K) int64 {
	x ^= K(o.Flip)
	if x < 0 {
		x ^= K(o.Fold)
	}
	r := min(int64(x-K(o.Less)), o.Top)
	if o.Merge != 0 && r == o.Zero-1 {
		r++
	}
	return r
}

// element is the bits whose rank in an exact order is r.
func element[K bit](o *sorting.Order, r int64) K {
	x := K(r) + K(o.Less)
	if x < 0 {
		x ^= K(o.Fold)
	}
	return x ^ K(o.Flip)
}

// array is packed elements as package sorting sees them.
func array(x Packed) sorting.Array { return arrayOf(x.Data, x.Type.Size()) }

func arrayOf(data []byte, size int) sorting.Array {
	return sorting.Array{P: pointer(data), N: len(data) / size, Width: bits.Len(uint(size)) - 1}
}
