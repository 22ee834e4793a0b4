package cpu

import (
	"math"
	"unsafe"
)

// convert is Go's conversion: integers wrap, integers become the nearest float, floats round.
// It is not for floats to integers. Its source may be bool as uint8.
func convert[To, From real](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[To](dp) = To(*at[From](ap))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// toBool is "not zero"; a NaN is true. For complex it looks at both parts.
func toBool[From number](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[uint8](dp) = truth(*at[From](ap) != 0)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// Floats to integers: what NumPy's loops give on x86-64 out of range, written out, because Go
// leaves it to the processor; see tile.Convert.

func truncate64(v float64) int64 {
	if v >= -1<<63 && v < 1<<63 {
		return int64(v)
	}
	return math.MinInt64
}

func truncate32(v float64) int32 {
	if v > -1<<31-1 && v < 1<<31 {
		return int32(v)
	}
	return math.MinInt32
}

// toInt32 also serves the narrower integers, which keep the low bits.
func toInt32[To integer, From float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[To](dp) = To(truncate32(float64(*at[From](ap))))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func toInt64[From float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[int64](dp) = truncate64(float64(*at[From](ap)))
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func toUint32[From float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		v := float64(*at[From](ap))
		if v >= 1<<31 {
			*at[uint32](dp) = uint32(truncate32(v-1<<31)) ^ 1<<31
		} else {
			*at[uint32](dp) = uint32(truncate32(v))
		}
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func toUint64[From float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		v := float64(*at[From](ap))
		if v >= 1<<63 {
			*at[uint64](dp) = uint64(truncate64(v-1<<63)) ^ 1<<63
		} else {
			*at[uint64](dp) = uint64(truncate64(v))
		}
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// complexFrom adds an imaginary part of zero to a real of the same precision.
func complexFrom[F float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[pair[F]](dp) = pair[F]{re: *at[F](ap)}
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// recomplex changes the precision of both parts.
func recomplex[To, From float](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		x := *at[pair[From]](ap)
		*at[pair[To]](dp) = pair[To]{To(x.re), To(x.im)}
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}
