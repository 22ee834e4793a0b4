package cpu

import (
	"unsafe"

	"weft/cpu/blas"
	"weft/tile"
)

// Factors are two matrices of a product out[i,j] = sum over k of a[i,k]*b[j,k], or a stack of such, which lie AS and BS
// apart. Steps are in bytes.
type Factors struct {
	A, B                  unsafe.Pointer
	AI, AK, BJ, BK        int
	Rows, Columns, Length int
	Stack, AS, BS         int
}

// Products computes products of small matrices on the calling thread, with the bits of a Device. One call at a time.
type Products struct{ frame frame }

// NewProducts returns one that uses a library for linear algebra where a Device would, as in Options.Dense.
func NewProducts(dense func() (*blas.Library, error)) *Products {
	return &Products{frame{dense: dense, hands: true}}
}

// Compute writes products row by row, without gaps. It is false where nothing was computed: the library has to be
// waited for, or a general reduction has to do it.
func (p *Products) Compute(t tile.DType, x Factors, out unsafe.Pointer) bool {
	size := t.Size()
	m := matrices{
		a: x.A, b: x.B, out: out, ai: x.AI, ak: x.AK, bj: x.BJ, bk: x.BK, outI: size * x.Columns, outJ: size,
		rows: x.Rows, columns: x.Columns, length: x.Length, stack: x.Stack, as: x.AS, bs: x.BS, outS: size * x.Rows * x.Columns,
	}
	if m.columns == 1 {
		m.outJ = 0 // as of an axis that there is not
	}
	if m.rows == 1 {
		m.outI = 0
	}
	lib, err := p.frame.gemmLibrary(&m, t)
	switch {
	case err != nil:
		return false
	case lib != nil:
		err = p.frame.gemm(lib, &m, t)
	case t == tile.Float32:
		err = multiply[float32](&p.frame, &m)
	case t == tile.Float64:
		err = multiply[float64](&p.frame, &m)
	default:
		return false
	}
	return err == nil
}
