package cuda

import (
	"runtime"
	"sync"
	"time"

	"weft/cuda/driver"
	"weft/tile"
)

// queue is one of CUDA's streams with the work on it, in order: what waits to be given to the driver, and what is under way.
type queue struct {
	d      *Device
	number int
	stream *driver.Queue

	mu       sync.Mutex
	some     sync.Cond // waiting or under way has got something, or nothing comes any more
	empty    sync.Cond // both are empty
	waiting  []*work   // not with the driver yet
	underWay []*work
	batch    driver.Batch
	words    []uint64
	ends     bool
	parts    sync.WaitGroup

	last int64 // end of the last work that was done; the retiring goroutine's
}

// work is a launch or a copy on its way through a queue. Whoever took it off a list owns it.
type work struct {
	done func(tile.Completion)
	run  *run  // a launch,
	move *move // or a copy
	err  error // why it was not started; it then only keeps its place

	event     *driver.Event // behind it; nil where it was not started
	submitted int64         // when the driver got it: host's time
}

func newQueue(d *Device, number int) (*queue, error) {
	s, err := d.dev.NewQueue()
	if err != nil {
		return nil, err
	}
	q := &queue{d: d, number: number, stream: s}
	q.some.L, q.empty.L = &q.mu, &q.mu
	return q, nil
}

// start starts the queue's goroutines.
func (q *queue) start() {
	q.parts.Go(q.submitting)
	q.parts.Go(q.retiring)
}

// add takes work. The driver gets it at once where that makes nobody wait.
func (q *queue) add(w *work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 || !w.quick() {
		q.waiting = append(q.waiting, w)
	} else {
		q.submit(w)
		q.underWay = append(q.underWay, w)
	}
	q.some.Broadcast()
}

// quick reports whether giving the work to the driver takes microseconds.
func (w *work) quick() bool {
	return w.err != nil || w.run != nil && w.run.compiled() || w.move != nil && w.move.staged()
}

// submitting gives what waits to the driver. The work stays at the front of the list until the driver has it, so that nothing
// overtakes it.
func (q *queue) submitting() {
	for {
		q.mu.Lock()
		for len(q.waiting) == 0 && !q.ends {
			q.some.Wait()
		}
		if len(q.waiting) == 0 {
			q.mu.Unlock()
			return
		}
		w := q.waiting[0]
		q.mu.Unlock()
		if w.run != nil {
			w.run.await()
		}
		q.submit(w)
		q.mu.Lock()
		q.waiting[0] = nil
		q.waiting = q.waiting[1:]
		q.underWay = append(q.underWay, w)
		q.some.Broadcast()
		q.mu.Unlock()
	}
}

// submit gives work to the driver, with an event behind it. Only one goroutine at a time does: the one that holds the mutex while nothing
// waits, or the submitting one while something does.
func (q *queue) submit(w *work) {
	if w.err == nil {
		w.err = q.d.usable()
	}
	if w.err == nil && w.run != nil && w.run.nothing() {
		w.err = w.run.kernel.err
		w.submitted = q.d.clock.now()
		return
	}
	var e *driver.Event
	if w.err == nil {
		e, w.err = q.d.takeEvent()
	}
	w.submitted = q.d.clock.now()
	if w.err != nil {
		return
	}
	if w.run != nil {
		w.err = q.submitRun(w.run, e)
	} else {
		w.err = q.submitMove(w.move, e)
	}
	if w.err != nil {
		q.d.giveEvent(e)
		w.err = q.d.note(w.err)
		return
	}
	w.event = e
}

// retiring ends work, in order.
func (q *queue) retiring() {
	for {
		q.mu.Lock()
		for len(q.underWay) == 0 && !(q.ends && len(q.waiting) == 0) {
			q.some.Wait()
		}
		if len(q.underWay) == 0 {
			q.mu.Unlock()
			return
		}
		w := q.underWay[0]
		q.mu.Unlock()
		c := q.finish(w)
		w.done(c)
		q.mu.Lock()
		q.underWay[0] = nil
		q.underWay = q.underWay[1:]
		if len(q.underWay) == 0 && len(q.waiting) == 0 {
			q.empty.Broadcast()
		}
		q.mu.Unlock()
	}
}

// finish waits for the end of work and returns what is to be told of it.
func (q *queue) finish(w *work) tile.Completion {
	end := w.submitted
	if w.event != nil {
		at, free, err := q.await(w)
		if err != nil {
			w.err = q.d.note(err)
			at = q.d.clock.now()
		}
		end = at
		q.d.giveEvent(free)
	}
	switch {
	case w.run != nil:
		w.err = q.finishRun(w.run, w.err)
	case w.move != nil:
		q.finishMove(w.move, w.err)
	}
	c := tile.Completion{Queue: q.number, Start: max(q.last, w.submitted), Err: w.err}
	c.End = max(c.Start, end)
	q.last = c.End
	return c
}

// spin is how long a retiring goroutine looks at an event again and again before it sleeps in the driver, which costs it some 20 us to
// wake from.
const spin = 50 * time.Microsecond

// glance is how often a goroutine looks whether a loop that is under way is to be stopped.
const glance = 200 * time.Microsecond

// await waits until work has happened, and returns when that was, and an event that is free. It passes on that loops are to stop.
func (q *queue) await(w *work) (at int64, free *driver.Event, err error) {
	e := w.event
	for since := time.Now(); time.Since(since) < spin; runtime.Gosched() {
		if happened, at, free, err := q.d.clock.look(e); happened || err != nil {
			return at, free, err
		}
	}
	stops := w.run != nil && w.run.slot != nil && w.run.stop != nil
	if !stops {
		if err := e.Synchronize(); err != nil {
			return 0, e, err
		}
	}
	for told := false; ; time.Sleep(glance) {
		if happened, at, free, err := q.d.clock.look(e); happened || err != nil {
			return at, free, err
		}
		if stops && !told && w.run.stop.Stopped() {
			if err := q.d.slots.tell(w.run.slot, q.d.control); err != nil {
				return 0, e, err
			}
			told = true
		}
	}
}

// drain waits until nothing is on the queue.
func (q *queue) drain() {
	q.mu.Lock()
	for len(q.waiting) > 0 || len(q.underWay) > 0 {
		q.empty.Wait()
	}
	q.mu.Unlock()
}

// close ends the goroutines of a queue that is empty.
func (q *queue) close() error {
	q.mu.Lock()
	q.ends = true
	q.some.Broadcast()
	q.mu.Unlock()
	q.parts.Wait()
	return q.stream.Close()
}
