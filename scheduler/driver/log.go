package driver

import (
	"slices"

	"weft/profiler"
	"weft/scheduler"
)

// What the log remembers: the newest ops, tasks and accesses of the host, enough for the graphs of
// a cell, and to verify it. Times are nanoseconds since the recorder's epoch.
const (
	loggedOps   = 1 << 14
	loggedTasks = 1 << 15
	loggedHosts = 1 << 14
)

// briefOps is how many submitted ops of windows that ran in order are remembered. A loop over small
// arrays makes a million of them a second; what the log holds of them, about a kilobyte each, has to fit
// the cache, or every new one is written to memory that is not there yet.
const briefOps = 1 << 11

// OpInfo is what graphs need of an op. The op must not be changed.
type OpInfo struct {
	*scheduler.Op
}

// Cell is what a cell (or a script) did: the IDs above First up to and including Last.
type Cell struct {
	Source              scheduler.SourceID
	FirstOp, LastOp     scheduler.OpID
	FirstTask, LastTask scheduler.TaskID
	Start, End          int64 // nanoseconds since the recorder's epoch
}

// eventLog is two rings, in which a row is found by its ID. Both IDs count up. Op IDs count
// what the program submitted: a fused op has the ID of its last part, and those of the others
// stay empty. A fused op keeps all of its parts alive, and a task its op, so that the rings
// must drop by op ID what is old, and not only by their lengths: else 2^15 tasks of 64 fused
// ops each would fill a gigabyte.
type eventLog struct {
	ops      []*scheduler.Op
	brief    []uint16          // by row: how many ops of the program it is, if these ran in order
	briefs   int               // the sum of these
	oldest   scheduler.OpID    // those below were dropped
	splits   []scheduler.Split // why the op of this row was not fused
	fits     []scheduler.Fit   // why it is not cut as others are
	tasks    []scheduler.Ran
	casts    []enacted              // the newest, not yet among the others
	hosts    []scheduler.HostAccess // a ring that grows up to its length
	accesses int                    // how many there were in all
	lastOp   scheduler.OpID         // the highest that was logged
	lastTask scheduler.TaskID       // the newest that was logged
	kept     scheduler.TaskID       // older tasks were dropped
	looked   scheduler.TaskID       // tasks from kept up to this one have no op, or one that is still logged
}

func (l *eventLog) op(op *scheduler.Op, inOrder bool) {
	if l.ops == nil {
		l.make()
	}
	// Ops of one window need not come in order.
	for id := max(l.lastOp+1, newest(op.ID, loggedOps)); id <= op.ID; id++ {
		l.forget(id)
	}
	l.lastOp = max(l.lastOp, op.ID)
	l.ops[op.ID%loggedOps] = op
	if inOrder {
		n := max(1, len(op.Parts))
		l.brief[op.ID%loggedOps] = uint16(n)
		l.briefs += n
	}
}

func (l *eventLog) make() {
	l.ops = make([]*scheduler.Op, loggedOps)
	l.brief = make([]uint16, loggedOps)
	l.splits = make([]scheduler.Split, loggedOps)
}

// forget empties the row of an ID.
func (l *eventLog) forget(id scheduler.OpID) {
	l.ops[id%loggedOps] = nil
	l.briefs -= int(l.brief[id%loggedOps])
	l.brief[id%loggedOps] = 0
}

// split is called after the plan's ops were logged.
func (l *eventLog) split(s scheduler.Split) { l.splits[s.Op%loggedOps] = s }

// fit is as well. Few machines have ever to call it.
func (l *eventLog) fit(f scheduler.Fit) {
	if l.fits == nil {
		l.fits = make([]scheduler.Fit, loggedOps)
	}
	l.fits[f.Op%loggedOps] = f
}

func (l *eventLog) task(t *scheduler.Task, planned int64) {
	if l.tasks == nil {
		l.tasks = make([]scheduler.Ran, loggedTasks)
	}
	l.tasks[t.ID%loggedTasks] = scheduler.Ran{Task: t, Planned: planned}
	l.lastTask = t.ID
}

// drop forgets the oldest ops while there are too many brief ones, the tasks of ops that are no longer
// logged, and what came before them.
func (l *eventLog) drop() {
	l.kept = max(l.kept, newest(l.lastTask, loggedTasks))
	for l.oldest = max(l.oldest, newest(l.lastOp, loggedOps)); l.briefs > briefOps; l.oldest++ {
		l.forget(l.oldest)
		for len(l.casts) > 0 {
			op, task := l.casts[0].cast.Last()
			if op >= l.oldest {
				break
			}
			l.briefs -= l.casts[0].cast.Script.Submitted()
			l.keepFrom(task + 1)
			l.casts[0] = enacted{}
			l.casts = l.casts[1:]
		}
	}
	for l.looked = max(l.looked, l.kept); l.looked <= l.lastTask && l.tasks != nil; l.looked++ {
		t := l.tasks[l.looked%loggedTasks].Task
		if t == nil || t.ID != l.looked || t.Op == nil {
			continue
		}
		if t.Op.ID >= l.oldest {
			return
		}
		l.keepFrom(l.looked + 1)
	}
}

// keepFrom forgets the tasks before an ID, frees that came between repetitions among them.
func (l *eventLog) keepFrom(id scheduler.TaskID) {
	for ; l.kept < id; l.kept++ {
		if l.tasks != nil {
			l.tasks[l.kept%loggedTasks] = scheduler.Ran{}
		}
	}
}

func (l *eventLog) started(t *scheduler.Task, at int64) {
	if row := &l.tasks[t.ID%loggedTasks]; row.Task == t {
		row.Start = at
	}
}

func (l *eventLog) ended(t *scheduler.Task, at int64, failed bool) {
	if row := &l.tasks[t.ID%loggedTasks]; row.Task == t {
		row.End, row.Failed = at, failed
	}
}

func (l *eventLog) host(a scheduler.HostAccess) {
	if len(l.hosts) < loggedHosts {
		l.hosts = append(l.hosts, a)
	} else {
		l.hosts[l.accesses%loggedHosts] = a
	}
	l.accesses++
}

// enacted is a repetition of a script: what it takes to log its ops and tasks, once somebody wants them.
type enacted struct {
	cast    scheduler.Cast
	planned int64
	times   []int64 // start and end of each run that ended
	failed  bool    // the one after these did
}

// enacted logs a repetition.
func (l *eventLog) enacted(x enacted) {
	op, task := x.cast.Last()
	if l.ops == nil {
		l.make()
	}
	for id := max(l.lastOp+1, newest(op, loggedOps)); id <= op; id++ {
		l.forget(id)
	}
	l.lastOp, l.lastTask = op, task
	l.briefs += x.cast.Script.Submitted()
	l.casts = append(l.casts, x)
	l.drop()
}

// expand puts the repetitions among the other rows.
func (l *eventLog) expand() {
	for i := range l.casts {
		x := &l.casts[i]
		ops, tasks, splits := x.cast.Expand()
		l.briefs -= x.cast.Script.Submitted()
		for _, op := range ops {
			l.op(op, true)
		}
		for _, s := range splits {
			l.split(s)
		}
		last := l.lastTask
		end := x.planned
		for _, t := range tasks {
			l.task(t.Task, x.planned)
			switch at := 2 * t.Run; {
			case t.Run < 0:
				l.started(t.Task, end)
				l.ended(t.Task, end, false)
			case at+1 < len(x.times):
				end = x.times[at+1]
				l.started(t.Task, x.times[at])
				l.ended(t.Task, end, false)
			case at == len(x.times) && x.failed:
				l.started(t.Task, end)
				l.ended(t.Task, end, true)
			}
		}
		l.lastTask = max(l.lastTask, last)
	}
	l.casts = nil
}

// Ops returns the logged ops whose ID is above since, in order.
func (r *Runtime) Ops(since scheduler.OpID) []OpInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.expand()
	var list []OpInfo
	for id := max(since+1, r.log.oldest, newest(r.core.LastOp(), loggedOps)); id <= r.core.LastOp() && r.log.ops != nil; id++ {
		if op := r.log.ops[id%loggedOps]; op != nil && op.ID == id {
			list = append(list, OpInfo{op})
		}
	}
	return list
}

// Split returns why an op was not fused with an earlier one of its window; false where it
// depended on none, or was.
func (r *Runtime) Split(id scheduler.OpID) (scheduler.Split, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.expand()
	if r.log.splits == nil {
		return scheduler.Split{}, false
	}
	s := r.log.splits[id%loggedOps]
	return s, s.Op == id
}

// Fit returns why no GPU has room for an op as it is; false where one has.
func (r *Runtime) Fit(id scheduler.OpID) (scheduler.Fit, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log.fits == nil {
		return scheduler.Fit{}, false
	}
	f := r.log.fits[id%loggedOps]
	return f, f.Op == id
}

// WhyWhole says why an op that is one task was not cut, or nothing where its size is not the reason.
func (r *Runtime) WhyWhole(op *scheduler.Op) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.WhyWhole(op)
}

// Tasks returns the logged tasks whose ID is above since, in order. They must not be changed.
func (r *Runtime) Tasks(since scheduler.TaskID) []scheduler.Ran {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.since(since)
}

func (l *eventLog) since(since scheduler.TaskID) []scheduler.Ran {
	l.expand()
	var list []scheduler.Ran
	for id := max(since+1, l.kept, newest(l.lastTask, loggedTasks)); id <= l.lastTask && l.tasks != nil; id++ {
		if t := l.tasks[id%loggedTasks]; t.Task != nil && t.ID == id {
			list = append(list, t)
		}
	}
	tasks := make([]*scheduler.Task, len(list))
	for i := range list {
		tasks[i] = list[i].Task
	}
	scheduler.Relate(tasks)
	return list
}

// HostAccesses returns what the host read and wrote in between, as far as it is still logged, in order.
func (r *Runtime) HostAccesses() []scheduler.HostAccess {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &r.log
	if l.accesses <= len(l.hosts) {
		return slices.Clone(l.hosts)
	}
	oldest := l.accesses % loggedHosts
	return slices.Concat(l.hosts[oldest:], l.hosts[:oldest])
}

// newest returns the smallest ID that a ring of n rows can still hold.
func newest[ID ~uint32](last ID, n ID) ID {
	if last < n {
		return 1
	}
	return last - n + 1
}

// BeginCell flushes what came before and marks the start of a cell.
func (r *Runtime) BeginCell(source scheduler.SourceID) Cell {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usable() == nil {
		r.flush()
		r.settle()
	}
	c := Cell{Source: source, FirstOp: r.core.LastOp(), FirstTask: r.core.LastTask(), Start: r.rec.Now()}
	if source != 0 { // else it is a mark in the middle of one
		r.cells.Begin(profiler.Cell, 0, 0, c.Start)
	}
	return c
}

// EndCell completes the marks and records the cell. It flushes but does not wait: call
// Sync first to have all of the cell's tasks ended.
func (r *Runtime) EndCell(c Cell) Cell {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usable() == nil {
		r.flush()
		r.settle()
	}
	c.LastOp, c.LastTask, c.End = r.core.LastOp(), r.core.LastTask(), r.rec.Now()
	name := ""
	if int(c.Source) < len(r.sources.names) {
		name = r.sources.names[c.Source]
	}
	label := r.rec.Label(profiler.Label{Name: name, Where: where(scheduler.Where{Source: c.Source})})
	r.cells.Record(profiler.Record{Start: c.Start, End: c.End, Label: label, Kind: profiler.Cell})
	return c
}
