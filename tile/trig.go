package tile

import (
	"math"
	"math/bits"
)

// RealSin and RealCos are within one unit in the last place for every argument. math.Sin and
// math.Cos are not near the zeros of the function: they reduce the argument with too few
// digits of pi.

// RealSin returns the sine of x radians.
func RealSin(x float64) float64 {
	switch {
	case x == 0: // keeps -0
		return x
	case x != x, math.IsInf(x, 0):
		return x - x
	}
	q, r, tail := toQuadrant(x)
	if q&1 == 0 {
		return flip(q&2 != 0, sinKernel(r, tail))
	}
	return flip(q&2 != 0, cosKernel(r, tail))
}

// RealCos returns the cosine of x radians.
func RealCos(x float64) float64 {
	if x != x || math.IsInf(x, 0) {
		return x - x
	}
	q, r, tail := toQuadrant(x)
	if q&1 == 0 {
		return flip(q&2 != 0, cosKernel(r, tail))
	}
	return flip(q&2 == 0, sinKernel(r, tail))
}

// RealLog is math.Log, which on some processors is wrong for subnormal numbers.
func RealLog(x float64) float64 {
	const least = 0x1p-1022
	if x > 0 && x < least {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func flip(negative bool, v float64) float64 {
	if negative {
		return -v
	}
	return v
}

// pi/2 as a sum of three parts.
const (
	halfPi1 = 0x1.921fb54442d18p+0
	halfPi2 = 0x1.1a62633145c07p-54
	halfPi3 = -0x1.f1976b7ed8fbcp-110
)

// toQuadrant returns the quadrant q (modulo 4) and the angle r+tail within it, of size at most
// pi/4: x = q*pi/2 + r + tail.
func toQuadrant(x float64) (q int, r, tail float64) {
	if math.Abs(x) < math.Pi/4 {
		return 0, x, 0
	}
	if math.Abs(x) >= 1<<20 {
		return reduceLarge(x)
	}
	k := math.RoundToEven(x * (2 / math.Pi))
	r = math.FMA(-k, halfPi1, x) // exact: the digits cancel
	p := k * halfPi2
	plo := math.FMA(k, halfPi2, -p) + k*halfPi3
	sum := r - p
	back := sum - r
	tail = (r - (sum - back)) - (p + back) - plo
	return int(k) & 3, sum, tail
}

// reduceLarge multiplies by 2/pi in integers (Payne and Hanek, 1983): with x = m*2^e, the
// digits of 2/pi whose product with m*2^e is a multiple of 4 are skipped, and 256 bits from
// there on are enough for the quadrant and more than 128 bits of the angle.
func reduceLarge(x float64) (q int, r, tail float64) {
	b := math.Float64bits(x)
	m := b&(1<<52-1) | 1<<52
	e := int(b>>52&2047) - 1075
	at := e - 2 + 64 // bits to skip in twoOverPi, whose first word is before the point
	word, shift := at/64, uint(at%64)
	var w [4]uint64
	for i := range w {
		w[i] = twoOverPi[word+i]<<shift | twoOverPi[word+i+1]>>(64-shift)
	}
	// f = m*w modulo 2^256: two bits of quadrant, then the fraction of a quadrant.
	var f [4]uint64
	carry := uint64(0)
	for i := 3; i >= 0; i-- {
		hi, lo := bits.Mul64(w[i], m)
		var c uint64
		f[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	q = int(f[0] >> 62)
	for i := range 3 {
		f[i] = f[i]<<2 | f[i+1]>>62
	}
	f[3] <<= 2
	negative := f[0]>>63 != 0 // nearer to the next quadrant
	if negative {
		q++
		c := uint64(1)
		for i := 3; i >= 0; i-- {
			f[i], c = bits.Add64(^f[i], 0, c)
		}
	}
	zeros := bits.LeadingZeros64(f[0])
	if zeros == 64 { // no float64 is nearer than 2^-62 to a multiple of pi/2
		panic("BUG: argument reduction lost its digits")
	}
	for i := range 3 {
		f[i] = f[i]<<uint(zeros) | f[i+1]>>uint(64-zeros)
	}
	hi := math.Ldexp(float64(f[0]>>11), -53-zeros)
	lo := math.Ldexp(float64(f[0]<<53|f[1]>>11), -117-zeros)
	r = hi * halfPi1
	tail = math.FMA(hi, halfPi1, -r) + hi*halfPi2 + lo*halfPi1
	if negative != (x < 0) {
		r, tail = -r, -tail
	}
	if x < 0 {
		q = -q
	}
	return q & 3, r, tail
}

// sinKernel and cosKernel are the Taylor series for |r| <= pi/4.

func sinKernel(r, tail float64) float64 {
	z := r * r
	s := 0.0
	for i := len(sinTerms) - 1; i >= 0; i-- {
		s = s*z + sinTerms[i]
	}
	return r + (r*z*s + tail*(1-z/2))
}

func cosKernel(r, tail float64) float64 {
	z := r * r
	c := 0.0
	for i := len(cosTerms) - 1; i >= 0; i-- {
		c = c*z + cosTerms[i]
	}
	half := z / 2
	w := 1 - half
	return w + ((1 - w - half) + (z*z*c - r*tail))
}

// sinTerms are -1/3!, 1/5!, ...; cosTerms are 1/4!, -1/6!, ...
var (
	sinTerms = [...]float64{-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
		-1.0 / 1307674368000, 1.0 / 355687428096000, -1.0 / 121645100408832000}
	cosTerms = [...]float64{1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200,
		1.0 / 20922789888000, -1.0 / 6402373705728000}
)

// twoOverPi holds the bits of 2/pi after a word of zeros before the point.
var twoOverPi = [...]uint64{
	0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}
