package cpu

import (
	"math"
	"math/rand/v2"
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
