package blas

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
	native "gonum.org/v1/gonum/blas/gonum"
)

// rowsTimesRows computes c = alpha*a*bT + beta*c for matrices by rows, m by k and n by k: every
// element of c is a product of two rows. gonum's other forms skip factors of zero, and so lose
// the NaN of 0*inf; this one does not.
type rowsTimesRows[T any] func(m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)

func sgemm(m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	native.Implementation{}.Sgemm(blas.NoTrans, blas.Trans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func dgemm(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	native.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Blocks of a product: two of the factors' fit the L1 cache, and gonum, which would share a
// larger product among goroutines of its own, computes one of this size on the caller's.
const (
	blockSide  = 64
	blockDepth = 64
)

// vectors is a factor whose n vectors run along k: element k of vector i is at p[i*next+k*step].
type vectors[T any] struct {
	p          unsafe.Pointer
	next, step int
}

// block returns count vectors from element k on, as rows with their distance; those whose
// elements do not lie side by side are copied to room.
func (v vectors[T]) block(i, count, k, depth int, room []T) ([]T, int) {
	var zero T
	p := unsafe.Add(v.p, (i*v.next+k*v.step)*int(unsafe.Sizeof(zero)))
	if depth == 0 {
		return nil, blockDepth
	}
	if v.step == 1 {
		return unsafe.Slice((*T)(p), (count-1)*v.next+depth), max(v.next, depth) // of one vector, any distance
	}
	s := unsafe.Slice((*T)(p), (depth-1)*v.step+(count-1)*v.next+1)
	for l := range depth {
		for j := range count {
			room[j*blockDepth+l] = s[l*v.step+j*v.next]
		}
	}
	return room, blockDepth
}

// product computes c = alpha*left*right + beta*c, c having rows that are ldc apart.
func (f rowsTimesRows[T]) product(m, n, k int, alpha T, left, right vectors[T], beta, one T, c []T, ldc int) {
	var a, b [blockSide * blockDepth]T
	for i := 0; i < m; i += blockSide {
		rows := min(blockSide, m-i)
		for j := 0; j < n; j += blockSide {
			columns, scale := min(blockSide, n-j), beta
			for l := 0; l == 0 || l < k; l += blockDepth {
				depth := min(blockDepth, k-l)
				x, ldx := left.block(i, rows, l, depth, a[:])
				y, ldy := right.block(j, columns, l, depth, b[:])
				f(rows, columns, depth, alpha, x, ldx, y, ldy, scale, c[i*ldc+j:], ldc)
				scale = one
			}
		}
	}
}

// gemmOf has the arguments transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc. By
// rows, this is the product of what is behind b with what is behind a.
func gemmOf[T float32 | float64](f rowsTimesRows[T]) routine {
	return func(a formal) int {
		m, n, k, ldc := a.integer(2), a.integer(3), a.integer(4), a.integer(12)
		right := vectors[T]{a.address(6), 1, a.integer(7)}
		if a.letter(0) != 'N' {
			right.next, right.step = right.step, 1
		}
		left := vectors[T]{a.address(8), a.integer(9), 1}
		if a.letter(1) != 'N' {
			left.next, left.step = 1, left.next
		}
		f.product(n, m, k, *(*T)(a.address(5)), left, right, *(*T)(a.address(10)), 1,
			unsafe.Slice((*T)(a.address(11)), columns(m, n, ldc)), ldc)
		return 0
	}
}

// gemvOf has the arguments trans, m, n, alpha, a, lda, x, incx, beta, y, incy; the increments
// are positive.
func gemvOf[T float32 | float64](f rowsTimesRows[T]) routine {
	return func(a formal) int {
		rows, length := a.integer(1), a.integer(2)
		matrix := vectors[T]{a.address(4), 1, a.integer(5)}
		if a.letter(0) != 'N' {
			rows, length = length, rows
			matrix.next, matrix.step = matrix.step, 1
		}
		vector := vectors[T]{a.address(6), 1, a.integer(7)}
		y := unsafe.Slice((*T)(a.address(9)), (rows-1)*a.integer(10)+1)
		f.product(rows, 1, length, *(*T)(a.address(3)), matrix, vector, *(*T)(a.address(8)), 1, y, a.integer(10))
		return 0
	}
}
