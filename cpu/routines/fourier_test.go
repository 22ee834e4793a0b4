package routines

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"weft/tile"
)

// slowFourier is the definition of one element.
func slowFourier(x []complex128, k int, inverse bool) complex128 {
	n := len(x)
	sign := -1.0
	if inverse {
		sign = 1
	}
	var sum complex128
	for j, z := range x {
		sum += z * cmplx.Rect(1, sign*2*math.Pi*float64(j*k%n)/float64(n))
	}
	return sum
}

// some are up to 30 of n positions.
func some(r *rand.Rand, n int) []int {
	list := []int{0, n - 1, n / 2}
	for range min(n, 27) {
		list = append(list, r.IntN(n))
	}
	return list
}

func TestFourier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 4, 5, 8, 30, 53, 59, 64, 97, 101, 106, 127, 509, 1018, 1000, 4096, 6000, 10007, 30030} {
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
				for _, i := range some(r, n) {
					near("transform", i, got[row*n+i], 0.5*slowFourier(x[row*n:(row+1)*n], i, inverse))
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
			for _, i := range some(r, m) {
				near("real transform", i, part[row*m+i], slowFourier(whole[row*n:(row+1)*n], i, false))
			}
			for i := range n {
				near("there and back", i, complex(again[row*n+i], 0), whole[row*n+i])
			}
		}
	}
}
