package ptx

import "math"

// The cube root, the magnitude and the error functions of float32, in float32; see cpu/vm/roots32.h.

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

// Scaled so that squares stay in range. An infinity beats a NaN.
func hypotSingle(f fp, x, y string) string {
	ax, ay := f.abs(x), f.abs(y)
	swap := f.cmp("lt", ax, ay)
	large := f.sel(swap, ay, ax)
	huge, tiny := f.cmp("gt", large, f.num(0x1p60)), f.cmp("lt", large, f.num(0x1p-40))
	scale := f.sel(huge, f.num(0x1p-100), f.sel(tiny, f.num(0x1p100), f.num(1)))
	back := f.sel(huge, f.num(0x1p100), f.sel(tiny, f.num(0x1p-100), f.num(1)))
	a, b := f.mul(large, scale), f.mul(f.sel(swap, ax, ay), scale)
	size := f.mul(f.sqrt(f.fma(a, a, f.mul(b, b))), back)
	return f.sel(f.or(f.isInf(x), f.isInf(y)), f.num(math.Inf(1)), size)
}

// erf(t)/t - 1 over z = t^2 <= 0.87.
func erfSeriesSingle(f fp, z string) string {
	return f.horner(z, -0x1.398912p-11, 0x1.4723dep-8, -0x1.b689b6p-6, 0x1.ce1a88p-4, -0x1.8126e8p-2, 0x1.06eba6p-3)
}

// An odd polynomial up to 0.93. From there 1 - exp(g), where a polynomial gives g, the logarithm of erfc; from 4 on it
// is 1.
func erfSingle(f fp, x string) string {
	size := f.abs(x)
	t := f.sel(f.cmp("gt", size, f.num(4.0)), f.num(4.0), size)
	near := f.fma(erfSeriesSingle(f, f.mul(t, t)), t, t)
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

// erfc(x) for 0.8 <= x <= 10.1: exp(-x^2)/(x+2.5) times a polynomial in q = (x-2.5)/(x+2.5). What the quotients are off
// is put right to first order, the square is taken in two parts, and the power of two comes last, so that small results
// round once.
func erfcFarSingle(f fp, x string) string {
	d := f.add(x, f.num(2.5))
	dLo := f.sel(f.cmp("gt", x, f.num(2.5)), f.sub(f.num(2.5), f.sub(d, x)), f.sub(x, f.sub(d, f.num(2.5))))
	inverse := f.div(f.num(1), d)
	above := f.sub(x, f.num(2.5))
	q := f.mul(above, inverse)
	qLo := f.mul(f.fma(f.neg(q), dLo, f.fma(f.neg(q), d, above)), inverse)
	p := f.mul(q, f.horner(q, 0x1.4a2fcep-11, -0x1.ab4dccp-12, -0x1.3aad8ep-8, 0x1.12d274p-7, 0x1.d0a624p-6, -0x1.5eb8b2p-3,
		0x1.d0cee0p-2, -0x1.9bfb54p-1))
	sum := f.add(f.num(0x1.0dd508p+0), p)
	sumLo := f.sub(f.sub(p, f.sub(sum, f.num(0x1.0dd508p+0))), f.num(0x1.eb5fd6p-26))
	sumLo = f.fma(qLo, f.fma(q, f.num(0.75), f.num(-0.8)), sumLo)
	part := f.mul(sum, inverse)
	partLo := f.mul(f.fma(f.neg(part), dLo, f.add(f.fma(f.neg(part), d, sum), sumLo)), inverse)

	a := f.mul(x, x)
	aLo := f.fma(x, x, f.neg(a))
	t := f.fma(f.neg(a), f.num(0x1.715476p+0), f.num(magicSingle))
	n := f.sub(t, f.num(magicSingle))
	r0 := f.fma(f.neg(n), f.num(0x1.62e43p-1), f.neg(a))
	r := f.fma(f.neg(n), f.num(-0x1.05c61p-29), r0)
	rLo := f.sub(f.fma(f.neg(n), f.num(-0x1.05c61p-29), f.sub(r0, r)), aLo)
	square := f.mul(r, r)
	tail := expTailSingle(f, r)
	e := f.fma(square, tail, r)
	rest := f.fma(part, f.add(rLo, f.fma(square, tail, f.sub(r, e))), partLo)
	y := f.add(part, f.fma(part, e, f.fma(rest, e, rest)))
	return scaleBySingle(f, y, f.word("sub.s32", f.word("mov.b32", t), hex(0x4b400000)))
}

// Up to 0.8, 1 less the error function, whose series is added to the rest of 1-x.
func erfcSingle(f fp, x string) string {
	size := f.abs(x)
	far := erfcFarSingle(f, f.sel(f.cmp("gt", size, f.num(10.1)), f.num(10.1), size))
	rest := f.sub(f.num(1), x)
	lo := f.sub(f.sub(f.num(1), rest), x)
	near := f.add(rest, f.fma(f.neg(x), erfSeriesSingle(f, f.mul(x, x)), lo))
	return f.sel(f.cmp("lt", size, f.num(0.8)), near, f.sel(f.cmp("gt", x, f.num(0)), far, f.sub(f.num(2), far)))
}
