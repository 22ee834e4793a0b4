package routines

// #include "interpolate.h"
import "C"

import "unsafe"

// Interpolate writes to out the values at the places at of the polygon through the points (x, y), all of them float64:
// x is in ascending order and not empty. Left and right of the points it is what these numbers say.
func Interpolate(par Parallel, at, x, y, out Packed, left, right float64) {
	places, to := as[float64](at.Data), as[float64](out.Data)
	xs, ys := as[float64](x.Data), as[float64](y.Data)
	split(par, len(places), 32, func(lo, hi int) {
		C.weft_interpolate(doublesOf(xs), doublesOf(ys), C.int64_t(len(xs)), C.double(left), C.double(right),
			C.int64_t(hi-lo), doublesOf(places[lo:hi]), doublesOf(to[lo:hi]))
	})
}

func doublesOf(x []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(x))) }
