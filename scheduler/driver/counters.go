package driver

import (
	"time"

	"weft/scheduler"
)

// Counter numbers a row of the table of counters. A new one is a constant, its row, and the
// line that counts: everything that shows counters goes by the table.
type Counter uint8

// The counters. They start at zero with the runtime and only grow.
const (
	Operations Counter = iota
	FusedOperations
	Plans
	KnownPlans
	NewPlans
	Tasks
	Runs
	InlineTasks
	ReplayedTasks
	FailedTasks
	Copies
	Waits
	Throttled
	Meetings
	Allocations
	Evictions
	Looks

	counters // how many there are
)

// CounterInfo is a row of the table.
type CounterInfo struct {
	Name string // as it is shown
	Unit string
	Doc  string
}

var counterRows = [counters]CounterInfo{
	Operations:      {"operations", "ops", "that the program recorded"},
	FusedOperations: {"fused_operations", "ops", "that ran in one pass over memory with others"},
	Plans:           {"plans", "windows", "of operations that were planned"},
	KnownPlans:      {"known_plans", "windows", "that replayed the template of an earlier one"},
	NewPlans:        {"new_plans", "windows", "whose template was captured: what is fused had to be found"},
	Tasks:           {"tasks", "tasks", "that ended: runs, copies and frees"},
	Runs:            {"runs", "tasks", "that ended and ran an operation: what graphs, timelines and costs call its tasks"},
	InlineTasks:     {"inline_tasks", "tasks", "that ran on the calling thread, without a hand-over"},
	ReplayedTasks:   {"replayed_tasks", "tasks", "that a GPU ran in one go with others, as a graph of launches that it has had before; their times are estimates"},
	FailedTasks:     {"failed", "tasks", "that ended with an error"},
	Copies:          {"copies", "copies", "between memories"},
	Waits:           {"waits", "times", "that the program waited for a value"},
	Throttled:       {"throttled", "times", "that the program was held because too much was under way"},
	Meetings:        {"meetings", "times", "that the program waited for what other libraries do with a GPU's memory that they share"},
	Allocations:     {"allocations", "buffers", "that were taken from a memory"},
	Evictions:       {"evictions", "buffers", "that left a full memory; what they alone held was copied to the host (cause spill)"},
	Looks:           {"clock_looks", "times", "that recording looked at the clock; tasks on queues are timed in any case"},
}

// Counters returns the table, by Counter. It must not be changed.
func Counters() []CounterInfo { return counterRows[:] }

// counts are the counters' values; the runtime's mutex guards them.
//
// Fusion's are the core's own, and are put in when Stats is called.
type counts struct {
	of    [counters]int64
	moves [scheduler.Causes]Moves
	bytes int64 // that tasks have read and written
}

// Moves are the copies of one cause.
type Moves struct {
	Copies, Bytes int64
}

// add counts one more.
func (c *counts) add(which Counter) { c.of[which]++ }

// ended counts a task that ended.
func (c *counts) ended(kind scheduler.TaskKind, failed bool) {
	c.of[Tasks]++
	if kind == scheduler.Run {
		c.of[Runs]++
	}
	if failed {
		c.of[FailedTasks]++
	}
}

// moved counts a copy of bytes.
func (c *counts) moved(cause scheduler.Cause, bytes int64) {
	c.of[Copies]++
	c.moves[cause].Copies++
	c.moves[cause].Bytes += bytes
}

// Stats are the runtime's figures at one moment.
type Stats struct {
	Counts   [counters]int64           // by Counter
	Moved    map[scheduler.Cause]Moves // causes of which there were copies
	Pending  int                       // tasks that are planned and not completed
	HandOver time.Duration             // what it takes to have a task run on another thread, measured or told
	Memories []MemoryStats             // by MemoryID
	Lost     uint64                    // records that the profiler had no room for
}

// HitRate is the part of the windows, 0 to 1, whose fusion was remembered.
func (s *Stats) HitRate() float64 {
	return float64(s.Counts[KnownPlans]) / float64(max(1, s.Counts[KnownPlans]+s.Counts[NewPlans]))
}

// MemoryStats are the figures of one memory, in bytes unless said otherwise.
//
//	Mapped  |-------- used blocks --------|---- Idle ----|
//	Live    |---- bytes of arrays ---|                        the rest of the used blocks is rounding
type MemoryStats struct {
	Name       string
	Live, Peak int64 // of arrays, now and at most
	Total      int64 // that there are; 0 if there is no limit
	Buffers    int   // how many are allocated
	Mapped     int64 // that the device's pool got from the system; 0 if the device does not say
	Idle       int64 // of those, not handed out: kept for later, or cut off by rounding
}

// Fragmentation is the part of the mapped memory, 0 to 1, that no array's bytes use.
func (m MemoryStats) Fragmentation() float64 {
	if m.Mapped == 0 {
		return 0
	}
	return max(0, 1-float64(m.Live)/float64(m.Mapped))
}

// pooled is a device that keeps memory for later.
type pooled interface {
	// Held returns the bytes that it got from the system, and those of its blocks in use.
	Held() (mapped, used int64)
}

// Stats returns the figures of now.
func (r *Runtime) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Stats{Counts: r.counts.of, Moved: map[scheduler.Cause]Moves{}, Lost: r.rec.Lost()}
	fusion := r.core.Look.Fusion()
	s.Counts[FusedOperations], s.Counts[KnownPlans], s.Counts[NewPlans] = fusion.Fused, fusion.Replayed, fusion.Captured
	s.Pending, _ = r.core.Look.Pending()
	s.HandOver = r.handOver.took
	for cause, m := range r.counts.moves {
		if m.Copies > 0 {
			s.Moved[scheduler.Cause(cause)] = m
		}
	}
	for _, m := range r.memory {
		row := MemoryStats{Name: m.name, Live: m.live, Peak: m.peak, Total: m.device.info.Memory}
		if d, ok := m.device.dev.(pooled); ok {
			mapped, used := d.Held()
			row.Mapped, row.Idle = mapped, mapped-used
		}
		s.Memories = append(s.Memories, row)
	}
	for _, b := range r.buffers {
		if b.allocated && b.lent == nil {
			s.Memories[b.inst.Memory].Buffers++
		}
	}
	return s
}

// Placement returns how many bytes of a store each memory holds, by the memory's name.
//
// The window is planned first: where a store is, is decided when its ops are.
func (r *Runtime) Placement(id scheduler.StoreID) map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usable() == nil {
		r.flush()
		r.settle()
	}
	held := map[string]int64{}
	for _, p := range r.core.Look.Placement(id) {
		held[r.memory[p.Memory].name] = p.Bytes
	}
	return held
}
