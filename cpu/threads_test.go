package cpu

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"weft/tile"
	"weft/tile/tiletest"
)

// TestThreads compares random programs of threads with every instruction set, on one queue and on several.
func TestThreads(t *testing.T) {
	for i, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			d := New(Options{Workers: 1 + i, ISA: isa})
			for seed := range uint64(40) {
				tiletest.RandomThreads(t, 100*uint64(i)+seed, d)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestThreadAlone compares programs of one thread, which have code of their own, with every instruction set.
func TestThreadAlone(t *testing.T) {
	for i, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			d := New(Options{Workers: 1 + i, ISA: isa})
			for seed := range uint64(300) {
				tiletest.RandomThreadAlone(t, 20000+1000*uint64(i)+seed, d)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGuards runs programs whose threads race, or do not, and compares random programs whose threads may race with
// every instruction set.
func TestGuards(t *testing.T) {
	for i, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			d := New(Options{Workers: 1 + i, ISA: isa})
			tiletest.Guards(t, d)
			failed := 0
			for seed := range uint64(60) {
				if tiletest.RandomThreadsGuarded(t, 9000+100*uint64(i)+seed, d) {
					failed++
				}
			}
			if failed < 5 || failed > 55 {
				t.Errorf("%d of 60 programs failed, which are to be some", failed)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGuardsByLane compares what guards say with what they say when they look at each lane by itself: what failed,
// where and of which threads.
func TestGuardsByLane(t *testing.T) {
	for _, isa := range ISAs() {
		t.Run(isa, func(t *testing.T) {
			d, lanewise := New(Options{Workers: 2, ISA: isa}), New(Options{Workers: 1, ISA: isa, Lanewise: true})
			said := map[string]int{}
			const programs = 1200
			for seed := range uint64(programs) {
				_, failure := tiletest.SameGuards(t, 40000+seed, d, lanewise)
				for _, what := range []string{"race on ", "nothing has written it", "out of bounds"} {
					if strings.Contains(failure, what) {
						said[what]++
					}
				}
				if failure == "" {
					said[""]++
				}
			}
			if len(said) < 4 || said[""] < programs/5 || said["race on "] < programs/20 {
				t.Errorf("of %d programs so many failed for what: %v", programs, said)
			}
			t.Log(said)
			for _, dev := range []*Device{d, lanewise} {
				if err := dev.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Lanes that have left a loop may go ahead of those in it whenever that may be: nothing else comes of it.
func TestThreadsThatGoAhead(t *testing.T) {
	d := New(Options{Workers: 2, Restless: true})
	for seed := range uint64(200) {
		tiletest.RandomThreadsThatEnd(t, 5000+seed, d)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// locked is a program whose threads change an element one after the other, each with a lock of its block's or of all
// blocks', meet others if they do, and change it again.
func locked(meets bool, turns int64) *tile.Program {
	b := tile.NewThreads("locked")
	lock, sum, seen := b.Array(tile.Update, tile.Int64, 1, "lock"), b.Array(tile.Update, tile.Int64, 1, "sum"), b.Array(tile.Update, tile.Int64, 1, "seen")
	number := func(n int64) tile.Value { return b.Const(tile.IntScalar(tile.Int64, n)) }
	i := b.Do(tile.Add, b.Do(tile.Mul, b.Cast(tile.Int64, b.Thread(tile.CtaidX)), b.Cast(tile.Int64, b.Thread(tile.NtidX))), b.Cast(tile.Int64, b.Thread(tile.TidX)))
	zero, one := number(0), number(1)
	b.Loop()
	turn := b.Carry(zero)
	b.While(b.Do(tile.Lt, turn, number(turns)))
	b.Loop()
	was := b.Carry(one)
	b.While(b.Do(tile.Ne, was, zero))
	b.Next(was, b.Cas(lock, zero, one, zero))
	b.End()
	now := b.Element(sum, number(0))
	b.Put(sum, b.Do(tile.Add, now, number(1)), number(0))
	b.Atomic(tile.AtomicExch, lock, number(0), number(0))
	if meets {
		b.Barrier()
	}
	b.Put(seen, now, i)
	b.Next(turn, b.Do(tile.Add, turn, number(1)))
	b.End()
	return b.Program()
}

// Threads wait at a lock, and those that had it wait for these at a barrier.
func TestThreadsThatWait(t *testing.T) {
	d := New(Options{Workers: 2})
	defer d.Close()
	for _, c := range []struct {
		meets   bool
		turns   int64
		blocks  int
		threads int
	}{{false, 1, 1, 100}, {false, 3, 5, 40}, {true, 1, 2, 64}, {true, 3, 2, 70}} {
		n := c.blocks * c.threads
		memory := [][]uint64{make([]uint64, 1), make([]uint64, 1), make([]uint64, n)}
		g := tile.Grid{Blocks: [3]int{c.blocks, 1, 1}, Threads: [3]int{c.threads, 1, 1}}
		if err := launchThreads(t, d, locked(c.meets, c.turns), g, nil, memory, []int{1}, []int{1}, []int{n}); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if got := memory[1][0]; got != uint64(c.turns)*uint64(n) {
			t.Errorf("%+v: the sum is %d; want %d", c, got, c.turns*int64(n))
		}
		slices.Sort(memory[2])
		for k := 1; k < n; k++ {
			if memory[2][k] == memory[2][k-1] {
				t.Errorf("%+v: two threads saw %d", c, memory[2][k])
				break
			}
		}
	}
}

func FuzzThreads(f *testing.F) {
	f.Add(uint64(1))
	d := New(Options{Workers: 2})
	f.Cleanup(func() {
		if err := d.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, seed uint64) { tiletest.RandomThreads(t, seed, d) })
}

// launchThreads runs a program of threads on buffers of 8-byte elements, one for each parameter.
func launchThreads(t testing.TB, d tile.Device, p *tile.Program, g tile.Grid, stop *tile.Stop, memory [][]uint64, shapes ...[]int) error {
	t.Helper()
	exe, err := d.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	l := &tile.Launch{Exe: exe, Program: p, Grid: g, Stop: stop}
	for i, m := range memory {
		b, err := d.Alloc(int64(8 * len(m)))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Free(b)
		copy(words(b), m)
		strides := make([]int64, len(shapes[i]))
		step := int64(p.Params[i].Type.Size())
		for k := len(strides) - 1; k >= 0; k-- {
			strides[k] = step
			step *= int64(shapes[i][k])
		}
		l.Args = append(l.Args, tile.Binding{Buffer: b, Shape: shapes[i], Strides: strides})
	}
	d.Launch(tile.Inline, l, func(c tile.Completion) { err = c.Err })
	for i := range memory {
		copy(memory[i], words(l.Args[i].Buffer))
	}
	return err
}

// Sums of floats are the same bits each time, and those of the reference: threads add in the order of their numbers.
func TestThreadsAddInOrder(t *testing.T) {
	b := tile.NewThreads("sum")
	x, sums := b.Array(tile.In, tile.Float64, 1, "x"), b.Array(tile.Update, tile.Float64, 1, "sums")
	wide := func(f tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(f)) }
	i := b.Do(tile.Add, b.Do(tile.Mul, wide(tile.CtaidX), wide(tile.NtidX)), wide(tile.TidX))
	b.Atomic(tile.AtomicAdd, sums, b.Element(x, i), b.Do(tile.Rem, i, b.Const(tile.IntScalar(tile.Int64, 3))))
	p := b.Program()
	const n = 48 * 700
	numbers := make([]uint64, n)
	for k := range numbers {
		numbers[k] = tile.FloatScalar(tile.Float64, 1/float64(k*k%1013+1)).Bits[0]
	}
	g := tile.Grid{Blocks: [3]int{700, 1, 1}, Threads: [3]int{48, 1, 1}}
	ref := tile.NewReference(0, time.Now(), nil)
	defer ref.Close()
	want := make([]uint64, 3)
	if err := launchThreads(t, ref, p, g, nil, [][]uint64{numbers, want}, []int{n}, []int{3}); err != nil {
		t.Fatal(err)
	}
	d := New(Options{Workers: 3})
	defer d.Close()
	got := make([]uint64, 3)
	if err := launchThreads(t, d, p, g, nil, [][]uint64{numbers, got}, []int{n}, []int{3}); err != nil {
		t.Fatal(err)
	}
	if got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %x; want %x", got, want)
	}
}

// The failure of the lowest block is told, whichever core comes to one first.
func TestThreadsFailInOrder(t *testing.T) {
	b := tile.NewThreads("fails")
	out := b.Array(tile.Update, tile.Int64, 1, "out")
	block := b.Cast(tile.Int64, b.Thread(tile.CtaidX))
	zero := b.Const(tile.IntScalar(tile.Int64, 0))
	b.Loop() // so that several cores are worth it
	i := b.Carry(zero)
	b.While(b.Do(tile.Lt, i, b.Const(tile.IntScalar(tile.Int64, 50))))
	b.Next(i, b.Do(tile.Add, i, b.Const(tile.IntScalar(tile.Int64, 1))))
	b.End()
	b.Put(out, i, block)
	d := New(Options{Workers: 3})
	defer d.Close()
	p := b.Program()
	for range 20 {
		err := launchThreads(t, d, p, tile.Grid{Blocks: [3]int{5000, 1, 1}, Threads: [3]int{64, 1, 1}}, nil, [][]uint64{make([]uint64, 1234)}, []int{1234})
		var data *tile.DataError
		const want = "index 1234 is out of bounds for axis 0 of out with size 1234 (kernel fails, thread (0,0,0) of block (1234,0,0), put p0 v4 v1)"
		if !errors.As(err, &data) || data.Exception != "IndexError" || data.Text != want {
			t.Fatalf("got %v; want %s", err, want)
		}
	}
}

// A Stop ends threads that wait for what never comes.
func TestThreadsStop(t *testing.T) {
	b := tile.NewThreads("waits")
	flag := b.Array(tile.Update, tile.Int64, 1, "flag")
	zero := b.Const(tile.IntScalar(tile.Int64, 0))
	b.Put(flag, zero, zero)
	b.Loop()
	b.While(b.Do(tile.Eq, b.Element(flag, zero), zero))
	b.End()
	p := b.Program()
	var stop tile.Stop
	stop.Set()
	for _, d := range []tile.Device{New(Options{Workers: 1}), tile.NewReference(0, time.Now(), nil)} {
		err := launchThreads(t, d, p, tile.Grid{Blocks: [3]int{2, 1, 1}, Threads: [3]int{64, 1, 1}}, &stop, [][]uint64{{0}}, []int{1})
		if !errors.Is(err, tile.ErrStopped) {
			t.Errorf("%s: %v; want ErrStopped", d.Info().Name, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func words(b tile.Buffer) []uint64 { return unsafe.Slice((*uint64)(b.Host), b.Size/8) }
