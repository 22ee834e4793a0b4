package driver

import "weft/scheduler"

// Ranges is told when tasks begin and end, by the names of their ops: a tool of another maker that the process runs
// under. It is called under the runtime's mutex.
//
// A driver without one pays a comparison for each task.
type Ranges interface {
	Begin(name string) (id uint64)
	End(id uint64)
}

// enter and leave tell Options.Ranges, which must not be nil, of a task that a queue runs.
func (r *Runtime) enter(t *scheduler.Task) {
	if r.entered == nil {
		r.entered = map[scheduler.TaskID]uint64{}
	}
	r.entered[t.ID] = r.opt.Ranges.Begin(rangeName(t))
}

// A task that never began has no range.
func (r *Runtime) leave(t *scheduler.Task) {
	if id, known := r.entered[t.ID]; known {
		delete(r.entered, t.ID)
		r.opt.Ranges.End(id)
	}
}

// rangeName is short and the same for all tasks of an op: tools add up by name.
func rangeName(t *scheduler.Task) string {
	if t.Kind == scheduler.Copy {
		return t.Cause.String()
	}
	return t.Op.Name
}
