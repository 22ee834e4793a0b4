package core

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/invariants"
	"weft/scheduler"
)

// The bytes of a memory that has a capacity are handed on like coins. An instance takes
// its bytes when it is planned: from those that no instance holds, or else from frees that are
// planned before it, the oldest first. Its users then wait for these frees. So the instances
// fit whatever the order in which tasks run, and no task that may start ever has to wait for
// memory, which is why none waits for ever:
//
//	capacity 100    i1 [0,60) i2 [0,40)     free i1 (t3)    i3 [0,50)
//	users of i3 come after t3; of its 60 bytes, 10 are left for the next instance
//
// Every byte of the capacity is, at any moment of planning, in one of three places: with an
// instance, in a planned free that it was not taken from, or unclaimed.

// room is the account of one memory, in the order of the plan.
//
// grain is what the device's allocator rounds up to; the account counts in grains, so that it never promises bytes that
// rounding uses up.
type room struct {
	capacity  int64 // 0: there is no limit, and nothing is counted
	grain     int64
	used      int64       // by instances whose free is not planned
	unclaimed int64       // neither in use nor to be waited for
	frees     []*node     // planned, with bytes to give, oldest first; some have given all
	resident  []*instance // those that hold bytes, in no order

	strain strain // while place runs
}

// author is who gave a store its last value, where a memory has a capacity.
type author struct {
	maker string // the op
	made  scheduler.Where
}

// strain is how a memory stands to what the window needs of it.
type strain uint8

const (
	calm    strain = iota // everything fits beside what is there
	pressed               // it fits, but others have to leave
	tight                 // it does not fit at once: instances are hardly larger than the tiles need
	exactly               // of a tile: they are not larger at all
)

// measure makes the accounts of the memories.
func (c *Core) measure() {
	c.rooms = make([]room, len(c.machine.Memories))
	for i, mem := range c.machine.Memories {
		c.rooms[i] = room{capacity: mem.Capacity, grain: mem.Grain, unclaimed: mem.Capacity}
		c.limited = c.limited || mem.Capacity > 0
		if i > 0 && mem.Capacity > 0 && (c.smallest == 0 || mem.Capacity < c.smallest) {
			c.smallest = mem.Capacity
		}
	}
}

// round returns the bytes that an instance of so many bytes takes.
func (r *room) round(bytes int64) int64 {
	grain := max(1, r.grain)
	return (max(bytes, 1) + grain - 1) / grain * grain
}

// fits reports whether so many bytes can be taken now.
func (r *room) fits(bytes int64) bool { return r.used+bytes <= r.capacity }

// hold makes room for an instance of host memory, and reports whether there was some.
func (c *Core) hold(inst *instance, by *node) bool {
	r := &c.rooms[inst.Memory]
	if r.capacity == 0 {
		return true
	}
	if !c.makeRoom(inst.Memory, r.round(inst.Hi-inst.Lo), by) {
		return false
	}
	c.take(inst)
	return true
}

// take gives an instance its bytes, which fit.
//
// Frees give in the order of the plan, oldest first, which are likely over by the time that the instance is used. One
// that gave something is in inst.room, and all users of the instance wait for it.
func (c *Core) take(inst *instance) {
	r := &c.rooms[inst.Memory]
	inst.held = r.round(inst.Hi - inst.Lo)
	if !r.fits(inst.held) {
		panic(fmt.Sprintf("BUG: inv 7: %v takes %d bytes of %v, where %d of %d are in use", inst.ID, inst.held, inst.Memory, r.used, r.capacity))
	}
	r.used += inst.held
	inst.slot = len(r.resident)
	r.resident = append(r.resident, inst)
	left := inst.held
	from := min(left, r.unclaimed)
	r.unclaimed, left = r.unclaimed-from, left-from
	taken := 0 // frees that have nothing left to give
	for _, n := range r.frees {
		from := min(left, n.gives)
		if n.gives, left = n.gives-from, left-from; from > 0 {
			inst.room = append(inst.room, n)
		}
		if n.gives > 0 {
			break
		}
		taken++
	}
	r.frees = slices.Delete(r.frees, 0, taken)
	if invariants.Enabled {
		r.check()
	}
	invariants.Check(left == 0, 7, "%v of %v lacks %d bytes that are said to be free", inst.ID, inst.Memory, left)
}

// give plans that a free gives back what its instance holds.
//
// The bytes are free at once in the plan, long before the free has run: that is what lets a program run ahead without
// more memory.
func (c *Core) give(n *node, inst *instance) {
	if inst.held == 0 {
		return
	}
	r := &c.rooms[inst.Memory]
	last := len(r.resident) - 1
	r.resident[inst.slot] = r.resident[last]
	r.resident[inst.slot].slot = inst.slot
	r.resident[last] = nil
	r.resident = r.resident[:last]
	r.used -= inst.held
	n.gives, inst.held = inst.held, 0
	r.frees = append(r.frees, n)
}

// given is called when a free is completed: what it did not give is unclaimed.
func (c *Core) given(n *node) {
	r := &c.rooms[n.Src.Memory]
	r.unclaimed += n.gives
	n.gives = 0
	done := 0
	for done < len(r.frees) && r.frees[done].gives == 0 {
		done++
	}
	r.frees = slices.Delete(r.frees, 0, done)
}

// check makes sure that every byte is in one place.
func (r *room) check() {
	sum := r.used + r.unclaimed
	for _, n := range r.frees {
		sum += n.gives
	}
	invariants.Check(sum == r.capacity, 7, "%d bytes in use, %d unclaimed, and those of %d frees are not the %d that there are", r.used, r.unclaimed, len(r.frees), r.capacity)
}

// eachRoom calls need for the frees, of tasks before the given one, that an instance got its
// bytes from. What used it before it got any fails.
func (inst *instance) eachRoom(before scheduler.TaskID, need func(*node)) {
	if len(inst.room) == 0 {
		return
	}
	inst.room = slices.DeleteFunc(inst.room, func(n *node) bool { return n.state == completed })
	for _, n := range inst.room {
		if n.ID < before {
			need(n)
		}
	}
}

// noRoom describes a memory that is used up.
func (c *Core) noRoom(mem scheduler.MemoryID, id scheduler.StoreID, needs int64) *scheduler.NoRoom {
	r := &c.rooms[mem]
	e := &scheduler.NoRoom{Memory: mem, Store: id, Needs: needs, Live: r.used, Capacity: r.capacity}
	for _, inst := range r.resident {
		st := c.stores.get(uint32(inst.Store))
		at := slices.IndexFunc(e.Largest, func(h scheduler.Holder) bool { return h.Store == st.id })
		if at < 0 {
			at = len(e.Largest)
			e.Largest = append(e.Largest, scheduler.Holder{Store: st.id, Name: st.maker, Where: st.made})
		}
		e.Largest[at].Bytes += inst.Hi - inst.Lo
	}
	slices.SortFunc(e.Largest, func(a, b scheduler.Holder) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Store, b.Store))
	})
	e.Largest = e.Largest[:min(3, len(e.Largest))]
	return e
}
