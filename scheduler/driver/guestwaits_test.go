package driver

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"weft/scheduler"
	"weft/tile"
)

// A wait for guests in a call that was given nothing to end it ends by what Options.Stops gives, and its op is not
// submitted.
func TestInterruptedMeetings(t *testing.T) {
	o := gpus(1)
	gpu := o.Devices[1].(*fake)
	stop := make(chan struct{})
	o.Stops = func() <-chan struct{} { return stop }
	s := start(t, o)
	a := s.iota(40)
	address, _ := gpu.lend(320)
	lent := s.NewStore(320)
	g, err := s.Expose(a.id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Release()
	goOn := make(chan struct{})
	gpu.guest.waited = func() { <-goOn }
	close(stop)
	op := s.op(scaleProgram, a, 40, []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}, a)
	if err := s.Submit(op); !errors.Is(err, ErrInterrupted) {
		t.Errorf("the op gets %v", err)
	}
	if err := s.Adopt(lent, address, 7, false, func() {}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("what adopts memory gets %v", err)
	}
	if err := s.SettleGuests(stop); !errors.Is(err, ErrInterrupted) {
		t.Errorf("who waits for all of them gets %v", err)
	}
	close(goOn)
	s.want(a.slice(3, 2, 1), 3, 4)
}

// A guest that is interrupted before it has the address leaves the home of another one that has come and gone
// meanwhile, and may have written last.
func TestAnExposureThatFailsBesideOthers(t *testing.T) {
	o := ordered(gpus(1))
	o.InlineBytes = -1
	gpu := o.Devices[1].(*fake)
	var waits atomic.Int64
	others := make(chan struct{})
	o.Release = func() func() {
		if waits.Add(1) > 1 {
			return func() {}
		}
		return func() { <-others } // the first that waits goes on last
	}
	s := start(t, o)
	g := newGate(gpu)
	a := s.iota(40)
	stop, result := make(chan struct{}), make(chan error)
	go func() {
		_, err := s.Expose(a.id, stop)
		result <- err
	}()
	<-g.arrived
	for waits.Load() == 0 {
		runtime.Gosched()
	}
	close(stop)
	close(g.pass)
	b, err := s.Expose(a.id, nil)
	if err != nil {
		t.Fatal(err)
	}
	bytes := gpu.host(tile.Buffer{Handle: b.Address}).Bytes()
	gpu.later(func() { put(bytes, 7, 3) })
	b.Release()
	close(others)
	if err := <-result; !errors.Is(err, ErrInterrupted) {
		t.Fatalf("the guest that was interrupted gets %v", err)
	}
	s.want(a.slice(6, 3, 1), 6, 3, 8)
}

// What the program's thread lacks memory for has it as soon as there is some, although another thread's task takes what
// a guest has left: it waits for that, too.
func TestMemoryThatAnotherThreadTakesFirst(t *testing.T) {
	o := gpus(0)
	gpu := newFake("gpu0", 2, 1400, false, o.Epoch)
	gpu.page, gpu.pages = 640, 1 // where the plan sees room for two arrays, there is some for one
	o.Devices, o.Kinds = append(o.Devices, gpu), append(o.Kinds, scheduler.GPU)
	o.Core.NoFusion, o.Core.Renew, o.InlineBytes = true, 1, -1
	var lacks atomic.Bool
	taken := make(chan struct{})
	o.Release = func() func() {
		if !lacks.Swap(false) {
			return func() {}
		}
		return func() { <-taken }
	}
	s := start(t, o)
	a := s.iota(80)
	g, err := s.Expose(a.id, nil)
	if err != nil {
		t.Fatal(err)
	}
	lacked := make(chan struct{}, 100)
	gpu.guest.lingers, gpu.guest.lacked = true, lacked
	g.Release()
	s.want(a.slice(3, 1, 1), 3)
	s.Free(a.id)
	b := s.empty(80)
	lacks.Store(true)
	done := make(chan error)
	go func() {
		_, err := s.Expose(b.id, nil)
		done <- err
	}()
	select {
	case <-lacked:
	case err := <-done:
		t.Fatalf("ended with %v, and the memory is still the guest's", err)
	}
	gate := newGate(gpu)
	c := s.iota(80) // which takes what the guest leaves
	s.mu.Lock()
	s.flush()
	s.pump()
	s.mu.Unlock()
	<-lacked // it starves as well
	gpu.leave()
	select {
	case <-gate.arrived:
	case err := <-done:
		t.Fatalf("ended with %v, and a task has the memory", err)
	}
	close(taken)
	s.Free(c.id)
	close(gate.pass)
	if err := <-done; err != nil {
		t.Error(err)
	}
	gpu.guest.lingers = false
}
