package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"weft/cuda/driver"
	"weft/cuda/libraries"
	"weft/cuda/routines"
	"weft/tile"
)

// Options say what a device is to be.
type Options struct {
	Memory  int64                              // bytes that buffers may take; 0 means most of what is free
	Epoch   time.Time                          // the zero of its clock
	Fourier func() (*libraries.Fourier, error) // loads the library for Fourier transforms, when the first one comes; nil is none
	Solver  func() (*libraries.Solver, error)  // loads the library for decompositions of matrices, when the first one comes; nil is none
	Blas    func() (*libraries.Blas, error)    // loads the library for products of matrices, when the first one comes; nil is none
	Makers  int                                // how many modules are compiled at a time; 0 means half as many as there are processors
	Cubins  *Cubins                            // keeps what is compiled; nil compiles in each process anew
	Plain   bool                               // launch sequences one by one, not by graphs
	Singly  bool                               // begin nothing before the end of what was begun last has been told: an error is then that of the work that has it
}

// Device is one GPU. All methods may be called from any goroutine.
type Device struct {
	info       tile.DeviceInfo
	dev        *driver.Device
	sms        int
	pool       *pool
	clock      clock
	queues     []*queue
	slots      faultSlots
	staging    staging
	modules    modules
	surveyed   surveyed
	cubins     *Cubins
	version    string // of the driver
	blas       multiplier
	transforms transforms
	solvers    solvers
	exposed    exposed
	peers      peers
	lost       atomic.Pointer[tile.LostError]

	single   sync.Mutex // where work goes singly: held by the queue whose work is under way
	eventsMu sync.Mutex
	events   []*driver.Event // that nothing uses
}

var (
	_ tile.Device    = (*Device)(nil)
	_ tile.Sequencer = (*Device)(nil)
	_ tile.Preparer  = (*Device)(nil)
)

// The queues of every device.
const (
	computes = 0
	copyIn   = 1 // from the host, and between devices
	copyOut  = 2 // to the host
	queueN   = 3
)

// freeShare is the part of the free memory that buffers may take where nothing else is said: the rest is for modules,
// for the driver, and for the parts of pages that nothing fits into.
const freeShare = 0.9

// Open makes the GPU of an ordinal a device, which is called gpu0, gpu1, ... by it. The error says why there is none,
// and what to do.
func Open(ordinal int, o Options) (*Device, error) {
	dev, err := driver.Open(ordinal)
	if err != nil {
		return nil, err
	}
	info := dev.Info()
	d := &Device{
		info: tile.DeviceInfo{Name: fmt.Sprintf("gpu%d", ordinal), Model: info.Name, Queues: queueN, Copies: queueN - copyIn, Calls: true, Grids: true,
			Ordered: true, Singly: o.Singly, Sequences: !o.Singly && !o.Plain},
		dev: dev, sms: info.SMs, blas: multiplier{open: o.Blas, ready: make(chan struct{})}, cubins: o.Cubins,
	}
	d.exposed.left.L = &d.exposed.mu
	d.modules.compilers = make(chan struct{}, cmp.Or(o.Makers, compilers()))
	d.transforms.open, d.transforms.part, d.info.Lacks = o.Fourier, partBytes, d.lacks
	d.solvers.open = o.Solver
	if d.cubins != nil {
		d.version = driverVersion()
	}
	if err := d.open(o); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", d.info.Name, err), d.Close())
	}
	return d, nil
}

func (d *Device) open(o Options) (err error) {
	if d.pool, err = newPool(d.dev, o.Memory, d.dev.MemoryInfo); err != nil {
		return err
	}
	d.info.Memory = d.pool.limit
	if err = d.slots.open(d.dev); err != nil {
		return err
	}
	if err = d.staging.open(d.dev); err != nil {
		return err
	}
	for i := range queueN {
		q, err := newQueue(d, i)
		if err != nil {
			return err
		}
		d.queues = append(d.queues, q)
	}
	if err = d.clock.start(d, o.Epoch); err != nil {
		return err
	}
	for _, q := range d.queues {
		q.start()
	}
	return nil
}

// lacks returns why the host runs a program that is a named routine; "" where the device does.
func (d *Device) lacks(p *tile.Program) string {
	switch {
	case d.transforms.knows(p):
		return ""
	case isTransform(p):
		return "Fourier transforms are cuFFT's, which is not to be had"
	case strings.HasPrefix(p.Routine, "linalg."):
		return d.solvers.lacks(d, p)
	}
	return routines.Lacks(p)
}

// Info describes the device.
func (d *Device) Info() tile.DeviceInfo { return d.info }

// Ordinal is the number under which the driver knows the GPU.
func (d *Device) Ordinal() int { return d.dev.Info().Ordinal }

// Graphs says what the device has done with the sequences of a queue that is empty.
func (d *Device) Graphs(queue int) GraphCounts { return d.queues[queue].graphs.told }

// Alloc takes a buffer from the pool.
func (d *Device) Alloc(n int64) (tile.Buffer, error) {
	at, err := d.pool.alloc(n)
	if err != nil {
		return tile.Buffer{}, d.note(fmt.Errorf("%s: %w", d.info.Name, err))
	}
	return tile.Buffer{Handle: uint64(at), Size: max(n, 1)}, nil
}

// Free gives a buffer back to the pool.
func (d *Device) Free(b tile.Buffer) {
	if !d.parts(b) {
		d.release(b)
	}
}

// release gives a buffer back at once.
func (d *Device) release(b tile.Buffer) {
	if b.Host != nil || !d.pool.free(driver.Address(b.Handle)) {
		panic(fmt.Sprintf("BUG: inv 4: %s: free of buffer %#x, which it does not own", d.info.Name, b.Handle))
	}
}

// Launch starts a program on queue 0, or on another.
func (d *Device) Launch(queue int, l *tile.Launch, done func(tile.Completion)) {
	q := d.queue(queue, done)
	if q == nil {
		return
	}
	w := &work{done: done}
	w.run, w.err = d.newRun(queue, l)
	q.add(w, &l.Turn)
}

// Copy starts a copy.
func (d *Device) Copy(queue int, t *tile.Transfer, done func(tile.Completion)) {
	q := d.queue(queue, done)
	if q == nil {
		return
	}
	w := &work{done: done}
	w.move, w.err = d.newMove(t)
	q.add(w, &t.Turn)
}

// queue returns a queue; where there is none, it tells the caller's done.
func (d *Device) queue(number int, done func(tile.Completion)) *queue {
	if number >= 0 && number < len(d.queues) {
		return d.queues[number]
	}
	now := d.clock.now()
	err := fmt.Errorf("%s has no queue %d; it has %d", d.info.Name, number, len(d.queues))
	go done(tile.Completion{Queue: number, Start: now, End: now, Err: err}) // the caller may hold what done wants
	return nil
}

// Close waits for what was started, and gives everything back.
func (d *Device) Close() error {
	for _, q := range d.queues {
		q.drain()
	}
	d.parting()
	d.surveyed.forget()
	d.modules.compiling.Wait()
	errs := []error{d.blas.close(d), d.transforms.close(d), d.solvers.close(d)} // they have queues' streams
	for _, q := range d.queues {
		errs = append(errs, q.close())
	}
	d.queues = nil
	errs = append(errs, d.clock.close(), d.modules.close(), d.slots.close(), d.staging.close())
	for _, e := range d.events {
		errs = append(errs, e.Close())
	}
	d.events = nil
	if d.pool != nil {
		errs = append(errs, d.pool.close())
	}
	errs = append(errs, d.dev.Close())
	if d.lost.Load() != nil {
		return nil // nothing can be given back to a context that is lost; those that waited have been told
	}
	return errors.Join(errs...)
}

// takeEvent returns an event that nothing uses.
func (d *Device) takeEvent() (*driver.Event, error) {
	d.eventsMu.Lock()
	if n := len(d.events); n > 0 {
		e := d.events[n-1]
		d.events = d.events[:n-1]
		d.eventsMu.Unlock()
		return e, nil
	}
	d.eventsMu.Unlock()
	return d.dev.NewEvent()
}

// giveEvent takes an event back.
func (d *Device) giveEvent(e *driver.Event) {
	d.eventsMu.Lock()
	d.events = append(d.events, e)
	d.eventsMu.Unlock()
}
