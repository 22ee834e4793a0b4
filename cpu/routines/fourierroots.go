package routines

import "math"

// rootsOf returns exp(-2 pi i k step/n) for k < count.
func rootsOf(n, count, step int) []complex128 {
	roots := make([]complex128, count)
	for k := range roots {
		roots[k] = rootOf(n, k*step)
	}
	return roots
}

// rootOf returns exp(-2 pi i k/n) for k >= 0. The angle is brought into the first eighth of the circle while it is a
// fraction of integers: that of a float would be off by the rounding of 2 pi, which is more than that of the root.
func rootOf(n, k int) complex128 {
	eighth, part := 8*(k%n)/n, 8*(k%n)%n
	if eighth%2 == 1 {
		part = n - part // counted back from the next quarter
	}
	const quarterPi, below = math.Pi / 4, 3.061616997868383e-17 // and what a float leaves of it
	share := float64(part) / float64(n)
	angle := quarterPi * share
	left := math.FMA(quarterPi, share, -angle) + below*share + quarterPi*math.FMA(-share, float64(n), float64(part))/float64(n)
	sin, cos := math.Sincos(angle)
	sin, cos = sin+left*cos, cos-left*sin
	if quarter := (eighth + 1) / 2 % 4; quarter%2 == 1 {
		sin, cos = cos, sin
	}
	if eighth >= 2 && eighth < 6 {
		cos = -cos
	}
	if eighth < 4 {
		sin = -sin
	}
	return complex(cos, sin)
}
