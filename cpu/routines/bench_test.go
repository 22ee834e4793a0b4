package routines

import (
	"testing"

	"weft/tile"
)

func BenchmarkFourier(b *testing.B) {
	x := make([]complex128, 1<<20)
	for i := range x {
		x[i] = complex(float64(i%7), float64(i%5))
	}
	for _, c := range []struct {
		name string
		n    int
	}{{"1024", 1024}, {"1000", 1000}, {"64", 64}, {"1<<20", 1 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			rows := len(x) / c.n
			out, _ := blank[complex128](tile.Complex128, rows, c.n)
			b.SetBytes(int64(rows * c.n * 16))
			for b.Loop() {
				Fourier(goroutines, packed(tile.Complex128, x[:rows*c.n], rows, c.n), out, false, 1)
			}
		})
	}
}
