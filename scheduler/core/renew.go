package core

import (
	"fmt"
	"slices"

	"weft/scheduler"
	"weft/scheduler/region"
	"weft/tile"
)

// Renewal: an op writes a slice into a new instance of the store, and the bytes around it are
// carried over from the old one, which is freed. The old values stay readable while the op
// runs, so that an assignment such as
//
//	u[1:-1,1:-1] = 0.2*(u[1:-1,1:-1] + u[:-2,1:-1] + ...)
//
// is one pass over memory, and no tile waits for another. What is carried over is the
// complement of a box, which is the box's frame:
//
//	head head head head      one piece in front of the first row,
//	gap  box  box  gap       the pieces between rows, all of one length,
//	gap  box  box  gap       and one behind the last
//	tail tail tail tail
//
// All tiles of such an op run in one memory: the host's, or that of the only GPU. There the old instance covers the
// whole store while the op is planned, and the new one after it holds all of the store's value; instances elsewhere
// lose the slice that was written, nothing else. On several GPUs a slice that changes in place has to be where it was,
// or its neighbours would be copied with it.

// Pin says that the host has the address of a store's instance, which therefore must stay
// where it is, or no longer has.
func (h Host) Pin(id scheduler.StoreID, on bool) {
	if st := h.c.stores.get(uint32(id)); st != nil {
		st.pinned, st.spare.same = on, false
	}
}

// renewing finds the new instances of the stores that an op renews in host memory. Where there is no room for
// one, there is none, and the op fails. Those in a GPU's memory are among what gather finds.
//
// While the op's tiles are placed, a store has up to three instances in their memory, of which at has the old one only:
//
//	at       the old value: what tiles read
//	next     the new one: what tiles write; it takes the place of the old one behind the op's last tile (succeed)
//	spare    an older one that is kept for the next time, and becomes next then
func (c *Core) renewing(e *entry) {
	if c.placing.lacking = nil; !e.renews() {
		return
	}
	mem := c.machine.Devices[c.runner(e, e.tiles[0])].Memory
	if mem != 0 && !c.holdsRenewed(e, mem) {
		e.onHost, mem = true, 0
	}
	c.placing.pin++
	for i := range e.uses {
		st := e.uses[i].store
		if x := &st.spare; e.uses[i].renew && x.inst != nil && x.inst.Memory != mem {
			c.freeSpare(st)
		}
		if inst := st.at[0]; mem == 0 && inst != nil {
			inst.pin = c.placing.pin
		}
	}
	if mem != 0 {
		return
	}
	for i := range e.uses {
		st := e.uses[i].store
		switch {
		case !e.uses[i].renew || st.next != nil:
		case st.spare.inst != nil:
			st.next = st.spare.inst
		default:
			old := c.onHost(st, e.tiles[0])
			st.next = c.newInstance(st, 0, st.all())
			if st.at[0] = old; old.missing || !c.hold(st.next, e.tiles[0]) { // until the op's last tile
				st.next = nil
			}
		}
	}
}

// renews reports whether an op renews a store.
func (e *entry) renews() bool {
	return slices.ContainsFunc(e.uses, func(u use) bool { return u.renew })
}

// renews reports whether a tile's op renews a store.
func (n *node) renews() bool { return slices.ContainsFunc(n.uses, func(u use) bool { return u.renew }) }

// all returns all bytes of a store.
func (st *store) all() region.Interval { return region.Interval{Lo: 0, Hi: st.size} }

// holdsRenewed reports whether every tile of an op fits a GPU's memory beside the renewed stores. What fuse and fit
// decide makes it so, but for grains: then the CPUs run the op.
func (c *Core) holdsRenewed(e *entry, mem scheduler.MemoryID) bool {
	r := &c.rooms[mem]
	if r.capacity == 0 {
		return true
	}
	for _, n := range e.tiles {
		sum := int64(0)
		c.placing.wants = n.renewed(wanted(n, c.placing.wants[:0], true))
		for _, w := range c.placing.wants {
			sum += r.round(w.bytes.Len())
		}
		if sum > r.capacity {
			return false
		}
	}
	return true
}

// renewed widens what a tile needs of the stores that its op renews, in a GPU's memory, to all of them, and adds the
// new instances, behind the old ones.
func (n *node) renewed(list []want) []want {
	for i := range n.uses {
		u := &n.uses[i]
		if !u.renew {
			continue
		}
		kept := list[:0]
		for _, w := range list {
			if w.st != u.store {
				kept = append(kept, w)
			}
		}
		list = append(kept, want{st: u.store, bytes: u.store.all()})
	}
	for i := range n.uses {
		if u := &n.uses[i]; u.renew {
			inst := u.store.next
			if inst == nil {
				inst = u.store.spare.inst
			}
			list = append(list, want{st: u.store, bytes: u.store.all(), inst: inst, next: true})
		}
	}
	return list
}

// anew makes the new instance of a store in a GPU's memory, where there is room for it.
func (c *Core) anew(st *store, mem scheduler.MemoryID) *instance {
	inst := c.newInstance(st, mem, st.all())
	st.remove(inst) // it is none of the store's before the op's end
	return inst
}

// renewed returns the instance that a new one is to replace.
func (st *store) renewed() *instance {
	if mem := st.next.Memory; mem != 0 {
		return st.find(mem, st.all())
	}
	return st.at[0]
}

// framed reports whether the spare of a store holds what lies around a slice already.
func (st *store) framed(v *scheduler.View) bool {
	x := &st.spare
	return x.inst != nil && x.same && scheduler.SameView(v, &x.inside)
}

// surround brings what a tile's op will carry over, together with what the tile reads within.
func (c *Core) surround(n *node) {
	for i := range n.uses {
		if u := &n.uses[i]; u.renew && !u.store.framed(&n.Op.Uses[i].View) {
			c.validate(u.store.renewed(), u.store, u.store.all().Comb(), n)
		}
	}
}

// renewAll carries over what an op with renewed stores has not written, and keeps the old
// instances for the next time, or frees them.
//
// The frame is not carried where the spare has it already: a loop that writes the same slice each time carries it
// once, into the first new instance, since the old one has it.
func (c *Core) renewAll(e *entry) {
	for i := range e.uses {
		st := e.uses[i].store
		if !e.uses[i].renew || st.next == nil { // no tile: nothing was written
			continue
		}
		old, v := st.renewed(), &e.op.Uses[i].View
		if !st.framed(v) {
			pieces, _ := v.Frame(st.size)
			for _, p := range pieces {
				c.carry(e, st, old, p)
			}
		}
		c.succeed(e, i, old)
		c.spare(st, old, v, e.op.Where)
	}
}

// succeed makes the new instance of operand i of an op the store's, in place of the old one. It has all of the store's
// value: what the op wrote, and around it what was carried over, now or before.
func (c *Core) succeed(e *entry, i int, old *instance) {
	st := e.uses[i].store
	next := st.next
	st.next = nil
	if len(st.at) == 1 {
		st.at[0] = next
		return
	}
	st.remove(old)
	next.beside, st.at[next.Memory] = st.at[next.Memory], next
	next.valid, old.valid = region.Area{}, region.Area{}
	next.valid.Add(st.all().Comb())
	for _, n := range e.tiles {
		if u := &n.uses[i]; u.inst == next {
			st.wrote(next, u.footprint())
		}
	}
}

// moverKey says what the program that carries a piece depends on.
type moverKey struct {
	t    tile.DType
	rank int
}

// carry plans an op of the core's own that moves a piece from the old instance to the new one.
func (c *Core) carry(by *entry, st *store, old *instance, piece scheduler.View) {
	key := moverKey{piece.Type, len(piece.Shape)}
	p := c.renewals.movers[key]
	if p == nil {
		b := tile.NewBuilder(fmt.Sprintf("carry%d", key.rank), key.rank)
		b.Store(b.Load(key.t))
		p = b.Program()
		if c.renewals.movers == nil {
			c.renewals.movers = map[moverKey]*tile.Program{}
		}
		c.renewals.movers[key] = p
	}
	c.named.op++
	op := &scheduler.Op{ID: c.named.op, Kind: scheduler.Move, Name: "carry", Shape: piece.Shape, Program: p, Where: by.op.Where,
		Uses: []scheduler.Use{{View: piece}, {View: piece, Access: scheduler.Write, Renews: true}}}
	bytes, dense := region.Footprint(piece.Layout(), scheduler.Origin(key.rank), piece.Shape)
	e := entry{op: op, onHost: by.onHost, uses: []use{{store: st, bytes: bytes, dense: dense, read: true}, {store: st, bytes: bytes, dense: dense, write: true, renew: true}}}
	if len(st.at) > 1 {
		e.cover()
	}
	n := c.whole(&e)
	n.uses[0].inst, n.uses[1].inst = old, st.next
	n.Device = c.runner(&e, n)
	c.plan.Ops = append(c.plan.Ops, op)
	bind(n)
	c.add(n)
}
