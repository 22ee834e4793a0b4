package cpu

import (
	"unsafe"

	"weft/cpu/blas"
	"weft/cpu/eager"
	"weft/tile"
)

const (
	gemvShared = 256 << 10 // bytes of a matrix from which on threads share its product with a vector,
	gemvPart   = 64 << 10  // of a part at least,
	gemvParts  = 16        // parts at most: each call of the library costs half a microsecond, a fourth of what 16 rows of 8 kB take, and
	gemvRows   = 16        // its rows are a multiple of these: a library takes some at a time, and has other roundings for those that are left
	tallBytes  = 128 << 10 // of a matrix of few columns and many rows, turned, whose product package eager computes
)

// gemv computes products of a matrix and a vector, those of m, with the library. A frame of the eager tier has threads
// that help (package eager): the rows of a matrix by rows are cut among them.
func (f *frame) gemv(lib *blas.Library, matrix, vector *factor, m *matrices, t tile.DType, one, zero unsafe.Pointer, step int) error {
	size, name, length, out := t.Size(), gemmNames[t].gemv, m.length, m.out
	tall := matrix.acrossVectors && matrix.n > 1 && matrix.n <= eager.TallColumns
	if tall && t.Is(tile.KindFloat) && length*matrix.n*size >= tallBytes {
		return f.tall(&eager.Tall{
			A: matrix.p, X: vector.p, Out: out, Rows: length, Columns: matrix.n, Size: size, Next: matrix.side * size,
			Step: vector.step, Apart: max(step, size),
		})
	}
	rows, columns := length, matrix.n // as they lie in memory
	if matrix.acrossVectors {
		rows, columns = columns, rows
	}
	args := [...]blas.Arg{
		blas.Char(matrix.trans(true)), blas.Int(rows), blas.Int(columns), blas.Ptr(one), blas.Ptr(matrix.p), blas.Int(matrix.side),
		blas.Ptr(vector.p), blas.Int(max(vector.step/size, 1)), blas.Ptr(zero), blas.Ptr(out), blas.Int(max(step/size, 1)),
	}
	row := matrix.side * size
	return lib.Single(func() error {
		if bytes := length * matrix.n * size; f.hands && !matrix.acrossVectors && bytes >= gemvShared {
			most := (max(gemvPart, bytes/gemvParts)/row + gemvRows) / gemvRows * gemvRows
			if p := lib.Parts(name, blas.Cut{Count: 2, From: 4, To: 9, Reads: row, Writes: max(step, size), Most: most}, args[:]...); p != nil {
				call, of := p.Each()
				eager.Share(p.Count(), bytes, call, of)
				return nil
			}
		}
		return f.calls(lib, name, m.stack, blas.Steps{{4, matrix.stack}, {6, vector.stack}, {9, m.outS}}, args[:]...)
	})
}

// tall computes the product of a matrix of few columns and many rows, turned, with a vector. Its bits follow from its
// extents alone.
func (f *frame) tall(p *eager.Tall) error {
	if err := f.work(p.Room()); err != nil {
		return err
	}
	raised := p.Compute(start(f.scratch.memory), f.hands, f.watching)
	if f.watching {
		f.raised |= int64(raised)
	}
	return nil
}
