package scheduler

import (
	"fmt"

	"weft/scheduler/region"
)

// Why says why an op was not fused with the group that it depends on.
type Why uint8

// The reasons.
const (
	Together  Why = iota // it was
	Apart                // it depends on nothing in the window
	Kind                 // one of the two is a matrix product, a routine, or has control flow
	Shape                // the index spaces differ
	Elements             // one reads or writes other elements of a store than the other writes at the same point
	Reduction            // one needs the result of a whole reduction, or other axes are reduced
	Visible              // what the group writes is still visible, and a reduction writes nothing else
	Size                 // the program would become too long
	Gathered             // one gathers from what the other writes
	Cleared              // it reads zeros, which nothing has to write
)

var whys = [...]string{
	"fused", "depends on nothing", "is a matrix product, a routine or control flow, or depends on one", "has another index space",
	"uses other elements than are written there at the same point", "needs a whole reduction first, or reduces other axes",
	"is a reduction, and what is written before it stays visible", "would make the program too long",
	"gathers from what is written there, or writes what is gathered from",
	"reads zeros there, which nothing has to write",
}

// String returns the reason as it stands in plans.
func (w Why) String() string { return whys[w] }

// Split tells why an op runs apart from the op that it depends on.
type Split struct {
	Op, From OpID
	Why      Why
}

// String returns the text of plans: o14 apart from o12: uses other elements than ...
func (s Split) String() string { return fmt.Sprintf("%v apart from %v: %v", s.Op, s.From, s.Why) }

// join puts an op into a group, or says why not. Nothing has changed then.
func (f *fuser) join(c *Core, g *group, at int) Why {
	e := &c.window[at]
	if g.alone || e.alone() {
		return Kind
	}
	if g.zeros && e.leaves(g) {
		return Cleared
	}
	reduces := e.block != nil
	if g.reduces && (!reduces || e.op.Reduced != g.reduced) {
		return Reduction
	}
	if g.code+len(e.op.Program.Code) > maxGroupCode || len(g.slots)+len(e.uses) > maxGroupSlots {
		return Size
	}
	m, why := f.meet(g, e)
	if why != Together {
		return why
	}
	if reduces && !f.hidden(g, e) {
		return Visible
	}
	fits := Together
	f.renew = -1
	views := make([]View, len(e.uses))
	for i := range e.uses {
		views[i] = e.op.Uses[i].View
		if result := reduces && e.uses[i].write; !result && !e.op.Whole(i) {
			views[i] = m.opView(views[i])
		}
		if fits = f.fits(g, e, i, &views[i], &m); fits == Elements && f.renew < 0 && c.renewable(g, e, i) {
			f.renew, fits = i, Together
		}
		if fits != Together {
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
	return Together
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
func (f *fuser) fits(g *group, e *entry, i int, v *View, m *meeting) Why {
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
			if same(&other, v) {
				continue
			}
		}
		if !region.Overlap(s.view.layout(), e.op.Uses[i].View.layout()) {
			continue
		}
		switch {
		case s.result || result:
			return Reduction
		case whole:
			return Gathered
		}
		return Elements
	}
	return Together
}
