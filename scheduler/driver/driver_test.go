package driver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"weft/cpu"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/verify"
	"weft/tile"
)

func TestValues(t *testing.T) {
	s := start(t, Options{})
	a := s.iota(6)
	b := s.empty(6)
	s.fill(b, 10)
	c := s.empty(6)
	s.add(c, a, b)
	s.want(c, 10, 11, 12, 13, 14, 15)
	s.want(c.slice(5, 3, -2), 15, 13, 11)
	s.add(c.slice(0, 3, 2), c.slice(1, 3, 2), a.slice(0, 3, 1)) // c[::2] = c[1::2] + a[:3]
	s.want(c, 11, 11, 14, 13, 17, 15)
	s.want(s.sum(c), 81)
	s.Free(a.id)
	s.Free(c.id)
	if err := s.Sync(nil); err != nil {
		t.Fatal(err)
	}
	st := s.Stats()
	if st.Memories[0].Buffers != 2 { // b and the sum
		t.Errorf("%d buffers are allocated after the frees, wanted 2: %+v", st.Memories[0].Buffers, st)
	}
}

// stencil computes something in which everything hangs together: a stencil in place over
// many steps, and sums.
func (s *session) stencil(n, steps int) []float64 {
	s.t.Helper()
	u := s.iota(n)
	s.add(u, u, u)
	tenth := s.empty(n)
	s.fill(tenth, 0.1)
	s.add(u, u, tenth)
	for range steps {
		left, right := s.empty(n-2), s.empty(n-2)
		s.add(left, u.slice(0, n-2, 1), u.slice(1, n-2, 1))
		s.add(right, left, u.slice(2, n-2, 1))
		s.do(scaleProgram, u.slice(1, n-2, 1), n-2, []tile.Scalar{tile.FloatScalar(tile.Float64, 1.0/3)}, right)
		s.add(u.slice(0, n/2, 2), u.slice(1, n/2, 2), tenth.slice(0, n/2, 1)) // the even elements from the odd ones
		s.Free(left.id)
		s.Free(right.id)
	}
	total, err := s.read(s.sum(u))
	if err != nil {
		s.t.Fatal(err)
	}
	all, err := s.read(u)
	if err != nil {
		s.t.Fatal(err)
	}
	return append(total, all...)
}

// The same program gives the same bits on every machine, in every order.
func TestSameBits(t *testing.T) {
	n, seeds := 9000, uint64(3)
	const steps = 4
	if testing.Short() { // the reference device, which runs most of it, takes a minute for those
		n, seeds = 1000, 2
	}
	want := start(t, Options{Core: core.Options{NoFusion: true}}).stencil(n, steps)
	fused := func(o Options) Options { o.Core.NoFusion = false; return o }
	machines := map[string]func() Options{
		"cpu2":       func() Options { o, _ := cpuFake(2, 0); return o },
		"cpu4":       func() Options { o, _ := cpuFake(4, 0); return o },
		"gpu1":       func() Options { return gpus(1) },
		"cpu2 fused": func() Options { o, _ := cpuFake(2, 0); return fused(o) },
		"gpu3 fused": func() Options { return fused(gpus(3)) },
		"gpu2":       func() Options { return gpus(2) },
		"gpu3":       func() Options { return gpus(3) },
		"workers": func() Options {
			epoch := time.Now()
			return Options{Epoch: epoch, Core: core.Options{MinTile: 1, CutLittle: true},
				Devices: []tile.Device{cpu.New(cpu.Options{Workers: 3, Epoch: epoch})}, Kinds: []scheduler.DeviceKind{scheduler.CPU}}
		},
		"emulated": func() Options {
			epoch := time.Now()
			o := Options{Epoch: epoch, Core: core.Options{MinTile: 1, CutLittle: true},
				Devices: []tile.Device{cpu.New(cpu.Options{Workers: 1, Epoch: epoch})}, Kinds: []scheduler.DeviceKind{scheduler.CPU}}
			for i := range 2 {
				o.Devices = append(o.Devices, cpu.NewEmulatedGPU(i, cpu.Options{Workers: 2, Epoch: epoch}))
				o.Kinds = append(o.Kinds, scheduler.GPU)
			}
			return o
		},
		"ordered":       func() Options { return ordered(gpus(1)) },
		"ordered3":      func() Options { return ordered(gpus(3)) },
		"ordered fused": func() Options { return fused(ordered(gpus(2))) },
		"eager":         func() Options { o, _ := cpuFake(2, 0); o.Core.Window = 1; return o },
		"inline": func() Options {
			o := gpus(2)
			o.InlineBytes = 1 << 40
			return o
		},
	}
	for name, options := range machines {
		for seed := range seeds {
			t.Run(fmt.Sprint(name, " seed ", seed), func(t *testing.T) {
				o := options()
				o.Shuffle, o.Seed = seed > 0, seed
				s := start(t, o)
				got := s.stencil(n, steps)
				if v := s.verified(verify.Whole); v.Wrong > 0 || v.Conflicts == 0 {
					t.Error(v.Text)
				}
				for i := range want {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
						t.Fatalf("element %d is %v, wanted %v", i-1, got[i], want[i])
					}
				}
			})
		}
	}
}

// The program and ops see each other's writes through a mapping, on one memory and on several.
func TestMapping(t *testing.T) {
	for _, o := range []Options{gpus(2), ordered(gpus(2)), first(cpuFake(2, 0))} {
		s := start(t, o)
		a, b := s.iota(4), s.empty(4)
		p, release, err := s.Map(a.view(), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		mem := unsafe.Slice((*float64)(p), 4)
		if mem[3] != 3 {
			t.Errorf("the mapping holds %v", mem)
		}
		mem[0] = 10
		s.add(a, a, a)
		if fmt.Sprint(mem) != "[20 2 4 6]" {
			t.Errorf("after an op on it the mapping holds %v", mem)
		}
		mem[1] = 5
		s.add(b, a, a)
		mem[1] = 6
		s.want(b, 40, 10, 8, 12)
		s.Free(a.id)
		if mem[3] != 6 {
			t.Errorf("after Free the mapping holds %v", mem)
		}
		before := s.Stats().Memories[0].Buffers
		release()
		release()
		if after := s.Stats().Memories[0].Buffers; after != before-1 {
			t.Errorf("%d host buffers after the release, %d before", after, before)
		}
		// A mapping to read pins the memory too.
		p, release, err = s.Map(b.view(), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Free(b.id)
		if got := *(*float64)(p); got != 40 {
			t.Errorf("the mapping holds %v, wanted 40", got)
		}
		release()
		for i, m := range s.Stats().Memories {
			if m.Live != 0 || m.Buffers != 0 {
				t.Errorf("memory %d holds %d bytes in %d buffers at the end", i, m.Live, m.Buffers)
			}
		}
	}
}

func first(o Options, _ *fake) Options { return o }

func TestWriteAndRead(t *testing.T) {
	for _, o := range []Options{gpus(2), ordered(gpus(2)), first(cpuFake(1, 0))} {
		s := start(t, o)
		src := make([]byte, 48)
		for i := range 6 {
			binary.LittleEndian.PutUint64(src[i*8:], math.Float64bits(float64(i)))
		}
		id := s.NewStore(48)
		if err := s.Write(id, src); err != nil {
			t.Fatal(err)
		}
		clear(src)
		a := array{id, 0, 6, 1}
		s.add(a, a, a)
		s.want(a, 0, 2, 4, 6, 8, 10)
		// (2,3) transposed.
		v := scheduler.View{Store: id, Type: tile.Float64, Shape: []int{3, 2}, Strides: []int64{8, 24}}
		buf := make([]byte, 48)
		if err := s.Read(v, buf, nil); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(floats(buf)); got != "[0 6 2 8 4 10]" {
			t.Errorf("transposed: got %v", got)
		}
		if err := s.Write(id, src); err == nil {
			t.Error("a store that is not fresh was written")
		}
		if err := s.Write(s.NewStore(8), src); err == nil {
			t.Error("a store was written with the wrong number of bytes")
		}
		if err := s.Read(v, buf[:40], nil); err == nil {
			t.Error("a read into too few bytes went well")
		}
		if err := s.Read(scheduler.View{Store: 99, Type: tile.Float64}, buf[:8], nil); err == nil {
			t.Error("a store that does not exist was read")
		}
		if _, _, err := s.Map(scheduler.View{Store: 99, Type: tile.Float64}, false, nil); err == nil {
			t.Error("a store that does not exist was mapped")
		}
	}
}

// Threads with arrays of their own need no order among each other.
func TestManyThreads(t *testing.T) {
	o, _ := cpuFake(2, 0)
	r := start(t, o)
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			s := &session{Runtime: r.Runtime, t: t, in: r.in}
			want := float64(k)
			a := s.empty(100)
			s.fill(a, want)
			for range 20 {
				b := s.empty(100)
				s.add(b, a, a)
				s.Free(a.id)
				a = b
				want *= 2
			}
			if got, err := s.read(a.slice(99, 1, 1)); err != nil || got[0] != want {
				t.Errorf("thread %d: got %v and error %v, wanted %v", k, got, err, want)
			}
		})
	}
	all.Wait()
}

func TestCellsAndLog(t *testing.T) {
	dir := t.TempDir()
	var trace strings.Builder
	o := gpus(2)
	o.Dump, o.Trace, o.InlineBytes = dir, &trace, 1<<40
	o.Recorder = profiler.New(profiler.Options{})
	s := start(t, o)
	s.iota(10)
	cell := s.BeginCell(s.in)
	a := s.iota(10)
	s.add(a, a, a)
	s.want(s.sum(a), 90)
	if err := s.Sync(nil); err != nil {
		t.Fatal(err)
	}
	cell = s.EndCell(cell)
	s.iota(10)
	ops := s.Ops(cell.FirstOp)
	if len(ops) != 3 || ops[0].ID != cell.FirstOp+1 || ops[2].ID != cell.LastOp || ops[2].Name != "sum" {
		t.Errorf("the cell %+v has ops %v", cell, ops)
	}
	runs, copies := 0, 0
	for _, task := range s.Tasks(cell.FirstTask) {
		if task.ID > cell.LastTask {
			continue
		}
		if task.Start < cell.Start || task.End < task.Start || cell.End < task.End {
			t.Errorf("%v started at %d and ended at %d, the cell started at %d", task, task.Start, task.End, cell.Start)
		}
		switch task.Kind {
		case scheduler.Run:
			runs++
		case scheduler.Copy:
			copies++
		}
	}
	if runs != 5 || copies == 0 { // the sum is one block
		t.Errorf("the cell has %d runs and %d copies", runs, copies)
	}
	if !strings.Contains(trace.String(), "add at In[3] line 3 on gpu1") {
		t.Errorf("the trace says\n%s", trace.String())
	}
	text, err := os.ReadFile(dir + "/0002_plan.txt")
	if err != nil || !strings.Contains(string(text), "task t") {
		t.Errorf("the dump says %q, error %v", text, err)
	}
	for name, want := range map[string]string{"01_split": "ops are planned", "02_fuse": "op o", "03_partition": " in 2: ", "07_place": " run o", "08_residency": "valid ["} {
		if text, err := os.ReadFile(dir + "/0002_" + name + ".txt"); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("the dump of %s says %q, error %v", name, text, err)
		}
	}
	st := s.Stats()
	if st.Moved[scheduler.Gather].Bytes == 0 || st.Counts[Operations] != 5 || st.Lost != 0 {
		t.Errorf("stats: %+v", st)
	}
}

func TestClosed(t *testing.T) {
	s := start(t, Options{})
	a := s.iota(4)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.read(a); !errors.Is(err, ErrClosed) {
		t.Errorf("read: got error %v", err)
	}
	if err := s.Sync(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Sync: got error %v", err)
	}
	if err := s.Submit(&scheduler.Op{}); !errors.Is(err, ErrClosed) {
		t.Errorf("Submit: got error %v", err)
	}
	s.Free(a.id)
	s.Cancel()
}

func TestWrongOptions(t *testing.T) {
	epoch := time.Now()
	gpu := newFake("gpu0", 1, 0, false, epoch)
	defer gpu.Close()
	ref := tile.NewReference(0, epoch, nil)
	defer ref.Close()
	for name, o := range map[string]Options{
		"no device":     {},
		"no host":       {Devices: []tile.Device{gpu}, Kinds: []scheduler.DeviceKind{scheduler.GPU}},
		"wrong kind":    {Devices: []tile.Device{ref}, Kinds: []scheduler.DeviceKind{scheduler.GPU}},
		"kinds missing": {Devices: []tile.Device{ref}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: New went well", name)
		}
	}
}

// alone is a device that shares nothing with its queues.
type alone struct{ *cpu.Device }

func (d alone) Info() tile.DeviceInfo {
	info := d.Device.Info()
	info.Shares = false
	return info
}

// Many small tasks run on the calling thread, whatever they cost together; a large one is handed
// over, and so is one of few elements on which much is computed, unless the device shares it.
func TestSmallTasksRunInline(t *testing.T) {
	fill := fillProgram
	powers := build("powers", 1, func(b *tile.Builder) {
		x := b.Uniform(tile.Float64)
		for range 4 {
			x = b.Do(tile.Pow, b.Cast(tile.Float64, b.Index(0)), x)
		}
		b.Store(x)
	})
	for _, c := range []struct {
		elements, ops        int
		program              *tile.Program
		read, shares, inline bool
	}{
		{1 << 12, 40, fill, false, false, true}, {1 << 20, 1, fill, false, false, false}, {1 << 12, 1, fill, false, false, true},
		{1 << 20, 1, fill, true, false, false}, {1 << 12, 40, fill, true, false, true}, {1 << 15, 1, fill, false, false, true},
		{1 << 15, 1, powers, false, false, false},
		{1 << 12, 40, fill, false, true, true}, {1 << 20, 1, fill, false, true, true}, {1 << 20, 1, fill, true, true, true},
		{1 << 15, 1, powers, false, true, true}, {1 << 22, 3, fill, false, true, false}, {1 << 22, 1, powers, false, true, false},
	} {
		if testing.Short() && c.elements > 1<<20 {
			continue
		}
		var dev tile.Device = cpu.New(cpu.Options{Workers: 2})
		if !c.shares {
			dev = alone{dev.(*cpu.Device)}
		}
		s := start(t, Options{Devices: []tile.Device{dev}, Kinds: []scheduler.DeviceKind{scheduler.CPU}, Core: core.Options{MinTile: 1 << 30, NoFusion: true}})
		var last array
		for range c.ops {
			last = s.empty(c.elements)
			s.do(c.program, last, c.elements, []tile.Scalar{tile.FloatScalar(tile.Float64, 1)})
		}
		if c.read { // which plans what brings the bytes to the host, nothing here, behind the ops
			if _, err := s.read(last); err != nil {
				t.Fatal(err)
			}
		} else if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
		st := s.Stats()
		want := int64(0)
		if c.inline {
			want = int64(c.ops)
		}
		if got := st.Counts[InlineTasks]; got != want {
			t.Errorf("%d ops of %d elements: %d of %d tasks ran inline, wanted %d", c.ops, c.elements, got, st.Counts[Tasks], want)
		}
	}
}
