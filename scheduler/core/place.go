package core

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

// placing is place's scratch.
//
// pin and counting count up and are never reset, so that marks of earlier windows in instances and stores are simply
// old.
type placing struct {
	touch    []*store          // stores whose want is set
	lacking  *scheduler.NoRoom // why the renewing op that place is at fails
	parts    [2][]region.Comb  // pieces of what validate and evict look at
	tile     int32             // the one that place is at, counted over the window
	pin      uint64            // counts the tiles of all windows
	counting uint64            // counts foresee's looks at memories
	wants    []want            // of that tile
	leavers  [2][]leaver       // makeRoom's: the host's, GPUs'
}

// place chooses for every tile the device, and for every operand the instance, plans the
// copies that make its bytes valid there, and the frees of released stores.
//
// Calls run on the first GPU that has the routine, or on the CPUs if none does; those of threads on the first GPU that
// runs these. Of the others, GPUs take the tiles in order, color i on GPU i, so that the same rows of arrays of the
// same height stay on the same GPU; without GPUs the CPUs take them, and with one the small ones of which it has
// nothing (small.go). In host memory a store has one instance that covers all of it. In a GPU's memory it covers the
// hull of what that GPU has needed so far; when a window needs more, a larger instance replaces it.
func place(c *Core) {
	alone := len(c.machine.Memories) == 1
	if !alone {
		c.foresee()
	}
	c.placing.tile = 0
	for i := range c.window {
		e := &c.window[i]
		if st := e.release; st != nil {
			c.freeAll(st)
			continue
		}
		e.spoil()
		if len(e.tiles) > 0 {
			c.renewing(e)
		}
		for _, n := range e.tiles {
			c.placing.tile++
			n.Device, n.Cold = c.runner(e, n), e.cold
			if !alone {
				c.bring(n)
			} else if c.onHosts(n); c.limited {
				c.back(n)
			}
			bind(n)
			c.add(n)
			n.begins()
		}
		c.renewAll(e)
	}
	c.freeSpares()
	for _, st := range c.placing.touch {
		clear(st.want)
		st.needs = st.needs[:0]
	}
	clear(c.placing.touch)
	c.placing.touch = c.placing.touch[:0]
}

// onHosts finds the instances of a tile on a machine that has one memory.
func (c *Core) onHosts(n *node) {
	for k := range n.uses {
		u := &n.uses[k]
		if u.inst = c.onHost(u.store, n); u.renew && u.store.next != nil {
			u.inst = u.store.next
		}
	}
}

// begins notes the ops that write instances first.
func (n *node) begins() {
	for i := range n.uses {
		if u := &n.uses[i]; u.write && u.inst.first == 0 {
			u.inst.first = n.Op.ID
		}
	}
	n.Zeros = n.zeroes()
}

// runner returns the device of a tile: one each while there are enough devices, else
// equal shares in order. A call goes to the first device that has the routine. What no GPU has
// room for goes to the CPUs.
//
// With more colors than devices, color k of n goes to device k*devices/n: neighbours in the array stay neighbours.
//
//	4 colors, 2 GPUs     0 0 1 1            2 colors, 4 GPUs     0 1 - -
func (c *Core) runner(e *entry, t *node) scheduler.DeviceID {
	from := c.runners
	switch {
	case t.Op.Kind == scheduler.Call && e.onHost:
		return c.answers
	case t.Op.Kind == scheduler.Call:
		return c.callerOf(t.Op)
	case e.onHost:
		from = c.hosts
	}
	return from[t.Color*len(from)/max(e.colors, len(from))]
}

// callerOf returns the device that runs a call, or nowhere.
func (c *Core) callerOf(op *scheduler.Op) scheduler.DeviceID {
	if op.Grid != nil {
		if op.Program.Guarded && c.answers != nowhere { // a GPU would run it without guards
			return c.answers
		}
		return c.gridder
	}
	for _, id := range c.callers {
		if c.machine.Devices[id].Runs(op.Program) {
			return id
		}
	}
	return nowhere
}

// bind computes where each operand of a tile begins in its instance.
//
// The offset is in bytes from the instance's own beginning. Along the reduced axes a written operand has one element
// for each block, so that the origin is counted in blocks there.
func bind(n *node) {
	if len(n.uses) <= cap(n.Args) {
		n.Args = n.Args[:len(n.uses)]
	} else {
		n.Args = make([]scheduler.Arg, len(n.uses))
	}
	for i := range n.uses {
		u := &n.Op.Uses[i]
		at := u.View.Offset
		for axis, o := range n.Origin {
			if o == 0 || n.Op.Whole(i) {
				continue
			}
			if u.Access == scheduler.Write && n.Block != nil && n.Op.Reduced.Has(axis) {
				o /= n.Block[axis]
			}
			at += int64(o) * u.View.Strides[axis]
		}
		inst := n.uses[i].inst
		n.Args[i] = scheduler.Arg{Instance: &inst.Instance, Offset: at - inst.Lo, Access: u.Access}
	}
}

// fits reports whether bytes lie in the same rows as those that are valid somewhere. What
// doesn't is taken as an interval, so that the lists of valid bytes stay short.
func (st *store) fits(bytes region.Comb) bool {
	for _, inst := range st.at {
		for ; inst != nil; inst = inst.beside {
			if !inst.valid.Fits(bytes) {
				return false
			}
		}
	}
	return true
}

// wrote makes bytes valid in one instance and invalid in the others.
//
// This is the protocol of coherence: of each byte, the instances that are valid for it hold the value that the stream
// gives it, once all planned tasks have run. It is kept at plan time, so that no task asks or tells anything when it
// runs. Reads add instances (fetch), a write leaves one:
//
//	                      host       GPU 0      GPU 1
//	program fills a       valid
//	b = a*2 on GPU 0      valid      valid                 upload
//	c = a+1 on GPU 1      valid      valid      valid      from GPU 0
//	a[:] = 0 on GPU 1                           valid      the others are stale
func (st *store) wrote(in *instance, bytes region.Comb) {
	for _, inst := range st.at {
		for ; inst != nil; inst = inst.beside {
			if inst == in {
				inst.valid.Add(bytes)
			} else {
				inst.valid.Remove(bytes)
			}
		}
	}
}

// newInstance makes an instance known; the driver allocates it when a task first uses it. In a
// GPU's memory there is room for it.
func (c *Core) newInstance(st *store, mem scheduler.MemoryID, bytes region.Interval) *instance {
	inst := c.nameInstance(st, mem, bytes)
	if mem != 0 && c.rooms[mem].capacity > 0 {
		inst.pin = c.placing.pin
		c.take(inst)
	}
	return inst
}

// nameInstance makes an instance known that takes nothing of its memory's capacity.
func (c *Core) nameInstance(st *store, mem scheduler.MemoryID, bytes region.Interval) *instance {
	c.named.inst++
	inst := &st.host
	if mem != 0 || inst.ID != 0 { // a renewed one: tasks still know the first
		inst = new(instance)
	}
	inst.Instance = scheduler.Instance{ID: c.named.inst, Store: st.id, Memory: mem, Lo: bytes.Lo, Hi: bytes.Hi}
	if st.at[mem] != nil && mem != 0 {
		inst.beside = st.at[mem]
	}
	st.at[mem] = inst
	c.plan.Instances = append(c.plan.Instances, &inst.Instance)
	return inst
}

// onHost returns the store's instance in host memory, which may be missing there.
func (c *Core) onHost(st *store, by *node) *instance {
	inst := st.at[0]
	if inst == nil {
		inst = c.newInstance(st, 0, region.Interval{Lo: 0, Hi: st.size})
		inst.missing = c.rooms[0].capacity > 0
	}
	if inst.missing {
		inst.missing = !c.hold(inst, by)
	}
	return inst
}

// validate plans copies of the bytes that are not valid in an instance, from wherever they
// are; bytes that are valid nowhere were never written, and stay so.
func (c *Core) validate(inst *instance, st *store, bytes region.Comb, by *node) {
	missing := inst.valid.Missing(bytes, c.placing.parts[0][:0])
	for from := st.at[inst.Memory]; from != nil && len(missing) > 0; from = from.beside {
		missing = c.fetch(st, from, inst, bytes, missing, by)
	}
	for m := len(st.at) - 1; m >= 0; m-- { // the host last: GPUs reach each other faster
		for from := st.at[m]; from != nil && len(missing) > 0; from = from.beside {
			missing = c.fetch(st, from, inst, bytes, missing, by)
		}
	}
	c.placing.parts[0] = missing
}

// fetch plans copies of what one instance has of the bytes that another misses, and returns
// what is missing then.
//
// The copies' sources may be results of tasks that have not run: depend makes the copies wait for them.
func (c *Core) fetch(st *store, from, to *instance, bytes region.Comb, missing []region.Comb, by *node) []region.Comb {
	if from == to {
		return missing
	}
	found := c.placing.parts[1][:0]
	for _, gap := range missing {
		found = from.valid.Common(gap, found)
	}
	for _, part := range found {
		c.copy(from, to, part, causeOf(st, from, to, part, bytes), by)
		to.valid.Add(part)
	}
	c.placing.parts[1] = found
	if len(found) == 0 {
		return missing
	}
	return to.valid.Missing(bytes, missing[:0])
}

// causeOf says why a part of the bytes that a tile needs has to move.
//
// The cause decides nothing. A halo is less than half of what the tile needs, or of what each GPU has by the key.
func causeOf(st *store, from, to *instance, part, bytes region.Comb) scheduler.Cause {
	switch {
	case to.Memory == 0:
		return scheduler.Gather
	case from.Memory == 0:
		return scheduler.Upload
	case part.Len()*2 < bytes.Len(), st.key != nil && part.Len()*2*int64(st.key.Tiles()) < st.size:
		return scheduler.Halo
	}
	return scheduler.Repartition
}

// copy plans a copy. The GPU on its far side performs it; between GPUs that of the receiver.
func (c *Core) copy(from, to *instance, part region.Comb, cause scheduler.Cause, by *node) {
	n, hull, comb := new(node), part.Hull(), (*region.Comb)(nil)
	if part.N > 1 {
		comb = &part
	}
	n.uses = []use{{inst: from, bytes: hull, comb: comb, dense: true, read: true}, {inst: to, bytes: hull, comb: comb, dense: true, write: true}}
	n.Kind, n.Cause, n.Src, n.Dst, n.Lo, n.Hi, n.Rows, n.Step = scheduler.Copy, cause, &from.Instance, &to.Instance, hull.Lo, hull.Hi, part.N, part.Step
	n.Device = c.mover[to.Memory]
	if to.Memory == 0 {
		n.Device = c.mover[from.Memory]
	}
	if by != nil {
		n.Op, n.Where = by.Op, by.Where
	}
	to.filled = true
	c.add(n)
}

// free plans the end of an instance; the cause is Spill if it leaves to make room.
//
// A free is a task like others: depend puts it behind all tasks that use the instance, and what takes its bytes
// behind it.
func (c *Core) free(inst *instance, cause scheduler.Cause, where scheduler.Where) {
	f := take(&c.chunks.frees, nodesTogether)
	n := &f.node
	n.uses = append(f.use[:0], use{inst: inst, bytes: region.Interval{Lo: inst.Lo, Hi: inst.Hi}})
	n.Kind, n.Cause, n.Src, n.Lo, n.Hi, n.Where = scheduler.Free, cause, &inst.Instance, inst.Lo, inst.Hi, where
	n.Device = c.mover[inst.Memory]
	c.add(n)
	c.give(n, inst)
}

// freeAll plans the end of a released store.
//
// A store that never had an instance leaves no trace; it can serve again when the plan is done (storeTable.gone), as
// tasks of this plan may still point to it.
func (c *Core) freeAll(st *store) {
	if !st.pinned && !st.exists() && st.host.ID == 0 && st.spare.inst == nil {
		c.stores.gone = append(c.stores.gone, st)
	}
	for m, inst := range st.at {
		for ; inst != nil; inst = inst.beside {
			c.free(inst, scheduler.NoCause, scheduler.Where{})
		}
		st.at[m] = nil
	}
	c.freeSpare(st)
	c.stores.remove(uint32(st.id))
}
