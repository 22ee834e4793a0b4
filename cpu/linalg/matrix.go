package linalg

import (
	"fmt"
	"unsafe"

	"weft/cpu/blas"
	"weft/tile"
)

// matrix is one member of a stack; a vector has one column, a number is 1 by 1.
type matrix struct {
	p             unsafe.Pointer
	rows, columns int
	down, right   int // bytes from row to row and from column to column
	size          int // bytes of an element
}

// member returns number k of a stack, counted in C order. Its own axes are the last ones.
func member(o *tile.Operand, axes, k int) matrix {
	m := matrix{p: o.P, rows: 1, columns: 1, size: o.Type.Size()}
	lead := len(o.Shape) - axes
	for axis := lead - 1; axis >= 0; axis-- {
		m.p = unsafe.Add(m.p, int64(k%o.Shape[axis])*o.Strides[axis])
		k /= o.Shape[axis]
	}
	if axes > 0 {
		m.rows, m.down = o.Shape[lead], int(o.Strides[lead])
	}
	if axes > 1 {
		m.columns, m.right = o.Shape[lead+1], int(o.Strides[lead+1])
	}
	return m
}

// at returns the address of an element.
func (m *matrix) at(i, j int) unsafe.Pointer { return unsafe.Add(m.p, i*m.down+j*m.right) }

// scratch returns memory for n elements of the given size.
func (j *job) scratch(n, size int) (unsafe.Pointer, error) {
	p, err := j.memory.Bytes(n * size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", tile.ErrOutOfMemory, err)
	}
	return p, nil
}

// columns returns a matrix of scratch memory in LAPACK's order.
func (j *job) columns(rows, columns, size int) (matrix, error) {
	p, err := j.scratch(rows*columns, size)
	return matrix{p: p, rows: rows, columns: columns, down: size, right: size * max(rows, 1), size: size}, err
}

// packed returns a copy of m in LAPACK's order, with room for so many rows.
func (j *job) packed(m matrix, rows int) (matrix, error) {
	d, err := j.columns(rows, m.columns, m.size)
	if err == nil {
		d.copy(m)
	}
	return d, err
}

// copy copies as much of s as d has, and no more than s has.
func (d matrix) copy(s matrix) {
	s.rows, s.columns = min(s.rows, d.rows), min(s.columns, d.columns)
	switch d.size {
	case 8:
		copyBlocks[uint64](d, s)
	case 16:
		copyBlocks[[2]uint64](d, s)
	default:
		panic(fmt.Sprintf("BUG: elements of %d bytes", d.size))
	}
}

// copyBlocks goes by squares, so that a transposition stays in the cache.
func copyBlocks[T any](d, s matrix) {
	const side = 32
	switch {
	case s.right == s.size && d.down == d.size:
		turn[T](d, s)
		return
	case s.down == s.size && d.right == d.size:
		turn[T](d.turned(), s.turned())
		return
	}
	for j0 := 0; j0 < s.columns; j0 += side {
		for i0 := 0; i0 < s.rows; i0 += side {
			n := min(side, s.rows-i0)
			j, end := j0, min(j0+side, s.columns)
			for ; j+4 <= end; j += 4 { // four columns at a time, which are four elements of a line of memory where rows lie side by side
				from, to := s.at(i0, j), d.at(i0, j)
				for i := range n {
					x, y := unsafe.Add(from, i*s.down), unsafe.Add(to, i*d.down)
					a, b := *(*T)(x), *(*T)(unsafe.Add(x, s.right))
					c, e := *(*T)(unsafe.Add(x, 2*s.right)), *(*T)(unsafe.Add(x, 3*s.right))
					*(*T)(y), *(*T)(unsafe.Add(y, d.right)) = a, b
					*(*T)(unsafe.Add(y, 2*d.right)), *(*T)(unsafe.Add(y, 3*d.right)) = c, e
				}
			}
			for ; j < end; j++ {
				from, to := s.at(i0, j), d.at(i0, j)
				for i := range n {
					*(*T)(unsafe.Add(to, i*d.down)) = *(*T)(unsafe.Add(from, i*s.down))
				}
			}
		}
	}
}

// turned is the transposed matrix.
func (m matrix) turned() matrix {
	m.rows, m.columns, m.down, m.right = m.columns, m.rows, m.right, m.down
	return m
}

// turn copies a matrix whose rows lie side by side to one whose columns do: squares of four by four elements, which are
// read and written as pieces of lines of memory.
func turn[T any](d, s matrix) {
	const side, piece = 32, 4
	for i0 := 0; i0 < s.rows; i0 += side {
		for j0 := 0; j0 < s.columns; j0 += side {
			i, end, last := i0, min(i0+side, s.rows), min(j0+side, s.columns)
			for ; i+piece <= end; i += piece {
				j := j0
				for ; j+piece <= last; j += piece {
					x, y := s.at(i, j), d.at(i, j)
					a, b := (*[piece]T)(x), (*[piece]T)(unsafe.Add(x, s.down))
					c, e := (*[piece]T)(unsafe.Add(x, 2*s.down)), (*[piece]T)(unsafe.Add(x, 3*s.down))
					*(*[piece]T)(y) = [piece]T{a[0], b[0], c[0], e[0]}
					*(*[piece]T)(unsafe.Add(y, d.right)) = [piece]T{a[1], b[1], c[1], e[1]}
					*(*[piece]T)(unsafe.Add(y, 2*d.right)) = [piece]T{a[2], b[2], c[2], e[2]}
					*(*[piece]T)(unsafe.Add(y, 3*d.right)) = [piece]T{a[3], b[3], c[3], e[3]}
				}
				copyEach[T](d, s, i, i+piece, j, last)
			}
			copyEach[T](d, s, i, end, j0, last)
		}
	}
}

// copyEach copies rows from i on and columns from j on, element by element.
func copyEach[T any](d, s matrix, i, end, j, last int) {
	for ; i < end; i++ {
		for k := j; k < last; k++ {
			*(*T)(d.at(i, k)) = *(*T)(s.at(i, k))
		}
	}
}

// clearTriangle zeroes the elements on one side of the diagonal.
func (d matrix) clearTriangle(above bool) {
	for j := range d.columns {
		lo, hi := min(j+1, d.rows), d.rows
		if above {
			lo, hi = 0, min(j, d.rows)
		}
		if d.down == d.size && lo < hi { // a column lies side by side, as in LAPACK's order
			clear(unsafe.Slice((*byte)(d.at(lo, j)), (hi-lo)*d.size))
			continue
		}
		for i := lo; i < hi; i++ {
			clear(unsafe.Slice((*byte)(d.at(i, j)), d.size))
		}
	}
}

func realAt(p unsafe.Pointer) float64 { return *(*float64)(p) }

func putReal(p unsafe.Pointer, x float64) { *(*float64)(p) = x }

// number reads an element of the job's type.
func (j *job) number(p unsafe.Pointer) complex128 {
	if j.complex {
		return complex(realAt(p), realAt(unsafe.Add(p, 8)))
	}
	return complex(realAt(p), 0)
}

// put writes one.
func (j *job) put(p unsafe.Pointer, x complex128) {
	putReal(p, real(x))
	if j.complex {
		putReal(unsafe.Add(p, 8), imag(x))
	}
}

// work asks a routine for the size of its work array, which ask calls with a place for the
// answer and length -1, and returns that array.
func (j *job) work(ask func(work, length blas.Arg) (int, error)) (work, length blas.Arg, err error) {
	p, err := j.scratch(1, 16)
	if err != nil {
		return
	}
	info, err := ask(blas.Ptr(p), blas.Int(-1))
	if err != nil {
		return
	}
	if info != 0 {
		err = fmt.Errorf("linalg: LAPACK's argument %d is wrong", -info)
		return
	}
	n := max(int(realAt(p)), 1)
	if p, err = j.scratch(n, j.size); err != nil {
		return
	}
	return blas.Ptr(p), blas.Int(n), nil
}
