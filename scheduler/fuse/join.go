package fuse

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

// join puts an op into a group, or says why not. Nothing has changed then.
//
// A group runs its members point by point, in one program, so that a member sees of those before it what they wrote at
// the same point, and nothing else. Each view that members have of a store is a slot of the group:
//
//	o1  t = a + b       slots   a   b   t
//	o2  u = t * a               a       t   u      t is read at the point where o1 wrote it
//	o3  v = t[::-1]                     t!         it is not: Elements, or renewed where t may go to a new instance
//
// The questions go from cheap to dear, and those that only look at the group come first. meet finds the axes that both
// have together; fits asks of each operand whether the slots that it meets are at the same points; hidden, whether a
// reduction would have to store what others read. Behind them nothing fails any more, and the group is written.
func (f *Fuser) join(g *group, at int) scheduler.Why {
	e := &f.window.Entries[at]
	if g.alone || e.alone() {
		return scheduler.Kind
	}
	if g.zeros && f.leaves(e, g) {
		return scheduler.Cleared
	}
	// Nothing joins behind a reduction except another over the same axes: its result is complete when all tiles have
	// run, and not at a point.
	reduces := e.Block != nil
	if g.reduces && (!reduces || e.Op.Reduced != g.reduced) {
		return scheduler.Reduction
	}
	if g.code+len(e.Op.Program.Code) > maxGroupCode || len(g.slots)+len(e.Uses) > maxGroupSlots {
		return scheduler.Size
	}
	m, why := f.meet(g, e)
	if why != scheduler.Together {
		return why
	}
	if reduces && !f.hidden(g, e) {
		return scheduler.Visible
	}
	// One operand alone may be renewed by an op. A second conflict of the kind ends the attempt, and the op starts a
	// group.
	fits := scheduler.Together
	f.renew = -1
	views := make([]scheduler.View, len(e.Uses))
	for i := range e.Uses {
		views[i] = e.Op.Uses[i].View
		if result := reduces && e.Uses[i].Write; !result && !e.Op.Whole(i) {
			views[i] = m.opView(views[i])
		}
		if fits = f.fits(g, e, i, &views[i], &m); fits == scheduler.Elements && f.renew < 0 && f.renewable(g, e, i) {
			f.renew, fits = i, scheduler.Together
		}
		if fits != scheduler.Together {
			return fits
		}
	}
	for k := range g.slots {
		if s := &g.slots[k]; !s.result && !s.whole {
			s.view = m.groupView(s.view)
		}
	}
	for i := range g.members {
		g.members[i].turn = m.groupTurn(g.members[i].turn, g.shape)
	}
	g.shape = m.shape
	f.slots = f.slots[:0]
	for i := range e.Uses {
		f.slots = append(f.slots, f.use(g, e, at, i, views[i]))
	}
	f.add(g, at, e, m.op)
	g.zeros = false
	if f.renew >= 0 {
		g.slots[f.slots[f.renew]].renews = true
	}
	return scheduler.Together
}

// hidden reports whether nothing that the group and the op write at points can be seen after
// the window. A program has either stores or reductions. It is hidden where the window releases the store, and all uses
// that the window has of it are in the group or the op: the value lives in registers alone then.
func (f *Fuser) hidden(g *group, e *Entry) bool {
	for k := range g.slots {
		s := &g.slots[k]
		if !s.writes || s.result {
			continue
		}
		if !f.stores[s.store].dies {
			return false
		}
		uses := 0
		for j := range g.slots {
			if g.slots[j].store == s.store {
				uses += g.slots[j].uses
			}
		}
		for i := range e.Uses {
			if e.Uses[i].Store == s.store {
				uses++
			}
		}
		if uses != f.stores[s.store].uses {
			return false
		}
	}
	return true
}

// fits reports whether operand i of an op may share a group with what is there: with every
// slot that it conflicts with it has all elements at the same points in common.
//
// The checks go from cheap to exact, and the first that shows the operand to be no obstacle ends the matter for a slot:
//
//	another store, or two reads                          no conflict
//	spans of bytes apart                                 no conflict
//	the same view over the common index space            same elements at the same points
//	no element in common (region.Overlap)                views that interleave, such as even and odd rows
//	anything else                                        Reduction, Gathered or Elements, by what is in the way
func (f *Fuser) fits(g *group, e *Entry, i int, v *scheduler.View, m *meeting) scheduler.Why {
	u := &e.Uses[i]
	result := u.Write && e.Block != nil
	for k := range g.slots {
		s := &g.slots[k]
		if s.store != u.Store || !u.Write && !s.writes || !u.Bytes.Overlaps(s.bytes) {
			continue
		}
		whole := s.whole || e.Op.Whole(i)
		if !result && !s.result && !whole {
			other := m.groupView(s.view)
			if scheduler.SameView(&other, v) {
				continue
			}
		}
		if !region.Overlap(s.view.Layout(), e.Op.Uses[i].View.Layout()) {
			continue
		}
		switch {
		case s.result || result:
			return scheduler.Reduction
		case whole:
			return scheduler.Gathered
		}
		return scheduler.Elements
	}
	return scheduler.Together
}

// renewable reports whether operand i of an op, which the group reads at other points, may
// go to a new instance.
//
// What it costs: the bytes of the store outside of the view, its frame, are carried over to the new instance by an op
// of its own. At most a quarter of the store may be carried, as in a stencil, whose frame is a row or a column at each
// edge. A pinned store cannot move, since the program has its
// address, and small ones (Window.Renew) are not worth the copy.
//
//	u[1:-1, 1:-1] = f(u)      ##########     # the frame, carried over from the old instance
//	                          #........#     . written by the group, which reads all of the old one
//	                          ##########
func (f *Fuser) renewable(g *group, e *Entry, i int) bool {
	u := &e.Uses[i]
	st := &f.window.Stores[u.Store]
	if !u.Write || st.Pinned || st.Size < f.window.Renew || !f.window.renews(g, st) {
		return false
	}
	for k := range g.slots {
		if s := &g.slots[k]; s.store == u.Store && s.writes {
			return false
		}
	}
	for k := range e.Uses {
		if k != i && e.Uses[k].Store == u.Store && e.Uses[k].Write {
			return false
		}
	}
	pieces, ok := e.Op.Uses[i].View.Frame(st.Size)
	carried := int64(0)
	for _, p := range pieces {
		carried += int64(p.Elements()) * int64(p.Type.Size())
	}
	return ok && carried <= st.Size/4
}

// renews reports whether there is room for a group to renew one more store.
//
// Old and new instance are there at once while the op runs: RenewRoom bounds what the new ones take besides.
func (w *Window) renews(g *group, st *Store) bool {
	sum := w.round(st.Size)
	for k := range g.slots {
		if s := &g.slots[k]; s.renews {
			sum += w.round(w.Stores[s.store].Size)
		}
	}
	return sum <= w.RenewRoom
}

// round returns the bytes that a renewed store of so many takes.
//
// Allocators of GPUs give memory by the grain; an empty store takes one grain too.
func (w *Window) round(bytes int64) int64 {
	grain := max(1, w.RenewGrain)
	return (max(bytes, 1) + grain - 1) / grain * grain
}

// leaves reports whether an op is better kept apart from a group that fills a store with zeros: it does not write the
// store, which lives on after the window.
func (f *Fuser) leaves(e *Entry, g *group) bool {
	st := g.slots[0].store
	if f.stores[st].dies {
		return false
	}
	for i := range e.Uses {
		if e.Uses[i].Store == st && e.Uses[i].Write {
			return false
		}
	}
	return true
}
