package cpu

import (
	"errors"
	"runtime"
	"unsafe"

	"weft/tile"
)

// Device is the processor: its buffers are host memory.
type Device struct{ engine }

var _ tile.Device = (*Device)(nil)

// New starts the device and its workers.
func New(o Options) *Device {
	d := &Device{}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if !o.Unpinned {
		d.pins = Pins(o.Workers)
	}
	d.start(tile.DeviceInfo{Name: "cpu", Model: model(), Host: true, Inline: true, Shares: true}, o, hostAddress)
	return d
}

// hostAddress takes any host memory, weft's own or not.
func hostAddress(b *tile.Buffer) (unsafe.Pointer, error) {
	if b.Host == nil && b.Size > 0 {
		return nil, errors.New("the buffer is not host memory; launch on the device that owns it")
	}
	return b.Host, nil
}

// Alloc takes a block from the pool. The buffer's handle is the block's size class, plus one.
func (d *Device) Alloc(n int64) (tile.Buffer, error) {
	p, class, fresh, err := d.pool.alloc(n)
	if err != nil {
		return tile.Buffer{}, err
	}
	return tile.Buffer{Host: p, Handle: uint64(class) + 1, Size: max(n, 1), Zero: fresh}, nil
}

// Free gives the block back to the pool.
func (d *Device) Free(b tile.Buffer) { d.pool.put(b.Host, int(b.Handle)-1, b.Size) }
