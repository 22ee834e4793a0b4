package driver

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"weft/scheduler"
	"weft/tile"
)

// What the program has open it may use, as long as nothing else does: the checker finds each way not to be the only
// one.
func TestUsesOfOpenMemoryAreChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(s *session, a array, release func()) // after the array has been opened
		away bool                                      // the program looks elsewhere
		want string
	}{
		{"nothing", func(*session, array, func()) {}, false, ""},
		{"other work", func(s *session, _ array, _ func()) { s.iota(8) }, false, ""},
		{"closed", func(_ *session, _ array, release func()) { release() }, false, "inv 3: the program uses the memory of s1, which it has given back"},
		{"elsewhere", func(*session, array, func()) {}, true, "inv 3: the program uses the memory of s1, which lies elsewhere"},
		{"an op that waits", func(s *session, a array, _ func()) {
			s.unclaimed(a, func() { s.add(s.empty(4), a, a) })
		}, false, "inv 3: the program uses the memory of s1, which an op in the window uses"},
		{"a task that was not waited for", func(s *session, a array, _ func()) {
			s.unclaimed(a, func() { s.add(a, a, a) })
			s.mu.Lock()
			defer s.mu.Unlock()
			s.flush()
		}, false, "inv 5: the host reads s1 of i1"},
	} {
		o, fake := cpuFake(2, 0)
		o.InlineBytes, o.Check = -1, true
		s := begin(t, o)
		a := s.iota(4)
		s.want(a, 0, 1, 2, 3)
		p, release, ok := s.Open(a.id, false)
		if !ok {
			t.Fatalf("%s: the store is not opened", c.name)
		}
		s.Used(a.id, p)
		gate := make(chan struct{})
		fake.before = func(*tile.Launch) error { <-gate; return nil }
		c.then(s, a, release)
		if c.away {
			p = unsafe.Add(p, 8)
		}
		s.Used(a.id, p)
		got := ""
		if s.wrong != nil {
			got = s.wrong.Error()
		}
		if c.want == "" != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, wanted %q", c.name, got, c.want)
		}
		close(gate)
		s.wrong = nil
	}
}

// unclaimed submits an op behind the back of what keeps open memory in step.
func (s *session) unclaimed(a array, submit func()) {
	kept := s.mapped[a.id]
	s.mapped = map[scheduler.StoreID]*mapping{}
	submit()
	s.mapped[a.id] = kept
}

// While one thread waits to write an array, another one submits what reads it: the first waits for that, too.
func TestWritesOfTheHostWaitForOpsThatComeMeanwhile(t *testing.T) {
	o, fake := cpuFake(2, 0)
	o.InlineBytes = -1
	s := start(t, o)
	a := s.iota(4)
	s.want(a, 0, 1, 2, 3)
	gates := map[*tile.Program]chan struct{}{addProgram: make(chan struct{}), scaleProgram: make(chan struct{})}
	fake.before = func(l *tile.Launch) error { <-gates[l.Program]; return nil }
	end := sync.OnceFunc(func() { close(gates[scaleProgram]) })
	defer end()
	s.add(s.empty(4), a, a)
	mapped := make(chan func())
	go func() {
		_, release, err := s.Map(a.view(), true, nil)
		if err != nil {
			t.Error(err)
			release = func() {}
		}
		mapped <- release
	}()
	first := s.waiting(nil, mapped)
	s.do(scaleProgram, s.empty(4), 4, []tile.Scalar{tile.FloatScalar(tile.Float64, 2)}, a)
	close(gates[addProgram])
	s.waiting(first, mapped)
	end()
	(<-mapped)()
}

// waiting returns what a thread waits for, as soon as it is something else than before; the thread must not be done.
func (s *session) waiting(before *waiter, done <-chan func()) *waiter {
	s.t.Helper()
	for {
		s.mu.Lock()
		for _, w := range s.waiters {
			if w != before {
				s.mu.Unlock()
				return w
			}
		}
		s.mu.Unlock()
		select {
		case <-done:
			s.t.Fatal("the thread did not wait")
		default:
			runtime.Gosched()
		}
	}
}
