package ptx

import (
	"testing"

	"weft/tile"
)

// TestPairsRound compares sums and products of halves that are rounded once with those that are rounded to float32
// before, for every half and some hundred others.
func TestPairsRound(t *testing.T) {
	half := func(bits int) float64 { return float64(tile.HalfToFloat(uint16(bits))) }
	for a := range 1 << 16 {
		x := half(a)
		for b := a % 251; b < 1<<16; b += 251 {
			y := half(b)
			once, twice := tile.HalfFromFloat64(x+y), tile.HalfFromFloat64(float64(float32(x+y)))
			if once != twice && x+y == x+y {
				t.Fatalf("%v + %v: %#x rounded once, %#x twice", x, y, once, twice)
			}
			once, twice = tile.HalfFromFloat64(x*y), tile.HalfFromFloat64(float64(float32(x*y)))
			if once != twice && x*y == x*y {
				t.Fatalf("%v * %v: %#x rounded once, %#x twice", x, y, once, twice)
			}
		}
	}
}
