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
	if f.dense == nil || m.rows*m.columns*m.length < gemmVolume || m.few(t) || !m.writable(t.Size()) {
		return nil, nil
	}
	lib, err := f.dense()
	if err != nil || !lib.Has(gemmNames[t].gemm) {
		return nil, err
	}
	return lib, nil
}

// fewSums is how many rows and columns a product of matrices has at most whose sums are each computed by itself: the
// library's kernels compute more of them at a time, and copy the factors, which takes some times as long.
const fewSums = 3

// few reports whether it is such a product: the vectors are floats that lie side by side.
func (m *matrices) few(t tile.DType) bool {
	least, most := min(m.rows, m.columns), max(m.rows, m.columns)
	return least > 1 && most <= fewSums && (t == tile.Float32 || t == tile.Float64) && m.ak == t.Size() && m.bk == t.Size()
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

// factor is one of the two matrices of a product, whose vectors run along k. Those of a stack are stack bytes apart.
type factor struct {
	p             unsafe.Pointer
	n             int // vectors
	next, step    int // bytes from vector to vector, and along one
	side          int // elements between what does not lie side by side
	acrossVectors bool
	stack         int
}

// lies says whether BLAS takes the factor as it is.
func (x *factor) lies(length, size int) bool {
	_, along := leading(length, x.step, x.n, x.next, size)
	_, across := leading(x.n, x.next, length, x.step, size)
	return along || across
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

// A long matrix of few columns times a small one is a stack of products of thinPart rows each where a library has
// kernels for small products, which do not copy what they read, and give the same bits where sums have so few terms.
// OpenBLAS has them for smallVolume multiplications at most, so that a little more is cut into as many products as it
// takes, where the other factor stays in the first-level caches. A library that Copies takes longer for parts: twice as
// long for 100,000 by 3 times 3 by 3.
const (
	thinPart    = 512
	thinLength  = 8
	thinColumns = 16
	smallVolume = 1_000_000
	smallParts  = 4
	smallFactor = 128 * 128 // elements
	smallRows   = 16        // of which the rows of a part are a multiple
)

// part is how many rows, or columns, the products have into which this one is cut; 0 for none.
func (m *matrices) part(lib *blas.Library, t tile.DType) int {
	long, short := max(m.rows, m.columns), min(m.rows, m.columns)
	volume := long * short * m.length
	switch {
	case m.stack > 1 || short < 2 || lib.Copies:
	case m.length <= thinLength && short <= thinColumns && long >= 2*thinPart:
		return thinPart
	case t.Size() <= 8 && volume > smallVolume && volume <= smallParts*smallVolume && m.length*short <= smallFactor && !m.own(lib, t):
		parts := volume/smallVolume + 1
		return (long/parts + smallRows) / smallRows * smallRows
	}
	return 0
}

// cut cuts such a product: the parts are a stack, and rest is what is left of the rows, or of the columns: two at
// least, as one would be a product of a vector.
func (m *matrices) cut(lib *blas.Library, t tile.DType) (parts, rest matrices, ok bool) {
	parts, rest = *m, *m
	long, part := max(m.rows, m.columns), m.part(lib, t)
	if part == 0 || part > long-2 {
		return parts, rest, false
	}
	parts.stack = (long - 2) / part
	done := parts.stack * part
	if m.rows == long {
		parts.rows, parts.as, parts.bs, parts.outS = part, part*m.ai, 0, part*m.outI
		rest.rows, rest.a, rest.out = long-done, unsafe.Add(m.a, done*m.ai), unsafe.Add(m.out, done*m.outI)
	} else {
		parts.columns, parts.as, parts.bs, parts.outS = part, 0, part*m.bj, part*m.outJ
		rest.columns, rest.b, rest.out = long-done, unsafe.Add(m.b, done*m.bj), unsafe.Add(m.out, done*m.outJ)
	}
	return parts, rest, true
}

// gemm computes products with the library, one thread to a caller. Those of a stack whose factors are to be copied, and
// large ones, are computed one by one.
func (f *frame) gemm(lib *blas.Library, m *matrices, t tile.DType) error {
	if parts, rest, ok := m.cut(lib, t); ok {
		err := f.gemm(lib, &parts, t)
		if err != nil {
			return err
		}
		return f.gemm(lib, &rest, t)
	}
	if m.stack > 1 && (!m.alike(t) || m.owns(lib, t)) {
		one := *m
		one.stack = 1
		for range m.stack {
			if err := f.gemm(lib, &one, t); err != nil {
				return err
			}
			one.a, one.b, one.out = unsafe.Add(one.a, m.as), unsafe.Add(one.b, m.bs), unsafe.Add(one.out, m.outS)
		}
		return nil
	}
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
	left := factor{p: m.a, n: m.rows, next: m.ai, step: m.ak, stack: m.as}
	right := factor{p: m.b, n: m.columns, next: m.bj, step: m.bk, stack: m.bs}
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
		return f.gemv(lib, &left, &right, m, t, one, zero, outLeft)
	}
	if m.own(lib, t) && lib.Has(names.syrk) {
		return f.syrk(lib, left, m.length, t, one, zero, m.out, side)
	}
	if err := right.arrange(m.length, size, &memory); err != nil {
		return err
	}
	return lib.Single(func() error {
		return f.calls(lib, names.gemm, m.stack, blas.Steps{{6, left.stack}, {8, right.stack}, {11, m.outS}},
			blas.Char(left.trans(true)), blas.Char(right.trans(false)),
			blas.Int(left.n), blas.Int(right.n), blas.Int(m.length), blas.Ptr(one), blas.Ptr(left.p), blas.Int(left.side),
			blas.Ptr(right.p), blas.Int(right.side), blas.Ptr(zero), blas.Ptr(m.out), blas.Int(side))
	})
}

// alike says whether the products of a stack are calls of one routine that differ in where their operands begin.
func (m *matrices) alike(t tile.DType) bool {
	size := t.Size()
	left := factor{n: m.rows, next: m.ai, step: m.ak}
	right := factor{n: m.columns, next: m.bj, step: m.bk}
	large := m.length*max(m.rows, m.columns)*size >= tallBytes || min(m.rows, m.columns) >= leastSyrk
	return !large && left.lies(m.length, size) && right.lies(m.length, size)
}

// calls calls a routine of the library for each product of a stack.
func (f *frame) calls(lib *blas.Library, name string, stack int, steps blas.Steps, given ...blas.Arg) error {
	if stack <= 1 {
		return f.call(lib, name, given...)
	}
	raised, err := lib.Stack(name, stack, steps, f.watching, f.args[:copy(f.args[:], given)]...)
	f.note(raised)
	return err
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
	f.note(raised)
	return err
}

// note notes which flags calls raised that are watched.
func (f *frame) note(raised int) {
	if raised == blas.Unknown {
		raised = int(vm.Seen)
	}
	f.raised |= int64(raised)
}
