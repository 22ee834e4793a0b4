package eager_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"weft/cpu/eager"
)

// Stacks of short products have the bits of the canonical order, which a plain loop has: one lane to a term, folded.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for range 3000 {
		products[float32](t, r, func(x float32) uint64 { return uint64(math.Float32bits(x)) })
		products[float64](t, r, math.Float64bits)
	}
}

func products[T float32 | float64](t *testing.T, r *rand.Rand, bits func(T) uint64) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	rows, columns, length, stack := 1+r.IntN(7), 1+r.IntN(25), 1+r.IntN(eager.ProductLength), 1+r.IntN(3)
	if r.IntN(2) == 0 {
		length = 1 + r.IntN(5)
	}
	if r.IntN(3) == 0 {
		rows, columns = 1+r.IntN(9), 1
	}
	if r.IntN(6) == 0 {
		rows, columns = columns, rows
	}
	steps := func(n, m int) (next, step, from int) { // by rows, by columns, backwards, or with gaps
		switch r.IntN(4) {
		case 0:
			return m, 1, 0
		case 1:
			return 1, n, 0
		case 2:
			return -m, -1, n*m - 1
		}
		return 2 * m, 2, 0
	}
	ai, ak, a0 := steps(rows, length)
	bj, bk, b0 := steps(columns, length)
	oi, oj, o0 := steps(rows, columns)
	as, bs, outS := 2*rows*length, 2*columns*length*r.IntN(2), 2*rows*columns
	a, b, out := make([]T, stack*as), make([]T, stack*2*columns*length), make([]T, stack*outS)
	for _, x := range [][]T{a, b} {
		for i := range x {
			x[i] = T(r.NormFloat64())
		}
	}
	p := eager.Product{
		A: unsafe.Pointer(&a[a0]), B: unsafe.Pointer(&b[b0]), Out: unsafe.Pointer(&out[o0]),
		AI: ai * size, AK: ak * size, BJ: bj * size, BK: bk * size, OutI: oi * size, OutJ: oj * size,
		Rows: rows, Columns: columns, Length: length, Stack: stack, AS: as * size, BS: bs * size, OutS: outS * size,
	}
	if raised := p.Compute(size); raised != 0 {
		t.Fatalf("flags %d", raised)
	}
	for s := range stack {
		for i := range rows {
			for j := range columns {
				var lane [eager.ProductLength]T
				for k := range length {
					lane[k] = T(a[a0+s*as+i*ai+k*ak] * b[b0+s*bs+j*bj+k*bk])
				}
				for n := eager.ProductLength / 2; n > 0; n /= 2 {
					for k := 0; k < n && k+n < length; k++ {
						lane[k] += lane[k+n]
					}
				}
				if got := out[o0+s*outS+i*oi+j*oj]; bits(got) != bits(lane[0]) {
					t.Fatalf("%d rows, %d columns, %d terms: product %d [%d,%d] is %v, want %v", rows, columns, length, s, i, j, got, lane[0])
				}
			}
		}
	}
}
