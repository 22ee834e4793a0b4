package tile

import "math/bits"

// The multiplier of PCG64's 128-bit congruential state.
const (
	pcgHigh = 0x2360ed051fc65da4
	pcgLow  = 0x4385df649fccf645
)

// pcg64 is number n of the generator with a state and an increment: PCG XSL RR 128/64, NumPy's
// default. A number is the state after the step, its halves folded and rotated.
//
// A step is x -> x*a + c; n+1 of them are such a map, too, and found by squaring. So any number
// can be had without those before it, and a stream may be cut into any tiles.
func pcg64(n, high, low, incHigh, incLow uint64) uint64 {
	x := word128{high, low}
	a, c := word128{pcgHigh, pcgLow}, word128{incHigh, incLow}
	x = x.times(a).plus(c) // the step beyond n, which may be the largest integer
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			x = x.times(a).plus(c)
		}
		c = c.times(a.plus(word128{0, 1}))
		a = a.times(a)
	}
	return bits.RotateLeft64(x.high^x.low, -int(x.high>>58))
}

// word128 is an unsigned integer of 128 bits; its operations wrap.
type word128 struct{ high, low uint64 }

func (x word128) plus(y word128) word128 {
	low, carry := bits.Add64(x.low, y.low, 0)
	high, _ := bits.Add64(x.high, y.high, carry)
	return word128{high, low}
}

func (x word128) times(y word128) word128 {
	high, low := bits.Mul64(x.low, y.low)
	return word128{high + x.high*y.low + x.low*y.high, low}
}
