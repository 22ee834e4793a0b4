package cpu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"weft/cpu/blas"
	"weft/cpu/vm"
	"weft/tile"
)

// Options configures a device.
type Options struct {
	ISA      string        // instruction set, one of ISAs; "" means the best
	Workers  int           // queues, each a goroutine; 0 means one per core
	Unpinned bool          // leave the workers' CPUs to the system; see Pins
	Stream   int64         // bytes of an output from which on it is written past the caches; 0 means 64 MiB
	Part     int64         // bytes of operands of the parts in which others help with inline launches; 0 means 512 KiB
	Memory   int64         // bytes that Alloc hands out at most; 0 means no limit of its own
	Routines tile.Routines // what programs call by name; nil means those of this package
	Restless bool          // lanes that have left a loop go ahead of those in it at once, for tests
	Lanewise bool          // guards look at each lane by itself, for tests

	// Dense opens the library for matrix products and linear algebra when one is first needed;
	// devices of one process share it. nil means that there is none.
	Dense func() (*blas.Library, error)

	Epoch time.Time // completions count nanoseconds from here; devices of one process share it. Zero means now
}

// resolve returns the host address of a buffer for this engine's programs.
type resolve func(b *tile.Buffer) (unsafe.Pointer, error)

// engine is what both devices of this package are made of: queues, frames, memory. They
// differ in how buffers are named.
type engine struct {
	restless bool
	lanewise bool
	info     tile.DeviceInfo
	epoch    time.Time
	resolve  resolve
	pool     pool
	queues   []*queue
	machine  vm.Machine
	table    vm.Table
	steps    func() *stepCodes
	micros   map[string]uint8
	compiled atomic.Uint64
	running  sync.WaitGroup
	routines tile.Routines
	dense    func() (*blas.Library, error)
	stream   int64
	part     int64
	cores    cores
	pins     []int // CPU of each queue, or nil

	mu     sync.Mutex
	frames []*frame // for inline launches
	closed atomic.Bool
	spare  atomic.Pointer[frame]
}

func (e *engine) newFrame() *frame {
	return &frame{machine: e.machine, stream: e.stream, dense: e.dense, reserve: e.reserve}
}

func (e *engine) start(info tile.DeviceInfo, o Options, r resolve) {
	if e.stream = o.Stream; e.stream == 0 {
		e.stream = defaultStream
	}
	if e.part = o.Part; e.part == 0 {
		e.part = partBytes
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Epoch.IsZero() {
		o.Epoch = time.Now()
	}
	if o.Routines == nil {
		o.Routines = Routines(o.ISA, o.Dense)
	}
	e.routines, e.dense = o.Routines, o.Dense
	info.Queues, info.Memory, info.Calls, info.Grids = o.Workers, o.Memory, true, true
	e.info, e.epoch, e.resolve = info, o.Epoch, r
	e.cores.start(o.Workers)
	e.restless, e.lanewise = o.Restless, o.Lanewise
	e.machine, e.table, e.micros = machine(o.ISA), vm.NewTable(), vm.Micros()
	e.steps = sync.OnceValue(func() *stepCodes { return newStepCodes(e.table) })
	e.pool = pool{name: info.Name, limit: o.Memory, large: map[unsafe.Pointer][]byte{}, fresh: map[unsafe.Pointer]bool{}}
	for n := range o.Workers {
		q := newQueue()
		e.queues = append(e.queues, q)
		e.running.Add(1)
		go e.work(n, q)
	}
}

// ISAs returns the instruction sets that this processor has programs for, the best one last.
func ISAs() []string {
	var names []string
	for _, m := range vm.Machines() {
		names = append(names, m.Name())
	}
	return names
}

// machine finds the machine of an instruction set.
func machine(isa string) vm.Machine {
	all := vm.Machines()
	for _, m := range all {
		if m.Name() == isa {
			return m
		}
	}
	if isa != "" {
		panic(fmt.Sprintf("BUG: inv 1: cpu: no instruction set %q; want one of %v", isa, ISAs()))
	}
	return all[len(all)-1]
}

// Info describes the device.
func (e *engine) Info() tile.DeviceInfo { return e.info }

// Compile lowers the program to steps, or finds its routine.
func (e *engine) Compile(p *tile.Program) (tile.Executable, error) {
	x, err := e.compile(p)
	if err != nil {
		return nil, err
	}
	x.number = e.compiled.Add(1)
	return x, nil
}

func (e *engine) compile(p *tile.Program) (*executable, error) {
	if p.Threads {
		return e.compileThreads(p)
	}
	return compile(p, e.table, e.micros, e.routines)
}

// Launch runs the program on a worker, or here for Inline.
func (e *engine) Launch(queue int, l *tile.Launch, done func(tile.Completion)) {
	e.submit(queue, job{launch: l, done: done})
}

// Copy copies on a worker, or here for Inline.
func (e *engine) Copy(queue int, t *tile.Transfer, done func(tile.Completion)) {
	e.submit(queue, job{transfer: t, done: done})
}

func (e *engine) submit(queue int, j job) {
	switch {
	case queue == tile.Inline && e.info.Inline:
		f, err := e.borrow()
		if err != nil {
			e.refuse(queue, j, err)
			return
		}
		e.run(f, queue, j)
		e.giveBack(f)
	case queue < 0 || queue >= len(e.queues):
		e.refuse(queue, j, fmt.Errorf("cpu: %s has no queue %d; want 0 to %d", e.info.Name, queue, len(e.queues)-1))
	case !e.queues[queue].push(j):
		e.refuse(queue, j, errors.New("cpu: "+e.info.Name+" is closed"))
	}
}

// refuse completes a job that could not start.
func (e *engine) refuse(queue int, j job, err error) {
	c := tile.Completion{Queue: queue, Err: err}
	if queue != tile.Inline {
		c.Start = int64(time.Since(e.epoch))
		c.End = c.Start
	}
	j.done(c)
}

// run does a job and says so; done is called exactly once, after everything else.
func (e *engine) run(f *frame, queue int, j job) {
	c := tile.Completion{Queue: queue}
	turn := *j.turn() // no list holds a job whose done was called
	c.Err = e.await(turn.After)
	if queue == tile.Inline {
		e.cores.enterInline()
	} else {
		e.cores.enter()
		c.Start = int64(time.Since(e.epoch))
	}
	switch {
	case c.Err != nil:
	case j.launch != nil:
		c.Err = e.runLaunch(f, queue, j.launch)
	default:
		c.Err = e.runCopy(j.transfer)
	}
	e.cores.leave()
	if queue != tile.Inline {
		c.End = int64(time.Since(e.epoch))
		e.queues[queue].pass(turn.Seq)
	}
	j.done(c)
}

// await waits for jobs of other queues of emulated GPUs.
func (e *engine) await(after []tile.Point) error {
	for _, p := range after {
		g, ok := p.Device.(*EmulatedGPU)
		if !ok || p.Queue < 0 || p.Queue >= len(g.queues) {
			return fmt.Errorf("cpu: %s: a job waits for queue %d of a device that is not an emulated GPU, or does not have it", e.info.Name, p.Queue)
		}
		g.queues[p.Queue].await(p.Seq)
	}
	return nil
}

func (e *engine) runLaunch(f *frame, queue int, l *tile.Launch) (err error) {
	defer caught(&err)
	x, ok := l.Exe.(*executable)
	if !ok || x.program != l.Program {
		return fmt.Errorf("cpu: %s: the launch's executable is not what Compile made of its program", e.info.Name)
	}
	if x.threads != nil {
		return e.runThreads(f, x, l)
	}
	located := e.locate(f, l)
	known := located == nil && f.recall(x, l)
	if !known {
		if err := tile.CheckLaunch(l); err != nil {
			return err
		}
	}
	if x.routine != nil {
		return e.call(x, l)
	}
	if located != nil {
		return located
	}
	if queue == tile.Inline {
		if axis, size, count := x.parts(l, e.part); count > 1 {
			return e.runParts(l, axis, size, count)
		}
	}
	if e.pinned(queue, x, l) {
		return onCPU(e.pins[queue], func() error { return f.run(x, l, known) })
	}
	return f.run(x, l, known)
}

// locate finds the addresses of a launch's buffers.
func (e *engine) locate(f *frame, l *tile.Launch) (err error) {
	f.base = resize(f.base, len(l.Args))
	for i := range l.Args {
		if f.base[i], err = e.resolve(&l.Args[i].Buffer); err != nil {
			return fmt.Errorf("cpu: %s: launch of %s: p%d: %w", e.info.Name, l.Program.Name, i, err)
		}
	}
	return nil
}

func (f *frame) run(x *executable, l *tile.Launch, known bool) (err error) {
	f.watching, f.raised = x.watching(l), 0
	if f.watching {
		if inputs := x.saves(f, l); inputs != 0 {
			return f.runSaved(x, l, inputs)
		}
	}
	switch {
	case known && len(x.reducers) > 0:
		f.walk(f.machine.Reduce)
	case known:
		f.walk(f.machine.Map)
	case len(x.reducers) > 0:
		err = f.runReduce(x, l)
	default:
		err = f.runMap(x, l)
	}
	if f.watching && err == nil {
		f.explain(x, l)
	}
	return err
}

// walk runs the launch that is encoded.
func (f *frame) walk(walk func(*vm.Launch)) {
	if f.launch.Watched = 0; f.watching {
		f.launch.Watched = 1
	}
	walk(f.launch)
	if f.watching {
		f.raised = f.launch.Raised
	}
}

// caught turns a panic into an error, so that a bug in one launch does not end the process.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("cpu: panic in a launch: %v", r)
	}
}

func (e *engine) runCopy(t *tile.Transfer) (err error) {
	defer caught(&err)
	if err := tile.CheckTransfer(t); err != nil || t.Bytes == 0 {
		return err
	}
	dst, err := e.side(t.Dst, t.DstDev)
	if err != nil {
		return fmt.Errorf("cpu: %s: copy to: %w", e.info.Name, err)
	}
	src, err := e.side(t.Src, t.SrcDev)
	if err != nil {
		return fmt.Errorf("cpu: %s: copy from: %w", e.info.Name, err)
	}
	t.Move(unsafe.Slice((*byte)(unsafe.Add(dst, t.DstAt)), t.Reach(t.DstStep)), unsafe.Slice((*byte)(unsafe.Add(src, t.SrcAt)), t.Reach(t.SrcStep)))
	return nil
}

// side returns the address of one side of a copy: host memory, or that of a device of this
// package.
func (e *engine) side(b tile.Buffer, owner tile.Device) (unsafe.Pointer, error) {
	if b.Host != nil {
		return b.Host, nil
	}
	if g, ok := owner.(*EmulatedGPU); ok {
		return g.engine.resolve(&b)
	}
	return nil, errors.New("the buffer is neither host memory nor that of an emulated GPU named as its owner")
}

// work is the goroutine of one queue.
func (e *engine) work(n int, q *queue) {
	defer e.running.Done()
	f := e.newFrame()
	defer f.release()
	for {
		j, ok := q.pop()
		if !ok {
			return
		}
		e.run(f, n, j)
	}
}

// borrow and giveBack keep frames for inline launches. The one that was used last takes no lock.

func (e *engine) borrow() (*frame, error) {
	if f := e.spare.Swap(nil); f != nil {
		return f, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed.Load() {
		return nil, errors.New("cpu: " + e.info.Name + " is closed")
	}
	if n := len(e.frames); n > 0 {
		f := e.frames[n-1]
		e.frames = e.frames[:n-1]
		return f, nil
	}
	return e.newFrame(), nil
}

func (e *engine) giveBack(f *frame) {
	if e.spare.CompareAndSwap(nil, f) {
		if e.closed.Load() { // perhaps since Close looked at spare
			e.releaseSpare()
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed.Load() {
		f.release()
		return
	}
	e.frames = append(e.frames, f)
}

func (e *engine) releaseSpare() {
	if f := e.spare.Swap(nil); f != nil {
		f.release()
	}
}

// Close waits for what was started and unmaps all memory.
func (e *engine) Close() error {
	e.mu.Lock()
	closed := e.closed.Swap(true)
	frames := e.frames
	e.frames = nil
	e.mu.Unlock()
	if closed {
		return nil
	}
	e.releaseSpare()
	for _, q := range e.queues {
		q.close()
	}
	e.running.Wait()
	for _, f := range frames {
		f.release()
	}
	e.pool.close()
	return nil
}

// model returns the processor's name as its maker gives it.
func model() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}
