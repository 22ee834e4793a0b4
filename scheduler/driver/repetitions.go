package driver

import (
	"slices"
	"sort"

	"weft/scheduler"
	"weft/tile"
)

// enacted is a repetition of a script: what it takes to log its ops and tasks, once somebody wants them.
type enacted struct {
	cast    scheduler.Cast
	planned int64
	times   []int64 // start and end of each run that ended
	failed  bool    // the one after these did
}

// keepNumbers returns a copy of a repetition's uniforms. Most repeat those of the one before, and share its copy.
func (s *Script) keepNumbers(numbers []tile.Scalar) []tile.Scalar {
	if !slices.Equal(numbers, s.kept) {
		s.kept = slices.Clone(numbers)
	}
	return s.kept
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
	l.casts = append(l.casts, x)
	l.drop()
}

// dropCasts forgets the repetitions whose ops are all older than the oldest that is logged.
func (l *eventLog) dropCasts() {
	for len(l.casts) > 0 {
		op, task := l.casts[0].cast.Last()
		if op >= l.oldest {
			return
		}
		l.keepFrom(task + 1)
		l.casts[0] = enacted{}
		l.casts = l.casts[1:]
	}
}

// expansion is what a repetition stands for.
type expansion struct {
	ops    []*scheduler.Op
	tasks  []scheduler.Ran // by ID
	splits []scheduler.Split
}

// expand makes what the repetitions stand for. It is kept until something else is logged, since those who ask do
// so for one row after the other.
func (l *eventLog) expand() {
	if len(l.wide) == len(l.casts) {
		return
	}
	l.wide = make([]expansion, len(l.casts))
	for i := range l.casts {
		x, to := &l.casts[i], &l.wide[i]
		var tasks []scheduler.Ended
		to.ops, tasks, to.splits = x.cast.Expand()
		end := x.planned
		for _, t := range tasks {
			row := scheduler.Ran{Task: t.Task, Planned: x.planned}
			switch at := 2 * t.Run; {
			case t.Run < 0:
				row.Start, row.End = end, end
			case at+1 < len(x.times):
				row.Start, row.End = x.times[at], x.times[at+1]
				end = row.End
			case at == len(x.times) && x.failed:
				row.Start, row.End, row.Failed = end, end, true
			}
			to.tasks = append(to.tasks, row)
		}
		slices.SortFunc(to.tasks, func(a, b scheduler.Ran) int { return int(a.ID) - int(b.ID) })
	}
}

// wideOf returns the expansion of the repetition to which an op belongs, or nil.
func (l *eventLog) wideOf(id scheduler.OpID) *expansion {
	i := sort.Search(len(l.casts), func(i int) bool {
		op, _ := l.casts[i].cast.Last()
		return op >= id
	})
	if i == len(l.casts) || l.casts[i].cast.From.Op >= id {
		return nil
	}
	l.expand()
	return &l.wide[i]
}

// wideTask returns the row of a task that belongs to a repetition.
func (l *eventLog) wideTask(id scheduler.TaskID) (row scheduler.Ran, known bool) {
	i := sort.Search(len(l.casts), func(i int) bool {
		_, task := l.casts[i].cast.Last()
		return task >= id
	})
	if i == len(l.casts) || l.casts[i].cast.From.Task >= id {
		return row, false
	}
	l.expand()
	tasks := l.wide[i].tasks
	at := sort.Search(len(tasks), func(k int) bool { return tasks[k].ID >= id })
	if at == len(tasks) || tasks[at].ID != id {
		return row, false
	}
	return tasks[at], true
}
