package blas

// #cgo LDFLAGS: -lm
// #include <math.h>
import "C"

// Log is the logarithm of C's mathematical library, which NumPy's determinants have. Go's differs in the last bit of
// one in ten.
func Log(x float64) float64 { return float64(C.log(C.double(x))) }

// Hypot is the size of a complex number as that library has it.
func Hypot(x, y float64) float64 { return float64(C.hypot(C.double(x), C.double(y))) }
