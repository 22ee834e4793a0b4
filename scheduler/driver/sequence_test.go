package driver

import (
	"errors"
	"slices"
	"testing"

	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/verify"
	"weft/tile"
)

// togetherOf returns options for a machine with one GPU that takes launches together, and the GPU.
func togetherOf() (Options, *fake) {
	o := sequencing(gpus(1))
	o.InlineBytes = -1
	return o, o.Devices[1].(*fake)
}

func (s *session) scale(out, in array, by float64) {
	s.t.Helper()
	s.do(scaleProgram, out, out.n, []tile.Scalar{tile.FloatScalar(tile.Float64, by)}, in)
}

// turn is a window of three tasks: b = a/2, c = b+b, a = c+c, which is twice what it was.
func (s *session) turn(a, b, c array) {
	s.scale(b, a, 0.5)
	s.add(c, b, b)
	s.add(a, c, c)
	s.BeginCell(0) // flushes
}

// A loop that is ahead of its device gives it whole windows, however the queue's tasks end: the ring of 64 has room for
// 21 windows of three, and never takes a part of one.
func TestWindowsGoTogether(t *testing.T) {
	o, gpu := togetherOf()
	s := start(t, o)
	a, b, c := s.iota(4), s.empty(4), s.empty(4)
	s.BeginCell(0)
	s.want(a, 0, 1, 2, 3) // nothing is under way that the gate would stop
	g := newGate(gpu)
	const turns = 60
	for range turns {
		s.turn(a, b, c)
	}
	<-g.arrived
	if n := s.devices[1].queues[0].count; n < aheadTasks-3 {
		t.Errorf("the queue has %d tasks, wanted that it is full", n)
	}
	close(g.pass)
	s.want(a, 0, 1<<turns, 2<<turns, 3<<turns)
	if n := len(gpu.sequences); n != turns || slices.ContainsFunc(gpu.sequences, func(n int) bool { return n != 3 }) {
		t.Errorf("%d sequences of %v launches, wanted %d of 3", n, gpu.sequences, turns)
	}
	if v := s.verified(verify.Whole); v.Wrong > 0 {
		t.Error(v.Text)
	}
	if n := s.Stats().Counts[ReplayedTasks]; n != 3*turns {
		t.Errorf("%d tasks are counted as replayed, wanted %d", n, 3*turns)
	}
	trace := s.Recorder().Snapshot()
	marked := 0
	for _, rec := range trace.Records {
		if rec.Kind == profiler.Run && trace.Labels[rec.Label].Detail != "" {
			marked++
		}
	}
	if marked != 3*turns {
		t.Errorf("%d bars are marked as estimates, wanted %d", marked, 3*turns)
	}
}

// What goes alone waits behind a window that waits for room, and no window overtakes another.
func TestWindowsKeepTheirTurn(t *testing.T) {
	o, gpu := togetherOf()
	s := start(t, o)
	a, b, c, d := s.iota(4), s.empty(4), s.empty(4), s.empty(4)
	s.BeginCell(0)
	s.want(a, 0, 1, 2, 3) // nothing is under way that the gate would stop
	g := newGate(gpu)
	for range 25 {
		s.turn(a, b, c)
		s.fill(d, 7) // alone in its window
		s.BeginCell(0)
	}
	<-g.arrived
	close(g.pass)
	s.want(a, 0, 1<<25, 2<<25, 3<<25)
	s.want(d, 7, 7, 7, 7)
	if n := len(gpu.sequences); n != 25 {
		t.Errorf("%d sequences, wanted 25", n)
	}
	last := int64(0)
	for _, row := range s.Tasks(0) {
		if row.Device != 1 || row.End == 0 || row.Task.Kind != scheduler.Run { // copies have a queue of their own
			continue
		}
		if row.Start < last {
			t.Fatalf("%v starts at %d, and the one before it ends at %d", row.Task, row.Start, last)
		}
		last = row.End
	}
}

// Where memory is short a window goes in parts, and all values are right.
func TestWindowsInLittleMemory(t *testing.T) {
	parts := 0
	for _, memory := range []int64{1 << 10, 1600, 2 << 10, 4 << 10} {
		o := sequencing(gpus(0))
		o.InlineBytes = -1
		gpu := newFake("gpu0", 2, memory, false, o.Epoch)
		gpu.info.Ordered, gpu.info.Sequences = true, true
		gpu.page, gpu.pages = 256, memory/256
		o.Devices, o.Kinds = append(o.Devices, gpu), append(o.Kinds, gpus(1).Kinds[1])
		o.Core = core.Options{NoFusion: true}
		s := start(t, o)
		a := s.iota(32)
		for range 12 {
			var made []array
			last := a
			for range 4 {
				next := s.empty(32)
				s.add(next, last, last)
				made, last = append(made, next), next
			}
			s.scale(a, last, 1.0/16)
			for _, x := range made {
				s.Free(x.id)
			}
			s.BeginCell(0)
		}
		v, err := s.read(a)
		if err != nil || v[31] != 31 {
			t.Errorf("with %d bytes: %v, %v", memory, v, err)
		}
		for _, n := range gpu.sequences {
			if n != 5 {
				parts++
			}
		}
		if v := s.verified(verify.Whole); v.Wrong > 0 {
			t.Error(v.Text)
		}
	}
	if parts == 0 {
		t.Error("no window went in parts")
	}
}

// What the queue has of windows when the program cancels is completed, and what waits for room is not.
func TestCancelOfWindows(t *testing.T) {
	o, gpu := togetherOf()
	s := start(t, o)
	a, b, c := s.iota(4), s.empty(4), s.empty(4)
	s.BeginCell(0)
	s.want(a, 0, 1, 2, 3) // nothing is under way that the gate would stop
	g := newGate(gpu)
	for range 40 {
		s.turn(a, b, c)
	}
	<-g.arrived
	s.Cancel()
	close(g.pass)
	if _, err := s.read(a); !errors.Is(err, ErrCancelled) {
		t.Errorf("error %v, wanted ErrCancelled", err)
	}
	if n := len(gpu.sequences); n > aheadTasks/3 {
		t.Errorf("%d windows went to the device", n)
	}
	s.fill(a, 1)
	s.turn(a, b, c)
	s.want(a, 2, 2, 2, 2)
}
