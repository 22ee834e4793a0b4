package driver

import (
	"sync/atomic"
	"testing"

	"weft/profiler"
	"weft/tile"
)

// coldOf returns options for a machine with one GPU whose compiler has made nothing yet, and the GPU.
func coldOf(meanwhile bool) (Options, *fake) {
	o := gpus(1)
	o.InlineBytes, o.Meanwhile = -1, meanwhile
	gpu := o.Devices[1].(*fake)
	gpu.cold = true
	return o, gpu
}

// The CPUs run an op on what the host has while the GPU's compiler makes its kernel, of which it is told at once; with
// the kernel there, the GPU runs it. The timeline says so.
func TestColdOpsRunOnTheHost(t *testing.T) {
	o, gpu := coldOf(true)
	s := start(t, o)
	a, b, c := s.filled(4), s.empty(4), s.empty(4)
	s.scale(b, a, 0.5)
	s.BeginCell(0)
	s.want(b, 0.5, 0.5, 0.5, 0.5)
	if n := gpu.launches.Load(); n != 0 {
		t.Errorf("the GPU has run %d launches without a kernel", n)
	}
	if len(gpu.prepared) != 1 {
		t.Fatalf("the compiler is told of %d launches, wanted 1", len(gpu.prepared))
	}
	if l := gpu.prepared[0]; l.Program != scaleProgram || l.Shape[0] != 4 || len(l.Args) != 2 || l.Args[0].Buffer.Size != 32 || tile.CheckLaunch(l) != nil {
		t.Errorf("the compiler is told of %+v (%v)", l, tile.CheckLaunch(l))
	}
	gpu.cold = false
	s.scale(c, a, 0.25)
	s.want(c, 0.25, 0.25, 0.25, 0.25)
	if n := gpu.launches.Load(); n != 1 || len(gpu.prepared) != 1 {
		t.Errorf("the GPU has run %d launches, and its compiler was told of %d; wanted 1 and still 1", n, len(gpu.prepared))
	}
	trace := s.Recorder().Snapshot()
	marked := 0
	for _, rec := range trace.Records {
		if rec.Kind == profiler.Run && trace.Labels[rec.Label].Detail != "" {
			marked++
		}
	}
	if marked != 1 {
		t.Errorf("%d bars say that a kernel is compiled meanwhile, wanted 1", marked)
	}
}

// What the GPU alone has stays there, as does what has no operands and what costs more than a kernel; and so do all ops
// where the same plan is wanted each time. Their kernels are compiled together, before the first of them starts.
func TestColdOpsOnTheGPU(t *testing.T) {
	for _, meanwhile := range []bool{false, true} {
		o, gpu := coldOf(meanwhile)
		o.Core.NoFusion = true
		s := start(t, o)
		a, b, c := s.empty(4), s.empty(4), s.empty(4)
		s.fill(a, 1)
		s.scale(b, a, 0.5)
		s.add(c, a, b)
		large := s.empty(coldBytes / 8)
		s.scale(large, s.filled(coldBytes/8), 2)
		s.BeginCell(0)
		s.want(c, 1.5, 1.5, 1.5, 1.5)
		if !meanwhile {
			d, e := s.filled(4), s.empty(4)
			s.scale(e, d, 0.5)
			s.want(e, 0.5, 0.5, 0.5, 0.5)
		}
		want := int64(4)
		if !meanwhile {
			want++
		}
		if err := s.Sync(nil); err != nil { // no one reads large
			t.Fatal(err)
		}
		if n := gpu.launches.Load(); n != want || int64(len(gpu.prepared)) != want {
			t.Errorf("the GPU has run %d launches, and its compiler was told of %d; wanted %d", n, len(gpu.prepared), want)
		}
	}
}

// Kernels that were kept are made with the others of their modules, before the first of them starts, and the GPU runs
// them at once.
func TestKeptKernelsAreMadeTogether(t *testing.T) {
	o, gpu := coldOf(true)
	gpu.kept = true
	o.Core.NoFusion = true
	s := start(t, o)
	a, b, c := s.filled(4), s.empty(4), s.empty(4)
	s.scale(b, a, 0.5)
	s.add(c, a, b)
	s.BeginCell(0)
	s.want(c, 1.5, 1.5, 1.5, 1.5)
	if n := gpu.launches.Load(); n != 2 || len(gpu.prepared) != 2 {
		t.Errorf("the GPU has run %d launches, and was told of %d before; wanted 2", n, len(gpu.prepared))
	}
}

// A loop is recorded sooner than its kernel is made, and the CPUs take of it only what they have done by then: the rest
// is the GPU's.
func TestALoopThatStaysCold(t *testing.T) {
	o, gpu := coldOf(true)
	o.Core.NoFusion, o.Core.MinTile = true, 1<<18
	if err := o.Devices[0].Close(); err != nil {
		t.Fatal(err)
	}
	o.Devices[0] = newFake("cpu", 2, 0, true, o.Epoch)
	var tiles, onCPUs, onGPU atomic.Int64 // of the CPUs, and points
	release := make(chan struct{})
	o.Devices[0].(*fake).before = func(l *tile.Launch) error {
		<-release
		onCPUs.Add(int64(l.Shape[0]))
		tiles.Add(1)
		return nil
	}
	gpu.before = func(l *tile.Launch) error {
		onGPU.Add(int64(l.Shape[0]))
		return nil
	}
	s := start(t, o)
	const n, turns = 1 << 16, 40
	a, outs := s.filled(n), []array{}
	for range turns {
		outs = append(outs, s.empty(n))
		s.scale(outs[len(outs)-1], a, 0.5)
	}
	s.BeginCell(0) // flushes
	close(release)
	for _, out := range outs {
		out.n = 2
		s.want(out, 0.5, 0.5)
	}
	const most = coldBytes / n
	work := 16 + scaleProgram.Work()
	if ops, rest := onCPUs.Load()/n, onGPU.Load()/n; ops+rest != turns || ops != most/work {
		t.Errorf("the CPUs have run %d turns and the GPU %d of %d; want %d on the CPUs", ops, rest, turns, most/work)
	}
	if tiles.Load() < 2*(most/work) {
		t.Errorf("the CPUs have run %d tiles; want two of each turn at least", tiles.Load())
	}
	for _, l := range gpu.prepared {
		if l.Shape[0] != n || tile.CheckLaunch(l) != nil {
			t.Errorf("the compiler is told of %+v (%v); want whole turns", l, tile.CheckLaunch(l))
		}
	}
}
