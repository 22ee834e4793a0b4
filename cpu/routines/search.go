package routines

// #include "search.h"
import "C"

import (
	"unsafe"

	"weft/cpu/sorting"
)

// manyKeys is from how many keys on C searches for blocks of them: fewer would be a block that is mostly empty.
const manyKeys = 8

// Searchsorted writes to out (int64) where each element of v would be inserted into the
// sorted one-dimensional a, of the same real dtype, to keep it sorted: before the elements
// equal to it, or behind them where right says so.
func Searchsorted(par Parallel, a, v, out Packed, right bool) {
	switch a.Type.Size() {
	case 1:
		search[int8](par, a, v, out, right)
	case 2:
		search[int16](par, a, v, out, right)
	case 4:
		search[int32](par, a, v, out, right)
	case 8:
		search[int64](par, a, v, out, right)
	}
}

func search[K bit](par Parallel, a, v, out Packed, right bool) {
	o := alike[a.Type]
	sorted, values, to := as[K](a.Data), as[K](v.Data), as[int64](out.Data)
	split(par, len(values), 16, func(lo, hi int) {
		if len(values) >= manyKeys {
			C.weft_search((*C.weft_ranks)(unsafe.Pointer(&o)), C.int(a.Type.Size()), pointer(a.Data), C.int64_t(len(sorted)), truth(right),
				C.int64_t(hi-lo), unsafe.Pointer(&values[lo]), (*C.int64_t)(&to[lo]))
			return
		}
		for i := lo; i < hi; i++ {
			to[i] = int64(insertAt(&o, sorted, rank(&o, values[i]), right))
		}
	})
}

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// insertAt is the number of elements whose ranks are less than r, or not greater.
func insertAt[K bit](o *sorting.Order, sorted []K, r int64, right bool) int {
	lo, hi := 0, len(sorted)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		x := rank(o, sorted[mid])
		if x < r || right && x == r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
