package cpu

import (
	"math"
	"slices"
	"strings"
	"testing"

	"weft/cpu/lockstep"
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
	code, err := lowerThreads(p, newStepCodes(vm.NewTable()), false, spinning(p, false))
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
	if l.code[l.Again-1].Code != lockstep.CodeDots {
		t.Errorf("no code takes all turns at once: %+v", l.code)
	}
	if !slices.ContainsFunc(l.code[:l.Again], func(c lockstep.Code) bool { return c.Code == lockstep.CodeCopy && c.Stays == 1 }) {
		t.Errorf("the sum begins with a copy: %+v", l.code)
	}
	// two elements, a sum with a product, and what counts
	if got := len(l.code) - int(l.Again); got != 4 || l.Widest != 4 {
		t.Errorf("a turn has %d operations on values of %d bytes; want 4 and 4: %+v", got, l.Widest, l.code)
	}
}

// TestInnerLoopsOfStrips multiplies matrices by blocks of several strips, each of which reads elements of its own.
func TestInnerLoopsOfStrips(t *testing.T) {
	const n = 64
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		for _, side := range []int{16, 32} {
			x, y, z := make([]uint64, n*n), make([]uint64, n*n), make([]uint64, n*n)
			for i := range x {
				x[i], y[i] = math.Float64bits(float64(i%23-11)), math.Float64bits(float64(i%19-9))
			}
			grid := tile.Grid{Blocks: [3]int{n / side, n / side, 1}, Threads: [3]int{side, side, 1}}
			if err := launchThreads(t, d, matmulTiles(tile.Float64, int64(side)), grid, nil, [][]uint64{x, y, z}, []int{n, n}, []int{n, n}, []int{n, n}); err != nil {
				t.Fatal(err)
			}
			for i := range z {
				var want float64
				for k := range n {
					want += math.Float64frombits(x[i/n*n+k]) * math.Float64frombits(y[k*n+i%n])
				}
				if got := math.Float64frombits(z[i]); got != want {
					t.Fatalf("%s, blocks of %d: element (%d,%d) is %v; want %v", isa, side, i/n, i%n, got, want)
				}
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestInnerSums has turns in which another sum stands between a product and what reads it.
func TestInnerSums(t *testing.T) {
	b := tile.NewThreads("apart")
	x, y, z := b.Array(tile.In, tile.Float64, 1, "x"), b.Array(tile.In, tile.Float64, 1, "y"), b.Array(tile.Update, tile.Float64, 1, "z")
	whole := func(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int64, n)) }
	i, zero, none := b.Cast(tile.Int64, b.Thread(tile.TidX)), whole(0), b.Const(tile.FloatScalar(tile.Float64, 0))
	b.Loop()
	k, sum := b.Carry(zero), b.Carry(none)
	b.While(b.Do(tile.Lt, k, whole(3)))
	u, v := b.Element(x, b.Do(tile.Add, i, k)), b.Element(y, b.Do(tile.Add, i, k))
	product := b.Do(tile.Mul, u, v)
	both := b.Do(tile.Add, u, v)
	next, turn := b.Do(tile.Add, sum, b.Do(tile.Sub, product, both)), b.Do(tile.Add, k, whole(1))
	b.Next(k, turn)
	b.Next(sum, next)
	b.End()
	b.Put(z, sum, i)
	p := b.Program()
	if len(lowered(t, p).inner) != 1 {
		t.Error("the loop is no inner loop")
	}
	const n = 256
	d := New(Options{Workers: 1})
	in, out := make([]uint64, n+3), make([]uint64, n)
	for i := range in {
		in[i] = math.Float64bits(float64(i))
	}
	if err := launchThreads(t, d, p, tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{n, 1, 1}}, nil, [][]uint64{in, in, out}, []int{n + 3}, []int{n + 3}, []int{n}); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		var want float64
		for k := i; k < i+3; k++ {
			want += float64(k*k - 2*k)
		}
		if got := math.Float64frombits(out[i]); got != want {
			t.Fatalf("element %d is %v; want %v", i, got, want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestInnerLoopOfNoLanes has lanes fail before a loop that would not end with what they have not read.
func TestInnerLoopOfNoLanes(t *testing.T) {
	b := tile.NewThreads("nobody")
	x, z := b.Array(tile.In, tile.Int64, 1, "x"), b.Array(tile.Update, tile.Int64, 1, "z")
	whole := func(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int64, n)) }
	i := b.Cast(tile.Int64, b.Thread(tile.TidX))
	b.If(b.Do(tile.Lt, i, whole(5)))
	first := b.Element(x, whole(999))
	b.Loop()
	n := b.Carry(first)
	b.While(b.Do(tile.Ne, n, whole(1)))
	half := b.Do(tile.FloorDiv, n, whole(2))
	b.Next(n, half)
	b.End()
	b.Put(z, n, i)
	b.Else()
	b.Put(z, whole(7), i)
	b.End()
	p := b.Program()
	if len(lowered(t, p).inner) != 1 {
		t.Error("the loop is no inner loop")
	}
	d := New(Options{Workers: 1})
	err := launchThreads(t, d, p, tile.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{256, 1, 1}}, nil, [][]uint64{make([]uint64, 4), make([]uint64, 256)}, []int{4}, []int{256})
	if err == nil || !strings.Contains(err.Error(), "index 999 is out of bounds") {
		t.Errorf("got error %v; want one of index 999", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
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
