package cuda

import (
	"errors"

	"weft/cuda/driver"
)

// area is memory of the device for the work of libraries on a queue, beside the pool, whose limit leaves room for such.
// Launches of a queue run one after the other, and use the same. What is too small stays until the device is closed, as
// what runs may use it; each has at least twice the bytes of the one before.
type area struct {
	all     []driver.Address
	largest int64
}

// areaAligned is what the driver aligns memory to, and libraries may take their work areas to be.
const areaAligned = 256

// take returns memory of at least so many bytes. Where the device has no more, that of earlier launches, which the
// queue may still be using, is waited for and given back. One goroutine at a time gives work to a queue.
func (a *area) take(q *queue, bytes int64) (driver.Address, error) {
	if bytes > a.largest {
		wanted := max(bytes, 2*a.largest)
		at, err := q.d.dev.Alloc(wanted)
		if driver.IsOutOfMemory(err) && a.largest > 0 {
			if err := errors.Join(q.stream.Synchronize(), a.giveBack(q.d)); err != nil {
				return 0, err
			}
			wanted = bytes
			at, err = q.d.dev.Alloc(wanted)
		}
		if err != nil {
			return 0, err
		}
		a.all, a.largest = append(a.all, at), wanted
	}
	if a.largest == 0 {
		return 0, nil
	}
	return a.all[len(a.all)-1], nil
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
