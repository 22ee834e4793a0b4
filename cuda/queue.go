package cuda

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"weft/cuda/driver"
	"weft/tile"
)

// queue is one of CUDA's streams with the work on it, in order: what is held for a sequence, what waits to be given to
// the driver, and what is under way.
type queue struct {
	d      *Device
	number int
	stream *driver.Queue

	mu       sync.Mutex
	some     sync.Cond // waiting or under way has got something, or nothing comes any more
	told     sync.Cond // under way has lost something: its end has been told
	empty    sync.Cond // both are empty
	waiting  []*work   // not with the driver yet
	underWay []*work
	toHost   uint64 // the last number that writes to the host
	batch    driver.Batch
	words    []uint64
	holds    bool    // launches, for a sequence
	held     []*work // those
	graphs   graphs
	ends     bool
	parts    sync.WaitGroup

	scratch scratch
	area    area

	ring  ring  // the submitting goroutine's
	last  int64 // end of the last work that was done; the retiring goroutine's
	order order
}

// work is a launch, a copy or a sequence of launches on its way through a queue. The goroutine that took it off a list
// owns it.
type work struct {
	done  func(tile.Completion)
	run   *run      // a launch,
	move  *move     // or a copy,
	parts []*work   // or a sequence of launches
	err   error     // why it was not started; it then only keeps its place
	times *template // of a sequence, or of the one that a launch is the at-th of
	at    int

	seq    uint64    // its number on the queue
	after  []pointOf // of other queues, what comes before it
	before uint64    // the last number of this queue that writes to the host, where this work reads from there
	behind bool      // the host has to wait for those

	self      [1]*work      // itself
	event     *driver.Event // behind it; nil where the device is lost
	submitted int64         // when the driver got it: host's time
}

func newQueue(d *Device, number int) (*queue, error) {
	s, err := d.dev.NewQueue()
	if err != nil {
		return nil, err
	}
	q := &queue{d: d, number: number, stream: s}
	q.some.L, q.told.L, q.empty.L, q.order.moved.L = &q.mu, &q.mu, &q.mu, &q.order.mu
	return q, nil
}

// start starts the queue's goroutines.
func (q *queue) start() {
	q.parts.Go(q.submitting)
	q.parts.Go(q.retiring)
}

// add takes work. The driver gets it at once where that makes no thread wait.
func (q *queue) add(w *work, t *tile.Turn) {
	after, err := q.others(t)
	if w.seq, w.after = t.Seq, after; w.err == nil {
		w.err = err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.move != nil && w.move.to != nil {
		q.toHost = w.seq
	}
	// What a copy reads of the host's memory may be what another copy writes there when it ends.
	if w.move != nil && w.move.from != nil {
		w.before = q.toHost
		w.behind = len(w.after) > 0 || !q.order.done(w.before)
	}
	if q.holds {
		if !w.joins(q.held) {
			q.release()
		}
		if w.joins(q.held) {
			q.held = append(q.held, w)
			return
		}
	}
	q.pass(w)
}

// pass gives work to the driver, or puts it behind what waits. The caller holds the mutex.
func (q *queue) pass(w *work) {
	if len(q.waiting) > 0 || q.d.info.Singly || !q.quick(w) {
		q.waiting = append(q.waiting, w)
	} else {
		q.underWay = append(q.underWay, q.give(w)...)
	}
	q.some.Broadcast()
}

// give gives work to the driver, and returns what is under way then. Only one goroutine at a time does: the one that
// holds the mutex while nothing waits, or the submitting one while something does.
func (q *queue) give(w *work) []*work {
	if w.parts != nil {
		return q.submitSequence(w)
	}
	q.submit(w)
	w.self[0] = w
	return w.self[:]
}

// quick reports whether giving the work to the driver takes microseconds.
func (q *queue) quick(w *work) bool {
	for _, p := range w.after {
		if !p.order.has(p.seq) {
			return false
		}
	}
	for _, p := range w.parts {
		if !p.run.compiled() {
			return false
		}
	}
	return !w.behind && (w.parts != nil || w.err != nil || w.run != nil && w.run.compiled() || w.move != nil && w.move.staged(q.d))
}

// submitting gives what waits to the driver. The work stays at the front of the list until the driver has it, so that
// nothing overtakes it.
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
		for _, p := range w.after {
			p.order.await(p.seq)
		}
		if w.behind {
			q.settle(w)
		}
		if w.run != nil {
			w.run.await()
		}
		for _, p := range w.parts {
			p.run.await()
		}
		if q.d.info.Singly {
			q.d.single.Lock()
		}
		given := q.give(w)
		q.mu.Lock()
		q.waiting[0] = nil
		q.waiting = q.waiting[1:]
		q.underWay = append(q.underWay, given...)
		q.some.Broadcast()
		if q.d.info.Singly {
			for len(q.underWay) > 0 {
				q.told.Wait()
			}
			q.d.single.Unlock()
		}
		q.mu.Unlock()
	}
}

// settle waits until what comes before a copy from host memory has ended: copies to the host among that write the
// memory when they end.
func (q *queue) settle(w *work) {
	for _, p := range w.after {
		p.order.over(p.seq)
	}
	q.order.over(w.before)
}

// submit gives a launch or a copy to the driver, with an event behind it, also behind work that fails: what comes later
// relies on the order.
func (q *queue) submit(w *work) {
	lost := q.d.usable()
	if lost == nil {
		w.event, lost = q.d.takeEvent()
	}
	w.submitted = q.d.clock.now()
	if lost == nil {
		lost = q.wait(w)
	}
	if lost == nil {
		recorded := false
		if w.err == nil && w.run != nil {
			recorded, w.err = q.submitRun(w.run, w.event)
		} else if w.err == nil {
			w.err = q.submitMove(w.move)
		}
		if !recorded {
			lost = q.stream.Record(w.event)
		}
	}
	if lost != nil {
		q.unrecorded(w, lost)
	}
	if w.err != nil {
		w.err = q.d.note(w.err)
	}
	q.order.give(w.seq, w.event)
}

// wait makes the stream wait for what comes before work on other queues.
func (q *queue) wait(w *work) error {
	for _, p := range w.after {
		if err := p.order.behind(p.seq, q.stream); err != nil {
			return err
		}
	}
	return nil
}

// unrecorded waits until work has ended that has no event behind it because of err.
func (q *queue) unrecorded(w *work, err error) {
	q.quiesce(err)
	w.err = q.d.note(errors.Join(w.err, err))
	if w.event != nil {
		q.d.giveEvent(w.event)
		w.event = nil
	}
}

// quiesce waits until the stream is empty, where err has kept its events from telling. A device that does not even do
// that is gone.
func (q *queue) quiesce(err error) {
	q.d.note(err)
	if q.d.usable() != nil {
		return
	}
	if q.stream.Synchronize() != nil {
		q.d.lose(err)
	}
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
		if w.parts != nil {
			q.finishSequence(w, c)
		} else {
			w.done(c)
		}
		q.order.end(w.seq, c.End)
		q.mu.Lock()
		q.underWay[0] = nil
		q.underWay = q.underWay[1:]
		q.told.Broadcast()
		if len(q.underWay) == 0 && len(q.waiting) == 0 {
			q.empty.Broadcast()
		}
		q.mu.Unlock()
	}
}

// finish waits for the end of work and returns what is to be told of it.
func (q *queue) finish(w *work) tile.Completion {
	start, end := max(q.last, w.submitted), w.submitted
	var free *driver.Event
	if w.event != nil {
		var at int64
		var err error
		if at, free, err = q.await(w); err != nil {
			q.quiesce(err)
			w.err = q.d.note(errors.Join(w.err, err))
			at = q.d.clock.now()
		}
		end = at
	}
	q.order.leave(w.seq)
	if free != nil {
		q.d.giveEvent(free)
	}
	for _, p := range w.after {
		start = max(start, p.order.over(p.seq))
	}
	switch {
	case w.run != nil:
		w.err = q.finishRun(w.run, w.err)
	case w.move != nil:
		q.finishMove(w.move, w.err)
	}
	c := tile.Completion{Queue: q.number, Start: start, End: max(start, end), Err: w.err}
	if w.times != nil && w.parts == nil && w.err == nil {
		w.times.took[w.at] = c.End - c.Start
	}
	q.last = c.End
	return c
}

// A retiring goroutine looks at an event again and again before it sleeps in the driver, which costs it some 20 us to
// wake from, and as many again where the wait was long enough for its processor to sleep as well. What is the last on
// its queue may be what the program waits for; what has work behind it is followed by some that is told as soon, so
// that the goroutine does not have a processor to itself while a loop runs ahead. A sum of 256 MiB on an H100, read in
// each turn, takes 290 us where it sleeps after 50 us, and 250 where it does not.
const (
	spin     = 50 * time.Microsecond
	lastSpin = 2 * time.Millisecond // of the last work of a queue
	fewCPUs  = 4                    // with fewer, the processor that it would take is needed for something else
)

// glance is how often a goroutine looks whether a loop that is under way is to be stopped.
const glance = 200 * time.Microsecond

// await waits until work has happened, and returns when that was, and an event that is free. It passes on that loops
// are to stop.
func (q *queue) await(w *work) (at int64, free *driver.Event, err error) {
	e := w.event
	for since := time.Now(); ; runtime.Gosched() {
		if took := time.Since(since); took > lastSpin || took > spin && !q.alone() {
			break
		}
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
			if err := q.d.slots.tell(w.run.slot); err != nil {
				return 0, e, err
			}
			told = true
		}
	}
}

// alone reports whether the work that the retiring goroutine waits for is the last, and may be looked at for long.
func (q *queue) alone() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.underWay) == 1 && len(q.waiting) == 0 && runtime.NumCPU() >= fewCPUs
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
	return errors.Join(q.graphs.close(), q.ring.close(q.d.dev), q.scratch.close(q.d), q.area.giveBack(q.d), q.stream.Close())
}
