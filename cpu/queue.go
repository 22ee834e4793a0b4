package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"

	"weft/tile"
)

// job is a launch or a copy (the other is nil) with what to call when it has finished.
type job struct {
	launch   *tile.Launch
	transfer *tile.Transfer
	done     func(tile.Completion)
}

// turn returns when the job may start.
func (j *job) turn() *tile.Turn {
	if j.launch != nil {
		return &j.launch.Turn
	}
	return &j.transfer.Turn
}

// queue runs jobs in order on a goroutine of its own.
type queue struct {
	waiting atomic.Int64 // jobs in the ring; what the spinning goroutine looks at
	wake    chan struct{}
	reached atomic.Uint64 // the number of the last job that has run, of those that have one
	passed  sync.Cond     // on mu: reached has grown

	mu     sync.Mutex
	ring   []job // first waiting job at head
	head   int
	count  int
	parked bool
	closed bool
}

// spins is how often an idle queue looks for work, letting other goroutines run in between,
// before it parks: waking a parked goroutine takes tens of microseconds.
const spins = 200

func newQueue() *queue {
	q := &queue{wake: make(chan struct{}, 1), ring: make([]job, 64)}
	q.passed.L = &q.mu
	return q
}

// pass says that the job of a number has run, 0 being none.
func (q *queue) pass(seq uint64) {
	if seq == 0 {
		return
	}
	q.mu.Lock()
	q.reached.Store(seq)
	q.mu.Unlock()
	q.passed.Broadcast()
}

// await waits, on the goroutine of another queue, until the job of a number has run.
func (q *queue) await(seq uint64) {
	for i := 0; q.reached.Load() < seq && i < spins; i++ {
		runtime.Gosched()
	}
	if q.reached.Load() >= seq {
		return
	}
	q.mu.Lock()
	for q.reached.Load() < seq {
		q.passed.Wait()
	}
	q.mu.Unlock()
}

// push adds a job; it is false when the queue is closed.
func (q *queue) push(j job) bool {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return false
	}
	if q.count == len(q.ring) {
		ring := make([]job, 2*q.count)
		n := copy(ring, q.ring[q.head:])
		copy(ring[n:], q.ring[:q.head])
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.count)%len(q.ring)] = j
	q.count++
	q.waiting.Store(int64(q.count))
	wake := q.parked
	q.parked = false
	q.mu.Unlock()
	if wake {
		q.wake <- struct{}{}
	}
	return true
}

// pop waits for the next job; it is false when the queue is closed and empty.
func (q *queue) pop() (job, bool) {
	for {
		for i := 0; q.waiting.Load() == 0 && i < spins; i++ {
			runtime.Gosched()
		}
		q.mu.Lock()
		if q.count > 0 {
			j := q.ring[q.head]
			q.ring[q.head] = job{}
			q.head = (q.head + 1) % len(q.ring)
			q.count--
			q.waiting.Store(int64(q.count))
			q.mu.Unlock()
			return j, true
		}
		if q.closed {
			q.mu.Unlock()
			return job{}, false
		}
		q.parked = true
		q.mu.Unlock()
		<-q.wake
	}
}

// close lets pop end once the queue is empty.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	wake := q.parked
	q.parked = false
	q.mu.Unlock()
	if wake {
		q.wake <- struct{}{}
	}
}
