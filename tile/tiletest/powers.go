package tiletest

import "math/big"

// ExactPower is x to the power half/2, rounded once; x is positive where half is odd. It is the slow twin of the
// devices' short powers.
func ExactPower(x float64, half int) float64 {
	const digits = 2000 // of x^30 there are 1,590
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(v) }
	steps, rooted := max(half, -half), half%2 != 0
	if !rooted {
		steps /= 2
	}
	power := number(1)
	for range steps {
		power.Mul(power, number(x))
	}
	if rooted {
		power.Sqrt(power)
	}
	if half < 0 {
		power.Quo(number(1), power)
	}
	rounded, _ := power.Float64()
	return rounded
}
