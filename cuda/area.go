package cuda

import (
	"errors"
	"fmt"

	"weft/cuda/driver"
	"weft/tile"
)

// area is memory of the device for the work of libraries on a queue, beside the pool, whose limit leaves room for such.
// Launches of a queue run one after the other, and use the same. What is too small stays until the device is closed, as
// what runs may use it; each has at least twice the bytes of the one before. What takes more than areaKept is a
// launch's own, from its start to its end, as loan says.
type area struct {
	all     []driver.Address
	largest int64
}

// areaKept is up to how many bytes stay with a queue.
const areaKept = 64 << 20

// areaAligned is what the driver aligns memory to, and libraries may take their work areas to be.
const areaAligned = 256

// take returns memory of at least so many bytes. Where the device has no more, that of earlier launches, which the
// queue may still be using, is waited for and given back. One goroutine at a time gives work to a queue.
func (a *area) take(q *queue, bytes int64) (driver.Address, error) {
	if bytes > a.largest {
		wanted := max(bytes, min(2*a.largest, areaKept))
		at, err := q.d.dev.Alloc(wanted)
		if driver.IsOutOfMemory(err) && a.largest > 0 {
			if err := errors.Join(q.stream.Synchronize(), a.giveBack(q.d)); err != nil {
				return 0, err
			}
			wanted = bytes
			at, err = q.d.dev.Alloc(wanted)
		}
		if err != nil {
			return 0, lacksMemory(bytes, err)
		}
		a.all, a.largest = append(a.all, at), wanted
	}
	if a.largest == 0 {
		return 0, nil
	}
	return a.all[len(a.all)-1], nil
}

// lacksMemory is the error of an allocation for a library, of which the driver's alone would not be a MemoryError.
func lacksMemory(bytes int64, err error) error {
	if driver.IsOutOfMemory(err) {
		return fmt.Errorf("%d bytes for a library's work: %w: %w", bytes, tile.ErrOutOfMemory, err)
	}
	return err
}

// loan is memory for one launch: the device's own, or, where that has no more, the pool's.
type loan struct {
	at     driver.Address
	pooled bool
}

func (d *Device) lend(bytes int64) (l loan, err error) {
	if l.at, err = d.dev.Alloc(bytes); err == nil || !driver.IsOutOfMemory(err) {
		return l, err
	}
	at, lacks := d.pool.alloc(bytes)
	if lacks != nil {
		return l, lacksMemory(bytes, err)
	}
	return loan{at, true}, nil
}

// settle gives a loan back, behind the end of its launch.
func (d *Device) settle(l loan) error {
	switch {
	case l.at == 0:
		return nil
	case l.pooled:
		d.release(tile.Buffer{Handle: uint64(l.at)})
		return nil
	}
	return d.dev.Free(l.at)
}

// giveBack frees all of it.
func (a *area) giveBack(d *Device) error {
	var errs []error
	for _, at := range a.all {
		errs = append(errs, d.dev.Free(at))
	}
	a.all, a.largest = nil, 0
	return errors.Join(errs...)
}
