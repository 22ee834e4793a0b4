package core

import (
	"slices"

	"weft/scheduler"
	"weft/tile"
)

// A store that was renewed is likely to be renewed again, by the next turn of the loop. So its old
// instance is kept for that: the two take turns. What lies outside the slice that is written is
// then the same in both, as long as no op writes there, and nothing has to be carried over. A
// spare that no window renews any more is freed.

// renewal is the other instance of a store that is renewed.
type renewal struct {
	next  *instance // the new one, while place runs over the op that renews the store
	spare spare     // the old one
}

// spare is the old instance of a store that was renewed.
type spare struct {
	inst   *instance      // nil: there is none
	inside scheduler.View // what the renewal wrote
	same   bool           // outside of that, it holds the store's value
	plan   uint64         // the window of the last renewal
}

// renewals is what is kept of renewed stores.
type renewals struct {
	spares []*store                   // that have one
	spared []int64                    // their bytes, by memory
	plans  uint64                     // how many windows were planned
	movers map[moverKey]*tile.Program // of carried bytes
}

// sparePlans is how many windows may pass until a spare is freed. Loops that read a value in each
// turn have several windows in one.
const sparePlans = 4

// spare keeps the old instance of a store, after the new one got its place, or frees it. Where
// a memory is limited, spares take an eighth of it at most.
func (c *Core) spare(st *store, old *instance, inside *scheduler.View, where scheduler.Where) {
	had := st.spare.inst != nil
	mem := old.Memory
	if limit := c.machine.Memories[mem].Capacity / 8; limit > 0 && !had && c.renewals.spared[mem]+st.size > limit {
		c.free(old, scheduler.NoCause, where)
		return
	}
	st.spare = spare{inst: old, inside: *inside, same: true, plan: c.renewals.plans}
	if !had {
		c.renewals.spares = append(c.renewals.spares, st)
		c.renewals.spared[mem] += st.size
	}
}

// spoil notes which spares do not hold the value of their stores any more, outside of the
// slice that renewals write, because the op writes there.
func (e *entry) spoil() {
	for i := range e.uses {
		u := &e.uses[i]
		if x := &u.store.spare; x.same && u.write && !u.renew && !scheduler.SameView(&e.op.Uses[i].View, &x.inside) {
			x.same = false
		}
	}
}

// freeSpare frees the spare of a store, if there is one.
func (c *Core) freeSpare(st *store) {
	if st.spare.inst == nil {
		return
	}
	c.free(st.spare.inst, scheduler.NoCause, scheduler.Where{})
	c.renewals.spared[st.spare.inst.Memory] -= st.size
	st.spare = spare{}
	c.renewals.spares = slices.DeleteFunc(c.renewals.spares, func(other *store) bool { return other == st })
}

// freeSpares frees those that were not used for some windows.
func (c *Core) freeSpares() {
	for i := len(c.renewals.spares) - 1; i >= 0; i-- {
		if st := c.renewals.spares[i]; st.spare.plan+sparePlans < c.renewals.plans {
			c.freeSpare(st)
		}
	}
	c.renewals.plans++
}
