package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/cpu/lockstep"
	"weft/cpu/vm"
	"weft/tile"
)

// copying is a program of blocks of threads by w, which in each turn copies a tile to a shared array, and another one
// back, with indices that the seed makes up: beside each other or not, beyond an axis' end or its beginning, and of
// some lanes alone.
func copying(r *rand.Rand, high, w int64) *tile.Program {
	b := tile.NewThreads("copying")
	x, out := b.Array(tile.In, tile.Int64, 2, "x"), b.Array(tile.Update, tile.Int64, 2, "out")
	s := b.Scratch(tile.Shared, tile.Int64, "s", int(high)+1, int(w)+1)
	wide := func(f tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(f)) }
	whole := func(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int64, n)) }
	one := func(of ...tile.Value) tile.Value { return of[r.IntN(len(of))] }
	tx, ty := wide(tile.TidX), wide(tile.TidY)
	col := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidX), whole(w)), tx)
	row := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidY), whole(high)), ty)
	zero := whole(0)
	b.Loop()
	k := b.Carry(zero)
	b.While(b.Do(tile.Lt, k, whole(3)))
	at := b.Do(tile.Mul, k, whole([]int64{0, 1, w, -1}[r.IntN(4)]))
	moved := func(v tile.Value) tile.Value {
		switch r.IntN(5) {
		case 0:
			return b.Do(tile.Add, v, at)
		case 1:
			return b.Do(tile.Add, at, v)
		case 2:
			return b.Do(tile.Add, v, whole(int64(r.IntN(3))))
		case 3:
			return b.Do(tile.Sub, v, whole(int64(r.IntN(2))))
		}
		return v
	}
	some := r.IntN(4) == 0
	if some {
		b.If(b.Do(tile.Lt, one(tx, ty), whole(w/2+1)))
	}
	i, j := one(row, ty, at), one(col, tx)
	if r.IntN(8) == 0 {
		i, j = j, i
	}
	p, q := one(ty, ty, whole(0)), tx
	if r.IntN(6) == 0 {
		p, q = tx, ty
	}
	if r.IntN(2) == 0 { // the sums stand before both, or each before its own
		i, j = moved(i), moved(j)
		b.Put(s, b.Element(x, i, j), p, q)
	} else {
		v := b.Element(x, moved(i), j)
		b.Put(s, v, p, b.Do(tile.Add, q, whole(int64(r.IntN(2)))))
	}
	if some {
		b.End()
	}
	b.Barrier()
	if r.IntN(2) == 0 {
		b.Put(out, b.Element(s, one(ty, whole(high-1)), b.Do(tile.Add, tx, whole(int64(r.IntN(2))))), row, moved(col))
	} else {
		v := b.Element(s, ty, tx)
		b.Put(out, b.Do(tile.Add, v, b.Element(out, row, col)), row, col)
	}
	b.Barrier()
	b.Next(k, b.Do(tile.Add, k, whole(1)))
	b.End()
	return b.Program()
}

// TestCopies compares copies of random programs with the reference, with every instruction set.
func TestCopies(t *testing.T) {
	ref := tile.NewReference(0, time.Now(), nil)
	defer ref.Close()
	steps := newStepCodes(vm.NewTable())
	for n, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa}) // blocks in their order, as some of them put into the same elements
		const programs = 120
		found, failed := 0, 0
		for seed := range uint64(programs) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			size := [][2]int{{16, 16}, {4, 8}, {2, 4}, {5, 3}, {1, 32}, {3, 20}, {7, 1}}[r.IntN(7)]
			high, w := size[0], size[1]
			p := copying(r, int64(high), int64(w))
			code, err := lowerThreads(p, steps, false, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(code.copies) > 0 {
				found++
			}
			grid := tile.Grid{Blocks: [3]int{2, 3, 1}, Threads: [3]int{w, high, 1}}
			shape := []int{3*high + r.IntN(3), 2*w + []int{3, 3 * w}[r.IntN(2)]}
			launch := func(dev tile.Device) ([]uint64, error) {
				x, out := make([]uint64, shape[0]*shape[1]), make([]uint64, shape[0]*shape[1])
				for i := range x {
					x[i] = uint64(i + 1)
				}
				return out, launchThreads(t, dev, p, grid, nil, [][]uint64{x, out}, shape, shape)
			}
			want, refused := launch(ref)
			got, err := launch(d)
			if fmt.Sprint(err) != fmt.Sprint(refused) {
				t.Fatalf("%s, seed %d: got the error %v; want %v\n%v", isa, seed, err, refused, p)
			}
			if err != nil {
				failed++
			} else if !slices.Equal(got, want) {
				t.Fatalf("%s, seed %d: blocks of %v on %v give\n%v; want\n%v\n%v", isa, seed, size, shape, got, want, p)
			}
		}
		if found < programs/2 || failed < programs/20 || failed > programs*3/4 {
			t.Errorf("%s: of %d programs %d have copies, and %d fail", isa, programs, found, failed)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The product of matrices copies its tiles at once: rows of indices and of elements are left to launches that copies
// are not for.
func TestCopiesOfProduct(t *testing.T) {
	p := matmulThreads(tile.Float32)
	code := lowered(t, p)
	if len(code.copies) != 2 {
		t.Fatalf("got %d copies; want 2", len(code.copies))
	}
	for i, s := range code.steps {
		if s.Kind != lockstep.Copies {
			continue
		}
		c := &code.copies[s.N-1]
		if from, to := code.steps[c.From.Step], code.steps[c.To.Step]; from.Kind != lockstep.Element || to.Kind != lockstep.Put || s.To != c.To.Step+1 ||
			int(c.From.Step) != i+2 {
			t.Errorf("copy %d at step %d is of steps %v and %v, and goes to %d", s.N, i, from, to, s.To)
		}
	}
	p.Guarded = true
	if n := len(lowered(t, p).copies); n != 0 {
		t.Errorf("a guarded program, which looks at each element, has %d copies", n)
	}
}
