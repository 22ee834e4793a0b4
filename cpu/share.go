package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"

	"weft/tile"
)

// What can be done in numbered parts, in any order, is shared: the goroutine that has it to do takes numbers from the
// front, and helpers on the cores of idle queues take them from the back, so that each goes through memory of its own
// in one direction, and the same memory the next time.
//
//	caller   0 1 2 3 4 5 ->          <- 8 7 6   helper
//
// No caller waits for a helper to begin: where its thread is slow to wake, as it is on a machine at rest or one that
// others use, the caller does all of it in the time that it would have taken alone. It waits for the part that a helper
// is at.

// share runs work(0) to work(n-1) on the calling goroutine and as many others as the device
// has queues without a job.
func (e *engine) share(n int, work func(i int) error) error {
	return e.shareWith(n-1, n, work)
}

// shareWith is share with so many helpers at most.
func (e *engine) shareWith(most, n int, work func(i int) error) error {
	helpers := 0
	for helpers < most && e.cores.lend() {
		helpers++
	}
	if helpers == 0 {
		return tile.InOrder(n, work)
	}
	s := newShared(n, work)
	for range helpers {
		go func() {
			if s.join() {
				s.help(e.cores.recalled)
				e.cores.back()
				s.leave()
			}
		}()
	}
	s.lead()
	for range helpers - s.close() { // what no helper came to
		e.cores.back()
	}
	if at := s.failed.Load(); at < int64(n) {
		return s.errs[at]
	}
	return nil
}

// shared is the state of one call of share. A helper may look at it after the call has returned.
type shared struct {
	work    func(i int) error
	rest    atomic.Uint64 // numbers that are not taken: the first in the upper half, and behind the last in the lower one
	failed  atomic.Int64  // lowest number that failed
	errs    []error       // each written by who did that work
	helping atomic.Int64  // helpers that have begun and not ended

	mu     sync.Mutex
	begun  int           // helpers that have begun
	closed bool          // none may begin any more
	last   chan struct{} // the last one has ended after that
}

// glances is how often the caller looks at helpers that are still at work, for some microseconds, before it sleeps.
const glances = 4000

func newShared(n int, work func(i int) error) *shared {
	s := &shared{work: work, errs: make([]error, n), last: make(chan struct{}, 1)}
	s.rest.Store(uint64(n))
	s.failed.Store(int64(n))
	return s
}

// lead takes numbers from the front until there are none, or one below has failed: so that every
// number below the lowest failure is done, and the error is the same on any number of cores.
func (s *shared) lead() {
	for {
		rest := s.rest.Load()
		i, end := rest>>32, rest&(1<<32-1)
		if i >= end || int64(i) > s.failed.Load() {
			return
		}
		if s.rest.CompareAndSwap(rest, (i+1)<<32|end) {
			s.do(int64(i))
		}
	}
}

// help takes numbers from the back. A helper that is recalled takes no more.
func (s *shared) help(recalled func() bool) {
	for !recalled() {
		rest := s.rest.Load()
		i, end := rest>>32, rest&(1<<32-1)
		if i >= end {
			return
		}
		if s.rest.CompareAndSwap(rest, i<<32|(end-1)) && int64(end-1) < s.failed.Load() {
			s.do(int64(end - 1))
		}
	}
}

func (s *shared) do(i int64) {
	if s.errs[i] = guarded(int(i), s.work); s.errs[i] == nil {
		return
	}
	for {
		at := s.failed.Load()
		if at <= i || s.failed.CompareAndSwap(at, i) {
			return
		}
	}
}

// join is false for a helper that comes too late.
func (s *shared) join() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.begun++
	s.helping.Add(1)
	return true
}

func (s *shared) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.helping.Add(-1) == 0 && s.closed {
		s.last <- struct{}{}
	}
}

// close lets no helper begin any more, waits until none is at work, and returns how many have begun.
func (s *shared) close() int {
	for i := 0; i < glances && s.helping.Load() > 0; i++ {
		if i%64 == 63 {
			runtime.Gosched()
		}
	}
	s.mu.Lock()
	s.closed = true
	wait := s.helping.Load() > 0
	s.mu.Unlock()
	if wait {
		<-s.last
	}
	return s.begun
}

// guarded turns a panic into an error: on a helper nothing else would catch it.
func guarded(i int, work func(i int) error) (err error) {
	defer caught(&err)
	return work(i)
}
