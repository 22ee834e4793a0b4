package ptx

import "math"

// Powers and roots; see exponents.go.

// x^y = 2^(y*log2|x|) with the product in two parts; then C99's rules, and short exponents.
func powDouble(f fp, x, y string) string {
	ax := f.abs(x)
	l := log2Pair(f, ax)
	p := f.mul(y, l.hi)
	e := f.add(f.fma(y, l.hi, f.neg(p)), f.mul(y, l.lo))
	high := f.sel(f.cmp("gt", p, f.num(1030.0)), f.num(1030.0), p)
	low := f.sel(f.cmp("lt", high, f.num(-1080.0)), f.num(-1080.0), high)
	size := exp2Pair(f, low, f.sel(f.cmp("eq", p, low), e, f.num(0.0)))
	grown := f.sel(f.cmp("gt", y, f.num(0.0)), f.num(math.Inf(1)), f.num(0.0))
	shrunk := f.sel(f.cmp("gt", y, f.num(0.0)), f.num(0.0), f.num(math.Inf(1)))
	size = f.sel(f.cmp("eq", ax, f.num(0.0)), shrunk, size)
	size = f.sel(f.cmp("eq", ax, f.num(math.Inf(1))), grown, size)
	size = f.sel(f.cmp("eq", f.abs(y), f.num(math.Inf(1))), f.sel(f.cmp("gt", ax, f.num(1.0)), grown, shrunk), size)
	size = f.sel(f.cmp("eq", ax, f.num(1.0)), f.num(1.0), size)
	ay := f.abs(y)
	whole := f.sel(f.cmp("ge", ay, f.num(0x1p52)), ay, f.sub(f.add(ay, f.num(0x1p52)), f.num(0x1p52)))
	halved := f.mul(ay, f.num(0.5))
	half := f.sel(f.cmp("ge", halved, f.num(0x1p52)), halved, f.sub(f.add(halved, f.num(0x1p52)), f.num(0x1p52)))
	z := f.sel(f.cmp("eq", halved, half), size, f.sel(f.cmp("eq", whole, ay), f.toSign(x, size), size))
	defined := f.sel(f.cmp("eq", whole, ay), z, f.sel(f.cmp("lt", ax, f.num(math.Inf(1))), f.num(math.NaN()), z))
	z = f.sel(f.cmp("lt", x, f.num(0.0)), defined, z)
	z = f.sel(f.isNaN(x), x, f.sel(f.isNaN(y), y, z))
	z = f.sel(f.cmp("eq", y, f.num(0.0)), f.num(1.0), f.sel(f.cmp("eq", x, f.num(1.0)), f.num(1.0), z))
	return shortPowerDouble(f, x, y, z)
}

// |x| = m * 2^(3q+j) with j = -1, 0 or 1. A polynomial gives the root of m to 16 bits, one step
// of Halley's method 48, and the last step is put right by its remainder.
func cbrtDouble(f fp, x string) string {
	size := f.abs(x)
	v := normalized(f, size)
	k := exponent(f, size, v)
	m := fraction(f, v)
	third := f.fma(k, f.num(0x1.5555555555555p-2), f.num(magicDouble))
	q := f.sub(third, f.num(magicDouble))
	j := f.fma(f.num(-3.0), q, k)
	p := f.fma(m, f.num(-0x1.26e9dff4b8569p-5), f.num(0x1.acbd9f5c005f9p-3))
	p = f.fma(m, f.fma(m, f.fma(m, p, f.num(-0x1.0c2b25ead282dp-1)), f.num(0x1.cb216702c91b8p-1)), f.num(0x1.d093b879adecep-2))
	below := f.cmp("lt", j, f.num(0.0))
	above := f.cmp("gt", j, f.num(0.0))
	t := f.mul(p, f.sel(below, f.num(0x1.965fea53d6e3dp-1), f.sel(above, f.num(0x1.428a2f98d728bp+0), f.num(1.0))))
	a := f.mul(m, f.sel(below, f.num(0.5), f.sel(above, f.num(2.0), f.num(1.0))))
	cube := f.mul(f.mul(t, t), t)
	inverse := f.div(f.num(1.0), f.fma(f.num(2.0), cube, a))
	t = f.fma(f.mul(t, f.sub(a, cube)), inverse, t)
	square := f.mul(t, t)
	squareLo := f.fma(t, t, f.neg(square))
	left := f.fma(f.neg(t), squareLo, f.fma(f.neg(t), square, a))
	y := f.mul(f.fma(left, f.mul(t, inverse), t), twoTo(f, f.long("sub.s64", f.long("mov.b64", third), hex(0x4338000000000000))))
	y = f.sel(f.cmp("gt", size, f.num(0.0)), y, size)
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(math.Inf(1))), y, size))
}

// Scaled so that squares stay in range. The root of the rounded sum is put right by what its square
// is too large, to first order. An infinity beats a NaN.
func hypotDouble(f fp, x, y string) string {
	ax := f.abs(x)
	ay := f.abs(y)
	swap := f.cmp("lt", ax, ay)
	large := f.sel(swap, ay, ax)
	small := f.sel(swap, ax, ay)
	huge := f.cmp("gt", large, f.num(0x1p500))
	tiny := f.cmp("lt", large, f.num(0x1p-400))
	scale := f.sel(huge, f.num(0x1p-600), f.sel(tiny, f.num(0x1p600), f.num(1.0)))
	back := f.sel(huge, f.num(0x1p600), f.sel(tiny, f.num(0x1p-600), f.num(1.0)))
	a := f.mul(large, scale)
	b := f.mul(small, scale)
	root := f.sqrt(f.fma(a, a, f.mul(b, b)))
	square := f.mul(root, root)
	first := f.mul(a, a)
	excess := f.add(f.fma(f.neg(b), b, f.sub(square, first)), f.fma(root, root, f.neg(square)))
	excess = f.sub(excess, f.fma(a, a, f.neg(first)))
	divisor := f.sel(f.cmp("gt", root, f.num(0)), f.add(root, root), f.num(1))
	size := f.mul(f.sub(root, f.div(excess, divisor)), back)
	return f.sel(f.cmp("eq", ax, f.num(math.Inf(1))), f.num(math.Inf(1)), f.sel(f.cmp("eq", ay, f.num(math.Inf(1))), f.num(math.Inf(1)), size))
}
