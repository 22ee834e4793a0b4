package routines

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Fourier transforms each row (the last axis) of x, complex128, to a row of out, complex128
// of the same shape, and multiplies by scale. The inverse has the other sign in the exponent.
//
// Lengths with large prime factors go through a convolution of a power of two (Bluestein), so
// that no length takes longer than n log n.
func Fourier(par Parallel, x, out Packed, inverse bool, scale float64) {
	n := rowLength(x.Shape)
	src, dst := as[complex128](x.Data), as[complex128](out.Data)
	if len(src) == 0 {
		return
	}
	split(par, len(src)/n, 4*n, func(lo, hi int) {
		transform := transformer(n)
		row := make([]complex128, n)
		for r := lo; r < hi; r++ {
			copy(row, src[r*n:(r+1)*n])
			to := dst[r*n : (r+1)*n]
			if inverse {
				conjugate(row)
			}
			transform(to, row)
			if inverse {
				conjugate(to)
			}
			if scale != 1 {
				for i, z := range to {
					to[i] = complex(real(z)*scale, imag(z)*scale)
				}
			}
		}
	})
}

func conjugate(row []complex128) {
	for i, z := range row {
		row[i] = cmplx.Conj(z)
	}
}

// transformer returns the forward transform of rows of n elements. It overwrites its input
// and is not for several callers at once.
func transformer(n int) func(dst, src []complex128) {
	if largestPrime(n) > maxPrime {
		return bluestein(n)
	}
	plan := fourier.NewCmplxFFT(n)
	return func(dst, src []complex128) { plan.Coefficients(dst, src) }
}

// maxPrime is the largest prime factor whose n*p steps are taken: Bluestein's takes as long
// as a transform of a factor of about this.
const maxPrime = 50

func largestPrime(n int) int {
	largest := 1
	for p := 2; p*p <= n; p++ {
		for n%p == 0 {
			largest, n = p, n/p
		}
	}
	return max(largest, n)
}

// bluestein writes jk as (j² + k² - (k-j)²)/2, which makes a convolution of the transform.
func bluestein(n int) func(dst, src []complex128) {
	m := 1
	for m < 2*n-1 {
		m *= 2
	}
	plan := fourier.NewCmplxFFT(m)
	chirp := make([]complex128, n) // exp(-i pi k²/n)
	for k := range chirp {
		// k² modulo 2n is exact, so that large k lose nothing.
		square := mulMod(uint64(k), uint64(k), uint64(2*n))
		sin, cos := math.Sincos(math.Pi * float64(square) / float64(n))
		chirp[k] = complex(cos, -sin)
	}
	filter := make([]complex128, m)
	for k := range chirp {
		filter[k] = cmplx.Conj(chirp[k])
		if k > 0 {
			filter[m-k] = filter[k]
		}
	}
	plan.Coefficients(filter, filter)
	work := make([]complex128, m)
	return func(dst, src []complex128) {
		clear(work)
		for k, z := range src {
			work[k] = z * chirp[k]
		}
		plan.Coefficients(work, work)
		for k := range work {
			work[k] *= filter[k]
		}
		plan.Sequence(work, work)
		for k := range dst {
			z := work[k] * chirp[k]
			dst[k] = complex(real(z)/float64(m), imag(z)/float64(m))
		}
	}
}

func mulMod(a, b, m uint64) uint64 {
	return a * b % m // a, b < 2^32 for every n that memory can hold
}

// RealFourier transforms each row of x, float64, to the n/2+1 first elements of its transform
// in out, complex128: the others are their conjugates.
func RealFourier(par Parallel, x, out Packed, scale float64) {
	n := rowLength(x.Shape)
	src, dst := as[float64](x.Data), as[complex128](out.Data)
	if len(src) == 0 {
		return
	}
	m := n/2 + 1
	split(par, len(src)/n, 2*n, func(lo, hi int) {
		transform := realTransformer(n)
		for r := lo; r < hi; r++ {
			to := dst[r*m : (r+1)*m]
			transform(to, src[r*n:(r+1)*n])
			if scale != 1 {
				for i, z := range to {
					to[i] = complex(real(z)*scale, imag(z)*scale)
				}
			}
		}
	})
}

func realTransformer(n int) func(dst []complex128, src []float64) {
	if largestPrime(n) <= maxPrime {
		plan := fourier.NewFFT(n)
		return func(dst []complex128, src []float64) { plan.Coefficients(dst, src) }
	}
	transform := bluestein(n)
	whole, row := make([]complex128, n), make([]complex128, n)
	return func(dst []complex128, src []float64) {
		for i, v := range src {
			row[i] = complex(v, 0)
		}
		transform(whole, row)
		copy(dst, whole)
		dst[0] = complex(real(dst[0]), 0)
		if n%2 == 0 {
			dst[n/2] = complex(real(dst[n/2]), 0)
		}
	}
}

// InverseRealFourier undoes RealFourier: each row of x, complex128, has the n/2+1 elements of
// a row of out, float64. The imaginary parts of the first and, for even n, of the last are
// taken as zero.
func InverseRealFourier(par Parallel, x, out Packed, scale float64) {
	n := rowLength(out.Shape)
	src, dst := as[complex128](x.Data), as[float64](out.Data)
	if len(dst) == 0 {
		return
	}
	m := n/2 + 1
	split(par, len(dst)/n, 2*n, func(lo, hi int) {
		back := inverseRealTransformer(n)
		row := make([]complex128, m)
		for r := lo; r < hi; r++ {
			copy(row, src[r*m:(r+1)*m])
			row[0] = complex(real(row[0]), 0)
			if n%2 == 0 {
				row[m-1] = complex(real(row[m-1]), 0)
			}
			to := dst[r*n : (r+1)*n]
			back(to, row)
			if scale != 1 {
				for i := range to {
					to[i] *= scale
				}
			}
		}
	})
}

func inverseRealTransformer(n int) func(dst []float64, src []complex128) {
	if largestPrime(n) <= maxPrime {
		plan := fourier.NewFFT(n)
		return func(dst []float64, src []complex128) { plan.Sequence(dst, src) }
	}
	transform := bluestein(n)
	whole, row := make([]complex128, n), make([]complex128, n)
	return func(dst []float64, src []complex128) {
		for i, z := range src { // of the conjugates, so that the forward transform inverts
			row[i] = cmplx.Conj(z)
			if i > 0 {
				row[n-i] = z
			}
		}
		transform(whole, row)
		for i, z := range whole {
			dst[i] = real(z)
		}
	}
}
