package eager

// #include "eager.h"
// #include "floating.h"
import "C"

import "unsafe"

// What the rules of package tile are called by here, the first of those that are explained and the last one.
const (
	Odd             = C.EAGER_ODD
	ComplexProducts = C.EAGER_COMPLEX_PRODUCTS
)

// The flags are those of package vm, and the rules those of package tile.

// Explain says what went wrong in operations from x and y, which is nil where there is one operand, to out, of a dtype
// whose smallest normal number is least: see floating.h.
func Explain(rule int, x, y, out []float64, least float64) int {
	var second *C.double
	step := C.int64_t(0)
	if y != nil {
		second, step = first(y), 1
	}
	return int(C.eager_explain(C.int(rule), C.int64_t(len(out)), first(x), 1, second, step, first(out), C.double(least)))
}

// Beyond says whether one of the numbers is no integer of a dtype of package tile, as NumPy converts them.
func Beyond(dtype int, x []float64) bool {
	const float64s = 12 // tile.Float64
	return C.eager_beyond(float64s, C.int(dtype), C.int64_t(len(x)), (*C.char)(unsafe.Pointer(unsafe.SliceData(x)))) != 0
}

// Unusual says whether one of n floats or complex numbers of a dtype of package tile, which lie side by side, is
// infinite or no number.
func Unusual(dtype, n int, p unsafe.Pointer) bool {
	return C.eager_unusual(C.int(dtype), C.int64_t(n), (*C.char)(p)) != 0
}

// Suspicious says whether one of the results is infinite or no number where no operand is none.
func Suspicious(x, y, out []float64) bool {
	var second *C.double
	if y != nil {
		second = first(y)
	}
	return C.eager_suspicious(C.int64_t(len(out)), first(x), second, first(out)) != 0
}

// Array is floats of 4 or 8 bytes, which lie side by side, or one for all (Step 0).
type Array struct {
	Data       unsafe.Pointer
	Size, Step int64
}

// Newly says whether one of n results is no number, or with infinite also infinite, where none of the inputs is.
func Newly(n int, infinite bool, inputs []Array, result Array) bool {
	var all [MaxNewly]C.eager_array
	for i, in := range inputs {
		all[i] = C.eager_array{(*C.char)(in.Data), C.int64_t(in.Size), C.int64_t(in.Step)}
	}
	out, more := C.eager_array{(*C.char)(result.Data), C.int64_t(result.Size), C.int64_t(result.Step)}, C.int(0)
	if infinite {
		more = 1
	}
	return C.eager_newly(C.int64_t(n), more, C.int64_t(len(inputs)), &all[0], &out) != 0
}

// MaxNewly is how many inputs Newly takes.
const MaxNewly = 16

func first(x []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(x))) }
