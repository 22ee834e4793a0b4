package core

import "weft/scheduler/region"

// traffic returns the bytes that a tile reads from memory and writes to it.
//
// It is what a device has to move if nothing is in a cache: views of one store that overlap count their common
// bytes once, as reads and as writes, and an axis of stride 0 counts as one element (View.Moved).
func (n *node) traffic() int64 {
	total := int64(0)
	for i := range n.uses {
		if n.usesBefore(i) {
			continue
		}
		var in, out region.Traffic
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
				in.Add(bytes, u.footprint())
			}
			if u.write {
				out.Add(bytes, u.footprint())
			}
		}
		total += in.Bytes() + out.Bytes()
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
