package scheduler

import (
	"fmt"
	"slices"

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
// It is done on machines with one memory. In others a slice that changes in place has to be
// where it was, or its neighbours would be copied with it.

// Pin says that the host has the address of a store's instance, which therefore must stay
// where it is, or no longer has.
func (c *Core) Pin(id StoreID, on bool) {
	if st := c.stores.get(uint32(id)); st != nil {
		st.pinned, st.spare.same = on, false
	}
}

// renewable reports whether operand i of an op, which the group reads at other points, may
// go to a new instance.
func (c *Core) renewable(g *group, e *entry, i int) bool {
	u := &e.uses[i]
	if len(c.machine.Memories) > 1 || !u.write || u.store.pinned || u.store.size < c.opt.Renew {
		return false
	}
	for k := range g.slots {
		if s := &g.slots[k]; s.store == u.store && s.writes {
			return false
		}
	}
	for k := range e.uses {
		if k != i && e.uses[k].store == u.store && e.uses[k].write {
			return false
		}
	}
	pieces, ok := frame(e.op.Uses[i].View, u.store.size)
	carried := int64(0)
	for _, p := range pieces {
		carried += int64(p.Elements()) * int64(p.Type.Size())
	}
	return ok && carried <= u.store.size/4
}

// frame returns the bytes of a store that a view leaves out, as views. It is false for views
// that are no boxes: steps, interleaved axes, odd offsets.
func frame(v View, size int64) (pieces []View, ok bool) {
	item := int64(v.Type.Size())
	if size%item != 0 {
		return nil, false
	}
	type axis struct {
		n  int
		by int64
	}
	var axes []axis
	lo := v.Offset
	for i, n := range v.Shape {
		by := v.Strides[i]
		if by < 0 {
			lo += by * int64(n-1)
			by = -by
		}
		if n > 1 {
			axes = append(axes, axis{n, by})
		}
	}
	slices.SortStableFunc(axes, func(a, b axis) int { return int(min(1, max(-1, b.by-a.by))) })
	if lo%item != 0 {
		return nil, false
	}
	piece := func(at, bytes int64, outer []axis) {
		if bytes == 0 {
			return
		}
		p := View{Store: v.Store, Type: v.Type, Offset: at}
		for _, a := range outer {
			p.Shape, p.Strides = append(p.Shape, a.n), append(p.Strides, a.by)
		}
		p.Shape, p.Strides = append(p.Shape, int(bytes/item)), append(p.Strides, item)
		pieces = append(pieces, p)
	}
	block := item // bytes from the first to the last of what lies within one step of the axis
	for k := len(axes) - 1; k >= 0; k-- {
		a := axes[k]
		gap := a.by - block
		if gap < 0 || gap%item != 0 {
			return nil, false
		}
		outer := append(slices.Clone(axes[:k]), axis{a.n - 1, a.by})
		piece(lo+block, gap, outer)
		block += int64(a.n-1) * a.by
	}
	piece(0, lo, nil)
	piece(lo+block, size-lo-block, nil)
	return pieces, true
}

// renewing finds the new instances of the stores that an op renews. Where there is no room for
// one, there is none, and the op fails.
func (c *Core) renewing(e *entry) {
	for i := range e.uses {
		st := e.uses[i].store
		switch {
		case !e.uses[i].renew || st.next != nil:
		case st.spare.inst != nil:
			st.next = st.spare.inst
		default:
			old := c.onHost(st, e.tiles[0])
			st.next = c.newInstance(st, 0, region.Interval{Lo: 0, Hi: st.size})
			if st.at[0] = old; !c.hold(st.next, e.tiles[0]) { // until the op's last tile
				st.next = nil
			}
		}
	}
}

// renewAll carries over what an op with renewed stores has not written, and keeps the old
// instances for the next time, or frees them.
func (c *Core) renewAll(e *entry) {
	for i := range e.uses {
		st := e.uses[i].store
		if !e.uses[i].renew || st.next == nil { // no tile: nothing was written
			continue
		}
		old, v := st.at[0], &e.op.Uses[i].View
		if x := &st.spare; x.inst == nil || !x.same || !same(v, &x.inside) {
			pieces, _ := frame(*v, st.size)
			for _, p := range pieces {
				c.carry(st, old, p, e.op.Where)
			}
		}
		st.at[0], st.next = st.next, nil
		c.spare(st, old, v, e.op.Where)
	}
}

// moverKey says what the program that carries a piece depends on.
type moverKey struct {
	t    tile.DType
	rank int
}

// carry plans an op of the core's own that moves a piece from the old instance to the new one.
func (c *Core) carry(st *store, old *instance, piece View, where Where) {
	key := moverKey{piece.Type, len(piece.Shape)}
	p := c.movers[key]
	if p == nil {
		b := tile.NewBuilder(fmt.Sprintf("carry%d", key.rank), key.rank)
		b.Store(b.Load(key.t))
		p = b.Program()
		if c.movers == nil {
			c.movers = map[moverKey]*tile.Program{}
		}
		c.movers[key] = p
	}
	c.lastOp++
	op := &Op{ID: c.lastOp, Kind: Move, Name: "carry", Shape: piece.Shape, Program: p, Where: where,
		Uses: []Use{{View: piece}, {View: piece, Access: Write, Renews: true}}}
	bytes, dense := region.Footprint(piece.layout(), origin0[:key.rank], piece.Shape)
	e := entry{op: op, uses: []use{{store: st, bytes: bytes, dense: dense, read: true}, {store: st, bytes: bytes, dense: dense, write: true, renew: true}}}
	n := c.whole(&e)
	n.uses[0].inst, n.uses[1].inst = old, st.next
	n.Device = c.runner(&e, n)
	c.plan.Ops = append(c.plan.Ops, op)
	bind(n)
	c.add(n)
}
