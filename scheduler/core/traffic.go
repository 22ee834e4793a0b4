package core

import (
	"slices"

	"weft/scheduler/region"
)

// span is what is moved of one store in one direction: the elements that views name, but no
// more than lies in the rows around them, for the views of a stencil overlap.
type span struct {
	elements int64 // their bytes, view by view
	around   region.Comb
}

func (x *span) add(elements int64, bytes region.Comb) {
	x.elements += elements
	x.around = x.around.Around(bytes)
}

func (x *span) bytes() int64 { return min(x.elements, x.around.Len()) }

// traffic returns the bytes that a tile reads from memory and writes to it.
func (n *node) traffic() int64 {
	total := int64(0)
	for i := range n.uses {
		if n.usesBefore(i) {
			continue
		}
		var in, out span
		for k := i; k < len(n.uses); k++ {
			u := &n.uses[k]
			if u.store != n.uses[i].store {
				continue
			}
			v := &n.Op.Uses[k].View
			shape := v.Shape
			if !n.whole {
				_, shape = n.Extent(k)
			}
			bytes := v.Moved(shape)
			if u.read {
				in.add(bytes, u.footprint())
			}
			if u.write {
				out.add(bytes, u.footprint())
			}
		}
		total += in.bytes() + out.bytes()
	}
	return total
}

// usesBefore reports whether an operand before i is on the same store.
func (n *node) usesBefore(i int) bool {
	for k := range i {
		if n.uses[k].store == n.uses[i].store {
			return true
		}
	}
	return false
}

// loaded returns the bytes of a store that the group reads from memory.
func (g *group) loaded(st *store) (x span) {
	for k := range g.slots {
		if s := &g.slots[k]; s.store == st && s.loads {
			x.add(s.view.Moved(s.view.Shape), s.bytes.Comb())
		}
	}
	return x
}

// traffic returns the bytes that a group reads from memory and writes to it.
func (g *group) traffic() int64 {
	total := int64(0)
	for k := range g.slots {
		st := g.slots[k].store
		if g.first(st) != k {
			continue
		}
		in, out := g.loaded(st), span{}
		for j := k; j < len(g.slots); j++ {
			if g.slots[j].store == st && g.alive(j) {
				out.add(g.slots[j].view.Moved(g.slots[j].view.Shape), g.slots[j].bytes.Comb())
			}
		}
		total += in.bytes() + out.bytes()
	}
	return total
}

// first returns the first slot on a store.
func (g *group) first(st *store) int {
	return slices.IndexFunc(g.slots, func(s slot) bool { return s.store == st })
}
