package core

import (
	"fmt"

	"weft/scheduler"
	"weft/scheduler/region"
)

// Host is how the host, which the tasks are not, comes to the bytes of stores: it fills fresh ones, and reads and
// writes others, between ops of the stream.
type Host struct{ c *Core }

// Written says that the host fills a fresh store, and returns the instance to fill
// before any task that the core hands out later starts. What makes room for it is planned.
func (h Host) Written(id scheduler.StoreID) (*scheduler.Instance, error) {
	return h.c.filled(id, 0, false)
}

// Lent says that a fresh store is memory of the host's own, which holds its bytes already and lies
// outside of what the plan keeps account of. It stays where it is: the store is pinned.
func (h Host) Lent(id scheduler.StoreID) (*scheduler.Instance, error) {
	inst, err := h.c.filled(id, 0, true)
	if err == nil {
		h.c.Host.Pin(id, true)
	}
	return inst, err
}

// Given says that a fresh store is memory that the host has filled and gives up. It lies outside of what the plan keeps
// account of, which makes no room for it.
func (h Host) Given(id scheduler.StoreID) (*scheduler.Instance, error) {
	return h.c.filled(id, 0, true)
}

// filled returns the instance of a fresh store that others than tasks fill. Lent is memory that no account has.
func (c *Core) filled(id scheduler.StoreID, mem scheduler.MemoryID, lent bool) (*scheduler.Instance, error) {
	c.reset()
	st := c.stores.get(uint32(id))
	if st == nil || st.released {
		return nil, fmt.Errorf("scheduler: %v is written, but there is no such store", id)
	}
	for i := range c.window {
		for k := range c.window[i].uses {
			if c.window[i].uses[k].store == st {
				return nil, fmt.Errorf("scheduler: %v is written as a fresh store, but op %q uses it already", id, c.window[i].op.Name)
			}
		}
	}
	for _, inst := range st.at {
		if inst != nil {
			return nil, fmt.Errorf("scheduler: %v is written as a fresh store, but has %v already", id, inst.ID)
		}
	}
	var inst *instance
	if lent {
		inst = c.nameInstance(st, mem, st.all())
	} else {
		inst = c.onHost(st, nil)
	}
	c.depend(c.nodes)
	c.commit(c.nodes)
	if inst.missing {
		st.at[0] = nil
		return nil, c.noRoom(0, id, st.size)
	}
	inst.valid.Add(st.all().Comb())
	inst.filled = true
	return &inst.Instance, nil
}

// crowded reports whether so many bytes and the stores that the window is going to make may be more than host memory
// holds. It counts a store for each of its uses, and those that fusion will make needless, too: "no" is certain.
func (c *Core) crowded(bytes int64) bool {
	r := &c.rooms[0]
	sum := r.used + r.round(bytes)
	for i := range c.window {
		for k := range c.window[i].uses {
			if st := c.window[i].uses[k].store; st.at[0] == nil {
				sum += r.round(st.size)
			}
		}
	}
	return sum > r.capacity
}

// AtRest returns the host's instance of a store that no op in the window uses and no task, and that is in no other
// memory, or nil. The host may write it, as the next thing in the stream: the window comes to the same before it and
// after it.
func (h Host) AtRest(id scheduler.StoreID) *scheduler.Instance {
	st := h.c.stores.get(uint32(id))
	if st == nil || st.released || h.c.running.pending > 0 || st.at[0] == nil || len(st.at[0].bad) > 0 || st.at[0].missing || h.c.Look.Waits(id) {
		return nil
	}
	for _, inst := range st.at[1:] {
		if inst != nil {
			return nil
		}
	}
	st.spare.same = false
	st.at[0].filled = true
	if len(st.at) > 1 {
		st.at[0].valid.Add(st.all().Comb())
	}
	return &st.at[0].Instance
}

// nearBytes is up to what size a store gets an instance on the host for the sake of a few bytes. Pages that nothing is
// copied to take up no room there.
const nearBytes = 1 << 30

// Room returns the tasks that must be completed before the host may use an instance that
// Written returned: they free the memory that it takes.
func (h Host) Room(inst *scheduler.Instance) (after []scheduler.TaskID) {
	if st := h.c.stores.get(uint32(inst.Store)); st != nil && st.at[0] != nil {
		st.at[0].eachRoom(h.c.named.task+1, func(n *node) { after = append(after, n.ID) })
	}
	return after
}

// Need plans an access of the host to bytes of a store, as the next thing in the stream:
// the window must have been flushed. It returns the host's instance, and what must be
// completed first. With write, the bytes become invalid everywhere else. The host must be
// done with the access before the next op is submitted. Whether there is something to access,
// Failure tells.
func (h Host) Need(id scheduler.StoreID, lo, hi int64, write bool) (inst *scheduler.Instance, after []scheduler.TaskID, err error) {
	c := h.c
	st := c.stores.get(uint32(id))
	bytes := region.Interval{Lo: lo, Hi: hi}
	switch {
	case len(c.window) > 0:
		panic(fmt.Sprintf("BUG: inv 5: the host needs %v while %d ops wait in the window", id, c.ops))
	case st == nil || st.released:
		return nil, nil, fmt.Errorf("scheduler: the host needs %v, but there is no such store", id)
	case lo < 0 || hi > st.size:
		return nil, nil, fmt.Errorf("scheduler: the host needs bytes %v of %v, which has %d", bytes, id, st.size)
	}
	c.reset()
	if write {
		st.spare.same = false
	}
	c.placing.pin++
	host := c.onHost(st, nil)
	if len(c.machine.Memories) > 1 && !host.missing {
		c.validate(host, st, bytes.Comb(), nil)
		if write {
			st.wrote(host, bytes.Comb())
		}
	}
	host.filled = host.filled || write
	c.depend(c.nodes)
	need := func(n *node) { after = append(after, n.ID) }
	host.past.collect(&use{bytes: bytes}, write, need)
	host.eachRoom(c.named.task+1, need)
	c.commit(c.nodes)
	return &host.Instance, after, nil
}
