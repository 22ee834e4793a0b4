package tile

import "math"

// RealPow is x to the power y within about one unit in the last place; math.Pow loses
// y units, because it multiplies. Special cases are those of math.Pow, which are C99's.
//
// It computes 2^(y*log2(x)) with the product to about 2^-64 of its size: numbers of twice
// the precision are unevaluated sums hi+lo.
func RealPow(x, y float64) float64 {
	ax := math.Abs(x)
	whole := math.Trunc(y) == y
	if !(ax > 0 && ax <= math.MaxFloat64 && math.Abs(y) <= math.MaxFloat64) || y == 0 || x < 0 && !whole || ax == 1 {
		return math.Pow(x, y)
	}
	sign := 1.0
	if x < 0 && math.Abs(y) < 1<<53 && int64(y)&1 != 0 {
		sign = -1
	}
	hi, lo := log2(ax)
	p := y * hi
	switch { // also keeps the exact product below from overflowing
	case p > 1100:
		return sign * math.Inf(1)
	case p < -1200:
		return math.Copysign(0, sign)
	}
	e := math.FMA(y, hi, -p) + y*lo
	k := math.RoundToEven(p)
	f := p - k // exact
	// r = (f+e) * ln 2, of size at most 0.35.
	const ln2, ln2lo = 0.6931471805599453, 2.3190468138462996e-17
	r := f * ln2
	tail := math.FMA(f, ln2, -r) + f*ln2lo + e*ln2
	// exp(r) - 1 - r = r^2/2 + r^3/6 + ..., by Horner.
	q := 0.0
	for i := len(factorials) - 1; i >= 2; i-- {
		q = q*r + 1/factorials[i]
	}
	s := r + (r*r*q + tail*(1+r+r*r*q)) // the tail matters as exp(r)*tail: it can be 2^-43
	return sign * math.Ldexp(1+s, int(k))
}

// factorials of 0 to 14: the series of exp to 2^-60 for |r| <= 0.35.
var factorials = [...]float64{1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600, 6227020800, 87178291200}

// log2 returns the binary logarithm of a positive finite number as hi+lo.
//
// x = m * 2^e with m between sqrt(1/2) and sqrt(2), and
// log(m) = 2*(s + s^3/3 + s^5/5 + ...) with s = (m-1)/(m+1), |s| < 0.172.
func log2(x float64) (hi, lo float64) {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	n := m - 1 // exact
	d := m + 1
	dlo := m - (d - 1)
	s := n / d
	slo := (math.FMA(-s, d, n) - s*dlo) / d
	z := s * s
	zlo := math.FMA(s, s, -z) + 2*s*slo
	// z/3 needs twice the precision, the rest of the series not.
	t := z / 3
	tlo := (math.FMA(-3, t, z) + zlo) / 3
	rest := 0.0
	for i := 31; i >= 5; i -= 2 {
		rest = rest*z + 1/float64(i)
	}
	rest *= z * z
	p, plo := fastTwoSum(t, rest)
	plo += tlo
	// l = s + s*p
	sp := s * p
	splo := math.FMA(s, p, -sp) + s*plo + slo*p
	l, llo := fastTwoSum(s, sp)
	llo += splo + slo
	// Times 2/ln 2, plus e.
	const c, clo = 2.8853900817779268, 4.0710547481862066e-17
	b := l * c
	blo := math.FMA(l, c, -b) + l*clo + llo*c
	if e == 0 {
		return fastTwoSum(b, blo)
	}
	hi, lo = fastTwoSum(float64(e), b)
	return fastTwoSum(hi, lo+blo)
}

// fastTwoSum returns a+b and its rounding error, for |a| >= |b|.
func fastTwoSum(a, b float64) (sum, err float64) {
	sum = a + b
	return sum, b - (sum - a)
}
