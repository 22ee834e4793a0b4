package driver

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// small returns options for GPUs of so many bytes each. Ops are not fused.
func small(n int, memory int64) Options {
	o, _ := cpuFake(2, 0)
	for i := range n {
		o.Devices = append(o.Devices, newFake(fmt.Sprintf("gpu%d", i), 2, memory, false, o.Epoch))
		o.Kinds = append(o.Kinds, scheduler.GPU)
	}
	return o
}

// within fails if a memory ever held more than it has.
func (s *session) within() {
	s.t.Helper()
	for _, m := range s.Stats().Memories {
		if m.Total > 0 && m.Peak > m.Total {
			s.t.Errorf("%s held %d bytes of %d", m.Name, m.Peak, m.Total)
		}
	}
}

// work is a program over arrays of n elements: chains, slices, steps, an in-place stencil, a sum.
func (s *session) work(n int) [][]float64 {
	a, b := s.iota(n), s.iota(n)
	for range 3 {
		c := s.empty(n)
		s.add(c, a, b)
		s.Free(b.id)
		b = c
	}
	t := s.empty(n - 2)
	s.add(t, b.slice(0, n-2, 1), b.slice(2, n-2, 1))
	s.add(b.slice(1, n-2, 1), t, a.slice(1, n-2, 1))
	s.Free(t.id)
	s.add(a.slice(0, n/2, 2), a.slice(1, n/2, 2), b.slice(0, n/2, 1))
	s.add(b, a.slice(n-1, n, -1), b)
	var out [][]float64
	for _, x := range []array{a, b, s.sum(b)} {
		got, err := s.read(x)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, got)
	}
	s.Free(a.id)
	s.Free(b.id)
	return out
}

// Arrays that are larger than the memories of all GPUs together, in whatever order tasks start,
// give what the CPUs give.
func TestOutOfCore(t *testing.T) {
	const n = 20_000 // 160 kB an array, several blocks of a sum
	want := fmt.Sprint(start(t, Options{}).work(n))
	for _, memory := range []int64{80_000, 300_000, 1 << 20} {
		for seed := range uint64(3) {
			o := small(2, memory)
			o.Shuffle, o.Seed, o.InlineBytes = seed > 0, seed, -1
			if seed == 2 {
				o = ordered(o)
			}
			s := start(t, o)
			if got := fmt.Sprint(s.work(n)); got != want {
				t.Errorf("two GPUs of %d bytes, seed %d: the values differ", memory, seed)
			}
			if err := s.Sync(nil); err != nil {
				t.Fatal(err)
			}
			s.within()
			stats := s.Stats()
			if memory < 160_000 && stats.Counts[Evictions] == 0 {
				t.Errorf("GPUs of %d bytes: nothing was evicted", memory)
			}
		}
	}
}

// paged makes the GPUs' memories pages, which a buffer takes whole: the memories have room for all the bytes that the
// account says, but only for so many buffers.
func paged(o Options, page, pages int64) Options {
	for i, dev := range o.Devices {
		if f, ok := dev.(*fake); ok && o.Kinds[i] == scheduler.GPU {
			f.page, f.pages = page, pages
		}
	}
	return o
}

// Small arrays take up pages whole, so that a large one finds no room although the bytes are free: arrays that no task
// uses leave until it does. Without any that can leave, the error says what the device lacks.
func TestPagesOfSmallArrays(t *testing.T) {
	const few, page = 64, 4 << 10
	for seed := range uint64(4) {
		o := paged(small(1, 16*page), page, 16)
		o.Shuffle, o.Seed, o.InlineBytes, o.Check = seed > 0, seed, -1, true
		if seed%2 == 1 {
			o = ordered(o)
		}
		s := start(t, o)
		a := s.iota(few)
		var kept []array
		for range 14 {
			x := s.empty(few)
			s.add(x, a, a)
			kept = append(kept, x)
		}
		if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
		b := s.iota(6 * page / 8)
		large := s.empty(6 * page / 8)
		s.add(large, b, b)
		got, err := s.read(large)
		if err != nil || got[17] != 34 {
			t.Fatalf("seed %d: a large array beside small ones: %v", seed, err)
		}
		for _, x := range kept {
			if got, err := s.read(x); err != nil || got[5] != 10 {
				t.Fatalf("seed %d: an array that has left: %v, %v", seed, got, err)
			}
		}
		if n := s.Stats().Counts[Evictions]; n == 0 || n > 15 {
			t.Errorf("seed %d: %d arrays have left; want some of 15", seed, n)
		}
		s.within()
	}
	s := start(t, paged(small(1, 16*page), page, 2))
	b := s.iota(6 * page / 8)
	s.add(b, b, b)
	var lacks *MemoryError
	if _, err := s.read(b); !errors.As(err, &lacks) || !strings.Contains(err.Error(), "2 pages are left") {
		t.Errorf("got error %v; want one of memory, that says what is left", err)
	}
}

// TestWorkInPages has fewer pages than the work would take if everything stayed, and the same values.
func TestWorkInPages(t *testing.T) {
	const n = 2_000
	want := fmt.Sprint(start(t, Options{}).work(n))
	for seed := range uint64(6) {
		for _, pages := range []int64{9, 12, 20} {
			o := paged(small(1+int(seed%2), 400_000), 8<<10, pages)
			o.Shuffle, o.Seed, o.InlineBytes, o.Check = true, seed, -1, true
			if seed >= 3 {
				o = ordered(o)
			}
			if got := fmt.Sprint(start(t, o).work(n)); got != want {
				t.Errorf("%d pages, seed %d: the values differ", pages, seed)
			}
		}
	}
}

// What fits stays; what streams through comes and goes once.
func TestTrafficOfMemories(t *testing.T) {
	const n, bytes = 1000, 8000
	for _, c := range []struct {
		memory          int64
		spill, upload   int64 // bytes at most
		evictions, runs int64
	}{
		{4 * bytes, 0, 0, 0, 10},
		{bytes, 10 * bytes, 10 * bytes, 10 * 20, 10}, // half of a, and of what is written, stays
	} {
		s := start(t, small(1, c.memory))
		a := s.iota(n)
		b := s.empty(n)
		for range c.runs {
			s.add(b, a, a)
		}
		if err := s.Sync(nil); err != nil {
			t.Fatal(err)
		}
		s.within()
		stats := s.Stats()
		if got := stats.Moved[scheduler.Spill].Bytes; got > c.spill {
			t.Errorf("a GPU of %d bytes: %d bytes were spilled, want at most %d", c.memory, got, c.spill)
		}
		if got := stats.Moved[scheduler.Upload].Bytes; got > c.upload {
			t.Errorf("a GPU of %d bytes: %d bytes were uploaded, want at most %d", c.memory, got, c.upload)
		}
		if got := stats.Counts[Evictions]; got > c.evictions {
			t.Errorf("a GPU of %d bytes: %d evictions, want at most %d", c.memory, got, c.evictions)
		}
	}
}

// A program that runs far ahead needs no more memory than one that waits for each op.
func TestRunningAheadNeedsNoMemory(t *testing.T) {
	o, dev := cpuFake(2, 32_500) // four arrays, of which three are alive at a time
	o.InlineBytes, o.Core.Window = -1, 4
	s := start(t, o)
	g := newGate(dev)
	a := s.iota(1000)
	for range 60 {
		b := s.empty(1000)
		s.add(b, a, a)
		c := s.empty(1000)
		s.do(scaleProgram, c, 1000, []tile.Scalar{tile.FloatScalar(tile.Float64, 0.5)}, b)
		s.Free(a.id)
		s.Free(b.id)
		a = c
	}
	if n := s.Stats().Pending; n < 120 {
		t.Errorf("%d tasks are pending, wanted those of 120 ops", n)
	}
	close(g.pass)
	s.want(a.slice(0, 4, 1), 0, 1, 2, 3)
	s.within()
	if failed := s.Stats().Counts[FailedTasks]; failed != 0 {
		t.Errorf("%d tasks failed", failed)
	}
}

// An op that has too large operands for any memory fails by itself; what the host is to
// hold as well.
func TestNothingHelps(t *testing.T) {
	o := small(2, 20_000)
	o.Devices[0] = newFake("cpu", 2, 100_000, true, o.Epoch)
	s := start(t, o)
	kept := s.iota(1000)
	big := s.empty(20_000)
	s.fill(big, 1)
	after := s.empty(1000)
	s.add(after, kept, kept)
	_, err := s.read(big)
	var full *MemoryError
	if !errors.As(err, &full) || full.Memory != "host" || full.Total != 100_000 || len(full.Largest) == 0 {
		t.Fatalf("got error %v, wanted a MemoryError of the host", err)
	}
	s.Free(big.id)
	s.want(after.slice(0, 3, 1), 0, 2, 4)
	s.want(kept.slice(0, 3, 1), 0, 1, 2)
	if err := s.Write(s.NewStore(200_000), make([]byte, 200_000)); !errors.As(err, &full) {
		t.Errorf("Write: got error %v, wanted a MemoryError", err)
	}
	again := s.empty(8000) // the bytes of what failed are there again
	s.fill(again, 3)
	if got, err := s.read(again.slice(7999, 1, 1)); err != nil || got[0] != 3 {
		t.Errorf("after the error: %v, error %v", got, err)
	}
	s.within()
}

// A call whose operands no GPU can hold runs on the CPU.
func TestLargeCallsRunOnTheCPU(t *testing.T) {
	o := small(1, 10_000)
	for _, d := range o.Devices {
		f := d.(*fake)
		f.info.Calls = true
		if err := f.inner.Close(); err != nil {
			t.Fatal(err)
		}
		f.inner = tile.NewReference(f.info.Memory, o.Epoch, solve)
	}
	s := start(t, o)
	a, few := s.empty(2000), s.empty(100)
	s.fill(a, 4)
	large, little := s.empty(2000), s.empty(100)
	s.fill(few, 2)
	s.call(large, a)
	s.call(little, few)
	s.want(large.slice(1998, 2, 1), 0.25, 0.25)
	s.want(little.slice(0, 2, 1), 0.5, 0.5)
	if n := o.Devices[0].(*fake).launches.Load(); n != 1 {
		t.Errorf("%d launches on the CPU, want the large call alone", n)
	}
	s.within()
}

// What the program has released makes room for what it fills next, although the release still
// waits in the window.
func TestReleasesMakeRoomForTheHost(t *testing.T) {
	o, _ := cpuFake(1, 20_000)
	s := start(t, o)
	total := s.iota(1000)
	for range 5 {
		a := s.filled(1000)
		s.add(total, total, a)
		s.Free(a.id)
	}
	s.want(total.slice(0, 3, 1), 5, 6, 7)
	s.within()
}
