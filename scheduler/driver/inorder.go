package driver

import (
	"weft/scheduler"
)

// runInOrder runs the tasks of a plan in order, made at a time, on the calling thread. What it cannot run goes the way
// of all others, and so does what comes behind it.
func (r *Runtime) runInOrder(at int64, plan *scheduler.Plan) {
	brief := plan.Brief
	for i, t := range plan.Tasks {
		d := r.devices[t.Device]
		made, full, err := compiled{}, false, error(nil)
		if t.Kind != scheduler.Free {
			if d.info.Inline {
				made = d.compile(t.Op.Program)
			}
			here := d.info.Inline && !made.loops
			if here {
				full, err = r.reserve(t)
			}
			if !here || full {
				r.core.Spread(i)
				if brief { // no longer
					for _, t := range plan.Tasks[i:] {
						r.log.task(t, at)
					}
					r.log.extend()
				}
				return
			}
		}
		var start, end int64
		if r.core.Turn(i) {
			if t.Kind == scheduler.Free {
				start, end = r.giveBack(t)
			} else if err == nil {
				start, end, err = r.runHere(d, t, made)
			}
			r.core.Ended(i, err)
			r.counts.ended(t.Kind, err != nil)
		}
		switch {
		case brief:
			r.log.did(t, at, start, end, err != nil && end > 0)
		case end > 0:
			r.log.ran(t, start, end, err != nil)
		}
	}
}
