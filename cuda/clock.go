package cuda

import (
	"math"
	"sync"
	"time"

	"weft/cuda/driver"
)

// clock turns the times of events into nanoseconds of the host's monotonic clock since an epoch.
//
// The driver tells the time between two events, as a float32 of milliseconds: over more than a second its steps are
// longer than what is measured. So the clock measures from a base event, and moves on to another one when a second has
// passed.
//
// How far the device's time is behind the host's is seen when an event is found to have happened: the host's time then
// is the event's or later. The smallest difference of the last seconds is the best that is known, as in Cristian's
// algorithm; two windows follow a slow drift of the two clocks, and no event is ever told to lie in the future.
type clock struct {
	epoch time.Time

	mu        sync.Mutex
	base      *driver.Event
	at        int64    // the base's time, on the device: ns since the first base
	least     [2]int64 // smallest difference of the host's and the device's time, in the window before and in this one
	windowEnd int64    // of this window, in the host's time
}

// window is how long a difference counts for at least, and how long a base serves.
const window = int64(time.Second)

// start makes the first base.
func (c *clock) start(d *Device, epoch time.Time) error {
	c.epoch = epoch
	e, err := d.takeEvent()
	if err != nil {
		return err
	}
	c.base = e
	if err := d.slots.control.Record(e); err != nil {
		return err
	}
	if err := e.Synchronize(); err != nil {
		return err
	}
	now := c.now()
	c.least, c.windowEnd = [2]int64{now, now}, now+window
	return nil
}

// now is the host's time.
func (c *clock) now() int64 { return int64(time.Since(c.epoch)) }

// look reports whether an event has happened, and returns the host's time of it. The clock may then keep the event as
// its base; it returns the one that it gives up.
func (c *clock) look(e *driver.Event) (happened bool, at int64, free *driver.Event, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	happened, since, err := e.Passed(c.base)
	if err != nil || !happened {
		return false, 0, e, err
	}
	now := c.now()
	device := c.at + int64(since)
	if now > c.windowEnd {
		c.least, c.windowEnd = [2]int64{c.least[1], math.MaxInt64}, now+window
	}
	c.least[1] = min(c.least[1], now-device)
	free = e
	if int64(since) > window {
		c.base, c.at, free = e, device, c.base
	}
	return true, device + min(c.least[0], c.least[1]), free, nil
}

func (c *clock) close() error {
	if c.base == nil {
		return nil
	}
	return c.base.Close()
}
