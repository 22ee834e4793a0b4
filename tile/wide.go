package tile

import (
	"math"
	"math/big"
	"math/bits"
)

// precision is the number of bits of a wide number.
const precision = 256

// wide is a number 0.m * 2^exp of 256 bits, of which the words of m are the digits, the most significant one first. The
// first bit of m is set, but for 0, which is the zero value. It is big.Float of that precision, the twin that the tests
// compare it with, without its memory: what is computed is rounded to the nearest, but for a few units of the last
// place of a root.
type wide struct {
	m        [4]uint64
	exp      int
	negative bool
}

var one = widened(1)

// widened returns a finite number as it is.
func widened(v float64) wide {
	if v == 0 {
		return wide{}
	}
	m, exp := math.Frexp(math.Abs(v))
	return wide{m: [4]uint64{uint64(m*0x1p53) << 11}, exp: exp, negative: v < 0}
}

// fromBig takes over the first 256 bits.
func fromBig(v *big.Float) wide {
	var w wide
	if v.Sign() == 0 {
		return w
	}
	m := new(big.Float).SetPrec(precision)
	w.exp, w.negative = v.MantExp(m), v.Signbit()
	digits, _ := m.Abs(m).SetMantExp(m, precision).Int(nil)
	var raw [precision / 8]byte
	digits.FillBytes(raw[:])
	for i := range w.m {
		for _, b := range raw[8*i:][:8] {
			w.m[i] = w.m[i]<<8 | uint64(b)
		}
	}
	return w
}

func constant(digits string) wide {
	v, _, err := big.ParseFloat(digits, 10, precision, big.ToNearestEven)
	if err != nil {
		panic("BUG: a constant of package tile: " + err.Error())
	}
	return fromBig(v)
}

// nearest rounds to even, as conversions do, also where float64 has fewer digits.
func nearest(a wide) float64 {
	if a.sign() == 0 {
		return 0
	}
	top := a.m[0]
	if a.m[1]|a.m[2]|a.m[3] != 0 {
		top |= 1 // and so is no tie
	}
	const least = -1074 // the exponent of the last bit of a subnormal number
	v := 0.0
	switch digits := a.exp - least; {
	case digits >= 53:
		v = math.Ldexp(float64(top), a.exp-64)
	case digits >= 0:
		whole, rest := top>>(64-digits), top<<digits
		if rest > 1<<63 || rest == 1<<63 && whole&1 != 0 {
			whole++
		}
		v = math.Ldexp(float64(whole), least)
	}
	if a.negative {
		return -v
	}
	return v
}

// normal shifts digits until the first is not 0, and rounds them.
func normal(m [5]uint64, exp int, negative bool) wide {
	for m[0] == 0 {
		if m == [5]uint64{} {
			return wide{}
		}
		m = [5]uint64{m[1], m[2], m[3], m[4]}
		exp -= 64
	}
	if zeros := bits.LeadingZeros64(m[0]); zeros > 0 {
		for i := range 4 {
			m[i] = m[i]<<zeros | m[i+1]>>(64-zeros)
		}
		m[4] <<= zeros
		exp -= zeros
	}
	w := wide{exp: exp, negative: negative}
	up := m[4] >> 63
	for i := 3; i >= 0; i-- {
		w.m[i], up = bits.Add64(m[i], 0, up)
	}
	if up != 0 { // of ones alone
		w.m[0] = 1 << 63
		w.exp++
	}
	return w
}

// sign is -1, 0 or 1.
func (a wide) sign() int {
	switch {
	case a.m[0] == 0:
		return 0
	case a.negative:
		return -1
	}
	return 1
}

// size orders wide numbers by their binary exponent.
func size(a wide) int {
	if a.sign() == 0 {
		return math.MinInt32
	}
	return a.exp
}

func opposite(a wide) wide {
	a.negative = a.sign() != 0 && !a.negative
	return a
}

// scaled is a * 2^k.
func scaled(a wide, k int) wide {
	if a.sign() != 0 {
		a.exp += k
	}
	return a
}

func difference(a, b wide) wide { return sum(a, opposite(b)) }

func sum(a, b wide) wide {
	if size(a) < size(b) {
		a, b = b, a
	}
	if b.sign() == 0 || a.exp-b.exp > precision+1 {
		return a
	}
	// The digits of b, moved under those of a; a word more keeps what a subtraction brings forward.
	x, y := [5]uint64{a.m[0], a.m[1], a.m[2], a.m[3]}, [5]uint64{}
	words, shift := (a.exp-b.exp)/64, (a.exp-b.exp)%64
	for i, d := range b.m {
		if at := i + words; at < 5 {
			y[at] |= d >> shift
			if at < 4 {
				y[at+1] = d << (64 - shift)
			}
		}
	}
	carry := uint64(0)
	if a.negative == b.negative {
		for i := 4; i >= 0; i-- {
			x[i], carry = bits.Add64(x[i], y[i], carry)
		}
		if carry == 0 {
			return normal(x, a.exp, a.negative)
		}
		for i := 4; i > 0; i-- {
			x[i] = x[i]>>1 | x[i-1]<<63
		}
		x[0] = x[0]>>1 | 1<<63
		return normal(x, a.exp+1, a.negative)
	}
	for i := 4; i >= 0; i-- {
		x[i], carry = bits.Sub64(x[i], y[i], carry)
	}
	if carry == 0 {
		return normal(x, a.exp, a.negative)
	}
	carry = 0 // b was the larger
	for i := 4; i >= 0; i-- {
		x[i], carry = bits.Sub64(0, x[i], carry)
	}
	return normal(x, a.exp, b.negative)
}

func product(a, b wide) wide {
	var p [8]uint64
	for i := 3; i >= 0; i-- {
		carry := uint64(0)
		for k := 3; k >= 0; k-- {
			hi, lo := bits.Mul64(a.m[i], b.m[k])
			var c uint64
			lo, c = bits.Add64(lo, p[i+k+1], 0)
			hi += c
			p[i+k+1], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		p[i] = carry
	}
	return normal([5]uint64(p[:5]), a.exp+b.exp, a.negative != b.negative)
}

func times(a wide, n int) wide { return product(a, widened(float64(n))) }

// over is a/n for n > 0.
func over(a wide, n int) wide {
	var q [5]uint64
	rest := uint64(0)
	for i := range 4 {
		q[i], rest = bits.Div64(rest, a.m[i], uint64(n))
	}
	q[4], _ = bits.Div64(rest, 0, uint64(n))
	return normal(q, a.exp, a.negative)
}

// quotient divides word by word, as one does by hand (Knuth, volume 2, algorithm D): the first words say which digit
// is next, or one of the two below it.
func quotient(a, b wide) wide {
	if b.sign() == 0 {
		panic("BUG: package tile divides a wide number by 0")
	}
	rest, q, exp := a.m, [5]uint64{}, a.exp-b.exp
	first := 0
	less, borrow := rest, uint64(0)
	for i := 3; i >= 0; i-- {
		less[i], borrow = bits.Sub64(rest[i], b.m[i], borrow)
	}
	if borrow == 0 { // the quotient of the digits is 1 and something
		rest, q[0] = less, 1
		first, exp = 1, exp+64
	}
	for at := first; at < 5; at++ {
		digit := uint64(math.MaxUint64)
		if rest[0] < b.m[0] {
			digit, _ = bits.Div64(rest[0], rest[1], b.m[0])
		}
		x := [5]uint64{rest[0], rest[1], rest[2], rest[3]}
		carry, borrow := uint64(0), uint64(0)
		for i := 3; i >= 0; i-- {
			hi, lo := bits.Mul64(digit, b.m[i])
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			carry = hi + c
			x[i+1], borrow = bits.Sub64(x[i+1], lo, borrow)
		}
		x[0], borrow = bits.Sub64(x[0], carry, borrow)
		for borrow != 0 {
			digit--
			c := uint64(0)
			for i := 3; i >= 0; i-- {
				x[i+1], c = bits.Add64(x[i+1], b.m[i], c)
			}
			x[0], c = bits.Add64(x[0], 0, c)
			borrow -= c
		}
		q[at], rest = digit, [4]uint64(x[1:])
	}
	return normal(q, exp, a.negative != b.negative)
}

// root is the square root of a number that is not negative: three of Newton's steps for its inverse, each of which
// doubles the digits, and one for itself.
func root(a wide) wide {
	if a.sign() == 0 {
		return a
	}
	half := a.exp >> 1
	a.exp -= 2 * half
	y := widened(1 / math.Sqrt(nearest(a)))
	for range 3 {
		y = sum(y, scaled(product(y, difference(one, product(a, product(y, y)))), -1))
	}
	s := product(a, y)
	s = sum(s, scaled(product(y, difference(a, product(s, s))), -1))
	return scaled(s, half)
}
