package driver

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// The queues of ordered devices get tasks while others are under way that these come behind (package scheduler,
// ahead.go), so that a GPU goes from one to the next without asking. What a task comes behind on other queues becomes
// points that its device waits for.
//
// Devices say that tasks are done queue by queue. The core is told of each after those that it came behind, and of
// those of a queue in their order.

// A queue of an ordered device has at most aheadTasks tasks, and takes no third one while those that it has move as
// many bytes as the device wants before it (tile.DeviceInfo.Ahead, or usualAhead): that keeps it busy for long enough.
// Each of them holds on to memory that the next could have used again, still in a cache.
const (
	aheadTasks = 64
	usualAhead = 256 << 20 // 60 microseconds of a large GPU
)

// place is where a task is that an ordered device has.
type place struct {
	queue *queue
	seq   uint64
}

// withheld is a task that is to be completed without having begun.
type withheld struct {
	task *scheduler.Task
	err  error
}

// turn numbers a task of an ordered device, and says what its queue must wait for.
//
// Queues keep their own order, so that points are of other queues only, and of each one the last: what is before it has
// ended by then.
//
//	queue 0    t1 t4 t7          t9 on queue 2, behind t4, t7 and t8:     after (queue 0, t7's), (queue 1, t8's)
//	queue 1    t2 t8
func (r *Runtime) turn(q *queue, t *scheduler.Task, s *slot) tile.Turn {
	q.seq++
	r.under[t.ID] = place{q, q.seq}
	s.after = s.after[:0]
	for _, id := range t.Behind {
		p, under := r.under[id]
		if !under || p.queue == q {
			continue
		}
		at := slices.IndexFunc(s.after, func(x tile.Point) bool { return x.Device == p.queue.dev.dev && x.Queue == p.queue.number })
		if at < 0 {
			s.after = append(s.after, tile.Point{Device: p.queue.dev.dev, Queue: p.queue.number, Seq: p.seq})
		} else {
			s.after[at].Seq = max(s.after[at].Seq, p.seq)
		}
	}
	return tile.Turn{Seq: q.seq, After: s.after}
}

// over reports whether all that a task came behind is completed.
func (r *Runtime) over(t *scheduler.Task) bool {
	for _, id := range t.Behind {
		if !r.core.Look.Completed(id) {
			return false
		}
	}
	return true
}

// retire completes what the device of a queue is done with, as far as its turn has come, and what has waited for that.
//
//	queue 0    t5 ended, behind t4           the device tells of t5 before it tells of t4
//	queue 1    t4 runs                       t5 stays in its slot (ended) until t4 is completed
//
// late counts what waits so, and is zero nearly always: then one look at the queue is all.
func (r *Runtime) retire(q *queue) {
	for again := r.retireFrom(q); again && r.late > 0; {
		again = false
		for _, d := range r.devices {
			for _, q := range d.queues {
				again = r.retireFrom(q) || again
			}
		}
		r.withheld = slices.DeleteFunc(r.withheld, func(w withheld) bool {
			if !r.over(w.task) {
				return false
			}
			r.late--
			_ = r.tell(w.task, w.err)
			again = true
			return true
		})
	}
}

// retireFrom is retire for one queue. It reports whether it has completed a task.
func (r *Runtime) retireFrom(q *queue) (any bool) {
	for q.ended > 0 && r.over(q.at(0).task) {
		t, c := q.at(0).task, q.at(0).went
		if t.Kind == scheduler.Run && c.Err == nil {
			r.wentWrong(t.Op, q.at(0).launch.Watch)
		}
		q.at(0).task = nil
		q.head, q.count, q.ended = (q.head+1)%len(q.slots), q.count-1, q.ended-1
		delete(r.under, t.ID)
		r.running--
		r.late--
		start, end := c.Start-r.lag, c.End-r.lag
		r.since(end)
		label := r.markOf(t)
		if c.Estimated {
			label = r.estimated
			r.counts.add(ReplayedTasks)
		}
		r.finish(q.laneOf(t), t, start, end, label, c.Err)
		if s := q.first(); s != nil {
			s.since = r.show(q.laneOf(s.task), s.task, end)
		}
		any = true
	}
	return any
}

// stopDoomed ends the loops of tasks that compute with what a failed task has left.
//
// Devices that are not ordered begin nothing before it may run, so that none of their tasks can be doomed under way.
func (r *Runtime) stopDoomed() {
	for _, d := range r.devices {
		if !d.info.Ordered {
			continue
		}
		for _, q := range d.queues {
			for i := q.ended; i < q.count; i++ {
				if s := q.at(i); s.task.Kind == scheduler.Run && s.launch.Stop != nil && r.core.Look.Doomed(s.task.ID) {
					s.launch.Stop.Set()
				}
			}
		}
	}
}
