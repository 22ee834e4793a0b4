package tile

import "math"

// The elementary functions of the reference are computed from their definitions in numbers of
// 256 bits (wide.go), and rounded once: slow, and right in the last place. Cancellation takes at most
// a third of the bits, because small arguments go to the series.

// To 78 digits, as many as 256 bits hold.
var (
	widePi   = constant("3.14159265358979323846264338327950288419716939937510582097494459230781640628621")
	wideLn2  = constant("0.693147180559945309417232121458176568075500134360255254120680009493393621969695")
	wideLn10 = constant("2.30258509299404568401799145468436420760110148862877297603332790096757260967735")
)

// powers is term + term*step(1) + term*step(1)*step(2) + ... until nothing is added any more.
func powers(term wide, step func(n int, term wide) wide) wide {
	total := term
	for n := 1; term.sign() != 0 && size(term) > size(total)-precision; n++ {
		term = step(n, term)
		total = sum(total, term)
	}
	return total
}

// wideExpm1 is exp(x)-1 for |x| <= 1.
func wideExpm1(x wide) wide {
	return powers(x, func(n int, term wide) wide { return over(product(term, x), n+1) })
}

// wideExp is exp(x) for |x| < 2^20.
func wideExp(x wide) wide {
	k := int(math.RoundToEven(nearest(x) / math.Ln2))
	r := difference(x, times(wideLn2, k))
	y := sum(wideExpm1(scaled(r, -16)), one)
	for range 16 {
		y = product(y, y)
	}
	return scaled(y, k)
}

// wideLog is the logarithm of a positive number: a step of Halley's method, which triples the
// digits of a float64.
func wideLog(x wide) wide {
	m, k := scaled(x, -x.exp), x.exp
	if nearest(m) < math.Sqrt2/2 { // near 1 nothing cancels
		m = scaled(m, 1)
		k--
	}
	y := widened(math.Log(nearest(m)))
	e := wideExp(y)
	y = sum(y, scaled(quotient(difference(m, e), sum(m, e)), 1))
	return sum(y, times(wideLn2, k))
}

// wideLog1p is log(1+x) for x > -1.
func wideLog1p(x wide) wide {
	if size(x) > -50 {
		return wideLog(sum(x, one))
	}
	xx := product(x, x)
	y := difference(x, over(xx, 2))
	return sum(y, difference(over(product(xx, x), 3), over(product(xx, xx), 4)))
}

// wideSin and wideCos take |x| <= 2.

func wideSin(x wide) wide {
	square := opposite(product(x, x))
	return powers(x, func(n int, term wide) wide { return over(product(term, square), 2*n*(2*n+1)) })
}

func wideCos(x wide) wide {
	square := opposite(product(x, x))
	return powers(one, func(n int, term wide) wide { return over(product(term, square), 2*n*(2*n-1)) })
}

// wideAngle is the angle of a point that is not the origin, between -pi and pi: the float64
// angle, put right by the angle that remains, of which the tangent is known.
func wideAngle(y, x wide) wide {
	shift := -max(size(x), size(y))
	y, x = scaled(y, shift), scaled(x, shift)
	if x.sign() > 0 && size(y) < -50 {
		return arcTangentOfSmall(quotient(y, x))
	}
	a := widened(math.Atan2(nearest(y), nearest(x)))
	half := scaled(a, -1)
	s, c := wideSin(half), wideCos(half)
	sin, cos := scaled(product(s, c), 1), difference(product(c, c), product(s, s))
	rest := quotient(difference(product(y, cos), product(x, sin)), sum(product(x, cos), product(y, sin)))
	return sum(a, arcTangentOfSmall(rest))
}

// arcTangentOfSmall is the series up to the seventh power.
func arcTangentOfSmall(t wide) wide {
	z := product(t, t)
	p := difference(over(one, 5), over(z, 7))
	p = difference(over(one, 3), product(z, p))
	return product(t, difference(one, product(z, p)))
}
