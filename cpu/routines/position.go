package routines

// #include "position.h"
import "C"

import (
	"sync/atomic"
	"unsafe"

	"weft/tile"
)

// comparisons says how elements of a dtype are compared. float16 and complex numbers have no row.
var comparisons = map[tile.DType]C.int{
	tile.Bool: C.WEFT_BITS8, tile.Int8: C.WEFT_BITS8, tile.Uint8: C.WEFT_BITS8, tile.Int16: C.WEFT_BITS16, tile.Uint16: C.WEFT_BITS16,
	tile.Int32: C.WEFT_BITS32, tile.Uint32: C.WEFT_BITS32, tile.Int64: C.WEFT_BITS64, tile.Uint64: C.WEFT_BITS64,
	tile.Float32: C.WEFT_FLOAT32, tile.Float64: C.WEFT_FLOAT64,
}

// Position writes to out (int64) the first positions along the middle one of x's three axes at which x has the element
// that best has for the other two, or NaN; or the extent of the axis where it has neither.
func Position(par Parallel, x, best, out Packed) {
	outer, n, inner := x.Shape[0], x.Shape[1], x.Shape[2]
	kind, size, to := comparisons[x.Type], x.Type.Size(), as[int64](out.Data)
	switch {
	case len(to) == 1:
		to[0] = position(par, kind, x, best)
	case inner == 1:
		split(par, outer, n, func(lo, hi int) {
			C.weft_position_rows(kind, unsafe.Pointer(&x.Data[lo*n*size]), C.int64_t(hi-lo), C.int64_t(n), unsafe.Pointer(&best.Data[lo*size]), (*C.int64_t)(&to[lo]))
		})
	default:
		parts := (inner + columnsTogether - 1) / columnsTogether
		par(outer*parts, func(i int) {
			row, column := i/parts, i%parts*columnsTogether
			at := row*inner + column
			C.weft_position_columns(kind, unsafe.Pointer(&x.Data[(row*n*inner+column)*size]), C.int64_t(n), C.int64_t(min(columnsTogether, inner-column)), C.int64_t(inner),
				unsafe.Pointer(&best.Data[at*size]), (*C.int64_t)(&to[at]))
		})
	}
}

// columnsTogether is how many columns are searched together: their values and positions stay in the L1 cache.
const columnsTogether = 512

// position is the first position of the only element of best. No processor looks far behind a place that has been
// found.
func position(par Parallel, kind C.int, x, best Packed) int64 {
	n, size := x.Elements(), x.Type.Size()
	var found atomic.Int64
	found.Store(int64(n))
	split(par, n, 1, func(lo, hi int) {
		if int64(lo) > found.Load() {
			return
		}
		at := int64(C.weft_position(kind, unsafe.Pointer(&x.Data[lo*size]), C.int64_t(hi-lo), unsafe.Pointer(&best.Data[0]))) + int64(lo)
		if at == int64(hi) {
			return
		}
		for old := found.Load(); at < old && !found.CompareAndSwap(old, at); old = found.Load() {
		}
	})
	return found.Load()
}
