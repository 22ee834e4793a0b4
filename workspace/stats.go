package workspace

import (
	"fmt"
	"strings"

	"weft/scheduler/driver"
)

// stats are the runtime's figures, under the names that Python shows. The counters come from
// the driver's table; see statsDoc for the rest.
func (m *Machine) stats() map[string]any {
	s, held := m.rt.Stats(), m.space.options.Program.Holdings()
	shown := map[string]any{
		"handover_ns": s.HandOver.Nanoseconds(), "pending_tasks": s.Pending, "lost_records": s.Lost, "arrays": held.Arrays, "mappings": held.Mappings, "block_bytes": held.Blocks,
	}
	for i, row := range driver.Counters() {
		shown[row.Name] = s.Counts[i]
	}
	small := m.space.notes.computed()
	shown["operations"] = s.Counts[driver.Operations] + small
	shown["small_operations"] = small
	shown["plan_hit_rate"] = s.HitRate()
	moved, copies := map[string]int64{}, map[string]int64{}
	for cause, n := range s.Moved {
		moved[cause.String()], copies[cause.String()] = n.Bytes, n.Copies
	}
	shown["moved_bytes"], shown["copies_by_cause"] = moved, copies
	memories := map[string]any{}
	for _, mem := range s.Memories {
		memories[mem.Name] = map[string]any{
			"live": mem.Live, "peak": mem.Peak, "total": mem.Total, "buffers": mem.Buffers,
			"mapped": mem.Mapped, "idle": mem.Idle, "fragmentation": mem.Fragmentation(),
		}
	}
	shown["memories"] = memories
	return shown
}

// statsDoc explains the keys of stats, a line for each.
func statsDoc() string {
	var b strings.Builder
	for _, row := range driver.Counters() {
		fmt.Fprintf(&b, "%-16s %s %s\n", row.Name, row.Unit, row.Doc)
	}
	for _, row := range [][2]string{
		{"small_operations", "of the operations, those on few elements that were computed at once"},
		{"plan_hit_rate", "part of the windows, 0 to 1, whose fusion was remembered"},
		{"copies_by_cause", "copies between memories, by what they were for"},
		{"moved_bytes", "the bytes of those copies"},
		{"handover_ns", "nanoseconds that it takes to have a task run on another thread: measured before the first work for several"},
		{"pending_tasks", "tasks that are planned and have not ended"},
		{"arrays", "arrays that Python holds"},
		{"mappings", "buffers that Python sees arrays through"},
		{"block_bytes", "bytes of arrays beside the memories: of few elements, and of others in the place of such as have died"},
		{"lost_records", "records that the profiler had no room for"},
		{"memories", "by name of the memory:"},
		{"  live", "bytes of arrays now, but for those in blocks"},
		{"  peak", "bytes of arrays at most"},
		{"  total", "bytes that there are; 0 without a limit"},
		{"  buffers", "how many pieces the arrays are in"},
		{"  mapped", "bytes that the pool got from the system"},
		{"  idle", "bytes of those that are kept for later"},
		{"  fragmentation", "part of the mapped bytes, 0 to 1, that no array uses"},
	} {
		fmt.Fprintf(&b, "%-16s %s\n", row[0], row[1])
	}
	return b.String()
}
