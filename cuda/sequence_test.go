//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"weft/tile"
)

// swaps are a program's loop over three arrays of int64. A turn is a sequence of three launches:
//
//	b[i] = 3*a[i] + step          link
//	c[i] = b[at]                  pick, which fails where b has no element at
//	b[i] = b[i] + c[i]            add
//	a, b = b, a
type swaps struct {
	t        *testing.T
	d        *Device
	programs [3]*tile.Program
	exes     [3]tile.Executable
	buffers  [3]tile.Buffer // of a, b, c
	host     tile.Buffer
	ref      *tile.Reference
	want     []int64 // a
	seq      uint64
	under    []chan tile.Completion // of the launches, in order
	spoilt   bool
}

const (
	loopN       = 64
	loopStrides = 8
)

func newSwaps(t *testing.T, o Options) *swaps {
	t.Helper()
	o.Epoch, o.Memory = time.Now(), 256<<20
	d, err := Open(0, o)
	if err != nil {
		t.Fatal(err)
	}
	x := &swaps{t: t, d: d, ref: tile.NewReference(0, time.Now(), nil), want: slices.Repeat([]int64{1}, loopN)}
	link := tile.NewBuilder("link", 1)
	link.Store(link.Do(tile.Add, link.Do(tile.Mul, link.Load(tile.Int64), link.Const(tile.IntScalar(tile.Int64, 3))), link.Uniform(tile.Int64)))
	pick := tile.NewBuilder("pick", 1)
	pick.Store(pick.Gather(pick.Whole(tile.Int64, 1), pick.Uniform(tile.Int64)))
	add := tile.NewBuilder("add", 1)
	add.Store(add.Do(tile.Add, add.Load(tile.Int64), add.Load(tile.Int64)))
	x.programs = [3]*tile.Program{link.Program(), pick.Program(), add.Program()}
	for i, p := range x.programs {
		if x.exes[i], err = d.Compile(p); err != nil {
			t.Fatal(err)
		}
	}
	if x.host, err = x.ref.Alloc(loopN * loopStrides); err != nil {
		t.Fatal(err)
	}
	copy(unsafe.Slice((*int64)(x.host.Host), loopN), x.want)
	for i := range x.buffers {
		if x.buffers[i], err = d.Alloc(loopN * loopStrides); err != nil {
			t.Fatal(err)
		}
		if err := wait(func(done func(tile.Completion)) {
			d.Copy(copyIn, &tile.Transfer{Dst: x.buffers[i], DstDev: d, Src: x.host, Bytes: loopN * loopStrides}, done)
		}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func (x *swaps) launch(program int, u int64, on ...int) {
	l := &tile.Launch{Exe: x.exes[program], Program: x.programs[program], Shape: []int{loopN}, Origin: []int{0}, Args: make([]tile.Binding, len(on))}
	for i, at := range on {
		l.Args[i] = tile.Binding{Buffer: x.buffers[at], Strides: []int64{loopStrides}}
		if l.Program.Params[i].Axes > 0 {
			l.Args[i].Shape = []int{loopN}
		}
	}
	if len(l.Program.Uniforms) > 0 {
		l.Uniforms = []tile.Scalar{tile.IntScalar(tile.Int64, u)}
	}
	x.seq++
	l.Turn.Seq = x.seq
	done := make(chan tile.Completion, 1)
	x.under = append(x.under, done)
	x.d.Launch(computes, l, func(c tile.Completion) { done <- c })
}

// turn gives the device a turn of the loop.
func (x *swaps) turn(step, at int64) {
	x.d.Sequence(computes)
	x.launch(0, step, 0, 1)
	x.launch(1, at, 1, 2)
	x.launch(2, 0, 1, 2, 1)
	x.d.End(computes)
	if at < loopN {
		b := make([]int64, loopN)
		for i, v := range x.want {
			b[i] = 3*v + step
		}
		for i := range b {
			x.want[i] = b[i] + b[at]
		}
		x.want[at] = 2 * b[at]
	} else {
		x.spoilt = true
	}
	x.buffers[0], x.buffers[1] = x.buffers[1], x.buffers[0]
}

// ends waits for all launches and returns how they went.
func (x *swaps) ends() (all []tile.Completion) {
	for _, c := range x.under {
		all = append(all, <-c)
	}
	x.under = nil
	return all
}

// check compares a with what it should be, and closes the device.
func (x *swaps) check() {
	x.t.Helper()
	err := wait(func(done func(tile.Completion)) {
		x.d.Copy(copyOut, &tile.Transfer{Dst: x.host, Src: x.buffers[0], SrcDev: x.d, Bytes: loopN * loopStrides}, done)
	})
	if got := unsafe.Slice((*int64)(x.host.Host), loopN); err != nil || !x.spoilt && !slices.Equal(got, x.want) {
		x.t.Errorf("got %v, %v; want %v", got, err, x.want)
	}
	x.close()
}

func (x *swaps) close() {
	x.t.Helper()
	for _, b := range x.buffers {
		x.d.Free(b)
	}
	if err := x.d.Close(); err != nil {
		x.t.Errorf("Close: %v", err)
	}
	x.ref.Close()
}

// TestSequencesAreReplayed runs a loop that swaps two arrays: after the first turn each is one graph, of which there
// are few, but for those that are timed. Its twin has none.
func TestSequencesAreReplayed(t *testing.T) {
	needFake(t)
	const turns = 120
	for _, plain := range []bool{false, true} {
		x := newSwaps(t, Options{Plain: plain})
		made, launched, single := fake.Calls("cuGraphInstantiateWithFlags"), fake.Calls("cuGraphLaunch"), fake.Calls("cuLaunchKernel")
		for i := range int64(turns) {
			x.turn(i, i%loopN)
		}
		ends := x.ends()
		x.check()
		made, launched, single = fake.Calls("cuGraphInstantiateWithFlags")-made, fake.Calls("cuGraphLaunch")-launched, fake.Calls("cuLaunchKernel")-single
		wantLaunched, wantSingle := uint64(turns-2), uint64(2*3)
		if plain {
			wantLaunched, wantSingle = 0, 3*turns
		}
		if launched != wantLaunched || single != wantSingle || made > graphsKept {
			t.Errorf("plain: %v: %d graphs were made and %d launched, %d kernels launched one by one; want at most %d, %d and %d",
				plain, made, launched, single, graphsKept, wantLaunched, wantSingle)
		}
		last, estimated := int64(0), 0
		for i, c := range ends {
			if c.Err != nil || c.Start < last || c.End < c.Start {
				t.Fatalf("launch %d: %+v, behind one that ended at %d", i, c, last)
			}
			if last = c.End; c.Estimated {
				estimated++
			}
		}
		if estimated != 3*int(wantLaunched) {
			t.Errorf("the times of %d launches are estimates, want %d", estimated, 3*wantLaunched)
		}
	}
}

// TestSequencesInAnyOrder runs the loop with copies of other queues between, in many orders of these.
func TestSequencesInAnyOrder(t *testing.T) {
	needFake(t)
	for seed := range uint64(12) {
		x := newSwaps(t, Options{})
		fake.Seed(seed)
		for i := range int64(12) {
			x.turn(i, (i*i)%loopN)
			if i%3 == 2 { // a has been swapped: what is copied is the turn's result, and copied back
				x.copyThere()
			}
		}
		for i, c := range x.ends() {
			if c.Err != nil {
				t.Errorf("seed %d: piece %d: %v", seed, i, c.Err)
			}
		}
		fake.Seed(0)
		x.check()
	}
}

// copyThere copies a over c, in place of what the next turn makes there, by another queue, which waits for the turn;
// the next turn waits for the copy.
func (x *swaps) copyThere() {
	done := make(chan tile.Completion, 1)
	x.under = append(x.under, done)
	x.d.Copy(copyIn, &tile.Transfer{
		Dst: x.buffers[2], DstDev: x.d, Src: x.buffers[0], SrcDev: x.d, Bytes: loopN * loopStrides,
		Turn: tile.Turn{Seq: x.seq, After: []tile.Point{{Device: x.d, Queue: computes, Seq: x.seq}}},
	}, func(c tile.Completion) { done <- c })
	after := []tile.Point{{Device: x.d, Queue: copyIn, Seq: x.seq}}
	x.seq++
	first := &tile.Launch{
		Exe: x.exes[2], Program: x.programs[2], Shape: []int{loopN}, Origin: []int{0},
		Args: []tile.Binding{{Buffer: x.buffers[0], Strides: []int64{loopStrides}}, {Buffer: x.buffers[2], Strides: []int64{loopStrides}}, {Buffer: x.buffers[0], Strides: []int64{loopStrides}}},
		Turn: tile.Turn{Seq: x.seq, After: after},
	}
	x.d.Sequence(computes)
	told := make(chan tile.Completion, 1)
	x.under = append(x.under, told)
	x.d.Launch(computes, first, func(c tile.Completion) { told <- c })
	for i := range x.want {
		x.want[i] *= 2
	}
	x.launch(2, 0, 0, 2, 0)
	for i := range x.want {
		x.want[i] = x.want[i] / 2 * 3
	}
	x.d.End(computes)
}

// TestSequencesWithFaults has each call fail that graphs need: the launches go one by one, and what they compute is the
// same. What the driver refuses is not asked for again at once.
func TestSequencesWithFaults(t *testing.T) {
	for _, fault := range []string{
		"cuGraphCreate=2@1", "cuGraphAddKernelNode=2@1", "cuGraphAddKernelNode=2@3", "cuGraphInstantiateWithFlags=2@1", "cuGraphInstantiateWithFlags=2@2",
		"cuGraphExecKernelNodeSetParams=1@1", "cuGraphExecKernelNodeSetParams=910@2", "cuGraphLaunch=2@1", "cuGraphLaunch=2@7",
		"cuGraphLaunch=801",
	} {
		t.Run(fault, func(t *testing.T) {
			needFake(t)
			x := newSwaps(t, Options{})
			fake.Faults(fault)
			launched := fake.Calls("cuGraphLaunch")
			for i := range int64(20) {
				x.turn(i, i)
			}
			for i, c := range x.ends() {
				if c.Err != nil {
					t.Errorf("launch %d: %v", i, c.Err)
				}
			}
			told := x.d.Graphs(computes)
			if told.Refused == nil {
				t.Errorf("%+v, with the fault %s", told, fault)
			}
			if told.Replayed+told.Singly != 20 {
				t.Errorf("%+v of 20 sequences", told)
			}
			if n := fake.Calls("cuGraphLaunch") - launched; fault == "cuGraphLaunch=801" && n != 1 {
				t.Errorf("graphs were launched %d times, want once", n)
			}
			fake.Faults("")
			x.check()
		})
	}
}

// TestSequencesThatFail has an index out of bounds, then an event that can't be recorded, in a replay: the launch, or
// those of the replay, have the error, and the loop goes on.
func TestSequencesThatFail(t *testing.T) {
	needFake(t)
	x := newSwaps(t, Options{})
	for i := range int64(8) {
		at := i
		if i == 5 {
			at = loopN + 3
		}
		x.turn(i, at)
	}
	for i, c := range x.ends() {
		bad := i == 5*3+1
		if (c.Err != nil) != bad {
			t.Errorf("launch %d: %v", i, c.Err)
		}
		if want := fmt.Sprintf("index %d is out of bounds", loopN+3); bad && !strings.Contains(fmt.Sprint(c.Err), want) {
			t.Errorf("launch %d: %v, want %q", i, c.Err, want)
		}
	}
	fake.Faults("cuEventRecord=2@1")
	x.turn(8, 8)
	for i, c := range x.ends() {
		if c.Err == nil || !strings.Contains(c.Err.Error(), "cuEventRecord") {
			t.Errorf("launch %d of the replay without an event: %v", i, c.Err)
		}
	}
	fake.Faults("")
	x.turn(9, 9)
	for i, c := range x.ends() {
		if c.Err != nil {
			t.Errorf("afterwards: launch %d: %v", i, c.Err)
		}
	}
	x.check()
}

// TestSequencesOfALostDevice ends the context in a replay.
func TestSequencesOfALostDevice(t *testing.T) {
	for _, fault := range []string{"launch=700@1", "launch=719@5", "gone=0@3"} {
		t.Run(fault, func(t *testing.T) {
			needFake(t)
			x := newSwaps(t, Options{})
			for i := range int64(4) {
				x.turn(i, i)
			}
			x.ends()
			fake.Faults(fault)
			for i := range int64(6) {
				x.turn(i, i)
			}
			ends := x.ends()
			var lost *tile.LostError
			if err := ends[len(ends)-1].Err; !errors.As(err, &lost) || x.d.Lost() == nil {
				t.Errorf("the last launch: %v", err)
			}
			x.close()
			fake.Faults("")
			fake.Ledger() // a lost context keeps what it has
			if rc := fake.Call("cuDevicePrimaryCtxReset_v2", 0); rc != 0 {
				t.Errorf("cuDevicePrimaryCtxReset: %d", rc)
			}
		})
	}
}

// TestManySequences has more of them than are kept, of two launches up to many.
func TestManySequences(t *testing.T) {
	needFake(t)
	x := newSwaps(t, Options{})
	made, gone := fake.Calls("cuGraphInstantiateWithFlags"), fake.Calls("cuGraphExecDestroy")
	for round := range 3 {
		for n := 2; n < templatesKept+4; n++ {
			for range 2 + round%2 {
				x.d.Sequence(computes)
				for i := range int64(n) {
					x.launch(0, i, 0, 0)
					for k, v := range x.want {
						x.want[k] = 3*v + i
					}
				}
				x.d.End(computes)
				if n == 5 {
					x.d.Sequence(computes) // one of nothing
					x.d.End(computes)
				}
			}
		}
	}
	x.ends()
	made, gone = fake.Calls("cuGraphInstantiateWithFlags")-made, fake.Calls("cuGraphExecDestroy")-gone
	if made-gone > templatesKept*graphsKept || gone == 0 {
		t.Errorf("%d graphs were made and %d given back", made, gone)
	}
	x.check()
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		took  []int64
		whole int64
		want  []int64
	}{
		{[]int64{0, 0, 0, 0}, 100, []int64{25, 25, 25, 25}},
		{[]int64{10, 20, 10}, 80, []int64{20, 40, 20}},
		{[]int64{1, 1, 1}, 10, []int64{3, 3, 4}},
		{[]int64{5, 0, 5}, 0, []int64{0, 0, 0}},
		{[]int64{1 << 40, 1 << 41}, 3 << 40, []int64{1 << 40, 1 << 41}},
	} {
		x := &template{took: c.took}
		if got := x.shares(c.whole); !slices.Equal(got, c.want) {
			t.Errorf("%v of %d: %v, want %v", c.took, c.whole, got, c.want)
		}
	}
}
