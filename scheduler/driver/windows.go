package driver

import (
	"weft/scheduler"
	"weft/scheduler/verify"
)

// windowLog is a ring of the logged windows of ops, oldest first. It knows which ops and tasks belong to which, so that
// what is too old is dropped a window at a time.
//
// Its length doubles when it is full, and stays a power of two, so that positions wrap around by a mask.
type windowLog struct {
	ring    []loggedWindow // a power of two
	head, n int
}

// loggedWindow is a window that was planned, and what came behind it without any ops: frees.
type loggedWindow struct {
	first  scheduler.OpID   // the lowest
	op     scheduler.OpID   // the last; those before the next window are its own
	task   scheduler.TaskID // likewise
	weight int              // ops of the program
	brief  bool             // they ran in order
}

// at returns row i, counted from the oldest.
func (w *windowLog) at(i int) *loggedWindow { return &w.ring[(w.head+i)&(len(w.ring)-1)] }

// add puts a row behind the others.
func (w *windowLog) add(row loggedWindow) {
	if w.n == len(w.ring) {
		grown := make([]loggedWindow, max(64, 2*w.n))
		for i := range w.n {
			grown[i] = *w.at(i)
		}
		w.ring, w.head = grown, 0
	}
	w.n++
	*w.at(w.n - 1) = row
}

// drop forgets the oldest row.
func (w *windowLog) drop() {
	w.head = (w.head + 1) & (len(w.ring) - 1)
	w.n--
}

// close ends the window whose ops and tasks were logged. Tasks without any ops belong to the last window.
func (l *eventLog) close() {
	if l.off {
		return
	}
	w := &l.windows
	if l.weight > 0 {
		w.add(loggedWindow{l.first, l.lastOp, l.lastTask, l.weight, l.brief})
		l.weight = 0
		l.count(w.at(w.n-1), 1)
	} else if w.n > 0 {
		w.at(w.n - 1).task = l.lastTask
	}
	if l.closed++; l.closed%16 == 0 { // several windows together, which lie one behind the other, cost hardly more than one
		l.drop()
	}
}

// count adds a window to what is logged, or takes it away.
func (l *eventLog) count(row *loggedWindow, times int) {
	if row.brief {
		l.briefs += times * row.weight
	} else {
		l.broads += times * row.weight
	}
}

// drop forgets the oldest windows while there are too many, and what came before them.
//
// Both kinds of windows have a bound of their own:
//
//	windows   broad 300 | brief 2 | brief 2 | broad 60 | brief 1 ...      the oldest goes while one of the bounds is exceeded
//	          ^ head                                                      with it and still reached without it
func (l *eventLog) drop() {
	w := &l.windows
	for w.n > 0 {
		row := w.at(0)
		briefs, broads := l.briefs, l.broads
		l.count(row, -1) // is there enough without it?
		if (briefs <= briefOps || l.briefs < briefOps) && (broads <= broadOps || l.broads < broadOps) && row.op >= newest(l.lastOp, loggedOps) {
			l.count(row, 1)
			break
		}
		l.oldest = max(l.oldest, row.first) // what was not logged before it has no rows
		l.forget(row.op)
		l.keepFrom(row.task + 1)
		w.drop()
	}
	l.kept = max(l.kept, newest(l.lastTask, loggedTasks))
	oldest := newest(l.lastOp, loggedOps)
	if w.n > 0 && w.at(0).first < oldest { // the ring had no room for all of it
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
//
// Rows are cleared, and not only passed over: a row keeps its task alive, and by that an op, its parts and programs.
func (l *eventLog) keepFrom(id scheduler.TaskID) {
	l.kept = max(l.kept, newest(l.lastTask, loggedTasks))
	for ; l.kept < id; l.kept++ {
		if l.tasks != nil {
			l.tasks[l.kept%loggedTasks] = verify.Ran{}
		}
	}
}
