package ptx

import "math"

// More functions of float32 that stay in float32; see exponents.go. Their bodies are those of
// cpu/vm/narrow32.h.

const (
	rightSingle        = 0x1.921fb6p+0 // pi/2 in two parts
	rightLoSingle      = -0x1.777a5cp-25
	inverseLn2Single   = 0x1.715476p+0
	inverseLn2LoSingle = 0x1.4ae0cp-26
)

// Horner's scheme with one factor: the first coefficient is that of the highest power.
func hornerSingle(f fp, x string, coefficients ...float64) string {
	p := f.num(coefficients[0])
	for _, c := range coefficients[1:] {
		p = f.fma(x, p, f.num(c))
	}
	return p
}

// 2^x = 2^n * 2^f, whose polynomial is in f itself, |f| <= 1/2.
func exp2NarrowSingle(f fp, x string) string {
	a := f.sel(f.cmp("gt", x, f.num(129)), f.num(129), x)
	b := f.sel(f.cmp("lt", a, f.num(-151)), f.num(-151), a)
	t := f.add(b, f.num(magicSingle))
	part := f.sub(b, f.sub(t, f.num(magicSingle)))
	p := hornerSingle(f, part, 0.00015461447765119374, 0.0013390866806730628, 0.009618056938052177, 0.055503569543361664, 0.24022650718688965, 0.6931471824645996)
	return scaleBySingle(f, f.fma(part, p, f.num(1)), f.word("sub.s32", f.word("mov.b32", t), hex(0x4b400000)))
}

// (exp(x) - 1) / 4 for -18 <= x <= 89.5, as in expm1Quarter.
func expm1QuarterSingle(f fp, x string) string {
	t := f.fma(x, f.num(inverseLn2Single), f.num(magicSingle))
	n := f.sub(t, f.num(magicSingle))
	power := twoToSingle(f, f.word("sub.s32", f.word("mov.b32", t), hex(0x4b400002)))
	r0 := f.fma(f.neg(n), f.num(0x1.62e43p-1), x)
	r := f.fma(f.neg(n), f.num(-0x1.05c61p-29), r0)
	rLo := f.fma(f.neg(n), f.num(-0x1.05c61p-29), f.sub(r0, r))
	p := f.fma(f.mul(r, r), expTailSingle(f, r), f.fma(r, rLo, rLo))
	base := f.sub(power, f.num(0.25))
	step := f.mul(power, r)
	sum := f.add(base, step)
	return f.add(sum, f.fma(power, p, f.sub(step, f.sub(sum, base))))
}

func expm1Single(f fp, x string) string {
	a := f.sel(f.cmp("gt", x, f.num(89.5)), f.num(89.5), x)
	b := f.sel(f.cmp("lt", a, f.num(-18)), f.num(-18), a)
	y := f.mul(expm1QuarterSingle(f, b), f.num(4))
	return f.sel(f.cmp("lt", f.abs(x), f.num(0x1p-25)), x, y)
}

// log(m) = hi + lo.
func logPairSingle(f fp, m string) pair {
	n := f.sub(m, f.num(1))
	s := f.div(n, f.add(n, f.num(2)))
	square := f.mul(f.mul(f.num(0.5), n), n)
	var y pair
	y.hi = f.sub(n, square)
	y.lo = f.fma(s, logSeriesSingle(f, s, square), f.sub(f.sub(n, y.hi), square))
	return y
}

func log2Single(f fp, x string) string {
	v := normalizedSingle(f, x)
	k := exponentSingle(f, x, v)
	l := logPairSingle(f, fractionSingle(f, v))
	b := f.mul(l.hi, f.num(inverseLn2Single))
	bLo := f.fma(l.lo, f.num(inverseLn2Single), f.fma(l.hi, f.num(inverseLn2LoSingle), f.fma(l.hi, f.num(inverseLn2Single), f.neg(b))))
	sum := f.add(k, b)
	return logSpecialSingle(f, x, f.add(sum, f.add(f.sub(b, f.sub(sum, k)), bLo)))
}

func log10Single(f fp, x string) string {
	v := normalizedSingle(f, x)
	k := exponentSingle(f, x, v)
	l := logPairSingle(f, fractionSingle(f, v))
	b := f.mul(l.hi, f.num(0x1.bcb7b2p-2))
	bLo := f.fma(l.lo, f.num(0x1.bcb7b2p-2), f.fma(l.hi, f.num(-0x1.5b235ep-27), f.fma(l.hi, f.num(0x1.bcb7b2p-2), f.neg(b))))
	c := f.mul(k, f.num(0x1.344p-2))
	cLo := f.fma(k, f.num(0x1.3509f8p-18), bLo)
	sum := f.add(c, b)
	return logSpecialSingle(f, x, f.add(sum, f.add(f.sub(b, f.sub(sum, c)), cLo)))
}

func log1pSingle(f fp, x string) string {
	u := f.add(f.num(1), x)
	back := f.sub(u, f.num(1))
	lost := f.add(f.sub(f.num(1), f.sub(u, back)), f.sub(x, back))
	k := exponentSingle(f, f.num(1), u)
	n := f.sub(fractionSingle(f, u), f.num(1))
	s := f.div(n, f.add(n, f.num(2)))
	square := f.mul(f.mul(f.num(0.5), n), n)
	rest := f.fma(s, logSeriesSingle(f, s, square), f.fma(k, f.num(9.0580006145e-06), f.div(lost, u)))
	y := f.fma(k, f.num(6.9313812256e-01), f.sub(n, f.sub(square, rest)))
	y = f.sel(f.cmp("lt", x, f.num(-1)), f.num(math.NaN()), y)
	y = f.sel(f.cmp("eq", x, f.num(-1)), f.num(math.Inf(-1)), y)
	y = f.sel(f.cmp("lt", f.abs(x), f.num(0x1p-25)), x, y)
	return f.sel(f.cmp("lt", x, f.num(math.Inf(1))), y, x)
}

// asin(s)/s - 1 over z = s^2 <= 1/4.
func asinSeriesSingle(f fp, z string) string {
	return hornerSingle(f, z, 0.03380575031042099, 0.017077859491109848, 0.03111615590751171, 0.04459803178906441, 0.07500098645687103, 0.1666666567325592)
}

// Up to 1/2 the series; beyond, asin(x) = pi/2 - 2*asin(s) with s^2 = (1-|x|)/2.
func asinSingle(f fp, x string) string {
	size := f.abs(x)
	near := f.cmp("lt", size, f.num(0.5))
	z := f.sel(near, f.mul(size, size), f.mul(f.num(0.5), f.sub(f.num(1), size)))
	root := f.sqrt(z)
	r := f.mul(z, asinSeriesSingle(f, z))
	y := f.sub(f.num(rightSingle), f.mul(root, f.num(2)))
	yLo := f.add(f.sub(f.sub(f.num(rightSingle), y), f.mul(root, f.num(2))), f.fma(f.mul(f.num(-2), root), r, f.num(rightLoSingle)))
	return f.toSign(x, f.sel(near, f.fma(size, r, size), f.add(y, yLo)))
}

func acosSingle(f fp, x string) string {
	size := f.abs(x)
	near := f.cmp("lt", size, f.num(0.5))
	z := f.sel(near, f.mul(x, x), f.mul(f.num(0.5), f.sub(f.num(1), size)))
	r := f.mul(z, asinSeriesSingle(f, z))
	root := f.sqrt(z)
	a := f.fma(root, r, root)
	middle := f.sub(f.num(rightSingle), f.sub(x, f.fma(f.neg(x), r, f.num(rightLoSingle))))
	left := f.add(f.num(2*rightSingle), f.fma(f.num(-2), a, f.num(2*rightLoSingle)))
	return f.sel(near, middle, f.sel(f.cmp("gt", x, f.num(0)), f.mul(f.num(2), a), left))
}

// atan(t)/t - 1 over z = t^2 <= 1; see w_atan_series_f32.
func atanSeriesSingle(f fp, z string) string {
	p := hornerSingle(f, z, -0x1.40bc12p-9, 0x1.c29592p-7, -0x1.29211ep-5, 0x1.016828p-4, -0x1.634098p-4,
		0x1.c41da4p-4, -0x1.246f96p-3, 0x1.999858p-3, -0x1.555554p-2)
	return f.mul(p, z)
}

// Up to 1 the series; beyond, pi/2 - atan(1/|x|).
func atanSingle(f fp, x string) string {
	size := f.abs(x)
	swap := f.cmp("gt", size, f.num(1))
	t := f.sel(swap, f.div(f.num(1), size), size)
	p := atanSeriesSingle(f, f.mul(t, t))
	far := f.sub(f.num(rightSingle), f.sub(t, f.fma(f.neg(t), p, f.num(rightLoSingle))))
	return f.toSign(x, f.sel(swap, far, f.fma(t, p, t)))
}

// With h = (exp|x|-1)/4, sinh|x| = 2h + 2h/(4h+1) and cosh|x| = 2h + 1/2 + 1/2/(4h+1); up to 1 the
// series of the hyperbolic sine.
func sinhSingle(f fp, x string) string {
	size := f.abs(x)
	h := expm1QuarterSingle(f, f.sel(f.cmp("gt", size, f.num(89.5)), f.num(89.5), size))
	y := f.mul(f.add(h, f.div(h, f.fma(f.num(4), h, f.num(1)))), f.num(2))
	z := f.mul(x, x)
	p := hornerSingle(f, z, 2.50521084e-8, 2.75573192e-6, 1.98412698e-4, 8.33333333e-3, 1.66666667e-1)
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(1)), f.fma(f.mul(size, z), p, size), y))
}

func coshSingle(f fp, x string) string {
	size := f.abs(x)
	h := expm1QuarterSingle(f, f.sel(f.cmp("gt", size, f.num(89.5)), f.num(89.5), size))
	return f.mul(f.add(h, f.fma(f.num(0.25), f.div(f.num(1), f.fma(f.num(4), h, f.num(1))), f.num(0.25))), f.num(2))
}
