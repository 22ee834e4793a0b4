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

// queue runs jobs in order on a goroutine of its own.
type queue struct {
	waiting atomic.Int64 // jobs in the ring; what the spinning goroutine looks at
	wake    chan struct{}

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
	return &queue{wake: make(chan struct{}, 1), ring: make([]job, 64)}
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
