package core

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

// join puts an op into a group, or says why not. Nothing has changed then.
func (f *fuser) join(c *Core, g *group, at int) scheduler.Why {
	e := &c.window[at]
	if g.alone || e.alone() {
		return scheduler.Kind
	}
	if g.zeros && e.leaves(g) {
		return scheduler.Cleared
	}
	reduces := e.block != nil
	if g.reduces && (!reduces || e.op.Reduced != g.reduced) {
		return scheduler.Reduction
	}
	if g.code+len(e.op.Program.Code) > maxGroupCode || len(g.slots)+len(e.uses) > maxGroupSlots {
		return scheduler.Size
	}
	m, why := f.meet(g, e)
	if why != scheduler.Together {
		return why
	}
	if reduces && !f.hidden(g, e) {
		return scheduler.Visible
	}
	fits := scheduler.Together
	f.renew = -1
	views := make([]scheduler.View, len(e.uses))
	for i := range e.uses {
		views[i] = e.op.Uses[i].View
		if result := reduces && e.uses[i].write; !result && !e.op.Whole(i) {
			views[i] = m.opView(views[i])
		}
		if fits = f.fits(g, e, i, &views[i], &m); fits == scheduler.Elements && f.renew < 0 && c.renewable(g, e, i) {
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
	for i := range e.uses {
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
// the window. A program has either stores or reductions.
func (f *fuser) hidden(g *group, e *entry) bool {
	for k := range g.slots {
		s := &g.slots[k]
		if !s.writes || s.result {
			continue
		}
		if !s.store.dies {
			return false
		}
		uses := 0
		for j := range g.slots {
			if g.slots[j].store == s.store {
				uses += g.slots[j].uses
			}
		}
		for i := range e.uses {
			if e.uses[i].store == s.store {
				uses++
			}
		}
		if uses != s.store.windowUses {
			return false
		}
	}
	return true
}

// fits reports whether operand i of an op may share a group with what is there: with every
// slot that it conflicts with it has all elements at the same points in common.
func (f *fuser) fits(g *group, e *entry, i int, v *scheduler.View, m *meeting) scheduler.Why {
	u := &e.uses[i]
	result := u.write && e.block != nil
	for k := range g.slots {
		s := &g.slots[k]
		if s.store != u.store || !u.write && !s.writes || !u.bytes.Overlaps(s.bytes) {
			continue
		}
		whole := s.whole || e.op.Whole(i)
		if !result && !s.result && !whole {
			other := m.groupView(s.view)
			if scheduler.SameView(&other, v) {
				continue
			}
		}
		if !region.Overlap(s.view.Layout(), e.op.Uses[i].View.Layout()) {
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
