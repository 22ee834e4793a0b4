package driver

import (
	"math"

	"weft/scheduler"
)

// A caller that waits for one large call of a routine runs it itself.
//
//	queue    caller: submits, sleeps ...................... wakes, reads
//	         worker:         wakes, runs the task on all cores
//	alone    caller: submits, runs the task on all cores, reads
//
// The caller has nothing else to do, and the worker's way there and back is not all that is saved: a library whose
// threads spin between its calls, as those of OpenBLAS do, has the core that the worker wakes up on taken already, and
// computes with its other threads waiting for that one. Factorisations of 300 rows took 1.3 to 1.8 times as long so.
//
// The call cannot be interrupted meanwhile, and holds the mutex. So there is a limit to it.

const (
	// mostAlone is the most that is at stake for such a task, in the unit of Options.InlineBytes: like factorisations
	// of 320 rows, which take two milliseconds. Eigenvalues of as many take thirty, in which no other thread of the
	// program goes on.
	mostAlone = 13 << 19

	// fewPending are the tasks in which to look for what the caller waits for.
	fewPending = 16
)

// heavy is what is known of the tasks that are too large to be little work, of those which may be pending.
type heavy struct {
	count int
	last  scheduler.TaskID
	stake int64 // of a last one that is a call
}

// add counts a task that was planned.
func (h *heavy) add(t *scheduler.Task, small int64) {
	stake := t.Stake()
	if stake <= small {
		return
	}
	h.count++
	h.last, h.stake = t.ID, math.MaxInt64
	if t.Kind == scheduler.Run && t.Op.Kind == scheduler.Call {
		h.stake = stake
	}
}

// alone reports whether a caller that waits for some tasks does best to run what is pending itself: all but one are
// little, that one is a call, and what the caller waits for waits for it, too. Nothing runs.
func (r *Runtime) alone(after []scheduler.TaskID) bool {
	if r.opt.InlineBytes <= 0 || r.heavy.count != 1 || r.heavy.stake > mostAlone {
		return false
	}
	tasks, _ := r.core.Look.Pending()
	return tasks <= fewPending && r.core.Look.Leads(r.heavy.last, after)
}
