package driver

import (
	"weft/profiler"
	"weft/scheduler"
	"weft/tile"
)

// Script is a window that ran in order, ready to be repeated on other stores (see scheduler.Script).
type Script struct {
	*scheduler.Script
	forms    []uint32      // the recorder's, by op
	launches []tile.Launch // by run; only buffers and uniforms are other each time
	makes    []int         // slots with new instances
	kept     []tile.Scalar // the uniforms of the last repetition that was logged
	edition  uint64        // theirs; see Enact
}

// Learn has play submit what can be a script: so many ops, on stores from outside and on new ones. They are
// planned as a window of their own and run. The script is nil where that cannot be repeated. played is
// false where this is not the moment, or the machine, for scripts: there is one memory without a limit,
// nobody looks over the runtime's shoulder, the host has none of the stores mapped, and nothing is under way
// but little work, which is ended first. Whether that is flushed does not depend on how far it has got, so that
// plans do not, either.
func (l Lease) Learn(outside []scheduler.StoreID, ops int, play func()) (script *Script, played bool) {
	r := l.r
	if r.usable() != nil || len(r.memory) > 1 || r.host.info.Memory > 0 || r.checker != nil || r.opt.Trace != nil || r.opt.Dump != "" || r.random != nil || r.anyMapped(outside) || !r.lull() {
		return nil, false
	}
	mark := r.core.Mark()
	func() {
		r.learning = true // no op starts, however many there are
		defer func() { r.learning = false }()
		play()
	}()
	var made *scheduler.Script
	r.plan(func() *scheduler.Plan {
		p := r.core.Flush()
		made = r.core.Learn(p, mark, outside, ops)
		return p
	})
	r.settle()
	r.throttle()
	if made == nil || r.broken {
		return nil, true
	}
	return r.prepared(made), true
}

// prepared adds to a script what the driver needs to run it. It is nil where a task may not run on the
// calling thread.
func (r *Runtime) prepared(made *scheduler.Script) *Script {
	script := &Script{Script: made}
	for _, op := range made.Ops {
		script.forms = append(script.forms, r.formOf(op))
	}
	for i := range made.Runs {
		run := &made.Runs[i]
		d := r.devices[run.Task.Device]
		c := d.compile(run.Task.Op.Program)
		if c.err != nil || c.loops || !d.info.Inline {
			return nil
		}
		script.launches = append(script.launches, launch(c.exe, run))
	}
	for i, f := range made.Fresh {
		if f.Used {
			script.makes = append(script.makes, len(made.Outside)+i)
		}
	}
	return script
}

// launch returns what all launches of a script's run have in common.
func launch(exe tile.Executable, run *scheduler.ScriptRun) tile.Launch {
	t := run.Task
	l := tile.Launch{
		Exe: exe, Program: t.Op.Program, Shape: t.Shape, Origin: t.Origin,
		Args: make([]tile.Binding, len(run.Args)), Uniforms: make([]tile.Scalar, len(run.Numbers)),
		Block: t.Block, Reduced: t.Op.Reduced,
	}
	for k := range run.Args {
		l.Args[k].Offset, l.Args[k].Strides = run.Args[k].Offset, t.Op.Uses[k].View.Strides
		if t.Op.Whole(k) {
			l.Args[k].Shape = t.Op.Uses[k].View.Shape
		}
	}
	return l
}

// lull runs what was submitted before if that is little, and reports whether nothing is under way then.
func (r *Runtime) lull() bool {
	if !r.core.Little() {
		return false
	}
	if r.core.Unflushed() {
		r.flush()
		r.settle()
	}
	tasks, _ := r.core.Pending()
	return tasks == 0 && r.running == 0 && len(r.starved) == 0
}

func (r *Runtime) anyMapped(stores []scheduler.StoreID) bool {
	if len(r.mapped) > 0 {
		for _, id := range stores {
			if r.mapped[id] != nil {
				return true
			}
		}
	}
	return false
}

// Enact repeats a script on other stores from outside, with the uniforms of each op, which have another edition whenever
// they are others than in the script's last repetition; 0 says that nobody knows. It returns the first
// of the stores that the window makes, all of which are numbered in a row; those that end with it do not
// exist any more. False means that it is not repeated: what is wanted has to be submitted.
func (l Lease) Enact(script *Script, outside []scheduler.StoreID, numbers []tile.Scalar, edition uint64) (first scheduler.StoreID, ok bool) {
	r := l.r
	defer r.contain()
	x := &r.cast
	if r.usable() != nil || r.anyMapped(outside) {
		return 0, false
	}
	if !r.lull() || !r.core.Ready(script.Script, outside, x) {
		return 0, false
	}
	start := r.moment()
	r.bufs = r.bufs[:0]
	for _, inst := range x.Slots {
		b := held(inst)
		if b == nil || !b.allocated {
			return 0, false
		}
		r.bufs = append(r.bufs, b.buf)
	}
	if !r.furnish(script) {
		return 0, false
	}
	x.Numbers = numbers
	r.core.Enact(x)
	r.adopt(script, x, start)
	for i, form := range script.forms {
		r.rec.PutOp(uint32(x.Op(i)), form)
	}
	r.times = r.times[:0]
	// The end of planning is the beginning of the first run, and so on: looks at the clock
	// are most of what recording costs.
	at := r.now()
	if len(script.Ops) > 0 { // else nobody sees what it computes
		r.record(r.program, profiler.Record{Start: start, End: at, Kind: profiler.Plan, Op: uint32(x.Op(0)), Label: r.plans.repeated})
	}
	var err error
	for i := range script.Runs {
		begun := at
		if at, err = r.perform(script, x, i, begun); err != nil {
			break
		}
		r.times = append(r.times, begun, at)
	}
	r.strike(script, x, at)
	if err != nil {
		r.core.Spoil(x, len(r.times)/2, err)
		r.counts.add(FailedTasks)
	}
	r.counts.of[Operations] += int64(script.Submitted())
	r.counts.add(Plans)
	r.counts.add(Repeated)
	r.counts.of[Tasks] += int64(script.TaskCount())
	r.counts.of[Runs] += int64(len(r.times) / 2)
	r.counts.of[InlineTasks] += int64(len(r.times) / 2)
	r.log.enacted(script, x, edition, start, r.times, err != nil)
	x.Numbers = nil // the caller's
	return x.From.Store + 1, true
}

// furnish allocates what the script makes, by slot. When memory is used up it reports that, and nothing is
// allocated.
func (r *Runtime) furnish(script *Script) bool {
	outside := len(script.Outside)
	for i := range script.Fresh {
		f := &script.Fresh[i]
		if !f.Used {
			r.bufs = append(r.bufs, tile.Buffer{})
			continue
		}
		buf, err := r.host.dev.Alloc(max(f.Bytes, 1))
		if err != nil {
			for k, b := range r.bufs[outside:] {
				if script.Fresh[k].Used {
					r.host.dev.Free(b)
				}
			}
			return false
		}
		r.bufs = append(r.bufs, buf)
	}
	return true
}

// adopt takes over the new buffers for the new instances, since the time.
func (r *Runtime) adopt(script *Script, x *scheduler.Cast, since int64) {
	m := r.memory[0]
	for _, slot := range script.makes {
		inst := x.Slots[slot]
		f := &script.Fresh[slot-len(script.Outside)]
		m.live += f.Bytes
		r.counts.add(Allocations)
		rec := profiler.Record{Start: since, End: since, Bytes: f.Bytes, Kind: profiler.Alloc}
		if f.Kept {
			b := r.takeBuffer()
			*b = buffer{inst: inst, buf: r.bufs[slot], allocated: true, by: f.By}
			inst.Held = b
			r.buffers[inst.ID] = b
		}
		if f.By != nil {
			rec.Op = uint32(x.OpID(f.By.ID))
		}
		r.record(m.lane, rec)
	}
	m.peak = max(m.peak, m.live)
}

// strike frees the buffers of what ends with the window, at its end.
func (r *Runtime) strike(script *Script, x *scheduler.Cast, at int64) {
	m := r.memory[0]
	for _, slot := range script.makes {
		f := &script.Fresh[slot-len(script.Outside)]
		if f.Kept {
			continue
		}
		r.host.dev.Free(r.bufs[slot])
		m.live -= f.Bytes
		r.record(m.lane, profiler.Record{Start: at, End: at, Bytes: f.Bytes, Task: uint32(x.FreeTask(slot)), Kind: profiler.Free})
	}
}

// perform runs a run of the cast, which begins now. It returns when it ended.
func (r *Runtime) perform(script *Script, x *scheduler.Cast, i int, begun int64) (end int64, err error) {
	run := &script.Runs[i]
	t := run.Task
	q := r.devices[t.Device].queues[0]
	l := &script.launches[i]
	for k := range run.Args {
		l.Args[k].Buffer = r.bufs[run.Args[k].Slot]
	}
	for k, n := range run.Numbers {
		l.Uniforms[k] = x.Numbers[n]
	}
	if r.opt.Ranges == nil {
		q.dev.dev.Launch(tile.Inline, l, r.take)
	} else {
		id := r.opt.Ranges.Begin(rangeName(t))
		q.dev.dev.Launch(tile.Inline, l, r.take)
		r.opt.Ranges.End(id)
	}
	end = r.now()
	q.dev.busy += end - begun
	r.counts.bytes += t.Bytes()
	r.record(q.lane, profiler.Record{
		Start: begun, End: end, Bytes: t.Bytes(),
		Task: uint32(x.Task(i)), Op: uint32(x.RunOp(i)), Kind: profiler.Run,
	})
	return end, r.inline.Err
}
