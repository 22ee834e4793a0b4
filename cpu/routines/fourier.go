package routines

// #cgo CFLAGS: -O3 -std=c11
// #include "fourier.h"
import "C"

import (
	"math"
	"math/cmplx"
	"unsafe"
)

// Fourier transforms each row (the last axis) of x, complex128, to a row of out, complex128
// of the same shape, and multiplies by scale. The inverse has the other sign in the exponent.
//
// Rows whose lengths have small factors go through the engine of fourier.c, eight at a time;
// long ones are cut into a matrix, whose columns and rows are what goes through it. Lengths
// with large prime factors become a convolution (Bluestein), so that none takes longer than
// n log n steps.
func Fourier(par Parallel, x, out Packed, inverse bool, scale float64) {
	n := rowLength(x.Shape)
	src, dst := as[complex128](x.Data), as[complex128](out.Data)
	if len(src) == 0 {
		return
	}
	transform(par, n, dst, src, inverse, scale)
}

const (
	maxPrime  = C.WEFT_MAX_PRIME // the largest factor that the engine takes
	wholeRows = 1 << 12          // the longest row that is transformed at once: its work stays in the L2 cache
)

// transform transforms rows of n points.
func transform(par Parallel, n int, dst, src []complex128, inverse bool, scale float64) {
	rows := len(src) / n
	switch {
	case largestPrime(n) > maxPrime:
		newBluestein(par, n).rows(par, dst, src, inverse, scale)
	case n > wholeRows:
		outer := nearRoot(n)
		m := newMatrix(outer, n/outer)
		for r := range rows {
			m.row(par, dst[r*n:(r+1)*n], src[r*n:(r+1)*n], inverse, scale)
		}
	default:
		e := newEngine(n)
		groups := (rows + lanes - 1) / lanes
		split(par, groups, n*lanes, func(lo, hi int) {
			work := e.work()
			for g := lo; g < hi; g++ {
				r := g * lanes
				e.run(work, batch{dst: dst[r*n:], src: src[r*n:], srcPoint: 1, srcLane: n, dstPoint: 1, dstLane: n,
					lanes: min(lanes, rows-r), inverse: inverse, scale: scale})
			}
		})
	}
}

const lanes = C.WEFT_LANES

func largestPrime(n int) int {
	largest := 1
	for p := 2; p*p <= n; p++ {
		for n%p == 0 {
			largest, n = p, n/p
		}
	}
	return max(largest, n)
}

// nearRoot returns the largest divisor of n that is at most its square root.
func nearRoot(n int) int {
	d := int(math.Sqrt(float64(n)))
	for n%d != 0 {
		d--
	}
	return d
}

// engine is what all transforms of n points need.
type engine struct {
	n       int
	factors []int32
	roots   []complex128 // powers of exp(-2 pi i/n)
}

func newEngine(n int) *engine {
	e := &engine{n: n, roots: rootsOf(n, n, 1)}
	left := n
	for _, f := range []int{4, 2, 3, 5} {
		for left%f == 0 {
			e.factors, left = append(e.factors, int32(f)), left/f
		}
	}
	for f := 7; left > 1; f += 2 {
		for left%f == 0 {
			e.factors, left = append(e.factors, int32(f)), left/f
		}
	}
	return e
}

// rootsOf returns exp(-2 pi i k step/n) for k < count.
func rootsOf(n, count, step int) []complex128 {
	roots := make([]complex128, count)
	for k := range roots {
		roots[k] = rootOf(n, k*step)
	}
	return roots
}

// rootOf returns exp(-2 pi i k/n) for k >= 0. The angle is brought into the first eighth of the circle while it is a fraction of
// integers: that of a float would be off by the rounding of 2 pi, which is more than that of the root.
func rootOf(n, k int) complex128 {
	eighth, part := 8*(k%n)/n, 8*(k%n)%n
	if eighth%2 == 1 {
		part = n - part // counted back from the next quarter
	}
	const quarterPi, below = math.Pi / 4, 3.061616997868383e-17 // and what a float leaves of it
	share := float64(part) / float64(n)
	angle := quarterPi * share
	left := math.FMA(quarterPi, share, -angle) + below*share + quarterPi*math.FMA(-share, float64(n), float64(part))/float64(n)
	sin, cos := math.Sincos(angle)
	sin, cos = sin+left*cos, cos-left*sin
	if quarter := (eighth + 1) / 2 % 4; quarter%2 == 1 {
		sin, cos = cos, sin
	}
	if eighth >= 2 && eighth < 6 {
		cos = -cos
	}
	if eighth < 4 {
		sin = -sin
	}
	return complex(cos, sin)
}

// work returns scratch memory for one goroutine, aligned for vectors.
func (e *engine) work() []float64 {
	const align = 8
	w := make([]float64, 4*e.n*lanes+align)
	at := int(uintptr(unsafe.Pointer(&w[0])) / 8 % align)
	return w[(align-at)%align:]
}

// batch is one call of the engine: where points and lanes lie, in elements.
type batch struct {
	dst, src          []complex128
	srcPoint, srcLane int
	dstPoint, dstLane int
	lanes             int
	inverse           bool
	scale             float64
	coarse, fine      []complex128 // of a matrix; nil for none
	first             int
}

func (e *engine) run(work []float64, b batch) {
	swap := C.int(0)
	if b.inverse {
		swap = 1
	}
	C.weft_fourier(C.int64_t(e.n), (*C.int32_t)(unsafe.SliceData(e.factors)), C.int(len(e.factors)), doubles(e.roots), (*C.double)(&work[0]),
		doubles(b.src), C.int64_t(b.srcPoint), C.int64_t(b.srcLane), doubles(b.dst), C.int64_t(b.dstPoint), C.int64_t(b.dstLane),
		C.int(b.lanes), swap, C.double(b.scale), doubles(b.coarse), doubles(b.fine), C.int64_t(max(len(b.fine), 1)), C.int64_t(b.first))
}

func doubles(x []complex128) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(x))) }

// matrix transforms long rows: the row is a matrix of outer rows and inner columns. Its
// columns are transformed, multiplied by powers of the row's root, and then its rows; the
// result is read down the columns.
type matrix struct {
	outer, inner *engine
	coarse, fine []complex128 // the row's root to the power of e is coarse[e/len(fine)]*fine[e%len(fine)]
}

func newMatrix(outer, inner int) *matrix {
	n := outer * inner
	return &matrix{newEngine(outer), newEngine(inner), rootsOf(n, outer, inner), rootsOf(n, inner, 1)}
}

func (m *matrix) row(par Parallel, dst, src []complex128, inverse bool, scale float64) {
	rows, columns := m.outer.n, m.inner.n
	between := make([]complex128, len(src))
	split(par, (columns+lanes-1)/lanes, rows*lanes, func(lo, hi int) {
		work := m.outer.work()
		for g := lo; g < hi; g++ {
			c := g * lanes
			m.outer.run(work, batch{dst: between[c:], src: src[c:], srcPoint: columns, srcLane: 1, dstPoint: columns, dstLane: 1,
				lanes: min(lanes, columns-c), inverse: inverse, scale: scale, coarse: m.coarse, fine: m.fine, first: c})
		}
	})
	split(par, (rows+lanes-1)/lanes, columns*lanes, func(lo, hi int) {
		work := m.inner.work()
		for g := lo; g < hi; g++ {
			r := g * lanes
			m.inner.run(work, batch{dst: dst[r:], src: between[r*columns:], srcPoint: 1, srcLane: columns, dstPoint: rows, dstLane: 1,
				lanes: min(lanes, rows-r), inverse: inverse, scale: 1})
		}
	})
}

// bluestein writes jk as (j² + k² - (k-j)²)/2, which makes a convolution of the transform.
type bluestein struct {
	chirp  []complex128 // exp(-i pi k²/n)
	filter []complex128 // transform of the chirp's conjugate
}

func newBluestein(par Parallel, n int) *bluestein {
	m := 1
	for m < 2*n-1 {
		m *= 2
	}
	b := &bluestein{make([]complex128, n), make([]complex128, m)}
	filter := make([]complex128, m)
	for k := range b.chirp {
		b.chirp[k] = rootOf(2*n, k*k) // exact also for large k
		filter[k] = cmplx.Conj(b.chirp[k])
		if k > 0 {
			filter[m-k] = filter[k]
		}
	}
	transform(par, m, b.filter, filter, false, 1/float64(m))
	return b
}

// together is how many points of convolutions are transformed at once: enough rows for the engine's lanes and for all processors.
const together = 1 << 18

// rows transforms rows of n points.
func (b *bluestein) rows(par Parallel, dst, src []complex128, inverse bool, scale float64) {
	n, m := len(b.chirp), len(b.filter)
	rows := min(max(together/m, 1), len(src)/n)
	one, other := make([]complex128, rows*m), make([]complex128, rows*m)
	for ; len(src) > 0; src, dst = src[rows*n:], dst[rows*n:] {
		rows = min(rows, len(src)/n)
		one, other = one[:rows*m], other[:rows*m]
		split(par, rows, m, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				b.chirped(one[r*m:(r+1)*m], src[r*n:(r+1)*n], inverse)
			}
		})
		transform(par, m, other, one, false, 1)
		split(par, rows, m, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				for k, z := range other[r*m : (r+1)*m] {
					other[r*m+k] = z * b.filter[k]
				}
			}
		})
		transform(par, m, one, other, true, 1)
		split(par, rows, m, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				b.unchirped(dst[r*n:(r+1)*n], one[r*m:], inverse, scale)
			}
		})
	}
}

// chirped fills the input of a row's convolution.
func (b *bluestein) chirped(one, src []complex128, inverse bool) {
	clear(one[len(src):])
	for k, z := range src {
		if inverse {
			z = cmplx.Conj(z)
		}
		one[k] = z * b.chirp[k]
	}
}

// unchirped reads a row of the result off its convolution.
func (b *bluestein) unchirped(dst, one []complex128, inverse bool, scale float64) {
	for k := range dst {
		z := one[k] * b.chirp[k]
		if inverse {
			z = cmplx.Conj(z)
		}
		dst[k] = complex(real(z)*scale, imag(z)*scale)
	}
}
