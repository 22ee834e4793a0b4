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

// Position writes to out (int64) the first position at which x has the element best or NaN, or
// the number of elements if it has neither. Nobody looks far behind a place that has been found.
func Position(par Parallel, x, best, out Packed) {
	n, size := x.Elements(), x.Type.Size()
	kind := comparisons[x.Type]
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
	as[int64](out.Data)[0] = found.Load()
}
