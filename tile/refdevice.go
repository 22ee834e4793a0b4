package tile

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Reference is the reference device: host memory, one queue, and an interpreter that takes
// the points of a tile one by one through Eval. It is what every other device is compared with.
type Reference struct {
	info     DeviceInfo
	epoch    time.Time // completions count nanoseconds from here
	routines Routines

	// Order is the order in which it takes n blocks, or threads between two meetings, of programs of threads, which
	// must not matter; nil means by number. It must not be changed while there is work.
	Order func(n int) []int

	mu      sync.Mutex
	wake    sync.Cond // on mu: queue grew, shrank to nothing, or closing
	queue   []func()  // started and not finished; the first one is running
	closing bool
	memory  map[unsafe.Pointer][]byte // mapped, by address
	used    int64
}

var _ Device = (*Reference)(nil)

// NewReference returns a reference device that hands out at most memory bytes (0: no limit of
// its own) and counts its time from epoch. It has no routines of its own: it runs the given
// ones, on one core.
//
// A Reference is slow, and obvious: the tests hold all devices against it, and a debug key runs whole programs on it.
// Pages are mapped for each buffer alone, so that a use after Free, or far enough outside, ends in a fault at the place
// instead of in wrong numbers later.
//
//	caller ---- start ----> queue ---- work, the one goroutine ----> done
//	     \---- Inline ----> done, before start returns
func NewReference(memory int64, epoch time.Time, routines Routines) *Reference {
	d := &Reference{
		info: DeviceInfo{Name: "ref", Model: "reference interpreter", Queues: 1, Memory: memory, Host: true, Inline: true,
			Calls: len(routines) > 0, Grids: true},
		epoch:    epoch,
		routines: routines,
		memory:   map[unsafe.Pointer][]byte{},
	}
	d.wake.L = &d.mu
	go d.work()
	return d
}

// Info describes the device.
func (d *Reference) Info() DeviceInfo { return d.info }

// Alloc maps pages of its own for each buffer.
func (d *Reference) Alloc(n int64) (Buffer, error) {
	if n < 0 {
		return Buffer{}, fmt.Errorf("tile: %s: allocation of %d bytes; want 0 or more", d.info.Name, n)
	}
	n = max(n, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.info.Memory > 0 && charge(n) > d.info.Memory-d.used {
		return Buffer{}, fmt.Errorf("tile: %s: %d bytes on top of %d in use of %d: %w", d.info.Name, n, d.used, d.info.Memory, ErrOutOfMemory)
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return Buffer{}, fmt.Errorf("tile: %s: mapping %d bytes: %w (%w)", d.info.Name, n, ErrOutOfMemory, err)
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	d.memory[p] = b
	d.used += charge(n)
	return Buffer{Host: p, Handle: uint64(uintptr(p)), Size: n}, nil
}

// charge returns what a buffer counts of the device's memory.
func charge(n int64) int64 { return (n + 63) &^ 63 }

// Free unmaps the buffer: a later use of it faults.
func (d *Reference) Free(b Buffer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pages, ok := d.memory[b.Host]
	if !ok {
		panic(fmt.Sprintf("BUG: inv 4: %s: free of a buffer at %p that it does not own", d.info.Name, b.Host))
	}
	delete(d.memory, b.Host)
	d.used -= charge(int64(len(pages)))
	if err := syscall.Munmap(pages); err != nil {
		panic(fmt.Sprintf("BUG: inv 4: %s: unmapping the buffer at %p: %v", d.info.Name, b.Host, err))
	}
}

// referenceCall is the executable of a named routine.
type referenceCall struct {
	program *Program
	code    Routine
}

// Compile checks the program; there is nothing to prepare but to find a routine.
func (d *Reference) Compile(p *Program) (Executable, error) {
	if err := Check(p); err != nil {
		return nil, err
	}
	if p.Routine != "" {
		code, err := d.routines.Find(p)
		if err != nil {
			return nil, err
		}
		return &referenceCall{p, code}, nil
	}
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op.IsScalar() && !hasReference(in.Op, p.Code[in.Args[in.Op.Arity()-1]].Type) {
			return nil, fmt.Errorf("tile: no reference for %s; add a row in tile/reference.go", p.InstrString(Value(i)))
		}
	}
	return p, nil
}

// Launch interprets the program.
func (d *Reference) Launch(queue int, l *Launch, done func(Completion)) {
	d.start(queue, done, func() error {
		if x, ok := l.Exe.(*referenceCall); ok && x.program == l.Program {
			return x.run(l)
		}
		if l.Exe != Executable(l.Program) {
			return errors.New("tile: ref: the launch's executable is not what Compile made of its program")
		}
		if err := CheckLaunch(l); err != nil {
			return err
		}
		if l.Program.Threads {
			return interpretThreads(l, d.Order)
		}
		return interpret(l)
	})
}

// run runs a named routine.
//
// Routines are shared with the CPU's device: what the reference adds is that they run on one core, in order. Their own
// slow twins are in the tests of their packages.
func (x *referenceCall) run(l *Launch) error {
	if err := CheckLaunch(l); err != nil {
		return err
	}
	args, err := l.Operands(nil, func(b *Buffer) (unsafe.Pointer, error) {
		if b.Host == nil {
			return nil, errors.New("the buffer is not host memory; the launch belongs to the device that owns it")
		}
		return b.Host, nil
	})
	if err != nil {
		return err
	}
	return x.code(&Call{Program: l.Program, Args: args, Uniforms: l.Uniforms, Share: InOrder, Reserve: Alone})
}

// Copy copies between host buffers.
func (d *Reference) Copy(queue int, t *Transfer, done func(Completion)) {
	d.start(queue, done, func() error {
		if err := CheckTransfer(t); err != nil {
			return err
		}
		if t.Bytes > 0 && (t.Dst.Host == nil || t.Src.Host == nil) {
			return errors.New("tile: ref: a side of the copy is not host memory; the owner of that buffer copies it")
		}
		t.Move(t.Dst.Bytes()[t.DstAt:], t.Src.Bytes()[t.SrcAt:])
		return nil
	})
}

// Close waits for what was started and unmaps every buffer.
func (d *Reference) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closing = true
	d.wake.Broadcast()
	for len(d.queue) > 0 {
		d.wake.Wait()
	}
	var errs []error
	for p, pages := range d.memory {
		errs = append(errs, syscall.Munmap(pages))
		delete(d.memory, p)
	}
	return errors.Join(errs...)
}

// start runs f now or puts it in the queue; either way done is called once.
func (d *Reference) start(queue int, done func(Completion), f func() error) {
	if queue == Inline {
		done(Completion{Queue: queue, Err: recovered(f)})
		return
	}
	run := func() {
		c := Completion{Queue: queue, Start: int64(time.Since(d.epoch))}
		c.Err = recovered(f)
		c.End = int64(time.Since(d.epoch))
		done(c)
	}
	d.mu.Lock()
	// Work that comes after Close has begun is refused by its done, never dropped: a caller waits for each done.
	bad := ""
	switch {
	case d.closing:
		bad = "the device is closed"
	case queue != 0:
		bad = fmt.Sprintf("no queue %d; want 0 or Inline", queue)
	default:
		d.queue = append(d.queue, run)
		d.wake.Broadcast()
	}
	d.mu.Unlock()
	if bad != "" {
		now := int64(time.Since(d.epoch))
		done(Completion{Queue: queue, Start: now, End: now, Err: errors.New("tile: ref: " + bad)})
	}
}

// recovered turns a panic into an error, so that a bug in one launch does not end the process.
func recovered(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("tile: panic in a launch: %v", r)
		}
	}()
	return f()
}

// work is the goroutine of the queue.
func (d *Reference) work() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		for len(d.queue) == 0 {
			if d.closing {
				return
			}
			d.wake.Wait()
		}
		// The work stays at the front while it runs, so that Close, which waits for an empty queue, waits for its end.
		run := d.queue[0]
		d.mu.Unlock()
		run()
		d.mu.Lock()
		d.queue = d.queue[1:]
		d.wake.Broadcast()
	}
}
