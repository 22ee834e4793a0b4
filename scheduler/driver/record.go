package driver

import (
	"fmt"

	"weft/internal/units"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/verify"
	"weft/tile"
)

// The recorder is told in three steps, so that a Record has a fixed size, and refers to the rest by number:
//
//	Form     once for each kind of op: name, place, shape, program as text
//	PutOp    once for each op of a plan: its form
//	Record   once for each run, copy, wait and allocation: its op
//
// formKey finds a form without building its text, for shapes of up to six axes.
//
// Recording an op in a loop must not print its program: a key is compared with the last one of its line, then looked
// up in a map, and only what is new becomes text.
type formKey struct {
	program *tile.Program
	name    string
	where   scheduler.Where
	kind    scheduler.OpKind
	rank    int
	shape   [6]int
	parts   uint64 // a hash of the lines of what was fused: the same program is also that of other lines
}

// partsHash is 0 for an op that is a single operation. FNV-1a, by words.
//
// Two ops whose lines collide would be drawn as of the first's lines: with 64 bits and a few thousand forms, one time
// in 10^12.
func partsHash(op *scheduler.Op) uint64 {
	if len(op.Parts) == 0 {
		return 0
	}
	h := uint64(14695981039346656037)
	for _, part := range op.Parts {
		h = (h ^ (uint64(part.Where.Source)<<32 | uint64(uint32(part.Where.Line)))) * 1099511628211
	}
	return h
}

// partsOf are the lines of what was fused into an op.
func partsOf(op *scheduler.Op) profiler.Parts {
	if len(op.Parts) == 0 {
		return ""
	}
	lines := make([]profiler.Where, len(op.Parts))
	for i, part := range op.Parts {
		lines[i] = where(part.Where)
	}
	return profiler.PartsOf(lines)
}

// knownForm is a form that was found last.
type knownForm struct {
	key  formKey
	form uint32
}

// maxForms bounds the forms that are known by key, those that ops had last; the recorder knows them by text.
const maxForms = 1 << 12

// recordOp tells the recorder what an op is.
func (r *Runtime) recordOp(op *scheduler.Op) { r.rec.PutOp(uint32(op.ID), r.formOf(op)) }

// formOf returns the number by which the recorder knows ops like this one.
func (r *Runtime) formOf(op *scheduler.Op) uint32 {
	shape := op.Shape
	if op.Kind == scheduler.Call { // what people take for its shape
		shape = op.Uses[0].View.Shape
	}
	key := formKey{program: op.Program, name: op.Name, where: op.Where, kind: op.Kind, rank: len(shape), parts: partsHash(op)}
	copy(key.shape[:], shape)
	last := &r.lastForms[(uintptr(op.Where.Line)^slotOf(op.Program, uintptr(len(r.lastForms))))%uintptr(len(r.lastForms))] // looking it up in a map takes as long as a record
	if last.key == key && last.form != 0 && key.rank <= len(key.shape) {
		return last.form
	}
	form, ok := r.forms.Get(key)
	if whole := key.rank <= len(key.shape); !ok || !whole {
		form = r.rec.Form(profiler.Form{
			Name: op.Name, Kind: op.Kind.String(), Where: where(op.Where),
			Shape: units.Shape(shape), Program: op.Program.String(), Parts: partsOf(op),
		})
		if whole {
			r.forms.Add(key, form, 1)
		}
	}
	*last = knownForm{key, form}
	return form
}

func where(w scheduler.Where) profiler.Where {
	return profiler.Where{Source: uint32(w.Source), Line: w.Line}
}

// planLabels are what planning is called on the timeline.
type planLabels struct {
	known, found uint32
	pass         map[string]uint32 // by the pass's name
}

func newPlanLabels(rec *profiler.Recorder) planLabels {
	name := func(name, detail string) uint32 { return rec.Label(profiler.Label{Name: name, Detail: detail}) }
	return planLabels{
		known: name("plan, known", "what is fused was remembered from an earlier window like it"),
		found: name("plan, new", "what can be fused had to be found"),
		pass:  map[string]uint32{},
	}
}

// It is recorded what a plan's passes took where they took long, in nanoseconds, and where so many ops are planned that
// they could have.
const (
	slowPlan = 50_000
	longPlan = 16
)

// recordPlan records the planning of a window.
//
// Passes are drawn below the plan only where it took longer than slowPlan: a loop makes thousands of short ones, whose
// passes would be too narrow to see.
func (r *Runtime) recordPlan(start int64, plan *scheduler.Plan) {
	label := r.plans.known
	if plan.Template != nil && !plan.Replayed {
		label = r.plans.found
	}
	end := r.now()
	op := uint32(plan.Ops[0].ID)
	if end-start >= slowPlan && r.stepwise {
		for i, step := range r.steps {
			until := end
			if i+1 < len(r.steps) {
				until = r.steps[i+1].at
			}
			id, known := r.plans.pass[step.pass]
			if !known {
				id = r.rec.Label(profiler.Label{Name: step.pass, Detail: "a pass of planning"})
				r.plans.pass[step.pass] = id
			}
			r.record(r.program, profiler.Record{Start: step.at, End: until, Kind: profiler.Pass, Op: op, Label: id})
		}
	}
	r.record(r.program, profiler.Record{Start: start, End: end, Kind: profiler.Plan, Op: op, Label: label})
}

// step is the beginning of a pass of the plan that is made.
type step struct {
	pass string
	at   int64
}

// begin is called right before a run or copy starts. It returns the time.
//
// users goes up for each operand, down in end, and is what keeps a Free from coming in between (inv 2).
func (r *Runtime) begin(lane *profiler.Lane, t *scheduler.Task) int64 {
	now := r.moment()
	for _, inst := range instances(t) {
		held(inst).users++
	}
	if r.opt.Trace != nil {
		fmt.Fprintf(r.opt.Trace, "%12.3f start %v %v on %s\n", float64(now)/1e6, t.ID, r.taskText(t), lane.Info().Name)
	}
	r.check(func(c *verify.Checker) error { return c.Start(t) })
	if r.opt.Ranges != nil {
		r.enter(t)
	}
	return now
}

// show lets Glance and Doing see that a queue has begun a task, and returns since when. What the calling thread does
// itself is too short for that.
func (r *Runtime) show(lane *profiler.Lane, t *scheduler.Task, at int64) (since int64) {
	r.log.started(t, at)
	if r.log.off {
		return r.rec.Now() // Doing tells it all the same
	}
	kind, op := profiler.Run, uint32(0)
	if t.Kind == scheduler.Copy {
		kind = profiler.Copy
	}
	if t.Op != nil {
		op = uint32(t.Op.ID)
	}
	lane.Begin(kind, uint32(t.ID), op, at)
	return at
}

// end is called when a run or copy is done, with the recorder's times, and for a run with a label of what is to be said
// of these.
//
// Each run and copy passes here once, on whichever way: it is the one place that records, counts and traces.
func (r *Runtime) end(lane *profiler.Lane, t *scheduler.Task, start, end int64, label uint32, err error) {
	if r.opt.Ranges != nil {
		r.leave(t)
	}
	for _, inst := range instances(t) {
		held(inst).users--
	}
	rec := profiler.Record{Start: start, End: end, Bytes: t.Bytes(), Task: uint32(t.ID), Label: label, Kind: profiler.Run}
	if t.Kind == scheduler.Run && r.cleared(t) {
		rec.Bytes = 0
	}
	if t.Op != nil {
		rec.Op = uint32(t.Op.ID)
	}
	r.counts.bytes += rec.Bytes
	if t.Kind != scheduler.Copy {
		r.devices[t.Device].busy += end - start
	} else {
		rec.Kind = profiler.Copy
		rec.Label = r.rec.Label(profiler.Label{Name: t.Cause.String(), Where: where(t.Where), Detail: r.route(t)})
		r.counts.moved(t.Cause, rec.Bytes)
	}
	r.record(lane, rec)
	if r.opt.Trace != nil {
		fmt.Fprintf(r.opt.Trace, "%12.3f end   %v %v on %s: %d ns, error %v\n", float64(end)/1e6, t.ID, r.taskText(t), lane.Info().Name, end-start, err)
	}
	r.check(func(ch *verify.Checker) error { return ch.End(t, err) })
}

// route says from which memory to which a copy goes.
func (r *Runtime) route(t *scheduler.Task) string {
	return r.memory[t.Src.Memory].name + " to " + r.memory[t.Dst.Memory].name
}

// instances yields the instances of a run or copy, as often as it uses them.
func instances(t *scheduler.Task) func(func(int, *scheduler.Instance) bool) {
	return func(yield func(int, *scheduler.Instance) bool) {
		if t.Kind == scheduler.Copy {
			_ = yield(0, t.Src) && yield(1, t.Dst)
			return
		}
		for i := range t.Args {
			if !yield(i, t.Args[i].Instance) {
				return
			}
		}
	}
}

// taskText says what a task is: "add at In[3] line 2".
func (r *Runtime) taskText(t *scheduler.Task) string {
	if t.Kind == scheduler.Copy {
		return fmt.Sprintf("%v of %d bytes of %v", t.Cause, t.Bytes(), t.Src.Store)
	}
	return r.placed(t.Op.Name, t.Where)
}

// check asks the checker, if there is one, and keeps its first complaint.
//
// The first complaint is kept, and told by what waits next; behind it the checker's own state may be wrong, so that
// nothing more is asked.
func (r *Runtime) check(ask func(*verify.Checker) error) {
	if r.checker == nil || r.wrong != nil {
		return
	}
	r.wrong = ask(r.checker)
}

// hostAccess logs an access of the host to bytes of its instance, and fails with what the checker found first.
func (r *Runtime) hostAccess(inst *scheduler.Instance, lo, hi int64, write bool) error {
	if !r.log.off {
		row := r.log.hosts.add()
		row.instance, row.store, row.memory, row.from, row.to = inst.ID, inst.Store, inst.Memory, inst.Lo, inst.Hi
		row.lo, row.hi, row.write, row.at, row.after = lo, hi, write, r.moment(), r.core.Look.LastTask()
	}
	r.check(func(c *verify.Checker) error {
		if write {
			return c.HostWrite(inst, lo, hi)
		}
		return c.HostRead(inst, lo, hi)
	})
	return r.wrong
}

// Note records something that no task did, on the program's lane: a call that NumPy does,
// with the bytes that it moved. Start and end count from the recorder's epoch.
func (r *Runtime) Note(kind profiler.Kind, name string, w scheduler.Where, start, end, bytes int64) {
	label := r.rec.Label(profiler.Label{Name: name, Where: where(w)})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record(r.program, profiler.Record{Start: start, End: end, Bytes: bytes, Label: label, Kind: kind})
}

// Now returns the nanoseconds since the recorder's epoch.
func (r *Runtime) Now() int64 { return r.rec.Now() }
