package driver

import (
	"weft/scheduler"
)

// runInOrder runs the tasks of a plan in order on the calling thread. What it cannot run goes the way
// of all others, and so does what comes behind it.
//
// Turn comes behind reserve, since a task that has had its turn cannot be spread any more.
func (r *Runtime) runInOrder(plan *scheduler.Plan) {
	for i, t := range plan.Tasks {
		d := r.devices[t.Device]
		made, full, err := compiled{}, false, error(nil)
		if t.Kind != scheduler.Free {
			if d.info.Inline {
				made = d.compile(t.Op.Program)
			}
			here := d.info.Inline && !made.apart
			if here {
				full, err = r.reserve(t)
			}
			if !here || full {
				r.core.InOrder.Spread(i)
				return
			}
		}
		// A task that Turn refuses has failed already: it is not run, and has no time in the log.
		var start, end int64
		if r.core.InOrder.Turn(i) {
			if t.Kind == scheduler.Free {
				start, end = r.giveBack(t)
			} else if err == nil {
				start, end, err = r.runHere(d, t, made)
			}
			r.core.InOrder.Ended(i, err)
			r.counts.ended(t.Kind, err != nil)
		}
		if end > 0 {
			r.log.ran(t, start, end, err != nil)
		}
	}
}
