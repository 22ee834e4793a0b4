package scheduler

import "weft/scheduler/region"

// place chooses for every tile the device, and for every operand the instance, plans the
// copies that make its bytes valid there, and the frees of released stores.
//
// Calls run on the first GPU that knows routines, or on the CPUs if none does. Of the others,
// GPUs take the tiles in order, color i on GPU i, so that the same rows of arrays of the
// same height stay on the same GPU; without GPUs the CPUs take them. In host memory a
// store has one instance that covers all of it. In a GPU's memory it covers the hull of what
// that GPU has needed so far; when a window needs more, a larger instance replaces it.
func place(c *Core) {
	alone := len(c.machine.Memories) == 1
	if !alone {
		c.foresee()
	}
	for i := range c.window {
		e := &c.window[i]
		if st := e.release; st != nil {
			c.freeAll(st)
			continue
		}
		e.spoil()
		for _, n := range e.tiles {
			if !alone {
				n.Device = c.runner(n, e.colors)
				c.bring(n)
				bind(n)
				c.add(n)
				continue
			}
			c.onHosts(n, e.colors)
		}
		if alone {
			c.renewAll(e)
		}
	}
	c.freeSpares()
	for _, st := range c.touch {
		clear(st.want)
	}
	clear(c.touch)
	c.touch = c.touch[:0]
}

// onHosts places a tile on a machine that has one memory.
func (c *Core) onHosts(n *node, tiles int) {
	n.Device = c.runner(n, tiles)
	for k := range n.uses {
		u := &n.uses[k]
		if u.inst = c.onHost(u.store); u.renew {
			u.inst = c.renewed(u.store)
		}
	}
	bind(n)
	c.add(n)
}

// runner returns the device of a tile: one each while there are enough devices, else
// equal shares in order. A call goes to the first device that runs calls.
func (c *Core) runner(t *node, colors int) DeviceID {
	if t.Op.Kind == Call {
		return c.caller
	}
	n := len(c.runners)
	return c.runners[t.Color*n/max(colors, n)]
}

// bind computes where each operand of a tile begins in its instance.
func bind(n *node) {
	if len(n.uses) <= len(n.fewArgs) {
		n.Args = n.fewArgs[:len(n.uses)]
	} else {
		n.Args = make([]Arg, len(n.uses))
	}
	for i := range n.uses {
		u := &n.Op.Uses[i]
		at := u.View.Offset
		for axis, o := range n.Origin {
			if o == 0 || n.Op.Whole(i) {
				continue
			}
			if u.Access == Write && n.Block != nil && n.Op.Reduced.Has(axis) {
				o /= n.Block[axis]
			}
			at += int64(o) * u.View.Strides[axis]
		}
		inst := n.uses[i].inst
		n.Args[i] = Arg{Instance: &inst.Instance, Offset: at - inst.Lo, Access: u.Access}
	}
}

// foresee finds what the whole window needs in each GPU's memory, so that an instance is
// made large enough at once instead of growing op by op.
func (c *Core) foresee() {
	for i := range c.window {
		for _, n := range c.window[i].tiles {
			mem := c.machine.Devices[c.runner(n, c.window[i].colors)].Memory
			for k := range n.uses {
				u := &n.uses[k]
				u.store.want[mem] = u.store.want[mem].Hull(u.bytes)
				c.touch = append(c.touch, u.store)
			}
		}
	}
}

// bring makes a tile's operands valid in its device's memory and, after that, its results
// valid nowhere else.
func (c *Core) bring(n *node) {
	mem := c.machine.Devices[n.Device].Memory
	for i := range n.uses {
		u := &n.uses[i]
		u.inst = c.instanceAt(u.store, mem, u.bytes, n)
		if u.comb != nil && !u.store.fits(*u.comb) {
			u.comb, u.dense = nil, false
		}
		if u.read || !u.dense {
			c.validate(u.inst, u.store, u.footprint(), n)
		}
	}
	for i := range n.uses {
		if u := &n.uses[i]; u.write {
			u.store.wrote(mem, u.footprint())
		}
	}
}

// fits reports whether bytes lie in the same rows as those that are valid somewhere. What
// doesn't is taken as an interval, so that the lists of valid bytes stay short.
func (st *store) fits(bytes region.Comb) bool {
	for _, inst := range st.at {
		if inst != nil && !inst.valid.Fits(bytes) {
			return false
		}
	}
	return true
}

// wrote makes bytes valid in one memory and invalid in the others.
func (st *store) wrote(mem MemoryID, bytes region.Comb) {
	for m, inst := range st.at {
		switch {
		case inst == nil:
		case MemoryID(m) == mem:
			inst.valid.Add(bytes)
		default:
			inst.valid.Remove(bytes)
		}
	}
}

// newInstance makes an instance known; the driver allocates it when a task first uses it.
func (c *Core) newInstance(st *store, mem MemoryID, bytes region.Interval) *instance {
	c.lastInst++
	inst := &st.host
	if mem != 0 || inst.ID != 0 { // a renewed one: tasks still know the first
		inst = new(instance)
	}
	inst.Instance = Instance{ID: c.lastInst, Store: st.id, Memory: mem, Lo: bytes.Lo, Hi: bytes.Hi}
	st.at[mem] = inst
	c.plan.Instances = append(c.plan.Instances, &inst.Instance)
	return inst
}

// onHost returns the store's instance in host memory.
func (c *Core) onHost(st *store) *instance {
	if inst := st.at[0]; inst != nil {
		return inst
	}
	return c.newInstance(st, 0, region.Interval{Lo: 0, Hi: st.size})
}

// instanceAt returns an instance in a memory that covers the bytes, and with them all that
// the window needs there: an instance that tiles of this window use is not replaced by it.
func (c *Core) instanceAt(st *store, mem MemoryID, bytes region.Interval, by *node) *instance {
	if mem == 0 {
		return c.onHost(st)
	}
	need, old := st.want[mem].Hull(bytes), st.at[mem]
	if old == nil {
		return c.newInstance(st, mem, need)
	}
	has := region.Interval{Lo: old.Lo, Hi: old.Hi}
	if has.Covers(need) {
		return old
	}
	inst := c.newInstance(st, mem, has.Hull(need))
	for _, part := range old.valid.Pieces(nil) {
		c.copy(old, inst, part, Grow, by)
	}
	inst.valid, old.valid = old.valid, region.Area{}
	c.free(old, by.Where)
	return inst
}

// validate plans copies of the bytes that are not valid in an instance, from wherever they
// are; bytes that are valid nowhere were never written, and stay so.
func (c *Core) validate(inst *instance, st *store, bytes region.Comb, by *node) {
	missing := inst.valid.Missing(bytes, c.parts[0][:0])
	for m := len(st.at) - 1; m >= 0 && len(missing) > 0; m-- { // the host last: GPUs reach each other faster
		from := st.at[m]
		if from == nil || from == inst {
			continue
		}
		found := c.parts[1][:0]
		for _, gap := range missing {
			found = from.valid.Common(gap, found)
		}
		for _, part := range found {
			c.copy(from, inst, part, causeOf(st, from, inst, part, bytes), by)
			inst.valid.Add(part)
		}
		c.parts[1] = found
		missing = inst.valid.Missing(bytes, missing[:0])
	}
	c.parts[0] = missing
}

// causeOf says why a part of the bytes that a tile needs has to move.
func causeOf(st *store, from, to *instance, part, bytes region.Comb) Cause {
	switch {
	case to.Memory == 0:
		return Gather
	case from.Memory == 0:
		return Upload
	case part.Len()*2 < bytes.Len(), st.key != nil && part.Len()*2*int64(st.key.Tiles()) < st.size:
		return Halo
	}
	return Repartition
}

// copy plans a copy. The GPU on its far side performs it; between GPUs that of the receiver.
func (c *Core) copy(from, to *instance, part region.Comb, cause Cause, by *node) {
	n, hull, comb := new(node), part.Hull(), (*region.Comb)(nil)
	if part.N > 1 {
		comb = &part
	}
	n.uses = append(n.fewUses[:0], use{inst: from, bytes: hull, comb: comb, dense: true, read: true}, use{inst: to, bytes: hull, comb: comb, dense: true, write: true})
	n.Kind, n.Cause, n.Src, n.Dst, n.Lo, n.Hi, n.Rows, n.Step = Copy, cause, &from.Instance, &to.Instance, hull.Lo, hull.Hi, part.N, part.Step
	n.Device = c.mover[to.Memory]
	if to.Memory == 0 {
		n.Device = c.mover[from.Memory]
	}
	if by != nil {
		n.Op, n.Where = by.Op, by.Where
	}
	c.add(n)
}

// free plans the end of an instance.
func (c *Core) free(inst *instance, where Where) {
	n := new(node)
	n.uses = append(n.fewUses[:0], use{inst: inst, bytes: region.Interval{Lo: inst.Lo, Hi: inst.Hi}})
	n.Kind, n.Src, n.Lo, n.Hi, n.Where = Free, &inst.Instance, inst.Lo, inst.Hi, where
	n.Device = c.mover[inst.Memory]
	c.add(n)
}

// freeAll plans the end of a released store.
func (c *Core) freeAll(st *store) {
	if !st.pinned && !st.exists() && st.host.ID == 0 && st.spare.inst == nil {
		c.gone = append(c.gone, st)
	}
	for m, inst := range st.at {
		if inst != nil {
			c.free(inst, Where{})
			st.at[m] = nil
		}
	}
	c.freeSpare(st)
	c.stores.remove(uint32(st.id))
}
