package tile

import "math"

// The elementary functions on float64, as the reference has them: special cases first, then
// the definition in wide numbers. All are within 0.51 units in the last place.

// RealExp2 returns 2 to the power x.
func RealExp2(x float64) float64 {
	if !(math.Abs(x) < 1100) {
		return math.Exp2(x)
	}
	return nearest(wideExp(product(widened(x), wideLn2)))
}

// RealExpm1 returns exp(x)-1.
func RealExpm1(x float64) float64 {
	switch {
	case x == 0, !(math.Abs(x) < 720):
		return math.Expm1(x)
	case math.Abs(x) < 1:
		return nearest(wideExpm1(widened(x)))
	}
	return nearest(difference(wideExp(widened(x)), one))
}

// logarithm returns log(x)/log(base).
func logarithm(x float64, base wide) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return math.Log(x)
	}
	return nearest(quotient(wideLog(widened(x)), base))
}

// RealLog2 returns the binary logarithm.
func RealLog2(x float64) float64 { return logarithm(x, wideLn2) }

// RealLog10 returns the decimal logarithm.
func RealLog10(x float64) float64 { return logarithm(x, wideLn10) }

// RealLog1p returns log(1+x).
func RealLog1p(x float64) float64 {
	if x == 0 || !(x > -1 && x <= math.MaxFloat64) {
		return math.Log1p(x)
	}
	return nearest(wideLog1p(widened(x)))
}

// RealSinh returns the hyperbolic sine.
func RealSinh(x float64) float64 {
	switch {
	case x == 0, !(math.Abs(x) < 720):
		return math.Sinh(x)
	case math.Abs(x) < 1:
		e := wideExpm1(widened(x))
		return nearest(scaled(sum(e, quotient(e, sum(e, one))), -1))
	}
	e := wideExp(widened(x))
	return nearest(scaled(difference(e, quotient(one, e)), -1))
}

// RealCosh returns the hyperbolic cosine.
func RealCosh(x float64) float64 {
	if !(math.Abs(x) < 720) {
		return math.Cosh(x)
	}
	e := wideExp(widened(x))
	return nearest(scaled(sum(e, quotient(one, e)), -1))
}

// RealTanh returns the hyperbolic tangent.
func RealTanh(x float64) float64 {
	switch {
	case x == 0, !(math.Abs(x) < 40):
		return math.Tanh(x)
	case math.Abs(x) < 0.5:
		e := wideExpm1(widened(2 * x))
		return nearest(quotient(e, sum(e, widened(2))))
	}
	e := wideExp(widened(2 * x))
	return nearest(quotient(difference(e, one), sum(e, one)))
}

// RealAsinh returns the inverse hyperbolic sine.
func RealAsinh(x float64) float64 {
	if x == 0 || !(math.Abs(x) <= math.MaxFloat64) {
		return x
	}
	size := widened(math.Abs(x))
	z := product(size, size)
	y := wideLog1p(sum(size, quotient(z, sum(one, root(sum(one, z))))))
	return math.Copysign(nearest(y), x)
}

// RealAcosh returns the inverse hyperbolic cosine.
func RealAcosh(x float64) float64 {
	if !(x > 1 && x <= math.MaxFloat64) {
		return math.Acosh(x)
	}
	t := difference(widened(x), one)
	return nearest(wideLog1p(sum(t, root(product(t, sum(t, widened(2)))))))
}

// RealAtanh returns the inverse hyperbolic tangent.
func RealAtanh(x float64) float64 {
	if x == 0 || !(math.Abs(x) < 1) {
		return math.Atanh(x)
	}
	v := widened(x)
	return nearest(scaled(wideLog1p(quotient(scaled(v, 1), difference(one, v))), -1))
}

// RealTan returns the tangent of x radians.
func RealTan(x float64) float64 {
	if x == 0 || !(math.Abs(x) <= math.MaxFloat64) {
		return x * (x - x + 1) // NaN of an infinity
	}
	q, r, tail := toQuadrant(x)
	angle := sum(widened(r), widened(tail))
	sin, cos := wideSin(angle), wideCos(angle)
	if q&1 == 0 {
		return nearest(quotient(sin, cos))
	}
	return nearest(opposite(quotient(cos, sin)))
}

// RealAsin returns the arc sine.
func RealAsin(x float64) float64 {
	if x == 0 || !(math.Abs(x) <= 1) {
		return math.Asin(x)
	}
	return nearest(wideAngle(widened(x), cathetus(x)))
}

// RealAcos returns the arc cosine.
func RealAcos(x float64) float64 {
	if !(math.Abs(x) <= 1) {
		return math.Acos(x)
	}
	return nearest(wideAngle(cathetus(x), widened(x)))
}

// cathetus is sqrt(1-x^2).
func cathetus(x float64) wide {
	v := widened(x)
	return root(product(difference(one, v), sum(one, v)))
}

// RealAtan returns the arc tangent.
func RealAtan(x float64) float64 {
	if x == 0 || !(math.Abs(x) <= math.MaxFloat64) {
		return math.Atan(x)
	}
	return nearest(wideAngle(widened(x), one))
}

// RealAtan2 returns the angle of the point (x, y).
func RealAtan2(y, x float64) float64 {
	if y == 0 || x == 0 || !(math.Abs(y) <= math.MaxFloat64) || !(math.Abs(x) <= math.MaxFloat64) {
		return math.Atan2(y, x)
	}
	return math.Copysign(nearest(wideAngle(widened(math.Abs(y)), widened(x))), y)
}

// RealCbrt returns the cube root: one step of Newton's method squares the error of math.Cbrt.
func RealCbrt(x float64) float64 {
	y := math.Cbrt(x)
	if x == 0 || !(math.Abs(x) <= math.MaxFloat64) {
		return y
	}
	t := widened(y)
	square := product(t, t)
	return nearest(difference(t, quotient(difference(product(square, t), widened(x)), times(square, 3))))
}

// RealHypot returns sqrt(x^2+y^2).
func RealHypot(x, y float64) float64 {
	if !(math.Abs(x) <= math.MaxFloat64) || !(math.Abs(y) <= math.MaxFloat64) {
		return math.Hypot(x, y)
	}
	a, b := widened(x), widened(y)
	return nearest(root(sum(product(a, a), product(b, b))))
}
