package tile

import "math"

// RealExp is e to the power x.
func RealExp(x float64) float64 {
	if !(math.Abs(x) < 750) {
		return math.Exp(x)
	}
	return nearest(wideExp(widened(x)))
}

// phase is the angle of the point (x, y). Go's math.Atan2 loses the sign of y where the
// quotient underflows; the angle's sign is always that of y.
func phase(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }
