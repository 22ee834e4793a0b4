package core

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

// In a GPU's memory a store has instances for parts of it. As long as all that a window needs
// fits the memory, that is one, which covers the hull of what that GPU has needed so far;
// when a window needs more, a larger instance replaces it. When it does not fit, instances are
// no larger than what single tiles need, so that there may be several of a store. They may
// overlap: each has valid bytes of its own, and copies between them are like any others.
//
//	window needs, of 100 bytes      s1 [0,40) s2 [0,40)         an instance each
//	                                s1 [0,400) s2 [0,400)       in 20 tiles: [0,20), [20,40), ... of each

// demand is what place notes of a store.
//
// What a store has of it lives as long as one plan: place clears it for the stores in placing.touch.
type demand struct {
	want      ranges // by memory: what the window needs there
	needs     []need // where memory is short: what its tiles need, in order
	counted   uint64 // the look at a memory that counted it, and what it counted
	more, own int64
	away      bool // likewise: a GPU alone holds some of it
}

// want is bytes of a store that a tile needs in one instance.
type want struct {
	st    *store
	bytes region.Interval
	inst  *instance
	next  bool // in the instance that an op which renews the store writes
}

// foresee finds what the whole window needs in each GPU's memory, so that an instance is
// made large enough at once instead of growing op by op, and where that is too much for one.
//
// It goes by footprints, before anything is placed, and takes the hull: a few bytes between two slices cost less than a
// second instance, and much less than growing, which copies what is there.
func (c *Core) foresee() {
	for i := range c.window {
		e := &c.window[i]
		for _, n := range e.tiles {
			mem := c.machine.Devices[c.runner(e, n)].Memory
			for k := range n.uses {
				u := &n.uses[k]
				u.store.want[mem] = u.store.want[mem].Hull(u.needs(mem))
				c.placing.touch = append(c.placing.touch, u.store)
			}
		}
	}
	if c.smallest > 0 && !c.relaxed() {
		c.lookAhead()
	}
}

// needs returns what an operand takes of its store in a memory.
//
// A renewed store is needed whole: its new instance holds all of its value, the carried part included.
func (u *use) needs(mem scheduler.MemoryID) region.Interval {
	if u.renew && mem != 0 {
		return u.store.all()
	}
	return aligned(u.bytes)
}

// aligned lets an interval begin at a multiple of Alignment.
//
// Only the beginning matters: bytes in an instance are counted from there, so that an element which is aligned in the
// store is so in the instance (inv 9). The end may lie anywhere.
func aligned(b region.Interval) region.Interval {
	if !b.Empty() {
		b.Lo -= b.Lo % scheduler.Alignment
	}
	return b
}

// relaxed finds out which memories are calm, and reports whether all are.
//
// One memory's strain decides about instances in it alone. It holds for the whole window, and squeeze may still find
// that a single tile needs exactly.
func (c *Core) relaxed() bool {
	all := true
	for m := 1; m < len(c.rooms); m++ {
		r := &c.rooms[m]
		if r.capacity == 0 {
			continue
		}
		beside, alone := c.peak(scheduler.MemoryID(m))
		switch {
		case r.used+beside <= r.capacity:
			r.strain = calm
		case alone <= r.capacity:
			r.strain, all = pressed, false
		default:
			r.strain, all = tight, false
		}
	}
	return all
}

// peak returns the most bytes of a memory that the window takes at any of its ops: on top of
// what is in use, and by what it needs alone. What it releases it does not take any longer.
//
// Two accounts run over the window, and the most of each is what counts:
//
//	beside    what instances that have to be made take, on top of those that are there: others stay
//	alone     what all instances of the window take, as if nothing else were there: others leave
//
// Both go down where the window releases a store. counted marks a store as being in the account, since several ops may
// use it, by the number of the look instead of a flag, which would have to be cleared.
func (c *Core) peak(mem scheduler.MemoryID) (beside, alone int64) {
	c.placing.counting++
	r := &c.rooms[mem]
	more, own := int64(0), int64(0)
	for i := range c.window {
		e := &c.window[i]
		if st := e.release; st != nil {
			for inst := st.at[mem]; inst != nil; inst = inst.beside {
				more -= inst.held
			}
			if st.counted == c.placing.counting {
				more, own = more-st.more, own-st.own
			}
			continue
		}
		for k := range e.uses {
			st := e.uses[k].store
			if e.uses[k].renew && st.spare.inst == nil {
				more, own = more+r.round(st.size), own+r.round(st.size)
			}
			if st.counted == c.placing.counting || st.want[mem].Empty() {
				continue
			}
			st.counted, st.more, st.own = c.placing.counting, 0, r.round(st.want[mem].Len())
			if st.find(mem, st.want[mem]) == nil {
				st.more = r.round(c.extent(st, mem, st.want[mem], calm).Len())
			}
			more, own = more+st.more, own+st.own
			beside, alone = max(beside, more), max(alone, own)
		}
	}
	return beside, alone
}

// lookAhead notes where each store is needed, for the choice of what leaves.
func (c *Core) lookAhead() {
	tile := int32(0)
	for i := range c.window {
		e := &c.window[i]
		for _, n := range e.tiles {
			tile++
			mem := c.machine.Devices[c.runner(e, n)].Memory
			if mem == 0 || c.rooms[mem].strain == calm {
				continue
			}
			for k := range n.uses {
				u := &n.uses[k]
				u.store.needs = append(u.store.needs, need{tile, mem, u.needs(mem)})
			}
		}
	}
}

// bring makes a tile's operands valid in its device's memory and, after that, its results
// valid nowhere else. A tile that the device has no room for goes to a CPU.
//
// The order within matters:
//
//	gather      instances: room is made, and what leaves is copied out, before anything is copied in
//	surround    what a renewing op carries over must be in the old instance
//	validate    operand by operand, reads and the gaps of writes
//	wrote       last, when all reads are planned: an op that reads a neighbour's bytes finds the old value
//
// A tile whose memory has no room moves to a CPU, unless its op renews a store.
func (c *Core) bring(n *node) {
	lacks := c.placing.lacking // of a tile before it
	if lacks == nil {
		lacks = c.gather(n)
	}
	switch {
	case lacks == nil:
	case n.renews(): // all of its op's tiles are in one memory
		c.placing.lacking = lacks
	case c.machine.Devices[n.Device].Memory != 0:
		host := c.answers
		if n.Op.Kind != scheduler.Call && len(c.hosts) > 0 {
			host = c.hosts[0]
		}
		if host != nowhere {
			n.Device = host
			lacks = c.gather(n)
		}
	}
	if lacks != nil {
		c.strand(n, lacks)
	} else {
		c.surround(n)
	}
	for i := range n.uses {
		u := &n.uses[i]
		if u.comb != nil && !u.store.fits(*u.comb) {
			u.comb, u.dense = nil, false
		}
		if n.Lacks == nil && u.needsValue() && !u.renew {
			c.validate(u.inst, u.store, c.together(n, i), n)
		}
	}
	for i := range n.uses {
		if u := &n.uses[i]; u.write && (!u.renew || u.inst != u.store.next) { // the op's other tiles read the old values
			u.store.wrote(u.inst, u.footprint())
		}
	}
	c.sign(n)
}

// needsValue reports whether what was there before has to be there: it is read, or lies between
// elements that are written.
func (u *use) needsValue() bool { return u.read || !u.dense }

// together returns the bytes that are brought for operand i of a tile. Where memory is short, all
// that a tile needs comes from elsewhere, each time: then a stencil's views go as one, unless
// there is much between them that no view has. To the only GPU, all goes that the instance is for, corners included.
//
// The hull is taken where at least 7 of 8 of its bytes belong to a view: one copy of a stretch instead of one for each
// of a stencil's shifted views, at the price of an eighth more bytes.
func (c *Core) together(n *node, i int) region.Comb {
	u := &n.uses[i]
	all, hull := region.Area{}, region.Interval{}
	if c.rooms[u.inst.Memory].strain == calm {
		if !c.solo || u.inst.Memory == 0 || u.inst.valid.Covers(u.footprint()) {
			return u.footprint()
		}
		hull = region.Interval{Lo: u.inst.Lo, Hi: u.inst.Hi}
	}
	for k := range n.uses {
		if v := &n.uses[k]; v.inst == u.inst && v.needsValue() {
			all.Add(v.footprint())
			hull = hull.Hull(v.bytes)
		}
	}
	if all.Len() < hull.Len()-hull.Len()/8 {
		return u.footprint()
	}
	return hull.Comb()
}

// gather finds or makes the instances that a tile uses.
//
// pin keeps what the tile uses from leaving while room is made for the rest of it: an instance whose pin is this tile's
// number stays. It is the time of last use as well, by which leaving sorts.
//
// In host memory each store has one instance, so that there is nothing to choose. Otherwise:
//
//	wanted     intervals that the tile needs, some joined
//	find       instances that are there and cover one
//	squeeze    what is there and what is missing must fit the memory together
//	makeRoom   for each missing one; then it is made
func (c *Core) gather(n *node) *scheduler.NoRoom {
	mem := c.machine.Devices[n.Device].Memory
	c.placing.pin++
	if mem == 0 {
		for i := range n.uses {
			if inst := n.uses[i].store.at[0]; inst != nil {
				inst.pin = c.placing.pin
			}
		}
		for i := range n.uses {
			u := &n.uses[i]
			if u.inst = c.onHost(u.store, n); u.inst.missing || u.renew && u.store.next == nil {
				return c.noRoom(0, u.store.id, u.store.size)
			}
			if u.renew {
				u.inst = u.store.next
			}
			u.inst.pin = c.placing.pin
		}
		return nil
	}
	c.placing.wants = wanted(n, c.placing.wants[:0], c.rooms[mem].strain == tight)
	if n.renews() {
		c.placing.wants = n.renewed(c.placing.wants)
	}
	for i := range c.placing.wants {
		if w := &c.placing.wants[i]; !w.next {
			w.inst = w.st.find(mem, w.bytes)
		}
	}
	strain := calm
	if r := &c.rooms[mem]; r.capacity > 0 {
		var lacks *scheduler.NoRoom
		if strain, lacks = c.squeeze(mem); lacks != nil {
			return lacks
		}
	}
	for i := range c.placing.wants {
		w := &c.placing.wants[i]
		if w.next && w.inst != nil {
			w.st.next = w.inst
		}
		if w.inst != nil {
			continue
		}
		bytes := c.extent(w.st, mem, w.bytes, strain)
		if r := &c.rooms[mem]; r.capacity > 0 && !c.makeRoom(mem, r.round(bytes.Len()), n) {
			return c.noRoom(mem, w.st.id, bytes.Len())
		}
		if w.next {
			w.inst = c.anew(w.st, mem)
			w.st.next = w.inst
			continue
		}
		w.inst = c.replace(w.st, mem, bytes, n)
	}
	for i := range n.uses {
		u := &n.uses[i]
		for _, w := range c.placing.wants {
			if w.st == u.store && w.next == u.renew && w.bytes.Covers(u.bytes) {
				u.inst = w.inst
				break
			}
		}
	}
	return nil
}

// wanted returns what a tile needs: of each store one interval or, apart, those that its
// operands form.
func wanted(n *node, list []want, apart bool) []want {
	for i := range n.uses {
		u := &n.uses[i]
		w := want{st: u.store, bytes: aligned(u.bytes)}
		for k := 0; k < len(list); { // whatever overlaps becomes one
			if list[k].st == w.st && (!apart || list[k].bytes.Overlaps(w.bytes) || list[k].bytes.Covers(w.bytes)) {
				w.bytes = w.bytes.Hull(list[k].bytes)
				list[k] = list[len(list)-1]
				list = list[:len(list)-1]
				k = 0
				continue
			}
			k++
		}
		list = append(list, w)
	}
	return list
}

// squeeze makes sure that what a tile needs fits a memory by itself: where an instance is so
// large that the others do not fit beside it, a smaller one takes its place. It tells how
// large new instances may be.
//
// It ends: every turn takes one instance away from the wants, and least, the sum of what the tile cannot do without, is
// checked to fit. An instance that is given up here is no longer pinned, and makeRoom may let it leave.
func (c *Core) squeeze(mem scheduler.MemoryID) (strain, *scheduler.NoRoom) {
	r := &c.rooms[mem]
	for {
		held, exact, ample := int64(0), int64(0), int64(0)
		var worst *instance // it has the most bytes that the tile does not need
		waste := int64(0)
		least := int64(0)
		for i := range c.placing.wants {
			w := &c.placing.wants[i]
			size := r.round(w.bytes.Len())
			if w.inst != nil && w.inst.held == 0 { // a guest's own memory
				continue
			}
			least += size
			if w.inst == nil {
				exact += size
				ample += r.round(c.extent(w.st, mem, w.bytes, r.strain).Len())
				continue
			}
			if w.inst.pin != c.placing.pin {
				w.inst.pin = c.placing.pin
				held += w.inst.held
			}
			if over := w.inst.held - size; over > waste {
				worst, waste = w.inst, over
			}
		}
		switch {
		case least > r.capacity:
			return tight, c.noRoom(mem, 0, least)
		case held+ample <= r.capacity:
			return r.strain, nil
		case held+exact <= r.capacity:
			return exactly, nil
		}
		c.placing.pin++
		for i := range c.placing.wants {
			if w := &c.placing.wants[i]; w.inst == worst {
				w.inst = nil
			}
		}
	}
}

// extent returns how large an instance is made for bytes that a tile needs.
func (c *Core) extent(st *store, mem scheduler.MemoryID, bytes region.Interval, how strain) region.Interval {
	all := st.want[mem].Hull(bytes)
	switch first := st.at[mem]; {
	case how == exactly, how == tight && all.Len()-bytes.Len() > bytes.Len()/8:
		return bytes
	case how != tight && first != nil && first.beside == nil:
		return all.Hull(region.Interval{Lo: first.Lo, Hi: first.Hi})
	}
	return all
}

// find returns the instance in a memory that covers bytes and misses the fewest of them, or nil.
//
// The usual case, one instance in the memory, takes no look at what is valid.
func (st *store) find(mem scheduler.MemoryID, bytes region.Interval) *instance {
	var best *instance
	least := int64(0)
	for inst := st.at[mem]; inst != nil; inst = inst.beside {
		if !(region.Interval{Lo: inst.Lo, Hi: inst.Hi}).Covers(bytes) {
			continue
		}
		if best == nil && inst.beside == nil {
			return inst
		}
		missing := bytes.Len()
		for _, p := range inst.valid.Common(bytes.Comb(), nil) {
			missing -= p.Len()
		}
		if best == nil || missing < least {
			best, least = inst, missing
		}
	}
	return best
}

// replace makes an instance, which takes over what the smaller ones hold that it covers.
//
// What the old ones hold is copied within the memory (cause grow), which is quicker than any link. An instance that the
// tile has pinned stays beside the new one, for tasks of this tile use it.
func (c *Core) replace(st *store, mem scheduler.MemoryID, bytes region.Interval, by *node) *instance {
	inst := c.newInstance(st, mem, bytes)
	for old := inst.beside; old != nil; {
		next := old.beside
		if bytes.Covers(region.Interval{Lo: old.Lo, Hi: old.Hi}) && (old.pin != c.placing.pin) {
			for _, part := range old.valid.Pieces(nil) {
				c.copy(old, inst, part, scheduler.Grow, by)
				inst.valid.Add(part)
			}
			old.valid = region.Area{}
			st.remove(old)
			c.free(old, scheduler.NoCause, where(by))
		}
		old = next
	}
	return inst
}

// strand makes a tile fail that there is no room for, in any memory. What it would have
// written has no value, on the host. All tiles of a plan that lack room for the same store, those
// that make it and those that read what others made of it, lack it for one reason, which is told once.
func (c *Core) strand(n *node, lacks *scheduler.NoRoom) {
	lacks.Op = n.Op
	for i := len(c.nodes) - 1; i >= 0; i-- {
		if before := c.nodes[i].Lacks; before != nil && before.Store != 0 && before.Store == lacks.Store {
			lacks = before
			break
		}
	}
	n.Lacks, n.Device = lacks, c.mover[0]
	for i := range n.uses {
		u := &n.uses[i]
		inst := c.onHost(u.store, n)
		if u.renew && u.store.next != nil {
			inst = u.store.next
		}
		u.inst, inst.pin = inst, c.placing.pin
	}
}

// back makes a tile fail whose operands the only memory has no room for.
func (c *Core) back(n *node) {
	for i := range n.uses {
		u := &n.uses[i]
		if u.inst.missing || u.renew && u.inst == u.store.at[0] {
			n.Lacks = c.noRoom(0, u.store.id, u.store.size)
			n.Lacks.Op = n.Op
			break
		}
	}
	c.sign(n)
}

// sign notes who wrote what a tile writes, for the errors that name the largest arrays.
func (c *Core) sign(n *node) {
	if !c.limited {
		return
	}
	for i := range n.uses {
		if u := &n.uses[i]; u.write {
			by := n.Op.Maker(u.store.id)
			u.store.maker, u.store.made = by.Name, by.Where
		}
	}
}
