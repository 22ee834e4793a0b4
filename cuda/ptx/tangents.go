package ptx

import "math"

// The tangent and the angle of a point in float32; see cpu/vm/tangents32.h.

// An odd polynomial of what is left of the angle, hi + lo, in odd quadrants -1/(hi + lo), put right by what the
// quotient is off.
func tanSingle(f fp, x string) string {
	q, r, tail := reduceSingle(f, x)
	z := f.mul(r, r)
	p := f.horner(z, 0x1.1f7668p-8, 0x1.329f28p-14, 0x1.635e5cp-7, 0x1.5ca8e0p-6, 0x1.badb8ap-5, 0x1.110d98p-3, 0x1.555560p-2)
	cubic := f.mul(r, z)
	near := f.fma(cubic, p, r)
	rest := f.fma(cubic, p, f.fma(f.mul(near, near), tail, tail))
	hi := f.add(r, rest)
	lo := f.sub(rest, f.sub(hi, r))
	odd := oddSingle(f, q)
	d := f.sel(odd, hi, f.num(1))
	inverse := f.div(f.num(-1), d)
	turned := f.fma(inverse, f.fma(inverse, lo, f.fma(inverse, d, f.num(1))), inverse)
	return angleSingle(f, x, "tan", f.sel(f.cmp("eq", x, f.num(0)), x, f.sel(odd, turned, hi)))
}

// The angle of the point (x, y): of 0, pi/2 or pi, in two parts, the arc tangent of the smaller coordinate over the
// larger is taken away or added. Two infinities count as equal; huge and tiny numbers are scaled, so that the inverse
// keeps its digits.
func atan2Single(f fp, y, x string) string {
	ax, ay := f.abs(x), f.abs(y)
	swap := f.cmp("gt", ay, ax)
	large, small := f.sel(swap, ay, ax), f.sel(swap, ax, ay)
	scale := f.sel(f.cmp("gt", large, f.num(0x1p100)), f.num(0x1p-20), f.sel(f.cmp("lt", large, f.num(1)), f.num(0x1p60), f.num(1)))
	infinite := f.sel(f.cmp("eq", small, f.num(math.Inf(1))), f.num(1), f.num(0))
	n := f.sel(f.cmp("eq", large, f.num(math.Inf(1))), infinite, f.mul(small, scale))
	d := f.sel(f.or(f.cmp("eq", large, f.num(math.Inf(1))), f.cmp("eq", large, f.num(0))), f.num(1), f.mul(large, scale))
	inverse := f.div(f.num(1), d)
	t := f.mul(n, inverse)
	z := f.mul(t, t)
	lost := f.mul(f.fma(f.neg(t), d, n), inverse)
	rest := f.fma(t, atanSeriesSingle(f, z), f.fma(f.mul(lost, f.num(-0.5)), z, lost))
	left := f.pred("setp.lt.s32", f.word("mov.b32", x), "0")
	back := f.xor(swap, left)
	from := f.sel(swap, f.num(rightSingle), f.sel(left, f.num(2*rightSingle), f.num(0)))
	fromLo := f.sel(swap, f.num(rightLoSingle), f.sel(left, f.num(2*rightLoSingle), f.num(0)))
	step := f.sel(back, f.neg(t), t)
	angle := f.add(from, step)
	angle = f.add(angle, f.add(f.add(f.sub(from, angle), step), f.add(f.sel(back, f.neg(rest), rest), fromLo)))
	return f.toSign(y, f.sel(f.isNaN(x), x, f.sel(f.isNaN(y), y, angle)))
}
