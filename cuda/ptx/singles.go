package ptx

import "math"

// Functions of float32 that do not go through float64; see exponents.go.

// 2^k for -126 <= k <= 127.
func twoToSingle(f fp, k string) string {
	return f.float("mov.b32", f.word("shl.b32", f.word("add.s32", k, "127"), "23"))
}

func scaleBySingle(f fp, y, k string) string {
	half := f.word("sub.s32", f.word("shr.u32", f.word("add.s32", k, "4096"), "1"), "2048")
	return f.mul(f.mul(y, twoToSingle(f, half)), twoToSingle(f, f.word("sub.s32", k, half)))
}

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2.
func expTailSingle(f fp, r string) string {
	p := f.fma(r, f.num(1.98412698e-4), f.num(1.38888889e-3))
	p = f.fma(r, f.fma(r, p, f.num(8.33333333e-3)), f.num(4.16666667e-2))
	return f.fma(r, f.fma(r, p, f.num(1.66666667e-1)), f.num(0.5))
}

func expSingle(f fp, x string) string {
	a := f.sel(f.cmp("gt", x, f.num(89.0)), f.num(89.0), x)
	b := f.sel(f.cmp("lt", a, f.num(-104.0)), f.num(-104.0), a)
	t := f.fma(b, f.num(0x1.715476p+0), f.num(magicSingle))
	n := f.sub(t, f.num(magicSingle))
	k := f.word("sub.s32", f.word("mov.b32", t), hex(0x4b400000))
	r0 := f.fma(f.neg(n), f.num(0x1.62e43p-1), b)
	r := f.fma(f.neg(n), f.num(-0x1.05c61p-29), r0)
	y := f.add(f.fma(f.mul(r, r), expTailSingle(f, r), r), f.num(1.0))
	return scaleBySingle(f, y, k)
}

func normalizedSingle(f fp, x string) string {
	return f.mul(x, f.sel(f.cmp("lt", x, f.num(0x1p-126)), f.num(0x1p25), f.num(1.0)))
}

func exponentBitsSingle(f fp, normal string) string {
	return f.word("shr.s32", f.word("sub.s32", f.word("mov.b32", normal), hex(0x3f3504f3)), "23")
}

func fractionSingle(f fp, normal string) string {
	return f.float("mov.b32", f.word("sub.s32", f.word("mov.b32", normal), f.word("shl.b32", exponentBitsSingle(f, normal), "23")))
}

func exponentSingle(f fp, x, normal string) string {
	k := f.float("cvt.rn.f32.s32", exponentBitsSingle(f, normal))
	return f.sub(k, f.sel(f.cmp("lt", x, f.num(0x1p-126)), f.num(25.0), f.num(0.0)))
}

func logSpecialSingle(f fp, x, y string) string {
	a := f.sel(f.cmp("lt", x, f.num(0.0)), f.num(math.NaN()), f.num(0.0))
	b := f.sel(f.cmp("eq", x, f.num(0.0)), f.num(math.Inf(-1)), a)
	return f.add(y, f.sel(f.cmp("lt", x, f.num(math.Inf(1))), b, x))
}

// n*n/2 + the rest of log(1+n)'s series, as in functions64.h.
func logSeriesSingle(f fp, s, square string) string {
	z := f.mul(s, s)
	w := f.mul(z, z)
	even := f.fma(w, f.num(0xf89e26p-26), f.num(0xccce13p-25))
	odd := f.fma(w, f.num(0x91e9eep-25), f.num(0xaaaaaap-24))
	series := f.fma(z, odd, f.mul(w, even))
	return f.add(square, series)
}

// log(v) + k*log(2) + rest for v's fraction 1+n, as n - n^2/2 + n^3 times a polynomial, for which there is no division
// as in log1p; rest has the low part of k*log(2).
func logRestSingle(f fp, v, k, rest string) string {
	n := f.sub(fractionSingle(f, v), f.num(1.0))
	z := f.mul(n, n)
	p := f.horner(n, 0x1.1484e8p-4, -0x1.de1004p-4, 0x1.e6c03ep-4, -0x1.fc26acp-4, 0x1.233b78p-3, -0x1.555c4ep-3,
		0x1.99a478p-3, -0x1.000006p-2, 0x1.555548p-2)
	rest = f.fma(f.mul(z, n), p, rest)
	return f.fma(k, f.num(6.9313812256e-01), f.sub(n, f.fma(f.num(0.5), z, f.neg(rest))))
}

func logSingle(f fp, x string) string {
	v := normalizedSingle(f, x)
	k := exponentSingle(f, x, v)
	return logSpecialSingle(f, x, logRestSingle(f, v, k, f.mul(k, f.num(9.0580006145e-06))))
}

// An odd polynomial up to 0.625 (Cephes), 1 - 2/(exp(2x)+1) from there.
func tanhSingle(f fp, x string) string {
	size := f.abs(x)
	z := f.mul(x, x)
	p := f.fma(z, f.num(-5.70498872745e-3), f.num(2.06390887954e-2))
	p = f.fma(z, f.fma(z, f.fma(z, p, f.num(-5.37397155531e-2)), f.num(1.33314422036e-1)), f.num(-3.33332819422e-1))
	near := f.fma(f.mul(z, p), x, x)
	far := f.sub(f.num(1.0), f.div(f.num(2.0), f.add(expSingle(f, f.add(size, size)), f.num(1.0))))
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(0.625)), near, far))
}

// 2^x for |x| <= 1000, to 2^-34 of its size.
func exp2Single(f fp, x string) string {
	t := f.add(x, f.num(magicDouble))
	r := f.mul(f.sub(x, f.sub(t, f.num(magicDouble))), f.num(ln2Hi))
	r2 := f.mul(r, r)
	p0 := f.fma(r, f.num(1.6666666666666666e-1), f.num(0.5))
	p2 := f.fma(r, f.num(8.333333333333333e-3), f.num(4.1666666666666664e-2))
	p4 := f.fma(r, f.num(1.984126984126984e-4), f.num(1.3888888888888889e-3))
	p6 := f.fma(r, f.num(2.7557319223985893e-6), f.num(2.48015873015873e-5))
	p := f.fma(f.mul(r2, r2), f.fma(r2, p6, p4), f.fma(r2, p2, p0))
	return f.mul(f.fma(r2, p, f.add(r, f.num(1.0))), twoTo(f, f.long("sub.s64", f.long("mov.b64", t), hex(0x4338000000000000))))
}

// x^y = 2^(y*log2|x|) in float64, whose digits are enough without a second part; then
// C99's rules.
func powSingle(f fp, x, y string) string {
	d := f.double()
	ax := f.abs(x)
	v := f.widened(ax)
	k := exponent(d, v, v)
	n := d.sub(fraction(d, v), d.num(1.0))
	s := d.div(n, d.add(n, d.num(2.0)))
	z2 := d.mul(s, s)
	z4 := d.mul(z2, z2)
	l := d.fma(z4, d.fma(z2, d.num(1.0/15), d.num(1.0/13)), d.fma(z2, d.num(1.0/11), d.num(1.0/9)))
	l = d.fma(d.mul(z4, z2), l, d.fma(z4, d.num(1.0/7), d.fma(z2, d.num(1.0/5), d.num(1.0/3))))
	l = d.mul(d.fma(d.mul(s, z2), l, s), d.num(0x1.71547652b82fep+1))
	p := d.mul(f.widened(y), d.add(l, k))
	high := d.sel(d.cmp("gt", p, d.num(200.0)), d.num(200.0), p)
	low := d.sel(d.cmp("lt", high, d.num(-200.0)), d.num(-200.0), high)
	size := f.narrowed(exp2Single(d, low))
	grown := f.sel(f.cmp("gt", y, f.num(0.0)), f.num(math.Inf(1)), f.num(0.0))
	shrunk := f.sel(f.cmp("gt", y, f.num(0.0)), f.num(0.0), f.num(math.Inf(1)))
	size = f.sel(f.cmp("eq", ax, f.num(0.0)), shrunk, size)
	size = f.sel(f.cmp("eq", ax, f.num(math.Inf(1))), grown, size)
	size = f.sel(f.cmp("eq", f.abs(y), f.num(math.Inf(1))), f.sel(f.cmp("gt", ax, f.num(1.0)), grown, shrunk), size)
	size = f.sel(f.cmp("eq", ax, f.num(1.0)), f.num(1.0), size)
	ay := f.abs(y)
	whole := f.sel(f.cmp("ge", ay, f.num(0x1p23)), ay, f.sub(f.add(ay, f.num(0x1p23)), f.num(0x1p23)))
	halved := f.mul(ay, f.num(0.5))
	half := f.sel(f.cmp("ge", halved, f.num(0x1p23)), halved, f.sub(f.add(halved, f.num(0x1p23)), f.num(0x1p23)))
	z := f.sel(f.cmp("eq", halved, half), size, f.sel(f.cmp("eq", whole, ay), f.toSign(x, size), size))
	defined := f.sel(f.cmp("eq", whole, ay), z, f.sel(f.cmp("lt", ax, f.num(math.Inf(1))), f.num(math.NaN()), z))
	z = f.sel(f.cmp("lt", x, f.num(0.0)), defined, z)
	z = f.sel(f.isNaN(x), x, f.sel(f.isNaN(y), y, z))
	z = f.sel(f.cmp("eq", y, f.num(0.0)), f.num(1.0), f.sel(f.cmp("eq", x, f.num(1.0)), f.num(1.0), z))
	return shortPowerSingle(f, x, y, z)
}

// x = q*pi/2 + r + tail; of q the two low bits count.
func reduceSingle(f fp, x string) (q, r, tail string) {
	t := f.add(f.mul(x, f.num(0x1.45f306p-1)), f.num(magicSingle))
	n := f.sub(t, f.num(magicSingle))
	r0 := f.fma(f.neg(n), f.num(0x1.921fb6p+0), x)
	p := f.mul(n, f.num(-0x1.777a5cp-25))
	pLo := f.fma(n, f.num(-0x1.ee59dap-50), f.fma(n, f.num(-0x1.777a5cp-25), f.neg(p)))
	r = f.sub(r0, p)
	back := f.sub(r, r0)
	tail = f.sub(f.sub(f.sub(r0, f.sub(r, back)), f.add(p, back)), pLo)
	return f.word("mov.b32", t), r, tail
}

// sin(x + turn*pi/2), with the bits of sign flipping its sign.
func turnedSingle(f fp, x, turn, sign string) string {
	q, r, tail := reduceSingle(f, x)
	z := f.mul(r, r)
	s := f.fma(z, f.fma(z, f.num(-1.9515295891e-4), f.num(8.3321608736e-3)), f.num(-1.6666654611e-1))
	sine := f.add(r, f.fma(f.mul(s, z), r, tail))
	c := f.fma(z, f.fma(z, f.num(2.443315711809948e-5), f.num(-1.388731625493765e-3)), f.num(4.166664568298827e-2))
	half := f.mul(f.num(0.5), z)
	w := f.sub(f.num(1.0), half)
	cosine := f.add(w, f.add(f.fma(f.mul(z, z), c, f.neg(f.mul(r, tail))), f.sub(f.sub(f.num(1.0), w), half)))
	q = f.word("add.s32", q, turn)
	y := f.sel(oddSingle(f, q), cosine, sine)
	return f.float("mov.b32", f.word("xor.b32", f.word("xor.b32", f.word("mov.b32", y), f.word("shl.b32", f.word("and.b32", q, "2"), "30")), sign))
}

func oddSingle(f fp, q string) string {
	return f.pred("setp.ne.b32", f.word("and.b32", q, "1"), "0")
}

func sinSingle(f fp, x string) string {
	sign := f.word("and.b32", f.word("mov.b32", x), hex(1<<31))
	return angleSingle(f, x, "sin", turnedSingle(f, f.abs(x), "0", sign))
}

func cosSingle(f fp, x string) string {
	return angleSingle(f, x, "cos", turnedSingle(f, x, "1", "0"))
}

// angleSingle is y, or the function in float64 where the angle is large.
func angleSingle(f fp, x, name, y string) string {
	done := f.label("done")
	y = f.mov(y)
	f.when(f.not(f.cmp("gt", f.abs(x), f.num(100000))), "bra", done)
	f.do("mov.f32", y, f.narrowed(f.double().function(name, f.widened(x))))
	f.place(done)
	return y
}
