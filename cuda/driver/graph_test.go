//go:build cuda && cgo && linux

package driver

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"weft/cuda/driver/fakecuda"
)

// graphRig is a device with two arrays of uint32, and what kernels on them need.
type graphRig struct {
	*testing.T
	fake     *fakecuda.Driver
	d        *Device
	q        *Queue
	e        *Event
	set, add Function
	x, y     Address
}

const graphN = 300

func newGraphRig(t *testing.T) *graphRig {
	r := &graphRig{T: t}
	var err error
	r.fake, err = fakecuda.Open(fakeLib)
	check(t, "Open", err)
	t.Cleanup(func() { r.fake.Faults("") })
	r.d = open(t, 0)
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(t, "the kernels", err)
	m, _, err := r.d.LoadModule(string(text))
	check(t, "LoadModule", err)
	r.set, err = m.Function("set")
	check(t, "Function", err)
	r.add, err = m.Function("add")
	check(t, "Function", err)
	r.q, err = r.d.NewQueue()
	check(t, "NewQueue", err)
	r.e, err = r.d.NewEvent()
	check(t, "NewEvent", err)
	r.x, err = r.d.Alloc(4 * graphN)
	check(t, "Alloc", err)
	r.y, err = r.d.Alloc(4 * graphN)
	check(t, "Alloc", err)
	r.fake.Ledger()
	t.Cleanup(func() {
		check(t, "Close", r.q.Close())
		check(t, "Close", r.e.Close())
		check(t, "Unload", m.Unload())
		check(t, "Free", r.d.Free(r.x))
		check(t, "Free", r.d.Free(r.y))
		for _, line := range r.fake.Ledger() {
			t.Error(line)
		}
	})
	return r
}

// batch is x = a, y = b, x += y.
func (r *graphRig) batch(a, b uint32) *Batch {
	made := &Batch{}
	block := [3]uint32{128, 1, 1}
	made.Add(r.set, [3]uint32{3, 1, 1}, block, 0, uint64(r.x), graphN|uint64(a)<<32)
	made.Add(r.set, [3]uint32{3, 1, 1}, block, 0, uint64(r.y), graphN|uint64(b)<<32)
	made.Add(r.add, [3]uint32{3, 1, 1}, block, 0, uint64(r.x), uint64(r.y), graphN)
	return made
}

func (r *graphRig) want(v uint32) {
	r.Helper()
	check(r.T, "Synchronize", r.e.Synchronize())
	got := make([]uint32, graphN)
	check(r.T, "CopyOut", r.d.CopyOut(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 4*graphN), r.x))
	for i, g := range got {
		if g != v {
			r.Fatalf("element %d is %d, want %d", i, g, v)
		}
	}
}

// TestGraph starts batches by a graph: the same parameters, others, and, while a start is under way, others again.
func TestGraph(t *testing.T) {
	r := newGraphRig(t)
	for seed := range uint64(10) {
		r.fake.Seed(seed)
		b := r.batch(1, 2)
		g, err := r.d.NewGraph(b)
		check(t, "NewGraph", err)
		b.Reset() // the graph has its own
		sets := r.fake.Calls("cuGraphExecKernelNodeSetParams")
		for i, c := range []struct {
			a, b   uint32
			differ int
		}{{1, 2, 0}, {1, 2, 0}, {5, 2, 1}, {5, 2, 0}, {6, 7, 2}} {
			b := r.batch(c.a, c.b)
			if n := g.Differ(b); n != c.differ {
				t.Errorf("start %d: %d launches differ, want %d", i, n, c.differ)
			}
			if started, err := r.q.LaunchGraph(g, b, r.e); !started || err != nil {
				t.Fatalf("start %d: %v, %v", i, started, err)
			}
			if i != 2 { // the third is followed at once
				r.want(c.a + c.b)
			}
		}
		if n := r.fake.Calls("cuGraphExecKernelNodeSetParams") - sets; n != 3 {
			t.Errorf("%d nodes were updated, want 3", n)
		}
		check(t, "Close", g.Close())
		if err := g.Close(); !errors.Is(err, ErrClosed) {
			t.Errorf("closing a graph twice: %v", err)
		}
	}
	r.fake.Seed(0)
}

// TestGraphGridsChange gives a node another grid.
func TestGraphGridsChange(t *testing.T) {
	r := newGraphRig(t)
	b := r.batch(1, 2)
	g, err := r.d.NewGraph(b)
	check(t, "NewGraph", err)
	check(t, "Launch", r.q.Launch(r.batch(9, 9)))
	b.launches[2].grid[0] = 1 // the first 128 elements
	_, err = r.q.LaunchGraph(g, b, r.e)
	check(t, "LaunchGraph", err)
	check(t, "Synchronize", r.e.Synchronize())
	got := make([]uint32, graphN)
	check(t, "CopyOut", r.d.CopyOut(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 4*graphN), r.x))
	if got[127] != 3 || got[128] != 1 {
		t.Errorf("got %d, %d, want 3, 1", got[127], got[128])
	}
	check(t, "Close", g.Close())
}

// TestGraphFailures has each call fail. Of a graph that is not made nothing is left; one whose start failed has started
// nothing, and is of no use; where only the event failed, the launches were started.
func TestGraphFailures(t *testing.T) {
	r := newGraphRig(t)
	for _, c := range []struct{ fault, said string }{
		{"cuGraphCreate=2", "cuGraphAddKernelNode (node 1 of 3)"},
		{"cuGraphAddKernelNode=2@2", "cuGraphAddKernelNode (node 2 of 3)"},
		{"cuGraphInstantiateWithFlags=2", "cuGraphInstantiate (3 nodes)"},
	} {
		made, gone := r.fake.Calls("cuGraphCreate"), r.fake.Calls("cuGraphDestroy")
		r.fake.Faults(c.fault)
		_, err := r.d.NewGraph(r.batch(1, 2))
		want(t, err, c.said, "device 0", "(2)")
		r.fake.Faults("")
		if made, gone := r.fake.Calls("cuGraphCreate")-made, r.fake.Calls("cuGraphDestroy")-gone; c.fault != "cuGraphCreate=2" && (made != 1 || gone != 1) {
			t.Errorf("%s: %d graphs were made and %d destroyed", c.fault, made, gone)
		}
	}
	for _, c := range []struct {
		fault, said string
		started     bool
	}{
		{"cuGraphExecKernelNodeSetParams=1@2", "cuGraphLaunch (3 nodes)", false},
		{"cuGraphLaunch=2", "cuGraphLaunch (3 nodes)", false},
		{"cuEventRecord=2", "cuEventRecord", true},
	} {
		t.Run(c.fault, func(t *testing.T) {
			g, err := r.d.NewGraph(r.batch(1, 2))
			check(t, "NewGraph", err)
			check(t, "Launch", r.q.LaunchAndRecord(r.batch(3, 4), r.e))
			r.fake.Faults(c.fault)
			started, err := r.q.LaunchGraph(g, r.batch(5, 6), r.e)
			want(t, err, c.said)
			r.fake.Faults("")
			check(t, "Synchronize", r.q.Synchronize())
			expect := uint32(7)
			if c.started {
				expect = 11
			}
			r.want(expect)
			if started != c.started {
				t.Errorf("started: %v", started)
			}
			again, err := r.q.LaunchGraph(g, r.batch(7, 8), r.e)
			if again != c.started || c.started != (err == nil) {
				t.Errorf("once more: %v, %v", again, err)
			}
			check(t, "Synchronize", r.q.Synchronize())
			check(t, "Close", g.Close())
		})
	}
}

func BenchmarkGraph(b *testing.B) {
	for _, n := range []int{2, 8, 32} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var made Batch
			for i := range n {
				made.Add(Function(i), [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, 1, 2, 3, 4, 5, 6, 7, 8)
			}
			g := &Graph{batch: made.clone()}
			for range b.N {
				if g.Differ(&made) != 0 {
					b.Fatal("they differ")
				}
			}
		})
	}
}
