package tile

import "math"

// The float rows of the reference table: NumPy's algorithms, each real operation rounded to
// the precision of t.

// realFloorDiv and realRem follow npy_divmod: the remainder is exact (fmod), then moved to
// the divisor's sign; the quotient is the rounded (a-rem)/b, snapped to an integer.
func realFloorDiv(t DType, a, b float64) float64 {
	if b == 0 {
		return a / b
	}
	mod := math.Mod(a, b)
	div := round(t, round(t, a-mod)/b)
	if mod != 0 && (b < 0) != (mod < 0) {
		div = round(t, div-1)
	}
	if div == 0 {
		return math.Copysign(0, a/b)
	}
	floor := math.Floor(div)
	if round(t, div-floor) > 0.5 {
		floor = round(t, floor+1)
	}
	return floor
}

func realRem(t DType, a, b float64) float64 {
	mod := math.Mod(a, b)
	switch {
	case b == 0: // NaN
		return mod
	case mod == 0:
		return math.Copysign(0, b)
	case (b < 0) != (mod < 0):
		return round(t, mod+b)
	}
	return mod
}

func realSign(_ DType, a, _ float64) float64 {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	case a == 0:
		return 0
	}
	return a
}

// realMin and realMax propagate NaN. Of equal operands, which matters for zeros of either
// sign, they return the second, but of float16 the first: NumPy's two loops differ.
func realMin(t DType, a, b float64) float64 {
	if a != a || a < b || t == Float16 && a == b {
		return a
	}
	return b
}

func realMax(t DType, a, b float64) float64 {
	if a != a || a > b || t == Float16 && a == b {
		return a
	}
	return b
}
