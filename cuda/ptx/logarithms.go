package ptx

import "math"

// Logarithms and inverse hyperbolic functions; see exponents.go.

// A positive finite number is m * 2^k with m between sqrt(1/2) and sqrt(2), subnormals
// included: fraction is m, and exponent is k. Both want normalized(x).
func normalized(f fp, x string) string {
	return f.mul(x, f.sel(f.cmp("lt", x, f.num(0x1p-1022)), f.num(0x1p54), f.num(1.0)))
}

// The exponent plus 1024, which keeps the shift that of a positive number.
func biased(f fp, normal string) string {
	return f.long("shr.u64", f.long("add.s64", f.long("sub.s64", f.long("mov.b64", normal), hex(0x3fe6a09e00000000)), hex(0x4000000000000000)), "52")
}

func fraction(f fp, normal string) string {
	return f.dbl("mov.b64", f.long("sub.s64", f.long("mov.b64", normal), f.long("shl.b64", f.long("sub.s64", biased(f, normal), "1024"), "52")))
}

func exponent(f fp, x, normal string) string {
	k := f.sub(f.dbl("mov.b64", f.long("add.s64", biased(f, normal), hex(0x4330000000000000))), f.num(0x1.00000000004p52))
	return f.sub(k, f.sel(f.cmp("lt", x, f.num(0x1p-1022)), f.num(54.0), f.num(0.0)))
}

// What a logarithm's series does not give, added to the finite y that it gives instead: of 0,
// negative numbers, infinity, NaN.
func logSpecial(f fp, x, y string) string {
	a := f.sel(f.cmp("lt", x, f.num(0.0)), f.num(math.NaN()), f.num(0.0))
	b := f.sel(f.cmp("eq", x, f.num(0.0)), f.num(math.Inf(-1)), a)
	return f.add(y, f.sel(f.cmp("lt", x, f.num(math.Inf(1))), b, x))
}

// What times s is log(1+n) - n + square, for 1+n between sqrt(1/2) and sqrt(2), with
// s = n/(2+n) and square = n*n/2; the polynomial is fdlibm's.
func logSeries(f fp, s, square string) string {
	z := f.mul(s, s)
	w := f.mul(z, z)
	even := f.fma(w, f.fma(w, f.num(0x1.39a09d078c69fp-3), f.num(0x1.c71c51d8e78afp-3)), f.num(0x1.999999997fa04p-2))
	odd := f.fma(w, f.fma(w, f.fma(w, f.num(0x1.2f112df3e5244p-3), f.num(0x1.7466496cb03dep-3)), f.num(0x1.2492494229359p-2)), f.num(0x1.5555555555593p-1))
	series := f.fma(z, odd, f.mul(w, even))
	return f.add(square, series)
}

// log(m) + k*log(2), of which the first part is exact.
func logDouble(f fp, x string) string {
	v := normalized(f, x)
	k := exponent(f, x, v)
	l := logPair(f, fraction(f, v))
	c := f.mul(k, f.num(0x1.62e42feep-1))
	cLo := f.fma(k, f.num(1.90821492927058770002e-10), l.lo)
	sum := f.add(c, l.hi)
	return logSpecial(f, x, f.add(sum, f.add(f.sub(l.hi, f.sub(sum, c)), cLo)))
}

// log(m), with what the square's rounding and the difference lose in lo.
func logPair(f fp, m string) pair {
	n := f.sub(m, f.num(1.0))
	s := f.div(n, f.add(n, f.num(2.0)))
	half := f.mul(f.num(0.5), n)
	square := f.mul(half, n)
	var y pair
	y.hi = f.sub(n, square)
	lost := f.fma(half, n, f.neg(square))
	y.lo = f.fma(s, logSeries(f, s, square), f.sub(f.sub(f.sub(n, y.hi), square), lost))
	return y
}

// The binary logarithm of a positive finite number as hi + lo, to about 2^-66 of its size:
// with s = (m-1)/(m+1), log(m) = 2*(s + s^3/3 + s^5/5 + ...). Each step up to the last has
// its rounding error beside it.
func log2Pair(f fp, x string) pair {
	v := normalized(f, x)
	k := exponent(f, x, v)
	m := fraction(f, v)
	n := f.sub(m, f.num(1.0))
	divisor := f.add(m, f.num(1.0))
	dLo := f.sub(m, f.sub(divisor, f.num(1.0)))
	inverse := f.div(f.num(1.0), divisor)
	s := f.mul(n, inverse)
	sLo := f.mul(f.fma(f.neg(s), dLo, f.fma(f.neg(s), divisor, n)), inverse)
	z := f.mul(s, s)
	zLo := f.fma(f.add(s, s), sLo, f.fma(s, s, f.neg(z)))
	t := f.mul(z, f.num(0x1.5555555555555p-2))
	tLo := f.fma(z, f.num(0x1.5555555555555p-56), f.fma(zLo, f.num(0x1.5555555555555p-2), f.fma(z, f.num(0x1.5555555555555p-2), f.neg(t))))
	w := f.mul(z, z)
	w2 := f.mul(w, w)
	w3 := f.mul(w2, w)
	c0 := f.fma(z, f.num(1.0/7), f.num(1.0/5))
	c2 := f.fma(z, f.num(1.0/11), f.num(1.0/9))
	c4 := f.fma(z, f.num(1.0/15), f.num(1.0/13))
	c6 := f.fma(z, f.num(1.0/19), f.num(1.0/17))
	c8 := f.fma(z, f.num(1.0/23), f.num(1.0/21))
	c10 := f.fma(z, f.num(1.0/27), f.num(1.0/25))
	rest := f.mul(f.fma(w3, f.fma(w2, c10, f.fma(w, c8, c6)), f.fma(w2, c4, f.fma(w, c2, c0))), w)
	p := f.add(t, rest)
	pLo := f.add(f.sub(rest, f.sub(p, t)), tLo)
	sp := f.mul(s, p)
	spLo := f.fma(sLo, p, f.fma(s, pLo, f.fma(s, p, f.neg(sp))))
	l := f.add(s, sp)
	lLo := f.add(f.sub(sp, f.sub(l, s)), f.add(spLo, sLo))
	b := f.mul(l, f.num(0x1.71547652b82fep+1))
	bLo := f.fma(lLo, f.num(0x1.71547652b82fep+1), f.fma(l, f.num(0x1.777d0ffda0d24p-55), f.fma(l, f.num(0x1.71547652b82fep+1), f.neg(b))))
	sum := f.add(k, b)
	sumLo := f.add(f.sub(b, f.sub(sum, k)), bLo)
	var y pair
	y.hi = f.add(sum, sumLo)
	y.lo = f.sub(sumLo, f.sub(y.hi, sum))
	return y
}

// Logarithms to another base: log(m) in two parts times 1/log(base) in two parts, plus
// k*log(2)/log(base).

func log2Double(f fp, x string) string {
	v := normalized(f, x)
	k := exponent(f, x, v)
	l := logPair(f, fraction(f, v))
	b := f.mul(l.hi, f.num(0x1.71547652b82fep+0))
	bLo := f.fma(l.lo, f.num(0x1.71547652b82fep+0), f.fma(l.hi, f.num(0x1.777d0ffda0d24p-56), f.fma(l.hi, f.num(0x1.71547652b82fep+0), f.neg(b))))
	sum := f.add(k, b)
	return logSpecial(f, x, f.add(sum, f.add(f.sub(b, f.sub(sum, k)), bLo)))
}

func log10Double(f fp, x string) string {
	v := normalized(f, x)
	k := exponent(f, x, v)
	l := logPair(f, fraction(f, v))
	b := f.mul(l.hi, f.num(0x1.bcb7b1526e50ep-2))
	bLo := f.fma(l.lo, f.num(0x1.bcb7b1526e50ep-2), f.fma(l.hi, f.num(0x1.95355baaafad3p-57), f.fma(l.hi, f.num(0x1.bcb7b1526e50ep-2), f.neg(b))))
	c := f.mul(k, f.num(0x1.34413509f6p-2))
	cLo := f.fma(k, f.num(0x1.9fef311f12b36p-42), bLo)
	sum := f.add(c, b)
	return logSpecial(f, x, f.add(sum, f.add(f.sub(b, f.sub(sum, c)), cLo)))
}

// log(1 + hi + lo) + extra*log(2) for a finite 1+hi > 0 and a small lo: the logarithm of the
// rounded sum with what the rounding lost, to first order.
func log1pPair(f fp, hi, lo, extra string) string {
	u := f.add(f.num(1.0), hi)
	back := f.sub(u, f.num(1.0))
	lost := f.add(f.add(f.sub(f.num(1.0), f.sub(u, back)), f.sub(hi, back)), lo)
	k := f.add(exponent(f, f.num(1.0), u), extra)
	n := f.sub(fraction(f, u), f.num(1.0))
	s := f.div(n, f.add(n, f.num(2.0)))
	square := f.mul(f.mul(f.num(0.5), n), n)
	rest := f.fma(s, logSeries(f, s, square), f.fma(k, f.num(1.90821492927058770002e-10), f.div(lost, u)))
	return f.fma(k, f.num(0x1.62e42feep-1), f.sub(n, f.sub(square, rest)))
}

func log1pDouble(f fp, x string) string {
	y := log1pPair(f, x, f.num(0.0), f.num(0.0))
	y = f.sel(f.cmp("lt", x, f.num(-1.0)), f.num(math.NaN()), y)
	y = f.sel(f.cmp("eq", x, f.num(-1.0)), f.num(math.Inf(-1)), y)
	y = f.sel(f.cmp("lt", f.abs(x), f.num(0x1p-54)), x, y)
	return f.sel(f.cmp("lt", x, f.num(math.Inf(1))), y, x)
}

// asinh|x| = log1p(|x| + x^2/(1+sqrt(1+x^2))); log(2|x|) where the square may be infinite.
func asinhDouble(f fp, x string) string {
	size := f.abs(x)
	z := f.mul(size, size)
	t := f.div(z, f.add(f.num(1.0), f.sqrt(f.add(f.num(1.0), z))))
	hi := f.add(size, t)
	lo := f.sub(t, f.sub(hi, size))
	large := f.cmp("gt", size, f.num(0x1p28))
	y := log1pPair(f, f.sel(large, f.sub(size, f.num(1.0)), hi), f.sel(large, f.num(0.0), lo), f.sel(large, f.num(1.0), f.num(0.0)))
	y = f.sel(f.cmp("lt", size, f.num(0x1p-28)), size, y)
	return f.toSign(x, f.sel(f.cmp("lt", size, f.num(math.Inf(1))), y, size))
}

// acosh(x) = log1p(t + sqrt(t^2+2t)) with t = x-1, and the root in two parts.
func acoshDouble(f fp, x string) string {
	t := f.sub(x, f.num(1.0))
	v := f.fma(t, t, f.add(t, t))
	vLo := f.fma(t, t, f.sub(f.add(t, t), v))
	root := f.sqrt(v)
	rootLo := f.sel(f.cmp("gt", t, f.num(0.0)), f.div(f.add(f.fma(f.neg(root), root, v), vLo), f.add(root, root)), f.num(0.0))
	hi := f.add(root, t)
	lo := f.add(f.sub(t, f.sub(hi, root)), rootLo)
	large := f.cmp("gt", x, f.num(0x1p28))
	y := log1pPair(f, f.sel(large, t, hi), f.sel(large, f.num(0.0), lo), f.sel(large, f.num(1.0), f.num(0.0)))
	y = f.sel(f.cmp("lt", x, f.num(1.0)), f.num(math.NaN()), y)
	return f.sel(f.cmp("lt", x, f.num(math.Inf(1))), y, x)
}

// atanh|x| = log1p(2|x|/(1-|x|)) / 2, with the quotient in two parts.
func atanhDouble(f fp, x string) string {
	size := f.abs(x)
	n := f.add(size, size)
	divisor := f.sub(f.num(1.0), size)
	dLo := f.sub(f.sub(f.num(1.0), divisor), size)
	q := f.div(n, divisor)
	qLo := f.div(f.fma(f.neg(q), dLo, f.fma(f.neg(q), divisor, n)), divisor)
	y := f.mul(f.num(0.5), log1pPair(f, q, qLo, f.num(0.0)))
	y = f.sel(f.cmp("lt", size, f.num(0x1p-28)), size, y)
	y = f.sel(f.cmp("eq", size, f.num(1.0)), f.num(math.Inf(1)), y)
	return f.toSign(x, f.sel(f.cmp("gt", size, f.num(1.0)), f.num(math.NaN()), y))
}
