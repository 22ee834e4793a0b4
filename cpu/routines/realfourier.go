package routines

import (
	"math/cmplx"
	"unsafe"
)

// The transform of n real numbers, for an even n, is that of n/2 complex ones, whose real parts are the
// numbers at even places and whose imaginary parts are those at odd places: as they lie in memory.
// With z its element k and y the conjugate of element n/2-k, element k of the wanted transform is
// (z+y)/2 - i*w*(z-y)/2, w being the n-th root's power k, and element n/2-k the conjugate of the
// same with the other sign. Odd lengths are transformed as complex numbers.

// RealFourier transforms each row of x, float64, to the n/2+1 first elements of its transform
// in out, complex128: the others are their conjugates.
func RealFourier(par Parallel, x, out Packed, scale float64) {
	n := rowLength(x.Shape)
	src, dst := as[float64](x.Data), as[complex128](out.Data)
	m := n/2 + 1
	if n%2 == 0 && n > 0 {
		w := newHalfTurns(n)
		someRows(par, len(src), n, func(par Parallel, lo, hi int) {
			half := make([]complex128, (hi-lo)*(n/2))
			transform(par, n/2, half, inPairs(src[lo*n:hi*n]), false, scale/2)
			for r := lo; r < hi; r++ {
				w.unfold(par, dst[r*m:(r+1)*m], half[(r-lo)*(n/2):])
			}
		})
		return
	}
	someRows(par, len(src), n, func(par Parallel, lo, hi int) {
		rows := make([]complex128, (hi-lo)*n)
		for i := range rows {
			rows[i] = complex(src[lo*n+i], 0)
		}
		whole := make([]complex128, len(rows))
		transform(par, n, whole, rows, false, scale)
		for r := lo; r < hi; r++ {
			to := dst[r*m : (r+1)*m]
			copy(to, whole[(r-lo)*n:])
			to[0] = complex(real(to[0]), 0)
		}
	})
}

// InverseRealFourier undoes RealFourier: each row of x, complex128, has the n/2+1 elements of
// a row of out, float64. The imaginary parts of the first and, for even n, of the last are
// taken as zero.
func InverseRealFourier(par Parallel, x, out Packed, scale float64) {
	n := rowLength(out.Shape)
	src, dst := as[complex128](x.Data), as[float64](out.Data)
	m := n/2 + 1
	if n%2 == 0 && n > 0 {
		w := newHalfTurns(n)
		someRows(par, len(dst), n, func(par Parallel, lo, hi int) {
			half := make([]complex128, (hi-lo)*(n/2))
			for r := lo; r < hi; r++ {
				w.fold(par, half[(r-lo)*(n/2):], src[r*m:(r+1)*m])
			}
			transform(par, n/2, inPairs(dst[lo*n:hi*n]), half, true, scale)
		})
		return
	}
	someRows(par, len(dst), n, func(par Parallel, lo, hi int) {
		rows := make([]complex128, (hi-lo)*n)
		for r := lo; r < hi; r++ {
			row, from := rows[(r-lo)*n:(r-lo+1)*n], src[r*m:(r+1)*m]
			row[0] = complex(real(from[0]), 0)
			for i := 1; i < m; i++ {
				row[i], row[n-i] = from[i], cmplx.Conj(from[i])
			}
		}
		whole := make([]complex128, len(rows))
		transform(par, n, whole, rows, true, scale)
		for i, z := range whole {
			dst[lo*n+i] = real(z)
		}
	})
}

// inPairs is the same memory as complex numbers.
func inPairs(x []float64) []complex128 {
	return unsafe.Slice((*complex128)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}

// halfTurns are the powers of the n-th root exp(-2 pi i/n), for even n: power k is
// coarse[k/len(fine)]*fine[k%len(fine)].
type halfTurns struct{ coarse, fine []complex128 }

func newHalfTurns(n int) halfTurns {
	count := n/4 + 1 // up to the middle of the half
	if n <= wholeRows {
		return halfTurns{[]complex128{1}, rootsOf(n, count, 1)}
	}
	const fine = 512
	return halfTurns{rootsOf(n, (count+fine-1)/fine, fine), rootsOf(n, fine, 1)}
}

func (h halfTurns) power(k int) complex128 {
	if len(h.coarse) == 1 {
		return h.fine[k]
	}
	return product(h.coarse[k/len(h.fine)], h.fine[k%len(h.fine)])
}

// product rounds after each operation, on every processor.
func product(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// unfold makes the m+1 elements of to from half of the transform of m pairs.
func (h halfTurns) unfold(par Parallel, to, z []complex128) {
	m := len(to) - 1
	to[0] = complex(2*(real(z[0])+imag(z[0])), 0)
	to[m] = complex(2*(real(z[0])-imag(z[0])), 0)
	if m%2 == 0 {
		to[m/2] = complex(2*real(z[m/2]), -2*imag(z[m/2]))
	}
	split(par, (m-1)/2, 4, func(lo, hi int) {
		for k := lo + 1; k <= hi; k++ {
			a, b := z[k], cmplx.Conj(z[m-k])
			d := product(a-b, h.power(k))
			turned := complex(imag(d), -real(d)) // times -i
			to[k], to[m-k] = a+b+turned, cmplx.Conj(a+b-turned)
		}
	})
}

// fold undoes unfold, but for the scale.
func (h halfTurns) fold(par Parallel, z, from []complex128) {
	m := len(from) - 1
	first, last := real(from[0]), real(from[m])
	z[0] = complex(first+last, first-last)
	if m%2 == 0 {
		z[m/2] = complex(2*real(from[m/2]), -2*imag(from[m/2]))
	}
	split(par, (m-1)/2, 4, func(lo, hi int) {
		for k := lo + 1; k <= hi; k++ {
			a, b := from[k], cmplx.Conj(from[m-k])
			d := product(a-b, cmplx.Conj(h.power(k)))
			turned := complex(-imag(d), real(d)) // times i
			z[k], z[m-k] = a+b+turned, cmplx.Conj(a+b-turned)
		}
	})
}

// someRows runs work on groups of short rows side by side, and on long ones one at a time with
// all processors.
func someRows(par Parallel, elements, n int, work func(par Parallel, lo, hi int)) {
	rows := elements / max(n, 1)
	if n > wholeRows {
		for r := range rows {
			work(par, r, r+1)
		}
		return
	}
	groups := (rows + lanes - 1) / lanes
	split(par, groups, n*lanes, func(lo, hi int) {
		for g := lo; g < hi; g++ {
			work(Serial, g*lanes, min(rows, (g+1)*lanes))
		}
	})
}
