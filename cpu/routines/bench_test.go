package routines

import (
	"fmt"
	"testing"

	"weft/tile"
)

func BenchmarkFourier(b *testing.B) {
	x := make([]complex128, 1<<20)
	for i := range x {
		x[i] = complex(float64(i%7), float64(i%5))
	}
	plans := NewPlans(PlanBytes)
	for _, c := range []struct {
		name string
		n    int
	}{{"1024", 1024}, {"1000", 1000}, {"64", 64}, {"100", 100}, {"1<<14", 1 << 14}, {"1<<20", 1 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			rows := len(x) / c.n
			out, _ := blank[complex128](tile.Complex128, rows, c.n)
			b.SetBytes(int64(rows * c.n * 16))
			for b.Loop() {
				plans.Fourier(goroutines, packed(tile.Complex128, x[:rows*c.n], rows, c.n), out, false, 1)
			}
		})
	}
}

// BenchmarkFourierRows transforms a hundred rows, complex and real, on one core.
func BenchmarkFourierRows(b *testing.B) {
	const rows = 100
	plans := NewPlans(PlanBytes)
	for _, n := range []int{10, 28, 64, 100, 300, 500, 2500} {
		x, out := make([]complex128, rows*n), make([]complex128, rows*n)
		for i := range x {
			x[i] = complex(float64(i%7), float64(i%5))
		}
		numbers := floatsIn(x)[:rows*n]
		b.Run(fmt.Sprintf("complex/%d", n), func(b *testing.B) {
			for b.Loop() {
				plans.Fourier(Serial, packed(tile.Complex128, x, rows, n), packed(tile.Complex128, out, rows, n), false, 1)
			}
		})
		b.Run(fmt.Sprintf("real/%d", n), func(b *testing.B) {
			for b.Loop() {
				plans.Fourier(Serial, packed(tile.Float64, numbers, rows, n), packed(tile.Complex128, out, rows, n), false, 1)
			}
		})
	}
}

// BenchmarkRealFourier transforms rows of a million numbers in all, on one core, there and back.
func BenchmarkRealFourier(b *testing.B) {
	plans := NewPlans(PlanBytes)
	for _, n := range []int{1 << 10, 1 << 20} {
		x, half, back := make([]float64, 1<<20), make([]complex128, 1<<20/n*(n/2+1)), make([]float64, 1<<20)
		for i := range x {
			x[i] = float64(i % 1000)
		}
		rows := len(x) / n
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				plans.RealFourier(Serial, packed(tile.Float64, x, rows, n), packed(tile.Complex128, half, rows, n/2+1), 1)
				plans.InverseRealFourier(Serial, packed(tile.Complex128, half, rows, n/2+1), packed(tile.Float64, back, rows, n), 1/float64(n))
			}
		})
	}
}

func BenchmarkScan(b *testing.B) {
	x := make([]int64, 1_000_000)
	for i := range x {
		x[i] = int64(i*7919) % 1000
	}
	out, _ := blank[int64](tile.Int64, len(x))
	for _, name := range []string{"add", "multiply", "maximum"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(16 * len(x)))
			for b.Loop() {
				Scan(Serial, name, packed(tile.Int64, x), out, 0)
			}
		})
	}
}
