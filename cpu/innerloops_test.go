package cpu

import (
	"testing"

	"weft/cpu/vm"
	"weft/tile"
	"weft/tile/tiletest"
)

// TestInnerLoops compares random programs around inner loops with every instruction set, on one queue and on several.
// Some fail for an index that is out of bounds, in whichever turn.
func TestInnerLoops(t *testing.T) {
	for i, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			d := New(Options{Workers: 1 + i, ISA: isa})
			failed, inner := 0, 0
			const programs = 60
			for seed := range uint64(programs) {
				p, fails := tiletest.RandomInnerLoops(t, 70000+1000*uint64(i)+seed, d)
				if fails {
					failed++
				}
				if len(lowered(t, p).inner) > 0 {
					inner++
				}
			}
			if failed < 2 || failed > programs/2 {
				t.Errorf("%d of %d programs failed, which are to be some", failed, programs)
			}
			if inner < programs*3/4 {
				t.Errorf("%d of %d programs have inner loops, which are to be most", inner, programs)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// lowered is a program of threads, for rows of one block.
func lowered(t *testing.T, p *tile.Program) *threadCode {
	t.Helper()
	code, err := lowerThreads(p, vm.NewTable(), false, spinning(p, false))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func FuzzInnerLoops(f *testing.F) {
	f.Add(uint64(1))
	d := New(Options{Workers: 2})
	f.Cleanup(func() {
		if err := d.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, seed uint64) { tiletest.RandomInnerLoops(t, seed, d) })
}

// The product of matrices has one inner loop, in whose turns nothing is looked for, and no carry is copied.
func TestInnerLoopOfProduct(t *testing.T) {
	code := lowered(t, matmulThreads(tile.Float32))
	if len(code.inner) != 1 {
		t.Fatalf("got %d inner loops; want 1", len(code.inner))
	}
	l := &code.inner[0]
	// two elements, a sum with a product, and what counts
	if got := len(l.code) - int(l.Again); got != 4 || l.Widest != 4 {
		t.Errorf("a turn has %d operations on values of %d bytes; want 4 and 4: %+v", got, l.Widest, l.code)
	}
}

// A loop that waits for others, has other control flow in it, or writes, is no inner loop.
func TestNoInnerLoops(t *testing.T) {
	for _, p := range []*tile.Program{locked(false, 3), mandelbrotThreads()} {
		if n := len(lowered(t, p).inner); n != 0 {
			t.Errorf("%s has %d inner loops; want none", p.Name, n)
		}
	}
}
