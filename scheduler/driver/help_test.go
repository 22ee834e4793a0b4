package driver

import (
	"sync"
	"testing"

	"weft/cpu"
	"weft/scheduler"
	"weft/tile"
)

// sleeper is a device whose queues sleep until they are woken: what was given to them waits, and can be taken back.
type sleeper struct {
	*cpu.Device

	mu    sync.Mutex
	given map[int]func() // by queue
	awake bool
}

func (d *sleeper) Launch(queue int, l *tile.Launch, done func(tile.Completion)) {
	if queue != tile.Inline && d.keep(queue, func() { d.Device.Launch(queue, l, done) }) {
		return
	}
	d.Device.Launch(queue, l, done)
}

func (d *sleeper) keep(queue int, run func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.awake {
		return false
	}
	d.given[queue] = run
	return true
}

func (d *sleeper) Recall(queue int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.given[queue]
	delete(d.given, queue)
	return ok
}

func (d *sleeper) Here() int { return 1 }

// wake runs what waits, and from then on all at once.
func (d *sleeper) wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awake = true
	for _, run := range d.given {
		run()
	}
	clear(d.given)
}

func sleep(t *testing.T, size int64) (*sleeper, *session) {
	d := &sleeper{Device: cpu.New(cpu.Options{Workers: 2}), given: map[int]func(){}}
	return d, start(t, Options{
		Devices: []tile.Device{d}, Kinds: []scheduler.DeviceKind{scheduler.CPU}, InlineBytes: -1, Core: scheduler.Options{MinTile: size},
	})
}

// A thread that waits runs what no queue has begun: all of it where no queue ever does.
func TestTheThreadThatWaitsHelps(t *testing.T) {
	_, s := sleep(t, 1<<16)
	const n = 1 << 16
	x := s.iota(n)
	y := s.empty(n)
	s.do(addProgram, y, n, nil, x, x)
	got, err := s.read(y)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != 2*float64(i) {
			t.Fatalf("element %d is %v, wanted %v", i, v, 2*i)
		}
	}
	if st := s.Stats(); st.Counts[HelpedTasks] < 2 || st.Counts[HelpedTasks] != st.Counts[Runs] || st.Pending != 0 {
		t.Errorf("%d of %d runs were helped with, %d tasks are pending; wanted several, all of them, and 0", st.Counts[HelpedTasks], st.Counts[Runs], st.Pending)
	}
}

// What may take long stays with its queue, so that the thread which waits hears of an interrupt; the value comes later.
func TestTheThreadThatWaitsLeavesWhatTakesLong(t *testing.T) {
	loops := tile.NewBuilder("loops", 1)
	x, going := loops.Uniform(tile.Float64), loops.Const(tile.BoolScalar(false))
	loops.Loop()
	v := loops.Carry(x)
	loops.While(going)
	loops.Next(v, x)
	loops.End()
	loops.Store(v)
	for _, c := range []struct {
		program *tile.Program
		n       int
	}{{loops.Program(), 4}, {fillProgram, mostHelp/8 + 1}} {
		d, s := sleep(t, 1<<40)
		y := s.empty(c.n)
		s.do(c.program, y, c.n, []tile.Scalar{tile.FloatScalar(tile.Float64, 3)})
		s.mu.Lock()
		s.flush()
		s.settleBefore()
		s.mu.Unlock()
		if s.help() {
			t.Errorf("%s: the thread that waits ran it", c.program.Name)
		}
		d.wake()
		s.want(y.slice(c.n-2, 2, 1), 3, 3)
	}
}

// A task that was kept goes to its queue where the thread does not wait.
func TestWhatWasKeptIsHandedOn(t *testing.T) {
	d, s := sleep(t, 1<<40)
	y := s.empty(1 << 10)
	s.fill(y, 5)
	s.mu.Lock()
	s.flush()
	s.settleBefore()
	if s.kept == nil || s.kept.number != d.Here() {
		t.Error("the task that started was not kept, or not for the queue of this thread's processor")
	}
	s.handOn()
	s.mu.Unlock()
	d.wake()
	s.want(y.slice(0, 2, 1), 5, 5)
	if helped := s.Stats().Counts[HelpedTasks]; helped != 0 {
		t.Errorf("the thread that waits ran %d tasks, wanted none", helped)
	}
}
