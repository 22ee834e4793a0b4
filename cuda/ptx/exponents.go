package ptx

import "math"

// Exponentials, logarithms and powers. All sequences are free of branches; special cases are
// chosen at the end.

const (
	ln2Hi = 0x1.62e42fefa39efp-1  // ln 2 rounded to float64
	ln2Lo = 0x1.abc9e3b39803fp-56 // ln 2 - ln2Hi
	log2e = 1.4426950408889634
)

// inverseFactorials are 1/2!, 1/3!, ... as float64.
func inverseFactorials(last int) []float64 {
	terms, factorial := []float64{}, 1.0
	for n := 2; n <= last; n++ {
		factorial *= float64(n)
		terms = append(terms, 1/factorial)
	}
	return terms
}

// reduceExp splits x = k*ln 2 + r with |r| <= ln(2)/2; k comes as an integer of 64 bits.
// Adding 1.5*2^52 rounds to an integer and leaves it in the low bits.
func reduceExp(f fp, x string) (k, r string) {
	magic := 0x1.8p52
	t := f.fma(x, f.num(log2e), f.num(magic))
	k = f.long("sub.s64", f.long("mov.b64", t), hex(math.Float64bits(magic)))
	n := f.neg(f.sub(t, f.num(magic)))
	r = f.fma(n, f.num(ln2Hi), x)
	return k, f.fma(n, f.num(ln2Lo), r)
}

// expm1Series is exp(r)-1 for |r| <= ln(2)/2: the Taylor series of degree 13, by Estrin's
// scheme.
func expm1Series(f fp, r string) string {
	c := inverseFactorials(13)
	pair := func(i int) string { return f.fma(r, f.num(c[i+1]), f.num(c[i])) }
	r2 := f.mul(r, r)
	r4 := f.mul(r2, r2)
	r8 := f.mul(r4, r4)
	p := f.fma(r4, f.fma(r2, pair(6), pair(4)), f.fma(r2, pair(2), pair(0)))
	p = f.fma(r8, f.fma(r2, pair(10), pair(8)), p)
	return f.fma(r2, p, r)
}

// scaleBy multiplies by 2^k in two steps, so that results below the normal range round once
// and factors stay in range.
func scaleBy(f fp, y, k string) string {
	k1 := f.long("shr.s64", k, "1")
	k2 := f.long("sub.s64", k, k1)
	power := func(k string) string {
		return f.dbl("mov.b64", f.long("shl.b64", f.long("add.s64", k, "1023"), "52"))
	}
	return f.mul(f.mul(y, power(k1)), power(k2))
}

func expDouble(f fp, x string) string {
	x = f.sel(f.cmp("gt", x, f.num(710)), f.num(710), x) // NaN passes through
	x = f.sel(f.cmp("lt", x, f.num(-746)), f.num(-746), x)
	k, r := reduceExp(f, x)
	return scaleBy(f, f.add(expm1Series(f, r), f.num(1)), k)
}

// expm1Double is exp(x)-1 for 0 <= x <= 44, and 44's beyond.
func expm1Double(f fp, x string) string {
	x = f.sel(f.cmp("gt", x, f.num(44)), f.num(44), x)
	k, r := reduceExp(f, x)
	power := f.dbl("mov.b64", f.long("shl.b64", f.long("add.s64", k, "1023"), "52"))
	return f.fma(power, expm1Series(f, r), f.sub(power, f.num(1)))
}

func tanhDouble(f fp, x string) string {
	size := f.abs(x)
	t := f.function("expm1", f.add(size, size))
	return f.toSign(x, f.div(t, f.add(t, f.num(2))))
}

// sinh and cosh come from expm1 up to 22, where exp(-x) no longer counts, and from there as
// a product of two factors that does not overflow early.

func sinhDouble(f fp, x string) string {
	size := f.abs(x)
	t := f.function("expm1", size)
	near := f.mul(f.num(0.5), f.add(t, f.div(t, f.add(t, f.num(1)))))
	return f.toSign(x, f.sel(f.cmp("gt", size, f.num(22)), largeCosh(f, size), near))
}

func coshDouble(f fp, x string) string {
	size := f.abs(x)
	t := f.function("expm1", size)
	near := f.add(f.num(1), f.div(f.mul(t, t), f.mul(f.num(2), f.add(t, f.num(1)))))
	return f.sel(f.cmp("gt", size, f.num(22)), largeCosh(f, size), near)
}

func largeCosh(f fp, size string) string {
	root := f.function("exp", f.mul(size, f.num(0.5)))
	return f.mul(f.mul(root, f.num(0.5)), root)
}

// splitLog writes a positive finite number as m * 2^k with m between sqrt(1/2) and sqrt(2),
// subnormals included; k comes as a float.
func splitLog(f fp, x string) (m, k string) {
	tiny := f.cmp("lt", x, f.num(0x1p-1022))
	bits := f.long("mov.b64", f.sel(tiny, f.mul(x, f.num(0x1p54)), x))
	e := f.long("shr.s64", f.long("sub.s64", bits, hex(0x3fe6a09e00000000)), "52")
	m = f.dbl("mov.b64", f.long("sub.s64", bits, f.long("shl.b64", e, "52")))
	k = f.add(f.dbl("cvt.rn.f64.s64", e), f.sel(tiny, f.num(-54), f.num(0)))
	return m, k
}

// logDouble follows fdlibm: log(m) with m = 1+n from s = n/(2+n).
func logDouble(f fp, x string) string {
	m, k := splitLog(f, x)
	n := f.sub(m, f.num(1))
	s := f.div(n, f.add(n, f.num(2)))
	z := f.mul(s, s)
	w := f.mul(z, z)
	even := f.horner(w, 0x1.999999997fa04p-2, 0x1.c71c51d8e78afp-3, 0x1.39a09d078c69fp-3)
	odd := f.horner(w, 0x1.5555555555593p-1, 0x1.2492494229359p-2, 0x1.7466496cb03dep-3, 0x1.2f112df3e5244p-3)
	series := f.fma(z, odd, f.mul(w, even))
	square := f.mul(f.mul(f.num(0.5), n), n)
	rest := f.fma(s, f.add(square, series), f.mul(k, f.num(1.90821492927058770002e-10)))
	y := f.fma(k, f.num(0x1.62e42feep-1), f.sub(n, f.sub(square, rest)))
	return logSpecial(f, x, y)
}

// logSpecial puts in what the series does not give: of 0, negative numbers, infinity, NaN.
func logSpecial(f fp, x, y string) string {
	y = f.sel(f.cmp("lt", x, f.num(0)), f.num(math.NaN()), y)
	y = f.sel(f.cmp("eq", x, f.num(0)), f.num(math.Inf(-1)), y)
	return f.sel(f.cmp("lt", x, f.num(math.Inf(1))), y, x)
}

// log1pDouble is log(1+x) for x > -1: the logarithm of the rounded sum, put right to first
// order.
func log1pDouble(f fp, x string) string {
	u := f.add(x, f.num(1))
	lost := f.sub(f.sub(u, f.num(1)), x)
	return f.sub(f.function("log", u), f.div(lost, u))
}

// powDouble is tile.RealPow: 2^(y*log2|x|) with the product in twice the precision.
func powDouble(f fp, x, y string) string {
	ax := f.abs(x)
	hi, lo := log2Double(f, ax)
	p := f.mul(y, hi)
	e := f.fma(y, lo, f.fma(y, hi, f.neg(p)))
	n := f.round("rni", p)
	frac := f.sub(p, n)
	// r + tail = (frac+e) * ln 2
	r := f.mul(frac, f.num(ln2Hi))
	tail := f.fma(e, f.num(ln2Hi), f.fma(frac, f.num(ln2Lo), f.fma(frac, f.num(ln2Hi), f.neg(r))))
	q := f.horner(r, inverseFactorials(14)...)
	rest := f.mul(f.mul(r, r), q) // exp(r) - 1 - r
	s := f.add(r, f.fma(tail, f.add(f.add(r, rest), f.num(1)), rest))
	size := scaleBy(f, f.add(s, f.num(1)), f.long("cvt.rni.s64.f64", n))
	size = f.sel(f.cmp("gt", p, f.num(1100)), f.num(math.Inf(1)), size)
	size = f.sel(f.cmp("lt", p, f.num(-1200)), f.num(0), size)
	return powSpecial(f, x, y, ax, size)
}

// powSpecial applies C99's rules to the size of the power.
func powSpecial(f fp, x, y, ax, size string) string {
	inf := f.num(math.Inf(1))
	grows := f.cmp("gt", y, f.num(0))
	size = f.sel(f.cmp("eq", ax, f.num(0)), f.sel(grows, f.num(0), inf), size)
	size = f.sel(f.cmp("eq", ax, inf), f.sel(grows, inf, f.num(0)), size)
	outward := f.not(f.xor(grows, f.cmp("gt", ax, f.num(1)))) // away from 1
	size = f.sel(f.isInf(y), f.sel(outward, inf, f.num(0)), size)
	size = f.sel(f.cmp("eq", ax, f.num(1)), f.num(1), size)

	isWhole := f.cmp("eq", f.round("rzi", y), y)
	halved := f.mul(y, f.num(0.5)) // an odd integer is one whose half is none
	isOdd := f.and(f.and(isWhole, f.isFinite(y)), f.cmp("neu", f.round("rzi", halved), halved))
	negative := f.pred("setp.lt.s64", f.long("mov.b64", x), "0")
	z := f.sel(f.and(negative, isOdd), f.neg(size), size)
	// A negative finite base has powers at integers only.
	undefined := f.and(f.and(f.cmp("lt", x, f.num(0)), f.isFinite(x)), f.not(isWhole))
	z = f.sel(undefined, f.num(math.NaN()), z)
	z = f.sel(f.or(f.isNaN(x), f.isNaN(y)), f.add(x, y), z)
	return f.sel(f.or(f.cmp("eq", y, f.num(0)), f.cmp("eq", x, f.num(1))), f.num(1), z)
}

// log2Double is the binary logarithm of a positive finite number as hi+lo, as in tile/pow.go:
// with s = (m-1)/(m+1), log(m) = 2*(s + s^3/3 + s^5/5 + ...).
func log2Double(f fp, x string) (hi, lo string) {
	m, k := splitLog(f, x)
	n := f.sub(m, f.num(1)) // exact
	d := f.add(m, f.num(1))
	dLo := f.sub(m, f.sub(d, f.num(1)))
	s := f.div(n, d)
	sNeg := f.neg(s)
	sLo := f.div(f.fma(sNeg, dLo, f.fma(sNeg, d, n)), d)
	z := f.mul(s, s)
	zLo := f.fma(f.add(s, s), sLo, f.fma(s, s, f.neg(z)))
	t := f.div(z, f.num(3))
	tLo := f.div(f.add(f.fma(f.num(-3), t, z), zLo), f.num(3))
	var terms []float64
	for i := 5; i <= 31; i += 2 {
		terms = append(terms, 1/float64(i))
	}
	rest := f.mul(f.horner(z, terms...), f.mul(z, z))
	p, pLo := f.twoSum(t, rest)
	pLo = f.add(pLo, tLo)
	// l = s + s*p
	sp := f.mul(s, p)
	spLo := f.fma(s, p, f.neg(sp))
	spLo = f.fma(sLo, p, f.fma(s, pLo, spLo))
	l, lLo := f.twoSum(s, sp)
	lLo = f.add(lLo, f.add(spLo, sLo))
	// Times 2/ln 2, plus k.
	const c, cLo = 2.8853900817779268, 4.0710547481862066e-17
	b := f.mul(l, f.num(c))
	bLo := f.fma(l, f.num(c), f.neg(b))
	bLo = f.fma(lLo, f.num(c), f.fma(l, f.num(cLo), bLo))
	whole := f.cmp("neu", k, f.num(0)) // otherwise the larger summand is b
	hi, lo = f.twoSum(f.sel(whole, k, b), f.sel(whole, b, f.num(0)))
	return f.twoSum(hi, f.add(lo, bLo))
}

// twoSum is a+b and its rounding error, for |a| >= |b|.
func (f fp) twoSum(a, b string) (sum, err string) {
	sum = f.add(a, b)
	return sum, f.sub(b, f.sub(sum, a))
}

// Single precision.

func expSingle(f fp, x string) string {
	x = f.sel(f.cmp("gt", x, f.num(89)), f.num(89), x)
	x = f.sel(f.cmp("lt", x, f.num(-104)), f.num(-104), x)
	const magic = 0x1.8p23
	t := f.fma(x, f.num(log2e), f.num(magic))
	k := f.word("sub.s32", f.word("mov.b32", t), hex(uint64(math.Float32bits(magic))))
	n := f.neg(f.sub(t, f.num(magic)))
	r := f.fma(n, f.num(0x1.62e43p-1), x)
	r = f.fma(n, f.num(-0x1.05c61p-29), r)
	p := f.horner(r, inverseFactorials(7)...)
	y := f.add(f.fma(f.mul(r, r), p, r), f.num(1))
	k1 := f.word("shr.s32", k, "1")
	k2 := f.word("sub.s32", k, k1)
	power := func(k string) string {
		return f.float("mov.b32", f.word("shl.b32", f.word("add.s32", k, "127"), "23"))
	}
	return f.mul(f.mul(y, power(k1)), power(k2))
}

func logSingle(f fp, x string) string {
	tiny := f.cmp("lt", x, f.num(0x1p-126))
	bits := f.word("mov.b32", f.sel(tiny, f.mul(x, f.num(0x1p25)), x))
	e := f.word("shr.s32", f.word("sub.s32", bits, hex(0x3f3504f3)), "23")
	m := f.float("mov.b32", f.word("sub.s32", bits, f.word("shl.b32", e, "23")))
	k := f.add(f.float("cvt.rn.f32.s32", e), f.sel(tiny, f.num(-25), f.num(0)))
	n := f.sub(m, f.num(1))
	s := f.div(n, f.add(n, f.num(2)))
	z := f.mul(s, s)
	w := f.mul(z, z)
	series := f.fma(z, f.horner(w, 0xaaaaaap-24, 0x91e9eep-25), f.mul(w, f.horner(w, 0xccce13p-25, 0xf89e26p-26)))
	square := f.mul(f.mul(f.num(0.5), n), n)
	rest := f.fma(s, f.add(square, series), f.mul(k, f.num(9.0580006145e-06)))
	y := f.fma(k, f.num(6.9313812256e-01), f.sub(n, f.sub(square, rest)))
	return logSpecial(f, x, y)
}

// tanhSingle is an odd polynomial up to 0.625 (Cephes), 1 - 2/(exp(2x)+1) from there.
func tanhSingle(f fp, x string) string {
	size := f.abs(x)
	z := f.mul(x, x)
	p := f.horner(z, -3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2, 2.06390887954e-2, -5.70498872745e-3)
	near := f.fma(f.mul(z, p), x, x)
	e := f.function("exp", f.add(size, size))
	far := f.sub(f.num(1), f.div(f.num(2), f.add(e, f.num(1))))
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(0.625)), near, far)) // keeps -0
}
