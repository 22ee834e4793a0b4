package cuda

import (
	"errors"
	"sync"

	"weft/cuda/driver"
)

// ring is page-locked memory through which a queue's large copies between host and device pass, piece by piece: while
// one piece is on the bus, goroutines copy the next.
//
//	host memory --> slot 0 --> bus --> device        a copy in: a slot is filled when the copy that read it last has passed
//	            --> slot 1 --> bus -->
//
// The driver would do the same with one thread: on an H200 it brings 7.5 GB/s of ordinary memory and takes 14.1 out, of
// 55 that the bus moves (tests/gpu/CHECKED.md). RATIONALE.md says why the arrays themselves are not page-locked.
type ring struct {
	dev   *driver.Device
	slots [ringSlots]slot
	at    int // the slot that is used next
}

// slot is one piece of the ring.
type slot struct {
	memory []byte
	event  *driver.Event // behind the last copy that used it
	used   bool          // the event has been recorded
}

const (
	ringSlots = 4
	slotBytes = 4 << 20
	hands     = 4         // goroutines that copy a piece between ordinary and page-locked memory,
	handful   = 256 << 10 // each at least so many bytes
)

// open allocates the ring, when a queue first needs it.
func (r *ring) open(dev *driver.Device) error {
	if r.dev != nil {
		return nil
	}
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

// take returns the next slot when the copy that used it last has passed.
func (r *ring) take() (*slot, error) {
	s := &r.slots[r.at]
	r.at = (r.at + 1) % ringSlots
	if s.used {
		if err := s.event.Synchronize(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// passed records the slot's event behind the copy that uses it.
func (s *slot) passed(q *driver.Queue) error {
	s.used = true
	return q.Record(s.event)
}

// pieces cuts n bytes into slots, the last of which may be shorter.
func pieces(n int64, each func(at, n int64) error) error {
	for at := int64(0); at < n; at += slotBytes {
		if err := each(at, min(slotBytes, n-at)); err != nil {
			return err
		}
	}
	return nil
}

// copyIn starts a copy of host bytes to the device; it returns when they have been read.
func (r *ring) copyIn(q *driver.Queue, dst driver.Address, src []byte) error {
	return pieces(int64(len(src)), func(at, n int64) error {
		s, err := r.take()
		if err != nil {
			return err
		}
		many(s.memory[:n], src[at:])
		if err := q.CopyIn(dst+driver.Address(at), s.memory[:n]); err != nil {
			return err
		}
		return s.passed(q)
	})
}

// copyOut copies device bytes to the host; it returns when they are there.
func (r *ring) copyOut(q *driver.Queue, dst []byte, src driver.Address) error {
	type piece struct {
		s  *slot
		to []byte
	}
	var underWay []piece
	land := func() error {
		p := underWay[0]
		underWay = underWay[1:]
		if err := p.s.event.Synchronize(); err != nil {
			return err
		}
		many(p.to, p.s.memory)
		return nil
	}
	err := pieces(int64(len(dst)), func(at, n int64) error {
		if len(underWay) == ringSlots {
			if err := land(); err != nil {
				return err
			}
		}
		s, err := r.take()
		if err != nil {
			return err
		}
		if err := q.CopyOut(s.memory[:n], src+driver.Address(at)); err != nil {
			return err
		}
		underWay = append(underWay, piece{s, dst[at:][:n]})
		return s.passed(q)
	})
	for err == nil && len(underWay) > 0 {
		err = land()
	}
	return err
}

// many copies len(dst) bytes with several goroutines.
func many(dst, src []byte) {
	n := len(dst)
	parts := min(hands, n/handful)
	if parts < 2 {
		copy(dst, src)
		return
	}
	var all sync.WaitGroup
	for i := range parts {
		lo, hi := i*n/parts, (i+1)*n/parts
		if i == parts-1 {
			copy(dst[lo:hi], src[lo:])
			break
		}
		all.Go(func() { copy(dst[lo:hi], src[lo:]) })
	}
	all.Wait()
}
