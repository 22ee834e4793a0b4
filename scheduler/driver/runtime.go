package driver

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"weft/internal/lru"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/verify"
	"weft/tile"
)

// Options say what a runtime runs on and how.
//
// Held, Submits, Release, Stops, Asking and Wrong are the caller's hooks. Those that are called under the mutex must
// not call the runtime.
type Options struct {
	// Devices and Kinds belong together. At least one device must have its buffers in host
	// memory: the first one allocates for the host. The runtime closes the devices.
	Devices []tile.Device
	Kinds   []scheduler.DeviceKind

	Core core.Options

	// Recorder takes the records; nil means one of the runtime's own.
	Recorder *profiler.Recorder

	// Epoch is what the devices' clocks count from; zero means the recorder's epoch.
	Epoch time.Time

	// Interrupted is what a waiting call fails with after its stop channel delivered; nil
	// means ErrInterrupted.
	Interrupted error

	// InlineBytes is what a flush may cost in all to run on the calling thread, in the unit of
	// core.Options.Inline; 0 means 2.5 MiB, which takes some 60 microseconds, negative never.
	InlineBytes int64

	// HandOver is how long it takes to have a task run on another thread; 0 means 20 microseconds. With Calibrate, that
	// is measured before the first window that has work for several queues of the host's device.
	HandOver  time.Duration
	Calibrate bool

	// MaxTasks and MaxBytes bound what is planned and not completed: Submit waits when there is
	// more. 0 means 4096 tasks and 64 GiB of operands.
	MaxTasks int
	MaxBytes int64

	// Held, if set, is called, under the runtime's mutex, where a call would have to wait because too much is under
	// way. The call goes on instead; its caller lets none follow before Throttle has returned.
	Held func()

	// Meanwhile has the CPUs of a machine with one GPU run what costs less than compiling its kernel does.
	Meanwhile bool

	// Submits, if set, is called, under the runtime's mutex, with each op that is submitted: who counts them knows
	// without the mutex whether there can be anything to wait for.
	Submits func()

	// Release, if set, is called before a call waits for tasks, on its goroutine and without the runtime's mutex; what
	// it returns is called when the wait is over. A caller that has a lock which others need lets go of it meanwhile.
	Release func() (back func())

	// Stops, if set, returns what ends a wait for guests in a call that was given nothing of the kind, on the goroutine
	// of the call.
	Stops func() <-chan struct{}

	// Asking, if set, says which place of the program the calling thread is at, when it is about to wait.
	Asking func() scheduler.Where

	// Wrong, if set, is called, under the runtime's mutex, where an operation was computed in which something went
	// wrong that its op has Wanted: TakeWrongs says what.
	Wrong func()

	// Ranges, if set, is told when tasks begin and end.
	Ranges Ranges

	// MaxLeaving bounds the bytes of arrays that the program has let go, but tasks that are not completed
	// hold: a caller that fills a new array waits when there are more. 0 means 1 GiB. Arrays that tasks
	// make are not made before these start; those that the host fills are there at once.
	MaxLeaving int64

	// Shuffle starts tasks that are ready at once in an order drawn from Seed instead of by ID.
	Shuffle bool
	Seed    uint64

	Panic string    // panic where an op whose name has this in it is planned, to see what becomes of it
	Check bool      // verify every task by brute force (verify.Checker), and every template that is replayed; slow
	Trace io.Writer // gets a line at the start and end of every task
	Dump  string    // folder that gets the text of every plan, and of the template that it comes from
}

// Runtime runs op streams. It satisfies the interface that package arrays asks for.
//
// Its fields by what they are for: devices and memories; tasks that are on their way (starved, under, withheld,
// running, late); threads that wait; arrays that the program has the address of; the plan that is being made; and what
// is told to others (lanes, forms, log, counts). mu guards all of them.
type Runtime struct {
	opt Options
	rec *profiler.Recorder
	lag int64 // nanoseconds from the devices' epoch to the recorder's

	mu       turn
	core     *core.Core
	devices  []*device
	host     *device   // allocates in memory 0
	memory   []*memory // by MemoryID
	buffers  map[scheduler.InstanceID]*buffer
	unused   []*buffer                   // that parted from their instances
	starved  []*scheduler.Task           // ready, but their memory is full
	running  int                         // started on queues of devices, not completed
	under    map[scheduler.TaskID]place  // of these, where those of ordered devices are
	late     int                         // what waits to be completed until tasks are that it came behind
	withheld []withheld                  // of these, those that did not begin
	entered  map[scheduler.TaskID]uint64 // the ranges of those that Options.Ranges was told of
	handOver handOver
	heavy    heavy
	waiters  []*waiter
	leaving  int64 // bytes on the host that were let go and are not free yet
	mapped   map[scheduler.StoreID]*mapping
	closed   bool
	random   *rand.Rand
	inline   tile.Completion // of the launch on the calling thread
	take     func(tile.Completion)

	links     []uint32 // of a task to those before it
	plans     planLabels
	estimated uint32 // the label of runs whose times are estimates
	meanwhile uint32 // of those that are cold
	steps     []step // of the plan that is made
	stepwise  bool   // look at the clock before each

	cells     *profiler.Lane // apart from program, whose waits would hide the cell that runs
	program   *profiler.Lane // what the program's thread waits for
	forms     *lru.Cache[formKey, uint32]
	lastForms [64]knownForm // by line and program
	sources   sources
	log       eventLog
	counts    counts
	checker   *verify.Checker
	wrongs    []Wrong
	wrong     error // what the checker found first, or what broke the runtime
	broken    bool  // a panic left the state undefined: nothing starts any more
	dumped    int
	left      []form // of the passes of the plan that is being made, for a dump
}

// ErrInterrupted is what waits fail with unless Options say otherwise.
var ErrInterrupted = errors.New("interrupted while waiting for arrays")

// A PanicError is what everything fails with after a panic in the runtime, which leaves its state undefined.
type PanicError struct {
	Cause any
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("driver: %v", e.Cause) }

// ErrClosed is what calls after Close fail with.
var ErrClosed = errors.New("driver: the runtime is closed")

// sharedBytes is what a window costs at most, in the unit of core.Options.Inline, that runs on the calling thread
// because the host's device shares its tasks: some 1.3 milliseconds of one core. What costs more goes to queues as
// tiles, while the program goes on.
const sharedBytes = 64 << 20

// smallBytes is what an op costs at most, in the unit of core.Options.Inline, that stays on the host although there is
// a GPU: some 20 microseconds of one core. A launch, the copy of a result and the wait for it take no less.
const smallBytes = 1 << 20

// New starts a runtime.
//
// Zero options are replaced by the usual ones first: what the core is told follows from them.
func New(o Options) (*Runtime, error) {
	if len(o.Devices) == 0 || len(o.Devices) != len(o.Kinds) {
		return nil, fmt.Errorf("driver: got %d devices and %d kinds, wanted as many, and at least one", len(o.Devices), len(o.Kinds))
	}
	if o.Recorder == nil {
		o.Recorder = profiler.New(profiler.Options{})
	}
	if o.Interrupted == nil {
		o.Interrupted = ErrInterrupted
	}
	if o.InlineBytes == 0 {
		o.InlineBytes = 5 << 19
	}
	if o.MaxTasks == 0 {
		o.MaxTasks = 4096
	}
	if o.MaxLeaving == 0 {
		o.MaxLeaving = 1 << 30
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 64 << 30
	}
	r := &Runtime{
		opt: o, rec: o.Recorder, mu: turn{rec: o.Recorder},
		buffers: map[scheduler.InstanceID]*buffer{},
		mapped:  map[scheduler.StoreID]*mapping{},
		under:   map[scheduler.TaskID]place{},
		forms:   lru.New[formKey, uint32](maxForms),
		sources: newSources(),
		plans:   newPlanLabels(o.Recorder),
	}
	r.estimated = r.rec.Label(profiler.Label{Detail: "estimated: the device ran it in one go with others, of which only the whole was timed"})
	r.meanwhile = r.rec.Label(profiler.Label{Detail: "on a CPU: its kernel for the GPU is compiled meanwhile"})
	if !o.Epoch.IsZero() {
		r.lag = int64(r.rec.Epoch().Sub(o.Epoch))
	}
	r.take = func(c tile.Completion) { r.inline = c }
	if o.Shuffle {
		r.random = rand.New(rand.NewPCG(o.Seed, 0))
	}
	machine, err := r.addDevices()
	if err != nil {
		return nil, err
	}
	if o.InlineBytes > 0 {
		o.Core.Inline = o.InlineBytes
		if !o.Core.CutLittle {
			o.Core.Small = smallBytes
		}
		if r.host.info.Shares {
			o.Core.Shared = sharedBytes
		}
	}
	if o.Meanwhile {
		o.Core.Meanwhile, o.Core.Cold = coldBytes, r.cold
	}
	if o.HandOver == 0 {
		o.HandOver = usualHandOver
	}
	r.handOver.took = o.HandOver
	o.Core.HandOver = r.handOver.cost()
	o.Core.Recapture = o.Check
	o.Core.Step = func(pass string) {
		if r.stepwise {
			r.steps = append(r.steps, step{pass, r.now()})
		}
	}
	if o.Dump != "" {
		o.Core.Form = func(pass, text string) { r.left = append(r.left, form{pass, text}) }
	}
	if r.core, err = core.New(machine, o.Core); err != nil {
		return nil, err
	}
	if o.Check {
		r.checker = verify.NewChecker(r.core.Look.Completed)
	}
	r.cells = r.rec.Lane(profiler.LaneInfo{Name: "cells", Kind: "program"})
	r.program = r.rec.Lane(profiler.LaneInfo{Name: "program", Kind: "program"})
	return r, nil
}

// grain is what a device counts a buffer in (see tile.Device).
const grain = 64

// addDevices describes the devices to the core: host memory is memory 0, and every device
// with a memory of its own has the next one.
//
// IDs of devices are positions in Options.Devices; several CPU devices share memory 0, which the first of them
// allocates in.
func (r *Runtime) addDevices() (scheduler.Machine, error) {
	m := scheduler.Machine{Memories: []scheduler.Memory{{Name: "host"}}}
	r.memory = []*memory{{name: "host"}}
	for i, dev := range r.opt.Devices {
		info := dev.Info()
		d := &device{id: scheduler.DeviceID(i), dev: dev, info: info, kind: r.opt.Kinds[i], sequencer: sequencerOf(dev), preparer: preparerOf(dev), sharer: sharerOf(dev), compiled: lru.New[*tile.Program, compiled](maxCompiled)}
		if (d.kind == scheduler.CPU) != info.Host {
			return m, fmt.Errorf("driver: device %s is a %v, but says Host=%v; a CPU's buffers are host memory, a GPU's are not", info.Name, d.kind, info.Host)
		}
		if info.Host {
			if r.host == nil {
				r.host = d
				r.memory[0].device = d
				m.Memories[0].Capacity, m.Memories[0].Grain = info.Memory, grain
			}
		} else {
			d.memory = scheduler.MemoryID(len(m.Memories))
			m.Memories = append(m.Memories, scheduler.Memory{Name: info.Name, Capacity: info.Memory, Grain: grain})
			r.memory = append(r.memory, &memory{name: info.Name, device: d})
		}
		m.Devices = append(m.Devices, scheduler.Device{Kind: d.kind, Memory: d.memory, Queues: info.Queues, Calls: info.Calls, Grids: info.Grids, Ordered: info.Ordered, Lacks: info.Lacks})
		r.devices = append(r.devices, d)
	}
	if r.host == nil {
		return m, fmt.Errorf("driver: none of the %d devices has host memory; one CPU device is needed to hold what the program reads", len(r.devices))
	}
	for _, d := range r.devices {
		r.addQueues(d)
	}
	for _, mem := range r.memory {
		mem.lane = r.rec.Lane(profiler.LaneInfo{Name: mem.name + " memory", Kind: "memory", Device: mem.device.info.Name})
	}
	return m, nil
}

// Recorder returns where the records go.
func (r *Runtime) Recorder() *profiler.Recorder { return r.rec }

// Close cancels what has not started, waits for what has, and closes the devices. Calling
// it again does nothing.
//
// Devices are closed without the mutex, because their goroutines may be about to call back. Buffers that started tasks
// still use, after a panic, are left to the process's end.
func (r *Runtime) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	if !r.broken {
		r.cancel(0, ^scheduler.OpID(0), ErrClosed)
		r.await(&waiter{}, nil)
	}
	r.closed = true
	for _, b := range r.buffers {
		switch {
		case b.lent != nil:
			b.lent()
		case b.allocated && b.users == 0:
			r.memory[b.inst.Memory].device.dev.Free(b.buf)
		}
	}
	clear(r.buffers)
	r.mu.Unlock()
	var errs []error
	for _, d := range r.devices {
		errs = append(errs, d.dev.Close())
	}
	return errors.Join(errs...)
}
