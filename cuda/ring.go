package cuda

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"weft/cuda/driver"
)

// ring is page-locked memory through which a queue's large copies between host and device pass, piece by piece. Several
// hands, goroutines that each have two slots, take one piece after the other: while one slot is on the bus, the hand
// copies between the other and ordinary memory.
//
//	host memory --> hand 0: slot 0 --> bus --> device     a copy in: a slot is filled when the copy that read it last
//	            -->         slot 1 -->                    has passed
//	            --> hand 1: slot 2 -->
//	            ...
//
// The driver would do the same with one thread: on an H100 it brings 7 to 10 GB/s of ordinary memory and takes 13 to 17
// out, of 55 that the bus moves (tests/gpu/CHECKED.md). RATIONALE.md says why the arrays themselves are not
// page-locked.
type ring struct {
	dev   *driver.Device
	slots []slot // two for each hand
}

// slot is one piece of the ring.
type slot struct {
	memory []byte
	event  *driver.Event // behind the last copy that used it
	used   bool          // the event has been recorded
}

const (
	mostHands = 8       // one brings some 10 GB/s through its caches
	slotBytes = 1 << 20 // a tenth of a millisecond of a hand's: long beside what it takes to wait for an event
)

// hands is how many there are: half of the processors are left to others.
func hands() int { return min(mostHands, max(1, runtime.NumCPU()/2)) }

// open allocates the ring for so many hands, when a queue first needs it.
func (r *ring) open(dev *driver.Device, hands int) error {
	if r.dev != nil {
		return nil
	}
	r.slots = make([]slot, 2*hands)
	for i := range r.slots {
		s := &r.slots[i]
		var err error
		if s.memory, err = dev.AllocHost(slotBytes); err != nil {
			return errors.Join(err, r.close(dev))
		}
		if s.event, err = dev.NewEvent(); err != nil {
			return errors.Join(err, r.close(dev))
		}
	}
	r.dev = dev
	return nil
}

func (r *ring) close(dev *driver.Device) error {
	var errs []error
	for i := range r.slots {
		s := &r.slots[i]
		if s.event != nil {
			errs = append(errs, s.event.Close())
		}
		if s.memory != nil {
			errs = append(errs, dev.FreeHost(s.memory))
		}
	}
	*r = ring{}
	return errors.Join(errs...)
}

// free waits until the copy that used the slot last has passed.
func (s *slot) free() error {
	if !s.used {
		return nil
	}
	s.used = false
	return s.event.Synchronize()
}

// passed records the slot's event behind the copy that uses it.
func (s *slot) passed(q *driver.Queue) error {
	s.used = true
	return q.Record(s.event)
}

// share has hands take the pieces of n bytes, of which each says where it begins, until there are none or one has
// failed.
func (r *ring) share(n int64, hand func(slots []slot, next func() (at, size int64, ok bool)) error) error {
	var taken atomic.Int64
	var failed atomic.Bool
	next := func() (at, size int64, ok bool) {
		at = slotBytes * (taken.Add(1) - 1)
		return at, min(slotBytes, n-at), at < n && !failed.Load()
	}
	parts := min(len(r.slots)/2, int((n+slotBytes-1)/slotBytes))
	errs := make([]error, parts)
	run := func(i int) {
		if errs[i] = hand(r.slots[2*i:][:2], next); errs[i] != nil {
			failed.Store(true)
		}
	}
	var all sync.WaitGroup
	for i := 1; i < parts; i++ {
		all.Go(func() { run(i) })
	}
	run(0)
	all.Wait()
	return errors.Join(errs...)
}

// copyIn starts a copy of host bytes to the device; it returns when they have been read.
func (r *ring) copyIn(q *driver.Queue, dst driver.Address, src []byte) error {
	return r.share(int64(len(src)), func(slots []slot, next func() (at, n int64, ok bool)) error {
		for i := 0; ; i++ {
			at, n, ok := next()
			if !ok {
				return nil
			}
			s := &slots[i%2]
			if err := s.free(); err != nil {
				return err
			}
			copy(s.memory[:n], src[at:])
			if err := q.CopyIn(dst+driver.Address(at), s.memory[:n]); err != nil {
				return err
			}
			if err := s.passed(q); err != nil {
				return err
			}
		}
	})
}

// copyOut copies device bytes to the host; it returns when they are there.
func (r *ring) copyOut(q *driver.Queue, dst []byte, src driver.Address) error {
	return r.share(int64(len(dst)), func(slots []slot, next func() (at, n int64, ok bool)) error {
		var to [2][]byte // where what is under way in each slot belongs
		land := func(i int) error {
			err := slots[i].free()
			if err == nil {
				copy(to[i], slots[i].memory)
			}
			to[i] = nil
			return err
		}
		for i := 0; ; i = 1 - i {
			if err := land(i); err != nil {
				return err
			}
			at, n, ok := next()
			if !ok {
				return land(1 - i)
			}
			s := &slots[i]
			if err := q.CopyOut(s.memory[:n], src+driver.Address(at)); err != nil {
				return err
			}
			to[i] = dst[at:][:n]
			if err := s.passed(q); err != nil {
				return err
			}
		}
	})
}
