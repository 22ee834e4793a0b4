package eager

// #include "eager.h"
// #include "floating.h"
import "C"

import "unsafe"

// What the rules of package tile are called by here, the first of those that are explained and the last one.
const (
	Odd       = C.EAGER_ODD
	Divisions = C.EAGER_DIVISIONS
)

// The flags are those of package vm, and the rules those of package tile.

// Explain says what went wrong in operations from x and y, which is nil where there is one operand, to out, of a dtype whose smallest normal number is least: see
// floating.h.
func Explain(rule int, x, y, out []float64, least float64) int {
	var second *C.double
	step := C.int64_t(0)
	if y != nil {
		second, step = first(y), 1
	}
	return int(C.eager_explain(C.int(rule), C.int64_t(len(out)), first(x), 1, second, step, first(out), C.double(least)))
}

// Suspicious says whether one of the results is infinite or no number where no operand is none.
func Suspicious(x, y, out []float64) bool {
	var second *C.double
	if y != nil {
		second = first(y)
	}
	return C.eager_suspicious(C.int64_t(len(out)), first(x), second, first(out)) != 0
}

func first(x []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(x))) }
