package tile

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestElementary compares the reference with package math where that is right, within the
// few units that math may be off.
func TestElementary(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	within := func(lo, hi float64) func() float64 { return func() float64 { return lo + (hi-lo)*r.Float64() } }
	anyBits := func() float64 { return math.Float64frombits(r.Uint64()) }
	for _, c := range []struct {
		name      string
		got, want func(float64) float64
		limit     float64
		inputs    []func() float64
	}{
		{"exp2", RealExp2, math.Exp2, 2, []func() float64{within(-1070, 1020), anyBits}},
		{"expm1", RealExpm1, math.Expm1, 1, []func() float64{within(-40, 700), within(-2, 2), anyBits}},
		{"log2", RealLog2, func(x float64) float64 { return RealLog(x) / math.Ln2 }, 3, []func() float64{within(0, 10), anyBits}},
		{"log10", RealLog10, func(x float64) float64 { return RealLog(x) / math.Ln10 }, 3, []func() float64{within(0, 10), anyBits}},
		{"log1p", RealLog1p, math.Log1p, 1.1, []func() float64{within(-1, 10), anyBits}},
		{"sinh", RealSinh, math.Sinh, 3, []func() float64{within(-700, 700), within(-1, 1)}},
		{"cosh", RealCosh, math.Cosh, 3, []func() float64{within(-700, 700), within(-1, 1)}},
		{"tanh", RealTanh, math.Tanh, 3, []func() float64{within(-30, 30), within(-1, 1), anyBits}},
		{"asinh", RealAsinh, math.Asinh, 3, []func() float64{within(-30, 30), anyBits}},
		{"acosh", RealAcosh, math.Acosh, 3, []func() float64{within(1, 30), anyBits}},
		{"atanh", RealAtanh, math.Atanh, 3, []func() float64{within(-1, 1), anyBits}},
		{"tan", RealTan, func(x float64) float64 { return RealSin(x) / RealCos(x) }, 3, []func() float64{within(-10, 10), anyBits}},
		{"asin", RealAsin, math.Asin, 8, []func() float64{within(-0.9, 0.9)}},
		{"acos", RealAcos, math.Acos, 8, []func() float64{within(-0.9, 0.9)}},
		{"atan", RealAtan, math.Atan, 2, []func() float64{within(-10, 10), anyBits}},
		{"cbrt", RealCbrt, math.Cbrt, 1, []func() float64{within(-10, 10), anyBits}},
		{"erf", RealErf, math.Erf, 2, []func() float64{within(-7, 7), within(-1, 1)}},
		{"erfc", RealErfc, math.Erfc, 4, []func() float64{within(-7, 26)}},
		{"gamma", RealGamma, math.Gamma, 128, []func() float64{within(-20, 170)}},
		{"lgamma", RealLogGamma, func(x float64) float64 { y, _ := math.Lgamma(x); return y }, 4, []func() float64{within(3, 1000)}},
	} {
		worst, at := 0.0, 0.0
		for _, input := range c.inputs {
			for range 300 {
				x := input()
				d := UlpDistance(FloatScalar(Float64, c.want(x)), FloatScalar(Float64, c.got(x)))
				if d > worst {
					worst, at = d, x
				}
			}
		}
		if worst > c.limit {
			t.Errorf("%s(%v) = %v, math says %v: %.3g units apart", c.name, at, c.got(at), c.want(at), worst)
		}
	}
}
