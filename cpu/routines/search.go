package routines

// #include "search.h"
import "C"

import (
	"math"
	"sync/atomic"
	"unsafe"

	"weft/cpu/sorting"
)

// manyKeys is from how many keys on C searches for blocks of them: fewer would be a block that is mostly empty.
const manyKeys = 8

// Elements are looked through, to know whether they are sorted, where they are few, or not many for each key: then that
// takes a small part of the time of the search.
const (
	fewElements    = 1024
	elementsPerKey = 16
)

// Searchsorted writes to out (int64) where each element of v would be inserted into the
// sorted one-dimensional a, of the same real dtype, to keep it sorted: before the elements
// equal to it, or behind them where right says so. Where it is seen that a is not sorted, they
// are where NumPy finds them, which looks for each key between bounds that the one before it has left.
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
	if (len(sorted) <= fewElements || len(sorted)/elementsPerKey <= len(values)) && !ascends(par, &o, sorted) {
		inTurn(&o, sorted, values, to, right)
		return
	}
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

// ascends reports whether no element is less than the one before it.
func ascends[K bit](par Parallel, o *sorting.Order, x []K) bool {
	var falls atomic.Bool
	split(par, max(len(x)-1, 0), 1, func(lo, hi int) {
		const part = 4096
		for ; lo < hi && !falls.Load(); lo += part {
			last := rank(o, x[lo])
			for _, k := range x[lo+1 : min(lo+part, hi)+1] {
				r := rank(o, k)
				if r < last {
					falls.Store(true)
					return
				}
				last = r
			}
		}
	})
	return !falls.Load()
}

// inTurn looks for one key after the other, as NumPy does: not below where the last one is, if that was less, and else
// not far above it.
func inTurn[K bit](o *sorting.Order, sorted, values []K, to []int64, right bool) {
	lo, hi, last := 0, len(sorted), int64(math.MinInt64)
	for i, k := range values {
		r := rank(o, k)
		if last < r || right && last == r {
			hi = len(sorted)
		} else {
			lo, hi = 0, min(hi+1, len(sorted))
		}
		last = r
		for lo < hi {
			mid := lo + (hi-lo)>>1
			if x := rank(o, sorted[mid]); x < r || right && x == r {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		to[i] = int64(lo)
	}
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
