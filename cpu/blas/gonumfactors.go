package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	native "gonum.org/v1/gonum/lapack/gonum"
)

// What follows computes by rows what LAPACK's routines of the same names compute by columns:
// some on copies, some on the transposed problem in the same memory.

var factor native.Implementation

// enough calls a routine first for the length of its work array, then with one.
func enough(call func(work []float64, length int)) {
	answer := make([]float64, 1)
	call(answer, -1)
	n := max(int(answer[0]), 1)
	call(make([]float64, n), n)
}

func failed(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// dgetrf: m, n, a, lda, pivots, info.
func dgetrf(f formal) int {
	m, n, lda := f.integer(0), f.integer(1), f.integer(3)
	a := f.real64(2, columns(m, n, lda))
	lu := byRows(a, m, n, lda)
	pivots := make([]int, min(m, n))
	ok := factor.Dgetrf(m, n, lu, max(n, 1), pivots)
	byColumns(a, lda, lu, m, n)
	to := f.integers(4, len(pivots))
	for i, p := range pivots {
		to[i] = int64(p) + 1
	}
	return failed(ok)
}

// dgetrs: trans, n, nrhs, a, lda, pivots, b, ldb, info. trans is N.
func dgetrs(f formal) int {
	n, sides, lda, ldb := f.integer(1), f.integer(2), f.integer(4), f.integer(7)
	pivots := make([]int, n)
	for i, p := range f.integers(5, n) {
		pivots[i] = int(p) - 1
	}
	b := f.real64(6, columns(n, sides, ldb))
	x := byRows(b, n, sides, ldb)
	factor.Dgetrs(blas.NoTrans, n, sides, byRows(f.real64(3, columns(n, n, lda)), n, n, lda), max(n, 1), pivots, x, max(sides, 1))
	byColumns(b, ldb, x, n, sides)
	return 0
}

// other is the triangle that a triangle by columns is by rows.
func other(uplo byte) blas.Uplo {
	if uplo == 'U' {
		return blas.Lower
	}
	return blas.Upper
}

// dpotrf: uplo, n, a, lda, info.
func dpotrf(f formal) int {
	n, lda := f.integer(1), f.integer(3)
	return failed(factor.Dpotrf(other(f.letter(0)), n, f.real64(2, columns(n, n, lda)), lda))
}

// dgeqrf: m, n, a, lda, tau, work, lwork, info.
func dgeqrf(f formal) int {
	if f.asked(6) {
		return 0
	}
	m, n, lda := f.integer(0), f.integer(1), f.integer(3)
	a := f.real64(2, columns(m, n, lda))
	qr := byRows(a, m, n, lda)
	tau := f.real64(4, min(m, n))
	enough(func(work []float64, length int) { factor.Dgeqrf(m, n, qr, max(n, 1), tau, work, length) })
	byColumns(a, lda, qr, m, n)
	return 0
}

// dorgqr: m, n, k, a, lda, tau, work, lwork, info.
func dorgqr(f formal) int {
	if f.asked(7) {
		return 0
	}
	m, n, k, lda := f.integer(0), f.integer(1), f.integer(2), f.integer(4)
	a := f.real64(3, columns(m, n, lda))
	q := byRows(a, m, n, lda)
	tau := f.real64(5, k)
	enough(func(work []float64, length int) { factor.Dorgqr(m, n, k, q, max(n, 1), tau, work, length) })
	byColumns(a, lda, q, m, n)
	return 0
}

// dgesdd: jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info. By rows, the matrix is the
// transposed one, whose left vectors are the right ones of this, in the very places where they
// are wanted.
func dgesdd(f formal) int {
	if f.asked(11) {
		return 0
	}
	m, n, lda, ldu, ldvt := f.integer(1), f.integer(2), f.integer(4), f.integer(7), f.integer(9)
	job, wide, high := lapack.SVDNone, 0, 0
	switch f.letter(0) {
	case 'A':
		job, wide, high = lapack.SVDAll, m, n
	case 'S':
		job, wide, high = lapack.SVDStore, min(m, n), min(m, n)
	}
	u, vt := f.real64(6, columns(m, wide, ldu)), f.real64(8, columns(high, n, ldvt))
	ok := false
	enough(func(work []float64, length int) {
		ok = factor.Dgesvd(job, job, n, m, f.real64(3, columns(m, n, lda)), lda, f.real64(5, min(m, n)), vt, ldvt, u, ldu, work, length)
	})
	return failed(ok)
}

// dsyevd: jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info.
func dsyevd(f formal) int {
	if f.asked(7) {
		f.integers(8, 1)[0] = 1
		return 0
	}
	n, lda := f.integer(2), f.integer(4)
	a := f.real64(3, columns(n, n, lda))
	ok := false
	enough(func(work []float64, length int) {
		ok = factor.Dsyev(lapack.EVJob(f.letter(0)), other(f.letter(1)), n, a, lda, f.real64(5, n), work, length)
	})
	for i := range n { // the vectors are columns by rows
		for j := range i {
			a[i*lda+j], a[j*lda+i] = a[j*lda+i], a[i*lda+j]
		}
	}
	return failed(ok)
}

// dgeev: jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork, info; jobvl is N.
func dgeev(f formal) int {
	if f.asked(12) {
		return 0
	}
	n, lda, ldv := f.integer(2), f.integer(4), f.integer(10)
	a := byRows(f.real64(3, columns(n, n, lda)), n, n, lda)
	job := lapack.RightEVJob(f.letter(1))
	v := make([]float64, 1)
	if job == lapack.RightEVCompute {
		v = make([]float64, n*n)
	}
	first := 0
	enough(func(work []float64, length int) {
		first = factor.Dgeev(lapack.LeftEVNone, job, n, a, max(n, 1), f.real64(5, n), f.real64(6, n), nil, 1, v, max(n, 1), work, length)
	})
	if job == lapack.RightEVCompute {
		byColumns(f.real64(9, columns(n, n, ldv)), ldv, v, n, n)
	}
	return first
}

// dgelsd: m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, iwork, info. gonum has no such routine: x is
// the sum over the singular values that count of v (u.b)/s. Behind x, where LAPACK leaves numbers
// whose squares add up to the residual's, is the residual's length.
func dgelsd(f formal) int {
	if f.asked(11) {
		f.integers(12, 1)[0] = 1
		return 0
	}
	m, n, sides, lda, ldb := f.integer(0), f.integer(1), f.integer(2), f.integer(4), f.integer(6)
	a, b := f.real64(3, columns(m, n, lda)), f.real64(5, columns(max(m, n), sides, ldb))
	low := min(m, n)
	s := f.real64(7, low)
	before := append([]float64(nil), a...)
	u, vt := make([]float64, m*low), make([]float64, n*low) // by columns, as a; vt by rows of v
	ok := false
	enough(func(work []float64, length int) {
		ok = factor.Dgesvd(lapack.SVDStore, lapack.SVDStore, n, m, a, lda, s, vt, max(low, 1), u, max(m, 1), work, length)
	})
	if !ok {
		return 1
	}
	rcond := f.real64(8, 1)[0]
	if rcond < 0 {
		rcond = 0x1p-52
	}
	rank := 0
	for rank < low && s[rank] > rcond*s[0] {
		rank++
	}
	f.integers(9, 1)[0] = int64(rank)
	x := make([]float64, n)
	for k := range sides {
		column := b[k*ldb:][:max(m, n)]
		clear(x)
		for r := range rank {
			t := 0.0
			for i := range m {
				t += u[r*m+i] * column[i]
			}
			t /= s[r]
			for j := range n {
				x[j] += t * vt[j*low+r]
			}
		}
		rest := 0.0
		for i := range m {
			t := column[i]
			for j := range n {
				t -= before[j*lda+i] * x[j]
			}
			rest = math.Hypot(rest, t)
		}
		clear(column)
		copy(column, x)
		if n < m {
			column[n] = rest
		}
	}
	return 0
}
