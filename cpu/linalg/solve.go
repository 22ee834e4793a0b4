package linalg

import (
	"math"
	"unsafe"

	"weft/cpu/blas"
)

// solve factorises a, unless its factorisation is known, and solves with the factors: LAPACK's gesv in its two steps.
func solve(j *job, m []matrix) error {
	b, err := j.packed(m[1], m[1].rows)
	if err != nil {
		return err
	}
	lu, pivots, done, err := j.factors(&m[0])
	if err != nil {
		return err
	}
	defer done()
	_, err = j.lapack("getrs", blas.Char('N'), blas.Int(lu.rows), blas.Int(b.columns), blas.Ptr(lu.p), blas.Int(lu.rows), blas.Ptr(pivots),
		blas.Ptr(b.p), blas.Int(lu.rows), blas.Info())
	if err != nil {
		return err
	}
	m[2].copy(b)
	return nil
}

// factors returns the factors of a matrix and what gives them back.
func (j *job) factors(a *matrix) (lu matrix, pivots unsafe.Pointer, done func(), err error) {
	if j.known != nil {
		x, err := j.known.of(j, a)
		if err != nil {
			return lu, nil, nil, err
		}
		if x != nil {
			return x.lu, x.pivots, func() { j.known.done(x) }, nil
		}
	}
	if lu, err = j.packed(*a, a.rows); err != nil {
		return lu, nil, nil, err
	}
	if pivots, err = j.scratch(a.rows, 8); err != nil {
		return lu, nil, nil, err
	}
	info, err := j.factorise(lu, pivots)
	if err == nil && info != 0 {
		err = fault("Singular matrix")
	}
	return lu, pivots, func() {}, err
}

// factorise replaces a matrix in LAPACK's order by its factors.
func (j *job) factorise(a matrix, pivots unsafe.Pointer) (info int, err error) {
	return j.lapack("getrf", blas.Int(a.rows), blas.Int(a.rows), blas.Ptr(a.p), blas.Int(a.rows), blas.Ptr(pivots), blas.Info())
}

// triangle is the attribute upper as LAPACK's option.
func (j *job) triangle() (option byte, upper bool) {
	if v, ok := j.call.Program.Attr("upper"); ok && v.Int() != 0 {
		return 'U', true
	}
	return 'L', false
}

func cholesky(j *job, m []matrix) error {
	option, upper := j.triangle()
	inside := !upper && m[1].right == m[1].size && m[1].down == m[1].size*m[1].columns
	a := m[1].turned() // LAPACK's order, where the result is by rows
	if inside {
		a.copyLower(m[0])
	} else {
		var err error
		if a, err = j.packed(m[0], m[0].rows); err != nil {
			return err
		}
	}
	info, err := j.lapack("potrf", blas.Char(option), blas.Int(a.rows), blas.Ptr(a.p), blas.Int(a.rows), blas.Info())
	if err != nil {
		return err
	}
	if info != 0 {
		return fault("Matrix is not positive definite")
	}
	if inside {
		a.turnLower()
		return nil
	}
	a.clearTriangle(!upper)
	m[1].copy(a)
	return nil
}

// slogdet multiplies up the diagonal of the LU factorisation. A singular matrix has the sign 0
// and the logarithm -inf.
func slogdet(j *job, m []matrix) error {
	a, err := j.packed(m[0], m[0].rows)
	if err != nil {
		return err
	}
	n := a.rows
	pivots, err := j.scratch(n, 8)
	if err != nil {
		return err
	}
	info, err := j.factorise(a, pivots)
	if err != nil {
		return err
	}
	sign, log := complex(1, 0), 0.0
	if info > 0 {
		sign, log = 0, math.Inf(-1)
	} else {
		for i, p := range j.lib.Integers(pivots, n) {
			if p != i+1 {
				sign = -sign
			}
		}
		for i := range n {
			d := j.number(a.at(i, i))
			if !j.complex { // no rounding where the sign is ±1
				if real(d) < 0 {
					sign = -sign
				}
				continue
			}
			size := blas.Hypot(real(d), imag(d))
			sign *= complex(real(d)/size, imag(d)/size)
			log += blas.Log(size)
		}
		if !j.complex {
			log = blas.LogOfProduct(a.p, n, a.rows+1)
		}
	}
	j.put(m[1].p, sign)
	putReal(m[2].p, log)
	return nil
}

// lstsq solves by the singular values, those below rcond times the largest being taken for
// zero. The operands are a, b, x, the residuals, the rank, the singular values.
func lstsq(j *job, m []matrix) error {
	rows, columns, sides := m[0].rows, m[0].columns, m[1].columns
	small, high := min(rows, columns), max(rows, columns)
	a, err := j.packed(m[0], rows)
	if err != nil {
		return err
	}
	b, err := j.packed(m[1], high)
	if err != nil {
		return err
	}
	s, err := j.columns(small, 1, 8)
	if err != nil {
		return err
	}
	few, err := j.scratch(4, 16) // rcond, rank, and the sizes of two work arrays
	if err != nil {
		return err
	}
	rcond, rank, sizeR, sizeI := few, unsafe.Add(few, 16), unsafe.Add(few, 32), unsafe.Add(few, 48)
	putReal(rcond, j.call.Uniforms[0].Float())
	*(*int64)(rank), *(*int64)(sizeI) = 0, 0
	call := func(work, length, rwork, iwork blas.Arg) (int, error) {
		args := []blas.Arg{blas.Int(rows), blas.Int(columns), blas.Int(sides), blas.Ptr(a.p), blas.Int(rows), blas.Ptr(b.p), blas.Int(high),
			blas.Ptr(s.p), blas.Ptr(rcond), blas.Ptr(rank), work, length}
		if j.complex {
			args = append(args, rwork)
		}
		return j.lapack("gelsd", append(args, iwork, blas.Info())...)
	}
	work, length, err := j.work(func(work, length blas.Arg) (int, error) { return call(work, length, blas.Ptr(sizeR), blas.Ptr(sizeI)) })
	if err != nil {
		return err
	}
	realWork := few
	if j.complex {
		if realWork, err = j.scratch(int(realAt(sizeR))+1, 8); err != nil {
			return err
		}
	}
	intWork, err := j.scratch(j.lib.Integers(sizeI, 1)[0]+1, 8)
	if err != nil {
		return err
	}
	info, err := call(work, length, blas.Ptr(realWork), blas.Ptr(intWork))
	if err != nil {
		return err
	}
	if info != 0 {
		return fault("SVD did not converge in Linear Least Squares")
	}
	m[2].copy(b)
	for k := range sides {
		sum := 0.0
		for i := columns; i < rows; i++ {
			z := j.number(b.at(i, k))
			sum += real(z)*real(z) + imag(z)*imag(z)
		}
		putReal(m[3].at(k, 0), sum)
	}
	*(*int32)(m[4].p) = int32(j.lib.Integers(rank, 1)[0])
	m[5].copy(s)
	return nil
}
