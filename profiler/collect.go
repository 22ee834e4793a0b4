package profiler

import (
	"context"
	"fmt"
	"time"

	"weft/internal/units"
)

// Collector keeps all records from a moment on, also those of runs that are longer than the lanes are.
type Collector struct {
	cursor *Cursor
	trace  *Trace
	inc    Increment
	most   int
	full   int64 // when there were more than most records, 0 if there are not
	lost   uint64
}

// Collect begins a collection of so many records at most, 40 bytes each.
func (r *Recorder) Collect(most int) *Collector {
	c := &Collector{cursor: r.Cursor(), trace: empty(), most: most, lost: r.Lost()}
	c.trace.Epoch, c.trace.Machine = r.epoch.UnixNano(), r.machine
	for _, l := range r.allLanes() {
		c.cursor.next, c.cursor.lost = append(c.cursor.next, l.rows.written.Load()), append(c.cursor.lost, l.rows.lost())
	}
	c.cursor.ops = r.ops.written.Load()
	return c
}

// Follow collects at a distance in which lanes do not fill, until the context ends. One goroutine at a time may call
// Follow and End.
func (c *Collector) Follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(collectEvery):
			c.next()
		}
	}
}

// A lane of 65536 records that take 50 ns each is full after three milliseconds; those of tasks, which take longer than
// that to plan, after thirty at the least.
const collectEvery = 10 * time.Millisecond

func (c *Collector) next() {
	c.cursor.Next(&c.inc)
	if len(c.trace.Records)+len(c.inc.Records) > c.most {
		if c.full == 0 {
			c.full = c.cursor.r.Now()
		}
		c.inc.Records, c.inc.Ops = nil, nil
	}
	c.inc.Tasks = nil
	c.trace.add(&c.inc)
}

// End collects what is left, and returns it. missing says what is not in the trace, if anything is.
func (c *Collector) End() (t *Trace, missing string) {
	c.next()
	c.trace.finish()
	switch lost := c.cursor.r.Lost() - c.lost; {
	case c.full != 0:
		missing = fmt.Sprintf("only the first %d records were looked at, until %s: array work behind that is not counted", c.most, units.Duration(c.full))
	case lost > 0:
		missing = fmt.Sprintf("%d records were lost, as lanes were full: their array work is not counted", lost)
	}
	return c.trace, missing
}
