package cpu

import (
	"sync"
	"sync/atomic"

	"weft/cpu/eager"
)

// cores counts who computes. A routine borrows the cores of queues that have nothing to do, for
// helpers or for a library's threads. A job that comes to such a queue waits until its
// core is back: so that never more compute than there are queues, but for inline launches, which
// are short and do not wait.
type cores struct {
	count  int64
	busy   atomic.Int64 // jobs that run, and cores that are lent
	lent   atomic.Int64
	wanted atomic.Int64 // jobs that wait

	mu    sync.Mutex
	given sync.Cond // something has ended while a job waited
}

func (c *cores) start(count int) {
	c.count = int64(count)
	c.given.L = &c.mu
}

// enter begins a job of a queue.
func (c *cores) enter() {
	eager.Busy.Add(1)
	if c.busy.Add(1) <= c.count || c.lent.Load() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy.Add(-1) // what waits does not compute
	c.wanted.Add(1)
	defer c.wanted.Add(-1)
	for !c.take() { // again, now that the job that ends can tell
		c.given.Wait()
	}
}

// take takes a core for a job that waits, if one is free or none is lent.
func (c *cores) take() bool {
	for {
		busy := c.busy.Load()
		if busy >= c.count && c.lent.Load() > 0 {
			return false
		}
		if c.busy.CompareAndSwap(busy, busy+1) {
			return true
		}
	}
}

// enterInline begins a job on the goroutine that launched it.
func (c *cores) enterInline() {
	eager.Busy.Add(1)
	c.busy.Add(1)
}

// leave ends a job.
func (c *cores) leave() {
	eager.Busy.Add(-1)
	c.busy.Add(-1)
	c.tell()
}

// lend takes an idle core for another job, if there is one.
func (c *cores) lend() bool {
	c.lent.Add(1) // first, so that a job which comes now sees it
	for {
		busy := c.busy.Load()
		if busy >= c.count || c.wanted.Load() > 0 {
			c.lent.Add(-1)
			c.tell()
			return false
		}
		if c.busy.CompareAndSwap(busy, busy+1) {
			eager.Busy.Add(1)
			return true
		}
	}
}

// back ends a loan.
func (c *cores) back() {
	eager.Busy.Add(-1)
	c.busy.Add(-1)
	c.lent.Add(-1)
	c.tell()
}

// recalled reports whether a job waits for a core: helpers end as soon as they can.
func (c *cores) recalled() bool { return c.wanted.Load() > 0 }

func (c *cores) tell() {
	if c.wanted.Load() > 0 {
		c.mu.Lock()
		c.given.Broadcast()
		c.mu.Unlock()
	}
}
