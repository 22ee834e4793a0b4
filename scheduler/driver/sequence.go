package driver

import (
	"weft/scheduler"
	"weft/tile"
)

// What a window comes to may be runs of one ordered device alone, without a copy among them. They go there together,
// where the device gains by that: it starts what it has been given before in this order in one go (tile.Sequencer). A
// loop that repeats one template gives one such sequence for each of its windows.
//
//	plan      run t1   run t2   free t3   run t4          a sequence of three; t3 waits for t2's end, as always
//	pump      Sequence   start t1, t2, t4   End
//
// The first task of a sequence waits until its queue has room for all of them, and what comes behind it, too: in a loop
// that is ahead of its device each task that ends makes room for one, which would go alone. A sequence ends early where
// a task lacks memory, and where nothing of it can start in one go with the others; what is left of it goes as any task
// does.
//
// With Options.Shuffle there are none: the order of a queue's tasks is drawn then.

// sequence is the runs of a plan that go together.
type sequence struct {
	left  int    // of them, that were not started
	queue *queue // that was given the first; nil before
}

// leastTogether is how many runs go together: one is started faster by itself.
const leastTogether = 2

// together has the runs of a plan go together, if they can.
func (r *Runtime) together(plan *scheduler.Plan) {
	var on *device
	runs, bytes := 0, int64(0)
	for _, t := range plan.Tasks {
		if t.Kind == scheduler.Free {
			continue
		}
		d := r.devices[t.Device]
		if t.Kind == scheduler.Copy || d.sequencer == nil || on != nil && on != d {
			return
		}
		on = d
		runs++
		bytes += t.Bytes()
	}
	if runs < leastTogether || runs > aheadTasks || bytes > on.queues[0].ahead || r.random != nil {
		return
	}
	s := &sequence{left: runs}
	for _, t := range plan.Tasks {
		if t.Kind == scheduler.Run {
			t.Held = s
		}
	}
}

// queueFor returns the queue that is to take a task now, or nil.
func (d *device) queueFor(t *scheduler.Task) *queue {
	if d.sequencer == nil || t.Kind != scheduler.Run {
		return d.free(t)
	}
	s, _ := t.Held.(*sequence)
	if d.open != nil && d.open == s {
		return s.queue
	}
	if d.open != nil || d.crowded {
		return nil
	}
	q := d.free(t)
	if q == nil || s == nil || s.queue != nil {
		return q
	}
	if d.crowded = q.count+s.left > len(q.slots); d.crowded {
		return nil
	}
	s.queue, d.open = q, s
	d.sequencer.Sequence(q.number)
	return q
}

// started notes that a task was given to its queue, or needs none.
func (d *device) started(t *scheduler.Task) {
	if s, _ := t.Held.(*sequence); s != nil {
		if s.left--; s.left == 0 {
			d.endSequence()
		}
	}
}

// endSequence has the device start what it has been given of a sequence. It reports whether there is one.
func (d *device) endSequence() bool {
	if d.open == nil {
		return false
	}
	d.sequencer.End(d.open.queue.number)
	d.open = nil
	return true
}

// sequencerOf returns what takes launches together, or nil.
func sequencerOf(dev tile.Device) tile.Sequencer {
	if info := dev.Info(); !info.Sequences || !info.Ordered {
		return nil
	}
	return dev.(tile.Sequencer)
}
