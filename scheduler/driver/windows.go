package driver

import (
	"sort"

	"weft/scheduler"
	"weft/tile"
)

// windowLog is a ring of the logged windows of ops, oldest first. It knows which ops and tasks belong to which, so that what
// is too old is dropped a window at a time, without a look at the ops and tasks themselves: these are no longer in any
// cache by then. A loop over small arrays fills some hundred thousand rows a second, so that they are small, are only written,
// one behind the other, and point to nothing that would otherwise be gone.
type windowLog struct {
	ring    []loggedWindow // a power of two
	head, n int
	words   []int64 // a ring, too: what the rows hold besides
	put     uint64  // words so far

	expanded  bool                                         // some row has an expansion
	instances map[scheduler.InstanceID]*scheduler.Instance // of expansions
}

// loggedWindow is a window that was planned, or one that was repeated, and what came behind it without any ops: frees.
type loggedWindow struct {
	first  scheduler.OpID   // the lowest that is logged by itself
	op     scheduler.OpID   // the last; those before the next window are its own
	task   scheduler.TaskID // likewise
	weight int              // ops of the program
	last   scheduler.TaskID // the newest of its tasks that are rows of the log by themselves
	brief  bool             // they ran in order

	entries int    // its tasks, or frees behind it, that are a few words each (brief.go)
	more    uint64 // theirs, behind those of the repetition

	repeated bool
	cast     enacted // if repeated
	wide     *expansion
}

// enacted is a repetition of a script: what it takes to log its ops and tasks, once somebody wants them.
type enacted struct {
	script  *scheduler.Script
	from    scheduler.Mark
	numbers []tile.Scalar
	planned int64
	at      uint64 // words: start and end of each run that ended, ID, store and bytes of the instances in the slots that have one
	runs    int    // that ended
	failed  bool   // the one after these did
}

// at returns row i, counted from the oldest.
func (w *windowLog) at(i int) *loggedWindow { return &w.ring[(w.head+i)&(len(w.ring)-1)] }

// lowest returns the op without which the row is of no use any more. The tasks of a window that ran in order are words that tell
// of its ops, so that it goes as a whole; of others what is left of them is kept.
func (row *loggedWindow) lowest() scheduler.OpID {
	if row.brief {
		return row.first
	}
	return row.op
}

// add makes a row behind the others. It holds what was there before.
func (w *windowLog) add() *loggedWindow {
	if w.n == len(w.ring) {
		grown := make([]loggedWindow, max(64, 2*w.n))
		for i := range w.n {
			grown[i] = *w.at(i)
		}
		w.ring, w.head = grown, 0
	}
	w.n++
	return w.at(w.n - 1)
}

// drop forgets the oldest row.
func (w *windowLog) drop() {
	w.head = (w.head + 1) & (len(w.ring) - 1)
	w.n--
}

// ofOp returns the row to which an op belongs, or nil.
func (w *windowLog) ofOp(id scheduler.OpID) *loggedWindow {
	i := sort.Search(w.n, func(i int) bool { return w.at(i).op >= id })
	if i == w.n {
		return nil
	}
	return w.at(i)
}

// ofTask returns the row to which a task belongs, or nil.
func (w *windowLog) ofTask(id scheduler.TaskID) *loggedWindow {
	i := sort.Search(w.n, func(i int) bool { return w.at(i).task >= id })
	if i == w.n {
		return nil
	}
	return w.at(i)
}

// close ends the window whose ops and tasks were logged.
func (l *eventLog) close() {
	if l.off {
		return
	}
	l.contract()
	switch {
	case l.weight > 0:
		row := l.windows.add()
		row.first, row.op, row.task, row.weight, row.brief, row.repeated, row.wide = l.first, l.lastOp, l.lastTask, l.weight, l.brief, false, nil
		row.cast.script, row.cast.numbers, row.cast.at = nil, nil, l.windows.put
		row.last, row.entries = row.task, 0
		l.weight = 0
		l.count(row, 1)
	default:
		l.extend()
	}
	l.dropSome()
}

// extend says that the tasks that were logged last belong to the last window.
func (l *eventLog) extend() {
	if w := &l.windows; w.n > 0 {
		row := w.at(w.n - 1)
		row.task, row.last = l.lastTask, l.lastTask
	}
}

// dropSome forgets what is too old now and then: several windows together, which lie one behind the other, cost hardly
// more than one.
func (l *eventLog) dropSome() {
	if l.closed++; l.closed%16 == 0 || l.entries > loggedEntries {
		l.drop()
	}
}

// count adds a window to what is logged, or takes it away.
func (l *eventLog) count(row *loggedWindow, times int) {
	switch {
	case row.repeated:
		l.casts += times
	case row.brief:
		l.briefs += times * row.weight
	default:
		l.broads += times * row.weight
	}
}

// drop forgets the oldest windows while there are too many, and what came before them.
func (l *eventLog) drop() {
	w := &l.windows
	for w.n > 0 {
		row := w.at(0)
		briefs, broads, casts := l.briefs, l.broads, l.casts
		l.count(row, -1) // is there enough without it?
		if (briefs <= briefOps || l.briefs < briefOps) && (broads <= broadOps || l.broads < broadOps) && casts <= loggedCasts && l.entries <= loggedEntries && row.lowest() >= newest(l.lastOp, loggedOps) {
			l.count(row, 1)
			break
		}
		if row.repeated { // it has no rows among the ops
			l.oldest = row.op + 1
		} else { // nor has what was not logged before it
			l.oldest = max(l.oldest, row.first)
		}
		l.forget(row.op)
		l.keepFrom(row.last + 1)
		l.kept = max(l.kept, row.task+1) // entries have none
		l.entries -= row.entries
		w.drop()
	}
	l.kept = max(l.kept, newest(l.lastTask, loggedTasks))
	oldest := newest(l.lastOp, loggedOps)
	if w.n > 0 && !w.at(0).repeated && w.at(0).first < oldest { // the ring had no room for all of it
		l.oldest = max(l.oldest, w.at(0).first)
		l.forget(oldest - 1)
	}
	l.oldest = max(l.oldest, oldest) // what is between windows has no rows
}

// forget empties the rows of the ops up to one.
func (l *eventLog) forget(last scheduler.OpID) {
	if l.ops == nil {
		return
	}
	if last >= l.oldest+loggedOps {
		l.oldest = last - loggedOps + 1
	}
	for ; l.oldest <= last; l.oldest++ {
		l.ops[l.oldest%loggedOps] = nil
	}
}

// keepFrom forgets the tasks before an ID.
func (l *eventLog) keepFrom(id scheduler.TaskID) {
	l.kept = max(l.kept, newest(l.lastTask, loggedTasks))
	for ; l.kept < id; l.kept++ {
		if l.tasks != nil {
			l.tasks[l.kept%loggedTasks] = scheduler.Ran{}
		}
	}
}

// contract forgets what repetitions stand for: it was made for somebody who asked.
func (l *eventLog) contract() {
	if !l.windows.expanded {
		return
	}
	for i := range l.windows.n {
		l.windows.at(i).wide = nil
	}
	l.windows.expanded, l.windows.instances = false, nil
}

// wideOf returns the expansion of the repetition to which an op belongs, or nil.
func (l *eventLog) wideOf(id scheduler.OpID) *expansion {
	row := l.windows.ofOp(id)
	if row == nil || !row.repeated || row.cast.from.Op >= id {
		return nil
	}
	return l.expand(row)
}

// expand returns what a window's words stand for. It is kept until something else is logged, since those who ask
// do so for one row after the other.
func (l *eventLog) expand(row *loggedWindow) *expansion {
	if row.wide == nil {
		row.wide, l.windows.expanded = new(expansion), true
		if row.repeated {
			row.wide = l.windows.expand(&row.cast)
		}
		row.wide.tasks = append(row.wide.tasks, l.entriesOf(row)...)
	}
	return row.wide
}
