package driver

import (
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/core"
	"weft/scheduler/verify"
)

// What the log remembers: the newest ops, tasks and accesses of the host, enough for the graphs of
// a cell, and to verify it. Times are nanoseconds since the recorder's epoch.
const (
	//	ops      row op.ID % 2^16       fused ops take the ID of their last part: rows between are empty
	//	tasks    row task.ID % 2^15     every task has one
	//	hosts    a ring by count
	//
	// A row is of the ID that is asked for only if it says so: older ones of the same row were overwritten.
	loggedOps   = 1 << 16 // IDs of ops
	loggedTasks = 1 << 15
	loggedHosts = 1 << 14
)

// Bounds of how many submitted ops are remembered, about a kilobyte each. Those of windows that ran in order are
// fewer. A loop over small arrays makes a million of them a second; what the log holds of them has to fit
// the cache, or every new one is written to memory that is not there yet.
const (
	broadOps = 1 << 14
	briefOps = 1 << 11
)

// OpInfo is what graphs need of an op. The op must not be changed.
type OpInfo struct {
	*scheduler.Op
}

// Cell is what a cell (or a script) did: the IDs above First up to and including Last.
//
//	o11  o12 o13 o14  o15        FirstOp 11, LastOp 14: the first is that of the op before
//	     \__the cell_/
type Cell struct {
	Source              scheduler.SourceID
	FirstOp, LastOp     scheduler.OpID
	FirstTask, LastTask scheduler.TaskID
	Start, End          int64 // nanoseconds since the recorder's epoch
}

// eventLog is two rings, in which a row is found by its ID. Both IDs count up. Op IDs count
// what the program submitted: a fused op has the ID of its last part, and those of the others
// stay empty. A fused op keeps all of its parts alive, and a task its op, so that the rings
// must drop by window what is old, and not only by their lengths: else 2^15 tasks of 64 fused
// ops each would fill a gigabyte.
//
// splits and fits have rows by op as well, and are not cleared: a row whose Op is another's is old.
type eventLog struct {
	off      bool // log nothing
	ops      []*scheduler.Op
	oldest   scheduler.OpID // rows of those below are empty
	windows  windowLog
	first    scheduler.OpID    // of the window whose ops are being logged
	weight   int               // its own
	brief    bool              // it ran in order
	closed   uint              // windows so far
	briefs   int               // sum of the weights of those that ran in order
	broads   int               // of the others
	splits   []scheduler.Split // why the op of this row was not fused
	fits     []scheduler.Fit   // why it is not cut as others are
	tasks    []verify.Ran
	hosts    hostLog
	lastOp   scheduler.OpID   // the highest that was logged
	lastTask scheduler.TaskID // the newest that was logged
	kept     scheduler.TaskID // older tasks were dropped
}

// op logs an op of the plan. Its window is closed when its tasks are logged, too.
func (l *eventLog) op(op *scheduler.Op, inOrder bool) {
	if l.off {
		return
	}
	if l.ops == nil {
		l.make()
	}
	// Ops of one window need not come in order.
	l.lastOp = max(l.lastOp, op.ID)
	if l.lastOp-l.oldest >= loggedOps {
		l.drop() // what has this row
	}
	l.ops[op.ID%loggedOps] = op
	if l.weight == 0 || op.ID < l.first {
		l.first = op.ID
	}
	l.weight += max(1, len(op.Parts))
	l.brief = inOrder
}

// make allocates the rings at the first op: a runtime that logs nothing has none. 2^16 pointers are half a megabyte.
func (l *eventLog) make() {
	l.ops = make([]*scheduler.Op, loggedOps)
	l.splits = make([]scheduler.Split, loggedOps)
}

// split is called after the plan's ops were logged.
func (l *eventLog) split(s scheduler.Split) {
	if l.off {
		return
	}
	l.splits[s.Op%loggedOps] = s
}

// fit is as well. Few machines have ever to call it.
func (l *eventLog) fit(f scheduler.Fit) {
	if l.off {
		return
	}
	if l.fits == nil {
		l.fits = make([]scheduler.Fit, loggedOps)
	}
	l.fits[f.Op%loggedOps] = f
}

// task logs a task that was planned at a time. Its row is filled in when it has run.
func (l *eventLog) task(t *scheduler.Task, planned int64) {
	if l.off {
		return
	}
	if l.tasks == nil {
		l.tasks = make([]verify.Ran, loggedTasks)
	}
	l.tasks[t.ID%loggedTasks] = verify.Ran{Task: t, Planned: planned}
	l.lastTask = t.ID
}

// started logs that a queue has come to a task, for what looks before it ends.
func (l *eventLog) started(t *scheduler.Task, at int64) {
	if l.off {
		return
	}
	if row := l.rowOf(t); row != nil {
		row.Start = at
	}
}

// ran logs when a task ran.
func (l *eventLog) ran(t *scheduler.Task, start, end int64, failed bool) {
	if l.off {
		return
	}
	if row := l.rowOf(t); row != nil {
		row.Start, row.End, row.Failed = start, end, failed
	}
}

// opOf returns the logged op of an ID, or nil.
func (l *eventLog) opOf(id scheduler.OpID) *scheduler.Op {
	if l.ops == nil {
		return nil
	}
	if op := l.ops[id%loggedOps]; op != nil && op.ID == id {
		return op
	}
	return nil
}

// taskOf returns the row of a task.
func (l *eventLog) taskOf(id scheduler.TaskID) (row verify.Ran, known bool) {
	if l.tasks == nil {
		return row, false
	}
	row = l.tasks[id%loggedTasks]
	return row, row.Task != nil && row.ID == id
}

// Ops returns the logged ops whose ID is above since, in order.
func (r *Runtime) Ops(since scheduler.OpID) []OpInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.drop()
	var list []OpInfo
	for id := max(since+1, r.log.oldest, newest(r.core.Look.LastOp(), loggedOps)); id <= r.core.Look.LastOp(); id++ {
		if op := r.log.opOf(id); op != nil {
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
	return r.core.Look.WhyWhole(op)
}

// Oldest returns the IDs from which on ops and tasks are logged.
func (r *Runtime) Oldest() (scheduler.OpID, scheduler.TaskID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &r.log
	l.drop()
	return max(l.oldest, newest(l.lastOp, loggedOps)), max(l.kept, newest(l.lastTask, loggedTasks))
}

// Tasks returns the logged tasks whose ID is above since, in order. They must not be changed.
func (r *Runtime) Tasks(since scheduler.TaskID) []verify.Ran {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.since(since)
}

// since returns the tasks above an ID. Those that ran in order know what they waited for only from here on: nothing has
// asked before (core.Relate).
func (l *eventLog) since(since scheduler.TaskID) []verify.Ran {
	l.drop()
	var list []verify.Ran
	for id := max(since+1, l.kept, newest(l.lastTask, loggedTasks)); id <= l.lastTask; id++ {
		if t, known := l.taskOf(id); known {
			list = append(list, t)
		}
	}
	tasks := make([]*scheduler.Task, len(list))
	for i := range list {
		tasks[i] = list[i].Task
	}
	core.Relate(tasks)
	return list
}

// HostAccesses returns what the host read and wrote in between, as far as it is still logged, in order.
func (r *Runtime) HostAccesses() []verify.HostAccess {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.hosts.list()
}

// newest returns the smallest ID that a ring of n rows can still hold.
func newest[ID ~uint32](last ID, n ID) ID {
	if last < n {
		return 1
	}
	return last - n + 1
}

// Submitted returns the highest IDs of ops and of tasks so far.
func (r *Runtime) Submitted() (scheduler.OpID, scheduler.TaskID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.Look.LastOp(), r.core.Look.LastTask()
}

// BeginCell flushes what came before and marks the start of a cell.
//
// A cell is two pairs of IDs, between which everything is that it submitted; flushing at both ends keeps its ops out of
// its neighbours' windows.
func (r *Runtime) BeginCell(source scheduler.SourceID) Cell {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usable() == nil {
		r.flush()
		r.settle()
	}
	c := Cell{Source: source, FirstOp: r.core.Look.LastOp(), FirstTask: r.core.Look.LastTask(), Start: r.rec.Now()}
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
	c.LastOp, c.LastTask, c.End = r.core.Look.LastOp(), r.core.Look.LastTask(), r.rec.Now()
	name := ""
	if int(c.Source) < len(r.sources.names) {
		name = r.sources.names[c.Source]
	}
	label := r.rec.Label(profiler.Label{Name: name, Where: where(scheduler.Where{Source: c.Source})})
	r.record(r.cells, profiler.Record{Start: c.Start, End: c.End, Label: label, Kind: profiler.Cell})
	return c
}

// Record(false) has nothing recorded or logged until Record(true): for measuring what that costs.
func (r *Runtime) Record(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rec.Switch(on)
	r.log.off = !on
}

// rowOf returns the row of a task, or nil where it is not logged.
func (l *eventLog) rowOf(t *scheduler.Task) *verify.Ran {
	if l.tasks == nil {
		return nil
	}
	row := &l.tasks[t.ID%loggedTasks]
	if row.Task != t {
		return nil
	}
	return row
}
