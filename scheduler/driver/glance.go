package driver

import "weft/scheduler"

// Glance is how a runtime is at one moment, in little more than a dozen numbers: the difference of two says what
// happened in between. It costs microseconds, so that it can be asked several times a second.
type Glance struct {
	At       int64 // nanoseconds since the recorder's epoch
	Tasks    int64 // of operations, that ended
	Pending  int   // of operations, that are planned and have not ended
	Under    int   // tasks of all kinds that are planned and have not ended
	Bytes    int64 // that tasks have read and written, copies among them
	Devices  []DeviceGlance
	Memories []MemoryGlance
	Waiting  int64 // how long the thread has waited that waits longest, in nanoseconds; 0 if none does
}

// DeviceGlance is a device in a Glance.
//
// Busy grows by as many nanoseconds in each as queues run something: its difference over a stretch of time, divided by
// the length of that and by Queues, is how much of the device was used.
type DeviceGlance struct {
	Name   string
	Queues int   // that run tasks
	Busy   int64 // nanoseconds that they have run tasks, those that run now included
}

// MemoryGlance is a memory in a Glance.
type MemoryGlance struct {
	Name        string
	Live, Total int64 // bytes; Total is 0 where only the machine's memory bounds it
}

// Glance looks. Like Doing, it waits for the runtime's mutex.
func (r *Runtime) Glance() Glance {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := Glance{At: r.rec.Now(), Tasks: r.counts.of[Runs], Pending: r.core.Look.PendingRuns(), Bytes: r.counts.bytes}
	g.Under, _ = r.core.Look.Pending()
	for _, d := range r.devices {
		row := DeviceGlance{Name: d.info.Name, Busy: d.busy}
		for _, q := range d.queues {
			if q.runs {
				row.Queues++
			}
			if s := q.first(); s != nil && s.task.Kind == scheduler.Run {
				row.Busy += max(g.At-s.since, 0)
			}
		}
		g.Devices = append(g.Devices, row)
	}
	for _, m := range r.memory {
		g.Memories = append(g.Memories, MemoryGlance{m.name, m.live, m.device.info.Memory})
	}
	for _, w := range r.waiters {
		g.Waiting = max(g.Waiting, g.At-w.since)
	}
	return g
}
