package driver

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"weft/scheduler"
	"weft/scheduler/core"
	"weft/tile"
)

// fake is a device with any number of queues around the reference device. Without host it
// plays a GPU: its buffers have no host address, and only its own launches and copies reach
// them.
type fake struct {
	inner  *tile.Reference
	info   tile.DeviceInfo
	epoch  time.Time
	queues []chan func()
	ended  sync.WaitGroup

	mu      sync.Mutex
	passed  sync.Cond // on mu: reached has changed
	reached []uint64  // by queue: the number of the last work that has run
	buffers map[uint64]tile.Buffer
	last    uint64
	page    int64 // a buffer takes whole ones of so many bytes; 0: it takes its bytes
	pages   int64 // that nothing has taken

	holds     []bool     // by queue: launches are kept for a sequence
	held      [][]func() // those
	sequences []int      // how many launches each had
	launches  atomic.Int64
	before    func(l *tile.Launch) error // called at the start of every launch
	cold      bool                       // it has compiled nothing yet,
	kept      bool                       // but has what another process compiled
	prepared  []*tile.Launch             // what it was told of then
	guest     library                    // that uses its memory, too
}

func newFake(name string, queues int, memory int64, host bool, epoch time.Time) *fake {
	f := &fake{
		inner:   tile.NewReference(memory, epoch, nil),
		epoch:   epoch,
		info:    tile.DeviceInfo{Name: name, Model: "fake", Queues: queues, Memory: memory, Host: host, Inline: true},
		buffers: map[uint64]tile.Buffer{}, reached: make([]uint64, queues),
		holds: make([]bool, queues), held: make([][]func(), queues),
	}
	f.passed.L = &f.mu
	for range queues {
		q := make(chan func(), aheadTasks+1) // done starts the next task from within the last
		f.queues = append(f.queues, q)
		f.ended.Add(1)
		go func() {
			defer f.ended.Done()
			for work := range q {
				work()
			}
		}()
	}
	return f
}

func (f *fake) Info() tile.DeviceInfo { return f.info }

func (f *fake) Alloc(n int64) (tile.Buffer, error) {
	b, err := f.inner.Alloc(n)
	if err != nil || f.info.Host {
		return b, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.page > 0 {
		takes := (n + f.page - 1) / f.page
		if takes > f.pages {
			f.inner.Free(b)
			return tile.Buffer{}, fmt.Errorf("%d pages are left: %w", f.pages, tile.ErrOutOfMemory)
		}
		f.pages -= takes
	}
	f.last++
	f.buffers[f.last] = b
	return tile.Buffer{Handle: f.last, Size: n}, nil
}

func (f *fake) Free(b tile.Buffer) {
	if !f.lingering(b) {
		f.inner.Free(f.host(b))
		f.forget(b)
	}
}

func (f *fake) forget(b tile.Buffer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.page > 0 {
		f.pages += (b.Size + f.page - 1) / f.page
	}
	delete(f.buffers, b.Handle)
}

// host returns what lies behind a buffer.
func (f *fake) host(b tile.Buffer) tile.Buffer {
	if b.Host != nil {
		return b
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.buffers[b.Handle]
}

func (f *fake) Compile(p *tile.Program) (tile.Executable, error) { return f.inner.Compile(p) }

// Prepare keeps the launches that a device would compile for.
func (f *fake) Prepare(launches []*tile.Launch) { f.prepared = append(f.prepared, launches...) }

// Cold says of all programs what the test does.
func (f *fake) Cold(tile.Executable) bool   { return f.cold && !f.kept }
func (f *fake) Unmade(tile.Executable) bool { return f.cold }

// on does work in its turn. Work of other queues that waits for it may end before done is called.
func (f *fake) on(queue int, turn *tile.Turn, done func(tile.Completion), work func(done func(tile.Completion))) {
	if queue == tile.Inline {
		work(done)
		return
	}
	sequenced := f.holds[queue]
	f.enqueue(queue, func() {
		for _, p := range turn.After {
			p.Device.(*fake).await(p.Queue, p.Seq)
		}
		seq, start := turn.Seq, int64(time.Since(f.epoch))
		work(func(c tile.Completion) {
			c.Start, c.End = start, int64(time.Since(f.epoch))
			f.mu.Lock()
			f.reached[queue] = seq
			f.mu.Unlock()
			f.passed.Broadcast()
			if seq%3 == 0 {
				runtime.Gosched()
			}
			c.Estimated = sequenced
			done(c)
		})
	}, sequenced)
}

func (f *fake) enqueue(queue int, work func(), sequenced bool) {
	if sequenced {
		f.held[queue] = append(f.held[queue], work)
	} else {
		f.queues[queue] <- work
	}
}

// Sequence keeps the launches that a queue is given; End has it run them, one after the other. The runtime's mutex
// keeps the two apart from launches.
func (f *fake) Sequence(queue int) { f.holds[queue] = true }

func (f *fake) End(queue int) {
	held := f.held[queue]
	f.holds[queue], f.held[queue] = false, nil
	f.sequences = append(f.sequences, len(held))
	if len(held) > 0 {
		f.queues[queue] <- func() {
			for _, work := range held {
				work()
			}
		}
	}
}

func (f *fake) await(queue int, seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.reached[queue] < seq {
		f.passed.Wait()
	}
}

func (f *fake) Launch(queue int, l *tile.Launch, done func(tile.Completion)) {
	f.on(queue, &l.Turn, done, func(done func(tile.Completion)) {
		f.launches.Add(1)
		if f.before != nil {
			if err := f.before(l); err != nil {
				done(tile.Completion{Queue: queue, Err: err})
				return
			}
		}
		own := *l
		own.Args = make([]tile.Binding, len(l.Args))
		for i, a := range l.Args {
			a.Buffer = f.host(a.Buffer)
			own.Args[i] = a
		}
		f.inner.Launch(tile.Inline, &own, done)
	})
}

func (f *fake) Copy(queue int, t *tile.Transfer, done func(tile.Completion)) {
	f.on(queue, &t.Turn, done, func(done func(tile.Completion)) {
		own := *t
		var ok bool
		if own.Dst, ok = side(t.Dst, t.DstDev); !ok {
			done(tile.Completion{Err: fmt.Errorf("%s: the destination belongs to no buffer", f.info.Name)})
			return
		}
		if own.Src, ok = side(t.Src, t.SrcDev); !ok {
			done(tile.Completion{Err: fmt.Errorf("%s: the source belongs to no buffer", f.info.Name)})
			return
		}
		own.DstDev, own.SrcDev = nil, nil
		f.inner.Copy(tile.Inline, &own, done)
	})
}

func side(b tile.Buffer, dev tile.Device) (tile.Buffer, bool) {
	if b.Host != nil {
		return b, dev == nil
	}
	owner, ok := dev.(*fake)
	if !ok {
		return b, false
	}
	return owner.host(b), true
}

func (f *fake) Close() error {
	for _, q := range f.queues {
		close(q)
	}
	f.ended.Wait()
	return f.inner.Close()
}

// cpuFake returns options for a CPU with some queues. Ops are not fused, so that tests can
// tell what happens to each.
func cpuFake(queues int, memory int64) (Options, *fake) {
	epoch := time.Now()
	f := newFake("cpu", queues, memory, true, epoch)
	return Options{
		Epoch:   epoch,
		Devices: []tile.Device{f}, Kinds: []scheduler.DeviceKind{scheduler.CPU},
		Core: core.Options{MinTile: 1, NoFusion: true, CutLittle: true},
	}, f
}

// gpus returns options for a machine with GPUs of two queues.
func gpus(n int) Options {
	o, _ := cpuFake(1, 0)
	for i := range n {
		o.Devices = append(o.Devices, newFake(fmt.Sprintf("gpu%d", i), 2, 0, false, o.Epoch))
		o.Kinds = append(o.Kinds, scheduler.GPU)
	}
	return o
}

// sequencing has a machine's GPUs, which are ordered, take launches together.
func sequencing(o Options) Options {
	o = ordered(o)
	for i, dev := range o.Devices {
		if f, ok := dev.(*fake); ok && o.Kinds[i] == scheduler.GPU {
			f.info.Sequences = true
		}
	}
	return o
}

// ordered lets the queues of a machine's GPUs take tasks behind others.
func ordered(o Options) Options {
	for i, dev := range o.Devices {
		if f, ok := dev.(*fake); ok && o.Kinds[i] == scheduler.GPU {
			f.info.Ordered = true
		}
	}
	return o
}
