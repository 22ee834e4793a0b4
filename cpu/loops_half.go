package cpu

import (
	"unsafe"

	"weft/tile"
)

// float16 elements are uint16. Only what float32 would get wrong, or what is trivial, is here;
// the compiler of programs lowers everything else to float32.

func singleFromHalf(n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[float32](dp) = tile.HalfToFloat(*at[uint16](ap))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func halfFromSingle(n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[uint16](dp) = tile.HalfFromFloat64(float64(*at[float32](ap)))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func halfFromDouble(n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[uint16](dp) = tile.HalfFromFloat64(*at[float64](ap))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func negHalf(n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[uint16](dp) = *at[uint16](ap) ^ 0x8000
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func absHalf(n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[uint16](dp) = *at[uint16](ap) &^ 0x8000
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// minHalf and maxHalf take the first of equal operands, unlike the other floats.

func minHalf(n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		h, g := *at[uint16](ap), *at[uint16](bp)
		if x, y := tile.HalfToFloat(h), tile.HalfToFloat(g); x <= y || x != x {
			g = h
		}
		*at[uint16](dp) = g
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func maxHalf(n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		h, g := *at[uint16](ap), *at[uint16](bp)
		if x, y := tile.HalfToFloat(h), tile.HalfToFloat(g); x >= y || x != x {
			g = h
		}
		*at[uint16](dp) = g
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

// addHalf and mulHalf are the steps of float16 reductions.

func addHalf(n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint16](dp) = tile.HalfFromFloat64(float64(tile.HalfToFloat(*at[uint16](ap)) + tile.HalfToFloat(*at[uint16](bp))))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func mulHalf(n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint16](dp) = tile.HalfFromFloat64(float64(tile.HalfToFloat(*at[uint16](ap)) * tile.HalfToFloat(*at[uint16](bp))))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}
