package cpu

import "unsafe"

// Comparisons write bool elements, 0 or 1. a > b is b < a with the operands exchanged, by
// the compiler of programs.

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func eq[T number](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint8](dp) = truth(*at[T](ap) == *at[T](bp))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func ne[T number](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint8](dp) = truth(*at[T](ap) != *at[T](bp))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func lt[T real](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint8](dp) = truth(*at[T](ap) < *at[T](bp))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

func le[T real](n int, d, a, b, _ *operand) {
	dp, ap, bp := d.p, a.p, b.p
	for ; n > 0; n-- {
		*at[uint8](dp) = truth(*at[T](ap) <= *at[T](bp))
		dp, ap, bp = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

// choose writes elements of a where the bool c holds and of b elsewhere; only the size of
// the elements matters. The operands are in the order of the opcode: condition first.
func choose[T any](n int, d, c, a, b *operand) {
	dp, cp, ap, bp := d.p, c.p, a.p, b.p
	for ; n > 0; n-- {
		x := *at[T](bp)
		if *at[uint8](cp) != 0 {
			x = *at[T](ap)
		}
		*at[T](dp) = x
		dp, cp = unsafe.Add(dp, d.step), unsafe.Add(cp, c.step)
		ap, bp = unsafe.Add(ap, a.step), unsafe.Add(bp, b.step)
	}
}

// move copies elements; only their size matters.
func move[T any](n int, d, a, _, _ *operand) {
	if size := int(unsafe.Sizeof(*at[T](d.p))); d.step == size && a.step == size {
		copy(vector[T](d, n), vector[T](a, n))
		return
	}
	dp, ap := d.p, a.p
	for ; n > 0; n-- {
		*at[T](dp) = *at[T](ap)
		dp, ap = unsafe.Add(dp, d.step), unsafe.Add(ap, a.step)
	}
}

// count writes the coordinates of a block: a is the first one, b the distance, 0 or 1.
func count(n int, d, a, b, _ *operand) {
	dp, v, by := d.p, *at[int64](a.p), *at[int64](b.p)
	for ; n > 0; n-- {
		*at[int64](dp) = v
		v += by
		dp = unsafe.Add(dp, d.step)
	}
}
