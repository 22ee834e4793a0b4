package cpu

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"weft/tile"
)

// loopBuilder makes up programs of threads with loops that count.
type loopBuilder struct{ *tile.Builder }

func (b loopBuilder) number(n int64) tile.Value      { return b.Const(tile.IntScalar(tile.Int64, n)) }
func (b loopBuilder) wide(form tile.Form) tile.Value { return b.Cast(tile.Int64, b.Thread(form)) }

// global is the thread's number in a grid of one axis.
func (b loopBuilder) global() tile.Value {
	return b.Do(tile.Add, b.Do(tile.Mul, b.wide(tile.CtaidX), b.wide(tile.NtidX)), b.wide(tile.TidX))
}

// sum is that of what turns read, from 0 on.
func (b loopBuilder) sum(t tile.DType, limit, by int64, read func(k tile.Value) tile.Value) tile.Value {
	from, end, step, none := b.number(0), b.number(limit), b.number(by), b.Cast(t, b.number(0))
	b.Loop()
	k, sum := b.Carry(from), b.Carry(none)
	b.While(b.Do(tile.Lt, k, end))
	next := b.Do(tile.Add, sum, read(k))
	turn := b.Do(tile.Add, k, step)
	b.Next(k, turn)
	b.Next(sum, next)
	b.End()
	return sum
}

func blocksOf(blocks, threads int) tile.Grid {
	return tile.Grid{Blocks: [3]int{blocks, 1, 1}, Threads: [3]int{threads, 1, 1}}
}

// TestInnerLoopBeforeOthersHaveIndices has some threads of a block wait at a grid barrier, while the others take a loop
// whose elements lie where an index tells that those which wait have not read yet.
func TestInnerLoopBeforeOthersHaveIndices(t *testing.T) {
	const threads, columns = 64, 8
	b := loopBuilder{tile.NewThreads("waiting")}
	zeros, idx := b.Array(tile.In, tile.Int64, 1, "zeros"), b.Array(tile.In, tile.Int64, 1, "idx")
	x, out := b.Array(tile.In, tile.Int64, 2, "x"), b.Array(tile.Update, tile.Int64, 1, "out")
	i := b.wide(tile.TidX)
	b.Put(out, b.Element(zeros, b.Element(zeros, i)), i) // which leaves a 0 where the index will be
	waits := b.Do(tile.Lt, i, b.number(threads/2))
	b.If(waits)
	b.GridBarrier()
	b.End()
	row := b.Element(idx, i)
	sum := b.sum(tile.Int64, columns, 1, func(k tile.Value) tile.Value { return b.Element(x, row, k) })
	b.If(waits)
	b.Put(out, b.Do(tile.Add, sum, b.number(1)), i)
	b.Else()
	b.Put(out, sum, i)
	b.End()
	p := b.Program()
	if len(lowered(t, p).inner) != 1 {
		t.Error("the loop is no inner loop")
	}
	for _, isa := range ISAs() {
		d := New(Options{Workers: 1, ISA: isa})
		index, table, got := make([]uint64, threads), make([]uint64, threads*columns), make([]uint64, threads)
		for k := range index {
			index[k] = uint64(threads - 1 - k)
		}
		for k := range table {
			table[k] = uint64(k * k)
		}
		if err := launchThreads(t, d, p, blocksOf(1, threads), nil, [][]uint64{make([]uint64, threads), index, table, got},
			[]int{threads}, []int{threads}, []int{threads, columns}, []int{threads}); err != nil {
			t.Fatal(err)
		}
		for k, v := range got {
			var want uint64
			for c := range columns {
				want += table[int(index[k])*columns+c]
			}
			if k < threads/2 {
				want++
			}
			if v != want {
				t.Errorf("%s: thread %d has %d; want %d", isa, k, v, want)
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestInnerLoopAfterAnotherBlocks has a block come to its loop again behind a grid barrier, before which some threads
// of the other block have taken the loop, while others of it have an index that is out of bounds.
func TestInnerLoopAfterAnotherBlocks(t *testing.T) {
	const threads, columns, turns = 64, 8, 3
	b := loopBuilder{tile.NewThreads("another")}
	idx, x, out := b.Array(tile.In, tile.Int64, 1, "idx"), b.Array(tile.In, tile.Int64, 2, "x"), b.Array(tile.Update, tile.Int64, 1, "out")
	i := b.global()
	row := b.Element(idx, i)
	zero, end, one := b.number(0), b.number(turns), b.number(1)
	b.Loop()
	k := b.Carry(zero)
	b.While(b.Do(tile.Lt, k, end))
	b.If(b.Do(tile.Lt, row, b.number(threads)))
	sum := b.sum(tile.Int64, columns, 1, func(k tile.Value) tile.Value { return b.Element(x, row, k) })
	b.Put(out, b.Do(tile.Add, b.Element(out, i), sum), i)
	b.End()
	b.GridBarrier()
	next := b.Do(tile.Add, k, one)
	b.Next(k, next)
	b.End()
	p := b.Program()
	if len(lowered(t, p).inner) != 1 {
		t.Error("the loop is no inner loop")
	}
	d := New(Options{Workers: 1})
	index, table, got := make([]uint64, 2*threads), make([]uint64, threads*columns), make([]uint64, 2*threads)
	for k := range index {
		index[k] = uint64(k)
	}
	for k := range threads {
		index[threads+k] = uint64(threads - 1 - k)
	}
	index[2*threads-1] = 1 << 40
	for k := range table {
		table[k] = uint64(k * k)
	}
	if err := launchThreads(t, d, p, blocksOf(2, threads), nil, [][]uint64{index, table, got}, []int{2 * threads}, []int{threads, columns}, []int{2 * threads}); err != nil {
		t.Fatal(err)
	}
	for k, v := range got {
		var want uint64
		for c := range columns {
			if index[k] < threads {
				want += turns * table[int(index[k])*columns+c]
			}
		}
		if v != want {
			t.Errorf("thread %d has %d; want %d", k, v, want)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestNotesOfEndedBlocks has a block end with notes of what it has read, before another one goes on behind a grid
// barrier.
func TestNotesOfEndedBlocks(t *testing.T) {
	const threads, blocks = 32, 2
	b := loopBuilder{tile.NewThreads("ended")}
	b.Guarded()
	out, s := b.Array(tile.Update, tile.Int64, 1, "out"), b.Scratch(tile.Shared, tile.Int64, "s", threads)
	i := b.wide(tile.TidX)
	b.GridBarrier()
	b.Put(s, i, i)
	b.Barrier()
	b.Put(out, b.sum(tile.Int64, threads, 1, func(k tile.Value) tile.Value { return b.Element(s, k) }), b.global())
	d := New(Options{Workers: 1})
	got := make([]uint64, threads*blocks)
	if err := launchThreads(t, d, b.Program(), blocksOf(blocks, threads), nil, [][]uint64{got}, []int{len(got)}); err != nil {
		t.Error(err)
	}
	for k, v := range got {
		if v != threads*(threads-1)/2 {
			t.Errorf("thread %d has %d; want %d", k, v, threads*(threads-1)/2)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestUnwrittenBehindAnotherView has three floats that are also a double and a half, which is not of that view: all of
// the view has been written, but not the last float.
func TestUnwrittenBehindAnotherView(t *testing.T) {
	const threads = 16
	b := loopBuilder{tile.NewThreads("views")}
	b.Guarded()
	out := b.Array(tile.Update, tile.Float64, 1, "out")
	double, floats := b.Scratch(tile.Shared, tile.Float64, "double", 0), b.Scratch(tile.Shared, tile.Float32, "floats", 0)
	i := b.wide(tile.TidX)
	b.If(b.Do(tile.Eq, i, b.number(0)))
	b.Put(double, b.Const(tile.FloatScalar(tile.Float64, 1)), i)
	b.End()
	b.Barrier()
	zero := b.number(0)
	b.Put(out, b.sum(tile.Float64, 4, 1, func(tile.Value) tile.Value { return b.Element(double, zero) }), i)
	last := b.number(2)
	b.Put(out, b.Cast(tile.Float64, b.sum(tile.Float32, 4, 1, func(tile.Value) tile.Value { return b.Element(floats, last) })), i)
	p := b.Program()
	d := New(Options{Workers: 1})
	grid := blocksOf(1, threads)
	grid.Dynamic = 12
	err := launchThreads(t, d, p, grid, nil, [][]uint64{make([]uint64, threads)}, []int{threads})
	if err == nil || !strings.Contains(err.Error(), "floats[2] is read, and nothing has written it") {
		t.Errorf("got error %v; want that nothing has written floats[2]", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestEndlessSums has sums of products whose turns do not end, as they are that many, or as the counter overflows.
func TestEndlessSums(t *testing.T) {
	const threads = 64
	for _, guarded := range []bool{false, true} {
		for _, loop := range [][2]int64{{1 << 62, 1}, {math.MaxInt64, 1 << 62}} {
			b := loopBuilder{tile.NewThreads("endless")}
			if guarded {
				b.Guarded()
			}
			out, s := b.Array(tile.Update, tile.Float64, 1, "out"), b.Scratch(tile.Shared, tile.Float64, "s", threads)
			i := b.wide(tile.TidX)
			b.Put(s, b.Const(tile.FloatScalar(tile.Float64, 1)), i)
			b.Barrier()
			b.Put(out, b.Element(s, i), i)
			zero := b.number(0)
			b.Put(out, b.sum(tile.Float64, loop[0], loop[1], func(tile.Value) tile.Value { return b.Do(tile.Mul, b.Element(s, zero), b.Element(s, i)) }), i)
			p := b.Program()
			d, stop := New(Options{Workers: 1}), &tile.Stop{}
			exe, err := d.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			buf, err := d.Alloc(8 * threads)
			if err != nil {
				t.Fatal(err)
			}
			clear(words(buf))
			l := &tile.Launch{Exe: exe, Program: p, Grid: blocksOf(1, threads), Stop: stop, Args: []tile.Binding{{Buffer: buf, Shape: []int{threads}, Strides: []int64{8}}}}
			done := make(chan error, 1)
			go d.Launch(tile.Inline, l, func(c tile.Completion) { done <- c.Err })
			for atomic.LoadUint64((*uint64)(unsafe.Pointer(&words(buf)[threads-1]))) == 0 { // it has come to the loop
				runtime.Gosched()
			}
			stop.Set()
			if err := <-done; !errors.Is(err, tile.ErrStopped) {
				t.Errorf("guarded %v, to %d by %d: got error %v; want that it was stopped", guarded, loop[0], loop[1], err)
			}
			d.Free(buf)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
