package driver

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"unsafe"

	"weft/internal/lru"
	"weft/profiler"
	"weft/scheduler"
	"weft/tile"
)

// device is the driver's side of a tile.Device.
//
// Its ready tasks are in the order of IDs, so that what is oldest in the program starts first. recent lies in front of
// compiled, which is guarded by nothing but the runtime's mutex, as all is here.
type device struct {
	id        scheduler.DeviceID
	dev       tile.Device
	info      tile.DeviceInfo
	kind      scheduler.DeviceKind
	memory    scheduler.MemoryID
	queues    []*queue
	ready     []*scheduler.Task // wait for a queue, in ID order
	compiled  *lru.Cache[*tile.Program, compiled]
	recent    [recentPrograms]recentProgram
	busy      int64          // nanoseconds that its queues have run tasks, all together
	returns   bool           // its sharer is going to call returned
	lostBy    string         // of a device that is lost: what tasks may have ended it
	open      *sequence      // that is being given to it
	crowded   bool           // the next sequence waits for room
	sequencer tile.Sequencer // that it is; nil where it is none
	preparer  tile.Preparer  // likewise
	sharer    tile.Sharer    // likewise
	warm      *queue         // whose task ended last: it is awake, and has in its caches what follows from that task
}

// queue is one of a device's queues. It has one task at a time, or, on an ordered device, several behind each other.
//
// The ring of an ordered device's queue, with the device's end and ours:
//
//	slots    [ ended | ended | runs | waits | waits |       |       ]
//	           head           head+ended             head+count
//
//	count    tasks in it        ended    of these, those that the device has called back for, but that others, which they
//	                                     came behind on other queues, keep from being completed
//
// A queue that is not ordered has one slot. Slots are used again with all that is in them, so that a launch allocates
// nothing.
type queue struct {
	dev     *device
	number  int
	runs    bool           // takes runs
	copies  bool           // takes copies
	ways    ways           // of copies, which
	slots   []slot         // a ring of the tasks that it has, the first of them at head
	head    int            // ...
	count   int            // how many
	ended   int            // of these, how many the device is done with
	bytes   int64          // that those move which it is not done with
	ahead   int64          // from how many on it takes no third task
	seq     uint64         // the last task's number, on an ordered device
	lane    *profiler.Lane // for runs
	channel *profiler.Lane // for copies
	done    func(tile.Completion)
}

// slot is a task that a queue has.
//
// The device reads launch and transfer until it calls back; the driver writes nothing of them in between, but
// for the Stop of the launch, which is atomic.
type slot struct {
	task     *scheduler.Task
	since    int64 // when the queue came to it
	launch   tile.Launch
	transfer tile.Transfer
	watched  tile.Watch   // of the launch
	after    []tile.Point // of either
	stopped  error        // why the task's loops were told to stop
	went     tile.Completion
}

// at returns the i'th slot of those that are taken, or of those behind them.
func (q *queue) at(i int) *slot { return &q.slots[(q.head+i)%len(q.slots)] }

// first returns the task that runs, or is to run next; nil where the queue has none.
func (q *queue) first() *slot {
	if q.count == 0 {
		return nil
	}
	return q.at(0)
}

// laneOf returns the lane of a task's bar.
func (q *queue) laneOf(t *scheduler.Task) *profiler.Lane {
	if t.Kind == scheduler.Copy {
		return q.channel
	}
	return q.lane
}

// compiled is what a device made of a program.
type compiled struct {
	exe   tile.Executable
	err   error
	loops bool // it may take for ever
	apart bool // so may it, or its threads may fail, in arrays that the program has seen: it is never run inline
}

// recentPrograms is how many programs are found by their address alone: a cache that keeps the order of all takes ten
// times as long. A power of two.
const recentPrograms = 64

// recentProgram is the last program of its slot.
type recentProgram struct {
	program *tile.Program
	made    compiled
}

// slotOf returns the slot of a program among so many, a power of two.
//
// Fibonacci hashing: the multiplier is 2^64 divided by the golden ratio, which spreads addresses that are multiples of
// an allocator's size classes. The address is a number here, and keeps nothing alive; an entry that is found is
// compared.
func slotOf(p *tile.Program, slots uintptr) uintptr {
	return uintptr(uint64(uintptr(unsafe.Pointer(p)))*0x9e3779b97f4a7c15>>32) & (slots - 1)
}

// maxCompiled bounds the executables that a device keeps: those that were launched last. They are found by the
// program's address: package arrays keeps one program of each kind.
const maxCompiled = 4096

// ways are the copies that a queue takes.
type ways uint8

const (
	bothWays ways = iota
	inwards       // to the device, from the host and from other devices
	outwards      // to the host
)

// wayNames are what the lanes are called, behind the device's name.
var wayNames = [...]string{bothWays: " copy", inwards: " in", outwards: " out"}

// addQueues makes the queues and their lanes. The last queue of a GPU that has several is
// for copies alone, so that they overlap with runs; or the last two are, one for each way, so that they overlap with
// each other.
//
//	CPU, 4 queues                 0 run         1 run    2 run    3 run
//	GPU, 2 queues                 0 run         1 copy
//	GPU, 4 queues, 2 copiers      0 run         1 run    2 in     3 out
//
// A GPU with one queue has it run and copy by turns.
func (r *Runtime) addQueues(d *device) {
	copiers := 0
	if d.kind == scheduler.GPU {
		copiers = max(1, min(d.info.Copies, d.info.Queues-1, 2))
	}
	for i := range d.info.Queues {
		q := &queue{dev: d, number: i, runs: true, slots: make([]slot, 1)}
		if d.info.Ordered {
			q.slots, q.ahead = make([]slot, aheadTasks), cmp.Or(d.info.Ahead, usualAhead)
		}
		if last := d.info.Queues - 1; i > last-copiers {
			q.copies, q.runs = true, i == 0
			if copiers == 2 {
				q.ways = inwards + ways(i-last+1)
			}
			q.channel = r.rec.Lane(profiler.LaneInfo{Name: d.info.Name + wayNames[q.ways], Kind: "copy", Device: d.info.Name})
		}
		if q.runs {
			name := d.info.Name
			if d.kind == scheduler.CPU || d.info.Queues-copiers > 1 {
				name = fmt.Sprintf("%s%d", name, i)
				if d.kind == scheduler.GPU {
					name = fmt.Sprintf("%s q%d", d.info.Name, i)
				}
			}
			q.lane = r.rec.Lane(profiler.LaneInfo{Name: name, Kind: d.kind.String(), Device: d.info.Name})
		}
		q.done = func(c tile.Completion) { r.finished(q, c) }
		d.queues = append(d.queues, q)
	}
}

// free returns a queue that can take a task now, or nil: the one with the fewest tasks.
//
// The warm queue comes first where it is idle: its thread has not gone to sleep yet, and waking another takes tens of
// microseconds.
func (d *device) free(t *scheduler.Task) (free *queue) {
	if d.warm != nil && d.warm.count == 0 && d.warm.takes(t) {
		return d.warm
	}
	for _, q := range d.queues {
		if q.takes(t) && (free == nil || q.count < free.count) {
			free = q
		}
	}
	return free
}

// take reports whether a copy goes one of these ways.
func (w ways) take(t *scheduler.Task) bool {
	return w == bothWays || (w == outwards) == (t.Dst.Memory == 0)
}

// takes reports whether the queue can take a task now.
//
// A second task is always taken, so that the device never waits for the host between two; what comes behind it, only
// while those that are there are too little to keep it busy (ahead.go).
func (q *queue) takes(t *scheduler.Task) bool {
	return q.count < len(q.slots) && (q.count < 2 || q.bytes < q.ahead) && (q.runs && t.Kind == scheduler.Run || q.copies && t.Kind == scheduler.Copy && q.ways.take(t))
}

// pump starts everything that can start. The caller holds the mutex.
//
// It goes around until nothing more starts: a free that runs here may enable tasks, a task that fails before it starts
// completes others, and one that begins on an ordered device lets those behind it begin. Devices may call back
// while it runs; they wait for the mutex.
func (r *Runtime) pump() {
	for again := true; again; {
		again = false
		for _, t := range r.core.Next() {
			if t.Kind == scheduler.Free {
				r.release(t)
				again = true
				continue
			}
			r.enqueue(t)
		}
		for _, d := range r.devices {
			again = r.startOn(d) || again
		}
		for _, d := range r.devices {
			again = !again && d.endSequence() || again
		}
		if !again && r.running == 0 && len(r.starved) > 0 {
			again = r.relieve()
		}
	}
	r.wake()
}

// enqueue puts a task among those of its device that wait for a queue.
func (r *Runtime) enqueue(t *scheduler.Task) {
	d := r.devices[t.Device]
	at := len(d.ready)
	for at > 0 && d.ready[at-1].ID > t.ID {
		at--
	}
	d.ready = slices.Insert(d.ready, at, t)
}

// startOn starts waiting tasks of a device on its free queues. It reports whether that lets others start: a task
// was completed on the way, by failing before it started, or began on an ordered device.
//
// Tasks for which there is no queue stay at the front, skipped, while those behind them are tried: runs and copies have
// queues of their own. With Options.Shuffle the order is drawn, to show tests what depends on it.
func (r *Runtime) startOn(d *device) (more bool) {
	d.crowded = false
	skipped := 0 // tasks at the front for which no queue is free
	for skipped < len(d.ready) {
		at := skipped
		if r.random != nil {
			at += r.random.IntN(len(d.ready) - skipped)
		}
		t := d.ready[at]
		q := d.queueFor(t)
		if q == nil {
			// Tasks of the other kind may still find a queue; those of this kind won't.
			if r.random != nil {
				d.ready[at], d.ready[skipped] = d.ready[skipped], t
			}
			skipped++
			continue
		}
		d.ready = slices.Delete(d.ready, at, at+1)
		starved := len(r.starved)
		more = r.start(q, t) || more
		if len(r.starved) == starved {
			d.started(t)
		}
	}
	if r.random != nil && skipped > 1 {
		slices.SortFunc(d.ready, func(a, b *scheduler.Task) int { return int(a.ID) - int(b.ID) })
	}
	return more
}

// start gives a task to a queue. It reports whether that lets others start, as where the task failed instead. A task
// that lacks memory joins the starved.
//
// In the order of what may go wrong, each of which leaves the queue as it was:
//
//	doomed       what it comes behind has failed: it need not begin, or only so that its queue keeps its order
//	reserve      memory for all instances, or none: full, and the task starves
//	cleared      zeros that are there: done without a launch
//	prepare      the device cannot compile the program
//	turn, begin  from here on the device has it
func (r *Runtime) start(q *queue, t *scheduler.Task) (more bool) {
	d := q.dev
	ordered, doomed := d.info.Ordered, false
	if ordered {
		if doomed = r.core.Look.Doomed(t.ID); doomed && r.over(t) {
			r.complete(t, nil)
			return true
		}
	}
	switch full, err := r.reserve(t); {
	case err != nil:
		r.complete(t, err)
		return true
	case full:
		r.starved = append(r.starved, t)
		return false
	}
	s := q.at(q.count)
	lane := q.laneOf(t)
	if t.Kind == scheduler.Copy {
		r.transfer(t, &s.transfer)
	} else {
		if r.over(t) && r.cleared(t) {
			begun := r.begin(lane, t)
			ended := r.now()
			r.finish(lane, t, begun, ended, 0, nil)
			return true
		}
		if err := r.prepare(d, t, d.compile(t.Op.Program), s); err != nil {
			r.complete(t, err)
			return true
		}
		if doomed && s.launch.Stop != nil {
			s.launch.Stop.Set()
		}
	}
	if ordered {
		turn := r.turn(q, t, s)
		s.launch.Turn, s.transfer.Turn = turn, turn
		r.core.Begun(t.ID)
	}
	s.task, s.stopped, s.since = t, nil, r.begin(lane, t)
	if q.count++; q.count == 1 {
		s.since = r.show(lane, t, s.since)
	}
	q.bytes += t.Bytes()
	r.running++
	if t.Kind == scheduler.Copy {
		d.dev.Copy(q.number, &s.transfer, q.done)
	} else {
		d.dev.Launch(q.number, &s.launch, q.done)
	}
	return ordered
}

// cleared reports whether a task that can start has nothing to do: it writes zeros, where the memory has held them
// since it was allocated.
func (r *Runtime) cleared(t *scheduler.Task) bool {
	return t.Zeros && held(t.Args[0].Instance).buf.Zero
}

// compile returns what the device makes of a program.
//
// What failed to compile is kept as well: the error is the same the next time, and finding it out may take long.
func (d *device) compile(p *tile.Program) compiled {
	r := &d.recent[slotOf(p, recentPrograms)]
	if r.program == p {
		return r.made
	}
	made, ok := d.compiled.Get(p)
	if !ok {
		made.exe, made.err = d.dev.Compile(p)
		made.loops = slices.ContainsFunc(p.Code, func(in tile.Instr) bool { return in.Op == tile.Loop }) || p.Routine != "" && !d.info.Host
		made.apart = made.loops || p.Threads
		d.compiled.Add(p, made, 1)
	}
	*r = recentProgram{p, made}
	return made
}

// prepare fills in the launch of a run.
func (r *Runtime) prepare(d *device, t *scheduler.Task, made compiled, s *slot) error {
	p, l := t.Op.Program, &s.launch
	if made.err != nil {
		return fmt.Errorf("%s cannot run program %q: %w", d.info.Name, p.Name, made.err)
	}
	*l = launchOf(t, made, l.Args[:0], func(inst *scheduler.Instance) tile.Buffer { return held(inst).buf })
	l.Watch = s.watch(t.Op)
	if made.loops || p.Threads && d.info.Host { // where asking between blocks costs nothing
		l.Stop = new(tile.Stop)
	}
	return nil
}

// launchOf is the launch of a run on the buffers of its instances, of which args has the row.
func launchOf(t *scheduler.Task, made compiled, args []tile.Binding, buffer func(*scheduler.Instance) tile.Buffer) tile.Launch {
	for i := range t.Args {
		a := &t.Args[i]
		args = append(args, tile.Binding{Buffer: buffer(a.Instance), Offset: a.Offset, Strides: t.Op.Uses[i].View.Strides})
		if t.Op.Whole(i) {
			args[i].Shape = t.Op.Uses[i].View.Shape
		}
	}
	l := tile.Launch{
		Exe: made.exe, Program: t.Op.Program, Shape: t.Shape, Origin: t.Origin, Args: args,
		Uniforms: t.Op.Uniforms, Block: t.Block, Reduced: t.Op.Reduced, Product: t.Op.Kind == scheduler.Contract,
	}
	if t.Op.Grid != nil {
		l.Grid = *t.Op.Grid
	}
	return l
}

// transfer fills in the copy between two instances. The host's side has no owner.
func (r *Runtime) transfer(t *scheduler.Task, x *tile.Transfer) {
	part := t.Part()
	*x = tile.Transfer{
		Dst: held(t.Dst).buf, Src: held(t.Src).buf,
		DstAt: t.Lo - t.Dst.Lo, SrcAt: t.Lo - t.Src.Lo,
		Bytes: part.Run, Rows: part.N, DstStep: part.Step, SrcStep: part.Step,
	}
	if t.Dst.Memory != 0 {
		x.DstDev = r.memory[t.Dst.Memory].device.dev
	}
	if t.Src.Memory != 0 {
		x.SrcDev = r.memory[t.Src.Memory].device.dev
	}
}

// finished is called by devices when a queue's first task that is not done is. It runs on the device's
// goroutine, where no caller would catch a panic: after one the runtime is broken, and says so
// to everyone who waits.
//
// The device has called back for the slot at ended: queues call back in their order. Completion.Err is replaced where
// it only says that loops were told to stop, by why they were.
func (r *Runtime) finished(q *queue, c tile.Completion) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.contain()
	s := q.at(q.ended)
	if s.stopped != nil && errors.Is(c.Err, tile.ErrStopped) {
		c.Err = s.stopped
	}
	c.Err = r.blame(q, c.Err)
	s.went = c
	q.ended++
	q.bytes -= s.task.Bytes()
	q.dev.warm = q
	r.late++
	r.retire(q)
	if len(r.starved) > 0 {
		r.feed()
	}
	r.pump()
}

// contain is deferred where the core plans or is told what happened, and where launches run. A panic there
// leaves the state undefined. From then on every call fails with it, instead of waiting for what
// never comes.
func (r *Runtime) contain() {
	if p := recover(); p != nil {
		r.broken = true
		r.wrong = &PanicError{p, debug.Stack()}
		r.wake()
	}
}

// finish completes a task that has begun, with the recorder's times. What is to be said of a run's times is a label.
func (r *Runtime) finish(lane *profiler.Lane, t *scheduler.Task, start, end int64, label uint32, err error) {
	err = r.tell(t, err)
	r.end(lane, t, start, end, label, err)
	r.log.ran(t, start, end, err != nil)
}

// complete completes a handed-out task that has not begun, or frees: if it was handed out behind others, when these are
// completed.
func (r *Runtime) complete(t *scheduler.Task, err error) {
	if !r.over(t) {
		r.withheld = append(r.withheld, withheld{t, err})
		r.late++
		return
	}
	_ = r.tell(t, err)
}

// tell tells the core that a task is done, and returns what that says it has failed with. Loops stop that compute
// with what a failed task has left.
func (r *Runtime) tell(t *scheduler.Task, err error) error {
	err = r.core.Done(t.ID, err)
	r.counts.ended(t.Kind, err != nil)
	if err != nil {
		r.stopDoomed()
	}
	return err
}

// settle runs or starts what was flushed: a little work here and now, more on the queues.
func (r *Runtime) settle() {
	r.settleBy(r.little)
}

// settleFor is settle for a caller that is going to wait for some tasks.
func (r *Runtime) settleFor(after []scheduler.TaskID) {
	r.settleBy(func() bool { return r.little() || r.alone(after) })
}

func (r *Runtime) settleBy(here func() bool) {
	defer r.contain()
	if tasks, _ := r.core.Look.Pending(); tasks > 0 && r.running == 0 && len(r.starved) == 0 && here() {
		r.runInline()
	}
	r.pump()
}

// little reports whether what is pending is so little that the calling thread does it: all of
// it together, or each task.
func (r *Runtime) little() bool {
	return r.core.Look.Owed() <= r.opt.InlineBytes || r.opt.InlineBytes > 0 && r.heavy.count == 0
}

// runInline runs everything that is pending on the calling thread. It stops short of
// devices that cannot do that, and of memory that is used up.
func (r *Runtime) runInline() {
	for {
		tasks := r.core.Next()
		if len(tasks) == 0 {
			return
		}
		for i, t := range tasks {
			if t.Kind == scheduler.Free {
				r.release(t)
				continue
			}
			d := r.devices[t.Device]
			full, err := false, error(nil)
			here, made := d.info.Inline, compiled{}
			if here && t.Kind == scheduler.Run {
				made = d.compile(t.Op.Program)
				here = !made.apart
			}
			if here {
				full, err = r.reserve(t)
			}
			if !here || full {
				for _, t := range tasks[i:] {
					if t.Kind == scheduler.Free {
						r.release(t)
					} else {
						r.enqueue(t)
					}
				}
				return
			}
			if err == nil {
				var start, end int64
				start, end, err = r.runHere(d, t, made)
				if end > 0 {
					r.log.ran(t, start, end, err != nil)
				}
			}
			r.complete(t, err)
		}
	}
}

// runHere runs a task whose buffers are there, and returns since and until when.
//
// It borrows the first slot of the device's first queue, or of the last one for a copy: nothing runs there. The device
// calls take before Launch returns, on this thread, which leaves the completion in r.inline.
func (r *Runtime) runHere(d *device, t *scheduler.Task, made compiled) (begun, ended int64, err error) {
	q := d.queues[0]
	lane := q.lane
	if t.Kind == scheduler.Copy {
		q = d.queues[len(d.queues)-1]
		lane = q.channel
	}
	s := q.at(0) // nothing runs
	if t.Kind == scheduler.Copy {
		r.transfer(t, &s.transfer)
		begun = r.begin(lane, t)
		d.dev.Copy(tile.Inline, &s.transfer, r.take)
	} else if r.cleared(t) {
		begun, r.inline = r.begin(lane, t), tile.Completion{}
	} else {
		if err := r.prepare(d, t, made, s); err != nil {
			return 0, 0, err
		}
		begun = r.begin(lane, t)
		d.dev.Launch(tile.Inline, &s.launch, r.take)
		r.wentWrong(t.Op, s.launch.Watch)
	}
	ended = r.now()
	r.end(lane, t, begun, ended, r.markOf(t), r.inline.Err)
	r.counts.add(InlineTasks)
	return begun, ended, r.inline.Err
}
