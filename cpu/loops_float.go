package cpu

import (
	"math"
	"unsafe"

	"weft/tile"
)

// Float functions without a loop in hardware. float32 goes through float64 where that rounds
// to the same bits (exact functions, square root) or within the stated tolerance.

// floorDivFloat and remFloat follow NumPy; see package tile's reference.
func floorDivFloat[T float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		*at[T](dp) = floorQuotient(x, y)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func floorQuotient[T float](x, y T) T {
	if y == 0 {
		return x / y
	}
	mod := T(math.Mod(float64(x), float64(y)))
	q := (x - mod) / y
	if mod != 0 && (y < 0) != (mod < 0) {
		q--
	}
	if q == 0 {
		return T(math.Copysign(0, float64(x/y)))
	}
	f := T(math.Floor(float64(q)))
	if q-f > 0.5 {
		f++
	}
	return f
}

func remFloat[T float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		mod := T(math.Mod(float64(x), float64(y)))
		switch {
		case y == 0:
		case mod == 0:
			mod = T(math.Copysign(0, float64(y)))
		case (y < 0) != (mod < 0):
			mod += y
		}
		*at[T](dp) = mod
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func powFloat[T float](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = T(tile.RealPow(float64(*at[T](ap)), float64(*at[T](bp))))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func sqrt[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(math.Sqrt(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func exp[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(tile.RealExp(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func log[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(tile.RealLog(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func sin[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(tile.RealSin(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func cos[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(tile.RealCos(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func tanh[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(math.Tanh(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func floor[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(math.Floor(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func ceil[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(math.Ceil(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func trunc[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(math.Trunc(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func rint[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = T(math.RoundToEven(float64(*at[T](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func isNaN[T number](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[T](ap)
		*at[uint8](dp) = truth(x != x)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func isInf[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[T](ap)
		*at[uint8](dp) = truth(x-x != 0 && x == x)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func isFinite[T float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[T](ap)
		*at[uint8](dp) = truth(x-x == 0)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}
