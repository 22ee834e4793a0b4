package driver

import (
	"slices"

	"weft/scheduler"
)

// Tasks of brief plans, and frees that were not planned at all, are in the log as a few words behind those of the window that they
// belong to, which is the newest there is: the scheduler uses the tasks again, and the collector looks
// through words no more than once. What they stand for is made when somebody asks.
//
//	head     ID, and what kind of entry it is
//	planned  when
//	start    when, or 0
//	end
//	run:     op and device, bytes, and of each operand the instance and its bytes
//	free:    the instance and its bytes
const (
	entryFree = 1 << iota
	entryFailed

	entryBits = 2
	runWords  = 6 // and two for each operand
	freeWords = 6
)

// A program that lets a million arrays go has a ring for the newest, and so has one of many windows with many frees each.
const (
	manyFrees     = 1 << 12 // behind one window; those behind them are logged like other tasks
	loggedEntries = 1 << 15 // of all windows
)

// did logs a task of a brief plan that ran, or never will.
func (l *eventLog) did(t *scheduler.Task, planned, start, end int64, failed bool) {
	if t.Kind == scheduler.Free {
		l.freed(t.ID, *t.Src, planned, start, end)
		return
	}
	if l.off {
		return
	}
	head := int64(t.ID) << entryBits
	if failed {
		head |= entryFailed
	}
	w := &l.windows
	put := l.entry(t.ID, runWords+2*len(t.Args))
	w.set(put, head)
	w.set(put+1, planned)
	w.set(put+2, start)
	w.set(put+3, end)
	w.set(put+4, int64(t.Op.ID)<<32|int64(t.Device))
	w.set(put+5, t.Bytes())
	for i := range t.Args {
		inst := t.Args[i].Instance
		w.set(put+runWords+uint64(2*i), instanceWord(inst))
		w.set(put+runWords+uint64(2*i)+1, inst.Hi)
	}
}

// freed logs a free of a brief plan, or one that was not planned.
func (l *eventLog) freed(id scheduler.TaskID, inst scheduler.Instance, planned, start, end int64) {
	if l.off {
		return
	}
	w := &l.windows
	if w.n == 0 || w.at(w.n-1).entries >= manyFrees {
		t := scheduler.FreeTask(id, &scheduler.Instance{ID: inst.ID, Store: inst.Store, Hi: inst.Hi})
		l.task(t, planned)
		l.ran(t, start, end, false)
		l.extend()
		return
	}
	put := l.entry(id, freeWords)
	w.set(put, int64(id)<<entryBits|entryFree)
	w.set(put+1, planned)
	w.set(put+2, start)
	w.set(put+3, end)
	w.set(put+4, instanceWord(&inst))
	w.set(put+5, inst.Hi)
}

// entry makes an entry of the last window for its newest task, and returns where its words are to be.
func (l *eventLog) entry(id scheduler.TaskID, words int) (put uint64) {
	l.contract()
	w := &l.windows
	w.reserve(words)
	row := w.at(w.n - 1)
	if row.entries == 0 {
		row.more = w.put
	}
	row.entries++
	l.entries++
	row.task, l.lastTask = id, id
	put = w.put
	w.put += uint64(words)
	return put
}

// entriesOf returns the tasks that a window's entries are.
func (l *eventLog) entriesOf(row *loggedWindow) (tasks []scheduler.Ran) {
	w, at := &l.windows, row.more
	next := func() int64 { at++; return w.word(at - 1) }
	instance := func() *scheduler.Instance { name := next(); return w.instance(name, next()) }
	for range row.entries {
		head := next()
		ran := scheduler.Ran{Planned: next(), Start: next(), End: next(), Failed: head&entryFailed != 0}
		id := scheduler.TaskID(head >> entryBits)
		if head&entryFree != 0 {
			ran.Task = scheduler.FreeTask(id, instance())
		} else {
			which := next()
			op, device, bytes := l.ops[scheduler.OpID(which>>32)%loggedOps], scheduler.DeviceID(which), next()
			on := make([]*scheduler.Instance, len(op.Uses))
			for i := range on {
				on[i] = instance()
			}
			ran.Task = scheduler.WholeTask(id, op, device, bytes, on)
		}
		tasks = append(tasks, ran)
	}
	return tasks
}

// wideTask returns the row of a task that was logged as a few words.
func (l *eventLog) wideTask(id scheduler.TaskID) (ran scheduler.Ran, known bool) {
	row := l.windows.ofTask(id)
	if row == nil || !row.repeated && row.entries == 0 {
		return ran, false
	}
	tasks := l.expand(row).tasks
	at, known := slices.BinarySearchFunc(tasks, id, func(x scheduler.Ran, id scheduler.TaskID) int { return int(x.ID) - int(id) })
	if !known {
		return ran, false
	}
	return tasks[at], true
}
