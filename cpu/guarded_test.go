package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/tile"
)

// Powers, remainders and floor quotients have a quick way for runs of elements without special ones. A NaN
// among them makes the machine take the other way: the bits are the same.
func TestQuickWaysGiveTheSameBits(t *testing.T) {
	const n, run = 4096, 64
	r := rand.New(rand.NewPCG(8, 9))
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		defer d.Close()
		for _, op := range []tile.Opcode{tile.Pow, tile.Rem, tile.FloorDiv} {
			for _, dtype := range []tile.DType{tile.Float32, tile.Float64} {
				var x, y []float64
				for i := range n {
					a, b := math.Exp2(r.Float64()*60-30), math.Exp2(r.Float64()*20-10)*float64(1-2*r.IntN(2))
					switch i % 8 {
					case 0: // the quotient is a whole number, or is rounded to one
						a = b * float64(r.IntN(1<<20))
					case 1:
						b = math.Copysign(math.Inf(1), b)
					case 2:
						a, b = math.Round(a*16)/16, math.Round(b*4)+0.25
					}
					switch {
					case op == tile.Pow && math.IsInf(b, 0):
						b = 0
					case op == tile.Pow:
						a = math.Abs(a) + 0x1p-100
					case r.IntN(2) == 0:
						a = -a
					}
					if op != tile.Pow && math.Abs(a/b) > 1<<22 {
						b = a
					}
					x, y = append(x, a), append(y, b)
				}
				quick := outcome(t, d, op, dtype, [2][]float64{x, y})
				for i := 0; i < n; i += run {
					x[i] = math.NaN()
				}
				for i, want := range outcome(t, d, op, dtype, [2][]float64{x, y}) {
					if i%run != 0 && quick[i] != want {
						t.Errorf("%s: %v(%v, %v) of %v is %v, but beside a NaN %v", isa, op, x[i], y[i], dtype, quick[i], want)
					}
				}
			}
		}
	}
}

// Integers up to 2^51 are divided as doubles, where all of a run are; larger ones one by one.
func TestQuotientsOfIntegersAreExact(t *testing.T) {
	const n, run = 8192, 128
	edges := []int64{0, 1, -1, 2, -2, 3, -3, 7, 10, 1<<31 - 1, 1 << 31, 1<<51 - 1, -1 << 51, 1 << 51, -1<<51 - 1, 1<<53 + 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	r := rand.New(rand.NewPCG(10, 11))
	draw := func(widest uint) int64 {
		for {
			v := edges[r.IntN(len(edges))]
			if r.IntN(3) > 0 {
				v = int64(r.Uint64()) >> (64 - 1 - r.UintN(widest))
			}
			if widest == 64 || v < 1<<(widest-1) && v >= -1<<(widest-1) {
				return v
			}
		}
	}
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		defer d.Close()
		for _, op := range []tile.Opcode{tile.Rem, tile.FloorDiv} {
			for _, dtype := range []tile.DType{tile.Int64, tile.Uint64, tile.Int32} {
				var operands [2][]tile.Scalar
				for i := range n {
					widest := uint(52) // by runs: all quick, or with some that are not
					if i/run%2 == 1 {
						widest = 64
					}
					a, b := draw(widest), draw(widest)
					switch i % 4 {
					case 0: // a whole quotient, or next to one
						b |= 1
						a = a/b*b + r.Int64N(3) - 1
					case 1:
						b = int64(r.IntN(200)) - 100
					}
					if dtype == tile.Uint64 && widest < 64 {
						a, b = a&(1<<51-1), b&(1<<51-1)
					}
					operands[0], operands[1] = append(operands[0], tile.IntScalar(dtype, a)), append(operands[1], tile.IntScalar(dtype, b))
				}
				check := func(operands [2][]tile.Scalar) {
					for i, got := range outcomeOf(t, d, op, dtype, operands) {
						x, y := operands[0][i], operands[1][i%len(operands[1])]
						if want := tile.Eval(op, dtype, x, y); got != want {
							t.Errorf("%s: %v(%v, %v) of %v is %v, want %v", isa, op, x, y, dtype, got, want)
						}
					}
				}
				check(operands)
				for _, y := range operands[1][:100] { // by a scalar, which some are whole multiples of
					multiples := slices.Clone(operands[0][:4*run])
					for i := range multiples {
						if x := int64(multiples[i].Bits[0]); y.Bits[0] != 0 && i%3 > 0 && dtype != tile.Int32 {
							multiples[i] = tile.IntScalar(dtype, x/int64(y.Bits[0])*int64(y.Bits[0])-int64(i%3)+1)
						}
					}
					check([2][]tile.Scalar{multiples, {y}})
				}
			}
		}
	}
}
