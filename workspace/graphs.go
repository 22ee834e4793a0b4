package workspace

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/units"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/scheduler/region"
	"weft/scheduler/verify"
	"weft/tile"
	"weft/viz/graph"
)

// ops returns the logged ops of a cell in the order in which they were planned, which is that of
// their first tasks: what the core adds to a window has IDs behind the window's. Without
// tasks, an op stays behind the one before.
func (m *Machine) ops(c cell) []driver.OpInfo {
	first := map[scheduler.OpID]scheduler.TaskID{}
	for _, t := range m.tasks(c) {
		if t.Op != nil && t.Kind == scheduler.Run && first[t.Op.ID] == 0 {
			first[t.Op.ID] = t.ID
		}
	}
	return m.opsByTask(c, first)
}

// opsByTask does so with the first task of each of them; it adds those of ops without one.
func (m *Machine) opsByTask(c cell, first map[scheduler.OpID]scheduler.TaskID) []driver.OpInfo {
	list := m.rt.Ops(c.mark.FirstOp)
	for i, op := range list {
		if op.ID > c.mark.LastOp {
			list = list[:i]
			break
		}
	}
	list = slices.DeleteFunc(list, func(op driver.OpInfo) bool { return m.displays(op.Where) })
	var last scheduler.TaskID
	for _, op := range list {
		if first[op.ID] == 0 {
			first[op.ID] = last
		}
		last = first[op.ID]
	}
	slices.SortStableFunc(list, func(a, b driver.OpInfo) int { return cmp.Compare(first[a.ID], first[b.ID]) })
	return list
}

// tasks returns the logged tasks of a cell. Copies that a later cell's ops asked for are not
// among them.
func (m *Machine) tasks(c cell) []verify.Ran {
	list := m.rt.Tasks(c.mark.FirstTask)
	for i, t := range list {
		if t.ID > c.mark.LastTask {
			return list[:i]
		}
	}
	return list
}

// storeInfo is what the graphs say of a store: the shape of the largest view that was taken of it, of several that with
// most axes, since operations join those that they go through alike.
type storeInfo struct {
	typ   tile.DType
	shape []int
	ends  int64 // one behind the last byte that any op touches
}

func (s storeInfo) text() string { return fmt.Sprintf("%v %s", s.typ, units.Shape(s.shape)) }

func stores(ops []driver.OpInfo) map[scheduler.StoreID]storeInfo {
	all := map[scheduler.StoreID]storeInfo{}
	note := func(op *scheduler.Op) {
		for _, u := range op.Uses {
			s, known := all[u.View.Store]
			shape := distinct(u.View)
			more := cmp.Or(cmp.Compare(elements(shape), elements(s.shape)), cmp.Compare(len(shape), len(s.shape)))
			if !known || more > 0 {
				s.typ, s.shape = u.View.Type, shape
			}
			s.ends = max(s.ends, footprint(u.View).Hi)
			all[u.View.Store] = s
		}
	}
	for _, op := range ops {
		note(op.Op)
		for _, part := range op.Parts {
			note(part)
		}
	}
	return all
}

// distinct returns the shape of a view without the axes along which it repeats elements.
func distinct(v scheduler.View) []int {
	shape := make([]int, 0, len(v.Shape))
	for axis, n := range v.Shape {
		if n == 1 || v.Strides[axis] != 0 {
			shape = append(shape, n)
		}
	}
	return shape
}

func elements(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func footprint(v scheduler.View) region.Interval {
	bytes, _ := region.Footprint(region.Layout{Offset: v.Offset, Shape: v.Shape, Strides: v.Strides, Size: int64(v.Type.Size())},
		make([]int, len(v.Shape)), v.Shape)
	return bytes
}

// opNodes are the nodes of a cell's dataflow graph; known are the tasks from the cell on.
func (m *Machine) opNodes(c cell, known []graph.TaskNode) []graph.OpNode {
	type total struct {
		tasks        int
		bytes, nanos int64
	}
	totals := map[scheduler.OpID]total{}
	copies := map[scheduler.OpID][]graph.Moved{}
	firsts := map[scheduler.OpID]scheduler.TaskID{}
	for _, t := range known {
		switch {
		case t.Op == 0:
		case t.Kind == scheduler.Copy.String():
			copies[t.Op] = addCopy(copies[t.Op], t.Cause, t.Bytes)
		case t.Kind == scheduler.Run.String():
			sum := totals[t.Op]
			sum.tasks++
			sum.bytes += t.Bytes
			sum.nanos += max(t.End-t.Start, 0)
			totals[t.Op] = sum
			if firsts[t.Op] == 0 {
				firsts[t.Op] = t.ID
			}
		}
	}
	ops := m.opsByTask(c, firsts)
	used := stores(ops)
	lines := m.lineTitles()
	called := m.storeNames(ops, lines)
	spread, rates := m.spreads(), m.lineRates(c)
	store := func(v scheduler.View) graph.Store {
		return graph.Store{ID: v.Store, Name: called[v.Store], Hidden: true, Text: used[v.Store].text(), Bytes: int64(elements(distinct(v))) * int64(v.Type.Size())}
	}
	nodes := make([]graph.OpNode, 0, len(ops))
	for _, op := range ops {
		sum := totals[op.ID]
		n := graph.OpNode{
			ID: op.ID, Name: op.Name, Kind: op.Kind.String(), Where: op.Where, Lines: spread(op.Op), Line: lines(op.Where), Rate: rates(op.Where), Shape: units.Shape(op.Shape),
			Parts: len(op.Parts), Tasks: sum.tasks, Bytes: sum.bytes, DurNs: sum.nanos, Copies: copies[op.ID],
		}
		if op.Name == carried {
			n.Line, n.Does = carriedTitle(n.Line, called, op), "copied along to the new buffer"
		}
		reached := map[scheduler.StoreID]reach{}
		for _, u := range op.Uses {
			s := store(u.View)
			whole := s.Bytes >= used[u.View.Store].ends
			switch {
			case u.Access.Reads():
				n.Reads = readStore(n.Reads, s, u.View, reached)
			case !whole: // the rest goes on, and nothing of it is read
				rest := s
				rest.Bytes = 0
				n.Reads = addStore(n.Reads, rest)
			}
			if u.Access.Writes() {
				n.Writes = addStore(n.Writes, s)
			}
		}
		for _, part := range op.Parts {
			in := graph.InnerOp{Name: part.Name, Kind: part.Kind.String(), Where: part.Where, Line: lines(part.Where), Rate: rates(part.Where), Shape: units.Shape(part.Shape)}
			reached := map[scheduler.StoreID]reach{}
			for _, u := range part.Uses {
				if u.Access.Reads() {
					in.Reads = readStore(in.Reads, store(u.View), u.View, reached)
				}
				if u.Access.Writes() {
					in.Writes = addStore(in.Writes, store(u.View))
				}
			}
			n.Inner = append(n.Inner, in)
		}
		nodes = append(nodes, n)
	}
	return m.withFallbacks(c, m.withSmall(c, ops, nodes, firsts), used)
}

// reach is what an op reads of a store: the bytes of its views added up, and from where to where they lie.
type reach struct{ sum, lo, hi int64 }

// readStore adds what an op reads of a store through a view. Of views that lie over one another, as those of a stencil,
// every element counts once: there are no more bytes than lie between the first and the last one.
func readStore(list []graph.Store, s graph.Store, v scheduler.View, reached map[scheduler.StoreID]reach) []graph.Store {
	span := footprint(v)
	r, known := reached[s.ID]
	if !known {
		r = reach{lo: span.Lo, hi: span.Hi}
	}
	r = reach{r.sum + s.Bytes, min(r.lo, span.Lo), max(r.hi, span.Hi)}
	reached[s.ID] = r
	s.Bytes = min(r.sum, max(r.hi-r.lo, 0))
	for i := range list {
		if list[i].ID == s.ID {
			list[i].Bytes = s.Bytes
			return list
		}
	}
	return append(list, s)
}

// places returns a function that writes lines, each of which it asks for once.
func (m *Machine) places() func(scheduler.Where) string {
	known := map[scheduler.Where]string{}
	return func(w scheduler.Where) string {
		text, ok := known[w]
		if !ok {
			text = m.rt.Place(w)
			known[w] = text
		}
		return text
	}
}

func addCopy(list []graph.Moved, cause string, bytes int64) []graph.Moved {
	for i := range list {
		if list[i].Cause == cause {
			list[i].Bytes += bytes
			return list
		}
	}
	return append(list, graph.Moved{Cause: cause, Bytes: bytes})
}

func addStore(list []graph.Store, s graph.Store) []graph.Store {
	for _, other := range list {
		if other.ID == s.ID {
			return list
		}
	}
	return append(list, s)
}
