package cpu

import (
	"unsafe"

	"weft/cpu/blas"
	"weft/cpu/vm"
	"weft/tile"
)

// The product of a matrix and its own transpose is symmetric: the library computes the half of it on one side of the
// diagonal, which is half the work, and what is on the other side is a copy. So NumPy does.

// leastSyrk is how many rows such a product has at least: below, the copies cost what is saved. A library that Copies
// has no quicker way for small products, either: of 100 by 100 elements it computes a half in 31 us, which is copied in
// 4 more, and all in 53. There a matrix of floats has fewestSyrk rows and pointsSyrk elements. So it has everywhere
// where its rows are long: the copies are nothing beside wholeSyrk multiplications.
//
// The scheduler leaves products whole from fewestSyrk rows on (scheduler/core/contract.go), so that which number of
// processors there is makes no difference.
const (
	leastSyrk  = 128
	fewestSyrk = 32
	pointsSyrk = 48 * 48
	wholeSyrk  = 1 << 21
)

// own reports whether both factors are one matrix, and large enough.
func (m *matrices) own(lib *blas.Library, t tile.DType) bool {
	if m.a != m.b || m.ai != m.bj || m.ak != m.bk || m.rows != m.columns {
		return false
	}
	switch points := m.rows * m.length; {
	case m.rows >= leastSyrk:
		return true
	case m.rows < fewestSyrk || t.Is(tile.KindComplex):
		return false
	default:
		return lib.Copies && points >= pointsSyrk || m.rows*points >= wholeSyrk
	}
}

// owns reports whether one of the products of a stack is such a product, which then is computed by itself: whatever
// else is in the stack makes no difference to it.
func (m *matrices) owns(lib *blas.Library, t tile.DType) bool {
	one := *m
	for range m.stack {
		if one.own(lib, t) {
			return true
		}
		if m.as == m.bs || m.ai != m.bj || m.ak != m.bk || m.rows != m.columns {
			return false // nor is another
		}
		one.a, one.b = unsafe.Add(one.a, m.as), unsafe.Add(one.b, m.bs)
	}
	return false
}

// syrk computes the product of a factor, as gemm arranged it, with itself, with as many threads as there are idle
// cores where it is large. side is the distance in elements between the vectors of out, whose own lie side by side.
func (f *frame) syrk(lib *blas.Library, x factor, length int, t tile.DType, one, zero, out unsafe.Pointer, side int) error {
	with := f.together
	if x.n*x.n*length < wholeSyrk { // which is part of a plan like any other product
		with = func(lib *blas.Library, work func() error) error { return lib.Single(work) }
	}
	return with(lib, func() error {
		err := f.call(lib, gemmNames[t].syrk, blas.Char('L'), blas.Char(x.trans(true)), blas.Int(x.n), blas.Int(length),
			blas.Ptr(one), blas.Ptr(x.p), blas.Int(x.side), blas.Ptr(zero), blas.Ptr(out), blas.Int(side))
		switch t.Size() {
		case 4:
			mirror[uint32](out, x.n, side)
		case 8:
			mirror[uint64](out, x.n, side)
		default:
			mirror[[2]uint64](out, x.n, side)
		}
		if f.watching && !finiteDiagonal(out, x.n, side, t) {
			f.raised |= vm.Seen
		}
		return err
	})
}

// finiteDiagonal says whether the diagonal of such a product is. No sum of products of two rows is larger than those of
// each with itself, and rows with what is infinite, or no number, have one there: so it says what flags of threads do
// not that are the library's. The diagonal of complex products does not.
func finiteDiagonal(p unsafe.Pointer, n, side int, t tile.DType) bool {
	if t.Is(tile.KindComplex) {
		return false
	}
	for i := range n {
		if kindOf(unsafe.Add(p, i*(side+1)*t.Size()), t) != 0 {
			return false
		}
	}
	return true
}

// together has the library compute with the cores of idle queues, too.
func (f *frame) together(lib *blas.Library, work func() error) error {
	if f.reserve == nil {
		return lib.Single(work)
	}
	return f.reserve(lib.Threads(), func(cores int) error { return lib.Together(cores, work) })
}

// mirror copies what is below the diagonal of a matrix in columns to above it, by squares that stay in the cache.
func mirror[T any](p unsafe.Pointer, n, side int) {
	const square = 32
	m := unsafe.Slice((*T)(p), (n-1)*side+n)
	for j0 := 0; j0 < n; j0 += square {
		for i0 := j0; i0 < n; i0 += square {
			for j := j0; j < min(j0+square, n); j++ {
				for i := max(i0, j+1); i < min(i0+square, n); i++ {
					m[i*side+j] = m[j*side+i]
				}
			}
		}
	}
}
