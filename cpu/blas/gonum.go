package blas

import (
	"runtime/debug"
	"unsafe"
)

// Gonum is the name by which the user can ask for the routines of this program itself.
const Gonum = "gonum"

// gonumModule is where they are from.
const gonumModule = "gonum.org/v1/gonum"

// routine is a Fortran routine in Go: it returns LAPACK's info. Matrices come and go by columns.
type routine func(a formal) (info int)

// gonumRoutines is what gonum can stand in for, under the Fortran names.
var gonumRoutines = map[string]routine{
	"sgemm": gemmOf(sgemm), "dgemm": gemmOf(dgemm),
	"sgemv": gemvOf(sgemm), "dgemv": gemvOf(dgemm),
	"dgetrf": dgetrf, "dgetrs": dgetrs, "dpotrf": dpotrf, "dgeqrf": dgeqrf, "dorgqr": dorgqr,
	"dgesdd": dgesdd, "dsyevd": dsyevd, "dgeev": dgeev, "dgelsd": dgelsd,
}

// openGonum returns the library that is always there. why says why it is taken.
func openGonum(why string) *Library {
	l := &Library{Path: Gonum, LastResort: why, own: gonumRoutines, threads: 1}
	l.Wide = true
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, m := range b.Deps {
			if m.Path == gonumModule {
				l.Version = Gonum + " " + m.Version
			}
		}
	}
	return l
}

// formal are the arguments of a routine as it sees them.
type formal []Arg

func (a formal) integer(i int) int { return int(int64(a[i].c.bits)) }

func (a formal) letter(i int) byte { return byte(a[i].c.bits) }

func (a formal) address(i int) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a[i].c.bits)) // not of the Go heap
}

// real64 is an array of n numbers.
func (a formal) real64(i, n int) []float64 { return unsafe.Slice((*float64)(a.address(i)), n) }

func (a formal) integers(i, n int) []int64 { return unsafe.Slice((*int64)(a.address(i)), n) }

// asked reports whether the caller asks with a length of -1 for the size of the work array
// before it. The routines here make their own, so that the answer is always 1.
func (a formal) asked(length int) bool {
	if a.integer(length) != -1 {
		return false
	}
	a.real64(length-1, 1)[0] = 1
	return true
}

// columns is how many elements lie between the first of a matrix by columns and the end of its
// last.
func columns(rows, n, lead int) int {
	if rows == 0 || n == 0 {
		return 0
	}
	return (n-1)*lead + rows
}

// byRows returns a copy of a matrix that lies by columns.
func byRows(a []float64, rows, columns, lead int) []float64 {
	d := make([]float64, rows*columns)
	transpose(d, columns, a, lead, rows, columns)
	return d
}

// byColumns writes a matrix by rows to one by columns.
func byColumns(d []float64, lead int, a []float64, rows, columns int) {
	transpose(d, lead, a, columns, columns, rows)
}

// transpose sets d[i*dl+j] = s[j*sl+i] for i below n and j below m, by squares that stay in the cache.
func transpose(d []float64, dl int, s []float64, sl, n, m int) {
	const side = 32
	for j0 := 0; j0 < m; j0 += side {
		for i0 := 0; i0 < n; i0 += side {
			for i := i0; i < min(i0+side, n); i++ {
				for j := j0; j < min(j0+side, m); j++ {
					d[i*dl+j] = s[j*sl+i]
				}
			}
		}
	}
}
