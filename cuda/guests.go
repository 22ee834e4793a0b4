package cuda

import (
	"errors"
	"fmt"
	"sync"

	"weft/cuda/driver"
	"weft/tile"
)

// exposed is the buffers of a device that guests have the address of. They use it in streams of theirs, in whose order
// they take their allocations to be freed. So a buffer that is freed stays out of the pool until all streams have run
// what they were given by then.
//
//	Free ----> leaving: a goroutine waits for the context ----> the pool ----> then: who lacked memory tries again
type exposed struct {
	mu      sync.Mutex
	buffers map[uint64]bool // by handle
	leaving int
	then    []func()  // to call when one has left
	left    sync.Cond // on mu: leaving went down
}

var _ tile.Sharer = (*Device)(nil)

// perThread is the number of the stream that each thread has one of.
const perThread = 2

// Adopt makes a buffer of memory that a guest has allocated. It may lie across several allocations that are next to
// each other, such as virtual pages.
func (d *Device) Adopt(address uint64, n int64) (tile.Buffer, error) {
	for at := driver.Address(address); at < driver.Address(address)+driver.Address(n); {
		have, err := driver.Find(at)
		switch {
		case err != nil && !isInvalid(err):
			return tile.Buffer{}, d.note(err)
		case err != nil && at == driver.Address(address):
			return tile.Buffer{}, fmt.Errorf("%#x is no address in a GPU's memory, or what was there has been freed", address)
		case err != nil:
			return tile.Buffer{}, fmt.Errorf("%d bytes from %#x on reach %d bytes beyond what was allocated there", n, address, int64(address)+n-int64(at))
		case int(have.Device) != d.Ordinal():
			return tile.Buffer{}, fmt.Errorf("%#x is in the memory of GPU %d: %w", address, have.Device, tile.ErrElsewhere)
		case !d.dev.Reaches(have):
			return tile.Buffer{}, fmt.Errorf("%#x was allocated in another context than GPU %d's primary one, which CuPy, PyTorch and weft are in: copy the array to the host", address, have.Device)
		}
		at = have.Start + driver.Address(have.Bytes)
	}
	return tile.Buffer{Handle: address, Size: n}, nil
}

// isInvalid reports whether the driver knows nothing of an address.
func isInvalid(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code == 1
}

// isInvalidHandle reports whether the driver does not know a stream in the device's context.
func isInvalidHandle(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && e.Code == 400
}

// Expose returns the address of a buffer, for a guest.
func (d *Device) Expose(b tile.Buffer) uint64 {
	d.exposed.mu.Lock()
	defer d.exposed.mu.Unlock()
	if d.exposed.buffers == nil {
		d.exposed.buffers = map[uint64]bool{}
	}
	d.exposed.buffers[b.Handle] = true
	return b.Handle
}

// Settle waits for a stream, or for all. That of the calling thread alone has no number on others.
func (d *Device) Settle(stream uint64) error {
	if err := d.usable(); err != nil {
		return err
	}
	if stream == tile.AllStreams || stream == perThread {
		return d.note(d.dev.Synchronize())
	}
	err := d.dev.SynchronizeStream(stream)
	if isInvalidHandle(err) {
		return fmt.Errorf("%#x is no stream of GPU %d: %w: %w", stream, d.Ordinal(), tile.ErrElsewhere, err)
	}
	return d.note(err)
}

// parts reports whether a buffer that is freed was exposed: then it goes to the pool in its time.
func (d *Device) parts(b tile.Buffer) bool {
	x := &d.exposed
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.buffers[b.Handle] {
		return false
	}
	delete(x.buffers, b.Handle)
	x.leaving++
	go func() {
		_ = d.note(d.dev.Synchronize()) // a device that is lost says so when it is used next
		d.release(b)
		x.mu.Lock()
		x.leaving--
		told := x.then
		x.then = nil
		x.left.Broadcast()
		x.mu.Unlock()
		for _, then := range told {
			then()
		}
	}()
	return true
}

// Leaving reports whether buffers are, and has then called when one has left.
func (d *Device) Leaving(then func()) bool {
	x := &d.exposed
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.leaving == 0 {
		return false
	}
	x.then = append(x.then, then)
	return true
}

// parting waits for the buffers that are leaving.
func (d *Device) parting() {
	x := &d.exposed
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.leaving > 0 {
		x.left.Wait()
	}
}
