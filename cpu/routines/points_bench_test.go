package routines

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"weft/tile"
)

func BenchmarkPoints(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 10_000_000
	x, at, v := make([]float64, n), make([]int64, n), make([]float64, n)
	for i := range at {
		at[i] = r.Int64N(int64(n))
	}
	op := func(t tile.DType, p unsafe.Pointer) tile.Operand {
		return tile.Operand{P: p, Type: t, Shape: []int{n}, Strides: []int64{8}}
	}
	values := op(tile.Float64, unsafe.Pointer(&v[0]))
	p := &Points{Of: op(tile.Float64, unsafe.Pointer(&x[0])), Indices: []tile.Operand{op(tile.Int64, unsafe.Pointer(&at[0]))}}
	b.Run("scatter", func(b *testing.B) {
		for b.Loop() {
			Scatter(goroutines, p, &values, nil)
		}
	})
	b.Run("gather", func(b *testing.B) {
		for b.Loop() {
			Gather(goroutines, p, &values)
		}
	})
	b.Run("outside", func(b *testing.B) {
		for b.Loop() {
			p.Outside(goroutines)
		}
	})
}
