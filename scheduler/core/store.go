package core

import (
	"weft/scheduler"
	"weft/scheduler/region"
)

// store is the core's side of a StoreID.
//
// What is embedded is by
// owner: author is capacity's, partition key's, renewal renew's, scratch the passes' of one window.
type store struct {
	id       scheduler.StoreID
	size     int64
	released bool
	pinned   bool        // the host has its address, or a guest: it is not renewed
	home     *instance   // that guests use, of all of the store, which stays where it is; nil for most
	at       []*instance // by memory: the first of its instances there; nil where there is none
	author
	partition
	renewal
	scratch
	only
}

// scratch is what passes note of a store for as long as they look at one window.
type scratch struct {
	numbering
	cut crossing
	demand
}

// only saves allocations on machines of one memory, which are most: what is there of the store.
type only struct {
	host  instance
	alone [1]*instance
}

// instance is the core's side of an Instance.
//
// Two times meet in it. Planning is ahead of what runs: valid, filled and first tell how the instance will be when all
// that is planned has run; bad tells how it is now. past lies between: tasks that are planned and not completed.
type instance struct {
	scheduler.Instance
	valid  region.Area    // plan-time: the bytes that hold the store's value after all planned tasks; unused when there is one memory
	past   history        // which planned tasks used which bytes
	bad    []poison       // run-time: bytes that failed tasks should have written
	filled bool           // plan-time: bytes came from elsewhere before the first op wrote it
	first  scheduler.OpID // plan-time: the first op that writes it; 0 for none
	beside *instance      // another instance of the store in the same memory

	// In a memory with a capacity:
	held    int64   // bytes that it takes up; 0 while it is missing
	slot    int     // among the memory's residents
	room    []*node // frees that have to come before
	pin     uint64  // the last tile that needed it
	missing bool    // there was no room: no task that runs may use it
}

// storeTable is the stores by their IDs, and memory for more of them.
type storeTable struct {
	table[store]
	unused []store  // takeStore's
	idle   []*store // that are no longer named, and never had an instance
	gone   []*store // those, while the window that releases them is planned
}

// NewStore names a store. It has no instance until a task or the host writes it.
func (c *Core) NewStore(bytes int64) scheduler.StoreID {
	c.named.store++
	st := c.takeStore()
	st.id, st.size = c.named.store, bytes
	c.stores.put(uint32(st.id), st)
	return st.id
}

// storesAtRest is how many stores without an instance wait to be used again, some 700 kB.
const storesAtRest = 1 << 10

// storesTogether is how many stores are allocated together.
const storesTogether = 8

// takeStore returns a store that is not in use: one that came and went without an instance, as most
// temporaries do, or a new one.
func (c *Core) takeStore() *store {
	if n := len(c.stores.idle); n > 0 {
		st := c.stores.idle[n-1]
		c.stores.idle = c.stores.idle[:n-1]
		st.released = false
		return st
	}
	if len(c.stores.unused) == 0 {
		c.stores.unused = make([]store, storesTogether)
	}
	st := &c.stores.unused[0]
	c.stores.unused = c.stores.unused[1:]
	if n := len(c.machine.Memories); n == 1 {
		st.at = st.alone[:]
	} else {
		st.at, st.want = make([]*instance, n), make(ranges, n)
	}
	return st
}

// Placed is how much of a store a memory holds.
type Placed struct {
	Memory scheduler.MemoryID
	Bytes  int64
}
