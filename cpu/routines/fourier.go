package routines

// #cgo CFLAGS: -O3 -std=c11
// #include "fourier.h"
import "C"

import (
	"math"
	"sync"
	"unsafe"
)

// transform transforms rows of one length, complex128, and multiplies by scale. The inverse has the other sign in the
// exponent. dst and src are the same memory or share none.
//
// Rows whose lengths have small factors go through the engine of fourier.c, alone or eight at a time; long ones are cut
// into a matrix, whose columns and rows are what goes through it. Lengths with large prime factors become a convolution
// (Bluestein), so that none takes longer than n log n steps.
//
// Rows that go through one method have the same bits wherever they stand, and the count of all rows alone says which
// method that is: of says how many they are where these are some of them.
type transform interface {
	rows(par Parallel, dst, src []complex128, of int, inverse bool, scale float64)
	alone() bool // whether rows are as well transformed one by one
	bytes() int  // of its tables
}

const (
	lanes    = C.WEFT_LANES
	maxPrime = C.WEFT_MAX_PRIME // the largest factor that the engine takes
	// The longest row that is transformed at once: its work stays in the L2 cache. With fewer lanes in use it takes
	// more of that.
	wholeRow, sparseRow = 1 << 15, 1 << 12
)

func newTransform(p *Plans, n int) transform {
	e := newEngine(n)
	switch {
	case largestPrime(n) > maxPrime:
		return newBluestein(p, n)
	case n > wholeRow || n > sparseRow && e.across < lanes:
		outer := nearRoot(n)
		return newMatrix(p, outer, n/outer)
	case e.across < 4 && largestPrime(n) > smoothPrime && n > fewPoints:
		return &lonely{e, newBluestein(p, n)}
	}
	return e
}

// lonely transforms rows of which no single one fills the lanes, and that have large factors: a few of them sooner as
// convolutions.
type lonely struct {
	*engine
	convolution *bluestein
}

// From these on a convolution of one row, which fills all lanes, takes less time than the definition for large factors
// in few lanes.
const smoothPrime, fewPoints = 13, 200

// From so many rows on they use more lanes together than one by one, where one alone does not use all.
const fewRows = 4

func (l *lonely) bytes() int { return l.engine.bytes() + l.convolution.bytes() }

func (l *lonely) rows(par Parallel, dst, src []complex128, of int, inverse bool, scale float64) {
	if of < fewRows {
		l.convolution.rows(par, dst, src, of, inverse, scale)
		return
	}
	l.engine.rows(par, dst, src, of, inverse, scale)
}

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

// engine transforms rows of n points: eight rows side by side, or each as several sequences (across) of part points.
type engine struct {
	whole, part  *stages
	across       int          // 1 where rows are not taken apart
	turns        []complex128 // of point i of sequence l: power i*l of the row's root, as vectors of parts
	small        []complex128 // the roots of the step across
	scratch      sync.Pool    // of *[]float64
	n, scratches int          // scratches: numbers of the scratch memory
	width        C.int        // of vectors
}

// stages are the steps of the engine for n points.
type stages struct {
	plan  C.weft_fourier_plan
	roots []complex128 // powers of exp(-2 pi i/n)
}

func newStages(n int) *stages {
	s := &stages{roots: rootsOf(n, n, 1)}
	s.plan.n = C.int64_t(n)
	left := n
	take := func(f int) {
		s.plan.factor[s.plan.count] = C.int32_t(f)
		s.plan.count++
		left /= f
	}
	for twos := trailingTwos(n); twos > 0; twos = trailingTwos(left) {
		switch {
		case twos%3 == 0:
			take(8)
		case twos == 1:
			take(2)
		default:
			take(4)
		}
	}
	for f := 3; left > 1; f += 2 {
		for left%f == 0 {
			take(f)
		}
	}
	return s
}

func trailingTwos(n int) int {
	k := 0
	for ; n%2 == 0 && n > 0; n /= 2 {
		k++
	}
	return k
}

func newEngine(n int) *engine {
	e := &engine{n: n, across: 1, width: vectorWidth()}
	if largestPrime(n) > maxPrime {
		return e // no transform at all
	}
	for _, l := range []int{8, 7, 5, 4, 3, 2} {
		if n%l == 0 {
			e.across = l
			break
		}
	}
	if e.across > 1 {
		part := n / e.across
		e.part = newStages(part)
		e.turns = make([]complex128, lanes*max(part, lanes)) // the step across takes eight points at a time
		table := floatsIn(e.turns)
		for i := range part {
			for l := range lanes {
				w := rootOf(n, i*l)
				table[2*lanes*i+l], table[2*lanes*i+lanes+l] = real(w), imag(w)
			}
		}
		e.small = rootsOf(e.across, e.across, 1)
	}
	if !e.alone() {
		e.whole = newStages(n)
	}
	e.scratches = 4*lanes*(n/e.across+lanes) + lanes
	if e.whole != nil {
		e.scratches = max(e.scratches, 4*lanes*n+lanes)
	}
	return e
}

// vectorWidth is how many numbers fill one of the processor's vectors.
func vectorWidth() C.int { return C.weft_fourier_width() }

// longSevens is from how many points on seven lanes of one row are as good as eight rows, which take more of the cache.
const longSevens = 512

func (e *engine) alone() bool { return e.across == lanes || e.across == lanes-1 && e.n > longSevens }

func (e *engine) bytes() int { return 16 * (len(e.turns) + 2*e.n) }

// rows transforms eight rows side by side where one alone uses fewer lanes. Few rows go one by one, and the last ones
// of many side by side, too, however few they are: the two ways round differently, and equal rows have equal
// transforms.
func (e *engine) rows(par Parallel, dst, src []complex128, of int, inverse bool, scale float64) {
	rows := len(src) / e.n
	if !e.alone() && (of >= fewRows || e.across == 1) {
		split(par, (rows+lanes-1)/lanes, e.n*lanes, func(lo, hi int) {
			for g := lo; g < hi; g++ {
				r := g * lanes
				e.run(batch{dst: dst[r*e.n:], src: src[r*e.n:], srcPoint: 1, srcLane: e.n, dstPoint: 1, dstLane: e.n,
					lanes: min(lanes, rows-r), inverse: inverse, scale: scale})
			}
		})
		return
	}
	split(par, rows, e.n, func(lo, hi int) {
		work, free := e.work()
		defer free()
		for r := lo; r < hi; r++ {
			C.weft_fourier_row(e.width, &e.part.plan, doubles(e.part.roots), doubles(e.turns), doubles(e.small), C.int(e.across), work,
				doubles(src[r*e.n:]), doubles(dst[r*e.n:]), swapped(inverse), C.double(scale))
		}
	})
}

// work lends scratch memory, aligned for vectors.
func (e *engine) work() (*C.double, func()) {
	w, _ := e.scratch.Get().(*[]float64)
	if w == nil {
		made := make([]float64, e.scratches)
		w = &made
	}
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(*w))) / 8 % lanes)
	return (*C.double)(&(*w)[(lanes-at)%lanes]), func() { e.scratch.Put(w) }
}

// batch is up to eight rows: where points and lanes lie, in elements.
type batch struct {
	dst, src          []complex128
	srcPoint, srcLane int
	dstPoint, dstLane int
	lanes             int
	inverse           bool
	scale             float64
	turns             *turns // of a matrix; nil for none
	first             int
}

func (e *engine) run(b batch) {
	work, free := e.work()
	defer free()
	var vectors, high, low *C.double
	var shift int
	if t := b.turns; t != nil {
		vectors, high, low, shift = doubles(t.lanes), doubles(t.high), doubles(t.low), t.shift
	}
	C.weft_fourier(e.width, &e.whole.plan, doubles(e.whole.roots), work,
		doubles(b.src), C.weft_fourier_side{C.int64_t(b.srcPoint), C.int64_t(b.srcLane)},
		doubles(b.dst), C.weft_fourier_side{C.int64_t(b.dstPoint), C.int64_t(b.dstLane)},
		C.int(b.lanes), swapped(b.inverse), C.double(b.scale), vectors, C.int64_t(b.first), high, low, C.int(shift))
}

func swapped(inverse bool) C.int {
	if inverse {
		return 1
	}
	return 0
}

func doubles(x []complex128) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(x))) }

// floatsIn is the same memory as real and imaginary parts.
func floatsIn(x []complex128) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
}
