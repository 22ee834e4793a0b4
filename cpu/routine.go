package cpu

import (
	"fmt"
	"sync"
	"sync/atomic"

	"weft/tile"
)

// call runs a named routine.
func (e *engine) call(x *executable, l *tile.Launch) error {
	args, err := l.Operands(nil, e.resolve)
	if err != nil {
		return fmt.Errorf("cpu: %s: %w", e.info.Name, err)
	}
	return x.routine(&tile.Call{Program: l.Program, Args: args, Uniforms: l.Uniforms, Share: e.share, Reserve: e.reserve})
}

// share runs work(0) to work(n-1) on the calling goroutine and as many others as the device
// has queues without a job.
func (e *engine) share(n int, work func(i int) error) error {
	helpers := 0
	for helpers < n-1 && e.cores.lend() {
		helpers++
	}
	if helpers == 0 {
		return tile.InOrder(n, work)
	}
	var s shared
	s.failed.Store(int64(n))
	s.errs = make([]error, n)
	var ended sync.WaitGroup
	for range helpers {
		ended.Add(1)
		go func() {
			defer ended.Done()
			defer e.cores.back()
			s.run(n, work, e.cores.recalled)
		}()
	}
	s.run(n, work, func() bool { return false })
	ended.Wait()
	if at := s.failed.Load(); at < int64(n) {
		return s.errs[at]
	}
	return nil
}

// reserve runs work, which uses so many cores, with those of idle queues.
func (e *engine) reserve(most int, work func(cores int) error) error {
	n := 1
	for n < most && e.cores.lend() {
		n++
		defer e.cores.back()
	}
	return work(n)
}

// shared is the state of one call of share.
type shared struct {
	next   atomic.Int64
	failed atomic.Int64 // lowest number that failed
	errs   []error      // each written by who did that work
}

// run takes numbers in order until there are none, or one below has failed: so that every
// number below the lowest failure is done, and the error is the same on any number of cores.
// Whoever is recalled takes no more.
func (s *shared) run(n int, work func(i int) error, recalled func() bool) {
	for !recalled() {
		i := s.next.Add(1) - 1
		if i >= int64(n) || i > s.failed.Load() {
			return
		}
		if s.errs[i] = guarded(int(i), work); s.errs[i] == nil {
			continue
		}
		for {
			at := s.failed.Load()
			if at <= i || s.failed.CompareAndSwap(at, i) {
				break
			}
		}
	}
}

// guarded turns a panic into an error: on a helper nobody else would catch it.
func guarded(i int, work func(i int) error) (err error) {
	defer caught(&err)
	return work(i)
}
