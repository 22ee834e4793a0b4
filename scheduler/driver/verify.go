package driver

import (
	"fmt"
	"strings"

	"weft/internal/units"
	"weft/scheduler"
	"weft/scheduler/verify"
)

// Verification is what Verify found out.
type Verification struct {
	verify.Report
	Text string // for people, with places in the program
}

// Verify waits for everything and then looks back at what the log has kept of it, or of a span of
// it: whether every task waited for what it depends on and started after that had ended, whether
// every read found what the last op before it wrote, and whether what was fused may be. It asks no
// other part of the runtime, but computes all of that again from the elements of views, the slow way.
// What it finds wrong is no error of the call.
//
// LookBack runs without the mutex, for about a second: it has copies of the rings, and the ops and tasks in them do
// not change any more.
func (r *Runtime) Verify(span verify.Span, stop <-chan struct{}) (Verification, error) {
	trace, err := r.trace(stop)
	if err != nil {
		return Verification{}, err
	}
	v := Verification{Report: verify.LookBack(trace, span)}
	r.mu.Lock()
	defer r.mu.Unlock()
	v.Text = r.verdict(&v.Report)
	return v, nil
}

// trace returns what the log has kept once everything has run.
func (r *Runtime) trace(stop <-chan struct{}) (verify.Trace, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.usable(); err != nil {
		return verify.Trace{}, err
	}
	r.flush()
	r.settle()
	if err := r.await(&waiter{}, stop); err != nil {
		return verify.Trace{}, err
	}
	return r.log.trace(), nil
}

// trace returns copies of the rings from where on all of them are complete.
//
// Where the ring of accesses is full, tasks from before its oldest access are left out: a write of the host in between
// would be missing, and its bytes look wrong.
func (l *eventLog) trace() verify.Trace {
	t := verify.Trace{Tasks: l.since(max(l.kept, 1) - 1), Host: l.hosts.list()}
	for l.hosts.full() && len(t.Tasks) > 0 && t.Tasks[0].ID <= t.Host[0].After {
		t.Tasks = t.Tasks[1:]
	}
	return t
}

// verdict says in words what a report says.
func (r *Runtime) verdict(v *verify.Report) string {
	var b strings.Builder
	runs, copies, frees := v.Tasks[scheduler.Run], v.Tasks[scheduler.Copy], v.Tasks[scheduler.Free]
	what := fmt.Sprintf("%s (%s, %s, %s) and %s of the host", units.Count(runs+copies+frees, "task"), units.Count(runs, "run"), units.Count(copies, "copy"), units.Count(frees, "free"), units.Count(v.Host, "access"))
	if v.Wrong == 0 {
		fmt.Fprintf(&b, "no violation among %s\n", what)
	} else {
		fmt.Fprintf(&b, "%s among %s\n", strings.ToUpper(units.Count(v.Wrong, "violation")), what)
	}
	for _, x := range v.Violations {
		fmt.Fprintf(&b, "  %v", x.Error())
		if x.Op != 0 {
			fmt.Fprintf(&b, "; %s", r.opText(x.Op, x.Task))
		}
		if x.Other != 0 {
			fmt.Fprintf(&b, "; the other: %s", r.opText(0, x.Other))
		}
		b.WriteString("\n")
	}
	if n := v.Wrong - len(v.Violations); n > 0 {
		fmt.Fprintf(&b, "  and %d more\n", n)
	}
	fmt.Fprintf(&b, "  %s checked: what comes later waited for what comes first, and started after its end\n", units.Count(v.Conflicts, "conflict"))
	fmt.Fprintf(&b, "  %s checked: each finds what the last write before it in the program left there\n", units.Count(v.Reads, "read"))
	fmt.Fprintf(&b, "  %s checked: none uses what another one of its pass changes elsewhere\n", units.Count(v.Fused, "fused operation"))
	if v.Never > 0 {
		fmt.Fprintf(&b, "  %s never ran: cancelled, or what is read had failed\n", units.Count(v.Never, "task"))
	}
	if v.Older > 0 {
		fmt.Fprintf(&b, "  NOT checked: %s, which the log no longer has; what they left is taken as it was found\n", units.Count(v.Older, "older task"))
	}
	if v.Scattered > 0 {
		fmt.Fprintf(&b, "  NOT checked: the %s, to save time: their elements lie in too many pieces; what they left is taken as it was found\n", units.Count(v.Scattered, "oldest task"))
	}
	if v.Uncertain > 0 {
		fmt.Fprintf(&b, "  NOT checked: %s behind a launch that never ran, which leaves arrays as they were\n", units.Count(v.Uncertain, "read"))
	}
	if v.Skipped > 0 {
		fmt.Fprintf(&b, "  NOT checked, to save time: %s of operands in fused operations with too many elements to compare one by one\n", units.Count(v.Skipped, "pair"))
	}
	return b.String()
}

// opText says which op of the program a task is of: add at In[3] line 2.
func (r *Runtime) opText(op scheduler.OpID, task scheduler.TaskID) string {
	if task != 0 {
		if row, known := r.log.taskOf(task); known {
			if row.Kind == scheduler.Free {
				return fmt.Sprintf("the free of %v", row.Src.Store)
			}
			text := r.taskText(row.Task)
			if row.Op != nil && row.Kind == scheduler.Copy {
				text += " for " + r.placed(row.Op.Name, row.Op.Where)
			}
			return text
		}
	}
	for id := op; op != 0 && id <= r.log.lastOp && id < op+loggedOps; id++ { // the op, or the one that it is part of
		if logged := r.log.opOf(id); logged != nil {
			for _, part := range append([]*scheduler.Op{logged}, logged.Parts...) {
				if part.ID == op {
					return r.placed(part.Name, part.Where)
				}
			}
		}
	}
	return "an operation that is not logged any more"
}
