//go:build extension

package main

// #include "values.h"
import "C"

import (
	"unsafe"

	"weft/cpu/routines"
	"weft/tile"
)

// goTransform transforms rows of n points, on the calling thread: see weft_few_transform. real says that the points are
// real.
//
//export goTransform
func goTransform(kind, real C.int, rows, n C.int64_t, scale C.double, in, out unsafe.Pointer) {
	defer guard("a transform")
	if the.plans == nil {
		the.plans = routines.NewPlans(routines.PlanBytes)
	}
	array := func(t tile.DType, p unsafe.Pointer, n int) routines.Packed {
		return routines.Packed{Type: t, Shape: []int{int(rows), n}, Data: unsafe.Slice((*byte)(p), int(rows)*n*t.Size())}
	}
	points, half := int(n), int(n)/2+1
	switch kind {
	case C.WEFT_RFFT:
		the.plans.RealFourier(routines.Serial, array(tile.Float64, in, points), array(tile.Complex128, out, half), float64(scale))
	case C.WEFT_IRFFT:
		the.plans.InverseRealFourier(routines.Serial, array(tile.Complex128, in, half), array(tile.Float64, out, points), float64(scale))
	default:
		from := tile.Complex128
		if real != 0 {
			from = tile.Float64
		}
		the.plans.Fourier(routines.Serial, array(from, in, points), array(tile.Complex128, out, points), kind == C.WEFT_IFFT, float64(scale))
	}
}
