package tile

import "math"

// RealExp is e to the power x, within 2 ulp. Go's math.Exp on amd64 overflows from 709.436
// on, while the largest float64 is exp(709.7827). Above 709 the power of x-1, whose
// argument is exact, is multiplied by e.
func RealExp(x float64) float64 {
	if x > 709 && x < 710 {
		return math.Exp(x-1) * math.E
	}
	return math.Exp(x)
}

// phase is the angle of the point (x, y). Go's math.Atan2 loses the sign of y where the
// quotient underflows; the angle's sign is always that of y.
func phase(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }
