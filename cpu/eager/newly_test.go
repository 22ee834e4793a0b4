package eager_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"weft/cpu/eager"
)

func TestNewly(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(math.NaN(), -1)}
	found := 0
	for range 3000 {
		var pinned runtime.Pinner
		n, infinite := 1+rng.IntN(5000), rng.IntN(2) == 0
		draw := func(share int, infinite bool) (eager.Array, []bool) {
			wide, one := rng.IntN(2) == 0, rng.IntN(4) == 0
			at, marks := 0, make([]bool, n)
			doubles, singles := make([]float64, n), make([]float32, n)
			for i := range doubles {
				doubles[i] = rng.NormFloat64()
			}
			for range rng.IntN(share) {
				doubles[rng.IntN(n)] = special[rng.IntN(len(special))]
			}
			for i := range singles {
				singles[i] = float32(doubles[i])
				if !one {
					at = i
				}
				marks[i] = math.IsNaN(doubles[at]) || infinite && math.IsInf(doubles[at], 0)
			}
			pinned.Pin(&doubles[0])
			pinned.Pin(&singles[0])
			a := eager.Array{Data: unsafe.Pointer(&doubles[0]), Size: 8, Step: 8}
			if !wide {
				a = eager.Array{Data: unsafe.Pointer(&singles[0]), Size: 4, Step: 4}
			}
			if one {
				a.Step = 0
			}
			return a, marks
		}
		before := make([]bool, n)
		var inputs []eager.Array
		for range rng.IntN(4) {
			in, marks := draw(40, false)
			inputs = append(inputs, in)
			for i, m := range marks {
				before[i] = before[i] || m
			}
		}
		result, after := draw(3, infinite)
		want := false
		for i, m := range after {
			want = want || m && !before[i]
		}
		if got := eager.Newly(n, infinite, inputs, result); got != want {
			t.Fatalf("of %d elements, infinite %v, %d inputs: got %v, want %v", n, infinite, len(inputs), got, want)
		}
		pinned.Unpin()
		if want {
			found++
		}
	}
	if found < 500 || found > 2500 {
		t.Errorf("%d of 3000 draws had something new; want many of both kinds", found)
	}
}
