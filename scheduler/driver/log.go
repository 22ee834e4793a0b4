package driver

import (
	"weft/profiler"
	"weft/scheduler"
)

// What the log remembers: the newest ops and tasks, enough for the graphs of a cell.
const (
	loggedOps   = 1 << 14
	loggedTasks = 1 << 15
)

// OpInfo is what graphs need of an op. The op must not be changed.
type OpInfo struct {
	*scheduler.Op
}

// TaskInfo is what graphs need of a task. The task must not be changed.
type TaskInfo struct {
	*scheduler.Task
	Start, End int64 // nanoseconds since the recorder's epoch; 0 when it has not started or ended
}

// Cell is what a cell (or a script) did: the IDs above First up to and including Last.
type Cell struct {
	Source              scheduler.SourceID
	FirstOp, LastOp     scheduler.OpID
	FirstTask, LastTask scheduler.TaskID
	Start, End          int64 // nanoseconds since the recorder's epoch
}

// eventLog is two rings. IDs are handed out without gaps and are logged in order, so that
// a row is found by its ID; op IDs and task IDs each count up.
type eventLog struct {
	ops   []*scheduler.Op
	tasks []TaskInfo
}

func (l *eventLog) op(op *scheduler.Op) {
	if l.ops == nil {
		l.ops = make([]*scheduler.Op, loggedOps)
	}
	l.ops[op.ID%loggedOps] = op
}

func (l *eventLog) task(t *scheduler.Task) {
	if l.tasks == nil {
		l.tasks = make([]TaskInfo, loggedTasks)
	}
	l.tasks[t.ID%loggedTasks] = TaskInfo{Task: t}
}

func (l *eventLog) started(t *scheduler.Task, at int64) {
	if row := &l.tasks[t.ID%loggedTasks]; row.Task == t {
		row.Start = at
	}
}

func (l *eventLog) ended(t *scheduler.Task, at int64) {
	if row := &l.tasks[t.ID%loggedTasks]; row.Task == t {
		row.End = at
	}
}

// Ops returns the logged ops whose ID is above since, in order.
func (r *Runtime) Ops(since scheduler.OpID) []OpInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []OpInfo
	for id := max(since+1, newest(r.core.LastOp(), loggedOps)); id <= r.core.LastOp() && r.log.ops != nil; id++ {
		if op := r.log.ops[id%loggedOps]; op != nil && op.ID == id {
			list = append(list, OpInfo{op})
		}
	}
	return list
}

// Tasks returns the logged tasks whose ID is above since, in order.
func (r *Runtime) Tasks(since scheduler.TaskID) []TaskInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []TaskInfo
	for id := max(since+1, newest(r.core.LastTask(), loggedTasks)); id <= r.core.LastTask() && r.log.tasks != nil; id++ {
		if t := r.log.tasks[id%loggedTasks]; t.Task != nil && t.ID == id {
			list = append(list, t)
		}
	}
	return list
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
	return Cell{Source: source, FirstOp: r.core.LastOp(), FirstTask: r.core.LastTask(), Start: r.rec.Now()}
}

// EndCell completes the marks and records the cell. It flushes but does not wait: call
// Sync first to have all of the cell's tasks ended.
func (r *Runtime) EndCell(c Cell) Cell {
	r.mu.Lock()
	if r.usable() == nil {
		r.flush()
		r.settle()
	}
	c.LastOp, c.LastTask, c.End = r.core.LastOp(), r.core.LastTask(), r.rec.Now()
	name := ""
	if int(c.Source) < len(r.sources.names) {
		name = r.sources.names[c.Source]
	}
	r.mu.Unlock()
	r.Note(profiler.Cell, name, scheduler.Where{Source: c.Source}, c.Start, c.End, 0)
	return c
}
