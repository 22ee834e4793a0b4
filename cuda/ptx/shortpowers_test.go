package ptx

import (
	"math"
	"math/rand/v2"
	"testing"

	"weft/tile/tiletest"
)

// Short powers are products in two parts, which are all but always the exact power rounded: through logarithms, seven
// of a thousand are not.
func TestShortPowersAreRoundedOnce(t *testing.T) {
	call := simFunctions(t)
	r := rand.New(rand.NewPCG(14, 15))
	var off, all int
	for half := -30; half <= 30; half++ {
		for range 60 {
			x := r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20))
			if half%2 != 0 {
				x = math.Abs(x)
			}
			got, want := double(call("weft_pow_f64", toDouble(x), toDouble(float64(half)/2))), tiletest.ExactPower(x, half)
			all++
			if got != want {
				off++
			}
			if d := ulps(got, want, 52, -1074); d > 1 {
				t.Errorf("%v ** %v is %v, wanted %v", x, float64(half)/2, got, want)
			}
		}
	}
	if off > all/1000 {
		t.Errorf("%d of %d powers are not the exact one rounded", off, all)
	}
}
