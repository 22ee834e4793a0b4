package tile

import "math/bits"

// philox is number n of Philox 4x64 with ten rounds, whose key is k0, k1. A block of four numbers is the
// counter (n/4, 0, c2, c3), each round of which multiplies two words and exchanges the halves of
// the products. The second word stands still: what would count into it lies beyond the 2^64
// numbers that n can name.
func philox(n, c2, c3, k0, k1 uint64) uint64 {
	x := [4]uint64{n >> 2, 0, c2, c3}
	for range 10 {
		h0, l0 := bits.Mul64(x[0], 0xd2e7470ee14c6c93)
		h1, l1 := bits.Mul64(x[2], 0xca5a826395121157)
		x = [4]uint64{h1 ^ x[1] ^ k0, l1, h0 ^ x[3] ^ k1, l0}
		k0 += 0x9e3779b97f4a7c15 // the golden ratio
		k1 += 0xbb67ae8584caa73b // the root of 3, less 1
	}
	return x[n&3]
}
