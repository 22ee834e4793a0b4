package workspace

import (
	"slices"

	"weft/internal/units"
	"weft/profiler"
	"weft/scheduler"
	"weft/scheduler/verify"
	"weft/viz/graph"
)

// fallenCall is a call that NumPy answered on host memory.
type fallenCall struct {
	name       string
	where      scheduler.Where
	begun, end int64
	bytes      int64
	from, to   uint64 // the numbers of the memories that were made meanwhile: above from, up to to
}

// mostMade bounds how many arrays a call is looked at for.
const mostMade = 64

// mostFallen bounds how many calls are remembered for the graphs.
const mostFallen = 4096

// NoteFallback keeps a call that NumPy answered on host memory. begun is when it began, by the runtime's clock; from
// and to are how many memories there had been then, and are now.
func (s *Workspace) NoteFallback(name string, packed uint64, begun, bytes int64, from, to uint64) {
	c := &s.cells
	c.mu.Lock()
	c.fallbacks++
	c.mu.Unlock()
	rt, w := s.Machine().rt, WhereOf(packed)
	end := rt.Now()
	rt.Note(profiler.Fallback, name, w, begun, end, bytes)
	c.keepFallen(fallenCall{name, w, begun, end, bytes, from, to})
}

func (c *cells) keepFallen(f fallenCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.fell) >= mostFallen {
		c.fell = slices.Delete(c.fell, 0, mostFallen/2)
	}
	c.fell = append(c.fell, f)
}

// fallenIn returns the remembered calls of a cell.
func (c *cells) fallenIn(of cell) []fallenCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []fallenCall
	for _, f := range c.fell {
		if f.begun >= of.mark.Start && f.begun < of.mark.End {
			out = append(out, f)
		}
	}
	return out
}

// withFallbacks puts the calls that went to NumPy among a cell's operations, behind the tasks that had been planned by
// then, and what had been computed at once. What they read and wrote is what the host touched while they ran: arrays
// that were there before count as read, since NumPy gets memory that it may write whether it does or not, and new ones
// as written.
func (m *Machine) withFallbacks(c cell, nodes []ordered, known map[scheduler.StoreID]storeInfo) []graph.OpNode {
	fell := m.space.cells.fallenIn(c)
	accesses := m.rt.HostAccesses()
	at := 0
	used := map[scheduler.StoreID]graph.Store{} // read by some operation
	for i := range nodes {
		for _, s := range nodes[i].Reads {
			used[s.ID] = s
		}
	}
	before := m.storesBefore(c, accesses)
	out := make([]graph.OpNode, 0, len(nodes)+len(fell))
	for _, f := range fell {
		n := graph.OpNode{Name: f.name, Kind: "fallback", Where: f.where, Tasks: 1, Bytes: f.bytes, DurNs: f.end - f.begun}
		var planned scheduler.TaskID
		var touched []graph.Store
		for _, a := range accesses {
			if a.At < f.begun || a.At > f.end {
				continue
			}
			planned = max(planned, a.After)
			touched = append(touched, storeOf(a, known))
		}
		for at < len(nodes) && (nodes[at].first <= planned && nodes[at].begun < f.begun) {
			for _, s := range slices.Concat(nodes[at].Reads, nodes[at].Writes) {
				before[s.ID] = true
			}
			out = append(out, nodes[at].OpNode)
			at++
		}
		for _, s := range touched {
			if before[s.ID] {
				n.Reads = addStore(n.Reads, s)
			} else {
				n.Writes = addStore(n.Writes, s)
			}
		}
		for memory := max(f.from, f.to-min(f.to, mostMade)); memory < f.to; memory++ {
			if s, ok := used[m.space.notes.known(OwnStore|scheduler.StoreID(memory+1))]; ok && !before[s.ID] {
				n.Writes = addStore(n.Writes, s)
			}
		}
		for _, s := range n.Writes {
			before[s.ID] = true
		}
		out = append(out, n)
	}
	for ; at < len(nodes); at++ {
		out = append(out, nodes[at].OpNode)
	}
	return out
}

// storesBefore are the arrays that the log knows from before a cell.
func (m *Machine) storesBefore(c cell, accesses []verify.HostAccess) map[scheduler.StoreID]bool {
	before := map[scheduler.StoreID]bool{}
	if c.mark.FirstOp > 0 {
		for _, op := range m.rt.Ops(0) {
			if op.ID > c.mark.FirstOp {
				break
			}
			for _, u := range op.Uses {
				before[u.View.Store] = true
			}
		}
	}
	for _, a := range accesses {
		if a.At < c.mark.Start {
			before[a.Instance.Store] = true
		}
	}
	return before
}

func storeOf(a verify.HostAccess, known map[scheduler.StoreID]storeInfo) graph.Store {
	s := graph.Store{ID: a.Instance.Store, Bytes: a.Hi - a.Lo, Text: units.Size(a.Hi - a.Lo)}
	if info, there := known[s.ID]; there {
		s.Text = info.text()
	}
	return s
}
