package ptx

import "math"

// The gamma function and its logarithm; see exponents.go and cpu/vm/gamma64.h.

func plusPair(f fp, a pair, b, bLo string) pair {
	sum := f.add(a.hi, b)
	back := f.sub(sum, a.hi)
	lo := f.add(f.add(f.sub(a.hi, f.sub(sum, back)), f.sub(b, back)), f.add(a.lo, bLo))
	var y pair
	y.hi = f.add(sum, lo)
	y.lo = f.sub(lo, f.sub(y.hi, sum))
	return y
}

// p * (a+i)
func rising(f fp, p pair, a, i string) pair {
	u := f.add(a, i)
	back := f.sub(u, a)
	lost := f.add(f.sub(a, f.sub(u, back)), f.sub(i, back))
	t := f.mul(p.hi, u)
	lo := f.fma(p.hi, lost, f.fma(p.lo, u, f.fma(p.hi, u, f.neg(t))))
	var y pair
	y.hi = f.add(t, lo)
	y.lo = f.sub(lo, f.sub(y.hi, t))
	return y
}

// a(a+1)...(a+9) for a < 10, else 1.
func risingProduct(f fp, a string) pair {
	var p pair
	p.hi = a
	p.lo = f.num(0.0)
	p = rising(f, p, a, f.num(1.0))
	p = rising(f, p, a, f.num(2.0))
	p = rising(f, p, a, f.num(3.0))
	p = rising(f, p, a, f.num(4.0))
	p = rising(f, p, a, f.num(5.0))
	p = rising(f, p, a, f.num(6.0))
	p = rising(f, p, a, f.num(7.0))
	p = rising(f, p, a, f.num(8.0))
	p = rising(f, p, a, f.num(9.0))
	shift := f.cmp("lt", a, f.num(10.0))
	p.hi = f.sel(shift, p.hi, f.num(1.0))
	p.lo = f.sel(shift, p.lo, f.num(0.0))
	return p
}

// log2(gamma(z)) for z = a, or z = a+10 below 10; a finite and not negative. From 2^900 on it
// is the 256th part, because it may be infinite where the natural logarithm is not.
func stirling(f fp, a string) pair {
	more := f.sel(f.cmp("lt", a, f.num(10.0)), f.num(10.0), f.num(0.0))
	z := f.add(a, more)
	back := f.sub(z, a)
	lost := f.add(f.sub(a, f.sub(z, back)), f.sub(more, back))
	l := log2Pair(f, z)
	v := f.sel(f.cmp("gt", z, f.num(0x1p900)), f.mul(z, f.num(0x1p-8)), z)
	var e pair
	e.hi = f.mul(v, l.hi)
	e.lo = f.fma(v, l.lo, f.fma(v, l.hi, f.neg(e.hi)))
	b := f.mul(v, f.num(0x1.71547652b82fep+0))
	bLo := f.fma(v, f.num(0x1.777d0ffda0d24p-56), f.fma(v, f.num(0x1.71547652b82fep+0), f.neg(b)))
	e = plusPair(f, e, f.neg(b), f.neg(bLo))
	e = plusPair(f, e, f.mul(f.num(-0.5), l.hi), f.mul(f.num(-0.5), l.lo))
	e = plusPair(f, e, f.num(0x1.536439a4c6efcp+0), f.num(-0x1.49e49a361efebp-54))
	inverse := f.div(f.num(1.0), z)
	w := f.mul(inverse, inverse)
	s := f.fma(w, f.num(-0x1.6476701181f3ap+0), f.num(0x1.6fe96381e0680p-3))
	s = f.fma(w, f.fma(w, s, f.num(-0x1.e4286cb0f5398p-6)), f.num(0x1.a41a41a41a41ap-8))
	s = f.fma(w, f.fma(w, s, f.num(-0x1.f6ab0d9993c7dp-10)), f.num(0x1.b951e2b18ff23p-11))
	s = f.fma(w, f.fma(w, s, f.num(-0x1.3813813813814p-11)), f.num(0x1.a01a01a01a01ap-11))
	s = f.fma(w, f.fma(w, s, f.num(-0x1.6c16c16c16c17p-9)), f.num(0x1.5555555555555p-4))
	slope := f.fma(inverse, f.num(-0.72134752044448169), l.hi)
	return plusPair(f, e, f.mul(f.mul(s, inverse), f.num(0x1.71547652b82fep+0)), f.mul(lost, slope))
}

// sin(pi*a) for a >= 0; 2^51 is even, and from 2^52 on all numbers are whole.
func sinPi(f fp, a string) pair {
	b := f.sel(f.cmp("lt", a, f.num(0x1p51)), a, f.sel(f.cmp("lt", a, f.num(0x1p52)), f.sub(a, f.num(0x1p51)), f.num(0.0)))
	t := f.add(b, f.num(magicDouble))
	fraction := f.sub(b, f.sub(t, f.num(magicDouble)))
	size := f.abs(fraction)
	far := f.cmp("gt", size, f.num(0.25))
	g := f.sel(far, f.sub(f.num(0.5), size), size)
	r := f.mul(g, f.num(0x1.921fb54442d18p+1))
	tail := f.fma(g, f.num(0x1.1a62633145c07p-53), f.fma(g, f.num(0x1.921fb54442d18p+1), f.neg(r)))
	drop := sinDrop(f, r, tail)
	sine := f.sub(r, drop)
	c := cosPair(f, r, tail)
	cosine := f.add(c.hi, c.lo)
	flip := f.dbl("mov.b64", f.long("xor.b64", f.long("xor.b64", f.long("and.b64", f.long("mov.b64", fraction), hex(1<<63)), f.long("shl.b64", f.long("and.b64", f.long("mov.b64", t), "1"), "63")), hex(0x3ff0000000000000)))
	var y pair
	y.hi = f.mul(flip, f.sel(far, cosine, sine))
	y.lo = f.mul(flip, f.sel(far, f.sub(c.lo, f.sub(cosine, c.hi)), f.sub(f.sub(r, sine), drop)))
	return y
}

// n / d
func ratio(f fp, n, divisor pair) pair {
	var y pair
	y.hi = f.div(n.hi, divisor.hi)
	y.lo = f.div(f.fma(f.neg(y.hi), divisor.lo, f.add(f.fma(f.neg(y.hi), divisor.hi, n.hi), n.lo)), divisor.hi)
	return y
}

// pi*product / (a*sin(pi*a)) / 2^64, of which s is the sine.
func reflected(f fp, a string, s, product pair) pair {
	var n pair
	var divisor pair
	n.hi = f.mul(product.hi, f.num(0x1.921fb54442d18p+1))
	n.lo = f.fma(product.lo, f.num(0x1.921fb54442d18p+1), f.fma(product.hi, f.num(0x1.1a62633145c07p-53), f.fma(product.hi, f.num(0x1.921fb54442d18p+1), f.neg(n.hi))))
	scaled := f.mul(a, f.num(0x1p64))
	divisor.hi = f.mul(scaled, s.hi)
	divisor.lo = f.fma(scaled, s.lo, f.fma(scaled, s.hi, f.neg(divisor.hi)))
	return ratio(f, n, divisor)
}

func gammaDouble(f fp, x string) string {
	a := f.abs(x)
	capped := f.sel(f.cmp("gt", a, f.num(200.0)), f.num(200.0), a)
	e := stirling(f, capped)
	p := risingProduct(f, capped)
	negative := f.cmp("lt", x, f.num(0.0))
	up := f.sel(negative, f.neg(e.hi), e.hi)
	upLo := f.sel(negative, f.neg(e.lo), e.lo)
	s := sinPi(f, a)
	one := pair{f.num(1.0), f.num(0.0)}
	fraction := ratio(f, one, p)
	g := reflected(f, a, s, p)
	fraction.hi = f.sel(negative, f.neg(g.hi), fraction.hi)
	fraction.lo = f.sel(negative, f.neg(g.lo), fraction.lo)
	high := f.sel(f.cmp("gt", up, f.num(1030.0)), f.num(1030.0), f.sel(f.cmp("lt", up, f.num(-1500.0)), f.num(-1500.0), up))
	y := exp2Split(f, high, upLo)
	z := f.fma(y.m, fraction.hi, f.mul(y.m, fraction.lo))
	z = f.sel(negative, scaleBy(f, z, f.long("add.s64", y.k, "64")), scaleBy(f, z, y.k))
	z = f.sel(negative, f.sel(f.cmp("eq", s.hi, f.num(0.0)), f.num(math.NaN()), z), z)
	z = f.sel(f.cmp("lt", a, f.num(0x1p-60)), f.div(f.num(1.0), x), z)
	return f.sel(f.cmp("lt", a, f.num(math.Inf(1))), z, f.sel(f.cmp("gt", x, f.num(0.0)), f.num(math.Inf(1)), f.num(math.NaN())))
}

// log|gamma(x)|
func lgammaDouble(f fp, x string) string {
	a := f.abs(x)
	e := stirling(f, a)
	p := risingProduct(f, a)
	s := sinPi(f, a)
	negative := f.cmp("lt", x, f.num(-0x1p-60))
	g := reflected(f, a, s, p)
	fraction := f.sel(negative, g.hi, p.hi)
	l := log2Pair(f, f.abs(fraction))
	lost := f.mul(f.div(f.sel(negative, g.lo, p.lo), fraction), f.num(0x1.71547652b82fep+0))
	l = plusPair(f, l, f.sel(negative, f.num(64.0), f.num(0.0)), lost)
	e = plusPair(f, e, f.neg(l.hi), f.neg(l.lo))
	y := f.fma(e.hi, f.num(ln2Hi), f.fma(e.lo, f.num(ln2Hi), f.mul(e.hi, f.num(ln2Lo))))
	y = f.sel(negative, f.neg(y), y)
	y = f.mul(y, f.sel(f.cmp("gt", a, f.num(0x1p900)), f.num(256.0), f.num(1.0)))
	y = f.sel(f.cmp("eq", x, f.num(1.0)), f.num(0.0), f.sel(f.cmp("eq", x, f.num(2.0)), f.num(0.0), y))
	y = f.sel(f.cmp("eq", x, f.num(0.0)), f.num(math.Inf(1)), f.sel(negative, f.sel(f.cmp("eq", s.hi, f.num(0.0)), f.num(math.Inf(1)), y), y))
	return f.sel(f.cmp("lt", a, f.num(0x1.754d9278b51a8p+1014)), y, f.sel(f.isNaN(x), x, f.num(math.Inf(1))))
}
