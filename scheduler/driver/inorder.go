package driver

import (
	"weft/scheduler"
)

// runInOrder runs the tasks of a plan in order on the calling thread. What it cannot run goes the way
// of all others, and so does what comes behind it.
func (r *Runtime) runInOrder(tasks []*scheduler.Task) {
	for i, t := range tasks {
		if t.Kind == scheduler.Free {
			if r.core.Turn(i) {
				r.giveBack(t)
				r.core.Ended(i, nil)
				r.counts.add(Tasks)
			}
			continue
		}
		d := r.devices[t.Device]
		made, full, err := compiled{}, false, error(nil)
		if d.info.Inline {
			made = d.compile(t.Op.Program)
		}
		here := d.info.Inline && !made.loops
		if here {
			full, err = r.reserve(t)
		}
		if !here || full {
			r.core.Spread(i)
			return
		}
		if !r.core.Turn(i) {
			continue
		}
		r.counts.add(Tasks)
		if err == nil {
			err = r.runHere(d, t, made)
		}
		if err != nil {
			r.counts.add(FailedTasks)
		}
		r.core.Ended(i, err)
	}
}
