package cpu

import (
	"fmt"
	"sync"
	"unsafe"

	"weft/tile"
)

// EmulatedGPU is a device with memory of its own that no other device can address: buffers have no
// host address but a number, which means something in this device's table alone, so that a
// forgotten copy is an error here and not only on a machine with GPUs. Its queues are ordered, as
// CUDA's are, and what waits for another queue's work holds up its own. Programs run on the
// interpreter of this package.
type EmulatedGPU struct {
	engine

	tableMu sync.RWMutex
	table   map[uint64]block // by handle; handles are never used again
	last    uint64
}

// block is the memory behind a handle.
type block struct {
	p     unsafe.Pointer
	size  int64
	class int
}

var _ tile.Device = (*EmulatedGPU)(nil)

// emulatedAhead is half a millisecond of a core. With more, arrays that are used again and again would not be in its
// caches.
const emulatedAhead = 4 << 20

// NewEmulatedGPU starts an emulated GPU, which is called gpu0, gpu1, ... by its index.
func NewEmulatedGPU(index int, o Options) *EmulatedGPU {
	// Handles of different GPUs differ, so that one is never taken for another.
	g := &EmulatedGPU{table: map[uint64]block{}, last: uint64(index+1) << 40}
	g.start(tile.DeviceInfo{Name: fmt.Sprintf("gpu%d", index), Model: "emulated GPU", Ordered: true, Ahead: emulatedAhead}, o, g.address)
	return g
}

// address looks a handle up.
func (g *EmulatedGPU) address(b *tile.Buffer) (unsafe.Pointer, error) {
	if b.Host != nil {
		return nil, fmt.Errorf("the buffer is host memory; copy it to %s first", g.info.Name)
	}
	g.tableMu.RLock()
	entry, ok := g.table[b.Handle]
	g.tableMu.RUnlock()
	if !ok || b.Size > entry.size {
		return nil, fmt.Errorf("%s has no buffer %d of %d bytes", g.info.Name, b.Handle, b.Size)
	}
	return entry.p, nil
}

// Alloc takes a block from the device's own pool.
func (g *EmulatedGPU) Alloc(n int64) (tile.Buffer, error) {
	p, class, fresh, err := g.pool.alloc(n)
	if err != nil {
		return tile.Buffer{}, err
	}
	n = max(n, 1)
	g.tableMu.Lock()
	g.last++
	handle := g.last
	g.table[handle] = block{p, n, class}
	g.tableMu.Unlock()
	return tile.Buffer{Handle: handle, Size: n, Zero: fresh}, nil
}

// Free forgets the handle and gives the block back.
func (g *EmulatedGPU) Free(b tile.Buffer) {
	g.tableMu.Lock()
	entry, ok := g.table[b.Handle]
	delete(g.table, b.Handle)
	g.tableMu.Unlock()
	if !ok || b.Host != nil {
		panic(fmt.Sprintf("BUG: inv 4: %s: free of buffer %d, which it does not own", g.info.Name, b.Handle))
	}
	g.pool.put(entry.p, entry.class, entry.size)
}
