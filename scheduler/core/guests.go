package core

import (
	"fmt"

	"weft/scheduler"
	"weft/scheduler/region"
)

// Guests is how other libraries of the process, which the host's program calls, come to bytes in a GPU's memory: by
// address. A store that they use has a home, an instance of all of it in one memory, which neither leaves nor moves:
//
//	Lent     the home is a guest's own memory, which no account has
//	Need     the home is made, where there is none yet, in memory like any instance's
//	Leave    there is none any more: the instance is one like others
//
// Tasks use it like any instance, and bring copies of it to other memories. The driver has Need make it
// the only valid one before what the guest does, and waits for what uses it: so that between two ops of the stream a
// guest comes to the bytes as the host does by Host.Need.
type Guests struct{ c *Core }

// Lent says that a fresh store is memory of a guest's, which holds its bytes already and lies outside of what the plan
// keeps account of.
func (g Guests) Lent(id scheduler.StoreID, mem scheduler.MemoryID) (*scheduler.Instance, error) {
	inst, err := g.c.filled(id, mem, true)
	if err == nil {
		st := g.c.stores.get(uint32(id))
		st.home, st.pinned = st.at[mem], true
	}
	return inst, err
}

// Need plans that a guest has all bytes of a store, as the next thing in the stream: the window must have been flushed.
// It returns the store's home, in the memory where it is or is to be, and what must be completed before the guest reads
// and writes there. The bytes become invalid everywhere else.
func (g Guests) Need(id scheduler.StoreID, mem scheduler.MemoryID) (inst *scheduler.Instance, after []scheduler.TaskID, err error) {
	c := g.c
	st := c.stores.get(uint32(id))
	switch {
	case len(c.window) > 0:
		panic(fmt.Sprintf("BUG: inv 5: a guest needs %v while %d ops wait in the window", id, c.ops))
	case st == nil || st.released:
		return nil, nil, fmt.Errorf("scheduler: a guest needs %v, but there is no such store", id)
	case mem == 0 || int(mem) >= len(c.machine.Memories) || st.home != nil && st.home.Memory != mem:
		return nil, nil, fmt.Errorf("scheduler: a guest needs %v in memory %d, which is no GPU's, or not that where others have it", id, mem)
	}
	c.reset()
	c.placing.pin++
	if st.home == nil {
		if err := c.settleIn(st, mem); err != nil {
			c.depend(c.nodes)
			c.commit(c.nodes)
			return nil, nil, err
		}
	}
	home := st.home
	c.validate(home, st, st.all().Comb(), nil)
	st.wrote(home, st.all().Comb())
	home.filled = true
	c.depend(c.nodes)
	need := func(n *node) { after = append(after, n.ID) }
	home.past.collect(&use{bytes: st.all()}, true, need)
	home.eachRoom(c.named.task+1, need)
	c.commit(c.nodes)
	return &home.Instance, after, nil
}

// settleIn finds or makes the instance that becomes a store's home. Others in that memory are no longer needed.
func (c *Core) settleIn(st *store, mem scheduler.MemoryID) error {
	if st.spare.inst != nil {
		c.freeSpare(st)
	}
	home := st.find(mem, st.all())
	if home == nil {
		r := &c.rooms[mem]
		if size := r.round(st.size); r.capacity > 0 && !c.makeRoom(mem, size, nil) {
			return c.noRoom(mem, st.id, size)
		}
		home = c.replace(st, mem, st.all(), nil)
	}
	st.home, st.pinned, st.spare.same = home, true, false
	return nil
}

// Failure returns why bytes of a store's home have no value, or nil. The program is told.
func (g Guests) Failure(id scheduler.StoreID) error {
	st := g.c.stores.get(uint32(id))
	if st == nil || st.home == nil {
		return nil
	}
	return g.c.unmade(st.home, region.Interval{Lo: 0, Hi: st.size}, true)
}

// Leave says that no guest has a store's address any more.
func (g Guests) Leave(id scheduler.StoreID) {
	if st := g.c.stores.get(uint32(id)); st != nil {
		st.home = nil
	}
}
