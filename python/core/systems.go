//go:build extension

package main

// #include "shim.h"
// #include "few.h"
import "C"

import (
	"unsafe"

	"weft/cpu/linalg"
)

// goLinalg lets the library for linear algebra compute a routine of a matrix of n by n float64, as a device would: see
// linalg.Direct. sides is how many columns b has, which is NULL for a unit matrix. It is 0 where the general function
// has to do it.
//
//export goLinalg
func goLinalg(kind C.int, n, sides C.int64_t, a, b, to, log unsafe.Pointer) C.int {
	defer guard("linear algebra")
	if the.systems == nil {
		the.systems = linalg.NewDirect(the.space.Dense)
	}
	square := linalg.Matrix{P: a, Rows: int(n), Columns: int(n)}
	switch kind {
	case C.WEFT_DETERMINANT:
		return cbool(the.systems.Determinant(square, linalg.Matrix{P: to, Rows: 1, Columns: 1}, linalg.Matrix{P: log, Rows: 1, Columns: 1}))
	case C.WEFT_FACTOR:
		return cbool(the.systems.Cholesky(square, linalg.Matrix{P: to, Rows: int(n), Columns: int(n)}))
	}
	return cbool(the.systems.Solve(square, linalg.Matrix{P: b, Rows: int(n), Columns: int(sides)}, linalg.Matrix{P: to, Rows: int(n), Columns: int(sides)}))
}
