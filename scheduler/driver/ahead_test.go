package driver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/scheduler"
	"weft/scheduler/verify"
	"weft/tile"
)

// aheadOf returns options for a machine with one GPU whose queues are ordered, and the GPU.
func aheadOf() (Options, *fake) {
	o := ordered(gpus(1))
	o.InlineBytes = -1
	return o, o.Devices[1].(*fake)
}

// A queue has tasks that wait for each other before the first of them has run, as many as it takes. Its bars are in
// their order.
func TestQueuesRunAhead(t *testing.T) {
	o, gpu := aheadOf()
	s := start(t, o)
	g := newGate(gpu)
	a, b := s.iota(4), s.empty(4)
	const links = aheadTasks + 20
	for i := range links {
		if i%2 == 0 {
			s.add(b, a, a)
		} else {
			s.add(a, b, b)
		}
		s.do(scaleProgram, [2]array{b, a}[i%2], 4, []tile.Scalar{tile.FloatScalar(tile.Float64, 0.5)}, [2]array{b, a}[i%2])
	}
	s.BeginCell(0) // flushes
	<-g.arrived
	d := s.Doing()
	if len(d.Running) != 1 || d.Ready < aheadTasks-1 || d.Ready > aheadTasks {
		t.Errorf("%v\nwanted 1 running, and that its queue is full", d)
	}
	if n := s.devices[1].queues[0].count; n != aheadTasks {
		t.Errorf("the queue has %d tasks, wanted %d", n, aheadTasks)
	}
	close(g.pass)
	s.want(a, 0, 1, 2, 3)
	if v := s.verified(verify.Whole); v.Wrong > 0 {
		t.Error(v.Text)
	}
	end := int64(0)
	for _, row := range s.Tasks(0) {
		if row.Kind == scheduler.Run && row.Device == 1 {
			if row.Start < end || row.End < row.Start {
				t.Fatalf("%v runs from %d to %d, and the one before it ends at %d", row.Task, row.Start, row.End, end)
			}
			end = row.End
		}
	}
}

// A queue that has enough to move takes no third task.
func TestQueuesRunAheadByBytes(t *testing.T) {
	for ahead, want := range map[int64]int{1: 2, 64: 2, 65: 3, 0: 7} { // each task moves 32 bytes
		o, gpu := aheadOf()
		gpu.info.Ahead = ahead
		s := start(t, o)
		g := newGate(gpu)
		a := s.filled(2)
		for range 7 {
			s.add(s.empty(2), a, a)
		}
		s.BeginCell(0)
		<-g.arrived
		if n := s.devices[1].queues[0].count; n != want {
			t.Errorf("of tasks of 32 bytes a queue that is to have %d has %d, wanted %d", ahead, n, want)
		}
		close(g.pass)
		s.want(a, 1, 1)
	}
}

// A program some of whose tasks fail tells the same values and the same errors whether tasks run ahead or not, and one
// by one or together.
func TestFailuresOfWhatRanAhead(t *testing.T) {
	lost, together := 0, 0
	for seed := range uint64(60) {
		var told [3][]string
		for i := range told {
			o := gpus(1 + int(seed%3))
			o.InlineBytes = -1
			switch i {
			case 1:
				o = ordered(o)
				o.Shuffle, o.Seed = seed%2 == 0, seed
			case 2:
				o = sequencing(o)
			}
			for _, dev := range o.Devices[1:] {
				dev.(*fake).before = func(l *tile.Launch) error {
					if l.Program == scaleProgram && l.Uniforms[0].Float() > 2 {
						return fmt.Errorf("scale by %v", l.Uniforms[0].Float())
					}
					return nil
				}
			}
			s := start(t, o)
			r := rand.New(rand.NewPCG(seed, 1))
			var all []array
			for range 4 {
				all = append(all, s.iota(40))
			}
			for range 60 {
				x, y, z := all[r.IntN(4)], all[r.IntN(4)], all[r.IntN(4)]
				from := r.IntN(20)
				switch r.IntN(6) {
				case 0:
					s.do(scaleProgram, z, 40, []tile.Scalar{tile.FloatScalar(tile.Float64, []float64{0.5, 1, 3}[r.IntN(3)])}, z)
				case 1:
					s.fill(z, float64(r.IntN(9)))
				case 2:
					k := slices.Index(all, z)
					all[k] = s.empty(40)
					s.add(all[k], x, y)
					s.Free(z.id)
				case 3:
					if r.IntN(4) == 0 {
						_, err := s.read(x)
						told[i] = append(told[i], fmt.Sprint(err))
					}
				default:
					s.do(addProgram, z.slice(from, 20, 1), 20, nil, z.slice(from, 20, 1), z.slice(from, 20, 1))
				}
			}
			for _, a := range all {
				for k := range 4 {
					v, err := s.read(a.slice(10*k, 10, 1))
					if err != nil {
						v = nil
						lost++
					}
					told[i] = append(told[i], fmt.Sprint(v, err))
				}
			}
			if v := s.verified(verify.Whole); v.Wrong > 0 {
				t.Errorf("seed %d: %s", seed, v.Text)
			}
			together += len(o.Devices[1].(*fake).sequences)
		}
		for i, way := range []string{"run ahead", "go together"} {
			if !slices.Equal(told[0], told[i+1]) {
				t.Errorf("seed %d: where tasks %s the program is told\n%v\nwanted\n%v", seed, way, told[i+1], told[0])
			}
		}
	}
	if together < 20 {
		t.Errorf("only %d times tasks went together", together)
	}
	if lost < 100 {
		t.Errorf("only %d reads failed", lost)
	}
}

// zeroLoop is a program that loops until its operand is not 0.
var zeroLoop = build("until", 1, func(b *tile.Builder) {
	x := b.Load(tile.Float64)
	going := b.Do(tile.Eq, x, b.Const(tile.FloatScalar(tile.Float64, 0)))
	b.Loop()
	v := b.Carry(x)
	b.While(going)
	b.Next(v, x)
	b.End()
	b.Store(v)
})

// A loop that goes on for ever over what a failed task has left stops, and fails as that did.
func TestLoopsBehindFailuresStop(t *testing.T) {
	o, gpu := aheadOf()
	s := start(t, o)
	g := newGate(gpu)
	gate := gpu.before
	gpu.before = func(l *tile.Launch) error {
		if l.Program == fillProgram {
			_ = gate(l)
			return errors.New("broken")
		}
		return nil
	}
	a, b, c := s.empty(4), s.empty(4), s.empty(4)
	s.fill(a, 1)                 // line 1
	s.do(zeroLoop, b, 4, nil, a) // line 2
	s.add(c, b, b)
	s.BeginCell(0)
	<-g.arrived
	if n := s.devices[1].queues[0].count; n != 3 {
		t.Errorf("the queue has %d tasks, wanted 3", n)
	}
	close(g.pass)
	for _, x := range []array{a, b, c} {
		if _, err := s.read(x); err == nil || err.Error() != "fill at In[3] line 1: broken" {
			t.Errorf("got error %v, wanted that of line 1", err)
		}
	}
	s.fill(c, 2)
	if _, err := s.read(c); err == nil {
		t.Error("fill does not fail any more")
	}
}

// What a queue has when the program cancels is completed, what waits for a queue is not, and loops stop.
func TestCancelOfWhatRanAhead(t *testing.T) {
	o, gpu := aheadOf()
	s := start(t, o)
	g := newGate(gpu)
	a := s.iota(4)
	var chain []array
	for range aheadTasks + 10 {
		chain = append(chain, s.empty(4))
		s.add(chain[len(chain)-1], a, a)
	}
	zero, loop := s.empty(4), s.empty(4)
	s.fill(zero, 0)
	s.do(zeroLoop, loop, 4, nil, zero)
	s.BeginCell(0)
	<-g.arrived
	s.Cancel()
	close(g.pass)
	done := 0
	for _, x := range chain {
		v, err := s.read(x)
		switch {
		case err == nil && v[3] == 6:
			done++
		case !errors.Is(err, ErrCancelled):
			t.Errorf("got %v and error %v", v, err)
		}
	}
	if done != aheadTasks-1 {
		t.Errorf("%d of %d were completed, wanted those that the queue had: %d", done, len(chain), aheadTasks-1)
	}
	if _, err := s.read(loop); !errors.Is(err, ErrCancelled) {
		t.Errorf("the loop: error %v", err)
	}
	s.fill(loop, 3)
	s.do(zeroLoop, zero, 4, nil, loop)
	s.want(zero, 3, 3, 3, 3)
}

// An endless loop that a queue has when the program cancels stops, and so does one behind it.
func TestCancelStopsLoopsAhead(t *testing.T) {
	o, gpu := aheadOf()
	s := start(t, o)
	g := newGate(gpu)
	zero, first, second := s.empty(4), s.empty(4), s.empty(4)
	s.fill(zero, 0)
	s.do(zeroLoop, first, 4, nil, zero)
	s.do(zeroLoop, second, 4, nil, first)
	s.BeginCell(0)
	<-g.arrived
	g.pass <- struct{}{}
	<-g.arrived
	g.pass <- struct{}{} // the first loop runs
	s.Cancel()
	close(g.pass)
	for _, x := range []array{first, second} {
		if _, err := s.read(x); !errors.Is(err, ErrCancelled) {
			t.Errorf("error %v, wanted ErrCancelled", err)
		}
	}
	s.want(zero, 0, 0, 0, 0)
}

// A named routine is told to stop on a GPU, where it is one launch of threads that may take long; the host's has no
// launch to tell.
func TestRoutinesOfGPUsAreToldToStop(t *testing.T) {
	o, _ := aheadOf()
	s := start(t, o)
	p := tile.NewRoutine("nonzero", "nonzero").Program()
	s.mu.Lock()
	defer s.mu.Unlock()
	gpus := 0
	for _, d := range s.devices {
		if made := d.compile(p); made.loops == d.info.Host {
			t.Errorf("%s: loops is %v", d.info.Name, made.loops)
		}
		if !d.info.Host {
			gpus++
		}
	}
	if gpus == 0 {
		t.Error("there is no GPU")
	}
}
