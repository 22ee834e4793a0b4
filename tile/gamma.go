package tile

import (
	"math"
	"math/big"
)

// The error and gamma functions of the reference, in wide numbers as in elementary.go.

// RealErf returns the error function.
func RealErf(x float64) float64 {
	if x == 0 || !(math.Abs(x) < 7) {
		return math.Erf(x)
	}
	if size := math.Abs(x); size > 3 {
		return math.Copysign(nearest(difference(one, errorTail(size))), x)
	}
	return nearest(errorSeries(x))
}

// RealErfc returns 1 minus the error function.
func RealErfc(x float64) float64 {
	switch {
	case !(math.Abs(x) < 30):
		return math.Erfc(x)
	case x > 3:
		return nearest(errorTail(x))
	case x < -3:
		return nearest(difference(widened(2), errorTail(-x)))
	}
	return nearest(difference(one, errorSeries(x)))
}

var rootOfPi = root(widePi)

// errorSeries is erf(x) for |x| <= 3: 2/sqrt(pi) * exp(-x^2) * (x + 2x^3/3 + 4x^5/15 + ...).
func errorSeries(x float64) wide {
	v := widened(x)
	z := product(v, v)
	series := powers(v, func(n int, term wide) wide { return over(scaled(product(term, z), 1), 2*n+1) })
	return quotient(scaled(product(wideExp(opposite(z)), series), 1), rootOfPi)
}

// errorTail is erfc(x) for x >= 3: exp(-x^2)/sqrt(pi) / (x + (1/2)/(x + (2/2)/(x + (3/2)/...))).
func errorTail(x float64) wide {
	v := widened(x)
	f := v
	for k := 160; k > 0; k-- {
		f = sum(v, quotient(widened(float64(k)/2), f))
	}
	return quotient(wideExp(opposite(product(v, v))), product(rootOfPi, f))
}

// stirling are B(2k)/(2k(2k-1)), the coefficients of Stirling's series, from Bernoulli's
// numbers by their recurrence.
var stirling = func() []wide {
	const last = 40
	b := make([]*big.Rat, last+1)
	for m := range b {
		b[m] = new(big.Rat)
		if m == 0 {
			b[m].SetInt64(1)
			continue
		}
		for k := range m {
			choose := new(big.Int).Binomial(int64(m+1), int64(k))
			b[m].Sub(b[m], new(big.Rat).Mul(new(big.Rat).SetInt(choose), b[k]))
		}
		b[m].Quo(b[m], new(big.Rat).SetInt64(int64(m+1)))
	}
	var c []wide
	for m := 2; m <= last; m += 2 {
		c = append(c, over(fromBig(new(big.Float).SetPrec(precision).SetRat(b[m])), m*(m-1)))
	}
	return c
}()

var halfLogTwoPi = scaled(wideLog(scaled(widePi, 1)), -1)

var thirty = widened(30)

// wideLogGamma is log(gamma(a)) for a > 0: Stirling's series from 30 on, and the quotients
// gamma(a+1)/gamma(a) = a below.
func wideLogGamma(a wide) wide {
	below := one
	for difference(a, thirty).sign() < 0 {
		below = product(below, a)
		a = sum(a, one)
	}
	l := wideLog(a)
	y := difference(product(difference(a, widened(0.5)), l), a)
	y = sum(y, halfLogTwoPi)
	inverse := quotient(one, a)
	square := product(inverse, inverse)
	for _, c := range stirling {
		y = sum(y, product(c, inverse))
		inverse = product(inverse, square)
	}
	return difference(y, wideLog(below))
}

// sineOfPi is sin(pi*a).
func sineOfPi(a float64) wide {
	f := math.Remainder(a, 2) // exact
	negative := f < 0
	f = math.Abs(f)
	if f > 0.5 {
		f = 1 - f // exact
	}
	sin := wideSin(product(widePi, widened(f)))
	if negative {
		return opposite(sin)
	}
	return sin
}

func isPole(x float64) bool { return x <= 0 && x == math.Floor(x) }

// RealGamma returns the gamma function.
func RealGamma(x float64) float64 {
	switch {
	case x == 0:
		return 1 / x
	case x != x, math.IsInf(x, 1), x > 180:
		return math.Gamma(x)
	case isPole(x): // and -Inf
		return math.NaN()
	case x > 0:
		return nearest(wideExp(wideLogGamma(widened(x))))
	}
	// gamma(x) = -pi / (a*sin(pi*a)*gamma(a)) with a = -x, where sin(pi*a) has both signs.
	a := -x
	s := sineOfPi(a)
	if a > 300 {
		return math.Copysign(0, -float64(s.sign()))
	}
	d := product(product(widened(a), s), wideExp(wideLogGamma(widened(a))))
	return nearest(opposite(quotient(widePi, d)))
}

// RealLogGamma returns the logarithm of the gamma function's size. Near its zeros it is right
// to 2^-100 of 1.
func RealLogGamma(x float64) float64 {
	switch {
	case x == 1, x == 2:
		return 0
	case x != x:
		return x
	case math.IsInf(x, 0), isPole(x):
		return math.Inf(1)
	case x > 0:
		return nearest(wideLogGamma(widened(x)))
	}
	a := -x
	d := product(widened(a), sineOfPi(a))
	d.negative = false
	y := wideLog(quotient(widePi, d))
	return nearest(difference(y, wideLogGamma(widened(a))))
}
