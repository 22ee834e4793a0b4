package fuse

import (
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
)

// sink moves ops to later groups where that moves fewer bytes. place puts an op into the first
// group that it may join, which may be one that would not have to write its result at all:
//
//	u[1:-1] = ...             group 1: ..., 4*u   stores 4*u
//	t = 4*u[1:-1]                                 because it depends on nothing else
//	s = u[:-2] + u[2:] - t    group 2: ...        reads u, and 4*u
//
// Which ops of a group should sink into a later one is a minimum cut: an op is on the side
// where it stays or on that where it sinks, and each value has its price, in bytes, if what
// makes it and what uses it are not on the same side, or if it must be loaded on a side where
// it is not at hand. An op that does not sink keeps there what must come before it. What the
// cut proposes is put together by the same rules as every group, and taken if it moves fewer
// bytes: so sinking is never worse than not sinking.
func (f *Fuser) sink() {
	// From the end to the beginning: what is behind a group has settled when its own ops may sink. Each pair is looked
	// at once. Groups that are empty then leave, and their slices stay for the next window.
	for g := len(f.groups) - 2; g >= 0; g-- {
		for h := g + 1; h < len(f.groups) && len(f.groups[g].members) > 0; h++ {
			if f.groups[g].feeds(&f.groups[h]) {
				f.sinkInto(g, h)
			}
		}
	}
	n := 0
	for i := range f.groups {
		if len(f.groups[i].members) > 0 {
			f.groups[n], f.groups[i] = f.groups[i], f.groups[n]
			n++
		}
	}
	f.groups = f.groups[:n]
}

// feeds reports whether a group reads what another writes at points.
func (g *group) feeds(to *group) bool {
	if g.alone || to.alone || g.zeros {
		return false
	}
	for k := range g.slots {
		s := &g.slots[k]
		if s.writes && !s.result && to.loadsOf(s.store) {
			return true
		}
	}
	return false
}

// loadsOf reports whether a group reads what a store held before it.
func (g *group) loadsOf(st int32) bool {
	for k := range g.slots {
		if g.slots[k].store == st && g.slots[k].loads {
			return true
		}
	}
	return false
}

// sinkInto moves those ops of a group into a later one that cost less there.
//
// The cut only proposes. It prices values one by one, and does not see that two slots overlap, that groups have limits,
// or that an op fits only in another order; assemble applies the rules, and traffic counts what both groups then move.
func (f *Fuser) sinkInto(number, into int) {
	g, h := &f.groups[number], &f.groups[into]
	sinks := f.cutGroup(number, into)
	if sinks == nil {
		return
	}
	var stay, gone []int
	for i := range g.members {
		if sinks[i] {
			gone = append(gone, g.members[i].entry)
		} else {
			stay = append(stay, g.members[i].entry)
		}
	}
	if len(gone) == 0 {
		return
	}
	for i := range h.members {
		gone = append(gone, h.members[i].entry)
	}
	slices.Sort(gone)
	// Both trials are built in place and swapped with the groups, slices and all: what is dropped becomes the memory of
	// the next trial.
	less, more := &f.trial[0], &f.trial[1]
	if !f.assemble(less, stay) || !f.assemble(more, gone) || f.traffic(less)+f.traffic(more) >= f.traffic(g)+f.traffic(h) {
		return
	}
	*g, *less = *less, *g
	*h, *more = *more, *h
}

// assemble makes a group of some entries of the window, or reports that they cannot be one.
func (f *Fuser) assemble(g *group, entries []int) bool {
	*g = group{members: g.members[:0], slots: g.slots[:0]}
	for i, at := range entries {
		if i == 0 {
			f.open(g, at, &f.window.Entries[at])
		} else if f.join(g, at) != scheduler.Together {
			return false
		}
	}
	return true
}

// cutGroup returns, by member, whether it should sink from one group into a later one; nil
// if none may. The network has a node for each member between the two sides; an edge costs its bytes where the cut
// separates its ends that way round, and always is more than all bytes together:
//
//	stays ---always--> a member that may not move
//	o2 ----always----> o1           o2 comes behind o1 in the group and conflicts with it: if o1 sinks, o2 does
//	o1 ---bytes--> crosses --always--> readers of its value, which is loaded there; twice the bytes where it is
//	                                   stored for that alone
//	o3 ----bytes-----> sinks        the later group reads the value of o3, which has to be loaded there
//	members ---------> stay --bytes--> sinks     a store is loaded here as long as a reader stays
//	stays --bytes----> sunk ---------> members   and there as soon as one has sunk
//
// Nodes on the side of stays in the cheapest cut, which network.go finds, stay; the others sink.
func (f *Fuser) cutGroup(number, into int) []bool {
	g, h := &f.groups[number], &f.groups[into]
	n := &f.net
	n.reset(len(g.members))
	movable := false
	for i := range g.members {
		if f.movable(g, i, number, into) {
			movable = true
		} else {
			n.edge(stays, n.op(i), always)
		}
	}
	if !movable {
		return nil
	}
	for i := range g.members {
		for j := range i { // what sinks takes with it what comes after it
			if conflicts(&f.window.Entries[g.members[j].entry], &f.window.Entries[g.members[i].entry]) {
				n.edge(n.op(i), n.op(j), always)
			}
		}
	}
	for k := range g.slots {
		s := &g.slots[k]
		if s.writes && !s.result {
			f.priceValues(g, h, k)
		}
		if s.loads && g.firstLoad(s.store) == k {
			f.priceLoads(g, h, s.store)
		}
	}
	n.run()
	return n.side()
}

// firstLoad returns the first slot on a store that is loaded.
func (g *group) firstLoad(st int32) int {
	return slices.IndexFunc(g.slots, func(s slot) bool { return s.store == st && s.loads })
}

// priceValues adds what it costs if the values that members write through a slot, and their
// readers, end up in different groups.
//
// private says that only the two groups use the store: if the value does not cross, it is never stored. Then
// crossing costs a store and a load, twice the bytes; else the store is there anyway, and crossing costs the load. Each
// write through the slot begins a new value; only the last one is what memory holds behind the group.
//
//	member  0 writes   1 reads   2 writes   3 reads        h loads the store
//	value   a----------^         b----------^ - - - - - - -^   needed: b
//	price   2*bytes if 1 sinks without 0                   bytes, or 2*bytes if private, unless 2 sinks
func (f *Fuser) priceValues(g, h *group, k int) {
	n, s := &f.net, &g.slots[k]
	private := f.stores[s.store].dies && g.usesOf(s.store)+h.usesOf(s.store) == f.stores[s.store].uses
	tied := h.reduces // a reduction stores nothing else: all that uses the value sinks, or nothing
	needed := h.loadsOf(s.store)
	bytes := s.view.Moved(s.view.Shape)
	last := -1 // the member that wrote last
	for i := range g.members {
		if writes(&f.window.Entries[g.members[i].entry], &g.members[i], k) {
			last = i
		}
	}
	writer, crosses := -1, -1
	for i := range g.members {
		m, e := &g.members[i], &f.window.Entries[g.members[i].entry]
		if tied && touches(e, s.store) {
			n.edge(n.op(i), n.op(last), always)
		}
		if writer >= 0 && reads(e, m, k) && !(writer == last && needed) {
			if crosses < 0 {
				crosses = n.add()
				price := bytes // of the load
				if private || writer != last {
					price = 2 * bytes
				}
				n.edge(n.op(writer), crosses, price)
			}
			n.edge(crosses, n.op(i), always)
		}
		if writes(e, m, k) {
			writer, crosses = i, -1
		}
	}
	switch {
	case needed && private:
		n.edge(n.op(last), sinks, 2*bytes)
	case needed:
		n.edge(n.op(last), sinks, bytes)
	}
}

// priceLoads adds what it costs to load a store in a group for those members that read it.
//
// The nodes stay and sunk make it a price for the first reader, not for each: a store is loaded once in a group,
// however many members read it. In the later group only what it does not load already counts.
func (f *Fuser) priceLoads(g, h *group, st int32) {
	n := &f.net
	here, there := g.loaded(st), h.loaded(st)
	before := there.Bytes()
	stay, sunk := n.add(), n.add()
	for k := range g.slots {
		s := &g.slots[k]
		if s.store != st || !s.loads {
			continue
		}
		there.Add(s.view.Moved(s.view.Shape), s.bytes.Comb())
		for i := range g.members {
			m, e := &g.members[i], &f.window.Entries[g.members[i].entry]
			if reads(e, m, k) {
				n.edge(n.op(i), stay, always)
				n.edge(sunk, n.op(i), always)
			}
			if writes(e, m, k) {
				break // what comes now reads that
			}
		}
	}
	n.edge(stay, sinks, here.Bytes())
	n.edge(stays, sunk, there.Bytes()-before)
}

// movable reports whether a member of a group may run with a later group.
//
// A reduction stays where it is. A write that renews
// stays with the reads of the old instance. A group that reduces takes only values that nothing else sees. And no group
// between the two may conflict with what passes it.
func (f *Fuser) movable(g *group, i, number, into int) bool {
	m, h := &g.members[i], &f.groups[into]
	e := &f.window.Entries[m.entry]
	if e.Block != nil {
		return false
	}
	both, why := f.meet(h, e)
	if why != scheduler.Together {
		return false
	}
	for k := range e.Uses {
		u := &e.Uses[k]
		if u.Write && g.slots[m.slots[k]].renews {
			return false
		}
		if u.Write && h.reduces && (!f.stores[u.Store].dies || g.usesOf(u.Store)+h.usesOf(u.Store) != f.stores[u.Store].uses) {
			return false
		}
		v := e.Op.Uses[k].View
		if !e.Op.Whole(k) {
			v = both.opView(v)
		}
		if why := f.fits(h, e, k, &v, &both); why != scheduler.Together && (why != scheduler.Elements || u.Write || !h.renewsOf(u.Store)) {
			return false
		}
		for between := number + 1; between < into; between++ {
			if f.groups[between].conflicts(e, k) {
				return false
			}
		}
	}
	return true
}

// renewsOf reports whether the group writes a store into a new instance: what comes before the
// write reads the old one, at whatever points.
func (g *group) renewsOf(st int32) bool {
	return slices.ContainsFunc(g.slots, func(s slot) bool { return s.store == st && s.renews })
}

// usesOf returns how many operands of members are on a store.
func (g *group) usesOf(st int32) int {
	n := 0
	for k := range g.slots {
		if g.slots[k].store == st {
			n += g.slots[k].uses
		}
	}
	return n
}

// conflicts reports whether an operand of an op and one of the group share bytes that one
// of them writes.
func (g *group) conflicts(e *Entry, i int) bool {
	u := &e.Uses[i]
	for k := range g.slots {
		s := &g.slots[k]
		if s.store == u.Store && (u.Write || s.writes) && u.Bytes.Overlaps(s.bytes) && region.Overlap(e.Op.Uses[i].View.Layout(), s.view.Layout()) {
			return true
		}
	}
	return false
}

// conflicts reports whether two ops may share bytes that one of them writes.
//
// It compares spans of bytes, which is quick and errs to the side of a conflict: the later op then sinks with the
// earlier one without need.
func conflicts(a, b *Entry) bool {
	for i := range a.Uses {
		for k := range b.Uses {
			x, y := &a.Uses[i], &b.Uses[k]
			if x.Store == y.Store && (x.Write || y.Write) && x.Bytes.Overlaps(y.Bytes) {
				return true
			}
		}
	}
	return false
}

// touches reports whether an op uses a store.
func touches(e *Entry, st int32) bool {
	return slices.ContainsFunc(e.Uses, func(u Use) bool { return u.Store == st })
}

// writes reports whether a member writes through a slot.
func writes(e *Entry, m *member, k int) bool {
	for i, s := range m.slots {
		if int(s) == k && e.Uses[i].Write {
			return true
		}
	}
	return false
}

// reads reports whether a member reads through a slot.
func reads(e *Entry, m *member, k int) bool {
	for i, s := range m.slots {
		if int(s) == k && e.Uses[i].Read {
			return true
		}
	}
	return false
}
