package driver

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/verify"
	"weft/tile"
)

// window submits ops at random, the same ones for the same seed, on some stores from outside of eight
// elements each, and returns the new stores that are left.
func (s *session) window(seed uint64, outside []array, scale float64) (kept []array) {
	r := rand.New(rand.NewPCG(seed, 0))
	all := slices.Clone(outside)
	part := func(n int) array { // n elements of anything
		a := all[r.IntN(len(all))]
		switch r.IntN(3) {
		case 0:
			return a.slice(r.IntN(9-n), n, 1)
		case 1:
			if 2*n <= 8 {
				return a.slice(r.IntN(2), n, 2)
			}
		}
		return a.slice(8-n, n, 1)
	}
	for op := range 6 + r.IntN(20) {
		n := 2 + r.IntN(7)
		out := part(n)
		if r.IntN(3) > 0 {
			n, out = 8, s.empty(8)
		}
		apart := func() array { // from another store than out
			for {
				if a := part(n); a.id != out.id {
					return a
				}
			}
		}
		x, y := apart(), apart()
		switch r.IntN(4) {
		case 0:
			s.do(scaleProgram, out, n, []tile.Scalar{tile.FloatScalar(tile.Float64, scale*float64(op+1))}, x)
		case 1:
			s.fill(out, scale)
		default:
			s.add(out, x, y)
		}
		if out.n == 8 && !slices.Contains(all, out) {
			all = append(all, out)
		}
	}
	for _, a := range all[len(outside):] {
		if r.IntN(3) > 0 {
			s.Free(a.id)
		} else {
			kept = append(kept, a)
		}
	}
	return kept
}

// told is what a session tells of the log behind some IDs, but for times.
func (s *session) told(op scheduler.OpID, task scheduler.TaskID) (list []string) {
	for _, o := range s.Ops(op) {
		list = append(list, o.String())
	}
	for _, t := range s.Tasks(task) {
		list = append(list, fmt.Sprintf("%v, failed %v, started %v, ended %v, in time %v", t.Task, t.Failed, t.Start > 0, t.End > 0, t.End == 0 || t.Planned <= t.Start && t.Start <= t.End))
	}
	return list
}

// A runtime that replays templates leaves the same bits behind it, the same log and the same memory as one that plans
// each window afresh: windows of the same signature on stores by turns, with other numbers, some of whose launches
// fail.
func TestReplayedWindows(t *testing.T) {
	var replayed, failed int64
	for seed := range uint64(100) {
		var both [2]*session
		var outside [2][]array
		for i := range both {
			o, device := cpuFake(1, 0)
			launches := uint64(0)
			device.before = func(*tile.Launch) error {
				if launches++; seed%4 == 0 && launches%(20+seed%20) == 0 {
					return fmt.Errorf("launch %d is to fail", launches)
				}
				return nil
			}
			o.Check = seed%2 == 0 // with the checker, and without
			o.Core = core.Options{NoTemplates: i == 1}
			s := begin(t, o)
			both[i] = s
			for range 4 {
				a := s.iota(8)
				s.do(scaleProgram, a, 8, []tile.Scalar{tile.FloatScalar(tile.Float64, 0.5)}, s.iota(8))
				outside[i] = append(outside[i], a)
			}
			s.Sync(nil) // what fails is told by reads
		}
		for turn := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, turn))
			order, record, look := r.Perm(4), r.IntN(6) > 0, r.IntN(3) == 0
			var values, logs [2][]string
			for i, s := range both {
				s.Record(record)
				ops, tasks := s.Submitted()
				var on []array
				for _, k := range order {
					on = append(on, outside[i][k])
				}
				kept := s.window(seed<<8+turn%2, on, float64(turn)+0.25)
				for _, a := range append(kept, outside[i]...) {
					x, err := s.read(a)
					var bits []uint64
					for _, v := range x {
						bits = append(bits, math.Float64bits(v))
					}
					values[i] = append(values[i], fmt.Sprint(a.id, bits, err))
					if err != nil {
						failed++
					}
				}
				for _, a := range kept {
					s.Free(a.id)
				}
				logs[i] = append(s.told(ops, tasks), fmt.Sprint(s.memory[0].live, len(s.buffers)))
				if look {
					if v := s.verified(verify.Whole); v.Wrong != 0 {
						t.Fatalf("seed %d, turn %d:\n%s", seed, turn, v.Text)
					}
				}
			}
			if !slices.Equal(values[0], values[1]) {
				t.Fatalf("seed %d, turn %d: the stores are\n%s\nwanted\n%s", seed, turn, strings.Join(values[0], "\n"), strings.Join(values[1], "\n"))
			}
			if !slices.Equal(logs[0], logs[1]) {
				t.Fatalf("seed %d, turn %d: the log is\n%s\nwanted\n%s", seed, turn, strings.Join(logs[0], "\n"), strings.Join(logs[1], "\n"))
			}
		}
		if n := both[1].Stats().Counts[KnownPlans]; n != 0 {
			t.Fatalf("seed %d: %d windows were replayed where no template is remembered", seed, n)
		}
		replayed += both[0].Stats().Counts[KnownPlans]
	}
	if replayed < 300 || failed < 50 {
		t.Errorf("%d windows were replayed, and %d reads failed: the test shows nothing", replayed, failed)
	}
}

// square submits b = a*number, c = b+b, with b gone after it, and returns c.
func (s *session) square(a array, number float64) array {
	b, c := s.empty(a.n), s.empty(a.n)
	s.do(scaleProgram, b, a.n, []tile.Scalar{tile.FloatScalar(tile.Float64, number)}, a)
	s.add(c, b, b)
	s.Free(b.id)
	return c
}

// A replayed window whose run fails leaves no values behind it, and says so where they are read; the next one is
// computed.
func TestAReplayThatFails(t *testing.T) {
	o, dev := cpuFake(1, 0)
	o.Core = core.Options{}
	s := begin(t, o)
	a := s.iota(8)
	s.want(s.square(a, 2), 0, 4, 8, 12, 16, 20, 24, 28)
	wrong := errors.New("the device is wet")
	dev.before = func(*tile.Launch) error { return wrong }
	c := s.square(a, 3)
	if _, err := s.read(c); !errors.Is(err, wrong) || !strings.Contains(err.Error(), "add") || !strings.Contains(err.Error(), "line") {
		t.Errorf("got error %v", err)
	}
	dev.before = nil
	if _, err := s.read(s.square(c, 3)); !errors.Is(err, wrong) {
		t.Errorf("of what has no value, got error %v", err)
	}
	s.want(s.square(a, 4), 0, 8, 16, 24, 32, 40, 48, 56)
	s.want(a, 0, 1, 2, 3, 4, 5, 6, 7)
	if n := s.Stats().Counts[KnownPlans]; n != 2 {
		t.Errorf("%d windows were replayed", n)
	}
	if v := s.verified(verify.Whole); v.Wrong != 0 {
		t.Error(v.Text)
	}
}

// Where there is no memory for what a replayed window makes, its reader is told, and what was there stays; with memory
// given back it runs again.
func TestAReplayWithoutMemory(t *testing.T) {
	o, dev := cpuFake(1, 64*5)
	o.Core, dev.info.Memory = core.Options{}, 0 // it does not say so
	s := begin(t, o)
	a := s.iota(8)
	var made []array
	for {
		c := s.square(a, 2)
		if _, err := s.read(c); err != nil {
			if full := new(MemoryError); !errors.As(err, &full) || len(made) < 2 {
				t.Fatalf("after %d windows, got error %v", len(made), err)
			}
			s.Free(c.id)
			break
		}
		made = append(made, c)
	}
	for _, c := range made {
		s.want(c, 0, 4, 8, 12, 16, 20, 24, 28)
	}
	s.Free(made[0].id)
	s.want(s.square(a, 3), 0, 6, 12, 18, 24, 30, 36, 42)
	if n := s.Stats().Counts[KnownPlans]; n < 3 {
		t.Errorf("%d windows were replayed", n)
	}
}

// The log tells the numbers of each replayed window, also where one was not logged.
func TestNumbersOfReplayedWindows(t *testing.T) {
	s := begin(t, Options{})
	a := s.iota(8)
	want := map[scheduler.OpID]float64{}
	for _, c := range []struct {
		number float64
		off    bool
	}{{2, false}, {2, false}, {3, false}, {5, true}, {5, false}, {7, false}, {6, true}, {8, false}} {
		s.Record(!c.off)
		got, err := s.read(s.square(a, c.number))
		if err != nil || got[3] != 2*c.number*3 {
			t.Fatalf("with %v: %v (%v)", c, got, err)
		}
		if last, _ := s.Submitted(); !c.off {
			want[last] = c.number
		}
	}
	s.Record(true)
	found := 0
	for _, op := range s.Ops(2) {
		if len(op.Uniforms) == 0 {
			continue
		}
		if got := math.Float64frombits(op.Uniforms[0].Bits[0]); got != want[op.ID] {
			t.Errorf("%v is logged with %v, want %v", op.ID, got, want[op.ID])
		}
		found++
	}
	if found != len(want) {
		t.Errorf("%d windows are logged, want %d", found, len(want))
	}
}

// Of frees the newest are logged, however many there are behind one window or behind each of many.
func TestTheLogKeepsTheNewestFrees(t *testing.T) {
	for _, each := range []int{1, 3, 300, 5 * loggedTasks} {
		var l eventLog
		task := scheduler.TaskID(0)
		free := func() {
			task++
			l.task(&scheduler.Task{ID: task, Kind: scheduler.Free, Src: &scheduler.Instance{ID: scheduler.InstanceID(task)}}, int64(task))
			l.close()
		}
		free() // no window was logged
		for op := scheduler.OpID(1); int(task) < 6*loggedTasks; op++ {
			task++
			l.op(&scheduler.Op{ID: op}, true)
			l.task(&scheduler.Task{ID: task}, 0)
			l.close()
			for range each {
				free()
			}
		}
		list := l.since(0)
		if last := list[len(list)-1]; last.ID != task || last.ID-list[0].ID != scheduler.TaskID(len(list)-1) {
			t.Errorf("%d frees behind each window: %d tasks from %v to %v are logged, and %v is the newest", each, len(list), list[0].ID, last.ID, task)
		}
		if want := min(loggedTasks, briefOps*(each+1)) / 2; len(list) < want {
			t.Errorf("%d frees behind each window: %d tasks are logged, wanted %d", each, len(list), want)
		}
	}
}
