package ptx

import "math"

// Tangent and the inverse functions of angles; see exponents.go.

func tanDouble(f fp, x string) string {
	q, r, tail := reduceAngle(f, x)
	y := tanOfQuadrant(f, f.long("cvt.u64.u32", q), r, tail)
	y = f.sel(f.cmp("eq", x, f.num(0)), x, y) // keeps -0
	return f.sel(f.isFinite(x), y, f.sub(x, x))
}

// The tangent of the angle r + tail in the quadrant q: sine over cosine, both in two parts,
// the quotient put right by its remainder.
func tanOfQuadrant(f fp, q, r, tail string) string {
	drop := sinDrop(f, r, tail)
	sine := f.sub(r, drop)
	sineLo := f.sub(f.sub(r, sine), drop)
	c := cosPair(f, r, tail)
	cosine := f.add(c.hi, c.lo)
	cosineLo := f.sub(c.lo, f.sub(cosine, c.hi))
	odd := f.pred("setp.ne.b64", f.long("and.b64", q, "1"), "0")
	n := f.sel(odd, f.neg(cosine), sine)
	nLo := f.sel(odd, f.neg(cosineLo), sineLo)
	divisor := f.sel(odd, sine, cosine)
	dLo := f.sel(odd, sineLo, cosineLo)
	inverse := f.div(f.num(1.0), divisor)
	y := f.mul(n, inverse)
	left := f.fma(f.neg(y), dLo, f.add(f.fma(f.neg(y), divisor, n), nLo))
	return f.fma(left, inverse, y)
}

// asin(s)/s - 1 as a function of z = s^2 for z <= 1/4; the quotient is fdlibm's.
func asinSeries(f fp, z string) string {
	p := f.fma(z, f.num(3.47933107596021167570e-05), f.num(7.91534994289814532176e-04))
	p = f.fma(z, f.fma(z, p, f.num(-4.00555345006794114027e-02)), f.num(2.01212532134862925881e-01))
	p = f.fma(z, f.fma(z, p, f.num(-3.25565818622400915405e-01)), f.num(1.66666666666666657415e-01))
	q := f.fma(z, f.num(7.70381505559019352791e-02), f.num(-6.88283971605453293030e-01))
	q = f.fma(z, f.fma(z, f.fma(z, q, f.num(2.02094576023350569471e+00)), f.num(-2.40339491173441421878e+00)), f.num(1.0))
	return f.div(f.mul(z, p), q)
}

// Up to 1/2 the series; beyond, asin(x) = pi/2 - 2*asin(s) with s^2 = (1-|x|)/2, s in two
// parts. Outside [-1, 1] the root is NaN.
func asinDouble(f fp, x string) string {
	size := f.abs(x)
	near := f.cmp("lt", size, f.num(0.5))
	z := f.sel(near, f.mul(size, size), f.mul(f.num(0.5), f.sub(f.num(1.0), size)))
	root := f.sqrt(z)
	s := f.sel(near, size, root)
	r := asinSeries(f, z)
	rootLo := f.div(f.fma(f.neg(root), root, z), f.sel(f.cmp("gt", root, f.num(0.0)), f.add(root, root), f.num(1.0)))
	far := f.fma(root, r, rootLo)
	y := f.sub(f.num(0x1.921fb54442d18p+0), f.mul(root, f.num(2.0)))
	yLo := f.add(f.sub(f.sub(f.num(0x1.921fb54442d18p+0), y), f.mul(root, f.num(2.0))), f.fma(f.num(-2.0), far, f.num(0x1.1a62633145c07p-54)))
	return f.toSign(x, f.sel(near, f.fma(s, r, s), f.add(y, yLo)))
}

// pi/2 - asin(x) for |x| < 1/2, 2*asin(s) near 1, pi - 2*asin(s) near -1.
func acosDouble(f fp, x string) string {
	size := f.abs(x)
	z := f.sel(f.cmp("lt", size, f.num(0.5)), f.mul(x, x), f.mul(f.num(0.5), f.sub(f.num(1.0), size)))
	root := f.sqrt(z)
	r := asinSeries(f, z)
	rootLo := f.div(f.fma(f.neg(root), root, z), f.sel(f.cmp("gt", root, f.num(0.0)), f.add(root, root), f.num(1.0)))
	far := f.fma(root, r, rootLo)
	rest := f.sub(f.num(0x1.921fb54442d18p+0), x)
	restLo := f.sub(f.sub(f.num(0x1.921fb54442d18p+0), rest), x)
	middle := f.add(rest, f.add(restLo, f.fma(f.neg(x), r, f.num(0x1.1a62633145c07p-54))))
	right := f.mul(f.num(2.0), f.add(root, far))
	twice := f.mul(f.num(2.0), root)
	most := f.sub(f.num(0x1.921fb54442d18p+1), twice)
	mostLo := f.sub(f.sub(f.num(0x1.921fb54442d18p+1), most), twice)
	left := f.add(most, f.add(mostLo, f.fma(f.num(-2.0), far, f.num(0x1.1a62633145c07p-53))))
	return f.sel(f.cmp("lt", size, f.num(0.5)), middle, f.sel(f.cmp("gt", x, f.num(0.0)), right, left))
}

// The arc tangent of n/d for 0 <= n <= d, both finite and d not 0, as hi + lo; in one of three
// ranges of the quotient, with fdlibm's polynomial.
func atanPair(f fp, n, divisor string) pair {
	middle := f.cmp("gt", n, f.mul(divisor, f.num(0.4375)))
	upper := f.cmp("gt", n, f.mul(divisor, f.num(0.6875)))
	above := f.sel(upper, f.sub(n, divisor), f.sel(middle, f.sub(f.add(n, n), divisor), n))
	below := f.sel(upper, f.add(n, divisor), f.sel(middle, f.add(f.add(divisor, divisor), n), divisor))
	t := f.div(above, below)
	hi := f.sel(upper, f.num(7.85398163397448278999e-01), f.sel(middle, f.num(4.63647609000806093515e-01), f.num(0.0)))
	lo := f.sel(upper, f.num(3.06161699786838301793e-17), f.sel(middle, f.num(2.26987774529616870924e-17), f.num(0.0)))
	z := f.mul(t, t)
	w := f.mul(z, z)
	even := f.fma(w, f.num(1.62858201153657823623e-02), f.num(4.97687799461593236017e-02))
	even = f.fma(w, f.fma(w, even, f.num(6.66107313738753120669e-02)), f.num(9.09088713343650656196e-02))
	even = f.fma(w, f.fma(w, even, f.num(1.42857142725034663711e-01)), f.num(3.33333333333329318027e-01))
	odd := f.fma(w, f.num(-3.65315727442169155270e-02), f.num(-5.83357013379057348645e-02))
	odd = f.fma(w, f.fma(w, odd, f.num(-7.69187620504482999495e-02)), f.num(-1.11111104054623557880e-01))
	odd = f.fma(w, odd, f.num(-1.99999999998764832476e-01))
	p := f.fma(z, odd, even)
	rest := f.fma(f.neg(f.mul(t, z)), p, lo)
	var y pair
	y.hi = f.add(hi, t)
	y.lo = f.add(f.sub(t, f.sub(y.hi, hi)), rest)
	return y
}

// From the octant to the half-plane.
func lessPair(f fp, a, aLo string, b pair) pair {
	var y pair
	y.hi = f.sub(a, b.hi)
	y.lo = f.add(f.sub(f.sub(a, y.hi), b.hi), f.sub(aLo, b.lo))
	return y
}

func atanDouble(f fp, x string) string {
	size := f.abs(x)
	swap := f.cmp("gt", size, f.num(1.0))
	finite := f.sel(f.cmp("gt", size, f.num(0x1p60)), f.num(0x1p60), size)
	a := atanPair(f, f.sel(swap, f.num(1.0), finite), f.sel(swap, finite, f.num(1.0)))
	b := lessPair(f, f.num(0x1.921fb54442d18p+0), f.num(0x1.1a62633145c07p-54), a)
	y := f.sel(swap, f.add(b.hi, b.lo), f.add(a.hi, a.lo))
	return f.toSign(x, y)
}

// The angle of the point (x, y). Two infinities count as equal; huge and tiny numbers are
// scaled, so that sums stay finite and quotients keep their digits.
func atan2Double(f fp, y, x string) string {
	ax := f.abs(x)
	ay := f.abs(y)
	swap := f.cmp("gt", ay, ax)
	large := f.sel(swap, ay, ax)
	small := f.sel(swap, ax, ay)
	scale := f.sel(f.cmp("gt", large, f.num(0x1p1000)), f.num(0x1p-4), f.sel(f.cmp("lt", large, f.num(0x1p-900)), f.num(0x1p100), f.num(1.0)))
	n := f.sel(f.cmp("eq", small, f.num(math.Inf(1))), f.num(1.0), f.mul(small, scale))
	divisor := f.sel(f.cmp("eq", small, f.num(math.Inf(1))), f.num(1.0), f.sel(f.cmp("eq", large, f.num(0.0)), f.num(1.0), f.mul(large, scale)))
	a := atanPair(f, n, divisor)
	b := lessPair(f, f.num(0x1.921fb54442d18p+0), f.num(0x1.1a62633145c07p-54), a)
	a.hi = f.sel(swap, b.hi, a.hi)
	a.lo = f.sel(swap, b.lo, a.lo)
	left := f.pred("setp.lt.s64", f.long("mov.b64", x), "0")
	c := lessPair(f, f.num(0x1.921fb54442d18p+1), f.num(0x1.1a62633145c07p-53), a)
	angle := f.sel(left, f.add(c.hi, c.lo), f.add(a.hi, a.lo))
	angle = f.sel(f.isNaN(x), x, f.sel(f.isNaN(y), y, angle))
	return f.toSign(y, angle)
}
