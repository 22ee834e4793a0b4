package fuse

import (
	"slices"

	"weft/scheduler/region"
)

// loaded returns the bytes of a store that the group reads from memory.
//
// Views that overlap, as the shifted ones of a stencil do, count their common elements once: a tile finds them in the
// cache.
func (g *group) loaded(st int32) (x region.Traffic) {
	for k := range g.slots {
		if s := &g.slots[k]; s.store == st && s.loads {
			x.Add(s.view.Moved(s.view.Shape), s.bytes.Comb())
		}
	}
	return x
}

// traffic returns the bytes that a group reads from memory and writes to it.
//
// The unit is bytes of the whole op, as if one pass over memory did it; how it is cut later changes nothing for the
// comparison.
func (f *Fuser) traffic(g *group) int64 {
	total := int64(0)
	for k := range g.slots {
		st := g.slots[k].store
		if g.first(st) != k {
			continue
		}
		in, out := g.loaded(st), region.Traffic{}
		for j := k; j < len(g.slots); j++ {
			if g.slots[j].store == st && f.alive(g, j) {
				out.Add(g.slots[j].view.Moved(g.slots[j].view.Shape), g.slots[j].bytes.Comb())
			}
		}
		total += in.Bytes() + out.Bytes()
	}
	return total
}

// first returns the first slot on a store.
func (g *group) first(st int32) int {
	return slices.IndexFunc(g.slots, func(s slot) bool { return s.store == st })
}
