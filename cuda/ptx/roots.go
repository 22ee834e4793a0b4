package ptx

import "math"

// The cube root and the error function of float32, in float32; see cpu/vm/roots32.h.

// horner is a polynomial in x, by its coefficients from the highest.
func (f fp) horner(x string, highest float64, others ...float64) string {
	p := f.num(highest)
	for _, c := range others {
		p = f.fma(x, p, f.num(c))
	}
	return p
}

// |x| = m * 2^(3q+j) with j = -1, 0 or 1. A polynomial gives the root of m to 16 bits. One step of Newton's method puts
// it right, for which another gives the inverse of the derivative to 11.
func cbrtSingle(f fp, x string) string {
	size := f.abs(x)
	v := normalizedSingle(f, size)
	k := exponentSingle(f, size, v)
	m := fractionSingle(f, v)
	third := f.fma(k, f.num(0x1.555556p-2), f.num(magicSingle))
	q := f.sub(third, f.num(magicSingle))
	j := f.fma(f.num(-3.0), q, k)
	p := f.horner(m, -0x1.3112f6p-5, 0x1.b78cbep-3, -0x1.1066c6p-1, 0x1.ce051ap-1, 0x1.cf20b0p-2)
	inverse := f.horner(m, -0x1.3ba88cp-3, 0x1.5438a0p-1, -0x1.170594p+0, 0x1.d3468ep-1)
	below := f.cmp("lt", j, f.num(0.0))
	above := f.cmp("gt", j, f.num(0.0))
	t := f.mul(p, f.sel(below, f.num(0x1.965feap-1), f.sel(above, f.num(0x1.428a3p+0), f.num(1.0))))
	a := f.mul(m, f.sel(below, f.num(0.5), f.sel(above, f.num(2.0), f.num(1.0))))
	u := f.mul(inverse, f.sel(below, f.num(0x1.965feap+0), f.sel(above, f.num(0x1.428a3p-1), f.num(1.0))))
	power := twoToSingle(f, f.word("sub.s32", f.word("mov.b32", third), hex(0x4b400000)))
	y := f.mul(f.fma(f.fma(f.neg(t), f.mul(t, t), a), u, t), power)
	y = f.sel(f.cmp("gt", size, f.num(0.0)), y, size)
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(math.Inf(1))), y, size))
}

// An odd polynomial up to 0.93. From there 1 - exp(g), where a polynomial gives g, the logarithm of erfc; from 4 on it
// is 1.
func erfSingle(f fp, x string) string {
	size := f.abs(x)
	t := f.sel(f.cmp("gt", size, f.num(4.0)), f.num(4.0), size)
	z := f.mul(t, t)
	p := f.horner(z, -0x1.398912p-11, 0x1.4723dep-8, -0x1.b689b6p-6, 0x1.ce1a88p-4, -0x1.8126e8p-2, 0x1.06eba6p-3)
	near := f.fma(p, t, t)
	q := f.horner(t, 0x1.bf7294p-13, -0x1.a4b9f4p-9, 0x1.76c494p-6, -0x1.af0d7ep-4, -0x1.457f3ep-1, -0x1.072fccp-3)
	g := f.fma(t, q, f.neg(t))
	s := f.fma(g, f.num(0x1.715476p+0), f.num(magicSingle))
	n := f.sub(s, f.num(magicSingle))
	r := f.fma(f.neg(n), f.num(0x1.62e43p-1), g)
	e := f.add(f.fma(f.mul(r, r), expTailSingle(f, r), r), f.num(1.0))
	power := twoToSingle(f, f.word("sub.s32", f.word("mov.b32", s), hex(0x4b400000)))
	far := f.fma(f.neg(e), power, f.num(1.0))
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(0.93)), near, far))
}
