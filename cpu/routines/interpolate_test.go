package routines

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/tile"
)

// slowInterpolate is the definition at one place.
func slowInterpolate(x, y []float64, left, right, at float64) float64 {
	last := len(x) - 1
	switch {
	case at < x[0]:
		return left
	case at > x[last]:
		return right
	case last > 0 && math.IsNaN(at):
		return at
	}
	j := 0
	for j < last && x[j+1] <= at {
		j++
	}
	if j == last || x[j] == at {
		return y[j]
	}
	slope := (y[j+1] - y[j]) / (x[j+1] - x[j])
	v := float64(slope*(at-x[j])) + y[j]
	if math.IsNaN(v) {
		v = float64(slope*(at-x[j+1])) + y[j+1]
	}
	if math.IsNaN(v) && y[j] == y[j+1] {
		v = y[j]
	}
	return v
}

func TestInterpolate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for trial := range 400 {
		n, m := []int{1, 2, 3, 9, 40, 1000}[r.IntN(6)], []int{1, 2, 15, 16, 17, 100, 3000}[r.IntN(7)]
		x, y, at := make([]float64, n), make([]float64, n), make([]float64, m)
		for i := range x {
			x[i], y[i] = float64(r.IntN(2*n)), r.NormFloat64() // some x twice
			if trial%5 == 0 && r.IntN(8) == 0 {
				y[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1)}[r.IntN(4)]
			}
		}
		slices.Sort(x)
		if trial%7 == 0 {
			x[0], x[n-1] = math.Inf(-1), math.Inf(1)
			y[n-1] = y[max(n-2, 0)]
		}
		for i := range at {
			at[i] = r.Float64()*float64(2*n+2) - 1
			if r.IntN(4) == 0 {
				at[i] = math.Round(at[i])
			}
		}
		if trial%2 == 0 {
			slices.Sort(at)
		}
		if trial%3 == 0 {
			at[r.IntN(m)] = math.NaN()
		}
		out, got := blank[float64](tile.Float64, m)
		Interpolate(goroutines, packed(tile.Float64, at, m), packed(tile.Float64, x, n), packed(tile.Float64, y, n), out, -2, 3)
		for i, v := range at {
			if want := slowInterpolate(x, y, -2, 3, v); math.Float64bits(got[i]) != math.Float64bits(want) && !(math.IsNaN(want) && math.IsNaN(got[i])) {
				t.Fatalf("trial %d: %d points, %d places: at %v is %v, want %v", trial, n, m, v, got[i], want)
			}
		}
	}
}
