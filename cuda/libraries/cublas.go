package libraries

import (
	"fmt"
	"math"
)

// Number is a type of number that cuBLAS multiplies.
type Number int

// The types, in the order of the entries below.
const (
	Single Number = iota
	Double
	SingleComplex
	DoubleComplex
)

// entries are the functions that are called: for each Number a product, and several whose matrices lie evenly apart.
var entries = []string{
	"cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2",
	"cublasSgemm_v2", "cublasDgemm_v2", "cublasCgemm_v2", "cublasZgemm_v2",
	"cublasSgemmStridedBatched", "cublasDgemmStridedBatched", "cublasCgemmStridedBatched", "cublasZgemmStridedBatched",
}

// Where entries are.
const (
	create = iota
	destroy
	setStream
	gemm
	gemmBatched = gemm + int(DoubleComplex) + 1
)

// Product is c = a @ b by columns, as BLAS has it, of addresses in a device's memory. Batch products have matrices that
// lie evenly apart.
type Product struct {
	Type    Number
	A, B, C Matrix
	M, N, K int // rows and columns of c; what is summed
	Batch   int // at least 1
}

// Matrix is where a matrix is.
type Matrix struct {
	At      uint64
	Leading int   // elements from one column to the next
	Apart   int64 // elements from one product's to the next's
	Turned  bool  // what lies there is the transpose
}

// Fits reports whether cuBLAS's numbers can say what the product is.
func (p *Product) Fits() bool {
	for _, n := range []int{p.M, p.N, p.K, p.Batch, p.A.Leading, p.B.Leading, p.C.Leading} {
		if n < 1 || n > math.MaxInt32 {
			return false
		}
	}
	rows := func(m *Matrix, rows, columns int) bool {
		if m.Turned {
			rows = columns
		}
		return m.Leading >= rows
	}
	return rows(&p.A, p.M, p.K) && rows(&p.B, p.K, p.N) && rows(&p.C, p.M, p.N)
}

// String names the product for an error text.
func (p *Product) String() string {
	return fmt.Sprintf("cuBLAS's %cgemm of (%d,%d) and (%d,%d), %d of them", "sdcz"[p.Type], p.M, p.K, p.K, p.N, p.Batch)
}

// statuses are the names of what cuBLAS returns.
var statuses = map[int]string{
	1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE", 8: "CUBLAS_STATUS_ARCH_MISMATCH",
	11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED", 14: "CUBLAS_STATUS_INTERNAL_ERROR", 15: "CUBLAS_STATUS_NOT_SUPPORTED",
	16: "CUBLAS_STATUS_LICENSE_ERROR",
}

// status makes an error of what a call of cuBLAS returned.
func status(call string, rc int) error { return returned(call, rc, statuses) }

// Blas is cuBLAS, loaded, for the rest of the process.
type Blas struct {
	Library
	entry []function // by the numbers of entries
}

// OpenBlas loads cuBLAS: the library of a path, or where that is "" the one that Find finds. The error says why there
// is none; ErrNone where the path is None.
func OpenBlas(path string, folders []string, cuda int) (*Blas, error) {
	l, err := table[blas].choose(path, folders, cuda)
	if err != nil {
		return nil, err
	}
	b := &Blas{Library: l}
	b.entry, err = open(l, path != "", entries)
	return b, err
}
