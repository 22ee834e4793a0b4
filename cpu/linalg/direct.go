package linalg

import (
	"unsafe"

	"weft/cpu/blas"
	"weft/tile"
)

// Direct computes routines of small matrices of float64 at once, on the calling thread, with the bits of those of the
// table: one thread of the library works for either. One call at a time.
type Direct struct {
	open func() (*blas.Library, error)
	job  job
}

// NewDirect returns one on a library that open opens when one is first needed.
func NewDirect(open func() (*blas.Library, error)) *Direct {
	return &Direct{open, job{elementType: types[tile.Float64], call: &tile.Call{Program: &tile.Program{}}, known: newFactors()}}
}

// Matrix is one of float64, row by row without gaps.
type Matrix struct {
	P             unsafe.Pointer
	Rows, Columns int
}

// Solve writes the solutions of a x = b. It is false, as the other methods are, where nothing was computed: where the
// library has to be waited for, has several threads for as many elements, or finds that there is no result.
func (d *Direct) Solve(a, b, x Matrix) bool { return d.run(solve, a, b, x) }

// Cholesky writes the lower factor of a.
func (d *Direct) Cholesky(a, l Matrix) bool { return d.run(cholesky, a, l) }

// Determinant writes the sign and the logarithm of the size, each 1 by 1.
func (d *Direct) Determinant(a, sign, log Matrix) bool { return d.run(slogdet, a, sign, log) }

func (d *Direct) run(one func(j *job, m []matrix) error, operands ...Matrix) bool {
	lib, err := d.open()
	if err != nil || operands[0].Rows*operands[0].Columns >= large {
		return false
	}
	var room [3]matrix
	m := room[:len(operands)]
	for i, x := range operands {
		m[i] = matrix{p: x.P, rows: x.Rows, columns: x.Columns, down: x.Columns * d.job.size, right: d.job.size, size: d.job.size}
	}
	d.job.lib = lib
	defer d.job.memory.Reset()
	done, err := lib.Try(func() error { return one(&d.job, m) })
	return done && err == nil
}
