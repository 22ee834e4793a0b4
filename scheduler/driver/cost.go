package driver

// Cost is what a stretch of the program asked of the runtime: the difference of two Totals. What runs out of order is
// counted when it ends, so that work of an earlier stretch may end in a later one.
type Cost struct {
	Operations int64 // that were recorded
	Fused      int64 // of those, that ran in one pass with others
	Tasks      int64 // of operations, that ended
	Copies     int64 // between memories
	Moved      int64 // the bytes of those
	Waits      int64 // for values
	Pending    int   // tasks of operations that are planned and have not ended
	Busy       []DeviceBusy
}

// DeviceBusy is how long a device's queues ran tasks, all together.
//
// It counts tasks that have ended, those of an earlier stretch included that end in this one.
type DeviceBusy struct {
	Device string
	Time   int64 // nanoseconds
}

// Totals returns the cost of everything so far.
//
// It takes microseconds, so that it can be asked at the beginning and end of every cell, recorded or not.
func (r *Runtime) Totals() Cost {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := Cost{
		Operations: r.counts.of[Operations], Fused: r.core.Look.Fusion().Fused, Tasks: r.counts.of[Runs],
		Copies: r.counts.of[Copies], Waits: r.counts.of[Waits],
	}
	c.Pending = r.core.Look.PendingRuns()
	for _, m := range r.counts.moves {
		c.Moved += m.Bytes
	}
	for _, d := range r.devices {
		c.Busy = append(c.Busy, DeviceBusy{d.info.Name, d.busy})
	}
	return c
}

// Since returns what came to the totals after earlier ones of the same runtime.
func (c Cost) Since(before Cost) Cost {
	c.Operations -= before.Operations
	c.Fused -= before.Fused
	c.Tasks -= before.Tasks
	c.Copies -= before.Copies
	c.Moved -= before.Moved
	c.Waits -= before.Waits
	busy := c.Busy
	c.Busy = nil
	for i, d := range busy {
		if i < len(before.Busy) {
			d.Time -= before.Busy[i].Time
		}
		c.Busy = append(c.Busy, d)
	}
	return c
}
