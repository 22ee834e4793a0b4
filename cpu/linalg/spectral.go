package linalg

import (
	"unsafe"

	"weft/cpu/blas"
)

func svd(j *job, m []matrix) error {
	option := byte('S')
	if m[1].columns == m[1].rows && m[3].rows == m[3].columns {
		option = 'A'
	}
	return j.singular(option, m[0], m[2], m[1], m[3])
}

func svdvals(j *job, m []matrix) error { return j.singular('N', m[0], m[1], matrix{}, matrix{}) }

// singular computes the singular values of a, and with the options S and A the vectors.
func (j *job) singular(option byte, a, s, u, vh matrix) error {
	h, err := j.packed(a, a.rows)
	if err != nil {
		return err
	}
	low, high := min(a.rows, a.columns), max(a.rows, a.columns)
	values, err := j.columns(low, 1, 8)
	if err != nil {
		return err
	}
	left, err := j.columns(max(u.rows, 1), max(u.columns, 1), j.size)
	if err != nil {
		return err
	}
	right, err := j.columns(max(vh.rows, 1), max(vh.columns, 1), j.size)
	if err != nil {
		return err
	}
	ints, err := j.scratch(8*low, 8)
	if err != nil {
		return err
	}
	reals := ints
	if j.complex {
		if reals, err = j.scratch(max(7*low, low*max(5*low+7, 2*high+2*low+1)), 8); err != nil {
			return err
		}
	}
	call := func(work, length blas.Arg) (int, error) {
		args := []blas.Arg{blas.Char(option), blas.Int(a.rows), blas.Int(a.columns), blas.Ptr(h.p), blas.Int(a.rows), blas.Ptr(values.p),
			blas.Ptr(left.p), blas.Int(left.rows), blas.Ptr(right.p), blas.Int(right.rows), work, length}
		if j.complex {
			args = append(args, blas.Ptr(reals))
		}
		return j.lapack("gesdd", append(args, blas.Ptr(ints), blas.Info())...)
	}
	work, length, err := j.work(call)
	if err != nil {
		return err
	}
	info, err := call(work, length)
	if err != nil {
		return err
	}
	if info != 0 {
		return fault("SVD did not converge")
	}
	s.copy(values)
	if option != 'N' {
		u.copy(left)
		vh.copy(right)
	}
	return nil
}

func eigh(j *job, m []matrix) error     { return j.symmetric('V', m[0], m[1], m[2]) }
func eigvalsh(j *job, m []matrix) error { return j.symmetric('N', m[0], m[1], matrix{}) }

// symmetric computes the eigenvalues, and with the option V the vectors.
func (j *job) symmetric(option byte, a, w, v matrix) error {
	n := a.rows
	h, err := j.packed(a, n)
	if err != nil {
		return err
	}
	values, err := j.columns(n, 1, 8)
	if err != nil {
		return err
	}
	few, err := j.scratch(2, 16)
	if err != nil {
		return err
	}
	sizeR, sizeI := few, unsafe.Add(few, 16)
	*(*int64)(sizeI) = 0
	triangle, _ := j.triangle()
	name := "syevd"
	if j.complex {
		name = "heevd"
	}
	call := func(work, length, rwork, rlength, iwork, ilength blas.Arg) (int, error) {
		args := []blas.Arg{blas.Char(option), blas.Char(triangle), blas.Int(n), blas.Ptr(h.p), blas.Int(n), blas.Ptr(values.p), work, length}
		if j.complex {
			args = append(args, rwork, rlength)
		}
		return j.lapack(name, append(args, iwork, ilength, blas.Info())...)
	}
	work, length, err := j.work(func(work, length blas.Arg) (int, error) {
		return call(work, length, blas.Ptr(sizeR), blas.Int(-1), blas.Ptr(sizeI), blas.Int(-1))
	})
	if err != nil {
		return err
	}
	ints := j.lib.Integers(sizeI, 1)[0]
	iwork, err := j.scratch(ints, 8)
	if err != nil {
		return err
	}
	reals := 1
	if j.complex {
		reals = int(realAt(sizeR))
	}
	rwork, err := j.scratch(reals, 8)
	if err != nil {
		return err
	}
	info, err := call(work, length, blas.Ptr(rwork), blas.Int(reals), blas.Ptr(iwork), blas.Int(ints))
	if err != nil {
		return err
	}
	if info != 0 {
		return fault("Eigenvalues did not converge")
	}
	w.copy(values)
	if option == 'V' {
		v.copy(h)
	}
	return nil
}

func eig(j *job, m []matrix) error     { return j.general('V', m[0], m[1], m[2]) }
func eigvals(j *job, m []matrix) error { return j.general('N', m[0], m[1], matrix{}) }

// general computes eigenvalues, and with the option V the right vectors, as complex numbers.
func (j *job) general(option byte, a, w, v matrix) error {
	n := a.rows
	h, err := j.packed(a, n)
	if err != nil {
		return err
	}
	values, err := j.columns(n, 2, j.size) // of real matrices: the real parts, then the imaginary ones
	if err != nil {
		return err
	}
	side := 1
	if option == 'V' {
		side = n
	}
	vectors, err := j.columns(side, side, j.size)
	if err != nil {
		return err
	}
	reals, err := j.scratch(2*n, 8)
	if err != nil {
		return err
	}
	call := func(work, length blas.Arg) (int, error) {
		args := []blas.Arg{blas.Char('N'), blas.Char(option), blas.Int(n), blas.Ptr(h.p), blas.Int(n), blas.Ptr(values.p)}
		if !j.complex {
			args = append(args, blas.Ptr(values.at(0, 1)))
		}
		args = append(args, blas.Ptr(vectors.p), blas.Int(1), blas.Ptr(vectors.p), blas.Int(side), work, length)
		if j.complex {
			args = append(args, blas.Ptr(reals))
		}
		return j.lapack("geev", append(args, blas.Info())...)
	}
	work, length, err := j.work(call)
	if err != nil {
		return err
	}
	info, err := call(work, length)
	if err != nil {
		return err
	}
	if info != 0 {
		return fault("Eigenvalues did not converge")
	}
	if j.complex {
		values.columns = 1
		w.copy(values)
		if option == 'V' {
			v.copy(vectors)
		}
		return nil
	}
	j.pairs(option, values, vectors, w, v)
	return nil
}

// pairs makes complex numbers of LAPACK's form for real matrices: a pair of conjugate values
// k and k+1 has the vectors x[k] + i*x[k+1] and x[k] - i*x[k+1].
func (j *job) pairs(option byte, values, vectors, w, v matrix) {
	put := func(p unsafe.Pointer, re, im float64) {
		putReal(p, re)
		putReal(unsafe.Add(p, 8), im)
	}
	n := values.rows
	sign := 0.0 // of the imaginary part of the second of a pair
	for k := range n {
		re, im := realAt(values.at(k, 0)), realAt(values.at(k, 1))
		put(w.at(k, 0), re, im)
		if option != 'V' {
			continue
		}
		real, imaginary := k, k+1
		switch {
		case im == 0:
			sign = 0
		case sign == 1: // the second of a pair
			real, imaginary, sign = k-1, k, -1
		default:
			sign = 1
		}
		for i := range n {
			y := 0.0
			if sign != 0 {
				y = sign * realAt(vectors.at(i, imaginary))
			}
			put(v.at(i, k), realAt(vectors.at(i, real)), y)
		}
	}
}
