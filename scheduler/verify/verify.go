package verify

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"weft/scheduler"
)

// Ran is a task and when it ran, as a driver logs it.
//
// A task's life in it:
//
//	Planned ---------- Start ---------- End        ran
//	Planned --------------------------- End        began behind one that failed, or failed itself: Failed
//	Planned                                        never ran: both are 0
type Ran struct {
	*scheduler.Task
	Planned    int64 // when the window was planned that it is of; times are nanoseconds since some epoch
	Start, End int64 // 0 when it did not start or end: it was cancelled, or what it reads has failed
	Failed     bool
}

// HostAccess is an access of the host to bytes of its instance.
type HostAccess struct {
	Instance scheduler.Instance
	Lo, Hi   int64
	Write    bool
	At       int64            // when
	After    scheduler.TaskID // the newest task that was planned before
}

// Trace is what a driver has kept of a run: the newest tasks, in the order of their IDs, without
// gaps, and all accesses of the host among them, in order.
//
// A log is a ring, so that its oldest tasks may be missing, and what they wrote is then known as older only. Its ops,
// instances and views are the core's own objects, shared and not copied; nothing changes them after the plan.
type Trace struct {
	Tasks []Ran
	Host  []HostAccess
}

// Limits of what LookBack looks at, so that it takes about a second at most.
//
// Both bound memory as well: each run is at least one tag, of 24 bytes, and each element one entry for each of its
// bytes in the map that overtakes makes.
const (
	verifiedRuns     = 1 << 21 // contiguous pieces that the operands of all tasks lie in
	verifiedElements = 1 << 22 // of operands that are compared one by one
)

// Report is what LookBack says.
type Report struct {
	Findings
	First, Last scheduler.TaskID // the tasks that were looked at
	Older       int              // tasks of the span that are not in the trace any more
	Scattered   int              // oldest tasks that were left out because their elements lie in too many pieces
}

// LookBack looks back at a run, or the span of it that is asked for, with a Checker that knows nothing but
// what is in the trace. Of bytes that were written before the trace begins it only knows that.
//
// It plans everything first, in the order of IDs, which is that of the stream, and lets everything happen afterwards,
// in the order of time:
//
//	plan     t1 t2 h1 t3 t4 ...        Checker.plan, planHost     what each must find, what it conflicts with
//	replay   t2< t1< t2> h1 t1> ...    Start, End, access         what it found, and when
//
// So it sees conflicts from both sides. The checker that follows a run knows the past only.
//
// Tasks in front of the span are planned and replayed, too, for the values that they left, but not counted; those
// behind it are left out, since nothing of the span depends on them.
func LookBack(trace Trace, span Span) Report {
	tasks, host := trace.Tasks, trace.Host
	for len(tasks) > 0 && tasks[len(tasks)-1].ID > span.LastTask {
		tasks = tasks[:len(tasks)-1]
	}
	r := Report{}
	if len(tasks) == 0 {
		return r
	}
	if first := tasks[0].ID; first > span.FirstTask+1 {
		r.Older = int(first - span.FirstTask - 1)
	}
	from := affordable(tasks)
	for i := range tasks[:from] {
		if tasks[i].ID > span.FirstTask {
			r.Scattered++
		}
	}
	tasks = tasks[from:]
	r.First, r.Last = max(tasks[0].ID, span.FirstTask+1), tasks[len(tasks)-1].ID
	// A trace that begins with the first task is whole: then a byte without a tag was never written, and reading it
	// counts as wrong.
	whole := tasks[0].ID == 1
	for !whole && len(host) > 0 && host[0].After+1 < tasks[0].ID {
		host = host[1:]
	}
	for len(host) > 0 && host[len(host)-1].After > r.Last {
		host = host[:len(host)-1]
	}

	ran := make(map[scheduler.TaskID]*Ran, len(tasks))
	for i := range tasks {
		ran[tasks[i].ID] = &tasks[i]
	}
	c := newChecker(func(before, t *scheduler.Task) bool {
		b := ran[before.ID]
		return !b.ran() || b.End <= ran[t.ID].Planned
	})
	c.back, c.only, c.budget = true, span, verifiedElements
	if !whole {
		c.origin = older
	}
	ops := opsOf(tasks, whole)
	c.fusion(ops)
	accesses := make([]*checked, len(host))
	next := 0
	planHost := func(until scheduler.TaskID) {
		for ; next < len(host) && host[next].After < until; next++ {
			h := &host[next]
			accesses[next] = c.planHost(&h.Instance, h.Lo, h.Hi, h.Write)
		}
	}
	for i := range tasks {
		planHost(tasks[i].ID)
		c.plan(tasks[i].Task)
		if !tasks[i].ran() {
			c.tasks[event(tasks[i].ID)].never = true
			if c.counts(tasks[i].Task) {
				c.Never++
			}
		} else {
			c.tasks[event(tasks[i].ID)].lost = tasks[i].Failed && len(tasks[i].Behind) > 0
		}
	}
	planHost(math.MaxUint32)
	c.writeTiles()
	c.cover(ops)
	replay(c, tasks, host, accesses)
	r.Findings = c.Findings
	return r
}

// ran reports whether the task was started. One that failed before that was not.
func (t *Ran) ran() bool { return t.End != 0 }

// opsOf returns the ops of tasks in the order of their plans. The tiles of the first one may
// have been dropped from the trace, as of ops whose runs do not follow each other.
func opsOf(tasks []Ran, whole bool) []*scheduler.Op {
	var ops []*scheduler.Op
	seen := map[*scheduler.Op]bool{}
	for i := range tasks {
		if t := &tasks[i]; t.Kind == scheduler.Run && !seen[t.Op] {
			seen[t.Op] = true
			if whole || t.Color == 0 {
				ops = append(ops, t.Op)
			}
		}
	}
	return ops
}

// affordable returns the position of the first task from which on all are looked at.
//
// It goes from the newest task back and adds up the contiguous runs of operands, which are what tags, sets and users
// grow with. A matrix's column counts as its rows, a whole array as one.
func affordable(tasks []Ran) int {
	runs := 0
	for i := len(tasks) - 1; i >= 0; i-- {
		if t := &tasks[i]; t.Kind == scheduler.Run {
			for k := range t.Args {
				_, shape := t.Extent(k)
				n, v := 1, &t.Op.Uses[k].View
				for axis := range shape {
					n *= shape[axis]
				}
				// The longest run of neighbours along one axis, as most views have it.
				long := 1
				for axis := range shape {
					if s := v.Strides[axis]; s == int64(v.Type.Size()) || s == -int64(v.Type.Size()) || s == 0 {
						long *= max(shape[axis], 1)
					}
				}
				runs += n / long
			}
		}
		if runs > verifiedRuns {
			return i + 1
		}
	}
	return 0
}

// moment is the start or end of a task, or an access of the host.
//
// Clocks of devices have steps: moments of the same nanosecond are put in the order of the stream, in which task t has
// the places 4t (start) and 4t+1 (end), and an access of the host behind it 4t+2. A device's clock that is not
// finer than its tasks therefore gives no violations.
type moment struct {
	at    int64
	task  *Ran // nil: the access
	ends  bool
	never bool  // a launch of threads that never ran is planned: see Checker.Short
	which int   // of the accesses
	order int64 // among those of one time: that of the stream
}

// errFailed stands for the error of a task that a log does not keep.
var errFailed = errors.New("the task failed")

// replay tells the checker what happened, in the order of time.
func replay(c *Checker, tasks []Ran, host []HostAccess, accesses []*checked) {
	moments := make([]moment, 0, 2*len(tasks)+len(host))
	for i := range tasks {
		t := &tasks[i]
		if !t.ran() {
			if t.Op != nil && t.Op.Grid != nil {
				moments = append(moments, moment{at: t.Planned, task: t, never: true, order: int64(t.ID) * 4})
			}
			continue
		}
		if t.End < t.Start {
			c.wrong(4, t.Task, "%v ends %d ns before it starts", t.Task, t.Start-t.End)
		}
		order := int64(t.ID) * 4
		moments = append(moments, moment{at: t.Start, task: t, order: order}, moment{at: max(t.Start, t.End), task: t, ends: true, order: order + 1})
	}
	for i := range host {
		moments = append(moments, moment{at: host[i].At, which: i, order: int64(host[i].After)*4 + 2})
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Compare(a.order, b.order)
	})
	for i := range moments {
		m := &moments[i]
		switch {
		case m.task == nil:
			c.access(accesses[m.which])
		case m.never:
			c.Short()
		case !m.ends:
			c.Start(m.task.Task)
		case m.task.Failed:
			c.End(m.task.Task, errFailed)
		default:
			c.End(m.task.Task, nil)
		}
	}
}
