package cpu

import (
	"unsafe"

	"weft/cpu/blas"
	"weft/cpu/vm"
	"weft/tile"
)

// gemmVolume is from how many multiplications on a product is the library's: below, calling
// it costs more than it saves.
const gemmVolume = 10 * 10 * 10

// productNames are the names of BLAS's routines for products, whole, so that a small product makes no text.
type productNames struct{ gemm, gemv, syrk string }

var gemmNames = map[tile.DType]productNames{
	tile.Float32:    {"sgemm", "sgemv", "ssyrk"},
	tile.Float64:    {"dgemm", "dgemv", "dsyrk"},
	tile.Complex64:  {"cgemm", "cgemv", "csyrk"},
	tile.Complex128: {"zgemm", "zgemv", "zsyrk"},
}

// mostArgs is how many arguments these routines have at most.
const mostArgs = 13

// gemmLibrary returns the library if a product of these extents and this output is one for
// it, or nil: the loops of this package compute it, too. A library that the user named and that
// cannot be loaded is an error. BLAS wants matrices whose rows or whose columns lie side by
// side; inputs of other forms are copied.
func (f *frame) gemmLibrary(m *matrices, t tile.DType) (*blas.Library, error) {
	if f.dense == nil || m.rows*m.columns*m.length < gemmVolume || !m.writable(t.Size()) {
		return nil, nil
	}
	lib, err := f.dense()
	if err != nil || !lib.Has(gemmNames[t].gemm) {
		return nil, err
	}
	return lib, nil
}

// writable reports whether the library can write the result: a vector whose elements are evenly
// apart, or a matrix whose rows or columns lie side by side.
func (m *matrices) writable(size int) bool {
	switch {
	case m.columns == 1 && m.rows > 1:
		return m.outI > 0 && m.outI%size == 0
	case m.rows == 1 && m.columns > 1:
		return m.outJ > 0 && m.outJ%size == 0
	}
	_, down := leading(m.rows, m.outI, m.columns, m.outJ, size)
	_, across := leading(m.columns, m.outJ, m.rows, m.outI, size)
	return down || across
}

// leading returns the distance in elements between the vectors of a matrix whose first axis
// lies side by side, and whether it does.
func leading(n, step, others, apart, size int) (int, bool) {
	if n > 1 && step != size {
		return 0, false
	}
	if others == 1 {
		return max(n, 1), true
	}
	return apart / size, apart%size == 0 && apart/size >= n
}

// factor is one of the two matrices of a product, whose vectors run along k.
type factor struct {
	p             unsafe.Pointer
	n             int // vectors
	next, step    int // bytes from vector to vector, and along one
	side          int // elements between what does not lie side by side
	acrossVectors bool
}

// arrange finds a form that BLAS takes, copying the factor if it has none.
func (x *factor) arrange(length, size int, memory *blas.Memory) error {
	var ok bool
	if x.side, ok = leading(length, x.step, x.n, x.next, size); ok {
		return nil
	}
	if x.side, ok = leading(x.n, x.next, length, x.step, size); ok {
		x.acrossVectors = true
		return nil
	}
	p, err := memory.Bytes(x.n * length * size)
	if err != nil {
		return err
	}
	switch size {
	case 4:
		pack[uint32](p, length*size, x.p, x.next, x.step, x.n, length)
	case 8:
		pack[uint64](p, length*size, x.p, x.next, x.step, x.n, length)
	default:
		pack[[2]uint64](p, length*size, x.p, x.next, x.step, x.n, length)
	}
	x.p, x.next, x.step, x.side = p, length*size, size, length
	return nil
}

// trans is the option of a factor that stands on the left, where BLAS wants its vectors as
// rows.
func (x *factor) trans(left bool) byte {
	if x.acrossVectors == left {
		return 'N'
	}
	return 'T'
}

// gemm computes a product with the library, one thread to a caller.
func (f *frame) gemm(lib *blas.Library, m *matrices, t tile.DType) error {
	size, names := t.Size(), gemmNames[t]
	var memory blas.Memory
	defer memory.Free()
	if err := f.work(32); err != nil {
		return err
	}
	one := start(f.scratch.memory)
	zero := unsafe.Add(one, 16)
	clear(f.scratch.memory[:32])
	if t == tile.Float32 || t == tile.Complex64 {
		*(*float32)(one) = 1
	} else {
		*(*float64)(one) = 1
	}
	left := factor{p: m.a, n: m.rows, next: m.ai, step: m.ak}
	right := factor{p: m.b, n: m.columns, next: m.bj, step: m.bk}
	outLeft, outRight := m.outI, m.outJ
	// BLAS writes columns, and wants a vector on the right: otherwise the transposed product.
	side, ok := leading(left.n, outLeft, right.n, outRight, size)
	if right.n != 1 && (left.n == 1 || !ok) {
		left, right, outLeft, outRight = right, left, outRight, outLeft
		side, _ = leading(left.n, outLeft, right.n, outRight, size)
	}
	if err := left.arrange(m.length, size, &memory); err != nil {
		return err
	}
	if right.n == 1 {
		if m.length > 1 && (right.step <= 0 || right.step%size != 0) {
			if err := right.arrange(m.length, size, &memory); err != nil {
				return err
			}
		}
		return f.gemv(lib, &left, &right, m.length, t, one, zero, m.out, outLeft)
	}
	if m.own() && lib.Has(names.syrk) {
		return f.syrk(lib, left, m.length, t, one, zero, m.out, side)
	}
	if err := right.arrange(m.length, size, &memory); err != nil {
		return err
	}
	return lib.Single(func() error {
		return f.call(lib, names.gemm, blas.Char(left.trans(true)), blas.Char(right.trans(false)),
			blas.Int(left.n), blas.Int(right.n), blas.Int(m.length), blas.Ptr(one), blas.Ptr(left.p), blas.Int(left.side),
			blas.Ptr(right.p), blas.Int(right.side), blas.Ptr(zero), blas.Ptr(m.out), blas.Int(side))
	})
}

// call calls a routine of the library, whose arguments the frame has room for. In a launch that is watched, it is noted
// which flags of the processor it has raised.
func (f *frame) call(lib *blas.Library, name string, given ...blas.Arg) error {
	args := f.args[:copy(f.args[:], given)]
	if !f.watching {
		_, err := lib.Call(name, args...)
		return err
	}
	raised, err := lib.CallWatched(name, args...)
	if raised == blas.Unknown {
		raised = int(vm.Seen)
	}
	f.raised |= int64(raised)
	return err
}
