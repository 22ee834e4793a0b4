package ptx

// Exponentials and hyperbolic functions. The steps of all elementary functions are those of the
// bodies in cpu/vm/*.h, operation by operation, so that both give the same bits; change one
// with the other. They are free of branches; special cases are chosen at the end.

const (
	ln2Hi = 0x1.62e42fefa39efp-1  // ln 2 rounded to float64
	ln2Lo = 0x1.abc9e3b39803fp-56 // ln 2 - ln2Hi

	// Adding these rounds to an integer, and leaves it in the low bits.
	magicDouble = 0x1.8p52
	magicSingle = 0x1.8p23
)

// pair is a number of twice the precision, an unevaluated sum.
type pair struct{ hi, lo string }

// power is m * 2^k.
type power struct{ m, k string }

// 2^k for -1022 <= k <= 1023.
func twoTo(f fp, k string) string {
	return f.dbl("mov.b64", f.long("shl.b64", f.long("add.s64", k, "1023"), "52"))
}

// y * 2^k in two steps, so that results below the normal range round once and the factors
// stay in range. The shift of a negative number is written as that of a positive one, which
// AVX2 has.
func scaleBy(f fp, y, k string) string {
	half := f.long("sub.s64", f.long("shr.u64", f.long("add.s64", k, "4096"), "1"), "2048")
	return f.mul(f.mul(y, twoTo(f, half)), twoTo(f, f.long("sub.s64", k, half)))
}

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2: the Taylor series, by Estrin's scheme.
func expTail(f fp, r string) string {
	r2 := f.mul(r, r)
	r4 := f.mul(r2, r2)
	r8 := f.mul(r4, r4)
	p0 := f.fma(r, f.num(1.6666666666666666e-1), f.num(0.5))
	p2 := f.fma(r, f.num(8.333333333333333e-3), f.num(4.1666666666666664e-2))
	p4 := f.fma(r, f.num(1.984126984126984e-4), f.num(1.3888888888888889e-3))
	p6 := f.fma(r, f.num(2.7557319223985893e-6), f.num(2.48015873015873e-5))
	p8 := f.fma(r, f.num(2.505210838544172e-8), f.num(2.755731922398589e-7))
	p10 := f.fma(r, f.num(1.6059043836821613e-10), f.num(2.08767569878681e-9))
	p := f.fma(r4, f.fma(r2, p6, p4), f.fma(r2, p2, p0))
	return f.fma(r8, f.fma(r2, p10, p8), p)
}

// 2^(j/8) = hi + lo.
var (
	expHi = [8]float64{
		0x1p+0, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0, 0x1.4bfdad5362a27p+0,
		0x1.6a09e667f3bcdp+0, 0x1.8ace5422aa0dbp+0, 0x1.ae89f995ad3adp+0, 0x1.d5818dcfba487p+0,
	}
	expLo = [8]float64{
		0.0, -0x1.19041b9d78a76p-55, 0x1.6f46ad23182e4p-55, 0x1.d4397afec42e2p-56,
		-0x1.bdd3413b26456p-54, 0x1.6e9f156864b27p-54, 0x1.7a1cd345dcc81p-54, 0x1.2ed02d75b3707p-55,
	}
)

// ofEight is the number that the three low bits of at tell, chosen in three rounds: lanes that read
// different places of constant memory would wait for one another.
func ofEight(f fp, at string, table [8]float64) string {
	var row []string
	for _, v := range table {
		row = append(row, f.num(v))
	}
	for bit := 1; len(row) > 1; bit *= 2 {
		odd := f.pred("setp.ne.b64", f.long("and.b64", at, dec(bit)), "0")
		var left []string
		for i := 0; i < len(row); i += 2 {
			left = append(left, f.sel(odd, row[i+1], row[i]))
		}
		row = left
	}
	return row[0]
}

// exp(x) = 2^k * 2^(j/8) * exp(r) with |r| <= ln(2)/16, and what each step loses beside it.
func expDouble(f fp, x string) string {
	a := f.sel(f.cmp("gt", x, f.num(710.0)), f.num(710.0), x)
	b := f.sel(f.cmp("lt", a, f.num(-746.0)), f.num(-746.0), a)
	t := f.fma(b, f.num(0x1.71547652b82fep+3), f.num(magicDouble))
	n := f.sub(t, f.num(magicDouble))
	bits := f.long("mov.b64", t)
	r0 := f.fma(f.neg(n), f.num(ln2Hi/8), b)
	r := f.fma(f.neg(n), f.num(ln2Lo/8), r0)
	rLo := f.fma(f.neg(n), f.num(ln2Lo/8), f.sub(r0, r))
	r2 := f.mul(r, r)
	p0 := f.fma(r, f.num(0x1.5555555555555p-3), f.num(0.5))
	p2 := f.fma(r, f.num(0x1.1111110da9105p-7), f.num(0x1.55555555555a9p-5))
	p4 := f.fma(r, f.num(0x1.a01e85458528ap-13), f.num(0x1.6c16c165b7912p-10))
	p := f.fma(r2, f.fma(r2, f.fma(r2, f.num(0x1.a01ed2f77ffbap-16), p4), p2), p0)
	q := f.fma(r2, p, rLo)
	hi, lo := ofEight(f, bits, expHi), ofEight(f, bits, expLo)
	step := f.mul(hi, r)
	sum := f.add(hi, step)
	rest := f.add(f.fma(hi, q, f.fma(lo, r, f.fma(hi, r, f.neg(step)))), lo)
	y := f.add(sum, f.add(f.sub(step, f.sub(sum, hi)), rest))
	k := f.long("sub.s64", f.long("shr.u64", f.long("sub.s64", bits, hex(0x4338000000000000-32768)), "3"), "4096")
	return scaleBy(f, y, k)
}

// tanh(x) = (exp(2x)-1) / (exp(2x)+1), with the difference in two parts and the quotient put
// right by its remainder.
func tanhDouble(f fp, x string) string {
	size := f.abs(x)
	a := f.add(size, size)
	b := f.sel(f.cmp("gt", a, f.num(44.0)), f.num(44.0), a)
	t := f.fma(b, f.num(1.4426950408889634), f.num(magicDouble))
	n := f.sub(t, f.num(magicDouble))
	power := twoTo(f, f.long("sub.s64", f.long("mov.b64", t), hex(0x4338000000000000)))
	r0 := f.fma(f.neg(n), f.num(ln2Hi), b)
	r := f.fma(f.neg(n), f.num(ln2Lo), r0)
	rLo := f.fma(f.neg(n), f.num(ln2Lo), f.sub(r0, r))
	p := f.fma(f.mul(r, r), expTail(f, r), f.fma(r, rLo, rLo))
	base := f.sub(power, f.num(1.0))
	step := f.mul(power, r)
	sum := f.add(base, step)
	rest := f.fma(power, p, f.sub(step, f.sub(sum, base)))
	hi := f.add(sum, rest)
	lo := f.sub(rest, f.sub(hi, sum))
	divisor := f.add(hi, f.num(2.0))
	big := f.sel(f.cmp("gt", hi, f.num(2.0)), hi, f.num(2.0))
	small := f.sel(f.cmp("gt", hi, f.num(2.0)), f.num(2.0), hi)
	dLo := f.add(f.sub(small, f.sub(divisor, big)), lo)
	inverse := f.div(f.num(1.0), divisor)
	q := f.mul(hi, inverse)
	left := f.fma(f.neg(q), dLo, f.add(f.fma(f.neg(q), divisor, hi), lo))
	return f.toSign(x, f.fma(left, inverse, q))
}

// 2^(hi + lo) = m * 2^k for |hi| <= 1500 and a small lo.
func exp2Split(f fp, hi, lo string) power {
	t := f.add(hi, f.num(magicDouble))
	n := f.sub(t, f.num(magicDouble))
	fraction := f.sub(hi, n)
	r := f.mul(fraction, f.num(ln2Hi))
	tail := f.fma(lo, f.num(ln2Hi), f.fma(fraction, f.num(ln2Lo), f.fma(fraction, f.num(ln2Hi), f.neg(r))))
	p := f.mul(f.mul(r, r), expTail(f, r))
	rest := f.add(f.fma(tail, f.add(r, p), tail), p)
	sum := f.add(f.num(1.0), r)
	var y power
	y.m = f.add(sum, f.add(f.sub(r, f.sub(sum, f.num(1.0))), rest))
	y.k = f.long("sub.s64", f.long("mov.b64", t), hex(0x4338000000000000))
	return y
}

func exp2Pair(f fp, hi, lo string) string {
	y := exp2Split(f, hi, lo)
	return scaleBy(f, y.m, y.k)
}

func exp2Double(f fp, x string) string {
	a := f.sel(f.cmp("gt", x, f.num(1030.0)), f.num(1030.0), x)
	b := f.sel(f.cmp("lt", a, f.num(-1080.0)), f.num(-1080.0), a)
	return exp2Pair(f, b, f.num(0.0))
}

// (exp(x) - 1) / 4 = hi + lo for -40 <= x <= 710.5: a quarter, so that the power of two stays
// in range where a hyperbolic function still is.
func expm1Quarter(f fp, x string) pair {
	t := f.fma(x, f.num(1.4426950408889634), f.num(magicDouble))
	n := f.sub(t, f.num(magicDouble))
	power := twoTo(f, f.long("sub.s64", f.long("mov.b64", t), hex(0x4338000000000002)))
	r0 := f.fma(f.neg(n), f.num(ln2Hi), x)
	r := f.fma(f.neg(n), f.num(ln2Lo), r0)
	rLo := f.fma(f.neg(n), f.num(ln2Lo), f.sub(r0, r))
	p := f.fma(f.mul(r, r), expTail(f, r), f.fma(r, rLo, rLo))
	base := f.sub(power, f.num(0.25))
	step := f.mul(power, r)
	sum := f.add(base, step)
	rest := f.fma(power, p, f.sub(step, f.sub(sum, base)))
	var y pair
	y.hi = f.add(sum, rest)
	y.lo = f.sub(rest, f.sub(y.hi, sum))
	return y
}

func expm1Double(f fp, x string) string {
	a := f.sel(f.cmp("gt", x, f.num(710.5)), f.num(710.5), x)
	b := f.sel(f.cmp("lt", a, f.num(-40.0)), f.num(-40.0), a)
	y := f.mul(expm1Quarter(f, b).hi, f.num(4.0))
	return f.sel(f.cmp("lt", f.abs(x), f.num(0x1p-54)), x, y)
}

// With h = (exp|x|-1)/4, sinh|x| = 2h + 2h/(4h+1).
func sinhDouble(f fp, x string) string {
	size := f.abs(x)
	h := expm1Quarter(f, f.sel(f.cmp("gt", size, f.num(710.5)), f.num(710.5), size))
	t := f.div(h.hi, f.fma(f.num(4.0), h.hi, f.num(1.0)))
	slope := f.fma(f.num(-4.0), t, f.num(1.0))
	y := f.mul(f.add(h.hi, f.fma(h.lo, f.fma(slope, slope, f.num(1.0)), t)), f.num(2.0))
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(0x1p-28)), size, y))
}

// cosh|x| = 2h + 1/2 + 1/2/(4h+1).
func coshDouble(f fp, x string) string {
	size := f.abs(x)
	h := expm1Quarter(f, f.sel(f.cmp("gt", size, f.num(710.5)), f.num(710.5), size))
	c := f.fma(f.num(0.25), f.div(f.num(1.0), f.fma(f.num(4.0), h.hi, f.num(1.0))), f.num(0.25))
	return f.mul(f.add(h.hi, f.add(c, h.lo)), f.num(2.0))
}
