package workspace

import (
	"cmp"
	"slices"

	"weft/profiler"
	"weft/scheduler"
	"weft/viz/graph"
)

// taskNodes are the tasks of a cell as graphs have them, in the order of their IDs, and how many of it are not
// known any more. Those that are older than the runtime's log are taken from the profile, which has less of
// each and therefore keeps more.
func (m *Machine) taskNodes(c cell) (nodes []graph.TaskNode, missing int) {
	if _, oldest := m.rt.Oldest(); oldest > c.mark.FirstTask+1 {
		until := min(oldest, c.mark.LastTask)
		nodes = m.recorded(c.mark.FirstTask, until)
		missing = max(0, int(until)-int(c.mark.FirstTask)-1-len(nodes))
	}
	lines, spread, rates := m.lineTitles(), m.spreads(), m.lineRates(c)
	shown := map[scheduler.StoreID]bool{} // made to be displayed
	for _, t := range m.tasks(c) {
		if t.Op != nil && m.displays(t.Op.Where) {
			for i := range t.Op.Uses {
				if u := &t.Op.Uses[i]; u.Access.Writes() {
					shown[u.View.Store] = true
				}
			}
			continue
		}
		if m.displays(t.Where) || t.Kind == scheduler.Free && shown[t.Src.Store] {
			continue
		}
		n := graph.TaskNode{
			ID: t.ID, Kind: t.Kind.String(), Where: t.Where, Line: lines(t.Where), After: t.After,
			Bytes: t.Bytes(), Start: t.Start, End: t.End,
		}
		if int(t.Device) < len(m.names) {
			n.Device = m.names[t.Device]
		}
		if t.Op != nil {
			n.Op, n.Name, n.Lines, n.Rate = t.Op.ID, t.Op.Name, spread(t.Op), rates(t.Where)
		}
		if t.Kind == scheduler.Copy {
			n.Cause = t.Cause.String()
		}
		nodes = append(nodes, n)
	}
	return nodes, missing
}

// recorded returns the tasks between two IDs of which the profile knows what they waited for.
func (m *Machine) recorded(after, before scheduler.TaskID) []graph.TaskNode {
	kinds := map[profiler.Kind]scheduler.TaskKind{profiler.Run: scheduler.Run, profiler.Copy: scheduler.Copy, profiler.Free: scheduler.Free}
	trace := m.rt.Recorder().Snapshot()
	lines := m.lineTitles()
	var nodes []graph.TaskNode
	for i := range trace.Records {
		rec := &trace.Records[i]
		kind, ok := kinds[rec.Kind]
		task := trace.TaskOf(rec.Task)
		if !ok || rec.Task <= uint32(after) || rec.Task >= uint32(before) || task == nil {
			continue
		}
		n := graph.TaskNode{
			ID: scheduler.TaskID(rec.Task), Kind: kind.String(), Op: scheduler.OpID(rec.Op), Device: trace.Lanes[rec.Lane].Device,
			Bytes: rec.Bytes, Start: rec.Start, End: rec.End,
		}
		w := opPlace(trace.WhereOf(rec))
		n.Where, n.Line = w, lines(w)
		if rec.Op != 0 {
			n.Name = trace.FormOf(rec.Op).Name
		}
		if kind == scheduler.Copy {
			n.Cause = trace.Labels[rec.Label].Name
		}
		for _, id := range task.After {
			n.After = append(n.After, scheduler.TaskID(id))
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b graph.TaskNode) int { return cmp.Compare(a.ID, b.ID) })
	return nodes
}
