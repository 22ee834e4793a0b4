package tile

import (
	"math"
	"math/big"
	"testing"
)

func TestRealExpReachesTheLargestNumbers(t *testing.T) {
	// log(2^1023 * 1.9) and the last argument whose power is finite.
	for _, x := range []float64{709.43, 709.44, 709.5, 709.78, 709.782712893384} {
		got := RealExp(x)
		// exp(x) = exp(x/2)^2, in more digits than a float64 has.
		half := new(big.Float).SetPrec(200).SetFloat64(x / 2)
		want, _ := power(half).Float64()
		if d := UlpDistance(FloatScalar(Float64, want), FloatScalar(Float64, got)); !(d <= 2) {
			t.Errorf("RealExp(%v) = %v, want %v (%v ulp)", x, got, want, d)
		}
	}
	for _, x := range []float64{709.7827128933841, 710, 1e9, math.Inf(1)} {
		if got := RealExp(x); !math.IsInf(got, 1) {
			t.Errorf("RealExp(%v) = %v, want +Inf", x, got)
		}
	}
}

// power returns exp(x) squared by its series, in the precision of x.
func power(x *big.Float) *big.Float {
	prec := x.Prec()
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for n := int64(1); n < 2500; n++ {
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(n))
		sum.Add(sum, term)
	}
	return sum.Mul(sum, sum)
}

func TestPhaseKeepsTheSign(t *testing.T) {
	for _, p := range []struct{ y, x, want float64 }{
		{-1e-300, -1e300, -math.Pi}, {1e-300, -1e300, math.Pi}, {-1e-300, 1e300, math.Copysign(0, -1)}, {1, 1, math.Pi / 4},
	} {
		got := phase(p.y, p.x)
		if got != p.want || math.Signbit(got) != math.Signbit(p.want) {
			t.Errorf("phase(%v, %v) = %v, want %v", p.y, p.x, got, p.want)
		}
	}
}
