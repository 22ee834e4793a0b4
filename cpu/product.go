package cpu

import (
	"unsafe"

	"weft/cpu/eager"
	"weft/cpu/vm"
	"weft/tile"
)

// product is the program of a matrix product: the sum of the products of two inputs.
type product struct {
	a, b int // parameters
	out  int
	t    tile.DType
}

// findProduct recognises load, load, mul, reduce sum of floats or complex numbers; nil is no.
func findProduct(p *tile.Program) *product {
	if len(p.Code) != 4 {
		return nil
	}
	a, b, m, r := &p.Code[0], &p.Code[1], &p.Code[2], &p.Code[3]
	if a.Op != tile.Load || b.Op != tile.Load || m.Op != tile.Mul || r.Op != tile.Reduce || r.Comb != tile.Sum ||
		m.Args[0]+m.Args[1] != 1 || r.Args[0] != 2 || gemmNames[r.Type].gemm == "" {
		return nil
	}
	return &product{int(a.N), int(b.N), int(r.N), r.Type}
}

// matrices says how a product is walked: out[i,j] = sum over k of a[i,k]*b[j,k], for every
// point of the other kept axes. Along one of these they are a stack.
type matrices struct {
	a, b, out             unsafe.Pointer
	ai, ak, bj, bk        int // strides in bytes
	outI, outJ            int
	rows, columns, length int
	stack, as, bs, outS   int // at least one, and strides in bytes
}

// runProduct runs a product whose reduced axis is the last one alone. It is false where the
// general way has to be taken, such as where every result is a product of two other vectors, and where matrices are
// multiplied by an elementwise product and a sum that were fused: their bits are those of the two apart.
func (f *frame) runProduct(pr *product, l *tile.Launch) (bool, error) {
	rank := len(l.Shape)
	k := rank - 1
	if rank < 2 || l.Reduced != 1<<uint(k) {
		return false, nil
	}
	a, b, out := &l.Args[pr.a], &l.Args[pr.b], &l.Args[pr.out]
	pa, pb := unsafe.Add(f.base[pr.a], a.Offset), unsafe.Add(f.base[pr.b], b.Offset)
	i, j := -1, -1 // axes of rows and columns: the last of which one factor knows nothing, as NumPy's products have them
	for axis, n := range l.Shape[:k] {
		switch {
		case n == 1:
		case b.Strides[axis] == 0:
			i = axis
		case a.Strides[axis] == 0:
			j = axis
		}
	}
	if i < 0 && j < 0 {
		return f.runDots(pr, l), nil
	}
	if !l.Product { // the general way is as fast as this package's loops for matrices, and can be shared
		return false, nil
	}
	m := matrices{ak: int(a.Strides[k]), bk: int(b.Strides[k]), rows: 1, columns: 1, stack: 1}
	others := append(f.axes[:0], axis{id: k, extent: (l.Shape[k] + l.Block[k] - 1) / l.Block[k]}) // blocks along k
	for id, n := range l.Shape[:k] {
		switch id {
		case i:
			m.rows, m.ai, m.outI = n, int(a.Strides[i]), int(out.Strides[i])
		case j:
			m.columns, m.bj, m.outJ = n, int(b.Strides[j]), int(out.Strides[j])
		default:
			others = append(others, axis{id: id, extent: n})
		}
	}
	if last := len(others) - 1; last > 0 {
		id := others[last].id
		m.stack, m.as, m.bs, m.outS = l.Shape[id], int(a.Strides[id]), int(b.Strides[id]), int(out.Strides[id])
		others = others[:last]
	}
	m.length = l.Shape[k]
	lib, err := f.gemmLibrary(&m, pr.t)
	if err != nil {
		return false, err
	}
	if lib == nil && pr.t != tile.Float32 && pr.t != tile.Float64 {
		return false, nil
	}
	f.axes = others
	coord, extent := f.loops.coord[:len(others)], f.loops.extent[:len(others)]
	for at := range others {
		coord[at], extent[at] = 0, others[at].extent
	}
	for more := true; more; more = next(coord, extent) {
		m.a, m.b, m.out = pa, pb, unsafe.Add(f.base[pr.out], out.Offset)
		for at, c := range coord {
			id := others[at].id
			elements := c
			if id == k {
				elements *= l.Block[k]
				m.length = min(l.Block[k], l.Shape[k]-elements)
			}
			m.a = unsafe.Add(m.a, elements*int(a.Strides[id]))
			m.b = unsafe.Add(m.b, elements*int(b.Strides[id]))
			m.out = unsafe.Add(m.out, c*int(out.Strides[id]))
		}
		var err error
		if lib == nil && m.length > eager.ProductLength {
			f.raised |= vm.Seen // Go's code may go on another thread, whose flags are its own
		}
		switch {
		case lib != nil:
			err = f.gemm(lib, &m, pr.t)
		case pr.t == tile.Float32:
			err = multiply[float32](f, &m)
		default:
			err = multiply[float64](f, &m)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// runDots computes products of vectors that lie side by side in both factors, block by block in the canonical order. It
// is false where they do not.
func (f *frame) runDots(pr *product, l *tile.Launch) bool {
	k, size := len(l.Shape)-1, pr.t.Size()
	a, b, out := &l.Args[pr.a], &l.Args[pr.b], &l.Args[pr.out]
	if pr.t != tile.Float32 && pr.t != tile.Float64 || l.Shape[k] < tile.Lanes || int(a.Strides[k]) != size || int(b.Strides[k]) != size {
		return false
	}
	pa, pb, to := unsafe.Add(f.base[pr.a], a.Offset), unsafe.Add(f.base[pr.b], b.Offset), unsafe.Add(f.base[pr.out], out.Offset)
	coord, extent := f.loops.coord[:k+1], f.loops.extent[:k+1]
	for axis, n := range l.Shape {
		coord[axis], extent[axis] = 0, n
	}
	extent[k] = (l.Shape[k] + l.Block[k] - 1) / l.Block[k]
	f.raised |= vm.Seen // of what the machine computes here, flags are not read
	for more := true; more; more = next(coord, extent) {
		x, y, z := pa, pb, to
		for axis, c := range coord {
			elements := c
			if axis == k {
				elements *= l.Block[k]
			}
			x = unsafe.Add(x, elements*int(a.Strides[axis]))
			y = unsafe.Add(y, elements*int(b.Strides[axis]))
			z = unsafe.Add(z, c*int(out.Strides[axis]))
		}
		f.machine.Dot(size, min(l.Block[k], l.Shape[k]-coord[k]*l.Block[k]), x, y, z)
		if size == 4 {
			*at[float32](z) += 0 // see tile.Combiner.Neutral
		} else {
			*at[float64](z) += 0
		}
	}
	return true
}

// columnBytes is how much of b is packed at a time: it should stay in the L2 cache.
const columnBytes = 256 << 10

// multiply computes one block along k of a stack of products. Rows and columns whose elements are not
// side by side are copied first, unless they are short.
func multiply[T float](f *frame, m *matrices) error {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if m.length <= eager.ProductLength {
		p := eager.Product{
			A: m.a, B: m.b, Out: m.out, AI: m.ai, AK: m.ak, BJ: m.bj, BK: m.bk, OutI: m.outI, OutJ: m.outJ,
			Rows: m.rows, Columns: m.columns, Length: m.length, Stack: m.stack, AS: m.as, BS: m.bs, OutS: m.outS,
		}
		f.raised |= int64(p.Compute(size))
		return nil
	}
	for s := range m.stack {
		one := *m
		one.a, one.b, one.out = unsafe.Add(m.a, s*m.as), unsafe.Add(m.b, s*m.bs), unsafe.Add(m.out, s*m.outS)
		if err := multiplyOne[T](f, &one); err != nil {
			return err
		}
	}
	return nil
}

func multiplyOne[T float](f *frame, m *matrices) error {
	var zero T
	size := int(unsafe.Sizeof(zero))
	vector := m.length * size
	wide := min(m.columns, max(4, columnBytes/vector))
	if err := f.work((wide + 1) * vector); err != nil {
		return err
	}
	row := start(f.scratch.memory)
	packed := unsafe.Add(row, vector)
	for j := 0; j < m.columns; j += wide {
		n := min(wide, m.columns-j)
		b, bj := unsafe.Add(m.b, j*m.bj), m.bj
		if m.bk != size && m.length > 1 {
			pack[T](packed, vector, b, m.bj, m.bk, n, m.length)
			b, bj = packed, vector
		}
		for i := range m.rows {
			a := unsafe.Add(m.a, i*m.ai)
			if m.ak != size && m.length > 1 {
				pack[T](row, vector, a, 0, m.ak, 1, m.length)
				a = row
			}
			out := unsafe.Add(m.out, i*m.outI+j*m.outJ)
			for c := range n {
				to := at[T](unsafe.Add(out, c*m.outJ))
				sum(f, a, unsafe.Add(b, c*bj), m.length, to)
				*to += 0 // see tile.Combiner.Neutral
			}
		}
	}
	return nil
}

// pack copies vectors of n elements, which are far apart by step and begin apart by next, so
// that the elements lie side by side and the vectors apart bytes apart.
func pack[T any](d unsafe.Pointer, apart int, s unsafe.Pointer, next, step, vectors, n int) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	for k := range n {
		from, to := unsafe.Add(s, k*step), unsafe.Add(d, k*size)
		for range vectors {
			*at[T](to) = *at[T](from)
			from, to = unsafe.Add(from, next), unsafe.Add(to, apart)
		}
	}
}

// longDot is from how many elements on the machine computes a sum, in half the time and less: the call into C takes as
// long as some hundred.
const longDot = 256

// sum writes what dot gives, which the machine computes with the same bits.
func sum[T float](f *frame, a, b unsafe.Pointer, n int, to *T) {
	if n < longDot || f.machine == (vm.Machine{}) {
		*to = dot[T](a, b, n)
		return
	}
	f.machine.Dot(int(unsafe.Sizeof(*to)), n, a, b, unsafe.Pointer(to))
}

// dot is the inner product of two vectors of n elements that lie side by side, in the
// canonical order: 32 lanes, of which eight at a time are in processor registers, then the
// fold. The conversions keep products from being fused into sums.
func dot[T float](a, b unsafe.Pointer, n int) T {
	var lanes [tile.Lanes]T
	var zero T
	group := 8 * int(unsafe.Sizeof(zero))
	rounds, rest := n/tile.Lanes, n%tile.Lanes
	if rounds > 0 {
		for g := range tile.Lanes / 8 {
			p, q := unsafe.Add(a, g*group), unsafe.Add(b, g*group)
			x, y := at[[8]T](p), at[[8]T](q)
			s0, s1, s2, s3 := T(x[0]*y[0]), T(x[1]*y[1]), T(x[2]*y[2]), T(x[3]*y[3])
			s4, s5, s6, s7 := T(x[4]*y[4]), T(x[5]*y[5]), T(x[6]*y[6]), T(x[7]*y[7])
			for range rounds - 1 {
				p, q = unsafe.Add(p, 4*group), unsafe.Add(q, 4*group)
				x, y = at[[8]T](p), at[[8]T](q)
				s0 += T(x[0] * y[0])
				s1 += T(x[1] * y[1])
				s2 += T(x[2] * y[2])
				s3 += T(x[3] * y[3])
				s4 += T(x[4] * y[4])
				s5 += T(x[5] * y[5])
				s6 += T(x[6] * y[6])
				s7 += T(x[7] * y[7])
			}
			copy(lanes[8*g:], []T{s0, s1, s2, s3, s4, s5, s6, s7})
		}
	}
	x, y := unsafe.Slice(at[T](a), n)[n-rest:], unsafe.Slice(at[T](b), n)[n-rest:]
	for i := range rest {
		v := T(x[i] * y[i])
		if rounds > 0 {
			v = lanes[i] + v
		}
		lanes[i] = v
	}
	seen := min(n, tile.Lanes)
	for s := tile.Lanes / 2; s > 0; s /= 2 {
		for i := 0; i < s && i+s < seen; i++ {
			lanes[i] += lanes[i+s]
		}
	}
	return lanes[0]
}
