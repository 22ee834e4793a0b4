package routines

// #include "fourier.h"
import "C"

import (
	"math/cmplx"
	"sync"
	"unsafe"
)

// The transform of n real numbers, for an even n, is that of n/2 complex ones, whose real parts are the
// numbers at even places and whose imaginary parts are those at odd places: as they lie in memory.
// With z its element k and y the conjugate of element n/2-k, element k of the wanted transform is
// (z+y)/2 - i*w*(z-y)/2, w being the n-th root's power k, and element n/2-k the conjugate of the
// same with the other sign. Odd lengths are transformed as complex numbers.

// RealFourier transforms each row of x, float64, to the n/2+1 first elements of its transform
// in out, complex128: the others are their conjugates.
func (p *Plans) RealFourier(par Parallel, x, out Packed, scale float64) {
	n := rowLength(x.Shape)
	src, dst := as[float64](x.Data), as[complex128](out.Data)
	if len(src) > 0 {
		p.realRows(par, n, dst, n/2+1, src, scale)
	}
}

// whole transforms rows of n real numbers to all elements of their transforms.
func (p *Plans) whole(par Parallel, n int, dst []complex128, src []float64, inverse bool, scale float64) {
	p.realRows(par, n, dst, n, src, scale)
	split(par, len(dst)/n, n, func(lo, hi int) {
		for r := lo; inverse && r < hi; r++ {
			row := dst[r*n : (r+1)*n]
			for k, z := range row[:n/2+1] {
				row[k] = cmplx.Conj(z)
			}
		}
		C.weft_fourier_mirror(C.int64_t(hi-lo), C.int64_t(n), doubles(dst[lo*n:hi*n]))
	})
}

// realRows transforms rows of n real numbers to the first elements of rows, which have step elements in dst.
func (p *Plans) realRows(par Parallel, n int, dst []complex128, step int, src []float64, scale float64) {
	if n%2 == 1 {
		t := p.of(n)
		someRows(par, len(src), n, func(par Parallel, lo, hi, of int) {
			rows := make([]complex128, (hi-lo)*n)
			for i := range rows {
				rows[i] = complex(src[lo*n+i], 0)
			}
			t.rows(par, rows, rows, of, false, scale)
			for r := lo; r < hi; r++ {
				to := dst[r*step:][:n/2+1]
				copy(to, rows[(r-lo)*n:])
				to[0] = complex(real(to[0]), 0)
			}
		})
		return
	}
	t, w := p.of(n/2), p.halfTurns(n)
	someRows(par, len(src), n, func(par Parallel, lo, hi, of int) {
		if n > besideRow && t.alone() { // the elements of the half lie where those of the whole will
			for r := lo; r < hi; r++ {
				to := dst[r*step:][:n/2+1]
				t.rows(par, to[:n/2], inPairs(src[r*n:(r+1)*n]), of, false, scale/2)
				w.unfold(par, to, step, to, step, n/2, 1)
			}
			return
		}
		half, free := w.lend((hi - lo) * (n / 2))
		defer free()
		t.rows(par, half, inPairs(src[lo*n:hi*n]), of, false, scale/2)
		w.unfold(par, dst[lo*step:], step, half, n/2, n/2, hi-lo)
	})
}

// InverseRealFourier undoes RealFourier: each row of x, complex128, has the n/2+1 elements of
// a row of out, float64. The imaginary parts of the first and, for even n, of the last are
// taken as zero.
func (p *Plans) InverseRealFourier(par Parallel, x, out Packed, scale float64) {
	n := rowLength(out.Shape)
	src, dst := as[complex128](x.Data), as[float64](out.Data)
	m := n/2 + 1
	if len(dst) == 0 {
		return
	}
	if n%2 == 0 {
		t, w := p.of(n/2), p.halfTurns(n)
		someRows(par, len(dst), n, func(par Parallel, lo, hi, of int) {
			half := inPairs(dst[lo*n : hi*n])
			for r := lo; r < hi; r++ {
				w.fold(par, half[(r-lo)*(n/2):], src[r*m:(r+1)*m])
			}
			t.rows(par, half, half, of, true, scale)
		})
		return
	}
	t := p.of(n)
	someRows(par, len(dst), n, func(par Parallel, lo, hi, of int) {
		rows := make([]complex128, (hi-lo)*n)
		for r := lo; r < hi; r++ {
			row, from := rows[(r-lo)*n:(r-lo+1)*n], src[r*m:(r+1)*m]
			row[0] = complex(real(from[0]), 0)
			for i := 1; i < m; i++ {
				row[i], row[n-i] = from[i], cmplx.Conj(from[i])
			}
		}
		t.rows(par, rows, rows, of, true, scale)
		for i, z := range rows {
			dst[lo*n+i] = real(z)
		}
	})
}

// inPairs is the same memory as complex numbers.
func inPairs(x []float64) []complex128 {
	return unsafe.Slice((*complex128)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
}

// halfTurns are the powers of the n-th root exp(-2 pi i/n), for even n, up to the middle of the half: power k is
// coarse[k/len(fine)]*fine[k%len(fine)].
type halfTurns struct {
	coarse, fine []complex128
	scratch      sync.Pool // of *[]complex128
}

// besideRow is from how many numbers on rows are worth their memory: shorter ones are transformed side by side, in
// another place.
const besideRow = 1024

// turnsChunk is how many elements from the front and from the back are computed in one go.
const turnsChunk = 512

func newHalfTurns(n int) *halfTurns {
	count := n/4 + 1
	return &halfTurns{coarse: rootsOf(n, (count+turnsChunk-1)/turnsChunk, turnsChunk), fine: rootsOf(n, min(count, turnsChunk), 1)}
}

// lend lends scratch memory of n elements.
func (h *halfTurns) lend(n int) ([]complex128, func()) {
	s, _ := h.scratch.Get().(*[]complex128)
	if s == nil || len(*s) < n {
		made := make([]complex128, n)
		s = &made
	}
	return (*s)[:n], func() { h.scratch.Put(s) }
}

func (h *halfTurns) bytes() int { return 16 * (len(h.coarse) + len(h.fine)) }

// pairs runs work on chunks of the elements from 1 on that have another one, other than the middle, at the back. roots
// are those of the chunk but for a factor, which is for the first one.
func (h *halfTurns) pairs(par Parallel, m int, work func(from, to int, roots []complex128, factor complex128)) {
	last := (m - 1) / 2
	split(par, last/turnsChunk+1, 4*turnsChunk, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			from := max(c*turnsChunk, 1)
			if to := min((c+1)*turnsChunk, last+1); from < to {
				work(from, to, h.fine[from-c*turnsChunk:], h.coarse[c])
			}
		}
	})
}

// unfold makes the m+1 elements of rows of to from half, z, of the transforms of m pairs. The rows begin so many
// elements apart, and those of z may lie in the same memory as those of to.
func (h *halfTurns) unfold(par Parallel, to []complex128, toStep int, z []complex128, zStep, m, rows int) {
	for r := range rows {
		from, row := z[r*zStep:][:m], to[r*toStep:][:m+1]
		first, middle := from[0], from[m/2]
		row[0] = complex(2*(real(first)+imag(first)), 0)
		row[m] = complex(2*(real(first)-imag(first)), 0)
		if m%2 == 0 {
			row[m/2] = complex(2*real(middle), -2*imag(middle))
		}
	}
	h.pairs(par, m, func(from, end int, roots []complex128, factor complex128) {
		C.weft_fourier_unfold(C.int64_t(rows), C.int64_t(m), C.int64_t(from), C.int64_t(end), doubles(z), C.int64_t(zStep), doubles(to), C.int64_t(toStep),
			doubles(roots), C.double(real(factor)), C.double(imag(factor)))
	})
}

// fold undoes unfold, but for the scale.
func (h *halfTurns) fold(par Parallel, z, from []complex128) {
	m := len(from) - 1
	first, last := real(from[0]), real(from[m])
	z[0] = complex(first+last, first-last)
	if m%2 == 0 {
		z[m/2] = complex(2*real(from[m/2]), -2*imag(from[m/2]))
	}
	h.pairs(par, m, func(begin, end int, roots []complex128, factor complex128) {
		C.weft_fourier_fold(C.int64_t(m), C.int64_t(begin), C.int64_t(end), doubles(from), doubles(z), doubles(roots),
			C.double(real(factor)), C.double(imag(factor)))
	})
}

// someRows runs work on groups of short rows side by side, and on long ones one at a time with
// all processors. of is what transforms take as the count of all rows.
func someRows(par Parallel, elements, n int, work func(par Parallel, lo, hi, of int)) {
	rows := elements / max(n, 1)
	if n > sparseRow {
		for r := range rows {
			work(par, r, r+1, 1)
		}
		return
	}
	groups := (rows + lanes - 1) / lanes
	split(par, groups, n*lanes, func(lo, hi int) {
		for g := lo; g < hi; g++ {
			work(Serial, g*lanes, min(rows, (g+1)*lanes), rows)
		}
	})
}
