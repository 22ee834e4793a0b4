package cpu

import "unsafe"

// Integer division, powers and bits. Division rounds to minus infinity; by zero it gives 0,
// and so does its remainder.

func floorDivSigned[T signedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		var q T
		switch y {
		case 0:
		case -1: // the smallest integer would trap
			q = -x
		default:
			q = x / y
			if q*y != x && (x < 0) != (y < 0) {
				q--
			}
		}
		*at[T](dp) = q
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func remSigned[T signedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		var r T
		if y != 0 && y != -1 {
			r = x % y
			if r != 0 && (r < 0) != (y < 0) {
				r += y
			}
		}
		*at[T](dp) = r
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func divUnsigned[T unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		var q T
		if y != 0 {
			q = x / y
		}
		*at[T](dp) = q
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func remUnsigned[T unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		var r T
		if y != 0 {
			r = x % y
		}
		*at[T](dp) = r
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

// powInt wraps. A negative exponent gives 0, except for the bases 1 and -1.
func powInt[T integer](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		x, y := *at[T](ap), *at[T](bp)
		p := T(1)
		if y < 0 {
			switch {
			case x == 1:
			case x+1 == 0:
				p -= 2 * (y & 1)
			default:
				p = 0
			}
			y = 0
		}
		for ; y != 0; y >>= 1 {
			if y&1 != 0 {
				p *= x
			}
			x *= x
		}
		*at[T](dp) = p
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func and[T unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) & *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func or[T unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) | *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func xor[T unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) ^ *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func not[T unsignedInt](n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = ^*at[T](ap)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

func notBool(n int, d, a, _, _ *operand) {
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[uint8](dp) = *at[uint8](ap) ^ 1
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// shl and shrUnsigned take counts as unsigned: negative ones are past the width. Go's shifts
// give 0 there.

func shl[T unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) << *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func shrUnsigned[T unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) >> *at[T](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func shrSigned[T signedInt, C unsignedInt](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap) >> *at[C](bp)
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}
