package core

import (
	"cmp"
	"fmt"
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
)

// A memory that is full makes room: instances leave that the task at hand does not use. Bytes
// that are valid nowhere else are copied to the host first; they come back when a task needs
// them. It is the window that says who leaves, since it knows what comes: those that it does
// not need any more, the least recently used first, then those whose next use is farthest.
//
// Host memory is where bytes go, so that only copies of what a GPU has leave it, and the spares
// of renewed stores.

// need is what a tile of the window needs in a GPU's memory.
type need struct {
	tile  int32
	mem   scheduler.MemoryID
	bytes region.Interval
}

// leaver is an instance that may leave.
type leaver struct {
	inst *instance
	next int32 // the tile that needs it next; never if there is none in the window
}

const never = int32(1<<31 - 1)

// makeRoom lets instances leave a memory until so many bytes fit, and reports whether they do.
//
// Spares of renewed stores go first: they only save the carrying over next time.
func (c *Core) makeRoom(mem scheduler.MemoryID, bytes int64, by *node) bool {
	r := &c.rooms[mem]
	if r.fits(bytes) {
		return true
	}
	if bytes > r.capacity {
		return false
	}
	for i := 0; i < len(c.renewals.spares) && !r.fits(bytes); {
		if st := c.renewals.spares[i]; st.spare.inst.Memory == mem && st.spare.inst != st.next && st.spare.inst.pin != c.placing.pin {
			c.freeSpare(st)
		} else {
			i++
		}
	}
	for _, v := range c.leaving(mem) {
		if r.fits(bytes) {
			break
		}
		c.evict(v.inst, by)
	}
	return r.fits(bytes)
}

// Yield plans that instances leave a GPU's memory until so many bytes have left, and reports whether any does. It is
// for a device that cannot give what the account says is free, since its pages hold other blocks in part: with each
// block that leaves, more of them are whole. What leaves is used by no task that is not completed, and has room on the
// host as that is: the program may be reading what is there. The window must have been flushed.
func (c *Core) Yield(mem scheduler.MemoryID, bytes int64) bool {
	if len(c.window) > 0 {
		panic(fmt.Sprintf("BUG: inv 5: %v yields while %d ops wait in the window", mem, c.ops))
	}
	c.reset()
	r := &c.rooms[mem]
	if mem == 0 || r.capacity == 0 {
		return false
	}
	c.placing.pin++
	c.running.tasks.each(func(n *node) {
		for k := range n.uses {
			n.uses[k].inst.pin = c.placing.pin
		}
	})
	left := r.used - bytes
	for i := 0; i < len(c.renewals.spares) && r.used > left; {
		if st := c.renewals.spares[i]; st.spare.inst.Memory == mem && st.spare.inst.pin != c.placing.pin {
			c.freeSpare(st)
		} else {
			i++
		}
	}
	host := &c.rooms[0]
	for _, v := range c.leaving(mem) {
		if r.used <= left {
			break
		}
		if st := c.stores.get(uint32(v.inst.Store)); host.capacity == 0 || st.at[0] != nil && !st.at[0].missing || host.fits(host.round(st.size)) {
			c.evict(v.inst, nil)
		}
	}
	c.depend(c.nodes)
	c.commit(c.nodes)
	return len(c.nodes) > 0
}

// leaving returns the instances that may leave a memory, in the order in which they should.
//
// The rule is Belady's as far as the window knows the future, and least recently used behind that:
//
//  1. what the window needs latest, or never, leaves first
//  2. of these, what holds no valid bytes: it costs no copy
//  3. the least recently used (pin), and then the oldest, so that the order is one of the plan and of nothing else
//
// What the tile at hand uses is pinned, and does not leave, nor does what guests have the address of. On the host
// neither does what the program has the address of, nor the last valid copy of anything: there is nowhere to spill to.
func (c *Core) leaving(mem scheduler.MemoryID) []leaver {
	scratch := &c.placing.leavers[min(1, mem)] // room on the host is made while a GPU's is
	list := (*scratch)[:0]
	if len(c.rooms) > 1 {
		for _, inst := range c.rooms[mem].resident {
			st := c.stores.get(uint32(inst.Store))
			if inst.pin == c.placing.pin || mem == 0 && st.pinned || inst == st.home || inst == st.next || inst == st.spare.inst {
				continue
			}
			if mem == 0 && len(c.lone(st, inst)) > 0 {
				continue
			}
			list = append(list, leaver{inst, st.nextNeed(c.placing.tile, inst)})
		}
	}
	slices.SortFunc(list, func(a, b leaver) int {
		if a.next != b.next {
			return cmp.Compare(b.next, a.next)
		}
		if none := a.inst.valid.Empty(); none != b.inst.valid.Empty() {
			if none {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.inst.pin, b.inst.pin), cmp.Compare(a.inst.ID, b.inst.ID))
	})
	*scratch = list
	return list
}

// nextNeed returns the first tile after the one at hand that needs bytes of an instance.
func (st *store) nextNeed(tile int32, inst *instance) int32 {
	all := region.Interval{Lo: inst.Lo, Hi: inst.Hi}
	from, _ := slices.BinarySearchFunc(st.needs, tile+1, func(x need, tile int32) int { return cmp.Compare(x.tile, tile) })
	for _, x := range st.needs[from:] {
		if x.mem == inst.Memory && x.bytes.Overlaps(all) {
			return x.tile
		}
	}
	return never
}

// lone returns the bytes of an instance that are valid in no other of the store's. They are
// scratch, good until the next call.
func (c *Core) lone(st *store, inst *instance) []region.Comb {
	parts := inst.valid.Pieces(c.placing.parts[0][:0])
	other := c.placing.parts[1]
	for _, first := range st.at {
		for x := first; x != nil && len(parts) > 0; x = x.beside {
			if x == inst || x.valid.Empty() {
				continue
			}
			other = other[:0]
			for _, p := range parts {
				other = x.valid.Missing(p, other)
			}
			parts, other = other, parts
		}
	}
	c.placing.parts[0], c.placing.parts[1] = parts, other
	return parts
}

// evict makes an instance leave its memory, unless the host has no room for what it alone holds.
//
// The copies come before the free in the plan, and the free waits for them by the instance's history.
func (c *Core) evict(inst *instance, by *node) {
	st := c.stores.get(uint32(inst.Store))
	if parts := slices.Clone(c.lone(st, inst)); len(parts) > 0 {
		host := c.onHost(st, by)
		if inst.Memory == 0 || host.missing {
			return
		}
		for _, part := range parts {
			c.copy(inst, host, part, scheduler.Spill, by)
			host.valid.Add(part)
		}
	}
	st.remove(inst)
	c.free(inst, scheduler.Spill, where(by))
}

// where returns the place of a task that may be none: the program asks itself then.
func where(by *node) scheduler.Where {
	if by == nil {
		return scheduler.Where{}
	}
	return by.Where
}

// remove takes an instance off the store's list.
func (st *store) remove(inst *instance) {
	at := &st.at[inst.Memory]
	for *at != inst {
		at = &(*at).beside
	}
	*at, inst.beside = inst.beside, nil
}
