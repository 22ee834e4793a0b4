package driver

import (
	"sync"

	"weft/profiler"
)

// A look at the clock costs as much as everything else that a record takes, 30 to 40 ns. So the runtime looks where
// something begins or ends that takes time: planning, a task on the calling thread, an allocation of much memory, a
// wait. What comes between is dated by the last look, of the same call from outside or of the completion that set it
// off:
//
//	plan          task          task          the program reads
//	|             |             |             |
//	look  alloc   look  free    look  access  return
//
// All times are in the order of what happened, and off by the bookkeeping at most; but buffers that are given back
// while nothing else happens have the time of what happened last, however long ago that was, until they come to a
// megabyte (largeBuffer). Publishing records costs as much again as a look, and is for the end of the call.

// turn is the runtime's mutex. Who takes it does not know what time it is, and who gives it back publishes what was
// recorded.
type turn struct {
	sync.Mutex
	known bool  // at is of this turn
	at    int64 // the last look at the clock
	freed int64 // bytes that were given back since, of this turn or another
	rec   *profiler.Recorder
	put   []*profiler.Lane // with records that are not published
}

// Lock begins a turn.
func (t *turn) Lock() {
	t.Mutex.Lock()
	t.known = false
}

// Unlock ends it.
func (t *turn) Unlock() {
	t.rec.PublishOps() // before the records that name them
	for _, l := range t.put {
		l.Publish()
	}
	t.put = t.put[:0]
	t.Mutex.Unlock()
}

// record stores a record of a lane.
func (r *Runtime) record(l *profiler.Lane, rec profiler.Record) {
	if l.Put(rec) {
		r.mu.put = append(r.mu.put, l)
	}
}

// now looks at the clock.
func (r *Runtime) now() int64 {
	at := r.rec.Tick()
	if at != 0 { // else nothing is recorded
		r.counts.add(Looks)
	}
	r.since(at)
	return r.mu.at
}

// moment is the last look at the clock of this turn, or one now where there was none.
func (r *Runtime) moment() int64 {
	if r.mu.known {
		return r.mu.at
	}
	return r.now()
}

// since says that a completion has come, of something that ended at a time.
func (r *Runtime) since(at int64) {
	r.mu.at, r.mu.known, r.mu.freed = max(r.mu.at, at), true, 0
}

// parting returns when so many bytes are given back.
func (r *Runtime) parting(bytes int64) int64 {
	if r.mu.freed += bytes; r.mu.freed >= largeBuffer {
		r.mu.freed = 0
		return r.moment()
	}
	return r.mu.at
}
