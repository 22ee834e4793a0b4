package blas

// #cgo LDFLAGS: -lm
// #include <math.h>
// #include <stdint.h>
//
// static double sum_of_logs(const double *x, int64_t n, int64_t step)
// {
// 	double sum = 0;
// 	for (int64_t i = 0; i < n; i++)
// 		sum += log(fabs(x[i * step]));
// 	return sum;
// }
import "C"

import "unsafe"

// Log is the logarithm of C's mathematical library, which NumPy's determinants have. Go's differs in the last bit of
// one in ten.
func Log(x float64) float64 { return float64(C.log(C.double(x))) }

// Hypot is the size of a complex number as that library has it.
func Hypot(x, y float64) float64 { return float64(C.hypot(C.double(x), C.double(y))) }

// LogOfProduct adds up the logarithms of the sizes of n numbers, which lie step elements apart: one call of C for all,
// since a call takes longer than a logarithm.
func LogOfProduct(p unsafe.Pointer, n, step int) float64 {
	return float64(C.sum_of_logs((*C.double)(p), C.int64_t(n), C.int64_t(step)))
}
