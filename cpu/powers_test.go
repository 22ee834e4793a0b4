package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"weft/tile"
	"weft/tile/tiletest"
)

// Powers by multiples of 1/2 are products and roots, written out for some exponents where the exponent is a scalar. An
// exponent in an array gives the same bits, beside any others and on every instruction set, and they are the
// reference's within its error.
func TestShortPowers(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1070, 0x1p1000, 0x1p-120, 0x1p120, 0x1p60, 0x1p-60, 0x1p32, 0x1p-32, 0x1p119, -0x1p31}
	for _, dtype := range []tile.DType{tile.Float64, tile.Float32} {
		var all [2][]float64
		var scalars []tile.Scalar
		for half := -34; half <= 34; half++ {
			y := float64(half) / 2
			if half == 33 {
				y = 2.25 // none
			}
			var x []float64
			for i := range 300 {
				switch i % 5 {
				case 0:
					x = append(x, special[r.IntN(len(special))])
				case 1:
					x = append(x, math.Ldexp(r.NormFloat64(), r.IntN(300)-150))
				default:
					x = append(x, math.Abs(r.NormFloat64())*10)
				}
			}
			for _, isa := range ISAs() {
				d := New(Options{Workers: 1, ISA: isa})
				defer d.Close()
				got := outcome(t, d, tile.Pow, dtype, [2][]float64{x, {y}})
				for i, g := range got {
					a, b := tile.FloatScalar(dtype, x[i]), tile.FloatScalar(dtype, y)
					if want := tile.Eval(tile.Pow, dtype, a, b); !(tile.UlpDistance(want, g) <= 1) && (want.Float() == want.Float() || g.Float() == g.Float()) {
						t.Errorf("%s: %v ** %v is %v, wanted %v", isa, a, b, g, want)
					}
				}
				if isa == ISAs()[0] {
					for range x {
						all[1] = append(all[1], y)
					}
					all[0], scalars = append(all[0], x...), append(scalars, got...)
				}
			}
		}
		order := r.Perm(len(scalars))
		var x, y []float64
		for _, i := range order {
			x, y = append(x, all[0][i]), append(y, all[1][i])
		}
		for _, isa := range ISAs() {
			d := New(Options{Workers: 1, ISA: isa})
			defer d.Close()
			for k, operands := range [][2][]float64{all, {x, y}} {
				for i, g := range outcome(t, d, tile.Pow, dtype, operands) {
					want := scalars[i]
					if k == 1 {
						want = scalars[order[i]]
					}
					if g != want && (g.Float() == g.Float() || want.Float() == want.Float()) {
						t.Fatalf("%s: %v ** %v of %v is %v where exponents are an array, %v where they are a scalar", isa, operands[0][i], operands[1][i], dtype, g, want)
					}
				}
			}
		}
	}
}

// They round once, all but always: through logarithms, seven of a thousand are not the nearest.
func TestShortPowersAreRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		defer d.Close()
		var off, all int
		for half := -30; half <= 30; half++ {
			x := make([]float64, 60)
			for i := range x {
				x[i] = r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20))
				if half%2 != 0 {
					x[i] = math.Abs(x[i])
				}
			}
			for i, got := range outcome(t, d, tile.Pow, tile.Float64, [2][]float64{x, {float64(half) / 2}}) {
				all++
				if want := tile.FloatScalar(tile.Float64, tiletest.ExactPower(x[i], half)); got != want {
					off++
					if tile.UlpDistance(want, got) > 1 {
						t.Errorf("%s: %v ** %v is %v, wanted %v", isa, x[i], float64(half)/2, got, want)
					}
				}
			}
		}
		if off > all/1000 {
			t.Errorf("%s: %d of %d powers are not the exact one rounded", isa, off, all)
		}
	}
}
