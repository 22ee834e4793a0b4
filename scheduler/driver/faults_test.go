package driver

import (
	"errors"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// gate lets the launches of a device pass when the test says so.
type gate struct {
	arrived chan struct{} // one for each launch that waits
	pass    chan struct{}
}

func newGate(f *fake) *gate {
	g := &gate{make(chan struct{}, 1000), make(chan struct{})}
	f.before = func(*tile.Launch) error {
		g.arrived <- struct{}{}
		<-g.pass
		return nil
	}
	return g
}

func TestInterruptedRead(t *testing.T) {
	o, dev := cpuFake(2, 0)
	o.InlineBytes = -1
	sentinel := errors.New("stopped")
	o.Interrupted = sentinel
	s := start(t, o)
	g := newGate(dev)
	a := s.iota(4)
	stop := make(chan struct{})
	result := make(chan error)
	go func() { result <- s.Read(a.view(), make([]byte, 32), stop) }()
	<-g.arrived
	close(stop)
	if err := <-result; !errors.Is(err, sentinel) {
		t.Fatalf("got error %v, wanted the sentinel", err)
	}
	if err := s.Sync(stop); !errors.Is(err, sentinel) {
		t.Fatalf("Sync: got error %v, wanted the sentinel", err)
	}
	close(g.pass)
	s.want(a, 0, 1, 2, 3) // the work went on, and the call may be made again
}

func TestCancel(t *testing.T) {
	o, dev := cpuFake(1, 0)
	o.InlineBytes = -1
	s := start(t, o)
	g := newGate(dev)
	a := s.iota(4) // line 1
	b, c := s.empty(4), s.empty(4)
	s.add(b, a, a) // line 2
	s.add(c, b, b) // line 3
	stop := make(chan struct{})
	result := make(chan error)
	go func() { result <- s.Sync(stop) }()
	<-g.arrived // the first op runs
	close(stop)
	<-result
	s.Cancel()
	close(g.pass)
	s.want(a, 0, 1, 2, 3) // what had started is completed
	for _, x := range []array{b, c} {
		_, err := s.read(x)
		if !errors.Is(err, ErrCancelled) || !strings.HasPrefix(err.Error(), "cancelled by interrupt at In[3] line ") {
			t.Errorf("got error %v, wanted ErrCancelled", err)
		}
	}
	s.fill(b, 7) // everything is usable again
	s.want(b, 7, 7, 7, 7)
	if err := s.Sync(nil); err != nil {
		t.Errorf("Sync tells an error that was read before: %v", err)
	}
}

// A loop that never ends is stopped, wherever small work runs.
func TestCancelStopsLoops(t *testing.T) {
	for _, inline := range []int64{0, -1} {
		o, dev := cpuFake(1, 0)
		o.InlineBytes = inline
		s := start(t, o)
		a := s.iota(4) // line 1
		s.want(a, 0, 1, 2, 3)
		g := newGate(dev)
		nb := tile.NewBuilder("endless", 1)
		x := nb.Load(tile.Float64)
		going := nb.Const(tile.BoolScalar(true))
		nb.Loop()
		v := nb.Carry(x)
		nb.While(going)
		nb.Next(v, x)
		nb.End()
		nb.Store(v)
		b := s.empty(4)
		op := &scheduler.Op{Kind: scheduler.Map, Name: "endless", Shape: []int{4}, Program: nb.Program(), Where: scheduler.Where{Source: s.in, Line: 2},
			Uses: []scheduler.Use{{View: a.view()}, {View: b.view(), Access: scheduler.Write}}}
		if err := s.Submit(op); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		result := make(chan error)
		go func() { result <- s.Sync(stop) }()
		<-g.arrived
		close(g.pass)
		close(stop)
		<-result
		s.Cancel()
		if _, err := s.read(b); !errors.Is(err, ErrCancelled) {
			t.Errorf("got error %v, wanted ErrCancelled", err)
		}
		s.fill(b, 7) // everything is usable again
		s.want(b, 7, 7, 7, 7)
	}
}

func TestCancelOpsLeavesTheOthers(t *testing.T) {
	o, dev := cpuFake(1, 0)
	o.InlineBytes = -1
	s := start(t, o)
	g := newGate(dev)
	a := s.iota(4)
	b, c := s.empty(4), s.empty(4)
	s.add(b, a, a)
	before := s.LastOp()
	s.add(c, b, b)
	stop := make(chan struct{})
	result := make(chan error)
	go func() { result <- s.Sync(stop) }()
	<-g.arrived
	close(stop)
	<-result
	s.CancelOps(before, s.LastOp())
	later := s.empty(4)
	s.add(later, b, b) // submitted after the interrupt
	close(g.pass)
	s.want(b, 0, 2, 4, 6)
	s.want(later, 0, 4, 8, 12)
	if _, err := s.read(c); !errors.Is(err, ErrCancelled) {
		t.Errorf("got error %v, wanted ErrCancelled", err)
	}
}

// A caller with a lock of its own is told that too much is under way, and waits when it can.
func TestHeld(t *testing.T) {
	o, dev := cpuFake(1, 0)
	o.InlineBytes, o.MaxTasks, o.Core.Window = -1, 8, 1
	told := 0
	o.Held = func() { told++ }
	s := start(t, o)
	g := newGate(dev)
	a := s.iota(4)
	for range 8 { // and iota: the last one is one too many
		s.add(a, a, a)
	}
	if told != 1 {
		t.Errorf("told %d times that too much is under way, wanted once", told)
	}
	stop := make(chan struct{})
	result := make(chan error)
	go func() { result <- s.Throttle(stop) }()
	<-g.arrived
	for len(s.Doing().Waits) == 0 {
		runtime.Gosched()
	}
	close(stop)
	if err := <-result; !errors.Is(err, ErrInterrupted) {
		t.Errorf("got error %v, wanted ErrInterrupted", err)
	}
	close(g.pass)
	if err := s.Throttle(nil); err != nil {
		t.Error(err)
	}
	s.want(a, 0, 256, 512, 768)
}

// What a runtime does can be asked while tasks run and threads wait, and a wait lets go of the caller's lock.
func TestDoing(t *testing.T) {
	var lock sync.Mutex
	o, dev := cpuFake(1, 0)
	o.InlineBytes = -1
	o.Release = func() func() { lock.Unlock(); return lock.Lock }
	s := start(t, o)
	if got := s.Doing().String(); got != "tasks: 0 running, 0 ready, 0 planned\n" {
		t.Errorf("an idle runtime does %q", got)
	}
	a, b := s.iota(4), s.empty(4)
	lock.Lock()
	s.want(a, 0, 1, 2, 3)
	lock.Unlock()
	g := newGate(dev)
	s.add(a, a, a)
	s.add(b, a, a)
	lock.Lock()
	result := make(chan []float64)
	go func() {
		got, err := s.read(b)
		if err != nil {
			t.Error(err)
		}
		lock.Unlock()
		result <- got
	}()
	<-g.arrived
	lock.Lock() // to be had, since read waits
	d := s.Doing()
	lock.Unlock()
	if len(d.Running) != 1 || len(d.Waits) != 1 {
		t.Fatalf("it does %+v, wanted one task that runs and one thread that waits", d)
	}
	times := regexp.MustCompile(`for [0-9.µnm]+s`)
	got := times.ReplaceAllString(d.String(), "for T")
	want := "tasks: 1 running, 0 ready, 1 planned\n  cpu0    t2 add at In[3] line 2, for T\na thread waits for a value, which task t3 completes, for T\n"
	if got != want {
		t.Errorf("got\n%swanted\n%s", got, want)
	}
	close(g.pass)
	if got := <-result; got[1] != 4 {
		t.Errorf("read %v", got)
	}
}

func TestFailedOp(t *testing.T) {
	o, dev := cpuFake(2, 0)
	s := start(t, o)
	broken := errors.New("the device is on fire")
	dev.before = func(l *tile.Launch) error {
		if l.Program == addProgram {
			return broken
		}
		return nil
	}
	a := s.iota(4)
	b, c := s.empty(4), s.empty(4)
	s.add(b, a, a)
	s.do(scaleProgram, c, 4, []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}, a)
	s.want(c, 0, 2, 4, 6)
	_, err := s.read(b)
	var op *OpError
	if !errors.Is(err, broken) || !errors.As(err, &op) || op.Place != "In[3] line 2" {
		t.Fatalf("got error %v, wanted that of the device at In[3] line 2", err)
	}
	if got, want := err.Error(), "add at In[3] line 2: the device is on fire"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.add(b, a, a)
	if err := s.Sync(nil); !errors.Is(err, broken) {
		t.Errorf("Sync: got error %v, wanted that of the device", err)
	}
	if err := s.Sync(nil); err != nil {
		t.Errorf("Sync tells the same error twice: %v", err)
	}
}

// A memory that is used up: what is freed in time makes room, what is not is an error that
// names the largest arrays.
func TestOutOfMemory(t *testing.T) {
	for _, inline := range []int64{-1, 1 << 40} {
		o, _ := cpuFake(2, 40_000)
		o.InlineBytes = inline
		s := start(t, o)
		a := s.iota(1000) // 8000 bytes each
		for range 20 {
			b := s.empty(1000)
			s.add(b, a, a)
			s.Free(a.id)
			a = b
		}
		got, err := s.read(a.slice(1, 1, 1))
		if err != nil || got[0] != 1<<20 {
			t.Fatalf("inline %d: got %v and error %v, wanted %d", inline, got, err, 1<<20)
		}
		big := s.empty(4500)
		s.fill(big, 1)
		_, err = s.read(big)
		var full *MemoryError
		if !errors.As(err, &full) || !errors.Is(err, tile.ErrOutOfMemory) {
			t.Fatalf("inline %d: got error %v, wanted a MemoryError", inline, err)
		}
		want := "fill at In[3] line 22: unable to allocate 36.0 kB on host: 8.00 kB are in use of 40.0 kB; the largest arrays are 8.00 kB made by add at In[3] line 21 (s21)"
		if got := err.Error(); got != want {
			t.Errorf("inline %d: got  %s\nwant %s", inline, got, want)
		}
		small := s.empty(10)
		s.fill(small, 2)
		if got, err := s.read(small.slice(0, 1, 1)); err != nil || got[0] != 2 {
			t.Errorf("inline %d: the op beside the one that failed: %v, error %v", inline, got, err)
		}
		if err := s.Write(s.NewStore(40_000), make([]byte, 40_000)); !errors.As(err, &full) {
			t.Errorf("inline %d: Write: got error %v, wanted a MemoryError", inline, err)
		}
	}
}

func TestRunAheadIsBounded(t *testing.T) {
	o, dev := cpuFake(1, 0)
	o.InlineBytes, o.MaxTasks, o.Core.Window = -1, 8, 1
	s := start(t, o)
	g := newGate(dev)
	a := s.iota(4)
	submitted := make(chan int)
	go func() {
		for range 50 {
			s.add(a, a, a)
		}
		close(submitted)
	}()
	<-g.arrived
	for s.Stats().Counts[Throttled] == 0 {
		runtime.Gosched()
	}
	if n := s.Stats().Pending; n > 9 {
		t.Errorf("%d tasks are pending, wanted at most one more than 8", n)
	}
	close(g.pass)
	<-submitted
	got, err := s.read(a)
	if err != nil || got[1] != 1<<50 {
		t.Errorf("got %v and error %v", got, err)
	}
}

// A loop that fills arrays, uses them and lets them go does not have more of them at a time than the
// bound allows, however far behind the tasks are: neither those that wait in the window nor those that
// pending tasks hold.
func TestRunAheadIsBoundedByBytes(t *testing.T) {
	for _, window := range []int{1, 1000} {
		o, dev := cpuFake(1, 0)
		o.InlineBytes, o.MaxLeaving, o.Core.Window = -1, 80_000, window
		s := start(t, o)
		g := newGate(dev)
		total := s.iota(1000)
		done := make(chan error)
		go func() {
			for range 50 {
				a := s.filled(1000) // 8000 bytes
				s.add(total, total, a)
				s.Free(a.id)
			}
			done <- s.Sync(nil)
		}()
		<-g.arrived
		for s.Stats().Counts[Throttled] == 0 {
			runtime.Gosched()
		}
		if live := s.Stats().Memories[0].Live; live > 80_000+3*8000 {
			t.Errorf("window %d: %d bytes are live, wanted at most those of two arrays more than 80000", window, live)
		}
		close(g.pass)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		s.want(total.slice(0, 3, 1), 50, 51, 52)
		if peak := s.Stats().Memories[0].Peak; peak > 80_000+3*8000 {
			t.Errorf("window %d: %d bytes were live, wanted at most those of two arrays more than 80000", window, peak)
		}
		if s.leaving != 0 {
			t.Errorf("window %d: %d bytes are said to be leaving in the end", window, s.leaving)
		}
	}
}

// So does one where the core plans, or runs little work, on the caller's thread.
func TestBrokenOnTheCallersThread(t *testing.T) {
	for name, breaks := range map[string]func(r *Runtime, dev *fake){
		"plan": func(r *Runtime, _ *fake) { r.rec = nil },
		"run":  func(_ *Runtime, dev *fake) { dev.before = func(*tile.Launch) error { panic("BUG: no such thing") } },
	} {
		o, dev := cpuFake(1, 0)
		r, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{Runtime: r, t: t}
		a := s.iota(4)
		rec := r.rec
		breaks(r, dev)
		if err := s.Sync(nil); err == nil || !strings.Contains(err.Error(), "driver: ") {
			t.Errorf("%s: Sync: got error %v, wanted the panic", name, err)
		}
		r.rec = rec
		if _, err := s.read(a); err == nil || !strings.Contains(err.Error(), "driver: ") {
			t.Errorf("%s: read: got error %v, wanted the panic", name, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A panic in a callback ends in errors, not in the death of the process or in a wait without end.
func TestBrokenRuntime(t *testing.T) {
	o, dev := cpuFake(1, 0)
	o.InlineBytes = -1
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{Runtime: r, t: t}
	twice := false
	dev.before = func(*tile.Launch) error {
		if !twice {
			twice = true
			s := r.devices[0].queues[0].at(0)
			s.task = &scheduler.Task{ID: 99, Op: new(scheduler.Op)} // as if the device called back for a task that was never started
			r.log.task(s.task, 0)
		}
		return nil
	}
	a := s.iota(4)
	if _, err := s.read(a); err == nil || !strings.Contains(err.Error(), "BUG: inv 3") {
		t.Errorf("read: got error %v, wanted the panic", err)
	}
	if err := s.Submit(&scheduler.Op{}); err == nil || !strings.Contains(err.Error(), "BUG: inv 3") {
		t.Errorf("Submit: got error %v, wanted the panic", err)
	}
	s.Free(a.id)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
