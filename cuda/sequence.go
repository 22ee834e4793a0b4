package cuda

import (
	"slices"

	"weft/cuda/driver"
	"weft/tile"
)

// Launches that come between Sequence and End are held, and go to the driver together, as one piece of work with one
// event behind it: a graph, where the queue has met their kernels in this order before (graphs.go).
//
//	Sequence   a   b   c             End      d
//	           held ------------->   graph    launch
//	                                 event    event
//
// A launch that has to be told when it is to leave its loops, that waits for work of other queues which the first one
// does not wait for, that a library may do, whose blocks meet, or that has nothing to do ends what is held: the next
// one begins anew.

// Sequence holds the launches that a queue is given from now on.
func (d *Device) Sequence(queue int) {
	if q := d.queues[queue]; d.info.Sequences {
		q.mu.Lock()
		q.holds = true
		q.mu.Unlock()
	}
}

// End starts the launches that a queue holds.
func (d *Device) End(queue int) {
	q := d.queues[queue]
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds = false
	q.release()
}

// joins reports whether work can be held behind what is held.
func (w *work) joins(held []*work) bool {
	r := w.run
	if r == nil || w.err != nil || r.err != nil || r.stop != nil || r.blas != nil || r.space.Points == 0 {
		return false
	}
	if p := r.launch.Program; p.Threads && p.MeetsGrid() { // no graph knows of cooperative launches here
		return false
	}
	for _, p := range w.after {
		if len(held) > 0 && !slices.ContainsFunc(held[0].after, func(first pointOf) bool { return first.order == p.order && first.seq >= p.seq }) {
			return false
		}
	}
	return true
}

// release passes on what is held. The caller holds the mutex.
func (q *queue) release() {
	held := q.held
	q.held = nil
	switch len(held) {
	case 0:
	case 1:
		q.pass(held[0])
	default:
		q.pass(&work{parts: held, seq: held[len(held)-1].seq, after: held[0].after})
	}
}

// submitSequence gives the launches of a sequence to the driver, and returns the work that is under way then: the whole
// as one, or each by itself.
func (q *queue) submitSequence(w *work) []*work {
	if q.d.usable() == nil {
		var g *driver.Graph
		if w.times, g = q.graphs.choose(q, w.parts); g != nil && q.replay(w, g) {
			q.graphs.told.Replayed++
			return []*work{w}
		}
	}
	q.graphs.told.Singly++
	for i, p := range w.parts {
		p.times, p.at = w.times, i
		q.submit(p)
	}
	return w.parts
}

// replay starts a sequence, of which the queue's batch has the launches, by a graph. It reports false where nothing was
// started: the launches then go one by one, and each has the error that it has.
func (q *queue) replay(w *work, g *driver.Graph) bool {
	e, err := q.d.takeEvent()
	if err != nil {
		return false
	}
	w.submitted = q.d.clock.now()
	started := false
	if err = q.wait(w); err == nil {
		started, err = q.stream.LaunchGraph(g, &q.batch, e)
	}
	if !started {
		q.d.giveEvent(e)
		q.graphs.refuse(q, w.times, err)
		return false
	}
	w.event = e
	if err != nil {
		q.unrecorded(w, err)
	}
	q.order.give(w.seq, w.event)
	return true
}

// finishSequence tells the takers of launches that ran as one. Of the time that they took together each gets the share
// that it had when they were timed one by one.
func (q *queue) finishSequence(w *work, whole tile.Completion) {
	shares := w.times.shares(whole.End - whole.Start)
	at := whole.Start
	for i, p := range w.parts {
		c := whole
		c.Start, c.End, c.Estimated = at, at+shares[i], true
		c.Err = q.finishRun(p.run, w.err)
		at = c.End
		p.done(c)
	}
}
