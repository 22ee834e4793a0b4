package ptx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
	"unsafe"

	"weft/tile"
	"weft/tile/tiletest"
)

// simDevice is a device that runs the emitted text on the simulator. Its memory is no host
// memory: buffer i lies at address (i+1)<<32 and is checked at every access.
type simDevice struct {
	grid, threads int
	epoch         time.Time
	queue         chan func()
	finished      sync.WaitGroup

	mu      sync.Mutex
	buffers map[uint64]*simBuffer // by address>>32
	next    uint64
	turns   int // launches so far
}

type simBuffer struct {
	size int64
	data []byte // made at the first access
}

// simExecutable holds the kernels of a program by variant.
type simExecutable struct {
	p       *tile.Program
	mu      sync.Mutex
	kernels map[Variant]*simKernel
}

type simKernel struct {
	*Kernel
	module *simModule
}

var _ tile.Device = (*simDevice)(nil)

// newSimDevice runs every launch with the given grid, so that points are visited in turns.
func newSimDevice(grid, threads int) *simDevice {
	d := &simDevice{grid: grid, threads: threads, epoch: time.Now(), queue: make(chan func(), 1000), buffers: map[uint64]*simBuffer{}}
	d.finished.Go(func() {
		for f := range d.queue {
			f()
		}
	})
	return d
}

func (d *simDevice) Info() tile.DeviceInfo {
	return tile.DeviceInfo{Name: "sim", Model: "PTX simulator", Queues: 1, Inline: true}
}

func (d *simDevice) Alloc(n int64) (tile.Buffer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case n < 0:
		return tile.Buffer{}, fmt.Errorf("sim: %d bytes", n)
	case n >= 1<<32:
		return tile.Buffer{}, fmt.Errorf("sim: %d bytes: %w", n, tile.ErrOutOfMemory)
	}
	d.next++
	d.buffers[d.next] = &simBuffer{size: max(n, 1)}
	return tile.Buffer{Handle: d.next << 32, Size: max(n, 1)}, nil
}

func (d *simDevice) Free(b tile.Buffer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.buffers, b.Handle>>32)
}

// memory returns n bytes at an address.
func (d *simDevice) memory(address uint64, n int) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.buffers[address>>32]
	at := int64(address & 0xffffffff)
	if b == nil || at+int64(n) > b.size {
		fault("access to %d bytes at %#x, outside every buffer", n, address)
	}
	if b.data == nil {
		b.data = make([]byte, b.size)
	}
	return b.data[at:][:n]
}

func (d *simDevice) Compile(p *tile.Program) (tile.Executable, error) {
	if err := tile.Check(p); err != nil {
		return nil, err
	}
	if p.Threads {
		return nil, fmt.Errorf("sim: %s is a program of threads; the fake driver runs these", p.Name)
	}
	if _, err := Emit(p, Variant{Axes: p.Rank}); err != nil {
		return nil, err
	}
	return &simExecutable{p: p, kernels: map[Variant]*simKernel{}}, nil
}

func (x *simExecutable) kernel(v Variant) (*simKernel, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if k := x.kernels[v]; k != nil {
		return k, nil
	}
	k, err := Emit(x.p, v)
	if err != nil {
		return nil, err
	}
	m, err := parseModule(Module(Target{}, k))
	if err != nil {
		return nil, err
	}
	x.kernels[v] = &simKernel{k, m}
	return x.kernels[v], nil
}

func (d *simDevice) Launch(queue int, l *tile.Launch, done func(tile.Completion)) {
	d.start(queue, done, func() error {
		x, ok := l.Exe.(*simExecutable)
		if !ok || x.p != l.Program {
			return errors.New("sim: not an executable of this device")
		}
		if err := tile.CheckLaunch(l); err != nil {
			return err
		}
		v, s := Plan(l)
		d.mu.Lock()
		d.turns++
		v.Wide = v.Wide || d.turns%2 == 0 // every other launch counts in 64 bits
		if size := l.Program.Params[len(l.Args)-1].Type.Size(); v.Product > 0 && longSide*longSide*size <= mostSums && d.turns%4 > 1 {
			v.tiled(&s, longSide)
		}
		v.Near = v.Near && d.turns%3 > 0 // and some have offsets of 64
		d.mu.Unlock()
		k, err := x.kernel(v)
		if err != nil {
			return err
		}
		grid, _ := k.Grid(s, 132)
		if grid[0] == 0 {
			return nil
		}
		threads, across, down := d.threads, d.grid, 1
		if v.Rows > 0 {
			threads, across = Threads, int(grid[0]) // a block is as wide as the plan has it, and a grid as all columns
		}
		if v.Staged || v.Product > 0 {
			threads = Threads // that share a result, or a tile of results
		}
		if grid[1] > 1 {
			down = 2
		}
		m := &simMachine{memory: d.memory, module: k.module}
		faults, stop := make([]byte, FaultBytes), make([]byte, StopBytes)
		m.memory = func(address uint64, n int) []byte {
			if at := address - faultsAddress; at < FaultBytes {
				return faults[at:][:n]
			}
			if at := address - stopAddress; at < StopBytes {
				if l.Stop.Stopped() {
					stop[0] = 1
				}
				return stop[at:][:n]
			}
			return d.memory(address, n)
		}
		if err := m.launch(k.Name, [2]int{across, down}, threads, k.Words(nil, l, s, faultsAddress, stopAddress)); err != nil || !k.Checks() {
			return err
		}
		words := make([]uint64, FaultBytes/8)
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(faults[8*i:])
		}
		return Fault(words, l)
	})
}

// Where kernels find their fault block and their stop word.
const (
	faultsAddress = 0x2000
	stopAddress   = 0x3000
)

func (d *simDevice) Copy(queue int, t *tile.Transfer, done func(tile.Completion)) {
	d.start(queue, done, func() error {
		if err := tile.CheckTransfer(t); err != nil || t.Bytes == 0 {
			return err
		}
		side := func(b tile.Buffer, dev tile.Device, at, step int64) []byte {
			if o, ok := dev.(*simDevice); ok {
				return o.memory(b.Handle+uint64(at), int(t.Reach(step)))
			}
			return unsafe.Slice((*byte)(b.Host), b.Size)[at:]
		}
		t.Move(side(t.Dst, t.DstDev, t.DstAt, t.DstStep), side(t.Src, t.SrcDev, t.SrcAt, t.SrcStep))
		return nil
	})
}

func (d *simDevice) start(queue int, done func(tile.Completion), f func() error) {
	run := func() {
		c := tile.Completion{Queue: queue, Start: int64(time.Since(d.epoch))}
		c.Err = f()
		c.End = int64(time.Since(d.epoch))
		done(c)
	}
	switch queue {
	case tile.Inline:
		run()
	case 0:
		d.queue <- run
	default:
		now := int64(time.Since(d.epoch))
		done(tile.Completion{Queue: queue, Start: now, End: now, Err: fmt.Errorf("sim: no queue %d", queue)})
	}
}

func (d *simDevice) Close() error {
	close(d.queue)
	d.finished.Wait()
	return nil
}

// TestConformance holds every opcode, dtype, layout and reduction of the emitted text against
// the reference device.
func TestConformance(t *testing.T) {
	tiletest.Run(t, func() tile.Device { return newSimDevice(2, 32) })
}

// TestForms runs the parts of the kit for which there are forms of their own, with grids that leave threads nothing and
// much to do.
func TestForms(t *testing.T) {
	var answers tiletest.Answers
	for _, grid := range []int{1, 3} {
		answers.Run(t, func() tile.Device { return newSimDevice(grid, 96) }, "alignments", "planes", "turned", "lanes")
	}
}
