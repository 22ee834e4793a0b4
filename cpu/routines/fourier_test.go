package routines

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// slowFourier is the definition.
func slowFourier(x []complex128, inverse bool) []complex128 {
	n := len(x)
	out := make([]complex128, n)
	sign := -1.0
	if inverse {
		sign = 1
	}
	for k := range out {
		for j, z := range x {
			out[k] += z * cmplx.Rect(1, sign*2*math.Pi*float64(j*k%n)/float64(n))
		}
	}
	return out
}

func TestFourier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 4, 5, 8, 30, 53, 59, 64, 97, 101, 106, 127, 509, 1018, 1000} {
		x := make([]complex128, 3*n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		near := func(what string, i int, got, want complex128) {
			if cmplx.Abs(got-want) > 1e-12*float64(n) {
				t.Fatalf("%s of %d: element %d is %v, want %v", what, n, i, got, want)
			}
		}
		out, got := blank[complex128](tile.Complex128, 3, n)
		for _, inverse := range []bool{false, true} {
			Fourier(goroutines, packed(tile.Complex128, x, 3, n), out, inverse, 0.5)
			for row := range 3 {
				want := slowFourier(x[row*n:(row+1)*n], inverse)
				for i := range want {
					near("transform", i, got[row*n+i], want[i]*0.5)
				}
			}
		}
		real0 := make([]float64, 3*n)
		whole := make([]complex128, 3*n)
		for i := range real0 {
			real0[i] = r.NormFloat64()
			whole[i] = complex(real0[i], 0)
		}
		m := n/2 + 1
		half, part := blank[complex128](tile.Complex128, 3, m)
		RealFourier(goroutines, packed(tile.Float64, real0, 3, n), half, 1)
		back, again := blank[float64](tile.Float64, 3, n)
		InverseRealFourier(goroutines, half, back, 1/float64(n))
		for row := range 3 {
			want := slowFourier(whole[row*n:(row+1)*n], false)
			for i := range m {
				near("real transform", i, part[row*m+i], want[i])
			}
			for i := range n {
				near("there and back", i, complex(again[row*n+i], 0), whole[row*n+i])
			}
		}
	}
}
