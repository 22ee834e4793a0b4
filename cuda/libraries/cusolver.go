package libraries

import (
	"fmt"
	"math"
)

// Problem is what cuSOLVER does with a matrix of double precision.
type Problem int

// The problems.
const (
	Factors        Problem = iota // Cholesky's, of one triangle
	Equations                     // with the matrix's transpose, by its factors: both are overwritten
	Eigenvalues                   // of one triangle of a matrix that is its own conjugate transpose, ascending
	Eigenvectors                  // and, by columns, in the matrix's place
	Reflectors                    // of an orthogonal matrix, below the triangle that it makes of the matrix
	Orthogonal                    // that matrix, of its Reflectors
	SingularValues                // descending; of a matrix of no more columns than rows, which is overwritten
	SingularVectors
	problemsCount = int(SingularVectors) + 1
)

// problems have a word for each, for error texts.
var problems = [problemsCount]string{"Cholesky factors", "linear equations", "eigenvalues", "eigenvectors", "reflectors", "orthogonal factor", "singular values",
	"singular vectors"}

// Decomposition is a Problem of one matrix, which lies by columns without gaps.
type Decomposition struct {
	Problem Problem
	Complex bool
	Rows, N int  // rows and columns
	Sides   int  // of Equations, right-hand sides; of Orthogonal, columns that are wanted
	Upper   bool // the triangle that is read, of the columns
	Whole   bool // of SingularVectors: as many left ones as rows, and not as columns
}

// Fits reports whether cuSOLVER's numbers can say what the decomposition is.
func (d *Decomposition) Fits() bool {
	for _, n := range []int{d.Rows, d.N, max(d.Sides, 1)} {
		if n < 1 || n > math.MaxInt32 {
			return false
		}
	}
	return true
}

// String names the decomposition for an error text.
func (d *Decomposition) String() string {
	return fmt.Sprintf("cuSOLVER's %s of a %s matrix of %d rows and %d columns", problems[d.Problem], map[bool]string{false: "real", true: "complex"}[d.Complex], d.Rows, d.N)
}

// Operands are the addresses of a decomposition, in the memory of the handle's device.
type Operands struct {
	Matrix uint64
	Sides  uint64 // of Equations; they become the results
	Pivots uint64 // of Equations, N numbers of 4 bytes
	Values uint64 // eigenvalues or singular ones, N of double precision
	Scales uint64 // of Reflectors, and of Orthogonal
	Left   uint64 // singular vectors, by columns; of Orthogonal, the reflectors, in whose place the result is
	Right  uint64 // singular vectors, by rows
	Rest   uint64 // of SingularValues and SingularVectors, N of double precision
	Info   uint64 // two numbers of 4 bytes; the first is above 0 where the data has no result
	Work   uint64
}

// solverEntries are the functions that are called: of real numbers, and then of complex ones.
var solverEntries = []string{
	"cusolverDnCreate", "cusolverDnDestroy", "cusolverDnSetStream",
	"cusolverDnDpotrf_bufferSize", "cusolverDnDpotrf", "cusolverDnDgetrf_bufferSize", "cusolverDnDgetrf", "cusolverDnDgetrs",
	"cusolverDnDsyevd_bufferSize", "cusolverDnDsyevd", "cusolverDnDgeqrf_bufferSize", "cusolverDnDgeqrf",
	"cusolverDnDorgqr_bufferSize", "cusolverDnDorgqr", "cusolverDnDgesvd_bufferSize", "cusolverDnDgesvd",
	"cusolverDnZpotrf_bufferSize", "cusolverDnZpotrf", "cusolverDnZgetrf_bufferSize", "cusolverDnZgetrf", "cusolverDnZgetrs",
	"cusolverDnZheevd_bufferSize", "cusolverDnZheevd", "cusolverDnZgeqrf_bufferSize", "cusolverDnZgeqrf",
	"cusolverDnZungqr_bufferSize", "cusolverDnZungqr", "cusolverDnZgesvd_bufferSize", "cusolverDnZgesvd",
}

// Where solverEntries are; those of complex numbers are ofComplex further on.
const (
	createSolver = iota
	destroySolver
	setSolverStream
	potrfSize
	potrf
	getrfSize
	getrf
	getrs
	syevdSize
	syevd
	geqrfSize
	geqrf
	orgqrSize
	orgqr
	gesvdSize
	gesvd
	ofComplex = gesvd - setSolverStream
)

// Solver is cuSOLVER, loaded, for the rest of the process.
type Solver struct {
	Library
	entry []function // by the numbers of solverEntries
}

// OpenSolver loads cuSOLVER, as OpenBlas does cuBLAS.
func OpenSolver(path string, folders []string, cuda int) (*Solver, error) {
	l, err := table[solver].choose(path, folders, cuda)
	if err != nil {
		return nil, err
	}
	s := &Solver{Library: l}
	s.entry, err = open(l, path != "", solverEntries)
	return s, err
}

// solverStatuses are the names of what cuSOLVER returns.
var solverStatuses = map[int]string{
	1: "CUSOLVER_STATUS_NOT_INITIALIZED", 2: "CUSOLVER_STATUS_ALLOC_FAILED", 3: "CUSOLVER_STATUS_INVALID_VALUE", 4: "CUSOLVER_STATUS_ARCH_MISMATCH",
	5: "CUSOLVER_STATUS_MAPPING_ERROR", 6: "CUSOLVER_STATUS_EXECUTION_FAILED", 7: "CUSOLVER_STATUS_INTERNAL_ERROR",
	8: "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED", 9: "CUSOLVER_STATUS_NOT_SUPPORTED",
}

// solved makes an error of what a call of cuSOLVER returned.
func solved(call string, rc int) error { return returned(call, rc, solverStatuses) }
